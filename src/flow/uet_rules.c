/* SPDX-License-Identifier: GPL-2.0-or-later
 * The decision table for UET (docs/rules.md, U1 to U27): from what was seen of
 * a PSN to why it was sent again, and what that adds to the counters.
 *
 * The first row that fits decides.  What needs no copy to be decided (U1, U3,
 * U4, U18 to U20) is decided where it is seen. */
#include <stdlib.h>

#include "base/mem.h"
#include "flow/recovery/recovery.h"
#include "flow/uet.h"

enum effect {
	FX_NONE,
	FX_UP,       /* one lost upstream */
	FX_DOWN,     /* one lost downstream */
	FX_ORDER,    /* at least one of the run lost downstream */
	FX_EITHER,   /* perhaps one lost downstream */
	FX_SPURIOUS, /* the copy was not needed */
	FX_ACK_LOST,
	FX_MISSING, /* only the capture misses it */
	FX_CORRUPT,
};

struct uet_rule {
	const char *name;
	uint32_t has, not, any; /* any: 0 asks for none */
	uint8_t cause, effect;
	double confidence;
};

#define COMPLAINT (E_MISSED | E_NACK_ORDER)
#define ASKED     (E_NACK | E_FOLLOWS | E_HOLE)

static const struct uet_rule rules[] = {
	{ "U26", E_BLIND, 0, 0, CAUSE_UNKNOWN, FX_NONE, 0.2 },
	{ "U23", E_BEFORE, 0, 0, CAUSE_UNKNOWN, FX_NONE, 0.3 },
	{ "U2", E_LATE, 0, 0, CAUSE_REORDER, FX_SPURIOUS, 0.95 },
	{ "U5", E_TRIMMED, 0, 0, CAUSE_TRIMMED_UPSTREAM, FX_NONE, 0.95 },
	{ "U6", E_NACK_TRIM | E_SEEN, 0, 0, CAUSE_TRIMMED_DOWNSTREAM, FX_NONE,
	  0.95 },
	{ "U6", E_NACK_TRIM, 0, 0, CAUSE_TRIMMED, FX_MISSING, 0.9 },
	{ "U7", E_SEEN, 0, E_NACK_BUSY | E_NACK_OTHER, CAUSE_RNR, FX_NONE,
	  0.95 },
	{ "U7", 0, 0, E_NACK_BUSY | E_NACK_OTHER, CAUSE_RNR, FX_MISSING, 0.9 },
	{ "U17", E_DAMAGED, 0, 0, CAUSE_CORRUPTION, FX_CORRUPT, 0.95 },
	{ "U24", E_UNORDERED | E_ACKED, 0, 0, CAUSE_ACK_LOSS, FX_ACK_LOST,
	  0.8 },
	{ "U25", E_UNORDERED, 0, 0, CAUSE_UNKNOWN, FX_EITHER, 0.4 },
	{ "U14", E_SEEN | E_ACKED | E_ACK_OLD, 0, 0, CAUSE_ACK_LOSS,
	  FX_ACK_LOST, 0.8 },
	{ "U14", E_SEEN | E_ACKED, 0, 0, CAUSE_COLLATERAL, FX_SPURIOUS, 0.9 },
	{ "U3", E_ACKED, 0, 0, CAUSE_COLLATERAL, FX_MISSING, 0.9 },
	{ "U15", E_SEEN, 0, E_AT_ONCE | E_TWICE, CAUSE_COLLATERAL, FX_SPURIOUS,
	  0.8 },
	{ "U3", 0, 0, E_AT_ONCE | E_TWICE, CAUSE_COLLATERAL, FX_MISSING, 0.8 },
	{ "U8", 0, E_SEEN, COMPLAINT, CAUSE_LOSS_UPSTREAM, FX_UP, 0.95 },
	{ "U9", E_REVERSE, E_SEEN, 0, CAUSE_LOSS_UPSTREAM, FX_UP, 0.9 },
	{ "U9", 0, E_SEEN, 0, CAUSE_LOSS_UPSTREAM, FX_UP, 0.7 },
	{ "U23", E_NO_PDC, 0, E_MISSED, CAUSE_UNKNOWN, FX_EITHER, 0.3 },
	{ "U13", E_SOON, 0, COMPLAINT, CAUSE_LOSS_OR_REORDER, FX_EITHER, 0.4 },
	{ "U10", E_NACK_LOST, 0, 0, CAUSE_LOSS_DOWNSTREAM, FX_DOWN, 0.95 },
	{ "U11", E_NACK_ORDER, 0, 0, CAUSE_LOSS_DOWNSTREAM, FX_ORDER, 0.85 },
	{ "U16", E_FOLLOWS, 0, 0, CAUSE_COLLATERAL, FX_NONE, 0.9 },
	{ "U12", 0, 0, E_HOLE | E_STILL, CAUSE_LOSS_DOWNSTREAM, FX_DOWN, 0.85 },
	{ "U27", E_SEEN | E_OVERTAKEN, 0, 0, CAUSE_LOSS_OR_REORDER, FX_EITHER,
	  0.4 },
	{ "U21", E_ANSWERED, 0, 0, CAUSE_UNKNOWN, FX_EITHER, 0.4 },
	{ "U22", 0, 0, 0, CAUSE_UNKNOWN, FX_EITHER, 0.4 },
};

static const struct uet_rule *decide(uint32_t evidence)
{
	const struct uet_rule *r = rules;

	/* The last one fits everything. */
	while ((evidence & r->has) != r->has || (evidence & r->not ) ||
	       (r->any && !(evidence & r->any)))
		r++;
	return r;
}

/* ---- what made the sender do it ---- */

/* What came out of order may have looked lost before it was there. */
static bool may_look_lost(const struct flow *f)
{
	return f->reordered || f->uet.sender->fact.late_behind;
}

/* No timer runs out within a round trip or two. */
static bool too_soon(const struct flow *f, const struct uet_doubt *d)
{
	return d->orig_ns && d->copy_ns - d->orig_ns < 2 * f->rtt_r;
}

static enum recovery_trigger
trigger_of(const struct flow *f, const struct uet_doubt *d, uint32_t evidence)
{
	if (evidence & E_NACK_BUSY)
		return TRIGGER_RNR;
	if (evidence & (E_NACK | E_FOLLOWS))
		return TRIGGER_NAK;
	if (evidence & (E_HOLE | E_PASSED | E_OVERTAKEN))
		return TRIGGER_IMPLIED_NAK;
	if (!(evidence & E_REVERSE) || evidence & E_BEFORE)
		return TRIGGER_UNKNOWN;
	if ((evidence & (E_ACKED | E_ACK_OLD)) == E_ACKED && may_look_lost(f))
		return TRIGGER_UNKNOWN;
	return too_soon(f, d) ? TRIGGER_UNKNOWN : TRIGGER_TIMEOUT;
}

/* Nobody asked for what had been acknowledged: who waits for its timer, and
 * that long, had the time to hear of it.  How far away the sender is need not
 * be known for that: no timer is shorter than its round trip. */
static bool should_know(const struct flow *f, const struct uet_doubt *d,
			uint32_t evidence)
{
	const uint32_t wants = E_SEEN | E_ACKED | E_WAITED | E_REVERSE;

	return (evidence & wants) == wants &&
	       !(evidence & (ASKED | E_BEFORE)) && !f->rtt_s && d->orig_ns &&
	       !may_look_lost(f) && !too_soon(f, d);
}

/* ---- rows ---- */

static bool may_turn_out_late(const struct uet_row *row)
{
	return row->rule->effect == FX_DOWN || row->rule->effect == FX_ORDER;
}

static const enum event_kind resend_kind[] = {
	[TRIGGER_UNKNOWN] = EVENT_RETRANSMIT_UNKNOWN,
	[TRIGGER_NAK] = EVENT_RETRANSMIT_NAK,
	[TRIGGER_TIMEOUT] = EVENT_RETRANSMIT_TIMEOUT,
	[TRIGGER_RNR] = EVENT_RETRANSMIT_RNR,
	[TRIGGER_IMPLIED_NAK] = EVENT_RETRANSMIT_IMPLIED,
};

/* The kind that tells what each effect means; 0 ... */
static bool effect_kind(uint8_t effect, enum event_kind *kind)
{
	static const struct {
		bool told;
		uint8_t kind;
	} of[] = {
		[FX_NONE] = { false, 0 },
		[FX_UP] = { true, EVENT_LOSS_UPSTREAM },
		[FX_DOWN] = { true, EVENT_LOSS_DOWNSTREAM },
		[FX_ORDER] = { true, EVENT_LOSS_DOWNSTREAM },
		[FX_EITHER] = { false, 0 },
		[FX_SPURIOUS] = { true, EVENT_RETRANSMIT_SPURIOUS },
		[FX_ACK_LOST] = { true, EVENT_ACK_LOST },
		[FX_MISSING] = { true, EVENT_CAPTURE_MISSING },
		[FX_CORRUPT] = { false, 0 },
	};

	*kind = of[effect].kind;
	return of[effect].told;
}

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
					  .detail = r->rule });
}

static void tell(struct engine *e, struct flow *f, const struct uet_row *row)
{
	const struct fact_recovery *r = &row->r;
	enum event_kind kind;

	emit_recovery(e, f, r);
	row_event(e, f, r, resend_kind[r->trigger], (uint32_t)r->resent_packets,
		  (int64_t)r->frame_last);
	if (!effect_kind(row->rule->effect, &kind) ||
	    r->cause == CAUSE_LOSS_OR_REORDER ||
	    (row->rule->effect == FX_ORDER && !r->lost_min))
		return;
	row_event(e, f, r, kind,
		  kind == EVENT_LOSS_DOWNSTREAM || kind == EVENT_LOSS_UPSTREAM
			  ? r->lost_min
			  : (uint32_t)r->resent_packets,
		  kind == EVENT_LOSS_DOWNSTREAM ? (int64_t)r->lost_max
						: FACT_UNKNOWN);
}

/* A loss is only one as long as packets are not known to come as late. */
static bool hold(struct flow *f, const struct uet_row *row)
{
	struct uet_trouble *t = f->uet.sender->trouble;

	if (!may_turn_out_late(row) || t->n_held == ROWS_HELD)
		return false;
	if (!t->held)
		t->held = mem_malloc(ROWS_HELD * sizeof *t->held);
	if (!t->held)
		return false;
	t->held[t->n_held++] = *row;
	return true;
}

static void release(struct engine *e, struct flow *f)
{
	struct uet_dir *u = &f->uet;

	for (unsigned i = 0; i < u->sender->trouble->n_held; i++) {
		struct uet_row *row = &u->sender->trouble->held[i];

		if (u->sender->fact.late_behind &&
		    row->wait_ns <= 2 * u->sender->behind_max) {
			f->r4_min -= row->r.lost_min;
			row->r.lost_min = 0;
			row->r.cause = CAUSE_LOSS_OR_REORDER;
			row->r.rule = "U13";
			row->r.confidence = 0.4;
		}
		tell(e, f, row);
	}
	u->sender->trouble->n_held = 0;
}

static void close_row(struct engine *e, struct flow *f, struct uet_row *row)
{
	f->recoveries++;
	f->ack_lost += row->rule->effect == FX_ACK_LOST;
	if (row->r.last_ns > row->r.first_ns)
		f->recovery_ns += row->r.last_ns - row->r.first_ns;
	if (!hold(f, row))
		tell(e, f, row);
	row->rule = NULL;
}

static int64_t merge_ns(const struct flow *f)
{
	const int64_t least = 1000 * 1000;

	return 4 * f->rtt_r > least ? 4 * f->rtt_r : least;
}

void uet_rows_close(struct engine *e, struct flow *f, int64_t now, bool all)
{
	struct uet_trouble *t = f->uet.sender->trouble;

	if (!t)
		return;
	for (unsigned i = 0; i < ROWS_OPEN; i++)
		if (t->open[i].rule &&
		    (all || now - t->open[i].r.last_ns > 10 * merge_ns(f)))
			close_row(e, f, &t->open[i]);
	if (all)
		release(e, f);
}

/* The row that |d| goes on with, or a free one. */
static struct uet_row *row_for(struct engine *e, struct flow *f,
			       const struct uet_doubt *d,
			       const struct uet_rule *rule, uint8_t trigger)
{
	struct uet_trouble *t = f->uet.sender->trouble;
	struct uet_row *row = NULL, *oldest = &t->open[0];

	for (unsigned i = 0; i < ROWS_OPEN; i++) {
		struct uet_row *r = &t->open[i];
		int64_t apart = d->copy_ns - r->copy_ns;

		if (r->rule == rule && r->r.trigger == trigger &&
		    (apart < 0 ? -apart : apart) <= merge_ns(f))
			return r;
		if (!r->rule && !row)
			row = r;
		if (r->copy_ns < oldest->copy_ns)
			oldest = r;
	}
	if (row)
		return row;
	close_row(e, f, oldest);
	return oldest;
}

/* A timer has all sent again that waits, whatever was wrong with it: one
 * timer, told in several rows. */
static void count_timer(struct flow *f, int64_t ns)
{
	struct uet_trouble *t = f->uet.sender->trouble;
	const int64_t apart = merge_ns(f);
	struct uet_replay *oldest = &t->replays[0];

	for (unsigned i = 0; i < REPLAYS_OPEN; i++) {
		struct uet_replay *r = &t->replays[i];

		if (r->to && ns >= r->from - apart && ns <= r->to + apart) {
			r->from = ns < r->from ? ns : r->from;
			r->to = ns > r->to ? ns : r->to;
			return;
		}
		if (r->to < oldest->to)
			oldest = r;
	}
	*oldest = (struct uet_replay) { .from = ns, .to = ns };
	f->timeouts++;
}

static int64_t began(const struct uet_doubt *d)
{
	if (d->orig_ns && !(d->evidence & E_LATE))
		return d->orig_ns;
	if (d->gap_ns && d->gap_ns < d->copy_ns)
		return d->gap_ns;
	return d->nack_ns && d->nack_ns < d->copy_ns ? d->nack_ns : d->copy_ns;
}

static void open_row(const struct flow *f, struct uet_row *row,
		     const struct uet_doubt *d, const struct uet_rule *rule,
		     uint8_t trigger)
{
	bool nack = d->nack_ns && d->nack_ns <= d->copy_ns;

	*row = (struct uet_row) {
		.rule = rule,
		.wait_ns = INT64_MAX,
		.r = { .flow = f->id,
		       .tap = d->tap,
		       .trigger = trigger,
		       .cause = rule->cause,
		       .psn = d->psn,
		       .first_ns = began(d),
		       .detect_ns = nack ? d->nack_ns : d->copy_ns,
		       .resend_ns = d->copy_ns,
		       .last_ns = d->last_ns,
		       .frame_detect = nack ? d->frame_nack : 0,
		       .frame_first = d->frame_first,
		       .frame_last = d->frame_last,
		       .confidence = rule->confidence,
		       .rule = rule->name },
	};
}

/* ---- counting ---- */

/* How much a loss is worth where the capture itself has holes: the other
 * reading is "not captured, and lost further on". */
static double trust(const struct flow *f, double confidence)
{
	double ghost =
		10.0 * (f->missing + f->unresolved) / ((double)f->covered + 1);

	return confidence * (1 - (ghost < 0.5 ? ghost : 0.5));
}

static void count(struct flow *f, const struct uet_doubt *d,
		  const struct uet_rule *rule, struct fact_recovery *r)
{
	uint32_t more = d->copies - 1u, least = 0;

	switch ((enum effect)rule->effect) {
	case FX_UP:
		f->lost_up++;
		f->r12_max += more;
		r->lost_min++;
		r->lost_max++;
		return;
	case FX_ORDER:
		least = d->proves;
		break;
	case FX_DOWN:
		least = 1;
		break;
	case FX_EITHER:
		break;
	case FX_ACK_LOST:
	case FX_SPURIOUS:
		f->spurious += d->copies;
		return;
	case FX_MISSING:
		f->missing++;
		f->spurious += rule->cause == CAUSE_COLLATERAL;
		return;
	case FX_CORRUPT:
		f->corrupted++;
		r->lost_min++;
		r->lost_max++;
		return;
	default:
		return;
	}
	f->r4_min += least;
	f->r4_max += 1 + more;
	r->lost_min += least;
	r->lost_max += 1 + more;
}

/* How long it has been missing, as far as that is evidence: until its copy, and
 * not for more than twice as long as the receiver was heard to miss it. */
static int64_t missing(const struct uet_doubt *d)
{
	int64_t wait = d->copy_ns - d->orig_ns;
	int64_t heard = 2 * (d->missed_ns - d->orig_ns);

	return d->missed_ns && heard < wait ? heard : wait;
}

static uint32_t complete(const struct flow *f, const struct uet_doubt *d)
{
	const struct uet_dir *u = &f->uet;
	uint32_t evidence = d->evidence;

	if (f->paired)
		evidence |= E_REVERSE;
	if (uet_had_no_pdc(f, d->orig_ns))
		evidence |= E_NO_PDC;
	if (u->sender->fact.late_behind && d->orig_ns &&
	    missing(d) <= 2 * u->sender->behind_max)
		evidence |= E_SOON;
	/* It was asked for, or may have looked lost: the sender need not have
	 * waited for its answer. */
	if ((evidence & ASKED) || may_look_lost(f))
		evidence &= ~(uint32_t)E_ACK_OLD;
	if (should_know(f, d, evidence))
		evidence |= E_ACK_OLD;
	return evidence;
}

enum recovery_trigger uet_trigger(const struct flow *f, uint32_t psn)
{
	const struct uet_doubt *d = uet_doubt_find(f, psn);

	return d ? trigger_of(f, d, complete(f, d)) : TRIGGER_UNKNOWN;
}

void uet_decide(struct engine *e, struct flow *f, struct uet_doubt *d)
{
	int64_t end = d->acked_ns > d->last_ns ? d->acked_ns : d->last_ns;
	bool blind =
		blind_between(e, f->place, began(d) - BLIND_MARGIN_NS, end);
	uint32_t evidence = complete(f, d) | (blind ? E_BLIND : 0);
	const struct uet_rule *rule = decide(evidence);
	uint8_t trigger =
		blind ? TRIGGER_UNKNOWN : (uint8_t)trigger_of(f, d, evidence);
	struct uet_row *row;

	if (!d->copies)
		return; /* it was not sent again: nothing is claimed */
	row = row_for(e, f, d, rule, trigger);
	if (row->rule != rule)
		open_row(f, row, d, rule, trigger);
	count(f, d, rule, &row->r);
	if (trigger == TRIGGER_TIMEOUT)
		count_timer(f, d->copy_ns);
	if (rule->effect == FX_DOWN && d->ev_known)
		uet_ev_note(e, f, d->ev, EV_LOST);
	row->copy_ns = d->copy_ns;
	row->r.resent_packets += d->copies;
	row->r.resent_bytes += d->bytes;
	row->r.frame_last = d->frame_last;
	row->r.confidence = rule->effect == FX_UP || rule->effect == FX_DOWN
				    ? trust(f, rule->confidence)
				    : rule->confidence;
	if (end > row->r.last_ns)
		row->r.last_ns = end;
	if (trigger == TRIGGER_TIMEOUT &&
	    d->copy_ns - began(d) > row->r.silence_ns)
		row->r.silence_ns = d->copy_ns - began(d);
	if (d->orig_ns && missing(d) < row->wait_ns)
		row->wait_ns = missing(d);
}
