/* SPDX-License-Identifier: GPL-2.0-or-later
 * An output-queued switch with one shared buffer. */
#include "simulate/switch.h"

#include <stdio.h>

#include "simulate/cbfc.h"
#include "simulate/devices.h"
#include "simulate/frame.h"
#include "simulate/mem.h"
#include "simulate/pfc.h"
#include "simulate/port.h"
#include "simulate/qp.h"
#include "simulate/telemetry.h"
#include "simulate/truth.h"
#include "simulate/uet_frame.h"
#include "simulate/world.h"
#include "wire/wire.h"

static uint32_t mix(uint32_t x)
{
	x ^= x >> 16;
	x *= UINT32_C(0x7feb352d);
	x ^= x >> 15;
	x *= UINT32_C(0x846ca68b);
	return x ^ x >> 16;
}

static uint32_t hash_of(const struct switch_node *w, const struct pkt *p)
{
	uint32_t h = p->hash ^
		     (w->config.salt < 0 ? w->salt : (uint32_t)w->config.salt);

	return mix(w->config.hash_qp ? h ^ mix(p->dst_qp) : h);
}

static struct port *by_flowlet(struct sim *s, struct switch_node *w,
			       const struct route *r, const struct pkt *p)
{
	uint32_t h = hash_of(w, p);
	struct flowlet *f;

	if (!w->flowlets)
		w->flowlets = mem_new(FLOWLETS * sizeof *w->flowlets);
	f = &w->flowlets[h % FLOWLETS];
	if (f->hash != h || s->now - f->last > w->config.flowlet_gap) {
		f->hash = h;
		f->choice = (uint32_t)rng_next(&w->rng);
	}
	f->last = s->now;
	return r->port[f->choice % r->n];
}

static uint64_t backlog(const struct port *p)
{
	uint64_t bytes = 0;

	for (int i = 0; i < PRIORITIES; i++)
		bytes += p->queue[i].bytes;
	return bytes;
}

static struct port *least_loaded(struct switch_node *w, const struct route *r)
{
	uint32_t at = (uint32_t)rng_below(&w->rng, r->n);
	struct port *best = r->port[at];

	for (uint32_t i = 1; i < r->n; i++) {
		struct port *p = r->port[(at + i) % r->n];

		if (backlog(p) < backlog(best))
			best = p;
	}
	return best;
}

/* The choice that the requests of |p|'s QP are bound to. */
static struct port *bound(const struct route *r, const struct pkt *p)
{
	const struct node *const *via =
		p->message && p->to ? p->to->peer->config.via : NULL;

	for (size_t i = 0; via && i < QP_VIA && via[i]; i++)
		for (uint32_t k = 0; k < r->n; k++)
			if (r->port[k]->peer->node == via[i])
				return r->port[k];
	return NULL;
}

static struct port *by_hash(const struct switch_node *w, const struct route *r,
			    const struct pkt *p)
{
	struct port *at = bound(r, p);

	return at ? at : r->port[hash_of(w, p) % r->n];
}

static struct port *choose(struct sim *s, struct switch_node *w,
			   const struct route *r, const struct pkt *p)
{
	if (r->n == 1)
		return r->port[0];
	switch (w->config.balance) {
	case BALANCE_ECMP:
		return by_hash(w, r, p);
	case BALANCE_SPRAY:
		return r->port[rng_below(&w->rng, r->n)];
	case BALANCE_FLOWLET:
		return by_flowlet(s, w, r, p);
	case BALANCE_ADAPTIVE:
		break;
	}
	return least_loaded(w, r);
}

const struct port *switch_foresee(struct sim *s, const struct node *n,
				  const struct pkt *p)
{
	const struct switch_node *w = (const struct switch_node *)n;
	const struct route *r = world_choices(n, p->dst);

	(void)s;
	if (!r->n)
		return NULL;
	if (r->n == 1)
		return r->port[0];
	return w->config.balance == BALANCE_ECMP ? by_hash(w, r, p) : NULL;
}

/* Who counts it: the port it came in by, or the one it was to leave by? */
static bool is_of_ingress(enum drop_reason why)
{
	return why == DROP_HEADROOM || why == DROP_NO_ROUTE || why == DROP_TTL;
}

static void lose(struct sim *s, struct switch_node *w, struct port *out,
		 struct pkt *p, enum drop_reason why)
{
	char at[2 * NAME_MAX_TEXT + 8];
	tapset ahead =
		out ? ahead_egress(s, out, p) : ahead_node(s, &w->node, p);

	if (out)
		snprintf(at, sizeof at, "%s to %s", w->node.name,
			 out->peer->node->name);
	else
		snprintf(at, sizeof at, "%s", w->node.name);
	truth_drop(s, p, ahead, at, why);
	(is_of_ingress(why) ? p->in : out)->truth->refused[why]++;
	if (why == DROP_WATCHDOG)
		out->truth->storm_drops[p->prio]++;
	devices_dropped(s, out, p, why);
	pkt_free(&s->pool, p);
}

static bool lossless(const struct sim *s, const struct switch_node *w,
		     unsigned prio)
{
	return s->twin.fabric >= FABRIC_PAUSES &&
	       w->config.lossless >> prio & 1;
}

/* Why there is no room, or DROP_REASON_COUNT. */
static enum drop_reason refuse(const struct sim *s, const struct switch_node *w,
			       const struct port *in, const struct port *out,
			       const struct pkt *p)
{
	const struct switch_config *c = &w->config;
	uint64_t free_now = c->buffer > w->used ? c->buffer - w->used : 0;

	if (out->dropping[p->prio])
		return DROP_WATCHDOG;
	if (s->twin.fabric < FABRIC_REAL)
		return DROP_REASON_COUNT; /* buffers without end */
	if (p->bytes > free_now)
		return DROP_BUFFER;
	if (in->peer->cbfc)
		return DROP_REASON_COUNT; /* its room is in the credits */
	if (lossless(s, w, p->prio))
		return in->held[p->prio] + p->bytes > c->xoff + c->headroom
			       ? DROP_HEADROOM
			       : DROP_REASON_COUNT;
	return (double)(out->queue[p->prio].bytes + p->bytes) >
			       c->alpha * (double)free_now
		       ? DROP_BUFFER
		       : DROP_REASON_COUNT;
}

/* |p| takes no room behind |in| any more. */
static void credit(struct sim *s, const struct port *in, const struct pkt *p)
{
	if (in->peer->cbfc)
		cbfc_freed(s, in->peer, p->prio,
			   p->stored ? p->stored : p->bytes);
}

/* UET data that is longer than what would be left of it. */
static bool trimmable(const struct sim *s, const struct switch_node *w,
		      const struct pkt *p)
{
	return w->config.trim && p->uet.type && p->class == PKT_REQUEST &&
	       !p->kept && uet_frame_bytes(s, p) > w->config.trim;
}

/* The last switch says so, for that is incast. */
static void trim(struct sim *s, struct switch_node *w, struct port *out,
		 struct pkt *p)
{
	const struct switch_config *c = &w->config;
	bool last = !out->peer->node->is_switch;

	p->kept = c->trim;
	p->dscp = last ? c->trim_last_dscp : c->trim_dscp;
	p->prio = c->trim_prio;
	p->uet.code = last ? NACK_TRIMMED_LASTHOP : NACK_TRIMMED;
	p->bytes = frame_bytes(s, p);
	truth_trimmed(s, out, p);
}

static void forward(struct sim *s, void *object, uint64_t argument)
{
	struct switch_node *w = object;
	struct pkt *p = (struct pkt *)(uintptr_t)argument;
	const struct route *r = world_choices(&w->node, p->dst);
	enum drop_reason why;
	struct port *out;

	if (!r->n) {
		credit(s, p->in, p);
		lose(s, w, NULL, p, DROP_NO_ROUTE);
		return;
	}
	if (--p->ttl == 0) {
		credit(s, p->in, p);
		lose(s, w, NULL, p, DROP_TTL);
		return;
	}
	out = choose(s, w, r, p);
	why = refuse(s, w, p->in, out, p);
	if (why == DROP_BUFFER && trimmable(s, w, p)) {
		trim(s, w, out, p);
		why = refuse(s, w, p->in, out, p);
	}
	if (why != DROP_REASON_COUNT) {
		credit(s, p->in, p);
		lose(s, w, out, p, why);
		return;
	}
	p->stored = p->bytes;
	w->used += p->stored;
	if (w->used > w->peak)
		w->peak = w->used;
	p->in->held[p->prio] += p->stored;
	if (lossless(s, w, p->prio) && !p->in->peer->cbfc)
		pfc_filled(s, p->in, p->prio, &w->config);
	port_send(s, out, p);
}

void switch_take(struct sim *s, struct port *in, struct pkt *p)
{
	struct switch_node *w = (struct switch_node *)in->node;

	p->in = in;
	p->stored = 0;
	p->entered = s->now;
	sim_after(s, w->config.latency, forward, w, (uintptr_t)p);
}

/* RED on the length of the queue, itself included. */
static void mark(struct sim *s, struct switch_node *w, struct port *out,
		 struct pkt *p)
{
	const struct switch_config *c = &w->config;
	uint64_t depth = out->queue[p->prio].bytes + p->bytes;

	if (s->twin.fabric < FABRIC_MARKS || !c->kmax || out->no_ecn ||
	    p->ecn == MARK_NOT || p->ecn == MARK_CE || depth <= c->kmin)
		return;
	if (depth < c->kmax &&
	    !rng_chance(&w->rng, c->pmax * (double)(depth - c->kmin) /
					 (double)(c->kmax - c->kmin)))
		return;
	p->ecn = MARK_CE;
	truth_link_marked(s, out, p);
}

void switch_leaving(struct sim *s, struct port *out, struct pkt *p)
{
	struct switch_node *w = (struct switch_node *)out->node;
	bool was = p->ecn == MARK_CE;

	mark(s, w, out, p);
	if (out->remark >= 0 && p->class <= PKT_RESPONSE)
		p->dscp = (uint8_t)out->remark;
	telemetry_stamp(s, p, out, !was && p->ecn == MARK_CE);
	devices_leaving(s, out, p);
}

static void give_back(struct sim *s, struct switch_node *w, struct pkt *p)
{
	w->used -= p->stored;
	p->in->held[p->prio] -= p->stored;
	credit(s, p->in, p);
	if (lossless(s, w, p->prio) && !p->in->peer->cbfc)
		pfc_drained(s, p->in, p->prio, &w->config);
}

void switch_released(struct sim *s, struct port *out, struct pkt *p)
{
	give_back(s, (struct switch_node *)out->node, p);
}

void switch_flush(struct sim *s, struct port *out, unsigned prio)
{
	struct switch_node *w = (struct switch_node *)out->node;
	struct pkt *p;

	while ((p = fifo_take(&out->queue[prio]))) {
		give_back(s, w, p);
		lose(s, w, out, p, DROP_WATCHDOG);
	}
	out->waiting &= (uint8_t) ~(1u << prio);
}
