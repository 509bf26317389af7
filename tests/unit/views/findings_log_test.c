/* SPDX-License-Identifier: GPL-2.0-or-later
 * Findings as lines: each once when it appears, when it changes, when it is
 * over. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab.h"
#include "views/findings_log.h"

static struct lab lab;
static char path[200];

static int begin(void **state)
{
	(void)state;
	lab_begin(&lab);
	lab_one_tap(&lab);
	lab_reopen(&lab);
	snprintf(path, sizeof path, "%s/log", lab.folder);
	return 0;
}

static int end(void **state)
{
	(void)state;
	lab_end(&lab);
	return 0;
}

/* What live would have written. */
static void sql(const char *text)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(lab.path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void finding(int id, const char *severity, const char *ended, int times)
{
	char text[400];

	snprintf(text, sizeof text,
		 "INSERT OR REPLACE INTO finding_log(id, key, rule, severity,"
		 " title, tap_id, evidence, seen_first_ns, ended_ns, times)"
		 " VALUES(%d, 'k%d', 'tail-loss', '%s', 'a \"title\"' ||"
		 " char(10), 1, '{\"flows\":[1]}', 5, %s, %d)",
		 id, id, severity, ended, times);
	sql(text);
}

/* The file says "WHAT ID" for each of its lines, and nothing else. */
static void said(const char *want)
{
	char line[4000], have[400] = "", what[20];
	FILE *f = fopen(path, "r");
	size_t n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		const char *id = strstr(line, "\"id\":");

		assert_non_null(id);
		assert_non_null(
			strstr(line, "\"format\":\"fabscope-finding\""));
		assert_non_null(strstr(line, "\"version\":1,"));
		assert_non_null(strstr(line, "\"tap\":\"pa\""));
		assert_non_null(strstr(line, "\"evidence\":{\"flows\":[1]}"));
		assert_non_null(strstr(line, "\"a \\\"title\\\"\\n\""));
		assert_int_equal(sscanf(strstr(line, "\"what\":\"") + 8,
					"%19[a-z]", what),
				 1);
		n += (size_t)snprintf(have + n, sizeof have - n, "%s %d\n",
				      what, atoi(id + 5));
	}
	fclose(f);
	assert_string_equal(have, want);
}

static void update(struct findings_log *l)
{
	assert_int_equal(findings_log_update(l, lab.s, &lab.err), 0);
}

static void test_each_once(void **state)
{
	struct findings_log *l;

	(void)state;
	l = findings_log_open(path, lab.s, &lab.err);
	assert_non_null(l);
	update(l);
	said("");
	finding(1, "warning", "NULL", 1);
	update(l);
	update(l);
	said("appeared 1\n");
	finding(1, "critical", "NULL", 1);
	finding(2, "info", "NULL", 1);
	update(l);
	update(l);
	said("appeared 1\nchanged 1\nappeared 2\n");
	finding(1, "critical", "9", 1);
	update(l);
	update(l);
	said("appeared 1\nchanged 1\nappeared 2\nended 1\n");
	/* it comes back; another came and went between two looks */
	finding(1, "critical", "NULL", 2);
	finding(7, "warning", "12", 1);
	update(l);
	update(l);
	said("appeared 1\nchanged 1\nappeared 2\nended 1\nappeared 1\n"
	     "appeared 7\nended 7\n");
	findings_log_free(l);
}

/* What the run before has told is not told again, what it missed is. */
static void test_a_restart(void **state)
{
	struct findings_log *l;

	(void)state;
	finding(1, "warning", "NULL", 1);
	l = findings_log_open(path, lab.s, &lab.err);
	assert_non_null(l);
	update(l);
	said("");
	finding(1, "warning", "9", 1);
	finding(2, "warning", "NULL", 1);
	update(l);
	said("ended 1\nappeared 2\n");
	findings_log_free(l);
}

static void test_rotation(void **state)
{
	struct findings_log *l = findings_log_open(path, NULL, &lab.err);
	char old[220];

	(void)state;
	assert_non_null(l);
	finding(1, "warning", "NULL", 1);
	update(l);
	snprintf(old, sizeof old, "%s.1", path);
	assert_int_equal(rename(path, old), 0);
	assert_int_equal(findings_log_reopen(l, &lab.err), 0);
	finding(2, "warning", "NULL", 1);
	update(l);
	said("appeared 2\n");
	findings_log_free(l);
}

/* Nothing is added to a capture, or to anything else. */
static void test_a_file_of_others(void **state)
{
	static const char *const others[] = { "x", "{\"format\":\"other\"}\n" };
	char line[32] = "";

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		fputs(others[i], f);
		fclose(f);
		assert_null(findings_log_open(path, NULL, &lab.err));
		f = fopen(path, "r");
		assert_non_null(f);
		assert_non_null(fgets(line, sizeof line, f));
		assert_string_equal(line, others[i]);
		fclose(f);
	}
}

/* What could not be written is told when it can be. */
static void test_a_full_disk(void **state)
{
	struct findings_log *l;

	(void)state;
	if (access("/dev/full", W_OK))
		skip();
	assert_int_equal(symlink("/dev/full", path), 0);
	l = findings_log_open(path, NULL, &lab.err);
	assert_non_null(l);
	finding(1, "warning", "NULL", 1);
	assert_int_equal(findings_log_update(l, lab.s, &lab.err), -1);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(findings_log_reopen(l, &lab.err), 0);
	update(l);
	said("appeared 1\n");
	findings_log_free(l);
}

static void test_refusals(void **state)
{
	(void)state;
	assert_null(findings_log_open("/nowhere/log", NULL, &lab.err));
	assert_int_equal(lab.err.code, ERR_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_each_once, begin, end),
		cmocka_unit_test_setup_teardown(test_a_restart, begin, end),
		cmocka_unit_test_setup_teardown(test_rotation, begin, end),
		cmocka_unit_test_setup_teardown(test_a_file_of_others, begin,
						end),
		cmocka_unit_test_setup_teardown(test_a_full_disk, begin, end),
		cmocka_unit_test_setup_teardown(test_refusals, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
