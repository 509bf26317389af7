/* SPDX-License-Identifier: GPL-2.0-or-later
 * Captures (pcap and pcapng, little-endian) cut at each byte; made to be run
 * under sanitizers.  All whole packets before the place come, no other, and
 * the file is said to be cut unless a packet ends there.  Of what is before the
 * place only the beginning of the file and a few packets are read: so a long
 * capture takes no longer for each of its places than a short one.
 * usage: capture-cut FIRST STEP MOST FILE: at most MOST places, each STEPth
 * from FIRST; prints how many, and where it would go on. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "cuts.h"

enum { BEFORE = 16 }; /* packets that are read before the place */

/* What is read of |n| bytes; -1: not even begun. */
static long packets_of(const uint8_t *p, size_t n, bool *cut)
{
	struct err err = { 0 };
	struct capture *c = capture_open_bytes(p, n, NULL, &err);
	const struct frame *f;
	long packets = 0;
	int got;

	*cut = false;
	if (!c)
		return -1;
	while ((got = capture_next(c, &f, &err)) > 0)
		packets += got;
	*cut = capture_file(c, 0)->cut > 0;
	capture_free(c);
	return got < 0 ? -1 : packets;
}

/* Cut at |at|, which is behind place |k| and not behind the next one. */
static int try_place(const struct whole *w, size_t k, size_t at)
{
	size_t first = k > BEFORE ? k - BEFORE : 0;
	size_t rest = at - w->v[first].at, n = w->head + rest;
	uint8_t *piece = malloc(n); /* its end is the buffer's */
	long want = 0, got;
	bool cut;

	if (!piece)
		return 1;
	memcpy(piece, w->p, w->head);
	memcpy(piece + w->head, w->p + w->v[first].at, rest);
	for (size_t i = first + 1; i <= k; i++)
		want += w->v[i].packet;
	got = packets_of(piece, n, &cut);
	free(piece);
	if (got == want && cut == (at != w->v[k].at))
		return 0;
	printf("cut at %zu: %ld packets of %ld, %s\n", at, got, want,
	       cut ? "cut" : "not cut");
	return 1;
}

int main(int argc, char **argv)
{
	struct whole w;
	size_t at, step, most, tried = 0, k = 0;
	int bad = 0;

	if (argc != 5 || !cuts_load(&w, argv[4])) {
		fprintf(stderr, "usage: capture-cut FIRST STEP MOST FILE\n");
		return 2;
	}
	at = strtoul(argv[1], NULL, 10);
	step = strtoul(argv[2], NULL, 10);
	most = strtoul(argv[3], NULL, 10);
	if (at < w.head)
		at += (w.head - at + step - 1) / step * step;
	for (; at < w.n && tried < most; at += step, tried++) {
		while (k + 1 < w.n_places && w.v[k + 1].at <= at)
			k++;
		bad += try_place(&w, k, at);
	}
	printf("%zu places, next %zu of %zu\n", tried, at, w.n);
	cuts_free(&w);
	return bad > 0;
}
