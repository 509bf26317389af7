/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writing a database: names, refusals, a full disk, rules of users. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab.h"
#include "store/store_int.h"

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void expect_file(const char *path, const char *text)
{
	char have[200] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_true(fgets(have, sizeof have, f) || !*text);
	fclose(f);
	assert_string_equal(have, text);
}

static bool is_database(const char *path)
{
	struct store *s = store_open(path, NULL);

	store_free(s);
	return s;
}

static void commit_gives_the_name_and_nothing_else(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l);
	assert_int_equal(access(l.path, F_OK), -1);
	assert_int_equal(lab_files(&l), 1); /* the temporary one */
	assert_int_equal(store_commit(l.s, &l.err), 0);
	assert_true(is_database(l.path));
	assert_int_equal(lab_files(&l), 1);
	lab_end(&l);
}

static void uncommitted_leaves_nothing(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l);
	store_free(l.s);
	l.s = NULL;
	assert_int_equal(lab_files(&l), 0);
	lab_end(&l);
}

static void older_database_is_replaced(void **state)
{
	struct lab l;
	char *rows;

	(void)state;
	lab_begin(&l);
	store_meta(l.s, "version", "old");
	lab_reopen(&l);
	store_free(l.s);
	l.s = store_create(l.path, &l.err);
	assert_non_null(l.s);
	store_meta(l.s, "version", "new");
	assert_true(is_database(l.path)); /* the old one until the end */
	lab_reopen(&l);
	rows = lab_ask(&l, "verdict/meta", NULL);
	assert_string_equal(rows, "key,value\nversion,new\n");
	free(rows);
	assert_int_equal(lab_files(&l), 1);
	lab_end(&l);
}

/* Each is refused with its reason before any work, and left alone. */
static void foreign_names_are_refused(void **state)
{
	char text[200], folder[200], link[200], pipe[200];
	const struct {
		const char *path;
		const char *reason;
		enum err_code code;
	} cases[] = {
		{ text,
		  ": exists and is not a fabscope database; not overwritten",
		  ERR_EXISTS },
		{ folder, ": is a folder", ERR_EXISTS },
		{ link, ": is a dangling symbolic link", ERR_IO },
		{ pipe, ": is not a regular file", ERR_EXISTS },
		{ "/dev/null", ": is not a regular file", ERR_EXISTS },
		{ "/nonexistent/x.db",
		  ": cannot create a file in its folder: No such file",
		  ERR_IO },
		{ "", "the name of the file is empty", ERR_USAGE },
	};
	struct lab l;

	(void)state;
	lab_begin(&l);
	snprintf(text, sizeof text, "%s/notes.txt", l.folder);
	snprintf(folder, sizeof folder, "%s/folder", l.folder);
	snprintf(link, sizeof link, "%s/link", l.folder);
	snprintf(pipe, sizeof pipe, "%s/pipe", l.folder);
	write_file(text, "precious");
	assert_int_equal(mkdir(folder, 0777), 0);
	assert_int_equal(symlink("nowhere", link), 0);
	assert_int_equal(mkfifo(pipe, 0666), 0);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct err err = { 0 };
		size_t n = strlen(cases[i].path);

		assert_null(store_create(cases[i].path, &err));
		assert_int_equal(err.code, cases[i].code);
		assert_true(!strncmp(err.text, cases[i].path, n));
		if (strncmp(err.text + n, cases[i].reason,
			    strlen(cases[i].reason)))
			fail_msg("%s", err.text);
	}
	expect_file(text, "precious");
	assert_int_equal(lab_files(&l), 5); /* ours, and these four */
	rmdir(folder);
	lab_end(&l);
}

/* Somebody takes the name while we work. */
static void name_taken_meanwhile_is_refused(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l);
	write_file(l.path, "precious");
	assert_int_equal(store_commit(l.s, &l.err), -1);
	assert_int_equal(l.err.code, ERR_EXISTS);
	store_free(l.s);
	l.s = NULL;
	expect_file(l.path, "precious");
	assert_int_equal(lab_files(&l), 1);
	lab_end(&l);
}

/* SQLite would take these for a URI, or for no file at all. */
static void odd_names_are_names(void **state)
{
	static const char *const names[] = {
		"file:x?mode=memory",
		"a b'c;d%20.db",
		"-n",
		"\xc3\xa4.db",
	};
	struct lab l;
	char *cwd = getcwd(NULL, 0);

	(void)state;
	lab_begin(&l);
	assert_int_equal(chdir(l.folder), 0);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct store *s = store_create(names[i], &l.err);

		assert_non_null(s);
		assert_int_equal(store_commit(s, &l.err), 0);
		store_free(s);
		assert_int_equal(access(names[i], R_OK), 0);
		assert_true(is_database(names[i]));
	}
	assert_int_equal(chdir(cwd), 0);
	free(cwd);
	lab_end(&l);
}

/* Who may write in the folder may put a link in the place of the new file. */
static void links_of_the_folder_alone_are_followed(void **state)
{
	char folder[100], file[200], link[200], text[300];
	struct store new = { .path = file };
	struct lab l;

	(void)state;
	lab_begin(&l);
	snprintf(folder, sizeof folder, "%s/folder", l.folder);
	snprintf(link, sizeof link, "%s/link", l.folder);
	snprintf(file, sizeof file, "%s/victim", l.folder);
	write_file(file, "");
	assert_int_equal(symlink("victim", link), 0);
	assert_int_equal(symlink(".", folder), 0);

	new.path = link;
	assert_int_equal(db_create(&new, link, &l.err), -1);
	snprintf(text, sizeof text, "%s: cannot create: it is a link", link);
	assert_string_equal(l.err.text, text);
	sqlite3_close(new.db);
	expect_file(file, "");

	snprintf(file, sizeof file, "%s/new", folder);
	new.path = file;
	assert_int_equal(db_create(&new, file, &l.err), 0);
	assert_int_equal(db_run(&new, "CREATE TABLE t(x)", &l.err), 0);
	sqlite3_close(new.db);
	snprintf(file, sizeof file, "%s/new", l.folder);
	assert_int_equal(access(file, R_OK), 0);
	unlink(folder);
	lab_end(&l);
}

static void longest_name_works(void **state)
{
	char path[400];
	struct lab l;
	struct store *s;

	(void)state;
	lab_begin(&l);
	snprintf(path, sizeof path, "%s/%0255d", l.folder, 7);
	s = store_create(path, &l.err);
	assert_non_null(s);
	assert_int_equal(store_commit(s, &l.err), 0);
	store_free(s);
	assert_true(is_database(path));
	lab_end(&l);
}

static void memory_can_be_asked_after_commit(void **state)
{
	struct lab l;
	char *rows;

	(void)state;
	lab_begin(&l);
	store_free(l.s);
	l.s = store_create(":memory:", &l.err);
	assert_non_null(l.s);
	store_meta(l.s, "k", "v");
	assert_int_equal(store_commit(l.s, &l.err), 0);
	rows = lab_ask(&l, "verdict/meta", NULL);
	assert_string_equal(rows, "key,value\nk,v\n");
	free(rows);
	assert_int_equal(lab_files(&l), 0);
	lab_end(&l);
}

static void file_mode_follows_the_umask(void **state)
{
	struct lab l;
	struct stat st;
	mode_t old = umask(027);

	(void)state;
	lab_begin(&l);
	assert_int_equal(store_commit(l.s, &l.err), 0);
	umask(old);
	assert_int_equal(stat(l.path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	lab_end(&l);
}

static void written_rows_can_come_twice(void **state)
{
	struct capture_file f = good_file();
	struct lab l;
	char *rows;

	(void)state;
	lab_begin(&l);
	f.damage_count = 1;
	f.damage[0] = (struct capture_damage) { 5, 9, "x" };
	store_capture(l.s, 0, &f);
	f.packets = 7; /* it grew while it was read */
	f.damage[0].to = 10;
	store_capture(l.s, 0, &f);
	store_meta(l.s, "k", "one");
	store_meta(l.s, "k", "two");
	lab_reopen(&l);
	rows = lab_ask(&l, "corrupted-ranges", NULL);
	assert_non_null(strstr(rows, "\na.pcap,5,10,x\n"));
	free(rows);
	rows = lab_ask(&l, "captures", NULL);
	assert_non_null(strstr(rows, "\n1,a.pcap,pcap,7,"));
	free(rows);
	lab_end(&l);
}

/* --- a disk that fills --- */

static void fill_disk(struct lab *l, rlim_t room)
{
	const struct fact_event e = { .kind = EVENT_NAK_SEQ, .value = 1 };
	struct rlimit old, now;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	now = old;
	now.rlim_cur = room;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
	for (int i = 0; i < 400000; i++)
		l->sink.event(l->sink.ctx, &e);
	assert_int_equal(store_commit(l->s, &l->err), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
}

static void full_disk_leaves_nothing(void **state)
{
	/* during the rows, and only at the very end */
	static const rlim_t rooms[] = { 1 << 20, 14 << 20 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct lab l;

		lab_begin(&l);
		fill_disk(&l, rooms[i]);
		assert_int_equal(l.err.code, ERR_IO);
		assert_true(!strncmp(l.err.text, l.path, strlen(l.path)));
		if (!strstr(l.err.text, "File too large"))
			fail_msg("%s", l.err.text);
		/* a second attempt does not suddenly work */
		assert_int_equal(store_commit(l.s, NULL), -1);
		store_free(l.s);
		l.s = NULL;
		assert_int_equal(lab_files(&l), 0);
		lab_end(&l);
	}
}

static void full_disk_keeps_the_older_database(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_reopen(&l);
	store_free(l.s);
	l.s = store_create(l.path, &l.err);
	l.sink = store_sink(l.s);
	fill_disk(&l, 1 << 20);
	store_free(l.s);
	l.s = NULL;
	assert_true(is_database(l.path));
	assert_int_equal(lab_files(&l), 1);
	lab_end(&l);
}

/* --- rules of users --- */

static void user_rule(struct lab *l, const char *name, const char *text)
{
	char path[300];

	snprintf(path, sizeof path, "%s/fabscope", l->folder);
	mkdir(path, 0777);
	strcat(path, "/queries");
	mkdir(path, 0777);
	strcat(path, "/findings");
	mkdir(path, 0777);
	snprintf(path, sizeof path, "%s/fabscope/queries/findings/%s.sql",
		 l->folder, name);
	write_file(path, text);
}

static void remove_rules(struct lab *l)
{
	char command[300];

	snprintf(command, sizeof command, "rm -r '%s/fabscope'", l->folder);
	assert_int_equal(system(command), 0);
}

static void rules_of_users_become_findings(void **state)
{
	struct lab l;
	char *rows;

	(void)state;
	lab_begin(&l);
	user_rule(&l, "mine",
		  "-- Mine?\nSELECT 'critical' AS severity, 'Oh' AS title");
	lab_reopen(&l);
	rows = lab_ask(&l, "findings", NULL);
	assert_non_null(strstr(rows, "\n1,critical,Oh,,,,,mine,,,,\n"));
	free(rows);
	remove_rules(&l);
	lab_end(&l);
}

/* None of these costs the analysis, and none does what it wants. */
static void broken_rules_of_users_are_told(void **state)
{
	static const char *const texts[] = {
		"SELECT 1",
		"-- Q?\nSELEKT",
		"-- Q?\nSELECT 'info' AS severity, NULL AS title",
		"-- Q?\nSELECT 'bad' AS severity, 'x' AS title",
		"-- Q?\nSELECT 'info' AS severity, 'x' AS title, 1 AS colour",
		"-- Q?\nDELETE FROM finding",
		"-- Q?\nATTACH 'other.db' AS o",
		"-- Q?\nPRAGMA user_version = 9",
		"-- Q?\nSELECT 'info' AS severity, 'x' AS title;"
		" DROP TABLE flow",
		"-- Q?\nSELECT 'info' AS severity, 'x' AS title"
		" UNION ALL SELECT 'info', NULL",
	};
	char name[20];
	struct lab l;
	char *rows, *at;
	size_t n = 0;

	(void)state;
	lab_begin(&l);
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		snprintf(name, sizeof name, "broken%zu", i);
		user_rule(&l, name, texts[i]);
	}
	lab_reopen(&l);
	rows = lab_ask(&l, "findings", NULL);
	for (at = rows; (at = strstr(at, "A rule of yours could not be")); at++)
		n++;
	assert_int_equal(n, sizeof texts / sizeof texts[0]);
	assert_null(strstr(rows, ",x,"));
	free(rows);
	remove_rules(&l);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commit_gives_the_name_and_nothing_else),
		cmocka_unit_test(uncommitted_leaves_nothing),
		cmocka_unit_test(older_database_is_replaced),
		cmocka_unit_test(foreign_names_are_refused),
		cmocka_unit_test(name_taken_meanwhile_is_refused),
		cmocka_unit_test(odd_names_are_names),
		cmocka_unit_test(links_of_the_folder_alone_are_followed),
		cmocka_unit_test(longest_name_works),
		cmocka_unit_test(memory_can_be_asked_after_commit),
		cmocka_unit_test(file_mode_follows_the_umask),
		cmocka_unit_test(written_rows_can_come_twice),
		cmocka_unit_test(full_disk_leaves_nothing),
		cmocka_unit_test(full_disk_keeps_the_older_database),
		cmocka_unit_test(rules_of_users_become_findings),
		cmocka_unit_test(broken_rules_of_users_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
