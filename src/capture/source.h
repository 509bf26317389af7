/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where the bytes of one input come from: a file, a pipe, memory, or another
 * source through a decompressor (unpack.h). */
#ifndef FABSCOPE_CAPTURE_SOURCE_H
#define FABSCOPE_CAPTURE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct source {
	/* How many bytes came, 0: the end, for good or for the |failure|. */
	size_t (*read)(struct source *s, uint8_t *to, size_t n);
	/* Would read() return at once?  False is what a quiet pipe says;
	 * NULL for the patient. */
	bool (*ready)(struct source *s);
	void (*free)(struct source *s);
	bool patient; /* nobody has to write first: read() never waits */
	/* Why the stream ended before it should have, a read error for one;
	 * static text or NULL. */
	const char *failure;
	bool cut; /* that is: the rest did not come, and not: is corrupted */
};

/* "-" is standard input.  NULL and |err| naming the file. */
struct source *source_open(const char *path, struct err *err);

/* Borrows the bytes until it is freed.  NULL: no memory. */
struct source *source_bytes(const void *bytes, size_t n);

static inline bool source_ready(struct source *s)
{
	return s->patient || s->ready(s);
}

void source_free(struct source *s); /* NULL is fine */

#endif
