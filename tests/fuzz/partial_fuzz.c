/* SPDX-License-Identifier: GPL-2.0-or-later
 * libFuzzer target: a partial result that somebody changed, well packed and of
 * the right plan, read and merged.
 *
 * An input is a choice (1 byte; each fourth is merged, others are only read)
 * and a list of changes to the records of a partial result that is made when
 * the target starts, so that they are changes of what records are now: a place
 * (2), what is done there and to how many bytes (1), and these bytes, if it
 * needs any. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "capture/capture.h"
#include "capture/reduced.h"

enum {
	PART_MAX = 1 << 16,
	CHANGE = 3, /* bytes before those of a change */
	LENGTHS = 64,
};

/* What is done at a place, by the highest bits of the length. */
enum { OVERWRITE, INSERT, REMOVE, REPEAT };

static const char part[] = "p.parts/0.part";
static struct reduced_head head;
static uint8_t base[PART_MAX];
static size_t n_base;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static uint8_t packed[PART_MAX];
	ssize_t n;
	int fd;

	(void)argc;
	(void)argv;
	fuzz_folder();
	fuzz_put_capture("in");
	if (fuzz_run("plan -w p in") || fuzz_run("partial p 0"))
		abort();
	fd = open(part, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, &head, sizeof head) != sizeof head)
		abort();
	n = read(fd, packed, sizeof packed);
	close(fd);
	if (n <= 0 || n == sizeof packed)
		abort();
	n_base = ZSTD_decompress(base, sizeof base, packed, (size_t)n);
	if (ZSTD_isError(n_base))
		abort();
	return 0;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* |n| bytes more at |at| of |*size|: |from|, or what stands there. */
static void insert(uint8_t *to, size_t *size, size_t at, const uint8_t *from,
		   size_t n)
{
	n = least(n, PART_MAX - *size);
	memmove(to + at + n, to + at, *size - at);
	if (from)
		memcpy(to + at, from, n);
	*size += n;
}

/* One change; the bytes of the input that it took. */
static size_t change(uint8_t *to, size_t *size, const uint8_t *p, size_t left)
{
	size_t at = (size_t)(p[0] << 8 | p[1]) % (*size + 1);
	size_t n = p[2] % LENGTHS, given = least(n, left - CHANGE);
	size_t here = least(n, *size - at);

	switch (p[2] / LENGTHS) {
	case OVERWRITE:
		memcpy(to + at, p + CHANGE, least(given, here));
		return CHANGE + given;
	case INSERT:
		insert(to, size, at, p + CHANGE, given);
		return CHANGE + given;
	case REMOVE:
		memmove(to + at, to + at + here, *size - at - here);
		*size -= here;
		return CHANGE;
	default:
		insert(to, size, at, NULL, here);
		return CHANGE;
	}
}

static void put_part(const uint8_t *data, size_t size)
{
	size_t room = ZSTD_compressBound(size), n;
	uint8_t *all = malloc(sizeof head + room);

	if (!all)
		abort();
	memcpy(all, &head, sizeof head);
	n = ZSTD_compress(all + sizeof head, room, data, size, 1);
	fuzz_put(part, all, sizeof head + n);
	free(all);
}

static void read_part(void)
{
	const struct capture_input input = { .path = "in",
					     .kept = part,
					     .reduced = true };
	struct err err = { 0 };
	struct capture *c = capture_open(&input, 1, NULL, &err);
	const struct frame *frames;

	while (c && capture_next(c, &frames, &err) > 0)
		;
	capture_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t records[PART_MAX];
	const uint8_t *p = data + 1, *end = data + size;
	size_t n = n_base;

	if (!size)
		return 0;
	memcpy(records, base, n_base);
	while (end - p >= CHANGE)
		p += change(records, &n, p, (size_t)(end - p));
	put_part(records, n);
	if (data[0] % 4)
		read_part();
	else
		fuzz_run("merge --json -o m.db p");
	return 0;
}
