/* SPDX-License-Identifier: GPL-2.0-or-later
 * Tap paths, and what is between their places. */
#include <stdlib.h>

#include "base/clamp.h"
#include "base/hash.h"
#include "base/mem.h"
#include "flow/core/serial.h"
#include "flow/multitap/multitap.h"
#include "flow/uet/serial.h"
#include "wire/wire.h"

enum {
	VOTES_MOST = 1000,
	BETWEEN_MOST = 2 * TAP_PATH_HOPS,
	NEAR = 1 << 16,       /* numbers of one connection, at two places */
	OVER_NS = 2000000000, /* by then all that was open of it is decided */
};

/* The slot of the newest path of |key|, or the free one for it. */
static uint32_t *find_tap_path(const struct multitap *t, uint64_t key)
{
	uint32_t i = (uint32_t)(key >> 32) % TAP_PATH_SLOTS;

	while (t->tap_path_slots[i] &&
	       t->tap_paths[t->tap_path_slots[i] - 1]->key != key)
		i = (i + 1) % TAP_PATH_SLOTS;
	return &t->tap_path_slots[i];
}

static void append_over(struct multitap *t, uint32_t number)
{
	t->tap_paths[number - 1]->next_over = 0;
	if (t->over_last)
		t->tap_paths[t->over_last - 1]->next_over = number;
	else
		t->over_first = number;
	t->over_last = number;
}

static void clear(struct multitap *t, struct tap_path *w)
{
	for (unsigned i = 0; i < w->n_between; i++) {
		t->n_histograms -= w->b[i].delay != NULL;
		free(w->b[i].delay);
	}
	free(w->b);
}

void tap_path_free(struct multitap *t, struct tap_path *w)
{
	clear(t, w);
	free(w);
}

/* One that is over, reported and empty, to be used again; 0: none. */
static uint32_t spare_tap_path(struct engine *e)
{
	struct multitap *t = e->multitap;
	uint32_t number = t->over_first;
	struct tap_path *w = number ? t->tap_paths[number - 1] : NULL;

	if (!w || e->now - w->over_ns < OVER_NS)
		return 0;
	t->over_first = w->next_over;
	if (!t->over_first)
		t->over_last = 0;
	if (w->refs) { /* something is still open: later */
		append_over(t, number);
		return 0;
	}
	tap_path_emit(e, w);
	clear(t, w);
	return number;
}

/* 0: no room. */
static uint32_t new_tap_path(struct engine *e, uint64_t key, bool again)
{
	struct multitap *t = e->multitap;
	uint32_t number = spare_tap_path(e);
	struct tap_path *w = NULL;

	if (number)
		w = t->tap_paths[number - 1];
	else if (t->n_tap_paths_followed < TAP_PATHS &&
		 (w = mem_calloc(1, sizeof *w)))
		t->tap_paths[t->n_tap_paths_followed++] = w;
	if (!w) {
		t->capped_tap_paths++;
		return 0;
	}
	*w = (struct tap_path) { .key = key,
				 .again = again,
				 .over_ns = INT64_MAX };
	return number ? number : t->n_tap_paths_followed;
}

struct multitap_place *place_of(struct multitap *t, uint32_t place,
				uint32_t tap)
{
	for (uint32_t i = 0; i < t->n_places; i++)
		if (t->place[i].place == place)
			return &t->place[i];
	if (t->n_places == MULTITAP_PLACES)
		return NULL;
	t->place[t->n_places].place = place;
	t->place[t->n_places].tap = tap;
	return &t->place[t->n_places++];
}

/* PSNs are those of one connection.  What has none tells nothing. */
static bool has_number(const struct packet *p)
{
	return p->kind == PACKET_UET ? p->uet.type != PDS_CP
				     : p->kind == PACKET_ROCE;
}

static bool is_near(const struct tap_path *w, const struct packet *p,
		    unsigned kind)
{
	int32_t d;

	if (!w->numbered[kind] || !has_number(p))
		return true;
	d = p->kind == PACKET_UET ? psn32_diff(p->psn, w->psn[kind])
				  : psn_diff(p->psn, w->psn[kind]);
	return d > -NEAR && d < NEAR;
}

void tap_path_number(struct tap_path *w, const struct packet *p, unsigned kind)
{
	if (!has_number(p))
		return;
	w->numbered[kind] = true;
	w->psn[kind] = p->psn;
}

static unsigned slot_at(const struct tap_path *w, uint32_t place)
{
	unsigned i = 0;

	while (i < w->n && w->s[i].place != place)
		i++;
	return i;
}

/* The path that |f|, which is new, is part of; 0: none.  Another connection
 * at the same place has a path of its own, for its numbers are its own; and not
 * every place sees each. */
static uint32_t choose_tap_path(struct engine *e, const struct flow *f,
				uint32_t place, const struct packet *p,
				unsigned kind)
{
	struct multitap *t = e->multitap;
	uint64_t key = hash6(f->src.w[0], f->src.w[1], f->dst.w[0], f->dst.w[1],
			     (uint64_t)f->aux << 32 | f->dst_qp, 0);
	uint32_t *newest = find_tap_path(t, key), was = *newest, number;
	struct tap_path *w;

	if (was) {
		w = t->tap_paths[was - 1];
		if (slot_at(w, place) == w->n &&
		    (!w->again || is_near(w, p, kind)))
			return was;
	}
	number = new_tap_path(e, key, was != 0);
	if (!number)
		return 0;
	if (was) {
		t->tap_paths[was - 1]->over_ns = e->now;
		append_over(t, was);
	}
	return *newest = number;
}

struct tap_path *tap_path_of(struct engine *e, struct flow *f,
			     const struct packet *p, unsigned kind)
{
	struct multitap *t = e->multitap;
	struct multitap_place *place;
	struct tap_path *w;
	unsigned i;

	if (f->tap_path == NO_TAP_PATH)
		return NULL;
	if (f->tap_path) {
		w = t->tap_paths[f->tap_path - 1];
		if (w->s[f->tap_path_slot].id == f->id)
			return w;
		f->tap_path = NO_TAP_PATH; /* it is over, and reported */
		return NULL;
	}
	place = place_of(t, f->place, f->tap);
	f->tap_path =
		place ? choose_tap_path(e, f, (uint32_t)(place - t->place), p,
					kind)
		      : 0;
	w = f->tap_path ? t->tap_paths[f->tap_path - 1] : NULL;
	if (!w || w->n == TAP_PATH_HOPS) {
		t->capped_tap_paths += !place || w;
		f->tap_path = NO_TAP_PATH;
		return NULL;
	}
	i = w->n++;
	w->rank[i] = (uint8_t)i;
	w->s[i] = (struct slot) { .flow = f->index,
				  .id = f->id,
				  .tap = f->tap,
				  .place = (uint32_t)(place - t->place),
				  .ttl = p->ttl };
	f->tap_path_slot = (uint8_t)i;
	return w;
}

/* ---- which place comes first ---- */

static bool precedes(const struct tap_path *w, unsigned i, unsigned j)
{
	return w->s[i].ttl != w->s[j].ttl ? w->s[i].ttl > w->s[j].ttl
					  : w->votes[i][j] > 0;
}

static void rank(struct tap_path *w)
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
		for (unsigned k = 0; k < UNMATCHED_KINDS; k++)
			w->s[i].begun[k] = false;
}

void tap_path_vote(struct tap_path *w, const struct observation *a,
		   const struct observation *b)
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

static struct histogram *histogram_of(struct multitap *t)
{
	struct histogram *s = NULL;

	if (t->n_histograms < MULTITAP_HISTOGRAMS)
		s = mem_calloc(1, sizeof *s);
	t->n_histograms += s != NULL;
	return s;
}

bool tap_path_place(const struct tap_path *w, struct between *b)
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

struct between *tap_path_between(struct multitap *t, struct tap_path *w,
				 unsigned from, unsigned to)
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
	b->delay = histogram_of(t);
	return b;
}

struct segment *segment_of(struct multitap *t, const struct tap_path *w,
			   unsigned from, unsigned to)
{
	uint32_t i = w->s[from].place, j = w->s[to].place;
	struct segment *s = t->segments[i][j];

	if (s)
		return s;
	s = mem_calloc(1, sizeof *s);
	if (!s)
		return NULL;
	if (t->n_segments < MULTITAP_HISTOGRAMS)
		s->b.delay = mem_calloc(1, sizeof *s->b.delay);
	s->b.from = (uint8_t)i;
	s->b.to = (uint8_t)j;
	s->id = ++t->n_segments;
	return t->segments[i][j] = s;
}

void segment_count(struct multitap *t, const struct segment *s, int64_t ns,
		   enum segment_sum what)
{
	struct time_grid_row *r = time_grid_at(&t->over_time, s->id, 0, ns);

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
	b->sum = clamp_add(b->sum, ns);
	if (b->delay)
		histogram_add(b->delay, ns);
}
