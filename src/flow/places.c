/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which taps are parallel links of one hop? */
#include "flow/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "decode/packet.h"
#include "flow/identity.h"
#include "wire/wire.h"

enum {
	SLOTS = 1 << 16, /* flows and packets remembered; older ones give way */
	SHARED_MIN = 64, /* packets of common flows before anything is said */
	SAME_PERCENT = 2, /* of them may be the same by chance or re-sending */
};

struct seen {
	uint64_t key;
	uint32_t taps; /* bit per tap */
};

struct places {
	struct seen flows[SLOTS], packets[SLOTS];
	/* Packets of flows that both taps carry, and how many of them are the
	 * very same frame. */
	uint32_t shared[PLACES_TAPS][PLACES_TAPS];
	uint32_t same[PLACES_TAPS][PLACES_TAPS];
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
static uint32_t note(struct seen *table, uint64_t key, uint32_t tap)
{
	struct seen *s = &table[key >> 48];
	uint32_t before;

	if (s->key != key)
		*s = (struct seen) { .key = key };
	before = s->taps;
	s->taps |= UINT32_C(1) << tap;
	return before & ~(UINT32_C(1) << tap);
}

static void look(struct places *s, const struct packet *p)
{
	uint64_t flow = mix(
		mix(mix(p->src.w[0], p->src.w[1]), p->dst.w[0] ^ p->dst.w[1]),
		p->kind == PACKET_UET ? p->uet.spdcid : p->dst_qp);
	/* without the ICRC: one tap may cut its packets, the other not */
	uint64_t frame = packet_identity(p);
	uint32_t others = note(s->flows, flow, p->tap);
	uint32_t twins = note(s->packets, frame, p->tap);

	for (uint32_t t = 0; others >> t; t++) {
		if (!(others >> t & 1))
			continue;
		s->shared[p->tap][t]++;
		s->same[p->tap][t] += twins >> t & 1;
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
		if (p->status == PACKET_OK && p->tap < PLACES_TAPS &&
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
		for (uint32_t t = 0; tap < PLACES_TAPS && t < tap; t++)
			if (fits(s, place, tap, place[t], tap)) {
				place[tap] = place[t];
				break;
			}
	}
}
