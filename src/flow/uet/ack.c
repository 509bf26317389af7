/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the receiver says of a direction: CACK, ACK_PSN, SACK (uet.md 6.4), and
 * the responses of RUDI. */
#include "base/clamp.h"
#include "flow/telemetry/path.h"
#include "flow/uet/serial.h"
#include "flow/uet/uet.h"
#include "wire/wire.h"

enum { FAR = 1 << 20, CHAIN_MAX = 64 };

static bool sacked(const struct uet_dir *u, uint32_t psn)
{
	uint32_t i = psn - u->sender->sack_base;

	return (u->sacked || u->by_name) && i < SACK_BITS &&
	       (u->sender->sack >> i & 1);
}

bool uet_acked(const struct flow *f, uint32_t psn)
{
	const struct uet_dir *u = &f->uet;

	return u->una_valid && (psn32_diff(psn, f->una) < 0 || sacked(u, psn));
}

/* Clear bits of the bitmap below its highest set one: not received then. */
static uint64_t holes(uint64_t sack)
{
	return sack ? ~sack & UINT64_MAX >> __builtin_clzll(sack) : 0;
}

bool uet_sack_hole(const struct flow *f, uint32_t psn, int64_t since)
{
	const struct uet_dir *u = &f->uet;
	uint32_t i = psn - u->sender->sack_base;

	return u->sacked && i < SACK_BITS &&
	       (holes(u->sender->sack) >> i & 1) && u->sender->sack_ns >= since;
}

bool uet_probe_lacks(const struct flow *f, uint32_t psn, int64_t since)
{
	const struct uet_dir *u = &f->uet;

	return u->sacked && u->probed &&
	       psn - u->sender->sack_base < SACK_BITS && !sacked(u, psn) &&
	       u->sender->sack_ns >= since;
}

/* What a SACK showed missing is there now, and was not retransmitted: it came
 * out of order behind the tap. */
static void closed_hole(struct engine *e, struct flow *f, uint32_t psn,
			int64_t ns)
{
	struct uet_sender *s = f->uet.sender;
	const struct recent_packet *r;

	if (pending_psn_find(f, psn) || !uet_was_seen(f, psn))
		return;
	r = uet_recent(e, f, psn, false);
	if (!r || r->copy || r->ns + f->rtt_r > s->sack_ns)
		return; /* it may just have been on its way */
	s->fact.late_behind++;
	if (ns - r->ns > s->behind_max)
		s->behind_max = ns - r->ns;
}

static bool says_it_came(const struct packet *p, uint32_t ack_psn, uint32_t psn)
{
	uint32_t at = psn - p->uet.ack.base;

	return psn == ack_psn || psn32_diff(psn, p->uet.ack.cack) <= 0 ||
	       (p->uet.type != PDS_ACK && at < SACK_BITS &&
		(p->uet.sack >> at & 1));
}

/* Any answer may close them, at once or only the next SACK. */
static void close_holes(struct engine *e, struct flow *f,
			const struct packet *p, uint32_t ack_psn)
{
	struct uet_sender *s = f->uet.sender;
	uint64_t open = f->uet.sacked ? holes(s->sack) : 0;

	for (; open; open &= open - 1) {
		unsigned i = (unsigned)__builtin_ctzll(open);

		if (!says_it_came(p, ack_psn, s->sack_base + i))
			continue;
		closed_hole(e, f, s->sack_base + i, p->ns);
		s->sack |= UINT64_C(1) << i;
	}
}

/* The last bitmap as one from |base| on. */
static uint64_t known_from(const struct uet_sender *s, uint32_t base)
{
	int32_t up = psn32_diff(base, s->sack_base);

	if (up <= -SACK_BITS || up >= SACK_BITS)
		return 0;
	return up < 0 ? s->sack << -up : s->sack >> up;
}

/* Another answer, that overtook it, knows of more. */
static bool reordered(const struct flow *f, const struct packet *p)
{
	const struct uet_dir *u = &f->uet;

	if (u->una_valid && psn32_diff(f->una, p->uet.ack.cack + 1) > 0)
		return true;
	return u->sacked &&
	       (known_from(u->sender, p->uet.ack.base) & ~p->uet.sack);
}

static void note_sack(struct flow *f, const struct packet *p)
{
	struct uet_sender *s = f->uet.sender;

	if (reordered(f, p)) {
		s->cc.reordered = true;
		return;
	}
	f->uet.sacked = true;
	f->uet.by_name = false;
	f->uet.probed = p->uet.flags & UET_PROBE;
	s->sack = p->uet.sack;
	s->sack_base = p->uet.ack.base;
	s->sack_ns = p->ns;
}

/* Without a SACK: what answers name above CACK is there as well. */
static void note_named(struct flow *f, uint32_t ack_psn, uint32_t cack)
{
	struct uet_dir *u = &f->uet;
	struct uet_sender *s = u->sender;
	uint32_t moved = cack + 1 - s->sack_base, i = ack_psn - (cack + 1);

	if (!u->by_name || psn32_diff(cack + 1, s->sack_base) < 0)
		s->sack = 0;
	else
		s->sack = moved < SACK_BITS ? s->sack >> moved : 0;
	s->sack_base = cack + 1;
	u->by_name = true;
	if (i < SACK_BITS)
		s->sack |= UINT64_C(1) << i;
}

/* Acknowledged beyond what was ever seen. */
static void beyond(struct engine *e, struct flow *f, uint32_t una, int64_t ns)
{
	struct uet_dir *u = &f->uet;
	uint32_t n = una - f->nxt;

	if (n >= SEEN_MAX / 2) {
		/* More than is reported one by one: an outage of the
		 * capture. */
		uet_flush_rest(e, f);
		f->missing += n;
		emit_event(
			e, f,
			&(struct fact_event) {
				.ns = ns,
				.tap = f->tap,
				.kind = EVENT_CAPTURE_MISSING,
				.psn = f->nxt,
				.count = n,
				.value = FACT_UNKNOWN,
				.confidence = 0.8,
				.detail = "U3: acknowledged, not captured" });
		u->seen.low = una;
	}
	f->covered += n;
	f->nxt = una;
}

static void advance(struct engine *e, struct flow *f, uint32_t una, int64_t ns)
{
	struct uet_dir *u = &f->uet;

	if (!f->req_valid || psn32_diff(una, f->nxt) > FAR)
		return; /* of another life */
	if (u->una_valid && psn32_diff(una, f->una) <= 0)
		return;
	if (psn32_diff(una, f->nxt) > 0)
		beyond(e, f, una, ns);
	f->una = una;
	u->una_valid = true;
	u->sender->una_ns = ns;
	if (!u->acked_holes && psn32_diff(u->seen.low, una) < 0 &&
	    psn32_diff(u->seen.low, f->nxt) < 0) {
		u->acked_holes = true;
		u->sender->pend_una = una;
		u->sender->pend_ns = ns;
	}
}

/* An acknowledgement asked for, and answered at once. */
static bool round_trip(struct engine *e, struct flow *f, const struct packet *p)
{
	int64_t ns = clamp_sub(p->ns, f->ack_req_ns);

	if (!f->ack_req_ns || p->psn != f->ack_req_psn ||
	    (p->uet.flags & UET_RETX) || ns <= 0)
		return false;
	f->ack_req_ns = 0;
	f->rtt_n++;
	uet_cc_round_trip(f, p, ns);
	if (e->paths)
		path_answered(e, f, p->psn, ns);
	flow_round_trip(f, ns);
	return true;
}

/* Until an answer that was asked for has been timed, any that names a packet
 * sent once will do: no sooner than that is one there. */
void uet_round_trip_of(const struct engine *e, struct flow *f,
		       const struct packet *p)
{
	const struct recent_packet *r;

	if (f->rtt_n || !f->uet.sender->recovery)
		return;
	r = uet_recent(e, f, p->psn, false);
	if (r && !r->copy)
		flow_round_trip(f, clamp_sub(p->ns, r->ns));
}

/* PDS answers what it has already got with a response it made up (seen with
 * one implementation), of no job and no length: then the copy was not needed.
 * With a job it is a response like any other, its return code 0 or 1; and one
 * that answers so before any retransmission answers everything so. */
static bool answered_twice(struct flow *f, const struct packet *p)
{
	const uint32_t read = UET_RESPONSE | UET_JOB;
	bool made_up = (p->uet.flags & read) == read &&
		       p->uet.opcode == SES_RSP_DEFAULT &&
		       p->uet.return_code == SES_RC_NULL && !p->uet.job_id &&
		       !p->uet.length;

	f->uet.sender->cc.terse |= made_up && !f->retransmitted;
	return made_up && !f->uet.sender->cc.terse;
}

/* Nothing of a deferrable send was taken (uet.md 4.7, 4.11). */
static bool defers(const struct packet *p)
{
	const uint32_t read = UET_RESPONSE | UET_MESSAGE | UET_SES;

	return p->uet.opcode == SES_RSP_RESPONSE &&
	       (p->uet.flags & read) == read &&
	       p->uet.list == SES_LIST_OVERFLOW &&
	       p->uet.return_code == SES_RC_OK && !p->uet.length;
}

static void count(struct engine *e, struct flow *f, const struct packet *p)
{
	struct uet_dir *u = &f->uet;

	u->sender->acks++;
	/* What few do lies elsewhere. */
	if (p->uet.type == PDS_ACK)
		u->sender->fact.acks_plain++;
	if (p->uet.flags & UET_M)
		u->sender->fact.marked++;
	if (p->uet.flags & UET_REQ_CLEAR)
		u->sender->fact.clears++;
	uet_cc_ack(e, f, p);
}

/* An answer to the next packet in order, as it was sent first, that has later
 * ones, of which nothing was heard: it was made when it left, and these came
 * in between. */
static bool is_made_late(const struct flow *f, const struct packet *p)
{
	return f->uet.una_valid && p->psn == f->una &&
	       psn32_diff(p->uet.ack.cack, p->psn) > 0 &&
	       !(p->uet.flags & (UET_RETX | UET_PROBE)) &&
	       !uet_acked(f, p->psn + 1) && !pending_psn_find(f, p->psn);
}

void uet_ack(struct engine *e, struct flow *g, const struct packet *p)
{
	struct flow *f = flow_peer(e, g);
	uint32_t ack_psn = p->psn;
	bool twice;

	if (!f || !f->uet.begun || !(p->uet.flags & UET_PDS) ||
	    (p->uet.flags & UET_TRIMMED) || !uet_sender(e, f))
		return;
	count(e, f, p);
	if (p->uet.flags & UET_M)
		uet_ev_note(e, f, p->sport, EV_MARKED);
	f->last_rsp_seen_ns = p->ns;
	if (p->uet.flags & UET_PROBE)
		ack_psn = p->uet.ack.cack; /* it names none */
	else if (!round_trip(e, f, p))
		uet_round_trip_of(e, f, p);
	if (f->uet.acked_holes)
		uet_flush(e, f, p->ns);
	if (is_made_late(f, p))
		f->uet.sender->cc.fresh = true;
	close_holes(e, f, p, ack_psn);
	if (p->uet.type != PDS_ACK)
		note_sack(f, p);
	if (psn32_diff(ack_psn, p->uet.ack.cack) > 0) {
		if (psn32_diff(ack_psn, f->uet.sender->named) > 0)
			f->uet.sender->named = ack_psn;
		if (!f->uet.sacked)
			note_named(f, ack_psn, p->uet.ack.cack);
	}
	advance(e, f, p->uet.ack.cack + 1, p->ns);
	pdc_answer(e, f, p, ack_psn);
	if (g->uet.state == PDC_UNKNOWN) /* it answers: it has a context */
		g->uet.state = PDC_ESTABLISHED;
	twice = answered_twice(f, p);
	if (f->uet.pending)
		pending_psns_acked(e, f, p, ack_psn, twice);
	if (defers(p))
		uet_message_deferred(f, p);
	if (uet_messages(f)->n)
		uet_message_acked(e, f, ack_psn, p->ns);
}

/* ---- RUDI ---- */

struct flow *uet_rudi_asker(const struct engine *e, uint32_t route, uint32_t id,
			    const struct recent_packet **which)
{
	const struct recent_packet *r = NULL;

	while ((r = recent_find(&e->recent, recent_of_route(route ^ 1), id,
				r))) {
		struct flow *f = flow_at(e, r->flow);

		if (r->opcode == PDS_RUDI_REQ && f->uet.begun) {
			*which = r;
			return f;
		}
	}
	return NULL;
}

/* Who alone asks without a context, against |route|; NULL. */
static struct flow *only_asker(const struct engine *e, uint32_t route)
{
	const struct route_pair *pair = &e->routes[route / 2];
	uint32_t at = pair->first[(route & 1) ^ 1], n = 0;
	struct flow *only = NULL;

	for (; at != NO_FLOW && n < CHAIN_MAX; n++) {
		struct flow *f = flow_at(e, at);

		at = f->next_in_route;
		if (f->aux != UET_AUX_RUDI || !f->requests)
			continue;
		if (only)
			return NULL;
		only = f;
	}
	return at == NO_FLOW ? only : NULL;
}

bool uet_rudi_job(struct engine *e, const struct packet *p, uint32_t place,
		  uint32_t *job)
{
	const struct recent_packet *r;
	const struct flow *f;
	uint32_t route;

	if (p->uet.type == PDS_RUDI_REQ || !(p->uet.flags & UET_PDS))
		return false;
	route = flow_route(e, p, place);
	if (route == NO_FLOW)
		return false;
	f = uet_rudi_asker(e, route, p->psn, &r);
	if (!f)
		f = only_asker(e, route);
	*job = f ? f->dst_qp : 0;
	return *job;
}

void uet_rudi_pair(struct flow *f, struct flow *g)
{
	/* A refusal names no job. */
	if (!g->uet.job_known && f->uet.job_known) {
		g->uet.job = f->uet.job;
		g->uet.job_known = true;
	}
	if (f->paired || g->paired || f == g)
		return;
	flow_join(f, g, PAIRING_PDCID, 0.95F);
}

void uet_rudi_response(struct engine *e, struct flow *g, const struct packet *p)
{
	const struct recent_packet *r = NULL;
	struct flow *f = uet_rudi_asker(e, g->route, p->psn, &r);
	const struct recent_packet *before = uet_recent(e, g, p->psn, false);
	struct packet n = { .ns = p->ns,
			    .frame = p->frame,
			    .psn = p->psn,
			    .tap = p->tap,
			    .opcode = p->uet.type };

	recent_note(&e->recent, recent_of_route(g->route), g->index, &n,
		    before);
	if (!f)
		return;
	uet_rudi_pair(f, g);
	f->uet.sender->acks++;
	f->uet.sender->fact.acks_plain++;
	if (p->uet.flags & UET_M) {
		f->uet.sender->fact.marked++;
		uet_ev_note(e, f, p->sport, EV_MARKED);
	}
	if (f->uet.pending)
		pending_psns_acked(e, f, p, p->psn, false);
	if (!before)
		uet_message_answered(e, f, p);
	if (before || r->copy)
		return;
	flow_round_trip(f, clamp_sub(p->ns, r->ns));
	f->rtt_n++;
}
