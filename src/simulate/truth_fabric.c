/* SPDX-License-Identifier: GPL-2.0-or-later
 * The record of the fabric as JSON: taps, hosts, links, pauses, CNPs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/host.h"
#include "simulate/json_out.h"
#include "simulate/port.h"
#include "simulate/tap.h"
#include "simulate/truth_int.h"
#include "simulate/world.h"

static const char *const reasons[] = {
#define X(id, name) name,
	PAUSE_REASONS(X)
#undef X
};

static const char *const reactions[] = {
#define X(id, name) name,
	REACTIONS(X)
#undef X
};

static void link_name(struct out *o, const char *k, const struct port *port)
{
	char name[80];

	port_name(port, name);
	out_text(o, k, name);
}

/* --- taps, hosts, switches ------------------------------------------------ */

void truth_write_tap(struct out *o, const struct tap *t)
{
	static const char *const wraps[] = { "none", "erspan2", "erspan3",
					     "vxlan" };
	out_row(o);
	out_num(o, "tap", t->index);
	out_text(o, "name", t->name);
	out_text(o, "interface", t->with->name);
	link_name(o, "link", t->port);
	out_text(o, "side", t->at_rx ? "rx" : "tx");
	out_text(o, "wrap", wraps[t->config.wrap]);
	out_num(o, "snaplen", t->config.snaplen);
	out_num(o, "sees_pause", t->config.link_control);
	out_num(o, "passed", t->passed);
	out_num(o, "captured", t->captured);
	out_num(o, "missed", t->missed);
	out_num(o, "mirror_duplicates", t->doubled);
	out_num(o, "outside", t->outside);
	out_when(o, "from_ns", t->config.from);
	out_when(o, "to_ns", t->config.to ? t->config.to : o->s->now);
	out_key(o, "offset_ns");
	fprintf(o->f, "%" PRId64, t->config.offset / PS_PER_NS);
	out_key(o, "drift_ppm");
	fprintf(o->f, "%.6g", t->config.drift);
	out_shut(o, '}');
}

void truth_write_host(struct out *o, const struct host *h)
{
	const struct port *p = h->node.n_ports ? h->node.ports[0] : NULL;

	out_row(o);
	out_text(o, "host", h->node.name);
	out_address(o, "address", h);
	if (p) {
		out_mac(o, "mac", p->id);
		out_text(o, "leaf", p->peer->node->name);
	}
	if (h->node.n_ports > 1)
		out_text(o, "leaf2", h->node.ports[1]->peer->node->name);
	if (h->nic->clock_offset || h->nic->clock_drift != 0) {
		out_key(o, "clock_offset_ns");
		fprintf(o->f, "%" PRId64, h->nic->clock_offset / PS_PER_NS);
		out_key(o, "clock_drift_ppm");
		fprintf(o->f, "%g", h->nic->clock_drift);
	}
	out_shut(o, '}');
}

static void switch_ports(struct out *o, const struct node *n)
{
	out_open(o, "ports", '[');
	for (size_t i = 0; i < n->n_ports; i++) {
		const struct port *p = n->ports[i];

		out_open(o, NULL, '{');
		out_num(o, "port", p->index);
		link_name(o, "link", p);
		out_mac(o, "mac", p->id);
		out_shut(o, '}');
	}
	out_shut(o, ']');
}

void truth_write_switch(struct out *o, const struct node *n)
{
	static const char *const balances[] = { "ecmp", "spray", "flowlet",
						"adaptive" };
	const struct switch_node *w = (const struct switch_node *)n;
	const struct switch_config *c = &w->config;

	out_row(o);
	out_text(o, "switch", n->name);
	out_num(o, "device", n->id);
	out_text(o, "balance", balances[c->balance]);
	out_num(o, "buffer", c->buffer);
	out_num(o, "peak", w->peak);
	out_nonzero(o, "kmin", c->kmin);
	out_nonzero(o, "kmax", c->kmax);
	out_nonzero(o, "xoff", c->xoff);
	out_nonzero(o, "xon", c->xon);
	out_nonzero(o, "lossless", c->lossless);
	switch_ports(o, n);
	out_shut(o, '}');
}

/* --- links ---------------------------------------------------------------- */

static void priorities(struct out *o, const char *k, const uint64_t *v)
{
	out_open(o, k, '[');
	for (unsigned i = 0; i < PRIORITIES; i++) {
		out_comma(o);
		fprintf(o->f, "%" PRIu64, v[i]);
	}
	out_shut(o, ']');
}

static void load(struct out *o, const struct link_truth *l)
{
	out_open(o, "bins", '[');
	for (size_t i = 0; i < l->n_bins; i++) {
		const struct link_bin *b = &l->bins[i];

		if (!b->packets && !b->marked && !b->depth)
			continue; /* what arrived had left in the bin before */
		out_comma(o);
		fprintf(o->f,
			"[%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64 "]",
			b->number, b->packets, b->bytes, b->marked, b->depth);
	}
	out_shut(o, ']');
}

static void carried(struct out *o, const struct link_truth *l)
{
	out_open(o, "flows", '[');
	for (size_t i = 0; i < l->n_flows; i++) {
		const struct link_flow *f = &l->flows[i];

		if (!f->packets)
			continue;
		out_comma(o);
		fprintf(o->f, "[%zu,%" PRIu64 ",%" PRIu64 "]", i, f->packets,
			f->bytes);
	}
	out_shut(o, ']');
}

void truth_write_link(struct out *o, const struct link_truth *l)
{
	uint64_t paused[PRIORITIES];

	for (unsigned i = 0; i < PRIORITIES; i++)
		paused[i] = (uint64_t)(l->paused[i] / PS_PER_NS);
	out_row(o);
	link_name(o, "link", l->port);
	out_num(o, "port", l->port->id);
	out_num(o, "bps", l->port->bps);
	out_span(o, "delay_ns", l->port->delay);
	out_num(o, "packets", l->packets);
	out_num(o, "bytes", l->bytes);
	out_num(o, "delivered", l->delivered);
	out_num(o, "dropped", l->dropped);
	out_num(o, "pause_frames", l->pauses);
	out_nonzero(o, "marked", l->marked);
	out_span(o, "busy_ns", l->busy);
	priorities(o, "paused_ns", paused);
	priorities(o, "depth_max", l->depth);
	load(o, l);
	carried(o, l);
	out_shut(o, '}');
}

static bool same_choice(const struct route *a, const struct route *b)
{
	return a->n == b->n &&
	       !memcmp(a->port, b->port, a->n * sizeof *a->port);
}

/* Equal-cost members of one switch, each set once. */
void truth_write_groups(struct out *o, const struct node *n)
{
	for (size_t h = 0; n->routes && h < o->s->n_hosts; h++) {
		const struct route *r = &n->routes[h];
		bool seen = r->n < 2;

		for (size_t k = 0; k < h && !seen; k++)
			seen = same_choice(r, &n->routes[k]);
		if (seen)
			continue;
		out_row(o);
		out_text(o, "switch", n->name);
		out_open(o, "members", '[');
		for (size_t i = 0; i < r->n; i++) {
			char name[80];

			port_name(r->port[i], name);
			out_comma(o);
			fprintf(o->f, "\"%s\"", name);
		}
		out_shut(o, ']');
		out_shut(o, '}');
	}
}

/* --- pauses, CNPs --------------------------------------------------------- */

void truth_write_pause(struct out *o, const struct pause_truth *p)
{
	out_row(o);
	out_num(o, "id", p->id);
	link_name(o, "emitter", p->port);
	out_num(o, "emitter_port", p->port->id);
	out_mac(o, "mac", p->port->id);
	if (p->global)
		out_num(o, "global", 1);
	else
		out_num(o, "priority", p->priority);
	out_when(o, "from_ns", p->from);
	out_when(o, "to_ns", p->to);
	out_num(o, "xoff", p->xoff);
	out_num(o, "refreshes", p->refreshes);
	out_num(o, "xon", p->xon);
	out_num(o, "quanta", p->quanta);
	out_num(o, "storm", p->storm);
	out_text(o, "why", reasons[p->reason]);
	if (p->egress)
		link_name(o, "egress", p->egress);
	if (p->parent)
		out_num(o, "parent", p->parent->id);
	out_num(o, "root", p->root->id);
	out_num(o, "depth", p->depth);
	out_shut(o, '}');
}

void truth_write_silence(struct out *o, const struct silence *si)
{
	out_row(o);
	link_name(o, "link", si->port);
	out_num(o, "priority", si->priority);
	if (si->pause)
		out_num(o, "pause", si->pause->id);
	else
		out_num(o, "credit", 1);
	out_when(o, "from_ns", si->from);
	out_when(o, "to_ns", si->to);
	out_nonzero(o, "cycle", si->cycle);
	out_nonzero(o, "expired", si->expired);
	out_open(o, "victims", '[');
	for (size_t i = 0; i < si->n_victims; i++) {
		const struct victim *v = &si->victims[i];

		out_open(o, NULL, '{');
		out_num(o, "flow", v->stream->id);
		out_nonzero(o, "packets", v->packets);
		out_span(o, "waited_ns", v->longest);
		out_shut(o, '}');
	}
	out_shut(o, ']');
	out_shut(o, '}');
}

void truth_write_cnp(struct out *o, const struct cnp_truth *c)
{
	out_row(o);
	out_num(o, "flow", c->stream->id);
	if (c->idle) {
		out_num(o, "idle", 1);
	} else {
		out_when(o, "first_ce_ns", c->first);
		out_when(o, "ce_ns", c->marked);
		out_num(o, "ce_psn", c->psn & c->stream->psn_mask);
		out_text(o, "ce_class", truth_class_names[c->class]);
		out_num(o, "ce", c->marks);
	}
	out_when(o, "sent_ns", c->sent);
	out_when(o, "arrived_ns", c->arrived);
	if (c->reaction != REACT_NONE) {
		out_num(o, "before_bps", c->before);
		out_num(o, "after_bps", c->after);
		out_text(o, "reaction", reactions[c->reaction]);
	}
	out_taps(o, "ce_taps", c->trigger_taps);
	out_taps(o, "taps", c->taps);
	out_shut(o, '}');
}
