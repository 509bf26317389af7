/* SPDX-License-Identifier: GPL-2.0-or-later
 * Recoveries that are over: their evidence is kept, completed by what the flow
 * has shown as a whole, decided about, reported and counted. */
#include <stdlib.h>

#include "base/clamp.h"
#include "base/mem.h"
#include "flow/core/serial.h"
#include "flow/recovery/decide.h"
#include "flow/recovery/recovery.h"
#include "flow/telemetry/path.h"
#include "flow/uet/uet.h"

enum {
	ROOM_MIN = 4,
};

const char RECOVERY_NOT_COPIED[] =
	"R9: lost, or not copied by a mirror that misses others";
const char RECOVERY_LATE_OR_COPY[] =
	"R1 or R3: reordered, or lost and retransmitted";
static const char CAPTURE_DROPS[] =
	"R27: the capture dropped packets meanwhile";
static const char MIXED_UP[] = "R9: reordered upstream of this capture point";
static const char BEFORE[] =
	"R9: it may have been sent before the capture began";

/* How much a loss verdict is worth where the capture itself has holes: the
 * alternative to R3 is "not captured, and lost further on". */
static double trust(const struct flow *f, double confidence)
{
	double seen = f->requests + 1.0;
	double missed = 10.0 * f->missing / seen;

	return confidence * (1 - (missed < 0.5 ? missed : 0.5));
}

/* ---- how many ---- */

/* Of an idle time: another of its kind is longer by no more. */
enum { IDLE_PART = 8 };

struct verdict {
	struct decision d;
	uint64_t bits;
	uint32_t lost_min, lost_max; /* downstream of the tap */
	uint32_t first_lost;
};

static bool downstream(enum recovery_cause c)
{
	return c == CAUSE_LOSS_DOWNSTREAM || c == CAUSE_LOSS_OR_REORDER;
}

static struct verdict verdict_of(const struct engine *e, const struct flow *f,
				 struct evidence *ev)
{
	struct verdict v = { .bits = recovery_observed(e, f, ev),
			     .first_lost = ev->psn };
	uint32_t from = ev->psn;

	v.d = decide(v.bits);
	if (v.d.cause == CAUSE_LOSS_UPSTREAM || v.d.cause == CAUSE_CORRUPTION ||
	    v.d.cause == CAUSE_LOSS_DOWNSTREAM)
		v.d.confidence = trust(f, v.d.confidence);
	if (v.bits & V(RESPONSE)) {
		v.lost_min = v.d.cause == CAUSE_UNKNOWN ? 0 : ev->lost_min;
		v.lost_max = ev->lost_max;
		return v;
	}
	if ((v.bits & V(DROPS)) || !(v.d.remaining & H(LOST_DOWN)))
		return v;
	if (v.bits & V(NAKED)) {
		/* What passed since the NAK is repeated as well, but by a
		 * sender that repeats what is missing, and no more. */
		v.first_lost = ev->nak_psn;
		v.lost_max = (uint32_t)psn_diff(
			f->sr_votes > f->gbn_votes ? ev->nak_high : ev->high,
			ev->nak_psn);
	} else {
		if (v.bits & V(SOME_ARRIVED))
			from = psn_max(from, ev->proven);
		v.first_lost = from;
		v.lost_max = ev->lost_max + (uint32_t)psn_diff(ev->high, from);
	}
	if (downstream(v.d.cause))
		v.lost_min = v.bits & V(NAKED) ? 1 : ev->rounds;
	/* A NAK may name what was never sent. */
	if (v.lost_max < v.lost_min || v.lost_max > PSN_MASK / 2)
		v.lost_max = v.lost_min;
	return v;
}

/* ---- events ---- */

static void emit_decided(struct engine *e, struct flow *f,
			 const struct evidence *ev, struct fact_event event,
			 const struct decision *d)
{
	bool loss = event.kind == EVENT_LOSS_UPSTREAM ||
		    event.kind == EVENT_LOSS_DOWNSTREAM ||
		    event.kind == EVENT_ACK_LOST;

	if (loss && f->sprayed)
		return;
	event.tap = ev->tap;
	event.confidence = d->confidence;
	event.detail = d->rule;
	event.decided = true;
	emit_event(e, f, &event);
}

/* Is this the packet that was missed by name? */
static bool asked_for(const struct evidence *ev, uint32_t psn)
{
	return psn == ev->psn || psn == ev->nak_psn;
}

bool recovery_fill_among_drops(const struct engine *e, const struct flow *f,
			       const struct evidence *ev,
			       const struct fill *fill)
{
	int64_t since = ev->lost_ns ? ev->lost_ns : ev->first_ns;

	if (e->o.assumed & V(ASSUMED_CAPTURED))
		return false;
	return fill->drops ||
	       drops_between(e, f->place, since - DROPS_MARGIN_NS, fill->ns);
}

/* Why a hole that was filled by a copy need not have been a loss; NULL: it
 * was. */
static const char *why_unsure(const struct engine *e, const struct flow *f,
			      const struct evidence *ev,
			      const struct fill *fill, double likely)
{
	if (e->o.assumed & V(ASSUMED_GAPS))
		return RECOVERY_NOT_COPIED;
	if (ev->trigger == TRIGGER_UNKNOWN && recovery_much_reordered(f))
		return MIXED_UP;
	if (recovery_perhaps_before(f, fill->psn))
		return BEFORE;
	if (recovery_perhaps_late(f, fill->ns - fill->since_ns))
		return RECOVERY_LATE_OR_COPY;
	if (recovery_fill_among_drops(e, f, ev, fill))
		return CAPTURE_DROPS;
	/* A receiver that is not ready throws all of them away, and one that
	 * lost a packet all that follow it: nothing tells a hole of the fabric
	 * from one of the capture. */
	if ((ev->trigger == TRIGGER_RNR && f->missing) ||
	    likely < HOLE_COUNTS_AS_LOSS)
		return RECOVERY_NOT_COPIED;
	return NULL;
}

/* What an earlier replay lost besides what was asked for: its sender repeats
 * everything, not what is acknowledged or named. */
static uint32_t emit_again(struct engine *e, struct flow *f,
			   const struct evidence *ev, const struct verdict *v,
			   const struct fill *fill)
{
	double likely = recovery_hole_is_loss(e, ev->tap);
	struct decision d = {
		.rule = "R3",
		.confidence = trust(f, 0.9) * likely,
	};

	if (v->d.cause != CAUSE_LOSS_UPSTREAM || f->gbn_votes <= f->sr_votes ||
	    likely < HOLES_ARE_LOSSES || why_unsure(e, f, ev, fill, likely))
		return 0;
	f->lost_up += fill->n;
	emit_decided(e, f, ev,
		     (struct fact_event) {
			     .ns = fill->ns,
			     .frame = fill->frame,
			     .kind = EVENT_LOSS_UPSTREAM,
			     .psn = fill->psn,
			     .count = fill->n,
			     .value = FACT_UNKNOWN,
		     },
		     &d);
	return fill->n;
}

/* Returns how many of them need not have been lost. */
static uint32_t emit_fill(struct engine *e, struct flow *f,
			  const struct evidence *ev, const struct fill *fill)
{
	bool rnr = ev->trigger == TRIGGER_RNR;
	double likely = asked_for(ev, fill->psn)
				? 1
				: recovery_hole_is_loss(e, ev->tap);
	const char *why = why_unsure(e, f, ev, fill, likely);
	struct decision d = {
		.rule = why                          ? why
			: ev->trigger == TRIGGER_NAK ? "R3"
						     : "R13",
		.confidence = why ? 0.5 : trust(f, rnr ? 0.5 : 0.9) * likely,
	};

	if ((ev->bits & V(SENT_BEFORE)) && counts_ip_id(f)) {
		f->reordered += fill->n;
		return 0;
	}
	if (why)
		f->unresolved += fill->n;
	else if (ev->bits & V(BAD_ICRC))
		f->corrupted += fill->n;
	else
		f->lost_up += fill->n;
	if (why || !(ev->bits & V(BAD_ICRC)))
		emit_decided(e, f, ev,
			     (struct fact_event) {
				     .ns = fill->ns,
				     .frame = fill->frame,
				     .kind = why ? EVENT_UNRESOLVED_GAP
						 : EVENT_LOSS_UPSTREAM,
				     .psn = fill->psn,
				     .count = fill->n,
				     .value = FACT_UNKNOWN,
			     },
			     &d);
	return why ? fill->n : 0;
}

static void count_downstream(struct flow *f, const struct verdict *v)
{
	/* A NAK alone may also mean a packet that came late. */
	bool sure = v->d.cause != CAUSE_LOSS_OR_REORDER;

	if (v->bits & V(NAKED)) {
		f->r4_min += sure ? v->lost_min : 0;
		f->r4_max += v->lost_max;
	} else {
		f->r12_min += sure ? v->lost_min : 0;
		f->r12_max += v->lost_max;
	}
}

static void count_spurious(struct engine *e, struct flow *f,
			   const struct evidence *ev, const struct verdict *v)
{
	bool ack = v->d.cause == CAUSE_ACK_LOSS;

	f->spurious += ev->repeats;
	if (ack)
		f->duplicates += ev->repeats;
	if (ack && ev->trigger == TRIGGER_TIMEOUT &&
	    (v->d.remaining & H(ACK_LOST)) && ev->in_time) {
		f->ack_lost++;
		emit_decided(e, f, ev,
			     (struct fact_event) { .ns = ev->lost_ns,
						   .frame = ev->frame_first,
						   .kind = EVENT_ACK_LOST,
						   .psn = ev->psn,
						   .count = 1,
						   .value = FACT_UNKNOWN },
			     &v->d);
	}
	emit_decided(e, f, ev,
		     (struct fact_event) { .ns = ev->first_ns,
					   .frame = ev->frame_first,
					   .kind = EVENT_RETRANSMIT_SPURIOUS,
					   .psn = ev->psn,
					   .count = ev->repeats,
					   .value = (int64_t)ev->frame_last },
		     &v->d);
}

static void count(struct engine *e, struct flow *f, const struct evidence *ev,
		  const struct verdict *v)
{
	if (v->bits & V(RESPONSE))
		return; /* what was lost was a response: counted there */
	switch (v->d.cause) {
	case CAUSE_LOSS_UPSTREAM:
		if (!ev->again)
			break;
		f->lost_up += ev->again;
		emit_decided(e, f, ev,
			     (struct fact_event) { .ns = ev->lost_ns,
						   .frame = ev->frame_first,
						   .kind = EVENT_LOSS_UPSTREAM,
						   .psn = ev->nak_psn,
						   .count = ev->again,
						   .value = FACT_UNKNOWN },
			     &v->d);
		break;
	case CAUSE_LOSS_OR_REORDER:
	case CAUSE_LOSS_DOWNSTREAM:
	case CAUSE_UNKNOWN:
		count_downstream(f, v);
		break;
	case CAUSE_CORRUPTION:
		f->corrupted += ev->fills == 0;
		break;
	case CAUSE_REORDER:
	case CAUSE_ACK_LOSS:
		count_spurious(e, f, ev, v);
		break;
	default:
		break;
	}
	/* What a timeout repeated although it had arrived. */
	if (v->d.cause == CAUSE_LOSS_DOWNSTREAM && (v->bits & V(SOME_ARRIVED)))
		f->duplicates += (uint32_t)psn_diff(v->first_lost, ev->psn);
}

const enum event_kind recovery_resend_kind[] = {
	[TRIGGER_UNKNOWN] = EVENT_RETRANSMIT_UNKNOWN,
	[TRIGGER_NAK] = EVENT_RETRANSMIT_NAK,
	[TRIGGER_TIMEOUT] = EVENT_RETRANSMIT_TIMEOUT,
	[TRIGGER_RNR] = EVENT_RETRANSMIT_RNR,
	[TRIGGER_IMPLIED_NAK] = EVENT_RETRANSMIT_IMPLIED,
};

struct fact_recovery recovery_row(const struct flow *f,
				  const struct evidence *ev, uint64_t bits,
				  const struct decision *d)
{
	return (struct fact_recovery) {
		.flow = f->id,
		.tap = ev->tap,
		.trigger = ev->trigger,
		.cause = d->cause,
		.psn = ev->psn,
		.first_ns = ev->lost_ns,
		.detect_ns = ev->detect_ns,
		.resend_ns = ev->first_ns,
		.last_ns = ev->end_ns,
		.silence_ns = ev->silence_ns,
		.frame_detect = ev->frame_detect,
		.frame_original = ev->orig_frame,
		.frame_first = ev->frame_first,
		.frame_last = ev->frame_last,
		.confidence = d->confidence,
		.rule = d->rule,
		.evidence = (int64_t)bits,
		.remaining = d->remaining,
	};
}

/* The packet that was lost; where its frame is not known any more, one that
 * speaks of it. */
static uint64_t lost_frame(const struct evidence *ev, const struct verdict *v)
{
	if (v->first_lost != ev->psn && v->first_lost != ev->nak_psn &&
	    psn_diff(ev->high, v->first_lost) == 1 && ev->tail_frame)
		return ev->tail_frame;
	if (ev->orig_frame)
		return ev->orig_frame;
	return ev->frame_detect ? ev->frame_detect : ev->frame_first;
}

/* Of the fills of a recovery. */
struct filled {
	uint32_t unsure; /* need not have been lost */
	uint32_t again;  /* lost, of what an earlier replay had */
	uint32_t more;   /* of its message, which need not have been sent */
};

static void emit_verdict(struct engine *e, struct flow *f,
			 const struct evidence *ev, const struct verdict *v,
			 struct filled n)
{
	struct fact_recovery r = recovery_row(f, ev, v->bits, &v->d);

	r.lost_min = v->lost_min;
	r.lost_max = v->lost_max;
	/* Others that a NAK leaves open have a recovery of their own; and a
	 * READ is one packet, however long. */
	if (!(v->bits & V(RESPONSE)) && r.lost_max > ev->fills + ev->repeats)
		r.lost_max = ev->fills + ev->repeats;
	if (r.lost_max < r.lost_min)
		r.lost_max = r.lost_min;
	r.retransmitted_packets = ev->fills + ev->repeats;
	r.retransmitted_bytes = ev->bytes;
	if (v->d.cause == CAUSE_LOSS_UPSTREAM && !(v->bits & V(RESPONSE))) {
		r.lost_max = ev->fills + ev->again + n.again + n.more;
		r.lost_min = r.lost_max - n.unsure - n.more;
	}
	if (downstream(v->d.cause) && !(v->bits & V(RESPONSE)))
		emit_decided(
			e, f, ev,
			(struct fact_event) { .ns = ev->lost_ns,
					      .frame = lost_frame(ev, v),
					      .kind = EVENT_LOSS_DOWNSTREAM,
					      .psn = v->first_lost,
					      .count = v->lost_min,
					      .value = r.lost_max },
			&v->d);
	emit_recovery(e, f, &r);
}

/* All that had been sent is retransmitted before the first answer: no timer
 * runs from an earlier packet. */
static bool from_the_first(const struct evidence *ev)
{
	return ev->unpaired && ev->silence_ns >= RTO_MIN_SILENCE_NS;
}

/* How long the sender was idle at the most before it reacted to a NAK. */
static int64_t idle_before_naks(const struct flow *f)
{
	const struct pending *w = f->pending;
	int64_t most = 0;

	for (uint32_t i = 0; i < w->n; i++)
		if (w->ev[i].trigger == TRIGGER_NAK &&
		    w->ev[i].silence_ns > most)
			most = w->ev[i].silence_ns;
	return most;
}

/* The capture lacks packets, perhaps the NAK for what was not seen here, and
 * the sender was idle no longer than before other NAKs, and less than for usual
 * timers. */
static bool nak_may_lack(const struct flow *f, const struct evidence *ev,
			 int64_t idle_ns)
{
	return f->pending->lacks && ev->fills && ev->rounds <= 1 &&
	       ev->silence_ns < RTO_USUAL_NS &&
	       ev->silence_ns <= clamp_add(idle_ns, idle_ns / IDLE_PART);
}

/* A READ of a flow that was not paired: while its responses come a requester
 * may have nothing to send. */
static bool while_responses_came(const struct evidence *ev)
{
	return (ev->bits & V(RESPONSE)) && ev->silence_ns < RESPONSE_IDLE_NS;
}

/* It was not yet known whose answers to look at; or the capture lacks what
 * would tell. */
static void settle_trigger(const struct engine *e, struct flow *f,
			   struct evidence *ev, int64_t idle_ns)
{
	bool drops =
		recovery_among_drops(e, f, ev) || nak_may_lack(f, ev, idle_ns);

	if (ev->trigger == TRIGGER_UNKNOWN && f->paired && !drops &&
	    !while_responses_came(ev) &&
	    (!(ev->bits & V(IDLE_IN_REPLAY)) ||
	     ev->silence_ns >= RTO_USUAL_NS) &&
	    (recovery_may_be_timer(f, ev->silence_ns) || from_the_first(ev)) &&
	    !recovery_rnr_missed(f)) {
		ev->trigger = TRIGGER_TIMEOUT;
		f->timeouts++;
	} else if (ev->trigger == TRIGGER_TIMEOUT && drops) {
		ev->trigger = TRIGGER_UNKNOWN;
		f->timeouts -= f->timeouts > 0;
	}
}

/* This sender repeats selectively: what was not repeated is no hole. */
static void forget_hole(struct evidence *ev)
{
	if (ev->bits & V(IDLE_IN_REPLAY))
		return;
	ev->bits &= ~V(REPLAY_HOLE);
	ev->again = 0;
}

/* The rest of the message never got here: rules E31 and E40.  As much of it as
 * the window has room for was under way.  Returns how much more of it there is.
 */
static uint32_t complete_tail(const struct flow *f, struct evidence *ev,
			      const struct verdict *v)
{
	bool all = v->bits & V(ALL_ARRIVED);
	int32_t room = f->window - psn_diff(ev->high, ev->psn);

	if (v->d.cause != CAUSE_LOSS_UPSTREAM || !(v->bits & V(BY_TIMER)) ||
	    !(v->bits & V(ROOM)) || (v->bits & V(NAKED)) ||
	    (!all && (v->bits & (V(FILLED) | V(REPLAY_HOLE)))))
		return 0;
	ev->nak_psn = ev->high;
	ev->again = ev->rest < (uint32_t)room ? ev->rest : (uint32_t)room;
	if (!ev->rest)
		ev->again = 1;
	return ev->rest > ev->again ? ev->rest - ev->again : 0;
}

static void settle(struct engine *e, struct flow *f, struct evidence *ev,
		   const struct verdict *v, struct filled n)
{
	n.more = complete_tail(f, ev, v);
	count(e, f, ev, v);
	emit_decided(
		e, f, ev,
		(struct fact_event) { .ns = ev->first_ns,
				      .frame = ev->frame_first,
				      .kind = recovery_resend_kind[ev->trigger],
				      .psn = ev->psn,
				      .count = ev->fills + ev->repeats,
				      .value = (int64_t)ev->frame_last },
		&v->d);
	emit_verdict(e, f, ev, v, n);
}

/* ---- what waits ---- */

bool recovery_room_for_fill(struct pending *w)
{
	return w->n_fills < FILLS_MOST &&
	       mem_grow(&w->fill, w->n_fills, &w->fills_room, ROOM_MIN,
			sizeof *w->fill);
}

struct pending *recovery_pending(struct flow *f)
{
	if (!f->pending)
		f->pending = mem_calloc(1, sizeof *f->pending);
	return f->pending;
}

struct stop *recovery_new_stop(struct flow *f)
{
	struct pending *w = recovery_pending(f);

	return w && w->n_stops < FILLS_MOST &&
			       mem_grow(&w->stop, w->n_stops, &w->stops_room,
					ROOM_MIN, sizeof *w->stop)
		       ? &w->stop[w->n_stops++]
		       : NULL;
}

void recovery_forget(struct engine *e, struct flow *f)
{
	struct pending *w = f->pending;

	if (!w)
		return;
	e->n_pending -= w->n;
	free(w->ev);
	free(w->fill);
	free(w->refill);
	free(w->stop);
	free(w);
	f->pending = NULL;
}

/* The fills of record |number|, which lie side by side. */
static struct filled emit_fills(struct engine *e, struct flow *f,
				const struct evidence *ev,
				const struct verdict *v, uint32_t number,
				uint32_t *at)
{
	const struct pending *w = f->pending;
	struct filled n = { 0 };

	for (; *at < w->n_fills && w->fill[*at].record == number; (*at)++) {
		const struct fill *fill = &w->fill[*at];

		if (fill->n && fill->again)
			n.again += emit_again(e, f, ev, v, fill);
		else if (fill->n)
			n.unsure += emit_fill(e, f, ev, fill);
	}
	return n;
}

/* How many losses would there be if nothing was reordered? */
static void count_nak_losses(struct engine *e, struct flow *f)
{
	const struct pending *w = f->pending;

	for (uint32_t i = 0; i < w->n; i++) {
		uint64_t bits = recovery_observed(e, f, &w->ev[i]);

		bits &= ~V(REORDERS_BEYOND);
		f->nak_losses += (bits & V(BY_NAK)) &&
				 decide(bits).cause == CAUSE_LOSS_DOWNSTREAM;
	}
}

/* Are ACKs of the flow known to be slower than its timer? */
static void note_slow_acks(const struct engine *e, struct flow *f)
{
	struct pending *w = f->pending;

	for (uint32_t i = 0; i < w->n && !w->slow_acks; i++)
		w->slow_acks =
			recovery_observed(e, f, &w->ev[i]) & V(ACKS_CAME_LATE);
}

void recovery_moot(struct flow *f, uint32_t psn, int64_t ns, uint64_t frame,
		   const char *why)
{
	struct pending *w = recovery_pending(f);

	if (!w || w->moot++)
		return;
	w->moot_why = why;
	w->moot_psn = psn;
	w->moot_ns = ns;
	w->moot_frame = frame;
}

/* Came what was asked for once more late?  That the capture missed its
 * retransmission is the other reading: only where it has shown no holes is it
 * known of other flows as well that packets come late. */
static void prove_moot(struct engine *e, struct flow *f)
{
	const struct pending *w = f->pending;

	if (!w->moot || f->missing ||
	    recovery_hole_is_loss(e, f->tap) < HOLES_ARE_LOSSES)
		return;
	f->reorder_proven += w->moot;
	e->routes[f->route / 2].reorders[f->route & 1] += w->moot;
	emit_event(e, f,
		   &(struct fact_event) { .ns = w->moot_ns,
					  .frame = w->moot_frame,
					  .tap = f->tap,
					  .kind = EVENT_REORDER,
					  .psn = w->moot_psn,
					  .count = w->moot,
					  .value = FACT_UNKNOWN,
					  .confidence = 0.8,
					  .detail = w->moot_why });
}

static void note_orders(struct engine *e, const struct flow *f)
{
	struct route_pair *r = &e->routes[f->route / 2];

	if (f->paired)
		r->seen_late[f->route & 1] += f->reorder_events;
	r->recoveries[f->route & 1] += f->recoveries;
}

/* What comes from the other host over the same network is out of order here
 * half as often as something was retransmitted: what goes to it may be as well,
 * where that is not observable.  Or it is at another capture point, and not
 * here. */
uint32_t recovery_reorders_elsewhere(const struct engine *e,
				     const struct flow *f, uint32_t recoveries)
{
	const struct route_pair *here = &e->routes[f->route / 2];
	unsigned way = f->route & 1;
	uint32_t back = here->seen_late[!way];

	if (back >= LATE_OTHER_WAY_MIN && 2 * (uint64_t)back >= recoveries)
		return back;
	for (uint32_t place = 0; place < e->n_taps; place++) {
		const struct route_pair *r = route_at(e, here, place);

		if (r && r->seen_late[way] > here->seen_late[way])
			return r->seen_late[way] - here->seen_late[way];
	}
	return 0;
}

void recovery_prove(struct engine *e, struct flow *f)
{
	const struct pending *w = f->pending;
	uint32_t *all = &e->routes[f->route / 2].reorders[f->route & 1];

	recovery_late_refills(e, f);
	recovery_note_late(e, f);
	note_orders(e, f);
	if (!w)
		return;
	recovery_forget_reacks(e, f);
	prove_moot(e, f);
	recovery_tell_stops(e, f);
	for (uint32_t i = 0; i < w->n; i++) {
		uint64_t bits = recovery_observed(e, f, &w->ev[i]);

		if (!(bits & V(BY_NAK)) ||
		    decide(bits).remaining != H(REORDERED_DOWN))
			continue;
		f->reorder_proven++;
		++*all;
	}
}

/* Returns how many fills were reported. */
uint32_t recovery_decide_replays(struct engine *e, struct flow *f)
{
	struct pending *w = f->pending;
	int64_t idle_ns = idle_before_naks(f);
	uint32_t at = 0;

	for (uint32_t i = 0; i < w->n; i++)
		settle_trigger(e, f, &w->ev[i], idle_ns);
	for (uint32_t i = 0; i < w->n && f->sr_votes > f->gbn_votes; i++)
		forget_hole(&w->ev[i]);
	note_slow_acks(e, f);
	count_nak_losses(e, f);
	for (uint32_t i = 0; i < w->n; i++) {
		struct evidence *ev = &w->ev[i];
		struct verdict v = verdict_of(e, f, ev);
		struct filled n = emit_fills(e, f, ev, &v, w->first + i, &at);

		settle(e, f, ev, &v, n);
	}
	return at;
}

/* How long the receiver waits before a NAK, where too few round trips were
 * known when NAKs came: now the shortest is. */
static int64_t own_nak_wait(const struct flow *f)
{
	const struct pending *w = f->pending;
	int64_t least = 0;

	for (uint32_t i = 0; f->rtt_n >= NEAR_MIN && i < w->n; i++) {
		int64_t wait = w->ev[i].shown_ns - f->rtt_r;

		if (w->ev[i].shown_ns && wait > 0 && (!least || wait < least))
			least = wait;
	}
	return least < NAK_WAIT_MAX_NS ? least : 0;
}

/* By how much else the capture lacks it is known what it may lack; by what came
 * late elsewhere on this path, what may. */
static void note_others(const struct engine *e, struct flow *f,
			struct pending *w)
{
	const struct route_pair *r = &e->routes[f->route / 2];
	const struct flow *g = flow_peer(e, f);
	unsigned way = f->route & 1;

	recovery_forget_reacks(e, f);
	/* A sender of few packets at a time that has never repeated more than
	 * what a NAK named repeats selectively. */
	if (!f->gbn_votes && f->alone >= ALONE_MIN && f->alone != NOT_ALONE) {
		f->sr_votes += f->alone;
		f->alone = 0;
	}
	/* A receiver that is not known to acknowledge what requests it, and
	 * that only, owes an ACK for anything. */
	for (uint32_t i = 0; (f->acks_unasked || !f->rtt_n) && i < w->n; i++)
		w->ev[i].bits &= ~V(NO_ACK_DUE);
	w->lacks = f->missing + f->unresolved;
	w->covered = f->covered;
	f->route_reorders = r->reorders[way] + w->moot;
	f->route_reorders +=
		recovery_reorders_elsewhere(e, f, r->recoveries[way]);
	f->route_late_ns = r->late_ns[way];
	f->nak_wait_ns = r->nak_wait_ns[way];
	if (!f->nak_wait_ns)
		f->nak_wait_ns = own_nak_wait(f);
	if (!g)
		return;
	w->lacks += g->missing + g->unresolved;
	w->covered += g->covered;
	recovery_responses_late(e, f, g);
}

void recovery_judge(struct engine *e, struct flow *f)
{
	struct pending *w = f->pending;

	if (!w)
		return;
	if (!e->o.judging) {
		note_others(e, f, w);
		judge_emit(e, f);
	}
	recovery_decide(e, f);
}

void recovery_decide(struct engine *e, struct flow *f)
{
	struct pending *w = f->pending;
	uint32_t at;

	if (!w)
		return;
	if (!e->o.judging) {
		note_others(e, f, w);
		recovery_tell_implied(e, f);
		f->sprayed = tap_sprays(e, f);
	}
	recovery_tell_refills(e, f);
	at = transport(e, f)->decide(e, f);
	/* Those of the recovery that is under way stay. */
	for (uint32_t i = at; i < w->n_fills; i++)
		w->fill[i - at] = w->fill[i];
	w->n_fills -= at;
	w->first += w->n;
	e->n_pending -= w->n;
	w->n = 0;
}

void recovery_decide_old(struct engine *e, struct flow *f)
{
	const struct pending *w = f->pending;

	if (w && w->n && e->n_pending > EVIDENCE_LIVE &&
	    e->now - w->ev[w->n - 1].last_ns > ACK_LATEST_NS)
		recovery_decide(e, f);
}

void recovery_keep(struct engine *e, struct flow *f, const struct evidence *ev)
{
	struct pending *w = recovery_pending(f);

	if (e->paths)
		path_wait(e, f,
			  &(struct fact_event) { .psn = ev->nak_psn,
						 .count = (uint32_t)psn_diff(
							 ev->high, ev->psn) });
	if (!w)
		return;
	if (w->n >= EVIDENCE_MOST || e->n_pending >= EVIDENCE_TOTAL) {
		e->limit[LIMIT_EVIDENCE].left_out += w->n;
		recovery_decide(e, f);
	}
	if (!mem_grow(&w->ev, w->n, &w->room, ROOM_MIN, sizeof *w->ev))
		return;
	w->ev[w->n++] = *ev;
	e->n_pending++;
}

void recovery_close(struct engine *e, struct flow *f)
{
	struct recovery *ep = f->recovery ? &f->recovery->ep : NULL;
	struct evidence *ev;

	if (!ep || !ep->active)
		return;
	ep->active = false;
	ev = &ep->ev;
	if (ep->ack_ns > ev->end_ns)
		ev->end_ns = ep->ack_ns;
	if (ev->end_ns < ev->last_ns)
		ev->end_ns = ev->last_ns;
	if (psn_diff(ev->nak_psn, f->nxt) >= 0)
		ev->bits |= V(AHEAD);
	f->recoveries++;
	if (ev->end_ns > ev->lost_ns)
		f->recovery_ns = clamp_add(f->recovery_ns,
					   clamp_sub(ev->end_ns, ev->lost_ns));
	recovery_keep(e, f, ev);
}

/* ---- copies that came for the first time ---- */

void recovery_fill_event(struct engine *e, struct flow *f,
			 const struct fill *fill)
{
	const struct evidence *ev = &f->recovery->ep.ev;
	struct pending *w = recovery_pending(f);
	struct fill *last;

	if (!w)
		return;
	if (!fill->again && asked_for(ev, fill->psn) &&
	    ev->trigger != TRIGGER_RNR)
		tap_asked_for(e, ev->tap);
	last = w->n_fills ? &w->fill[w->n_fills - 1] : NULL;
	if (last && last->record == w->first + w->n &&
	    last->since_ns == fill->since_ns && last->again == fill->again &&
	    fill->psn == psn_add(last->psn, last->n)) {
		last->n += fill->n;
		return;
	}
	if (w->n_fills == FILLS_MOST) {
		struct verdict v = { .d = { .cause = CAUSE_UNKNOWN } };
		uint32_t at = 0;

		e->limit[LIMIT_EVIDENCE].left_out += w->n;
		recovery_decide(e, f);
		emit_fills(e, f, ev, &v, w->first, &at);
		w->n_fills = at == w->n_fills ? 0 : w->n_fills;
	}
	if (!recovery_room_for_fill(w))
		return;
	w->fill[w->n_fills] = *fill;
	w->fill[w->n_fills++].record = w->first + w->n;
}
