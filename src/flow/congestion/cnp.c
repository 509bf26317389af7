/* SPDX-License-Identifier: GPL-2.0-or-later
 * CNPs: whom they throttle, after how long, and why when nothing was
 * marked.
 *
 * A CNP from R to QP s at S throttles what s sends: the other direction of the
 * flow that it travels in.  Its UDP port means nothing. */
#include <stdlib.h>

#include "base/mem.h"
#include "flow/congestion/congestion.h"
#include "flow/core/copy.h"
#include "flow/core/serial.h"

enum {
	WITH_NAK_NS = 10 * 1000, /* a CNP and a NAK so close are one event */
	ALIVE_NS = 10 * 1000 * 1000,
	RNR_NS = 1000 * 1000,
	HELD_CNPS = 32,
};

/* Reference 4.5; the more telling ones are asked for first. */
enum odd_cause {
	ODD_BEHIND,
	ODD_CAPTURE,
	ODD_NAK,
	ODD_RECEIVER,
	ODD_SWITCH,
	ODD_UNKNOWN_NP,
};

static const struct {
	const char *why;
	double confidence;
} odd_causes[ODD_CAUSES] = {
	[ODD_BEHIND] = { "4.5-1: marked downstream, or congestion "
			 "inside the receiver",
			 0.7 },
	[ODD_CAPTURE] = { "4.5-2: packets of this flow were not captured at "
			  "that time",
			  0.6 },
	[ODD_NAK] = { "4.5-3: sent with a NAK: for a loss, not for a mark",
		      0.85 },
	[ODD_RECEIVER] = { "4.5-4: receiver not ready at that time: congestion "
			   "inside the receiver",
			   0.6 },
	[ODD_SWITCH] = { "4.5-5: its TTL is not the receiver's: sent by a "
			 "switch",
			 0.6 },
	[ODD_UNKNOWN_NP] = { "4.5-6: the flow was idle: paired wrongly, or the "
			     "QP number was reused",
			     0.5 },
};

/* CNPs whose flow was not paired when they came. */
struct cnps_held {
	uint32_t n; /* more than are kept */
	struct held_cnp {
		int64_t ns;
		uint64_t frame;
		uint32_t tap;
	} of[HELD_CNPS];
};

/* Once more by the mirror: equal in all that a new one would change. */
static bool is_copy(struct engine *e, struct flow *g, struct congestion *c,
		    const struct packet *p)
{
	int64_t dt = p->ns - c->cnp_ns;
	bool same = c->cnp_ns &&
		    (dt <= RESIDENCE_NS || lag_fits(tap_lag(e, p->tap), dt)) &&
		    p->ip_id == c->cnp_ip_id &&
		    (p->ip_id || tap_is_doubled(e, p->tap));

	c->cnp_ip_id = p->ip_id;
	if (same) {
		g->mirror_dups++;
		tap_mirror_duplicate(e, p);
	}
	return same;
}

/* ---- why, when nothing was marked ---- */

/* The receiver's own packets, as far as they are remembered, look else. */
static bool looks_foreign(const struct engine *e, const struct flow *g,
			  const struct flow *f, const struct packet *p)
{
	const struct recent_packet *r;
	uint32_t last = (f->una - 1) & PSN_MASK; /* acknowledged by it */

	if (p->flags & PACKET_EXTENDED)
		return true;
	r = recent_find(&e->recent, recent_responses(g), last, NULL);
	return r && r->ttl != p->ttl;
}

static enum odd_cause odd_cause(const struct engine *e, const struct flow *g,
				const struct flow *f,
				const struct congestion *c,
				const struct packet *p)
{
	const struct recovery_state *t = f->recovery;

	if (looks_foreign(e, g, f, p))
		return ODD_SWITCH;
	if (t && t->nak.valid && p->ns - t->nak.ns <= WITH_NAK_NS)
		return ODD_NAK;
	if (p->ns - c->last_ns > ALIVE_NS && p->ns - f->last_ns > ALIVE_NS)
		return ODD_UNKNOWN_NP;
	if (f->missing > c->missing)
		return ODD_CAPTURE;
	if (t && t->rnr.valid && p->ns - t->rnr.ns <= RNR_NS)
		return ODD_RECEIVER;
	return ODD_BEHIND;
}

static void note_odd(struct congestion *c, enum odd_cause why, int64_t ns,
		     uint64_t frame, uint32_t tap)
{
	struct odd *o = &c->odd[why];

	if (!o->n++)
		*o = (struct odd) { 1, tap, ns, frame };
}

void cnp_nak(struct flow *f, int64_t ns)
{
	struct congestion *c = f->congestion;

	if (!c || !c->cnp_odd || ns - c->cnp_ns > WITH_NAK_NS)
		return;
	/* The CNP came first: it is explained now. */
	c->cnp_odd = false;
	c->odd[ODD_BEHIND].n--;
	note_odd(c, ODD_NAK, c->cnp_ns, c->cnp_frame, f->tap);
}

/* ---- after how long ---- */

static void latency(const struct flow *f, struct congestion *c,
		    struct fact_cnp *row, int64_t first, int64_t last)
{
	bool begins = c->cnp_ns || f->packets > f->ecn_data[ECN_CE] + 20u;

	row->latency_min_ns = row->ns - last;
	row->latency_max_ns = row->ns - first;
	row->marks = c->marks.set + (first < c->marks.first);
	row->clean = begins && c->np && np_was_quiet(c->np, first);
	c->fact.clean += row->clean;
	if (c->np && row->clean)
		np_took(c->np, row->latency_max_ns);
}

static void explain(struct engine *e, const struct flow *g, struct flow *f,
		    struct congestion *c, const struct packet *p,
		    struct fact_cnp *row)
{
	int64_t first, last;
	enum odd_cause why;

	c->cnp_odd = false;
	if (c->cnp_ns && (!c->cnp_gap || p->ns - c->cnp_ns < c->cnp_gap))
		c->cnp_gap = p->ns - c->cnp_ns;
	if (marks_answered(f, c, p->ns, &first, &last)) {
		latency(f, c, row, first, last);
	} else {
		why = odd_cause(e, g, f, c, p);
		note_odd(c, why, p->ns, p->frame, p->tap);
		c->cnp_odd = why == ODD_BEHIND;
		c->fact.unexplained++;
		row->detail = odd_causes[why].why;
	}
	marks_flush(f, c, p->ns);
	c->missing = f->missing;
}

/* ---- in ---- */

static void throttle(struct engine *e, struct flow *g, struct flow *f,
		     const struct packet *p, struct fact_cnp *row)
{
	bool new = !f->congestion;
	struct congestion *c = congestion_get(e, f);

	if (c && new)
		reaction_look_back(e, f, c, !f->req_valid,
				   f->req_valid ? f->nxt : f->rnxt);
	if (c && is_copy(e, g, c, p))
		return;
	f->cnp++;
	if (!c) {
		e->limit[LIMIT_CONGESTION].left_out += f->cnp == 1;
		emit_cnp(e, f, row);
		return;
	}
	explain(e, g, f, c, p, row);
	if (c->np)
		np_cnp(e, c->np, c, g->route, p->ns);
	if (c->fact.first_cnp_ns == FACT_UNKNOWN)
		c->fact.first_cnp_ns = p->ns;
	c->fact.last_cnp_ns = p->ns;
	c->fact.cnps++;
	c->cnp_ns = p->ns;
	c->cnp_frame = p->frame;
	reaction_cnp(e, f, c, row);
}

static struct fact_cnp new_row(const struct flow *g, int64_t ns, uint64_t frame,
			       uint32_t tap)
{
	return (struct fact_cnp) {
		.ns = ns,
		.frame = frame,
		.tap = tap,
		.src = g->src,
		.dst = g->dst,
		.qp = g->dst_qp,
		.latency_min_ns = FACT_UNKNOWN,
		.latency_max_ns = FACT_UNKNOWN,
		.marks = FACT_UNKNOWN,
		.rate_before_bps = FACT_UNKNOWN,
		.rate_after_bps = FACT_UNKNOWN,
		.window_before_ns = FACT_UNKNOWN,
		.window_after_ns = FACT_UNKNOWN,
	};
}

/* It is known to whom it goes, but not what that host sends. */
static void hold(struct engine *e, struct flow *g, const struct packet *p)
{
	struct np *np = np_get(e, p->src, g->place, p->tap);
	struct cnps_held *h = g->cnps_held;

	if (np)
		np_cnp(e, np, NULL, g->route, p->ns);
	if (!h && !(h = g->cnps_held = mem_calloc(1, sizeof *h)))
		return;
	if (h->n < HELD_CNPS)
		h->of[h->n] = (struct held_cnp) { p->ns, p->frame, p->tap };
	h->n++;
}

void cnp_packet(struct engine *e, struct flow *g, const struct packet *p)
{
	struct flow *f = g->paired ? flow_peer(e, g) : NULL;
	struct fact_cnp row = new_row(g, p->ns, p->frame, p->tap);

	row.attribution = ATTRIBUTED_PAIR;
	if (f)
		throttle(e, g, f, p, &row);
	else
		hold(e, g, p);
}

/* |f|: whom they throttled, NULL unknown. */
static void release(struct engine *e, struct flow *g, struct flow *f)
{
	struct cnps_held *h = g->cnps_held;

	for (uint32_t i = 0; i < h->n && i < HELD_CNPS; i++) {
		struct fact_cnp row =
			new_row(g, h->of[i].ns, h->of[i].frame, h->of[i].tap);

		row.attribution = f ? ATTRIBUTED_LATER : ATTRIBUTED_NOT;
		emit_cnp(e, f, &row);
	}
	if (h->n > HELD_CNPS)
		e->limit[LIMIT_CNP].left_out += h->n - HELD_CNPS;
	g->cnps_held = NULL;
	free(h);
}

void cnp_replay_held(struct engine *e, struct flow *g)
{
	const struct cnps_held *h = g->cnps_held;
	struct flow *f = flow_peer(e, g);
	struct congestion *c;
	int64_t last;

	if (!h || !f)
		return;
	last = h->of[h->n < HELD_CNPS ? h->n - 1 : HELD_CNPS - 1].ns;
	f->cnp += h->n;
	c = congestion_get(e, f);
	if (c) {
		c->fact.first_cnp_ns = h->of[0].ns;
		c->fact.last_cnp_ns = c->cnp_ns = last;
		c->fact.cnps += h->n;
		marks_flush(f, c, last);
	}
	release(e, g, f);
}

/* ---- out ---- */

static void tell_odd(struct engine *e, struct flow *f,
		     const struct congestion *c)
{
	for (unsigned i = 0; i < ODD_CAUSES; i++) {
		const struct odd *o = &c->odd[i];

		if (!o->n)
			continue;
		emit_event(e, f,
			   &(struct fact_event) {
				   .ns = o->ns,
				   .frame = o->frame,
				   .tap = o->tap,
				   .kind = EVENT_CNP_UNEXPLAINED,
				   .count = o->n,
				   .value = FACT_UNKNOWN,
				   .confidence = odd_causes[i].confidence,
				   .detail = odd_causes[i].why });
	}
}

void congestion_finish(struct engine *e, struct flow *f)
{
	struct congestion *c = f->congestion;

	if (f->cnps_held)
		release(e, f, NULL);
	if (!c)
		return;
	reaction_finish(e, f, c);
	tell_odd(e, f, c);
	HAND_OUT(e, congestion, &c->fact);
}
