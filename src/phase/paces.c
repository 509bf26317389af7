/* SPDX-License-Identifier: GPL-2.0-or-later
 * Two jobs on the same hosts that take about as long: in few steps, which are
 * long, all their flows are in step.
 *
 * In one job nobody is more than an iteration ahead of another.  Flows of which
 * some carry their share at a pace of their own, until they are further ahead
 * than that, and have iterations of their own, are another job's. */
#include <math.h>
#include <stdlib.h>

#include "phase/phase_int.h"

enum {
	SAMPLES = 64,  /* moments at which flows are compared */
	STEPS_FEW = 8, /* fewer may fit by chance */
};

/* Of the largest flow: what is too small to be anybody's work.  Of the bytes:
 * those in step.  Iterations: how far ahead another job's are, one and what
 * flows are in each.  Times: how much further than those that keep the pace. */
static const double SMALL = 0.02, WHOLE = 0.9, AHEAD = 1.5, CLEAR = 2;

struct pace {
	const struct phase_flow *flow;
	uint32_t index; /* in the list of all flows */
	double off;     /* at most, of its share against that of the first */
};

static int by_off(const void *a, const void *b)
{
	const struct pace *x = a, *y = b;

	if (x->off != y->off)
		return (x->off > y->off) - (x->off < y->off);
	return (x->index > y->index) - (x->index < y->index);
}

/* The share of its data that |f| has carried by each of the moments between
 * |from| and |to|. */
static void carried(const struct phase_flow *f, int64_t from, int64_t to,
		    double *share)
{
	double all = (double)phase_bytes(f), sum = 0;
	size_t a = 0;

	for (int i = 0; i < SAMPLES; i++) {
		int64_t at = from + (to - from) / SAMPLES * (i + 1);
		double part = 0;

		while (a < f->n && f->a[a].sent <= at)
			sum += (double)f->a[a++].bytes;
		if (a < f->n && f->a[a].from < at)
			part = (double)f->a[a].bytes *
			       (double)(at - f->a[a].from) /
			       (double)(f->a[a].sent - f->a[a].from);
		share[i] = (sum + part) / all;
	}
}

/* Flows that are somebody's work, as far as each is from the largest, the
 * nearest first; their number. */
static size_t compare(const struct phase_part *g, struct pace *v)
{
	const struct phase_flow *lead = NULL;
	int64_t from = INT64_MAX, to = INT64_MIN;
	double first[SAMPLES], own[SAMPLES];
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct phase_flow *f = g->flows[i];

		if (!f->n)
			continue;
		from = f->a[0].from < from ? f->a[0].from : from;
		to = f->a[f->n - 1].sent > to ? f->a[f->n - 1].sent : to;
		if (!lead || phase_bytes(f) > phase_bytes(lead))
			lead = f;
	}
	if (!lead || !phase_bytes(lead))
		return 0;
	carried(lead, from, to, first);
	for (size_t i = 0; i < g->n; i++) {
		const struct phase_flow *f = g->flows[i];

		if ((double)phase_bytes(f) < SMALL * (double)phase_bytes(lead))
			continue;
		v[n] = (struct pace) { f, g->index[i], 0 };
		carried(f, from, to, own);
		for (int k = 0; k < SAMPLES; k++)
			v[n].off = fmax(v[n].off, fabs(own[k] - first[k]));
		n++;
	}
	qsort(v, n, sizeof *v, by_off);
	return n;
}

/* How many of |n| keep the pace of the largest: the next is the furthest from
 * the one before it. */
static size_t split(const struct pace *v, size_t n)
{
	size_t at = 1;

	for (size_t i = 2; i < n; i++)
		if (v[i].off - v[i - 1].off > v[at].off - v[at - 1].off)
			at = i;
	return at;
}

/* Do these flows alone bring data to each host that sends some, and take some
 * from each that gets it? */
static bool goes_round(const struct pace *v, size_t n, uint8_t *ends)
{
	bool round = true;

	for (size_t i = 0; i < n; i++)
		ends[v[i].flow->src] = ends[v[i].flow->dst] = 0;
	for (size_t i = 0; i < n; i++) {
		ends[v[i].flow->src] |= 1;
		ends[v[i].flow->dst] |= 2;
	}
	for (size_t i = 0; i < n; i++)
		round = round && ends[v[i].flow->src] == 3 &&
			ends[v[i].flow->dst] == 3;
	return round;
}

/* The steps of |n| flows, if all have the same; 0: they have not.  False: no
 * memory. */
static bool steps_of(const struct pace *v, size_t n, size_t *steps)
{
	const struct phase_flow **flows = calloc(n + 1, sizeof *flows);
	struct phase_steps s = { 0 };
	bool ok;

	for (size_t i = 0; flows && i < n; i++)
		flows[i] = v[i].flow;
	ok = flows && phase_steps(flows, n, &s);
	*steps = ok && s.share >= WHOLE ? s.n : 0;
	phase_steps_free(&s);
	free(flows);
	return ok;
}

bool phase_paces(const struct phase_part *g, uint8_t *ends, bool *apart)
{
	struct pace *v = calloc(g->n + 1, sizeof *v);
	size_t n = v ? compare(g, v) : 0, k = n > 1 ? split(v, n) : 0;
	size_t own = 0, others = 0;
	bool ok = v;

	if (k && v[k].off >= CLEAR * v[k - 1].off && goes_round(v, k, ends) &&
	    goes_round(v + k, n - k, ends))
		ok = steps_of(v, k, &own) && steps_of(v + k, n - k, &others);
	if (own >= STEPS_FEW && others >= STEPS_FEW &&
	    v[k].off * (double)(own < others ? own : others) >= AHEAD)
		for (size_t i = k; i < n; i++)
			apart[v[i].index] = true;
	free(v);
	return ok;
}
