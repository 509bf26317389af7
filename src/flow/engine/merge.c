/* SPDX-License-Identifier: GPL-2.0-or-later
 * Engines that followed the pairs of hosts of one capture, made one that is as
 * if it had followed them all: docs/scale.md.
 *
 * Flows are numbered by the packets that they began with, so they get the
 * numbers that one engine would have given them; sums are added up; and what
 * decides by more than one pair while packets are read has said so, and then
 * nothing is merged. */
#include "flow/core/shard.h"

#include <stdlib.h>

#include "base/mem.h"
#include "flow/core/bins.h"
#include "flow/core/burst.h"
#include "flow/core/engine.h"
#include "flow/core/flow.h"
#include "flow/link/pause.h"
#include "flow/recovery/evidence.h"
#include "flow/roce/roce.h"

bool engine_alone(const struct engine *e)
{
	return !e->shard || e->shard->alone;
}

const uint64_t *engine_order(const struct engine *e)
{
	return &e->order;
}

/* ---- may they be merged? ---- */

/* Where a limit is for all and decides at once, it was not reached. */
static bool within_limits(struct engine *const *part, size_t n)
{
	uint64_t flows = 0, pending = 0, unpaired = 0, endings = 0, bins = 0;

	for (size_t k = 0; k < n; k++) {
		const struct engine *e = part[k];

		flows += e->n_flows;
		pending += e->n_pending;
		unpaired += e->unpaired_messages;
		endings += e->ending_rows;
		bins += e->bin_rows;
		if (e->capped_pending || e->capped_flows || e->capped_judge ||
		    e->capped_bins || e->capped_endings)
			return false;
	}
	return flows <= part[0]->o.max_flows && pending <= EVIDENCE_TOTAL &&
	       unpaired <= UNPAIRED_ALL && bins <= BIN_ROWS_MAX &&
	       endings <= part[0]->o.events_total;
}

static bool can_merge(const struct engine *e)
{
	return !engine_alone(e) && !e->n_ended && !e->orphan_events &&
	       !e->recent.full && !e->unpaired.full && !e->n_congested &&
	       !e->n_linked && !e->multitap && !e->multitap_failed && !e->nps &&
	       !e->evs && !e->paths && !e->blind && !e->cm_rows &&
	       !e->judge_rows && e->stall_after == STALL_NEVER;
}

/* ---- numbers ---- */

/* Numbers of |n| engines, in order of the packets that they stand for; the
 * next one is of |at|, or n: there is none. */
struct queue {
	const uint64_t *born[SHARDS_MOST];
	uint32_t next[SHARDS_MOST], end[SHARDS_MOST];
	size_t n;
};

static size_t next_of(const struct queue *q)
{
	size_t best = q->n;

	for (size_t k = 0; k < q->n; k++)
		if (q->next[k] < q->end[k] &&
		    (best == q->n ||
		     q->born[k][q->next[k]] < q->born[best][q->next[best]]))
			best = k;
	return best;
}

static void number_ids(struct engine *const *part, size_t n,
		       struct table_move *m)
{
	struct queue q = { .n = n };
	uint32_t id = part[0]->o.first_id;
	size_t k;

	for (k = 0; k < n; k++) {
		q.born[k] = part[k]->shard->id_born;
		q.end[k] = part[k]->next_id - part[k]->o.first_id;
	}
	while ((k = next_of(&q)) < n)
		m[k].id[part[k]->o.first_id + ++q.next[k]] = ++id;
}

static void number_flows(struct engine *const *part, size_t n,
			 struct table_move *m)
{
	struct queue q = { .n = n };
	uint32_t index = 0;
	size_t k;

	for (k = 0; k < n; k++) {
		q.born[k] = part[k]->shard->flow_born;
		q.end[k] = part[k]->n_flows;
	}
	while ((k = next_of(&q)) < n) {
		m->part[index] = (uint8_t)k;
		m[k].index[q.next[k]++] = index++;
	}
	m->n_flows = index;
}

static bool number(struct engine *const *part, size_t n, struct table_move *m)
{
	uint32_t flows = 0, routes = 0;

	for (size_t k = 0; k < n; k++) {
		m[k].id = mem_calloc((size_t)part[k]->next_id + 1,
				     sizeof *m[k].id);
		m[k].index = mem_calloc((size_t)part[k]->n_flows + 1,
					sizeof *m[k].index);
		if (!m[k].id || !m[k].index)
			return false;
		m[k].routes = routes;
		routes += part[k]->n_routes;
		flows += part[k]->n_flows;
	}
	m->part = mem_calloc((size_t)flows + 1, sizeof *m->part);
	if (!m->part)
		return false;
	number_ids(part, n, m);
	number_flows(part, n, m);
	return true;
}

/* ---- the last packets ---- */

/* The keys of |p|: of a flow, or of a pair of addresses. */
static struct recent_packet moved(const struct recent_packet *p,
				  const struct table_move *m)
{
	struct recent_packet out = *p;
	bool of_flow = p->key >> 31;

	out.flow = m->index[p->flow];
	out.key = of_flow ? recent_of_flow(out.flow, p->key & 1).v
			  : recent_of_route(p->key + 2 * m->routes).v;
	return out;
}

static const struct recent *recent_of(const struct engine *e, bool unpaired)
{
	return unpaired ? &e->unpaired : &e->recent;
}

/* The oldest packet of |r| from |*at| on that can still be found; NULL: none.
 */
static const struct recent_packet *oldest(const struct recent *r, uint32_t *at,
					  uint64_t now)
{
	for (; *at != r->seq; ++*at) {
		const struct recent_packet *p = &r->ring[*at % RECENT_SIZE];

		if (p->order && now - p->order < RECENT_FRAMES)
			return p;
	}
	return NULL;
}

static void merge_recent(struct engine *e, struct engine *const *part,
			 const struct table_move *m, size_t n, bool unpaired)
{
	struct recent *to = unpaired ? &e->unpaired : &e->recent;
	const struct recent_packet *p, *best;
	uint32_t at[SHARDS_MOST] = { 0 };
	struct recent_packet again;
	size_t of = 0;

	for (size_t k = 0; k < n; k++)
		at[k] = recent_of(part[k], unpaired)->seq - RECENT_SIZE;
	do {
		best = NULL;
		for (size_t k = 0; k < n; k++) {
			p = oldest(recent_of(part[k], unpaired), &at[k],
				   e->order);
			if (p && (!best || p->order < best->order)) {
				best = p;
				of = k;
			}
		}
		if (!best)
			continue;
		again = moved(best, &m[of]);
		recent_again(to, &again);
		at[of]++;
	} while (best);
}

/* ---- sums ---- */

static void add_counts(struct engine *e, const struct engine *from)
{
	if (from->begun && (!e->begun || from->first_order < e->first_order)) {
		e->first_ns = from->first_ns;
		e->first_order = from->first_order;
	}
	e->begun |= from->begun;
	if (from->order >= e->order) {
		e->order = from->order;
		e->now = from->now;
	}
	e->capped_events += from->capped_events;
	e->capped_recoveries += from->capped_recoveries;
	e->capped_messages += from->capped_messages;
	e->unpaired_messages += from->unpaired_messages;
	e->n_series += from->n_series;
	e->n_reconnect += from->n_reconnect;
	e->n_pending += from->n_pending;
	e->bin_rows += from->bin_rows;
	e->judge_rows += from->judge_rows;
	e->next_id += from->next_id - from->o.first_id;
}

static bool merge(struct engine *e, struct engine *const *part, size_t n,
		  const struct table_move *m)
{
	bool good = true;

	for (size_t k = 0; k < n; k++)
		add_counts(e, part[k]);
	merge_recent(e, part, m, n, false);
	merge_recent(e, part, m, n, true);
	for (size_t k = 0; good && k < n; k++)
		good = tap_merge(e, part[k]) && latency_merge(e, part[k]) &&
		       burst_merge(e, part[k], m[k].id);
	return good && table_merge(e, part, m, n) && burst_merged(e);
}

/* ---- all of it ---- */

struct engine_merged {
	struct engine *e;
	struct table_move move[SHARDS_MOST];
	size_t n;
	uint8_t *rows, *slow; /* messages of each flow, by id */
};

static void free_merged(struct engine_merged *m)
{
	for (size_t k = 0; k < m->n; k++) {
		free(m->move[k].id);
		free(m->move[k].index);
	}
	free(m->move->part);
	free(m->rows);
	free(m->slow);
	free(m);
}

static bool all_can(struct engine *const *part, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (!can_merge(part[k]))
			return false;
	return n <= SHARDS_MOST && within_limits(part, n);
}

struct engine_merged *engine_merge(struct engine *const *part, size_t n,
				   const struct flow_sink *sink)
{
	struct engine_options o = part[0]->o;
	struct engine_merged *m = NULL;

	o.shards = 0;
	if (!all_can(part, n) || !(m = mem_calloc(1, sizeof *m)))
		return NULL;
	m->n = n;
	m->e = engine_new(&o, sink);
	if (m->e && number(part, n, m->move) && merge(m->e, part, n, m->move)) {
		m->rows = mem_calloc((size_t)m->e->next_id + 1, 1);
		m->slow = mem_calloc((size_t)m->e->next_id + 1, 1);
	}
	if (m->rows && m->slow)
		return m;
	engine_free(m->e);
	free_merged(m);
	return NULL;
}

uint32_t engine_merged_id(const struct engine_merged *m, size_t part,
			  uint32_t id)
{
	return m->move[part].id[id];
}

struct engine *engine_merged_end(struct engine_merged *m)
{
	struct engine *e = m->e;

	for (uint32_t i = 0; i < e->n_flows; i++) {
		struct flow *f = flow_at(e, i);

		f->msg_rows = m->rows[f->id];
		f->slow_rows = m->slow[f->id];
	}
	free_merged(m);
	return e;
}

/* ---- what they handed out ---- */

static void on_event(void *ctx, const struct fact_event *f)
{
	struct engine *e = ((struct engine_merged *)ctx)->e;

	if (e->events >= e->o.events_total) {
		e->capped_events++;
		return;
	}
	e->events++;
	if (e->sink.event)
		e->sink.event(e->sink.ctx, f);
}

static void on_recovery(void *ctx, const struct fact_recovery *f)
{
	struct engine *e = ((struct engine_merged *)ctx)->e;

	if (e->recoveries >= e->o.events_total) {
		e->capped_recoveries++;
		return;
	}
	e->recoveries++;
	if (e->sink.recovery)
		e->sink.recovery(e->sink.ctx, f);
}

static void on_ending(void *ctx, const struct fact_ending *f)
{
	struct engine *e = ((struct engine_merged *)ctx)->e;

	e->ending_rows++;
	if (e->sink.ending)
		e->sink.ending(e->sink.ctx, f);
}

static void on_message(void *ctx, const struct fact_message *f)
{
	struct engine_merged *m = ctx;

	message_again(m->e, f, &m->rows[f->flow], &m->slow[f->flow]);
}

#define AS_IT_IS(name, type)                                     \
	static void on_##name(void *ctx, const type *f)          \
	{                                                        \
		const struct flow_sink *s =                      \
			&((struct engine_merged *)ctx)->e->sink; \
                                                                 \
		if (s->name)                                     \
			s->name(s->ctx, f);                      \
	}
AS_IT_IS(flow, struct fact_flow)
AS_IT_IS(bin, struct fact_bin)
#undef AS_IT_IS

struct flow_sink engine_merged_sink(struct engine_merged *m)
{
	return (struct flow_sink) {
		.ctx = m,
		.event = on_event,
		.message = on_message,
		.recovery = on_recovery,
		.ending = on_ending,
		.flow = on_flow,
		.bin = on_bin,
	};
}
