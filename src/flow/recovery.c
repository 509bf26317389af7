/* SPDX-License-Identifier: GPL-2.0-or-later
 * Replays: what triggered them, what was lost, what they cost. */
#include "flow/recovery.h"

#include "flow/serial.h"
#include "wire/wire.h"

enum {
	MS = 1000 * 1000,
	LATE_REACTION_NS = 10 * MS,  /* reference 10: above, a NAK is not it */
	SILENCE_MIN_NS = 200 * 1000, /* adaptive timers go down to this */
	ORPHAN_NS = 1000 * MS,
	SAMPLES_MIN = 8,
	OVERTAKERS = 16, /* packets behind it that are looked at */
};

/* ---- triggers ---- */

/* A sender that was only waiting for a timer had been silent. */
static int64_t silence_floor(const struct flow *f)
{
	int64_t rtt = 4 * f->rtt_r;

	return rtt > SILENCE_MIN_NS ? rtt : SILENCE_MIN_NS;
}

static bool waits(const struct pending_nak *n)
{
	return n->valid && !n->resent;
}

/* The sender did not react to the NAK but to its own timer after it. */
static bool too_late(const struct flow *f, const struct pending_nak *n,
		     int64_t now, int64_t silence)
{
	int64_t delay = now - n->ns - n->wait_ns;
	int64_t bound = 8 * f->rtt_s;

	if (bound < LATE_REACTION_NS)
		bound = LATE_REACTION_NS;
	return delay > bound && 2 * silence > delay;
}

static bool matches(const struct pending_nak *n, uint32_t psn)
{
	return waits(n) && n->psn == psn;
}

/* Obsolete senders start the whole message again: R22. */
static bool goes_back_0(const struct flow *f, const struct packet *p)
{
	const struct pending_nak *n = &f->trouble->nak;
	int32_t d = psn_diff(n->psn, p->psn);

	return waits(n) && d > 0 && d < 1 << 16 &&
	       psn_diff(p->psn, f->una) < 0 &&
	       (wire_opcode(p->opcode)->does & OP_STARTS);
}

/* A receiver that repeats its NAK, and a sender that goes back each time. */
static bool once_more(const struct pending_nak *n, const struct packet *p)
{
	return n->valid && n->more && n->resent && n->psn == p->psn &&
	       p->ns - n->more_ns <= 2 * n->reaction_ns;
}

enum recovery_trigger recovery_trigger(const struct flow *f,
				       const struct packet *p, int64_t silence)
{
	const struct trouble *t = f->trouble;

	if (matches(&t->rnr, p->psn))
		return TRIGGER_RNR;
	if (matches(&t->nak_before, p->psn))
		return TRIGGER_NAK;
	if (matches(&t->nak, p->psn) || goes_back_0(f, p))
		return too_late(f, &t->nak, p->ns, silence) ? TRIGGER_TIMEOUT
							    : TRIGGER_NAK;
	if (once_more(&t->nak, p))
		return TRIGGER_NAK;
	if (f->paired && silence >= silence_floor(f))
		return recovery_rnr_missed(f) ? TRIGGER_UNKNOWN
					      : TRIGGER_TIMEOUT;
	/* Timers run from the first unacknowledged packet, so the sender need
	 * not have been silent; but a NAK that the capture missed looks the
	 * same, so only where it has shown no holes. */
	if (f->paired && p->psn == f->una && !f->missing && !waits(&t->nak) &&
	    !waits(&t->rnr) && !gaps_find(&t->gaps, p->psn))
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

bool recovery_was_silent(const struct flow *f, const struct episode *ep)
{
	return ep->silence_ns >= silence_floor(f);
}

/* ---- NAKs ---- */

/* Was a damaged frame with this PSN seen, on the flow or on none? */
static bool is_bad(const struct engine *e, const struct trouble *t,
		   uint32_t psn, int64_t now)
{
	for (unsigned i = 0; i < t->bad_n; i++)
		if (t->bad_psn[i] == psn)
			return true;
	for (unsigned i = 0; i < 16 && i < e->n_orphans; i++)
		if (e->orphans[i].psn == psn &&
		    now - e->orphans[i].ns < ORPHAN_NS)
			return true;
	return false;
}

void recovery_orphan(struct engine *e, const struct packet *p)
{
	e->orphans[e->n_orphans++ % 16] =
		(struct orphan) { .ns = p->ns, .psn = p->psn, .tap = p->tap };
}

void recovery_bad_icrc(struct flow *f, uint32_t psn)
{
	struct trouble *t = trouble_get(f);

	if (!t)
		return;
	if (t->bad_n == 4) {
		for (unsigned i = 1; i < 4; i++)
			t->bad_psn[i - 1] = t->bad_psn[i];
		t->bad_n--;
	}
	t->bad_psn[t->bad_n++] = psn;
}

static bool within(uint32_t psn, uint32_t start, uint32_t n)
{
	int32_t d = psn_diff(psn, start);

	return d >= 0 && d < (int32_t)n;
}

/* It passed here out of order a moment ago: after its successors, or before
 * its predecessors, which a strict receiver discards as well. */
static bool came_late(const struct flow *f, uint32_t psn, int64_t ns)
{
	const struct late *l = &f->trouble->late;

	if (l->valid && (within(psn, l->psn, l->count) || psn == l->overtaker))
		return true;
	return (within(psn, f->last_late_psn, f->last_late_n) ||
		within(psn, f->last_early_psn, f->last_early_n)) &&
	       ns - f->last_late_ns < LATE_REACTION_NS;
}

/* Its last sight is older than that of its predecessor, although it was sent
 * later, as the IP identification says. */
static bool overtook(const struct engine *e, const struct flow *f, uint32_t psn,
		     const struct recent_packet *r)
{
	const struct recent_packet *before = recent_find(
		&e->recent, recent_requests(f), psn_add(psn, PSN_MASK), NULL);

	return r && before && r->flow == f->index && before->flow == f->index &&
	       r->ns < before->ns && f->ip_total >= 8 &&
	       f->ip_up * 10 >= f->ip_total * 9 &&
	       (int16_t)(uint16_t)(r->ip_id - before->ip_id) > 0;
}

/* It was no copy sent again when it passed here, and one that follows it had
 * passed already. */
static bool came_after(const struct engine *e, const struct flow *f,
		       uint32_t psn, const struct recent_packet *r)
{
	if (!r || r->copy || r->flow != f->index)
		return false;
	for (uint32_t i = 1; i <= OVERTAKERS; i++) {
		const struct recent_packet *next = recent_find(
			&e->recent, recent_requests(f), psn_add(psn, i), NULL);

		if (next && next->flow == f->index && next->ns < r->ns)
			return true;
	}
	return false;
}

static struct pending_nak nak_of(struct engine *e, struct flow *f, uint32_t psn,
				 int64_t ns, uint64_t frame)
{
	const struct recent_packet *r =
		recent_find(&e->recent, recent_requests(f), psn, NULL);

	bool late = came_late(f, psn, ns) || overtook(e, f, psn, r) ||
		    came_after(e, f, psn, r);

	return (struct pending_nak) {
		.valid = true,
		.orig_late = late,
		.orig_seen = request_seen(f, psn),
		.orig_unknown = before_capture(f, psn),
		.bad_icrc = is_bad(e, f->trouble, psn, ns),
		.psn = psn,
		.high = f->nxt,
		.ns = ns,
		.took_ns = r && r->flow == f->index ? ns - r->ns : 0,
		.orig_ns = r && r->flow == f->index ? r->ns : 0,
		.orig_frame = r && r->flow == f->index ? r->frame : 0,
		.frame = frame,
	};
}

/* No answer takes less than this; 0 while too few were seen to say so.  A
 * minimum over some samples has the jitter of the tap in it already. */
static int64_t answer_time(const struct engine *e, const struct flow *f)
{
	int64_t jitter = f->rtt_r / 16;

	if (f->rtt_n < SAMPLES_MIN)
		return 0;
	return f->rtt_r - (jitter < e->o.jitter_ns ? jitter : e->o.jitter_ns);
}

/* A NAK for the packet that one before named, and no copy of it can have
 * arrived meanwhile: a receiver's quirk (reference 3.8). */
static bool is_repeated(const struct engine *e, const struct flow *f,
			uint32_t psn, int64_t ns)
{
	const struct pending_nak *n = &f->trouble->nak;
	int64_t least = answer_time(e, f);

	/* From the packet, or the hole, to the NAK for it took longer. */
	if (!least)
		least = n->took_ns / 2;
	return n->valid && n->psn == psn &&
	       (!n->resent || ns - n->resent_ns < least);
}

void recovery_nak_again(struct trouble *t, uint32_t psn, int64_t ns)
{
	struct pending_nak *n = &t->nak;

	if (!n->valid || n->psn != psn)
		return;
	n->more += n->more < UINT8_MAX;
	n->more_ns = ns;
}

void recovery_nak(struct engine *e, struct flow *f, uint32_t psn, int64_t ns,
		  uint64_t frame)
{
	struct trouble *t = trouble_get(f);
	struct gap *g;

	/* After an RNR NAK the packets in flight provoke a NAK for the same
	 * PSN: collateral, R15.  One for what is acknowledged is a copy, or
	 * late. */
	if (!t || matches(&t->rnr, psn) || psn_diff(f->una, psn) > 0)
		return;
	if (is_repeated(e, f, psn, ns)) {
		recovery_nak_again(t, psn, ns);
		return;
	}
	g = gaps_find(&t->gaps, psn);
	if (g)
		g->naked = true;
	if (waits(&t->nak))
		t->nak_before = t->nak;
	t->nak = nak_of(e, f, psn, ns, frame);
	if (g)
		t->nak.took_ns = ns - g->ns;
	if (g && g->again)
		t->nak.again = true;
}

void recovery_rnr(struct engine *e, struct flow *f, uint32_t psn, int64_t ns,
		  uint64_t frame, int64_t wait_ns)
{
	struct trouble *t = trouble_get(f);

	if (!t)
		return;
	t->rnr = nak_of(e, f, psn, ns, frame);
	t->rnr.wait_ns = wait_ns;
}

/* ---- the course of an episode ---- */

static void count_timeout(struct flow *f, enum recovery_trigger trigger)
{
	f->timeouts += trigger == TRIGGER_TIMEOUT;
}

/* The timer ran out again for the same packet: the same episode goes on. */
static bool another_round(struct flow *f, const struct packet *p,
			  enum recovery_trigger trigger, int64_t silence)
{
	struct episode *ep = &f->trouble->ep;

	if (!ep->active || trigger != TRIGGER_TIMEOUT ||
	    ep->trigger != TRIGGER_TIMEOUT || p->psn != ep->start ||
	    psn_diff(f->una, ep->start) > 0)
		return false;
	ep->rounds++;
	ep->lost_max += (uint32_t)psn_diff(f->nxt, ep->start);
	ep->high = f->nxt;
	ep->caught_up = ep->resumed = false;
	ep->first_ns = p->ns;
	ep->silence_ns += silence;
	return true;
}

static void take_nak(struct flow *f, struct episode *ep, struct pending_nak *n,
		     int64_t ns)
{
	int64_t reaction = ns - n->ns - n->wait_ns;

	ep->detect_ns = n->ns;
	ep->frame_detect = n->frame;
	ep->nak_psn = n->psn;
	ep->nak_high = n->high;
	ep->orig_seen = n->orig_seen;
	ep->orig_late = n->orig_late;
	ep->bad_icrc = n->bad_icrc;
	ep->orig_frame = n->orig_frame;
	ep->orig_unknown = n->orig_unknown;
	if (n->orig_ns)
		ep->lost_ns = n->orig_ns;
	ep->before_ack = n->acked;
	n->resent = true;
	n->resent_ns = ns;
	n->reaction_ns = reaction;
	if (reaction > 0 && !ep->before_ack && !n->wait_ns &&
	    (!f->rtt_s || reaction < f->rtt_s))
		f->rtt_s = reaction;
}

void episode_start(struct engine *e, struct flow *f, const struct packet *p,
		   enum recovery_trigger trigger, int64_t silence)
{
	struct trouble *t = f->trouble;
	struct episode *ep = &t->ep;
	struct gap *g = gaps_find(&t->gaps, p->psn);

	count_timeout(f, trigger);
	f->ack_req_ns = 0; /* no round trip is measured over a re-send */
	t->was = t->cur;
	t->cur = p->psn;
	t->high = f->nxt;
	if (another_round(f, p, trigger, silence))
		return;
	/* What looked like a step back had only overtaken this one. */
	if (psn_diff(p->psn, t->ep.start) < 0 &&
	    (int16_t)(uint16_t)(p->ip_id - f->last_ip_id) < 0)
		episode_stray(f);
	episode_close(e, f);
	*ep = (struct episode) {
		.active = true,
		.trigger = (uint8_t)trigger,
		.start = p->psn,
		.high = f->nxt,
		.nak_psn = p->psn,
		.nak_high = f->nxt,
		.una0 = f->una,
		.proven = p->psn,
		.rounds = 1,
		.orig_seen = request_seen(f, p->psn),
		.orig_unknown = before_capture(f, p->psn),
		.bad_icrc = is_bad(e, t, p->psn, p->ns),
		.before_ack = psn_diff(f->una, p->psn) > 0 && !answers_first(f),
		.ip_before = g && (int16_t)(uint16_t)(p->ip_id - g->ip_id) < 0,
		.open = f->in_message,
		.lost_ns = g ? g->ns : f->last_req_ns,
		.detect_ns = p->ns,
		.first_ns = p->ns,
		.silence_ns = silence,
		.frame_first = p->frame,
		.tap = p->tap,
	};
	if (trigger == TRIGGER_NAK && once_more(&t->nak, p)) {
		ep->once_more = true;
		t->nak.more--;
		t->nak.resent_ns = p->ns;
	}
	if (trigger == TRIGGER_NAK && matches(&t->nak_before, p->psn))
		take_nak(f, ep, &t->nak_before, p->ns);
	else if (trigger == TRIGGER_NAK ||
		 (trigger == TRIGGER_TIMEOUT && matches(&t->nak, p->psn)))
		take_nak(f, ep, &t->nak, p->ns);
	if (trigger == TRIGGER_RNR)
		take_nak(f, ep, &t->rnr, p->ns);
	if (g)
		ep->lost_ns = g->ns;
}

void episode_reread(struct engine *e, struct flow *f, const struct packet *p,
		    const struct reread *r, int64_t silence)
{
	struct episode *ep = &f->trouble->ep;

	episode_start(e, f, p, r->trigger, silence);
	ep->reread = true;
	ep->reread_cause = (uint8_t)r->cause;
	ep->reread_min = r->lost_min;
	ep->reread_max = r->lost_max;
	/* A response acknowledges what came before it: that is no sign that
	 * the repeated request was superfluous. */
	ep->before_ack = false;
	if (r->lost_ns)
		ep->lost_ns = r->lost_ns;
}

bool episode_stray(struct flow *f)
{
	struct episode *ep = &f->trouble->ep;

	if (!ep->active || ep->trigger != TRIGGER_UNKNOWN || ep->unique != 1 ||
	    ep->fills)
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
	return f->paired && f->last_rsp_seen_ns && silence >= MS &&
	       silence >= silence_floor(f) && silence >= 4 * pace(f) &&
	       p->psn == f->una;
}

void episode_stalled(struct engine *e, struct flow *f, const struct packet *p,
		     int64_t silence)
{
	episode_start(e, f, p, TRIGGER_TIMEOUT, silence);
	f->trouble->ep.again = 1;
}

void episode_from_late(struct engine *e, struct flow *f, const struct packet *p)
{
	struct trouble *t = f->trouble;
	struct late l = t->late;
	struct packet first = *p;

	t->late.valid = false;
	first.psn = l.psn;
	first.ns = l.ns;
	first.frame = l.frame;
	episode_start(e, f, &first, recovery_trigger(f, &first, 0), 0);
	t->ep.orig_seen = false;
	t->ep.fills = l.count;
	t->ep.unique = l.count;
	f->retransmitted += l.count;
	t->cur = p->psn;
	episode_fill_event(e, f, l.psn, l.count, l.ns, l.frame);
}

void episode_copy(struct engine *e, struct flow *f, const struct packet *p,
		  bool fill, bool again)
{
	struct episode *ep = &f->trouble->ep;

	f->retransmitted++;
	f->retransmitted_bytes += p->payload;
	if (!ep->active)
		return;
	ep->unique++;
	ep->bytes += p->payload;
	ep->last_ns = p->ns;
	ep->frame_last = p->frame;
	ep->tap = p->tap;
	if (again && p->psn == ep->nak_psn)
		ep->again++;
	if (fill)
		ep->fills++;
	else
		ep->repeats++;
	if (fill)
		episode_fill_event(e, f, p->psn, 1, p->ns, p->frame);
}

/* How much of what was outstanding did the sender repeat?  R19. */
static void vote(struct flow *f, const struct episode *ep)
{
	uint32_t outstanding = (uint32_t)psn_diff(ep->high, ep->start);

	if (outstanding < 5 || ep->trigger == TRIGGER_RNR)
		return;
	if (ep->trigger == TRIGGER_NAK && psn_diff(ep->nak_psn, ep->start) > 0)
		f->gb0_votes += !f->reorder_events;
	else if (ep->unique * 10 >= outstanding * 9)
		f->gbn_votes++;
	else if (ep->unique * 5 <= outstanding && ep->resumed)
		f->sr_votes++;
}

static bool answered(const struct flow *f, const struct episode *ep)
{
	return !f->paired || ep->before_ack || psn_diff(f->una, ep->start) > 0;
}

static void done(struct engine *e, struct flow *f, int64_t ns)
{
	struct episode *ep = &f->trouble->ep;

	if (ep->caught_up)
		return;
	ep->caught_up = true;
	ep->done_ns = ns;
	vote(f, ep);
	if (f->paired && answered(f, ep) && ep->trigger != TRIGGER_TIMEOUT)
		episode_close(e, f);
}

void episode_caught_up(struct engine *e, struct flow *f, int64_t ns)
{
	if (f->trouble->ep.active)
		done(e, f, ns);
}

bool episode_resumed(struct engine *e, struct flow *f, int64_t ns)
{
	struct trouble *t = f->trouble;
	struct episode *ep = &t->ep;
	int32_t sent = psn_diff(t->cur, ep->start);
	bool go_back_n;

	if (!ep->active)
		return false;
	go_back_n =
		f->sr_votes == 0 && 2 * sent >= psn_diff(ep->high, ep->start);
	ep->resumed = true;
	done(e, f, ns);
	return go_back_n;
}

void episode_new_data(struct engine *e, struct flow *f)
{
	struct trouble *t = f->trouble;
	struct pending_nak *n = &t->nak;

	if (t->ep.active && t->ep.caught_up && answered(f, &t->ep))
		episode_close(e, f);
	if (n->acked && f->last_req_ns - n->ns > LATE_REACTION_NS)
		n->valid = false;
	if (n->more && n->resent &&
	    f->last_req_ns - n->more_ns > 2 * n->reaction_ns)
		n->more = 0;
}

static void accept(struct episode *ep, uint32_t una)
{
	ep->has_proof = true;
	ep->proven = psn_max(ep->proven, una);
}

/* An acknowledgement that cannot be the answer to any copy proves that the
 * originals had arrived: R11, and for NAKs the other half of R26. */
static void weigh_ack(struct engine *e, struct flow *f, struct episode *ep,
		      uint32_t una, int64_t ns)
{
	const struct recent_packet *r;
	int64_t rtt = answer_time(e, f);

	/* A receiver that had it all answers the first copy with the newest
	 * PSN.  This one goes along with the copies, however soon. */
	if ((ep->stepwise && ep->trigger == TRIGGER_TIMEOUT) ||
	    answers_first(f))
		return;
	if (rtt > 0 && ns - ep->first_ns < rtt) {
		accept(ep, una);
		return;
	}
	if (!ep->caught_up && psn_diff(una, f->trouble->cur) > 0) {
		ep->beyond = true;
		ep->beyond_una = una;
		return;
	}
	r = recent_find(&e->recent, recent_requests(f), psn_add(una, PSN_MASK),
			NULL);
	if (rtt > 0 && r && r->flow == f->index && r->copy && ns - r->ns < rtt)
		accept(ep, una);
}

void episode_reacked(struct flow *f, uint32_t una)
{
	struct episode *ep = &f->trouble->ep;

	/* The same answer once more, to another copy: the receiver has seen a
	 * duplicate, and what it answers is where it stood before. */
	if (ep->active && ep->answer_ns && psn_diff(una, ep->start) > 0 &&
	    !answers_first(f))
		accept(ep, una);
}

void episode_acked(struct engine *e, struct flow *f, uint32_t una, int64_t ns)
{
	struct trouble *t = f->trouble;
	struct episode *ep = &t->ep;

	if (waits(&t->nak) && psn_diff(una, t->nak.psn) > 0 && !t->nak.acked &&
	    !answers_first(f)) {
		t->nak.acked = true;
		recovery_nak_moot(e, f);
	}
	if (waits(&t->rnr) && psn_diff(una, t->rnr.psn) > 0)
		t->rnr.acked = true;
	if (!ep->active || psn_diff(una, ep->start) <= 0)
		return;
	if (!ep->answer_ns) {
		ep->answer_ns = ns;
		ep->stepwise = psn_diff(una, ep->high) < 0;
	}
	weigh_ack(e, f, ep, una, ns);
	/* After a timeout the next answers may still show that the first was
	 * not the only one: episode_reacked(). */
	if (ep->caught_up && ep->trigger != TRIGGER_TIMEOUT)
		episode_close(e, f);
}
