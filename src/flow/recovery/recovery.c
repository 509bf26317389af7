/* SPDX-License-Identifier: GPL-2.0-or-later
 * Replays: what triggered them, what was lost, what they cost. */
#include "flow/recovery/recovery.h"

#include "base/clamp.h"
#include "flow/core/serial.h"
#include "flow/core/skipped.h"
#include "flow/link/pause.h"
#include "wire/wire.h"

/* PSNs behind the first of a READ, at which it may be requested again. */
enum { READ_REST_MAX = 64 };

/* ---- triggers ---- */

/* A sender that was only waiting for a timer had been silent. */
static int64_t silence_floor(const struct flow *f)
{
	int64_t rtt = RTO_MIN_ROUND_TRIPS * f->rtt_r;

	return rtt > RTO_MIN_SILENCE_NS ? rtt : RTO_MIN_SILENCE_NS;
}

/* The sender did not react to the NAK but to its own timer after it. */
static bool too_late(const struct flow *f, const struct pending_nak *n,
		     int64_t now, int64_t silence)
{
	int64_t delay = clamp_sub(clamp_sub(now, n->ns), n->wait_ns);

	return delay > recovery_reaction_bound(f) &&
	       clamp_mul(RTO_IDLE_PART, silence) > delay;
}

/* The NAK before the last one that asks for |p|, or NULL. */
static struct pending_nak *nak_before(const struct flow *f,
				      const struct packet *p)
{
	struct pending_nak *n = f->recovery->nak_before, *end = n + NAKS_BEFORE;

	while (n < end && !nak_matches(n, p->psn))
		n++;
	return n < end && p->ns - n->ns <= recovery_reaction_bound(f) ? n
								      : NULL;
}

/* Obsolete senders start the whole message again: R22. */
static bool goes_back_0(const struct flow *f, const struct pending_nak *n,
			const struct packet *p)
{
	int32_t d = psn_diff(n->psn, p->psn);

	return d > 0 && d < MESSAGE_MAX && psn_diff(p->psn, f->una) < 0 &&
	       (wire_opcode(p->opcode)->does & OP_STARTS);
}

/* A receiver that repeats its NAK, and a sender that goes back each time: at
 * once, or as soon as the replay under way is over.  No timer runs out for a
 * sender that was not silent and has a NAK to react to. */
static bool once_more(const struct flow *f, const struct packet *p)
{
	const struct pending_nak *n = &f->recovery->nak;

	return n->valid && n->more && n->retransmitted &&
	       (n->psn == p->psn || goes_back_0(f, n, p)) &&
	       (p->ns - n->more_ns <=
			clamp_mul(REACTION_AGAIN_TIMES, n->reaction_ns) ||
		p->ns - f->last_req_ns < silence_floor(f));
}

/* The packet that a NAK named arrived late, and was acknowledged before the
 * sender, which sent nothing since, went back: now to the next one. */
static bool acked_meanwhile(const struct flow *f, const struct packet *p,
			    int64_t silence)
{
	const struct pending_nak *n = &f->recovery->nak;

	return nak_open(n) && n->acked && p->psn == f->una &&
	       psn_diff(p->psn, n->psn) > 0 && psn_diff(p->psn, n->high) < 0 &&
	       f->last_req_ns - n->ns <= silence &&
	       p->ns - n->ns <= recovery_reaction_bound(f);
}

/* The replay for a NAK that begins behind the packet it named: that one's
 * retransmission was not seen, or comes later. */
bool recovery_head_missing(const struct flow *f, const struct packet *p)
{
	const struct pending_nak *n = &f->recovery->nak;

	return nak_open(n) && !n->acked && psn_diff(p->psn, n->psn) > 0 &&
	       psn_diff(p->psn, n->high) < 0 && f->una == n->psn &&
	       p->ns - n->ns <= recovery_reaction_bound(f) && !nak_before(f, p);
}

/* A timer runs from a transmission of the first unacknowledged packet. */
static bool waited(const struct engine *e, const struct flow *f,
		   const struct packet *p)
{
	const struct recent_packet *r = recent_request_of(e, f, p->psn);

	return !r || p->ns - r->ns >= RTO_MIN_SILENCE_NS;
}

/* The request that |p| repeats: its own, or the READ that it is the rest of. */
static const struct recent_packet *
repeated(const struct engine *e, const struct flow *f, const struct packet *p)
{
	const struct recent_packet *r = recent_request_of(e, f, p->psn);

	for (uint32_t n = 1;
	     !r && (e->op[p->opcode] & IS_ANSWERED) && n <= READ_REST_MAX; n++)
		r = recent_request_of(e, f, psn_add(p->psn, PSN_MASK + 1 - n));
	return r;
}

/* A response to it, or to a READ or ATOMIC before it, came after this one,
 * which the requester takes for a NAK; of a READ, its own first one, or one of
 * those before the rest that it requests again.  NULL: none did. */
static const struct recent_packet *
skipped(const struct engine *e, const struct flow *f, const struct packet *p)
{
	const struct recent_packet *r = repeated(e, f, p);
	uint32_t first = f->first;

	if (!r || !request_seen(f, p->psn))
		return NULL;
	if (e->op[p->opcode] & IS_ANSWERED)
		first = r->psn;
	/* Which of two requests a response is for is not known. */
	if (first != p->psn && r->copy && (e->op[p->opcode] & IS_ANSWERED))
		return NULL;
	r = skipped_late(e, f, first, p->psn, r->ns);
	return r && p->ns - r->ns <= recovery_reaction_bound(f) ? r : NULL;
}

enum recovery_trigger recovery_trigger(const struct engine *e,
				       const struct flow *f,
				       const struct packet *p, int64_t silence)
{
	const struct recovery_state *t = f->recovery;

	if (nak_matches(&t->rnr, p->psn))
		return TRIGGER_RNR;
	if (nak_before(f, p))
		return TRIGGER_NAK;
	if (nak_matches(&t->nak, p->psn) ||
	    (nak_open(&t->nak) && goes_back_0(f, &t->nak, p)))
		return too_late(f, &t->nak, p->ns, silence) ? TRIGGER_TIMEOUT
							    : TRIGGER_NAK;
	if (once_more(f, p) || acked_meanwhile(f, p, silence))
		return TRIGGER_NAK;
	if (recovery_head_missing(f, p))
		return TRIGGER_UNKNOWN;
	if (skipped(e, f, p))
		return TRIGGER_IMPLIED_NAK;
	if (f->paired && silence >= silence_floor(f))
		return recovery_rnr_missed(f) ? TRIGGER_UNKNOWN
					      : TRIGGER_TIMEOUT;
	/* Timers run from the first unacknowledged packet, so the sender need
	 * not have been silent; but a NAK that the capture missed looks the
	 * same, so only where it has shown no holes. */
	if (f->paired && p->psn == f->una && !f->missing &&
	    !nak_open(&t->nak) && !nak_open(&t->rnr) &&
	    !gaps_find(&t->gaps, p->psn) && waited(e, f, p))
		return TRIGGER_TIMEOUT;
	return TRIGGER_UNKNOWN;
}

bool recovery_rnr_missed(const struct flow *f)
{
	return f->rnr_nak && f->missing;
}

bool recovery_may_be_timer(const struct flow *f, int64_t silence)
{
	return silence >= silence_floor(f);
}

/* ---- the course of a recovery ---- */

/* The timer ran out again for the same packet: the same recovery goes on. */
static bool another_round(struct flow *f, const struct packet *p,
			  enum recovery_trigger trigger, int64_t silence)
{
	struct recovery *ep = &f->recovery->ep;
	struct evidence *ev = &ep->ev;

	if (!ep->active || trigger != TRIGGER_TIMEOUT ||
	    ev->trigger != TRIGGER_TIMEOUT || p->psn != ev->psn ||
	    psn_diff(f->una, ev->psn) > 0)
		return false;
	ev->rounds++;
	ev->lost_max += (uint32_t)psn_diff(f->nxt, ev->psn);
	ev->high = f->nxt;
	ep->caught_up = ep->resumed = false;
	ev->first_ns = p->ns;
	ev->silence_ns = clamp_add(ev->silence_ns, silence);
	return true;
}

static uint64_t if_true(bool b, uint64_t bit)
{
	return b ? bit : 0;
}

/* A copy of what was seen here is no late original: so soon after a NAK the
 * sender can react. */
static void note_reaction(struct engine *e, const struct flow *f, int64_t ns)
{
	struct route_pair *r = &e->routes[f->route / 2];
	int64_t *least = &r->reaction_ns[f->route & 1];

	if (!r->reactions[f->route & 1]++ || ns < *least)
		*least = ns;
}

static void take_nak(struct engine *e, struct flow *f, struct evidence *ev,
		     struct pending_nak *n, int64_t ns)
{
	int64_t reaction = ns - n->ns - n->wait_ns;

	ev->detect_ns = n->ns;
	ev->frame_detect = n->frame;
	ev->nak_psn = n->psn;
	ev->nak_high = n->high;
	ev->again_before = n->again_before;
	ev->answered = n->answered;
	ev->shown_ns = n->shown_ns;
	ev->spaced_ns = n->spaced_ns;
	if (n->orig_frame)
		ev->orig_frame = n->orig_frame;
	if (n->orig_ns)
		ev->lost_ns = n->orig_ns;
	ev->bits &= ~(V(SEEN) | V(LATE) | V(BAD_ICRC) | V(BEFORE_CAPTURE) |
		      V(ACKED_BEFORE));
	ev->bits |= V(NAKED) | if_true(n->orig_seen, V(SEEN)) |
		    if_true(n->orig_late, V(LATE)) |
		    if_true(n->bad_icrc, V(BAD_ICRC)) |
		    if_true(n->orig_unknown, V(BEFORE_CAPTURE)) |
		    if_true(n->behind, V(ROD_BEHIND)) |
		    if_true(n->acked && !n->copied, V(ACKED_BEFORE));
	n->retransmitted = true;
	n->retransmitted_ns = ns;
	n->reaction_ns = reaction;
	/* Its timer says nothing of how it reacts. */
	if (reaction <= 0 || n->acked || n->wait_ns ||
	    ev->trigger == TRIGGER_TIMEOUT)
		return;
	if (!f->rtt_s || reaction < f->rtt_s)
		f->rtt_s = reaction;
	if (n->orig_seen)
		note_reaction(e, f, reaction);
}

static void take_skipped(const struct engine *e, const struct flow *f,
			 struct evidence *ev, const struct packet *p)
{
	const struct recent_packet *by = skipped(e, f, p);

	if (!by)
		return;
	ev->bits |= V(PASSED_OVER);
	ev->detect_ns = by->ns;
	ev->frame_detect = by->frame;
	ev->lost_ns = repeated(e, f, p)->ns;
}

/* The NAK, RNR NAK or response that it is the reaction to. */
static void take_trigger(struct engine *e, struct flow *f, struct evidence *ev,
			 const struct packet *p)
{
	struct recovery_state *t = f->recovery;

	if (ev->trigger == TRIGGER_NAK && once_more(f, p)) {
		ev->bits |= V(SAME_NAK);
		t->nak.more--;
		t->nak.retransmitted_ns = p->ns;
	}
	if (ev->trigger == TRIGGER_NAK && nak_before(f, p))
		take_nak(e, f, ev, nak_before(f, p), p->ns);
	else if (ev->trigger == TRIGGER_NAK ||
		 (ev->trigger == TRIGGER_TIMEOUT &&
		  nak_matches(&t->nak, p->psn)))
		take_nak(e, f, ev, &t->nak, p->ns);
	if (ev->trigger == TRIGGER_RNR)
		take_nak(e, f, ev, &t->rnr, p->ns);
	if (ev->trigger == TRIGGER_IMPLIED_NAK)
		take_skipped(e, f, ev, p);
}

/* Of the packet with |psn| seen last, unless it is |not_this|; 0: not
 * known any more. */
static uint64_t frame_of(const struct engine *e, const struct flow *f,
			 uint32_t psn, uint64_t not_this)
{
	const struct recent_packet *r = recent_request_of(e, f, psn);

	return r && r->frame != not_this ? r->frame : 0;
}

/* Does nothing from |psn| on request an ACK, or end a message? */
static bool no_ack_due(const struct flow *f, uint32_t psn)
{
	bool asked = psn_diff(f->ack_req_psn, psn) >= 0 &&
		     psn_diff(f->ack_req_psn, f->nxt) < 0;

	return f->in_message && psn_diff(f->open.psn_first, psn) <= 0 &&
	       !asked && !gaps_overlap(&f->recovery->gaps, psn, f->nxt);
}

/* Does the receiver wait for one that was not seen here behind |psn|, which a
 * sender that repeats selectively does not know of yet? */
static bool waits_behind(const struct flow *f, uint32_t psn)
{
	return psn_diff(f->una, psn) <= 0 &&
	       gaps_overlap(&f->recovery->gaps, psn_add(psn, 1), f->nxt);
}

/* Is |psn| no later than the first unacknowledged packet?  Before any ACK that
 * is the first one. */
static bool goes_on_from(const struct flow *f, uint32_t psn)
{
	return psn_diff(psn, psn_max(f->una, f->first)) <= 0;
}

/* PSNs of the message under way that were not seen yet. */
static uint32_t rest_of_message(const struct flow *f)
{
	const struct message *m = &f->open;
	uint64_t n;

	if (!f->in_message || m->by_payload || !f->pmtu)
		return 0;
	n = m->bytes / f->pmtu + (m->bytes % f->pmtu != 0);
	n -= (uint32_t)psn_diff(f->nxt, m->psn_first);
	return n < PSN_MASK / 2 ? (uint32_t)n : 0;
}

void recovery_start(struct engine *e, struct flow *f, const struct packet *p,
		    enum recovery_trigger trigger, int64_t silence)
{
	struct recovery_state *t = f->recovery;
	struct recovery *ep = &t->ep;
	struct gap *g = gaps_find(&t->gaps, p->psn);
	bool follows = ip_id_follows(f, p) && !f->ids_skipped;
	bool paused =
		silence >= silence_floor(f) &&
		PAUSED_PART * stall_paused(e, p, p->ns - silence) >= silence;
	bool sent_before = g && (int16_t)(uint16_t)(p->ip_id - g->ip_id) < 0;

	f->timeouts += trigger == TRIGGER_TIMEOUT;
	f->ack_req_ns = 0; /* no round trip is measured over a retransmit */
	t->was = t->cur;
	t->cur = p->psn;
	t->high = f->nxt;
	if (another_round(f, p, trigger, silence))
		return;
	/* What looked like a step back had only reordered this one. */
	if (psn_diff(p->psn, ep->ev.psn) < 0 &&
	    (int16_t)(uint16_t)(p->ip_id - f->last_ip_id) < 0)
		recovery_stray(f);
	recovery_close(e, f);
	*ep = (struct recovery) { .active = true };
	ep->ev = (struct evidence) {
		.trigger = (uint8_t)trigger,
		.psn = p->psn,
		.high = f->nxt,
		.nak_psn = p->psn,
		.nak_high = f->nxt,
		.proven = p->psn,
		.rest = rest_of_message(f),
		.rounds = 1,
		.unpaired = !f->paired && p->psn == f->initial,
		.in_time = f->in_time,
		.paused = paused,
		.bits = if_true(request_seen(f, p->psn), V(SEEN)) |
			if_true(before_capture(f, p->psn), V(BEFORE_CAPTURE)) |
			if_true(recovery_is_bad(e, t, p->psn, p->ns),
				V(BAD_ICRC)) |
			if_true(psn_diff(f->una, p->psn) > 0 &&
					!acks_before_data(f),
				V(ACKED_BEFORE)) |
			if_true(sent_before, V(SENT_BEFORE)) |
			if_true(follows, V(IDS_FOLLOW)) |
			if_true(f->in_message && goes_on_from(f, p->psn),
				V(OPEN)) |
			if_true(no_ack_due(f, p->psn), V(NO_ACK_DUE)) |
			if_true(trigger == TRIGGER_TIMEOUT &&
					waits_behind(f, p->psn),
				V(FILLED)) |
			if_true(t->may_be_anew, V(MAY_BE_ANEW)),
		.lost_ns = g ? g->ns : f->last_req_ns,
		.detect_ns = p->ns,
		.first_ns = p->ns,
		.silence_ns = silence,
		.orig_frame = frame_of(e, f, p->psn, p->frame),
		.tail_frame =
			frame_of(e, f, psn_add(f->nxt, PSN_MASK), p->frame),
		.frame_first = p->frame,
		.tap = p->tap,
	};
	take_trigger(e, f, &ep->ev, p);
	if (g)
		ep->ev.lost_ns = g->ns;
}

void recovery_reread(struct engine *e, struct flow *f, const struct packet *p,
		     const struct reread *r, int64_t silence)
{
	struct evidence *ev = &f->recovery->ep.ev;
	const struct flow *g = flow_peer(e, f);
	bool bad =
		r->cause != CAUSE_LOSS_DOWNSTREAM && g && g->recovery &&
		recovery_is_bad(e, g->recovery, p->psn | BAD_RESPONSE, p->ns);

	recovery_start(e, f, p, r->trigger, silence);
	/* What was acknowledged is the request. */
	if (bad)
		ev->bits &= ~V(ACKED_BEFORE);
	ev->bits |=
		V(RESPONSE) | if_true(bad, V(BAD_ICRC)) |
		if_true(r->cause == CAUSE_LOSS_UPSTREAM, V(RESPONSE_HOLE)) |
		if_true(r->cause == CAUSE_LOSS_DOWNSTREAM, V(RESPONSE_SEEN));
	ev->lost_min = r->lost_min;
	ev->lost_max = r->lost_max;
	if (r->lost_ns)
		ev->lost_ns = r->lost_ns;
}

bool recovery_stray(struct flow *f)
{
	struct recovery *ep = &f->recovery->ep;

	/* Without a peer, a NAK for it may have come: selective repeat. */
	if (!ep->active || ep->ev.trigger != TRIGGER_UNKNOWN || !f->paired ||
	    ep->unique != 1 || ep->ev.fills)
		return false;
	ep->active = false;
	return true;
}

/* How far apart its packets are, over its life. */
static int64_t pace(const struct flow *f)
{
	return (f->last_req_ns - f->first_ns) / (f->requests ? f->requests : 1);
}

bool recovery_stalled(const struct flow *f, const struct packet *p,
		      int64_t silence)
{
	return f->paired && f->last_rsp_seen_ns && silence >= MID_MESSAGE_NS &&
	       silence >= silence_floor(f) &&
	       silence >= STALL_SPACES * pace(f) && p->psn == f->una;
}

void recovery_sender_stalled(struct engine *e, struct flow *f,
			     const struct packet *p, int64_t silence)
{
	recovery_start(e, f, p, TRIGGER_UNKNOWN, silence);
	f->recovery->ep.ev.again = 1;
	f->recovery->ep.ev.bits |= V(REPLAY_HOLE) | V(IDLE_IN_REPLAY);
}

void recovery_from_late(struct engine *e, struct flow *f,
			const struct packet *p)
{
	struct recovery_state *t = f->recovery;
	struct late l = t->late;
	struct packet first = *p;

	t->late.valid = false;
	first.psn = l.psn;
	first.ns = l.ns;
	first.frame = l.frame;
	recovery_start(e, f, &first, recovery_trigger(e, f, &first, 0), 0);
	t->ep.ev.bits &= ~V(SEEN);
	t->ep.ev.fills = l.count;
	t->ep.unique = l.count;
	f->retransmitted += l.count;
	t->cur = p->psn;
	recovery_fill_event(e, f,
			    &(struct fill) { .psn = l.psn,
					     .n = l.count,
					     .ns = l.ns,
					     .since_ns = l.ns - l.late_ns,
					     .frame = l.frame });
}

void recovery_copy(struct engine *e, struct flow *f, const struct packet *p,
		   const struct gap *hole)
{
	struct recovery_state *t = f->recovery;
	struct evidence *ev = &t->ep.ev;
	bool again = hole && hole->again, fill = hole && !again, named;

	f->retransmitted++;
	f->retransmitted_bytes += p->payload;
	named = t->nak.valid && p->psn == t->nak.psn;
	t->nak.copied |= named;
	if (!t->ep.active)
		return;
	t->ep.unique++;
	t->ep.asked += named && p->psn != ev->nak_psn;
	ev->bytes += p->payload;
	ev->last_ns = p->ns;
	ev->frame_last = p->frame;
	ev->tap = p->tap;
	if (again && p->psn == ev->nak_psn) {
		ev->again++;
		ev->bits |= V(REPLAY_HOLE);
	} else if (again) {
		ev->bits |= V(COPY_MISSING);
	}
	if (fill)
		ev->fills++;
	else
		ev->repeats++;
	if (fill || (again && p->psn != ev->nak_psn))
		recovery_fill_event(e, f,
				    &(struct fill) { .psn = p->psn,
						     .n = 1,
						     .ns = p->ns,
						     .since_ns = hole->ns,
						     .frame = p->frame,
						     .again = again });
}

/* How much of what was outstanding did the sender repeat without a NAK for it?
 * R19. */
static void vote(struct flow *f, const struct recovery *ep)
{
	const struct evidence *ev = &ep->ev;
	uint32_t outstanding = (uint32_t)psn_diff(ev->high, ev->psn);
	uint32_t repeated = ep->unique - ep->asked;

	if (ev->trigger == TRIGGER_NAK && repeated > 1)
		f->alone = NOT_ALONE;
	else if (ev->trigger == TRIGGER_NAK && outstanding > 1 && ep->resumed)
		f->alone += f->alone < NOT_ALONE - 1;
	if (outstanding < REPLAY_MIN || ev->trigger == TRIGGER_RNR)
		return;
	/* After its timer a go-back-N sender may try one packet first. */
	if (ev->trigger == TRIGGER_NAK && psn_diff(ev->nak_psn, ev->psn) > 0)
		f->gb0_votes += !f->reorder_events;
	else if (repeated * 10 >= outstanding * REPLAY_ALL_TENTHS)
		f->gbn_votes++;
	else if (repeated * REPLAY_ONE_IN <= outstanding && ep->resumed &&
		 ev->trigger != TRIGGER_TIMEOUT)
		f->sr_votes++;
}

static bool answered(const struct flow *f, const struct recovery *ep)
{
	return !f->paired || (ep->ev.bits & V(ACKED_BEFORE)) ||
	       psn_diff(f->una, ep->ev.psn) > 0;
}

static void done(struct engine *e, struct flow *f, int64_t ns)
{
	struct recovery *ep = &f->recovery->ep;

	if (ep->caught_up)
		return;
	ep->caught_up = true;
	ep->ev.end_ns = ns;
	vote(f, ep);
	if (f->paired && answered(f, ep) && ep->ev.trigger != TRIGGER_TIMEOUT)
		recovery_close(e, f);
}

void recovery_caught_up(struct engine *e, struct flow *f, int64_t ns)
{
	if (f->recovery->ep.active)
		done(e, f, ns);
}

bool recovery_resumed(struct engine *e, struct flow *f, int64_t ns)
{
	struct recovery_state *t = f->recovery;
	struct recovery *ep = &t->ep;
	int32_t sent = psn_diff(t->cur, ep->ev.psn);

	if (!ep->active)
		return false;
	ep->resumed = true;
	done(e, f, ns);
	return 2 * sent >= psn_diff(ep->ev.high, ep->ev.psn);
}

void recovery_new_data(struct engine *e, struct flow *f)
{
	struct recovery_state *t = f->recovery;
	struct pending_nak *n = &t->nak;

	if (t->ep.active && t->ep.caught_up && answered(f, &t->ep))
		recovery_close(e, f);
	if (n->acked && f->last_req_ns - n->ns > LATE_REACTION_NS)
		n->valid = false;
	if (n->more && n->retransmitted &&
	    f->last_req_ns - n->more_ns >
		    clamp_mul(REACTION_AGAIN_TIMES, n->reaction_ns))
		n->more = 0;
}

static void arrived(struct evidence *ev, uint32_t una)
{
	ev->proven_ever = true;
	ev->proven = psn_max(ev->proven, una);
}

/* An acknowledgement of more than was retransmitted so far: its receiver had
 * it, or has kept what came behind a missing packet.  How soon it comes is only
 * noted: under load all round trips seen are longer than the shortest one. */
static void weigh_ack(struct engine *e, struct flow *f, struct recovery *ep,
		      uint32_t una, int64_t ns)
{
	struct evidence *ev = &ep->ev;
	const struct recent_packet *r;
	int64_t took;

	if (((ev->bits & V(STEPWISE)) && ev->trigger == TRIGGER_TIMEOUT) ||
	    acks_before_data(f))
		return;
	if (!ep->caught_up && psn_diff(una, f->recovery->cur) > 0) {
		ev->beyond = true;
		ev->beyond_una = una;
	}
	r = recent_request_of(e, f, psn_add(una, PSN_MASK));
	took = r && r->copy ? ns - r->ns : ns - ev->first_ns;
	if (took > 0 && (!ev->soonest_ns || took < ev->soonest_ns))
		ev->soonest_ns = took;
}

/* How late can an ACK be that a duplicate provoked?  Where a NAK came, ACKs do
 * not take longer than a timer. */
static int64_t re_ack_bound(const struct flow *f, const struct evidence *ev)
{
	return ev->trigger == TRIGGER_NAK && f->rtt_r
		       ? RE_ACK_ROUND_TRIPS * f->rtt_r
		       : ACK_LATEST_NS;
}

/* The recovery that an ACK at |ns| is the answer to: the last one whose copies
 * had been under way for the shortest round trip. */
static struct evidence *asked_for_at(struct flow *f, int64_t ns)
{
	struct pending *w = f->pending;

	for (uint32_t i = w ? w->n : 0; i > 0; i--) {
		struct evidence *ev = &w->ev[i - 1];

		if (ev->first_ns + f->rtt_r / 2 <= ns)
			return ns - ev->last_ns < re_ack_bound(f, ev) ? ev
								      : NULL;
	}
	return NULL;
}

/* Can a copy have provoked an ACK at |ns|?  One that is late is no later than
 * the sender's timer. */
static bool copied_lately(const struct flow *f, int64_t ns)
{
	const struct pending *w = f->pending;
	const struct evidence *ev;
	int64_t bound = RE_ACK_ROUND_TRIPS * f->rtt_r;

	if (!f->retransmitted)
		return false;
	if (f->recovery && f->recovery->ep.active)
		return true;
	ev = w && w->n ? &w->ev[w->n - 1] : NULL;
	return !ev || ns - ev->last_ns <=
			      (ev->silence_ns > bound ? ev->silence_ns : bound);
}

void recovery_reacked(struct engine *e, struct flow *f, uint32_t una,
		      int64_t ns)
{
	struct recovery *ep = f->recovery ? &f->recovery->ep : NULL;
	struct evidence *ev = ep && ep->active ? &ep->ev : NULL;

	if (acks_before_data(f))
		return;
	if (!copied_lately(f, ns))
		e->routes[f->route / 2].same_acks[f->route & 1]++;
	if (!ev || psn_diff(una, ev->psn) <= 0)
		ev = asked_for_at(f, ns);
	else if (!ep->ack_ns)
		return;
	/* The same answer once more, to another copy: the receiver has seen a
	 * duplicate, and what it answers is where it stood before. */
	if (!ev || psn_diff(una, ev->psn) <= 0 || ev->re_acks >= ev->repeats)
		return;
	if (!ev->re_acks++ && f->pending &&
	    ns - ev->first_ns > f->pending->re_ack_ns)
		f->pending->re_ack_ns = ns - ev->first_ns;
	arrived(ev, una);
}

/* Some receivers write the PSN into an ACK when it leaves: the newest by then,
 * and the same for each of several requests that came meanwhile.  No more of
 * them than packets that it covers were retransmitted say nothing. */
void recovery_forget_reacks(const struct engine *e, struct flow *f)
{
	const struct route_pair *r = &e->routes[f->route / 2];
	struct pending *w = f->pending;

	if (r->same_acks[f->route & 1] < SAME_ACKS_MIN)
		return;
	w->re_ack_ns = 0;
	for (uint32_t i = 0; i < w->n; i++) {
		struct evidence *ev = &w->ev[i];

		if ((int64_t)ev->re_acks >= psn_diff(ev->proven, ev->psn))
			continue;
		ev->re_acks = 0;
		ev->proven_ever = false;
		ev->proven = ev->psn;
	}
}

/* NAKed, then acknowledged without another copy seen here: the original came
 * late, further on if it was not late here.  Where more than one transmission
 * was seen, the other one may be what arrived behind the NAK. */
static void nak_moot(struct flow *f)
{
	const struct pending_nak *n = &f->recovery->nak;

	if (n->orig_seen && !n->orig_late && !n->copied && !n->bad_icrc)
		recovery_moot(f, n->psn, n->ns, n->frame,
			      "R26: NAKed, then acknowledged without a "
			      "retransmission: reordered downstream");
}

/* The request |psn|, if it was seen before the NAK, and not since. */
static const struct recent_packet *before_nak(const struct engine *e,
					      const struct flow *f,
					      const struct evidence *ev,
					      uint32_t psn)
{
	const struct recent_packet *r = recent_request_of(e, f, psn);

	return r && !r->copy && r->ns < ev->detect_ns ? r : NULL;
}

static void count_up(uint8_t *n)
{
	*n += *n < UINT8_MAX;
}

/* Of what had been seen here when the NAK came, and was not retransmitted, does
 * the ACK have all?  Then the receiver had kept what came behind the packet
 * that it missed.  Or does it stop at such a packet?  Many receivers keep what
 * they write, and nothing that they have to answer. */
static void note_kept(const struct engine *e, struct flow *f,
		      const struct evidence *ev, uint32_t una)
{
	uint32_t last = psn_add(ev->nak_high, PSN_MASK);
	const struct recent_packet *r = before_nak(e, f, ev, una);

	if (ev->trigger != TRIGGER_NAK || acks_before_data(f) ||
	    psn_diff(last, ev->nak_psn) < KEPT_MIN)
		return;
	if (r && psn_diff(una, last) <= 0) {
		bool read = e->op[r->opcode] & IS_ANSWERED;

		count_up(read ? &f->refused_reads : &f->refused);
	}
	if (ev->again_before || psn_diff(una, last) <= 0 ||
	    !before_nak(e, f, ev, last))
		return;
	count_up(&f->kept);
	for (uint32_t i = 1; i <= REORDERED_MAX; i++) {
		r = before_nak(e, f, ev, psn_add(ev->nak_psn, i));
		if (r && (e->op[r->opcode] & IS_ANSWERED)) {
			count_up(&f->kept_reads);
			return;
		}
	}
}

void recovery_acked(struct engine *e, struct flow *f, uint32_t una, int64_t ns)
{
	struct recovery_state *t = f->recovery;
	struct recovery *ep = &t->ep;

	if (nak_open(&t->nak) && psn_diff(una, t->nak.psn) > 0 &&
	    !t->nak.acked && !acks_before_data(f)) {
		t->nak.acked = true;
		nak_moot(f);
	}
	if (nak_open(&t->rnr) && psn_diff(una, t->rnr.psn) > 0)
		t->rnr.acked = true;
	if (!ep->active || psn_diff(una, ep->ev.psn) <= 0)
		return;
	if (!ep->ack_ns) {
		note_kept(e, f, &ep->ev, una);
		ep->ack_ns = ns;
		ep->ev.ack_ns = ns - ep->ev.first_ns;
		ep->ev.bits |=
			V(ACKED) |
			if_true(psn_diff(una, ep->ev.high) < 0, V(STEPWISE));
	}
	weigh_ack(e, f, ep, una, ns);
	/* After a timeout the next answers may still show that the first was
	 * not the only one: recovery_reacked(). */
	if (ep->caught_up && ep->ev.trigger != TRIGGER_TIMEOUT)
		recovery_close(e, f);
}
