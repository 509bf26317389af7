/* SPDX-License-Identifier: GPL-2.0-or-later
 * Bins: sparse, bounded, nothing lost when they merge. */
#include "flow/core/bins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct bin_count *count(const struct bins *s, uint32_t i)
{
	return bins_counters(s, i);
}

static uint64_t total(const struct bins *s)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		n += count(s, i)->packets;
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
	assert_int_equal(count(s, 0)->packets, 2);
	assert_int_equal(count(s, 8)->packets, 1);
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
	assert_int_equal(*bins_number(s, 0), -1);
	assert_int_equal(count(s, 2)->packets, 2);
	bins_delete(s);
}

/* Sums and a maximum, when bins merge and when a span lies in several. */
static void counters_of_another_kind(void **state)
{
	struct bins *s = bins_new_of(2, 2, 1 << 1);
	int64_t *c;

	(void)state;
	for (int64_t i = 0; i < 4; i++) {
		c = bins_counters_at(s, i * BIN_WIDTH_NS);
		c[0] += 10;
		if (c[1] < 5 - i)
			c[1] = 5 - i;
	}
	assert_int_equal(s->n, 2);
	assert_int_equal(s->width, 2 * BIN_WIDTH_NS);
	c = bins_counters(s, 0);
	assert_int_equal(c[0], 20);
	assert_int_equal(c[1], 5);
	c = bins_counters(s, 1);
	assert_int_equal(c[0], 20);
	assert_int_equal(c[1], 3);
	bins_span(s, 0, BIN_WIDTH_NS, 3 * BIN_WIDTH_NS);
	assert_int_equal(*(int64_t *)bins_counters(s, 0), 20 + BIN_WIDTH_NS);
	assert_int_equal(c[0], 20 + BIN_WIDTH_NS);
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
		cmocka_unit_test(counters_of_another_kind),
		cmocka_unit_test(any_time_stamp_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
