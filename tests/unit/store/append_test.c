/* SPDX-License-Identifier: GPL-2.0-or-later
 * Rows that are appended in pages of our own are what SQLite makes of the same
 * values, whatever their size, and in whichever order their ids come. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "lab.h"

enum { ROWS = 5000, LONG = 20000 /* longer than a page of rows may hold */ };

static const int64_t numbers[] = {
	0,
	1,
	2,
	-1,
	127,
	128,
	-128,
	-129,
	255,
	32767,
	32768,
	-32769,
	8388607,
	8388608,
	-8388609,
	INT32_MAX,
	INT64_C(1) << 31,
	-(INT64_C(1) << 31) - 1,
	(INT64_C(1) << 47) - 1,
	INT64_C(1) << 47,
	-(INT64_C(1) << 47),
	-(INT64_C(1) << 47) - 1,
	INT64_MAX,
	-INT64_MAX,
	FACT_UNKNOWN,
};
static const double reals[] = {
	0,           1,       0.25,
	-1,          1e6,     140737488355327.0,
	0x1p47,      1e15,    9007199254740993.0,
	0x1p63,      -0.5,    1e300,
	(double)NAN, -0x1p47,
};
static char long_text[LONG + 1], middle_text[300];
static const char *const texts[] = { "R3", "", middle_text, NULL, "\xc3\xa9" };

#define PICK(list, i) ((list)[(i) % (sizeof(list) / sizeof *(list))])

static struct fact_event event_of(unsigned i)
{
	return (struct fact_event) {
		.ns = PICK(numbers, i),
		.flow = i + 1,
		.frame = (uint64_t)i << i % 40,
		.kind = (enum event_kind)(i % EVENT_KIND_COUNT),
		.value = PICK(numbers, i / 3),
		.confidence = PICK(reals, i),
		.detail = i % 1000 == 999 ? long_text : PICK(texts, i),
	};
}

static void insert_event(sqlite3_stmt *q, const struct fact_event *e)
{
	sqlite3_bind_int64(q, 1, (int64_t)e->flow);
	if (e->ns == FACT_UNKNOWN)
		sqlite3_bind_null(q, 2);
	else
		sqlite3_bind_int64(q, 2, e->ns);
	if (e->value == FACT_UNKNOWN)
		sqlite3_bind_null(q, 3);
	else
		sqlite3_bind_int64(q, 3, e->value);
	sqlite3_bind_double(q, 4, e->confidence);
	sqlite3_bind_text(q, 5, e->detail, -1, SQLITE_STATIC);
	if (e->frame)
		sqlite3_bind_int64(q, 6, (int64_t)e->frame);
	else
		sqlite3_bind_null(q, 6);
	assert_int_equal(sqlite3_step(q), SQLITE_DONE);
	sqlite3_reset(q);
}

static void run(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s", sqlite3_errmsg(db));
}

/* What SQLite makes of them, in temp.want. */
static void insert_events(sqlite3 *db)
{
	sqlite3_stmt *q;

	run(db,
	    "CREATE TEMP TABLE want(id INTEGER PRIMARY KEY, flow_id INTEGER,"
	    " ns INTEGER, value INTEGER, confidence REAL, detail TEXT,"
	    " frame INTEGER)");
	assert_int_equal(sqlite3_prepare_v2(db,
					    "INSERT INTO want(flow_id, ns,"
					    " value, confidence, detail, frame)"
					    " VALUES(?1,?2,?3,?4,?5,?6)",
					    -1, &q, NULL),
			 SQLITE_OK);
	for (unsigned i = 0; i < ROWS; i++) {
		struct fact_event e = event_of(i);

		insert_event(q, &e);
	}
	sqlite3_finalize(q);
}

static int64_t number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *q;
	int64_t v;

	if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK)
		fail_msg("%s", sqlite3_errmsg(db));
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	v = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return v;
}

static sqlite3 *whole(const struct lab *l)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(l->path, &db), SQLITE_OK);
	assert_int_equal(number(db, "SELECT integrity_check = 'ok'"
				    " FROM pragma_integrity_check"),
			 1);
	return db;
}

static void values_are_those_of_an_insert(void **state)
{
	struct lab l;
	sqlite3 *db;

	(void)state;
	memset(long_text, 'l', LONG);
	memset(middle_text, 'm', sizeof middle_text - 1);
	lab_begin(&l);
	for (unsigned i = 0; i < ROWS; i++) {
		struct fact_event e = event_of(i);

		l.sink.event(l.sink.ctx, &e);
	}
	lab_reopen(&l);
	db = whole(&l);
	insert_events(db);
	assert_int_equal(number(db, "SELECT count(*) FROM event"), ROWS);
	assert_int_equal(
		number(db, "SELECT count(*) FROM event e JOIN want w"
			   " ON e.id = w.id AND e.flow_id = w.flow_id"
			   " AND e.ns IS w.ns AND e.value IS w.value"
			   " AND e.confidence IS w.confidence"
			   " AND typeof(e.confidence) = typeof(w.confidence)"
			   " AND e.detail IS w.detail AND e.frame IS w.frame"),
		ROWS);
	sqlite3_close(db);
	lab_end(&l);
}

/* Flows end in any order. */
static void ids_come_in_any_order(void **state)
{
	struct lab l;
	sqlite3 *db;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	for (uint32_t i = 0; i < ROWS; i++) {
		uint32_t id = 1 + i * 7919u % ROWS;
		struct fact_flow f = good_flow(id, 1, 2, 10 * id);

		f.peer = 0;
		f.packets = 3 * id;
		l.sink.flow(l.sink.ctx, &f);
	}
	lab_reopen(&l);
	db = whole(&l);
	assert_int_equal(number(db, "SELECT count(*) FROM flow WHERE id BETWEEN"
				    " 1 AND 5000 AND dst_qp = 10 * id"
				    " AND packets = 3 * id AND src = '10.0.0.1'"
				    " AND transport = 'RC' AND src_qp IS NULL"),
			 ROWS);
	sqlite3_close(db);
	lab_end(&l);
}

/* Two rows with one id are an error, as ever. */
static void an_id_comes_once(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	for (uint32_t i = 0; i < ROWS; i++) {
		struct fact_flow f = good_flow(1 + i % (ROWS - 1), 1, 2, i);

		l.sink.flow(l.sink.ctx, &f);
	}
	assert_int_equal(store_commit(l.s, &l.err), -1);
	assert_non_null(strstr(l.err.text, "UNIQUE"));
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_those_of_an_insert),
		cmocka_unit_test(ids_come_in_any_order),
		cmocka_unit_test(an_id_comes_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
