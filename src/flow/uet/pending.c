/* SPDX-License-Identifier: GPL-2.0-or-later
 * PSNs about which something is open: retransmitted, refused, trimmed,
 * corrupted. They stay until an acknowledgement has settled them for long
 * enough that what contradicts it would have come; then their evidence is
 * kept. */
#include <stdlib.h>

#include "base/mem.h"
#include "flow/uet/serial.h"
#include "flow/uet/uet.h"

enum {
	SETTLE_NS = 50 * 1000,
	ANSWER_NS = 1000 * 1000, /* a copy behind what queues is answered */
};

struct uet_recovery *uet_recovery(struct flow *f)
{
	struct uet_sender *s = f->uet.sender;

	if (!s->recovery)
		s->recovery = mem_calloc(1, sizeof *s->recovery);
	f->uet.pending = s->recovery;
	return s->recovery;
}

void uet_recovery_free(struct flow *f)
{
	struct uet_sender *s = f->uet.sender;

	if (!s || !s->recovery)
		return;
	free(s->recovery->d);
	free(s->recovery);
	s->recovery = NULL;
	f->uet.pending = false;
}

struct pending_psn *pending_psn_find(const struct flow *f, uint32_t psn)
{
	const struct uet_recovery *t =
		f->uet.pending ? f->uet.sender->recovery : NULL;

	for (unsigned i = t ? t->n : 0; i-- > 0;)
		if (t->d[i].psn == psn)
			return &t->d[i];
	return NULL;
}

static void drop(struct uet_recovery *t, unsigned i)
{
	t->n--;
	for (; i < t->n; i++)
		t->d[i] = t->d[i + 1];
}

/* The oldest, which is decided by what is known. */
static void evict(struct engine *e, struct flow *f, struct uet_recovery *t)
{
	const uint32_t psn = t->d[0].psn;

	if ((t->d[0].evidence | t->d[0].again) & UET_NOT_TAKEN) {
		if (!t->forgets || psn32_diff(psn, t->forgotten) >= 0)
			t->forgotten = psn + 1;
		t->forgets = true;
	}
	uet_keep(e, f, &t->d[0]);
	drop(t, 0);
}

static bool make_room(struct engine *e, struct flow *f, struct uet_recovery *t)
{
	uint16_t room = t->room ? (uint16_t)(t->room * 2) : 4;
	struct pending_psn *d;

	if (t->n < t->room)
		return true;
	if (room > PENDING_PSNS_MAX) {
		evict(e, f, t);
		return true;
	}
	d = mem_realloc(t->d, room * sizeof *d);
	if (!d)
		return false;
	t->d = d;
	t->room = room;
	return true;
}

struct pending_psn *pending_psn(struct engine *e, struct flow *f, uint32_t psn)
{
	struct pending_psn *d = pending_psn_find(f, psn);
	struct uet_recovery *t = uet_recovery(f);

	if (d || !t || !make_room(e, f, t))
		return d;
	d = &t->d[t->n++];
	*d = (struct pending_psn) { .psn = psn, .tap = f->tap };
	return d;
}

bool pending_psns_unanswered(const struct flow *f, uint32_t first,
			     uint32_t last)
{
	const struct uet_recovery *t =
		f->uet.pending ? f->uet.sender->recovery : NULL;

	for (unsigned i = 0; t && i < t->n; i++)
		if (t->d[i].copies && !t->d[i].acked_ns &&
		    t->d[i].psn - first <= last - first)
			return true;
	return false;
}

void uet_note_late(struct flow *f, int64_t took)
{
	struct uet_sender *s = f->uet.sender;

	s->fact.late_behind++;
	if (took > s->behind_max)
		s->behind_max = took;
}

/* ROD: what preceded a packet refused as too early, and is acknowledged now
 * without a copy, had come.  All of it: one came late, which is not known; the
 * first was under way for the longest. */
static void run_acked(const struct engine *e, struct flow *f, int64_t now)
{
	struct uet_recovery *t = f->uet.sender->recovery;
	const uint32_t from = t->order_from;
	const struct recent_packet *r;

	if (!t->order_open || t->order_told || !f->uet.una_valid ||
	    psn32_diff(f->una, from) <= 0 || psn32_diff(t->order_to, from) <= 0)
		return;
	t->order_from = psn32_min(f->una, t->order_to);
	if (t->order_from != t->order_to)
		return;
	t->order_open = false;
	r = uet_recent(e, f, from, false);
	if (r && !r->copy && r->ns < t->order_ns)
		uet_note_late(f, now - r->ns);
}

static void acked(struct flow *f, struct pending_psn *d, const struct packet *p)
{
	const int64_t now = p->ns;

	d->acked_ns = now;
	d->acked_cack = p->uet.ack.cack;
	d->acked_top = !(p->uet.flags & UET_PROBE) && p->psn == d->acked_cack;
	/* The receiver missed it, and got it before a copy can have been there:
	 * it came out of order behind the tap. */
	if (!d->copies && (d->evidence & (UET_MISSED | V(ROD_RUN))) &&
	    d->orig_ns && uet_was_seen(f, d->psn))
		uet_note_late(f, now - d->orig_ns);
	if (!d->copies || (d->evidence & V(ACKED_BEFORE)))
		return;
	d->evidence |= V(ACKED);
}

/* An ACK has the entropy value of what it answers (uet.md 2): one for the
 * original and one for its retransmission, and both had arrived. */
static bool acked_both(struct pending_psn *d, uint16_t ev)
{
	if (!d->copies || !d->ev_known || d->ev == d->copy_ev)
		return false;
	d->acked_ev |= ev == d->ev;
	d->acked_copy_ev |= ev == d->copy_ev;
	return d->acked_ev && d->acked_copy_ev;
}

/* Is |p|, which names |d|, what its retransmission was answered with?  Each has
 * an answer of its own, at once. */
static bool answers_copy(const struct pending_psn *d, const struct packet *p)
{
	return !(p->uet.flags & UET_PROBE) && d->copies &&
	       ((p->uet.flags & UET_RETX) ||
		(d->ev_known && d->ev != d->copy_ev && p->sport == d->copy_ev));
}

/* And was |d| acknowledged before that was sent?  CACK tells which of two
 * answers was sent first: it only grows, and nothing before the one that was
 * sent when its own CACK came has the same. */
static bool had_it_before(const struct flow *f, const struct pending_psn *d,
			  const struct packet *p)
{
	int32_t more = psn32_diff(p->uet.ack.cack, d->acked_cack);

	return d->acked_ns && !d->answered && answers_copy(d, p) &&
	       psn32_diff(d->acked_cack, d->psn) >= 0 &&
	       (more > 0 ||
		(!more && d->acked_top && !f->uet.sender->cc.reordered));
}

void pending_psns_acked(struct engine *e, struct flow *f,
			const struct packet *p, uint32_t ack_psn, bool twice)
{
	const int64_t now = p->ns;
	struct uet_recovery *t = f->uet.sender->recovery;

	run_acked(e, f, now);
	for (unsigned i = 0; i < t->n; i++) {
		struct pending_psn *d = &t->d[i];

		bool had = d->psn == ack_psn && had_it_before(f, d, p);

		if (!d->acked_ns && (d->psn == ack_psn || uet_acked(f, d->psn)))
			acked(f, d, p);
		else if (!d->acked_ns && d->copies && d->orig_ns &&
			 uet_sack_hole(f, d->psn, d->orig_ns + f->rtt_r)) {
			d->evidence |= V(STILL_MISSED);
			d->missed_ns = f->uet.sender->sack_ns;
		}
		/* After several copies it says nothing of the original. */
		if (d->psn == ack_psn && d->copies == 1) {
			bool both = acked_both(d, p->sport) || twice;

			if (both || (had && now - d->acked_ns >= f->rtt_r))
				d->evidence |= V(TWICE);
			else if (had)
				d->just_before = true;
		}
		d->answered |= d->psn == ack_psn && answers_copy(d, p);
	}
	pending_psns_flush(e, f, now, false);
}

/* Refused or corrupted, and then acknowledged without a copy seen here:
 * the copy may have been missed.  Nothing is claimed but the trimming, which
 * is counted where it was seen. */
static bool ripe(const struct flow *f, const struct pending_psn *d, int64_t now)
{
	int64_t settle = 2 * f->rtt_r;

	if (settle < SETTLE_NS)
		settle = SETTLE_NS;
	if (settle < ANSWER_NS && d->copies == 1 && !d->answered &&
	    (d->evidence & UET_MISSED))
		settle = ANSWER_NS;
	return d->acked_ns && now - d->acked_ns > settle;
}

void pending_psns_flush(struct engine *e, struct flow *f, int64_t now, bool all)
{
	struct uet_recovery *t = f->uet.sender->recovery;
	unsigned kept = 0;

	if (!t)
		return;
	for (unsigned i = 0; i < t->n; i++) {
		struct pending_psn *d = &t->d[i];

		if (all || ripe(f, d, now))
			uet_keep(e, f, d);
		else
			t->d[kept++] = *d;
	}
	t->n = (uint16_t)kept;
	/* What is known stays; packets need not ask for it. */
	f->uet.pending = kept || (t->order_open && !t->order_told);
}
