/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which two taps are the two directions of one link? */
#include "flow/multitap/halves.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "decode/packet.h"
#include "flow/multitap/tap_set.h"

enum {
	PAIRS = 64,      /* of MAC addresses at a tap; more are no cable */
	SLOTS = 1 << 14, /* pairs of hosts remembered; older ones give way */
	SURE_MIN = 16,   /* packets of each: addresses prove it, not numbers */
	LIKELY_MIN = 64, /* where numbers have to */
	LATE_NS = 20000  /* behind the other one: what the engine bears */
};

struct mac_pair {
	uint64_t src, dst;
	uint64_t packets, routed;
};

struct side {
	uint64_t packets, odd; /* odd: of no cable, or of too many addresses */
	struct mac_pair pair[PAIRS];
	unsigned n_pairs;
	int64_t newest;
};

/* Two hosts: at which taps each direction was. */
struct hosts {
	uint64_t key;
	struct tap_set taps[2];
};

struct halves {
	uint32_t n_taps;
	struct side side[TAPS_COMPARED];
	struct hosts hosts[SLOTS];
	/* Packets of the first tap, whose hosts were seen at the second, too:
	 * in this direction, in the other one; and what came late. */
	uint32_t same[TAPS_COMPARED][TAPS_COMPARED];
	uint32_t answers[TAPS_COMPARED][TAPS_COMPARED];
	uint32_t late[TAPS_COMPARED][TAPS_COMPARED];
};

struct halves *halves_new(void)
{
	return mem_calloc(1, sizeof(struct halves));
}

void halves_free(struct halves *s)
{
	free(s);
}

/* ---- looking ---- */

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* Where it stands, or n_pairs. */
static unsigned find_pair(const struct side *a, uint64_t src, uint64_t dst)
{
	unsigned i = 0;

	while (i < a->n_pairs &&
	       (a->pair[i].src != src || a->pair[i].dst != dst))
		i++;
	return i;
}

/* Initial times to live of operating systems and NICs; 0 and 1 are those of
 * senders that want nobody to route. */
static bool was_routed(const struct packet *p)
{
	return !(p->flags & PACKET_V1) && p->ttl > 1 && p->ttl != 32 &&
	       p->ttl != 64 && p->ttl != 128 && p->ttl != 255;
}

static void note_macs(struct side *a, const struct packet *p)
{
	unsigned i = find_pair(a, p->src_mac, p->dst_mac);

	if (i == PAIRS || !p->src_mac || !p->dst_mac ||
	    (p->flags & PACKET_TUNNELLED)) {
		a->odd++;
		return;
	}
	if (i == a->n_pairs)
		a->pair[a->n_pairs++] =
			(struct mac_pair) { p->src_mac, p->dst_mac, 0, 0 };
	a->pair[i].packets++;
	a->pair[i].routed += was_routed(p);
}

static void count(uint32_t *row, const struct tap_set *taps)
{
	for (uint32_t t = tap_set_next(taps, 0); t < TAPS_COMPARED;
	     t = tap_set_next(taps, t + 1))
		row[t]++;
}

static void note_hosts(struct halves *s, const struct packet *p)
{
	bool turned = addr_compare(p->src, p->dst) > 0;
	struct addr lo = turned ? p->dst : p->src;
	struct addr hi = turned ? p->src : p->dst;
	uint64_t key =
		mix(mix(mix(mix(0, lo.w[0]), lo.w[1]), hi.w[0]), hi.w[1]);
	struct hosts *h = &s->hosts[key % SLOTS];

	if (h->key != key)
		*h = (struct hosts) { .key = key };
	/* A tap compared with itself says nothing: nobody reads that. */
	count(s->same[p->tap], &h->taps[turned]);
	count(s->answers[p->tap], &h->taps[!turned]);
	tap_set_add(&h->taps[turned], p->tap);
}

static void note_time(struct halves *s, const struct packet *p)
{
	struct side *a = &s->side[p->tap];

	if (p->tap >= s->n_taps)
		s->n_taps = p->tap + 1;
	for (uint32_t t = 0; t < s->n_taps; t++)
		s->late[p->tap][t] += s->side[t].packets &&
				      s->side[t].newest > p->ns &&
				      s->side[t].newest - p->ns > LATE_NS;
	if (!a->packets || p->ns > a->newest)
		a->newest = p->ns;
}

void halves_look(struct halves *s, const struct packet *p, size_t n)
{
	for (; n; p++, n--) {
		if (p->status != PACKET_OK || p->tap >= TAPS_COMPARED ||
		    (p->kind != PACKET_ROCE && p->kind != PACKET_CNP &&
		     p->kind != PACKET_UET))
			continue;
		note_time(s, p);
		note_hosts(s, p);
		note_macs(&s->side[p->tap], p);
		s->side[p->tap].packets++;
	}
}

/* ---- deciding ---- */

/* NULL: nothing went that way. */
static const struct mac_pair *pair_of(const struct side *a, uint64_t src,
				      uint64_t dst)
{
	unsigned i = find_pair(a, src, dst);

	return i < a->n_pairs ? &a->pair[i] : NULL;
}

static bool from_router(const struct mac_pair *m)
{
	return m->routed * 10 >= m->packets * 9;
}

/* Does |b| send back, along the cable, what |a| sends? */
static bool turned_round(const struct side *a, const struct side *b)
{
	uint64_t good = 0;

	for (unsigned i = 0; i < a->n_pairs; i++) {
		const struct mac_pair *m = &a->pair[i];
		const struct mac_pair *back = pair_of(b, m->dst, m->src);

		if (pair_of(b, m->src, m->dst))
			return false;
		if (back && (from_router(m) || from_router(back)))
			good += m->packets;
	}
	return !a->odd && good * 100 >= a->packets * 99;
}

static bool have_addresses_in_common(const struct side *a, const struct side *b)
{
	for (unsigned i = 0; i < a->n_pairs; i++)
		if (pair_of(b, a->pair[i].src, a->pair[i].dst) ||
		    pair_of(b, a->pair[i].dst, a->pair[i].src))
			return true;
	return false;
}

/* Is there a third tap in the file with addresses of |a|'s link? */
static bool has_third(const struct halves *s, const uint32_t *file, uint32_t a,
		      uint32_t b, uint32_t n)
{
	for (uint32_t t = 0; t < n; t++)
		if (t != a && t != b && file[t] == file[a] &&
		    have_addresses_in_common(&s->side[a], &s->side[t]))
			return true;
	return false;
}

static bool one_link(const struct halves *s, uint32_t a, uint32_t b)
{
	const struct side *x = &s->side[a], *y = &s->side[b];

	return x->packets >= SURE_MIN && y->packets >= SURE_MIN &&
	       !s->same[a][b] && !s->same[b][a] &&
	       s->answers[a][b] + s->answers[b][a] && turned_round(x, y) &&
	       turned_round(y, x);
}

/* What |a| shows is answered at |b|, and nowhere else. */
static bool is_answered(const struct halves *s, uint32_t a, uint32_t b)
{
	return s->side[a].packets >= LIKELY_MIN && !s->same[a][b] &&
	       !s->answers[a][a] &&
	       (uint64_t)s->answers[a][b] * 10 >= s->side[a].packets * 9;
}

static bool in_order(const struct halves *s, uint32_t a, uint32_t b)
{
	return s->late[a][b] * UINT64_C(1000) <= s->side[a].packets &&
	       s->late[b][a] * UINT64_C(1000) <= s->side[b].packets;
}

static enum half_proof proof_of(const struct halves *s, const uint32_t *file,
				uint32_t a, uint32_t b, uint32_t n)
{
	if (!one_link(s, a, b))
		return is_answered(s, a, b) && is_answered(s, b, a) ? HALF_HOSTS
								    : HALF_NONE;
	if (file[a] != file[b])
		return HALF_FILES;
	if (has_third(s, file, a, b, n) || has_third(s, file, b, a, n))
		return HALF_HOSTS;
	return in_order(s, a, b) ? HALF_SURE : HALF_ORDER;
}

/* The best that |a| has with any other; -1 where two are as good. */
static struct half best_of(const struct halves *s, const uint32_t *file,
			   uint32_t a, uint32_t n)
{
	struct half best = { .other = -1 };

	for (uint32_t b = 0; b < n; b++) {
		enum half_proof proof =
			b != a ? proof_of(s, file, a, b, n) : HALF_NONE;

		if (proof > best.proof)
			best = (struct half) { (int)b, proof };
		else if (proof && proof == best.proof)
			best.other = -1;
	}
	return best;
}

void halves_decide(const struct halves *s, const uint32_t *file,
		   struct half *half, size_t n)
{
	uint32_t looked = n < TAPS_COMPARED ? (uint32_t)n : TAPS_COMPARED;
	struct half best[TAPS_COMPARED];

	for (uint32_t t = 0; t < looked; t++)
		best[t] = best_of(s, file, t, looked);
	for (uint32_t t = 0; t < n; t++) {
		half[t] = (struct half) { .other = -1 };
		if (t < looked && best[t].other >= 0 &&
		    best[best[t].other].other == (int)t)
			half[t] = best[t];
	}
}
