/* SPDX-License-Identifier: GPL-2.0-or-later
 * A time series in adaptive, sparse bins: starts fine and doubles the width
 * whenever there would be too many.  Empty stretches cost nothing. */
#ifndef FABSCOPE_FLOW_CORE_BINS_H
#define FABSCOPE_FLOW_CORE_BINS_H

#include <stddef.h>
#include <stdint.h>

struct bin_count {
	uint64_t packets, bytes, ce, ect, cnp, retransmitted;
	int64_t paused_ns;
};

struct bins {
	int64_t width;    /* ns */
	int64_t from, to; /* of the current bin ... */
	void *current;    /* ... and its counters */
	uint32_t n, max, room;
	uint16_t counters; /* of a bin */
	uint16_t maxima;   /* of those, by bit: the largest is kept, no sum */
	int64_t *b;        /* of each its number, start_ns / width, in order,
			    * and its counters */
};

enum {
	BIN_TAP_MAX = 2048,
	BIN_FLOW_MAX = 64,     /* of a flow, while few have a series ... */
	BIN_WATCHED_MAX = 512, /* ... and that meets congestion */
	BIN_WIDTH_NS = 100 * 1000,
	BIN_ROWS_MAX = 1 << 16, /* of all flows together */
};

struct bins *bins_new(uint32_t max); /* NULL: no memory */
/* The same of another struct of 64-bit counters. */
struct bins *bins_new_of(uint32_t max, unsigned counters, unsigned maxima);
void bins_delete(struct bins *s); /* NULL is fine */

/* No more than |max| bins from now on: merges until there are. */
void bins_limit(struct bins *s, uint32_t max);

/* The counters of the bin of |ns|, made current; never NULL. */
void *bins_find(struct bins *s, int64_t ns);

/* Without the bins that end before |before|. */
void bins_forget(struct bins *s, int64_t before);

static inline int64_t *bins_number(const struct bins *s, uint32_t i)
{
	return s->b + (size_t)i * (1u + s->counters);
}

/* The counters of bin |i|. */
static inline void *bins_counters(const struct bins *s, uint32_t i)
{
	return bins_number(s, i) + 1;
}

/* When bin |i| begins. */
int64_t bins_start_of(const struct bins *s, uint32_t i);

/* Adds |from|..|to| to that counter, or paused_ns, of the bins it lies in. */
void bins_span(struct bins *s, unsigned counter, int64_t from, int64_t to);
void bins_paused_span(struct bins *s, int64_t from, int64_t to);

static inline void *bins_counters_at(struct bins *s, int64_t ns)
{
	if (ns >= s->from && ns < s->to)
		return s->current;
	return bins_find(s, ns);
}

static inline struct bin_count *bins_at(struct bins *s, int64_t ns)
{
	return bins_counters_at(s, ns);
}

#endif
