/* SPDX-License-Identifier: GPL-2.0-or-later
 * What no traffic of linear_test.c has much of: four times as much of it takes
 * less than six times as many steps of SQLite's virtual machine.  What compares
 * each with each takes sixteen times as many. */
#include <stdlib.h>

#include <sqlite3.h>

#include "said.h"

static uint64_t steps;

static int count_steps(unsigned event, void *ctx, void *stmt, void *ns)
{
	(void)event;
	(void)ctx;
	(void)ns;
	steps += (uint32_t)sqlite3_stmt_status(stmt, SQLITE_STMTSTATUS_VM_STEP,
					       1);
	return 0;
}

static int trace(sqlite3 *db, char **why, const sqlite3_api_routines *api)
{
	(void)why;
	(void)api;
	return sqlite3_trace_v2(db, SQLITE_TRACE_PROFILE, count_steps, NULL);
}

/* Rows that no fact makes, in a database that is complete. */
static void add_rows(struct lab *l, const char *sql)
{
	sqlite3 *db;

	store_free(l->s);
	assert_int_equal(sqlite3_open(l->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	l->s = store_open(l->path, &l->err);
	assert_non_null(l->s);
}

/* Something of which there is more, the rows it takes beside its facts, and a
 * query about it; NULL: none. */
struct shape {
	void (*write)(struct lab *l, int n);
	const char *sql, *ask;
};

/* |n| of it in a new database: all that is done with them. */
static uint64_t counted(const struct shape *s, int n)
{
	struct lab l;

	lab_begin(&l);
	lab_one_tap(&l);
	steps = 0;
	s->write(&l, n);
	lab_reopen(&l);
	if (s->sql)
		add_rows(&l, s->sql);
	if (s->ask)
		free(lab_ask(&l, s->ask, NULL));
	lab_end(&l);
	return steps;
}

static void linear(struct shape s, int n)
{
	uint64_t once = counted(&s, n), four_times = counted(&s, 4 * n);

	assert_true(once > 100 * (uint64_t)n);
	if (four_times >= 6 * once)
		fail_msg("%llu steps became %llu", (unsigned long long)once,
			 (unsigned long long)four_times);
}

/* Whoever is at a link can send LLDP of any number of ports, each of which says
 * something else, and pauses of some of them. */
static void forge_ports(struct lab *l, int n)
{
	struct fact_lldp f = { .first_ns = T0, .last_ns = T0, .frames = 1 };
	struct fact_pauser p = { .priority = 3,
				 .link_bps = 100000000000,
				 .first_ns = T0,
				 .last_ns = T0 + MS,
				 .pauses = 1,
				 .xoff = 7,
				 .paused_ns = MS,
				 .longest_ns = MS,
				 .role = PORT_SWITCH };

	for (int i = 1; i <= n; i++) {
		f.mac = p.mac = (uint64_t)i;
		f.pfc_enabled = 1 << i % 7;
		l->sink.lldp(l->sink.ctx, &f);
		if (i <= 40)
			l->sink.pauser(l->sink.ctx, &p);
	}
}

static void forged_ports(void **state)
{
	(void)state;
	linear((struct shape) { .write = forge_ports }, 100);
}

/* Of a job; each sends to the next. */
static void send_around(struct lab *l, int n)
{
	struct fact_flow f = good_flow(1, 0, 0, 1);

	for (int i = 0; i < n; i++) {
		const uint8_t from[] = { 10, 1, (uint8_t)(i / 200),
					 (uint8_t)(i % 200) };
		const uint8_t to[] = { 10, 1, (uint8_t)((i + 1) / 200),
				       (uint8_t)((i + 1) % 200) };

		f.id = (uint32_t)i + 1;
		f.src = addr_from_v4(from);
		f.dst = addr_from_v4(to);
		l->sink.flow(l->sink.ctx, &f);
	}
}

static void ranks_of_a_job(void **state)
{
	const struct shape s = {
		.write = send_around,
		.sql = "INSERT INTO job_rank(job, rank, address)"
		       " SELECT 1, id, src FROM flow;"
		       "INSERT INTO message(flow_id, op, first_ns, last_ns,"
		       " bytes, psn_first)"
		       " SELECT id, 'write', first_ns, last_ns, 1, 1 FROM flow",
		.ask = "whatif/sends",
	};

	(void)state;
	linear(s, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forged_ports),
		cmocka_unit_test(ranks_of_a_job),
	};

	sqlite3_auto_extension((void (*)(void))trace);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
