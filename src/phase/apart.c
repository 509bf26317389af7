/* SPDX-License-Identifier: GPL-2.0-or-later
 * Other traffic among the hosts of a job: a second job on them, a transfer.
 *
 * Where flows that make up a whole job have steps, a flow that has data in some
 * of them, and by no rule that recurs, is none of the job's. */
#include <math.h>
#include <stdlib.h>

#include "base/search.h"
#include "phase/phase_int.h"

enum {
	STEPS_FEW = 8, /* too few to know a rule by */
	PERIODS = 16,  /* steps after which what a flow carries may recur */
};

/* Of the bytes: those of the flows in step; of a step: what is not the same one
 * period later. */
static const double MOST = 0.5, UNLIKE = 0.25;
/* Of the largest flow: what is too small to be anybody's work. */
static const double SMALL = 0.02;

struct group {
	const struct phase_flow **flows;
	uint32_t *index; /* in the list of the caller */
	size_t n;
};

static double bytes_of(const struct phase_flow *f)
{
	double sum = 0;

	for (size_t a = 0; a < f->n; a++)
		sum += (double)f->a[a].bytes;
	return sum;
}

/* What |f| carries in each step, evenly in each stretch. */
static void by_step(const struct phase_flow *f, const struct phase_steps *s,
		    double *x)
{
	for (size_t i = 0; i < s->n; i++)
		x[i] = 0;
	for (size_t a = 0; a < f->n; a++) {
		int64_t from = f->a[a].from;
		int64_t to = f->a[a].sent > from ? f->a[a].sent : from + 1;
		size_t i = search_below_at(s->to, s->n, sizeof *s->to, 0,
					   from + 1);

		for (; i < s->n && s->from[i] < to; i++) {
			int64_t low = s->from[i] > from ? s->from[i] : from;
			int64_t high = s->to[i] < to ? s->to[i] : to;

			if (high > low)
				x[i] += (double)f->a[a].bytes *
					(double)(high - low) /
					(double)(to - from);
		}
	}
}

static bool recurs(const double *x, size_t n)
{
	for (size_t k = 1; k <= PERIODS && 3 * k <= n; k++) {
		double unlike = 0, all = 0;

		for (size_t i = 0; i + k < n; i++) {
			unlike += fabs(x[i + k] - x[i]);
			all += x[i + k] + x[i];
		}
		if (unlike <= UNLIKE * all)
			return true;
	}
	return false;
}

/* Do the flows in step alone bring data to each host that sends some, and take
 * some from each that gets it? */
static bool goes_round(const struct group *g, const bool *in, uint8_t *ends)
{
	bool round = true;

	for (size_t i = 0; i < g->n; i++)
		ends[g->flows[i]->src] = ends[g->flows[i]->dst] = 0;
	for (size_t i = 0; i < g->n; i++)
		if (in[i]) {
			ends[g->flows[i]->src] |= 1;
			ends[g->flows[i]->dst] |= 2;
		}
	for (size_t i = 0; i < g->n; i++)
		round = round && (!in[i] || (ends[g->flows[i]->src] == 3 &&
					     ends[g->flows[i]->dst] == 3));
	return round;
}

/* False: no memory. */
static bool of_group(const struct group *g, uint8_t *ends, bool *apart)
{
	struct phase_steps s;
	double most = 0, *x;

	if (!phase_steps(g->flows, g->n, &s))
		return false;
	x = s.n >= STEPS_FEW && s.share >= MOST && goes_round(g, s.in, ends)
		    ? calloc(s.n, sizeof *x)
		    : NULL;
	for (size_t i = 0; x && i < g->n; i++)
		most = fmax(most, bytes_of(g->flows[i]));
	for (size_t i = 0; x && i < g->n; i++) {
		if (s.in[i] || bytes_of(g->flows[i]) < SMALL * most)
			continue;
		by_step(g->flows[i], &s, x);
		apart[g->index[i]] = !recurs(x, s.n);
	}
	free(x);
	phase_steps_free(&s);
	return true;
}

struct member {
	uint32_t group, flow;
};

static int by_group(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->group != y->group)
		return (x->group > y->group) - (x->group < y->group);
	return (x->flow > y->flow) - (x->flow < y->flow);
}

bool phase_apart(const struct phase_flow *flows, size_t n, size_t n_hosts,
		 const uint32_t *group, bool *apart)
{
	struct member *v = calloc(n + 1, sizeof *v);
	struct group g = { calloc(n + 1, sizeof *g.flows),
			   calloc(n + 1, sizeof *g.index), 0 };
	uint8_t *ends = calloc(n_hosts + 1, sizeof *ends);
	bool ok = v && g.flows && g.index && ends;

	for (uint32_t i = 0; ok && i < n; i++)
		v[i] = (struct member) { group[i], i };
	if (ok)
		qsort(v, n, sizeof *v, by_group);
	for (size_t i = 0; ok && i < n; i += g.n) {
		g.n = 0;
		while (i + g.n < n && v[i + g.n].group == v[i].group) {
			g.flows[g.n] = &flows[v[i + g.n].flow];
			g.index[g.n] = v[i + g.n].flow;
			g.n++;
		}
		/* two hosts and one flow each way have nothing to part */
		if (v[i].group != PHASE_NO_GROUP && g.n > 2)
			ok = of_group(&g, ends, apart);
	}
	free(v);
	free(g.flows);
	free(g.index);
	free(ends);
	return ok;
}
