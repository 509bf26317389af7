/* SPDX-License-Identifier: GPL-2.0-or-later
 * Asking: parameters, refusals, limits. */
#include <stdlib.h>
#include <string.h>

#include "lab.h"

static struct lab lab;

static int begin(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);

	(void)state;
	lab_begin(&lab);
	lab_one_tap(&lab);
	lab_pair(&lab, &f);
	lab_reopen(&lab);
	return 0;
}

static int end(void **state)
{
	(void)state;
	lab_end(&lab);
	return 0;
}

static int count_row(void *ctx, const struct query_value *v, size_t n)
{
	(void)v;
	(void)n;
	++*(int *)ctx;
	return 0;
}

/* Rows that |text| gives, or -1. */
static int ask(const char *text, const char *const *params)
{
	struct query *q = query_new("mine", NULL, text);
	int rows = 0;
	const struct query_sink sink = { &rows, NULL, count_row };
	int rc = query_run(lab.s, q, params, &sink, &lab.err);

	query_free(q);
	return rc ? -1 : rows;
}

static void parameters_and_defaults(void **state)
{
	static const char sql[] = "-- Q?\n-- param qp hex NULL\n"
				  "-- param least count 5\n"
				  "SELECT id FROM flow WHERE packets >= :least"
				  " AND (:qp IS NULL OR dst_qp = :qp)";

	(void)state;
	assert_int_equal(ask(sql, NULL), 2);
	assert_int_equal(ask(sql, (const char *[]) { "qp=0x11", NULL }), 1);
	assert_int_equal(ask(sql, (const char *[]) { "least=2000", NULL }), 0);
	/* the last one given counts */
	assert_int_equal(
		ask(sql, (const char *[]) { "least=2000", "least=1", NULL }),
		2);
}

static void mistakes_are_told(void **state)
{
	static const struct {
		const char *sql, *param, *want;
		enum err_code code;
	} cases[] = {
		{ "-- Q?\n-- param a count 1\nSELECT :a", "b=1",
		  "no parameter \"b\"; --describe shows all", ERR_USAGE },
		{ "-- Q?\n-- param limit count 1\nSELECT :limit", "limt=1",
		  "no parameter \"limt\"; did you mean \"limit\"?", ERR_USAGE },
		{ "-- Q?\n-- param a count 1\nSELECT :a", "a",
		  "parameter a: must be NAME=VALUE", ERR_USAGE },
		{ "-- Q?\n-- param a count 1\nSELECT :a", "a=x",
		  "query mine: a=x is no count", ERR_USAGE },
		{ "-- Q?\n-- param a count required  how many\nSELECT :a", NULL,
		  "query mine: needs --param a=... (how many)", ERR_USAGE },
		{ "-- Q?\n-- param a count 1\nSELECT 1", NULL,
		  "query mine: does not use its parameter a", ERR_FORMAT },
		{ "-- Q?\nSELECT :a", NULL,
		  "query mine: its header does not name the parameter :a",
		  ERR_FORMAT },
		{ "-- Q?\nSELECT ?", NULL,
		  "query mine: its header does not name the parameter ?",
		  ERR_FORMAT },
		{ "-- Q?\n", NULL, "query mine: must be one statement",
		  ERR_FORMAT },
		{ "-- Q?\nSELECT 1; SELECT 2", NULL,
		  "query mine: must be one statement", ERR_FORMAT },
		{ "SELECT 1", NULL,
		  "mine:0: no question: the file must begin with \"-- \"",
		  ERR_FORMAT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *params[] = { cases[i].param, NULL };

		assert_int_equal(ask(cases[i].sql, params), -1);
		assert_string_equal(lab.err.text, cases[i].want);
		assert_int_equal(lab.err.code, cases[i].code);
	}
	/* a semicolon at the end is none */
	assert_int_equal(ask("-- Q?\nSELECT 1;\n ; \n", NULL), 1);
}

static void queries_may_only_read(void **state)
{
	static const char *const sql[] = {
		"INSERT INTO meta VALUES('a', 'b')",
		"UPDATE flow SET packets = 0",
		"DELETE FROM flow",
		"DROP TABLE flow",
		"CREATE TABLE x(y)",
		"CREATE TEMP TABLE x(y)",
		"CREATE TEMP VIEW x AS SELECT 1",
		"ATTACH ':memory:' AS x",
		"DETACH main",
		"PRAGMA query_only = OFF",
		"PRAGMA journal_mode = WAL",
		"VACUUM INTO 'copy.db'",
		"BEGIN IMMEDIATE",
		"REINDEX",
		"ANALYZE",
		"SELECT load_extension('x')",
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof sql / sizeof sql[0]; i++) {
		snprintf(text, sizeof text, "-- Q?\n%s", sql[i]);
		if (ask(text, NULL) != -1)
			fail_msg("%s was not refused", sql[i]);
	}
	assert_int_equal(ask("-- Q?\nSELECT 1 FROM flow", NULL), 2);
}

static void endless_query_is_stopped(void **state)
{
	static const char sql[] =
		"-- Q?\nWITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1"
		" FROM n) SELECT count(*) FROM n";

	(void)state;
	store_time_limit(lab.s, 0.1);
	assert_int_equal(ask(sql, NULL), -1);
	assert_non_null(strstr(lab.err.text, ": query mine stopped after 0.1 s "
					     "of processor time"));
	/* the next one has its own time */
	assert_int_equal(ask("-- Q?\nSELECT 1 FROM flow", NULL), 2);
	store_time_limit(lab.s, 60);
}

static int stop_at_two(void *ctx, const struct query_value *v, size_t n)
{
	int *rows = ctx;

	(void)v;
	(void)n;
	return ++*rows == 2;
}

static void sink_can_stop(void **state)
{
	struct query *q = query_new("q", NULL,
				    "-- Q?\nSELECT value FROM"
				    " json_each('[1,2,3,4]')");
	int rows = 0;
	const struct query_sink sink = { &rows, NULL, stop_at_two };

	(void)state;
	assert_int_equal(query_run(lab.s, q, NULL, &sink, &lab.err), 0);
	assert_int_equal(rows, 2);
	query_free(q);
}

static int compare_values(void *ctx, const struct query_value *v, size_t n)
{
	(void)ctx;
	assert_int_equal(n, 6);
	assert_true(v[0].type == VALUE_INT && v[0].i == INT64_MIN);
	assert_true(v[1].type == VALUE_REAL && v[1].r == 0.5);
	assert_true(v[2].type == VALUE_TEXT && !strcmp(v[2].text, "a"));
	assert_int_equal(v[3].type, VALUE_NULL);
	/* a blob is text up to its first NUL */
	assert_true(v[4].type == VALUE_TEXT && v[4].length == 1 &&
		    !strcmp(v[4].text, "A"));
	assert_true(v[5].type == VALUE_TEXT && v[5].length == 0);
	return 0;
}

static void values_keep_their_type(void **state)
{
	struct query *q =
		query_new("q", NULL,
			  "-- Q?\nSELECT -9223372036854775808, 0.5, 'a', NULL,"
			  " x'410042', zeroblob(0)");
	const struct query_sink sink = { NULL, NULL, compare_values };

	(void)state;
	assert_int_equal(query_run(lab.s, q, NULL, &sink, &lab.err), 0);
	query_free(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_and_defaults),
		cmocka_unit_test(mistakes_are_told),
		cmocka_unit_test(queries_may_only_read),
		cmocka_unit_test(endless_query_is_stopped),
		cmocka_unit_test(sink_can_stop),
		cmocka_unit_test(values_keep_their_type),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
