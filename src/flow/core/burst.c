/* SPDX-License-Identifier: GPL-2.0-or-later
 * When a flow sent and when it was silent: stretches of data without a longer
 * silence than |burst_gap|, and what its partner did in the silence behind.
 *
 * All stretches share one list.  When there are more than it is to have, a
 * longer silence is asked for, and the list and the flows are put as if it
 * always had been: so the silence asked for in the end is the shortest of the
 * ladder with which all stretches fit, in whatever order they came.  Beyond
 * GAP_MAX_NS those that begin last are left out of all flows, so that what
 * there is stays whole from the first packet on.  An engine that is to know the
 * newest lets go of the older half instead: what there is stays whole up to the
 * last packet.
 *
 * Frequency: per silence, not per packet. */
#include "flow/core/burst.h"

#include <stdlib.h>

#include "base/mem.h"
#include "flow/core/flow.h"
#include "flow/core/serial.h"
#include "flow/uet/uet.h"

enum {
	BURSTS_MAX = 1 << 16,
	BURSTS_FEW = 1 << 10,
	FLOWS_MAX = 1 << 15, /* more cannot be compared: none are reported */
	GAP_NS = 5 * 1000,
	STEP_NS = 600, /* shorter than a NIC needs to answer */
	GAP_MAX_NS = 1000 * 1000
};

bool burst_init(struct engine *e)
{
	e->burst_gap = GAP_NS;
	e->burst_step = STEP_NS;
	e->bursts_end = INT64_MAX;
	e->bursts_from = INT64_MIN;
	return true;
}

void burst_fini(struct engine *e)
{
	free(e->bursts);
}

/* The same flow went on after a silence that is now too short to tell. */
static void append(struct fact_burst *to, const struct fact_burst *b)
{
	to->last_ns = b->last_ns;
	to->bytes += b->bytes;
	to->psns += b->psns;
	to->acked_ns = b->acked_ns;
	to->asked_ns = b->asked_ns;
	to->unacked = b->unacked;
	to->granted_ns = b->granted_ns;
	to->wanted_ns = b->wanted_ns;
	to->inside = b->inside;
	to->data |= b->data;
}

/* |last| is where the list has the latest stretch of each flow, by id from
 * first_id on: its number + 1. */
static void merge(struct engine *e, uint32_t *last)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->n_bursts; i++) {
		const struct fact_burst *b = &e->bursts[i];
		uint32_t at = b->flow - e->o.first_id;
		uint32_t before = last[at];

		if (before && b->first_ns - e->bursts[before - 1].last_ns <=
				      e->burst_gap) {
			append(&e->bursts[before - 1], b);
			continue;
		}
		e->bursts[n++] = *b;
		last[at] = n;
	}
	e->n_bursts = n;
}

/* A stretch under way of |f| goes on from |b|. */
static void go_on(struct flow *f, const struct fact_burst *b)
{
	f->burst_ns = b->first_ns;
	f->burst_bytes -= b->bytes;
	f->burst_psns -= b->psns;
	f->burst_payload -= b->data;
}

/* Stretches under way that a shorter silence set off from their flow's last:
 * this one leaves the list. */
static void reopen(struct engine *e, const uint32_t *last)
{
	enum { GONE = 0 };
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->n_flows; i++) {
		struct flow *f = flow_at(e, i);
		uint32_t at = f->id ? last[f->id - e->o.first_id] : 0;
		struct fact_burst *b = at ? &e->bursts[at - 1] : NULL;

		if (!b || f->burst_ns - b->last_ns > e->burst_gap)
			continue;
		go_on(f, b);
		b->flow = GONE;
	}
	for (uint32_t i = 0; i < e->n_bursts; i++)
		if (e->bursts[i].flow != GONE)
			e->bursts[n++] = e->bursts[i];
	e->n_bursts = n;
}

static void coarsen(struct engine *e)
{
	uint32_t *last;

	while (e->n_bursts > BURSTS_MAX && e->burst_gap < GAP_MAX_NS) {
		last = mem_calloc((size_t)e->next_id - e->o.first_id + 1,
				  sizeof *last);
		if (!last)
			break;
		/* At first steps of messages go, then longer idle times. */
		if (e->burst_step == e->burst_gap)
			e->burst_gap *= 2;
		e->burst_step = e->burst_gap;
		merge(e, last);
		reopen(e, last);
		free(last);
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct fact_burst *x = a, *y = b;

	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	return x->flow < y->flow ? -1 : x->flow > y->flow;
}

/* The first BURSTS_MAX to begin stay, and whatever begins later is not taken
 * any more. */
static void end_early(struct engine *e)
{
	uint32_t n = BURSTS_MAX;

	qsort(e->bursts, e->n_bursts, sizeof *e->bursts, by_begin);
	e->bursts_end = e->bursts[n].first_ns;
	while (n && e->bursts[n - 1].first_ns >= e->bursts_end)
		n--;
	for (uint32_t i = n; i < e->n_bursts; i++)
		e->capped_bursts += e->bursts[i].data;
	e->n_bursts = n;
}

/* What began before |from| goes, and is not taken any more. */
static void begin_at(struct engine *e, int64_t from)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->n_bursts; i++)
		if (e->bursts[i].first_ns >= from)
			e->bursts[n++] = e->bursts[i];
	e->capped_bursts += e->n_bursts - n;
	e->n_bursts = n;
	e->bursts_from = from;
}

/* About the older half.  They are about in order of their ends. */
static void let_go(struct engine *e)
{
	uint32_t some = e->n_bursts / 8;

	for (uint32_t i = 4 * some; e->n_bursts > 6 * some; i += some)
		begin_at(e, e->bursts[i < e->n_bursts ? i : e->n_bursts - 1]
					    .last_ns +
				    1);
}

/* More would not be compared: nobody is asked any more. */
static void give_up(struct engine *e)
{
	e->burst_gap = e->burst_step = INT64_MAX;
	e->n_bursts = 0;
}

static void take_burst(struct engine *e, const struct fact_burst *b)
{
	if (!mem_grow(&e->bursts, e->n_bursts, &e->room_bursts, BURSTS_FEW,
		      sizeof *e->bursts)) {
		e->capped_bursts++;
		return;
	}
	e->bursts[e->n_bursts++] = *b;
	if (e->n_bursts > BURSTS_MAX)
		coarsen(e);
	if (e->n_bursts > BURSTS_MAX && e->o.newest)
		let_go(e);
	else if (e->n_bursts == 2 * BURSTS_MAX)
		end_early(e);
}

/* What the partner had said by now, as far as it came after |since|. */
static void partner(const struct engine *e, const struct flow *f, int64_t since,
		    struct fact_burst *b)
{
	const struct flow *g = f->paired ? flow_peer(e, f) : NULL;

	b->acked_ns = b->asked_ns = b->unacked = FACT_UNKNOWN;
	b->granted_ns = transport(e, f)->granted_ns(f, &b->wanted_ns);
	if (b->granted_ns <= since)
		b->granted_ns = b->wanted_ns = FACT_UNKNOWN;
	if (!g)
		return;
	if (f->last_rsp_seen_ns > since)
		b->acked_ns = f->last_rsp_seen_ns;
	if (g->requests && g->last_req_ns > since)
		b->asked_ns = g->last_req_ns;
	if (f->req_valid && f->last_rsp_seen_ns)
		b->unacked = psn_diff(f->nxt, f->una) > 0
				     ? psn_diff(f->nxt, f->una)
				     : 0;
}

/* Nobody asked for idle times behind |end|: what went before it, by its part of
 * the time. */
static void cut(struct fact_burst *b, int64_t end)
{
	double part = (double)(end - b->first_ns) /
		      (double)(b->last_ns - b->first_ns);

	b->last_ns = end;
	b->bytes = (uint64_t)(part * (double)b->bytes);
	b->psns = (uint64_t)(part * (double)b->psns);
	b->acked_ns = b->asked_ns = b->unacked = FACT_UNKNOWN;
	b->granted_ns = b->wanted_ns = FACT_UNKNOWN;
}

/* The next begins at |ns|, with |next| of f->payload. */
static void close_burst(struct engine *e, struct flow *f, int64_t last,
			int64_t ns, uint32_t next)
{
	struct fact_burst b = {
		.flow = f->id,
		.first_ns = f->burst_ns,
		.last_ns = last > f->burst_ns ? last : f->burst_ns,
		.bytes = f->unique_payload - f->burst_bytes,
		.psns = f->covered - f->burst_psns,
		.inside = !burst_between(e, f),
	};

	f->burst_ns = ns;
	b.data = f->payload - next != f->burst_payload;
	f->burst_payload = f->payload - next;
	f->burst_bytes = f->unique_payload;
	f->burst_psns = f->covered;
	if (b.first_ns < e->bursts_from)
		return;
	if (b.first_ns >= e->bursts_end) {
		e->capped_bursts += b.data;
		return;
	}
	if (e->n_flows > FLOWS_MAX) {
		give_up(e);
		return;
	}
	partner(e, f, b.last_ns, &b);
	take_burst(e, &b);
}

void burst_silence(struct engine *e, struct flow *f, int64_t last, int64_t ns,
		   uint32_t payload)
{
	close_burst(e, f, last, ns, payload);
}

void burst_finish(struct engine *e, struct flow *f)
{
	close_burst(e, f, burst_last(f), engine_time(INT64_MAX), 0);
}

void burst_forget(struct engine *e, int64_t before)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->n_bursts; i++)
		if (e->bursts[i].last_ns >= before)
			e->bursts[n++] = e->bursts[i];
	e->n_bursts = n;
	if (e->bursts_end >= before)
		return;
	/* There is room again: from now on. */
	e->bursts_end = INT64_MAX;
	e->bursts_from = e->now;
	e->burst_gap = GAP_NS;
	e->burst_step = STEP_NS;
}

/* What has no data, as a request that closes a context, is no stretch of its
 * own.  Its PSNs count with the data before it: two places count alike then,
 * however long after that it came to each. */
static void leave_empty(struct engine *e)
{
	uint32_t *last = mem_calloc((size_t)e->next_id - e->o.first_id + 1,
				    sizeof *last);
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->n_bursts; i++) {
		const struct fact_burst *b = &e->bursts[i];
		uint32_t at = b->flow - e->o.first_id;

		if (b->data) {
			e->bursts[n++] = *b;
			if (last)
				last[at] = n;
		} else if (last && last[at]) {
			e->bursts[last[at] - 1].psns += b->psns;
		}
	}
	e->n_bursts = n;
	free(last);
}

void bursts_emit(struct engine *e)
{
	if (e->n_flows > FLOWS_MAX) {
		e->capped_bursts = e->n_flows;
		e->n_bursts = 0;
	}
	if (e->n_bursts > BURSTS_MAX)
		end_early(e);
	else if (e->n_bursts)
		qsort(e->bursts, e->n_bursts, sizeof *e->bursts, by_begin);
	leave_empty(e);
	for (uint32_t i = 0; e->sink.burst && i < e->n_bursts; i++) {
		if (e->bursts[i].last_ns > e->bursts_end)
			cut(&e->bursts[i], e->bursts_end);
		e->sink.burst(e->sink.ctx, &e->bursts[i]);
	}
	emit_left_out(e, "burst", e->capped_bursts);
}
