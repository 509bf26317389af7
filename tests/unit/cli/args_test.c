/* SPDX-License-Identifier: GPL-2.0-or-later
 * Words sorted into options and operands as getopt_long(3) would. */
#include "cli/args.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "cli/command.h"

static const struct option options[] = {
	{ .name = "output", .letter = 'o', .value = "FILE" },
	{ .name = "tap", .value = "NAME=FILE", .repeated = true },
	{ .name = "json", .letter = 'j' },
	{ .name = "list", .letter = 'l' },
	{ .name = "format", .value = "F", .words = "table csv" },
	{ .name = NULL },
};

static const struct command command = {
	.name = "test",
	.operands = "A [B]",
	.min_operands = 1,
	.max_operands = 2,
	.options = options,
};

enum { WORDS = 12 };

/* Parses a copy of |words|, NULL-terminated. */
static int parse(struct args *a, const char *const *words, struct err *err)
{
	static char text[WORDS][64];
	static char *argv[WORDS];
	int n = 0;

	for (; words[n]; n++) {
		snprintf(text[n], sizeof text[n], "%s", words[n]);
		argv[n] = text[n];
	}
	return args_parse(a, &command, n, argv, err);
}

#define PARSE(a, err, ...) \
	parse((a), (const char *const[]) { __VA_ARGS__, NULL }, (err))

static void test_every_spelling_of_a_value(void **state)
{
	static const char *const spellings[][3] = {
		{ "-o", "x.db", NULL },       { "-ox.db", NULL },
		{ "--output", "x.db", NULL }, { "--output=x.db", NULL },
		{ "-jox.db", NULL },
	};
	struct args a;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
		const char *words[4] = { "in", spellings[i][0], spellings[i][1],
					 NULL };

		assert_int_equal(parse(&a, words, NULL), 0);
		assert_string_equal(args_value(&a, "output"), "x.db");
		assert_int_equal(a.n_operands, 1);
		args_fini(&a);
	}
}

static void test_options_and_operands_mix(void **state)
{
	struct args a;
	size_t at = 0;

	(void)state;
	assert_int_equal(
		PARSE(&a, NULL, "one", "--tap", "a=1", "-j", "-", "--tap=b=2"),
		0);
	assert_string_equal(a.operands[0], "one");
	assert_string_equal(a.operands[1], "-");
	assert_string_equal(args_next(&a, "tap", &at), "a=1");
	assert_string_equal(args_next(&a, "tap", &at), "b=2");
	assert_null(args_next(&a, "tap", &at));
	assert_true(args_has(&a, "json"));
	assert_false(args_has(&a, "list"));
	args_fini(&a);
}

static void test_two_dashes_end_the_options(void **state)
{
	struct args a;

	(void)state;
	assert_int_equal(PARSE(&a, NULL, "-l", "--", "-j"), 0);
	assert_string_equal(a.operands[0], "-j");
	assert_false(args_has(&a, "json"));
	args_fini(&a);
}

static void refused(const char *const *words, const char *why)
{
	struct err err = { 0 };
	struct args a;

	assert_int_equal(parse(&a, words, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.text, why);
	args_fini(&a);
}

#define REFUSED(why, ...) \
	refused((const char *const[]) { __VA_ARGS__, NULL }, why)

static void test_wrong_usage(void **state)
{
	(void)state;
	REFUSED("no option \"--nope\"", "a", "--nope");
	REFUSED("no option \"--out\"; did you mean \"--output\"?", "a",
		"--out=x");
	REFUSED("no option -x", "a", "-x");
	REFUSED("--output needs FILE", "a", "-o");
	REFUSED("--json takes no value", "a", "--json=1");
	REFUSED("--json is given twice", "a", "-jj");
	REFUSED("--output is given twice", "a", "-ox", "--output=y");
	REFUSED("--format is one of: table csv", "a", "--format", "xml");
	REFUSED("--format is one of: table csv", "a", "--format=tab");
	REFUSED("needs A [B]", "-j");
	REFUSED("one word too many: c", "a", "b", "c");
}

static void test_help_asks_for_nothing_else(void **state)
{
	struct args a;

	(void)state;
	assert_int_equal(PARSE(&a, NULL, "--help"), 0);
	assert_true(a.help);
	args_fini(&a);
	assert_int_equal(PARSE(&a, NULL, "-h", "a", "b", "c"), 0);
	assert_true(a.help);
	args_fini(&a);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_spelling_of_a_value),
		cmocka_unit_test(test_options_and_operands_mix),
		cmocka_unit_test(test_two_dashes_end_the_options),
		cmocka_unit_test(test_wrong_usage),
		cmocka_unit_test(test_help_asks_for_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
