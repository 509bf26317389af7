/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sums at the ends of what 64 bits hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clamp.h"

static const int64_t least = INT64_MIN, most = INT64_MAX;

static void what_fits_is_exact(void **state)
{
	(void)state;
	assert_int_equal(clamp_add(2, -5), -3);
	assert_int_equal(clamp_add(most, least), -1);
	assert_int_equal(clamp_sub(2, -5), 7);
	assert_int_equal(clamp_sub(least, -1), least + 1);
	assert_int_equal(clamp_sub(-1, least), most);
	assert_int_equal(clamp_mul(-3, 5), -15);
	assert_int_equal(clamp_mul(least, 1), least);
}

static void what_does_not_is_the_end(void **state)
{
	(void)state;
	assert_int_equal(clamp_add(most, 1), most);
	assert_int_equal(clamp_add(least, -1), least);
	assert_int_equal(clamp_sub(63, least), most);
	assert_int_equal(clamp_sub(least, 1), least);
	assert_int_equal(clamp_sub(0, least), most);
	assert_int_equal(clamp_mul(most, 2), most);
	assert_int_equal(clamp_mul(least, -1), most);
	assert_int_equal(clamp_mul(most, -2), least);
	assert_int_equal(clamp_mul(-2, most), least);
}

static void numbers_with_fractions_lose_them(void **state)
{
	(void)state;
	assert_int_equal(clamp_real(-2.75), -2);
	assert_int_equal(clamp_real(9223372036854774784.0),
			 INT64_C(9223372036854774784));
	assert_int_equal(clamp_real(9223372036854775808.0), most);
	assert_int_equal(clamp_real(1e300), most);
	assert_int_equal(clamp_real(-9223372036854775808.0), least);
	assert_int_equal(clamp_real(-1e300), least);
	assert_int_equal(clamp_real(__builtin_nan("")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_is_exact),
		cmocka_unit_test(what_does_not_is_the_end),
		cmocka_unit_test(numbers_with_fractions_lose_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
