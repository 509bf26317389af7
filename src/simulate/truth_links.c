/* SPDX-License-Identifier: GPL-2.0-or-later
 * Bookkeeping of links: load, queues, pauses and whom they hit. */
#include <string.h>

#include "simulate/port.h"
#include "simulate/truth_int.h"
#include "simulate/world.h"

static struct link_bin *bin(struct sim *s, struct link_truth *l)
{
	uint32_t number = (uint32_t)(s->now / s->bin);

	if (!l->n_bins || l->bins[l->n_bins - 1].number != number) {
		l->bins = mem_room(l->bins, l->n_bins, &l->cap_bins,
				   sizeof *l->bins);
		l->bins[l->n_bins++].number = number;
	}
	return &l->bins[l->n_bins - 1];
}

/* A frame of credits asks nobody to pause. */
static void count_pause(struct link_truth *l, const struct pkt *p)
{
	l->pauses++;
	if (p->credits)
		return;
	l->global_pauses += p->global_pause;
	for (unsigned i = 0; i < PRIORITIES && !p->global_pause; i++)
		l->pfc[i] += p->pause_vector >> i & 1;
}

void truth_link_sent(struct sim *s, struct port *port, const struct pkt *p,
		     int64_t takes, int64_t waited)
{
	struct link_truth *l = port->truth;
	struct link_bin *b = bin(s, l);

	l->packets++;
	l->bytes += p->bytes;
	l->busy += takes;
	if (p->class == PKT_PAUSE) {
		count_pause(l, p);
		b->pauses++;
	}
	b->packets++;
	b->bytes += p->bytes;
	if (!p->stream)
		return;
	while (l->n_flows <= p->stream->id) {
		l->flows = mem_room(l->flows, l->n_flows, &l->cap_flows,
				    sizeof *l->flows);
		l->n_flows++;
	}
	l->flows[p->stream->id].packets++;
	l->flows[p->stream->id].bytes += p->bytes;
	l->flows[p->stream->id].waited += waited;
}

void truth_link_delivered(struct sim *s, struct port *port, const struct pkt *p)
{
	port->truth->delivered++;
	if (p->class == PKT_PAUSE)
		port->truth->pauses_delivered++;
	else
		bin(s, port->truth)->delivered++;
}

void truth_link_marked(struct sim *s, struct port *port, struct pkt *p)
{
	port->truth->marked++;
	bin(s, port->truth)->marked++;
	if (p->stream)
		p->stream->count[p->class].marked++;
}

void truth_trimmed(struct sim *s, struct port *out, struct pkt *p)
{
	struct psn_record *r;
	struct truth_event *e;
	char name[80];

	port_name(out, name);
	p->stream->count[p->class].trimmed++;
	e = truth_event(s, TRUTH_TRIM, p->stream, p->psn);
	e->class = p->class;
	e->copy = p->copy;
	e->value = p->payload;
	e->place = truth_place(s->truth, name, "trim");
	e->taps_before = tapset_less(s, ahead_egress(s, out, p), p->taps);
	e->taps_after = p->taps;
	r = truth_psn(p->stream, p->class, p->psn);
	r->place = e->place;
}

void truth_link_depth(struct sim *s, struct port *port, unsigned prio)
{
	uint64_t depth = port->queue[prio].bytes;
	struct link_bin *b = bin(s, port->truth);

	if (depth > port->truth->depth[prio])
		port->truth->depth[prio] = depth;
	if (depth > b->depth)
		b->depth = depth;
}

struct silence *truth_silence(struct sim *s, const struct port *p,
			      uint8_t priority, const struct pause_truth *pause)
{
	struct silence *si = mem_new(sizeof *si);

	si->port = p;
	si->priority = priority;
	si->pause = pause;
	si->from = s->now;
	si->to = -1;
	*ROW_ADD(s->truth->silences) = si;
	return si;
}

void truth_victim(struct silence *si, const struct stream *st, uint64_t packets,
		  int64_t waited)
{
	struct victim *v = NULL;

	for (size_t i = 0; i < si->n_victims; i++)
		if (si->victims[i].stream == st)
			v = &si->victims[i];
	if (!v) {
		si->victims = mem_room(si->victims, si->n_victims,
				       &si->cap_victims, sizeof *si->victims);
		v = &si->victims[si->n_victims++];
		v->stream = st;
	}
	v->packets += packets;
	if (waited > v->longest)
		v->longest = waited;
}

struct cnp_truth *truth_cnp(struct truth *t, struct stream *throttled)
{
	struct cnp_truth *c = mem_new(sizeof *c);

	c->stream = throttled;
	c->marked = c->first = c->sent = c->arrived = -1;
	*ROW_ADD(t->cnps) = c;
	return c;
}
