/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which PSNs have not been seen. */
#include "flow/core/gaps.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "flow/core/serial.h"

static bool make_room(struct gaps *l)
{
	return l->n < GAPS_MAX &&
	       mem_grow(&l->g, l->n, &l->room, 4, sizeof *l->g);
}

bool gaps_add(struct gaps *l, struct gap g)
{
	uint16_t i;

	if (!make_room(l))
		return false;
	for (i = l->n; i > 0 && psn_diff(l->g[i - 1].start, g.start) > 0; i--)
		l->g[i] = l->g[i - 1];
	l->g[i] = g;
	l->n++;
	return true;
}

struct gap *gaps_find(const struct gaps *l, uint32_t psn)
{
	for (uint16_t i = 0; i < l->n; i++)
		if (psn_diff(psn, l->g[i].start) >= 0 &&
		    psn_diff(psn, l->g[i].end) < 0)
			return &l->g[i];
	return NULL;
}

void gaps_remove(struct gaps *l, struct gap *g)
{
	size_t i = (size_t)(g - l->g);

	memmove(g, g + 1, (l->n - i - 1) * sizeof *g);
	l->n--;
}

/* Takes [psn, end), which begins inside |g|, out of it. */
static void cut_one(struct gaps *l, struct gap *g, uint32_t psn, uint32_t end)
{
	struct gap rest = *g;

	if (psn_diff(end, g->end) >= 0)
		end = g->end;
	if (g->start == psn)
		g->start = end;
	else if (end == g->end)
		g->end = psn;
	else {
		g->end = psn;
		rest.start = end;
		/* A full list loses the far half: it is reported by the
		 * receiver's acknowledgements all the same. */
		gaps_add(l, rest);
		return;
	}
	if (g->start == g->end)
		gaps_remove(l, g);
}

void gaps_cut(struct gaps *l, uint32_t psn, uint32_t n)
{
	uint32_t end = psn_add(psn, n);

	for (uint16_t i = 0; i < l->n; i++) {
		struct gap *g = &l->g[i];
		uint32_t from = psn_max(psn, g->start);
		uint16_t before = l->n;

		if (psn_diff(from, end) >= 0)
			break;
		if (psn_diff(from, g->end) >= 0)
			continue;
		cut_one(l, g, from, end);
		i -= l->n < before;
	}
}

bool gaps_overlap(const struct gaps *l, uint32_t start, uint32_t end)
{
	for (uint16_t i = 0; i < l->n; i++)
		if (psn_diff(l->g[i].start, end) < 0 &&
		    psn_diff(l->g[i].end, start) > 0)
			return true;
	return false;
}

void gaps_free(struct gaps *l)
{
	free(l->g);
	l->g = 0;
	l->n = l->room = 0;
}
