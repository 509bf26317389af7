/* SPDX-License-Identifier: GPL-2.0-or-later
 * SQL functions that hold many values against many:
 *
 *	median(x)          NULL of nothing
 *	mad(x)             median distance from the median
 *	rank_sum_p(second, x, f)
 *	                   how probable such a difference is by chance, by the
 *	                   rank sum test of Mann and Whitney: two-sided; exact
 *	                   for up to 40 independent values without ties, else
 *	                   ties corrected, continuity corrected, normal
 *	                   approximation; the variance is f times that of
 *	                   independent values
 *	rank_sum_same(second, x)
 *	                   1: both sides are the same values
 *	poisson_p(n, t, m, u)
 *	                   how probable n events in time t and m in u are when
 *	                   the rate is one: exact conditional test, two-sided
 *	at_most(n, t, u)   how many events in time u, 99 % sure, after n in
 *	                   time t: negative binomial (a Poisson process whose
 *	                   rate could be anything before)
 *
 * NULLs are skipped.  Of more than VALUES_MAX the first count. */
#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "store/store_int.h"

enum {
	VALUES_MAX = 200000,
	RANKS_EXACT = 40,      /* values; more: normal approximation */
	EVENTS_EXACT = 100000, /* more: normal approximation */
};

struct sample {
	union {
		double x;
		int64_t key; /* while they are sorted */
	};
	bool second;
};

struct samples {
	struct sample *v;
	size_t n, room;
	double inflation; /* of the variance, at least 1 */
	bool failed;
};

static void keep(struct samples *s, double x, bool second)
{
	if (s->n == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		struct sample *more = realloc(s->v, room * sizeof *more);

		if (!more) {
			s->failed = true;
			return;
		}
		s->v = more;
		s->room = room;
	}
	/* -0 is 0 */
	s->v[s->n++] = (struct sample) { .x = x + 0.0, .second = second };
}

/* The value; or which side it is of and the value, and maybe the inflation. */
static void samples_step(sqlite3_context *c, int n, sqlite3_value **v)
{
	struct samples *s = sqlite3_aggregate_context(c, sizeof *s);
	sqlite3_value *value = v[n > 1];

	if (!s || sqlite3_value_type(value) == SQLITE_NULL || s->failed ||
	    s->n >= VALUES_MAX)
		return;
	if (n > 2)
		s->inflation = fmax(1, sqlite3_value_double(v[2]));
	keep(s, sqlite3_value_double(value), n > 1 && sqlite3_value_int(v[0]));
}

/* Whose order is that of the numbers, and back: of those below 0 the bits but
 * for the sign count the other way. */
static void to_keys(struct samples *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->v[i].key ^= s->v[i].key < 0 ? INT64_MAX : 0;
}

static bool sort_samples(sqlite3_context *c, struct samples *s)
{
	bool done;

	to_keys(s);
	done = sort_by(struct sample, s->v, s->n, key);
	to_keys(s);
	if (!done)
		sqlite3_result_error_nomem(c);
	return done;
}

/* In order of value; NULL when there is nothing to be said. */
static struct samples *sorted(sqlite3_context *c)
{
	struct samples *s = sqlite3_aggregate_context(c, 0);

	if (s && s->failed)
		sqlite3_result_error_nomem(c);
	if (!s || s->failed || !s->n)
		return NULL;
	return sort_samples(c, s) ? s : NULL;
}

static void done(sqlite3_context *c)
{
	struct samples *s = sqlite3_aggregate_context(c, 0);

	if (s)
		free(s->v);
}

static double middle(const struct samples *s)
{
	return s->v[(s->n - 1) / 2].x / 2 + s->v[s->n / 2].x / 2;
}

static void median_final(sqlite3_context *c)
{
	const struct samples *s = sorted(c);

	if (s)
		sqlite3_result_double(c, middle(s));
	done(c);
}

static void mad_final(sqlite3_context *c)
{
	struct samples *s = sorted(c);

	if (s) {
		double m = middle(s);

		for (size_t i = 0; i < s->n; i++)
			s->v[i].x = fabs(s->v[i].x - m);
		if (sort_samples(c, s))
			sqlite3_result_double(c, middle(s));
	}
	done(c);
}

/* Ranks of the second side summed, and what ties take off the variance. */
struct ranks {
	double sum, ties, n, m; /* m: of the second side */
};

/* |v| from |i| on: how many are equal, and how many of them of the second
 * side. */
static size_t run_of(const struct samples *s, size_t i, size_t *second)
{
	size_t k = i;

	for (*second = 0; k < s->n && s->v[k].x == s->v[i].x; k++)
		*second += s->v[k].second;
	return k - i;
}

static struct ranks rank_all(const struct samples *s)
{
	struct ranks r = { .n = (double)s->n };

	for (size_t i = 0, run; i < s->n; i += run) {
		size_t second;
		double t;

		run = run_of(s, i, &second);
		t = (double)run;
		r.sum += (double)second * ((double)i + (t + 1) / 2);
		r.ties += t * t * t - t;
		r.m += (double)second;
	}
	return r;
}

/* Of all ways to take m of n ranks, how many have a sum as far off? */
static double rank_sum_exact(const struct ranks *r)
{
	enum { SUM = RANKS_EXACT * (RANKS_EXACT + 1) / 2 };
	double ways[RANKS_EXACT / 2 + 1][SUM / 2 + 1] = { { 1 } };
	size_t n = (size_t)r->n, m = (size_t)r->m, low;
	double far = r->sum, beyond = 0, all = 1;

	if (2 * m > n) {
		m = n - m;
		far = r->n * (r->n + 1) / 2 - far;
	}
	far = fmin(far, (double)m * (r->n + 1) - far);
	low = (size_t)far;
	for (size_t rank = 1; rank <= n; rank++)
		for (size_t j = m < rank ? m : rank; j > 0; j--)
			for (size_t t = rank; t <= low; t++)
				ways[j][t] += ways[j - 1][t - rank];
	for (size_t t = 0; t <= low; t++)
		beyond += ways[m][t];
	for (size_t j = 1; j <= m; j++)
		all *= (double)(n - m + j) / (double)j;
	return fmin(1, 2 * beyond / all);
}

static double rank_sum_normal(const struct ranks *r, double inflation)
{
	double m = r->m, k = r->n - r->m;
	double off = fabs(r->sum - m * (r->n + 1) / 2) - 0.5;
	double variance = inflation * m * k / 12 *
			  (r->n + 1 - r->ties / (r->n * (r->n - 1)));

	return variance > 0 && off > 0 ? erfc(off / sqrt(2 * variance)) : 1;
}

static void rank_sum_final(sqlite3_context *c)
{
	const struct samples *s = sorted(c);

	if (s) {
		struct ranks r = rank_all(s);
		bool exact =
			r.ties == 0 && r.n <= RANKS_EXACT && s->inflation == 1;

		if (r.m > 0 && r.m < r.n)
			sqlite3_result_double(
				c, exact ? rank_sum_exact(&r)
					 : rank_sum_normal(&r, s->inflation));
	}
	done(c);
}

static void same_final(sqlite3_context *c)
{
	const struct samples *s = sorted(c);
	bool same = s;

	for (size_t i = 0, run; same && i < s->n; i += run) {
		size_t second;

		run = run_of(s, i, &second);
		same = 2 * second == run;
	}
	sqlite3_result_int(c, same);
	done(c);
}

/* log of the probability of |k| of |n| with |p| each */
static double log_binomial(double k, double n, double p)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
	       (n - k) * log1p(-p);
}

static double conditional_p(double k, double n, double p)
{
	double limit = log_binomial(k, n, p) + 1e-9, sum = 0;

	if (n > EVENTS_EXACT)
		return erfc(fabs(k - n * p) / sqrt(2 * n * p * (1 - p)));
	for (int i = 0; i <= (int)n; i++) {
		double l = log_binomial(i, n, p);

		if (l <= limit)
			sum += exp(l);
	}
	return fmin(1, sum);
}

static void poisson_p(sqlite3_context *c, int n, sqlite3_value **v)
{
	double a = sqlite3_value_double(v[0]), t = sqlite3_value_double(v[1]);
	double b = sqlite3_value_double(v[2]), u = sqlite3_value_double(v[3]);

	(void)n;
	if (a >= 0 && b >= 0 && t > 0 && u > 0 && isfinite(a + b + t + u))
		sqlite3_result_double(
			c,
			a + b > 0 ? conditional_p(a, a + b, t / (t + u)) : 1);
}

static void at_most(sqlite3_context *c, int n, sqlite3_value **v)
{
	double r = sqlite3_value_double(v[0]) + 1;
	double t = sqlite3_value_double(v[1]), u = sqlite3_value_double(v[2]);
	double p = u / (t + u), sum = 0, k = 0;

	(void)n;
	if (!(r >= 1 && t > 0 && u >= 0 && isfinite(r + t + u)))
		return;
	if (r * u / t > EVENTS_EXACT)
		k = ceil(r * u / t + 2.326 * sqrt(r * p) / (1 - p));
	else if (u > 0)
		while (k < 10.0 * EVENTS_EXACT) {
			sum += exp(lgamma(k + r) - lgamma(r) - lgamma(k + 1) +
				   r * log1p(-p) + k * log(p));
			if (sum >= 0.99)
				break;
			k++;
		}
	sqlite3_result_double(c, k);
}

int db_statistics(sqlite3 *db)
{
	static const struct {
		const char *name;
		int args;
		void (*final)(sqlite3_context *);
	} aggregates[] = {
		{ "median", 1, median_final },
		{ "mad", 1, mad_final },
		{ "rank_sum_p", 3, rank_sum_final },
		{ "rank_sum_same", 2, same_final },
	};
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	int rc = sqlite3_create_function(db, "poisson_p", 4, flags, NULL,
					 poisson_p, NULL, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_create_function(db, "at_most", 3, flags, NULL,
					     at_most, NULL, NULL);
	for (size_t i = 0; i < sizeof aggregates / sizeof aggregates[0]; i++)
		if (rc == SQLITE_OK)
			rc = sqlite3_create_function(db, aggregates[i].name,
						     aggregates[i].args, flags,
						     NULL, NULL, samples_step,
						     aggregates[i].final);
	return rc;
}
