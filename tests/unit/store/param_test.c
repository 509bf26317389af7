/* SPDX-License-Identifier: GPL-2.0-or-later
 * Values as people type them. */
#include "store/param.h"

#include "lab.h"

static void integers(void **state)
{
	static const struct {
		enum query_unit unit;
		const char *text;
		int64_t want;
	} cases[] = {
		{ UNIT_COUNT, "12", 12 },
		{ UNIT_ID, "-1", -1 },
		{ UNIT_COUNT, "010", 10 }, /* no octal surprise */
		{ UNIT_HEX, "0x1F", 31 },
		{ UNIT_HEX, "31", 31 },
		{ UNIT_HEX16, "0xffff", 65535 },
		{ UNIT_DURATION, "5", 5 },
		{ UNIT_DURATION, "250us", 250000 },
		{ UNIT_DURATION, "1.5ms", 1500000 },
		{ UNIT_DURATION, "1.5 ms", 1500000 },
		{ UNIT_DURATION, "2s", 2000000000 },
		{ UNIT_DURATION, "1h", INT64_C(3600000000000) },
		{ UNIT_BYTES, "262144", 262144 },
		{ UNIT_BYTES, "4M", 4194304 },
		{ UNIT_BYTES, "1.5K", 1536 },
		{ UNIT_RATE, "100G", INT64_C(100000000000) },
		{ UNIT_TIME, "7", 7 },
		{ UNIT_TIME, "+1us", 2000 },
		/* date -u -d '2026-11-21 01:02:03' +%s */
		{ UNIT_TIME, "2026-11-21T01:02:03Z",
		  INT64_C(1795222923000000000) },
		{ UNIT_TIME, "2026-11-21 01:02:03.5 UTC",
		  INT64_C(1795222923500000000) },
		{ UNIT_TIME, "2026-11-21", INT64_C(1795219200000000000) },
		{ UNIT_TIME, "1969-12-31 23:59:59.999999999", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct query_value v;

		if (param_parse(cases[i].unit, cases[i].text, 1000, &v))
			fail_msg("%s", cases[i].text);
		assert_int_equal(v.type, VALUE_INT);
		assert_int_equal(v.i, cases[i].want);
	}
}

static void others(void **state)
{
	struct query_value v;

	(void)state;
	assert_int_equal(param_parse(UNIT_TEXT, "a=b", 0, &v), 0);
	assert_int_equal(v.type, VALUE_TEXT);
	assert_string_equal(v.text, "a=b");
	assert_int_equal(v.length, 3);
	assert_int_equal(param_parse(UNIT_SHARE, "1%", 0, &v), 0);
	assert_true(v.type == VALUE_REAL && v.r == 0.01);
	assert_int_equal(param_parse(UNIT_REAL, "2.5e3", 0, &v), 0);
	assert_true(v.r == 2500);
	assert_int_equal(param_parse(UNIT_COUNT, "NULL", 0, &v), 0);
	assert_int_equal(v.type, VALUE_NULL);
}

static void nonsense(void **state)
{
	static const struct {
		enum query_unit unit;
		const char *text;
	} cases[] = {
		{ UNIT_COUNT, "" },
		{ UNIT_COUNT, "1K" },
		{ UNIT_BYTES, "K" },
		{ UNIT_BYTES, "1KB" },
		{ UNIT_BYTES, "9e99T" },
		{ UNIT_RATE, "1X" },
		{ UNIT_COUNT, "1x" },
		{ UNIT_COUNT, "9223372036854775808" },
		{ UNIT_HEX, "0x" },
		{ UNIT_REAL, "nan" },
		{ UNIT_REAL, "inf" },
		{ UNIT_SHARE, "1%%" },
		{ UNIT_DURATION, "ms" },
		{ UNIT_DURATION, "1 parsec" },
		{ UNIT_DURATION, "1e300s" },
		{ UNIT_DURATION, "nans" },
		{ UNIT_TIME, "yesterday" },
		{ UNIT_TIME, "2026-11-21T01:02:03+02" },
		{ UNIT_TIME, "9999-01-01" }, /* beyond 64 bit of ns */
		{ UNIT_TIME, "+" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct query_value v;

		if (!param_parse(cases[i].unit, cases[i].text, 0, &v))
			fail_msg("%s", cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(others),
		cmocka_unit_test(nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
