/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sums by whom, by step of time and by level of a value: a sparse table of
 * limited size.
 *
 * When it is full the steps of time become twice as long, and rows that fall
 * together are added up.  What has no room even then is counted. */
#ifndef FABSCOPE_FLOW_CORE_GRID_H
#define FABSCOPE_FLOW_CORE_GRID_H

#include <stdbool.h>
#include <stdint.h>

enum { GRID_SUMS = 10 };

struct grid_row {
	int64_t step; /* begin / width */
	uint32_t who;
	uint32_t level;
	int64_t min, max; /* of what grid_extent() was told; min > max: none */
	uint32_t n[GRID_SUMS];
};

struct grid {
	int64_t width; /* ns */
	uint32_t n, max, room, n_slots;
	struct grid_row *row; /* in no order */
	uint32_t *slot;       /* index + 1 */
	uint64_t left_out;    /* times there was no room */
};

void grid_init(struct grid *g, uint32_t max);
void grid_fini(struct grid *g);

/* Valid until the next call.  NULL: no room, which is counted. */
struct grid_row *grid_at(struct grid *g, uint32_t who, uint32_t level,
			 int64_t ns);
void grid_extent(struct grid_row *r, int64_t value);

/* Without the rows that end before |before|. */
void grid_forget(struct grid *g, int64_t before);

int64_t grid_start(const struct grid *g, const struct grid_row *r);

#endif
