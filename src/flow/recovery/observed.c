/* SPDX-License-Identifier: GPL-2.0-or-later
 * What was observed of a recovery, completed by what its flow has shown as a
 * whole. */
#include "base/clamp.h"
#include "flow/core/serial.h"
#include "flow/recovery/recovery.h"

/* How probable is it that what is missing at |tap| was lost, and not only not
 * captured? */
double recovery_hole_is_loss(const struct engine *e, uint32_t tap)
{
	if (e->o.assumed & V(ASSUMED_CAPTURED))
		return 1;
	return e->o.assumed & V(ASSUMED_GAPS) ? 0 : tap_hole_is_loss(e, tap);
}

/* A hole so near to where the capture broke into the stream may be a packet
 * that overtook, and passed before. */
bool recovery_perhaps_before(const struct flow *f, uint32_t psn)
{
	return f->mid_stream && psn_diff(psn, f->initial) < EARLY_MAX;
}

/* Did it come no later than others, of any flow between its hosts, whose place
 * in the order of sending is known?  It need not be a copy then, unless its
 * identification says so. */
bool recovery_perhaps_late(const struct flow *f, int64_t took)
{
	int64_t most =
		f->late_max > f->route_late_ns ? f->late_max : f->route_late_ns;

	return most && !counts_ip_id(f) && took <= clamp_mul(LATE_TIMES, most);
}

bool recovery_reorders(const struct flow *f)
{
	if (f->reorder_proven || f->route_reorders || acks_before_data(f))
		return true;
	return f->reorder_events && 2 * f->reorder_events >= f->nak_losses;
}

bool recovery_responses_reorder(const struct flow *f)
{
	return f->reorder_proven || f->route_reorders || acks_before_data(f) ||
	       f->reorder_events;
}

/* So many packets come late here that copies and originals of a replay are
 * mixed: what nothing asked for is no evidence. */
bool recovery_much_reordered(const struct flow *f)
{
	return f->reorder_events >= REORDER_EVENTS_MANY &&
	       (uint64_t)REORDERED_ONE_IN * f->reordered > f->requests;
}

/* What comes late here is not what the receiver complains about: it would have
 * done so far more often.  Or the first of two copies from the mirror is
 * missing in the capture, and the second comes late. */
static bool late_here_only(const struct flow *f)
{
	return f->reorder_events > LATE_HERE_TIMES * f->nak_seq ||
	       (f->missing && f->mirror_dups > f->requests / DUPLICATES_ONE_IN);
}

/* May the first packet of the replay be an original that came late? */
static bool may_be_late(const struct flow *f, const struct evidence *ev)
{
	switch (ev->trigger) {
	case TRIGGER_NAK:
		return (!(ev->bits & V(SEEN)) &&
			recovery_perhaps_late(f, ev->first_ns - ev->lost_ns)) ||
		       ((ev->bits & V(REPLAY_HOLE)) && f->reorder_events);
	case TRIGGER_TIMEOUT:
		return f->reorder_events;
	default:
		/* Nobody reacts sooner than what is missing can be known. */
		return recovery_much_reordered(f) ||
		       (ev->fills && ev->first_ns - ev->lost_ns < f->rtt_r);
	}
}

static uint64_t bit(bool b, enum evidence_index i)
{
	return (uint64_t)b << i;
}

/* Its window is full where it has stopped with as much unacknowledged again and
 * again, and never with more. */
static bool is_full(const struct flow *f, int32_t unacknowledged)
{
	return unacknowledged == f->window && f->window_met >= WINDOWS_MIN;
}

/* Did the sender stop inside a message, and neither a full window, nor a pause,
 * nor its identifications say that it sent nothing meanwhile?  Where a hole
 * that the replay filled, or an ACK that did not reach the sender, explains the
 * timeout, only its identifications say that it sent more.  With room in its
 * window it would have: more has been on its way at once; where READs count
 * with what they request, that is not known. */
static uint64_t open_bits(const struct flow *f, const struct evidence *ev)
{
	int32_t unacknowledged = psn_diff(ev->high, ev->psn);
	bool explained = ev->fills || (ev->bits & V(ACKED_BEFORE));
	bool sent_nothing =
		ev->paused ||
		(counts_ip_id(f) ? (ev->bits & V(IDS_FOLLOW)) != 0 : explained);

	bool long_ago = ev->silence_ns >= MID_MESSAGE_NS;

	if (!(ev->bits & V(OPEN)) || f->spans_reads || sent_nothing ||
	    is_full(f, unacknowledged) ||
	    !(long_ago || (ev->trigger == TRIGGER_TIMEOUT &&
			   recovery_may_be_timer(f, ev->silence_ns))))
		return 0;
	return V(OPEN) |
	       bit(long_ago && unacknowledged < f->window, EVIDENCE_ROOM);
}

bool recovery_among_drops(const struct engine *e, const struct flow *f,
			  const struct evidence *ev)
{
	int64_t from =
		ev->lost_ns ? ev->lost_ns : ev->first_ns - ev->silence_ns;
	int64_t to = ev->last_ns > ev->first_ns ? ev->last_ns : ev->first_ns;

	if (e->o.assumed & V(ASSUMED_CAPTURED))
		return false;
	return ev->drops ||
	       drops_between(e, f->place, from - DROPS_MARGIN_NS, to);
}

/* "Beyond" is proof only where the receiver cannot have kept what came after a
 * missing packet. */
static uint32_t proven(const struct flow *f, struct evidence *ev)
{
	bool strict = f->gbn_votes > 0 && f->sr_votes == 0;

	if (ev->beyond && (strict || ev->trigger == TRIGGER_TIMEOUT)) {
		ev->proven_ever = true;
		ev->proven = psn_max(ev->proven, ev->beyond_una);
	}
	return ev->proven;
}

/* Does the receiver keep what comes behind a packet that it misses?  One ACK
 * may only seem to say so where the capture lacks packets. */
static bool keeps(const struct flow *f)
{
	return f->kept > (f->missing ? 1U : 0U);
}

/* Or nothing of it?  One that keeps it stops as well at what was lost: but then
 * there is the rest of it to be acknowledged at once, sooner or later. */
static bool keeps_nothing(const struct flow *f, const struct evidence *ev)
{
	bool nothing =
		!keeps(f) && (f->sr_votes <= f->gbn_votes ||
			      f->refused + f->refused_reads >= REFUSED_MIN);

	return nothing || (ev->answered && !f->kept_reads &&
			   f->refused_reads >= REFUSED_MIN);
}

/* What made the receiver send its NAK came behind the packet that it names, and
 * a receiver that keeps no such discarded it: it had not all of that before the
 * retransmission. */
static bool discarded(const struct flow *f, const struct evidence *ev,
		      uint32_t to)
{
	return ev->trigger == TRIGGER_NAK && !keeps(f) &&
	       psn_diff(to, ev->nak_high) >= 0;
}

/* A receiver that keeps what comes early acknowledges all of it as soon as the
 * first packet of a replay has arrived, and then the duplicates: only if that
 * one was a duplicate as well, it had arrived before. */
static bool shows_arrival(const struct flow *f, const struct evidence *ev)
{
	return ev->proven_ever &&
	       (!keeps(f) || ev->trigger != TRIGGER_TIMEOUT ||
		ev->re_acks >= ev->repeats);
}

static uint64_t arrival_bits(const struct flow *f, struct evidence *ev)
{
	uint32_t to = proven(f, ev);
	bool some = shows_arrival(f, ev);
	bool all = some && psn_diff(to, ev->high) >= 0;
	bool naked = (ev->bits & V(NAKED)) && ev->proven_ever &&
		     psn_diff(to, ev->nak_psn) > 0 && !discarded(f, ev, to);

	/* Retransmitted before, it need not be the original that arrived: the
	 * NAK is older than the arrival of that retransmission.  And where the
	 * receiver keeps what comes early, duplicates of that are acknowledged
	 * with all of it as soon as the retransmission has arrived. */
	return bit(some, EVIDENCE_SOME_ARRIVED) |
	       bit(naked && !ev->again_before && !keeps(f),
		   EVIDENCE_NAKED_ARRIVED) |
	       bit(naked && ev->again_before && ev->trigger == TRIGGER_NAK,
		   EVIDENCE_SAME_NAK) |
	       bit(all, EVIDENCE_ALL_ARRIVED) | open_bits(f, ev) |
	       bit(all && ev->re_acks &&
			   ((ev->bits & V(STEPWISE)) ||
			    ev->re_acks == ev->repeats),
		   EVIDENCE_ACKS_CAME_LATE) |
	       bit(ev->soonest_ns && ev->soonest_ns < f->rtt_r,
		   EVIDENCE_SOONER);
}

/* Does the receiver wait before it sends a NAK?  What comes late meanwhile it
 * accepts, and then it names the next packet, which came early: unless that one
 * was sent so long after it that no wait hides who is as late, or the receiver
 * has kept it. */
static bool nak_waits(const struct engine *e, const struct flow *f,
		      const struct evidence *ev)
{
	int64_t least = f->rtt_r / NAK_WAIT_PART;

	if (least < e->o.jitter_ns / 2)
		least = e->o.jitter_ns / 2;
	return f->nak_wait_ns > least && !keeps(f) &&
	       ev->spaced_ns < WAITS_APART * f->nak_wait_ns;
}

/* Was what a NAK named acknowledged so soon after its retransmission that it
 * may have arrived late, before that?  Queues do not make a round trip that
 * much shorter than all others. */
static bool soon(const struct flow *f, const struct evidence *ev)
{
	return ev->trigger == TRIGGER_NAK && ev->soonest_ns &&
	       f->rtt_n >= RTT_SAMPLES_MIN &&
	       clamp_mul(SOON_PART, ev->soonest_ns) < f->rtt_r;
}

static uint64_t trigger_bit(const struct evidence *ev)
{
	switch (ev->trigger) {
	case TRIGGER_NAK:
		return V(BY_NAK);
	case TRIGGER_TIMEOUT:
		return V(BY_TIMER);
	case TRIGGER_RNR:
		return V(BY_RNR);
	default:
		return V(UNASKED);
	}
}

/* Were copies that filled a hole retransmitted for a loss? */
static bool filled(const struct engine *e, const struct evidence *ev)
{
	return ev->fills &&
	       (ev->trigger == TRIGGER_NAK || !(ev->bits & V(SEEN)) ||
		recovery_hole_is_loss(e, ev->tap) > 0.5);
}

/* No duplicate was acknowledged, and the capture goes on for no longer than
 * that took before, or a round trip; where neither was measured, than twice
 * what the sender had waited for one. */
static bool ends_early(const struct engine *e, const struct flow *f,
		       const struct evidence *ev)
{
	int64_t wait = f->rtt_r ? f->rtt_r : clamp_mul(2, ev->silence_ns);

	if (f->pending->re_ack_ns > wait)
		wait = f->pending->re_ack_ns;
	return !ev->re_acks && clamp_sub(e->now, ev->last_ns) < wait;
}

/* So late an ACK may be of the original: one for the retransmission comes after
 * a round trip, and no sender waits less than many of those for its timer,
 * unless other ACKs of the flow were slower than that. */
static bool answered_late(const struct flow *f, const struct evidence *ev)
{
	if (f->pending->slow_acks)
		return true;
	return ev->ack_ns > SLOW_ROUND_TRIPS * f->rtt_r &&
	       ev->ack_ns > ev->silence_ns / SLOW_PART_OF_RTO;
}

/* All that was observed, with the statistics of the flow. */
uint64_t recovery_observed(const struct engine *e, const struct flow *f,
			   struct evidence *ev)
{
	uint64_t bits = ev->bits | e->o.assumed;
	bool beyond = ev->bits & V(RESPONSE) ? recovery_responses_reorder(f)
					     : recovery_reorders(f);

	bits &= ~V(OPEN);
	/* Others repeat what is missing, and no more; and a copy that was
	 * reordered is not missing. */
	if (f->gbn_votes <= f->sr_votes || f->reorder_events)
		bits &= ~V(COPY_MISSING);
	if (!counts_ip_id(f))
		bits &= ~(V(SENT_BEFORE) | V(IDS_FOLLOW));
	if (answered_late(f, ev))
		bits &= ~V(STEPWISE);
	if (!keeps_nothing(f, ev) || (bits & V(REPLAY_HOLE))) {
		bits |= bit((bits & V(ROD_BEHIND)) && ev->answered &&
				    !f->kept_reads,
			    EVIDENCE_MAY_BE_EARLY);
		bits &= ~V(ROD_BEHIND);
	}
	return bits | trigger_bit(ev) | arrival_bits(f, ev) |
	       bit(filled(e, ev), EVIDENCE_FILLED) |
	       bit(ev->fills && recovery_perhaps_before(f, ev->psn),
		   EVIDENCE_AT_BEGIN) |
	       bit(may_be_late(f, ev), EVIDENCE_MAY_BE_LATE) |
	       bit(recovery_among_drops(e, f, ev), EVIDENCE_DROPS) |
	       bit(ends_early(e, f, ev), EVIDENCE_ENDS_EARLY) |
	       bit(soon(f, ev), EVIDENCE_SOON) |
	       bit(recovery_hole_is_loss(e, ev->tap) < HOLES_ARE_LOSSES,
		   EVIDENCE_CAPTURE_LACKS) |
	       bit(nak_waits(e, f, ev), EVIDENCE_NAK_WAITS) |
	       bit(f->reorder_events, EVIDENCE_REORDERS_HERE) |
	       bit(beyond, EVIDENCE_REORDERS_BEYOND) |
	       bit(recovery_much_reordered(f), EVIDENCE_MUCH_REORDERED) |
	       bit(late_here_only(f), EVIDENCE_LATE_HERE_ONLY);
}
