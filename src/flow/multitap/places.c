/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which taps are parallel links of one hop? */
#include "flow/multitap/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "decode/packet.h"
#include "flow/multitap/identity.h"
#include "flow/multitap/tap_set.h"
#include "wire/wire.h"

enum {
	SLOTS = 1 << 16, /* flows and packets remembered; older ones give way */
	SHARED_MIN = 64, /* packets of common flows before anything is said */
	SAME_PERCENT =
		2, /* of them may be the same by chance or retransmitting */
	/* Retransmissions without an identification of their own take either
	 * link: of those that were seen at both so many at least came in the
	 * other order than the one before, and not so many of all packets. */
	TURNS_MIN = 16,
	TURNS_PERCENT = 25,
	OVERLAP_PERCENT = 90,
};

struct seen {
	uint64_t key;
	struct tap_set taps;
	uint16_t once, last; /* of a flow: taps of the last packet at two */
};

struct places {
	struct seen flows[SLOTS], packets[SLOTS];
	/* Packets of flows that both taps carry, and how many of them are the
	 * very same frame; of the latter, how many came in the same order as
	 * the one before of their flow, and in the other. */
	uint32_t shared[TAPS_COMPARED][TAPS_COMPARED];
	uint32_t same[TAPS_COMPARED][TAPS_COMPARED];
	uint32_t again[TAPS_COMPARED][TAPS_COMPARED];
	uint32_t turned[TAPS_COMPARED][TAPS_COMPARED];
};

struct places *places_new(void)
{
	return mem_calloc(1, sizeof(struct places));
}

void places_free(struct places *s)
{
	free(s);
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static struct seen *at(struct seen *table, uint64_t key)
{
	struct seen *s = &table[key >> 48];

	if (s->key != key)
		*s = (struct seen) { .key = key };
	return s;
}

/* A packet of |flow| was seen at |from|, and then at |to|. */
static void note_order(struct places *s, struct seen *flow, uint32_t from,
		       uint32_t to)
{
	s->again[from][to] += flow->once == from && flow->last == to;
	s->turned[from][to] += flow->once == to && flow->last == from;
	flow->once = (uint16_t)from;
	flow->last = (uint16_t)to;
}

static void look(struct places *s, const struct packet *p)
{
	uint64_t flow = mix(
		mix(mix(p->src.w[0], p->src.w[1]), p->dst.w[0] ^ p->dst.w[1]),
		p->kind == PACKET_UET ? p->uet.spdcid : p->dst_qp);
	/* without the ICRC: one tap may cut its packets, the other not */
	uint64_t frame = packet_identity(p);
	struct seen *others = at(s->flows, flow);
	struct seen *twins = at(s->packets, frame);

	tap_set_add(&others->taps, p->tap);
	if (tap_set_has(&twins->taps, p->tap))
		return;
	for (uint32_t t = tap_set_next(&others->taps, 0); t < TAPS_COMPARED;
	     t = tap_set_next(&others->taps, t + 1)) {
		if (t == p->tap)
			continue;
		s->shared[p->tap][t]++;
		if (!tap_set_has(&twins->taps, t))
			continue;
		s->same[p->tap][t]++;
		note_order(s, others, t, p->tap);
	}
	tap_set_add(&twins->taps, p->tap);
}

/* Packets with a PSN of their own. */
static bool is_request(const struct packet *p)
{
	if (p->kind == PACKET_ROCE)
		return !(wire_opcode(p->opcode)->does & OP_REPLY);
	if (p->kind != PACKET_UET)
		return false;
	switch (p->uet.type) {
	case PDS_RUD_REQ:
	case PDS_ROD_REQ:
	case PDS_RUD_CC_REQ:
	case PDS_ROD_CC_REQ:
		return true;
	default:
		return false;
	}
}

void places_look(struct places *s, const struct packet *p, size_t n)
{
	for (; n; p++, n--)
		if (p->status == PACKET_OK && p->tap < TAPS_COMPARED &&
		    is_request(p))
			look(s, p);
}

/* Of |same| packets that were seen at both many were at |b| first, many at |a|,
 * and at either there are others. */
static bool takes_either(const struct places *s, uint32_t a, uint32_t b,
			 uint64_t same)
{
	uint64_t turned = (uint64_t)s->turned[a][b] + s->turned[b][a];
	uint64_t all = turned + s->again[a][b] + s->again[b][a];
	uint64_t fewer = s->shared[a][b] < s->shared[b][a] ? s->shared[a][b]
							   : s->shared[b][a];

	return all >= TURNS_MIN && turned * 100 >= all * TURNS_PERCENT &&
	       same * 100 <= fewer * OVERLAP_PERCENT;
}

bool places_parallel(const struct places *s, uint32_t a, uint32_t b)
{
	uint64_t shared = (uint64_t)s->shared[a][b] + s->shared[b][a];
	uint64_t same = (uint64_t)s->same[a][b] + s->same[b][a];

	return shared >= SHARED_MIN && (same * 100 <= shared * SAME_PERCENT ||
					takes_either(s, a, b, same));
}

bool places_apart(const struct places *s, uint32_t a, uint32_t b)
{
	return s->shared[a][b] + s->shared[b][a] && !places_parallel(s, a, b);
}

/* Parallel to one of a place, but the same packets as another of it: no. */
static bool fits(const struct places *s, const int *place, uint32_t tap,
		 int number, uint32_t until)
{
	bool one = false;

	for (uint32_t t = 0; t < until; t++) {
		if (place[t] != number)
			continue;
		if (places_apart(s, t, tap))
			return false;
		one |= places_parallel(s, t, tap);
	}
	return one;
}

void places_decide(const struct places *s, int *place, size_t n)
{
	for (uint32_t tap = 0; tap < n; tap++) {
		place[tap] = (int)tap;
		for (uint32_t t = 0; tap < TAPS_COMPARED && t < tap; t++)
			if (fits(s, place, tap, place[t], tap)) {
				place[tap] = place[t];
				break;
			}
	}
}
