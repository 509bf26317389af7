/* SPDX-License-Identifier: GPL-2.0-or-later
 * The database of an analysis that goes on: what is in it from one refresh to
 * the next. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab.h"
#include "store/live.h"

static char path[] = "store-live-XXXXXX"; /* in the build folder */
static char file[sizeof path + 16];

static int begin(void **state)
{
	struct err err;
	struct store *s;

	(void)state;
	assert_non_null(mkdtemp(path));
	snprintf(file, sizeof file, "%s/live.db", path);
	s = store_live_begin(file, &err);
	assert_non_null(s);
	assert_int_equal(store_live_close(s, &err), 0);
	return 0;
}

static int end(void **state)
{
	static const char *const tails[] = { "", "-wal", "-shm" };
	char name[sizeof file + 8];

	(void)state;
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof name, "%s%s", file, tails[i]);
		unlink(name);
	}
	return rmdir(path);
}

static int64_t ask(const char *sql)
{
	sqlite3_stmt *stmt;
	sqlite3 *db;
	int64_t n;

	assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	n = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return n;
}

static void said(const char *where, const char *how, uint64_t packets)
{
	const struct live_recording r = { .kind = "ring",
					  .path = where,
					  .state = how,
					  .first_ns = T0,
					  .last_ns = T0 + (int64_t)packets,
					  .packets = packets };
	const struct live_frames f = { .tap_id = 1,
				       .first = 1,
				       .last = packets };
	const struct live_limits l = { .keep_ns = MS,
				       .history_ns = MS,
				       .rows = 10 };
	struct err err;
	struct store *s = store_live_open(file, &err);

	assert_non_null(s);
	store_live_retain(s, &l, T0);
	store_live_recording(s, &r, &f, 1);
	assert_int_equal(store_live_close(s, &err), 0);
}

/* A file is told when it begins and when it is full; between the two somebody
 * may have removed it, and a refresh seen that.  It is one file. */
static void a_file_is_one_row(void **state)
{
	static const char gone[] = "/nowhere/ring-1.pcapng";

	(void)state;
	said(gone, "open", 1);
	assert_int_equal(ask("SELECT sum(packets) FROM recording"), 1);
	said("/nowhere/ring-2.pcapng", "open", 1);
	assert_int_equal(ask("SELECT count(*) FROM recording"
			     " WHERE state = 'gone'"),
			 1);
	said(gone, "complete", 7);
	assert_int_equal(ask("SELECT count(*) FROM recording"), 2);
	assert_int_equal(ask("SELECT sum(packets) FROM recording"), 8);
	assert_int_equal(ask("SELECT sum(last_frame) FROM recording_tap"), 8);
}

/* Another process does |sql| to the database |name| and holds what that locks
 * for |ms| from when this returns. */
static pid_t somebody(const char *name, const char *sql, unsigned ms)
{
	int ready[2];
	char c;
	pid_t child;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		sqlite3 *db;

		if (sqlite3_open(name, &db) ||
		    sqlite3_exec(db, sql, NULL, NULL, NULL) ||
		    write(ready[1], "", 1) != 1)
			_exit(1);
		usleep(ms * 1000);
		sqlite3_close(db);
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return child;
}

static void over(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* Who waits for a live analysis to begin may find its file before it has any
 * table. */
static void begins_while_somebody_reads(void **state)
{
	char name[sizeof file + 8];
	struct err err;
	struct store *s;
	pid_t child;

	(void)state;
	snprintf(name, sizeof name, "%s/new.db", path);
	child = somebody(name, "BEGIN; SELECT * FROM sqlite_schema", 300);
	s = store_live_begin(name, &err);
	over(child);
	assert_non_null(s);
	assert_int_equal(store_live_close(s, &err), 0);
	unlink(name);
	strcat(name, "-wal");
	unlink(name);
	memcpy(name + strlen(name) - 4, "-shm", 4);
	unlink(name);
}

static void waits_no_longer_than_it_says(void **state)
{
	char name[sizeof file + 8];
	struct err err;
	pid_t child;

	(void)state;
	snprintf(name, sizeof name, "%s/new.db", path);
	child = somebody(name, "BEGIN; SELECT * FROM sqlite_schema", 3500);
	assert_null(store_live_begin(name, &err));
	assert_int_equal(err.code, ERR_IO);
	assert_non_null(strstr(err.text, "another process has it locked"));
	over(child);
	unlink(name);
}

static void goes_on_while_somebody_looks(void **state)
{
	struct err err;
	struct store *s;
	pid_t child;

	(void)state;
	child = somebody(
		file, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE", 300);
	s = store_live_begin(file, &err);
	over(child);
	assert_non_null(s);
	assert_int_equal(store_live_close(s, &err), 0);
}

static void changed(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

/* What the run before left: flows that were open, and what was derived. */
static void beginning_forgets_nothing(void **state)
{
	struct err err;
	struct store *s;

	(void)state;
	changed("INSERT INTO flow(id, transport, src, dst, open)"
		" VALUES(1, 'RC', 'a', 'b', 1), (2, 'RC', 'b', 'a', NULL);"
		"INSERT INTO event(kind, flow_id) VALUES('gap', 1);"
		"INSERT INTO finding(rule, severity, title)"
		" VALUES('tail-loss', 'info', '')");
	s = store_live_begin(file, &err);
	assert_non_null(s);
	assert_int_equal(store_live_close(s, &err), 0);
	assert_int_equal(ask("SELECT count(*) FROM finding"), 1);
	s = store_live_open(file, &err);
	assert_non_null(s);
	assert_int_equal(store_live_close(s, &err), 0);
	assert_int_equal(ask("SELECT count(*) FROM flow WHERE open IS NULL"),
			 2);
	assert_int_equal(ask("SELECT count(*) FROM event"), 1);
	/* but what is derived is derived anew by each refresh */
	assert_int_equal(ask("SELECT count(*) FROM finding"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(begins_while_somebody_reads),
		cmocka_unit_test(waits_no_longer_than_it_says),
		cmocka_unit_test(goes_on_while_somebody_looks),
		cmocka_unit_test(a_file_is_one_row),
		cmocka_unit_test(beginning_forgets_nothing),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
