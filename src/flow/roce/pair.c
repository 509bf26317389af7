/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which two directions belong together: P1 to P5 of reference 2.2.
 *
 * CM and source ports decide when a flow is first seen.  Otherwise a response
 * is matched with the packets of the other direction that carried its PSN a
 * moment ago: one candidate is a vote, several (QPs in lockstep) are none. */
#include "base/hash.h"
#include "flow/congestion/congestion.h"
#include "flow/core/flow.h"
#include "flow/core/serial.h"
#include "flow/recovery/recovery.h"
#include "flow/roce/roce.h"

enum { CHAIN_MAX = 64, VOTES_SURE = 8 };

uint16_t pair_source_port(uint32_t a, uint32_t b)
{
	uint64_t v = (uint64_t)a * b;
	uint32_t f;

	v ^= v >> 20;
	v ^= v >> 40;
	f = v & 0xfffff;
	return (uint16_t)(0xc000 | ((f & 0x3fff) ^ (f >> 14)));
}

static bool connected(const struct flow *f)
{
	return f->transport == FLOW_RC || f->transport == FLOW_UC ||
	       f->transport == FLOW_XRC;
}

/* ---- who waits for a partner, by source port ---- */

static uint32_t bucket(const struct flow *f, uint16_t sport)
{
	return (uint32_t)(hash_short(f->route / 2, sport) >> 52);
}

static void wait_for_partner(struct engine *e, struct flow *f)
{
	uint32_t *head;

	if (f->sport_chain)
		return;
	f->sport_chain = bucket(f, f->sport) + 1;
	head = &e->sport_heads[f->sport_chain - 1];
	f->next_same_sport = *head;
	f->prev_same_sport = NO_FLOW;
	if (*head != NO_FLOW)
		flow_at(e, *head)->prev_same_sport = f->index;
	*head = f->index;
}

void pair_leave(struct engine *e, struct flow *f)
{
	uint32_t next = f->next_same_sport, prev = f->prev_same_sport;

	if (!f->sport_chain)
		return;
	if (prev == NO_FLOW)
		e->sport_heads[f->sport_chain - 1] = next;
	else
		flow_at(e, prev)->next_same_sport = next;
	if (next != NO_FLOW)
		flow_at(e, next)->prev_same_sport = prev;
	f->sport_chain = 0;
}

/* ---- the two of a pair ---- */

void pair_set(struct engine *e, struct flow *f, struct flow *g,
	      enum flow_pairing how, double confidence)
{
	if (f->paired || g->paired || f == g)
		return;
	flow_join(f, g, how, (float)confidence);
	f->msn = g->msn = 0;
	pair_leave(e, f);
	pair_leave(e, g);
	/* What one of the two has learned gives the other's READs a length. */
	if (f->pmtu > g->pmtu)
		message_pmtu(g, f->pmtu);
	else if (g->pmtu > f->pmtu)
		message_pmtu(f, g->pmtu);
	response_replay_held(e, f);
	response_replay_held(e, g);
	cnp_replay_held(e, f);
	cnp_replay_held(e, g);
}

void pair_forget(struct engine *e, struct flow *f)
{
	struct flow *g = flow_peer(e, f);

	if (!g || !f->paired)
		return;
	f->paired = g->paired = false;
	f->peer = g->peer = NO_FLOW;
	f->pairing = g->pairing = PAIRING_NONE;
	f->votes = g->votes = f->conflicts = g->conflicts = 0;
	f->candidate = g->candidate = NO_FLOW;
	wait_for_partner(e, f);
	wait_for_partner(e, g);
}

/* ---- P1, P2 ---- */

static void pair_by_port(struct engine *e, struct flow *f)
{
	uint32_t i = e->sport_heads[bucket(f, f->sport)];

	for (unsigned n = 0; i != NO_FLOW && n < CHAIN_MAX; n++) {
		struct flow *g = flow_at(e, i);

		if (!g->paired && g->route == (f->route ^ 1) &&
		    g->sport == f->sport &&
		    pair_source_port(f->dst_qp, g->dst_qp) == f->sport) {
			pair_set(e, f, g, PAIRING_SPORT, 0.97);
			return;
		}
		i = g->next_same_sport;
	}
}

void pair_new_flow(struct engine *e, struct flow *f)
{
	if (!connected(f))
		return;
	cm_new_flow(e, f);
	if (!f->paired && f->sport >= 0xc000)
		pair_by_port(e, f);
	if (!f->paired)
		wait_for_partner(e, f);
}

/* ---- P3 to P5 ---- */

/* The one flow whose request this response can answer, or of several the one
 * from the same source port: many NICs have one for both directions.  NULL for
 * none or several.  |is_read|: that request was a READ or ATOMIC. */
static struct flow *candidate(struct engine *e, const struct flow *g,
			      uint32_t psn, bool *is_read)
{
	const struct recent_packet *r = NULL, *only = NULL, *same = NULL;
	bool several = false;

	for (unsigned n = 0; n < CHAIN_MAX; n++) {
		const struct flow *f;

		r = recent_find(&e->unpaired, recent_of_route(g->route ^ 1),
				psn, r);
		if (!r)
			break;
		f = flow_at(e, r->flow);
		if (f->paired || f->transport != g->transport ||
		    !(e->op[r->opcode] & IS_REQUEST))
			continue;
		several |= only && only->flow != r->flow;
		only = only ? only : r;
		if (f->sport != g->sport)
			continue;
		if (same && same->flow != r->flow)
			return NULL;
		same = same ? same : r;
	}
	r = several ? same : only;
	if (!r)
		return NULL;
	*is_read = (e->op[r->opcode] & IS_READ) || (r->opcode & 0x1f) >= 0x13;
	return flow_at(e, r->flow);
}

/* QPs that all began at PSN 0 look alike for long: reference 2.2. */
static unsigned votes_needed(const struct engine *e, const struct flow *g,
			     uint32_t psn)
{
	const struct route_pair *r = &e->routes[g->route / 2];
	bool alone = r->count[(g->route & 1) ^ 1] == 1;

	if (alone)
		return 1;
	return psn < 1 << 16 ? 3 : 1;
}

void pair_response(struct engine *e, struct flow *g, const struct packet *p)
{
	bool data = e->op[p->opcode] & IS_DATA, is_read = false;
	const struct route_pair *r = &e->routes[g->route / 2];
	struct flow *f;
	bool alone;

	/* A NAK names a packet that need not have been seen here: only those of
	 * other queue pairs with the same PSN would be found.  Of the responses
	 * to a READ only the first one has the PSN of a request. */
	if (!connected(g) || (!data && p->syndrome >> 5 == AETH_NAK) ||
	    (data && !(e->op[p->opcode] & IS_START)))
		return;
	f = candidate(e, g, p->psn, &is_read);
	if (!f)
		return;
	if (data && is_read &&
	    (p->psn >= 1 << 16 || g->candidate == f->index)) {
		pair_set(e, f, g, PAIRING_READ, 0.97);
		return;
	}
	if (g->candidate != f->index) {
		g->conflicts += g->votes > 0;
		g->candidate = f->index;
		g->votes = 0;
	}
	if (++g->votes < votes_needed(e, g, p->psn))
		return;
	alone = r->count[0] == 1 && r->count[1] == 1;
	pair_set(e, f, g,
		 data && is_read ? PAIRING_READ
		 : alone         ? PAIRING_ASSUMED
				 : PAIRING_ACK,
		 data && is_read ? 0.95
		 : alone         ? 0.6
				 : 0.8);
}

/* What the votes since then have made of it. */
enum flow_pairing pair_settled(struct engine *e, const struct flow *f,
			       double *confidence)
{
	const struct flow *g = flow_peer(e, f);
	unsigned votes, conflicts;

	*confidence = f->pairing_confidence;
	if (!g || (f->pairing != PAIRING_ACK && f->pairing != PAIRING_ASSUMED))
		return f->pairing;
	votes = f->votes + g->votes;
	conflicts = f->conflicts + g->conflicts;
	if (votes < VOTES_SURE || conflicts * 20 > votes)
		return f->pairing;
	*confidence = 0.97;
	return PAIRING_ACK;
}
