/* SPDX-License-Identifier: GPL-2.0-or-later
 * The bookkeeping behind truth.h. */
#include "simulate/truth.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/mem.h"
#include "simulate/tap.h"
#include "simulate/truth_int.h"
#include "simulate/uet.h"
#include "simulate/world.h"
#include "wire/wire.h"

static const char *const reasons[] = {
#define X(id, name) name,
	DROP_REASONS(X)
#undef X
};

struct truth *truth_new(void)
{
	struct truth *t = mem_new(sizeof *t);

	ROW_ADD(t->places)->at = mem_text("");
	return t;
}

static void stream_free(struct stream *st)
{
	for (size_t i = 0; i < st->n_tap; i++)
		free(st->tap[i]);
	free(st->tap);
	for (size_t i = 0; i < st->n_hops; i++)
		free(st->hops[i].residences);
	free(st->hops);
	free(st->uet);
	free(st->log[0].r);
	free(st->log[1].r);
	free(st);
}

static void iteration_free(struct iteration *it)
{
	for (size_t i = 0; i < it->ranks; i++)
		free(it->rank_waits[i].row);
	free(it->rank_waits);
	free(it->rank_from);
	free(it->rank_late);
	free(it->rank_cut);
	free(it->rank_start);
	free(it->rank_end);
	free(it);
}

void truth_free(struct truth *t)
{
	for (size_t i = 0; i < t->places.n; i++)
		free(t->places.row[i].at);
	for (size_t i = 0; i < t->streams.n; i++)
		stream_free(t->streams.row[i]);
	for (size_t i = 0; i < t->links.n; i++) {
		free(t->links.row[i]->bins);
		free(t->links.row[i]->flows);
		free(t->links.row[i]);
	}
	for (size_t i = 0; i < t->silences.n; i++) {
		free(t->silences.row[i]->victims);
		free(t->silences.row[i]);
	}
	for (size_t i = 0; i < t->cnps.n; i++)
		free(t->cnps.row[i]);
	for (size_t i = 0; i < t->recoveries.n; i++)
		free(t->recoveries.row[i]);
	for (size_t i = 0; i < t->messages.n; i++)
		free(t->messages.row[i]);
	for (size_t i = 0; i < t->pauses.n; i++)
		free(t->pauses.row[i]);
	for (size_t i = 0; i < t->iterations.n; i++)
		iteration_free(t->iterations.row[i]);
	free(t->places.row);
	free(t->streams.row);
	free(t->links.row);
	free(t->events.row);
	free(t->recoveries.row);
	free(t->messages.row);
	free(t->pauses.row);
	free(t->silences.row);
	free(t->cnps.row);
	free(t->iterations.row);
	free(t);
}

struct link_truth *truth_link(struct truth *t, const struct port *p)
{
	struct link_truth *l = mem_new(sizeof *l);

	l->port = p;
	*ROW_ADD(t->links) = l;
	return l;
}

struct stream *truth_stream(struct truth *t, enum service service,
			    const struct host *src, const struct host *dst,
			    uint32_t src_qp, uint32_t dst_qp, uint32_t epoch,
			    uint64_t first, uint64_t first_response)
{
	struct stream *st = mem_new(sizeof *st);

	st->id = (uint32_t)t->streams.n + 1;
	st->service = service;
	st->src = src;
	st->dst = dst;
	st->src_qp = src_qp;
	st->dst_qp = dst_qp;
	st->epoch = epoch;
	st->psn_mask = service_is_uet(service) ? UINT32_MAX : 0xffffff;
	if (service_is_uet(service)) {
		st->uet = mem_new(sizeof *st->uet);
		st->uet->opened = st->uet->known = st->uet->closed = -1;
	}
	st->first = st->last = -1;
	st->first_psn = first;
	st->log[PKT_REQUEST].first = first;
	st->log[PKT_RESPONSE].first = first_response;
	*ROW_ADD(t->streams) = st;
	return st;
}

struct psn_record *truth_psn(struct stream *st, enum pkt_class class,
			     uint64_t psn)
{
	struct psn_log *l = &st->log[class];
	size_t i = (size_t)(psn - l->first);

	while (l->n <= i) {
		l->r = mem_room(l->r, l->n, &l->cap, sizeof *l->r);
		l->n++;
	}
	return &l->r[i];
}

static struct psn_record *record(const struct pkt *p)
{
	return p->class <= PKT_RESPONSE ? truth_psn(p->stream, p->class, p->psn)
					: NULL;
}

void truth_sent(struct sim *s, struct pkt *p)
{
	struct stream *st = p->stream;
	struct class_count *c = &st->count[p->class];
	struct psn_record *r = record(p);

	if (st->first < 0)
		st->first = s->now;
	st->last = s->now;
	p->order = ++st->order[p->class];
	c->sent++;
	c->bytes += p->bytes;
	c->payload += p->payload;
	if (!r) {
		c->copies += p->copy > 0;
		return;
	}
	p->copy = r->sent++;
	r->fate = FATE_FLYING;
	r->newest = p;
	if (p->trigger && !p->copy)
		p->copy = r->sent++; /* a READ asked for again from inside */
	if (!p->copy)
		return;
	if (!p->trigger)
		p->trigger = TRIG_DUPLICATE;
	c->copies++;
	st->retransmitted[p->trigger]++;
	st->retransmitted_bytes += p->bytes;
	if (r->taken && p->span == 1 && p->class == PKT_REQUEST)
		st->retransmitted_needless++;
}

void truth_entropy(struct uet_truth *u, uint16_t ev)
{
	uint8_t bit = (uint8_t)(1u << ev % 8);

	u->n_evs += !(u->evs[ev / 8] & bit);
	u->evs[ev / 8] |= bit;
}

void truth_delivered(struct sim *s, struct pkt *p)
{
	(void)s;
	p->stream->count[p->class].delivered++;
	if (p->ecn == MARK_CE && p->class <= PKT_RESPONSE)
		p->stream->ce_seen++;
}

static struct hop_count *hop_count(struct stream *st, const struct node *n,
				   const struct pkt_hop *h)
{
	struct hop_count *c;

	for (size_t i = 0; i < st->n_hops; i++) {
		c = &st->hops[i];
		if (c->node == n && c->ingress == h->ingress &&
		    c->egress == h->egress)
			return c;
	}
	st->hops =
		mem_room(st->hops, st->n_hops, &st->cap_hops, sizeof *st->hops);
	c = &st->hops[st->n_hops++];
	c->node = n;
	c->ingress = h->ingress;
	c->egress = h->egress;
	c->residence_min = UINT32_MAX;
	return c;
}

void truth_hop(struct stream *st, const struct node *n, const struct pkt_hop *h,
	       bool stamped, bool marked)
{
	struct hop_count *c = hop_count(st, n, h);

	c->packets++;
	c->marked += marked;
	if (stamped) {
		c->stamped++;
		c->residences =
			mem_room(c->residences, c->n_residences,
				 &c->cap_residences, sizeof *c->residences);
		c->residences[c->n_residences++] = h->residence_ns;
	}
	c->residence_sum += h->residence_ns;
	if (h->residence_ns < c->residence_min)
		c->residence_min = h->residence_ns;
	if (h->residence_ns > c->residence_max)
		c->residence_max = h->residence_ns;
}

uint16_t truth_place(struct truth *t, const char *at, const char *reason)
{
	struct place *pl;

	for (size_t i = 1; i < t->places.n; i++)
		if (t->places.row[i].reason == reason &&
		    !strcmp(t->places.row[i].at, at))
			return (uint16_t)i;
	if (t->places.n > UINT16_MAX)
		return 0;
	pl = ROW_ADD(t->places);
	pl->at = mem_text(at);
	pl->reason = reason;
	return (uint16_t)(t->places.n - 1);
}

struct truth_event *truth_event(struct sim *s, enum truth_kind kind,
				const struct stream *st, uint64_t psn)
{
	struct truth_event *e = ROW_ADD(s->truth->events);

	e->at = s->now;
	e->kind = kind;
	e->stream = st;
	e->psn = psn;
	e->class = PKT_CLASSES;
	return e;
}

static struct tap_count *count_at(const struct sim *s, struct stream *st,
				  uint32_t tap, unsigned class)
{
	if (!st->tap) {
		st->n_tap = s->n_taps;
		st->tap = mem_new(st->n_tap * sizeof *st->tap);
	}
	if (!st->tap[tap])
		st->tap[tap] = mem_new(PKT_CLASSES * sizeof **st->tap);
	return &st->tap[tap][class];
}

static void count_taps(const struct sim *s, struct stream *st, tapset taps,
		       unsigned class, size_t field)
{
	for (uint32_t i = tapset_next(s, taps, 0); i < s->n_taps;
	     i = tapset_next(s, taps, i + 1)) {
		char *c = (char *)count_at(s, st, i, class);

		++*(uint64_t *)(void *)(c + field);
	}
}

void truth_drop(struct sim *s, struct pkt *p, tapset ahead, const char *at,
		enum drop_reason reason)
{
	uint16_t place = truth_place(s->truth, at, reasons[reason]);
	struct psn_record *r;
	struct truth_event *e;

	ahead = tapset_less(s, ahead, p->taps);
	s->truth->places.row[place].drops++;
	if (!p->stream)
		return;
	r = record(p);
	p->stream->count[p->class].dropped++;
	count_taps(s, p->stream, ahead, p->class,
		   offsetof(struct tap_count, lost_before));
	count_taps(s, p->stream, p->taps, p->class,
		   offsetof(struct tap_count, lost_after));
	if (r) {
		if (r->fate == FATE_FLYING && p->copy + 1 == r->sent)
			r->fate = FATE_LOST;
		r->place = place;
		r->lost_before = tapset_union(s, r->lost_before, ahead);
		if (!r->taken)
			r->lost_after = tapset_union(s, r->lost_after, p->taps);
		if (!p->copy)
			r->lost_first = tapset_union(s, r->lost_first, ahead);
	}
	e = truth_event(s, TRUTH_DROP, p->stream, p->psn);
	e->place = place;
	e->copy = p->copy;
	e->class = p->class;
	e->taps_before = ahead;
	e->taps_after = p->taps;
	e->taps_seen = p->captured;
	e->value = p->id;
}

/* Of UET: what is asked of the other end, as often as it was copied. */
static void count_asked(struct tap_count *c, const struct pkt *p,
			unsigned copies)
{
	if (p->class == PKT_ACK && p->uet.type != PDS_NACK)
		c->clears += p->uet.flags & UET_REQ_CLEAR ? copies : 0;
	if (p->class != PKT_CONTROL)
		return;
	c->probes += p->uet.next == CP_PROBE ? copies : 0;
	c->ack_reqs += p->uet.next == CP_ACK_REQ ? copies : 0;
	if (p->uet.next == CP_CLEAR || p->uet.next == CP_CLEAR_REQ)
		c->clears += copies;
}

void truth_tap_pass(struct sim *s, const struct tap *t, const struct pkt *p,
		    unsigned copies)
{
	struct tap_count *c;
	struct psn_record *r;

	if (!p->stream)
		return;
	c = count_at(s, p->stream, t->index, p->class);
	c->passed++;
	c->passed_copies += p->copy > 0;
	c->damaged += p->corrupt;
	c->ce += p->ecn == MARK_CE;
	c->trimmed += p->kept > 0;
	if (copies && p->class == PKT_ACK) {
		c->naks += p->syndrome == 0x60;
		c->rnrs += p->syndrome >> 5 == 1;
		c->refusals += p->syndrome > 0x60;
	}
	if (p->uet.type)
		count_asked(c, p, copies);
	if (copies) {
		c->captured++;
		c->captured_copies += p->copy > 0;
		c->doubled += copies - 1;
	} else {
		c->missed++;
	}
	if (p->order < c->newest) {
		c->reordered += p->copy == 0;
		c->reordered_copies += p->copy > 0;
	} else {
		c->newest = p->order;
	}
	r = record(p);
	if (r) {
		r->passed = tapset_with(s, r->passed, t->index);
		if (copies)
			r->captured = tapset_with(s, r->captured, t->index);
	}
	if (p->recovery && copies)
		p->recovery->seen = tapset_with(s, p->recovery->seen, t->index);
	if (p->cnp && copies)
		p->cnp->taps = tapset_with(s, p->cnp->taps, t->index);
}

void truth_fate(struct stream *st, enum pkt_class class, uint64_t psn,
		enum fate fate)
{
	struct psn_record *r = truth_psn(st, class, psn);

	r->fate = (uint8_t)fate;
	if (fate == FATE_TAKEN)
		r->taken = true;
	if (fate == FATE_DUPLICATE)
		st->duplicates++;
}

/* Was anything of [psn, until) really lost, and what was the first? */
static void find_loss(struct recovery *rec, struct stream *st,
		      enum pkt_class class)
{
	for (uint64_t x = rec->psn; x < rec->until; x++) {
		struct psn_record *r = truth_psn(st, class, x);

		if (r->taken ||
		    (r->fate != FATE_LOST && r->fate != FATE_TRIMMED))
			continue;
		rec->trimmed += r->fate == FATE_TRIMMED;
		if (!rec->lost++) {
			rec->place = r->place;
			rec->taps_before = r->lost_before;
			rec->taps_after = r->lost_after;
		}
	}
}

static enum cause cause_of(const struct truth *t, const struct recovery *rec,
			   bool taken, bool flying)
{
	if (rec->trigger == TRIG_RNR)
		return CAUSE_RNR;
	if (rec->trimmed)
		return CAUSE_TRIM;
	if (rec->lost)
		return t->places.row[rec->place].reason == reasons[DROP_ICRC]
			       ? CAUSE_DAMAGE
			       : CAUSE_LOSS;
	if (rec->trigger == TRIG_TIMEOUT)
		return taken || !flying ? CAUSE_ACK_LOSS : CAUSE_EARLY;
	if (rec->trigger == TRIG_NAK && rec->busy)
		return CAUSE_BUSY;
	return CAUSE_REORDER;
}

struct recovery *truth_recovery(struct sim *s, struct stream *st,
				enum pkt_trigger trigger, uint64_t psn,
				uint64_t until, bool busy)
{
	struct recovery *rec = mem_new(sizeof *rec);
	struct psn_record *r = truth_psn(st, PKT_REQUEST, psn);

	rec->at = s->now;
	rec->stream = st;
	rec->trigger = trigger;
	rec->psn = psn;
	rec->until = until;
	rec->caught_up = -1;
	rec->busy = busy;
	find_loss(rec, st, PKT_REQUEST);
	if (!rec->lost && trigger != TRIG_NAK && trigger != TRIG_RNR &&
	    st->reverse && !st->uet)
		find_loss(rec, st->reverse, PKT_RESPONSE);
	rec->cause = cause_of(s->truth, rec, r->taken, r->fate == FATE_FLYING);
	*ROW_ADD(s->truth->recoveries) = rec;
	return rec;
}

struct message *truth_message(struct truth *t, struct stream *st,
			      enum msg_op op, uint64_t bytes)
{
	struct message *m = mem_new(sizeof *m);

	m->stream = st;
	m->op = op;
	m->bytes = bytes;
	m->posted = m->first = m->last = m->delivered = m->completed = -1;
	if (st)
		st->messages++;
	*ROW_ADD(t->messages) = m;
	return m;
}

struct pause_truth *truth_pause(struct sim *s, const struct port *p,
				uint8_t priority, uint16_t quanta)
{
	struct pause_truth *pt = mem_new(sizeof *pt);

	pt->id = (uint32_t)s->truth->pauses.n + 1;
	pt->root = pt;
	pt->port = p;
	pt->priority = priority;
	pt->from = s->now;
	pt->to = -1;
	pt->quanta = quanta;
	*ROW_ADD(s->truth->pauses) = pt;
	return pt;
}

struct iteration *truth_iteration(struct truth *t, const struct work *w,
				  uint32_t number, size_t ranks)
{
	struct iteration *it = mem_new(sizeof *it);

	it->work = w;
	it->number = number;
	it->ranks = ranks;
	it->from = it->comm_from = it->to = -1;
	it->rank_waits = mem_new(ranks * sizeof *it->rank_waits);
	it->rank_from = mem_new(ranks * sizeof *it->rank_from);
	it->rank_late = mem_new(ranks * sizeof *it->rank_late);
	it->rank_cut = mem_new(ranks * sizeof *it->rank_cut);
	it->rank_start = mem_new(ranks * sizeof *it->rank_start);
	it->rank_end = mem_new(ranks * sizeof *it->rank_end);
	for (size_t i = 0; i < ranks; i++)
		it->rank_from[i] = it->rank_start[i] = it->rank_end[i] = -1;
	*ROW_ADD(t->iterations) = it;
	return it;
}
