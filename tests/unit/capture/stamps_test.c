/* SPDX-License-Identifier: GPL-2.0-or-later
 * Time stamps that packets share. */
#include "capture/stamps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { US = 1000, MS = 1000 * US };

static void test_each_its_own(void **state)
{
	struct stamps *s = NULL;

	(void)state;
	assert_int_equal(stamps_step(NULL, 10), 0);
	/* Two directions, now and then. */
	for (int i = 0; i < 40; i++)
		stamps_add(&s, 300, 1);
	assert_int_equal(stamps_step(s, 100), 0);
	stamps_free(s);
}

/* Bursts of three batches, 2 ms apart, by a timer of 100 us. */
static void test_silence_is_no_step(void **state)
{
	struct stamps *s = NULL;
	uint64_t n = 0;

	(void)state;
	stamps_add(&s, -1, 30);
	for (int i = 0; i < 20; i++) {
		stamps_add(&s, 2 * MS + i, 29);
		stamps_add(&s, 100 * US + 10 * i, 29);
		stamps_add(&s, 101 * US, 29);
		n += 90;
	}
	assert_int_equal(stamps_step(s, n + 31), 101 * US);
	stamps_free(s);
}

/* A grid that a packet now and then misses. */
static void test_grid(void **state)
{
	struct stamps *s = NULL;
	uint64_t n = 0;

	(void)state;
	for (int i = 0; i < 20; i++, n += 60) {
		stamps_add(&s, 100 * US, 29);
		stamps_add(&s, 200 * US, 29);
	}
	assert_int_equal(stamps_step(s, n), 100 * US);
	stamps_free(s);
}

static void test_any_step(void **state)
{
	struct stamps *s = NULL;

	(void)state;
	stamps_add(&s, 0, 5);
	stamps_add(&s, INT64_MAX, UINT32_MAX);
	stamps_add(&s, INT64_MAX, UINT64_MAX / 2);
	assert_true(stamps_step(s, 1) == INT64_MAX);
	stamps_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_its_own),
		cmocka_unit_test(test_silence_is_no_step),
		cmocka_unit_test(test_grid),
		cmocka_unit_test(test_any_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
