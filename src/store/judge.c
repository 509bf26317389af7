/* SPDX-License-Identifier: GPL-2.0-or-later
 * Deciding again from the evidence in a database.
 *
 * A copy of the database loses what follows from the verdicts on recoveries;
 * the engine's own code decides anew (flow/recovery/judge.h), and all that is
 * derived is derived again.  Rows that come back get the numbers that the old
 * ones had, in the same order. */
#include "store/judge.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "flow/recovery/decide.h"
#include "flow/recovery/judge.h"
#include "store/store_int.h"

/* Filled by store_derive() alone: dropped whole before. */
static const char *const derived[] = {
	"flow_sum",
	"same_flow",
	"coverage",
	"service",
	"fairness",
	"convergence",
	"interference",
	"observability",
	"phase_ambiguity",
	"kpi",
	"finding",
	"answer",
	"answer_share",
	"incident",
	"incident_flow",
	"same_loss",
	"segment_loss",
	"balance",
	"balance_member",
	"balance_flow",
	"storm_edge",
	"stalled_flow",
	"job",
	"job_rank",
	"job_group",
	"phase",
	"phase_rank",
	"phase_flow",
	"phase_share",
	"message_time",
	"collective_time",
	"queue_depth",
	"congestion_place",
	"port_place",
	"storage_flow",
	"counted",
	"counter_check",
	"qp_error",
	"audit",
};

/* What store_derive() adds to tables that have other rows as well. */
static const char *const added[] = {
	"DELETE FROM link_member WHERE group_id IN"
	" (SELECT id FROM link_group WHERE source IN ('names', 'traffic'))",
	"DELETE FROM link_group WHERE source IN ('names', 'traffic')",
	"DELETE FROM flow_tap"
	" WHERE flow_id NOT IN (SELECT flow_id FROM link_change)",
};

/* Counters of a flow that verdicts change. */
#define COUNTERS(X)            \
	X(lost_upstream)       \
	X(lost_downstream_min) \
	X(lost_downstream_max) \
	X(capture_missing)     \
	X(unresolved)          \
	X(corrupted)           \
	X(reordered)           \
	X(spurious)            \
	X(timeouts)            \
	X(duplicates)          \
	X(ack_lost)            \
	X(recoveries)          \
	X(recovery_ns)

/* As row.c computes it. */
static const char impaired[] =
	"UPDATE flow SET impaired = max(ifnull(lost_upstream, 0),"
	" ifnull(lost_downstream_min, 0), ifnull(lost_downstream_max, 0),"
	" ifnull(corrupted, 0), ifnull(unresolved, 0),"
	" iif(transport IN ('rud', 'rudi'), 0, ifnull(reordered, 0)),"
	" ifnull(retransmitted, 0), ifnull(spurious, 0), ifnull(timeouts, 0),"
	" ifnull(nak_seq, 0), ifnull(nak_fatal, 0), ifnull(rnr_nak, 0),"
	" ifnull(implied_nak, 0), ifnull(duplicates, 0), ifnull(ack_lost, 0),"
	" ifnull(credit_stalls, 0), ifnull(trimmed, 0), ifnull(icrc_bad, 0),"
	" ifnull(recoveries, 0)) > 0"
	" WHERE id IN (SELECT flow_id FROM judge_flow)";

/* A table whose rows come anew: with the numbers of those that went. */
struct renewed {
	sqlite3_stmt *insert;
	struct row_bound bound;
	enum row_kind kind;
	int id; /* parameter */
	int64_t *free;
	size_t n, next;
};

struct judging {
	struct store *s;
	struct err *err;
	struct engine *engine;
	struct renewed event, recovery;
	sqlite3_stmt *flows, *recoveries, *fills, *events, *counters;
	bool failed;
};

static void failed(struct judging *j)
{
	if (!j->failed)
		db_error(j->s, j->err, "database");
	j->failed = true;
}

/* ---- assumptions ---- */

static const char prefix[] = "assumed_";

uint64_t judge_assumed(const char *name)
{
	unsigned n = sizeof prefix - 1;

	for (unsigned k = 0; k < EVIDENCE_COUNT; k++)
		if (!strncmp(evidence_rows[k].name, prefix, n) &&
		    !strcmp(evidence_rows[k].name + n, name))
			return UINT64_C(1) << k;
	return 0;
}

/* ---- what comes out ---- */

static void insert(struct judging *j, struct renewed *r, const void *fact)
{
	struct row_scratch texts;

	if (j->failed)
		return;
	row_bind(r->kind, 0, fact, r->insert, &texts, &r->bound);
	if (r->next < r->n)
		sqlite3_bind_int64(r->insert, r->id, r->free[r->next++]);
	else
		sqlite3_bind_null(r->insert, r->id);
	if (sqlite3_step(r->insert) != SQLITE_DONE)
		failed(j);
	sqlite3_reset(r->insert);
}

static void on_event(void *ctx, const struct fact_event *f)
{
	struct judging *j = ctx;

	insert(j, &j->event, f);
}

static void on_recovery(void *ctx, const struct fact_recovery *f)
{
	struct judging *j = ctx;

	insert(j, &j->recovery, f);
}

/* ---- rows that go ---- */

static sqlite3_stmt *prepare(struct judging *j, const char *sql)
{
	sqlite3_stmt *stmt = NULL;

	if (!j->failed) {
		stmt = db_prepare(j->s, sql, "database", j->err);
		j->failed = !stmt;
	}
	return stmt;
}

static void run(struct judging *j, const char *sql)
{
	if (!j->failed)
		j->failed = db_run(j->s, sql, j->err) != 0;
}

static void keep(struct judging *j, struct renewed *r, int64_t id)
{
	if (!(r->n & (r->n - 1)) && (r->n >= 64 || !r->n)) {
		size_t room = r->n ? 2 * r->n : 64;
		int64_t *more = realloc(r->free, room * sizeof *more);

		if (!more) {
			err_set(j->err, ERR_MEMORY, "out of memory");
			j->failed = true;
			return;
		}
		r->free = more;
	}
	r->free[r->n++] = id;
}

/* "INSERT INTO t(a,...,id) VALUES(?1,...,?n)" */
static void renew(struct judging *j, struct renewed *r, enum row_kind kind,
		  const char *table, const char *of)
{
	char *plain = row_insert_sql(kind);
	char *end = plain ? strstr(plain, ") VALUES(") : NULL;
	char *sql = NULL;
	sqlite3_stmt *stmt;

	r->kind = kind;
	if (end)
		sql = sqlite3_mprintf("%.*s,id%.*s,:id)", (int)(end - plain),
				      plain, (int)strlen(end) - 1, end);
	r->insert = prepare(j, sql ? sql : "");
	sqlite3_free(plain);
	sqlite3_free(sql);
	if (r->insert)
		r->id = sqlite3_bind_parameter_index(r->insert, ":id");
	sql = sqlite3_mprintf("DELETE FROM %s WHERE flow_id IN"
			      " (SELECT flow_id FROM judge_flow) AND %s"
			      " RETURNING id",
			      table, of);
	stmt = prepare(j, sql ? sql : "");
	sqlite3_free(sql);
	while (stmt && !j->failed && sqlite3_step(stmt) == SQLITE_ROW)
		keep(j, r, sqlite3_column_int64(stmt, 0));
	sqlite3_finalize(stmt);
}

static void clear(struct judging *j)
{
	char sql[64];

	renew(j, &j->event, ROW_event, "event", "decided = 1");
	renew(j, &j->recovery, ROW_recovery, "recovery", "true");
	if (j->failed)
		return;
	if (j->event.n)
		sort_int64(j->event.free, j->event.n);
	if (j->recovery.n)
		sort_int64(j->recovery.free, j->recovery.n);
	for (size_t i = 0; i < sizeof derived / sizeof *derived; i++) {
		snprintf(sql, sizeof sql, "DELETE FROM %s", derived[i]);
		run(j, sql);
	}
	for (size_t i = 0; i < sizeof added / sizeof *added; i++)
		run(j, added[i]);
}

/* ---- what goes in ---- */

static sqlite3_stmt *select_rows(struct judging *j, enum row_kind kind,
				 const char *rest)
{
	char *sql = row_select_sql(kind, rest);
	sqlite3_stmt *stmt = prepare(j, sql ? sql : "");

	sqlite3_free(sql);
	return stmt;
}

/* All rows of one flow; |n| of them. */
static void *load(struct judging *j, sqlite3_stmt *stmt, enum row_kind kind,
		  int64_t flow, size_t fact, size_t from, size_t size,
		  uint32_t *n)
{
	unsigned char *list = NULL;
	uint32_t room = 0;
	char row[sizeof(struct fact_judge_recovery) +
		 sizeof(struct fact_judge_fill)];

	*n = 0;
	sqlite3_reset(stmt);
	sqlite3_bind_int64(stmt, 1, flow);
	while (!j->failed && sqlite3_step(stmt) == SQLITE_ROW) {
		if (*n == room) {
			void *more;

			room = room ? 2 * room : 16;
			more = realloc(list, room * size);
			if (!more) {
				err_set(j->err, ERR_MEMORY, "out of memory");
				j->failed = true;
				break;
			}
			list = more;
		}
		memset(row, 0, fact);
		row_read(kind, stmt, row);
		memcpy(list + *n * size, row + from, size);
		++*n;
	}
	return list;
}

static void count_events(struct judging *j, struct judge_case *c)
{
	sqlite3_reset(j->events);
	sqlite3_bind_int64(j->events, 1, c->flow.flow);
	while (sqlite3_step(j->events) == SQLITE_ROW) {
		const char *kind =
			(const char *)sqlite3_column_text(j->events, 0);
		int64_t n = sqlite3_column_int64(j->events, 1);

		for (int i = 0; kind && i < EVENT_KIND_COUNT; i++)
			if (!strcmp(kind, event_kind_names[i]))
				c->events[i] =
					(uint16_t)(n < UINT16_MAX ? n
								  : UINT16_MAX);
	}
}

static void write_counters(struct judging *j, const struct fact_flow *row)
{
	const int64_t v[] = {
#define X(m) row->m,
		COUNTERS(X)
#undef X
	};
	int n = 0;

	for (; n < (int)(sizeof v / sizeof *v); n++)
		if (v[n] == FACT_UNKNOWN)
			sqlite3_bind_null(j->counters, n + 1);
		else
			sqlite3_bind_int64(j->counters, n + 1, v[n]);
	sqlite3_bind_int64(j->counters, n + 1, row->id);
	if (sqlite3_step(j->counters) != SQLITE_DONE)
		failed(j);
	sqlite3_reset(j->counters);
}

/* What comes from a file that anybody may have written: numbers that the
 * engine uses to find its way are checked. */
static bool sound(const struct judge_case *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->ev[i].trigger >= RECOVERY_TRIGGERS)
			return false;
	for (uint32_t i = 0; i < c->n_fills; i++)
		if (c->fill[i].record >= c->n ||
		    (i && c->fill[i].record < c->fill[i - 1].record))
			return false;
	return c->flow.transport >= 0 && c->flow.transport < FLOW_TRANSPORTS;
}

static void judge_one(struct judging *j, int64_t flow, uint32_t tap,
		      bool sprayed)
{
	struct judge_case c = { .n = 0 };
	struct fact_flow row = { .id = (uint32_t)flow,
				 .tap = tap,
				 .spray_suspect = sprayed };

	row_read(ROW_judge_flow, j->flows, &c.flow);
	c.ev = load(j, j->recoveries, ROW_judge_recovery, flow,
		    sizeof(struct fact_judge_recovery),
		    offsetof(struct fact_judge_recovery, ev), sizeof *c.ev,
		    &c.n);
	c.fill = load(j, j->fills, ROW_judge_fill, flow,
		      sizeof(struct fact_judge_fill),
		      offsetof(struct fact_judge_fill, fill), sizeof *c.fill,
		      &c.n_fills);
	count_events(j, &c);
	if (!j->failed && sound(&c)) {
		if (judge_flow(j->engine, &c, &row)) {
			err_set(j->err, ERR_MEMORY, "out of memory");
			j->failed = true;
		} else {
			write_counters(j, &row);
		}
	}
	free(c.ev);
	free(c.fill);
}

static void taps(struct judging *j)
{
	sqlite3_stmt *stmt = prepare(j, "SELECT id - 1, unseen_nacked,"
					" unseen_acked FROM tap");

	while (stmt && sqlite3_step(stmt) == SQLITE_ROW)
		judge_tap(j->engine, (uint32_t)sqlite3_column_int(stmt, 0),
			  (uint64_t)sqlite3_column_int64(stmt, 1),
			  (uint64_t)sqlite3_column_int64(stmt, 2));
	sqlite3_finalize(stmt);
}

static void all(struct judging *j)
{
#define X(m) #m " = ?,"
	static const char counters[] = "UPDATE flow SET " COUNTERS(
		X) " impaired = impaired WHERE id = ?";
#undef X
	sqlite3_stmt *tap =
		prepare(j, "SELECT f.tap_id - 1, f.spray_suspect OR"
			   " (t.overrun AND f.lost_upstream IS NULL)"
			   " FROM flow f JOIN tap t ON t.id = f.tap_id"
			   " WHERE f.id = ?1");

	j->flows = select_rows(j, ROW_judge_flow, "ORDER BY id");
	j->recoveries = select_rows(j, ROW_judge_recovery,
				    "WHERE flow_id = ?1 ORDER BY id");
	j->fills = select_rows(j, ROW_judge_fill,
			       "WHERE flow_id = ?1 ORDER BY id");
	j->events = prepare(j, "SELECT kind, count(*) FROM event"
			       " WHERE flow_id = ?1 GROUP BY kind");
	j->counters = prepare(j, counters);
	while (!j->failed && sqlite3_step(j->flows) == SQLITE_ROW) {
		int64_t flow = sqlite3_column_int64(j->flows, 0);

		sqlite3_reset(tap);
		sqlite3_bind_int64(tap, 1, flow);
		if (sqlite3_step(tap) == SQLITE_ROW)
			judge_one(j, flow,
				  (uint32_t)sqlite3_column_int64(tap, 0),
				  sqlite3_column_int(tap, 1));
	}
	sqlite3_finalize(tap);
}

static void end(struct judging *j)
{
	sqlite3_finalize(j->event.insert);
	sqlite3_finalize(j->recovery.insert);
	sqlite3_finalize(j->flows);
	sqlite3_finalize(j->recoveries);
	sqlite3_finalize(j->fills);
	sqlite3_finalize(j->events);
	sqlite3_finalize(j->counters);
	free(j->event.free);
	free(j->recovery.free);
	engine_free(j->engine);
}

static int decide_all(struct store *s, uint64_t assumed, struct err *err)
{
	struct judging j = { .s = s, .err = err };
	const struct engine_options o = { .judging = true, .assumed = assumed };
	const struct flow_sink sink = { .ctx = &j,
					.event = on_event,
					.recovery = on_recovery };

	j.engine = engine_new(&o, &sink);
	if (!j.engine)
		return err_set(err, ERR_MEMORY, "out of memory");
	taps(&j);
	clear(&j);
	all(&j);
	run(&j, impaired);
	end(&j);
	return j.failed ? -1 : 0;
}

/* ---- the copy ---- */

static int copy(struct store *from, struct store *to, struct err *err)
{
	sqlite3_backup *b =
		sqlite3_backup_init(to->db, "main", from->db, "main");
	int rc;

	if (!b)
		return db_error(to, err, "cannot copy");
	rc = sqlite3_backup_step(b, -1);
	sqlite3_backup_finish(b);
	return rc == SQLITE_DONE ? 0 : db_error(to, err, "cannot copy");
}

/* "in-order,acks" */
static void assumed_names(uint64_t bits, char *out, size_t size)
{
	size_t n = 0;

	for (unsigned k = 0; k < EVIDENCE_COUNT; k++)
		if (bits >> k & 1)
			n += (size_t)snprintf(
				out + n, size - n, "%s%s", n ? "," : "",
				evidence_rows[k].name + sizeof prefix - 1);
}

static int note_assumed(struct store *s, uint64_t bits, struct err *err)
{
	sqlite3_stmt *stmt;
	char names[128];
	int rc;

	if (db_run(s, "DELETE FROM meta WHERE key = 'assumed'", err))
		return -1;
	if (!bits)
		return 0;
	assumed_names(bits, names, sizeof names);
	stmt = db_prepare(s, "INSERT INTO meta VALUES('assumed', ?1)", "meta",
			  err);
	if (!stmt)
		return -1;
	sqlite3_bind_text(stmt, 1, names, -1, SQLITE_STATIC);
	rc = sqlite3_step(stmt) == SQLITE_DONE ? 0 : db_error(s, err, "meta");
	sqlite3_finalize(stmt);
	return rc;
}

/* The bits that note_assumed() wrote. */
static uint64_t assumed_before(struct store *s, struct err *err)
{
	sqlite3_stmt *q = db_prepare(
		s, "SELECT value FROM meta WHERE key = 'assumed'", "meta", err);
	uint64_t bits = 0;

	if (q && sqlite3_step(q) == SQLITE_ROW) {
		const char *at = (const char *)sqlite3_column_text(q, 0);

		while (at && *at) {
			size_t n = strcspn(at, ",");
			char name[64];

			snprintf(name, sizeof name, "%.*s", (int)n, at);
			bits |= judge_assumed(name);
			at += n + (at[n] == ',');
		}
	}
	sqlite3_finalize(q);
	return bits;
}

/* A copy of |path| beside |to|, whose rows may be changed; NULL and |err|. */
static struct store *begin_copy(const char *path, const char *to,
				struct err *err)
{
	struct store *from = store_open(path, err), *s = NULL;

	if (!from)
		return NULL;
	s = store_begin(to, err);
	if (s && (copy(from, s, err) || store_begin_rows(s, false, err))) {
		store_free(s);
		s = NULL;
	}
	store_free(from);
	if (s)
		s->live = db_integer(s, "SELECT count(*) FROM live_epoch", 0);
	return s;
}

int store_judge(const char *path, const char *to, uint64_t assumed,
		struct err *err)
{
	struct store *s = begin_copy(path, to, err);
	int rc = -1;

	if (s && !decide_all(s, assumed, err) && !note_assumed(s, assumed, err))
		rc = store_commit(s, err);
	store_free(s);
	return rc;
}

int store_import(const char *path, const char *to, const struct evidence *e,
		 struct err *err)
{
	struct store *s = begin_copy(path, to, err);
	int rc = -1;

	if (s && !store_evidence(s, e, err) &&
	    !decide_all(s, assumed_before(s, err), err))
		rc = store_commit(s, err);
	store_free(s);
	return rc;
}
