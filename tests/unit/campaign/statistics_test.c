/* SPDX-License-Identifier: GPL-2.0-or-later
 * Statistics of repetitions: ranks and coverages of the usual tables of the
 * sign test, slopes worked out by hand. */
#include "campaign/statistics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void near(double got, double wanted, double within)
{
	if (!(fabs(got - wanted) <= within))
		fail_msg("%.9g is not %.9g", got, wanted);
}

/* 1..n, so that a bound of the interval is its rank. */
static struct summary ranks(size_t n)
{
	struct summary s;
	double *v = calloc(n, sizeof *v);

	assert_non_null(v);
	for (size_t i = 0; i < n; i++)
		v[i] = (double)(n - i);
	summarize(v, n, &s);
	free(v);
	return s;
}

static void test_intervals(void **state)
{
	static const struct {
		size_t n;
		double low, coverage;
	} table[] = {
		{ 2, 1, 0.5 },         { 3, 1, 0.75 },      { 4, 1, 0.875 },
		{ 5, 1, 0.9375 },      { 6, 1, 0.96875 },   { 8, 1, 0.9921875 },
		{ 9, 2, 0.9609375 },   { 10, 2, 0.978516 }, { 12, 3, 0.961426 },
		{ 15, 4, 0.964844 },   { 20, 6, 0.958611 }, { 25, 8, 0.956715 },
		{ 100, 40, 0.964800 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct summary s = ranks(table[i].n);
		double n = (double)table[i].n;

		near(s.low, table[i].low, 0);
		near(s.high, n + 1 - table[i].low, 0);
		near(s.coverage, table[i].coverage, 2e-6);
		near(s.median, (n + 1) / 2, 0);
		near(s.mean, (n + 1) / 2, 1e-12);
		near(s.deviation, sqrt(n * (n + 1) / 12), 1e-9);
	}
}

static void test_one_and_none(void **state)
{
	struct summary s = ranks(1);

	(void)state;
	near(s.median, 1, 0);
	near(s.coverage, 0, 0);
	near(s.deviation, 0, 0);
	summarize(NULL, 0, &s);
	assert_int_equal(s.n, 0);
}

/* Many values: the interval of a normal approximation is near. */
static void test_many(void **state)
{
	struct summary s = ranks(2048);

	(void)state;
	near(s.low, 1024.5 - 0.98 * sqrt(2048), 1.5);
	near(s.coverage, 0.95, 0.002);
	assert_true(s.coverage >= 0.95);
}

static void test_outliers(void **state)
{
	/* median 10, deviations 0 1 1 2 2 90: their median 1.5;
	 * 3.5 * 1.482602 * 1.5 = 7.784 */
	static const double v[] = { 8, 9, 10, 10, 11, 12, 100 };
	static const double same[] = { 5, 5, 5, 5, 5, 5, 6 };
	static const double few[] = { 1, 1, 1, 100 };

	(void)state;
	assert_true(outlies(v, 7, 100));
	assert_false(outlies(v, 7, 8));
	assert_false(outlies(v, 7, 12));
	/* deviations 0 (six times) and 1: mean 1/7, z = 1 / 0.179 = 5.58 */
	assert_true(outlies(same, 7, 6));
	assert_false(outlies(same, 6, 5));
	assert_false(outlies(few, 4, 100));
}

static void test_trend(void **state)
{
	/* slopes: 2 2 2 2 2 2 but with one wild value: those with it are far
	 * off, the median stays */
	static const double x[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	static const double y[] = { 1, 3, 5, 7, 900, 11, 13, 15, 17, 19 };
	static const double one[] = { 3, 3, 3 };
	struct trend t;
	double slope;

	(void)state;
	assert_true(trend_of(x, y, 10, &t));
	near(t.slope, 2, 1e-12);
	/* N = 45, C = 1.96 sqrt(10 * 9 * 25 / 18) = 21.9: ranks 11 and 35 */
	assert_true(t.interval);
	near(t.low, 2, 1e-12);
	near(t.high, 2, 1e-12);
	assert_false(trend_of(one, y, 3, &t));
	assert_true(trend_of(x, y, 2, &t));
	assert_false(t.interval);
	assert_true(least_squares(x, x, 10, &slope));
	near(slope, 1, 1e-12);
	assert_false(least_squares(one, y, 3, &slope));
}

/* The interval of a slope: Sen's ranks on slopes 1..6 of four points are not
 * there (C = 5.8 of 6), those of eight points are. */
static void test_trend_ranks(void **state)
{
	static const double x[] = { 0, 1, 3, 7, 15, 31, 63, 127 };
	static const double y[] = { 0, 1, 1, 2, 2, 3, 3, 4 };
	double slopes[28];
	size_t k = 0, low = 28, high = 28;
	struct trend t;

	(void)state;
	for (int i = 0; i < 8; i++)
		for (int j = i + 1; j < 8; j++)
			slopes[k++] = (y[j] - y[i]) / (x[j] - x[i]);
	assert_true(trend_of(x, y, 8, &t));
	assert_true(t.interval);
	/* C = 1.959964 sqrt(8 * 7 * 21 / 18) = 15.84: M1 = 6.08, M2 = 21.92;
	 * the 6th and the 23rd smallest */
	for (size_t i = 0; i < k; i++) {
		low -= slopes[i] >= t.low;
		high -= slopes[i] >= t.high;
	}
	assert_true(low < 6);
	assert_true(high < 23);
	assert_false(trend_of(x, y, 4, &t) && t.interval);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_one_and_none),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_outliers),
		cmocka_unit_test(test_trend),
		cmocka_unit_test(test_trend_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
