/* SPDX-License-Identifier: GPL-2.0-or-later
 * SQL functions about how something is spread:
 *
 *	entropy(weight)         bits: -sum p log2 p
 *	chance(weight, n, most) share of random assignments of weights to |n|
 *	                        links whose fullest link is below |most|
 *
 * The assignments are the same in every run. */
#include <math.h>
#include <stdlib.h>

#include "store/store_int.h"

enum {
	WEIGHTS_MAX = 4096, /* the largest decide; the rest is spread evenly */
	LINKS_MAX = 1024,
	TRIALS = 1000,
};

struct entropy {
	double sum, logs;
};

static void entropy_step(sqlite3_context *c, int n, sqlite3_value **v)
{
	struct entropy *e = sqlite3_aggregate_context(c, sizeof *e);
	double w = sqlite3_value_double(v[0]);

	(void)n;
	if (!e || !(w > 0))
		return;
	e->sum += w;
	e->logs += w * log2(w);
}

static void entropy_final(sqlite3_context *c)
{
	const struct entropy *e = sqlite3_aggregate_context(c, 0);

	if (e && e->sum > 0)
		sqlite3_result_double(c,
				      fmax(0, log2(e->sum) - e->logs / e->sum));
	else
		sqlite3_result_null(c);
}

struct chance {
	double *w;
	size_t n;
	double rest, most;
	int links;
};

static void chance_step(sqlite3_context *c, int n, sqlite3_value **v)
{
	struct chance *a = sqlite3_aggregate_context(c, sizeof *a);
	double w = sqlite3_value_double(v[0]);

	(void)n;
	if (!a || !(w > 0))
		return;
	a->links = sqlite3_value_int(v[1]);
	a->most = sqlite3_value_double(v[2]);
	if (!a->w)
		a->w = malloc(WEIGHTS_MAX * sizeof *a->w);
	if (a->w && a->n < WEIGHTS_MAX)
		a->w[a->n++] = w;
	else
		a->rest += w;
}

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x * UINT64_C(0x2545f4914f6cdd1d);
}

static double fullest(const struct chance *a, double *load, uint64_t *x)
{
	double most = 0;

	for (int i = 0; i < a->links; i++)
		load[i] = a->rest / a->links;
	for (size_t i = 0; i < a->n; i++)
		load[(next_random(x) >> 32) % (unsigned)a->links] += a->w[i];
	for (int i = 0; i < a->links; i++)
		most = fmax(most, load[i]);
	return most;
}

static void chance_final(sqlite3_context *c)
{
	struct chance *a = sqlite3_aggregate_context(c, 0);
	double load[LINKS_MAX], most;
	uint64_t x = 0x9e3779b97f4a7c15;
	double below = 0;

	if (!a || !a->n || a->links < 2 || a->links > LINKS_MAX) {
		sqlite3_result_null(c);
	} else {
		for (int i = 0; i < TRIALS; i++) {
			most = fullest(a, load, &x);
			below += most < a->most * 0.999    ? 1
				 : most <= a->most * 1.001 ? 0.5
							   : 0;
		}
		sqlite3_result_double(c, below / TRIALS);
	}
	if (a)
		free(a->w);
}

int db_balance(sqlite3 *db)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	int rc;

	rc = sqlite3_create_function(db, "entropy", 1, flags, NULL, NULL,
				     entropy_step, entropy_final);
	if (rc != SQLITE_OK)
		return rc;
	return sqlite3_create_function(db, "chance", 3, flags, NULL, NULL,
				       chance_step, chance_final);
}
