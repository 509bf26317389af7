/* SPDX-License-Identifier: GPL-2.0-or-later
 * One table of the entropy values of all pairs of hosts; every
 * packet of UET is counted in it. */
#ifndef FABSCOPE_FLOW_UET_EV_H
#define FABSCOPE_FLOW_UET_EV_H

#include "flow/uet.h"

struct uet_ev {
	uint64_t bytes;
	uint32_t packets, ce, marked, trimmed, resent, lost;
	uint16_t tap;
};

/* The keys lie apart, in buckets of one line of memory each: that line says
 * that a value is not there, too, which is what most packets ask when there
 * are more values than are kept. */
enum { UET_EV_BUCKET = 8 };

struct uet_evs {
	uint64_t *key; /* uet_ev_key(), 0 free */
	struct uet_ev *value;
	uint32_t n, room; /* room: a power of two */
	uint64_t dropped; /* packets that found no room */
};

/* |route|: as in struct flow. */
static inline uint64_t uet_ev_key(uint32_t route, uint16_t ev)
{
	return (uint64_t)(route + 1) << 16 | ev;
}

static inline uint32_t uet_ev_route(uint64_t key)
{
	return (uint32_t)(key >> 16) - 1;
}

/* Where the bucket of |key| begins. */
static inline uint32_t uet_ev_bucket(const struct uet_evs *s, uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & (s->room - 1) &
	       ~(UET_EV_BUCKET - 1u);
}

/* NULL: it is not there. */
static inline struct uet_ev *uet_ev_find(const struct uet_evs *s, uint64_t key)
{
	uint32_t i = uet_ev_bucket(s, key);

	for (unsigned k = 0; k < UET_EV_BUCKET; k++)
		if (s->key[i + k] == key)
			return &s->value[i + k];
	return NULL;
}

/* One that is not there, first seen at |tap|; NULL: there is no room. */
struct uet_ev *uet_ev_add(struct uet_evs *s, uint64_t key, uint32_t tap);

/* Values in a row, as hosts give them out, do not meet in one bit. */
static inline void uet_ev_value(struct uet_sender *s, uint16_t ev)
{
	unsigned bit = (ev ^ ev >> 9) % 512;

	s->evs[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* A packet; NULL when it found no room. */
static inline struct uet_ev *
uet_ev_count(struct engine *e, const struct flow *f, const struct packet *p)
{
	uint64_t key = uet_ev_key(f->route, p->sport);
	struct uet_ev *x = uet_ev_find(e->evs, key);

	if (!x)
		x = uet_ev_add(e->evs, key, p->tap);
	if (!x)
		return NULL;
	x->packets++;
	x->bytes += p->wire_len;
	return x;
}

/* One that may be marked. */
static inline void uet_ev_packet(struct engine *e, const struct flow *f,
				 const struct packet *p)
{
	struct uet_ev *x = uet_ev_count(e, f, p);

	if (x)
		x->ce += (p->tos & 3) == ECN_CE;
}

#endif
