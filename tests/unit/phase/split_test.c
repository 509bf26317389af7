/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which class has which part of a stretch of time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "phase/phase.h"

struct pieces {
	struct phase_span p[16];
	size_t n;
};

static void take(void *ctx, const struct phase_span *p)
{
	struct pieces *all = ctx;

	assert_true(all->n < 16);
	all->p[all->n++] = *p;
}

static void the_first_class_that_applies_has_the_time(void **state)
{
	static const struct phase_span spans[] = {
		{ 0, 100, CLASS_REPLAY, true },
		{ 30, 60, CLASS_DETECTION, false },
		{ 20, 40, CLASS_PAUSED, false },
		{ 90, 120, CLASS_CREDIT_WAIT, false },
		{ -50, -10, CLASS_PAUSED, false },
		{ 140, 500, CLASS_RNR_WAIT, false },
	};
	static const struct phase_span expected[] = {
		{ 0, 20, CLASS_REPLAY, true },
		{ 20, 40, CLASS_PAUSED, false },
		{ 40, 60, CLASS_DETECTION, false },
		{ 60, 100, CLASS_REPLAY, true },
		{ 100, 120, CLASS_CREDIT_WAIT, false },
		{ 120, 140, CLASS_UNKNOWN, false },
		{ 140, 150, CLASS_RNR_WAIT, false },
	};
	struct pieces got = { .n = 0 };

	(void)state;
	assert_true(phase_split(spans, 6, 0, 150, take, &got));
	assert_int_equal(got.n, 7);
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(got.p[i].from, expected[i].from);
		assert_int_equal(got.p[i].to, expected[i].to);
		assert_int_equal(got.p[i].class, expected[i].class);
	}
}

static void pieces_add_up_whatever_the_spans(void **state)
{
	struct phase_span spans[50];
	uint32_t r = 7;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct pieces got = { .n = 0 };
		int64_t sum = 0, at = 100;

		for (int i = 0; i < 7; i++) {
			r = r * 1664525 + 1013904223;
			spans[i].from = (r >> 16) % 500;
			r = r * 1664525 + 1013904223;
			spans[i].to =
				spans[i].from + (int)((r >> 16) % 200) - 20;
			spans[i].class = (r >> 8) % PHASE_CLASS_COUNT;
		}
		assert_true(phase_split(spans, 7, 100, 400, take, &got));
		for (size_t i = 0; i < got.n; i++) {
			assert_int_equal(got.p[i].from, at);
			at = got.p[i].to;
			sum += got.p[i].to - got.p[i].from;
		}
		assert_int_equal(sum, 300);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_class_that_applies_has_the_time),
		cmocka_unit_test(pieces_add_up_whatever_the_spans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
