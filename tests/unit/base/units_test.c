/* SPDX-License-Identifier: GPL-2.0-or-later
 * Numbers with units: values worked out by hand. */
#include "base/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static char buf[UNITS_TEXT];

static void test_durations(void **state)
{
	(void)state;
	assert_string_equal(units_ns(0, buf), "0 ns");
	assert_string_equal(units_ns(999, buf), "999 ns");
	assert_string_equal(units_ns(1000, buf), "1.00 us");
	assert_string_equal(units_ns(1234567, buf), "1.23 ms");
	assert_string_equal(units_ns(67108864, buf), "67.1 ms");
	assert_string_equal(units_ns(999999999, buf), "1.00 s");
	assert_string_equal(units_ns(90000000000, buf), "1.50 min");
	assert_string_equal(units_ns(-1500, buf), "-1.50 us");
	assert_string_equal(units_ns(INT64_MAX, buf), "106752 d");
}

static void test_bytes_and_rates(void **state)
{
	(void)state;
	assert_string_equal(units_bytes(0, buf), "0 B");
	assert_string_equal(units_bytes(1000, buf), "1.00 kB");
	assert_string_equal(units_bytes(2825944, buf), "2.83 MB");
	assert_string_equal(units_rate(400e9, buf), "400 Gb/s");
	assert_string_equal(units_rate(12345678, buf), "12.3 Mb/s");
}

static void test_counts(void **state)
{
	(void)state;
	assert_string_equal(units_count(0, buf), "0");
	assert_string_equal(units_count(999, buf), "999");
	assert_string_equal(units_count(1000, buf), "1,000");
	assert_string_equal(units_count(1234567, buf), "1,234,567");
	assert_string_equal(units_count(UINT64_MAX, buf),
			    "18,446,744,073,709,551,615");
}

static void test_plurals(void **state)
{
	char text[UNITS_PLURAL];

	(void)state;
	assert_string_equal(units_plural(0, "packet", text), "0 packets");
	assert_string_equal(units_plural(1, "packet", text), "1 packet");
	assert_string_equal(units_plural(1234, "retry", text), "1,234 retries");
	assert_string_equal(units_plural(2, "address", text), "2 addresses");
	assert_string_equal(units_plural(3, "key", text), "3 keys");
	assert_string_equal(units_plural(-2, "packet", text), "-2 packets");
}

/* `date -u -d @1700000000` and of the two ends of 64 bit nanoseconds */
static void test_moments(void **state)
{
	(void)state;
	assert_string_equal(units_utc(1700000000123456789, buf),
			    "2023-11-14 22:13:20.123456789 UTC");
	assert_string_equal(units_utc(-1, buf),
			    "1969-12-31 23:59:59.999999999 UTC");
	assert_string_equal(units_utc(INT64_MAX, buf),
			    "2262-04-11 23:47:16.854775807 UTC");
	assert_string_equal(units_utc(INT64_MIN, buf),
			    "1677-09-21 00:12:43.145224192 UTC");
	assert_string_equal(units_offset(1234567890, buf), "+1.234567 s");
	assert_string_equal(units_offset(-2000, buf), "-0.000002 s");
	assert_string_equal(units_offset(INT64_MIN, buf),
			    "-9223372036.854775 s");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_bytes_and_rates),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_plurals),
		cmocka_unit_test(test_moments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
