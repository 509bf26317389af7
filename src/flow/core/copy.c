/* SPDX-License-Identifier: GPL-2.0-or-later
 * R20: is this the same transmission once more, rather than a retransmit?
 *
 * Equal ICRC and equal IP identification say so where the sender counts its
 * identification up, or draws it at random.  Where all are the same, only a
 * lone pair within the residence time of a switch counts, and never one that a
 * NAK, or responses out of order, could have provoked, unless nearly every
 * packet comes twice here and this one had not yet.  Between the two it may
 * have queued: the second copies come in the order of the first.  What follows
 * sooner than any link carries it once more nobody has asked for.  A probe,
 * which is a clone with telemetry in it, is a copy like a mirror's. */
#include "flow/core/copy.h"
#include "flow/core/flow.h"
#include "flow/core/serial.h"
#include "flow/core/skipped.h"
#include "flow/core/tuning.h"
#include "wire/wire.h"

enum {
	SENT_AT_MOST = 16, /* packets of one PSN that are looked at */
	REQUESTS_NEAR = 16,
	EARLY = 8, /* requests; by then they have moved, or never */
};

/* The same bytes: the newest packet of that PSN, or one before it that was
 * retransmitted meanwhile. */
static const struct recent_packet *
twin(const struct engine *e, const struct flow *f, const struct packet *p)
{
	bool response = e->op[p->opcode] & IS_RESPONSE;
	const struct recent_packet *r = NULL;

	for (unsigned n = 0; n < SENT_AT_MOST; n++) {
		r = recent_find(&e->recent, recent_of_flow(f->index, response),
				p->psn, r);
		if (!r)
			break;
		if (r->opcode == p->opcode && copy_same_bytes(r, p, p->ip_id))
			return r;
	}
	return NULL;
}

/* At the begin of a flow it is not known yet; a NIC whose identifications are
 * all the same writes 0, as a rule. */
static bool ids_differ(const struct flow *f, const struct packet *p)
{
	if (f->ip_total < 4)
		return p->ip_id && f->requests < EARLY;
	return f->ip_up * 4 > f->ip_total;
}

/* Does the order of a replay, which begins with the packet that |n| named, and
 * repeats nothing unless it was asked once more, allow that |n| asked for |p|,
 * of which |r| passed before? */
static bool asks_for(const struct pending_nak *n, const struct packet *p,
		     const struct recent_packet *r)
{
	if (!n->retransmitted)
		return p->psn == n->psn;
	return !r->copy || n->more || n->ns > r->ns;
}

/* Is |r| a packet of a replay that began at |ns|, or was it first sent after
 * that?  The replay does not come to it again. */
static bool is_younger(const struct recent_packet *r, int64_t ns)
{
	return r->copy ? r->ns >= ns : r->ns > ns;
}

static bool named(const struct pending_nak *n, const struct packet *p)
{
	return n->valid && psn_diff(p->psn, n->psn) >= 0;
}

/* Since |r| came |n|, or once more before and not yet reacted to, for which
 * some senders start the whole message again, of which |p| is the first packet:
 * R22. */
static bool starts_again(const struct engine *e, const struct pending_nak *n,
			 const struct packet *p, const struct recent_packet *r)
{
	int32_t ahead = psn_diff(n->psn, p->psn);

	return n->valid && (e->op[p->opcode] & IS_START) && ahead > 0 &&
	       ahead < MESSAGE_MAX && (n->more || n->ns > r->ns);
}

/* What filled the hole that |n| named may have been the original, late: then
 * the retransmission follows. */
static bool fills_hole(const struct pending_nak *n, const struct packet *p,
		       const struct recent_packet *r)
{
	return n->valid && n->psn == p->psn && !n->orig_seen &&
	       n->retransmitted && n->retransmitted_ns == r->ns;
}

/* A sender waits as long as an RNR NAK says, and less than half of that is no
 * error of its timer. */
static bool waits(const struct pending_nak *n, const struct packet *p)
{
	return p->ns - n->ns < n->wait_ns / 2;
}

/* The same of a request whose NAKs are seen.  |doubles|: the mirror is known to
 * do so. */
static bool may_ask_for(const struct pending_nak *n, const struct packet *p,
			const struct recent_packet *r, bool doubles)
{
	if (!named(n, p) || waits(n, p) ||
	    (n->retransmitted && !n->more && n->ns <= r->ns &&
	     is_younger(r, n->retransmitted_ns)))
		return false;
	return !doubles || asks_for(n, p, r);
}

/* Did a request pass twice to which the response with |psn| may be?  Each is
 * answered, a duplicate with the newest PSN. */
static bool came_twice(const struct engine *e, const struct flow *f,
		       uint32_t psn)
{
	for (unsigned n = 0; n < REQUESTS_NEAR; n++) {
		const struct recent_packet *r =
			recent_request_of(e, f, psn_add(psn, PSN_MASK + 1 - n));

		if (r && (r->doubled || r->copy))
			return true;
	}
	return false;
}

/* Did |f| step back in what it requests, since |last| came or before, so that
 * response |p| to that is sent as often again?  The READ may begin anywhere in
 * the one before, also where each further one begins elsewhere. */
static bool is_read_again(const struct engine *e, const struct flow *f,
			  const struct flow *g, const struct packet *p,
			  const struct recent_packet *last)
{
	struct recent_key requests = recent_of_flow(f->index, false);
	struct recent_key responses = recent_of_flow(g->index, true);
	const struct recent_packet *r = NULL;
	unsigned asked = 1, came = 0;

	if (!f->again_once || psn_diff(p->psn, f->again_from) < 0 ||
	    psn_diff(p->psn, f->again_to) >= 0)
		return false;
	for (unsigned n = 0; n < SENT_AT_MOST; n++) {
		r = recent_find(&e->recent, requests, f->again_from, r);
		if (!r)
			break;
		if (!r->copy || !(e->op[r->opcode] & IS_READ))
			continue;
		if (r->ns > last->ns)
			return true;
		asked++;
	}
	r = NULL;
	/* An ACK may have the PSN of the last response. */
	while (came < asked &&
	       (r = recent_find(&e->recent, responses, p->psn, r)))
		came += !((e->op[r->opcode] ^ e->op[p->opcode]) & IS_DATA);
	return came < asked;
}

/* Did a NAK come since |r|, of which it is not known yet whom it is for? */
static bool asked_by_another(const struct engine *e, const struct flow *f,
			     const struct recent_packet *r)
{
	return !f->paired &&
	       e->routes[f->route / 2].held_nak_ns[f->route & 1] > r->ns;
}

/* A sender that goes back sends the same bytes once more, and its receiver
 * answers duplicates with the same bytes.  Where the mirror is known to double
 * packets, what the sender would not do is a duplicate. */
static bool provoked(const struct engine *e, const struct flow *f,
		     const struct packet *p, const struct recent_packet *r)
{
	bool response = e->op[p->opcode] & IS_RESPONSE;
	const struct flow *asks = response ? flow_peer(e, f) : f;
	const struct recovery_state *t = asks ? asks->recovery : NULL;
	bool doubles = tap_doubles_some(e, p->tap);

	if (response && asks && !doubles &&
	    (came_twice(e, asks, p->psn) || is_read_again(e, asks, f, p, r)))
		return true;
	if (!response && (skipped_late(e, f, f->first, p->psn, r->ns) ||
			  skipped_open(e, f, p->psn, r->ns)))
		return true;
	if (!response && !doubles && asked_by_another(e, f, r))
		return true;
	if (!t || (doubles && response && p->syndrome == AETH_NAK << 5))
		return false;
	if (!response &&
	    (starts_again(e, &t->nak, p, r) ||
	     (fills_hole(&t->nak, p, r) && !tap_has_repeats(e, p->tap))))
		return true;
	/* What comes out of order may be of any of several replays. */
	if (response || ((!f->paired || f->reorder_events) && !doubles))
		return t->ep.active || named(&t->nak, p) || named(&t->rnr, p);
	for (unsigned i = 0; i < NAKS_BEFORE; i++)
		if (nak_open(&t->nak_before[i]) &&
		    may_ask_for(&t->nak_before[i], p, r, doubles))
			return true;
	return may_ask_for(&t->nak, p, r, doubles) ||
	       may_ask_for(&t->rnr, p, r, doubles) ||
	       (t->ep.active && !is_younger(r, t->ep.ev.first_ns));
}

bool copy_same_bytes(const struct recent_packet *r, const struct packet *p,
		     uint16_t id)
{
	return r->ip_id == id && !(r->icrc && p->icrc && r->icrc != p->icrc);
}

/* No sender does that. */
static bool moved(const struct packet *p, const struct recent_packet *r)
{
	return r->ttl != p->ttl || r->mac != (uint32_t)p->src_mac ||
	       r->vlan != p->vlan || r->stack != !!(p->flags & PACKET_STACK);
}

bool copy_is_second(const struct engine *e, const struct packet *p,
		    const struct recent_packet *r)
{
	return r && r->tap == p->tap && p->ttl < r->ttl &&
	       tap_repeats_move(e, p->tap);
}

enum copy_kind copy_kind(struct engine *e, const struct packet *p,
			 const struct recent_packet *r)
{
	bool elsewhere = moved(p, r);

	tap_note_repeat(e, p->tap, elsewhere);
	return elsewhere || tap_is_doubled(e, p->tap) ? COPY_MIRROR
						      : COPY_NETWORK;
}

/* Is a second copy of |r| to come, behind that of the packet before? */
static bool is_due(const struct engine *e, const struct flow *f,
		   const struct packet *p, const struct recent_packet *r)
{
	const struct recent_packet *before;

	if (r->doubled)
		return false;
	if (tap_is_doubled(e, p->tap) || moved(p, r))
		return true;
	if (tap_repeats_move(e, p->tap))
		return false;
	before = recent_find(
		&e->recent,
		recent_of_flow(f->index, e->op[p->opcode] & IS_RESPONSE),
		psn_add(p->psn, PSN_MASK), NULL);
	return before && before->doubled;
}

/* Where every second copy comes as late as the others: that of |p|'s first one,
 * which may be older than a retransmission of it. */
static const struct recent_packet *
lagging(const struct engine *e, const struct flow *f, const struct packet *p)
{
	bool response = e->op[p->opcode] & IS_RESPONSE;
	const struct recent_packet *r = NULL;
	int64_t lag = tap_lag(e, p->tap);

	for (unsigned n = 0; lag && n < SENT_AT_MOST; n++) {
		r = recent_find(&e->recent, recent_of_flow(f->index, response),
				p->psn, r);
		if (!r)
			break;
		if (!r->doubled && r->opcode == p->opcode && r->tap == p->tap &&
		    copy_same_bytes(r, p, p->ip_id) &&
		    lag_fits(lag, p->ns - r->ns))
			return r;
	}
	return NULL;
}

bool copy_lags(const struct engine *e, const struct flow *f,
	       const struct packet *p)
{
	return lagging(e, f, p);
}

enum copy_kind copy_classify(struct engine *e, struct flow *f,
			     const struct packet *p)
{
	const struct recent_packet *r = lagging(e, f, p);
	bool due, differ, replay;
	int64_t dt;

	if (r) {
		recent_set_doubled(&e->recent, r);
		return copy_kind(e, p, r);
	}
	r = twin(e, f, p);
	if (!r)
		return COPY_NEW;
	dt = p->ns - r->ns;
	differ = ids_differ(f, p);
	/* Then it is none that comes at any other time. */
	if (tap_lag(e, p->tap) && !differ && !moved(p, r))
		return COPY_NEW;
	due = !differ && is_due(e, f, p, r);
	if (dt > (differ ? SAME_ID_NS : due ? QUEUE_NS : RESIDENCE_NS))
		return COPY_NEW;
	/* No sender needs less time for it. */
	replay = !differ && FASTEST * dt >= 8 * (int64_t)p->wire_len &&
		 provoked(e, f, p, r);
	tap_note_alike(e, p->tap, replay);
	if (replay && !(due && (dt <= RESIDENCE_NS || moved(p, r))))
		return COPY_NEW;
	recent_set_doubled(&e->recent, r);
	return copy_kind(e, p, r);
}

void copy_count(struct engine *e, struct flow *f, const struct packet *p,
		enum copy_kind kind, double confidence, const char *rule)
{
	bool mirror = kind == COPY_MIRROR;

	if (mirror) {
		f->mirror_dups++;
		tap_mirror_duplicate(e, p);
	} else {
		f->duplicates++;
	}
	emit_packet(e, f, p, mirror ? EVENT_MIRROR_DUPLICATE : EVENT_DUPLICATE,
		    FACT_UNKNOWN, confidence, rule);
}
