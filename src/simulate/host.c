/* SPDX-License-Identifier: GPL-2.0-or-later
 * A host and its network adapter. */
#include "simulate/host.h"

#include <stdlib.h>

#include "simulate/cbfc.h"
#include "simulate/cm.h"
#include "simulate/dcqcn.h"
#include "simulate/frame.h"
#include "simulate/mem.h"
#include "simulate/pfc.h"
#include "simulate/port.h"
#include "simulate/qp.h"
#include "simulate/truth.h"
#include "simulate/uet.h"
#include "simulate/uet_frame.h"

struct nic *nic_new(struct sim *s, struct host *h)
{
	struct nic *n = mem_new(sizeof *n);

	n->host = h;
	n->cnp_interval = 4 * PS_PER_US;
	n->cnp_last = INT64_MIN / 2;
	n->pfc = s->defaults;
	return n;
}

void nic_free(struct nic *n)
{
	free(n->cnp_last_to);
	free(n->pdc_used);
	free(n);
}

/* --- sending -------------------------------------------------------------- */

struct port *host_port(const struct qp *q)
{
	const struct node *n = &q->host->node;
	uint32_t of = q->host->number << 16 ^ q->peer->host->number << 24;
	uint32_t hash = (of ^ q->sport) * UINT32_C(0x9e3779b1) >> 16;
	struct port *port = n->ports[hash % n->n_ports];

	for (size_t i = 0; port->down && i < n->n_ports; i++)
		port = n->ports[i];
	return port;
}

const struct nic_queue *nic_queue_of(const struct port *port)
{
	return port->node->is_switch ? NULL
				     : &((const struct host *)port->node)
						->nic->of_port[port->index];
}

/* To the end of the line, without waking the port. */
static struct port *line_up(const struct sim *s, struct qp *q,
			    enum nic_line line)
{
	struct port *port = q->host->node.n_ports ? host_port(q) : NULL;
	struct nic_queue *n = &q->host->nic->of_port[port ? port->index : 0];
	unsigned prio = q->config.prio;

	if (q->waits[line])
		return port;
	q->waits[line] = true;
	q->waits_since = s->now;
	q->after[line] = NULL;
	if (n->tail[prio][line])
		n->tail[prio][line]->after[line] = q;
	else
		n->head[prio][line] = q;
	n->tail[prio][line] = q;
	n->waiting |= (uint8_t)(1u << prio);
	return port;
}

void nic_ready(struct sim *s, struct qp *q, enum nic_line line)
{
	struct port *port = line_up(s, q, line);

	if (port)
		port_kick(s, port);
}

bool nic_pending(const struct sim *s, const struct port *port, unsigned prio)
{
	const struct nic_queue *n = nic_queue_of(port);

	for (int line = 0; line < LINES; line++)
		for (struct qp *q = n->head[prio][line]; q; q = q->after[line])
			if (qp_pending(s, q))
				return true;
	return false;
}

static struct qp *first_of(struct nic_queue *n, unsigned prio,
			   enum nic_line line)
{
	struct qp *q = n->head[prio][line];

	n->head[prio][line] = q->after[line];
	if (!n->head[prio][line])
		n->tail[prio][line] = NULL;
	q->waits[line] = false;
	if (!n->head[prio][LINE_ACK] && !n->head[prio][LINE_DATA])
		n->waiting &= (uint8_t) ~(1u << prio);
	return q;
}

static void fed(struct sim *s, void *object, uint64_t argument)
{
	const struct node *n = object;

	(void)argument;
	for (size_t i = 0; i < n->n_ports; i++)
		port_kick(s, n->ports[i]);
}

/* The bus is busy with |p| so long; what is behind it has to wait. */
static void feed(struct sim *s, struct nic *n, const struct pkt *p)
{
	int64_t takes;

	if (!n->feed_bps)
		return;
	takes = wire_ps(p->bytes, n->feed_bps);
	n->fed_at = s->now + takes;
	sim_after(s, takes, fed, &n->host->node, 0);
}

struct pkt *nic_pull(struct sim *s, const struct port *port, unsigned prio)
{
	struct nic *n = ((struct host *)port->node)->nic;
	struct nic_queue *of = &n->of_port[port->index];

	for (enum nic_line line = LINE_ACK; line < LINES; line++) {
		if (line == LINE_DATA && n->fed_at > s->now)
			break;
		while (of->head[prio][line]) {
			struct qp *q = first_of(of, prio, line);
			struct pkt *p = line == LINE_ACK ? qp_next_ack(s, q)
							 : qp_next_data(s, q);

			if (!p)
				continue;
			line_up(s, q, line);
			nic_dress(s, n->host, p);
			if (line == LINE_DATA) {
				dcqcn_sent(s, q, p);
				feed(s, n, p);
			}
			return p;
		}
	}
	return NULL;
}

void nic_rehash(struct sim *s, struct host *h)
{
	for (size_t i = 0; i < h->node.n_ports; i++) {
		struct nic_queue old = h->nic->of_port[i];

		h->nic->of_port[i] = (struct nic_queue) { 0 };
		for (unsigned k = 0; k < PRIORITIES * LINES; k++) {
			unsigned prio = k / LINES, line = k % LINES;

			while (old.head[prio][line])
				line_up(s, first_of(&old, prio, line), line);
		}
	}
	fed(s, &h->node, 0);
}

static uint16_t next_ip_id(struct sim *s, struct host *h, struct pkt *p)
{
	switch (s->host.ipid) {
	case IPID_HOST:
		return h->ip_id++;
	case IPID_QP:
		return p->to ? p->to->peer->ip_id++ : h->ip_id++;
	case IPID_ZERO:
		break;
	}
	return 0;
}

uint32_t nic_hash(const struct host *h, const struct pkt *p)
{
	return h->number * 0x9e3779b1u ^ (p->dst->number << 16 ^ p->sport);
}

void nic_dress(struct sim *s, struct host *h, struct pkt *p)
{
	p->src = h;
	p->ip_id = next_ip_id(s, h, p);
	p->ttl = 64;
	p->hash = nic_hash(h, p);
	if (uet_secures(s, p))
		p->uet.tsc = uet_counter(s, h->secured++);
	p->bytes = frame_bytes(s, p);
	truth_sent(s, p);
}

/* --- receiving ------------------------------------------------------------ */

static void refuse(struct sim *s, struct host *h, struct pkt *p,
		   enum drop_reason why)
{
	truth_drop(s, p, 0, h->node.name, why);
	p->in->truth->refused[why]++;
	pkt_free(&s->pool, p);
}

static void accept_packet(struct sim *s, struct host *h, struct pkt *p)
{
	struct qp *q = p->to;

	if (p->corrupt) {
		refuse(s, h, p, DROP_ICRC);
		return;
	}
	if (!q || (q->closed && p->class != PKT_CM)) {
		refuse(s, h, p, DROP_NO_QP);
		return;
	}
	truth_delivered(s, p);
	if (p->uet.type) {
		uet_take(s, q, p);
		pkt_free(&s->pool, p);
		return;
	}
	if (p->ecn == MARK_CE && p->class <= PKT_RESPONSE)
		dcqcn_marked(s, q, p);
	switch ((enum pkt_class)p->class) {
	case PKT_REQUEST:
		responder_take(s, q, p);
		break;
	case PKT_RESPONSE:
	case PKT_ACK:
		requester_take(s, q, p);
		break;
	case PKT_CNP:
		dcqcn_notified(s, q, p->cnp);
		break;
	case PKT_CM:
		cm_take(s, q, p);
		break;
	case PKT_CONTROL:
	case PKT_PAUSE:
		break;
	}
	pkt_free(&s->pool, p);
}

/* |p| takes no room here any more. */
static void credit(struct sim *s, const struct pkt *p)
{
	struct port *from = p->in->peer;

	if (from->cbfc)
		cbfc_freed(s, from, p->prio, p->bytes);
}

static void drain(struct sim *s, void *object, uint64_t argument)
{
	struct host *h = object;
	struct nic *n = h->nic;
	struct port *port;
	struct pkt *p;

	(void)argument;
	if (s->now >= n->stuck_from && s->now < n->stuck_to) {
		events_add(&s->events, n->stuck_to, drain, h, 0);
		return;
	}
	p = fifo_take(&n->rx);
	port = p->in;
	port->held[p->prio] -= p->bytes;
	if (n->pfc.xoff)
		pfc_drained(s, port, p->prio, &n->pfc);
	credit(s, p);
	accept_packet(s, h, p);
	n->draining = n->rx.head != NULL;
	if (n->draining)
		sim_after(s, wire_ps(n->rx.head->bytes, n->drain_bps), drain, h,
			  0);
}

static void enter(struct sim *s, void *object, uint64_t argument)
{
	struct host *h = object;
	struct nic *n = h->nic;
	struct pkt *p = (struct pkt *)(uintptr_t)argument;
	struct port *port = p->in;

	if (!n->drain_bps) {
		credit(s, p);
		accept_packet(s, h, p);
		return;
	}
	if (n->rx.bytes + p->bytes > n->pfc.buffer) {
		credit(s, p);
		refuse(s, h, p, DROP_BUFFER);
		return;
	}
	p->at = port;
	fifo_put(&n->rx, p);
	port->held[p->prio] += p->bytes;
	if (n->pfc.xoff)
		pfc_filled(s, port, p->prio, &n->pfc);
	if (!n->draining) {
		n->draining = true;
		sim_after(s, wire_ps(p->bytes, n->drain_bps), drain, h, 0);
	}
}

void host_arrive(struct sim *s, struct port *in, struct pkt *p)
{
	p->in = in;
	sim_after(s, s->host.turnaround, enter, in->node, (uintptr_t)p);
}

/* --- a broken one --------------------------------------------------------- */

static void storm(struct sim *s, void *object, uint64_t argument)
{
	struct nic *n = object;
	struct port *port = n->host->node.ports[0];

	(void)argument;
	if (s->now >= n->storm_to) {
		n->storm->to = n->storm_to;
		return;
	}
	if (!n->storm) {
		n->storm = truth_pause(s, port, n->storm_prio, n->storm_quanta);
		n->storm->storm = true;
		n->storm->reason = PAUSE_BROKEN;
		n->storm->global = n->storm_global;
		truth_event(s, TRUTH_STORM, NULL, 0)->place =
			truth_place(s->truth, n->host->node.name, "storm");
	} else {
		n->storm->refreshes++;
	}
	n->storm->xoff++;
	pfc_send(s, port, n->storm_prio, n->storm_quanta, n->storm);
	sim_after(s, n->storm_every, storm, n, 0);
}

void nic_start_storm(struct sim *s, struct nic *n)
{
	events_add(&s->events, n->storm_from, storm, n, 0);
}

/* CNPs to whoever its QPs talk to, though nothing was marked. */
static void idle_cnps(struct sim *s, void *object, uint64_t argument)
{
	struct nic *n = object;

	(void)argument;
	for (size_t i = 0; i < s->n_qps; i++)
		if (s->qps[i]->host == n->host && s->qps[i]->open &&
		    !s->qps[i]->closed)
			dcqcn_idle(s, s->qps[i]);
	sim_after(s, n->cnp_idle, idle_cnps, n, 0);
}

void nic_start_idle_cnps(struct sim *s, struct nic *n)
{
	events_add(&s->events, n->cnp_idle, idle_cnps, n, 0);
}
