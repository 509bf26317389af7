/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets that are not seen at the next place: why? */
#include <stdlib.h>

#include "flow/core/serial.h"
#include "flow/multitap/trail.h"
#include "flow/uet/uet.h"

enum {
	LOOK_NS = 500000000, /* by then it is acknowledged, or retransmitted */
	DECIDE_NS = 1000000000, /* and so are those around it */
	NEAR_NS = 1000000,      /* M1: +- 1 ms */
	MOVED_ON = 64,          /* responses behind it */
	MANY = 200,             /* packets that show how good a capture is */
	SWEEP_LEAST = 1 << 10,  /* packets between sweeps */
	PER_MILLE = 1,          /* of them may be missing in a good one */
	SPRAYED_PERCENT = 1,    /* more take other ways: no place is told */
};

static uint32_t bucket(uint32_t way, uint32_t psn, unsigned kind)
{
	return (way * 0x9e3779b1u ^ psn * 0x85ebca6bu ^ kind) % TRAIL_GONE;
}

void place_ghost(struct trail_place *p, int64_t ns)
{
	p->ghosts[p->n_ghosts++ % TRAIL_GHOSTS] = ns;
}

static bool ghosts_near(const struct trail_place *p, int64_t ns)
{
	uint32_t n = p->n_ghosts < TRAIL_GHOSTS ? p->n_ghosts : TRAIL_GHOSTS;

	for (uint32_t i = 0; i < n; i++)
		if (llabs(p->ghosts[i] - ns) <= NEAR_NS)
			return true;
	return false;
}

static void unlink_gone(struct trails *t, struct gone *g)
{
	uint32_t me = (uint32_t)(g - t->gone) + 1;
	uint32_t *at = &t->gone_head[bucket(g->way, g->psn, g->kind)];

	while (*at != me)
		at = &t->gone[*at - 1].next;
	*at = g->next;
	t->ways[g->way]->refs--;
	g->used = false;
	g->next = t->gone_free;
	t->gone_free = me;
	t->n_gone--;
}

/* ---- what tells ---- */

static const struct flow *flow_of(const struct engine *e, const struct gone *g)
{
	const struct slot *s = &e->trails->ways[g->way]->s[g->from];
	const struct flow *f = flow_at(e, s->flow);

	return f->id == g->flow_id ? f : NULL;
}

static bool has_acks(const struct flow *f)
{
	return f->transport == FLOW_RC || f->transport == FLOW_XRC ||
	       f->transport == FLOW_UET_ROD || f->transport == FLOW_UET_RUD ||
	       f->transport == FLOW_UET_RUDI;
}

/* The receiver has it. */
static bool arrived(const struct engine *e, const struct gone *g)
{
	const struct slot *s = &e->trails->ways[g->way]->s[g->from];
	const struct flow *f = flow_of(e, g);

	if (!f || g->copy || g->kind == VANISHED_ANSWER)
		return false;
	if (g->kind == VANISHED_RESPONSE)
		return s->order[g->kind] - g->order >= MOVED_ON;
	if (!has_acks(f))
		return false;
	if (flow_is_uet(f))
		return uet_acked(f, g->psn);
	return f->paired && psn_diff(f->una, g->psn) > 0;
}

static bool good_capture(const struct trail_place *p)
{
	return p->matched >= MANY && p->missed * 1000 <= p->matched * PER_MILLE;
}

static bool goes_elsewhere(const struct between *b)
{
	return b->n.missed_to * 100 > b->n.packets * SPRAYED_PERCENT;
}

/* ---- deciding ---- */

struct decision {
	enum vanished_verdict verdict;
	double confidence;
	const char *detail;
};

static struct decision open_because(const char *why)
{
	return (struct decision) { VANISHED_OPEN, 0.5, why };
}

static struct decision decide(const struct engine *e, const struct gone *g,
			      const struct between *b,
			      const struct trail_place *p)
{
	const struct flow *f = flow_of(e, g);
	bool elsewhere = goes_elsewhere(b);

	if (g->missed)
		return (struct decision) {
			VANISHED_MISSED, 0.95,
			"M2: acknowledged without a retransmission"
		};
	if (elsewhere)
		return open_because("M2: packets of this flow take other ways, "
				    "or the capture there misses many");
	if (ghosts_near(p, g->ns))
		return open_because("M1 or M2: the capture there misses "
				    "others at that moment");
	if (g->resent_frame)
		return (struct decision) {
			VANISHED_LOST, p->missed ? 0.95 : 0.99,
			"M1: retransmitted, and nothing else is missing there"
		};
	if (!good_capture(p))
		return open_because("M1 or M2: neither retransmitted nor "
				    "acknowledged");
	if (g->kind == VANISHED_ANSWER || g->copy || (f && !has_acks(f)))
		return (struct decision) {
			VANISHED_LOST, 0.8,
			"M1: hardly anything else is missing there"
		};
	return open_because("M1 or M2: neither retransmitted nor acknowledged");
}

static void tell(struct engine *e, const struct gone *g,
		 const struct segment *s, const struct decision *d)
{
	struct trails *t = e->trails;
	bool missed = d->verdict == VANISHED_MISSED;

	if (t->rows >= TRAIL_ROWS ||
	    (missed && t->missed_rows >= TRAIL_MISSED_ROWS)) {
		t->capped_rows++;
		return;
	}
	t->rows++;
	t->missed_rows += missed;
	if (e->sink.vanished)
		e->sink.vanished(e->sink.ctx,
				 &(struct fact_vanished) {
					 .segment = s->id,
					 .flow = g->flow_id,
					 .to_flow = g->to_flow_id,
					 .tap = g->tap,
					 .ns = g->ns,
					 .frame = g->frame,
					 .before_frame = g->next_frame,
					 .resent_frame = g->resent_frame,
					 .psn = g->psn,
					 .kind = (enum vanished_kind)g->kind,
					 .verdict = d->verdict,
					 .confidence = d->confidence,
					 .detail = d->detail });
}

static void add(struct fact_between *n, enum vanished_verdict verdict)
{
	n->lost += verdict == VANISHED_LOST;
	n->missed_to += verdict == VANISHED_MISSED;
	n->open += verdict == VANISHED_OPEN;
}

/* Nothing but the silence there says that it is missing, and the capture there
 * ends so soon that it may still have been on its way: T3. */
static bool under_way(const struct gone *g, const struct segment *s,
		      const struct trail_place *p)
{
	int64_t longest = 2 * s->b.max > NEAR_NS ? 2 * s->b.max : NEAR_NS;

	return !g->missed && !g->resent_frame && p->last_ns - g->ns < longest;
}

/* Counts it and lets it go. */
static void conclude(struct engine *e, struct gone *g)
{
	static const enum segment_sum sums[VANISHED_VERDICTS] = {
		[VANISHED_LOST] = SEGMENT_LOST,
		[VANISHED_MISSED] = SEGMENT_MISSED_TO,
		[VANISHED_OPEN] = SEGMENT_OPEN,
	};
	struct trails *t = e->trails;
	struct way *w = t->ways[g->way];
	struct trail_place *p = &t->place[w->s[g->to].place];
	struct between *b = way_between(t, w, g->from, g->to);
	struct segment *s = segment_of(t, w, g->from, g->to);
	struct decision d;

	unlink_gone(t, g);
	if (!b || !s || g->ns < p->first_ns || g->ns > p->last_ns ||
	    under_way(g, s, p))
		return; /* T3 */
	d = decide(e, g, b, p);
	add(&b->n, d.verdict);
	add(&s->b.n, d.verdict);
	segment_count(t, s, g->ns, sums[d.verdict]);
	tell(e, g, s, &d);
}

/* Missing there, as is known by now. */
static void look(struct engine *e, struct gone *g)
{
	struct trails *t = e->trails;
	struct trail_place *p = &t->place[t->ways[g->way]->s[g->to].place];

	if (g->missed || g->resent_frame || !arrived(e, g))
		return;
	g->missed = true;
	p->missed++;
	place_ghost(p, g->ns);
}

/* Will more be known later? */
static bool can_wait(const struct trails *t, const struct gone *g,
		     int64_t decide_before)
{
	if (g->ns > decide_before || !(g->missed || g->resent_frame))
		return true;
	return t->place[t->ways[g->way]->s[g->to].place].last_ns < g->ns;
}

static void sweep(struct engine *e, int64_t look_before, int64_t decide_before,
		  bool all)
{
	struct trails *t = e->trails;

	for (uint32_t i = 0; i < TRAIL_GONE; i++)
		if (t->gone[i].used && (all || t->gone[i].ns <= look_before))
			look(e, &t->gone[i]);
	for (uint32_t i = 0; i < TRAIL_GONE; i++)
		if (t->gone[i].used &&
		    (all || !can_wait(t, &t->gone[i], decide_before)))
			conclude(e, &t->gone[i]);
	t->swept_ns = e->now;
	t->since_swept = 0;
}

void gone_sweep(struct engine *e, bool all)
{
	if (all)
		sweep(e, 0, 0, true);
	else if (++e->trails->since_swept >= SWEEP_LEAST &&
		 e->now - e->trails->swept_ns >= DECIDE_NS)
		sweep(e, e->now - LOOK_NS, e->now - DECIDE_NS, false);
}

/* ---- coming and going ---- */

static struct gone *room(struct engine *e)
{
	struct trails *t = e->trails;
	struct gone *g;

	if (!t->gone_free && t->n_gone == TRAIL_GONE)
		sweep(e, 0, 0, true);
	if (t->gone_free) {
		g = &t->gone[t->gone_free - 1];
		t->gone_free = g->next;
	} else {
		g = &t->gone[t->n_gone];
	}
	t->n_gone++;
	return g;
}

void gone_add(struct engine *e, const struct crossing *c,
	      const struct sighting *s, unsigned to)
{
	struct trails *t = e->trails;
	const struct way *w = t->ways[c->way];
	struct gone *g;
	uint32_t *head = &t->gone_head[bucket(c->way, c->psn, c->kind)];

	if (!t->place[w->s[to].place].begun ||
	    s->ns < t->place[w->s[to].place].first_ns)
		return;
	g = room(e);
	*g = (struct gone) {
		.key = c->key,
		.ns = s->ns,
		.frame = s->frame,
		.next_frame = s->next_frame,
		.resent_frame = s->resent_frame,
		.copy = c->copy,
		.way = c->way,
		.psn = c->psn,
		.tap = s->tap,
		.order = s->order,
		.flow_id = w->s[s->slot].id,
		.to_flow_id = w->s[to].id,
		.next = *head,
		.from = s->slot,
		.to = (uint8_t)to,
		.kind = c->kind,
		.used = true,
	};
	*head = (uint32_t)(g - t->gone) + 1;
	t->ways[c->way]->refs++;
}

/* It was only slow. */
static void late(struct trails *t, struct gone *g, const struct packet *p)
{
	struct way *w = t->ways[g->way];
	struct between *b = way_between(t, w, g->from, g->to);
	struct segment *s = segment_of(t, w, g->from, g->to);

	unlink_gone(t, g);
	if (!b || !s)
		return;
	b->n.packets++;
	s->b.n.packets++;
	segment_count(t, s, g->ns, SEGMENT_PACKETS);
	between_delay(b, p->ns - g->ns, p->frame);
	between_delay(&s->b, p->ns - g->ns, p->frame);
}

bool gone_seen(struct engine *e, uint32_t way, unsigned slot, uint64_t key,
	       unsigned kind, const struct packet *p)
{
	struct trails *t = e->trails;
	uint32_t i = t->gone_head[bucket(way, p->psn, kind)];

	for (unsigned n = 0; i && n < 32; n++) {
		struct gone *g = &t->gone[i - 1];

		i = g->next;
		if (g->way != way || g->psn != p->psn || g->kind != kind)
			continue;
		if (slot == g->to && key == g->key && !g->resent_frame) {
			late(t, g, p);
			return true;
		}
		if (slot == g->from && kind != VANISHED_ANSWER &&
		    !g->resent_frame && p->ns > g->ns)
			g->resent_frame = p->frame;
	}
	return false;
}
