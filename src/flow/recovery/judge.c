/* SPDX-License-Identifier: GPL-2.0-or-later
 * Recoveries decided about once more, from facts. */
#include "flow/recovery/judge.h"

#include <stdlib.h>

#include "base/mem.h"
#include "flow/core/tracker.h"
#include "flow/recovery/recovery.h"
#include "flow/uet/uet.h"

/* Rows of all flows together, of each table. */
enum { JUDGE_ROWS_MAX = 1 << 18 };

/* ---- out ---- */

static struct fact_judge_flow statistics(const struct engine *e,
					 const struct flow *f)
{
	struct fact_judge_flow s = {
		.flow = f->id,
#define OF_FLOW(member) .member = (int64_t)f->member,
#define OTHER(name)
#include "flow/recovery/judge.def"
#undef OF_FLOW
#undef OTHER
		.now_ns = e->now,
		.re_ack_ns = f->pending->re_ack_ns,
		.lacks = (int64_t)f->pending->lacks,
		.all_covered = (int64_t)f->pending->covered,
	};

	if (transport(e, f)->statistics)
		transport(e, f)->statistics(f, &s);
	return s;
}

static void emit_fill_of(struct engine *e, const struct flow *f,
			 const struct fill *fill)
{
	struct fact_judge_fill o = { .flow = f->id, .fill = *fill };
	const struct evidence *ev = &f->pending->ev[fill->record];

	o.fill.drops = recovery_fill_among_drops(e, f, ev, fill);
	e->sink.judge_fill(e->sink.ctx, &o);
}

/* Not of a flow of which a part was decided about before, for lack of room: it
 * could not be decided about as a whole. */
void judge_emit(struct engine *e, struct flow *f)
{
	const struct pending *w = f->pending;
	struct limit *l = &e->limit[LIMIT_JUDGE];
	struct fact_judge_flow s;

	if (!e->sink.judge_flow || transport(e, f)->slight(e, f) ||
	    (!w->n && !w->first))
		return;
	if (w->first || l->rows + w->n + w->n_fills > JUDGE_ROWS_MAX) {
		l->left_out++;
		return;
	}
	l->rows += w->n + w->n_fills;
	s = statistics(e, f);
	e->sink.judge_flow(e->sink.ctx, &s);
	for (uint32_t i = 0; i < w->n; i++) {
		struct fact_judge_recovery o = { .flow = f->id,
						 .ev = w->ev[i] };

		o.ev.drops = recovery_among_drops(e, f, &w->ev[i]);
		e->sink.judge_recovery(e->sink.ctx, &o);
	}
	for (uint32_t i = 0; i < w->n_fills; i++)
		if (w->fill[i].record < w->n)
			emit_fill_of(e, f, &w->fill[i]);
}

/* ---- and in again ---- */

void judge_tap(struct engine *e, uint32_t tap, uint64_t asked_for,
	       uint64_t missing)
{
	tap_judge(e, tap, asked_for, missing);
}

static void flow_of(struct judge_case *c, struct flow *f,
		    const struct fact_flow *row)
{
	const struct fact_judge_flow *s = &c->flow;

#define OF_FLOW(member) f->member = (__typeof__(f->member))s->member;
#define OTHER(name)
#include "flow/recovery/judge.def"
#undef OF_FLOW
#undef OTHER
	f->id = s->flow;
	f->tap = row->tap;
	f->sprayed = row->spray_suspect;
	f->peer = NO_FLOW;
	f->aux = s->transport == FLOW_UET_ROD || s->transport == FLOW_UET_RUD ||
				 s->transport == FLOW_UET_RUDI
			 ? UET_AUX_PDC
			 : 0;
	f->events = c->events;
}

static void pending_of(const struct judge_case *c, struct pending *w)
{
	*w = (struct pending) {
		.ev = c->ev,
		.fill = c->fill,
		.n = c->n,
		.room = c->n,
		.n_fills = c->n_fills,
		.fills_room = c->n_fills,
		.re_ack_ns = c->flow.re_ack_ns,
		.lacks = (uint64_t)c->flow.lacks,
		.covered = (uint64_t)c->flow.all_covered,
	};
}

/* The numbers may come from anybody: none overflows when times are added. */
static void limit(int64_t *v)
{
	const int64_t most = INT64_C(1) << 50;

	*v = *v > most ? most : *v < -most ? -most : *v;
}

static void limit_times(struct evidence *v)
{
	int64_t *const at[] = { &v->lost_ns, &v->detect_ns, &v->first_ns,
				&v->last_ns, &v->end_ns,    &v->orig_ns,
				&v->since_ns };

	for (size_t i = 0; i < sizeof at / sizeof *at; i++)
		*at[i] = engine_time(*at[i]);
}

static void limit_all(struct judge_case *c)
{
	c->flow.now_ns = engine_time(c->flow.now_ns);
	for (uint32_t i = 0; i < c->n_fills; i++) {
		c->fill[i].ns = engine_time(c->fill[i].ns);
		c->fill[i].since_ns = engine_time(c->fill[i].since_ns);
	}
	limit(&c->flow.rtt_r);
	limit(&c->flow.rtt_s);
	limit(&c->flow.late_max);
	limit(&c->flow.route_late_ns);
	limit(&c->flow.nak_wait_ns);
	limit(&c->flow.re_ack_ns);
	limit(&c->flow.behind_max_ns);
	limit(&c->flow.recovery_ns);
	for (uint32_t i = 0; i < c->n; i++) {
		struct evidence *v = &c->ev[i];

		limit_times(v);
		limit(&v->silence_ns);
		limit(&v->spaced_ns);
		limit(&v->soonest_ns);
		limit(&v->missing_ns);
		limit(&v->missed_ns);
		limit(&v->ack_ns);
	}
}

int judge_flow(struct engine *e, struct judge_case *c, struct fact_flow *row)
{
	struct pending *w = mem_calloc(1, sizeof *w);
	struct flow *f = mem_calloc(1, sizeof *f);
	bool ready = w && f;

	limit_all(c);
	if (ready) {
		flow_of(c, f, row);
		if (transport(e, f)->restore)
			ready = transport(e, f)->restore(e, f, &c->flow);
	}
	if (ready) {
		pending_of(c, w);
		f->pending = w;
		e->now = c->flow.now_ns;
		e->n_pending = w->n;
		recovery_judge(e, f);
		flow_verdicts(e, f, row);
		f->pending = NULL;
	}
	if (f)
		transport(e, f)->free(e, f);
	free(w);
	free(f);
	return ready ? 0 : -1;
}
