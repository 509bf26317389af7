/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ways, and what is between their places. */
#include <stdlib.h>

#include "base/mem.h"
#include "flow/trail.h"

enum { VOTES_MOST = 1000, BETWEEN_MOST = 2 * TRAIL_HOPS };

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

static uint64_t key_of(const struct flow *f)
{
	uint64_t h = mix(mix(3, f->src.w[0]), f->src.w[1]);

	h = mix(mix(h, f->dst.w[0]), f->dst.w[1]);
	return mix(h, (uint64_t)f->aux << 32 | f->dst_qp);
}

static uint32_t find_way(struct trails *t, uint64_t key)
{
	uint32_t i = (uint32_t)(key >> 32) % TRAIL_WAY_SLOTS;
	struct way *w;

	for (; t->way_slots[i]; i = (i + 1) % TRAIL_WAY_SLOTS)
		if (t->ways[t->way_slots[i] - 1]->key == key)
			return t->way_slots[i];
	if (t->n_ways == TRAIL_WAYS || !(w = mem_calloc(1, sizeof *w))) {
		t->capped_ways++;
		return 0;
	}
	w->key = key;
	t->ways[t->n_ways++] = w;
	return t->way_slots[i] = t->n_ways;
}

struct trail_place *place_of(struct trails *t, uint32_t place, uint32_t tap)
{
	for (uint32_t i = 0; i < t->n_places; i++)
		if (t->place[i].place == place)
			return &t->place[i];
	if (t->n_places == TRAIL_PLACES)
		return NULL;
	t->place[t->n_places].place = place;
	t->place[t->n_places].tap = tap;
	return &t->place[t->n_places++];
}

/* The slot of |f|'s place in |w|; TRAIL_HOPS: no room. */
static unsigned find_slot(struct engine *e, struct way *w, const struct flow *f,
			  const struct packet *p)
{
	struct trails *t = e->trails;
	struct trail_place *place = place_of(t, f->place, f->tap);
	uint32_t number = place ? (uint32_t)(place - t->place) : 0;
	unsigned i = 0;

	if (!place)
		return TRAIL_HOPS;
	while (i < w->n && w->s[i].place != number)
		i++;
	if (i == TRAIL_HOPS)
		return i;
	if (i == w->n) {
		w->rank[w->n++] = (uint8_t)i;
		w->s[i] = (struct slot) { .place = number, .ttl = p->ttl };
	} else if (w->s[i].id != f->id && w->rank[0] == i) {
		/* Another connection: its numbers are its own. */
		way_emit(e, w);
	}
	w->s[i].flow = f->index;
	w->s[i].id = f->id;
	w->s[i].tap = f->tap;
	return i;
}

struct way *way_of(struct engine *e, struct flow *f, const struct packet *p)
{
	struct trails *t = e->trails;
	unsigned slot;

	if (f->way)
		return f->way == NO_WAY ? NULL : t->ways[f->way - 1];
	f->way = find_way(t, key_of(f));
	if (!f->way) {
		f->way = NO_WAY;
		return NULL;
	}
	slot = find_slot(e, t->ways[f->way - 1], f, p);
	if (slot == TRAIL_HOPS) {
		f->way = NO_WAY;
		return NULL;
	}
	f->way_slot = (uint8_t)slot;
	return t->ways[f->way - 1];
}

/* ---- which place comes first ---- */

static bool precedes(const struct way *w, unsigned i, unsigned j)
{
	return w->s[i].ttl != w->s[j].ttl ? w->s[i].ttl > w->s[j].ttl
					  : w->votes[i][j] > 0;
}

static void rank(struct way *w)
{
	for (unsigned i = 1; i < w->n; i++) {
		uint8_t slot = w->rank[i];
		unsigned at = i;

		for (; at && precedes(w, slot, w->rank[at - 1]); at--)
			w->rank[at] = w->rank[at - 1];
		w->rank[at] = slot;
	}
	for (unsigned i = 1; i < w->n; i++)
		w->by_ttl[i] = w->s[w->rank[i]].ttl != w->s[w->rank[i - 1]].ttl;
	for (unsigned i = 0; i < w->n; i++)
		for (unsigned k = 0; k < VANISHED_KINDS; k++)
			w->s[i].begun[k] = false;
}

void way_vote(struct way *w, const struct sighting *a, const struct sighting *b)
{
	int16_t *vote = &w->votes[a->slot][b->slot];
	int16_t *back = &w->votes[b->slot][a->slot];
	int16_t was = *vote;

	w->shared[a->slot][b->slot] = w->shared[b->slot][a->slot] = true;
	if (a->ns == b->ns || abs(*vote) >= VOTES_MOST)
		return;
	*vote = (int16_t)(*vote + (a->ns < b->ns ? 1 : -1));
	*back = (int16_t) - *vote;
	if ((was > 0) != (*vote > 0) || !was)
		rank(w);
}

/* ---- betweens ---- */

static struct spread *spread_of(struct trails *t)
{
	struct spread *s = NULL;

	if (t->n_spreads < TRAIL_SPREADS)
		s = mem_calloc(1, sizeof *s);
	t->n_spreads += s != NULL;
	return s;
}

bool way_place(const struct way *w, struct between *b)
{
	unsigned from = 0, to = 0;

	for (unsigned i = 0; i < w->n; i++) {
		if (w->rank[i] == b->from)
			from = i;
		if (w->rank[i] == b->to)
			to = i;
	}
	b->adjacent = from + 1 == to;
	b->whole = !from && to == w->n - 1u;
	return from < to;
}

struct between *way_between(struct trails *t, struct way *w, unsigned from,
			    unsigned to)
{
	struct between *b = w->b;

	for (unsigned i = 0; i < w->n_between; i++)
		if (b[i].from == from && b[i].to == to)
			return &b[i];
	if (w->n_between == BETWEEN_MOST)
		return NULL;
	if (w->n_between == w->room_between) {
		unsigned room = w->room_between ? 2u * w->room_between : 1;

		b = mem_reallocarray(w->b, room, sizeof *b);
		if (!b)
			return NULL;
		w->b = b;
		w->room_between = (uint8_t)room;
	}
	b = &w->b[w->n_between++];
	*b = (struct between) { .from = (uint8_t)from, .to = (uint8_t)to };
	b->delay = spread_of(t);
	return b;
}

struct segment *segment_of(struct trails *t, const struct way *w, unsigned from,
			   unsigned to)
{
	uint32_t i = w->s[from].place, j = w->s[to].place;
	struct segment *s = t->segments[i][j];

	if (s)
		return s;
	s = mem_calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->b.delay = mem_calloc(1, sizeof *s->b.delay);
	s->b.from = (uint8_t)i;
	s->b.to = (uint8_t)j;
	s->id = ++t->n_segments;
	return t->segments[i][j] = s;
}

void segment_count(struct trails *t, const struct segment *s, int64_t ns,
		   enum segment_sum what)
{
	struct grid_row *r = grid_at(&t->over_time, s->id, 0, ns);

	if (r)
		r->n[what]++;
}

void between_delay(struct between *b, int64_t ns, uint64_t frame)
{
	bool first = b->n.packets <= 1;

	if (first || ns < b->min)
		b->min = ns;
	if (first || ns > b->max) {
		b->max = ns;
		b->slowest_frame = frame;
	}
	b->sum += ns;
	if (b->delay)
		spread_add(b->delay, ns);
}

void way_free(struct way *w)
{
	for (unsigned i = 0; i < w->n_between; i++)
		free(w->b[i].delay);
	free(w->b);
	free(w);
}
