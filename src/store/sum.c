/* SPDX-License-Identifier: GPL-2.0-or-later
 * sum(), in the place of SQLite's.
 *
 * SQLite's ends the whole query with an error when integers add up to more than
 * 2^63, which durations do in a capture whose time stamps are wrong: 2^62 ns is
 * as far as they may be apart.  Here they add up to the largest integer. */
#include "store/store_int.h"

/* Of the integers: high * 2^32 + low.  None of both can overflow before 2^31
 * rows. */
struct sum {
	int64_t high, low;
	double real; /* of all */
	int64_t n, n_real;
};

static void add(sqlite3_context *c, sqlite3_value *v, int times)
{
	struct sum *s = sqlite3_aggregate_context(c, sizeof *s);
	int type = sqlite3_value_numeric_type(v);

	if (!s || type == SQLITE_NULL)
		return;
	s->n += times;
	s->real += times * sqlite3_value_double(v);
	if (type == SQLITE_INTEGER) {
		int64_t i = sqlite3_value_int64(v);

		s->high += times * (i >> 32);
		s->low += times * (i & UINT32_MAX);
	} else {
		s->n_real += times;
	}
}

static void step(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	add(c, v[0], 1);
}

static void inverse(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	add(c, v[0], -1);
}

static int64_t integer(const struct sum *s)
{
	int64_t high = s->high + (s->low >> 32), low = s->low & UINT32_MAX;

	if (high > INT32_MAX)
		return INT64_MAX;
	if (high < INT32_MIN)
		return INT64_MIN + 1; /* INT64_MIN is FACT_UNKNOWN */
	return high * (INT64_C(1) << 32) + low;
}

static void value(sqlite3_context *c)
{
	const struct sum *s = sqlite3_aggregate_context(c, 0);

	if (!s || !s->n)
		return;
	if (s->n_real)
		sqlite3_result_double(c, s->real);
	else
		sqlite3_result_int64(c, integer(s));
}

int db_sum(sqlite3 *db)
{
	return sqlite3_create_window_function(
		db, "sum", 1,
		SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL,
		step, value, value, inverse, NULL);
}
