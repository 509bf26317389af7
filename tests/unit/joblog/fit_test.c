/* SPDX-License-Identifier: GPL-2.0-or-later
 * Clocks of hosts against that of the capture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "joblog/fit.h"

enum { OPS = 20, EACH = 4, LENGTH = 100000 };

static struct span op[OPS];
static int64_t packet[OPS * EACH];

/* Operations of 100 us, not at even distances; of each four packets, the first
 * 1 us behind its begin, the last 2 us before its end. */
static void make(int64_t ahead)
{
	int64_t at = INT64_C(1700000000000000000);

	for (int i = 0; i < OPS; i++) {
		at += 150000 + 7000 * ((i * i) % 11);
		op[i] = (struct span) { at + ahead, at + LENGTH + ahead };
		packet[i * EACH] = at + 1000;
		packet[i * EACH + 1] = at + 30000;
		packet[i * EACH + 2] = at + 60000;
		packet[i * EACH + 3] = at + LENGTH - 2000;
	}
}

static void an_offset_is_found_with_its_error(void **state)
{
	const int64_t ahead[] = { 0, 2960000000, -45000000, 1 };
	struct fit f;

	(void)state;
	for (size_t i = 0; i < sizeof ahead / sizeof *ahead; i++) {
		make(ahead[i]);
		assert_null(fit_find(op, OPS, packet, OPS * EACH, &f));
		/* it may be 1 us more or 2 us less: half of that, rounded up */
		assert_in_range(f.error, 1500, 1501);
		assert_in_range(f.offset + ahead[i] + 3000, 3000 - 501,
				3000 + 501);
		assert_int_equal(f.inside, OPS * EACH);
	}
}

/* The capture ran for a part of the job. */
static void parts_are_found(void **state)
{
	struct fit f;

	(void)state;
	make(1000000);
	assert_null(fit_find(op, OPS, packet + 5 * EACH, 8 * EACH, &f));
	assert_in_range(f.offset + 1000000 + 3000, 2499, 3501);
	assert_null(fit_find(op + 4, 9, packet + 5 * EACH, 8 * EACH, &f));
	assert_in_range(f.offset + 1000000 + 3000, 2499, 3501);
}

static void what_repeats_itself_is_not_placed(void **state)
{
	struct fit f;

	(void)state;
	for (int i = 0; i < OPS; i++) {
		op[i] = (struct span) { i * 250000, i * 250000 + LENGTH };
		for (int k = 0; k < EACH; k++)
			packet[i * EACH + k] = op[i].begin + 121000 + k * 20000;
	}
	assert_non_null(fit_find(op, OPS, packet + 5 * EACH, 8 * EACH, &f));
}

/* ... unless its clock as it is is one of the places. */
static void a_clock_that_fits_is_left_alone(void **state)
{
	struct fit f;

	(void)state;
	for (int i = 0; i < OPS; i++) {
		op[i] = (struct span) { i * 250000, i * 250000 + LENGTH };
		for (int k = 0; k < EACH; k++)
			packet[i * EACH + k] = op[i].begin + 1000 + k * 20000;
	}
	assert_null(fit_find(op, OPS, packet + 5 * EACH, 8 * EACH, &f));
	assert_true(f.own);
	assert_int_equal(f.offset, 0);
	/* from 39 us before to 1 us behind */
	assert_in_range(f.error, 39000, 39001);
}

static void what_does_not_belong_together_is_not_placed(void **state)
{
	struct fit f;

	(void)state;
	make(0);
	for (int i = 0; i < OPS * EACH; i++)
		packet[i] += (int64_t)i * i * 30011;
	assert_non_null(fit_find(op, OPS, packet, OPS * EACH, &f));
	assert_non_null(fit_find(op, 0, packet, OPS * EACH, &f));
	assert_non_null(fit_find(op, OPS, packet, 3, &f));
}

static void any_time_is_survived(void **state)
{
	const int64_t wild[] = { INT64_MIN, INT64_MAX, 0, -1, INT64_MIN + 1 };
	struct fit f;

	(void)state;
	make(0);
	for (int i = 0; i < OPS; i++)
		op[i] = (struct span) { wild[i % 5], wild[(i + 2) % 5] };
	for (int i = 0; i < OPS * EACH; i++)
		packet[i] = wild[(i + 1) % 5];
	fit_find(op, OPS, packet, OPS * EACH, &f);
}

/* One that lasts from 1970 to the end of this century: the widest that is
 * looked at, with any sanitizer. */
static void a_century_is_survived(void **state)
{
	struct fit f;

	(void)state;
	make(0);
	for (int i = 0; i < OPS; i++)
		op[i] = (struct span) { 1, INT64_C(4000000000000000000) };
	fit_find(op, OPS, packet, OPS * EACH, &f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_offset_is_found_with_its_error),
		cmocka_unit_test(parts_are_found),
		cmocka_unit_test(what_repeats_itself_is_not_placed),
		cmocka_unit_test(a_clock_that_fits_is_left_alone),
		cmocka_unit_test(what_does_not_belong_together_is_not_placed),
		cmocka_unit_test(any_time_is_survived),
		cmocka_unit_test(a_century_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
