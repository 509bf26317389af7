/* SPDX-License-Identifier: GPL-2.0-or-later
 * Components that are one job: its rails, whose ranks wait for each other
 * inside the servers (NVLink), where no packet is seen.
 *
 * Such begin their steps together, however many there were.  Two jobs with the
 * same work that began together do not: each has delays of its own, and these
 * add up, so that the distance of their begins walks at random: in n steps over
 * about the square root of n times what the lengths of steps vary.  Where they
 * do not vary, or by a rule, nothing shows that one waits for the other.
 *
 * On NICs of the same servers it is enough that their steps begin together, or
 * that both have as much data between the same two times: where one rail is
 * slow, its steps may not be found. */
#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "phase/phase_int.h"

enum {
	STEPS_FEW = 8,     /* fewer may stay together by chance ... */
	STEPS_LEAST = 3,   /* ... but not on the same servers */
	PERIODS = 8,       /* steps after which lengths may recur */
	COMPARED_MAX = 64, /* components that began before this one */
};

/* Of the middle step: how far apart two may begin one, and how much lengths
 * have to vary.  Of all steps: that are left out on either side.  Of the bytes:
 * those in steps. */
static const double TOGETHER = 0.1, VARY = 0.001, OUTLIERS = 0.05, MOST = 0.5;
/* Of the square root of steps times what lengths vary: how far the distance of
 * begins goes.  One pair in a thousand goes less by chance (8 to 128 normal
 * lengths, by experiment). */
static const double WALK = 0.7;
/* Of the bytes of rails of the same servers: how far they differ. */
static const double ALIKE = 0.02;
/* Of a normal distribution: standard deviation by median deviation. */
static const double NORMAL = 1.483;

/* A component with steps. */
struct stepping {
	int64_t began;
	int64_t middle; /* of the lengths of steps */
	double vary;    /* standard deviation of what is new in each */
	const struct phase_part *part;
};

static int64_t length_of(const struct phase_steps *s, size_t i)
{
	return s->from[i + 1] - s->from[i];
}

/* |v|: room for the lengths. */
static void describe(struct stepping *s, int64_t *v)
{
	const struct phase_steps *steps = &s->part->steps;
	size_t n = steps->n - 1;
	double least = INFINITY;

	for (size_t k = 1; k <= PERIODS && 3 * k <= n; k++) {
		for (size_t i = k; i < n; i++)
			v[i - k] =
				length_of(steps, i) - length_of(steps, i - k);
		least = fmin(least, (double)phase_deviation(
					    v, n - k, phase_median(v, n - k)));
	}
	for (size_t i = 0; i < n; i++)
		v[i] = length_of(steps, i);
	s->middle = phase_median(v, n);
	s->vary = NORMAL * least / sqrt(2);
	s->began = steps->from[0];
}

/* Do the steps of |a| and |b| begin together?  |v|: how far apart, in order. */
static bool in_step(const struct stepping *a, const struct stepping *b,
		    int64_t *v)
{
	const struct phase_steps *x = &a->part->steps, *y = &b->part->steps;
	size_t n = x->n, out = (size_t)(OUTLIERS * (double)n);
	double near = TOGETHER * (double)a->middle;

	if (n != y->n)
		return false;
	for (size_t i = 0; i < n; i++)
		v[i] = x->from[i] - y->from[i];
	phase_median(v, n); /* sorts */
	return (double)v[out] >= -near && (double)v[n - 1 - out] <= near;
}

static bool one_job(const struct stepping *a, const struct stepping *b,
		    int64_t *v)
{
	double least = fmin(a->vary, b->vary);
	size_t n = a->part->steps.n, out = (size_t)(OUTLIERS * (double)n);

	return least >= VARY * (double)a->middle && in_step(a, b, v) &&
	       (double)(v[n - 1 - out] - v[out]) <=
		       WALK * least * sqrt((double)(n - 1));
}

/* |s| in order of their begin: those that can have begun together are near. */
static void compare(const struct stepping *s, size_t n,
		    const struct phase_part *first, uint32_t *up, int64_t *v)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k-- > 0 && i - k <= COMPARED_MAX &&
				   (double)(s[i].began - s[k].began) <=
					   TOGETHER * (double)s[i].middle;) {
			if (!one_job(&s[i], &s[k], v))
				continue;
			union_join(up, (uint32_t)(s[i].part - first),
				   (uint32_t)(s[k].part - first));
			break;
		}
}

/* ---- rails of known servers ---- */

struct rail {
	uint64_t servers, flows;
	int64_t first, last;
	double bytes;
	const struct phase_part *part;
};

static struct rail rail_of(const struct phase_part *g)
{
	struct rail r = { g->servers, g->n, INT64_MAX, INT64_MIN, 0, g };

	for (size_t i = 0; i < g->n; i++) {
		const struct phase_flow *f = g->flows[i];

		r.bytes += (double)phase_bytes(f);
		if (f->n && f->a[0].from < r.first)
			r.first = f->a[0].from;
		if (f->n && f->a[f->n - 1].sent > r.last)
			r.last = f->a[f->n - 1].sent;
	}
	return r;
}

static bool alike(const struct rail *a, const struct rail *b)
{
	double near = TOGETHER * (double)(a->last - a->first);

	return a->flows == b->flows && a->last > a->first &&
	       fabs(a->bytes - b->bytes) <= ALIKE * a->bytes &&
	       fabs((double)(a->first - b->first)) <= near &&
	       fabs((double)(a->last - b->last)) <= near;
}

static bool steps_alike(const struct rail *a, const struct rail *b, int64_t *v)
{
	const struct phase_steps *x = &a->part->steps, *y = &b->part->steps;
	struct stepping s = { .part = a->part }, t = { .part = b->part };

	if (x->n < STEPS_LEAST || x->share < MOST || y->share < MOST)
		return false;
	describe(&s, v);
	return in_step(&s, &t, v);
}

static int by_servers(const void *a, const void *b)
{
	const struct rail *x = a, *y = b;

	if (x->servers != y->servers)
		return (x->servers > y->servers) - (x->servers < y->servers);
	return (x->part > y->part) - (x->part < y->part);
}

/* False: no memory. */
static bool couple_rails(const struct phase_part *parts, size_t n, uint32_t *up,
			 int64_t *v)
{
	struct rail *r = calloc(n + 1, sizeof *r);
	size_t k = 0;

	for (size_t i = 0; r && i < n; i++)
		if (parts[i].servers)
			r[k++] = rail_of(&parts[i]);
	if (k)
		qsort(r, k, sizeof *r, by_servers);
	for (size_t i = 1; i < k; i++)
		for (size_t b = i; b-- > 0 && i - b <= COMPARED_MAX &&
				   r[b].servers == r[i].servers;)
			if (alike(&r[i], &r[b]) ||
			    steps_alike(&r[i], &r[b], v)) {
				union_join(up, (uint32_t)(r[i].part - parts),
					   (uint32_t)(r[b].part - parts));
				break;
			}
	free(r);
	return r;
}

bool phase_coupled(const struct phase_part *parts, size_t n, uint32_t *job)
{
	struct stepping *s = calloc(n + 1, sizeof *s);
	size_t k = 0, longest = 1;
	int64_t *v;
	bool ok;

	for (uint32_t i = 0; i < n; i++) {
		job[i] = i;
		longest =
			parts[i].steps.n > longest ? parts[i].steps.n : longest;
		if (s && parts[i].steps.n >= STEPS_FEW &&
		    parts[i].steps.share >= MOST)
			s[k++].part = &parts[i];
	}
	v = calloc(longest, sizeof *v);
	for (size_t i = 0; v && i < k; i++)
		describe(&s[i], v);
	ok = s && v && couple_rails(parts, n, job, v) &&
	     sort_by(struct stepping, s, k, began);
	if (ok)
		compare(s, k, parts, job, v);
	for (uint32_t i = 0; ok && i < n; i++)
		job[i] = union_first(job, i);
	free(s);
	free(v);
	return ok;
}
