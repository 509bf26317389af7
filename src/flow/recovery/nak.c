/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sequence error NAKs and RNR NAKs: what each says, how long its receiver
 * waited with it, and those that no replay followed. */
#include "base/clamp.h"
#include "flow/core/serial.h"
#include "flow/recovery/recovery.h"

enum {
	MICROSECOND_NS = 1000,
};

/* No sender takes longer to react to a NAK. */
int64_t recovery_reaction_bound(const struct flow *f)
{
	int64_t bound = clamp_mul(REACTION_TIMES, f->rtt_s);

	return bound > LATE_REACTION_NS ? bound : LATE_REACTION_NS;
}

bool recovery_is_bad(const struct engine *e, const struct recovery_state *t,
		     uint32_t psn, int64_t now)
{
	for (unsigned i = 0; i < t->bad_n; i++)
		if (t->bad_psn[i] == psn)
			return true;
	for (unsigned i = 0; i < 16 && i < e->n_orphans; i++)
		if (e->orphans[i].psn == (psn & PSN_MASK) &&
		    now - e->orphans[i].ns < CORRUPTED_KEPT_NS)
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
	struct recovery_state *t = recovery_state_get(f);

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

/* It was seen here out of order a moment ago: after its successors, or before
 * its predecessors, which a strict receiver discards as well. */
static bool came_late(const struct flow *f, uint32_t psn, int64_t ns)
{
	const struct late *l = &f->recovery->late;

	if (l->valid &&
	    (within(psn, l->psn, l->count) || psn == l->reordered_by))
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
	const struct recent_packet *before =
		recent_request_of(e, f, psn_add(psn, PSN_MASK));

	return r && before && r->ns < before->ns && f->ip_total >= 8 &&
	       f->ip_up * 10 >= f->ip_total * 9 &&
	       (int16_t)(uint16_t)(r->ip_id - before->ip_id) > 0;
}

/* It was no copy retransmitted when it was seen here, and one that follows it
 * had been seen already. */
static bool came_after(const struct engine *e, const struct flow *f,
		       uint32_t psn, const struct recent_packet *r)
{
	if (!r || r->copy)
		return false;
	for (uint32_t i = 1; i <= REORDERED_MAX; i++) {
		const struct recent_packet *next =
			recent_request_of(e, f, psn_add(psn, i));

		if (next && next->ns < r->ns)
			return true;
	}
	return false;
}

/* Was |r| seen while the receiver missed the packet that |n| named, and waited
 * for it? */
static bool while_missed(const struct pending_nak *n,
			 const struct recent_packet *r)
{
	return n->valid && n->retransmitted && psn_diff(r->psn, n->psn) > 0 &&
	       r->ns < n->retransmitted_ns;
}

static struct pending_nak nak_of(struct engine *e, struct flow *f, uint32_t psn,
				 int64_t ns, uint64_t frame)
{
	const struct recent_packet *r = recent_request_of(e, f, psn);
	const struct recent_packet *before =
		recent_request_of(e, f, psn_add(psn, PSN_MASK));
	bool late = came_late(f, psn, ns) || overtook(e, f, psn, r) ||
		    came_after(e, f, psn, r);
	bool answered = r && (e->op[r->opcode] & IS_ANSWERED);

	return (struct pending_nak) {
		.valid = true,
		.orig_late = late,
		/* What no request is known for may only seem to be part of a
		 * READ before it. */
		.orig_seen = request_seen(f, psn) && (r || !f->spans_reads),
		.orig_unknown = before_capture(f, psn),
		/* A NAK may have waited for the pairing meanwhile. */
		.copied = !r || r->copy || r->ns > ns,
		.again_before = r && r->copy && r->ns <= ns,
		.behind = !late && r &&
			  ((before && before->copy && r->ns < before->ns &&
			    before->ns <= ns) ||
			   ((answered || !before) &&
			    while_missed(&f->recovery->nak, r))),
		.answered = answered,
		.bad_icrc = recovery_is_bad(e, f->recovery, psn, ns),
		.psn = psn,
		.high = f->nxt,
		.ns = ns,
		.took_ns = r ? ns - r->ns : 0,
		.spaced_ns = r && before && before->ns < r->ns
				     ? r->ns - before->ns
				     : 0,
		.orig_ns = r ? r->ns : 0,
		.orig_frame = r ? r->frame : 0,
		.frame = frame,
	};
}

/* No answer takes less than this; 0 while too few were seen to say so.  A
 * minimum over some samples has the jitter of the tap in it already. */
static int64_t answer_time(const struct engine *e, const struct flow *f)
{
	int64_t jitter = f->rtt_r / JITTER_PART;

	if (f->rtt_n < RTT_SAMPLES_MIN)
		return 0;
	return f->rtt_r - (jitter < e->o.jitter_ns ? jitter : e->o.jitter_ns);
}

/* By how much more time may have passed between two stamps of whole
 * microseconds? */
static int64_t stamp_error(int64_t a, int64_t b)
{
	return a % MICROSECOND_NS || b % MICROSECOND_NS ? 0 : MICROSECOND_NS;
}

/* A replay for it is under way that began before it, and has not come to it. */
static bool is_on_its_way(const struct recovery_state *t, uint32_t psn)
{
	return t->nak.retransmitted && !t->nak.copied &&
	       psn_diff(psn, t->cur) > 0;
}

/* A NAK for the packet that one before named, and no copy of it need have
 * arrived meanwhile: a receiver's quirk, R15. */
static bool is_repeated(const struct engine *e, const struct flow *f,
			uint32_t psn, int64_t ns)
{
	const struct pending_nak *n = &f->recovery->nak;
	int64_t least = answer_time(e, f);

	/* From the packet, or the hole, to the NAK for it took longer. */
	if (!least)
		least = n->took_ns / 2;
	least += stamp_error(ns, n->retransmitted_ns);
	return n->valid && n->psn == psn &&
	       (!n->retransmitted || is_on_its_way(f->recovery, psn) ||
		ns - n->retransmitted_ns < least);
}

void recovery_nak_again(struct recovery_state *t, uint32_t psn, int64_t ns)
{
	struct pending_nak *n = &t->nak;

	if (!n->valid || n->psn != psn)
		return;
	n->more += n->more < UINT8_MAX;
	n->more_ns = ns;
}

static int64_t round_trip_of_late(const struct flow *f)
{
	bool first = !f->rtt_late[1] || f->rtt_late[0] < f->rtt_late[1];

	return f->rtt_late[!first];
}

/* For how long has the receiver waited?  A NAK takes a round trip from the
 * first packet that can have shown it that |psn| is missing; if that is too
 * long, because those were lost or discarded as well, from the last one.
 * Returns how long ago the first one was seen. */
static int64_t note_nak_wait(struct engine *e, const struct flow *f,
			     uint32_t psn, int64_t ns)
{
	const struct recent_packet *r = recent_request_of(e, f, psn);
	int64_t since = r ? r->ns : INT64_MIN, first = ns, last = INT64_MIN;
	int64_t *least = &e->routes[f->route / 2].nak_wait_ns[f->route & 1];
	int64_t heard = ns - round_trip_of_late(f), wait;

	for (uint32_t i = 1; i <= REORDERED_MAX; i++) {
		const struct recent_packet *next =
			recent_request_of(e, f, psn_add(psn, i));

		if (!next || next->ns < since || next->ns >= ns)
			continue;
		first = next->ns < first ? next->ns : first;
		last = next->ns > last && next->ns <= heard ? next->ns : last;
	}
	wait = heard - (heard - first < NAK_WAIT_MAX_NS ? first : last);
	if (wait < 1)
		wait = 1;
	if (f->rtt_n >= NEAR_MIN && first < ns && wait < NAK_WAIT_MAX_NS &&
	    (!*least || wait < *least))
		*least = wait;
	return ns - first;
}

/* Did a NAK ask for this, to which a sender reacts within |most|?  A receiver
 * that is not ready says so while more comes, and what came last before the
 * recovery is then behind the NAK. */
static bool asked(const struct evidence *ev, uint32_t psn, int64_t ns,
		  int64_t most, enum recovery_trigger trigger)
{
	int64_t reaction = ev->first_ns - ns;

	return ev->psn == psn && ev->trigger == TRIGGER_UNKNOWN &&
	       (trigger == TRIGGER_RNR || ev->lost_ns < ns) && reaction >= 0 &&
	       reaction <= most;
}

/* A NAK that was held until the pairing: the recovery that it began, |trigger|,
 * and of which it was not known what asked for it; NULL: none.  Of several that
 * begin with this packet, the first after the NAK. */
static struct evidence *began_recovery(struct flow *f, uint32_t psn, int64_t ns,
				       uint64_t frame, int64_t most,
				       enum recovery_trigger trigger)
{
	struct recovery *ep = &f->recovery->ep;
	struct pending *w = ns < f->last_req_ns ? f->pending : NULL;
	struct evidence *ev = NULL;

	if (ep->active && asked(&ep->ev, psn, ns, most, trigger))
		ev = &ep->ev;
	for (uint32_t i = w ? w->n : 0, k = 0; i > 0 && k < HELD_MAX; k++)
		if (asked(&w->ev[--i], psn, ns, most, trigger))
			ev = &w->ev[i];
	if (!ev)
		return NULL;
	ev->trigger = trigger;
	ev->bits |= V(NAKED);
	ev->detect_ns = ns;
	ev->frame_detect = frame;
	return ev;
}

void recovery_nak(struct engine *e, struct flow *f, uint32_t psn, int64_t ns,
		  uint64_t frame)
{
	struct recovery_state *t = recovery_state_get(f);
	struct evidence *ev;
	struct gap *g;
	int64_t shown;

	if (!t)
		return;
	ev = began_recovery(f, psn, ns, frame, recovery_reaction_bound(f),
			    TRIGGER_NAK);
	if (ev) {
		if (!f->rtt_s || ev->first_ns - ns < f->rtt_s)
			f->rtt_s = ev->first_ns - ns;
		return;
	}

	/* After an RNR NAK the packets in flight provoke a NAK for the same
	 * PSN: collateral, R15.  One for what is acknowledged is a copy, or
	 * late. */
	if (nak_matches(&t->rnr, psn) || psn_diff(f->una, psn) > 0)
		return;
	if (is_repeated(e, f, psn, ns)) {
		recovery_nak_again(t, psn, ns);
		return;
	}
	shown = note_nak_wait(e, f, psn, ns);
	g = gaps_find(&t->gaps, psn);
	if (g)
		g->naked = true;
	for (int i = nak_open(&t->nak) ? NAKS_BEFORE - 1 : -1; i >= 0; i--)
		t->nak_before[i] = i ? t->nak_before[i - 1] : t->nak;
	t->nak = nak_of(e, f, psn, ns, frame);
	t->nak.shown_ns = shown;
	if (g)
		t->nak.took_ns = ns - g->ns;
}

void recovery_rnr(struct engine *e, struct flow *f, uint32_t psn, int64_t ns,
		  uint64_t frame, int64_t wait_ns)
{
	struct recovery_state *t = recovery_state_get(f);

	if (!t)
		return;
	t->rnr = nak_of(e, f, psn, ns, frame);
	t->rnr.wait_ns = wait_ns;
	t->rnr.retransmitted =
		began_recovery(f, psn, ns, frame, INT64_MAX, TRIGGER_RNR);
}

/* ---- NAKs without a replay ---- */

void recovery_unanswered(struct engine *e, struct flow *f)
{
	const struct pending_nak *n = &f->recovery->nak;

	if (!n->valid || n->retransmitted || n->acked || !n->orig_seen)
		return;
	f->unresolved++;
	emit_event(e, f,
		   &(struct fact_event) {
			   .ns = n->ns,
			   .frame = n->frame,
			   .tap = f->tap,
			   .kind = EVENT_UNRESOLVED_GAP,
			   .psn = n->psn,
			   .count = 1,
			   .value = FACT_UNKNOWN,
			   .confidence = 0.5,
			   .detail = "NAKed, and not retransmitted before the "
				     "capture or the connection ended" });
}
