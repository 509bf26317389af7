/* SPDX-License-Identifier: GPL-2.0-or-later
 * Responses: what they say about the peer's requests, and the PSNs that READ
 * responses and ATOMIC acknowledges own (R16 to R18). */
#include <stdlib.h>

#include "base/clamp.h"
#include "base/mem.h"
#include "flow/congestion/congestion.h"
#include "flow/core/burst.h"
#include "flow/core/copy.h"
#include "flow/core/flow.h"
#include "flow/core/serial.h"
#include "flow/fastpath/fast.h"
#include "flow/recovery/recovery.h"
#include "flow/roce/ending.h"
#include "flow/roce/reconnect.h"
#include "flow/roce/roce.h"
#include "flow/telemetry/path.h"
#include "wire/table.h"
#include "wire/wire.h"

enum {
	RHOLE_OLD = 1 << 12,
	ROUND_TRIPS = 8, /* a block of samples */
	PMTU_MAX = 4096,
	EARLY_RESPONSES = 64,
};

/* ---- what a response says about the requests of |f| ---- */

static void acknowledged(struct engine *e, struct flow *f, uint32_t una,
			 int64_t ns, bool by_nak, bool by_data)
{
	if (psn_diff(una, f->una) > 0) {
		f->una_by_nak = by_nak;
		f->una_by_data = by_data;
	}
	request_acked(e, f, una, ns);
}

static void nak(struct engine *e, struct flow *f, const struct packet *p)
{
	if (p->syndrome & 0x1f) {
		f->nak_fatal++;
		emit_packet(e, f, p, EVENT_NAK_FATAL, p->syndrome, 0.99, "R21");
		ending_refused(f, p, FACT_UNKNOWN);
		request_acked(e, f, p->psn, p->ns);
		message_finish(e, f, true);
		f->died = true;
		return;
	}
	f->nak_seq++;
	emit_packet(e, f, p, EVENT_NAK_SEQ, FACT_UNKNOWN, 0.99, NULL);
	acknowledged(e, f, p->psn, p->ns, true, false);
	recovery_nak(e, f, p->psn, p->ns, p->frame);
	cnp_nak(f, p->ns);
}

static void rnr(struct engine *e, struct flow *f, const struct packet *p)
{
	int64_t wait = (int64_t)wire_rnr_timer_ns(p->syndrome & 0x1f);

	f->rnr_nak++;
	emit_packet(e, f, p, EVENT_RNR_NAK, wait, 0.99, NULL);
	ending_refused(f, p, wait);
	acknowledged(e, f, p->psn, p->ns, true, false);
	recovery_rnr(e, f, p->psn, p->ns, p->frame, wait);
}

/* Reference 3.8: a sender without credit waits for an AETH that has some. */
static void credit(struct engine *e, struct flow *f, const struct packet *p)
{
	unsigned code = p->syndrome & 0x1f;

	if (code == 0 && !f->credit_blocked) {
		f->credit_blocked = true;
		f->credit_ns = p->ns;
		f->credit_rqe = 0;
	} else if (code != 0 && f->credit_blocked) {
		int64_t stall = p->ns - f->credit_ns;

		f->credit_blocked = false;
		if (code == 0x1f || stall <= 2 * f->rtt_r + e->o.jitter_ns ||
		    f->credit_rqe > 1)
			return;
		f->credit_stalls++;
		emit_packet(e, f, p, EVENT_CREDIT_STALL, stall, 0.99,
			    "no credit, no request, then credit");
	}
}

/* How long round trips are now, with the queues there are. */
static void note_round_trip(struct flow *f, int64_t rtt)
{
	uint32_t ns = rtt < UINT32_MAX ? (uint32_t)rtt : UINT32_MAX;
	unsigned at = f->rtt_n++ % (2 * ROUND_TRIPS);
	uint32_t *block = &f->rtt_late[at >= ROUND_TRIPS];

	if (at % ROUND_TRIPS == 0 || ns < *block)
		*block = ns;
}

/* Does the receiver acknowledge what does not request it, in the middle of a
 * message, and is no duplicate? */
static void note_unasked(struct flow *f, const struct packet *p)
{
	bool anew =
		psn_diff(p->psn, f->una) >= 0 && psn_diff(p->psn, f->nxt) < 0;
	bool replayed = f->recovery && f->recovery->ep.active;

	if (anew && !replayed && f->in_message &&
	    psn_diff(f->open.psn_first, f->una) <= 0 &&
	    psn_diff(f->ack_req_psn, f->una) < 0)
		f->acks_unasked = true;
}

static void round_trip(struct engine *e, struct flow *f, const struct packet *p)
{
	int64_t rtt;

	note_unasked(f, p);

	if (!f->ack_req_ns || p->psn != f->ack_req_psn)
		return;
	rtt = clamp_sub(p->ns, f->ack_req_ns);
	f->ack_req_ns = 0;
	note_round_trip(f, rtt);
	if (e->paths)
		path_answered(e, f, p->psn, rtt);
	flow_round_trip(f, rtt);
}

/* Do the acknowledgements fit the stream they are believed to be for? */
static void vote(struct engine *e, struct flow *g, const struct flow *f,
		 const struct packet *p)
{
	int32_t d = psn_diff(p->psn, f->nxt);

	if (g->pairing != PAIRING_ACK && g->pairing != PAIRING_ASSUMED &&
	    g->pairing != PAIRING_IN_STEP)
		return;
	if (request_seen(f, p->psn)) {
		if (g->votes < UINT16_MAX)
			g->votes++;
		return;
	}
	/* A little ahead, or in a hole: the capture may have missed it. */
	if (d < 64 && d > -(1 << 17))
		return;
	if (++g->conflicts > 3 && g->conflicts > g->votes)
		pair_forget(e, g);
}

/* An ACK with the PSN of the response before: not one of the mirror, nor sent
 * after a NAK only, or after a response with data. */
static bool is_same_ack(const struct engine *e, const struct flow *f,
			const struct packet *p)
{
	bool at_once = p->ns - f->last_rsp_seen_ns <= RESIDENCE_NS;

	return psn_add(p->psn, 1) == f->una && !f->una_by_nak &&
	       !(at_once && (f->una_by_data || tap_has_repeats(e, p->tap)));
}

static void apply(struct engine *e, struct flow *g, struct flow *f,
		  const struct packet *p)
{
	uint8_t op = e->op[p->opcode];
	bool is_same;

	vote(e, g, f, p);
	if (!g->paired || !f->req_valid)
		return;
	if (f->recovery)
		reconnect_answered(e, g, f, p);
	if (p->flags & PACKET_HAS_AETH)
		g->msn = p->msn + 1;
	is_same = is_same_ack(e, f, p);
	f->last_rsp_seen_ns = p->ns;
	if ((p->flags & PACKET_HAS_AETH) && p->syndrome >> 5 == AETH_ACK)
		round_trip(e, f, p);
	if ((p->flags & PACKET_HAS_AETH) && !(op & IS_DATA)) {
		switch (p->syndrome >> 5) {
		case AETH_ACK:
			if (is_same)
				recovery_reacked(e, f, f->una, p->ns);
			credit(e, f, p);
			break;
		case AETH_RNR_NAK:
			rnr(e, f, p);
			return;
		case AETH_NAK:
			nak(e, f, p);
			return;
		default:
			return;
		}
	}
	message_skipped(f, g, p->psn, p->ns);
	acknowledged(e, f, psn_add(p->psn, 1), p->ns, false, op & IS_DATA);
}

/* ---- the response PSNs that carry data ---- */

static void gap_add(struct flow *g, const struct packet *p, uint32_t from,
		    uint32_t to)
{
	struct gap r = { .start = from,
			 .end = to,
			 .ns = p->ns,
			 .frame = p->frame,
			 .tap = p->tap,
			 .ip_id = p->ip_id,
			 .arrivals = g->responses - 1 };

	if (!gaps_add(&g->recovery->rgaps, r))
		g->unresolved += (uint32_t)psn_diff(to, from);
}

/* Responses are missing between the last one and |p|: those that belong to
 * READs still open, or, where the requests are not visible, the rest of the
 * message that was under way. */
static void open_gaps(struct flow *g, const struct flow *f,
		      const struct packet *p)
{
	uint32_t from = g->rnxt;

	if (psn_diff(p->psn, from) > 1 << 20)
		return;
	if (!f || !f->req_valid) {
		if (g->rsp_open)
			gap_add(g, p, from, p->psn);
		return;
	}
	while (psn_diff(p->psn, from) > 0) {
		uint32_t a = from, b = p->psn;

		if (!message_read_range(f, &a, &b))
			return;
		gap_add(g, p, a, b);
		from = b;
	}
}

static void late(struct engine *e, struct flow *g, const struct packet *p,
		 const struct gap *r)
{
	uint64_t extent = g->responses - 1 - r->arrivals;

	if (copy_is_second(e, p,
			   recent_find(&e->recent,
				       recent_of_flow(g->index, true), r->end,
				       NULL)))
		return;
	g->reordered++;
	g->reorder_events++;
	if (extent > g->extent_max)
		g->extent_max = (uint32_t)extent;
	if (p->ns - r->ns > g->late_max)
		g->late_max = p->ns - r->ns;
	emit_packet(e, g, p, EVENT_REORDER, (int64_t)extent, 0.99,
		    "R1: response reordered");
}

/* A response that was requested again. */
static void again(struct engine *e, struct flow *g, const struct packet *p,
		  const struct gap *missing)
{
	const struct recovery_state *t = g->recovery;
	const struct flow *f = flow_peer(e, g);
	bool named = t->reread && p->psn == t->reread_first;

	g->retransmitted++;
	g->retransmitted_bytes += p->payload;
	if (named && (e->op[p->opcode] & IS_START) && f &&
	    message_within(f, p->psn))
		recovery_first_again(g);
	if (!missing)
		return;
	g->unique_payload += p->payload;
	if (drops_between(e, g->place, missing->ns - DROPS_MARGIN_NS, p->ns)) {
		g->missing++;
		return;
	}
	recovery_refill(e, g,
			&(struct refill) {
				.ns = p->ns,
				.frame = p->frame,
				.psn = p->psn,
				.tap = p->tap,
				.late_ns = p->ns - missing->ns,
				.payload = p->payload,
				.by_name = named,
				.corrupted = recovery_is_bad(
					e, t, p->psn | BAD_RESPONSE, p->ns),
				.middle = named && p->psn == t->reread_psn &&
					  !(e->op[p->opcode] & IS_START),
			});
}

static void behind(struct engine *e, struct flow *g, const struct packet *p)
{
	struct recovery_state *t = g->recovery;
	const struct recent_packet *copy;
	struct gap *r;
	bool asked = t->reread && psn_diff(p->psn, t->reread_psn) >= 0 &&
		     psn_diff(p->psn, t->reread_end) < 0;
	bool unknown;
	int order;

	/* A hole among the responses that were requested again, or only those
	 * of before that were still on their way. */
	if (asked && psn_diff(p->psn, t->rcur) > 0) {
		if (t->rhole && psn_diff(t->rcur, t->rhole_to) > RHOLE_OLD)
			t->rhole = false;
		if (!t->rhole || psn_diff(t->rcur, t->rhole_from) < 0)
			t->rhole_from = t->rcur;
		if (!t->rhole || psn_diff(p->psn, t->rhole_to) > 0)
			t->rhole_to = p->psn;
		t->rhole = true;
	}
	r = gaps_find(&t->rgaps, p->psn);
	copy = recent_response_of(e, g, p->psn);
	order = r || copy ? ip_id_order(g, p, r ? r->ip_id : copy->ip_id) : 0;
	if (asked && order < 0)
		recovery_late_response(e, flow_peer(e, g), g, p);
	/* What follows a response that came again came again as well. */
	asked |= order > 0 || (t->rcopy && p->psn == t->rcur);
	/* Here before its request, it opened no hole. */
	unknown = !r && !copy && !asked &&
		  psn_diff(g->rnxt, p->psn) <= EARLY_RESPONSES;
	t->rcopy = !unknown && (!r || (asked && order >= 0));
	if (t->rcopy)
		again(e, g, p, r);
	else if (r)
		late(e, g, p, r);
	if (!t->rcopy)
		g->unique_payload += p->payload;
	if (r)
		gaps_cut(&t->rgaps, p->psn, 1);
	t->rcur = psn_add(p->psn, 1);
	if (psn_diff(t->rcur, g->rnxt) >= 0) {
		t->rcur = g->rnxt;
	}
}

/* True when |p| is at or past the high-water mark. */
static bool place(struct engine *e, struct flow *g, const struct flow *f,
		  const struct packet *p)
{
	int32_t d = psn_diff(p->psn, g->rnxt);

	if (d == 0)
		return true;
	if (!recovery_state_get(g))
		return d > 0;
	if (d > 0) {
		open_gaps(g, f, p);
		return true;
	}
	behind(e, g, p);
	return false;
}

static void learn_pmtu(struct flow *g, struct flow *f, const struct packet *p)
{
	uint32_t n = p->payload;

	if (n < 256 || n > 4096 || (n & (n - 1)))
		return;
	g->pmtu = (uint16_t)n;
	if (f && f->pmtu < n)
		message_pmtu(f, (uint16_t)n);
}

/* The span of the last READ request was not known: now it is, this far, and
 * with its |last| response as a whole. */
static void extend_span(struct flow *f, uint32_t psn, bool last)
{
	uint32_t end = psn_add(psn, 1);

	if (f->span_unknown && psn_diff(end, f->nxt) > 0)
		request_extend(f, end);
	if (last && end == f->nxt)
		f->span_unknown = false;
}

/* The first response seen here need not be the first of all: those of
 * READs that were requested while the capture ran are expected. */
static uint32_t expected_first(const struct flow *f, uint32_t psn)
{
	uint32_t from, to = psn;

	if (!f || !f->req_valid)
		return psn;
	from = f->initial;
	if (psn_diff(psn, from) <= 0 || psn_diff(psn, from) > 1 << 20 ||
	    !message_read_range(f, &from, &to))
		return psn;
	return from;
}

static void data_response(struct engine *e, struct flow *g, struct flow *f,
			  const struct packet *p)
{
	uint8_t op = e->op[p->opcode];

	if (!g->rsp_valid) {
		g->rsp_valid = true;
		g->rnxt = expected_first(f, p->psn);
		if (g->recovery)
			g->recovery->rcur = g->rnxt;
	}
	if (!(op & IS_END) && p->payload > g->pmtu)
		learn_pmtu(g, f, p);
	if (f)
		extend_span(f, p->psn, op & IS_END);
	if (f && p->payload > f->payload_max && p->payload <= PMTU_MAX)
		f->payload_max = (uint16_t)p->payload;
	if (place(e, g, f, p)) {
		bool level = g->recovery && g->recovery->rcur == g->rnxt;

		g->rnxt = psn_add(p->psn, 1);
		if (level)
			g->recovery->rcur = g->rnxt;
		g->rsp_open = !(op & IS_END);
		g->unique_payload += p->payload;
	}
	recent_note(&e->recent, recent_responses(g), g->index, p, false);
	if (f && (op & IS_END))
		message_read_done(e, f, p->psn, p->ns);
	if (g->recovery)
		recovery_state_release(g);
}

/* Was the answer |psn| seen before |f| asks for it again?  Where the capture
 * misses a request, a hole among its answers is not known as one: that none is
 * known is no evidence then.  |orig|: the answer, or NULL when it is too long
 * ago. */
static bool response_was_seen(const struct engine *e, const struct flow *f,
			      const struct flow *g, uint32_t psn,
			      const struct recent_packet **orig)
{
	const struct recent_packet *r = recent_response_of(e, g, psn);
	bool holes = f->missing || g->missing || g->unresolved;

	*orig = r;
	return (*orig || !holes) && psn_diff(psn, g->rnxt) < 0 &&
	       request_seen(f, psn);
}

/* Had the response |orig| been under way to the requester for so long that its
 * timer cannot have been faster?  Where no reaction of it was measured, that
 * way takes no more than a quarter of the timer, if it is shorter. */
static bool was_due(const struct engine *e, const struct flow *f,
		    const struct packet *p, const struct recent_packet *orig)
{
	const struct recent_packet *asked = recent_request_of(e, f, p->psn);
	int64_t took = orig ? p->ns - orig->ns : 0;

	if (orig && f->rtt_s)
		return took >= clamp_mul(RESPONSE_DUE_TIMES, f->rtt_s);
	if (!f->in_time ||
	    MANY_RETRANSMITTED * (uint64_t)f->retransmitted > f->requests)
		return false;
	return !orig || !asked ||
	       clamp_mul(4, took) >= clamp_mul(3, clamp_sub(p->ns, asked->ns));
}

/* Did the response before it pass behind it?  Its requester may have discarded
 * it then. */
static bool early(const struct engine *e, const struct flow *g,
		  const struct recent_packet *r)
{
	const struct recent_packet *before =
		r ? recent_response_of(e, g, psn_add(r->psn, PSN_MASK)) : NULL;

	return before && before->ns > r->ns;
}

/* Who requests again from |psn| on has received all responses before it: those
 * that were not seen here were not captured. */
static void arrived_before(struct engine *e, struct flow *g, uint32_t psn)
{
	struct gaps *l = &g->recovery->rgaps;

	while (l->n && psn_diff(l->g[0].end, psn) <= 0) {
		struct gap *r = &l->g[0];
		uint32_t n = (uint32_t)psn_diff(r->end, r->start);

		g->missing += n;
		tap_missed(e, r->tap, n);
		emit_gap(e, g, r, EVENT_CAPTURE_MISSING, 0.9,
			 "R7: responses not captured, later ones requested "
			 "again");
		gaps_remove(l, r);
	}
}

/* Was the response that |f| requested again the last time not sent since,
 * though it now requests the rest of the same READ, up to |last|?  Then the
 * original had come late. */
static void note_arrived(const struct engine *e, const struct flow *f,
			 struct flow *g, const struct packet *p, uint32_t last)
{
	const struct recovery_state *t = g->recovery;
	const struct recent_packet *r;

	if (!t->reread || psn_diff(p->psn, t->reread_first) <= 0 ||
	    t->reread_last != last || acks_before_data(f))
		return;
	r = recent_response_of(e, g, t->reread_first);
	if (r && r->ns < t->reread_ns)
		recovery_moot(g, t->reread_first, t->reread_ns, t->reread_frame,
			      "R26: requested again, then received without a "
			      "retransmission: reordered downstream");
}

struct reread response_reread(struct engine *e, struct flow *f,
			      const struct packet *p, uint32_t span)
{
	struct flow *g = flow_peer(e, f);
	const struct recent_packet *orig = NULL;
	struct recovery_state *t;
	struct gap *r;
	enum recovery_trigger trigger;
	bool seen, more, pending, at_once, anew;
	uint32_t most;
	int64_t silence;

	if (!f->paired || !g || !g->rsp_valid || !(t = recovery_state_get(g)))
		return (struct reread) { .trigger = TRIGGER_UNKNOWN };
	/* The answers asked for before were still on their way here, or this
	 * one was missing among them: on which side is not known. */
	pending = (t->reread && t->rcur != g->rnxt &&
		   psn_diff(p->psn, t->rcur) >= 0 &&
		   psn_diff(p->psn, t->reread_end) < 0) ||
		  (t->rhole && psn_diff(p->psn, t->rhole_from) >= 0 &&
		   psn_diff(p->psn, t->rhole_to) < 0);
	arrived_before(e, g, p->psn);
	note_arrived(e, f, g, p, psn_add(p->psn, span));
	r = gaps_find(&t->rgaps, p->psn);
	seen = !r && response_was_seen(e, f, g, p->psn, &orig);
	if (!t->reread || psn_diff(p->psn, t->reread_psn) < 0 ||
	    psn_diff(p->psn, t->reread_end) >= 0)
		t->reread_psn = p->psn;
	t->reread = true;
	t->reread_first = p->psn;
	t->reread_last = psn_add(p->psn, span);
	t->reread_ns = p->ns;
	t->reread_frame = p->frame;
	t->reread_end = f->nxt;
	t->rcur = p->psn;
	/* Responses that went on without it are noticed at once; a timer means
	 * that the requester saw nothing more. */
	anew = f->recovery && f->recovery->may_be_anew;
	more = !anew && (psn_diff(g->rnxt, psn_add(p->psn, 1)) > 0 ||
			 psn_diff(f->una, t->reread_last) > 0);
	silence = p->ns - g->last_rsp_ns;
	at_once = silence < RESPONSE_AT_ONCE_NS;
	trigger = (more ? silence >= RESPONSE_IDLE_NS
			: !at_once || recovery_may_be_timer(f, silence))
			  ? TRIGGER_TIMEOUT
		  : more ? TRIGGER_IMPLIED_NAK
			 : TRIGGER_UNKNOWN;
	more = trigger == TRIGGER_IMPLIED_NAK;
	if (r)
		return (struct reread) { trigger, CAUSE_LOSS_UPSTREAM, 1,
					 (uint32_t)psn_diff(r->end, p->psn),
					 r->ns };
	if (anew || !seen || pending || acks_before_data(f) ||
	    early(e, g, orig) ||
	    (!(more && at_once) && !was_due(e, f, p, orig)))
		return (struct reread) { trigger, CAUSE_UNKNOWN, 0, 1, 0 };
	most = (uint32_t)psn_diff(g->rnxt, p->psn);
	if (drops_between(e, g->place,
			  orig ? orig->ns : p->ns - DROPS_MARGIN_NS, p->ns))
		return (struct reread) { .trigger = TRIGGER_UNKNOWN };
	recovery_refill(
		e, g,
		&(struct refill) { .ns = orig ? orig->ns : p->ns,
				   .frame = orig ? orig->frame : p->frame,
				   .psn = p->psn,
				   .tap = p->tap,
				   .most = most,
				   .by_timer = trigger == TRIGGER_TIMEOUT });
	return (struct reread) { trigger, CAUSE_LOSS_DOWNSTREAM, 1, most,
				 orig ? orig->ns : 0 };
}

/* ---- responses that came before the pairing, or before any request ---- */

static void hold(struct engine *e, struct flow *g, const struct packet *p)
{
	struct route_pair *r = &e->routes[g->route / 2];
	struct held *h;

	if (p->syndrome == AETH_NAK << 5) {
		r->held_nak_ns[~g->route & 1] = p->ns;
		r->held_nak_psn[~g->route & 1] = p->psn;
		r->held_naks[~g->route & 1] |= 1u << (p->psn & 31);
	}
	if (!g->held)
		g->held = mem_calloc(HELD_MAX, sizeof *g->held);
	if (!g->held)
		return;
	if (g->held_n == HELD_MAX) {
		/* Keep the NAKs: acknowledgements are cumulative. */
		unsigned i = 0;

		while (i < HELD_MAX - 1 && g->held[i].syndrome >> 5)
			i++;
		for (; i < HELD_MAX - 1; i++)
			g->held[i] = g->held[i + 1];
		g->held_n--;
	}
	h = &g->held[g->held_n++];
	*h = (struct held) { .ns = p->ns,
			     .frame = p->frame,
			     .psn = p->psn,
			     .msn = p->msn,
			     .tap = p->tap,
			     .syndrome = p->syndrome,
			     .opcode = p->opcode,
			     .has_aeth = p->flags & PACKET_HAS_AETH };
}

void response_replay_held(struct engine *e, struct flow *g)
{
	struct flow *f = flow_peer(e, g);
	struct held *h = g->held;
	unsigned n = g->held_n;

	if (!f || !f->req_valid)
		return;
	g->held = NULL;
	g->held_n = 0;
	for (unsigned i = 0; h && i < n; i++) {
		struct packet p = {
			.ns = h[i].ns,
			.frame = h[i].frame,
			.psn = h[i].psn,
			.msn = h[i].msn,
			.tap = h[i].tap,
			.syndrome = h[i].syndrome,
			.opcode = h[i].opcode,
			.flags = h[i].has_aeth ? PACKET_HAS_AETH : 0,
		};

		apply(e, g, f, &p);
	}
	free(h);
}

/* ---- in ---- */

/* Has the mirror doubled it?  Every answer that would count is looked at, the
 * others only where packets are known to come twice. */
static bool is_copy(struct engine *e, struct flow *g, const struct packet *p)
{
	bool data = e->op[p->opcode] & IS_DATA;
	bool look = data ? g->rsp_valid && psn_diff(p->psn, g->rnxt) < 0
			 : p->syndrome >> 5 || tap_has_repeats(e, p->tap);
	enum copy_kind kind = look ? copy_classify(e, g, p) : COPY_NEW;

	if (kind == COPY_NEW)
		return false;
	copy_count(e, g, p, kind, 0.99, "R20");
	return true;
}

/* Does it acknowledge what was not seen here?  Of queue pairs in step it may be
 * another one's. */
static bool covers_hole(const struct engine *e, const struct flow *g,
			uint32_t psn)
{
	const struct flow *f;

	if (g->pairing != PAIRING_IN_STEP)
		return false;
	f = flow_at(e, g->peer);
	return f->req_valid &&
	       (!request_seen(f, psn) ||
		(f->recovery && f->recovery->gaps.n &&
		 psn_diff(psn, f->recovery->gaps.g[0].start) >= 0));
}

void response_packet(struct engine *e, struct flow *g, const struct packet *p)
{
	struct flow *f;

	if (is_copy(e, g, p)) {
		f = g->paired ? flow_peer(e, g) : NULL;
		if (f && f->recovery && p->syndrome == AETH_NAK << 5 &&
		    !tap_doubles_some(e, p->tap))
			recovery_nak_again(f->recovery, p->psn, p->ns);
		return;
	}
	g->responses++;
	if (!g->paired)
		pair_response(e, g, p);
	else if (p->syndrome == AETH_NAK << 5 || covers_hole(e, g, p->psn))
		pair_doubt(e, g);
	f = g->paired ? flow_peer(e, g) : NULL;
	if (!f || !f->req_valid)
		hold(e, g, p);
	else
		apply(e, g, f, p);
	if (e->op[p->opcode] & IS_DATA && p->payload) {
		burst_data(e, g, g->response_ns, p);
		g->response_ns = p->ns;
	}
	if (e->op[p->opcode] & IS_DATA)
		data_response(e, g, g->paired ? flow_peer(e, g) : NULL, p);
	g->last_rsp_ns = p->ns;
	if (!(e->op[p->opcode] & IS_DATA))
		recent_note(&e->recent, recent_responses(g), g->index, p,
			    false);
	g->ids_skipped |= p->ip_id != g->last_ip_id && !ip_id_follows(g, p);
	note_ip_id(g, p);
}

void response_finish(struct engine *e, struct flow *g)
{
	struct flow *f = flow_peer(e, g);

	while (g->recovery && g->recovery->rgaps.n) {
		struct gap *r = &g->recovery->rgaps.g[0];
		uint32_t n = (uint32_t)psn_diff(r->end, r->start);
		/* A requester that missed them would have asked again. */
		bool went_on = f && g->paired && f->req_valid &&
			       f->last_req_ns > r->ns + RESPONSE_IDLE_NS;
		bool old = f && e->now - r->ns > RESPONSE_HOLE_OLD_NS;

		if (went_on || old) {
			g->missing += n;
			tap_missed(e, r->tap, n);
		} else {
			g->unresolved += n;
		}
		emit_gap(e, g, r,
			 went_on || old ? EVENT_CAPTURE_MISSING
					: EVENT_UNRESOLVED_GAP,
			 went_on ? 0.9 : 0.5,
			 "R7: responses not captured, not requested again");
		gaps_remove(&g->recovery->rgaps, r);
	}
}
