/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reads captures cut at every byte and with flipped bits; made to be run under
 * sanitizers.  Long files are cut at, and flipped in, some 2000 places.
 * usage: capture-mangle FILE... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "capture/capture.h"

enum { LONGEST = 1 << 24, PLACES = 2000 };

static unsigned long runs;
static volatile uint32_t touched;

static void read_all(const uint8_t *p, size_t n)
{
	struct err err = { 0 };
	struct capture *c = capture_open_bytes(p, n, NULL, &err);
	const struct frame *f;
	int got, i;

	runs++;
	while (c && (got = capture_next(c, &f, &err)) > 0)
		for (i = 0; i < got; i++)
			touched = crc32_add(touched, f[i].data, f[i].caplen);
	capture_free(c);
}

static void mangle(const uint8_t *p, size_t n)
{
	size_t step = n / PLACES + 1, at;
	uint8_t *copy;

	for (at = 0; at < n; at += step) {
		copy = malloc(at ? at : 1); /* its end is the buffer's */
		if (!copy)
			return;
		memcpy(copy, p, at);
		read_all(copy, at);
		free(copy);
	}
	copy = malloc(n);
	if (!copy)
		return;
	memcpy(copy, p, n);
	for (at = 0; at < n; at += step) {
		copy[at] ^= (uint8_t)(1 << at / step % 8);
		read_all(copy, n);
		copy[at] = p[at];
	}
	free(copy);
}

int main(int argc, char **argv)
{
	static uint8_t file[LONGEST];
	int i;

	for (i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		size_t n;

		if (!f) {
			perror(argv[i]);
			return 1;
		}
		n = fread(file, 1, sizeof file, f);
		fclose(f);
		mangle(file, n);
	}
	printf("%d files, %lu runs\n", argc - 1, runs);
	return 0;
}
