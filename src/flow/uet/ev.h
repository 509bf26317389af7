/* SPDX-License-Identifier: GPL-2.0-or-later
 * One table of the entropy values of all pairs of hosts; every
 * packet of UET is counted in it. */
#ifndef FABSCOPE_FLOW_UET_EV_H
#define FABSCOPE_FLOW_UET_EV_H

#include "flow/uet/uet.h"

/* A value is in the line of memory that its key names, or, where that is full,
 * in one of the next few.  All of a line are compared at once: which of them it
 * is cannot be guessed, and a wrong guess costs more. */
enum {
	UET_EV_LINE = 4,
	UET_EV_REACH = 8, /* lines */
	UET_EV_NONE = UINT32_MAX,
};

/* What every packet changes. */
typedef uint64_t uet_ev_pair __attribute__((vector_size(16)));

struct uet_ev_line {
	_Alignas(64)
		uet_ev_pair key[UET_EV_LINE / 2]; /* uet_ev_key(), 0: free */
	uint64_t seen[UET_EV_LINE];               /* uet_ev_seen() */
};

/* Bytes, modulo 2^32, above packets: one addition counts both. */
static inline uint64_t uet_ev_seen(uint32_t bytes, uint32_t packets)
{
	return (uint64_t)bytes << 32 | packets;
}

/* What few of them do. */
struct uet_ev_fate {
	uint32_t ce, marked, trimmed, retransmitted, lost;
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
	uint32_t n, lines;        /* lines: a power of two ... */
	uint32_t shift;           /* ... and 64 less its logarithm */
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
	return !s->out || !(uet_ev_lot(route) & s->out);
}

/* The line of |key|. */
static inline uint32_t uet_ev_home(const struct uet_evs *s, uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15u >> s->shift);
}

/* Where a value is looked for, until another one is put in. */
struct uet_ev_spot {
	uint64_t key;
	struct uet_ev_line *line; /* NULL: out by lot */
};

static inline struct uet_ev_spot uet_ev_spot(const struct uet_evs *s,
					     uint32_t route, uint16_t ev)
{
	uint64_t key = uet_ev_key(route, ev);

	return (struct uet_ev_spot) {
		.key = key,
		.line = uet_ev_kept(s, route) ? &s->line[uet_ev_home(s, key)]
					      : NULL,
	};
}

/* Which of its line it is, from 1; 0 for none. */
static inline unsigned uet_ev_which(const struct uet_ev_line *line,
				    uint64_t key)
{
	const uet_ev_pair both = { key, key };
	const uet_ev_pair hit =
		((uet_ev_pair)(line->key[0] == both) & (uet_ev_pair) { 1, 2 }) |
		((uet_ev_pair)(line->key[1] == both) & (uet_ev_pair) { 3, 4 });

	return (unsigned)(hit[0] | hit[1]);
}

/* Where it is, UET_EV_NONE if nowhere. */
static inline uint32_t uet_ev_find(const struct uet_evs *s,
				   struct uet_ev_spot spot)
{
	uint32_t line;

	if (!spot.line)
		return UET_EV_NONE;
	line = (uint32_t)(spot.line - s->line);
	for (unsigned k = 0; k < UET_EV_REACH; k++) {
		unsigned which = uet_ev_which(&s->line[line], spot.key);

		if (which)
			return line * UET_EV_LINE + which - 1;
		if (!s->line[line].key[UET_EV_LINE / 2 - 1][1])
			break;
		line = (line + 1) & (s->lines - 1);
	}
	return UET_EV_NONE;
}

/* Where one that is not there is put, first seen at |tap|; UET_EV_NONE: there
 * is no room. */
uint32_t uet_ev_add(struct engine *e, uint64_t key, uint32_t tap);

/* Values in a row, as hosts give them out, do not meet in one bit. */
static inline void uet_ev_value(struct flow *f, struct uet_ev_spot spot)
{
	unsigned bit = (spot.key ^ spot.key >> 9) % 512;

	f->evs[bit / 64] |= UINT64_C(1) << bit % 64;
}

static inline struct uet_ev_spot
uet_ev_of(const struct engine *e, const struct flow *f, const struct packet *p)
{
	return uet_ev_spot(e->evs, f->route, p->sport);
}

static inline void uet_ev_add_to(struct uet_evs *s, struct uet_ev_line *line,
				 unsigned i, uint32_t wire_len)
{
	if (__builtin_add_overflow(line->seen[i], uet_ev_seen(wire_len, 1),
				   &line->seen[i]))
		s->fate[(size_t)(line - s->line) * UET_EV_LINE + i].wraps++;
}

/* A packet; UET_EV_NONE when it found no room. */
static inline uint32_t uet_ev_count_any(struct engine *e,
					struct uet_ev_spot spot, uint32_t tap,
					uint32_t wire_len)
{
	uint32_t at = uet_ev_find(e->evs, spot);

	if (!spot.line)
		e->evs->dropped++;
	else if (at == UET_EV_NONE)
		at = uet_ev_add(e, spot.key, tap);
	if (at != UET_EV_NONE)
		uet_ev_add_to(e->evs, &e->evs->line[at / UET_EV_LINE],
			      at % UET_EV_LINE, wire_len);
	return at;
}

/* One that is ECN-capable. */
static inline __attribute__((always_inline)) void
uet_ev_take(struct engine *e, struct uet_ev_spot spot, const struct packet *p)
{
	uint32_t at = uet_ev_count_any(e, spot, p->tap, p->wire_len);

	if (at != UET_EV_NONE && (p->tos & 3) == ECN_CE)
		e->evs->fate[at].ce++;
}

/* The same: nearly all are in their line, and not marked. */
static inline __attribute__((always_inline)) void
uet_ev_count(struct engine *e, struct uet_ev_spot spot, const struct packet *p)
{
	unsigned which = spot.line ? uet_ev_which(spot.line, spot.key) : 0;

	if (which && (p->tos & 3) != ECN_CE)
		uet_ev_add_to(e->evs, spot.line, which - 1, p->wire_len);
	else
		uet_ev_take(e, spot, p);
}

static inline void uet_ev_packet(struct engine *e, const struct flow *f,
				 const struct packet *p)
{
	uet_ev_take(e, uet_ev_of(e, f, p), p);
}

#endif
