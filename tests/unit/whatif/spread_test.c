/* SPDX-License-Identifier: GPL-2.0-or-later
 * Directions and ranges of predictions, from runs made up here.  With a change
 * of c and an error of e the standard deviation of the time's logarithm is
 * sqrt(0.004^2 + (0.12 c)^2 + (0.15 e)^2), and of a logistic distribution 5 %
 * are 1.6234 of these below its middle: ln 19 times the root of 3 by pi. */
#include "whatif/whatif_int.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static const int64_t captured = 1000000000;

static void near(double got, double wanted, double within)
{
	if (!(fabs(got - wanted) <= within))
		fail_msg("%.9g is not %.9g", got, wanted);
}

static struct whatif_time said(const struct wi_guess *g, size_t n, double error)
{
	struct whatif_time t = { .measured = captured };

	wi_spread(g, n, error, &t);
	return t;
}

static void test_range(void **state)
{
	static const struct {
		double change, error;
	} table[] = { { 0, 0 }, { 0.5, 0 }, { -0.5, 0.1 }, { 0, 0.2 } };

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		double c = table[i].change, e = table[i].error;
		struct wi_guess g = { c, 0.7 };
		struct whatif_time t = said(&g, 1, e);
		double wide = sqrt(0.004 * 0.004 + 0.12 * c * 0.12 * c +
				   0.15 * e * 0.15 * e);

		near(log((double)t.low / (double)captured), c - 1.6234 * wide,
		     1e-5);
		near(log((double)t.high / (double)captured), c + 1.6234 * wide,
		     1e-5);
	}
}

static void test_directions(void **state)
{
	(void)state;
	/* as captured, to a fraction of 3 % */
	assert_string_equal(whatif_direction(&(struct whatif_time) {
				    .faster = 0.5, .unchanged = 0.99 }),
			    "unchanged");
	near(whatif_sure(
		     &(struct whatif_time) { .faster = 0.2, .unchanged = 0.1 }),
	     0.8, 1e-12);
	for (int sign = -1; sign <= 1; sign += 2) {
		struct wi_guess g[] = { { sign * 0.3, 1 },
					{ sign * 0.2, 0.5 } };
		struct whatif_time t = said(g, 2, 0.01);

		assert_string_equal(whatif_direction(&t),
				    sign < 0 ? "faster" : "slower");
		near(whatif_sure(&t), 0.99, 0);
	}
}

/* Runs that do not agree: as likely as their weights say. */
static void test_disagreement(void **state)
{
	struct wi_guess g[] = { { -0.5, 3 }, { 0.5, 1 } };
	struct whatif_time t = said(g, 2, 0);

	(void)state;
	assert_string_equal(whatif_direction(&t), "faster");
	near(whatif_sure(&t), 0.75, 0.001);
	assert_true(t.low < captured && t.high > captured);
	g[0].weight = 1;
	t = said(g, 2, 0);
	assert_string_equal(whatif_direction(&t), "unclear");
	near(whatif_sure(&t), 0.5, 0.001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_directions),
		cmocka_unit_test(test_disagreement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
