/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets that are not seen at the next place: why? */
#include <stdlib.h>

#include "base/hash.h"
#include "flow/core/serial.h"
#include "flow/multitap/multitap.h"
#include "flow/uet/uet.h"

enum {
	LOOK_NS = 500000000, /* by then it is acknowledged, or retransmitted */
	DECIDE_NS = 1000000000, /* and so are those around it */
	NEAR_NS = 1000000,      /* M1: +- 1 ms */
	MOVED_ON = 64,          /* responses behind it */
	MANY = 200,             /* packets that show how good a capture is */
	SWEEP_LEAST = 1 << 10,  /* packets between sweeps */
	PER_MILLE = 1,          /* of them may be missing in a good one */
	SPRAYED_PERCENT = 1,    /* more take other paths: no place is named */
};

static uint32_t bucket(uint32_t tap_path, uint32_t psn, unsigned kind)
{
	return (uint32_t)(hash_short(tap_path << 2 | kind, psn) >> 51);
}

void place_missed(struct multitap_place *p, int64_t ns)
{
	p->misses[p->n_misses++ % CAPTURE_MISSES] = ns;
}

static bool misses_near(const struct multitap_place *p, int64_t ns)
{
	uint32_t n =
		p->n_misses < CAPTURE_MISSES ? p->n_misses : CAPTURE_MISSES;

	for (uint32_t i = 0; i < n; i++)
		if (llabs(p->misses[i] - ns) <= NEAR_NS)
			return true;
	return false;
}

static void unlink_unmatched(struct multitap *t, struct unmatched *g)
{
	uint32_t me = (uint32_t)(g - t->unmatched) + 1;
	uint32_t *at = &t->unmatched_head[bucket(g->tap_path, g->psn, g->kind)];

	while (*at != me)
		at = &t->unmatched[*at - 1].next;
	*at = g->next;
	t->tap_paths[g->tap_path]->refs--;
	g->used = false;
	g->next = t->unmatched_free;
	t->unmatched_free = me;
	t->n_unmatched--;
}

/* ---- what tells ---- */

static const struct flow *flow_of(const struct engine *e,
				  const struct unmatched *g)
{
	const struct slot *s = &e->multitap->tap_paths[g->tap_path]->s[g->from];
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
static bool arrived(const struct engine *e, const struct unmatched *g)
{
	const struct slot *s = &e->multitap->tap_paths[g->tap_path]->s[g->from];
	const struct flow *f = flow_of(e, g);

	if (!f || g->copy || g->kind == UNMATCHED_ACK)
		return false;
	if (g->kind == UNMATCHED_RESPONSE)
		return s->order[g->kind] - g->order >= MOVED_ON;
	if (!has_acks(f))
		return false;
	if (flow_is_uet(f))
		return uet_acked(f, g->psn);
	return f->paired && psn_diff(f->una, g->psn) > 0;
}

static bool good_capture(const struct multitap_place *p)
{
	return p->matched >= MANY && p->missed * 1000 <= p->matched * PER_MILLE;
}

static bool goes_elsewhere(const struct between *b)
{
	return b->missed * 100 > b->n.packets * SPRAYED_PERCENT;
}

/* ---- deciding ---- */

struct decision {
	enum unmatched_verdict verdict;
	double confidence;
	const char *detail;
};

static struct decision open_because(const char *why)
{
	return (struct decision) { UNMATCHED_OPEN, 0.5, why };
}

static struct decision decide(const struct engine *e, const struct unmatched *g,
			      const struct between *b,
			      const struct multitap_place *p)
{
	const struct flow *f = flow_of(e, g);
	bool elsewhere = goes_elsewhere(b);

	if (g->missed)
		return (struct decision) {
			UNMATCHED_MISSED, 0.95,
			"M2: acknowledged without a retransmission"
		};
	if (elsewhere)
		return open_because(
			"M2: packets of this flow take other paths, "
			"or the capture there misses many");
	if (misses_near(p, g->ns))
		return open_because("M1 or M2: the capture there misses "
				    "others at that moment");
	if (g->retransmitted_frame)
		return (struct decision) {
			UNMATCHED_LOST, p->missed ? 0.95 : 0.99,
			"M1: retransmitted, and the capture there is complete"
		};
	if (!good_capture(p))
		return open_because("M1 or M2: neither retransmitted nor "
				    "acknowledged");
	if (g->kind == UNMATCHED_ACK || g->copy || (f && !has_acks(f)))
		return (struct decision) {
			UNMATCHED_LOST, 0.8,
			"M1: the capture there misses almost nothing else"
		};
	return open_because("M1 or M2: neither retransmitted nor acknowledged");
}

static void report_unmatched(struct engine *e, const struct unmatched *g,
			     const struct segment *s, const struct decision *d)
{
	struct multitap *t = e->multitap;
	bool missed = d->verdict == UNMATCHED_MISSED;

	if (t->rows >= UNMATCHED_ROWS ||
	    (missed && t->missed_rows >= UNMATCHED_MISSED_ROWS)) {
		t->capped_rows++;
		return;
	}
	t->rows++;
	t->missed_rows += missed;
	HAND_OUT(e, unmatched,
		 &(struct fact_unmatched) {
			 .segment = s->id,
			 .flow = g->flow_id,
			 .to_flow = g->to_flow_id,
			 .tap = g->tap,
			 .ns = g->ns,
			 .frame = g->frame,
			 .before_frame = g->next_frame,
			 .retransmitted_frame = g->retransmitted_frame,
			 .psn = g->psn,
			 .kind = (enum unmatched_kind)g->kind,
			 .verdict = d->verdict,
			 .confidence = d->confidence,
			 .detail = d->detail });
}

static void add(struct fact_between *n, enum unmatched_verdict verdict)
{
	n->lost += verdict == UNMATCHED_LOST;
	n->missed_to += verdict == UNMATCHED_MISSED;
	n->open += verdict == UNMATCHED_OPEN;
}

/* Did packets that passed later come there, on a way that kept the
 * order of all others? */
static bool is_passed(const struct tap_path *w, const struct unmatched *g,
		      const struct between *b)
{
	const struct slot *to = &w->s[g->to];

	return to->begun[g->kind] && !b->n.reordered &&
	       (int32_t)(to->high[g->kind] - g->order) > 0;
}

/* Nothing but the silence there says that it is missing, and the capture there
 * ends so soon that it may still have been on its way: T3. */
static bool under_way(const struct unmatched *g, const struct segment *s,
		      const struct multitap_place *p)
{
	int64_t longest = 2 * s->b.max > NEAR_NS ? 2 * s->b.max : NEAR_NS;

	return !g->missed && !g->retransmitted_frame &&
	       p->last_ns - g->ns < longest;
}

/* Counts it and lets it go. */
static void conclude(struct engine *e, struct unmatched *g)
{
	static const enum segment_sum sums[UNMATCHED_VERDICTS] = {
		[UNMATCHED_LOST] = SEGMENT_LOST,
		[UNMATCHED_MISSED] = SEGMENT_MISSED_TO,
		[UNMATCHED_OPEN] = SEGMENT_OPEN,
	};
	struct multitap *t = e->multitap;
	struct tap_path *w = t->tap_paths[g->tap_path];
	struct multitap_place *p = &t->place[w->s[g->to].place];
	struct between *b = tap_path_between(t, w, g->from, g->to);
	struct segment *s = segment_of(t, w, g->from, g->to);
	struct decision d;

	unlink_unmatched(t, g);
	if (!b || !s || g->ns < p->first_ns || g->ns > p->last_ns ||
	    (under_way(g, s, p) && !is_passed(w, g, b)))
		return; /* T3 */
	d = decide(e, g, b, p);
	add(&b->n, d.verdict);
	add(&s->b.n, d.verdict);
	segment_count(t, s, g->ns, sums[d.verdict]);
	report_unmatched(e, g, s, &d);
}

/* Missing there, as is known by now. */
static void look(struct engine *e, struct unmatched *g)
{
	struct multitap *t = e->multitap;
	struct tap_path *w = t->tap_paths[g->tap_path];
	struct multitap_place *p = &t->place[w->s[g->to].place];
	struct between *b = tap_path_between(t, w, g->from, g->to);

	if (g->missed || g->retransmitted_frame || !arrived(e, g))
		return;
	g->missed = true;
	p->missed++;
	if (b)
		b->missed++;
	place_missed(p, g->ns);
}

/* Will more be known later? */
static bool can_wait(const struct multitap *t, const struct unmatched *g,
		     int64_t decide_before)
{
	if (g->ns > decide_before || !(g->missed || g->retransmitted_frame))
		return true;
	return t->place[t->tap_paths[g->tap_path]->s[g->to].place].last_ns <
	       g->ns;
}

static void sweep(struct engine *e, int64_t look_before, int64_t decide_before,
		  bool all)
{
	struct multitap *t = e->multitap;

	for (uint32_t i = 0; i < UNMATCHED_OPEN_MAX; i++)
		if (t->unmatched[i].used &&
		    (all || t->unmatched[i].ns <= look_before))
			look(e, &t->unmatched[i]);
	for (uint32_t i = 0; i < UNMATCHED_OPEN_MAX; i++)
		if (t->unmatched[i].used &&
		    (all || !can_wait(t, &t->unmatched[i], decide_before)))
			conclude(e, &t->unmatched[i]);
	t->swept_ns = e->now;
	t->since_swept = 0;
}

void unmatched_sweep(struct engine *e, bool all)
{
	if (all)
		sweep(e, 0, 0, true);
	else if (++e->multitap->since_swept >= SWEEP_LEAST &&
		 e->now - e->multitap->swept_ns >= DECIDE_NS)
		sweep(e, e->now - LOOK_NS, e->now - DECIDE_NS, false);
}

/* ---- coming and going ---- */

static struct unmatched *room(struct engine *e)
{
	struct multitap *t = e->multitap;
	struct unmatched *g;

	if (!t->unmatched_free && t->n_unmatched == UNMATCHED_OPEN_MAX)
		sweep(e, 0, 0, true);
	if (t->unmatched_free) {
		g = &t->unmatched[t->unmatched_free - 1];
		t->unmatched_free = g->next;
	} else {
		g = &t->unmatched[t->n_unmatched];
	}
	t->n_unmatched++;
	return g;
}

void unmatched_add(struct engine *e, const struct packet_match *c,
		   const struct observation *s, unsigned to)
{
	struct multitap *t = e->multitap;
	const struct tap_path *w = t->tap_paths[c->tap_path];
	struct unmatched *g;
	uint32_t *head =
		&t->unmatched_head[bucket(c->tap_path, c->psn, c->kind)];

	if (!t->place[w->s[to].place].begun ||
	    s->ns < t->place[w->s[to].place].first_ns)
		return;
	g = room(e);
	*g = (struct unmatched) {
		.key = c->key,
		.ns = s->ns,
		.frame = s->frame,
		.next_frame = s->next_frame,
		.retransmitted_frame = s->retransmitted_frame,
		.copy = c->copy,
		.tap_path = c->tap_path,
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
	*head = (uint32_t)(g - t->unmatched) + 1;
	t->tap_paths[c->tap_path]->refs++;
}

/* It was only slow. */
static void late(struct multitap *t, struct unmatched *g,
		 const struct packet *p)
{
	struct tap_path *w = t->tap_paths[g->tap_path];
	struct between *b = tap_path_between(t, w, g->from, g->to);
	struct segment *s = segment_of(t, w, g->from, g->to);

	unlink_unmatched(t, g);
	if (!b || !s)
		return;
	b->n.packets++;
	s->b.n.packets++;
	segment_count(t, s, g->ns, SEGMENT_PACKETS);
	between_delay(b, p->ns - g->ns, p->frame);
	between_delay(&s->b, p->ns - g->ns, p->frame);
}

bool unmatched_withdraw(struct engine *e, uint32_t tap_path, unsigned slot,
			unsigned kind, const struct packet *p)
{
	struct multitap *t = e->multitap;
	uint32_t i = t->unmatched_head[bucket(tap_path, p->psn, kind)];

	for (unsigned n = 0; i && n < LOOKED_AT; n++) {
		struct unmatched *g = &t->unmatched[i - 1];

		if (g->tap_path == tap_path && g->from == slot &&
		    g->frame == p->frame) {
			unlink_unmatched(t, g);
			return true;
		}
		i = g->next;
	}
	return false;
}

bool unmatched_seen(struct engine *e, uint32_t tap_path, unsigned slot,
		    uint64_t key, unsigned kind, const struct packet *p)
{
	struct multitap *t = e->multitap;
	uint32_t i = t->unmatched_head[bucket(tap_path, p->psn, kind)];

	for (unsigned n = 0; i && n < LOOKED_AT; n++) {
		struct unmatched *g = &t->unmatched[i - 1];

		i = g->next;
		if (g->tap_path != tap_path || g->psn != p->psn ||
		    g->kind != kind)
			continue;
		if (slot == g->to && key == g->key && !g->retransmitted_frame) {
			late(t, g, p);
			return true;
		}
		if (slot == g->from && kind != UNMATCHED_ACK &&
		    !g->retransmitted_frame && p->ns > g->ns)
			g->retransmitted_frame = p->frame;
	}
	return false;
}
