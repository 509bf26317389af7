/* SPDX-License-Identifier: GPL-2.0-or-later
 * An analysis that runs out of something: the n-th allocation fails, ours or
 * SQLite's, or the n-th page does not fit on the disk.  One clear error and
 * nothing left behind, or the whole result; never a crash.
 *
 * The first hundred are tried one by one, then every so many; with
 * FABSCOPE_EACH so many times fewer. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/crc32.h"
#include "capture/capture.h"
#include "run/run.h"
#include "store/store.h"

#include "../cases.h"

/* Where the test runs: who is killed leaves it to the next run. */
static const char folder[] = "starved_test.files";
static const char database[] = "starved_test.files/out.db";

/* ---- allocations that fail ------------------------------------------ */

static long ours = -1, theirs = -1; /* until one fails; negative: none does */

static bool fails(long *left)
{
	return *left >= 0 && (*left)-- == 0;
}

/* The linker puts these in the place of the functions (--wrap). */
#define INSTEAD(type, name, parameters, arguments)                    \
	type __real_##name parameters;                                \
	type __wrap_##name parameters;                                \
	type __wrap_##name parameters                                 \
	{                                                             \
		return fails(&ours) ? NULL : __real_##name arguments; \
	}
INSTEAD(void *, malloc, (size_t n), (n))
INSTEAD(void *, calloc, (size_t n, size_t size), (n, size))
INSTEAD(void *, realloc, (void *p, size_t n), (p, n))
INSTEAD(void *, reallocarray, (void *p, size_t n, size_t size), (p, n, size))
INSTEAD(void *, aligned_alloc, (size_t a, size_t n), (a, n))
INSTEAD(char *, strdup, (const char *s), (s))
INSTEAD(char *, strndup, (const char *s, size_t n), (s, n))

int __wrap_asprintf(char **out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int __wrap_asprintf(char **out, const char *format, ...)
{
	va_list ap;
	int n;

	if (fails(&ours))
		return -1;
	va_start(ap, format);
	n = vasprintf(out, format, ap);
	va_end(ap);
	return n;
}

static sqlite3_mem_methods usual;

static void *sqlite_malloc(int n)
{
	return fails(&theirs) ? NULL : usual.xMalloc(n);
}

static void *sqlite_realloc(void *p, int n)
{
	return fails(&theirs) ? NULL : usual.xRealloc(p, n);
}

static void empty(void)
{
	DIR *d = opendir(folder);
	const struct dirent *e;

	while (d && (e = readdir(d)))
		if (*e->d_name != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}

static int begin(void **state)
{
	sqlite3_mem_methods mine;

	(void)state;
	assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual), 0);
	mine = usual;
	mine.xMalloc = sqlite_malloc;
	mine.xRealloc = sqlite_realloc;
	assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &mine), 0);
	signal(SIGXFSZ, SIG_IGN);
	empty();
	mkdir(folder, 0700);
	setenv("FABSCOPE_QUERIES", "", 1);
	setenv("XDG_DATA_HOME", folder, 1);
	return 0;
}

static int end(void **state)
{
	(void)state;
	return rmdir(folder);
}

/* ---- one analysis --------------------------------------------------- */

static int files(void)
{
	DIR *d = opendir(folder);
	int n = -2; /* "." and ".." */

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static uint32_t add_text(uint32_t sum, const void *text)
{
	return text ? crc32_add(sum, text, strlen(text) + 1) : sum * 31 + 1;
}

/* Every value of every table. */
static uint32_t content(void)
{
	sqlite3 *db;
	sqlite3_stmt *tables, *rows;
	uint32_t sum = CRC32_START;

	assert_int_equal(sqlite3_open(database, &db), SQLITE_OK);
	assert_int_equal(
		sqlite3_prepare_v2(db,
				   "SELECT 'SELECT * FROM ' || name FROM "
				   "sqlite_schema WHERE type = 'table'",
				   -1, &tables, NULL),
		SQLITE_OK);
	while (sqlite3_step(tables) == SQLITE_ROW) {
		const char *sql = (const char *)sqlite3_column_text(tables, 0);

		sum = add_text(sum, sql);
		assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &rows, NULL),
				 SQLITE_OK);
		while (sqlite3_step(rows) == SQLITE_ROW)
			for (int i = 0; i < sqlite3_column_count(rows); i++)
				sum = add_text(sum,
					       sqlite3_column_text(rows, i));
		sqlite3_finalize(rows);
	}
	sqlite3_finalize(tables);
	sqlite3_close(db);
	return sum;
}

/* 0, or -1 and |err|. */
static int run(struct err *err)
{
	const struct capture_input input = { .path = CAPTURES
					     "/d12_drop_tail_timeout.pa.pcap" };

	*err = (struct err) { 0 };
	return run_analyze(&(struct run_options) { .inputs = &input,
						   .n_inputs = 1,
						   .database = database },
			   NULL, err);
}

static void refused(const struct err *err, enum err_code code)
{
	if (err->code != code)
		fail_msg("%d: %s", err->code, err->text);
	assert_int_equal(files(), 0);
}

/* What a run with all it needs makes. */
static uint32_t whole(void)
{
	struct err err;
	uint32_t sum;

	if (run(&err))
		fail_msg("%s", err.text);
	assert_int_equal(files(), 1);
	sum = content();
	assert_int_equal(unlink(database), 0);
	return sum;
}

static long following(long n)
{
	const long k = cases_each();

	return n < 100 / k ? n + 1 : n + 1 + n * k / 30;
}

/* ---- the tests ------------------------------------------------------ */

static void allocations_of_sqlite(void **state)
{
	const uint32_t want = whole();
	struct err err;
	bool done = false;
	long n;

	(void)state;
	for (n = 0; !done; n = following(n)) {
		int rc;

		theirs = n;
		rc = run(&err);
		done = theirs >= 0;
		theirs = -1;
		if (rc) {
			refused(&err, ERR_MEMORY);
		} else {
			assert_int_equal(content(), want);
			unlink(database);
		}
	}
	assert_true(n > 1000);
}

static void allocations_of_ours(void **state)
{
	const uint32_t want = whole();
	struct err err;
	bool done = false;
	long n;

	(void)state;
	for (n = 0; !done; n = following(n)) {
		int rc;

		ours = n;
		rc = run(&err);
		done = ours >= 0;
		ours = -1;
		if (rc) {
			refused(&err, ERR_MEMORY);
		} else {
			assert_int_equal(content(), want);
			unlink(database);
		}
	}
	assert_true(n > 1000);
}

static void pages_on_the_disk(void **state)
{
	enum { STEP = 16 << 10 };
	const uint32_t want = whole();
	struct rlimit limit, usually;
	struct err err;
	int rc = -1;

	(void)state;
	getrlimit(RLIMIT_FSIZE, &usually);
	for (rlim_t n = 0; rc; n += STEP * (rlim_t)cases_each()) {
		limit = (struct rlimit) { n, usually.rlim_max };
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		rc = run(&err);
		setrlimit(RLIMIT_FSIZE, &usually);
		if (!rc)
			break;
		refused(&err, ERR_IO);
		assert_non_null(strstr(err.text, "out.db"));
		assert_non_null(strstr(err.text, "File too large"));
		assert_true(n < 400 * STEP);
	}
	assert_int_equal(content(), want);
	unlink(database);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocations_of_sqlite),
		cmocka_unit_test(allocations_of_ours),
		cmocka_unit_test(pages_on_the_disk),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
