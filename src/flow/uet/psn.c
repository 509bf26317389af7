/* SPDX-License-Identifier: GPL-2.0-or-later
 * The PSN space of one direction of a PDC: 32 bits, every packet numbered,
 * in any order with RUD (uet.md 6.3 to 6.6); and RUDI's packet ids.
 *
 * In order is the short path.  A retransmission says so by its flag; whatever
 * else comes behind is late, or the same transmission once more. */
#include "base/clamp.h"
#include "flow/core/copy.h"
#include "flow/fastpath/uet_next.h"
#include "flow/recovery/recovery.h"
#include "wire/wire.h"

enum {
	JUMP = 1 << 20,      /* further opens no gap */
	OVERTAKEN_MAX = 128, /* nobody passes so many */
	HOLE_AGE_NS = 1000 * 1000,
	OPEN_NS = 1000 * 1000, /* the capture ran before the flow began */
};

/* No timer is longer: that of a first packet, and one that has doubled. */
static const int64_t young_ns[] = { 100 * 1000 * 1000, UET_TIMER_NS };

/* Nothing before |psn| counts. */
static void count_from(struct flow *f, uint32_t psn)
{
	f->first = f->initial = f->nxt = psn;
	seen_free(&f->uet.seen);
	f->uet.seen.low = psn;
}

void uet_begin(struct flow *f, uint32_t psn)
{
	struct uet_dir *u = &f->uet;

	f->req_valid = true;
	count_from(f, psn);
	u->una_valid = u->acked_holes = u->sacked = u->by_name = false;
	u->sender->named = psn - 1;
}

bool uet_was_seen(const struct flow *f, uint32_t psn)
{
	const struct uet_dir *u = &f->uet;

	if (!f->req_valid || psn32_diff(psn, f->first) < 0 ||
	    psn32_diff(psn, f->nxt) >= 0)
		return false;
	return psn32_diff(psn, u->seen.low) < 0 || seen_has(&u->seen, psn);
}

/* ---- what was here a moment ago ---- */

const struct recent_packet *uet_recent(const struct engine *e,
				       const struct flow *f, uint32_t psn,
				       bool original)
{
	const struct recent_packet *r = NULL;

	while ((r = recent_find(&e->recent, uet_key(f), psn, r)))
		if (r->flow == f->index && !(original && r->copy))
			return r->ns >= f->first_ns ? r : NULL;
	return NULL;
}

/* Since |r| passed the receiver asked for |p|, or |r| has no payload that it
 * brings.  A mirror that doubles may still owe the second of |r|. */
static bool asked_since(const struct engine *e, const struct flow *f,
			const struct packet *p, const struct recent_packet *r)
{
	const struct pending_psn *d = pending_psn_find(f, p->psn);

	const struct uet_recovery *t = f->uet.sender->recovery;
	int64_t nack_ns = d && d->refused ? d->nack_ns : 0;

	if (r->trimmed && !(p->uet.flags & UET_TRIMMED))
		return true;
	if (t && t->order_ns > nack_ns &&
	    psn32_diff(p->psn, t->order_from) >= 0)
		nack_ns = t->order_ns; /* ROD goes back */
	return nack_ns > r->ns && (r->doubled || !tap_has_repeats(e, p->tap));
}

/* The same transmission once more?  Then by whom.  Of copies only where others
 * were doubled: refused twice, a sender goes back twice at once. */
static enum copy_kind same_again(struct engine *e, const struct flow *f,
				 const struct packet *p, bool copy)
{
	const struct recent_packet *r = uet_recent(e, f, p->psn, false);

	if (!r || r->copy != copy || !copy_same_bytes(r, p, p->sport) ||
	    p->ns - r->ns > RESIDENCE_NS ||
	    (copy && !tap_has_repeats(e, p->tap)) || asked_since(e, f, p, r))
		return COPY_NEW;
	tap_note_alike(e, p->tap, false);
	recent_set_doubled(&e->recent, r);
	return copy_kind(e, p, r);
}

static void doubled(struct engine *e, struct flow *f, const struct packet *p,
		    enum copy_kind kind)
{
	if (kind == COPY_MIRROR)
		copy_count(e, f, p, kind, 0.9,
			   "U18: the same transmission, on another path");
	else
		copy_count(e, f, p, kind, 0.8,
			   "U18: the same transmission twice");
}

/* ---- holes ---- */

static void hole_event(struct engine *e, struct flow *f, enum event_kind kind,
		       uint32_t psn, uint32_t n, int64_t ns, double confidence,
		       const char *rule)
{
	const struct recent_packet *r = uet_recent(e, f, psn + n, false);

	emit_event(e, f,
		   &(struct fact_event) { .ns = r ? r->ns : ns,
					  .frame = r ? r->frame : 0,
					  .tap = r ? r->tap : f->tap,
					  .kind = kind,
					  .psn = psn,
					  .count = n,
					  .value = FACT_UNKNOWN,
					  .confidence = confidence,
					  .detail = rule });
}

/* The capture broke into the context a moment before |psn|: what is missing
 * there may have reordered, and been seen before. */
static bool maybe_seen(struct engine *e, const struct flow *f, uint32_t psn)
{
	const struct flow *g = flow_peer(e, f);

	return !f->uet.start_known && !(g && g->uet.start_known) &&
	       psn - f->first < OVERTAKEN_MAX &&
	       f->first_ns - e->first_ns < OPEN_NS;
}

static void unresolved(struct engine *e, struct flow *f, uint32_t end,
		       int64_t ns)
{
	struct seen *s = &f->uet.seen;
	uint32_t psn = s->low, n = seen_hole(s, end);

	f->unresolved += n;
	hole_event(e, f, EVENT_UNRESOLVED_GAP, psn, n, ns, 0.5,
		   "U4: no evidence either way");
	seen_skip(s, n);
}

/* The hole at the low end, up to |end|: delivered, but not captured. */
static void not_captured(struct engine *e, struct flow *f, uint32_t end,
			 int64_t ns)
{
	struct seen *s = &f->uet.seen;
	uint32_t psn = s->low, n = seen_hole(s, end);

	f->missing += n;
	hole_event(e, f, EVENT_CAPTURE_MISSING, psn, n, ns, 0.95,
		   "U3: acknowledged, not captured");
	seen_skip(s, n);
}

void uet_flush(struct engine *e, struct flow *f, int64_t now)
{
	struct uet_dir *u = &f->uet;
	uint32_t end;

	if (!u->acked_holes || now - u->sender->pend_ns <= e->o.jitter_ns)
		return;
	end = psn32_min(u->sender->pend_una, f->nxt);
	while (psn32_diff(u->seen.low, end) < 0) {
		if (maybe_seen(e, f, u->seen.low))
			unresolved(e, f, end, now);
		else
			not_captured(e, f, end, now);
	}
	u->acked_holes = false;
}

/* Was the packet behind this hole seen so long before the end that those in it
 * are not merely on their way? */
static bool old_hole(const struct engine *e, const struct flow *f,
		     uint32_t psn_behind)
{
	const struct recent_packet *r = uet_recent(e, f, psn_behind, false);
	int64_t age = HOLE_AGE_NS;

	if (age < clamp_mul(2, f->late_max))
		age = clamp_mul(2, f->late_max);
	return !r || f->last_ns - r->ns > age;
}

void uet_flush_rest(struct engine *e, struct flow *f)
{
	struct uet_dir *u = &f->uet;
	struct seen *s = &u->seen;

	if (!f->req_valid)
		return;
	if (u->acked_holes)
		uet_flush(e, f, u->sender->pend_ns + e->o.jitter_ns + 1);
	while (psn32_diff(s->low, f->nxt) < 0) {
		uint32_t n = seen_hole(s, f->nxt);

		if (u->una_valid && psn32_diff(s->low, f->una) < 0)
			not_captured(e, f, psn32_min(f->una, f->nxt), e->now);
		else if (old_hole(e, f, s->low + n))
			unresolved(e, f, f->nxt, e->now);
		else
			seen_skip(s, n);
	}
}

/* Notes |psn|; the oldest holes give way when they are too far back. */
static void mark(struct engine *e, struct flow *f, uint32_t psn, int64_t now)
{
	struct uet_dir *u = &f->uet;

	while (!seen_add(&u->seen, psn)) {
		uint32_t end = psn32_min(f->nxt, psn);

		if (u->una_valid && psn32_diff(u->seen.low, f->una) < 0)
			not_captured(e, f, psn32_min(f->una, end), now);
		else
			unresolved(e, f, end, now);
	}
}

/* ---- packets ---- */

/* Did packets that a switch trimmed come before |p|, and no others?  These
 * travel in a class of their own: no path is reordered. */
static bool passed_by_trimmed(struct flow *f, const struct packet *p)
{
	struct uet_recovery *t = f->uet.sender->recovery;

	if (!t || t->ahead_to != f->nxt ||
	    psn32_diff(p->psn, t->ahead_from) < 0)
		return false;
	if (!(p->uet.flags & UET_TRIMMED))
		t->ahead_from = p->psn + 1;
	return true;
}

static void late(struct engine *e, struct flow *f, const struct packet *p)
{
	uint32_t extent = f->nxt - 1 - p->psn;
	const struct recent_packet *r = uet_recent(e, f, p->psn + 1, true);

	f->reordered++;
	if (extent > f->extent_max)
		f->extent_max = extent;
	if (r && p->ns - r->ns > f->late_max)
		f->late_max = p->ns - r->ns;
	if (!uet_ordered(f))
		return; /* RUD: as it is meant to be */
	f->reorder_events++;
	emit_packet(e, f, p, EVENT_REORDER, extent, 0.95,
		    "U1: reordered on an ordered context");
}

/* The original comes after its copy. */
static bool late_original(struct engine *e, struct flow *f,
			  const struct packet *p)
{
	struct pending_psn *d = pending_psn_find(f, p->psn);

	if (!d) {
		if (!recovery_kept_original(f, p))
			return false;
	} else if (!d->copies ||
		   (d->evidence & (V(SEEN) | V(TRIMMED) | V(COPY_FIRST) |
				   V(BEFORE_CAPTURE)))) {
		return false;
	} else {
		d->evidence |= V(COPY_FIRST);
		d->orig_ns = p->ns;
		d->frame_orig = p->frame;
	}
	late(e, f, p);
	return true;
}

bool uet_sent_anew(const struct engine *e, const struct flow *f,
		   const struct packet *p)
{
	const struct recent_packet *r = uet_recent(e, f, p->psn, false);

	return !r || p->ns - r->ns > UET_DOUBLING_NS ||
	       !copy_same_bytes(r, p, p->sport) || asked_since(e, f, p, r);
}

/* Nothing but copies so far, and the capture is young: their originals, under
 * another context perhaps, may have been seen before it began. */
static bool began_before(const struct engine *e, const struct flow *f)
{
	return !f->uet.numbered &&
	       f->first_ns - e->first_ns < young_ns[!f->uet.start_known];
}

/* A sender sets SYN until it hears of its target: so long after the first ACK
 * was seen here it had not. */
static void note_unaware(const struct flow *f, const struct packet *p)
{
	const struct uet_sender *s = f->uet.sender;

	if ((p->uet.flags & UET_SYN) && f->uet.answered &&
	    s->fact.handshake_ns != FACT_UNKNOWN)
		s->recovery->unaware_ns =
			p->ns - s->fact.opened_ns - s->fact.handshake_ns;
}

/* Acknowledged when not half of the time was over that the sender waited; by an
 * answer of its own over a hole, when is not known any more. */
static bool waited_in_vain(const struct flow *f, const struct pending_psn *d,
			   int64_t now)
{
	const struct uet_dir *u = &f->uet;

	if (now - u->sender->una_ns <=
	    clamp_mul(4, u->sender->recovery->unaware_ns))
		return false;
	if (psn32_diff(d->psn, f->una) >= 0) /* ROD goes back to |una| */
		return u->by_name && !uet_ordered(f);
	return d->orig_ns && 2 * (now - u->sender->una_ns) > now - d->orig_ns;
}

/* Nothing that is behind it in the bitmap tells that |heard| was soon enough:
 * where packets take several ways, the round trip is that of the shortest. */
static int64_t slower_way(const struct flow *f, int64_t heard)
{
	return f->reordered ? heard + f->rtt_r : heard;
}

/* The last SACK has something that was seen here later. */
static bool is_sacked_out_of_order(const struct engine *e, const struct flow *f,
				   const struct pending_psn *d)
{
	const struct uet_sender *s = f->uet.sender;
	uint32_t at = d->psn + 1 - s->sack_base;
	const struct recent_packet *r;

	for (; at < SACK_BITS; at++) {
		if (!(s->sack >> at & 1))
			continue;
		r = uet_recent(e, f, s->sack_base + at, true);
		if (r && r->ns > d->orig_ns)
			return true;
	}
	return false;
}

static void evidence(struct engine *e, struct flow *f, struct pending_psn *d,
		     const struct packet *p)
{
	struct uet_dir *u = &f->uet;
	const struct recent_packet *r = uet_recent(e, f, p->psn, true);
	int64_t heard; /* the soonest that an answer can tell of it */

	if (d->evidence & (V(BAD_ICRC) | V(TRIMMED)))
		; /* noted when it was seen */
	else if (psn32_diff(p->psn, f->first) < 0 || began_before(e, f))
		d->evidence |= V(BEFORE_CAPTURE);
	else if (uet_was_seen(f, p->psn))
		d->evidence |= V(SEEN);
	if (r && !d->orig_ns) {
		d->orig_ns = r->ns;
		d->frame_orig = r->frame;
		d->ev = r->ip_id;
		d->ev_known = true;
	}
	note_unaware(f, p);
	heard = d->orig_ns ? d->orig_ns + f->rtt_r : 0;
	/* CACK may be held back: an ACK names what it is to. */
	if (uet_acked(f, p->psn) || d->acked_ns) {
		d->evidence |= V(ACKED_BEFORE);
		d->since_ns = d->acked_ns ? d->acked_ns : u->sender->una_ns;
		d->waited = waited_in_vain(f, d, p->ns);
	} else if (uet_sack_hole(f, p->psn, heard) ||
		   (!uet_ordered(f) &&
		    uet_probe_lacks(f, p->psn, slower_way(f, heard)))) {
		d->evidence |= V(SACK_HOLE);
		d->missed_ns = u->sender->sack_ns;
	} else if (uet_probe_lacks(f, p->psn, heard)) {
		d->evidence |=
			V(PASSED_OVER); /* it may have come, and too early */
	} else if (d->orig_ns && !uet_ordered(f) &&
		   uet_sack_hole(f, p->psn, d->orig_ns)) {
		d->evidence |= is_sacked_out_of_order(e, f, d)
				       ? V(SACK_OUT_OF_ORDER)
				       : V(PASSED_OVER);
	}
	/* Its own answer, with data perhaps, is missing: a SACK may have it. */
	if (psn32_diff(u->sender->named, p->psn) > 0 &&
	    !(u->una_valid && psn32_diff(p->psn, f->una) < 0))
		d->evidence |= V(PASSED_OVER);
	if (uet_refused_since(f, d->orig_ns))
		d->evidence |= V(OTHERS_REFUSED);
	if (!r) {
		r = uet_recent(e, f, p->psn + 1, false);
		d->gap_ns = r ? r->ns : 0;
	}
	d->copy_ns = p->ns;
	d->copy_ev = p->sport;
	d->frame_first = p->frame;
	d->tap = p->tap;
}

/* ROD goes back: the first unacknowledged packet before what was refused as
 * too early is what was missing, or one behind it. */
static void order_evidence(struct flow *f, struct pending_psn *d)
{
	struct uet_recovery *t = f->uet.sender->recovery;

	bool before = psn32_diff(d->psn, t->order_from) < 0;
	bool run = !before && psn32_diff(d->psn, t->order_to) < 0;

	if (!t->order_ns)
		return;
	if (run && t->order_seen_ns && d->orig_ns > t->order_seen_ns) {
		d->evidence |= V(ROD_RUN) | V(LATE);
	} else if (run && (psn32_diff(d->psn, t->order_at) < 0 ||
			   ((d->evidence & V(SEEN)) && !t->order_open))) {
		/* It is not that which was missing, as far as is known. */
		d->evidence |= V(PASSED_OVER);
	} else if (run) {
		d->evidence |= V(ROD_RUN);
		d->missed_ns = t->order_since_ns > d->orig_ns
				       ? t->order_since_ns
				       : t->order_ns;
		/* The first of the run stands for it. */
		d->proves = !t->order_told;
		t->order_told = true;
	} else {
		d->evidence |= V(ROD_BEHIND);
	}
	if (!d->nack_ns) {
		d->nack_ns = t->order_ns;
		d->refused = true;
		d->frame_nack = t->order_frame;
	}
}

/* ROD: what was sent behind a packet that the receiver has no room for comes
 * too early, and is retransmitted with it.  One refusal is for all of them. */
static void behind_busy(const struct flow *f, struct pending_psn *d)
{
	const struct pending_psn *before = pending_psn_find(f, d->psn - 1);

	if (!before || !before->copies || !before->busy ||
	    !(before->evidence & V(REFUSED)) || d->orig_ns > before->last_ns ||
	    (d->evidence & (V(NAKED) | V(ROD_RUN) | V(ROD_BEHIND))))
		return;
	d->evidence |= V(REFUSED);
	d->busy = true;
	if (d->nack_ns)
		return;
	d->nack_ns = before->nack_ns;
	d->refused = true;
	d->frame_nack = before->frame_nack;
}

/* The receiver did not take its last transmission; or named it missing so long
 * after that this should be there: it is lost or late, as an original may be.
 */
static bool copy_is_missed(const struct flow *f, struct pending_psn *d)
{
	const struct uet_recovery *t = f->uet.sender->recovery;
	int64_t since = d->last_ns + f->rtt_r;

	if (!d->copies || d->acked_ns)
		return false;
	if (d->again & UET_NOT_TAKEN)
		return true;
	if (!f->rtt_r)
		return false;
	if (!uet_ordered(f)) {
		if (uet_sack_hole(f, d->psn, since + f->rtt_r))
			d->again |= V(SACK_HOLE);
	} else if (t->order_ns > since &&
		   psn32_diff(d->psn, t->order_at) >= 0 &&
		   psn32_diff(d->psn, t->order_to) < 0) {
		d->again |= V(ROD_RUN);
	}
	return d->again & (V(NAKED) | V(ROD_RUN) | V(SACK_HOLE));
}

/* Kept as far as it went, and its last retransmission is the original of the
 * next.  |cut|: no transmission had its payload yet, whatever it said. */
static void begin_anew(struct engine *e, struct flow *f, struct pending_psn *d,
		       bool cut)
{
	const struct pending_psn next = {
		.psn = d->psn,
		.evidence = V(SEEN) | d->again,
		.code = d->code,
		.busy = d->busy && (d->again & V(REFUSED)),
		.tap = d->tap,
		.cut = d->cut,
		.whole = !cut &&
			 (d->whole ||
			  (d->evidence & (V(SEEN) | V(TRIMMED))) == V(SEEN)),
		.refused = d->refused,
		.orig_ns = d->last_ns,
		.nack_ns = d->nack_ns,
		.missed_ns = d->missed_ns,
		.frame_orig = d->frame_last,
		.frame_nack = d->frame_nack
	};

	d->anew = true;
	uet_keep(e, f, d);
	*d = next;
}

/* What was refused as trimmed is longer now: it was cut upstream of here,
 * inside of its payload, where no length tells of it. */
static bool cut_unseen(struct engine *e, struct flow *f, struct pending_psn *d,
		       const struct packet *p)
{
	uint64_t known = d->copies ? d->again : d->evidence;
	const struct recent_packet *r;

	if (!(known & V(NACK_TRIMMED)) || (known & V(TRIMMED)))
		return false;
	r = uet_recent(e, f, p->psn, false);
	if (!r || r->wire_len >= p->wire_len)
		return false;
	f->uet.sender->fact.trimmed_downstream--;
	f->uet.sender->fact.trimmed_upstream++;
	*(d->copies ? &d->again : &d->evidence) |= V(TRIMMED);
	return true;
}

/* True when it brings the payload that a switch had cut off. */
static bool note_retransmission(struct engine *e, struct flow *f,
				const struct packet *p)
{
	bool whole = !(p->uet.flags & UET_TRIMMED), brings;
	struct pending_psn *d;
	bool first, cut;

	f->retransmitted++;
	f->retransmitted_bytes += p->payload;
	uet_ev_note(e, f, p->sport, EV_RETRANSMITTED);
	/* An answer may be to the copy, and need not say so. */
	if (p->psn == f->ack_req_psn)
		f->ack_req_ns = 0;
	d = pending_psn(e, f, p->psn);
	if (!d)
		return false;
	cut = cut_unseen(e, f, d, p);
	if (copy_is_missed(f, d))
		begin_anew(e, f, d, cut);
	first = !d->copies;
	if (first)
		evidence(e, f, d, p);
	if (first && uet_ordered(f)) {
		order_evidence(f, d);
		behind_busy(f, d);
	}
	uet_nack_answered(f, d, p->ns);
	d->copies += d->copies < UINT16_MAX;
	d->again = 0;
	d->bytes += p->payload;
	d->last_ns = p->ns;
	d->frame_last = p->frame;
	brings = whole && !d->whole && (d->evidence & V(TRIMMED));
	d->whole |= whole;
	return brings;
}

/* |r|: as it was noted, or NULL. */
static void arrived_trimmed(struct engine *e, struct flow *f,
			    const struct packet *p,
			    const struct recent_packet *r)
{
	f->uet.sender->fact.trimmed_upstream++;
	uet_ev_note(e, f, p->sport, EV_TRIMMED);
	if (r)
		recent_set_trimmed(&e->recent, r, true);
}

/* |p| is the newest, and all before |nxt| came before. */
static void note_ahead(struct flow *f, const struct packet *p, uint32_t nxt)
{
	struct uet_recovery *t = uet_recovery(f);

	if (!t || p->psn + 1 != f->nxt)
		return;
	if (t->ahead_to != nxt)
		t->ahead_from = nxt;
	t->ahead_to = f->nxt;
}

/* |nxt|: what f->nxt was before it. */
static void trimmed(struct engine *e, struct flow *f, const struct packet *p,
		    uint32_t nxt)
{
	const struct recent_packet *r = uet_recent(e, f, p->psn, false);
	struct pending_psn *d;

	if (r && r->frame != p->frame)
		return; /* the second of a doubled one is not noted */
	arrived_trimmed(e, f, p, r);
	if (nxt != f->nxt)
		note_ahead(f, p, nxt);
	d = pending_psn(e, f, p->psn);
	emit_packet(e, f, p, EVENT_TRIMMED,
		    p->uet.cut ? (int64_t)p->uet.cut : FACT_UNKNOWN, 0.95,
		    "U5: seen here trimmed");
	if (!d)
		return;
	d->again |= V(TRIMMED);
	if (d->copies)
		return; /* a retransmission: the original of the next */
	d->evidence |= V(TRIMMED);
	d->orig_ns = p->ns;
	d->frame_orig = p->frame;
	d->ev = p->sport;
	d->ev_known = true;
}

void uet_damaged(struct engine *e, struct flow *f, const struct packet *p)
{
	struct pending_psn *d;

	if (!(p->uet.flags & UET_PDS) || !f->req_valid || !uet_has_pdc(f))
		return;
	d = pending_psn(e, f, p->psn);
	if (!d)
		return;
	d->evidence |= V(BAD_ICRC);
	d->again |= V(BAD_ICRC);
	d->orig_ns = p->ns;
	d->frame_orig = p->frame;
}

/* The first packet seen is not the first of the context. */
static void begin(struct engine *e, struct flow *f, const struct packet *p)
{
	const struct uet_dir *u = &f->uet;
	uint32_t ahead = p->psn - u->sender->start_psn;
	bool whole = u->start_known && ahead < SEEN_MAX &&
		     p->ns - e->first_ns > OPEN_NS;

	uet_begin(f, whole ? u->sender->start_psn : p->psn);
}

/* Behind everything new and without the flag. */
static bool behind(struct engine *e, struct flow *f, const struct packet *p)
{
	const struct uet_dir *u = &f->uet;
	enum copy_kind kind;

	if (psn32_diff(p->psn, f->first) < 0) {
		f->reordered++;
		uet_recent_note(e, f, p, false);
		return true;
	}
	if (!uet_was_seen(f, p->psn)) {
		if (!passed_by_trimmed(f, p))
			late(e, f, p);
		mark(e, f, p->psn, p->ns);
		uet_recent_note(e, f, p, false);
		return true;
	}
	kind = same_again(e, f, p, false);
	if (kind == COPY_NEW && late_original(e, f, p)) {
		uet_recent_note(e, f, p, false);
		return false;
	}
	if (kind == COPY_NEW && uet_sent_anew(e, f, p)) {
		note_retransmission(e, f, p);
		if (u->pending)
			u->sender->recovery->unflagged++;
		uet_recent_note(e, f, p, true);
		return false;
	}
	doubled(e, f, p, kind);
	return false;
}

/* Retransmitted, by its flag. */
static bool again(struct engine *e, struct flow *f, const struct packet *p)
{
	enum copy_kind kind = same_again(e, f, p, true);
	bool known =
		uet_was_seen(f, p->psn) || psn32_diff(p->psn, f->first) < 0;

	if (kind != COPY_NEW) {
		doubled(e, f, p, kind);
		return false;
	}
	known &= !note_retransmission(e, f, p);
	if (psn32_diff(p->psn, f->nxt) >= 0)
		uet_reach(f, p->psn + 1);
	if (!known && psn32_diff(p->psn, f->uet.seen.low) >= 0 &&
	    !uet_was_seen(f, p->psn))
		mark(e, f, p->psn, p->ns);
	uet_recent_note(e, f, p, true);
	return !known;
}

static bool track_psn(struct engine *e, struct flow *f, const struct packet *p)
{
	struct uet_dir *u = &f->uet;
	int32_t d = psn32_diff(p->psn, f->nxt);

	if (d > JUMP || d < -JUMP) {
		/* Elsewhere: nothing between is claimed. */
		emit_packet(e, f, p, EVENT_OUTAGE, psn32_diff(p->psn, f->nxt),
			    0.5, "PSN jump: capture outage or another context");
		uet_flush_rest(e, f);
		uet_message_finish(e, f);
		pending_psns_flush(e, f, p->ns, true);
		uet_begin(f, p->psn);
		d = 0;
	}
	if (p->uet.flags & UET_RETX)
		return again(e, f, p);
	/* The first that is no copy: what is before it was first sent before,
	 * and perhaps before the capture began. */
	if (d > 0 && !u->start_known && began_before(e, f))
		count_from(f, p->psn);
	u->numbered = true;
	if (d < 0)
		return behind(e, f, p);
	uet_reach(f, p->psn + 1);
	if (u->seen.low == p->psn && !u->seen.n)
		u->seen.low++;
	else
		mark(e, f, p->psn, p->ns);
	uet_recent_note(e, f, p, false);
	return true;
}

bool uet_request(struct engine *e, struct flow *f, const struct packet *p)
{
	struct uet_dir *u = &f->uet;
	uint32_t nxt;
	bool first;

	if (!(p->uet.flags & UET_PDS))
		return false;
	if (u->acked_holes)
		uet_flush(e, f, p->ns);
	if (!f->req_valid)
		begin(e, f, p);
	nxt = f->nxt;
	first = track_psn(e, f, p);
	f->last_req_ns = p->ns;
	if (p->uet.flags & UET_TRIMMED) {
		trimmed(e, f, p, nxt);
		return false;
	}
	uet_time_this(f, p);
	if (u->pending)
		pending_psns_flush(e, f, p->ns, false);
	return first;
}

/* ---- RUDI: packet ids, in no order ---- */

/* What is retransmitted, and not known to have passed, may have done so before
 * the capture began, or before what is remembered. */
static bool rudi_before(const struct engine *e, const struct flow *f,
			const struct packet *p)
{
	return e->order >= RECENT_FRAMES ||
	       (f->first_ns - e->first_ns < young_ns[0] &&
		p->ns - f->first_ns < young_ns[0]);
}

/* |r|: when it passed before; NULL: it says itself that it is one. */
static void rudi_again(struct engine *e, struct flow *f, const struct packet *p,
		       const struct recent_packet *r)
{
	struct pending_psn *d;
	const struct recent_packet *answer = NULL;

	f->retransmitted++;
	f->retransmitted_bytes += p->payload;
	uet_ev_note(e, f, p->sport, EV_RETRANSMITTED);
	/* Was the answer seen here?  It is noted under the other direction. */
	while ((answer = recent_find(&e->recent, recent_of_route(f->route ^ 1),
				     p->psn, answer)))
		if (answer->opcode == PDS_RUDI_RESP)
			break;
	d = pending_psn(e, f, p->psn);
	if (!d)
		return;
	if (!d->copies) {
		d->evidence |= V(RUDI);
		d->copy_ns = p->ns;
		d->frame_first = p->frame;
		d->tap = p->tap;
		if (answer && (!r || answer->ns >= r->ns))
			d->evidence |= V(ACKED_BEFORE);
		if (r) {
			d->evidence |= V(SEEN);
			d->orig_ns = r->ns;
			d->frame_orig = r->frame;
		} else if (rudi_before(e, f, p)) {
			d->evidence |= V(BEFORE_CAPTURE);
		}
	}
	uet_nack_answered(f, d, p->ns);
	d->copies += d->copies < UINT16_MAX;
	d->bytes += p->payload;
	d->last_ns = p->ns;
	d->frame_last = p->frame;
}

void uet_rudi_request(struct engine *e, struct flow *f, const struct packet *p)
{
	const struct recent_packet *r = uet_recent(e, f, p->psn, false);
	const bool says_so = p->uet.flags & UET_RETX;
	enum copy_kind kind = COPY_NEW;
	bool first = !r && !(says_so && rudi_before(e, f, p));

	f->requests++;
	if (r && (r->copy || !says_so))
		kind = same_again(e, f, p, r->copy);
	if (kind != COPY_NEW) {
		doubled(e, f, p, kind);
		return;
	}
	if (r || says_so)
		rudi_again(e, f, p, r);
	if (first)
		f->unique_payload += p->payload;
	if (p->uet.flags & UET_REQUEST)
		uet_message_packet(e, f, uet_part_of(p), first);
	f->covered += first;
	uet_recent_note(e, f, p, r || says_so);
	if (p->uet.flags & UET_TRIMMED)
		arrived_trimmed(e, f, p, uet_recent(e, f, p->psn, false));
	f->last_req_ns = p->ns;
	if (f->uet.pending)
		pending_psns_flush(e, f, p->ns, false);
}
