/* SPDX-License-Identifier: GPL-2.0-or-later
 * A file that appears only when it is complete. */
#include "base/outfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/regular.h"

static bool yes(const char *path)
{
	(void)path;
	return true;
}

static bool no(const char *path)
{
	(void)path;
	return false;
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void expect(const char *path, const char *text)
{
	char have[50] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_non_null(fgets(have, sizeof have, f));
	fclose(f);
	assert_string_equal(have, text);
}

static void folder(char path[64])
{
	snprintf(path, 64, "%s/fabscope-XXXXXX", P_tmpdir);
	assert_non_null(mkdtemp(path));
}

static void commit_renames(void **state)
{
	char dir[64], path[100];
	struct outfile *o;

	(void)state;
	folder(dir);
	snprintf(path, sizeof path, "%s/x", dir);
	o = outfile_begin(path, no, "toy", NULL);
	assert_non_null(o);
	put(outfile_temp(o), "new");
	assert_int_equal(outfile_commit(o, NULL), 0);
	outfile_free(o);
	expect(path, "new");
	unlink(path);
	assert_int_equal(rmdir(dir), 0); /* nothing else was in it */
}

static void replaceable_is_replaced(void **state)
{
	char dir[64], path[100];
	struct outfile *o;

	(void)state;
	folder(dir);
	snprintf(path, sizeof path, "%s/x", dir);
	put(path, "old");
	assert_null(outfile_begin(path, no, "toy", NULL));
	o = outfile_begin(path, yes, "toy", NULL);
	assert_non_null(o);
	put(outfile_temp(o), "new");
	expect(path, "old");
	assert_int_equal(outfile_commit(o, NULL), 0);
	outfile_free(o);
	expect(path, "new");
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
}

/* A file that was killed leaves its temporary file: the next takes another
 * name. */
/* Who may write in the folder puts a link in the place of the temporary file:
 * what it leads to is not written, and gets no new name. */
static void link_in_its_place_is_not_followed(void **state)
{
	char dir[64], path[100], victim[100], text[400];
	struct err err = { .text = "" };
	struct outfile *o;

	(void)state;
	folder(dir);
	snprintf(path, sizeof path, "%s/x", dir);
	snprintf(victim, sizeof victim, "%s/victim", dir);
	put(victim, "kept");
	o = outfile_begin(path, no, "toy", NULL);
	assert_non_null(o);
	assert_int_equal(unlink(outfile_temp(o)), 0);
	assert_int_equal(symlink(victim, outfile_temp(o)), 0);
	assert_null(regular_create(outfile_temp(o)));
	expect(victim, "kept");
	assert_int_equal(outfile_commit(o, &err), -1);
	snprintf(text, sizeof text,
		 "%s: the file was removed or replaced while it was being "
		 "written",
		 path);
	assert_string_equal(err.text, text);
	assert_int_equal(access(path, F_OK), -1);
	outfile_free(o);
	expect(victim, "kept");
	unlink(victim);
	assert_int_equal(rmdir(dir), 0);
}

/* ... but to what is no file: /dev/stdout is such a link. */
static void link_to_a_device_is_followed(void **state)
{
	char dir[64], path[100];
	FILE *f;

	(void)state;
	folder(dir);
	snprintf(path, sizeof path, "%s/x", dir);
	assert_int_equal(symlink("/dev/null", path), 0);
	f = regular_create(path);
	assert_non_null(f);
	assert_true(fputs("text", f) >= 0);
	assert_int_equal(fclose(f), 0);
	unlink(path);
	f = regular_create(path);
	assert_non_null(f);
	fputs("new", f);
	fclose(f);
	expect(path, "new");
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
}

static void names_left_behind_do_not_block(void **state)
{
	char dir[64], path[100], old[200];
	const char *last;
	struct outfile *o;

	(void)state;
	folder(dir);
	snprintf(path, sizeof path, "%s/x", dir);
	o = outfile_begin(path, no, "toy", NULL);
	/* the name that would be the next one */
	last = strrchr(outfile_temp(o), '-');
	assert_non_null(last);
	snprintf(old, sizeof old, "%.*s-%d.tmp", (int)(last - outfile_temp(o)),
		 outfile_temp(o), atoi(last + 1) + 1);
	outfile_free(o);
	put(old, "left behind");
	o = outfile_begin(path, no, "toy", NULL);
	assert_non_null(o);
	assert_string_not_equal(outfile_temp(o), old);
	outfile_free(o);
	expect(old, "left behind");
	unlink(old);
	assert_int_equal(rmdir(dir), 0);
}

/* Published, without waiting for the disk, is there as well; what writers say
 * of the temporary name is about the final one. */
static void published_has_its_name(void **state)
{
	char dir[64], path[100], text[120];
	struct outfile *o;
	struct err err;

	(void)state;
	folder(dir);
	snprintf(path, sizeof path, "%s/x", dir);
	assert_false(outfile_is_stream(path));
	assert_true(outfile_is_stream("-"));
	assert_true(outfile_is_stream("/dev/null"));
	o = outfile_begin(path, NULL, NULL, NULL);
	assert_non_null(o);
	put(outfile_temp(o), "new");
	err_set(&err, ERR_IO, "%s: is full", outfile_temp(o));
	outfile_rename_error(o, &err);
	snprintf(text, sizeof text, "%s: is full", path);
	assert_string_equal(err.text, text);
	assert_int_equal(outfile_publish(o, NULL), 0);
	outfile_free(o);
	expect(path, "new");
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
}

static void folder_that_went_away_is_an_error(void **state)
{
	char dir[64], path[100];
	struct outfile *o;
	struct err err;

	(void)state;
	folder(dir);
	snprintf(path, sizeof path, "%s/x", dir);
	o = outfile_begin(path, no, "toy", &err);
	unlink(outfile_temp(o));
	rmdir(dir);
	assert_int_equal(outfile_commit(o, &err), -1);
	assert_int_equal(err.code, ERR_IO);
	outfile_free(o);
}

/* A process that ends with a file unfinished, as after kill -9; |tidy| for a
 * signal handler that had time to clean up.  Gives the temporary name. */
static void die_writing(const char *path, bool tidy, char temp[200])
{
	int ends[2], status;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		struct outfile *o = outfile_begin(path, no, "toy", NULL);
		const char *name = o ? outfile_temp(o) : "";

		if (tidy)
			outfile_abandon();
		_exit(write(ends[1], name, strlen(name) + 1) < 2);
	}
	assert_true(child > 0);
	assert_true(read(ends[0], temp, 200) > 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(ends[0]);
	close(ends[1]);
}

static void left_over_is_removed_by_the_next(void **state)
{
	char dir[64], path[100], temp[200], mine[120];
	struct outfile *o;

	(void)state;
	folder(dir);
	snprintf(path, sizeof path, "%s/x", dir);
	die_writing(path, false, temp);
	assert_int_equal(access(temp, F_OK), 0);
	/* not ours, whatever it is called */
	snprintf(mine, sizeof mine, "%s/.fabscope-mine.tmp", dir);
	put(mine, "mine");
	o = outfile_begin(path, no, "toy", NULL);
	assert_non_null(o);
	assert_int_equal(access(temp, F_OK), -1);
	expect(mine, "mine");
	outfile_free(o);
	unlink(mine);
	assert_int_equal(rmdir(dir), 0);
}

/* Where many files are made at once, the folder is looked through once. */
static void one_look_for_many(void **state)
{
	char dir[64], path[100], other[100], temp[200];
	struct outfile *first, *second;

	(void)state;
	folder(dir);
	snprintf(path, sizeof path, "%s/x", dir);
	snprintf(other, sizeof other, "%s/y", dir);
	first = outfile_begin(path, no, "toy", NULL);
	die_writing(path, false, temp);
	second = outfile_begin(other, no, "toy", NULL);
	assert_int_equal(access(temp, F_OK), 0);
	outfile_free(first);
	outfile_free(second);
	outfile_free(outfile_begin(path, no, "toy", NULL));
	assert_int_equal(access(temp, F_OK), -1);
	assert_int_equal(rmdir(dir), 0);
}

static void equal_by_folder(void **state)
{
	char dir[64], path[100], same[100], other[100];
	struct outfile *a, *b, *c;

	(void)state;
	folder(dir);
	snprintf(path, sizeof path, "%s/x", dir);
	snprintf(same, sizeof same, "%s/.//x", dir);
	snprintf(other, sizeof other, "%s/y", dir);
	a = outfile_begin(path, no, "toy", NULL);
	b = outfile_begin(same, no, "toy", NULL);
	c = outfile_begin(other, no, "toy", NULL);
	assert_int_equal(outfile_compare(a, b), 0);
	assert_true(outfile_compare(a, c) < 0);
	assert_true(outfile_compare(c, b) > 0);
	outfile_free(a);
	outfile_free(b);
	outfile_free(c);
	assert_int_equal(rmdir(dir), 0);
}

/* Process numbers of another machine say nothing here. */
static void left_over_of_another_machine_stays(void **state)
{
	char dir[64], path[100], temp[200], *digit;
	struct outfile *o;

	(void)state;
	folder(dir);
	snprintf(path, sizeof path, "%s/x", dir);
	die_writing(path, false, temp);
	unlink(temp);
	digit = strstr(temp, ".fabscope-") + strlen(".fabscope-");
	*digit = *digit == '0' ? '1' : '0';
	put(temp, "theirs");
	o = outfile_begin(path, no, "toy", NULL);
	assert_non_null(o);
	expect(temp, "theirs");
	outfile_free(o);
	unlink(temp);
	assert_int_equal(rmdir(dir), 0);
}

static void abandoned_is_gone(void **state)
{
	char dir[64], path[100], temp[200];

	(void)state;
	folder(dir);
	snprintf(path, sizeof path, "%s/x", dir);
	die_writing(path, true, temp);
	assert_int_equal(rmdir(dir), 0);
}

/* More than any table of them has room for, and each with a name of its own. */
static void many_at_once(void **state)
{
	enum { MANY = 300 };
	struct outfile *o[MANY];
	char dir[64], path[128];
	struct err err = { 0 };

	(void)state;
	folder(dir);
	for (int i = 0; i < MANY; i++) {
		snprintf(path, sizeof path, "%s/%d", dir, i);
		o[i] = outfile_begin(path, NULL, NULL, &err);
		assert_non_null(o[i]);
	}
	outfile_abandon();
	for (int i = 0; i < MANY; i++) {
		assert_int_not_equal(access(outfile_temp(o[i]), F_OK), 0);
		outfile_free(o[i]);
	}
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commit_renames),
		cmocka_unit_test(replaceable_is_replaced),
		cmocka_unit_test(link_in_its_place_is_not_followed),
		cmocka_unit_test(link_to_a_device_is_followed),
		cmocka_unit_test(names_left_behind_do_not_block),
		cmocka_unit_test(published_has_its_name),
		cmocka_unit_test(folder_that_went_away_is_an_error),
		cmocka_unit_test(left_over_is_removed_by_the_next),
		cmocka_unit_test(one_look_for_many),
		cmocka_unit_test(equal_by_folder),
		cmocka_unit_test(left_over_of_another_machine_stays),
		cmocka_unit_test(abandoned_is_gone),
		cmocka_unit_test(many_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
