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
};

struct seen {
	uint64_t key;
	struct tap_set taps;
};

struct places {
	struct seen flows[SLOTS], packets[SLOTS];
	/* Packets of flows that both taps carry, and how many of them are the
	 * very same frame. */
	uint32_t shared[TAPS_COMPARED][TAPS_COMPARED];
	uint32_t same[TAPS_COMPARED][TAPS_COMPARED];
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

/* The taps |key| was seen at before; now at |tap|, too. */
static struct tap_set note(struct seen *table, uint64_t key, uint32_t tap)
{
	struct seen *s = &table[key >> 48];
	struct tap_set before;

	if (s->key != key)
		*s = (struct seen) { .key = key };
	before = s->taps;
	tap_set_add(&s->taps, tap);
	return before;
}

static void look(struct places *s, const struct packet *p)
{
	uint64_t flow = mix(
		mix(mix(p->src.w[0], p->src.w[1]), p->dst.w[0] ^ p->dst.w[1]),
		p->kind == PACKET_UET ? p->uet.spdcid : p->dst_qp);
	/* without the ICRC: one tap may cut its packets, the other not */
	uint64_t frame = packet_identity(p);
	struct tap_set others = note(s->flows, flow, p->tap);
	struct tap_set twins = note(s->packets, frame, p->tap);

	for (uint32_t t = tap_set_next(&others, 0); t < TAPS_COMPARED;
	     t = tap_set_next(&others, t + 1)) {
		if (t == p->tap)
			continue;
		s->shared[p->tap][t]++;
		s->same[p->tap][t] += tap_set_has(&twins, t);
	}
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

bool places_parallel(const struct places *s, uint32_t a, uint32_t b)
{
	uint64_t shared = (uint64_t)s->shared[a][b] + s->shared[b][a];
	uint64_t same = (uint64_t)s->same[a][b] + s->same[b][a];

	return shared >= SHARED_MIN && same * 100 <= shared * SAME_PERCENT;
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
