/* SPDX-License-Identifier: GPL-2.0-or-later
 * Jobs and phases: from facts to rows. */
#include "store/phase.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

struct writer {
	struct store *s;
	sqlite3_stmt *insert[ROW_KINDS];
	struct row_bound bound[ROW_KINDS];
	struct err *err;
	bool failed;
};

static void write_row(struct writer *w, enum row_kind kind, const void *row)
{
	sqlite3_stmt **q = &w->insert[kind];
	struct row_scratch texts;
	char *sql;

	if (w->failed)
		return;
	if (!*q) {
		sql = row_insert_sql(kind);
		*q = sql ? db_prepare(w->s, sql, "phases", w->err) : NULL;
		if (!sql)
			err_set(w->err, ERR_MEMORY, "out of memory");
		sqlite3_free(sql);
		w->failed = !*q;
		if (w->failed)
			return;
	}
	row_bind(kind, 0, row, *q, &texts, &w->bound[kind]);
	if (sqlite3_step(*q) != SQLITE_DONE) {
		db_error(w->s, w->err, "phases");
		w->failed = true;
	}
	sqlite3_reset(*q);
}

static void on_job(void *ctx, const struct phase_job *row)
{
	write_row(ctx, ROW_JOB, row);
}

static void on_rank(void *ctx, const struct phase_rank *row)
{
	write_row(ctx, ROW_JOB_RANK, row);
}

static void on_phase(void *ctx, const struct phase *row)
{
	write_row(ctx, ROW_PHASE, row);
}

static void on_phase_rank(void *ctx, const struct phase_rank_row *row)
{
	write_row(ctx, ROW_PHASE_RANK, row);
}

static void on_phase_flow(void *ctx, const struct phase_flow_row *row)
{
	write_row(ctx, ROW_PHASE_FLOW, row);
}

static void on_phase_time(void *ctx, const struct phase_time_row *row)
{
	write_row(ctx, ROW_PHASE_TIME, row);
}

static void on_message(void *ctx, const struct phase_message_row *row)
{
	write_row(ctx, ROW_MESSAGE_TIME, row);
}

static struct phase_sink sink_of(struct writer *w)
{
	return (struct phase_sink) {
		.ctx = w,
		.job = on_job,
		.rank = on_rank,
		.phase = on_phase,
		.phase_rank = on_phase_rank,
		.phase_flow = on_phase_flow,
		.phase_time = on_phase_time,
		.message = on_message,
	};
}

static void finish(struct writer *w)
{
	for (int i = 0; i < ROW_KINDS; i++)
		sqlite3_finalize(w->insert[i]);
}

/* ---- one job after the other ---- */

/* The flows of job |number|, and their messages. */
static bool select_job(const struct phase_facts *all, const uint32_t *job,
		       uint32_t number, struct phase_input *in, size_t *at)
{
	struct phase_flow *flows = calloc(all->n_flows + 1, sizeof *flows);
	struct phase_message *m = calloc(all->n_messages + 1, sizeof *m);

	in->flows = flows;
	in->messages = m;
	in->n_flows = in->n_messages = 0;
	if (!flows || !m)
		return false;
	in->uet_job = PHASE_UNKNOWN;
	for (size_t i = 0; i < all->n_flows; i++) {
		if (job[i] != number)
			continue;
		at[i] = in->n_flows;
		flows[in->n_flows++] = all->flows[i];
		in->uet_job = all->uet_jobs[i];
	}
	for (size_t i = 0; i < all->n_messages; i++) {
		if (job[all->messages[i].flow] != number)
			continue;
		m[in->n_messages] = all->messages[i];
		m[in->n_messages++].flow = at[all->messages[i].flow];
	}
	return true;
}

/* Of a fabric full of strangers the largest jobs are told. */
enum { JOBS_MAX = 256 };

static bool every_job(const struct phase_facts *all, const struct phase_sink *s)
{
	uint32_t *job = calloc(all->n_flows + 1, sizeof *job);
	size_t *at = calloc(all->n_flows + 1, sizeof *at);
	int64_t next_phase = 1;
	bool ok = job && at;
	size_t n = ok ? phase_jobs(all->flows, all->n_flows, all->n_hosts,
				   all->uet_jobs, job)
		      : 0;

	for (uint32_t i = 0; ok && i < n && i < JOBS_MAX; i++) {
		struct phase_input in = { .hosts = all->hosts,
					  .n_hosts = all->n_hosts,
					  .first_ns = all->first_ns,
					  .last_ns = all->last_ns,
					  .link_bps = all->link_bps,
					  .job = i + 1,
					  .whole = all->whole };

		ok = select_job(all, job, i, &in, at) &&
		     phase_job(&in, s, &next_phase);
		free(in.flows);
		free(in.messages);
	}
	free(job);
	free(at);
	return ok;
}

int phase_derive(struct store *s, struct err *err)
{
	struct phase_facts all = { 0 };
	struct writer w = { .s = s, .err = err };
	struct phase_sink sink = sink_of(&w);
	int rc = phase_load(s, &all, err);

	if (!rc && all.n_flows && !every_job(&all, &sink) && !w.failed)
		rc = err_set(err, ERR_MEMORY, "out of memory");
	finish(&w);
	phase_unload(&all);
	return w.failed ? -1 : rc;
}
