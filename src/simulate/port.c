/* SPDX-License-Identifier: GPL-2.0-or-later
 * Transmission over a link. */
#include "simulate/port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/blame.h"
#include "simulate/cbfc.h"
#include "simulate/host.h"
#include "simulate/pfc.h"
#include "simulate/qp.h"
#include "simulate/switch.h"
#include "simulate/tap.h"
#include "simulate/truth.h"
#include "simulate/world.h"

static const int64_t load_window = 128 * PS_PER_US;

void fault_free(struct fault *f)
{
	free(f);
}

void port_name(const struct port *port, char out[static 80])
{
	unsigned nth = 0, all = 0;

	for (size_t i = 0; i < port->node->n_ports; i++) {
		const struct port *q = port->node->ports[i];

		if (q->peer->node != port->peer->node)
			continue;
		all++;
		nth += q->index < port->index;
	}
	if (all > 1)
		snprintf(out, 80, "%s->%s#%u", port->node->name,
			 port->peer->node->name, nth);
	else
		snprintf(out, 80, "%s->%s", port->node->name,
			 port->peer->node->name);
}

bool port_paused(const struct sim *s, const struct port *p, unsigned prio)
{
	return p->paused_until[prio] > s->now;
}

/* --- taps ahead ----------------------------------------------------------- */

tapset ahead_link(struct sim *s, const struct port *port, const struct pkt *p)
{
	return taps_running(s, port->peer->rx_taps,
			    ahead_node(s, port->peer->node, p));
}

tapset ahead_egress(struct sim *s, const struct port *port, const struct pkt *p)
{
	return taps_running(s, port->tx_taps, ahead_link(s, port, p));
}

tapset ahead_node(struct sim *s, const struct node *n, const struct pkt *p)
{
	static const unsigned too_far = 32; /* a routing loop */
	tapset ahead = 0;

	for (unsigned hops = 0; n->is_switch && hops < too_far; hops++) {
		const struct port *out = switch_foresee(s, n, p);

		if (!out)
			break;
		ahead = taps_running(s, out->tx_taps, ahead);
		ahead = taps_running(s, out->peer->rx_taps, ahead);
		n = out->peer->node;
	}
	return ahead;
}

/* --- faults --------------------------------------------------------------- */

static bool fits(const struct fault *f, const struct sim *s,
		 const struct pkt *p)
{
	uint64_t at;

	if (p->class >= PKT_CLASSES || !(f->classes >> p->class & 1) ||
	    s->now < f->from || (f->to && s->now >= f->to))
		return false;
	if (f->qp && p->to != f->qp && p->to != f->qp->peer)
		return false;
	if ((f->originals && p->copy) || (f->tail && !p->last) ||
	    (f->naks && p->syndrome < 0x20))
		return false;
	if (!f->psns)
		return true;
	at = p->psn - p->stream->log[p->class == PKT_REQUEST ? 0 : 1].first;
	return at >= f->first && at <= f->last;
}

static bool strikes(struct fault *f, const struct sim *s, const struct pkt *p)
{
	bool hit;

	if (!fits(f, s, p))
		return false;
	if (f->limit && f->hits >= f->limit)
		return false;
	f->seen++;
	if (f->running) {
		f->running--;
		hit = true;
	} else {
		hit = f->every ? f->seen % f->every == 0
			       : rng_chance(&f->rng, f->chance);
		f->running = hit ? f->burst - 1 : 0;
	}
	f->hits += hit;
	return hit;
}

static void lose(struct sim *s, struct port *port, struct pkt *p,
		 enum drop_reason why)
{
	char name[80];

	port_name(port, name);
	port->truth->dropped++;
	port->peer->truth->refused[why]++;
	if (port->cbfc && p->class != PKT_PAUSE)
		cbfc_lost(port, p);
	truth_drop(s, p, ahead_link(s, port, p), name, why);
	pkt_free(&s->pool, p);
}

static void note(struct sim *s, struct port *port, const struct pkt *p,
		 enum truth_kind kind, int64_t value)
{
	struct truth_event *e = truth_event(s, kind, p->stream, p->psn);
	char name[80];

	port_name(port, name);
	e->class = p->class;
	e->copy = p->copy;
	e->value = (uint64_t)value;
	e->taps_before = ahead_link(s, port, p);
	e->taps_after = p->taps;
	e->place = truth_place(s->truth, name, "fault");
}

/* Adds to |*later|; false when the packet is gone. */
static bool meet_faults(struct sim *s, struct port *port, struct pkt *p,
			int64_t *later)
{
	for (struct fault *f = port->faults; f; f = f->next) {
		if (!strikes(f, s, p))
			continue;
		switch (f->kind) {
		case FAULT_DROP:
			lose(s, port, p, DROP_FAULT);
			return false;
		case FAULT_FCS:
			lose(s, port, p, DROP_FCS);
			return false;
		case FAULT_DAMAGE:
			p->corrupt = true;
			p->flip = (uint32_t)rng_next(&f->rng);
			note(s, port, p, TRUTH_DAMAGE, 0);
			break;
		case FAULT_DELAY: {
			int64_t by = f->by +
				     (int64_t)rng_below(
					     &f->rng, (uint64_t)f->jitter + 1);

			note(s, port, p, TRUTH_DELAY, by / PS_PER_NS);
			*later += by;
			break;
		}
		}
	}
	return true;
}

/* --- sending -------------------------------------------------------------- */

static void arrive(struct sim *s, void *object, uint64_t argument)
{
	struct port *at = object;
	struct pkt *p = (struct pkt *)(uintptr_t)argument;

	if (at->down) {
		lose(s, at->peer, p, DROP_DOWN);
		return;
	}
	truth_link_delivered(s, at->peer, p);
	taps_pass(s, at->rx_taps, p);
	if (p->class == PKT_PAUSE) {
		if (p->credits)
			cbfc_updated(s, at->peer);
		else
			pfc_obey(s, at, p);
		pkt_free(&s->pool, p);
	} else if (at->node->is_switch) {
		switch_take(s, at, p);
	} else {
		host_arrive(s, at, p);
	}
}

static void sent(struct sim *s, void *object, uint64_t argument)
{
	struct port *port = object;
	struct pkt *p = (struct pkt *)(uintptr_t)argument;
	int64_t later = port->delay;

	port->busy = false;
	port->sent_bytes[p->prio] += p->bytes;
	if (port->node->is_switch && p->class != PKT_PAUSE)
		switch_released(s, port, p);
	taps_pass(s, port->tx_taps, p);
	if (port->down)
		lose(s, port, p, DROP_DOWN);
	else if (meet_faults(s, port, p, &later))
		sim_after(s, later, arrive, port->peer, (uintptr_t)p);
	port_kick(s, port);
}

/* Do credits allow a packet of |prio|? */
static bool has_credit(struct sim *s, struct port *port, unsigned prio)
{
	static const uint32_t longest = 4300; /* a host's next: not made yet */
	const struct pkt *p = port->queue[prio].head;

	if (!port->cbfc)
		return true;
	if (p || port->node->is_switch)
		return !p || cbfc_room(s, port, prio, p->bytes, true);
	return cbfc_room(s, port, prio, longest, nic_pending(s, port, prio));
}

/* A bit for each priority that has something to send, or a NIC to be asked;
 * credits are waited for without. */
static unsigned priorities(const struct port *port)
{
	if (port->cbfc)
		return (1u << PRIORITIES) - 1;
	if (port->node->is_switch)
		return port->waiting;
	return port->waiting | nic_queue_of(port)->waiting;
}

static struct pkt *dequeue_packet(struct port *port, unsigned prio)
{
	struct pkt *p = fifo_take(&port->queue[prio]);

	if (!port->queue[prio].head)
		port->waiting &= (uint8_t) ~(1u << prio);
	return p;
}

static struct pkt *next_packet(struct sim *s, struct port *port)
{
	struct pkt *p = fifo_take(&port->control);
	unsigned left = p ? 0 : priorities(port);

	while (left && !p) { /* the highest first */
		unsigned prio = 31 - (unsigned)__builtin_clz(left);

		left &= ~(1u << prio);
		if (port_paused(s, port, prio) || !has_credit(s, port, prio))
			continue;
		p = dequeue_packet(port, prio);
		if (!p && !port->node->is_switch)
			p = nic_pull(s, port, prio);
	}
	return p;
}

static void count_load(struct sim *s, struct port *port, int64_t takes)
{
	if (s->now - port->load_from >= load_window) {
		int64_t span = s->now - port->load_from;

		port->load_pm = (uint32_t)(port->load_busy * 1000 / span);
		port->load_from = s->now;
		port->load_busy = 0;
	}
	port->load_busy += takes;
}

static bool is_bond(const struct node *n)
{
	return !n->is_switch && n->n_ports > 1;
}

/* Does a link carry one packet at a time?  Those of hosts always do, but which
 * link of a bond a packet takes is a choice of the fabric. */
static bool is_blocked(const struct sim *s, const struct port *port)
{
	const struct node *to = port->peer->node;

	return s->twin.fabric > FABRIC_IDEAL || !port->node->is_switch ||
	       !(to->is_switch || is_bond(to));
}

/* When all links of the bond |n| together have carried |bytes| more. */
static int64_t bond_has_room(struct sim *s, struct node *n, uint32_t bytes)
{
	int64_t *busy_until = &n->ports[0]->side_by_side;
	uint64_t bps = 0;

	for (size_t i = 0; i < n->n_ports; i++)
		bps += n->ports[i]->bps;
	if (*busy_until < s->now)
		*busy_until = s->now;
	*busy_until += wire_ps(bytes, bps);
	return *busy_until;
}

/* As long as |p| takes beside others, at the speed of its host's link at least;
 * it does not overtake. */
static int64_t beside(struct sim *s, struct port *port, const struct pkt *p)
{
	uint64_t bps = p->src->node.ports[0]->bps;
	int64_t left, bond = 0;

	left = s->now + wire_ps(p->bytes, bps > port->bps ? bps : port->bps);
	if (is_bond(port->peer->node))
		bond = bond_has_room(s, port->peer->node, p->bytes);
	if (left < bond)
		left = bond;
	if (left > port->side_by_side)
		port->side_by_side = left;
	port->busy = false;
	return port->side_by_side - s->now;
}

/* The ports of a bond have one. */
static uint32_t mac_of(const struct port *port)
{
	return port->node->is_switch ? port->id : port->node->ports[0]->id;
}

void port_kick(struct sim *s, struct port *port)
{
	struct pkt *p;
	int64_t takes, waited = 0;

	if (port->busy)
		return;
	/* choosing a packet may make others ready, which kick again */
	port->busy = true;
	p = next_packet(s, port);
	/* ... or, of a QP that must not send, one of a priority that has been
	 * asked already (CREDIT_REQ) */
	if (!p && port->waiting)
		p = next_packet(s, port);
	if (!p) {
		port->busy = false;
		return;
	}
	p->at = NULL;
	p->mac[0] = mac_of(port);
	p->mac[1] = mac_of(port->peer);
	if (port->node->is_switch && p->class != PKT_PAUSE) {
		switch_leaving(s, port, p);
		waited = s->now - p->queued;
	}
	if (port->cbfc && p->class != PKT_PAUSE)
		cbfc_sent(port, p);
	takes = wire_ps(p->bytes, port->bps);
	count_load(s, port, takes);
	truth_link_sent(s, port, p, takes, waited);
	sim_after(s, is_blocked(s, port) ? takes : beside(s, port, p), sent,
		  port, (uintptr_t)p);
}

/* So that nobody has to look through a queue for |p| or who is before it. */
static void note_place(struct port *port, struct pkt *p)
{
	const struct pkt_fifo *f = &port->queue[p->prio];

	p->at = port;
	p->joined = f->all_bytes;
	if (!f->tail)
		p->other_work = 0;
	else if (f->tail->stream->work != p->stream->work)
		p->other_work = f->all;
	else
		p->other_work = f->tail->other_work;
}

void port_send(struct sim *s, struct port *port, struct pkt *p)
{
	p->queued = s->now;
	if (p->class == PKT_PAUSE) {
		fifo_put(&port->control, p);
	} else {
		note_place(port, p);
		port->waiting |= (uint8_t)(1u << p->prio);
		fifo_put(&port->queue[p->prio], p);
		truth_link_depth(s, port, p->prio);
	}
	port_kick(s, port);
}

/* --- going down ----------------------------------------------------------- */

static void converge(struct sim *s, void *object, uint64_t argument)
{
	(void)object;
	(void)argument;
	truth_event(s, TRUTH_REROUTE, NULL, 0);
	world_route(s);
}

void port_set_down(struct sim *s, struct port *port, bool down)
{
	struct truth_event *e;
	char name[80];

	port->down = port->peer->down = down;
	port_name(port, name);
	e = truth_event(s, down ? TRUTH_LINK_DOWN : TRUTH_LINK_UP, NULL, 0);
	e->place = truth_place(s->truth, name, "link");
	sim_after(s, s->converge, converge, NULL, 0);
	for (int i = 0; i < 2; i++) {
		struct node *n = (i ? port : port->peer)->node;

		if (!n->is_switch)
			nic_rehash(s, (struct host *)n);
	}
	port_kick(s, port);
	port_kick(s, port->peer);
}

void port_finish(struct sim *s, struct port *port)
{
	for (unsigned i = 0; i < PRIORITIES; i++) {
		if (port->paused_since[i] >= 0)
			port->truth->paused[i] +=
				s->now - port->paused_since[i];
		blame_victims(s, port, i);
	}
}
