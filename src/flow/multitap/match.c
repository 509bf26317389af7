/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packet matches: one transmission, observed at several places. */
#include "flow/multitap/multitap.h"

#include <stdlib.h>

#include "base/mem.h"
#include "flow/multitap/identity.h"
#include "flow/roce/roce.h"
#include "flow/uet/uet.h"

enum {
	HORIZON_NS = 500000000, /* no queue and no pause holds longer */
	USUAL_NS = 50000000,    /* nearly all are there by then */
	DOUBLE_NS = 50000,      /* R20 */
	ALONE = 1 << 10,        /* packets of a path that no other place sees */
	SURE = 16,              /* delays that make a least one */
	SLACK_NS = 1000,
	MICROSECOND_NS = 1000,
	BUCKETS = PACKET_MATCHES,
};

static void follow_anew(struct engine *e, struct flow *f,
			const struct packet *p, const struct reconnect *from);

void multitap_start(struct engine *e)
{
	struct multitap *t;

	if (e->multitap || e->multitap_failed)
		return;
	e->multitap = t = mem_calloc(1, sizeof *t);
	e->each = true;
	if (t) {
		t->seq = t->tail = 1;
		time_grid_init(&t->over_time, MULTITAP_BINS);
		t->ring = mem_calloc(PACKET_MATCHES, sizeof *t->ring);
		t->head = mem_calloc(BUCKETS, sizeof *t->head);
		t->tap_paths = mem_calloc(TAP_PATHS, sizeof(struct tap_path *));
		t->tap_path_slots =
			mem_calloc(TAP_PATH_SLOTS, sizeof *t->tap_path_slots);
		t->unmatched =
			mem_calloc(UNMATCHED_OPEN_MAX, sizeof *t->unmatched);
		t->unmatched_head = mem_calloc(UNMATCHED_OPEN_MAX,
					       sizeof *t->unmatched_head);
	}
	if (!t || !t->ring || !t->head || !t->tap_paths || !t->tap_path_slots ||
	    !t->unmatched || !t->unmatched_head) {
		multitap_free(e);
		e->multitap_failed = true;
		return;
	}
	e->follow_anew = follow_anew;
}

void multitap_free(struct engine *e)
{
	struct multitap *t = e->multitap;

	if (!t)
		return;
	for (uint32_t i = 0; t->tap_paths && i < t->n_tap_paths_followed; i++)
		tap_path_free(t, t->tap_paths[i]);
	for (unsigned i = 0; i < MULTITAP_PLACES; i++)
		for (unsigned j = 0; j < MULTITAP_PLACES; j++) {
			if (t->segments[i][j])
				free(t->segments[i][j]->b.delay);
			free(t->segments[i][j]);
		}
	free(t->ring);
	free(t->head);
	free(t->tap_paths);
	free(t->tap_path_slots);
	free(t->unmatched);
	free(t->unmatched_head);
	time_grid_fini(&t->over_time);
	free(t);
	e->multitap = NULL;
	e->follow_anew = NULL;
}

static bool looked_at(const struct multitap *t, uint64_t key)
{
	return !(key >> 24 & ((UINT64_C(1) << t->thin) - 1));
}

static struct packet_match *match_at(struct multitap *t, uint32_t seq)
{
	return &t->ring[seq % PACKET_MATCHES];
}

static struct observation *seen_at(struct packet_match *c, unsigned slot)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->at[i].slot == slot)
			return &c->at[i];
	return NULL;
}

/* ---- what a packet match says ---- */

static void count(struct between *b, const struct observation *x,
		  const struct observation *y)
{
	b->n.packets++;
	between_delay(b, y->ns - x->ns, y->frame);
	if (y->ecn == ECN_CE && x->ecn != ECN_CE) {
		if (!b->n.marked++)
			b->marked_frame = y->frame;
	}
	b->n.trimmed +=
		y->flags & OBSERVED_TRIMMED && !(x->flags & OBSERVED_TRIMMED);
	b->n.damaged += y->flags & OBSERVED_BAD && x->flags & OBSERVED_GOOD;
}

/* What |count| adds to the segment, over time. */
static void count_step(struct multitap *t, const struct segment *s,
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

static void seen_at_both(struct multitap *t, struct tap_path *w,
			 const struct packet_match *c,
			 const struct observation *x,
			 const struct observation *y)
{
	struct between *b = tap_path_between(t, w, x->slot, y->slot);
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

static bool live(const struct multitap *t, const struct tap_path *w,
		 unsigned slot, int64_t ns)
{
	const struct multitap_place *p = &t->place[w->s[slot].place];

	return p->begun && p->first_ns <= ns && ns <= p->last_ns;
}

static void not_at_first(struct multitap *t, struct tap_path *w, unsigned from,
			 const struct observation *y)
{
	struct between *b;
	struct segment *s;

	if (!live(t, w, from, y->ns) || !w->s[from].packets ||
	    y->ns >= w->over_ns)
		return;
	b = tap_path_between(t, w, from, y->slot);
	s = segment_of(t, w, from, y->slot);
	if (!b || !s)
		return;
	b->n.missed_from++;
	s->b.n.missed_from++;
	segment_count(t, s, y->ns, SEGMENT_MISSED_FROM);
	t->place[w->s[from].place].missed++;
	place_missed(&t->place[w->s[from].place], y->ns);
}

/* Passed |x|, was seen further on, but not at |to|. */
static void not_between(struct multitap *t, struct tap_path *w,
			const struct observation *x, unsigned to)
{
	struct between *b = tap_path_between(t, w, x->slot, to);
	struct segment *s = segment_of(t, w, x->slot, to);

	if (!b || !s || !live(t, w, to, x->ns))
		return;
	b->missed++;
	b->n.missed_to++;
	s->b.n.missed_to++;
	segment_count(t, s, x->ns, SEGMENT_MISSED_TO);
	t->place[w->s[to].place].missed++;
	place_missed(&t->place[w->s[to].place], x->ns);
}

/* At |slot|, the next place behind |before|: what became of it there?  |last|
 * is where it was seen before, |left| where it will be, further on. */
static void at_slot(struct engine *e, struct packet_match *c,
		    struct tap_path *w, const struct observation *last,
		    unsigned before, const struct observation *s, unsigned slot,
		    unsigned left)
{
	struct multitap *t = e->multitap;

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
		unmatched_add(e, c, last, slot);
}

static void close_match(struct engine *e, struct packet_match *c)
{
	struct multitap *t = e->multitap;
	struct tap_path *w = t->tap_paths[c->tap_path];
	const struct observation *last = NULL, *first = NULL;
	unsigned left = c->n;

	if (c->closed)
		return;
	c->closed = true;
	if (w->n < 2 || !looked_at(t, c->key))
		return;
	for (unsigned i = 0; i < w->n; i++) {
		unsigned slot = w->rank[i];
		const struct observation *s = seen_at(c, slot);

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
 * not judged: CNPs, with a queue of their own, overtake ACKs by design.  So do
 * trimmed packets what was not trimmed. */
static void look_at_order(struct multitap *t, struct tap_path *w,
			  const struct packet_match *c,
			  const struct observation *y)
{
	struct slot *s = &w->s[y->slot];
	const struct observation *x = NULL;
	struct between *b;
	struct segment *seg;
	struct time_grid_row *r;
	unsigned i = 0;

	while (i < w->n && w->rank[i] != y->slot)
		i++;
	for (unsigned k = 0; i && k < c->n; k++)
		if (c->at[k].slot == w->rank[i - 1])
			x = &c->at[k];
	if (!x || c->kind == UNMATCHED_ACK || y->flags & OBSERVED_TRIMMED)
		return;
	if (!s->begun[c->kind] || (int32_t)(x->order - s->high[c->kind]) > 0) {
		s->begun[c->kind] = true;
		s->high[c->kind] = x->order;
		s->high_at[c->kind] = y->order;
		return;
	}
	/* It was set apart, and came before the one that is compared with. */
	if ((int32_t)(y->order - s->high_at[c->kind]) < 0)
		return;
	b = tap_path_between(t, w, x->slot, y->slot);
	seg = segment_of(t, w, x->slot, y->slot);
	if (!b || !seg)
		return;
	if (!b->n.reordered++)
		b->reordered_frame = y->frame;
	seg->b.n.reordered++;
	r = time_grid_at(&t->over_time, seg->id, 0, x->ns);
	if (r) {
		r->n[SEGMENT_REORDERED]++;
		time_grid_extent(r, s->high[c->kind] - x->order);
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
			return UNMATCHED_REQUEST;
		default:
			return UNMATCHED_ACK;
		}
	if (p->kind == PACKET_CNP)
		return UNMATCHED_ACK;
	op = e->op[p->opcode];
	if (!(op & IS_RESPONSE))
		return UNMATCHED_REQUEST;
	return op & IS_DATA ? UNMATCHED_RESPONSE : UNMATCHED_ACK;
}

static bool makes_sense(struct multitap *t, struct tap_path *w,
			const struct packet_match *c, unsigned slot, int64_t ns)
{
	const struct segment *s;

	s = t->segments[w->s[c->at[0].slot].place][w->s[slot].place];
	return !s || s->b.n.packets < SURE ||
	       ns - c->at[0].ns >= s->b.min - SLACK_NS;
}

/* Transmissions of one PSN are in one bucket; of answers, which may
 * have the same one often, those that are alike. */
static uint32_t *bucket(struct multitap *t, uint32_t tap_path, uint64_t key,
			uint32_t psn, unsigned kind)
{
	uint32_t n = kind == UNMATCHED_ACK ? (uint32_t)key : psn;

	return &t->head[(tap_path * 0x9e3779b1u ^ n * 0x85ebca6bu ^ kind) %
			BUCKETS];
}

struct search {
	const struct packet *p;
	uint64_t key;
	uint32_t tap_path; /* index */
	unsigned slot, kind;
	struct packet_match *same; /* was here before */
	bool earlier;              /* so was another of this number */
};

static bool of_number(const struct packet_match *c, const struct search *s)
{
	return c->tap_path == s->tap_path && c->psn == s->p->psn &&
	       c->kind == s->kind;
}

/* Answers that say the same are as many as one likes.  Of those that were seen
 * everywhere only the newest tells anything: the others would hide those that
 * were not. */
static bool is_done(const struct packet_match *c, const struct search *s)
{
	return s->same && c->closed && c->key == s->key &&
	       c->kind == UNMATCHED_ACK;
}

/* The match that the packet is part of; NULL: a new one. */
static struct packet_match *find(struct engine *e, struct tap_path *w,
				 struct search *s)
{
	struct multitap *t = e->multitap;
	uint32_t *link = bucket(t, s->tap_path, s->key, s->p->psn, s->kind);
	struct packet_match *found = NULL, *fallback = NULL;
	bool bad = s->p->icrc_status == ICRC_BAD;

	for (unsigned i = 0; i < LOOKED_AT && *link >= t->tail && *link; i++) {
		struct packet_match *c = match_at(t, *link);
		bool here = seen_at(c, s->slot);

		if (is_done(c, s)) {
			*link = c->prev;
			continue;
		}
		link = &c->prev;
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
static void mark_retransmitted(struct multitap *t, const struct search *s)
{
	uint32_t seq = *bucket(t, s->tap_path, s->key, s->p->psn, s->kind);

	for (unsigned i = 0; i < LOOKED_AT && seq >= t->tail && seq; i++) {
		struct packet_match *c = match_at(t, seq);
		struct observation *x = seen_at(c, s->slot);

		seq = c->prev;
		if (x && of_number(c, s) && !x->retransmitted_frame)
			x->retransmitted_frame = s->p->frame;
	}
}

/* The oldest leaves. */
static void leave(struct engine *e)
{
	struct multitap *t = e->multitap;
	struct packet_match *c = match_at(t, t->tail);

	if (!c->closed && e->now - c->first_ns < USUAL_NS &&
	    t->thin < MULTITAP_THIN_MAX) {
		/* Too many for the table: nothing can be said of this one. */
		t->thin++;
		c->closed = true;
	}
	close_match(e, c);
	t->tap_paths[c->tap_path]->refs--;
	t->tail++;
}

static struct packet_match *begin(struct engine *e, struct flow *f,
				  uint64_t key, const struct packet *p,
				  unsigned kind)
{
	struct multitap *t = e->multitap;
	uint32_t *head = bucket(t, f->tap_path - 1, key, p->psn, kind);
	struct packet_match *c;

	while (t->seq - t->tail >= PACKET_MATCHES)
		leave(e);
	c = match_at(t, t->seq);
	c->key = key;
	c->first_ns = p->ns;
	c->tap_path = f->tap_path - 1;
	c->icrc = p->icrc_status == ICRC_BAD ? 0 : p->icrc;
	c->psn = p->psn;
	c->prev = *head;
	c->n = 0;
	c->kind = (uint8_t)kind;
	c->closed = false;
	*head = t->seq++;
	t->tap_paths[c->tap_path]->refs++;
	return c;
}

/* One more packet is known to be part of |c|. */
static void joined(struct engine *e, struct tap_path *w, struct packet_match *c)
{
	struct observation *x = &c->at[c->n - 1];

	for (unsigned i = 0; i + 1 < c->n; i++)
		tap_path_vote(w, &c->at[i], x);
	look_at_order(e->multitap, w, c, x);
	if (c->n > 1 && c->n == w->n)
		close_match(e, c);
}

static void add_observation(struct engine *e, struct tap_path *w,
			    struct packet_match *c, unsigned slot,
			    const struct packet *p)
{
	struct slot *s = &w->s[slot];
	struct observation *x = &c->at[c->n++];
	unsigned i = 0;

	while (i < w->n && w->rank[i] != slot)
		i++;
	*x = (struct observation) {
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
					    ? OBSERVED_TRIMMED
					    : 0) |
				   (p->icrc_status == ICRC_GOOD  ? OBSERVED_GOOD
				    : p->icrc_status == ICRC_BAD ? OBSERVED_BAD
								 : 0)),
	};
	if (!c->icrc && p->icrc_status != ICRC_BAD)
		c->icrc = p->icrc;
	joined(e, w, c);
}

/* ---- stamps of whole microseconds ---- */

/* A retransmission may have the same one at both places then, and come from the
 * second one first.  Is it the original that was under way for longer than all
 * others, or that?  Known as soon as another microsecond has begun. */
static bool may_be_apart(struct multitap *t, const struct tap_path *w,
			 const struct packet_match *c, unsigned slot,
			 const struct packet *p)
{
	const struct observation *x = &c->at[0];
	const struct segment *s =
		t->segments[w->s[x->slot].place][w->s[slot].place];

	return t->n_apart < APART_MOST && c->n == 1 && !c->closed && s &&
	       s->b.n.packets >= SURE && p->ns - x->ns > s->b.max &&
	       !(p->ns % MICROSECOND_NS) && !(x->ns % MICROSECOND_NS);
}

static void put_apart(struct engine *e, struct packet_match *c,
		      struct packet_match *alone)
{
	struct multitap *t = e->multitap;
	uint32_t seq = t->seq - 1;

	t->apart[t->n_apart++] = (struct apart) {
		.ns = alone->first_ns,
		.match = seq - (seq - (uint32_t)(c - t->ring)) % PACKET_MATCHES,
		.alone = seq,
	};
}

/* Nothing else with its stamp came: it was the original. */
static void put_together(struct engine *e, const struct apart *a)
{
	struct multitap *t = e->multitap;
	struct packet_match *c = match_at(t, a->match);
	struct packet_match *alone = match_at(t, a->alone);

	if (a->match < t->tail || c->closed || alone->n > 1 || alone->closed ||
	    seen_at(c, alone->at[0].slot))
		return;
	alone->closed = true;
	c->at[c->n++] = alone->at[0];
	joined(e, t->tap_paths[c->tap_path], c);
}

/* |all|, or those that are older than the packet that comes. */
static void settle_apart(struct engine *e, bool all)
{
	struct multitap *t = e->multitap;
	uint32_t n = 0;

	while (n < t->n_apart && (all || t->apart[n].ns < e->now))
		put_together(e, &t->apart[n++]);
	for (uint32_t i = n; i < t->n_apart; i++)
		t->apart[i - n] = t->apart[i];
	t->n_apart -= n;
}

/* Once more where it was before: by the mirror, or by the network? */
static void again(struct multitap *t, struct tap_path *w,
		  struct packet_match *c, unsigned slot)
{
	struct observation *y = seen_at(c, slot), *x = NULL;
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
	b = tap_path_between(t, w, x->slot, slot);
	s = segment_of(t, w, x->slot, slot);
	if (!b || !s)
		return;
	b->n.doubled++;
	s->b.n.doubled++;
	segment_count(t, s, y->ns, SEGMENT_DOUBLED);
}

static bool is_double(const struct flow *f, const struct packet *p,
		      struct multitap_mark before,
		      const struct packet_match *same, unsigned slot)
{
	const struct observation *s = NULL;

	for (unsigned i = 0; i < same->n; i++)
		if (same->at[i].slot == slot)
			s = &same->at[i];
	if (f->mirror_dups + f->duplicates != before.doubled)
		return true;
	if (!s || p->ns - s->ns > DOUBLE_NS)
		return false;
	/* Answers of UET say how much was received or granted so far: none is
	 * sent twice, and who does that says nothing new. */
	return (same->kind == UNMATCHED_ACK && p->kind == PACKET_UET) ||
	       (counts_ip_id(f) && p->ip_id);
}

static void observe_packet(struct engine *e, struct flow *f, struct tap_path *w,
			   uint64_t key, const struct packet *p, unsigned kind,
			   struct multitap_mark before)
{
	struct multitap *t = e->multitap;
	unsigned slot = f->tap_path_slot;
	struct search s = { .p = p,
			    .key = key,
			    .tap_path = f->tap_path - 1,
			    .slot = slot,
			    .kind = kind };
	struct packet_match *c = find(e, w, &s), *apart;

	if (!c && s.same && is_double(f, p, before, s.same, slot)) {
		again(t, w, s.same, slot);
		return;
	}
	w->s[slot].order[s.kind]++;
	w->s[slot].packets++;
	w->s[slot].last_frame = p->frame;
	if (s.earlier && s.kind != UNMATCHED_ACK)
		mark_retransmitted(t, &s);
	if (t->n_unmatched &&
	    unmatched_seen(e, s.tap_path, slot, key, s.kind, p) && !c)
		return;
	apart = c && may_be_apart(t, w, c, slot, p) ? c : NULL;
	if (!c || apart) {
		c = begin(e, f, key, p, s.kind);
		c->copy = s.earlier || f->retransmitted != before.retransmitted;
	}
	if (apart)
		put_apart(e, apart, c);
	add_observation(e, w, c, slot, p);
}

void multitap_packet(struct engine *e, struct flow *f, const struct packet *p,
		     struct multitap_mark before)
{
	struct multitap *t = e->multitap;
	uint64_t key = packet_identity(p);
	unsigned kind = kind_of(e, p);
	struct multitap_place *place;
	struct tap_path *w;

	while (t->tail != t->seq &&
	       e->now - match_at(t, t->tail)->first_ns >= HORIZON_NS)
		leave(e);
	if (t->n_apart)
		settle_apart(e, false);
	if (t->n_unmatched)
		unmatched_sweep(e, false);
	if (!key || !looked_at(t, key))
		return;
	w = tap_path_of(e, f, p, kind);
	if (!w)
		return;
	tap_path_number(w, p, kind);
	place = &t->place[w->s[f->tap_path_slot].place];
	if (!place->begun)
		place->first_ns = p->ns;
	place->begun = true;
	place->last_ns = p->ns;
	/* It goes elsewhere: no use to remember it all. */
	if (w->n == 1 && w->s[0].packets > ALONE) {
		w->s[0].packets++;
		return;
	}
	observe_packet(e, f, w, key, p, kind, before);
}

/* ---- another connection than it seemed ---- */

static void withdraw_observation(struct packet_match *c, struct observation *x)
{
	struct observation *end = &c->at[--c->n];

	for (; x < end; x++)
		*x = x[1];
	c->closed = !c->n;
}

/* False: it was found at the next place, too, or is decided. */
static bool withdraw(struct engine *e, const struct packet *p,
		     const struct reconnect *from)
{
	struct multitap *t = e->multitap;
	uint64_t key = packet_identity(p);
	unsigned kind = kind_of(e, p);
	uint32_t path = from->tap_path - 1;
	uint32_t seq = *bucket(t, path, key, p->psn, kind);

	for (unsigned i = 0; i < LOOKED_AT && seq >= t->tail && seq; i++) {
		struct packet_match *c = match_at(t, seq);
		struct observation *x = seen_at(c, from->path_slot);

		if (x && x->frame == p->frame && c->tap_path == path) {
			if (c->closed)
				return false;
			withdraw_observation(c, x);
			return true;
		}
		seq = c->prev;
	}
	return t->tap_paths[path]->n == 1 ||
	       unmatched_withdraw(e, path, from->path_slot, kind, p);
}

static void follow_anew(struct engine *e, struct flow *f,
			const struct packet *p, const struct reconnect *from)
{
	struct multitap_mark before = multitap_before(f);

	request_packet(e, f, p);
	if (!from->tap_path || from->tap_path == NO_TAP_PATH ||
	    withdraw(e, p, from))
		multitap_packet(e, f, p, before);
}

bool multitap_full(const struct engine *e)
{
	return e->multitap && e->multitap->n_tap_paths_followed >= TAP_PATHS;
}

void multitap_finish(struct engine *e)
{
	struct multitap *t = e->multitap;

	if (!t)
		return;
	settle_apart(e, true);
	while (t->tail != t->seq) {
		close_match(e, match_at(t, t->tail));
		t->tail++;
	}
	unmatched_sweep(e, true);
	multitap_emit(e);
}
