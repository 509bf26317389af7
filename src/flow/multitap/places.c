/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which taps are parallel links of one hop? */
#include "flow/multitap/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "decode/packet.h"
#include "flow/core/tuning.h"
#include "flow/multitap/identity.h"
#include "flow/multitap/tap_set.h"
#include "wire/wire.h"

enum {
	SLOTS = 1 << 16, /* flows and packets remembered; older ones give way */
	FRAME_TAPS = 6,  /* that one frame is counted at */
};

struct flow_seen {
	uint64_t key;
	struct tap_set taps;
	uint16_t once, last; /* taps of the last packet at two */
	uint16_t before;     /* tap of the packet before */
	uint8_t ttl;         /* its time to live; 0 none */
};

/* How often one frame was at each of its taps: as it was, it is repeated. */
struct frame_seen {
	uint64_t key;
	uint16_t tap[FRAME_TAPS];
	uint8_t times[FRAME_TAPS], ttl[FRAME_TAPS];
};

struct places {
	struct flow_seen flows[SLOTS];
	struct frame_seen frames[SLOTS];
	/* Packets of flows that both taps carry, and how many of them were, as
	 * often, at the other as well: with another time to live, some of them;
	 * of those that were at both, how many came there in the same order as
	 * the one before of their flow, and in the other. */
	uint32_t shared[TAPS_COMPARED][TAPS_COMPARED];
	uint32_t same[TAPS_COMPARED][TAPS_COMPARED];
	uint32_t routed[TAPS_COMPARED][TAPS_COMPARED];
	uint32_t again[TAPS_COMPARED][TAPS_COMPARED];
	uint32_t turned[TAPS_COMPARED][TAPS_COMPARED];
	/* Packets of a flow of which the one before was at the other: with
	 * another time to live, and with the same. */
	uint32_t hops[TAPS_COMPARED][TAPS_COMPARED];
	uint32_t level[TAPS_COMPARED][TAPS_COMPARED];
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

static struct flow_seen *flow_at(struct places *s, uint64_t key)
{
	struct flow_seen *f = &s->flows[key >> 48];

	if (f->key != key)
		*f = (struct flow_seen) { .key = key };
	return f;
}

static struct frame_seen *frame_at(struct places *s, uint64_t key)
{
	struct frame_seen *f = &s->frames[key >> 48];

	if (f->key != key)
		*f = (struct frame_seen) { .key = key };
	return f;
}

/* Where it is counted at |tap|; FRAME_TAPS: it was at too many others. */
static unsigned at(const struct frame_seen *f, uint32_t tap)
{
	unsigned i = 0;

	while (i < FRAME_TAPS && f->times[i] && f->tap[i] != tap)
		i++;
	return i;
}

static void look(struct places *s, const struct packet *p)
{
	uint64_t key = mix(
		mix(mix(p->src.w[0], p->src.w[1]), p->dst.w[0] ^ p->dst.w[1]),
		p->kind == PACKET_UET ? p->uet.spdcid : p->dst_qp);
	struct flow_seen *flow = flow_at(s, key);
	/* without the ICRC: one tap may cut its packets, the other not */
	struct frame_seen *frame = frame_at(s, packet_identity(p));
	unsigned here = at(frame, p->tap);

	tap_set_add(&flow->taps, p->tap);
	if (flow->ttl && flow->before != p->tap) {
		s->hops[flow->before][p->tap] += flow->ttl != p->ttl;
		s->level[flow->before][p->tap] += flow->ttl == p->ttl;
	}
	flow->before = (uint16_t)p->tap;
	flow->ttl = p->ttl;
	if (here == FRAME_TAPS)
		return;
	frame->tap[here] = (uint16_t)p->tap;
	frame->ttl[here] = p->ttl;
	frame->times[here] += frame->times[here] < UINT8_MAX;
	for (uint32_t t = tap_set_next(&flow->taps, 0); t < TAPS_COMPARED;
	     t = tap_set_next(&flow->taps, t + 1)) {
		unsigned there = at(frame, t);

		if (t == p->tap)
			continue;
		s->shared[p->tap][t]++;
		if (there == FRAME_TAPS ||
		    frame->times[there] < frame->times[here])
			continue;
		s->same[p->tap][t]++;
		s->routed[p->tap][t] += frame->ttl[there] != p->ttl;
		if (frame->times[here] == 1) {
			/* It was seen at |t|, and then here. */
			s->again[t][p->tap] +=
				flow->once == t && flow->last == p->tap;
			s->turned[t][p->tap] +=
				flow->once == p->tap && flow->last == t;
			flow->once = (uint16_t)t;
			flow->last = (uint16_t)p->tap;
		}
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

static uint64_t both(const uint32_t n[TAPS_COMPARED][TAPS_COMPARED], uint32_t a,
		     uint32_t b)
{
	return (uint64_t)n[a][b] + n[b][a];
}

/* Of |same| packets that were at both many were at |b| first, many at |a|, and
 * either has others, or had them more often; no router is between. */
static bool takes_either(const struct places *s, uint32_t a, uint32_t b,
			 uint64_t same)
{
	uint64_t turned = both(s->turned, a, b);
	uint64_t all = turned + both(s->again, a, b);
	uint64_t fewer = s->shared[a][b] < s->shared[b][a] ? s->shared[a][b]
							   : s->shared[b][a];

	return all >= TURNS_MIN && turned * 100 >= all * TURNS_PERCENT &&
	       same * 100 <= fewer * OVERLAP_PERCENT &&
	       both(s->routed, a, b) * 100 <= same * SAME_PERCENT;
}

bool places_parallel(const struct places *s, uint32_t a, uint32_t b)
{
	uint64_t shared = both(s->shared, a, b), same = both(s->same, a, b);

	/* Parallel links are as far from the sender; two samples of what passes
	 * both taps may have hardly a packet in common. */
	if (both(s->hops, a, b) > both(s->level, a, b))
		return false;
	return shared >= SHARED_MIN && (same * 100 <= shared * SAME_PERCENT ||
					takes_either(s, a, b, same));
}

bool places_apart(const struct places *s, uint32_t a, uint32_t b)
{
	return both(s->shared, a, b) && !places_parallel(s, a, b);
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
