/* SPDX-License-Identifier: GPL-2.0-or-later
 * The decision table of reference 3.4 for a closed episode, and what it adds
 * to the counters of 3.5. */
#include <stdlib.h>

#include "base/mem.h"
#include "flow/claim.h"
#include "flow/path.h"
#include "flow/recovery.h"
#include "flow/serial.h"

/* A sender that stops in the middle of a message for longer waits for its
 * timer, not for its host. */
enum { MID_MESSAGE_NS = 1000 * 1000 };

/* Packets: further ahead none is expected to overtake. */
enum { EARLY = 128 };

static const char NOT_COPIED[] =
	"R9: lost, or not copied by a mirror that misses others";
static const char LATE_OR_COPY[] = "R1 or R3: late, or lost and sent again";
static const char BLIND[] = "R27: the capture dropped packets meanwhile";
static const char MIXED_UP[] = "R9: the order here is not that of sending";
static const char BEFORE[] = "R9: it may have passed before the capture began";
static const char OR_REORDER[] = "R26: lost, or late beyond this point";

struct verdict {
	enum recovery_cause cause;
	const char *rule;
	uint32_t lost_min, lost_max; /* downstream of the tap */
	uint32_t first_lost;
	double confidence;
};

/* How much a loss verdict is worth where the capture itself has holes: the
 * alternative to R3 is "not captured, and lost further on". */
static double trust(const struct flow *f, double confidence)
{
	double seen = f->requests + 1.0;
	double ghost = 10.0 * f->missing / seen;

	return confidence * (1 - (ghost < 0.5 ? ghost : 0.5));
}

/* Is this the packet that was missed by name? */
static bool asked_for(const struct episode *ep, uint32_t psn)
{
	return psn == ep->start || psn == ep->nak_psn;
}

/* Were copies that filled a hole sent again for a loss? */
static bool filled(const struct engine *e, const struct episode *ep)
{
	return ep->fills &&
	       (!ep->orig_seen || tap_hole_is_loss(e, ep->tap) > 0.5);
}

static struct verdict upstream(const struct flow *f, const struct episode *ep,
			       const char *rule, double confidence)
{
	if (ep->bad_icrc)
		return (struct verdict) {
			CAUSE_CORRUPTION,    "R5", 0, 0, ep->start,
			trust(f, confidence)
		};
	return (struct verdict) { CAUSE_LOSS_UPSTREAM, rule, 0, 0, ep->start,
				  trust(f, confidence) };
}

/* Did the receiver have more than |start| all along?  "Beyond" is proof only
 * where the receiver cannot have kept what came after a hole. */
static bool proof(const struct flow *f, struct episode *ep)
{
	bool strict = f->gbn_votes > 0 && f->sr_votes == 0;

	if (ep->beyond && (strict || ep->trigger == TRIGGER_TIMEOUT)) {
		ep->has_proof = true;
		ep->proven = psn_max(ep->proven, ep->beyond_una);
	}
	return ep->has_proof;
}

/* It looked like a reaction before the flow had shown that its sender counts
 * IP identifications; now they say that it was the original, late. */
static bool only_overtaken(const struct flow *f, const struct episode *ep)
{
	return ep->ip_before && counts_ip_id(f);
}

/* A hole so near to where the capture broke into the stream may be a packet
 * that overtook, and passed before. */
static bool perhaps_before(const struct flow *f, uint32_t psn)
{
	return f->mid_stream && psn_diff(psn, f->initial) < EARLY;
}

/* One packet only, and no later than others come whose place in the order of
 * sending is known: it need not be a copy. */
static bool perhaps_late(const struct flow *f, const struct episode *ep)
{
	return f->reorder_events && ep->fills == 1 && !ep->repeats &&
	       ep->first_ns - ep->lost_ns <= 2 * f->late_max;
}

bool recovery_reorders(const struct flow *f)
{
	if (f->reorder_proven || answers_first(f))
		return true;
	return f->reorder_events && 2 * f->reorder_events >= f->r4_min;
}

/* So many packets come late here that copies and originals of a replay are
 * mixed: what nothing asked for is no evidence. */
static bool mixed_up(const struct flow *f, const struct episode *ep)
{
	return ep->trigger == TRIGGER_UNKNOWN && f->reorder_events >= 16 &&
	       f->reordered * 20ULL > f->requests;
}

/* What comes late here is not what the receiver complains about: it would have
 * done so far more often.  Or the first of two copies from the mirror is
 * missing in the capture, and the second comes late. */
static bool late_here_only(const struct flow *f)
{
	return f->reorder_events > 4 * f->nak_seq ||
	       (f->missing && f->mirror_dups > f->requests / 4);
}

static struct verdict by_nak(const struct flow *f, struct episode *ep)
{
	if (!ep->orig_seen && perhaps_late(f, ep))
		return (struct verdict) { CAUSE_UNKNOWN, LATE_OR_COPY, 0, 0,
					  ep->start,     0.4 };
	if (!ep->orig_seen && !ep->orig_unknown && ep->fills && !ep->orig_late)
		return upstream(f, ep, "R3", 0.95);
	if (ep->orig_late && late_here_only(f))
		return (struct verdict) { CAUSE_UNKNOWN, "R2 or R4", 0, 0,
					  ep->start,     0.4 };
	if (ep->orig_late)
		return (struct verdict) { CAUSE_REORDER, "R2", 0, 0,
					  ep->start,     0.95 };
	/* Where packets are seen to overtake, a hole among copies may be one
	 * that went by at another time. */
	if (ep->again && f->reorder_events)
		return (struct verdict) { CAUSE_UNKNOWN, "R3 or R2", 0, 0,
					  ep->start,     0.4 };
	if (ep->again)
		return upstream(f, ep, "R3", 0.9);
	if (ep->orig_unknown)
		return (struct verdict) { CAUSE_UNKNOWN, "R4?", 0, 0,
					  ep->start,     0.3 };
	if (ep->bad_icrc)
		return (struct verdict) { CAUSE_CORRUPTION, "R5", 0, 0,
					  ep->start,        0.95 };
	/* Not lost, then.  Where packets come out of order already, those of a
	 * replay may have, too, and not behind here. */
	if (ep->before_ack ||
	    (proof(f, ep) && psn_diff(ep->proven, ep->nak_psn) > 0))
		return f->reorder_events
			       ? (struct verdict) { CAUSE_UNKNOWN,
						    "R2 or R26",
						    0,
						    0,
						    ep->start,
						    0.4 }
			       : (struct verdict) { CAUSE_REORDER, "R26", 0, 0,
						    ep->start,     0.85 };
	if (psn_diff(ep->nak_psn, f->nxt) >= 0)
		return upstream(f, ep, "R3", 0.6);
	if (recovery_reorders(f))
		return (struct verdict) {
			CAUSE_LOSS_OR_REORDER,
			"R26: lost, or late beyond this point",
			1,
			(uint32_t)psn_diff(ep->nak_high, ep->nak_psn),
			ep->nak_psn,
			0.4
		};
	return (struct verdict) { CAUSE_LOSS_DOWNSTREAM,
				  "R4",
				  1,
				  (uint32_t)psn_diff(ep->nak_high, ep->nak_psn),
				  ep->nak_psn,
				  trust(f, 0.85) };
}

/* It has never had more on its way: perhaps it may not, and stopped there. */
static bool window_full(const struct flow *f, const struct episode *ep)
{
	return psn_diff(ep->high, ep->start) >= f->window;
}

/* All that passed here had arrived, yet the message had not ended: what came
 * after it never got here. */
static struct verdict tail_upstream(const struct flow *f, struct episode *ep)
{
	ep->again = 1;
	ep->nak_psn = ep->high;
	return upstream(f, ep, "R13", 0.7);
}

static struct verdict by_timeout(const struct engine *e, const struct flow *f,
				 struct episode *ep)
{
	uint32_t from = ep->start;

	if (filled(e, ep) || ep->again)
		return upstream(f, ep, "R13", ep->fills ? 0.9 : 0.7);
	if (ep->orig_late && ep->frame_detect)
		return (struct verdict) {
			CAUSE_REORDER, "R2", 0, 0, from, 0.9
		};
	if (ep->before_ack && !ep->open)
		return (struct verdict) { CAUSE_ACK_LOSS, "R25", 0, 0,
					  from,           0.95 };
	if (ep->orig_unknown)
		return (struct verdict) {
			CAUSE_UNKNOWN, "R10", 0, 0, from, 0.3
		};
	if (proof(f, ep)) {
		if (psn_diff(ep->proven, ep->high) >= 0 && ep->open &&
		    ep->silence_ns >= MID_MESSAGE_NS && !window_full(f, ep))
			return tail_upstream(f, ep);
		/* A NAK says that the first had not: what is known of round
		 * trips must be wrong. */
		if (psn_diff(ep->proven, ep->high) >= 0 && !ep->frame_detect)
			return (struct verdict) {
				CAUSE_ACK_LOSS,         "R11", 0, 0, from,
				f->sr_votes ? 0.6 : 0.9
			};
		if (!ep->frame_detect)
			from = psn_max(from, ep->proven);
	}
	/* The NAK said what was missing, only the sender did not listen. */
	if (ep->frame_detect && recovery_reorders(f))
		return (struct verdict) {
			CAUSE_LOSS_OR_REORDER,
			"R26: lost, or late beyond this point",
			1,
			(uint32_t)psn_diff(ep->nak_high, ep->nak_psn),
			ep->nak_psn,
			0.4
		};
	/* On a flow that is reordered, and all the more where the sender was
	 * not silent, this may be another reaction to a NAK of before. */
	if (f->reorder_events ||
	    (recovery_reorders(f) && !recovery_was_silent(f, ep)))
		return (struct verdict) { CAUSE_UNKNOWN, "R10", 0,
					  ep->lost_max,  from,  0.3 };
	/* One answer for all of it fits both readings: the data were lost, or
	 * had arrived and the answer to them was lost. */
	if (!ep->answer_ns ||
	    (!ep->stepwise && !ep->has_proof && !ep->frame_detect))
		return (struct verdict) {
			CAUSE_UNKNOWN,
			"R11 or R12: the data, or the answer",
			0,
			ep->lost_max + (uint32_t)psn_diff(ep->high, from),
			from,
			0.4
		};
	return (struct verdict) { CAUSE_LOSS_DOWNSTREAM,
				  "R12",
				  ep->rounds,
				  ep->lost_max +
					  (uint32_t)psn_diff(ep->high, from),
				  from,
				  trust(f, 0.85) };
}

static struct verdict decide(const struct engine *e, const struct flow *f,
			     struct episode *ep)
{
	if (ep->once_more)
		return (struct verdict) { CAUSE_COLLATERAL,
					  "R15: the same NAK again",
					  0,
					  0,
					  ep->start,
					  0.9 };
	if (ep->reread)
		return (struct verdict) {
			ep->reread_cause,
			ep->trigger == TRIGGER_TIMEOUT ? "R17" : "R16",
			ep->reread_min,
			ep->reread_max,
			ep->start,
			ep->reread_cause == CAUSE_UNKNOWN ? 0.4 : trust(f, 0.9)
		};
	if (only_overtaken(f, ep))
		return (struct verdict) { CAUSE_REORDER, "R1", 0, 0,
					  ep->start,     0.9 };
	if (ep->fills && perhaps_before(f, ep->start))
		return (struct verdict) { CAUSE_UNKNOWN, "R9", 0, 0,
					  ep->start,     0.3 };
	/* It was not yet known whose answers to look at. */
	if (ep->trigger == TRIGGER_UNKNOWN && f->paired &&
	    recovery_was_silent(f, ep) && !recovery_rnr_missed(f))
		ep->trigger = TRIGGER_TIMEOUT;
	switch (ep->trigger) {
	case TRIGGER_NAK:
		return by_nak(f, ep);
	case TRIGGER_TIMEOUT:
		return by_timeout(e, f, ep);
	case TRIGGER_RNR:
		return (struct verdict) { CAUSE_RNR, "R14",     0,
					  0,         ep->start, 0.95 };
	default:
		break;
	}
	if (mixed_up(f, ep))
		return (struct verdict) { CAUSE_UNKNOWN, "R10", 0, 0,
					  ep->start,     0.3 };
	if (ep->before_ack)
		return (struct verdict) { CAUSE_ACK_LOSS, "R25", 0, 0,
					  ep->start,      0.8 };
	if (filled(e, ep))
		return upstream(f, ep, "R13", 0.7);
	return (struct verdict) { CAUSE_UNKNOWN, "R10", 0, 0, ep->start, 0.3 };
}

static bool is_loss(enum recovery_cause c)
{
	return c == CAUSE_LOSS_UPSTREAM || c == CAUSE_LOSS_DOWNSTREAM ||
	       c == CAUSE_LOSS_OR_REORDER;
}

/* What the capture dropped was not lost, and what it did not see is no
 * evidence. */
static struct verdict unless_blind(const struct engine *e, struct flow *f,
				   struct episode *ep, struct verdict v)
{
	int64_t from =
		ep->lost_ns ? ep->lost_ns : ep->first_ns - ep->silence_ns;
	int64_t to = ep->last_ns > ep->first_ns ? ep->last_ns : ep->first_ns;

	if ((!is_loss(v.cause) && ep->trigger != TRIGGER_TIMEOUT) ||
	    !blind_between(e, f->place, from - BLIND_MARGIN_NS, to))
		return v;
	if (ep->trigger == TRIGGER_TIMEOUT) {
		ep->trigger = TRIGGER_UNKNOWN;
		f->timeouts--;
	}
	return (struct verdict) { CAUSE_UNKNOWN, BLIND, 0, 0, ep->start, 0.2 };
}

/* ---- telling it ---- */

static void tell(struct engine *e, struct flow *f, const struct episode *ep,
		 enum event_kind kind, uint32_t psn, uint32_t count, int64_t ns,
		 uint64_t frame, int64_t value, const struct verdict *v)
{
	emit_event(e, f,
		   &(struct fact_event) { .ns = ns,
					  .frame = frame,
					  .tap = ep->tap,
					  .kind = kind,
					  .psn = psn,
					  .count = count,
					  .value = value,
					  .confidence = v->confidence,
					  .detail = v->rule });
}

/* Why a hole that was filled by a copy need not have been a loss; NULL: it
 * was. */
static const char *doubt(const struct engine *e, const struct flow *f,
			 const struct episode *ep, double likely)
{
	int64_t since = ep->lost_ns ? ep->lost_ns : ep->first_ns;

	if (mixed_up(f, ep))
		return MIXED_UP;
	if (perhaps_before(f, ep->fill_psn))
		return BEFORE;
	if (ep->trigger == TRIGGER_NAK && perhaps_late(f, ep))
		return LATE_OR_COPY;
	if (blind_between(e, f->place, since - BLIND_MARGIN_NS, ep->fill_ns))
		return BLIND;
	/* A receiver that is not ready throws all of them away, and one that
	 * lost a packet all that follow it: nothing tells a hole of the fabric
	 * from one of the capture. */
	if ((ep->trigger == TRIGGER_RNR && f->missing) || likely <= 0.5)
		return NOT_COPIED;
	return NULL;
}

static void flush_fills(struct engine *e, struct flow *f, struct episode *ep)
{
	const char *rule = ep->trigger == TRIGGER_NAK ? "R3" : "R13";
	bool rnr = ep->trigger == TRIGGER_RNR;
	struct verdict v = upstream(f, ep, rule, rnr ? 0.5 : 0.9);
	uint32_t n = ep->fill_n;
	double likely = 1;
	const char *why;

	ep->fill_n = 0;
	if (!n)
		return;
	if (only_overtaken(f, ep)) {
		f->reordered += n;
		return;
	}
	if (!asked_for(ep, ep->fill_psn))
		likely = tap_hole_is_loss(e, ep->tap);
	else if (!rnr)
		tap_asked_for(e, ep->tap);
	v.confidence *= likely;
	why = doubt(e, f, ep, likely);
	if (why) {
		f->unresolved += n;
		ep->unsure += n;
		tell(e, f, ep, EVENT_UNRESOLVED_GAP, ep->fill_psn, n,
		     ep->fill_ns, ep->fill_frame, FACT_UNKNOWN,
		     &(struct verdict) { .rule = why, .confidence = 0.5 });
		return;
	}
	if (v.cause == CAUSE_CORRUPTION) {
		f->corrupted += n;
		return;
	}
	f->lost_up += n;
	claim_loss(e, f,
		   &(struct fact_event) { .ns = ep->fill_ns,
					  .frame = ep->fill_frame,
					  .tap = ep->tap,
					  .kind = EVENT_LOSS_UPSTREAM,
					  .psn = ep->fill_psn,
					  .count = n,
					  .value = FACT_UNKNOWN,
					  .confidence = v.confidence,
					  .detail = v.rule });
}

bool episode_late_original(struct engine *e, struct flow *f, uint32_t psn,
			   int64_t ns)
{
	struct episode *ep = &f->trouble->ep;

	if (ep->active)
		flush_fills(e, f, ep);
	if (!claim_take_back(f, psn, ns))
		return false;
	f->lost_up--;
	if (!ep->active || psn_diff(psn, ep->start) < 0) {
		f->spurious++;
		return true;
	}
	ep->fills -= ep->fills > 0;
	ep->repeats++;
	ep->orig_late |= psn == ep->start;
	return true;
}

void episode_fill_event(struct engine *e, struct flow *f, uint32_t psn,
			uint32_t n, int64_t ns, uint64_t frame)
{
	struct episode *ep = &f->trouble->ep;

	if (ep->fill_n && psn != psn_add(ep->fill_psn, ep->fill_n))
		flush_fills(e, f, ep);
	if (!ep->fill_n) {
		ep->fill_psn = psn;
		ep->fill_ns = ns;
		ep->fill_frame = frame;
	}
	ep->fill_n += n;
}

static const enum event_kind resend_kind[] = {
	[TRIGGER_UNKNOWN] = EVENT_RETRANSMIT_UNKNOWN,
	[TRIGGER_NAK] = EVENT_RETRANSMIT_NAK,
	[TRIGGER_TIMEOUT] = EVENT_RETRANSMIT_TIMEOUT,
	[TRIGGER_RNR] = EVENT_RETRANSMIT_RNR,
	[TRIGGER_IMPLIED_NAK] = EVENT_RETRANSMIT_IMPLIED,
};

static void count(struct engine *e, struct flow *f, struct episode *ep,
		  const struct verdict *v)
{
	if (ep->reread)
		return; /* what was lost was a response: counted there */
	switch (v->cause) {
	case CAUSE_LOSS_UPSTREAM:
		if (!ep->again)
			break;
		f->lost_up += ep->again;
		tell(e, f, ep, EVENT_LOSS_UPSTREAM, ep->nak_psn, ep->again,
		     ep->lost_ns, ep->frame_first, FACT_UNKNOWN, v);
		break;
	case CAUSE_LOSS_OR_REORDER:
	case CAUSE_LOSS_DOWNSTREAM:
		/* A NAK alone may also mean a packet that came late. */
		if (ep->trigger == TRIGGER_NAK || ep->frame_detect) {
			f->r4_min += v->lost_min;
			f->r4_max += v->lost_max;
		} else {
			f->r12_min += v->lost_min;
			f->r12_max += v->lost_max;
		}
		break;
	case CAUSE_UNKNOWN:
		f->r12_max += v->lost_max;
		break;
	case CAUSE_CORRUPTION:
		f->corrupted += ep->fills == 0;
		break;
	case CAUSE_REORDER:
		f->spurious += ep->repeats;
		if (!ep->orig_late)
			f->reorder_proven++;
		break;
	case CAUSE_ACK_LOSS:
		f->spurious += ep->repeats;
		f->duplicates += ep->repeats;
		f->ack_lost += ep->trigger == TRIGGER_TIMEOUT;
		if (ep->trigger == TRIGGER_TIMEOUT)
			tell(e, f, ep, EVENT_ACK_LOST, ep->start, 1,
			     ep->lost_ns, ep->frame_first, FACT_UNKNOWN, v);
		break;
	default:
		break;
	}
	/* What a timeout repeated although it had arrived. */
	if (v->cause == CAUSE_LOSS_DOWNSTREAM && ep->has_proof)
		f->duplicates += (uint32_t)psn_diff(v->first_lost, ep->start);
	if (v->cause == CAUSE_REORDER || v->cause == CAUSE_ACK_LOSS)
		tell(e, f, ep, EVENT_RETRANSMIT_SPURIOUS, ep->start,
		     ep->repeats, ep->first_ns, ep->frame_first,
		     (int64_t)ep->frame_last, v);
}

static struct fact_recovery row_of(const struct flow *f,
				   const struct episode *ep,
				   const struct verdict *v, int64_t end)
{
	struct fact_recovery r = {
		.flow = f->id,
		.tap = ep->tap,
		.trigger = ep->trigger,
		.cause = v->cause,
		.psn = ep->start,
		.lost_min = v->lost_min,
		.lost_max = v->lost_max,
		.first_ns = ep->lost_ns,
		.detect_ns = ep->detect_ns,
		.resend_ns = ep->first_ns,
		.last_ns = end,
		.silence_ns = ep->silence_ns,
		.frame_detect = ep->frame_detect,
		.frame_first = ep->frame_first,
		.frame_last = ep->frame_last,
		.resent_packets = ep->fills + ep->repeats,
		.resent_bytes = ep->bytes,
		.confidence = v->confidence,
		.rule = v->rule,
	};

	if (v->cause == CAUSE_LOSS_UPSTREAM && !ep->reread) {
		r.lost_max = ep->fills + ep->again;
		r.lost_min = r.lost_max - ep->unsure;
	}
	return r;
}

/* ---- verdicts that wait ---- */

/* A NAK for what had passed here means a loss beyond, or a packet that came
 * late there.  The first such verdicts of a flow wait until it is known whether
 * the flow is reordered: nobody is to be accused by the first one already. */
struct suspended {
	struct fact_recovery row;
	struct fact_event loss;
};

enum { SUSPENDED_MAX = 16 };

static bool suspend(struct engine *e, struct flow *f,
		    const struct fact_recovery *row,
		    const struct fact_event *loss)
{
	if (f->n_suspended == SUSPENDED_MAX || recovery_reorders(f))
		return false;
	if (!f->suspended)
		f->suspended = mem_malloc(SUSPENDED_MAX * sizeof *f->suspended);
	if (!f->suspended)
		return false;
	f->suspended[f->n_suspended++] =
		(struct suspended) { .row = *row, .loss = *loss };
	if (e->paths)
		path_wait(e, f, loss);
	return true;
}

void episode_flush(struct engine *e, struct flow *f)
{
	bool reorders = recovery_reorders(f);

	for (uint32_t i = 0; i < f->n_suspended; i++) {
		struct suspended *s = &f->suspended[i];

		if (reorders) {
			s->row.cause = CAUSE_LOSS_OR_REORDER;
			s->row.rule = s->loss.detail = OR_REORDER;
			s->row.confidence = s->loss.confidence = 0.4;
		}
		emit_event(e, f, &s->loss);
		emit_recovery(e, f, &s->row);
	}
	f->n_suspended = 0;
	free(f->suspended);
	f->suspended = NULL;
}

static bool lost_beyond(const struct verdict *v)
{
	return v->cause == CAUSE_LOSS_DOWNSTREAM ||
	       v->cause == CAUSE_LOSS_OR_REORDER;
}

static void tell_verdict(struct engine *e, struct flow *f,
			 const struct episode *ep, const struct verdict *v,
			 int64_t end)
{
	struct fact_recovery row = row_of(f, ep, v, end);
	struct fact_event loss = {
		.ns = ep->lost_ns,
		.frame = ep->orig_frame ? ep->orig_frame : ep->frame_detect,
		.tap = ep->tap,
		.kind = EVENT_LOSS_DOWNSTREAM,
		.psn = v->first_lost,
		.count = v->lost_min,
		.value = v->lost_max,
		.confidence = v->confidence,
		.detail = v->rule,
	};

	if (v->cause == CAUSE_LOSS_UPSTREAM && !ep->reread) {
		claim_recovery(e, f, &row);
		return;
	}
	claim_flush(e, f);
	if (!lost_beyond(v) || ep->reread) {
		emit_recovery(e, f, &row);
		return;
	}
	if (suspend(e, f, &row, &loss))
		return;
	episode_flush(e, f);
	emit_event(e, f, &loss);
	emit_recovery(e, f, &row);
}

void episode_close(struct engine *e, struct flow *f)
{
	struct episode *ep = &f->trouble->ep;
	struct verdict v;
	uint8_t was;
	int64_t end;

	if (!ep->active)
		return;
	ep->active = false;
	was = ep->trigger;
	v = decide(e, f, ep);
	f->timeouts += was != ep->trigger;
	v = unless_blind(e, f, ep, v);
	/* A NAK may name what was never sent. */
	if (v.lost_max < v.lost_min || v.lost_max > PSN_MASK / 2)
		v.lost_max = v.lost_min;
	flush_fills(e, f, ep);
	end = ep->done_ns > ep->answer_ns ? ep->done_ns : ep->answer_ns;
	if (end < ep->last_ns)
		end = ep->last_ns;
	count(e, f, ep, &v);
	tell(e, f, ep, resend_kind[ep->trigger], ep->start,
	     ep->fills + ep->repeats, ep->first_ns, ep->frame_first,
	     (int64_t)ep->frame_last, &v);
	f->recoveries++;
	if (end > ep->lost_ns)
		f->recovery_ns += end - ep->lost_ns;
	tell_verdict(e, f, ep, &v, end);
}

void recovery_nak_moot(struct engine *e, struct flow *f)
{
	const struct pending_nak *n = &f->trouble->nak;

	if (!n->orig_seen || n->bad_icrc || f->missing)
		return;
	/* NAKed, then acknowledged without another copy passing here: the
	 * original came late.  (A copy that the capture missed is the other
	 * reading, so only where the capture has shown no holes.) */
	f->reorder_proven++;
	emit_event(e, f,
		   &(struct fact_event) {
			   .ns = n->ns,
			   .frame = n->frame,
			   .tap = f->tap,
			   .kind = EVENT_REORDER,
			   .psn = n->psn,
			   .count = 1,
			   .value = FACT_UNKNOWN,
			   .confidence = 0.8,
			   .detail = "R26: NAKed, then acknowledged without "
				     "a re-send: late beyond this point" });
}

void recovery_unanswered(struct engine *e, struct flow *f)
{
	const struct pending_nak *n = &f->trouble->nak;

	if (!n->valid || n->resent || n->acked || !n->orig_seen)
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
			   .detail = "NAKed, and not sent again before the "
				     "capture or the connection ended" });
}
