/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flows by key, pairs of addresses, and epochs.
 *
 * Open addressing over 64-bit slots (tag and index); flows live in chunks and
 * never move, so a pointer is good as long as the engine. */
#include <stdlib.h>
#include <string.h>

#include "base/huge.h"
#include "base/mem.h"
#include "flow/core/burst.h"
#include "flow/core/find.h"
#include "flow/core/tracker.h"

enum { SLOTS_MIN = 1 << 14, ROUTES_MIN = 1 << 12 };

static size_t slots_size(const struct engine *e)
{
	return ((size_t)e->slot_mask + 1) * sizeof *e->slots;
}

bool table_init(struct engine *e)
{
	e->slot_mask = SLOTS_MIN - 1;
	e->slots = huge_alloc(slots_size(e));
	e->route_slots = mem_calloc(ROUTES_MIN, sizeof *e->route_slots);
	e->route_mask = ROUTES_MIN - 1;
	e->sport_heads = mem_malloc(SPORT_HEADS * sizeof *e->sport_heads);
	if (!e->slots || !e->route_slots || !e->sport_heads)
		return false;
	for (unsigned i = 0; i < SPORT_HEADS; i++)
		e->sport_heads[i] = NO_FLOW;
	return true;
}

/* What |f| holds. */
static void let_go(struct engine *e, struct flow *f)
{
	for (unsigned i = 0; e->tracker[i]; i++)
		if (e->tracker[i]->flow_free)
			e->tracker[i]->flow_free(e, f);
	transport(e, f)->free(e, f);
	recovery_state_free(f);
	bins_free(f);
	free(f->held);
	f->held = NULL;
	free(f->sports);
	f->sports = NULL;
	free(f->events);
	f->events = NULL;
}

void table_fini(struct engine *e)
{
	for (uint32_t i = 0; i < e->n_flows; i++)
		let_go(e, flow_at(e, i));
	for (uint32_t i = 0; i < e->n_chunks; i++)
		huge_free(e->chunks[i], FLOW_CHUNK * sizeof(struct flow));
	free(e->chunks);
	huge_free(e->slots, slots_size(e));
	free(e->routes);
	free(e->route_slots);
	free(e->sport_heads);
}

static void slot_put(struct engine *e, uint64_t hash, uint32_t index)
{
	uint32_t i = (uint32_t)hash & e->slot_mask;

	while (e->slots[i])
		i = (i + 1) & e->slot_mask;
	e->slots[i] = (hash >> 32) << 32 | (index + 1);
}

static bool slots_grow(struct engine *e)
{
	uint64_t *old = e->slots;
	size_t old_size = slots_size(e);

	e->slots = huge_alloc(2 * old_size);
	if (!e->slots) {
		e->slots = old;
		return false;
	}
	e->slot_mask = 2 * e->slot_mask + 1;
	for (uint32_t i = 0; i < e->n_flows; i++)
		if (flow_at(e, i)->id)
			slot_put(e, flow_at(e, i)->hash, i);
	huge_free(old, old_size);
	return true;
}

/* ---- pairs of addresses ---- */

static uint32_t route_slot(const struct engine *e, struct addr lo,
			   struct addr hi, uint32_t place)
{
	uint64_t h = hash6(lo.w[0], lo.w[1], hi.w[0], hi.w[1], place, 0);
	uint32_t i = (uint32_t)h & e->route_mask;

	for (; e->route_slots[i]; i = (i + 1) & e->route_mask) {
		const struct route_pair *r = &e->routes[e->route_slots[i] - 1];

		if (addr_equal(r->lo, lo) && addr_equal(r->hi, hi) &&
		    r->place == place)
			break;
	}
	return i;
}

static bool routes_grow(struct engine *e)
{
	uint32_t room = e->room_routes ? e->room_routes * 2 : 256;
	struct route_pair *r = mem_realloc(e->routes, room * sizeof *r);
	uint32_t *slots;

	if (!r)
		return false;
	e->routes = r;
	if (room * 2 > e->route_mask + 1) {
		slots = mem_calloc((size_t)room * 4, sizeof *slots);
		if (!slots)
			return false;
		free(e->route_slots);
		e->route_slots = slots;
		e->route_mask = room * 4 - 1;
		for (uint32_t i = 0; i < e->n_routes; i++)
			slots[route_slot(e, r[i].lo, r[i].hi, r[i].place)] =
				i + 1;
	}
	e->room_routes = room;
	return true;
}

/* Twice the number of the pair, plus the direction; NO_FLOW: no memory. */
uint32_t flow_route(struct engine *e, const struct packet *p, uint32_t place)
{
	bool up = addr_compare(p->src, p->dst) <= 0;
	struct addr lo = up ? p->src : p->dst, hi = up ? p->dst : p->src;
	uint32_t slot;

	if (e->n_routes == e->room_routes && !routes_grow(e))
		return NO_FLOW;
	slot = route_slot(e, lo, hi, place);
	if (!e->route_slots[slot]) {
		e->routes[e->n_routes] = (struct route_pair) {
			.lo = lo,
			.hi = hi,
			.place = place,
			.first = { NO_FLOW, NO_FLOW },
		};
		e->route_slots[slot] = ++e->n_routes;
	}
	return 2 * (e->route_slots[slot] - 1) + !up;
}

const struct route_pair *route_at(const struct engine *e,
				  const struct route_pair *like, uint32_t place)
{
	uint32_t i = e->route_slots[route_slot(e, like->lo, like->hi, place)];

	return i ? &e->routes[i - 1] : NULL;
}

/* ---- flows ---- */

static struct flow *take_vacant(struct engine *e)
{
	struct flow *f = flow_at(e, e->vacant - 1);
	uint32_t index = e->vacant - 1;

	e->vacant = f->next_in_route;
	e->n_vacant--;
	memset(f, 0, sizeof *f);
	f->index = index;
	return f;
}

static struct flow *flow_alloc(struct engine *e)
{
	uint32_t chunk = e->n_flows / FLOW_CHUNK;

	if (e->vacant)
		return take_vacant(e);
	if (e->n_flows >= e->o.max_flows)
		return NULL;
	if (2 * (uint64_t)e->n_flows > e->slot_mask && !slots_grow(e))
		return NULL;
	if (chunk == e->n_chunks) {
		struct flow **c =
			mem_realloc(e->chunks, (chunk + 1) * sizeof *c);

		if (!c)
			return NULL;
		e->chunks = c;
		c[chunk] = huge_alloc(FLOW_CHUNK * sizeof **c);
		if (!c[chunk])
			return NULL;
		e->n_chunks++;
	}
	flow_at(e, e->n_flows)->index = e->n_flows;
	return flow_at(e, e->n_flows++);
}

void flow_start(struct engine *e, struct flow *f, const struct packet *p)
{
	f->id = ++e->next_id;
	f->tap = p->tap;
	f->first_ns = f->last_ns = f->last_req_ns = p->ns;
	f->sport = f->last_sport = p->sport;
	f->last_tap = (uint16_t)p->tap;
	f->n_sports = 1;
	f->service[0] = f->service[1] = f->service_cnp = NO_SERVICE;
	f->candidate = NO_FLOW;
	f->cm = (struct cm_terms) { -1, -1, -1, -1 };
	f->src_mac = p->src_mac;
	f->dst_mac = p->dst_mac;
	f->ttl = p->ttl;
	f->tos = p->tos;
	f->pcp = p->pcp;
	bins_start(f, p->ns);
	f->burst_ns = f->response_ns = p->ns;
}

static void enter_route(struct engine *e, struct flow *f)
{
	struct route_pair *r = &e->routes[f->route / 2];
	uint32_t *first = &r->first[f->route & 1];

	f->next_in_route = *first;
	f->prev_in_route = NO_FLOW;
	if (*first != NO_FLOW)
		flow_at(e, *first)->prev_in_route = f->index;
	*first = f->index;
	r->count[f->route & 1]++;
}

struct flow *flow_add(struct engine *e, const struct packet *p, uint64_t hash,
		      uint32_t qp, uint32_t place, uint32_t aux)
{
	/* A flow has 16 bits for its place and its tap. */
	uint32_t route = place < MANY_TAPS ? flow_route(e, p, place) : NO_FLOW;
	struct flow *f = route == NO_FLOW ? NULL : flow_alloc(e);

	if (!f)
		return NULL;
	f->src = p->src;
	f->dst = p->dst;
	f->dst_qp = qp;
	f->aux = aux;
	f->place = (uint16_t)place;
	f->transport = (uint8_t)transport(e, f)->kind(p);
	f->hash = hash;
	f->peer = NO_FLOW;
	f->route = route;
	enter_route(e, f);
	slot_put(e, hash, f->index);
	flow_start(e, f, p);
	transport(e, f)->start(e, f);
	for (unsigned i = 0; e->tracker[i]; i++)
		if (e->tracker[i]->flow_new)
			e->tracker[i]->flow_new(e, f);
	return f;
}

/* No packet of it is to come. */
static void close_flow(struct engine *e, struct flow *f)
{
	if (!transport(e, f)->not_its_own(e, f))
		transport(e, f)->end(e, f);
}

static void closed(struct engine *e, struct flow *f)
{
	if (!transport(e, f)->not_its_own(e, f))
		tap_note_absent(e, f);
	for (unsigned i = 0; e->tracker[i]; i++)
		if (e->tracker[i]->flow_closed)
			e->tracker[i]->flow_closed(e, f);
}

static void report_flow_end(struct engine *e, struct flow *f)
{
	for (unsigned i = 0; e->tracker[i]; i++)
		if (e->tracker[i]->flow_end)
			e->tracker[i]->flow_end(e, f);
	/* What was begun anew, and never came. */
	if (f->packets || !flow_is_uet(f))
		emit_flow(e, f);
	burst_finish(e, f);
	bins_emit(e, f);
}

static void finish(struct engine *e, struct flow *f)
{
	if (!transport(e, f)->not_its_own(e, f))
		report_flow_end(e, f);
	else
		transport(e, f)->disown(e, f);
	let_go(e, f);
}

void flow_finish(struct engine *e, struct flow *f)
{
	close_flow(e, f);
	closed(e, f);
	finish(e, f);
}

/* First all are closed, so that no verdict depends on which flow is first. */
void table_finish(struct engine *e)
{
	for (uint32_t i = 0; i < e->n_flows; i++)
		if (flow_at(e, i)->id)
			close_flow(e, flow_at(e, i));
	for (uint32_t i = 0; i < e->n_flows; i++)
		if (flow_at(e, i)->id)
			closed(e, flow_at(e, i));
	for (uint32_t i = 0; i < e->n_flows; i++)
		if (flow_at(e, i)->id)
			finish(e, flow_at(e, i));
}

/* ---- flows that go: live.c ---- */

/* Those behind it move up, as far as their own place is not passed. */
static void slot_remove(struct engine *e, uint64_t hash, uint32_t index)
{
	uint32_t i = (uint32_t)hash & e->slot_mask, k;

	while ((uint32_t)e->slots[i] != index + 1)
		i = (i + 1) & e->slot_mask;
	for (k = (i + 1) & e->slot_mask; e->slots[k];
	     k = (k + 1) & e->slot_mask) {
		const struct flow *f = flow_at(e, (uint32_t)e->slots[k] - 1);
		uint32_t home = (uint32_t)f->hash & e->slot_mask;

		if (((k - home) & e->slot_mask) < ((k - i) & e->slot_mask))
			continue;
		e->slots[i] = e->slots[k];
		i = k;
	}
	e->slots[i] = 0;
}

static void leave_route(struct engine *e, const struct flow *f)
{
	struct route_pair *r = &e->routes[f->route / 2];
	uint32_t next = f->next_in_route, prev = f->prev_in_route;

	if (prev == NO_FLOW)
		r->first[f->route & 1] = next;
	else
		flow_at(e, prev)->next_in_route = next;
	if (next != NO_FLOW)
		flow_at(e, next)->prev_in_route = prev;
	r->count[f->route & 1]--;
}

void flow_drop(struct engine *e, struct flow *f)
{
	slot_remove(e, f->hash, f->index);
	leave_route(e, f);
	f->id = 0;
	f->next_in_route = e->vacant;
	e->vacant = f->index + 1;
	e->n_vacant++;
}

/* |p|, once: 1, or not at all after all: -1. */
void flow_count(struct flow *f, const struct packet *p, int64_t n)
{
	f->packets += (uint64_t)n;
	f->bytes += (uint64_t)(n * p->wire_len);
	f->payload += (uint64_t)(n * p->payload);
	(p->payload ? f->ecn_data : f->ecn_bare)[p->tos & 3] += (uint32_t)n;
	if (p->icrc_status == ICRC_GOOD)
		f->icrc_good += (uint32_t)n;
	if (p->icrc_status == ICRC_BAD)
		f->icrc_bad += (uint32_t)n;
}

/* Everything but the key, the links and the pairing begins anew. */
static void renew(struct engine *e, struct flow *f, const struct packet *p)
{
	struct flow old = *f;

	f->later = true;
	flow_finish(e, f);
	memset(f, 0, sizeof *f);
	f->src = old.src;
	f->dst = old.dst;
	f->dst_qp = old.dst_qp;
	f->aux = old.aux;
	f->place = old.place;
	f->transport = old.transport;
	f->hash = old.hash;
	f->index = old.index;
	f->peer = old.peer;
	f->paired = old.paired;
	f->pairing = old.pairing;
	f->pairing_confidence = old.pairing_confidence;
	f->votes = old.votes;
	f->route = old.route;
	f->next_in_route = old.next_in_route;
	f->prev_in_route = old.prev_in_route;
	f->next_same_sport = old.next_same_sport;
	f->prev_same_sport = old.prev_same_sport;
	f->sport_chain = old.sport_chain;
	f->epoch = old.epoch + 1;
	flow_start(e, f, p);
	if (f->paired)
		f->msn = 0;
	f->cm = old.cm;
	f->pmtu = old.pmtu;
}

void flow_new_epoch(struct engine *e, struct flow *f, const struct packet *p,
		    uint32_t n, const char *why)
{
	struct flow *g = flow_peer(e, f);
	int64_t quiet_since = f->last_ns;

	/* The last packet that was not held. */
	if (n && !flow_is_uet(f))
		f->last_ns = f->last_req_ns > f->last_rsp_ns ? f->last_req_ns
							     : f->last_rsp_ns;
	/* There may have been none. */
	if (f->last_ns < f->first_ns)
		f->last_ns = f->first_ns;
	/* They were counted before they were known to begin something new. */
	for (uint32_t i = 0; i < n; i++)
		flow_count(f, &p[i], -1);
	renew(e, f, p);
	for (uint32_t i = 0; i < n; i++)
		flow_count(f, &p[i], 1);
	if (n)
		f->last_ns = p[n - 1].ns;
	emit_event(e, f,
		   &(struct fact_event) { .ns = p->ns,
					  .frame = p->frame,
					  .tap = p->tap,
					  .kind = EVENT_EPOCH,
					  .psn = p->psn,
					  .count = f->epoch,
					  .value = FACT_UNKNOWN,
					  .confidence = 0.9,
					  .detail = why });
	/* A connection is new in both directions, unless the other end was
	 * first to show it. */
	if (g && f->paired && g->first_ns <= quiet_since)
		renew(e, g, p);
}
