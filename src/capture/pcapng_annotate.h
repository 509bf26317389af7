/* SPDX-License-Identifier: GPL-2.0-or-later
 * A pcapng file once more, with comments on some of its packets and of its
 * interfaces. */
#ifndef FABSCOPE_CAPTURE_PCAPNG_ANNOTATE_H
#define FABSCOPE_CAPTURE_PCAPNG_ANNOTATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct pcapng_annotation {
	/* What to say of frame |number|; NULL: nothing. */
	const char *(*comment)(void *ctx, uint64_t number);
	/* What to say of interface |number| of a section; |name| is what it is
	 * called, or NULL.  NULL: nothing.  Both are valid to the end. */
	const char *(*remark)(void *ctx, uint32_t number, const char *name);
	void *ctx;
	/* out */
	uint64_t packets, commented;
	uint64_t remarked;   /* interfaces something was said of */
	uint64_t refused;    /* cannot carry one: simple packet blocks, broken
			   * options, blocks that would be too long */
	uint64_t damaged;    /* bytes at the end copied as they are */
	const char *failure; /* why unpacking ended early, or NULL */
};

/* Does |path| begin like a pcapng file, when it is unpacked? */
bool pcapng_is(const char *path);

/* Copies |path|, unpacked, to |out| block by block.  Every byte stays as it is,
 * but for the comments that are added, the lengths of their blocks, and a
 * section's length, which becomes "unknown" where it was given.  What is said
 * of an interface is the comment of an interface statistics block without
 * statistics, at the end of its section.  From the first block on that cannot
 * be one, the rest is copied as it is. */
int pcapng_annotate(const char *path, FILE *out, struct pcapng_annotation *a,
		    struct err *err);

#endif
