/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where queries come from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab.h"

static char root[64];

static void put(const char *name, const char *text)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", root, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void folder(const char *name)
{
	char path[300];

	snprintf(path, sizeof path, "%s/%s", root, name);
	assert_int_equal(mkdir(path, 0777), 0);
}

/* root/one and root/two in FABSCOPE_QUERIES, root/home as data home. */
static int begin(void **state)
{
	char list[300];

	(void)state;
	snprintf(root, sizeof root, "%s/fabscope-XXXXXX", P_tmpdir);
	assert_non_null(mkdtemp(root));
	folder("one");
	folder("one/findings");
	folder("two");
	folder("home");
	folder("home/fabscope");
	folder("home/fabscope/queries");
	snprintf(list, sizeof list, "%s/one:%s/two:%s/absent", root, root,
		 root);
	setenv("FABSCOPE_QUERIES", list, 1);
	snprintf(list, sizeof list, "%s/home", root);
	setenv("XDG_DATA_HOME", list, 1);
	return 0;
}

static int end(void **state)
{
	char command[200];

	(void)state;
	snprintf(command, sizeof command, "rm -r '%s'", root);
	return system(command);
}

static const char *question(const struct catalogue *c, const char *name)
{
	const struct query *q = catalogue_find(c, name);

	return q ? q->question : "none";
}

static void nearer_folders_win(void **state)
{
	struct catalogue *c;

	(void)state;
	put("home/fabscope/queries/mine.sql", "-- home?\n");
	put("home/fabscope/queries/losses.sql", "-- my losses?\n");
	put("two/mine.sql", "-- two?\n");
	put("two/other.sql", "-- other?\n");
	put("one/mine.sql", "-- one?\n");
	put("one/findings/rule.sql", "-- rule?\n");
	c = catalogue_new();
	assert_string_equal(question(c, "mine"), "one?");
	assert_string_equal(question(c, "other"), "other?");
	assert_string_equal(question(c, "losses"), "my losses?");
	assert_string_equal(question(c, "findings/rule"), "rule?");
	assert_non_null(catalogue_find(c, "losses")->origin);
	assert_null(catalogue_find(c, "flows")->origin);
	assert_string_equal(question(c, "absent"), "none");
	catalogue_free(c);
	c = catalogue_builtin();
	assert_string_equal(question(c, "mine"), "none");
	catalogue_free(c);
}

static void names_are_sorted(void **state)
{
	struct catalogue *c = catalogue_new();

	(void)state;
	for (size_t i = 1; i < catalogue_size(c); i++)
		assert_true(strcmp(catalogue_at(c, i - 1)->name,
				   catalogue_at(c, i)->name) < 0);
	assert_null(catalogue_at(c, catalogue_size(c)));
	catalogue_free(c);
}

/* What cannot be read is told, and does not hide the rest. */
static void unreadable_things_are_entries(void **state)
{
	char path[300];
	struct catalogue *c;
	const struct query *q;

	(void)state;
	put("one/good.sql", "-- good?\n");
	put("one/notes.txt", "no query");
	put("one/.hidden.sql", "-- hidden?\n");
	folder("one/folder.sql");
	snprintf(path, sizeof path, "%s/one/pipe.sql", root);
	assert_int_equal(mkfifo(path, 0666), 0);
	snprintf(path, sizeof path, "%s/one/loop.sql", root);
	assert_int_equal(symlink("loop.sql", path), 0);
	snprintf(path, sizeof path, "%s/one/huge.sql", root);
	put("one/huge.sql", "-- huge?\n");
	assert_int_equal(truncate(path, 1l << 32), 0);
	c = catalogue_new();
	assert_null(catalogue_find(c, "good")->broken);
	assert_null(catalogue_find(c, "notes"));
	assert_null(catalogue_find(c, ".hidden"));
	q = catalogue_find(c, "folder");
	assert_non_null(strstr(q->broken, "one/folder.sql: "));
	assert_non_null(catalogue_find(c, "pipe")->broken);
	assert_non_null(catalogue_find(c, "loop")->broken);
	assert_non_null(
		strstr(catalogue_find(c, "huge")->broken, "File too large"));
	catalogue_free(c);
}

/* What is used may use others, once more; circles and towers are refused. */
static void queries_use_queries(void **state)
{
	struct catalogue *c;

	(void)state;
	put("one/a.sql", "-- a?\nSELECT 1 AS n");
	put("one/b.sql", "-- b?\n-- uses a\nSELECT n + 1 AS n FROM a");
	put("one/c.sql", "-- c?\n-- uses b\n-- uses a\nSELECT n FROM b, a");
	put("one/d.sql", "-- d?\n-- uses c\nSELECT n FROM c");
	put("one/h.sql", "-- h?\n-- uses d\nSELECT n FROM d");
	put("one/e.sql", "-- e?\n-- uses f\nSELECT n FROM f");
	put("one/f.sql", "-- f?\n-- uses e\nSELECT n FROM e");
	put("one/g.sql", "-- g?\n-- uses gone\nSELECT n FROM gone");
	c = catalogue_new();
	assert_null(catalogue_find(c, "b")->broken);
	assert_null(catalogue_find(c, "c")->broken);
	assert_non_null(
		strstr(catalogue_find(c, "c")->sql, "b AS (\nWITH a AS"));
	assert_null(catalogue_find(c, "d")->broken);
	assert_non_null(strstr(catalogue_find(c, "h")->broken, "too many"));
	assert_non_null(strstr(catalogue_find(c, "e")->broken, "too many"));
	assert_non_null(strstr(catalogue_find(c, "f")->broken, "too many"));
	assert_non_null(strstr(catalogue_find(c, "g")->broken, "not exist"));
	catalogue_free(c);
}

/* Two columns of a table that a person could not distinguish. */
static void heads_of_a_query_differ(void **state)
{
	struct catalogue *c = catalogue_builtin();
	char a[FORMAT_CELL], b[FORMAT_CELL];

	(void)state;
	for (size_t q = 0; q < catalogue_size(c); q++) {
		const struct query *one = catalogue_at(c, q);

		if (strchr(one->name, '/')) /* a view draws it, as it likes */
			continue;
		for (size_t i = 0; i < one->n_columns * one->n_columns; i++) {
			size_t k = i / one->n_columns, n = i % one->n_columns;

			format_head(one->columns[k].name, a);
			format_head(one->columns[n].name, b);
			if (k < n && !strcmp(a, b))
				fail_msg("%s: two columns are \"%s\"",
					 one->name, a);
		}
	}
	catalogue_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads_of_a_query_differ),
		cmocka_unit_test_setup_teardown(nearer_folders_win, begin, end),
		cmocka_unit_test_setup_teardown(names_are_sorted, begin, end),
		cmocka_unit_test_setup_teardown(queries_use_queries, begin,
						end),
		cmocka_unit_test_setup_teardown(unreadable_things_are_entries,
						begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
