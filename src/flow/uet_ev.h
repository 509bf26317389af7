/* SPDX-License-Identifier: GPL-2.0-or-later
 * One table of the entropy values of all pairs of hosts; every
 * packet of UET is counted in it. */
#ifndef FABSCOPE_FLOW_UET_EV_H
#define FABSCOPE_FLOW_UET_EV_H

#include "flow/uet.h"

/* A value is in the line of memory that its key names, or, where that is full,
 * in one of the next few.  All of a line are compared at once: which of them it
 * is cannot be guessed, and a wrong guess costs more. */
enum {
	UET_EV_LINE = 4,
	UET_EV_REACH = 8, /* lines */
	UET_EV_NONE = UINT32_MAX,
};

/* What every packet changes. */
struct uet_ev_line {
	_Alignas(64) uint64_t key[UET_EV_LINE]; /* uet_ev_key(), 0: free */
	struct uet_ev {
		uint32_t bytes, packets; /* bytes: modulo 2^32 */
	} seen[UET_EV_LINE];
};

/* What few of them do. */
struct uet_ev_fate {
	uint32_t ce, marked, trimmed, resent, lost;
	uint32_t wraps; /* of bytes */
	uint16_t tap;   /* of the first packet */
};

/* A value is known by where it lies: UET_EV_LINE to a line.
 *
 * When there are too many, half of the pairs of hosts go, by lot, and then half
 * of the rest: of those that stay each value is there from the beginning, which
 * says more than a few values of each pair would.  Only where one pair alone
 * has too many are its first values all there is. */
struct uet_evs {
	struct uet_ev_line *line;
	struct uet_ev_fate *fate; /* of each value */
	uint32_t n, lines;        /* lines: a power of two */
	uint32_t out;             /* lots with one of these bits are out */
	bool full;                /* and no lot helps */
	uint64_t dropped;         /* packets that are not in it */
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

/* The lot that a pair of hosts has drawn. */
static inline uint32_t uet_ev_lot(uint32_t route)
{
	return (route >> 1) * 0x9e3779b1u >> 8;
}

static inline bool uet_ev_kept(const struct uet_evs *s, uint32_t route)
{
	return !(uet_ev_lot(route) & s->out);
}

/* The line of |key|. */
static inline uint32_t uet_ev_home(const struct uet_evs *s, uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & (s->lines - 1);
}

static inline __attribute__((always_inline)) void
uet_ev_prefetch(const struct uet_evs *s, uint32_t route, uint16_t ev)
{
	if (uet_ev_kept(s, route))
		__builtin_prefetch(
			&s->line[uet_ev_home(s, uet_ev_key(route, ev))], 1);
}

/* Where |key| is, UET_EV_NONE if nowhere. */
static inline uint32_t uet_ev_find(const struct uet_evs *s, uint64_t key)
{
	uint32_t at = uet_ev_home(s, key);

	for (unsigned k = 0; k < UET_EV_REACH; k++) {
		const uint64_t *have = s->line[at].key;
		unsigned same = (unsigned)(have[0] == key) |
				(unsigned)(have[1] == key) << 1 |
				(unsigned)(have[2] == key) << 2 |
				(unsigned)(have[3] == key) << 3;

		if (same)
			return at * UET_EV_LINE + (unsigned)__builtin_ctz(same);
		if (!have[UET_EV_LINE - 1])
			break;
		at = (at + 1) & (s->lines - 1);
	}
	return UET_EV_NONE;
}

/* Where one that is not there is put, first seen at |tap|; UET_EV_NONE: there
 * is no room. */
uint32_t uet_ev_add(struct engine *e, uint64_t key, uint32_t tap);

/* Values in a row, as hosts give them out, do not meet in one bit. */
static inline void uet_ev_value(const struct flow *f, const struct packet *p)
{
	uint64_t key = uet_ev_key(f->route, p->sport);
	unsigned bit = (key ^ key >> 9) % 512;

	f->uet.sender->evs[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* A packet; UET_EV_NONE when it found no room. */
static inline uint32_t uet_ev_count(struct engine *e, const struct flow *f,
				    const struct packet *p)
{
	uint64_t key = uet_ev_key(f->route, p->sport);
	struct uet_ev *x;
	uint32_t at;

	if (!uet_ev_kept(e->evs, f->route)) {
		e->evs->dropped++;
		return UET_EV_NONE;
	}
	at = uet_ev_find(e->evs, key);
	if (at == UET_EV_NONE)
		at = uet_ev_add(e, key, p->tap);
	if (at == UET_EV_NONE)
		return at;
	x = &e->evs->line[at / UET_EV_LINE].seen[at % UET_EV_LINE];
	x->packets++;
	x->bytes += p->wire_len;
	if (x->bytes < p->wire_len)
		e->evs->fate[at].wraps++;
	return at;
}

/* One that may be marked. */
static inline void uet_ev_packet(struct engine *e, const struct flow *f,
				 const struct packet *p)
{
	uint32_t at = uet_ev_count(e, f, p);

	if (at != UET_EV_NONE && (p->tos & 3) == ECN_CE)
		e->evs->fate[at].ce++;
}

#endif
