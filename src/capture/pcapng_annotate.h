/* SPDX-License-Identifier: GPL-2.0-or-later
 * A pcapng file once more, with comments on some of its packets. */
#ifndef FABSCOPE_CAPTURE_PCAPNG_ANNOTATE_H
#define FABSCOPE_CAPTURE_PCAPNG_ANNOTATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct pcapng_annotation {
	/* What to say of frame |number|; NULL: nothing. */
	const char *(*comment)(void *ctx, uint64_t number);
	void *ctx;
	/* out */
	uint64_t packets, commented;
	uint64_t refused; /* cannot carry one: simple packet blocks, broken
			   * options, blocks that would be too long */
	uint64_t damaged; /* octets at the end copied as they are */
};

/* Does |path| begin like an uncompressed pcapng file? */
bool pcapng_is(const char *path);

/* Copies |path| to |out| block by block.  Every octet stays as it is, but for
 * the comments that are added, the lengths of their blocks, and a section's
 * length, which becomes "unknown" where it was told.  From the first block on
 * that cannot be one, the rest is copied as it is. */
int pcapng_annotate(const char *path, FILE *out, struct pcapng_annotation *a,
		    struct err *err);

#endif
