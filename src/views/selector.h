/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which packets somebody wants: finding:3, flow:7, time:A..B, frames:LIST. */
#ifndef FABSCOPE_VIEWS_SELECTOR_H
#define FABSCOPE_VIEWS_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum selector_kind {
	SELECT_FINDING,
	SELECT_FLOW,
	SELECT_TIME,
	SELECT_FRAMES,
	SELECT_KINDS
};

struct selector_end {
	int64_t ns;
	bool relative; /* from the first packet; else since the epoch */
};

struct selector_range {
	uint64_t from, to; /* inclusive */
};

struct selector {
	enum selector_kind kind;
	const char *text;              /* as it was given, borrowed */
	int64_t id;                    /* FINDING, FLOW */
	struct selector_end from, to;  /* TIME, inclusive */
	struct selector_range *ranges; /* FRAMES, in order of from */
	size_t n_ranges;
	char *tap; /* FRAMES: name or number, or NULL */
};

/* -1 and |err| when |text| is none.  selector_fini() is right after either. */
int selector_parse(struct selector *s, const char *text, struct err *err);
void selector_fini(struct selector *s);

/* Is |number| in the ranges? */
bool selector_has_frame(const struct selector *s, uint64_t number);

#endif
