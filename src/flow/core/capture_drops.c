/* SPDX-License-Identifier: GPL-2.0-or-later
 * When the capture itself dropped packets.
 *
 * A verdict looks a moment back, so the last such times are enough; what lies
 * before them counts as dropped as soon as any had to be forgotten. */
#include <stdlib.h>

#include "base/mem.h"
#include "flow/core/flow.h"

enum { KEPT = 1024, NEAR_NS = 10 * 1000 * 1000 };

struct capture_drops {
	struct {
		uint32_t place;
		int64_t from, to;
	} at[KEPT]; /* ring */
	uint32_t n;
	int64_t forgotten; /* the latest end of those that had to go */
};

void engine_capture_drops(struct engine *e, uint32_t tap, int64_t from,
			  int64_t to)
{
	struct capture_drops *b = e->drops;
	uint32_t place = tap_place(e, tap), last;

	if (!b && !(b = e->drops = mem_calloc(1, sizeof *b)))
		return;
	if (!b->n)
		b->forgotten = INT64_MIN;
	last = (b->n - 1) % KEPT;
	if (b->n && b->at[last].place == place &&
	    from - b->at[last].to < NEAR_NS && from >= b->at[last].from) {
		if (to > b->at[last].to)
			b->at[last].to = to;
		return;
	}
	last = b->n++ % KEPT;
	if (b->n > KEPT && b->at[last].to > b->forgotten)
		b->forgotten = b->at[last].to;
	b->at[last].place = place;
	b->at[last].from = from;
	b->at[last].to = to;
}

bool drops_between(const struct engine *e, uint32_t place, int64_t from,
		   int64_t to)
{
	const struct capture_drops *b = e->drops;
	uint32_t n;

	if (!b)
		return false;
	if (from <= b->forgotten)
		return true;
	n = b->n < KEPT ? b->n : KEPT;
	for (uint32_t i = 0; i < n; i++)
		if (b->at[i].place == place && b->at[i].from <= to &&
		    b->at[i].to >= from)
			return true;
	return false;
}
