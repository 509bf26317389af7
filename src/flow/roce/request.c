/* SPDX-License-Identifier: GPL-2.0-or-later
 * The request PSN space of one direction.
 *
 * In order is the short path.  Everything else is one of: at the cursor
 * (continuing a replay), ahead of it (a hole), behind it (a mirror or network
 * duplicate, a late original, or the sender stepping back). */
#include "base/clamp.h"
#include "flow/core/burst.h"
#include "flow/core/copy.h"
#include "flow/core/flow.h"
#include "flow/core/serial.h"
#include "flow/fastpath/fast.h"
#include "flow/recovery/recovery.h"
#include "flow/roce/ending.h"
#include "flow/roce/reconnect.h"
#include "flow/roce/roce.h"

/* Further back a retransmission looks like a wrapped PSN. */
enum {
	HISTORY = 1 << 22,
	HORIZON_NS = 200 * 1000 * 1000,
	PMTU_MIN = 256,
};

/* A READ of unknown length that comes late ends before what came already. */
static uint32_t up_to_next(const struct flow *f, uint32_t psn)
{
	const struct gap *g;

	if (!f->req_valid || psn_diff(psn, f->nxt) >= 0)
		return 1;
	if (psn_diff(psn, f->first) < 0)
		return (uint32_t)psn_diff(f->first, psn);
	g = f->recovery ? gaps_find(&f->recovery->gaps, psn) : NULL;
	return g ? (uint32_t)psn_diff(g->end, psn) : 1;
}

/* How many PSNs this request takes. */
static uint32_t span_of(const struct flow *f, const struct packet *p,
			bool *unknown)
{
	bool reth = p->flags & PACKET_HAS_RETH;

	if (!reth && f->req_valid && psn_diff(p->psn, f->nxt) < 0)
		return message_left(f, p->psn);
	if (reth && (p->dma_len <= PMTU_MIN || p->dma_len <= f->payload_max))
		return 1;
	if (!reth || !f->pmtu) {
		*unknown = true;
		return up_to_next(f, p->psn);
	}
	return p->dma_len / f->pmtu + (p->dma_len % f->pmtu != 0);
}

static void begin(const struct engine *e, struct flow *f,
		  const struct packet *p)
{
	f->req_valid = true;
	f->mid_stream = !(e->op[p->opcode] & IS_START);
	f->first_ip_id = p->ip_id;
	f->first = f->initial = f->nxt = p->psn;
	/* What was acknowledged before the capture began is not known. */
	f->una = psn_add(p->psn, PSN_MASK + 1 - HISTORY);
	if (f->recovery)
		f->recovery->cur = p->psn;
}

void request_drag_marks(struct flow *f)
{
	uint32_t oldest = psn_add(f->nxt, PSN_MASK + 1 - HISTORY);

	if (psn_diff(f->first, oldest) < 0)
		f->first = oldest;
	if (psn_diff(f->una, oldest) < 0)
		f->una = oldest;
}

void request_extend(struct flow *f, uint32_t nxt)
{
	if (f->recovery && f->recovery->cur == f->nxt)
		f->recovery->cur = nxt;
	request_advance(f, nxt);
}

/* ---- gaps ---- */

/* A gap that nothing will fill any more. */
static void gap_final(struct engine *e, struct flow *f, struct gap *g)
{
	uint32_t n = (uint32_t)psn_diff(g->end, g->start);

	if (g->again || g->before)
		; /* nothing is known to be missing: nothing is claimed */
	else if (g->acked_ns && !g->naked) {
		f->missing += n;
		tap_missed(e, g->tap, n);
		emit_gap(e, f, g, EVENT_CAPTURE_MISSING, 0.95,
			 "R7: acknowledged, not captured");
	} else {
		f->unresolved += n;
		emit_gap(e, f, g, EVENT_UNRESOLVED_GAP, 0.5,
			 g->naked ? "R9: NAKed, retransmission not seen"
				  : "R9: no evidence either way");
	}
	gaps_remove(&f->recovery->gaps, g);
}

static int64_t horizon(const struct flow *f)
{
	int64_t t = 0;

	if (f->cm.ack_timeout > 0)
		t = 4 * (4096LL << f->cm.ack_timeout);
	return t > HORIZON_NS ? t : HORIZON_NS;
}

static void gaps_expire(struct engine *e, struct flow *f, int64_t now)
{
	struct gaps *l = &f->recovery->gaps;
	/* What came so late once may do so again. */
	int64_t wait = clamp_mul(LATE_TIMES, f->late_max) > e->o.jitter_ns
			       ? clamp_mul(LATE_TIMES, f->late_max)
			       : e->o.jitter_ns;

	for (int i = l->n - 1; i >= 0; i--) {
		struct gap *g = &l->g[i];
		bool acked = g->acked_ns && now - g->acked_ns > wait;
		bool old = !f->paired && now - g->ns > horizon(f);

		if (acked || old || psn_diff(f->nxt, g->start) > HOLE_MAX)
			gap_final(e, f, g);
	}
}

static void gap_open(struct engine *e, struct flow *f, const struct packet *p,
		     uint32_t from, uint32_t to, bool again)
{
	struct gaps *l = &f->recovery->gaps;
	struct gap g = { .start = from,
			 .end = to,
			 .ns = p->ns,
			 .frame = p->frame,
			 .tap = p->tap,
			 .again = again,
			 .ip_id = p->ip_id,
			 .arrivals = f->requests - 1 };

	if (!again && psn_diff(f->una, to) >= 0)
		g.acked_ns = p->ns;
	if (gaps_add(l, g))
		return;
	if (l->n)
		gap_final(e, f, &l->g[0]);
	if (!gaps_add(l, g))
		f->unresolved += (uint32_t)psn_diff(to, from);
}

/* Sent before the packet that opened the hole: it was reordered. */
static bool reordered(const struct flow *f, const struct packet *p,
		      const struct gap *g)
{
	return g && ip_id_order(f, p, g->ip_id) < 0;
}

/* A hole among copies; what in it was never seen is a gap already. */
static void hole_open(struct engine *e, struct flow *f, const struct packet *p,
		      uint32_t from, uint32_t to)
{
	struct gaps *l = &f->recovery->gaps;

	/* Its sender need not repeat what it knows to have arrived. */
	from = psn_max(from, f->una);
	while (psn_diff(to, from) > 0) {
		const struct gap *g = gaps_find(l, from);
		uint32_t end = to;

		if (g) {
			from = g->end;
			continue;
		}
		for (unsigned i = 0; i < l->n; i++)
			if (psn_diff(l->g[i].start, from) > 0)
				end = psn_min(end, l->g[i].start);
		gap_open(e, f, p, from, end, true);
		from = end;
	}
}

/* ---- late originals: R1 ---- */

/* Only that nothing asked for it says that it was not retransmitted: what did
 * may not have been captured. */
static bool may_be_copy(const struct flow *f, const struct late *l)
{
	uint64_t lacks = (uint64_t)f->missing + f->unresolved;

	return !l->certain && (l->again || recovery_rnr_missed(f) ||
			       LACKS_ONE_IN * lacks > f->requests);
}

static void count_late(struct flow *f, const struct late *l)
{
	f->reordered += l->count;
	f->reorder_events++;
	if (l->extent > f->extent_max)
		f->extent_max = (uint32_t)l->extent;
	if (l->late_ns > f->late_max)
		f->late_max = l->late_ns;
	f->last_late_psn = l->psn;
	f->last_late_n = l->count;
	f->last_late_ns = l->ns;
	f->last_early_psn = l->reordered_by;
	f->last_early_n = (uint32_t)psn_diff(f->nxt, l->reordered_by);
}

static void late_flush(struct engine *e, struct flow *f)
{
	struct late *l = &f->recovery->late;
	bool late;

	if (!l->valid)
		return;
	l->valid = false;
	late = !may_be_copy(f, l);
	if (late)
		count_late(f, l);
	else
		f->unresolved += l->count;
	emit_event(
		e, f,
		&(struct fact_event) {
			.ns = l->ns,
			.frame = l->frame,
			.tap = l->tap,
			.kind = late ? EVENT_REORDER : EVENT_UNRESOLVED_GAP,
			.psn = l->psn,
			.count = l->count,
			.value = late ? (int64_t)l->extent : FACT_UNKNOWN,
			.confidence = late ? 0.95 : 0.5,
			.detail = late ? "R1: reordered, not retransmitted"
				       : "R1 or R9: reordered, or not "
					 "captured and then retransmitted" });
}

static void late_arrival(struct engine *e, struct flow *f,
			 const struct packet *p, uint32_t span,
			 const struct gap *g)
{
	struct recovery_state *t = f->recovery;
	struct late *l = &t->late;
	uint64_t extent = f->requests - 1 - g->arrivals;

	if (copy_is_second(e, p, recent_request_of(e, f, g->end))) {
		gaps_cut(&t->gaps, p->psn, span);
		return;
	}
	if (l->valid && p->psn != psn_add(l->psn, l->count))
		late_flush(e, f);
	if (!l->valid)
		*l = (struct late) { .valid = true,
				     .psn = p->psn,
				     .ns = p->ns,
				     .frame = p->frame,
				     .tap = p->tap };
	l->count++;
	l->reordered_by = g->end;
	l->certain |= g->before || reordered(f, p, g);
	if (extent > l->extent)
		l->extent = extent;
	if (p->ns - g->ns > l->late_ns)
		l->late_ns = p->ns - g->ns;
	if (t->nak.valid && t->nak.psn == p->psn)
		t->nak.orig_late = true;
	gaps_cut(&t->gaps, p->psn, span);
}

/* ---- replays ---- */

static void first_seen(struct engine *e, struct flow *f, const struct packet *p,
		       uint32_t span)
{
	f->unique_payload += p->payload;
	if (e->op[p->opcode] & (IS_START | IS_END))
		message_filled(e, f, p, span);
}

static void replay_copy(struct engine *e, struct flow *f,
			const struct packet *p, uint32_t span)
{
	struct recovery_state *t = f->recovery;
	struct gap *g = gaps_find(&t->gaps, p->psn);
	bool fill = g && !g->again && !g->before, again = g && g->again;

	if (fill && reordered(f, p, g)) {
		/* Not a copy: the replay ended and new data follow. */
		first_seen(e, f, p, span);
		late_arrival(e, f, p, span, g);
		recent_request(e, f, p, false);
		t->cur = f->nxt;
		recovery_caught_up(e, f, p->ns);
		return;
	}
	again = again && !reordered(f, p, g);
	if (fill || (g && g->before))
		first_seen(e, f, p, span);
	if (!g || !g->before)
		recovery_copy(e, f, p, fill || again ? g : NULL);
	if (g)
		gaps_cut(&t->gaps, p->psn, span);
	t->cur = psn_add(p->psn, span);
	if (psn_diff(t->cur, t->high) >= 0) {
		/* A READ retransmitted with a span that was not known
		 * before. */
		if (psn_diff(t->cur, f->nxt) > 0)
			request_advance(f, t->cur);
		t->cur = f->nxt;
		recovery_caught_up(e, f, p->ns);
	}
	recent_request(e, f, p, true);
}

/* A copy that is missing here in the replay, but passed before it: the order
 * of sending shows in the IP identification. */
static uint32_t skip_reordered(const struct engine *e, struct flow *f,
			       const struct packet *p, uint32_t from)
{
	uint32_t first = from;

	for (unsigned n = 0; counts_ip_id(f) && from != p->psn && n < 64; n++) {
		const struct recent_packet *r = recent_request_of(e, f, from);

		if (!r || (int16_t)(uint16_t)(r->ip_id - f->last_ip_id) <= 0 ||
		    (int16_t)(uint16_t)(p->ip_id - r->ip_id) <= 0)
			break;
		from = psn_add(from, 1);
		f->last_early_psn = first;
		f->last_early_n = (uint32_t)psn_diff(from, first);
		f->last_late_ns = p->ns;
	}
	return from;
}

/* The sender goes on with new data before it has replayed everything. */
static void resume(struct engine *e, struct flow *f, const struct packet *p)
{
	struct recovery_state *t = f->recovery;
	uint32_t from = skip_reordered(e, f, p, t->cur);

	if (recovery_resumed(e, f, p->ns))
		hole_open(e, f, p, from, t->high);
	t->cur = f->nxt;
}

static bool at_cursor(struct engine *e, struct flow *f, const struct packet *p,
		      uint32_t span)
{
	int64_t silence = p->ns - f->last_req_ns;

	if (f->recovery->cur == f->nxt)
		return true;
	if (recovery_stalled(f, p, silence))
		recovery_sender_stalled(e, f, p, silence);
	replay_copy(e, f, p, span);
	return false;
}

/* Decides about everything that is still open. */
static void request_close(struct engine *e, struct flow *f)
{
	struct recovery_state *t = f->recovery;

	if (!t)
		return;
	late_flush(e, f);
	recovery_close(e, f);
	recovery_unanswered(e, f);
	while (t->gaps.n)
		gap_final(e, f, &t->gaps.g[t->gaps.n - 1]);
}

static void restart(struct engine *e, struct flow *f, const struct packet *p,
		    const char *why)
{
	f->requests--; /* it is not one of these */
	flow_new_epoch(e, f, p, 1, why);
	begin(e, f, p);
	f->requests = 1;
}

/* Somewhere else in the PSN space: nothing between is claimed either way. */
static void rebase(struct engine *e, struct flow *f, const struct packet *p)
{
	emit_event(e, f,
		   &(struct fact_event) {
			   .ns = p->ns,
			   .frame = p->frame,
			   .tap = p->tap,
			   .kind = EVENT_OUTAGE,
			   .psn = f->nxt,
			   .count = 1,
			   .value = psn_diff(p->psn, f->nxt),
			   .confidence = 0.5,
			   .detail = "PSN jump: capture outage or another "
				     "connection" });
	message_finish(e, f, false);
	request_close(e, f);
	begin(e, f, p);
}

/* Too far away to be a hole or a replay. */
static bool far_away(struct engine *e, struct flow *f, const struct packet *p,
		     int32_t d)
{
	int64_t silence = p->ns - f->last_req_ns;
	bool start = e->op[p->opcode] & IS_START;

	if (d <= HOLE_MAX && d >= -REPLAY_MAX &&
	    !(start && silence >= ANEW_SILENCE_NS && d > REPLAY_MAX))
		return false;
	if (start && (d < 0 || silence >= ANEW_SILENCE_NS))
		restart(e, f, p, "PSN elsewhere");
	else
		rebase(e, f, p);
	return true;
}

/* So soon after a NAK no sender reacts, or its sender never reacted: the least
 * of a few reactions is no bound, as the next one may be sooner.  Stamps that
 * differ by |ns| are no coarser than that, so that it took less than twice as
 * long; equal ones may be coarse. */
static bool too_soon(const struct engine *e, const struct flow *f, int64_t ns)
{
	const struct route_pair *r = &e->routes[f->route / 2];

	if (ns > 0 && 2 * ns <= REACTION_MIN_NS)
		return true;
	return r->reactions[f->route & 1] >= REACTIONS_MIN &&
	       2 * ns < r->reaction_ns[f->route & 1];
}

/* Did a NAK name it since, of which it is not known whom it is for? */
static bool named_to_another(const struct engine *e, const struct flow *f,
			     const struct packet *p, int64_t since)
{
	const struct route_pair *r = &e->routes[f->route / 2];
	unsigned way = f->route & 1;

	return !f->paired && r->held_nak_psn[way] == p->psn &&
	       r->held_nak_ns[way] >= since && r->held_nak_ns[way];
}

/* A packet behind the cursor that was never seen before: is it the original,
 * late, rather than a reaction?  Reference 3.3 and the IP-ID refinement. */
static bool is_late(struct engine *e, const struct flow *f,
		    const struct packet *p, enum recovery_trigger trigger)
{
	const struct recovery_state *t = f->recovery;
	const struct gap *g = gaps_find(&t->gaps, p->psn);
	int order = ip_id_order(f, p, g->ip_id);

	if (order)
		return order < 0;
	/* What has been acknowledged is not on its way for the first time. */
	if (g->before && psn_diff(f->una, p->psn) > 0)
		return false;
	if (g->before && trigger != TRIGGER_NAK)
		return true;
	if (trigger == TRIGGER_NAK && too_soon(e, f, p->ns - t->nak.ns))
		return true;
	return trigger == TRIGGER_UNKNOWN && !named_to_another(e, f, p, g->ns);
}

/* The connection was set up anew on the same QP number. */
static bool is_restart(struct engine *e, const struct flow *f,
		       const struct packet *p, int64_t silence)
{
	int32_t behind = psn_diff(f->una, p->psn);

	if (!(e->op[p->opcode] & IS_START))
		return false;
	if (f->died || f->ended)
		return true;
	/* Everything had been acknowledged, and it starts where it began. */
	return silence >= ANEW_FIRST_SILENCE_NS && p->psn == f->initial &&
	       behind > ANEW_FIRST_PACKETS && psn_diff(f->una, f->nxt) >= 0;
}

/* The sender waited longer between the packet before |p| and |p| than its timer
 * has run since.  An ACK restarts the timer, also one of what was acknowledged
 * before, so that what it waited for may have taken longer than the timer. */
static bool waited_for_acks(struct engine *e, const struct flow *f,
			    const struct packet *p)
{
	const struct recent_packet *sent = recent_request_of(e, f, p->psn);
	const struct recent_packet *prior =
		recent_request_of(e, f, psn_add(p->psn, PSN_MASK));

	return sent && prior && sent->ns - prior->ns >= p->ns - sent->ns;
}

/* A requester that steps back to |p| has received what was before it: was
 * anything received before its timer ran out, but what it had requested once
 * more?  Then the way to it is shorter than the timer. */
static void note_in_time(struct engine *e, struct flow *f,
			 const struct packet *p)
{
	uint32_t from = f->again_once ? f->again_to : f->initial;

	if (!f->again_once || p->psn != f->again_from)
		f->in_time =
			psn_diff(p->psn, from) > 0 && !waited_for_acks(e, f, p);
	f->ever_in_time |= f->in_time;
	f->again_once = true;
	f->again_from = p->psn;
	f->again_to = f->nxt;
}

/* The sender begins to repeat itself. */
static void step_back(struct engine *e, struct flow *f, const struct packet *p,
		      uint32_t span, enum recovery_trigger trigger,
		      int64_t silence)
{
	struct reread r = { .trigger = TRIGGER_UNKNOWN };

	note_in_time(e, f, p);
	if ((e->op[p->opcode] & IS_ANSWERED) &&
	    (trigger == TRIGGER_UNKNOWN || trigger == TRIGGER_TIMEOUT) &&
	    (request_seen(f, p->psn) || before_capture(f, p->psn)))
		r = response_reread(e, f, p, span);
	if (r.lost_max) {
		recovery_reread(e, f, p, &r, silence);
		return;
	}
	recovery_start(e, f, p, trigger, silence);
	/* No response has passed that would tell whether it was missing. */
	if ((trigger == TRIGGER_TIMEOUT || !f->paired) &&
	    (e->op[p->opcode] & IS_ANSWERED) &&
	    (p->psn == psn_max(f->una, f->initial) ||
	     message_within(f, p->psn)))
		f->recovery->ep.ev.bits |= V(RESPONSE);
}

/* The sender goes back for a NAK, and its first copy is missing here: as is
 * what the receiver missed, if there is a hole. */
static void headless(struct engine *e, struct flow *f, const struct packet *p,
		     uint32_t span, int64_t silence)
{
	struct recovery_state *t = f->recovery;
	struct packet head = *p;
	const struct gap *g;

	head.psn = t->nak.psn;
	step_back(e, f, &head, span, TRIGGER_NAK, silence);
	g = gaps_find(&t->gaps, head.psn);
	if (g) {
		t->ep.ev.bits |= V(REPLAY_HOLE);
		t->ep.ev.again = g->again;
	}
	hole_open(e, f, p, head.psn, p->psn);
}

/* Its identification is older than what has passed, and nothing asked for it:
 * a copy of an earlier round, reordered by later packets; or the original,
 * behind a hole that was given up before it came. */
static void stale(struct engine *e, struct flow *f, const struct packet *p,
		  uint32_t span)
{
	bool copy = recent_request_of(e, f, p->psn);
	uint32_t *given_up =
		psn_diff(f->una, p->psn) > 0 ? &f->missing : &f->unresolved;

	if (copy) {
		f->retransmitted++;
		f->retransmitted_bytes += p->payload;
	} else {
		first_seen(e, f, p, span);
		f->reordered++;
		*given_up -= *given_up > 0;
	}
	recent_request(e, f, p, copy);
}

/* The copy of this packet was faster than the original. */
static bool late_original(struct engine *e, struct flow *f,
			  const struct packet *p, enum recovery_trigger trigger,
			  int64_t silence)
{
	const struct recent_packet *r = recent_request_of(e, f, p->psn);

	if ((trigger != TRIGGER_UNKNOWN && trigger != TRIGGER_TIMEOUT) ||
	    recovery_may_be_timer(f, silence) || !r ||
	    ip_id_order(f, p, r->ip_id) > 0 || tap_has_repeats(e, p->tap) ||
	    !recovery_late_original(f, p->psn, p->ns))
		return false;
	f->reordered++;
	f->reorder_events++;
	if (p->ns - r->ns > f->late_max)
		f->late_max = p->ns - r->ns;
	emit_packet(e, f, p, EVENT_REORDER, FACT_UNKNOWN, 0.8,
		    "R1: the original came after its retransmission");
	return true;
}

static bool behind(struct engine *e, struct flow *f, const struct packet *p,
		   uint32_t span)
{
	struct recovery_state *t = f->recovery;
	int64_t silence = p->ns - f->last_req_ns;
	enum recovery_trigger trigger = recovery_trigger(e, f, p, silence);
	struct gap *g = gaps_find(&t->gaps, p->psn);
	/* It came before the NAK that what follows is the reaction to. */
	bool early = t->nak.valid && t->nak.ns > t->late.ns;

	if (is_restart(e, f, p, silence)) {
		restart(e, f, p, "PSN starts again");
		return true;
	}
	if (g && is_late(e, f, p, trigger)) {
		if (g->again) {
			/* A copy, reordered by later copies. */
			t->nak.copied |= t->nak.valid && p->psn == t->nak.psn;
			f->retransmitted++;
			f->retransmitted_bytes += p->payload;
			gaps_cut(&t->gaps, p->psn, span);
		} else {
			first_seen(e, f, p, span);
			if (!g->before || reordered(f, p, g))
				late_arrival(e, f, p, span, g);
			else
				gaps_cut(&t->gaps, p->psn, span);
		}
		recent_request(e, f, p, false);
		return false;
	}
	if (!g && late_original(e, f, p, trigger, silence))
		return false;
	if (!g && ip_id_order(f, p, f->max_ip_id) < 0 &&
	    (trigger == TRIGGER_UNKNOWN ||
	     (trigger == TRIGGER_TIMEOUT && silence < RTO_MIN_SILENCE_NS))) {
		stale(e, f, p, span);
		return false;
	}
	ending_tried(f, p, trigger);
	if (!g && t->late.valid && !t->late.certain &&
	    p->psn == psn_add(t->late.psn, t->late.count) && !t->ep.active &&
	    !early) {
		recovery_from_late(e, f, p);
	} else {
		t->late.again = !early && psn_diff(p->psn, t->late.psn) >=
						  (int32_t)t->late.count;
		late_flush(e, f);
		if (trigger == TRIGGER_UNKNOWN && recovery_head_missing(f, p))
			headless(e, f, p, span, silence);
		else
			step_back(e, f, p, span, trigger, silence);
	}
	replay_copy(e, f, p, span);
	return false;
}

static bool ahead(struct engine *e, struct flow *f, const struct packet *p,
		  uint32_t span)
{
	struct recovery_state *t = f->recovery;
	int32_t d = psn_diff(p->psn, f->nxt);

	if (t->cur != f->nxt && p->psn == t->was && recovery_stray(f)) {
		t->cur = p->psn;
		return d == 0 || (replay_copy(e, f, p, span), false);
	}
	if (t->cur != f->nxt && psn_diff(p->psn, t->high) < 0) {
		uint32_t from = skip_reordered(e, f, p, t->cur);

		/* An original that comes late is no part of the replay. */
		if (!reordered(f, p, gaps_find(&t->gaps, p->psn)))
			hole_open(e, f, p, from, p->psn);
		replay_copy(e, f, p, span);
		return false;
	}
	if (t->cur != f->nxt)
		resume(e, f, p);
	if (d < 0)
		return behind(e, f, p, span);
	if (d > 0 && f->span_unknown)
		message_span(f, p->psn);
	else if (d > 0)
		gap_open(e, f, p, f->nxt, p->psn, false);
	return true;
}

/* The capture began between a packet and its predecessors. */
static void before_first(struct flow *f, const struct packet *p)
{
	struct gap g = { .start = p->psn,
			 .end = f->first,
			 .ns = f->first_ns,
			 .ip_id = f->first_ip_id,
			 .arrivals = 0,
			 .before = true };

	if (f->requests > 256 || psn_diff(p->psn, f->first) >= 0 ||
	    psn_diff(f->first, p->psn) > 1 << 12)
		return;
	if (!gaps_add(&f->recovery->gaps, g))
		return;
	f->covered += (uint32_t)psn_diff(f->first, p->psn);
	f->before += (uint32_t)psn_diff(f->first, p->psn);
	f->first = p->psn;
}

/* True when |p| is new data at the high-water mark. */
static bool out_of_line(struct engine *e, struct flow *f,
			const struct packet *p, uint32_t span)
{
	struct recovery_state *t = recovery_state_get(f);
	int32_t d;

	if (!t)
		return psn_diff(p->psn, f->nxt) >= 0;
	if (f->ended && (e->op[p->opcode] & IS_START)) {
		restart(e, f, p, "connected anew");
		return true;
	}
	if (far_away(e, f, p, psn_diff(p->psn, f->nxt)))
		return true;
	gaps_expire(e, f, p->ns);
	before_first(f, p);
	d = psn_diff(p->psn, t->cur);
	if (d >= 0 && t->late.valid && !gaps_find(&t->gaps, p->psn))
		late_flush(e, f);
	if (d == 0)
		return at_cursor(e, f, p, span);
	if (d > 0)
		return ahead(e, f, p, span);
	return behind(e, f, p, span);
}

/* Was it seen a moment ago, as the same transmission? */
static bool is_duplicate(struct engine *e, struct flow *f,
			 const struct packet *p)
{
	enum copy_kind kind = copy_classify(e, f, p);

	if (kind == COPY_NEW)
		return false;
	if (kind == COPY_MIRROR)
		copy_count(e, f, p, kind, 0.95,
			   "R20: one transmission, captured twice");
	else
		copy_count(e, f, p, kind, 0.8,
			   "same transmission twice, by the network or by the "
			   "mirror");
	return true;
}

/* PSNs of which |p|, the next, shows that they carry no data: its own, and
 * those that a READ of unknown length took. */
static uint32_t bare(const struct flow *f, const struct packet *p,
		     uint32_t span)
{
	int32_t read = f->span_unknown ? psn_diff(p->psn, f->nxt) : 0;

	return (read > 0 ? (uint32_t)read : 0) + (p->payload ? 0 : span);
}

void request_packet(struct engine *e, struct flow *f, const struct packet *p)
{
	bool unknown = false;
	uint32_t span = 1;

	if (!f->req_valid) {
		begin(e, f, p);
		if (f->paired)
			response_replay_held(e, flow_peer(e, f));
	} else if ((p->psn != f->nxt || f->recovery) &&
		   reconnect_holds(e, f, p)) {
		return;
	} else if (psn_diff(p->psn, f->nxt) < 0) {
		if (is_duplicate(e, f, p))
			return;
		if (!f->paired)
			pair_by_nak(e, f, p);
	}
	if (f->recovery && p->psn == f->nxt)
		recovery_stop(f, p);
	burst_data(e, f, f->last_req_ns, p);
	if (f->recovery || p->psn != f->nxt)
		tap_step(e, f, p);
	f->requests++;
	if (e->op[p->opcode] & IS_READ) {
		if (f->span_unknown && (p->flags & PACKET_HAS_RETH))
			message_reread(f, p);
		span = span_of(f, p, &unknown);
		f->spans_reads |= span > 1 || unknown;
	}
	if ((p->psn != f->nxt || f->recovery) && !out_of_line(e, f, p, span)) {
		note_ip_id(f, p);
		f->ids_skipped = false;
		f->last_req_ns = p->ns;
		recovery_state_release(f);
		return;
	}
	burst_bare(f, bare(f, p, span));
	f->span_unknown = unknown;
	request_advance(f, psn_add(p->psn, span));
	f->unique_payload += p->payload;
	message_packet(e, f, p, span);
	request_noted(e, f, p, e->op[p->opcode]);
	if (f->recovery) {
		f->recovery->cur = f->nxt;
		recovery_new_data(e, f);
		recovery_state_release(f);
	}
}

static void ack_gaps(struct flow *f, uint32_t una, int64_t ns)
{
	struct gaps *l = &f->recovery->gaps;

	for (int i = l->n - 1; i >= 0; i--) {
		struct gap *g = &l->g[i];

		if (g->acked_ns || g->again || psn_diff(una, g->start) <= 0)
			continue;
		if (psn_diff(una, g->end) < 0) {
			struct gap rest = *g;

			rest.start = una;
			l->g[i].end = una;
			l->g[i].acked_ns = ns;
			gaps_add(l, rest);
			continue;
		}
		g->acked_ns = ns;
	}
}

/* Was what was answered before it passed seen? */
static void note_order(struct flow *f, uint32_t una)
{
	if (f->ahead_open && psn_diff(f->nxt, f->ahead) >= 0) {
		if (request_seen(f, psn_add(f->ahead, PSN_MASK)) &&
		    f->acks_before_data < UINT8_MAX)
			f->acks_before_data++;
		f->ahead_open = false;
	}
	if (!f->ahead_open && !f->span_unknown && psn_diff(una, f->nxt) > 0) {
		f->ahead = una;
		f->ahead_open = true;
	}
}

void request_acked(struct engine *e, struct flow *f, uint32_t una, int64_t ns)
{
	int32_t d = psn_diff(una, f->una);
	uint32_t unanswered = (uint32_t)psn_diff(f->nxt, f->una);

	if (!f->req_valid || psn_diff(una, f->nxt) > HOLE_MAX)
		return;
	note_order(f, una);
	if (d <= 0)
		return;
	if (unanswered > UINT16_MAX) /* nothing was acknowledged before? */
		unanswered = (uint32_t)psn_diff(f->nxt, f->first);
	/* An ACK that was held until the pairing does not say how much was on
	 * its way when it came. */
	if (unanswered >= f->window && unanswered <= UINT16_MAX &&
	    ns >= f->last_req_ns) {
		if (unanswered > f->window)
			f->window_met = 0;
		f->window = (uint16_t)unanswered;
		f->window_met += f->window_met < UINT8_MAX;
	}
	f->una = una;
	message_acked(e, f, una, ns);
	if (f->recovery) {
		ack_gaps(f, una, ns);
		recovery_acked(e, f, una, ns);
		recovery_state_release(f);
	}
}

void request_finish(struct engine *e, struct flow *f)
{
	if (!f->req_valid)
		return;
	reconnect_flush(e, f);
	request_close(e, f);
	if (psn_diff(f->una, f->nxt) > 0) {
		struct gap g = { .start = f->nxt,
				 .end = f->una,
				 .ns = f->last_rsp_seen_ns,
				 .tap = f->tap };

		f->missing += (uint32_t)psn_diff(f->una, f->nxt);
		emit_gap(e, f, &g, EVENT_CAPTURE_MISSING, 0.9,
			 "R8: acknowledged, not captured");
	}
}
