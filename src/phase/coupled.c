/* SPDX-License-Identifier: GPL-2.0-or-later
 * Components that are one job: its rails, whose ranks wait for each other
 * inside the servers (NVLink), where no packet is seen.
 *
 * Such begin their steps together, however many there were.  Two jobs with the
 * same work that began together do not: each has delays of its own, and these
 * add up, so that the distance of their begins walks at random: in n steps over
 * about the square root of n times what the lengths of steps vary.  Where they
 * do not vary, or by a rule, nothing shows that one waits for the other. */
#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "phase/phase_int.h"

enum {
	STEPS_FEW = 8,     /* fewer may stay together by chance */
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

static bool one_job(const struct stepping *a, const struct stepping *b,
		    int64_t *v)
{
	const struct phase_steps *x = &a->part->steps, *y = &b->part->steps;
	double least = fmin(a->vary, b->vary), near = (double)a->middle;
	size_t n = x->n, out = (size_t)(OUTLIERS * (double)n);

	if (n != y->n || least < VARY * (double)a->middle)
		return false;
	for (size_t i = 0; i < n; i++)
		v[i] = x->from[i] - y->from[i];
	phase_median(v, n); /* sorts */
	near *= TOGETHER;
	return (double)v[out] >= -near && (double)v[n - 1 - out] <= near &&
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

bool phase_coupled(const struct phase_part *parts, size_t n, uint32_t *job)
{
	struct stepping *s = calloc(n + 1, sizeof *s);
	size_t k = 0, longest = 1;
	int64_t *v;
	bool ok;

	for (uint32_t i = 0; i < n; i++) {
		job[i] = i;
		if (!s || parts[i].steps.n < STEPS_FEW ||
		    parts[i].steps.share < MOST)
			continue;
		s[k++].part = &parts[i];
		longest =
			parts[i].steps.n > longest ? parts[i].steps.n : longest;
	}
	v = calloc(longest, sizeof *v);
	for (size_t i = 0; v && i < k; i++)
		describe(&s[i], v);
	ok = s && v && sort_by(struct stepping, s, k, began);
	if (ok)
		compare(s, k, parts, job, v);
	for (uint32_t i = 0; ok && i < n; i++)
		job[i] = union_first(job, i);
	free(s);
	free(v);
	return ok;
}
