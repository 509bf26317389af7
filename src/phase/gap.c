/* SPDX-License-Identifier: GPL-2.0-or-later
 * The silence before a phase. */
#include "phase/path_int.h"

static const double NOISE = 0.25;

int64_t path_computes_for(const struct path *p)
{
	size_t i = p->phase;

	return p->tolerance[i] ? p->usual[i] + p->tolerance[i]
			       : (int64_t)((1 + NOISE) * (double)p->gap[i]);
}

/* The flow of which what asks for its data is known to have been held back for
 * most of the silence before the phase, if any; |t| gets that silence. */
static uint32_t held_most(const struct path *p, struct path_time *t)
{
	int64_t least = p->from - p->before;
	uint32_t of = NO_RANK;

	for (uint32_t f = 0; f < p->j->in->n_flows; f++) {
		struct path_time one = { { 0 } };

		if (!p->j->in->flows[f].n_held)
			continue;
		piece_held(&p->facts, f, p->before, p->from, &one);
		if (one.ns[SHARE_UNKNOWN] >= least)
			continue;
		least = one.ns[SHARE_UNKNOWN];
		*t = one;
		of = f;
	}
	return of;
}

/* At most |left| of the silence before the phase was spent on what held back
 * what asks for data.  Returns what is left. */
static int64_t held_in_gap(struct path *p, int64_t left)
{
	struct path_time t = { { 0 } };
	uint32_t f = left > 0 ? held_most(p, &t) : NO_RANK;

	if (f == NO_RANK)
		return left;
	t.ns[SHARE_UNKNOWN] = 0;
	for (unsigned s = 0; s < SHARE_COUNT; s++) {
		int64_t ns = t.ns[s] < left ? t.ns[s] : left;

		cells_give(p, f, p->j->rank_of[p->j->in->flows[f].dst], true, s,
			   ns);
		left -= ns;
	}
	return left;
}

/* Do ranks of a ring begin phases like this one by passing on what came?  Then
 * they did not compute in the silence before it: they may have waited for one
 * in the middle of what they do. */
static bool nobody_computed(const struct path *p)
{
	return p->start &&
	       (p->pattern == PATTERN_RING ||
		p->pattern == PATTERN_DOUBLE_RING) &&
	       p->middle[p->phase] > 0 && p->middle[p->phase] <= p->computes &&
	       (double)p->gap[p->phase] * NOISE > (double)p->computes;
}

/* Of |left| of the silence before the phase, as much as is longer than usual
 * was spent on what stalled the whole job, if that took most of it.  Returns
 * what is left. */
static int64_t stalled_in_gap(struct path *p, int64_t left)
{
	int64_t over = p->gap ? left - p->gap[p->phase] : 0, ns;
	const struct still *v = path_stalled_before(p, &ns);

	if (!v || (double)over <= NOISE * (double)p->gap[p->phase] ||
	    (double)ns < (1 - NOISE) * (double)over)
		return left;
	over = over < ns ? over : ns;
	cells_give(p, v->flow, p->j->rank_of[p->j->in->flows[v->flow].src],
		   true, v->share, over);
	return left - over;
}

/* The silence before the phase is computing, but for what is known of it.  A
 * longer one than usual may be more work or a host that is late: only several
 * ranks that begin in step say that it is work. */
void path_rest_of_gap(struct path *p)
{
	int64_t left = p->from - p->before, usual;

	for (size_t i = 0; i < p->n_cells; i++)
		if (p->cells[i].gap)
			left -= p->cells[i].ns;
	left = stalled_in_gap(p, left);
	usual = left;
	if (p->gap && !p->in_step[p->phase] &&
	    (double)left > (1 + NOISE) * (double)p->gap[p->phase])
		usual = p->gap[p->phase];
	if (nobody_computed(p))
		usual = 0;
	cells_give(p, NO_RANK, NO_RANK, true, SHARE_COMPUTE, usual);
	cells_give(p, NO_RANK, NO_RANK, true, SHARE_UNKNOWN,
		   held_in_gap(p, left - usual));
}
