/* SPDX-License-Identifier: GPL-2.0-or-later
 * What becomes of packets by entropy value: between two hosts, a path.
 *
 * One table for all; a flow remembers where its last entropy value is, so that
 * only sprayed flows look for it. */
#include <stdlib.h>

#include "base/mem.h"
#include "flow/uet.h"

enum { SLOTS_MIN = 1 << 10, SLOTS_MAX = 1 << 16 };

struct entropy {
	uint32_t route; /* as in struct flow, + 1; 0 free */
	uint16_t ev;
	uint16_t tap;
	uint64_t bytes;
	uint32_t packets, ce, marked, trimmed, resent, lost;
};

struct uet_evs {
	struct entropy *slot;
	uint32_t n, room;
	uint32_t grown;   /* what remembers a slot must look again */
	uint64_t dropped; /* packets that found no room */
};

bool uet_evs_init(struct engine *e)
{
	struct uet_evs *s = mem_calloc(1, sizeof *s);

	if (!s)
		return false;
	s->slot = mem_calloc(SLOTS_MIN, sizeof *s->slot);
	s->room = SLOTS_MIN;
	if (!s->slot) {
		free(s);
		return false;
	}
	e->evs = s;
	return true;
}

void uet_evs_fini(struct engine *e)
{
	if (!e->evs)
		return;
	free(e->evs->slot);
	free(e->evs);
	e->evs = NULL;
}

/* The slot of that key, or the free one where it belongs. */
static uint32_t slot_of(const struct uet_evs *s, uint32_t route, uint16_t ev)
{
	uint32_t i = ((route * 0x9e3779b1u) ^ (ev * 0x85ebca6bu)) >> 16;

	for (;; i++) {
		const struct entropy *x = &s->slot[i % s->room];

		if (!x->route || (x->route == route + 1 && x->ev == ev))
			return i % s->room;
	}
}

static bool grow(struct uet_evs *s)
{
	struct uet_evs big = *s;

	big.room = 2 * s->room;
	big.slot = mem_calloc(big.room, sizeof *big.slot);
	if (!big.slot)
		return false;
	for (uint32_t i = 0; i < s->room; i++) {
		const struct entropy *x = &s->slot[i];

		if (x->route)
			big.slot[slot_of(&big, x->route - 1, x->ev)] = *x;
	}
	free(s->slot);
	big.grown++;
	*s = big;
	return true;
}

static bool has_room(struct uet_evs *s)
{
	if (s->n < s->room / 4 * 3)
		return true;
	return s->room < SLOTS_MAX && grow(s);
}

/* Its slot + 1; 0 when it is not there. */
static uint32_t look_up(struct uet_evs *s, uint32_t route, uint16_t ev,
			bool add)
{
	uint32_t i = slot_of(s, route, ev);

	if (s->slot[i].route)
		return i + 1;
	if (!add || !has_room(s))
		return 0;
	i = slot_of(s, route, ev); /* it may have grown */
	s->n++;
	s->slot[i] = (struct entropy) { .route = route + 1, .ev = ev };
	return i + 1;
}

/* Values in a row, as hosts give them out, do not meet in one bit. */
static void note_value(struct uet_dir *u, uint16_t ev)
{
	unsigned bit = (ev ^ (ev >> 9) * 0x35u) % 512;

	u->evs[bit / 64] |= UINT64_C(1) << bit % 64;
}

void uet_ev_packet(struct engine *e, struct flow *f, const struct packet *p)
{
	struct uet_dir *u = f->uet;
	struct entropy *x;

	if (!u->ev_slot || u->last_ev != p->sport ||
	    u->ev_grown != e->evs->grown) {
		u->last_ev = p->sport;
		u->ev_slot = look_up(e->evs, f->route, p->sport, true);
		u->ev_grown = e->evs->grown;
		note_value(u, p->sport);
	}
	if (!u->ev_slot) {
		e->evs->dropped++;
		return;
	}
	x = &e->evs->slot[u->ev_slot - 1];
	x->packets++;
	x->bytes += p->wire_len;
	x->ce += (p->tos & 3) == 3;
	x->tap = (uint16_t)p->tap;
}

void uet_ev_note(struct engine *e, const struct flow *f, uint16_t ev,
		 enum uet_ev_what what)
{
	uint32_t i = look_up(e->evs, f->route, ev, false);
	struct entropy *x;

	if (!i)
		return;
	x = &e->evs->slot[i - 1];
	x->marked += what == EV_MARKED;
	x->trimmed += what == EV_TRIMMED;
	x->resent += what == EV_RESENT;
	x->lost += what == EV_LOST;
}

static void emit(struct engine *e, const struct entropy *x)
{
	uint32_t route = x->route - 1;
	const struct route_pair *r = &e->routes[route / 2];
	const struct fact_entropy out = {
		.tap = x->tap,
		.src = route & 1 ? r->hi : r->lo,
		.dst = route & 1 ? r->lo : r->hi,
		.ev = x->ev,
		.packets = x->packets,
		.bytes = x->bytes,
		.ce = x->ce,
		.marked = x->marked,
		.trimmed = x->trimmed,
		.resent = x->resent,
		.lost = x->lost,
	};

	e->sink.entropy(e->sink.ctx, &out);
}

void uet_evs_emit(struct engine *e)
{
	if (!e->evs || !e->sink.entropy)
		return;
	for (uint32_t i = 0; i < e->evs->room; i++)
		if (e->evs->slot[i].route)
			emit(e, &e->evs->slot[i]);
	if (e->evs->dropped && e->sink.capped)
		e->sink.capped(e->sink.ctx, "entropy", e->evs->dropped);
}
