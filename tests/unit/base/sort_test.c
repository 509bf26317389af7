/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sorting by a number, against qsort() with the place as the second key. */
#include "base/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

struct thing {
	int64_t place;
	int64_t ns;
	int64_t rest;
};

static int by_both(const void *a, const void *b)
{
	const struct thing *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static uint64_t chance(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33 ^ *seed << 31;
}

/* |span| 0: any number at all. */
static void try_one(size_t n, uint64_t span, int64_t from, uint64_t seed)
{
	struct thing *a = malloc((n + 1) * sizeof *a);
	struct thing *b = malloc((n + 1) * sizeof *b);

	for (size_t i = 0; i <= n; i++) {
		uint64_t v = chance(&seed);

		a[i] = (struct thing) { (int64_t)i,
					span ? from + (int64_t)(v % span)
					     : (int64_t)v,
					-(int64_t)i };
		b[i] = a[i];
	}
	assert_true(sort_by(struct thing, a, n, ns));
	qsort(b, n, sizeof *b, by_both);
	assert_memory_equal(a, b, (n + 1) * sizeof *a);
	free(a);
	free(b);
}

static void numbers_come_in_order_and_equal_ones_stay(void **state)
{
	static const size_t lengths[] = { 0, 1, 2, 5, 64, 65, 1000, 40000 };
	static const uint64_t spans[] = {
		0, 1, 7, 2048, 2049, 5000000, UINT64_C(1) << 40,
	};

	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
		for (size_t k = 0; k < sizeof spans / sizeof *spans; k++)
			for (uint64_t seed = 1; seed < 4; seed++) {
				try_one(lengths[i], spans[k], -1000, seed);
				try_one(lengths[i], spans[k],
					1700000000000000000, seed);
			}
}

static void the_ends_of_time_are_numbers(void **state)
{
	struct thing v[100];

	(void)state;
	for (int i = 0; i < 100; i++)
		v[i] = (struct thing) { i,
					i % 3 == 0   ? INT64_MAX
					: i % 3 == 1 ? INT64_MIN
						     : 0,
					0 };
	assert_true(sort_by(struct thing, v, 100, ns));
	for (int i = 0; i < 33; i++)
		assert_int_equal(v[i].place, 3 * i + 1);
	for (int i = 33; i < 66; i++)
		assert_int_equal(v[i].place, 3 * (i - 33) + 2);
	for (int i = 66; i < 100; i++)
		assert_int_equal(v[i].place, 3 * (i - 66));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_come_in_order_and_equal_ones_stay),
		cmocka_unit_test(the_ends_of_time_are_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
