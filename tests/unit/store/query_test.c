/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading the opening comment of a query. */
#include <string.h>

#include "lab.h"

static void whole_header(void **state)
{
	struct query *q = query_new("a/b", "/x/b.sql",
				    "-- What is it?\n"
				    "-- First note,\n"
				    "--   second.\n"
				    "--\n"
				    "-- param n count 10  how many\n"
				    "-- param t time NULL\n"
				    "-- param id id required  which\n"
				    "-- column x text  an x\n"
				    "-- column y duration  a y\n"
				    "-- example fabscope query DB b\n"
				    "-- last\n"
				    "SELECT 1 -- param no count 1\n"
				    "-- param no count 1\n");

	(void)state;
	assert_null(q->broken);
	assert_string_equal(q->name, "a/b");
	assert_string_equal(q->origin, "/x/b.sql");
	assert_string_equal(q->question, "What is it?");
	assert_string_equal(q->notes, "First note,\nsecond.");
	assert_string_equal(q->example, "fabscope query DB b");
	assert_true(q->last);
	assert_int_equal(q->n_params, 3);
	assert_string_equal(q->params[0].name, "n");
	assert_int_equal(q->params[0].unit, UNIT_COUNT);
	assert_string_equal(q->params[0].value, "10");
	assert_string_equal(q->params[0].help, "how many");
	assert_false(q->params[0].required);
	assert_null(q->params[1].value);
	assert_int_equal(q->params[1].unit, UNIT_TIME);
	assert_string_equal(q->params[1].help, "");
	assert_true(q->params[2].required);
	assert_int_equal(q->n_columns, 2);
	assert_string_equal(q->columns[1].name, "y");
	assert_int_equal(q->columns[1].unit, UNIT_DURATION);
	assert_string_equal(q->columns[1].help, "a y");
	query_free(q);
}

static void mistakes_name_the_line(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "f:0: no question: the file must begin with \"-- \"" },
		{ "SELECT 1",
		  "f:0: no question: the file must begin with \"-- \"" },
		{ "--\nSELECT 1",
		  "f:1: no question: the file must begin with \"-- \"" },
		{ "-- Q?\n-- param\n", "f:2: a name is missing" },
		{ "-- Q?\n-- param x furlong 1\n", "f:2: unknown unit" },
		{ "-- Q?\n-- param x count\n",
		  "f:2: a parameter needs a default" },
		{ "-- Q?\n-- column x\n", "f:2: unknown unit" },
		{ "-- Q?\n-- example a\n-- example b\n",
		  "f:3: a second example" },
		/* the first mistake counts */
		{ "-- Q?\n-- column x y z\n-- param\n", "f:2: unknown unit" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct query *q = query_new("n", "f", cases[i].text);

		assert_non_null(q->broken);
		assert_string_equal(q->broken, cases[i].want);
		query_free(q);
	}
}

static void odd_texts_are_survived(void **state)
{
	static const char *const texts[] = {
		"--",
		"-- ",
		"-- x",
		"-- x\r\n-- param a count 1 b\r\nSELECT :a",
		"-- \xff\xfe\x01",
		"-- param",
		"--param a count 1",
		"-- Q?\n-- column \n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		query_free(query_new("n", NULL, texts[i]));
	query_free(NULL);
}

/* A file written on Windows is as good. */
static void carriage_returns_do_no_harm(void **state)
{
	struct query *q =
		query_new("n", NULL, "-- Q?\r\n-- param a count 1\r\nSELECT 1");

	(void)state;
	assert_null(q->broken);
	assert_string_equal(q->question, "Q?");
	assert_string_equal(q->params[0].value, "1");
	query_free(q);
}

static void folders(void **state)
{
	struct query *top = query_new("a", NULL, "-- Q?\n");
	struct query *sub = query_new("findings/a", NULL, "-- Q?\n");

	(void)state;
	assert_true(query_in(top, ""));
	assert_false(query_in(sub, ""));
	assert_true(query_in(sub, "findings"));
	assert_false(query_in(sub, "finding"));
	assert_false(query_in(top, "findings"));
	query_free(top);
	query_free(sub);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_header),
		cmocka_unit_test(mistakes_name_the_line),
		cmocka_unit_test(odd_texts_are_survived),
		cmocka_unit_test(carriage_returns_do_no_harm),
		cmocka_unit_test(folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
