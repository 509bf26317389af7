/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which PSNs have not been seen: a short sorted list of half-open ranges.
 *
 * Bounded: a stream with more holes than the list holds gives up its oldest
 * ones, which the caller then reports as unresolved. */
#ifndef FABSCOPE_FLOW_CORE_GAPS_H
#define FABSCOPE_FLOW_CORE_GAPS_H

#include <stdbool.h>
#include <stdint.h>

struct gap {
	uint32_t start, end; /* [start, end) */
	int64_t ns;          /* when the packet after the hole passed */
	uint64_t frame;      /* that packet */
	uint64_t arrivals;   /* unique packets received when it opened */
	int64_t acked_ns;    /* when the receiver was known to have it; 0 */
	uint32_t tap;
	uint16_t ip_id; /* of that packet */
	bool naked;     /* a NAK named a PSN in it */
	bool again;     /* earlier copies were seen: a retransmit is missing */
	bool before;    /* perhaps sent before the capture began */
};

enum { GAPS_MAX = 64 };

struct gaps {
	struct gap *g; /* sorted by start, grown on demand */
	uint16_t n;
	uint32_t room;
};

/* Adds [start, end), which lies after all others or between them.  Returns
 * false when the list is full or memory is short. */
bool gaps_add(struct gaps *l, struct gap g);

/* The gap that holds |psn|, or NULL. */
struct gap *gaps_find(const struct gaps *l, uint32_t psn);

/* Takes |n| PSNs from |psn| on out of all gaps, one of which may split.
 * Pointers to gaps are invalid afterwards. */
void gaps_cut(struct gaps *l, uint32_t psn, uint32_t n);

void gaps_remove(struct gaps *l, struct gap *g);

/* Any hole in [start, end)? */
bool gaps_overlap(const struct gaps *l, uint32_t start, uint32_t end);

void gaps_free(struct gaps *l);

#endif
