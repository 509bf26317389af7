/* SPDX-License-Identifier: GPL-2.0-or-later
 * What becomes of packets by entropy value: between two hosts, a path. */
#include "flow/uet_ev.h"

#include <stdlib.h>

#include "base/mem.h"

enum { SLOTS_MIN = 1 << 10, SLOTS_MAX = 1 << 16 };

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

static bool grow(struct uet_evs *s)
{
	struct uet_evs big = *s;

	big.room = 2 * s->room;
	big.slot = mem_calloc(big.room, sizeof *big.slot);
	if (!big.slot)
		return false;
	for (uint32_t i = 0; i < s->room; i++) {
		const struct uet_ev *x = &s->slot[i];

		if (x->key)
			*uet_ev_slot(&big, x->key) = *x;
	}
	free(s->slot);
	*s = big;
	return true;
}

static bool has_room(struct uet_evs *s)
{
	if (s->n < s->room / 4 * 3)
		return true;
	return s->room < SLOTS_MAX && grow(s);
}

struct uet_ev *uet_ev_add(struct uet_evs *s, uint64_t key, uint32_t tap)
{
	struct uet_ev *x;

	if (!has_room(s)) {
		s->dropped++;
		return NULL;
	}
	s->n++;
	x = uet_ev_slot(s, key);
	*x = (struct uet_ev) { .key = key, .tap = (uint16_t)tap };
	return x;
}

void uet_ev_note(struct engine *e, const struct flow *f, uint16_t ev,
		 enum uet_ev_what what)
{
	struct uet_ev *x = uet_ev_slot(e->evs, uet_ev_key(f->route, ev));

	if (!x->key)
		return;
	x->marked += what == EV_MARKED;
	x->trimmed += what == EV_TRIMMED;
	x->resent += what == EV_RESENT;
	x->lost += what == EV_LOST;
}

static void emit(struct engine *e, const struct uet_ev *x)
{
	uint32_t route = uet_ev_route(x);
	const struct route_pair *r = &e->routes[route / 2];
	const struct fact_entropy out = {
		.tap = x->tap,
		.src = route & 1 ? r->hi : r->lo,
		.dst = route & 1 ? r->lo : r->hi,
		.ev = (uint16_t)x->key,
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
		if (e->evs->slot[i].key)
			emit(e, &e->evs->slot[i]);
	if (e->evs->dropped && e->sink.capped)
		e->sink.capped(e->sink.ctx, "entropy", e->evs->dropped);
}
