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
	write_row(ctx, ROW_job, row);
}

static void on_rank(void *ctx, const struct phase_rank *row)
{
	write_row(ctx, ROW_job_rank, row);
}

static void on_phase(void *ctx, const struct phase *row)
{
	write_row(ctx, ROW_phase, row);
}

static void on_phase_rank(void *ctx, const struct phase_rank_row *row)
{
	write_row(ctx, ROW_phase_rank, row);
}

static void on_phase_flow(void *ctx, const struct phase_flow_row *row)
{
	write_row(ctx, ROW_phase_flow, row);
}

static void on_group(void *ctx, const struct phase_group *row)
{
	write_row(ctx, ROW_job_group, row);
}

static void on_share(void *ctx, const struct phase_share_row *row)
{
	write_row(ctx, ROW_phase_share, row);
}

static void on_message(void *ctx, const struct phase_message_row *row)
{
	write_row(ctx, ROW_message_time, row);
}

static void on_window(void *ctx, const struct phase_window_row *row)
{
	write_row(ctx, ROW_collective_time, row);
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

/* Each job has its flows, and the hosts of these, in a row. */
struct parts {
	uint32_t *job;            /* by flow: its number */
	struct phase_flow *flows; /* job by job, with hosts of the job */
	size_t *at;               /* by flow: its place in there */
	size_t *begin;            /* by job: its first flow */
	uint32_t *first;          /* by host: the first job it is in */
	uint32_t *local;          /* by host: its number in the job at hand */
	uint32_t *number;         /* of the job's hosts: those of all */
	struct phase_host *hosts; /* ... and they themselves */
	struct phase_message *messages;
	struct phase_window *windows;
	struct loads *all;
};

static bool parts_init(struct parts *p, const struct phase_facts *all)
{
	p->job = calloc(all->n_flows + 1, sizeof *p->job);
	p->flows = malloc((all->n_flows + 1) * sizeof *p->flows);
	p->at = malloc((all->n_flows + 1) * sizeof *p->at);
	p->begin = calloc(all->n_flows + 2, sizeof *p->begin);
	p->first = malloc((all->n_hosts + 1) * sizeof *p->first);
	p->local = calloc(all->n_hosts + 1, sizeof *p->local);
	p->number = malloc((all->n_hosts + 1) * sizeof *p->number);
	p->hosts = malloc((all->n_hosts + 1) * sizeof *p->hosts);
	p->messages = malloc((all->n_messages + 1) * sizeof *p->messages);
	p->windows = malloc((all->n_windows + 1) * sizeof *p->windows);
	return p->job && p->flows && p->at && p->begin && p->first &&
	       p->local && p->number && p->hosts && p->messages && p->windows;
}

static void parts_fini(struct parts *p)
{
	free(p->job);
	free(p->flows);
	free(p->at);
	free(p->begin);
	free(p->first);
	free(p->local);
	free(p->number);
	free(p->hosts);
	free(p->messages);
	free(p->windows);
	loads_free(p->all);
}

/* What a host recorded is of its first job, which has most bytes. */
static void first_jobs(const struct phase_facts *all, struct parts *p)
{
	memset(p->first, 0xff, all->n_hosts * sizeof *p->first);
	for (size_t i = 0; i < all->n_flows; i++) {
		const uint32_t ends[] = { all->flows[i].src,
					  all->flows[i].dst };

		for (int k = 0; k < 2; k++)
			if (p->job[i] < p->first[ends[k]])
				p->first[ends[k]] = p->job[i];
	}
}

/* Flows job by job, in the order in which they are. */
static void part_flows(const struct phase_facts *all, struct parts *p, size_t n)
{
	for (size_t i = 0; i < all->n_flows; i++)
		p->begin[p->job[i] + 1]++;
	for (size_t j = 0; j < n; j++)
		p->begin[j + 1] += p->begin[j];
	for (size_t i = 0; i < all->n_flows; i++) {
		size_t *next = &p->begin[p->job[i]];

		p->at[i] = *next;
		p->flows[(*next)++] = all->flows[i];
	}
	/* Each has moved on to where the next one begins. */
	for (size_t j = n; j > 0; j--)
		p->begin[j] = p->begin[j - 1];
	p->begin[0] = 0;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The hosts of these flows get numbers from 0 on, in the order they have; how
 * many there are. */
static size_t part_hosts(const struct phase_facts *all, struct parts *p,
			 struct phase_flow *flows, size_t n)
{
	size_t hosts = 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t ends[] = { flows[i].src, flows[i].dst };

		for (int k = 0; k < 2; k++)
			if (!p->local[ends[k]]) {
				p->local[ends[k]] = 1;
				p->number[hosts++] = ends[k];
			}
	}
	qsort(p->number, hosts, sizeof *p->number, by_number);
	for (size_t h = 0; h < hosts; h++) {
		p->local[p->number[h]] = (uint32_t)h;
		p->hosts[h] = all->hosts[p->number[h]];
	}
	for (size_t i = 0; i < n; i++) {
		flows[i].src = p->local[flows[i].src];
		flows[i].dst = p->local[flows[i].dst];
	}
	return hosts;
}

/* The flows of job |number|, their messages, and what its hosts recorded. */
static void select_job(const struct phase_facts *all, struct parts *p,
		       uint32_t number, struct phase_input *in)
{
	in->flows = p->flows + p->begin[number];
	in->n_flows = p->begin[number + 1] - p->begin[number];
	in->hosts = p->hosts;
	in->n_hosts = part_hosts(all, p, in->flows, in->n_flows);
	in->in_all = p->number;
	in->windows = p->windows;
	for (size_t i = 0; i < all->n_windows; i++) {
		const struct phase_window *w = &all->windows[i];

		if (p->first[w->host] != number)
			continue;
		p->windows[in->n_windows] = *w;
		p->windows[in->n_windows++].host = p->local[w->host];
	}
	in->messages = p->messages;
	for (size_t i = 0; i < all->n_messages; i++) {
		const struct phase_message *m = &all->messages[i];

		if (p->job[m->flow] != number)
			continue;
		p->messages[in->n_messages] = *m;
		p->messages[in->n_messages++].flow =
			p->at[m->flow] - p->begin[number];
	}
	for (size_t h = 0; h < in->n_hosts; h++)
		p->local[p->number[h]] = 0;
}

/* Of a fabric full of unrelated flows the largest jobs are reported. */
enum { JOBS_MAX = 256 };

static bool one_job(const struct phase_facts *all, struct parts *p,
		    uint32_t number, int64_t uet_job,
		    const struct phase_sink *s, int64_t *next_phase)
{
	struct phase_input in = { .all = p->all,
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
				  .uet_job = uet_job,
				  .whole = all->whole };

	select_job(all, p, number, &in);
	return phase_job(&in, s, next_phase);
}

static bool every_job(const struct phase_facts *all, const struct phase_sink *s)
{
	struct parts p = { 0 };
	int64_t uet_job[JOBS_MAX], next_phase = 1;
	bool ok = parts_init(&p, all);
	size_t n = ok ? phase_jobs(all->flows, all->n_flows, all->hosts,
				   all->n_hosts, all->uet_jobs, p.job)
		      : 0;

	if (n) {
		first_jobs(all, &p);
		part_flows(all, &p, n);
		/* With one job nobody else loads its links. */
		p.all = n > 1 ? loads_new(all->flows, all->n_flows,
					  all->n_hosts)
			      : NULL;
	}
	ok = n == 1 || p.all;
	for (size_t i = 0; ok && i < all->n_flows; i++)
		if (p.job[i] < JOBS_MAX)
			uet_job[p.job[i]] = all->uet_jobs[i];
	for (uint32_t i = 0; ok && i < n && i < JOBS_MAX; i++)
		ok = one_job(all, &p, i, uet_job[i], s, &next_phase);
	parts_fini(&p);
	return ok;
}

int phase_derive(struct store *s, struct err *err)
{
	struct phase_facts all = { 0 };
	struct writer w = { .s = s, .err = err };
	struct phase_sink sink = sink_of(&w);
	int rc = phase_load(s, &all, err);

	if (!rc && all.n_flows)
		rc = phase_pauses(s, &all, err);
	if (!rc && all.n_flows && !every_job(&all, &sink) && !w.failed)
		rc = err_set(err, ERR_MEMORY, "out of memory");
	finish(&w);
	phase_unload(&all);
	return w.failed ? -1 : rc;
}
