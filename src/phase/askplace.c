/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which rank asks for data later than all others at a place of its phases.
 *
 * Inside a message a receiver asks for the next part as soon as it has a
 * buffer; before the next message it may compute first.  So asks are compared
 * with those of other ranks behind the same part of what a flow carries in a
 * phase, and what these take there is usual. */
#include <stdlib.h>

#include "base/search.h"
#include "phase/path_int.h"

enum {
	GRID = 256,  /* places of a phase */
	SEEN = 3,    /* asks of a rank at a place say something */
	RANKS = 4,   /* so many ranks have to be there */
	IN_MAX = 64, /* flows to a rank that are looked at */
};

/* Later by that part of what others take at most. */
static const double LATER = 0.1;

/* When flow |g| begins in a phase in the middle of the job. */
static int64_t begins(const struct job *j, const struct phase_flow *g)
{
	int64_t middle = j->n_bursts ? j->bursts[j->n_bursts / 2].from : 0;
	size_t k =
		search_below(struct phase_activity, g->a, g->n, from, middle);

	return k < g->n ? g->a[k].from : PHASE_FAR;
}

/* How many flows to the receiver of flow |f| begin before that in a phase: each
 * of them is used in its turn, for something else. */
static size_t turn_of(const struct job *j, uint32_t f)
{
	const struct phase_flow *g = &j->in->flows[f];
	const struct rank *r = &j->ranks[j->rank_of[g->dst]];
	int64_t ns = begins(j, g);
	size_t n = 0;

	for (uint32_t i = 0; r->n_in <= IN_MAX && i < r->n_in; i++)
		n += begins(j, &j->in->flows[r->in[i]]) < ns;
	return n;
}

/* Sets the place of each activity of flow |f|, whose phases are |kinds|. */
static void places_of_flow(struct path *p, uint32_t f, size_t kinds)
{
	const struct job *j = p->j;
	const struct phase_flow *g = &j->in->flows[f];
	int64_t *place = p->ask_place + p->first_lag[f];
	size_t i = 0, m, turn = turn_of(j, f) * kinds;

	for (size_t k = 0; k < g->n; k = m) {
		double all = 0, sum = 0;

		while (i < j->n_bursts && j->bursts[i].to < g->a[k].from)
			i++;
		if (i == j->n_bursts)
			return;
		for (m = k; m < g->n && g->a[m].from <= j->bursts[i].to; m++)
			all += (double)g->a[m].bytes;
		for (; k < m; k++) {
			double part = all > 0 ? sum / all : 0;

			place[k] = (int64_t)((turn + i % kinds) * GRID +
					     (size_t)(part * (GRID - 1) + 0.5) +
					     1);
			sum += (double)g->a[k].bytes;
		}
	}
}

static int by_place(const void *a, const void *b)
{
	const struct placed_ask *x = a, *y = b;

	if (x->place != y->place)
		return (x->place > y->place) - (x->place < y->place);
	if (x->rank != y->rank)
		return (x->rank > y->rank) - (x->rank < y->rank);
	return (x->took > y->took) - (x->took < y->took);
}

/* The middle of what each rank takes at one place, |n| asks; |out|: likewise.
 * Returns how many ranks. */
static size_t middles(const struct placed_ask *v, size_t n,
		      struct placed_ask *out)
{
	size_t ranks = 0, m;

	for (size_t i = 0; i < n; i += m) {
		for (m = 1; i + m < n && v[i + m].rank == v[i].rank;)
			m++;
		if (m >= SEEN)
			out[ranks++] = v[i + (m - 1) / 2];
	}
	return ranks;
}

/* Keeps what ranks usually take at one place, of |n| that are there, and who
 * asks later than all others, and what these take at most.  Two that are as
 * late as each other may have the same to do there. */
static void keep_latest(struct path *p, const struct placed_ask *v, size_t n,
			int64_t *room)
{
	const struct placed_ask *last = v;
	struct placed_ask *at = &p->placed[p->n_placed];
	int64_t others = 0;

	if (n < RANKS)
		return;
	for (size_t i = 0; i < n; i++) {
		last = v[i].took > last->took ? &v[i] : last;
		room[i] = v[i].took;
	}
	for (size_t i = 0; i < n; i++)
		if (&v[i] != last && v[i].took > others)
			others = v[i].took;
	p->compute_and_ask |= others > p->computes;
	*at = *last;
	at->others = others;
	at->usual = phase_median(room, n);
	if (last->took - others <= p->computes ||
	    (double)last->took <= (1 + LATER) * (double)others)
		at->rank = NO_RANK;
	p->n_placed++;
}

bool path_ask_places(struct path *p)
{
	const struct job *j = p->j;
	size_t all = 0;

	for (uint32_t f = 0; f < j->in->n_flows; f++)
		all += j->in->flows[f].n;
	p->ask_place = calloc(all + 1, sizeof *p->ask_place);
	if (!p->ask_place)
		return false;
	for (uint32_t f = 0; f < j->in->n_flows; f++)
		places_of_flow(p, f, path_kinds(j));
	return true;
}

bool path_late_places(struct path *p, struct placed_ask *v, size_t n)
{
	struct placed_ask *room = calloc(n + 1, sizeof *room);
	int64_t *took = calloc(n + 1, sizeof *took);
	bool any;
	size_t m;

	p->placed = calloc(n + 1, sizeof *p->placed);
	any = room && took && p->placed;
	n = any ? n : 0;
	qsort(v, n, sizeof *v, by_place);
	for (size_t i = 0; i < n; i += m) {
		for (m = 1; i + m < n && v[i + m].place == v[i].place;)
			m++;
		keep_latest(p, room, middles(v + i, m, room), took);
	}
	free(room);
	free(took);
	return any;
}

/* The place of activity |e|; NULL: there is nothing to compare with. */
static const struct placed_ask *place_of(const struct path *p,
					 const struct event *e)
{
	int64_t place = path_ask_place(p, e->flow, e->k);
	size_t i = search_below(struct placed_ask, p->placed, p->n_placed,
				place, place);

	return place && i < p->n_placed && p->placed[i].place == place
		       ? &p->placed[i]
		       : NULL;
}

/* The stages of a pipeline do different things at the same place: one that is
 * late there alone may have more to do. */
const struct placed_ask *path_late_place(const struct path *p,
					 const struct event *e)
{
	const struct placed_ask *at = place_of(p, e);
	uint32_t r = p->j->rank_of[p->j->in->flows[e->flow].dst];

	return at && at->rank == r &&
			       (!path_has_stages(p) || path_may_ask_late(p, r))
		       ? at
		       : NULL;
}

int64_t path_usual_place(const struct path *p, const struct event *e)
{
	const struct placed_ask *at = place_of(p, e);

	return at ? at->usual : 0;
}
