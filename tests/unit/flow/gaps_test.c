/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ranges of PSNs that were not seen, across the wrap too. */
#include "flow/core/gaps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow/core/serial.h"

static void serial_vectors(void **state)
{
	(void)state;
	/* reference, section 11 */
	assert_int_equal(psn_diff(0x000001, 0xffffff), 2);
	assert_int_equal(psn_diff(0x800000, 0), -(1 << 23));
	assert_int_equal(psn_add(0xfffffe, 3), 1);
	assert_int_equal(psn_max(0xffffff, 1), 1);
	assert_int_equal(psn_min(0xffffff, 1), 0xffffff);
}

static void add(struct gaps *l, uint32_t start, uint32_t end)
{
	assert_true(gaps_add(l, (struct gap) { .start = start, .end = end }));
}

static void cut_in_the_middle_splits(void **state)
{
	struct gaps l = { 0 };

	(void)state;
	add(&l, 0xfffffe, 3); /* fffffe ffffff 0 1 2 */
	assert_null(gaps_find(&l, 0xfffffd));
	assert_null(gaps_find(&l, 3));
	gaps_cut(&l, 0, 1);
	assert_int_equal(l.n, 2);
	assert_null(gaps_find(&l, 0));
	assert_int_equal(gaps_find(&l, 0xffffff)->end, 0);
	assert_int_equal(gaps_find(&l, 2)->start, 1);
	gaps_free(&l);
}

static void cut_at_the_ends_shrinks_and_removes(void **state)
{
	struct gaps l = { 0 };

	(void)state;
	add(&l, 10, 13);
	gaps_cut(&l, 10, 1);
	gaps_cut(&l, 12, 1);
	assert_int_equal(l.g[0].start, 11);
	assert_int_equal(l.g[0].end, 12);
	gaps_cut(&l, 11, 1);
	assert_int_equal(l.n, 0);
	gaps_free(&l);
}

/* A READ request takes as many PSNs as it has answers. */
static void cut_of_many_goes_through_all(void **state)
{
	struct gaps l = { 0 };

	(void)state;
	add(&l, 0xfffff0, 0xfffff8);
	add(&l, 0xfffffa, 0xfffffc);
	add(&l, 0, 10);
	gaps_cut(&l, 0xfffff6, 14); /* up to 4 */
	assert_int_equal(l.n, 2);
	assert_int_equal(l.g[0].start, 0xfffff0);
	assert_int_equal(l.g[0].end, 0xfffff6);
	assert_int_equal(l.g[1].start, 4);
	assert_int_equal(l.g[1].end, 10);
	gaps_cut(&l, 6, 2);
	assert_int_equal(l.n, 3);
	assert_int_equal(l.g[1].end, 6);
	assert_int_equal(l.g[2].start, 8);
	gaps_free(&l);
}

static void stays_sorted(void **state)
{
	struct gaps l = { 0 };

	(void)state;
	add(&l, 30, 40);
	add(&l, 10, 12);
	add(&l, 20, 21);
	assert_int_equal(l.g[0].start, 10);
	assert_int_equal(l.g[1].start, 20);
	assert_int_equal(l.g[2].start, 30);
	assert_true(gaps_overlap(&l, 11, 15));
	assert_false(gaps_overlap(&l, 12, 20));
	assert_true(gaps_overlap(&l, 39, 100));
	assert_false(gaps_overlap(&l, 40, 100));
	gaps_free(&l);
}

static void full_list_refuses(void **state)
{
	struct gaps l = { 0 };

	(void)state;
	for (uint32_t i = 0; i < GAPS_MAX; i++)
		add(&l, 10 * i, 10 * i + 1);
	assert_false(gaps_add(&l, (struct gap) { .start = 5000, .end = 5001 }));
	assert_int_equal(l.n, GAPS_MAX);
	gaps_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(serial_vectors),
		cmocka_unit_test(cut_in_the_middle_splits),
		cmocka_unit_test(cut_at_the_ends_shrinks_and_removes),
		cmocka_unit_test(cut_of_many_goes_through_all),
		cmocka_unit_test(stays_sorted),
		cmocka_unit_test(full_list_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
