/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sums by whom, by step of time and by level of a value. */
#include "flow/core/time_grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "flow/core/bins.h"

enum { FEW = 64 };

void time_grid_init(struct time_grid *g, uint32_t max)
{
	*g = (struct time_grid) { .width = BIN_WIDTH_NS, .max = max };
}

void time_grid_fini(struct time_grid *g)
{
	free(g->row);
	free(g->slot);
	g->row = NULL;
	g->slot = NULL;
	g->n = g->room = 0;
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* Where the row is, or would be.  There are more slots than rows. */
static uint32_t *slot_of(const struct time_grid *g, uint32_t who,
			 uint32_t level, int64_t step)
{
	uint64_t h = hash2((uint64_t)who << 32 | level, (uint64_t)step);
	uint32_t i = (uint32_t)h & (g->n_slots - 1);

	for (; g->slot[i]; i = (i + 1) & (g->n_slots - 1)) {
		const struct time_grid_row *r = &g->row[g->slot[i] - 1];

		if (r->step == step && r->who == who && r->level == level)
			break;
	}
	return &g->slot[i];
}

static void merge(struct time_grid_row *to, const struct time_grid_row *r)
{
	for (unsigned i = 0; i < TIME_GRID_SUMS; i++)
		to->n[i] += r->n[i];
	to->min = r->min < to->min ? r->min : to->min;
	to->max = r->max > to->max ? r->max : to->max;
}

/* Rows with the same key become one. */
static void find_anew(struct time_grid *g)
{
	uint32_t n = 0;

	memset(g->slot, 0, g->n_slots * sizeof *g->slot);
	for (uint32_t i = 0; i < g->n; i++) {
		const struct time_grid_row *r = &g->row[i];
		uint32_t *slot = slot_of(g, r->who, r->level, r->step);

		if (*slot) {
			merge(&g->row[*slot - 1], r);
			continue;
		}
		g->row[n] = *r;
		*slot = ++n;
	}
	g->n = n;
}

/* Nothing is gained once all rows are of one step. */
static bool one_step(const struct time_grid *g, int64_t step)
{
	for (uint32_t i = 0; i < g->n; i++)
		if (g->row[i].step != step)
			return false;
	return true;
}

/* Steps twice as long, until there is some room. */
static bool coarsen(struct time_grid *g, int64_t ns)
{
	while (g->n > g->max - g->max / 4) {
		if (g->width > INT64_MAX / 4 ||
		    one_step(g, floor_div(ns, g->width)))
			return g->n < g->max;
		g->width *= 2;
		for (uint32_t i = 0; i < g->n; i++)
			g->row[i].step = floor_div(g->row[i].step, 2);
		find_anew(g);
	}
	return true;
}

static bool grow(struct time_grid *g)
{
	uint32_t room = g->room ? g->room * 2 : FEW;
	struct time_grid_row *row;
	uint32_t *slot;

	if (room > g->max)
		room = g->max;
	row = mem_reallocarray(g->row, room, sizeof *row);
	if (!row)
		return false;
	g->row = row;
	for (g->n_slots = FEW; g->n_slots < 2 * room;)
		g->n_slots *= 2;
	slot = mem_calloc(g->n_slots, sizeof *slot);
	free(g->slot);
	g->slot = slot;
	g->room = slot ? room : 0;
	if (!slot)
		g->n = 0; /* the analysis fails: base/mem.h */
	else
		find_anew(g);
	return slot;
}

static bool make_room(struct time_grid *g, int64_t ns)
{
	if (g->n < g->room)
		return true;
	return g->room < g->max ? grow(g) : coarsen(g, ns);
}

struct time_grid_row *time_grid_at(struct time_grid *g, uint32_t who,
				   uint32_t level, int64_t ns)
{
	int64_t step = floor_div(ns, g->width);
	uint32_t *slot = g->room ? slot_of(g, who, level, step) : NULL;

	if (slot && *slot)
		return &g->row[*slot - 1];
	if (!make_room(g, ns)) {
		g->left_out++;
		return NULL;
	}
	step = floor_div(ns, g->width);
	slot = slot_of(g, who, level, step);
	if (!*slot) {
		g->row[g->n] = (struct time_grid_row) { .step = step,
							.who = who,
							.level = level,
							.min = INT64_MAX,
							.max = INT64_MIN };
		*slot = ++g->n;
	}
	return &g->row[*slot - 1];
}

void time_grid_extent(struct time_grid_row *r, int64_t value)
{
	r->min = value < r->min ? value : r->min;
	r->max = value > r->max ? value : r->max;
}

void time_grid_forget(struct time_grid *g, int64_t before)
{
	int64_t step = floor_div(before, g->width);
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->n; i++)
		if (g->row[i].step >= step)
			g->row[n++] = g->row[i];
	if (n == g->n)
		return;
	g->n = n;
	find_anew(g);
}

int64_t time_grid_start(const struct time_grid *g,
			const struct time_grid_row *r)
{
	int64_t start;

	return __builtin_mul_overflow(r->step, g->width, &start) ? INT64_MIN
								 : start;
}
