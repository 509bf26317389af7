/* SPDX-License-Identifier: GPL-2.0-or-later
 * Crossings: one transmission, found again at other places. */
#include "flow/multitap/trail.h"

#include <stdlib.h>

#include "base/mem.h"
#include "flow/multitap/identity.h"
#include "flow/uet/uet.h"

enum {
	HORIZON_NS = 500000000, /* no queue and no pause holds longer */
	USUAL_NS = 50000000,    /* nearly all are there by then */
	DOUBLE_NS = 50000,      /* R20 */
	LOOKED_AT = 32,         /* crossings of one bucket */
	ALONE = 1 << 10,        /* packets of a way nobody else sees */
	SURE = 16,              /* delays that make a least one */
	SLACK_NS = 1000,
	BUCKETS = TRAIL_CROSSINGS,
};

void trails_start(struct engine *e)
{
	struct trails *t;

	if (e->trails || e->trails_failed)
		return;
	e->trails = t = mem_calloc(1, sizeof *t);
	e->each = true;
	if (t) {
		t->seq = t->tail = 1;
		grid_init(&t->over_time, TRAIL_BINS);
		t->ring = mem_calloc(TRAIL_CROSSINGS, sizeof *t->ring);
		t->head = mem_calloc(BUCKETS, sizeof *t->head);
		t->ways = mem_calloc(TRAIL_WAYS, sizeof(struct way *));
		t->way_slots =
			mem_calloc(TRAIL_WAY_SLOTS, sizeof *t->way_slots);
		t->gone = mem_calloc(TRAIL_GONE, sizeof *t->gone);
		t->gone_head = mem_calloc(TRAIL_GONE, sizeof *t->gone_head);
	}
	if (!t || !t->ring || !t->head || !t->ways || !t->way_slots ||
	    !t->gone || !t->gone_head) {
		trails_free(e);
		e->trails_failed = true;
	}
}

static void segments_free(struct trails *t)
{
	for (unsigned i = 0; i < TRAIL_PLACES; i++)
		for (unsigned j = 0; j < TRAIL_PLACES; j++) {
			if (t->segments[i][j])
				free(t->segments[i][j]->b.delay);
			free(t->segments[i][j]);
		}
}

void trails_free(struct engine *e)
{
	struct trails *t = e->trails;

	if (!t)
		return;
	for (uint32_t i = 0; t->ways && i < t->n_ways; i++)
		way_free(t, t->ways[i]);
	segments_free(t);
	free(t->ring);
	free(t->head);
	free(t->ways);
	free(t->way_slots);
	free(t->gone);
	free(t->gone_head);
	grid_fini(&t->over_time);
	free(t);
	e->trails = NULL;
}

static bool looked_at(const struct trails *t, uint64_t key)
{
	return !(key >> 24 & ((UINT64_C(1) << t->thin) - 1));
}

static struct crossing *crossing_at(struct trails *t, uint32_t seq)
{
	return &t->ring[seq % TRAIL_CROSSINGS];
}

static struct sighting *seen_at(struct crossing *c, unsigned slot)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->at[i].slot == slot)
			return &c->at[i];
	return NULL;
}

/* ---- what a crossing says ---- */

static void count(struct between *b, const struct sighting *x,
		  const struct sighting *y)
{
	b->n.packets++;
	between_delay(b, y->ns - x->ns, y->frame);
	if (y->ecn == ECN_CE && x->ecn != ECN_CE) {
		if (!b->n.marked++)
			b->marked_frame = y->frame;
	}
	b->n.trimmed += y->flags & SIGHT_TRIMMED && !(x->flags & SIGHT_TRIMMED);
	b->n.damaged += y->flags & SIGHT_BAD && x->flags & SIGHT_GOOD;
}

/* What |count| adds to the segment, over time. */
static void count_step(struct trails *t, const struct segment *s,
		       const struct fact_between *was, int64_t ns)
{
	const struct fact_between *is = &s->b.n;

	segment_count(t, s, ns, SEGMENT_PACKETS);
	if (is->marked > was->marked)
		segment_count(t, s, ns, SEGMENT_MARKED);
	if (is->trimmed > was->trimmed)
		segment_count(t, s, ns, SEGMENT_TRIMMED);
	if (is->damaged > was->damaged)
		segment_count(t, s, ns, SEGMENT_DAMAGED);
}

static void seen_at_both(struct trails *t, struct way *w,
			 const struct crossing *c, const struct sighting *x,
			 const struct sighting *y)
{
	struct between *b = way_between(t, w, x->slot, y->slot);
	struct segment *s = segment_of(t, w, x->slot, y->slot);
	struct fact_between was;

	if (!b || !s)
		return;
	was = s->b.n;
	count(b, x, y);
	count(&s->b, x, y);
	count_step(t, s, &was, x->ns);
	s->by_icrc += c->icrc != 0;
	if (s->b.n.packets == 1 || x->ns < s->first_ns)
		s->first_ns = x->ns;
	if (s->b.n.packets == 1 || x->ns > s->last_ns)
		s->last_ns = x->ns;
}

static bool live(const struct trails *t, const struct way *w, unsigned slot,
		 int64_t ns)
{
	const struct trail_place *p = &t->place[w->s[slot].place];

	return p->begun && p->first_ns <= ns && ns <= p->last_ns;
}

static void not_at_first(struct trails *t, struct way *w, unsigned from,
			 const struct sighting *y)
{
	struct between *b;
	struct segment *s;

	if (!live(t, w, from, y->ns) || !w->s[from].packets ||
	    y->ns >= w->over_ns)
		return;
	b = way_between(t, w, from, y->slot);
	s = segment_of(t, w, from, y->slot);
	if (!b || !s)
		return;
	b->n.missed_from++;
	s->b.n.missed_from++;
	segment_count(t, s, y->ns, SEGMENT_MISSED_FROM);
	t->place[w->s[from].place].missed++;
	place_ghost(&t->place[w->s[from].place], y->ns);
}

/* Passed |x|, was seen further on, but not at |to|. */
static void not_between(struct trails *t, struct way *w,
			const struct sighting *x, unsigned to)
{
	struct between *b = way_between(t, w, x->slot, to);
	struct segment *s = segment_of(t, w, x->slot, to);

	if (!b || !s || !live(t, w, to, x->ns))
		return;
	b->n.missed_to++;
	s->b.n.missed_to++;
	segment_count(t, s, x->ns, SEGMENT_MISSED_TO);
	t->place[w->s[to].place].missed++;
	place_ghost(&t->place[w->s[to].place], x->ns);
}

/* At |slot|, the next place behind |before|: what became of it there?  |last|
 * is where it was seen before, |left| where it will be, further on. */
static void at_slot(struct engine *e, struct crossing *c, struct way *w,
		    const struct sighting *last, unsigned before,
		    const struct sighting *s, unsigned slot, unsigned left)
{
	struct trails *t = e->trails;

	/* Links side by side have no order. */
	if (!w->shared[before][slot])
		return;
	if (s && last && last->slot == before)
		seen_at_both(t, w, c, last, s);
	else if (s && !last)
		not_at_first(t, w, before, s);
	else if (!s && last && last->slot == before && left)
		not_between(t, w, last, slot);
	else if (!s && last && last->slot == before)
		gone_add(e, c, last, slot);
}

static void close_crossing(struct engine *e, struct crossing *c)
{
	struct trails *t = e->trails;
	struct way *w = t->ways[c->way];
	const struct sighting *last = NULL, *first = NULL;
	unsigned left = c->n;

	if (c->closed)
		return;
	c->closed = true;
	if (w->n < 2 || !looked_at(t, c->key))
		return;
	for (unsigned i = 0; i < w->n; i++) {
		unsigned slot = w->rank[i];
		const struct sighting *s = seen_at(c, slot);

		left -= s != NULL;
		if (i)
			at_slot(e, c, w, last, w->rank[i - 1], s, slot, left);
		if (s && last)
			t->place[w->s[slot].place].matched++;
		if (s && !first)
			first = s;
		if (s)
			last = s;
	}
	if (w->n > 2 && first && last && first->slot == w->rank[0] &&
	    last->slot == w->rank[w->n - 1])
		seen_at_both(t, w, c, first, last);
}

/* ---- order ---- */

/* Did packets that passed the place before later come here first?  Answers are
 * not judged: CNPs, with a queue of their own, overtake ACKs by design. */
static void look_at_order(struct trails *t, struct way *w,
			  const struct crossing *c, const struct sighting *y)
{
	struct slot *s = &w->s[y->slot];
	const struct sighting *x = NULL;
	struct between *b;
	struct segment *seg;
	struct grid_row *r;
	unsigned i = 0;

	while (i < w->n && w->rank[i] != y->slot)
		i++;
	for (unsigned k = 0; i && k < c->n; k++)
		if (c->at[k].slot == w->rank[i - 1])
			x = &c->at[k];
	if (!x || c->kind == VANISHED_ANSWER)
		return;
	if (!s->begun[c->kind] || (int32_t)(x->order - s->high[c->kind]) > 0) {
		s->begun[c->kind] = true;
		s->high[c->kind] = x->order;
		return;
	}
	b = way_between(t, w, x->slot, y->slot);
	seg = segment_of(t, w, x->slot, y->slot);
	if (!b || !seg)
		return;
	if (!b->n.reordered++)
		b->reordered_frame = y->frame;
	seg->b.n.reordered++;
	r = grid_at(&t->over_time, seg->id, 0, x->ns);
	if (r) {
		r->n[SEGMENT_REORDERED]++;
		grid_extent(r, s->high[c->kind] - x->order);
	}
	if (s->high[c->kind] - x->order > b->n.displaced_max)
		b->n.displaced_max = s->high[c->kind] - x->order;
	if (b->n.displaced_max > seg->b.n.displaced_max)
		seg->b.n.displaced_max = b->n.displaced_max;
}

/* ---- a packet comes ---- */

static unsigned kind_of(const struct engine *e, const struct packet *p)
{
	uint8_t op;

	if (p->kind == PACKET_UET)
		switch (p->uet.type) {
		case PDS_RUD_REQ:
		case PDS_ROD_REQ:
		case PDS_RUD_CC_REQ:
		case PDS_ROD_CC_REQ:
		case PDS_RUDI_REQ:
		case PDS_UUD_REQ:
			return VANISHED_REQUEST;
		default:
			return VANISHED_ANSWER;
		}
	if (p->kind == PACKET_CNP)
		return VANISHED_ANSWER;
	op = e->op[p->opcode];
	if (!(op & IS_RESPONSE))
		return VANISHED_REQUEST;
	return op & IS_DATA ? VANISHED_RESPONSE : VANISHED_ANSWER;
}

static bool makes_sense(struct trails *t, struct way *w,
			const struct crossing *c, unsigned slot, int64_t ns)
{
	const struct segment *s;

	s = t->segments[w->s[c->at[0].slot].place][w->s[slot].place];
	return !s || s->b.n.packets < SURE ||
	       ns - c->at[0].ns >= s->b.min - SLACK_NS;
}

/* Transmissions of one PSN are in one bucket; of answers, which may
 * have the same one often, those that are alike. */
static uint32_t *bucket(struct trails *t, uint32_t way, uint64_t key,
			uint32_t psn, unsigned kind)
{
	uint32_t n = kind == VANISHED_ANSWER ? (uint32_t)key : psn;

	return &t->head[(way * 0x9e3779b1u ^ n * 0x85ebca6bu ^ kind) % BUCKETS];
}

struct search {
	const struct packet *p;
	uint64_t key;
	uint32_t way; /* index */
	unsigned slot, kind;
	struct crossing *same; /* was here before */
	bool earlier;          /* so was another of this number */
};

static bool of_number(const struct crossing *c, const struct search *s)
{
	return c->way == s->way && c->psn == s->p->psn && c->kind == s->kind;
}

/* The crossing that the packet is part of; NULL: a new one. */
static struct crossing *find(struct engine *e, struct way *w, struct search *s)
{
	struct trails *t = e->trails;
	uint32_t seq = *bucket(t, s->way, s->key, s->p->psn, s->kind);
	struct crossing *found = NULL, *fallback = NULL;
	bool bad = s->p->icrc_status == ICRC_BAD;

	for (unsigned i = 0; i < LOOKED_AT && seq >= t->tail && seq; i++) {
		struct crossing *c = crossing_at(t, seq);
		bool here = seen_at(c, s->slot);

		seq = c->prev;
		s->earlier |= here && of_number(c, s);
		if (c->key != s->key ||
		    (!bad && icrc_differs(c->icrc, s->p->icrc)))
			continue;
		if (here) {
			if (!s->same)
				s->same = c;
			continue;
		}
		if (!found && makes_sense(t, w, c, s->slot, s->p->ns))
			found = c;
		if (!fallback)
			fallback = c;
	}
	return found ? found : fallback;
}

/* A copy passes: those before it have been retransmitted. */
static void mark_resent(struct trails *t, const struct search *s)
{
	uint32_t seq = *bucket(t, s->way, s->key, s->p->psn, s->kind);

	for (unsigned i = 0; i < LOOKED_AT && seq >= t->tail && seq; i++) {
		struct crossing *c = crossing_at(t, seq);
		struct sighting *x = seen_at(c, s->slot);

		seq = c->prev;
		if (x && of_number(c, s) && !x->resent_frame)
			x->resent_frame = s->p->frame;
	}
}

/* The oldest leaves. */
static void leave(struct engine *e)
{
	struct trails *t = e->trails;
	struct crossing *c = crossing_at(t, t->tail);

	if (!c->closed && e->now - c->first_ns < USUAL_NS &&
	    t->thin < TRAIL_THINNEST) {
		/* Too many for the table: nothing can be said of this one. */
		t->thin++;
		c->closed = true;
	}
	close_crossing(e, c);
	t->ways[c->way]->refs--;
	t->tail++;
}

static struct crossing *begin(struct engine *e, struct flow *f, uint64_t key,
			      const struct packet *p, unsigned kind)
{
	struct trails *t = e->trails;
	uint32_t *head = bucket(t, f->way - 1, key, p->psn, kind);
	struct crossing *c;

	while (t->seq - t->tail >= TRAIL_CROSSINGS)
		leave(e);
	c = crossing_at(t, t->seq);
	c->key = key;
	c->first_ns = p->ns;
	c->way = f->way - 1;
	c->icrc = p->icrc_status == ICRC_BAD ? 0 : p->icrc;
	c->psn = p->psn;
	c->prev = *head;
	c->n = 0;
	c->kind = (uint8_t)kind;
	c->closed = false;
	*head = t->seq++;
	t->ways[c->way]->refs++;
	return c;
}

static void add_sighting(struct engine *e, struct way *w, struct crossing *c,
			 unsigned slot, const struct packet *p)
{
	struct trails *t = e->trails;
	struct slot *s = &w->s[slot];
	struct sighting *x = &c->at[c->n++];
	unsigned i = 0;

	while (i < w->n && w->rank[i] != slot)
		i++;
	*x = (struct sighting) {
		.ns = p->ns,
		.frame = p->frame,
		.next_frame =
			i + 1 < w->n ? w->s[w->rank[i + 1]].last_frame : 0,
		.order = s->order[c->kind],
		.tap = p->tap,
		.slot = (uint8_t)slot,
		.ecn = p->tos & 3,
		.copies = 1,
		.flags = (uint8_t)((p->kind == PACKET_UET &&
						    p->uet.flags & UET_TRIMMED
					    ? SIGHT_TRIMMED
					    : 0) |
				   (p->icrc_status == ICRC_GOOD  ? SIGHT_GOOD
				    : p->icrc_status == ICRC_BAD ? SIGHT_BAD
								 : 0)),
	};
	if (!c->icrc && p->icrc_status != ICRC_BAD)
		c->icrc = p->icrc;
	for (i = 0; i + 1 < c->n; i++)
		way_vote(w, &c->at[i], x);
	look_at_order(t, w, c, x);
	if (c->n > 1 && c->n == w->n)
		close_crossing(e, c);
}

/* Once more where it was before: by the mirror, or by the network? */
static void again(struct trails *t, struct way *w, struct crossing *c,
		  unsigned slot)
{
	struct sighting *y = seen_at(c, slot), *x = NULL;
	unsigned i = 1;
	struct between *b;
	struct segment *s;

	if (y->copies < UINT8_MAX)
		y->copies++;
	while (i < w->n && w->rank[i] != slot)
		i++;
	if (i < w->n)
		x = seen_at(c, w->rank[i - 1]);
	if (!x || x->copies >= y->copies)
		return;
	b = way_between(t, w, x->slot, slot);
	s = segment_of(t, w, x->slot, slot);
	if (!b || !s)
		return;
	b->n.doubled++;
	s->b.n.doubled++;
	segment_count(t, s, y->ns, SEGMENT_DOUBLED);
}

static bool is_double(const struct flow *f, const struct packet *p,
		      struct trail_mark before, const struct crossing *same,
		      unsigned slot)
{
	const struct sighting *s = NULL;

	for (unsigned i = 0; i < same->n; i++)
		if (same->at[i].slot == slot)
			s = &same->at[i];
	if (f->mirror_dups + f->duplicates != before.doubled)
		return true;
	return s && p->ns - s->ns <= DOUBLE_NS && counts_ip_id(f) && p->ip_id;
}

static void take(struct engine *e, struct flow *f, struct way *w, uint64_t key,
		 const struct packet *p, unsigned kind,
		 struct trail_mark before)
{
	struct trails *t = e->trails;
	unsigned slot = f->way_slot;
	struct search s = { .p = p,
			    .key = key,
			    .way = f->way - 1,
			    .slot = slot,
			    .kind = kind };
	struct crossing *c = find(e, w, &s);

	if (!c && s.same && is_double(f, p, before, s.same, slot)) {
		again(t, w, s.same, slot);
		return;
	}
	w->s[slot].order[s.kind]++;
	w->s[slot].packets++;
	w->s[slot].last_frame = p->frame;
	if (s.earlier && s.kind != VANISHED_ANSWER)
		mark_resent(t, &s);
	if (t->n_gone && gone_seen(e, s.way, slot, key, s.kind, p) && !c)
		return;
	if (!c) {
		c = begin(e, f, key, p, s.kind);
		c->copy = s.earlier || f->retransmitted != before.resent;
	}
	add_sighting(e, w, c, slot, p);
}

void trails_packet(struct engine *e, struct flow *f, const struct packet *p,
		   struct trail_mark before)
{
	struct trails *t = e->trails;
	uint64_t key = packet_identity(p);
	unsigned kind = kind_of(e, p);
	struct trail_place *place;
	struct way *w;

	while (t->tail != t->seq &&
	       e->now - crossing_at(t, t->tail)->first_ns >= HORIZON_NS)
		leave(e);
	if (t->n_gone)
		gone_sweep(e, false);
	if (!key || !looked_at(t, key))
		return;
	w = way_of(e, f, p, kind);
	if (!w)
		return;
	way_number(w, p, kind);
	place = &t->place[w->s[f->way_slot].place];
	if (!place->begun)
		place->first_ns = p->ns;
	place->begun = true;
	place->last_ns = p->ns;
	/* It goes elsewhere: no use to remember it all. */
	if (w->n == 1 && w->s[0].packets > ALONE) {
		w->s[0].packets++;
		return;
	}
	take(e, f, w, key, p, kind, before);
}

bool trails_worn(const struct engine *e)
{
	return e->trails && e->trails->n_ways >= TRAIL_WAYS;
}

void trails_finish(struct engine *e)
{
	struct trails *t = e->trails;

	if (!t)
		return;
	while (t->tail != t->seq) {
		close_crossing(e, crossing_at(t, t->tail));
		t->tail++;
	}
	gone_sweep(e, true);
	trails_emit(e);
}
