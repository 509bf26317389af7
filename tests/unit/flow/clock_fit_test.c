/* SPDX-License-Identifier: GPL-2.0-or-later
 * Lines between clocks, computed by hand. */
#include "flow/multitap/clock_fit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MANY = 400 };

/* Four packets there, four back: offset 100 ns, 20 ns a second; delays of 10
 * ns at least, both ways. */
static void both_ways_bound_the_offset(void **state)
{
	struct clock_point p[8];
	struct clock_line line;

	(void)state;
	for (int i = 0; i < 4; i++) {
		double t = i * 10, offset = 100 + 20 * t;

		p[i] = (struct clock_point) { t, offset + 10, 1 };
		p[4 + i] = (struct clock_point) { t + 1, offset + 20 - 10, -1 };
	}
	assert_true(clock_fit(p, 8, &line));
	assert_true(line.above && line.below);
	/* the lines through points of one kind are 20 ns apart */
	assert_true(fabs(line.margin - 10) < 1e-6);
	assert_true(fabs(line.drift - 20) < 1e-6);
	/* from 0 to 31 s: 15.5 s is the middle */
	assert_true(fabs(line.at - 15.5) < 1e-9);
	assert_true(fabs(line.offset - (100 + 20 * 15.5)) < 1e-6);
	/* least: from (0, 110) to (31, 710): 600 / 31 */
	assert_true(line.drift_low > 19 && line.drift_low < 20);
	assert_true(line.drift_high > 20 && line.drift_high < 21);
	/* at the ends the lines that fit part by more than in the middle */
	assert_true(line.error >= 10 && line.error <= 20);
}

/* One way only: the edge of the hull, and no bound. */
static void one_way_has_no_bound(void **state)
{
	struct clock_point p[] = {
		{ 0, 50, 1 },
		{ 5, 400, 1 },
		{ 10, 150, 1 },
		{ 3, 90, 1 },
	};
	struct clock_line line;

	(void)state;
	assert_true(clock_fit(p, 4, &line));
	assert_true(line.above && !line.below);
	assert_true(isinf(line.error));
	/* from (0, 50) to (10, 150), below (3, 90) */
	assert_true(fabs(line.drift - 10) < 1e-9);
	assert_true(fabs(line.offset - 100) < 1e-9);
}

/* Where every usual drift fits, none is claimed. */
static void a_moment_tells_no_drift(void **state)
{
	struct clock_point p[] = {
		{ 0, 20, 1 }, { 1e-6, 25, 1 }, { 0, 10, -1 }, { 1e-6, 5, -1 }
	};
	struct clock_line line;

	(void)state;
	assert_true(clock_fit(p, 4, &line));
	assert_true(line.drift == 0);
	assert_true(fabs(line.offset - 15) < 1);
}

/* A clock that is set in the middle: one line fits each half. */
static void a_step_ends_a_stretch(void **state)
{
	static struct clock_point p[2 * MANY], scratch[2 * MANY];
	struct clock_line line;

	(void)state;
	for (int i = 0; i < MANY; i++) {
		double offset = i < MANY / 2 ? 0 : 1e9;

		p[2 * i] = (struct clock_point) { i * 1e-3, offset + 500, 1 };
		p[2 * i + 1] =
			(struct clock_point) { i * 1e-3, offset - 500, -1 };
	}
	/* the first behind the step is above, which contradicts nothing */
	assert_int_equal(clock_stretch(p, 2 * MANY, 0, scratch, &line),
			 MANY + 1);
	assert_true(fabs(line.offset) < 1);
	assert_int_equal(clock_stretch(p + MANY, MANY, 0, scratch, &line),
			 MANY);
	assert_true(fabs(line.offset - 1e9) < 1);
}

/* A line that drifts fits what contradicts a clock that is right. */
static void contradictions_fit_a_drift(void **state)
{
	struct clock_point q[] = { { 0, 5, 1 }, { 1, -30, 1 }, { 2, 12, -1 } };
	struct clock_line line;

	(void)state;
	assert_true(clock_fit(q, 3, &line));
	assert_true(line.margin >= 0);
	assert_false(clock_fit(q, 0, &line));
}

/* Nothing but the same point, and points without a sign. */
static void degenerate_points_are_survived(void **state)
{
	struct clock_point p[MANY];
	struct clock_line line;

	(void)state;
	for (int i = 0; i < MANY; i++)
		p[i] = (struct clock_point) { 0, 7, i % 2 ? 1 : -1 };
	assert_true(clock_fit(p, MANY, &line));
	assert_true(line.margin == 0 && line.offset == 7);
	for (int i = 0; i < MANY; i++)
		p[i].sign = 0;
	assert_false(clock_fit(p, MANY, &line));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways_bound_the_offset),
		cmocka_unit_test(one_way_has_no_bound),
		cmocka_unit_test(a_moment_tells_no_drift),
		cmocka_unit_test(a_step_ends_a_stretch),
		cmocka_unit_test(contradictions_fit_a_drift),
		cmocka_unit_test(degenerate_points_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
