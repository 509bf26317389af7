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

#include "capture/bytes.h"
#include "capture/capture.h"

enum {
	LONGEST = 1 << 26,
	BEFORE = 16, /* packets that are read before the place */
	PCAP_HEAD = 24,
	PCAP_RECORD = 16,
	FRAMING = 12,
};

/* Where packets and other blocks begin; the last is the end of the file. */
struct place {
	size_t at;
	bool packet; /* what ends there was one */
};

struct whole {
	uint8_t *p;
	size_t n, head; /* bytes that each piece begins with */
	struct place *v;
	size_t n_places;
};

static size_t length_at(const struct whole *w, size_t at, bool ng, bool *packet)
{
	uint32_t type = bytes_u32(w->p + at, false);

	*packet = !ng || type == 6 || type == 3 || type == 2;
	return ng ? bytes_u32(w->p + at + 4, false)
		  : PCAP_RECORD + bytes_u32(w->p + at + 8, false);
}

/* False: not one that this understands. */
static bool divide(struct whole *w)
{
	const bool ng = bytes_u32(w->p, false) == 0x0a0d0d0a;
	const size_t least = ng ? FRAMING : PCAP_RECORD;
	size_t at = ng ? 0 : PCAP_HEAD;
	bool packet = false;

	w->v = calloc(w->n / least + 2, sizeof *w->v);
	while (w->v && at + least <= w->n) {
		size_t length = length_at(w, at, ng, &packet);

		if (length < least || length > w->n - at)
			return false;
		if (packet && !w->n_places) {
			w->head = at;
			w->v[w->n_places++] = (struct place) { at, false };
		}
		at += length;
		if (w->n_places)
			w->v[w->n_places++] = (struct place) { at, packet };
	}
	return w->v && w->n_places && at == w->n;
}

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
	*cut = capture_file(c, 0)->cut;
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

static bool load(struct whole *w, const char *path)
{
	FILE *f = fopen(path, "rb");

	w->p = malloc(LONGEST);
	w->n = f && w->p ? fread(w->p, 1, LONGEST, f) : 0;
	if (f)
		fclose(f);
	return w->n > PCAP_HEAD + FRAMING && w->n < LONGEST;
}

int main(int argc, char **argv)
{
	struct whole w = { 0 };
	size_t at, step, most, tried = 0, k = 0;
	int bad = 0;

	if (argc != 5 || !load(&w, argv[4]) || !divide(&w)) {
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
	free(w.p);
	free(w.v);
	return bad > 0;
}
