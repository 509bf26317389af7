/* SPDX-License-Identifier: GPL-2.0-or-later
 * PSNs about which something is open: sent again, refused, trimmed, damaged.
 * They stay until an acknowledgement has settled them for long enough that
 * what contradicts it would have come. */
#include <stdlib.h>

#include "base/mem.h"
#include "flow/uet.h"
#include "flow/uet_serial.h"

enum { SETTLE_NS = 50 * 1000, SAMPLES = 8 };

struct uet_trouble *uet_trouble(struct flow *f)
{
	struct uet_sender *s = f->uet.sender;

	if (!s->trouble)
		s->trouble = mem_calloc(1, sizeof *s->trouble);
	f->uet.doubts = s->trouble;
	return s->trouble;
}

void uet_trouble_free(struct flow *f)
{
	struct uet_trouble *t;

	if (!f->uet.doubts)
		return;
	t = f->uet.sender->trouble;
	free(t->d);
	free(t->held);
	free(t);
	f->uet.sender->trouble = NULL;
	f->uet.doubts = false;
}

struct uet_doubt *uet_doubt_find(const struct flow *f, uint32_t psn)
{
	const struct uet_trouble *t =
		f->uet.doubts ? f->uet.sender->trouble : NULL;

	for (unsigned i = t ? t->n : 0; i-- > 0;)
		if (t->d[i].psn == psn)
			return &t->d[i];
	return NULL;
}

static void drop(struct uet_trouble *t, unsigned i)
{
	t->n--;
	for (; i < t->n; i++)
		t->d[i] = t->d[i + 1];
}

void uet_doubt_forgets(struct uet_trouble *t, uint32_t psn)
{
	if (!t->forgets || psn32_diff(psn, t->forgotten) >= 0)
		t->forgotten = psn + 1;
	t->forgets = true;
}

/* The one that is missed least: of those that were merely too early, the first
 * says all; else the oldest, which is decided by what is known. */
static void evict(struct engine *e, struct flow *f, struct uet_trouble *t)
{
	for (unsigned i = t->n; i-- > 1;)
		if (!t->d[i].copies && t->d[i].evidence == E_EARLY) {
			drop(t, i);
			return;
		}
	uet_doubt_forgets(t, t->d[0].psn);
	uet_decide(e, f, &t->d[0]);
	drop(t, 0);
}

static bool make_room(struct engine *e, struct flow *f, struct uet_trouble *t)
{
	uint16_t room = t->room ? (uint16_t)(t->room * 2) : 4;
	struct uet_doubt *d;

	if (t->n < t->room)
		return true;
	if (room > DOUBTS_MAX) {
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

struct uet_doubt *uet_doubt(struct engine *e, struct flow *f, uint32_t psn)
{
	struct uet_doubt *d = uet_doubt_find(f, psn);
	struct uet_trouble *t = uet_trouble(f);

	if (d || !t || !make_room(e, f, t))
		return d;
	d = &t->d[t->n++];
	*d = (struct uet_doubt) { .psn = psn, .tap = f->tap };
	return d;
}

/* Sooner than any answer to the copy can be here.  A round trip may be shorter
 * than any seen under load: what the receiver missed by name has to be there
 * twice as soon. */
static bool at_once(const struct flow *f, const struct uet_doubt *d,
		    int64_t now)
{
	int64_t took = now - d->copy_ns;

	if (d->evidence & E_MISSED)
		took += took / 2;
	return f->rtt_n >= SAMPLES && 4 * took < 3 * f->rtt_r;
}

static void note_late(struct flow *f, int64_t took)
{
	struct uet_sender *s = f->uet.sender;

	s->fact.late_behind++;
	if (took > s->behind_max)
		s->behind_max = took;
}

/* The receiver missed it, and got it before a copy can have been there: it came
 * out of order behind the tap. */
static void came_late(struct flow *f, const struct uet_doubt *d, int64_t now)
{
	if ((d->evidence & (E_MISSED | E_NACK_ORDER)) && d->orig_ns &&
	    uet_was_seen(f, d->psn))
		note_late(f, now - d->orig_ns);
}

/* ROD: what preceded a packet refused as too early, and is acknowledged now
 * without a copy, had come.  All of it: one came late, which is not known; the
 * first was under way for the longest. */
static void run_acked(const struct engine *e, struct flow *f, int64_t now)
{
	struct uet_trouble *t = f->uet.sender->trouble;
	const uint32_t from = t->order_from;
	const struct recent_packet *r;

	if (!t->order_open || !f->uet.una_valid ||
	    psn32_diff(f->una, from) <= 0 || psn32_diff(t->order_to, from) <= 0)
		return;
	t->order_from = psn32_min(f->una, t->order_to);
	if (t->order_from != t->order_to)
		return;
	t->order_open = false;
	r = uet_recent(e, f, from, false);
	if (r && !r->copy && r->ns < t->order_ns)
		note_late(f, now - r->ns);
}

static void acked(struct flow *f, struct uet_doubt *d, int64_t now)
{
	d->acked_ns = now;
	if (!d->copies)
		came_late(f, d, now);
	if (!d->copies || (d->evidence & E_ACKED))
		return;
	d->evidence |= E_ANSWERED;
	/* Sooner than any before, and it had not been missing for long; how
	 * late others come is not known, but that they do. */
	if (now - d->copy_ns < f->rtt_r && f->reordered &&
	    !f->uet.sender->fact.late_behind &&
	    d->missed_ns - d->orig_ns < 4 * f->rtt_r)
		d->evidence |= E_SOON;
	if (at_once(f, d, now)) {
		d->evidence |= E_AT_ONCE;
		came_late(f, d, now);
	}
}

static bool still_missing(const struct flow *f, const struct uet_doubt *d)
{
	return d->copies && d->orig_ns &&
	       uet_sack_hole(f, d->psn, d->orig_ns + f->rtt_r);
}

static void note_missing(const struct flow *f, struct uet_doubt *d)
{
	d->evidence |= E_STILL;
	d->missed_ns = f->uet.sender->sack_ns;
}

void uet_doubts_acked(struct engine *e, struct flow *f, int64_t now,
		      uint32_t ack_psn, bool twice)
{
	struct uet_trouble *t = f->uet.sender->trouble;

	run_acked(e, f, now);
	for (unsigned i = 0; i < t->n; i++) {
		struct uet_doubt *d = &t->d[i];

		if (!d->acked_ns && (d->psn == ack_psn || uet_acked(f, d->psn)))
			acked(f, d, now);
		else if (!d->acked_ns && still_missing(f, d))
			note_missing(f, d);
		/* After several copies it says nothing of the original. */
		if (twice && d->psn == ack_psn && d->copies == 1)
			d->evidence |= E_TWICE;
	}
	uet_doubts_decide(e, f, now, false);
}

/* Refused or damaged, and then acknowledged without a copy that passed here:
 * the copy may have been missed.  Nothing is claimed but the trimming, which
 * is counted where it was seen. */
static bool ripe(const struct flow *f, const struct uet_doubt *d, int64_t now)
{
	int64_t settle = 2 * f->rtt_r;

	if (settle < SETTLE_NS)
		settle = SETTLE_NS;
	return d->acked_ns && now - d->acked_ns > settle;
}

void uet_doubts_decide(struct engine *e, struct flow *f, int64_t now, bool all)
{
	struct uet_trouble *t = f->uet.sender->trouble;
	unsigned kept = 0;

	if (!t)
		return;
	for (unsigned i = 0; i < t->n; i++) {
		struct uet_doubt *d = &t->d[i];

		if (all || ripe(f, d, now))
			uet_decide(e, f, d);
		else
			t->d[kept++] = *d;
	}
	t->n = (uint16_t)kept;
	uet_rows_close(e, f, now, false);
}
