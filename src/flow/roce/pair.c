/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which two directions belong together: P1 to P6.
 *
 * CM and source ports decide when a flow is first seen.  Otherwise a response
 * is matched with the packets of the other direction that carried its PSN a
 * moment ago.  Of several (QPs in lockstep) the one that waits longest has a
 * vote. */
#include "base/hash.h"
#include "flow/congestion/congestion.h"
#include "flow/core/flow.h"
#include "flow/core/serial.h"
#include "flow/recovery/recovery.h"
#include "flow/roce/roce.h"

enum { CHAIN_MAX = 64, VOTES_SURE = 8, DOUBTS_MAX = 16 };

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
	f->votes = g->votes = f->conflicts = g->conflicts = 0;
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

/* A candidate that is the only one is worth as much as three that are only the
 * first of several; who is contradicted loses three times that. */
enum { VOTE_ONLY = 3, VOTE_FIRST = 1, AGAINST = 3 };

struct candidate {
	struct flow *flow; /* NULL: none, or which of several is open */
	bool is_read;      /* that request was a READ or ATOMIC */
	unsigned weight;
};

/* Was |psn| of |f| taken for the request of a response already? */
static bool is_claimed(const struct flow *f, uint32_t psn)
{
	return f->claimed && psn_diff(psn, f->claimed - 1) <= 0;
}

/* Does another one that is not paired send from the port of |g|? */
static bool same_port_waits(const struct engine *e, const struct flow *g)
{
	uint32_t i = e->sport_heads[bucket(g, g->sport)];

	for (unsigned n = 0; i != NO_FLOW && n < CHAIN_MAX; n++) {
		const struct flow *f = flow_at(e, i);

		if (f->route == (g->route ^ 1) && f->sport == g->sport)
			return true;
		i = f->next_same_sport;
	}
	return false;
}

/* Whose request this response can answer: the one flow that has sent its PSN,
 * or of several the one from the same source port (many NICs have one for both
 * directions), or the one that sent it first and has no response yet: a
 * receiver answers in the order in which requests came. */
static struct candidate candidate(struct engine *e, const struct flow *g,
				  uint32_t psn)
{
	const struct recent_packet *r = NULL, *only = NULL, *same = NULL;
	const struct recent_packet *first = NULL;
	bool several = false, same_several = false;
	bool order_holds = e->routes[g->route / 2].doubts < DOUBTS_MAX;

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
		if (!is_claimed(f, psn) && order_holds)
			first = r;
		if (f->sport != g->sport)
			continue;
		same_several |= same && same->flow != r->flow;
		same = same ? same : r;
	}
	r = !several ? only : same && !same_several ? same : first;
	/* Of two that began at one PSN only one has sent yet. */
	if (!r || (!same && same_port_waits(e, g)))
		return (struct candidate) { 0 };
	return (struct candidate) {
		.flow = flow_at(e, r->flow),
		.is_read = (e->op[r->opcode] & IS_READ) ||
			   (r->opcode & 0x1f) >= 0x13,
		.weight = several && r == first ? VOTE_FIRST : VOTE_ONLY,
	};
}

/* QPs that all began at PSN 0 look alike for long. */
static unsigned votes_needed(const struct engine *e, const struct flow *g,
			     uint32_t psn)
{
	const struct route_pair *r = &e->routes[g->route / 2];
	bool alone = r->count[(g->route & 1) ^ 1] == 1;

	if (alone)
		return 1;
	return psn < 1 << 16 ? 3 * VOTE_ONLY : VOTE_ONLY;
}

/* True: enough of them say that |g| answers |c|. */
static bool is_elected(struct engine *e, struct flow *g,
		       const struct candidate *c, uint32_t psn)
{
	unsigned against = AGAINST * c->weight;

	if (g->candidate == c->flow->index) {
		g->votes += c->weight;
	} else if (g->votes > against) {
		g->votes -= against;
		return false;
	} else {
		g->conflicts += g->votes > 0;
		g->candidate = c->flow->index;
		g->votes = c->weight;
	}
	return g->votes >= votes_needed(e, g, psn);
}

/* An ACK with the PSN of the one before. */
static bool is_repeated(const struct flow *g, uint32_t psn)
{
	return g->held_n && g->held[g->held_n - 1].psn == psn;
}

/* Who is left over when the others are paired in step is assumed as well. */
static void pair_in_step(struct engine *e, struct flow *f, struct flow *g)
{
	e->routes[f->route / 2].in_step = true;
	pair_set(e, f, g, PAIRING_IN_STEP, 0.5);
}

static bool is_alone(const struct route_pair *r)
{
	return r->count[0] == 1 && r->count[1] == 1;
}

void pair_response(struct engine *e, struct flow *g, const struct packet *p)
{
	bool data = e->op[p->opcode] & IS_DATA;
	const struct route_pair *r = &e->routes[g->route / 2];
	struct candidate c;
	struct flow *f;

	/* A NAK names a packet that need not have been seen here: only those of
	 * other queue pairs with the same PSN would be found.  Of the responses
	 * to a READ only the first one has the PSN of a request. */
	if (!connected(g) || (!data && p->syndrome >> 5 == AETH_NAK) ||
	    (data && !(e->op[p->opcode] & IS_START)))
		return;
	c = candidate(e, g, p->psn);
	f = c.flow;
	if (!f || (c.weight == VOTE_FIRST && is_repeated(g, p->psn)))
		return;
	f->claimed = p->psn + 1;
	c.is_read &= data;
	if (c.is_read && c.weight == VOTE_ONLY &&
	    (p->psn >= 1 << 16 || g->candidate == f->index)) {
		pair_set(e, f, g, PAIRING_READ, 0.97);
		return;
	}
	if (!is_elected(e, g, &c, p->psn))
		return;
	if (c.is_read)
		pair_set(e, f, g, PAIRING_READ, 0.95);
	else if (is_alone(r))
		pair_set(e, f, g, PAIRING_ASSUMED, 0.6);
	else if (c.weight == VOTE_ONLY && !r->in_step)
		pair_set(e, f, g, PAIRING_ACK, 0.8);
	else
		pair_in_step(e, f, g);
}

/* ---- P6: a NAK, and who retransmits what it names ---- */

void pair_doubt(struct engine *e, const struct flow *g)
{
	struct route_pair *r = &e->routes[g->route / 2];
	uint32_t i = r->first[g->route & 1];

	if (g->pairing != PAIRING_IN_STEP)
		return;
	if (r->doubts < DOUBTS_MAX)
		r->doubts++;
	r->in_step = false;
	while (i != NO_FLOW) {
		struct flow *f = flow_at(e, i);

		i = f->next_in_route;
		if (f->pairing == PAIRING_IN_STEP)
			pair_forget(e, f);
	}
}

/* Is |p| of |f| the reaction to the last NAK of |g|?  Nobody takes longer. */
static bool reacts_to(const struct flow *f, const struct packet *p,
		      const struct flow *g)
{
	unsigned n = g->paired ? 0 : g->held_n;

	while (n-- > 0)
		if (g->held[n].syndrome == AETH_NAK << 5)
			return g->held[n].psn == p->psn &&
			       p->ns - g->held[n].ns <=
				       recovery_reaction_bound(f);
	return false;
}

void pair_by_nak(struct engine *e, struct flow *f, const struct packet *p)
{
	const struct route_pair *r = &e->routes[f->route / 2];
	uint32_t i = r->first[~f->route & 1];
	struct flow *only = NULL;

	/* A replay begins with what the NAK named. */
	if (!(r->held_naks[f->route & 1] >> (p->psn & 31) & 1) ||
	    !connected(f) || (f->recovery && f->recovery->cur == p->psn))
		return;
	for (unsigned n = 0; i != NO_FLOW && n < CHAIN_MAX; n++) {
		struct flow *g = flow_at(e, i);

		i = g->next_in_route;
		if (!reacts_to(f, p, g) || g->transport != f->transport ||
		    (f->sport != g->sport && same_port_waits(e, g)))
			continue;
		if (only)
			return;
		only = g;
	}
	if (only && i == NO_FLOW)
		pair_set(e, f, only,
			 is_alone(r) ? PAIRING_ASSUMED : PAIRING_ACK,
			 is_alone(r) ? 0.6 : 0.8);
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
