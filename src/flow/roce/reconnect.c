/* SPDX-License-Identifier: GPL-2.0-or-later
 * A connection set up anew on the same QP numbers, without CM. */
#include "flow/roce/reconnect.h"

#include <stdlib.h>

#include "base/mem.h"
#include "flow/core/copy.h"
#include "flow/core/serial.h"
#include "flow/core/tuning.h"
#include "flow/roce/roce.h"

enum {
	SETUP_MIN_NS = 100 * 1000, /* numbers are exchanged over the network */
	AHEAD_MIN = 1 << 12,       /* fewer PSNs may be missing in a capture */
	SHORTEST = 64,             /* bytes of a packet */
	HELD_MOST = 512,           /* packets of one flow ... */
	HELD_TOTAL = 1 << 15,      /* ... and of all */
	HELD_FIRST = 8,
};

/* The receiver has asked for it. */
static bool is_asked(const struct recovery_state *t, uint32_t psn)
{
	for (int i = 0; i < NAKS_BEFORE; i++)
		if (t->nak_before[i].valid && t->nak_before[i].psn == psn)
			return true;
	return (t->nak.valid && t->nak.psn == psn) ||
	       (t->rnr.valid && t->rnr.psn == psn);
}

/* What is answered with data is requested again when that was lost behind here,
 * but not from the begin of the connection on. */
static bool asks_again(const struct engine *e, const struct flow *f,
		       const struct packet *p)
{
	return (e->op[p->opcode] & IS_ANSWERED) && p->psn != f->initial &&
	       request_seen(f, p->psn);
}

/* Nobody sends so many packets meanwhile, whether a capture shows them or not.
 * A READ may take as many PSNs. */
static bool leaps(const struct flow *f, const struct packet *p)
{
	int32_t ahead = psn_diff(p->psn, f->nxt);

	return ahead >= AHEAD_MIN && p->ns >= f->last_req_ns &&
	       FASTEST * (p->ns - f->last_req_ns) <
		       (int64_t)8 * SHORTEST * ahead;
}

/* Whoever has a connection up at once uses what both ends know: then all had
 * been acknowledged, and a mirror's second copy has the same bytes.  Or it
 * begins further ahead than the old one can have come. */
static bool has_time(const struct engine *e, const struct flow *f,
		     const struct packet *p)
{
	int64_t queue = tap_has_repeats(e, p->tap) ? QUEUE_NS : RESIDENCE_NS;
	const struct recent_packet *r;
	int32_t ahead = psn_diff(p->psn, f->nxt);

	if (copy_lags(e, f, p))
		return false;
	if (p->ns - f->last_req_ns >= SETUP_MIN_NS)
		return true;
	if (leaps(f, p))
		return true;
	if (psn_diff(f->una, f->nxt) < 0 || f->span_unknown ||
	    (ahead > 0 && ahead < AHEAD_MIN))
		return false;
	r = recent_request_of(e, f, p->psn);
	return !r || p->ns - r->ns > queue || !copy_same_bytes(r, p, p->ip_id);
}

static bool suspicious(const struct engine *e, const struct flow *f,
		       const struct packet *p)
{
	const struct recovery_state *t = f->recovery;

	return f->paired && !f->died && !f->ended &&
	       (e->op[p->opcode] & IS_START) && p->psn != f->nxt &&
	       !(t &&
		 (t->settling || t->cur == p->psn || is_asked(t, p->psn))) &&
	       !asks_again(e, f, p) && has_time(e, f, p);
}

static bool keep(struct engine *e, struct recovery_state *t,
		 const struct packet *p)
{
	struct reconnect *r = &t->anew;

	if (e->n_reconnect >= HELD_TOTAL || r->n >= HELD_MOST ||
	    !mem_grow(&r->p, r->n, &r->room, HELD_FIRST, sizeof *r->p))
		return false;
	r->p[r->n] = *p;
	/* These point into a frame that will be gone. */
	r->p[r->n].flags &= ~(uint32_t)PACKET_SRV6;
	r->p[r->n].stack = NULL;
	r->p[r->n].mad = NULL;
	r->n++;
	e->n_reconnect++;
	return true;
}

bool reconnect_holds(struct engine *e, struct flow *f, const struct packet *p)
{
	struct recovery_state *t = f->recovery;

	if (!(t && t->anew.n) && !suspicious(e, f, p))
		return false;
	t = recovery_state_get(f);
	if (!t)
		return false;
	if (!t->anew.n)
		t->anew.other_port =
			p->sport != f->sport && f->sport_changes == 1;
	if (keep(e, t, p))
		return true;
	if (t->anew.n)
		reconnect_flush(e, f);
	return false;
}

static struct reconnect take_reconnect(struct engine *e, struct flow *f)
{
	struct reconnect r = { 0 };

	if (f && f->recovery) {
		r = f->recovery->anew;
		r.tap_path = f->tap_path;
		r.path_slot = f->tap_path_slot;
		f->recovery->anew = (struct reconnect) { 0 };
		e->n_reconnect -= r.n;
	}
	return r;
}

/* Is it the same connection?  OPEN: nothing shows it. */
enum verdict { SAME, ANEW, OPEN };

/* Follows what was held, which is |v|. */
static void follow(struct engine *e, struct flow *f, struct reconnect *r,
		   enum verdict v)
{
	for (uint32_t i = 0; i < r->n; i++) {
		struct recovery_state *t =
			i ? f->recovery : recovery_state_get(f);

		if (t) {
			t->settling = true;
			t->may_be_anew = v == OPEN && !i;
		}
		if (v == ANEW && e->follow_anew)
			e->follow_anew(e, f, &r->p[i], r);
		else
			request_packet(e, f, &r->p[i]);
	}
	if (f->recovery)
		f->recovery->settling = f->recovery->may_be_anew = false;
	recovery_state_release(f);
	free(r->p);
}

/* Both directions are another connection, whichever was first to show it.
 * |p|: the response that did, or NULL. */
static void begin_anew(struct engine *e, struct flow *f, const struct packet *p)
{
	struct flow *g = flow_peer(e, f);
	struct reconnect forth = take_reconnect(e, f),
			 back = take_reconnect(e, g);

	if (forth.other_port)
		f->n_sports = 1;
	if (p)
		flow_count(g, p, -1);
	for (uint32_t i = 0; i < back.n; i++)
		flow_count(g, &back.p[i], -1);
	flow_new_epoch(e, f, forth.p, forth.n, "connected anew, without CM");
	if (p)
		flow_count(g, p, 1);
	for (uint32_t i = 0; i < back.n; i++)
		flow_count(g, &back.p[i], 1);
	follow(e, f, &forth, ANEW);
	if (back.n)
		follow(e, g, &back, ANEW);
}

static void settle(struct engine *e, struct flow *f, enum verdict v,
		   const struct packet *p)
{
	struct reconnect r;

	if (v == ANEW) {
		begin_anew(e, f, p);
		return;
	}
	r = take_reconnect(e, f);
	follow(e, f, &r, v);
}

/* A retransmission has the operation of its original; and where that has the
 * same identification as well, as a rule, the same bytes. */
enum contents { LIKE_BEFORE, OTHER_BYTES, OTHER_OPERATION };

static enum contents contents(const struct engine *e, const struct flow *f)
{
	const struct reconnect *r = &f->recovery->anew;
	enum contents c = LIKE_BEFORE;

	for (uint32_t i = 0; i < r->n; i++) {
		const struct packet *p = &r->p[i];
		const struct recent_packet *before =
			recent_request_of(e, f, p->psn);

		/* A READ may go on where its answers stopped. */
		if (before && before->opcode != p->opcode)
			return OTHER_OPERATION;
		if (before && before->ip_id == p->ip_id &&
		    !copy_same_bytes(before, p, p->ip_id))
			c = OTHER_BYTES;
	}
	return c;
}

/* Where no MSN tells, and all that had been sent had arrived: other operations
 * or another port than ever before; perhaps other bytes, or further back than
 * the sender ever had packets under way. */
static enum verdict by_port(const struct engine *e, const struct flow *f)
{
	const struct reconnect *r = &f->recovery->anew;
	enum contents c = contents(e, f);

	if (psn_diff(f->una, f->nxt) < 0)
		return SAME;
	if (r->other_port || c == OTHER_OPERATION)
		return ANEW;
	return c == OTHER_BYTES || psn_diff(f->nxt, r->p[0].psn) > f->window
		       ? OPEN
		       : SAME;
}

static enum verdict by_msn(const struct engine *e, const struct flow *g,
			   const struct flow *f, const struct packet *p)
{
	const struct reconnect *r = &f->recovery->anew;
	int32_t sent = psn_diff(p->psn, r->p[0].psn) + 1;
	int32_t on = psn_diff(p->msn, g->msn - 1);
	bool fits = sent >= 0 && sent < 1 << 20 && (int32_t)p->msn <= sent;

	if (!(p->flags & PACKET_HAS_AETH) || g->msn <= 1)
		return by_port(e, f);
	if (on < 0)
		return fits ? ANEW : SAME;
	/* The ACK of a duplicate is the newest there is. */
	if (on == 0 && fits && psn_diff(p->psn, f->una) < -1)
		return by_port(e, f);
	return on == 0 && fits && r->other_port ? ANEW : SAME;
}

void reconnect_answered(struct engine *e, struct flow *g, struct flow *f,
			const struct packet *p)
{
	if (f->recovery && f->recovery->anew.n)
		settle(e, f, by_msn(e, g, f, p), p);
}

void reconnect_flush(struct engine *e, struct flow *f)
{
	if (f->recovery && f->recovery->anew.n)
		settle(e, f, by_port(e, f), NULL);
}
