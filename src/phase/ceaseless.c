/* SPDX-License-Identifier: GPL-2.0-or-later
 * A transfer beside a job of which too little is seen to know its steps.
 *
 * Whoever is of a job waits for it now and then: all its flows are silent while
 * its hosts compute.  What goes on through these breaks does not wait for it.
 * A flow that carries as much as one of them is slow, and of the job. */
#include <math.h>
#include <stdlib.h>

#include "phase/phase_int.h"

enum {
	LEAST = 8,    /* breaks ... */
	TWICE = 2,    /* times as long as any of what goes on */
	LONGER = 4,   /* times: the longest of each that is silent */
	SHORT = 1000, /* ns: no break */
};

/* Of the bytes: what flows that do the same differ by. */
static const double ALIKE = 0.02;

struct member {
	uint32_t component, flow;
	int64_t longest; /* break in it */
};

struct stretch {
	int64_t from, to;
};

static int by_component(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->component != y->component)
		return (x->component > y->component) -
		       (x->component < y->component);
	return (x->longest > y->longest) - (x->longest < y->longest);
}

static int by_begin(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static int64_t longest_break(const struct phase_flow *f)
{
	int64_t most = SHORT;

	for (size_t k = 1; k < f->n; k++)
		if (f->a[k].from - f->a[k - 1].sent > most)
			most = f->a[k].from - f->a[k - 1].sent;
	return most;
}

/* How many of the |n| members of a component, in order of their breaks, may
 * have none: the others' are the longer, the more so the better. */
static size_t split(const struct member *v, size_t n)
{
	double best = LONGER;
	size_t at = 0;

	for (size_t i = 1; i + 1 < n; i++) {
		double times = (double)v[i].longest / (double)v[i - 1].longest;

		if (times >= best) {
			best = times;
			at = i;
		}
	}
	return at;
}

/* Of |n| stretches of data the breaks between that are at least as long as
 * |least|, in their place.  Returns how many. */
static size_t breaks(struct stretch *s, size_t n, int64_t least)
{
	size_t found = 0;
	int64_t over;

	qsort(s, n, sizeof *s, by_begin);
	over = n ? s[0].to : 0;
	for (size_t i = 1; i < n; i++) {
		struct stretch next = s[i];

		if (next.from - over >= least)
			s[found++] = (struct stretch) { over, next.from };
		over = next.to > over ? next.to : over;
	}
	return found;
}

static bool goes_through(const struct phase_flow *f, const struct stretch *s,
			 size_t n)
{
	size_t through = 0;

	for (size_t i = 0; i < n; i++)
		through += f->a[0].from < s[i].from &&
			   f->a[f->n - 1].sent > s[i].to;
	return through >= LEAST && 2 * through >= n;
}

static bool alike(const struct phase_flow *flows, const struct member *v,
		  size_t n, uint64_t bytes)
{
	for (size_t i = 0; i < n; i++)
		if (fabs((double)phase_bytes(&flows[v[i].flow]) -
			 (double)bytes) <= ALIKE * (double)bytes)
			return true;
	return false;
}

/* One component; |s| has room for all its activities. */
static void look(const struct phase_flow *flows, const struct member *v,
		 size_t n, struct stretch *s, bool *ceaseless)
{
	size_t on = split(v, n), k = 0;

	if (!on)
		return;
	for (size_t i = on; i < n; i++) {
		const struct phase_flow *f = &flows[v[i].flow];

		for (size_t a = 0; a < f->n; a++)
			s[k++] = (struct stretch) { f->a[a].from,
						    f->a[a].arrived };
	}
	k = breaks(s, k, TWICE * v[on - 1].longest);
	for (size_t i = 0; i < on; i++) {
		const struct phase_flow *f = &flows[v[i].flow];

		ceaseless[v[i].flow] =
			goes_through(f, s, k) &&
			!alike(flows, v + on, n - on, phase_bytes(f));
	}
}

bool phase_ceaseless(const struct phase_flow *flows, size_t n,
		     const uint32_t *component, bool *ceaseless)
{
	struct member *v = calloc(n + 1, sizeof *v);
	struct stretch *s;
	size_t k = 0, all = 0;
	bool ok;

	for (uint32_t i = 0; v && i < n; i++)
		if (component[i] != PHASE_NO_HOST && flows[i].n) {
			all += flows[i].n;
			v[k++] = (struct member) { component[i], i,
						   longest_break(&flows[i]) };
		}
	s = calloc(all + 1, sizeof *s);
	if (v && s)
		qsort(v, k, sizeof *v, by_component);
	for (size_t i = 0, m; v && s && i < k; i += m) {
		for (m = 1; i + m < k && v[i + m].component == v[i].component;)
			m++;
		look(flows, v + i, m, s, ceaseless);
	}
	ok = v && s;
	free(v);
	free(s);
	return ok;
}
