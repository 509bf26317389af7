/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which PSNs of an unordered stream have been seen: a sliding bitmap.
 *
 * Everything before |low| is settled; |low| itself has not been seen unless
 * nothing is missing.  While packets come in order there is no bitmap at all.
 * Bounded: it grows to SEEN_MAX PSNs, and further than that it holds nothing:
 * then its owner settles |low| first. */
#ifndef FABSCOPE_FLOW_CORE_SEEN_H
#define FABSCOPE_FLOW_CORE_SEEN_H

#include <stdbool.h>
#include <stdint.h>

struct seen {
	struct seen_map *map; /* NULL: without bitmap */
	uint32_t low;
	uint32_t n; /* bits set */
};

enum { SEEN_MIN = 512, SEEN_MAX = 1 << 14 };

/* Has |psn|, not before |low|, been seen? */
bool seen_has(const struct seen *s, uint32_t psn);

/* Notes |psn|, which is not before |low| and not seen yet, and moves |low|
 * over everything that is seen now.  False when it is too far ahead, or memory
 * is short. */
bool seen_add(struct seen *s, uint32_t psn);

/* How many PSNs from |low| on are missing in a row, at most up to |end|. */
uint32_t seen_hole(const struct seen *s, uint32_t end);

/* Settles |n| PSNs from |low| on that were not seen, and moves |low| over what
 * was seen behind them. */
void seen_skip(struct seen *s, uint32_t n);

void seen_free(struct seen *s);

#endif
