/* SPDX-License-Identifier: GPL-2.0-or-later
 * Building the fabric, finding things in it, shortest paths. */
#include "simulate/world.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/devices.h"
#include "simulate/host.h"
#include "simulate/mem.h"
#include "simulate/port.h"
#include "simulate/qp.h"
#include "simulate/tap.h"
#include "simulate/truth.h"
#include "simulate/uet.h"
#include "simulate/work.h"

#define APPEND(s, array, thing)                                               \
	((s)->array = mem_room((s)->array, (s)->n_##array, &(s)->cap_##array, \
			       sizeof *(s)->array),                           \
	 (s)->array[(s)->n_##array++] = (thing))

/* 2026-01-01T00:00:00Z: any moment will do, but one that is a moment. */
enum { EPOCH_S = 1767225600 };

static const struct switch_config switch_defaults = {
	.buffer = 16 << 20,
	.alpha = 1,
	.quanta = 65535,
	.pmax = 1,
	.balance = BALANCE_ECMP,
	.flowlet_gap = 50 * PS_PER_US,
	.latency = 400 * PS_PER_NS,
	.salt = -1,
	.trim_prio = 5,
	.trim_dscp = 10,
	.trim_last_dscp = 12,
};

static const struct host_config host_defaults = {
	.sport = SPORT_LINUX,
	.sport_fixed = 49152,
	.ipid = IPID_HOST,
	.dscp = 26,
	.cnp_dscp = 48,
	.cnp_prio = 6,
	.uet_control_dscp = 46,
	.uet_prio = 6,
	.turnaround = 800 * PS_PER_NS,
};

void sim_init(struct sim *s, uint64_t seed, struct err *err)
{
	*s = (struct sim) { .seed = seed, .err = err };
	s->twin.fabric = FABRIC_REAL;
	events_init(&s->events);
	s->epoch_ns = (int64_t)EPOCH_S * 1000000000;
	s->until = 10 * PS_PER_MS;
	s->defaults = switch_defaults;
	s->host = host_defaults;
	s->dcqcn = dcqcn_defaults();
	s->converge = 5 * PS_PER_MS;
	s->bin = 100 * PS_PER_US;
	s->truth = truth_new();
}

void sim_run(struct sim *s)
{
	while (s->events.n && !s->failed) {
		struct planned e = events_take(&s->events);

		if (e.at > s->until) {
			events_put_back(&s->events, &e);
			break;
		}
		s->now = e.at;
		s->handled++;
		e.event.fn(s, e.event.object, e.event.argument);
	}
	if (s->now < s->until && !s->failed)
		s->now = s->until;
}

static int check_name(struct sim *s, const char *name, struct err *err)
{
	if (strlen(name) >= NAME_MAX_TEXT)
		return err_set(err, ERR_FORMAT, "name '%s' is too long", name);
	if (world_node(s, name))
		return err_set(err, ERR_FORMAT, "'%s' exists already", name);
	return 0;
}

struct host *world_host(struct sim *s, const char *name, struct err *err)
{
	struct host *h;
	uint32_t n = (uint32_t)s->n_hosts;

	if (check_name(s, name, err))
		return NULL;
	if (n == MAX_HOSTS) {
		err_set(err, ERR_FORMAT, "more than %d hosts", MAX_HOSTS);
		return NULL;
	}
	h = mem_new(sizeof *h);
	strcpy(h->node.name, name);
	h->number = n;
	h->node.id = n + 1;
	/* 10.0.0.1 .. 10.255.255.254, never .0 or .255 at the end */
	h->v4[0] = 10;
	h->v4[1] = (uint8_t)(n / 254 / 256);
	h->v4[2] = (uint8_t)(n / 254);
	h->v4[3] = (uint8_t)(n % 254 + 1);
	memcpy(h->v6, "\xfd\x00\x00\x10", 4);
	memcpy(h->v6 + 12, h->v4, 4);
	struct rng r = rng_fork(s->seed, "ip-id", n);
	h->ip_id = (uint16_t)rng_next(&r);
	h->nic = nic_new(s, h);
	APPEND(s, hosts, h);
	return h;
}

struct switch_node *world_switch(struct sim *s, const char *name,
				 struct err *err)
{
	struct switch_node *w;

	if (check_name(s, name, err))
		return NULL;
	w = mem_new(sizeof *w);
	strcpy(w->node.name, name);
	w->node.is_switch = true;
	w->node.id = SWITCH_ID + (uint32_t)s->n_switches;
	w->config = s->defaults;
	w->rng = rng_fork(s->seed, "switch", s->n_switches);
	w->salt = (uint32_t)rng_next(&w->rng);
	APPEND(s, switches, w);
	return w;
}

static struct port *add_port(struct sim *s, struct node *n, uint64_t bps,
			     int64_t delay)
{
	struct port *p = mem_new(sizeof *p);

	p->node = n;
	p->index = (uint32_t)n->n_ports;
	p->id = (uint32_t)s->n_ports;
	p->bps = bps;
	p->delay = delay;
	p->remark = -1;
	for (int i = 0; i < PRIORITIES; i++) {
		p->paused_since[i] = -1;
		p->stuck_since[i] = -1;
	}
	n->ports =
		mem_room(n->ports, n->n_ports, &n->cap_ports, sizeof *n->ports);
	n->ports[n->n_ports++] = p;
	APPEND(s, ports, p);
	return p;
}

int world_link(struct sim *s, struct node *a, struct node *b, uint64_t bps,
	       int64_t delay, struct err *err)
{
	const struct node *host = !a->is_switch ? a : b;
	struct port *p, *q;

	if (a == b)
		return err_set(err, ERR_FORMAT, "'%s' linked to itself",
			       a->name);
	if (!host->is_switch && host->n_ports == HOST_PORTS)
		return err_set(err, ERR_FORMAT,
			       "host '%s' has %d links already", host->name,
			       HOST_PORTS);
	p = add_port(s, a, bps, delay);
	q = add_port(s, b, bps, delay);
	p->peer = q;
	q->peer = p;
	p->truth = truth_link(s->truth, p);
	q->truth = truth_link(s->truth, q);
	return 0;
}

struct node *world_node(const struct sim *s, const char *name)
{
	for (size_t i = 0; i < s->n_hosts; i++)
		if (!strcmp(s->hosts[i]->node.name, name))
			return &s->hosts[i]->node;
	for (size_t i = 0; i < s->n_switches; i++)
		if (!strcmp(s->switches[i]->node.name, name))
			return &s->switches[i]->node;
	return NULL;
}

struct host *world_find_host(const struct sim *s, const char *name)
{
	struct node *n = world_node(s, name);

	return n && !n->is_switch ? (struct host *)n : NULL;
}

struct port *world_port(const struct node *from, const struct node *to,
			unsigned n)
{
	for (size_t i = 0; i < from->n_ports; i++)
		if (from->ports[i]->peer->node == to && !n--)
			return from->ports[i];
	return NULL;
}

/* Hops from every node to |h|, breadth first; hosts carry nothing through. */
static void distances(struct sim *s, struct host *h, uint32_t *dist,
		      struct node **line)
{
	size_t head = 0, tail = 0;

	memset(dist, 0xff, (s->n_hosts + s->n_switches) * sizeof *dist);
	line[tail++] = &h->node;
	dist[h->number] = 0;
	while (head < tail) {
		struct node *n = line[head++];
		uint32_t d = dist[world_slot(s, n)];

		for (size_t i = 0; i < n->n_ports; i++) {
			struct node *m = n->ports[i]->peer->node;
			uint32_t *to = &dist[world_slot(s, m)];

			if (n->ports[i]->down || *to != UINT32_MAX)
				continue;
			*to = d + 1;
			if (m->is_switch)
				line[tail++] = m;
		}
	}
}

static void choose(struct sim *s, struct node *n, const struct host *h,
		   const uint32_t *dist)
{
	struct route *r = &n->routes[h->number];
	uint32_t mine = dist[world_slot(s, n)];

	free(r->port);
	*r = (struct route) { mem_new(n->n_ports * sizeof *r->port), 0 };
	if (mine == UINT32_MAX || mine == 0)
		return;
	for (size_t i = 0; i < n->n_ports; i++) {
		const struct node *to = n->ports[i]->peer->node;

		if (!n->ports[i]->down && dist[world_slot(s, to)] == mine - 1 &&
		    (to->is_switch || to == &h->node))
			r->port[r->n++] = n->ports[i];
	}
}

void world_route(struct sim *s)
{
	size_t n = s->n_hosts + s->n_switches;
	uint32_t *dist = mem_new(n * sizeof *dist);
	struct node **line = mem_new(n * sizeof(*line));

	for (size_t h = 0; h < s->n_hosts; h++) {
		distances(s, s->hosts[h], dist, line);
		for (size_t i = 0; i < n; i++) {
			struct node *at = world_at(s, i);

			if (!at->routes)
				at->routes = mem_new(s->n_hosts *
						     sizeof *at->routes);
			choose(s, at, s->hosts[h], dist);
		}
	}
	free(dist);
	free(line);
}

const struct route *world_choices(const struct node *n, const struct host *h)
{
	if (n->fixed && n->fixed[h->number].n)
		return &n->fixed[h->number];
	return &n->routes[h->number];
}

int64_t wire_ps(uint32_t bytes, uint64_t bps)
{
	/* FCS 4, preamble and delimiter 8, least gap 12 */
	uint64_t bits = 8 * (uint64_t)((bytes < 60 ? 60 : bytes) + 24);

	if (bits < UINT64_MAX / PS_PER_S)
		return (int64_t)(bits * PS_PER_S / bps);
	return (int64_t)((unsigned __int128)bits * PS_PER_S / bps);
}

static void node_fini(struct sim *s, struct node *n)
{
	for (size_t h = 0; h < s->n_hosts; h++) {
		if (n->routes)
			free(n->routes[h].port);
		if (n->fixed)
			free(n->fixed[h].port);
	}
	free(n->routes);
	free(n->fixed);
	free(n->ports);
}

void sim_fini(struct sim *s)
{
	events_fini(&s->events);
	answers_free(s);
	for (size_t i = 0; i < s->n_ports; i++) {
		free(s->ports[i]->cbfc);
		free(s->ports[i]);
	}
	for (size_t i = 0; i < s->n_qps; i++)
		qp_free(s->qps[i]);
	qp_index_fini(&s->qps_by_name);
	qp_index_fini(&s->qps_by_number);
	for (size_t i = 0; i < s->n_hosts; i++) {
		nic_free(s->hosts[i]->nic);
		node_fini(s, &s->hosts[i]->node);
	}
	for (size_t i = 0; i < s->n_switches; i++) {
		node_fini(s, &s->switches[i]->node);
		free(s->switches[i]->flowlets);
	}
	for (size_t i = 0; i < s->n_hosts; i++)
		free(s->hosts[i]);
	for (size_t i = 0; i < s->n_switches; i++)
		free(s->switches[i]);
	for (size_t i = 0; i < s->n_taps; i++)
		tap_free(s->taps[i]);
	for (size_t i = 0; i < s->n_faults; i++)
		fault_free(s->faults[i]);
	for (size_t i = 0; i < s->n_works; i++)
		work_free(s->works[i]);
	free(s->hosts);
	free(s->switches);
	free(s->ports);
	free(s->qps);
	tapsets_fini(&s->tapsets);
	free(s->taps);
	free(s->faults);
	free(s->works);
	uet_contexts_free(s->pdcs);
	truth_free(s->truth);
	devices_free(s->devices);
	pkt_pool_fini(&s->pool);
}
