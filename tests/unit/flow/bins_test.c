/* SPDX-License-Identifier: GPL-2.0-or-later
 * Bins: sparse, bounded, nothing lost when they merge. */
#include "flow/bins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t total(const struct bins *s)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		n += s->b[i].c.packets;
	return n;
}

static void a_year_of_silence_costs_nothing(void **state)
{
	struct bins *s = bins_new(16);

	(void)state;
	bins_at(s, 0)->packets++;
	bins_at(s, INT64_C(31536000000000000))->packets++;
	assert_int_equal(s->n, 2);
	assert_int_equal(s->width, BIN_WIDTH_NS);
	bins_delete(s);
}

static void width_doubles_when_full(void **state)
{
	struct bins *s = bins_new(16);

	(void)state;
	for (int64_t i = 0; i < 17; i++)
		bins_at(s, i * BIN_WIDTH_NS)->packets++;
	/* 17 bins do not fit in 16: by two they are 9 */
	assert_int_equal(s->width, 2 * BIN_WIDTH_NS);
	assert_int_equal(s->n, 9);
	assert_int_equal(s->b[0].c.packets, 2);
	assert_int_equal(s->b[8].c.packets, 1);
	assert_int_equal(total(s), 17);
	bins_delete(s);
}

static void time_may_go_back(void **state)
{
	struct bins *s = bins_new(16);

	(void)state;
	bins_at(s, 5 * BIN_WIDTH_NS)->packets++;
	bins_at(s, 2 * BIN_WIDTH_NS)->packets++;
	bins_at(s, -BIN_WIDTH_NS)->packets++;
	bins_at(s, 5 * BIN_WIDTH_NS + 1)->packets++;
	assert_int_equal(s->n, 3);
	assert_int_equal(s->b[0].index, -1);
	assert_int_equal(s->b[2].c.packets, 2);
	bins_delete(s);
}

static void any_time_stamp_is_survived(void **state)
{
	struct bins *s = bins_new(4);
	int64_t t[] = { INT64_MIN,     INT64_MAX,    0, -1, 1,
			INT64_MAX / 2, INT64_MIN / 2 };

	(void)state;
	for (unsigned i = 0; i < 7; i++)
		bins_at(s, t[i])->packets++;
	assert_true(s->n <= 4);
	assert_int_equal(total(s), 7);
	bins_delete(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_year_of_silence_costs_nothing),
		cmocka_unit_test(width_doubles_when_full),
		cmocka_unit_test(time_may_go_back),
		cmocka_unit_test(any_time_stamp_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
