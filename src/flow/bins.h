/* SPDX-License-Identifier: GPL-2.0-or-later
 * A time series in adaptive, sparse bins: starts fine and doubles the width
 * whenever there would be too many.  Empty stretches cost nothing. */
#ifndef FABSCOPE_FLOW_BINS_H
#define FABSCOPE_FLOW_BINS_H

#include <stdint.h>

struct bin_count {
	uint64_t packets, bytes, ce, ect, cnp, retransmitted;
	int64_t paused_ns;
};

struct bin {
	int64_t index; /* start_ns / width */
	struct bin_count c;
};

struct bins {
	int64_t width;    /* ns */
	int64_t from, to; /* of the current bin */
	uint32_t n, max, room, current;
	struct bin *b; /* sorted by index */
};

enum {
	BIN_TAP_MAX = 2048,
	BIN_FLOW_MAX = 64,     /* of a flow, while few have a series ... */
	BIN_WATCHED_MAX = 512, /* ... and that meets congestion */
	BIN_WIDTH_NS = 100 * 1000
};

struct bins *bins_new(uint32_t max); /* NULL: no memory */
void bins_delete(struct bins *s);    /* NULL is fine */

/* No more than |max| bins from now on: merges until there are. */
void bins_limit(struct bins *s, uint32_t max);

/* The counters of the bin of |ns|, made current; never NULL. */
struct bin_count *bins_find(struct bins *s, int64_t ns);

/* Without the bins that end before |before|. */
void bins_forget(struct bins *s, int64_t before);

/* When bin |i| begins. */
int64_t bins_start_of(const struct bins *s, uint32_t i);

/* Adds |from|..|to| to paused_ns of the bins it lies in. */
void bins_paused_span(struct bins *s, int64_t from, int64_t to);

static inline struct bin_count *bins_at(struct bins *s, int64_t ns)
{
	if (ns >= s->from && ns < s->to)
		return &s->b[s->current].c;
	return bins_find(s, ns);
}

#endif
