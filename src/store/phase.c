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

static void on_group(void *ctx, const struct phase_group *row)
{
	write_row(ctx, ROW_JOB_GROUP, row);
}

static void on_share(void *ctx, const struct phase_share_row *row)
{
	write_row(ctx, ROW_PHASE_SHARE, row);
}

static void on_message(void *ctx, const struct phase_message_row *row)
{
	write_row(ctx, ROW_MESSAGE_TIME, row);
}

static void on_window(void *ctx, const struct phase_window_row *row)
{
	write_row(ctx, ROW_COLLECTIVE_TIME, row);
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
		.group = on_group,
		.share = on_share,
		.message = on_message,
		.window = on_window,
	};
}

static void finish(struct writer *w)
{
	for (int i = 0; i < ROW_KINDS; i++)
		sqlite3_finalize(w->insert[i]);
}

/* ---- one job after the other ---- */

struct parts {
	uint32_t *job;   /* by flow: its number */
	size_t *at;      /* by flow: its place in there */
	uint32_t *first; /* by host: the first job it is in */
	struct loads *all;
};

/* What a host recorded is of its first job, which has most bytes. */
static uint32_t *first_jobs(const struct phase_facts *all, const uint32_t *job)
{
	uint32_t *first = malloc((all->n_hosts + 1) * sizeof *first);

	if (!first)
		return NULL;
	memset(first, 0xff, all->n_hosts * sizeof *first);
	for (size_t i = 0; i < all->n_flows; i++) {
		const uint32_t ends[] = { all->flows[i].src,
					  all->flows[i].dst };

		for (int k = 0; k < 2; k++)
			if (job[i] < first[ends[k]])
				first[ends[k]] = job[i];
	}
	return first;
}

/* The flows of job |number|, their messages, and what its hosts recorded. */
static bool select_job(const struct phase_facts *all, const struct parts *p,
		       uint32_t number, struct phase_input *in)
{
	struct phase_flow *flows = calloc(all->n_flows + 1, sizeof *flows);
	struct phase_message *m = calloc(all->n_messages + 1, sizeof *m);
	struct phase_window *w = calloc(all->n_windows + 1, sizeof *w);
	const uint32_t *job = p->job;
	size_t *at = p->at;

	in->flows = flows;
	in->messages = m;
	in->windows = w;
	in->n_flows = in->n_messages = in->n_windows = 0;
	if (!flows || !m || !w)
		return false;
	for (size_t i = 0; i < all->n_windows; i++)
		if (p->first[all->windows[i].host] == number)
			w[in->n_windows++] = all->windows[i];
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

/* Of a fabric full of unrelated flows the largest jobs are reported. */
enum { JOBS_MAX = 256 };

static bool one_job(const struct phase_facts *all, const struct parts *p,
		    uint32_t number, const struct phase_sink *s,
		    int64_t *next_phase)
{
	struct phase_input in = { .hosts = all->hosts,
				  .n_hosts = all->n_hosts,
				  .all = p->all,
				  .host_pauses = all->host_pauses,
				  .n_host_pauses = all->n_host_pauses,
				  .net_pauses = all->net_pauses,
				  .n_net_pauses = all->n_net_pauses,
				  .open_pauses = all->open_pauses,
				  .n_open_pauses = all->n_open_pauses,
				  .first_ns = all->first_ns,
				  .last_ns = all->last_ns,
				  .link_bps = all->link_bps,
				  .job = number + 1,
				  .whole = all->whole };
	bool ok = select_job(all, p, number, &in) &&
		  phase_job(&in, s, next_phase);

	free(in.flows);
	free(in.messages);
	free(in.windows);
	return ok;
}

static bool every_job(const struct phase_facts *all, const struct phase_sink *s)
{
	struct parts p = { .job = calloc(all->n_flows + 1, sizeof *p.job),
			   .at = calloc(all->n_flows + 1, sizeof *p.at) };
	int64_t next_phase = 1;
	bool ok = p.job && p.at;
	size_t n = ok ? phase_jobs(all->flows, all->n_flows, all->n_hosts,
				   all->uet_jobs, p.job)
		      : 0;

	p.first = ok ? first_jobs(all, p.job) : NULL;
	p.all = p.first ? loads_new(all->flows, all->n_flows, all->n_hosts)
			: NULL;
	ok = p.all;
	for (uint32_t i = 0; ok && i < n && i < JOBS_MAX; i++)
		ok = one_job(all, &p, i, s, &next_phase);
	free(p.job);
	free(p.at);
	free(p.first);
	loads_free(p.all);
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
