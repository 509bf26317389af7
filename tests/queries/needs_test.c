/* SPDX-License-Identifier: GPL-2.0-or-later
 * A query that says "needs TABLE" is not asked while that has no rows.  So it
 * must have none then, and there must be such a table. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "said.h"

/* Losses that were seen and others. */
static void write_facts(struct lab *l)
{
	static const enum recovery_cause causes[] = {
		CAUSE_LOSS_UPSTREAM, CAUSE_LOSS_DOWNSTREAM,
		CAUSE_CORRUPTION,    CAUSE_ACK_LOSS,
		CAUSE_RNR,           CAUSE_UNKNOWN,
	};
	struct fact_flow f = good_flow(1, 1, 2, 0x11);

	lab_one_tap(l);
	lab_pair(l, &f);
	for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
		hand_recovery(l, recovery(1, causes[i], TRIGGER_NAK));
		hand_recovery(l, recovery(1, causes[i], TRIGGER_TIMEOUT));
	}
}

static void run(const struct lab *l, const char *sql)
{
	sqlite3 *db;
	char *why = NULL;

	assert_int_equal(sqlite3_open(l->path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s: %s", sql, why);
	sqlite3_close(db);
}

static int count(void *ctx, const struct query_value *v, size_t n)
{
	(void)v;
	(void)n;
	++*(int *)ctx;
	return 0;
}

static int rows_of(struct lab *l, const struct query *q)
{
	int n = 0;
	const struct query_sink sink = { .ctx = &n, .row = count };

	if (query_run(l->s, q, NULL, &sink, &l->err))
		fail_msg("%s", l->err.text);
	return n;
}

static void reopen(struct lab *l)
{
	store_free(l->s);
	l->s = store_open(l->path, &l->err);
	if (!l->s)
		fail_msg("%s", l->err.text);
	lab_derived(l);
}

/* Findings, and what is derived. */
static bool has_needs(const struct query *q)
{
	return q->needs && (query_in(q, "findings") || query_in(q, "derive"));
}

static bool needs(const struct query *q, const char *table)
{
	return has_needs(q) && !strcmp(q->needs, table);
}

/* How many queries need |table|: of all others it is the first to. */
static int try_table(struct lab *l, const struct catalogue *c, size_t first,
		     const char *table)
{
	char sql[400];
	int n = 0;

	for (size_t i = 0; i < first; i++)
		if (needs(catalogue_at(c, i), table))
			return 0;
	snprintf(sql, sizeof sql,
		 "CREATE TABLE kept AS SELECT * FROM %s; DELETE FROM %s", table,
		 table);
	run(l, sql);
	reopen(l);
	for (size_t i = first; i < catalogue_size(c); i++) {
		if (!needs(catalogue_at(c, i), table))
			continue;
		n++;
		if (rows_of(l, catalogue_at(c, i)))
			fail_msg("%s has rows without %s",
				 catalogue_at(c, i)->name, table);
	}
	snprintf(sql, sizeof sql,
		 "INSERT INTO %s SELECT * FROM kept; DROP TABLE kept", table);
	run(l, sql);
	return n;
}

static void without_it_there_is_no_row(void **state)
{
	struct catalogue *c = catalogue_builtin();
	struct lab l;
	int tried = 0;

	(void)state;
	lab_begin(&l);
	write_facts(&l);
	lab_reopen_derived(&l);
	assert_int_equal(
		rows_of(&l, catalogue_find(c, "findings/loss-upstream")), 1);
	for (size_t i = 0; i < catalogue_size(c); i++) {
		const struct query *q = catalogue_at(c, i);

		if (has_needs(q))
			tried += try_table(&l, c, i, q->needs);
	}
	assert_true(tried > 70);
	catalogue_free(c);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_it_there_is_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
