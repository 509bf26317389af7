/* SPDX-License-Identifier: GPL-2.0-or-later
 * The span of time that all screens follow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tui/model.h"

enum { FIRST = 1000, LAST = 101000 };

static void begin(struct model *m)
{
	*m = (struct model) { 0 };
	model_whole(m, FIRST, LAST);
}

static void assert_span(const struct model *m, int64_t from, int64_t to)
{
	assert_int_equal(m->span.from, from);
	assert_int_equal(m->span.to, to);
}

static void all_is_looked_at_first(void **state)
{
	struct model m;

	(void)state;
	begin(&m);
	assert_span(&m, FIRST, LAST);
	assert_false(m.zoomed);
	model_whole(&m, FIRST, LAST + 500);
	assert_span(&m, FIRST, LAST + 500);
}

static void zooming_keeps_the_middle(void **state)
{
	struct model m;

	(void)state;
	begin(&m);
	model_scale(&m, 0.5);
	assert_span(&m, 26000, 76000);
	assert_true(m.zoomed);
	model_scale(&m, 2);
	assert_span(&m, FIRST, LAST);
	assert_false(m.zoomed);
	model_scale(&m, 1000);
	assert_span(&m, FIRST, LAST);
}

static void a_span_stays_inside(void **state)
{
	struct model m;

	(void)state;
	begin(&m);
	model_look(&m, 51000, 61000);
	model_move(&m, 0.5);
	assert_span(&m, 56000, 66000);
	for (int i = 0; i < 100; i++)
		model_move(&m, 1);
	assert_span(&m, 91000, LAST);
	for (int i = 0; i < 100; i++)
		model_move(&m, -1);
	assert_span(&m, FIRST, 11000);
	model_look(&m, INT64_MIN, INT64_MAX);
	assert_span(&m, FIRST, LAST);
	for (int i = 0; i < 100; i++)
		model_scale(&m, 0.5);
	assert_int_equal(m.span.to - m.span.from, MODEL_SHORTEST);
}

static void spans_are_gone_back_to(void **state)
{
	struct model m;

	(void)state;
	begin(&m);
	model_look(&m, 20000, 30000);
	model_look(&m, 22000, 23000);
	assert_true(model_undo(&m));
	assert_span(&m, 20000, 30000);
	assert_true(model_undo(&m));
	assert_span(&m, FIRST, LAST);
	assert_false(m.zoomed);
	assert_false(model_undo(&m));
	for (int i = 0; i < 10 * MODEL_BACK; i++)
		model_look(&m, 20000 + i, 30000 + i);
	for (int i = 0; i < MODEL_BACK; i++)
		assert_true(model_undo(&m));
	assert_false(model_undo(&m));
}

static void following_keeps_the_end(void **state)
{
	struct model m;

	(void)state;
	begin(&m);
	m.follow = true;
	model_scale(&m, 0.1);
	assert_span(&m, 91000, LAST);
	assert_true(m.follow);
	model_whole(&m, FIRST, LAST + 7000);
	assert_span(&m, 98000, LAST + 7000);
	model_move(&m, -1); /* who looks back does not follow */
	assert_false(m.follow);
	assert_span(&m, 88000, 98000);
	model_whole(&m, FIRST, LAST + 50000);
	assert_span(&m, 88000, 98000);
	model_follow(&m);
	assert_span(&m, LAST + 40000, LAST + 50000);
	model_hold(&m);
	model_whole(&m, FIRST, LAST + 60000);
	assert_span(&m, LAST + 40000, LAST + 50000);
}

static void any_time_is_survived(void **state)
{
	struct model m = { 0 };

	(void)state;
	model_whole(&m, INT64_MIN, INT64_MAX);
	model_scale(&m, 0.5);
	model_move(&m, -3);
	model_move(&m, 3);
	model_whole(&m, INT64_MAX, INT64_MIN);
	model_all(&m);
	model_follow(&m);
	model_scale(&m, 2);
	assert_true(m.span.from <= m.span.to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_looked_at_first),
		cmocka_unit_test(zooming_keeps_the_middle),
		cmocka_unit_test(a_span_stays_inside),
		cmocka_unit_test(spans_are_gone_back_to),
		cmocka_unit_test(following_keeps_the_end),
		cmocka_unit_test(any_time_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
