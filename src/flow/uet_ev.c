/* SPDX-License-Identifier: GPL-2.0-or-later
 * What becomes of packets by entropy value: between two hosts, a path. */
#include "flow/uet_ev.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { SLOTS_MIN = 1 << 10, SLOTS_MAX = 1 << 16, MOST = SLOTS_MAX / 4 * 3 };

static bool make(struct uet_evs *s, uint32_t room)
{
	*s = (struct uet_evs) {
		.key = aligned_alloc(64, room * sizeof *s->key),
		.value = mem_calloc(room, sizeof *s->value),
		.room = room,
	};
	if (s->key && s->value) {
		memset(s->key, 0, room * sizeof *s->key);
		return true;
	}
	if (!s->key)
		mem_deny();
	free(s->key);
	free(s->value);
	return false;
}

bool uet_evs_init(struct engine *e)
{
	struct uet_evs *s = mem_calloc(1, sizeof *s);

	if (!s)
		return false;
	if (!make(s, SLOTS_MIN)) {
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
	free(e->evs->key);
	free(e->evs->value);
	free(e->evs);
	e->evs = NULL;
}

/* A free slot of its bucket. */
static bool vacant(const struct uet_evs *s, uint64_t key, uint32_t *at)
{
	uint32_t i = uet_ev_bucket(s, key);

	for (unsigned k = 0; k < UET_EV_BUCKET; k++) {
		*at = i + k;
		if (!s->key[*at])
			return true;
	}
	return false;
}

static bool grow(struct uet_evs *s)
{
	struct uet_evs big;
	uint32_t at;

	if (s->room >= SLOTS_MAX || !make(&big, 2 * s->room))
		return false;
	big.n = s->n;
	big.dropped = s->dropped;
	for (uint32_t i = 0; i < s->room; i++) {
		/* A bucket is shared out to two. */
		if (!s->key[i] || !vacant(&big, s->key[i], &at))
			continue;
		big.key[at] = s->key[i];
		big.value[at] = s->value[i];
	}
	free(s->key);
	free(s->value);
	*s = big;
	return true;
}

struct uet_ev *uet_ev_add(struct uet_evs *s, uint64_t key, uint32_t tap)
{
	uint32_t at = 0;

	while (s->n < MOST && !vacant(s, key, &at))
		if (!grow(s))
			break;
	if (s->n == MOST || s->key[at]) {
		s->dropped++;
		return NULL;
	}
	s->n++;
	s->key[at] = key;
	s->value[at] = (struct uet_ev) { .tap = (uint16_t)tap };
	return &s->value[at];
}

void uet_ev_note(struct engine *e, const struct flow *f, uint16_t ev,
		 enum uet_ev_what what)
{
	struct uet_ev *x = uet_ev_find(e->evs, uet_ev_key(f->route, ev));

	if (!x)
		return;
	x->marked += what == EV_MARKED;
	x->trimmed += what == EV_TRIMMED;
	x->resent += what == EV_RESENT;
	x->lost += what == EV_LOST;
}

static void emit(struct engine *e, uint64_t key, const struct uet_ev *x)
{
	uint32_t route = uet_ev_route(key);
	const struct route_pair *r = &e->routes[route / 2];
	const struct fact_entropy out = {
		.tap = x->tap,
		.src = route & 1 ? r->hi : r->lo,
		.dst = route & 1 ? r->lo : r->hi,
		.ev = (uint16_t)key,
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
		if (e->evs->key[i])
			emit(e, e->evs->key[i], &e->evs->value[i]);
	if (e->evs->dropped && e->sink.capped)
		e->sink.capped(e->sink.ctx, "entropy", e->evs->dropped);
}
