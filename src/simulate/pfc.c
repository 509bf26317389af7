/* SPDX-License-Identifier: GPL-2.0-or-later
 * Priority flow control (802.1Qbb).
 *
 * An ingress counts what it holds of each priority.  At XOFF it asks its peer
 * for silence and goes on asking every half pause time; at XON it sends a
 * pause of 0.  Between XOFF and silence the headroom takes what is under
 * way. */
#include "simulate/pfc.h"

#include "simulate/blame.h"
#include "simulate/port.h"
#include "simulate/switch.h"
#include "simulate/truth.h"
#include "simulate/world.h"

enum { QUANTUM_BITS = 512, SHORTEST = 60 };

int64_t pfc_ps(uint32_t quanta, uint64_t bps)
{
	return (int64_t)((unsigned __int128)quanta * QUANTUM_BITS * PS_PER_S /
			 bps);
}

void pfc_send(struct sim *s, struct port *port, unsigned prio, uint16_t quanta,
	      struct pause_truth *asks)
{
	struct pkt *p = pkt_new(&s->pool);

	p->class = PKT_PAUSE;
	p->bytes = SHORTEST;
	p->asks = asks;
	p->global_pause = asks && asks->global;
	p->pause_vector = (uint8_t)(1u << prio);
	p->pause[p->global_pause ? 0 : prio] = quanta;
	p->prio = 7;
	port_send(s, port, p);
}

static void refresh(struct sim *s, void *object, uint64_t argument)
{
	struct port *in = object;
	unsigned prio = (unsigned)(argument & 7);
	struct pause_truth *t = in->pause[prio];

	if (!t || (uint64_t)t->from != argument >> 3)
		return; /* that pause is over */
	t->refreshes++;
	t->xoff++;
	pfc_send(s, in, prio, t->quanta, t);
	sim_after(s, pfc_ps(t->quanta, in->bps) / 2, refresh, in, argument);
}

void pfc_filled(struct sim *s, struct port *in, unsigned prio,
		const struct switch_config *c)
{
	if (in->off[prio] || in->held[prio] < c->xoff)
		return;
	in->off[prio] = true;
	in->pause[prio] = truth_pause(s, in, (uint8_t)prio, c->quanta);
	in->pause[prio]->xoff = 1;
	in->pause[prio]->global = c->global_pause;
	blame_pause(s, in, in->pause[prio]);
	pfc_send(s, in, prio, c->quanta, in->pause[prio]);
	sim_after(s, pfc_ps(c->quanta, in->bps) / 2, refresh, in,
		  (uint64_t)s->now << 3 | prio);
}

void pfc_drained(struct sim *s, struct port *in, unsigned prio,
		 const struct switch_config *c)
{
	if (!in->off[prio] || in->held[prio] > c->xon)
		return;
	in->off[prio] = false;
	in->pause[prio]->xon = 1;
	in->pause[prio]->to = s->now;
	pfc_send(s, in, prio, 0, in->pause[prio]);
	in->pause[prio] = NULL;
}

/* --- the other side ------------------------------------------------------- */

static void resume(struct sim *s, struct port *port, unsigned prio,
		   bool expired)
{
	struct silence *si = port->truth->silence[prio];

	blame_victims(s, port, prio);
	si->to = s->now;
	si->expired = expired;
	port->truth->silence[prio] = NULL;
	port->paused_until[prio] = s->now;
	port->truth->paused[prio] += s->now - port->paused_since[prio];
	port->paused_since[prio] = -1;
	port->stuck_since[prio] = -1;
	port_kick(s, port);
}

static void expire(struct sim *s, void *object, uint64_t argument)
{
	struct port *port = object;
	unsigned prio = (unsigned)argument;

	if (port->paused_since[prio] >= 0 && port->paused_until[prio] == s->now)
		resume(s, port, prio, true);
}

static void watch(struct sim *s, void *object, uint64_t argument);

static void look_again(struct sim *s, struct port *port, unsigned prio,
		       int64_t when)
{
	sim_after(s, when, watch, port, prio);
}

/* Paused and stuck for the whole detection time: what waits is thrown away,
 * and what comes, until the pauses have stopped for the restore time. */
static void watch(struct sim *s, void *object, uint64_t argument)
{
	struct port *port = object;
	unsigned prio = (unsigned)argument;
	const struct switch_config *c =
		&((struct switch_node *)port->node)->config;
	struct truth_event *e;

	if (port->dropping[prio]) {
		if (port_paused(s, port, prio)) {
			look_again(s, port, prio, c->restore);
			return;
		}
		port->dropping[prio] = false;
		port->truth->storms_over[prio]++;
	} else if (port->stuck_since[prio] >= 0 &&
		   s->now - port->stuck_since[prio] >= c->watchdog &&
		   port->queue[prio].n) {
		port->dropping[prio] = true;
		port->truth->storms[prio]++;
		switch_flush(s, port, prio);
		look_again(s, port, prio, c->restore);
	} else {
		return;
	}
	e = truth_event(s, TRUTH_WATCHDOG, NULL, 0);
	e->value = port->dropping[prio];
	e->value2 = prio;
	e->place = truth_place(s->truth, port->node->name, "watchdog");
}

static void silence(struct sim *s, struct port *port, unsigned prio,
		    uint16_t quanta, const struct pause_truth *asks)
{
	const struct switch_node *w = (const struct switch_node *)port->node;

	if (!quanta) {
		if (port->paused_since[prio] >= 0)
			resume(s, port, prio, false);
		return;
	}
	port->paused_until[prio] = s->now + pfc_ps(quanta, port->bps);
	if (port->paused_since[prio] < 0) {
		port->paused_since[prio] = s->now;
		port->stuck_since[prio] = s->now;
		port->truth->silence[prio] =
			truth_silence(s, port, (uint8_t)prio, asks);
		blame_cycle(s, port, prio);
		if (port->node->is_switch && w->config.watchdog)
			look_again(s, port, prio, w->config.watchdog);
	}
	events_add(&s->events, port->paused_until[prio], expire, port, prio);
}

void pfc_obey(struct sim *s, struct port *port, const struct pkt *p)
{
	for (unsigned i = 0; i < PRIORITIES; i++)
		if (p->global_pause || p->pause_vector >> i & 1)
			silence(s, port, i,
				p->global_pause ? p->pause[0] : p->pause[i],
				p->asks);
}
