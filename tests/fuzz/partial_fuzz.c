/* SPDX-License-Identifier: GPL-2.0-or-later
 * libFuzzer target: any bytes as the records of a partial result, well packed
 * and of the right plan.  The first byte says whether they are only read, or
 * merged. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "capture/capture.h"
#include "capture/reduced.h"

static const char part[] = "p.parts/0.part";
static struct reduced_head head;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
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
	close(fd);
	return 0;
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
	if (size < 2)
		return 0;
	put_part(data + 1, size - 1);
	if (data[0] % 4)
		read_part();
	else
		fuzz_run("merge --json -o m.db p");
	return 0;
}
