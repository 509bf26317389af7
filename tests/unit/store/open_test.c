/* SPDX-License-Identifier: GPL-2.0-or-later
 * Databases nobody should trust: foreign, hostile, cut, mutated. */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../cases.h"
#include "lab.h"

static struct lab lab;
static char *image; /* a good database */
static size_t image_size;
static struct catalogue *catalogue; /* to read it each time takes minutes */

static void load_image(void)
{
	FILE *f = fopen(lab.path, "rb");
	struct stat st;

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	image_size = (size_t)st.st_size;
	image = malloc(image_size);
	assert_int_equal(fread(image, 1, image_size, f), image_size);
	fclose(f);
}

static int begin(void **state)
{
	struct fact_event e = { .kind = EVENT_LOSS_UPSTREAM, .flow = 1 };
	struct fact_recovery r = { .flow = 1,
				   .cause = CAUSE_LOSS_UPSTREAM,
				   .trigger = TRIGGER_NAK };

	(void)state;
	lab_begin(&lab);
	lab_one_tap(&lab);
	for (uint32_t i = 0; i < 100; i++) {
		struct fact_flow f = good_flow(2 * i + 1, 1, 2, i);

		lab_pair(&lab, &f);
		e.flow = r.flow = 2 * i + 1;
		lab.sink.event(lab.sink.ctx, &e);
		lab.sink.recovery(lab.sink.ctx, &r);
	}
	lab_reopen(&lab);
	store_free(lab.s);
	lab.s = NULL;
	load_image();
	catalogue = catalogue_builtin();
	return catalogue ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	free(image);
	catalogue_free(catalogue);
	lab_end(&lab);
	return 0;
}

static void write_image(const char *data, size_t size)
{
	FILE *f = fopen(lab.path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	fclose(f);
}

/* Changes the good database as its owner could. */
static void spoil(const char *sql)
{
	sqlite3 *db;
	char *message = NULL;

	write_image(image, image_size);
	assert_int_equal(sqlite3_open(lab.path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &message))
		fail_msg("%s", message);
	sqlite3_close(db);
}

static int any_row(void *ctx, const struct query_value *v, size_t n)
{
	(void)ctx;
	for (size_t i = 0; i < n; i++)
		if (v[i].type == VALUE_TEXT)
			assert_int_equal(strlen(v[i].text), v[i].length);
	return 0;
}

/* Opens it if that is possible and asks each query of |every| from the |first|
 * on; nothing may break. */
static void ask(size_t first, size_t every)
{
	static const char *const id[] = { "id=1", NULL };
	const struct query_sink sink = { .row = any_row };
	struct store *s = store_open(lab.path, NULL);

	for (size_t i = first; s && i < catalogue_size(catalogue); i += every) {
		const struct query *q = catalogue_at(catalogue, i);
		const char *const *params = NULL;

		for (size_t p = 0; p < q->n_params; p++)
			if (q->params[p].required)
				params = id;
		store_time_limit(s, 0.2);
		query_run(s, q, params, &sink, NULL);
	}
	store_free(s);
}

static void ask_all(void)
{
	ask(0, 1);
}

static void expect_refusal(const char *path, const char *want)
{
	struct err err = { 0 };
	struct store *s = store_open(path, &err);

	assert_null(s);
	assert_true(!strncmp(err.text, path, strlen(path)));
	assert_string_equal(err.text + strlen(path), want);
}

static void what_is_no_database_is_refused(void **state)
{
	char pipe[200];

	(void)state;
	expect_refusal("/nonexistent.db", ": No such file or directory");
	expect_refusal(lab.folder, ": is not a regular file");
	expect_refusal("/dev/zero", ": is not a regular file");
	write_image("", 0);
	expect_refusal(lab.path, ": is not a fabscope result database");
	write_image("hello, this is text", 19);
	expect_refusal(lab.path, ": is not a fabscope result database");
	write_image(image, 99);
	expect_refusal(lab.path, ": is not a fabscope result database");
	snprintf(pipe, sizeof pipe, "%s/pipe", lab.folder);
	assert_int_equal(mkfifo(pipe, 0666), 0);
	expect_refusal(pipe, ": is not a regular file"); /* and no waiting */
	unlink(pipe);
}

static void other_databases_are_refused(void **state)
{
	(void)state;
	spoil("PRAGMA application_id = 7");
	expect_refusal(lab.path, ": is not a fabscope result database");
	spoil("PRAGMA user_version = 1000");
	expect_refusal(lab.path, ": was written by a newer fabscope (schema "
				 "1000, this one reads 5); run 'fabscope "
				 "analyze' on the capture again");
	spoil("PRAGMA user_version = 3");
	expect_refusal(lab.path, ": was written by an older fabscope (schema "
				 "3, this one reads 5); run 'fabscope "
				 "analyze' on the capture again");
}

/* What runs in place of data is found before anything is asked. */
static void changed_tables_are_refused(void **state)
{
	static const char *const changes[] = {
		"DROP TABLE flow",
		"DROP TABLE flow; CREATE VIEW flow AS WITH RECURSIVE n(i) AS"
		" (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id"
		" FROM n",
		"DROP TABLE flow; CREATE VIRTUAL TABLE flow USING fts5(id)",
		"ALTER TABLE flow ADD COLUMN bomb AS (printf('%*c', 1e9, 'x'))",
		"ALTER TABLE flow RENAME COLUMN src TO source",
		"ALTER TABLE flow DROP COLUMN rnr_retry",
		"DROP TABLE flow; CREATE TABLE flow(id INTEGER PRIMARY KEY)",
	};

	(void)state;
	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		spoil(changes[i]);
		expect_refusal(lab.path, ": its table \"flow\" is not what "
					 "this fabscope writes; run 'fabscope "
					 "analyze' on the capture again");
	}
}

/* A view of theirs may be there; it runs only when somebody asks for it, and
 * then not for ever and not with dangerous functions. */
static void views_are_harmless(void **state)
{
	static const char *const views[] = {
		"CREATE VIEW bomb AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
		" SELECT i + 1 FROM n) SELECT max(i) AS x FROM n",
		"CREATE VIEW bomb AS SELECT load_extension('x') AS x",
		"CREATE VIEW bomb AS SELECT zeroblob(1000000000) AS x",
		"CREATE VIEW bomb AS SELECT a.id + b.id + c.id + d.id AS x FROM"
		" flow a, flow b, flow c, flow d, flow e, flow f"
		" ORDER BY x + e.id + f.id",
	};
	const struct query_sink sink = { .row = any_row };
	struct query *q = query_new("q", NULL, "-- Q?\nSELECT x FROM bomb");

	(void)state;
	for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
		struct store *s;

		spoil(views[i]);
		ask_all();
		s = store_open(lab.path, NULL);
		assert_non_null(s);
		store_time_limit(s, 0.2);
		assert_int_equal(query_run(s, q, NULL, &sink, NULL), -1);
		store_free(s);
	}
	query_free(q);
}

static void triggers_do_not_fire(void **state)
{
	static const char *const writes[] = {
		"-- Q?\nUPDATE flow SET packets = 1",
		"-- Q?\nINSERT INTO v(id) VALUES(1)",
	};
	const struct query_sink sink = { .row = any_row };
	struct store *s;

	(void)state;
	spoil("CREATE TRIGGER t AFTER UPDATE ON flow BEGIN DELETE FROM event;"
	      " END; CREATE VIEW v AS SELECT * FROM flow; CREATE TRIGGER u"
	      " INSTEAD OF INSERT ON v BEGIN DELETE FROM flow; END");
	ask_all();
	/* nor can they be made to: whatever is asked, it stays as it is */
	s = store_open(lab.path, NULL);
	assert_non_null(s);
	for (size_t i = 0; i < 2; i++) {
		struct query *q = query_new("q", NULL, writes[i]);

		assert_int_equal(query_run(s, q, NULL, &sink, NULL), -1);
		query_free(q);
	}
	store_free(s);
}

static void odd_contents_are_survived(void **state)
{
	static const char *const changes[] = {
		("UPDATE flow SET packets = 'many', dst_qp = x'00ff',"
		 " first_ns = -9223372036854775808, last_ns ="
		 " 9223372036854775807, src = ''"),
		"UPDATE finding SET evidence = 'no JSON'",
		"UPDATE finding SET evidence = '{\"frames\": 5, \"query\": 1}'",
		"UPDATE tap SET name = char(27) || '[2J' || char(0) || 'x'",
		"DELETE FROM tap; DELETE FROM capture",
		"UPDATE recovery SET last_ns = 1e308, retransmitted_bytes = -1",
		"DROP INDEX event_by_flow",
		"CREATE INDEX odd ON flow(length(src) + abs(packets))",
	};

	(void)state;
	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		spoil(changes[i]);
		ask_all();
	}
}

static void cut_files_are_survived(void **state)
{
	(void)state;
	for (size_t size = 0; size < image_size; size += 2999) {
		write_image(image, size);
		ask_all();
	}
}

/* xorshift: the same mutations in every run */
static uint32_t random_number(uint32_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 17;
	*s ^= *s << 5;
	return *s;
}

enum { PARTS = 5 };

static void mutated_files_are_survived(void **state)
{
	uint32_t seed = 2463534242;
	char *copy = malloc(image_size);

	(void)state;
	for (int run = 0; run < 150 / cases_each(); run++) {
		uint32_t flips = 1 + random_number(&seed) % 40;

		memcpy(copy, image, image_size);
		while (flips--) {
			/* the schema on the first pages more often */
			uint32_t range =
				run % 2 ? 16384 * 3 : (uint32_t)image_size;

			copy[100 + random_number(&seed) % (range - 100)] =
				(char)random_number(&seed);
		}
		write_image(copy, image_size);
		/* preparing all of them each time takes minutes */
		ask((size_t)run % PARTS, PARTS);
	}
	free(copy);
}

/* A journal that somebody laid beside the file is not played back. */
static void journals_beside_are_not_believed(void **state)
{
	static const char *const suffixes[] = { "-journal", "-wal" };
	char path[200];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		FILE *f;

		write_image(image, image_size);
		snprintf(path, sizeof path, "%s%s", lab.path, suffixes[i]);
		f = fopen(path, "wb");
		fwrite("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7\xff\xff\xff\xff", 1,
		       12, f);
		fwrite(image, 1, 5000, f);
		fclose(f);
		ask_all();
		assert_int_equal(access(path, F_OK), 0);
		unlink(path);
	}
}

static void good_one_is_opened(void **state)
{
	struct store *s;

	(void)state;
	write_image(image, image_size);
	s = store_open(lab.path, NULL);
	assert_non_null(s);
	assert_string_equal(store_path(s), lab.path);
	assert_true(store_origin_ns(s) == T0);
	store_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_one_is_opened),
		cmocka_unit_test(what_is_no_database_is_refused),
		cmocka_unit_test(other_databases_are_refused),
		cmocka_unit_test(changed_tables_are_refused),
		cmocka_unit_test(views_are_harmless),
		cmocka_unit_test(triggers_do_not_fire),
		cmocka_unit_test(odd_contents_are_survived),
		cmocka_unit_test(cut_files_are_survived),
		cmocka_unit_test(mutated_files_are_survived),
		cmocka_unit_test(journals_beside_are_not_believed),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
