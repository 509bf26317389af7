/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which PSNs have not been seen. */
#include "flow/gaps.h"

#include <stdlib.h>
#include <string.h>

#include "flow/serial.h"

static bool make_room(struct gaps *l)
{
	uint16_t room = l->room ? (uint16_t)(l->room * 2) : 4;
	struct gap *g;

	if (l->n < l->room)
		return true;
	if (room > GAPS_MAX)
		return false;
	g = realloc(l->g, room * sizeof *g);
	if (!g)
		return false;
	l->g = g;
	l->room = room;
	return true;
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

void gaps_cut(struct gaps *l, struct gap *g, uint32_t psn)
{
	struct gap rest = *g;

	if (g->start == psn)
		g->start = psn_add(psn, 1);
	else if (psn_add(psn, 1) == g->end)
		g->end = psn;
	else {
		g->end = psn;
		rest.start = psn_add(psn, 1);
		/* A full list loses the far half: it is reported by the
		 * receiver's acknowledgements all the same. */
		gaps_add(l, rest);
		return;
	}
	if (g->start == g->end)
		gaps_remove(l, g);
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
