/* SPDX-License-Identifier: GPL-2.0-or-later
 * The line that tells two clocks apart. */
#include "flow/multitap/clock_fit.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 100 }; /* of a search: (2/3)^100 of the interval is left */

/* Points of one kind: only their hull matters. */
struct edge {
	struct clock_point *p; /* the hull, in order of time */
	size_t n;
	int sign;
};

struct problem {
	struct edge above, below;
	double from, to; /* s, around |at| */
	double most;     /* drift */
};

static int by_time(const void *a, const void *b)
{
	const struct clock_point *x = a, *y = b;

	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	return (x->d > y->d) - (x->d < y->d);
}

/* > 0: |c| lies above the line from |a| to |b|. */
static double turn(const struct clock_point *a, const struct clock_point *b,
		   const struct clock_point *c)
{
	return (b->t - a->t) * (c->d - a->d) - (c->t - a->t) * (b->d - a->d);
}

static void push(struct edge *e, const struct clock_point *q)
{
	while (e->n >= 2 &&
	       turn(&e->p[e->n - 2], &e->p[e->n - 1], q) * e->sign <= 0)
		e->n--;
	e->p[e->n++] = *q;
}

/* alpha of the line of slope |b| that just touches. */
static double touch(const struct edge *e, double b)
{
	double best = e->p[0].d - b * e->p[0].t;

	for (size_t i = 1; i < e->n; i++) {
		double a = e->p[i].d - b * e->p[i].t;

		if ((a - best) * e->sign < 0)
			best = a;
	}
	return best;
}

static double gap(const struct problem *s, double b, double unused)
{
	(void)unused;
	return touch(&s->above, b) - touch(&s->below, b);
}

/* The highest and the lowest offset at |t| of lines of slope |b|. */
static double highest(const struct problem *s, double b, double t)
{
	return touch(&s->above, b) + b * t;
}

static double lowest(const struct problem *s, double b, double t)
{
	return -(touch(&s->below, b) + b * t);
}

/* Where |f|, concave, is greatest. */
static double greatest(const struct problem *s,
		       double (*f)(const struct problem *, double, double),
		       double t, double low, double high)
{
	for (int i = 0; i < ROUNDS; i++) {
		double a = low + (high - low) / 3, b = high - (high - low) / 3;

		if (f(s, a, t) < f(s, b, t))
			low = a;
		else
			high = b;
	}
	return (low + high) / 2;
}

/* From |inside|, where the gap is not negative, towards |end|. */
static double last_fitting(const struct problem *s, double inside, double end)
{
	if (gap(s, end, 0) >= 0)
		return end;
	for (int i = 0; i < ROUNDS; i++) {
		double middle = (inside + end) / 2;

		if (gap(s, middle, 0) >= 0)
			inside = middle;
		else
			end = middle;
	}
	return inside;
}

/* How far fitting lines part from |line| at |t|. */
static double parts(const struct problem *s, const struct clock_line *line,
		    double t)
{
	double low = line->drift_low, high = line->drift_high;
	double here = line->offset + line->drift * t;
	double up = highest(s, greatest(s, highest, t, low, high), t) - here;
	double down = here + lowest(s, greatest(s, lowest, t, low, high), t);

	return up > down ? up : down;
}

static void set_slope(const struct problem *s, struct clock_line *line,
		      double b)
{
	line->drift = b;
	line->offset = (touch(&s->above, b) + touch(&s->below, b)) / 2;
	line->margin = gap(s, b, 0) / 2;
}

static void fit_both(const struct problem *s, struct clock_line *line,
		     bool least)
{
	double b = greatest(s, gap, 0, -s->most, s->most);
	double error;

	set_slope(s, line, b);
	line->drift_low = line->drift_high = b;
	line->error = -2 * line->margin;
	if (line->margin < 0)
		return;
	line->drift_low = last_fitting(s, b, -s->most);
	line->drift_high = last_fitting(s, b, s->most);
	/* All that clocks do fits: none is claimed. */
	if (least ? line->drift_low <= 0 && line->drift_high >= 0
		  : line->drift_low < -CLOCK_DRIFT_USUAL &&
			    line->drift_high > CLOCK_DRIFT_USUAL)
		set_slope(s, line, 0);
	line->error = parts(s, line, s->from);
	error = parts(s, line, s->to);
	if (error > line->error)
		line->error = error;
}

/* The edge of the hull at |mean|. */
static void fit_one(const struct edge *e, double mean, struct clock_line *line)
{
	size_t i = 1;
	double b = 0;

	while (i + 1 < e->n && e->p[i].t < mean)
		i++;
	if (e->n > 1 && e->p[i].t > e->p[i - 1].t)
		b = (e->p[i].d - e->p[i - 1].d) / (e->p[i].t - e->p[i - 1].t);
	if (fabs(b) > CLOCK_DRIFT_MAX)
		b = 0;
	line->drift = b;
	line->drift_low = -CLOCK_DRIFT_MAX;
	line->drift_high = CLOCK_DRIFT_MAX;
	line->offset = touch(e, b);
	line->error = INFINITY;
}

/* Both hulls lie in |room|, of n points. */
static double build(struct problem *s, const struct clock_point *p, size_t n,
		    double at, struct clock_point *room)
{
	double sum = 0;
	size_t above = 0;

	for (size_t i = 0; i < n; i++)
		above += p[i].sign > 0;
	s->above = (struct edge) { .p = room, .sign = 1 };
	s->below = (struct edge) { .p = room + above, .sign = -1 };
	for (size_t i = 0; i < n; i++) {
		struct clock_point q = { p[i].t - at, p[i].d, p[i].sign };

		sum += q.t;
		if (q.sign)
			push(q.sign > 0 ? &s->above : &s->below, &q);
	}
	s->from = p[0].t - at;
	s->to = p[n - 1].t - at;
	return sum / (double)n;
}

static bool fit(struct clock_point *p, size_t n, double most, bool least,
		struct clock_line *line)
{
	struct clock_point *room = n ? mem_malloc(n * sizeof *room) : NULL;
	struct problem s = { .most = most };
	double mean;

	*line = (struct clock_line) { 0 };
	if (!room)
		return false;
	qsort(p, n, sizeof *p, by_time);
	line->at = (p[0].t + p[n - 1].t) / 2;
	mean = build(&s, p, n, line->at, room);
	line->above = s.above.n;
	line->below = s.below.n;
	if (line->above && line->below)
		fit_both(&s, line, least);
	else if (line->above || line->below)
		fit_one(line->above ? &s.above : &s.below, mean, line);
	free(room);
	return line->above || line->below;
}

bool clock_fit(struct clock_point *p, size_t n, struct clock_line *line)
{
	return fit(p, n, CLOCK_DRIFT_MAX, false, line);
}

bool clock_fit_least(struct clock_point *p, size_t n, double most,
		     struct clock_line *line)
{
	return fit(p, n, most, true, line);
}

static bool fits(const struct clock_point *p, size_t n, double tolerance,
		 struct clock_point *scratch, struct clock_line *line)
{
	memcpy(scratch, p, n * sizeof *p);
	return !clock_fit(scratch, n, line) || !line->above || !line->below ||
	       2 * line->margin >= -tolerance;
}

size_t clock_stretch(const struct clock_point *p, size_t n, double tolerance,
		     struct clock_point *scratch, struct clock_line *line)
{
	size_t good = 1, bad = n;

	if (fits(p, n, tolerance, scratch, line))
		return n;
	/* Ever longer steps, then halves of the last one. */
	for (size_t step = 8; good + step < bad; step *= 2) {
		if (!fits(p, good + step, tolerance, scratch, line)) {
			bad = good + step;
			break;
		}
		good += step;
	}
	while (bad - good > 1) {
		size_t middle = good + (bad - good) / 2;

		if (fits(p, middle, tolerance, scratch, line))
			good = middle;
		else
			bad = middle;
	}
	fits(p, good, tolerance, scratch, line);
	return good;
}
