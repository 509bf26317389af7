/* SPDX-License-Identifier: GPL-2.0-or-later
 * Other traffic among the hosts of a job: a second job on them, a transfer.
 *
 * Where flows that make up a whole job have steps, a flow that has data in some
 * of them, and by no rule that recurs, is none of the job's; nor is one that
 * goes on before or behind them, or goes where they do not. */
#include <math.h>
#include <stdlib.h>

#include "base/search.h"
#include "phase/phase_int.h"

enum {
	STEPS_FEW = 8, /* too few to know a rule by */
	PERIODS = 16,  /* steps after which what a flow carries may recur */
};

/* Of the bytes: those of the flows in step; of a step: what is not the same one
 * period later; of what flows in step have in steps: what others have there. */
static const double MOST = 0.5, UNLIKE = 0.1, INSIDE = 0.75;
/* Of the largest flow: what is too small to be anybody's work. */
static const double SMALL = 0.02;
/* Of the bytes of flows in step: what few of their kind have. */
static const double FEW = 0.05;

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

/* Has |f| as many messages in each step, though it may be a step ahead or
 * behind?  What is sent at the end of one lies in it, in the next or between
 * them; and of steps that are not over yet, because somebody repairs what was
 * lost, it may have all before it. */
static bool keeps_up(const struct phase_flow *f, const struct phase_steps *s)
{
	double mean = (double)phase_bytes(f) / (double)s->n, sum = 0;
	size_t a = 0, over = 0;

	for (size_t i = 1; i < s->n; i++) {
		for (; a < f->n && f->a[a].from < s->from[i]; a++)
			sum += (double)f->a[a].bytes;
		while (over < i && s->to[over] <= s->from[i])
			over++;
		if (sum > (double)(i + 1) * mean ||
		    sum + mean < (double)over * mean)
			return false;
	}
	return f->messages && f->messages % s->n == 0;
}

static double sum_of(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum;
}

/* Of the bytes of the flows in step: those in steps, the rest is before them or
 * behind. */
static double inside(const struct phase_part *g, double *x)
{
	const struct phase_steps *s = &g->steps;
	double in = 0, all = 0;

	for (size_t i = 0; i < g->n; i++)
		if (s->in[i]) {
			by_step(g->flows[i], s, x);
			in += sum_of(x, s->n);
			all += (double)phase_bytes(g->flows[i]);
		}
	return all > 0 ? in / all : 1;
}

/* Do the flows in step alone bring data to each host that sends some, and take
 * some from each that gets it? */
static bool goes_round(const struct phase_part *g, uint8_t *ends)
{
	const bool *in = g->steps.in;
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

static int by_bytes(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* What each of the flows in step carries, in order of that; their number. */
static size_t carried(const struct phase_part *g, uint64_t *v)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		if (g->steps.in[i])
			v[n++] = phase_bytes(g->flows[i]);
	qsort(v, n, sizeof *v, by_bytes);
	return n;
}

/* Is one of |n| sorted values about |bytes|?  A flow that carries as much as
 * one in step is slow where its data goes on behind that: somebody is in its
 * way. */
static bool has_about(const uint64_t *v, size_t n, double bytes)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if ((double)v[middle] < (1 - SMALL) * bytes)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && (double)v[low] <= (1 + SMALL) * bytes;
}

/* Has it about as much in each step?  What is late, because it had to be
 * repaired, lies in the next, and where not all steps are known, in none. */
static bool even(const double *x, size_t n)
{
	double mean = sum_of(x, n) / (double)n;

	for (size_t i = 0; i < n; i++)
		if (x[i] < mean / 2 || x[i] > 2 * mean)
			return false;
	return true;
}

static void part(const struct phase_part *g, const uint8_t *ends, double *x,
		 uint64_t *v, bool *apart)
{
	const struct phase_steps *s = &g->steps;
	double most = 0, share = INSIDE * inside(g, x);
	size_t n = carried(g, v);

	for (size_t i = 0; i < g->n; i++)
		most = fmax(most, (double)phase_bytes(g->flows[i]));
	for (size_t i = 0; i < g->n; i++) {
		const struct phase_flow *f = g->flows[i];
		double bytes = (double)phase_bytes(f);
		bool keeps, about;

		if (s->in[i] || bytes < SMALL * most)
			continue;
		by_step(f, s, x);
		about = has_about(v, n, bytes);
		keeps = keeps_up(f, s);
		apart[g->index[i]] = !(recurs(x, s->n) || keeps ||
				       (about && even(x, s->n))) ||
				     (sum_of(x, s->n) < share * bytes &&
				      !(keeps && about)) ||
				     ends[f->src] != 3 || ends[f->dst] != 3;
	}
}

/* Does a flow of the job carry as much between the same hosts? */
static bool has_twin(const struct phase_part *g, const bool *apart,
		     const struct phase_flow *f)
{
	double bytes = (double)phase_bytes(f);

	for (size_t i = 0; i < g->n; i++) {
		const struct phase_flow *o = g->flows[i];

		if (!apart[g->index[i]] && o->src == f->src &&
		    o->dst == f->dst && o->messages == f->messages &&
		    fabs((double)phase_bytes(o) - bytes) <= SMALL * bytes)
			return true;
	}
	return false;
}

/* Few of many queue pairs between the same hosts that all carry as much are no
 * job: what slows these down shows in some of them first. */
static void take_back(const struct phase_part *g, bool *apart)
{
	double in = 0, out = 0;

	for (size_t i = 0; i < g->n; i++) {
		double bytes = (double)phase_bytes(g->flows[i]);

		in += g->steps.in[i] ? bytes : 0;
		out += apart[g->index[i]] ? bytes : 0;
	}
	if (out > FEW * in)
		return;
	for (size_t i = 0; i < g->n; i++)
		if (apart[g->index[i]] && has_twin(g, apart, g->flows[i]))
			apart[g->index[i]] = false;
}

bool phase_apart(const struct phase_part *g, uint8_t *ends, bool *apart)
{
	uint64_t *v;
	double *x;

	/* two hosts and one flow each way have nothing to part */
	if (g->n <= 2 || g->steps.n < STEPS_FEW || g->steps.share < MOST ||
	    !goes_round(g, ends))
		return true;
	x = calloc(g->steps.n, sizeof *x);
	v = calloc(g->n, sizeof *v);
	if (x && v) {
		part(g, ends, x, v, apart);
		take_back(g, apart);
	}
	free(x);
	free(v);
	return x && v;
}
