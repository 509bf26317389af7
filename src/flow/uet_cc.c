/* SPDX-License-Identifier: GPL-2.0-or-later
 * Congestion state that UET puts on the wire (uet.md 6.9): NSCC's view of the
 * receiver, and credits.  Counters on the wire are 24 bits and wrap. */
#include "flow/uet.h"
#include "wire/wire.h"

enum {
	COUNTER_MASK = 0xffffff,
	SERVICE_UNIT_NS = 128,
	OOO_INVALID = 0xffff,
};

/* Adds how far a cumulative counter went; steps back are old answers. */
static void follow(int64_t *sum, struct uet_counter *c, uint32_t value)
{
	uint32_t step = (value - c->last) & COUNTER_MASK;

	if (c->known && step > COUNTER_MASK / 2)
		return;
	*sum = c->known ? *sum + step : 0;
	c->known = true;
	c->last = value & COUNTER_MASK;
}

static void most(int64_t *max, int64_t value)
{
	if (*max == FACT_UNKNOWN || value > *max)
		*max = value;
}

static void service(struct fact_pdc *o, uint32_t raw)
{
	int64_t ns = (int64_t)raw * SERVICE_UNIT_NS;

	if (!raw)
		return; /* not told */
	if (o->service_min_ns == FACT_UNKNOWN || ns < o->service_min_ns)
		o->service_min_ns = ns;
	most(&o->service_max_ns, ns);
}

void uet_cc_ack(struct flow *f, const struct packet *p)
{
	struct uet_dir *u = f->uet;

	if (!(p->uet.flags & (UET_NSCC | UET_CREDIT)))
		return;
	if (p->uet.ack.ooo_count != OOO_INVALID)
		most(&u->fact.ooo_max, p->uet.ack.ooo_count);
	if (p->uet.flags & UET_CREDIT) {
		follow(&u->fact.credit_granted, &u->credit, p->uet.ack.amount);
		return;
	}
	service(&u->fact, p->uet.ack.service_time);
	most(&u->fact.penalty_max, p->uet.ack.penalty);
	u->fact.restores += !!(p->uet.flags & UET_RC);
	follow(&u->fact.received, &u->received, p->uet.ack.amount);
}

void uet_cc_request(struct flow *f, const struct packet *p)
{
	struct uet_dir *u = f->uet;

	if (p->uet.type == PDS_RUD_CC_REQ || p->uet.type == PDS_ROD_CC_REQ)
		follow(&u->fact.credit_wanted, &u->wanted,
		       p->uet.req.credit_target);
}

void uet_cc_control(struct flow *f, struct flow *peer, const struct packet *p)
{
	struct uet_dir *u = f->uet;

	if (p->uet.next == CP_CREDIT_REQ) {
		u->fact.credit_requests++;
		follow(&u->fact.credit_wanted, &u->wanted,
		       p->uet.cp.payload & COUNTER_MASK);
	} else if (p->uet.next == CP_CREDIT && peer && peer->uet) {
		/* It lets the other side send. */
		u = peer->uet;
		follow(&u->fact.credit_granted, &u->credit,
		       p->uet.cp.payload >> 8);
	}
}
