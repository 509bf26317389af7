/* SPDX-License-Identifier: GPL-2.0-or-later
 * Who is behind a pause.
 *
 * An ingress sends PFC pause because of the bytes that came in by it and
 * are stored; what holds most of them is an egress of the same switch.  If
 * that egress may not send itself, whoever paused it is behind this pause
 * as well; and so on to the root. */
#include "simulate/blame.h"

#include "simulate/host.h"
#include "simulate/port.h"
#include "simulate/qp.h"
#include "simulate/truth.h"
#include "simulate/world.h"

enum { TOO_LONG = 64 }; /* circles of more links are none */

static uint64_t held_for(const struct port *out, unsigned prio,
			 const struct port *in)
{
	uint64_t bytes = 0;

	for (const struct pkt *p = out->queue[prio].head; p; p = p->next)
		bytes += p->in == in ? p->stored : 0;
	return bytes;
}

static struct port *holder(const struct port *in, unsigned prio)
{
	struct port *most = NULL;
	uint64_t bytes = 0;

	for (size_t i = 0; i < in->node->n_ports; i++) {
		struct port *out = in->node->ports[i];
		uint64_t here = held_for(out, prio, in);

		if (here > bytes) {
			bytes = here;
			most = out;
		}
	}
	return most;
}

void blame_pause(struct sim *s, const struct port *in,
		 struct pause_truth *pause)
{
	const struct silence *si;

	if (!in->node->is_switch) {
		pause->reason = PAUSE_SLOW;
		return;
	}
	pause->egress = holder(in, pause->priority);
	if (!pause->egress || !port_paused(s, pause->egress, pause->priority))
		return;
	si = pause->egress->truth->silence[pause->priority];
	if (!si || !si->pause)
		return;
	pause->reason = PAUSE_PAUSED;
	pause->parent = si->pause;
	pause->root = si->pause->root;
	pause->depth = si->pause->depth + 1;
}

static void close_circle(struct sim *s, struct port *port, unsigned prio,
			 unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct truth_event *e = truth_event(s, TRUTH_DEADLOCK, NULL, 0);
		char name[80];

		port_name(port, name);
		e->value = n;
		e->value2 = prio;
		e->place = truth_place(s->truth, name, "deadlock");
		port->truth->silence[prio]->cycle = true;
		port = holder(port->peer, prio);
	}
}

void blame_cycle(struct sim *s, struct port *port, unsigned prio)
{
	struct port *at = port;

	for (unsigned n = 1; n < TOO_LONG; n++) {
		at = holder(at->peer, prio);
		if (!at || !port_paused(s, at, prio))
			return;
		if (at == port) {
			close_circle(s, port, prio, n);
			return;
		}
	}
}

static int64_t since(const struct sim *s, const struct silence *si,
		     int64_t began)
{
	return s->now - (began > si->from ? began : si->from);
}

static void waiting_qps(struct sim *s, const struct nic_queue *n,
			struct silence *si)
{
	for (int line = 0; line < LINES; line++)
		for (struct qp *q = n->head[si->priority][line]; q;
		     q = q->after[line])
			if (q->out && qp_pending(s, q))
				truth_victim(si, q->out, 0,
					     since(s, si, q->waits_since));
}

void blame_victims(struct sim *s, struct port *port, unsigned prio)
{
	struct silence *si = port->truth->silence[prio];

	if (!si)
		return;
	for (const struct pkt *p = port->queue[prio].head; p; p = p->next)
		if (p->stream)
			truth_victim(si, p->stream, 1, since(s, si, p->queued));
	if (!port->node->is_switch)
		waiting_qps(s, nic_queue_of(port), si);
}
