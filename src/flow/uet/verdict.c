/* SPDX-License-Identifier: GPL-2.0-or-later
 * Retransmissions of Ultra Ethernet: their evidence is kept packet by packet,
 * completed by what the flow has shown as a whole, decided about, and reported
 * together where neighbors are decided alike. */
#include <string.h>

#include "base/clamp.h"
#include "flow/recovery/decide.h"
#include "flow/recovery/recovery.h"
#include "flow/uet/serial.h"
#include "flow/uet/uet.h"

enum {
	ROWS_OPEN = 4,
	REPLAYS_OPEN = 4,
	ROUND_TRIPS_MIN = 8, /* before the shortest one is known */
	/* Where so few of the holes can be refusals that were not captured,
	 * they are not. */
	REFUSALS_SHARE = 20,
};

/* A row of recovery that may grow: neighbors decided alike. */
struct row {
	struct fact_recovery r;
	int64_t copy_ns; /* of the last one */
	bool open;
};

/* When a timer had packets retransmitted, from the first to the last. */
struct replay {
	int64_t from, to;
};

/* What is decided at once. */
struct batch {
	bool lacking;       /* NACKs for lack of resources may not be here */
	bool capture_lacks; /* packets that were acknowledged */
	bool owed;          /* that |owed_psn| was lost, or one of its run */
	uint32_t owed_psn;
	bool impatient; /* most retransmitted though acknowledged */
	double trust;   /* in a loss */
	struct row rows[ROWS_OPEN];
	struct replay replays[REPLAYS_OPEN]; /* the last ones; 0: none */
};

#define REPORTED (UET_MISSED | V(ROD_RUN))
#define NACKED   (V(NACK_TRIMMED) | V(REFUSED) | V(NAKED) | V(ROD_RUN))
#define ASKED    (NACKED | V(ROD_BEHIND) | V(SACK_HOLE))

/* ---- a packet of which no more is to be learnt ---- */

static int64_t began(const struct pending_psn *d)
{
	if (d->orig_ns && !(d->evidence & V(COPY_FIRST)))
		return d->orig_ns;
	if (d->gap_ns && d->gap_ns < d->copy_ns)
		return d->gap_ns;
	return d->nack_ns && d->nack_ns < d->copy_ns ? d->nack_ns : d->copy_ns;
}

/* How long it has been missing, as far as that is evidence: until it was
 * retransmitted, and not for more than twice as long as the receiver was heard
 * to miss it. */
static int64_t missing(const struct pending_psn *d)
{
	int64_t wait = clamp_sub(d->copy_ns, d->orig_ns);
	int64_t heard = clamp_mul(2, clamp_sub(d->missed_ns, d->orig_ns));

	return d->missed_ns && heard < wait ? heard : wait;
}

/* TRIGGER_UNKNOWN: nothing asked for it, a timer perhaps. */
static enum recovery_trigger asked_by(const struct pending_psn *d)
{
	if ((d->evidence & V(REFUSED)) && d->busy)
		return TRIGGER_RNR;
	if ((d->evidence & (NACKED | V(ROD_BEHIND))) ||
	    ((d->evidence & V(PASSED_OVER)) && d->nack_ns))
		return TRIGGER_NAK;
	if (d->evidence &
	    (V(SACK_HOLE) | V(PASSED_OVER) | V(SACK_OUT_OF_ORDER)))
		return TRIGGER_IMPLIED_NAK;
	return TRIGGER_UNKNOWN;
}

/* |fresh|: answers say what there is when they are sent. */
static struct evidence evidence_of(const struct pending_psn *d, bool fresh)
{
	const uint64_t seen = V(SEEN) | V(TRIMMED) | V(BAD_ICRC) |
			      V(COPY_FIRST) | V(BEFORE_CAPTURE);
	bool nack = d->nack_ns && d->nack_ns <= d->copy_ns;
	struct evidence ev = {
		.bits = d->evidence | V(UET),
		.trigger = (uint8_t)asked_by(d),
		.psn = d->psn,
		.high = d->psn + 1,
		.nak_psn = d->psn,
		.repeats = d->copies,
		.tap = d->tap,
		.bytes = d->bytes,
		.lost_ns = began(d),
		.detect_ns = nack ? d->nack_ns : d->copy_ns,
		.first_ns = d->copy_ns,
		.last_ns = d->last_ns,
		.end_ns = d->acked_ns > d->last_ns ? d->acked_ns : d->last_ns,
		.silence_ns = d->copy_ns - began(d),
		.orig_ns = d->orig_ns,
		.since_ns = d->since_ns,
		.missing_ns = missing(d),
		.missed_ns = d->missed_ns - d->orig_ns,
		.orig_frame = d->frame_orig,
		.frame_detect = nack ? d->frame_nack : 0,
		.frame_first = d->frame_first,
		.frame_last = d->frame_last,
		.ev = d->ev,
		.ev_known = d->ev_known,
		.proves = d->proves,
		.waited = d->waited,
		.acked = d->acked_ns || d->anew,
	};

	if (!(ev.bits & seen))
		ev.bits |= V(FILLED);
	if (d->just_before && !fresh)
		ev.bits |= V(TWICE);
	if (ev.bits & V(ACKED))
		ev.soonest_ns = d->acked_ns - d->copy_ns;
	return ev;
}

void uet_keep(struct engine *e, struct flow *f, const struct pending_psn *d)
{
	const struct evidence ev = evidence_of(d, f->uet.sender->cc.fresh);

	if (d->copies) /* else it was not retransmitted: no loss */
		recovery_keep(e, f, &ev);
}

/* ---- what the flow shows as a whole ---- */

/* What came out of order may have looked lost before it was there. */
static bool may_look_lost(const struct flow *f)
{
	return f->reordered || f->uet.sender->fact.late_behind;
}

/* No timer expires within a round trip or two. */
static bool too_soon(const struct flow *f, const struct evidence *ev)
{
	return ev->orig_ns && ev->first_ns - ev->orig_ns < 2 * f->rtt_r;
}

/* It was acknowledged so long before that the sender should have known.  Where
 * its round trip is not known: nobody asked for it, and no timer is shorter
 * than that.  |impatient|: it sends most of its packets again, whatever comes;
 * its RTO may be shorter than its round trip. */
static bool ack_due(const struct flow *f, const struct evidence *ev,
		    bool impatient)
{
	const uint64_t wants = V(SEEN) | V(ACKED_BEFORE);

	if (!(ev->bits & V(ACKED_BEFORE)) || !ev->waited || impatient ||
	    (ev->bits & ASKED) || may_look_lost(f))
		return false;
	if (f->rtt_s)
		return ev->first_ns - ev->since_ns > clamp_mul(4, f->rtt_s);
	return (ev->bits & (wants | V(BEFORE_CAPTURE))) == wants && f->paired &&
	       ev->orig_ns && !too_soon(f, ev);
}

/* Sooner than any response to the retransmission can be here.  A round trip may
 * be shorter than any seen under load: what the receiver missed by name has to
 * be there twice as soon. */
static bool at_once(const struct flow *f, const struct evidence *ev)
{
	int64_t took = ev->soonest_ns;

	if (ev->bits & UET_MISSED)
		took += took / 2;
	return (ev->bits & V(ACKED)) && f->rtt_n >= ROUND_TRIPS_MIN &&
	       clamp_mul(4, took) < 3 * f->rtt_r;
}

/* That anything of a run was missing is only inferred: clearly sooner than any
 * round trip of the flow, however few were seen, and it need not have been. */
static bool run_may_be_late(const struct flow *f, const struct evidence *ev)
{
	return (ev->bits & V(ROD_RUN)) && !(ev->bits & V(NAKED)) &&
	       clamp_mul(8, ev->soonest_ns) < 7 * f->rtt_r;
}

/* Missing for no longer than others came late.  How late they come may not be
 * known, but that they do: then sooner acknowledged than any before, and not
 * missed for long. */
static bool soon(const struct flow *f, const struct evidence *ev)
{
	const struct uet_sender *s = f->uet.sender;

	if (s->fact.late_behind)
		return ev->orig_ns && ev->missing_ns <= 2 * s->behind_max;
	return (ev->bits & V(ACKED)) && ev->soonest_ns < f->rtt_r &&
	       (f->reordered || run_may_be_late(f, ev)) &&
	       ev->missed_ns < 4 * f->rtt_r;
}

/* Lost downstream or refused: its NACK would tell. */
static bool no_nack_reports(const struct evidence *ev)
{
	return (ev->bits & V(SEEN)) && (ev->bits & REPORTED) &&
	       !(ev->bits & (V(REFUSED) | V(NACK_TRIMMED) | V(ACKED_BEFORE)));
}

/* May the NACKs of |n| be what the capture lacks, by how much else it lacks,
 * and how many packets were refused?  Trimmed packets are too common to count
 * where it lacks nothing that is known of. */
static bool refusals_lacking(const struct flow *f, uint32_t n)
{
	const struct pending *w = f->pending;

	const uint32_t nacks = w->lacks ? uet_trim_nacks(f) : 0;
	const double refused = (double)f->rnr_nak + (nacks ? nacks + 1.0 : 0);

	return refused * (double)(w->lacks + 1) * REFUSALS_SHARE >=
	       (double)n * (double)(w->covered + 1);
}

static void learn_late(struct flow *f, const struct evidence *v)
{
	uet_note_late(f, v->first_ns + v->soonest_ns - v->orig_ns);
}

/* Nothing of a run was missing when its copies came: its first one, |v[0]|, was
 * late, or one behind it. */
static bool all_had_come(const struct flow *f, const struct evidence *v,
			 const struct evidence *end)
{
	uint32_t psn = v->psn;

	for (; v < end && v->psn == psn && (v->bits & V(ROD_RUN)); v++, psn++)
		if (!at_once(f, v) && !(v->bits & V(TWICE)))
			return false;
	return true;
}

/* What came late downstream shows in what was acknowledged at once. */
static uint32_t learn(struct flow *f, const struct evidence *ev, uint32_t n)
{
	uint32_t untold = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct evidence *v = &ev[i];

		untold += no_nack_reports(v);
		if (!v->orig_ns || !(v->bits & V(SEEN)))
			continue;
		if (v->proves ? all_had_come(f, v, ev + n)
			      : at_once(f, v) && (v->bits & UET_MISSED))
			learn_late(f, v);
	}
	return untold;
}

/* Were most of its packets acknowledged, and retransmitted all the same? */
static bool is_impatient(const struct flow *f, const struct evidence *ev,
			 uint32_t n)
{
	uint64_t vain = 0;

	for (uint32_t i = 0; i < n; i++)
		vain += !!(ev[i].bits & V(ACKED_BEFORE));
	return 2 * vain > f->covered;
}

/* ---- one packet ---- */

static enum recovery_trigger trigger_of(const struct flow *f,
					const struct evidence *ev)
{
	if (ev->trigger != TRIGGER_UNKNOWN)
		return ev->trigger;
	if (!f->paired || (ev->bits & V(BEFORE_CAPTURE)))
		return TRIGGER_UNKNOWN;
	if ((ev->bits & V(ACKED_BEFORE)) && may_look_lost(f))
		return TRIGGER_UNKNOWN;
	return too_soon(f, ev) ? TRIGGER_UNKNOWN : TRIGGER_TIMEOUT;
}

enum recovery_trigger uet_trigger(const struct flow *f, uint32_t psn)
{
	const struct pending_psn *d = pending_psn_find(f, psn);
	struct evidence ev;

	if (!d)
		return TRIGGER_UNKNOWN;
	ev = evidence_of(d, true);
	return trigger_of(f, &ev);
}

/* The bit of a trigger; what a SACK implies has bits of its own. */
static uint64_t trigger_bit(enum recovery_trigger t)
{
	static const uint64_t bit[] = {
		[TRIGGER_UNKNOWN] = V(UNASKED),  [TRIGGER_NAK] = V(BY_NAK),
		[TRIGGER_TIMEOUT] = V(BY_TIMER), [TRIGGER_RNR] = 0,
		[TRIGGER_IMPLIED_NAK] = 0,
	};

	return bit[t];
}

/* All that was observed, with the statistics of the flow. */
static uint64_t observed(const struct engine *e, const struct flow *f,
			 const struct evidence *ev, const struct batch *b)
{
	uint64_t bits = ev->bits | e->o.assumed;

	if (bits & UET_MISSED)
		bits &= ~V(SACK_OUT_OF_ORDER); /* that is known better since */
	if (!b->lacking)
		bits &= ~V(OTHERS_REFUSED);
	if (uet_had_no_pdc(f, ev->orig_ns))
		bits |= V(OTHERS_REFUSED);
	if (ack_due(f, ev, b->impatient))
		bits |= V(ACK_DUE);
	if (at_once(f, ev))
		bits |= V(AT_ONCE);
	if (soon(f, ev))
		bits |= V(SOON);
	if (b->capture_lacks)
		bits |= V(CAPTURE_LACKS);
	if (recovery_among_drops(e, f, ev))
		return bits | V(DROPS) | V(UNASKED);
	return bits | trigger_bit(trigger_of(f, ev));
}

/* What a verdict says happened, if that is counted. */
static enum event_kind verdict_event_of(const struct fact_recovery *r)
{
	switch (r->cause) {
	case CAUSE_LOSS_UPSTREAM:
		return EVENT_LOSS_UPSTREAM;
	case CAUSE_LOSS_DOWNSTREAM:
		return EVENT_LOSS_DOWNSTREAM;
	case CAUSE_ACK_LOSS:
		return EVENT_ACK_LOST;
	case CAUSE_REORDER:
		return EVENT_RETRANSMIT_SPURIOUS;
	case CAUSE_TRIMMED:
	case CAUSE_RNR:
		return r->evidence & V(FILLED) ? EVENT_CAPTURE_MISSING
					       : EVENT_KIND_COUNT;
	case CAUSE_COLLATERAL:
		if (r->remaining & H(NOT_CAPTURED))
			return EVENT_CAPTURE_MISSING;
		return r->remaining & H(TOO_EARLY) ? EVENT_KIND_COUNT
						   : EVENT_RETRANSMIT_SPURIOUS;
	default:
		return EVENT_KIND_COUNT;
	}
}

/* Of a run before what ROD refused as too early one at least was lost. */
static uint32_t least(const struct evidence *ev, const struct fact_recovery *r)
{
	if (r->cause != CAUSE_LOSS_DOWNSTREAM)
		return 0;
	return (ev->bits & V(ROD_RUN)) && !(ev->bits & V(NAKED)) ? ev->proves
								 : 1;
}

static void count_downstream(struct flow *f, const struct evidence *ev,
			     struct fact_recovery *r)
{
	uint32_t n = least(ev, r), most = ev->repeats + !ev->acked;

	if (!(r->remaining & H(LOST_DOWN)) ||
	    (r->evidence & (V(DROPS) | V(BEFORE_CAPTURE))))
		return;
	f->r4_min += n;
	f->r4_max += most;
	r->lost_min += n;
	r->lost_max += most;
}

static void count(struct flow *f, const struct evidence *ev,
		  struct fact_recovery *r)
{
	count_downstream(f, ev, r);
	switch (verdict_event_of(r)) {
	case EVENT_LOSS_UPSTREAM:
		f->lost_up++;
		f->r12_max += ev->repeats - 1;
		r->lost_min++;
		r->lost_max++;
		break;
	case EVENT_ACK_LOST:
	case EVENT_RETRANSMIT_SPURIOUS:
		f->spurious += ev->repeats;
		break;
	case EVENT_CAPTURE_MISSING:
		f->missing++;
		f->spurious += r->cause == CAUSE_COLLATERAL;
		break;
	default:
		break;
	}
	if (r->cause != CAUSE_CORRUPTION)
		return;
	f->corrupted++;
	r->lost_min++;
	r->lost_max++;
}

/* ---- rows ---- */

static void row_event(struct engine *e, struct flow *f,
		      const struct fact_recovery *r, enum event_kind kind,
		      uint32_t count, int64_t value)
{
	emit_event(e, f,
		   &(struct fact_event) { .ns = r->resend_ns,
					  .frame = r->frame_first,
					  .tap = r->tap,
					  .kind = kind,
					  .psn = r->psn,
					  .count = count,
					  .value = value,
					  .confidence = r->confidence,
					  .detail = r->rule,
					  .decided = true });
}

static void emit_verdict(struct engine *e, struct flow *f,
			 const struct fact_recovery *r)
{
	enum event_kind kind = verdict_event_of(r);
	bool lost =
		kind == EVENT_LOSS_UPSTREAM || kind == EVENT_LOSS_DOWNSTREAM;

	if (kind == EVENT_KIND_COUNT || (lost && !r->lost_min))
		return;
	row_event(e, f, r, kind,
		  lost ? r->lost_min : (uint32_t)r->retransmitted_packets,
		  kind == EVENT_LOSS_DOWNSTREAM ? (int64_t)r->lost_max
						: FACT_UNKNOWN);
}

static void close_row(struct engine *e, struct flow *f, struct row *row)
{
	const struct fact_recovery *r = &row->r;

	row->open = false;
	f->recoveries++;
	f->ack_lost += verdict_event_of(r) == EVENT_ACK_LOST;
	if (r->last_ns > r->first_ns)
		f->recovery_ns = clamp_add(f->recovery_ns,
					   clamp_sub(r->last_ns, r->first_ns));
	emit_recovery(e, f, r);
	row_event(e, f, r, recovery_resend_kind[r->trigger],
		  (uint32_t)r->retransmitted_packets, (int64_t)r->frame_last);
	emit_verdict(e, f, r);
}

static int64_t merge_ns(const struct flow *f)
{
	const int64_t least = 1000 * 1000;

	return 4 * f->rtt_r > least ? 4 * f->rtt_r : least;
}

static bool alike(const struct fact_recovery *a, const struct fact_recovery *b)
{
	return a->cause == b->cause && a->remaining == b->remaining &&
	       a->trigger == b->trigger && !strcmp(a->rule, b->rule);
}

/* Did |r| begin when |before| was repaired, and that known, for some time?  One
 * replay of an ordered context repairs what began before it, and capture points
 * see these at other times. */
static bool is_later(const struct flow *f, const struct fact_recovery *before,
		     const struct fact_recovery *r)
{
	enum { ROUNDS = 4, ORDERED = 64 };
	int64_t rounds = f->transport == FLOW_UET_RUD ? ROUNDS : ORDERED;

	return f->rtt_r &&
	       r->first_ns > before->last_ns + clamp_mul(rounds, f->rtt_r);
}

/* The row that |r| goes on with, or a free one. */
static struct row *row_for(struct engine *e, struct flow *f, struct batch *b,
			   const struct fact_recovery *r)
{
	struct row *row = NULL, *oldest = &b->rows[0];

	for (unsigned i = 0; i < ROWS_OPEN; i++) {
		struct row *at = &b->rows[i];
		int64_t apart = r->resend_ns - at->copy_ns;

		if (at->open && alike(&at->r, r) && !is_later(f, &at->r, r) &&
		    (apart < 0 ? -apart : apart) <= merge_ns(f))
			return at;
		if (!at->open && !row)
			row = at;
		if (at->copy_ns < oldest->copy_ns)
			oldest = at;
	}
	if (row)
		return row;
	close_row(e, f, oldest);
	return oldest;
}

/* A timer has all retransmitted that waits, whatever was wrong with it: one
 * timer, reported in several rows. */
static void count_timer(struct flow *f, struct batch *b, int64_t ns)
{
	const int64_t apart = merge_ns(f);
	struct replay *oldest = &b->replays[0];

	for (unsigned i = 0; i < REPLAYS_OPEN; i++) {
		struct replay *r = &b->replays[i];

		if (r->to && ns >= r->from - apart && ns <= r->to + apart) {
			r->from = ns < r->from ? ns : r->from;
			r->to = ns > r->to ? ns : r->to;
			return;
		}
		if (r->to < oldest->to)
			oldest = r;
	}
	*oldest = (struct replay) { .from = ns, .to = ns };
	f->timeouts++;
}

/* How much a loss verdict is worth where the capture itself has holes: the
 * alternative is "not captured, and lost further on". */
static double trust(const struct flow *f)
{
	double missed =
		10.0 * (f->missing + f->unresolved) / ((double)f->covered + 1);

	return 1 - (missed < 0.5 ? missed : 0.5);
}

/* Which packet was known last of may be chance: of several the lowest PSN names
 * them, so that all capture points name them alike. */
static void name_lowest(struct fact_recovery *r, const struct fact_recovery *of)
{
	if (of->first_ns < r->first_ns)
		r->first_ns = of->first_ns;
	if (psn32_diff(of->psn, r->psn) >= 0)
		return;
	r->psn = of->psn;
	r->detect_ns = of->detect_ns;
	r->resend_ns = of->resend_ns;
	r->frame_detect = of->frame_detect;
	r->frame_original = of->frame_original;
	r->frame_first = of->frame_first;
}

static void add(struct row *row, const struct evidence *ev)
{
	struct fact_recovery *r = &row->r;

	row->copy_ns = ev->first_ns;
	r->retransmitted_packets += ev->repeats;
	r->retransmitted_bytes += ev->bytes;
	r->frame_last = ev->frame_last;
	if (ev->end_ns > r->last_ns)
		r->last_ns = ev->end_ns;
	if (r->trigger == TRIGGER_TIMEOUT && ev->silence_ns > r->silence_ns)
		r->silence_ns = ev->silence_ns;
}

/* Of a run one was lost: where the first had arrived, it was one behind it. */
static struct evidence of_run(const struct batch *b, const struct evidence *ev)
{
	struct evidence known = *ev;

	known.proves |=
		b->owed && ev->psn == b->owed_psn && (ev->bits & V(ROD_RUN));
	return known;
}

static void decide_one(struct engine *e, struct flow *f, struct batch *b,
		       const struct evidence *as_kept)
{
	const struct evidence of = of_run(b, as_kept), *ev = &of;
	uint64_t bits = observed(e, f, ev, b);
	struct decision d = decide(bits);
	struct evidence known = *ev;
	struct fact_recovery r;
	struct row *row;

	known.trigger =
		bits & V(DROPS) ? TRIGGER_UNKNOWN : (uint8_t)trigger_of(f, ev);
	known.silence_ns = 0;
	if (d.cause == CAUSE_LOSS_UPSTREAM || d.cause == CAUSE_LOSS_DOWNSTREAM)
		d.confidence *= b->trust;
	r = recovery_row(f, &known, bits, &d);
	row = row_for(e, f, b, &r);
	if (!row->open)
		*row = (struct row) { .r = r, .open = true };
	name_lowest(&row->r, &r);
	count(f, ev, &row->r);
	if (ev->proves) {
		b->owed = d.cause == CAUSE_COLLATERAL;
		b->owed_psn = ev->psn + 1;
	}
	if (known.trigger == TRIGGER_TIMEOUT)
		count_timer(f, b, ev->first_ns);
	if (d.cause == CAUSE_LOSS_DOWNSTREAM && ev->ev_known &&
	    !(bits & V(ROD_RUN)))
		uet_ev_note(e, f, ev->ev, EV_LOST);
	add(row, ev);
}

uint32_t uet_decide(struct engine *e, struct flow *f)
{
	const struct evidence *ev = f->pending->ev;
	const uint32_t n = f->pending->n;
	struct batch b = {
		.lacking = refusals_lacking(f, learn(f, ev, n)),
		.capture_lacks = f->missing,
		.impatient = is_impatient(f, ev, n),
		.trust = trust(f),
	};

	for (uint32_t i = 0; i < n; i++)
		decide_one(e, f, &b, &ev[i]);
	for (unsigned i = 0; i < ROWS_OPEN; i++)
		if (b.rows[i].open)
			close_row(e, f, &b.rows[i]);
	return 0;
}
