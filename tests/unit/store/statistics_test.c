/* SPDX-License-Identifier: GPL-2.0-or-later
 * What diff rests on, against values worked out by hand. */
#include <sqlite3.h>
#include <string.h>

#include "lab.h"
#include "store/store_int.h"

static sqlite3 *db;

static void is(const char *expression, const char *values, const char *want)
{
	char *sql = sqlite3_mprintf(
		"WITH v(side, x) AS (VALUES %s) SELECT coalesce(printf("
		"'%%.6f', %s), 'NULL') FROM v",
		values, expression);
	sqlite3_stmt *stmt = NULL;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(stmt, 0), want);
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
}

static void medians(void **state)
{
	(void)state;
	is("median(x)", "(0, 3), (0, 1), (0, 2)", "2.000000");
	is("median(x)", "(0, 4), (0, 1), (0, NULL), (0, 2), (0, 3)",
	   "2.500000");
	/* median 2, distances 1 1 0 0 2 4 7 */
	is("mad(x)", "(0, 1), (0, 1), (0, 2), (0, 2), (0, 4), (0, 6), (0, 9)",
	   "1.000000");
	is("ifnull(median(x), -1)", "(0, NULL)", "-1.000000");
}

static void rank_sums(void **state)
{
	(void)state;
	/* the two that are furthest off of the 12870 ways to take 8 of 16 */
	is("rank_sum_p(side, x, 1)",
	   "(0,1),(0,2),(0,3),(0,4),(0,5),(0,6),(0,7),(0,8),"
	   "(1,9),(1,10),(1,11),(1,12),(1,13),(1,14),(1,15),(1,16)",
	   "0.000155");
	/* ranks 3 5 6: of 20 ways {1 2 3} and {1 2 4} are as far off, and the
	 * same above; ranks 6 only: {1} and {6} of 6 */
	is("rank_sum_p(side, x, 1)", "(0,1),(0,2),(1,3),(0,4),(1,5),(1,6)",
	   "0.200000");
	is("rank_sum_p(side, x, 1)", "(0,1),(0,2),(0,3),(0,4),(0,5),(1,6)",
	   "0.333333");
	is("rank_sum_p(side, x, 1)", "(1,1),(1,2),(1,3),(1,4),(1,5),(0,6)",
	   "0.333333");
	/* Four values as good as one, U = 0 of 8 x 8: half of z, which is
	 * 31.5 / sqrt(8 x 8 x 17 / 12) = 3.308171 */
	is("rank_sum_p(side, x, 4)",
	   "(0,1),(0,2),(0,3),(0,4),(0,5),(0,6),(0,7),(0,8),"
	   "(1,9),(1,10),(1,11),(1,12),(1,13),(1,14),(1,15),(1,16)",
	   "0.098111");
	/* ties: ranks 2 2 2 | 4.5 4.5 6; W = 15, z = (15 - 10.5 - 0.5) /
	 * sqrt(9 / 12 x (7 - (24 + 6) / 30)) = 4 / sqrt(4.5) */
	is("rank_sum_p(side, x, 1)", "(0,1),(0,1),(0,1),(1,2),(1,2),(1,3)",
	   "0.059346");
	is("rank_sum_p(side, x, 1)", "(0,5),(0,5),(1,5),(1,5)", "1.000000");
	is("ifnull(rank_sum_p(side, x, 1), -1)", "(0,1),(0,2)", "-1.000000");
}

static void sameness(void **state)
{
	(void)state;
	is("rank_sum_same(side, x)", "(0,1),(1,2),(0,2),(1,1)", "1.000000");
	is("rank_sum_same(side, x)", "(0,1),(1,2),(0,2),(1,2)", "0.000000");
	is("rank_sum_same(side, x)", "(0,1),(0,2)", "0.000000");
}

static void rare_events(void **state)
{
	(void)state;
	/* 2 x 0.5^10 */
	is("poisson_p(0, 1, 10, 1)", "(0,0)", "0.001953");
	/* none in three times the time: 0.25^3 */
	is("poisson_p(0, 3, 3, 1)", "(0,0)", "0.015625");
	is("poisson_p(5, 1, 5, 1)", "(0,0)", "1.000000");
	is("poisson_p(0, 1, 0, 1)", "(0,0)", "1.000000");
	is("ifnull(poisson_p(1, 0, 1, 1), -1)", "(0,0)", "-1.000000");
}

static void bounds(void **state)
{
	(void)state;
	/* none in as much time: of k more than 1 - 1 / 2^k is below k */
	is("at_most(0, 1, 1)", "(0,0)", "6.000000");
	/* none: 100 / 101 > 0.99; once: (100 / 101)^2 is less */
	is("at_most(0, 100, 1)", "(0,0)", "0.000000");
	is("at_most(1, 100, 1)", "(0,0)", "1.000000");
	is("at_most(5, 100, 0)", "(0,0)", "0.000000");
	/* many: 10^6 + 2.326 x sqrt(2 x 10^6) */
	is("at_most(999999, 1, 1)", "(0,0)", "1003290.000000");
	is("ifnull(at_most(1, 0, 1), -1)", "(0,0)", "-1.000000");
	is("ifnull(at_most(-1, 1, 1), -1)", "(0,0)", "-1.000000");
}

static void at_once(void **state)
{
	(void)state;
	is("most_at_once(side, x)", "(1, 5)", "1.000000");
	/* 1..5, 2..3 and 4..9: never all three */
	is("most_at_once(side, x)", "(4, 9), (1, 5), (2, 3)", "2.000000");
	/* the one ends as the other begins; one of no length; one backwards */
	is("most_at_once(side, x)", "(1, 5), (5, 9), (5, 5), (7, 3)",
	   "3.000000");
	is("most_at_once(side, x)",
	   "(1, 2), (3, 4), (1767225601486873354, 1767225601486873355),"
	   "(1767225601486873356, 1767225601486873357), (7, NULL), (NULL, 8)",
	   "1.000000");
	is("ifnull(most_at_once(side, x), -1)", "(0, NULL)", "-1.000000");
}

static int open_db(void **state)
{
	(void)state;
	return sqlite3_open(":memory:", &db) != SQLITE_OK ||
	       db_functions(db) != SQLITE_OK;
}

static int close_db(void **state)
{
	(void)state;
	return sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(medians),  cmocka_unit_test(rank_sums),
		cmocka_unit_test(sameness), cmocka_unit_test(rare_events),
		cmocka_unit_test(bounds),   cmocka_unit_test(at_once),
	};

	return cmocka_run_group_tests(tests, open_db, close_db);
}
