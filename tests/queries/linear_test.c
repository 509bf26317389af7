/* SPDX-License-Identifier: GPL-2.0-or-later
 * Nothing that is asked of a database is quadratic: with ten times as many
 * flows, capture points, losses and marks in the same time, no statement of the
 * derivation, no finding, no shipped query and no comparison of two databases
 * takes more than twelve times as many steps; or, where chance made more of
 * something, 1.2 times as many more as the table that grew most has rows.
 *
 * Counted are steps of SQLite's virtual machine, not seconds: whatever else the
 * machine does, they are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "capture/capture.h"
#include "joblog/joblog.h"
#include "run/run.h"
#include "simulate/simulate.h"
#include "store/query.h"
#include "store/store.h"

enum {
	PAIRS = 240,
	PACKETS = 96, /* of a pair */
	TIMES = 10,
	/* A statement that takes fewer a row is looked at as if it took so
	 * many: what it asks for need not be there at all in few rows. */
	STEPS_A_ROW = 16,
	STATEMENTS = 4096,
	FEW = 20, /* rows that are no measure of growth */
	RECORDS = 40,
	OPERATIONS = 100, /* of a record */
};

/* --- counting --- */

struct statement {
	char *sql;
	uint64_t steps[2]; /* in the small one, in the large one */
};

static struct statement statements[STATEMENTS];
static size_t n_statements;
static int large; /* which of the two is counted */

static const char *const tables[] = { "flow", "event",   "recovery", "bin",
				      "cnp",  "message", "tap" };
enum { TABLES = sizeof tables / sizeof tables[0] };
static double rows[2][TABLES];

static int count_steps(unsigned event, void *ctx, void *stmt, void *ns)
{
	const char *sql = sqlite3_sql(stmt);
	int steps = sqlite3_stmt_status(stmt, SQLITE_STMTSTATUS_VM_STEP, 1);
	size_t i = 0;

	(void)event;
	(void)ctx;
	(void)ns;
	if (!sql)
		return 0;
	while (i < n_statements && strcmp(statements[i].sql, sql) != 0)
		i++;
	assert_true(i < STATEMENTS);
	if (i == n_statements)
		statements[n_statements++].sql = strdup(sql);
	statements[i].steps[large] += (uint32_t)steps;
	return 0;
}

static int trace(sqlite3 *db, char **why, const sqlite3_api_routines *api)
{
	(void)why;
	(void)api;
	return sqlite3_trace_v2(db, SQLITE_TRACE_PROFILE, count_steps, NULL);
}

static void forget_steps(void)
{
	while (n_statements)
		free(statements[--n_statements].sql);
	memset(statements, 0, sizeof statements);
}

static void nothing_grew_faster(const char *traffic)
{
	size_t worse = 0, big = 0;
	double growth = TIMES, all = 0;

	for (size_t i = 0; i < TABLES; i++) {
		all += rows[0][i];
		if (rows[0][i] >= FEW && rows[1][i] / rows[0][i] > growth)
			growth = rows[1][i] / rows[0][i];
	}
	for (size_t i = 0; i < n_statements; i++) {
		const struct statement *s = &statements[i];
		double before = (double)s->steps[0];

		big += (double)s->steps[0] > STEPS_A_ROW * all;
		if (before < STEPS_A_ROW * all)
			before = STEPS_A_ROW * all;
		if ((double)s->steps[1] <= 1.2 * growth * before)
			continue;
		worse++;
		print_error("%s, %.1f times the rows: %llu steps became %llu:"
			    "\n%.400s\n",
			    traffic, growth, (unsigned long long)s->steps[0],
			    (unsigned long long)s->steps[1], s->sql);
	}
	assert_int_equal(worse, 0);
	assert_true(big > 10);
}

/* --- records of jobs --- */

static struct joblog *records; /* NULL: none are read */

/* Of one host, each of a communicator of its own. */
static void write_records(uint32_t n)
{
	joblog_free(records);
	records = joblog_new();
	assert_non_null(records);
	records->streams = calloc(n, sizeof *records->streams);
	records->ops = calloc((size_t)n * OPERATIONS, sizeof *records->ops);
	assert_true(records->streams && records->ops);
	records->n_streams = n;
	records->n_ops = (size_t)n * OPERATIONS;
	for (uint32_t i = 0; i < n; i++) {
		struct joblog_stream *r = &records->streams[i];

		*r = (struct joblog_stream) { .path = strdup("record"),
					      .format = "flight-recorder",
					      .address = "10.0.0.1",
					      .rank = 0,
					      .ranks = 2,
					      .ops = OPERATIONS };
		snprintf(r->communicator, sizeof r->communicator, "c%u", i);
	}
	for (size_t i = 0; i < records->n_ops; i++)
		records->ops[i] =
			(struct joblog_op) { .stream = (uint32_t)(i % n),
					     .op = "AllReduce",
					     .seq = (int64_t)i,
					     .bytes = 4096,
					     .begin_ns = (int64_t)i * 1000,
					     .end_ns = (int64_t)i * 1000 + 500,
					     .exec_ns = 500,
					     .busbw_bps = JOBLOG_UNKNOWN };
}

/* --- databases --- */

static struct store *analyze(const struct bench_job *job, const char *database)
{
	struct capture_input input = { .path = job->out };
	struct run_options options = { .inputs = &input,
				       .n_inputs = 1,
				       .job_log = records,
				       .database = database };
	struct store *s = NULL;
	struct err err = { 0 };

	if (bench_run(job, &err) || run_analyze(&options, &s, &err) < 0)
		fail_msg("%s", err.text);
	unlink(job->out);
	return s;
}

static int no_head(void *ctx, const struct query_column *columns, size_t n)
{
	(void)ctx;
	(void)columns;
	(void)n;
	return 0;
}

static int no_row(void *ctx, const struct query_value *values, size_t n)
{
	(void)ctx;
	(void)values;
	(void)n;
	return 0;
}

/* With what it cannot do without. */
static void ask(struct store *s, const struct query *q)
{
	static const struct query_sink nowhere = { NULL, no_head, no_row };
	char text[8][64];
	const char *params[9] = { 0 };
	struct err err = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < q->n_params; i++) {
		if (!q->params[i].required)
			continue;
		assert_true(n < 8);
		snprintf(text[n], sizeof text[n], "%s=1", q->params[i].name);
		params[n] = text[n];
		n++;
	}
	if (query_run(s, q, params, &nowhere, &err))
		fail_msg("%s", err.text);
}

static void count_rows(const char *database)
{
	sqlite3 *db;
	sqlite3_stmt *stmt;
	char sql[64];

	assert_int_equal(sqlite3_open(database, &db), SQLITE_OK);
	for (size_t i = 0; i < TABLES; i++) {
		snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", tables[i]);
		assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL),
				 SQLITE_OK);
		assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
		rows[large][i] = sqlite3_column_double(stmt, 0);
		sqlite3_finalize(stmt);
	}
	sqlite3_close(db);
}

/* Answers to a person; what derives was counted while it did. */
static const char *const of_one[] = { "",        "report",  "tui",
				      "verdict", "metrics", NULL };
static const char *const of_two[] = { "diff", NULL };

static void ask_all(struct store *s, const char *const *folders)
{
	struct catalogue *c = catalogue_builtin();

	assert_non_null(c);
	for (size_t i = 0; i < catalogue_size(c); i++)
		for (size_t k = 0; folders[k]; k++)
			if (query_in(catalogue_at(c, i), folders[k]))
				ask(s, catalogue_at(c, i));
	catalogue_free(c);
}

static void count(struct bench_job job, int times)
{
	static const char capture[] = "linear_test.capture";
	static const char *const databases[] = { "linear_test.a.db",
						 "linear_test.b.db" };
	struct err err = { 0 };
	struct store *s[2], *both;

	large = times > 1;
	job.out = capture;
	job.pairs = PAIRS * (uint32_t)times;
	job.packets = (uint64_t)job.pairs * PACKETS;
	job.taps *= job.pcapng ? (uint32_t)times : 1;
	job.links = (uint32_t)(8 * times);
	if (records)
		write_records(RECORDS * (uint32_t)times);
	for (int i = 0; i < 2; i++) {
		job.seed = (uint64_t)i + 1;
		s[i] = analyze(&job, databases[i]);
	}
	count_rows(databases[0]);
	ask_all(s[0], of_one);
	both = store_compare(s[0], s[1], &err);
	if (!both)
		fail_msg("%s", err.text);
	ask_all(both, of_two);
	store_free(both);
	for (int i = 0; i < 2; i++) {
		store_free(s[i]);
		unlink(databases[i]);
	}
}

/* --- traffic --- */

static void grows(const char *traffic, struct bench_job job)
{
	job.snaplen = 128;
	forget_steps();
	count(job, 1);
	count(job, TIMES);
	nothing_grew_faster(traffic);
}

static void one_capture_point(void **state)
{
	(void)state;
	grows("one capture point", (struct bench_job) { .per_host = 4,
							.taps = 1,
							.loss = 0.01,
							.mark = 0.02,
							.reorder = 0.002,
							.pause = 0.002 });
}

static void many_to_one(void **state)
{
	(void)state;
	grows("all to one host", (struct bench_job) { .per_host = 1 << 20,
						      .taps = 1,
						      .loss = 0.01,
						      .mark = 0.05 });
}

static void as_many_capture_points(void **state)
{
	(void)state;
	grows("capture points", (struct bench_job) { .per_host = 4,
						     .taps = 12,
						     .pcapng = true,
						     .loss = 0.01,
						     .mark = 0.02,
						     .reorder = 0.002,
						     .pause = 0.002 });
}

/* Mirrors that copy one packet in six: some are seen to do so, some are not. */
static void sampled_capture_points(void **state)
{
	(void)state;
	grows("sampled", (struct bench_job) { .per_host = 1,
					      .taps = 120,
					      .pcapng = true,
					      .missed = 5.0 / 6,
					      .mark = 0.02 });
}

static void ultra_ethernet(void **state)
{
	(void)state;
	grows("Ultra Ethernet", (struct bench_job) { .per_host = 4,
						     .taps = 1,
						     .uet = true,
						     .loss = 0.01,
						     .mark = 0.02,
						     .reorder = 0.002 });
}

static void records_of_jobs(void **state)
{
	(void)state;
	write_records(1);
	grows("records of jobs", (struct bench_job) { .per_host = 4,
						      .taps = 1,
						      .loss = 0.01,
						      .mark = 0.02,
						      .reorder = 0.002,
						      .pause = 0.002 });
	joblog_free(records);
	records = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_capture_point),
		cmocka_unit_test(many_to_one),
		cmocka_unit_test(as_many_capture_points),
		cmocka_unit_test(ultra_ethernet),
		cmocka_unit_test(sampled_capture_points),
		cmocka_unit_test(records_of_jobs),
	};
	int failed;

	sqlite3_auto_extension((void (*)(void))trace);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	forget_steps();
	return failed;
}
