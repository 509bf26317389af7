/* SPDX-License-Identifier: GPL-2.0-or-later
 * One table of the entropy values of all pairs of hosts, open addressing; every
 * packet of UET is counted in it. */
#ifndef FABSCOPE_FLOW_UET_EV_H
#define FABSCOPE_FLOW_UET_EV_H

#include "flow/uet.h"

struct uet_ev {
	uint64_t key; /* uet_ev_key(), 0 free */
	uint64_t bytes;
	uint32_t packets, ce, marked, trimmed, resent, lost;
	uint16_t tap;
};

struct uet_evs {
	struct uet_ev *slot;
	uint32_t n, room; /* room: a power of two */
	uint64_t dropped; /* packets that found no room */
};

/* |route|: as in struct flow. */
static inline uint64_t uet_ev_key(uint32_t route, uint16_t ev)
{
	return (uint64_t)(route + 1) << 16 | ev;
}

static inline uint32_t uet_ev_route(const struct uet_ev *x)
{
	return (uint32_t)(x->key >> 16) - 1;
}

/* Where |key| is, or the free slot where it belongs. */
static inline struct uet_ev *uet_ev_slot(const struct uet_evs *s, uint64_t key)
{
	uint32_t mask = s->room - 1;
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & mask;

	while (s->slot[i].key != key && s->slot[i].key)
		i = (i + 1) & mask;
	return &s->slot[i];
}

/* One that is not there, first seen at |tap|; NULL: there is no room. */
struct uet_ev *uet_ev_add(struct uet_evs *s, uint64_t key, uint32_t tap);

/* Values in a row, as hosts give them out, do not meet in one bit. */
static inline void uet_ev_value(struct uet_dir *u, uint16_t ev)
{
	unsigned bit = (ev ^ ev >> 9) % 512;

	u->evs[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* A packet; NULL when it found no room. */
static inline struct uet_ev *uet_ev_count(struct engine *e, struct flow *f,
					  const struct packet *p)
{
	uint64_t key = uet_ev_key(f->route, p->sport);
	struct uet_ev *x = uet_ev_slot(e->evs, key);

	uet_ev_value(f->uet, p->sport);
	if (x->key != key) {
		x = uet_ev_add(e->evs, key, p->tap);
		if (!x)
			return NULL;
	}
	x->packets++;
	x->bytes += p->wire_len;
	return x;
}

/* One that may be marked. */
static inline void uet_ev_packet(struct engine *e, struct flow *f,
				 const struct packet *p)
{
	struct uet_ev *x = uet_ev_count(e, f, p);

	if (x)
		x->ce += (p->tos & 3) == ECN_CE;
}

#endif
