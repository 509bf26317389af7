/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sums by whom, by step of time and by level of a value: a sparse table of
 * limited size.
 *
 * When it is full the steps of time become twice as long, and rows that fall
 * together are added up.  What has no room even then is counted. */
#ifndef FABSCOPE_FLOW_CORE_TIME_GRID_H
#define FABSCOPE_FLOW_CORE_TIME_GRID_H

#include <stdbool.h>
#include <stdint.h>

enum { TIME_GRID_SUMS = 10 };

struct time_grid_row {
	int64_t step; /* begin / width */
	uint32_t who;
	uint32_t level;
	int64_t min, max; /* of time_grid_extent(); min > max: none */
	uint32_t n[TIME_GRID_SUMS];
};

struct time_grid {
	int64_t width; /* ns */
	uint32_t n, max, room, n_slots;
	struct time_grid_row *row; /* in no order */
	uint32_t *slot;            /* index + 1 */
	uint64_t left_out;         /* times there was no room */
};

void time_grid_init(struct time_grid *g, uint32_t max);
void time_grid_fini(struct time_grid *g);

/* Valid until the next call.  NULL: no room, which is counted. */
struct time_grid_row *time_grid_at(struct time_grid *g, uint32_t who,
				   uint32_t level, int64_t ns);
void time_grid_extent(struct time_grid_row *r, int64_t value);

/* Without the rows that end before |before|. */
void time_grid_forget(struct time_grid *g, int64_t before);

int64_t time_grid_start(const struct time_grid *g,
			const struct time_grid_row *r);

#endif
