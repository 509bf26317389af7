/* SPDX-License-Identifier: GPL-2.0-or-later
 * Selectors: what is understood, what is refused. */
#include "views/selector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct selector s;

static void test_ids(void **state)
{
	(void)state;
	assert_int_equal(selector_parse(&s, "finding:3", NULL), 0);
	assert_int_equal(s.kind, SELECT_FINDING);
	assert_int_equal(s.id, 3);
	selector_fini(&s);
	assert_int_equal(selector_parse(&s, "flow:18446744073709551615", NULL),
			 -1);
	selector_fini(&s);
}

/* `date -u -d 2026-11-21T01:48:05 +%s` is 1795225685 */
static void test_times(void **state)
{
	(void)state;
	assert_int_equal(
		selector_parse(&s, "time:+1.5..1700000000.000000001", NULL), 0);
	assert_true(s.from.relative);
	assert_int_equal(s.from.ns, 1500000000);
	assert_false(s.to.relative);
	assert_int_equal(s.to.ns, 1700000000000000001);
	assert_int_equal(
		selector_parse(&s, "time:2026-11-21T01:48:05.25Z..", NULL), 0);
	assert_int_equal(s.from.ns, 1795225685250000000);
	assert_int_equal(s.to.ns, INT64_MAX);
	assert_int_equal(selector_parse(&s, "time:..+0", NULL), 0);
	assert_int_equal(s.from.ns, INT64_MIN);
	assert_int_equal(s.to.ns, 0);
	selector_fini(&s);
}

static void test_frames(void **state)
{
	(void)state;
	assert_int_equal(
		selector_parse(&s, "frames:900..950,812,940..960@pa", NULL), 0);
	assert_int_equal(s.n_ranges, 2);
	assert_string_equal(s.tap, "pa");
	assert_true(selector_has_frame(&s, 812));
	assert_false(selector_has_frame(&s, 811));
	assert_false(selector_has_frame(&s, 813));
	assert_true(selector_has_frame(&s, 900));
	assert_true(selector_has_frame(&s, 960));
	assert_false(selector_has_frame(&s, 961));
	selector_fini(&s);
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"3",
		"finding:",
		"finding:x",
		"flow:7x",
		"flow:-1",
		"time:",
		"time:1",
		"time:1...2",
		"time:99999999999..",
		"time:1.x..",
		"frames:",
		"frames:1,",
		"frames:5..1",
		"frames:1@",
		"time:1.",
		"frames:99999999999999999999",
	};
	struct err err = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_int_equal(selector_parse(&s, bad[i], &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		selector_fini(&s);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
