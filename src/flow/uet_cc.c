/* SPDX-License-Identifier: GPL-2.0-or-later
 * Congestion state that UET puts on the wire (uet.md 6.9): NSCC's view of the
 * receiver, and credits.  Counters on the wire are 24 bits and wrap.
 *
 * The unit of credit is not published, so amounts of it stay as they are on
 * the wire.  What is asked for and what is granted are counters of one kind,
 * each from the beginning of the context: their difference is what the sender
 * still waits for, whatever the unit. */
#include <stdlib.h>

#include "base/mem.h"
#include "flow/uet.h"
#include "wire/wire.h"

enum {
	COUNTER_MASK = 0xffffff,
	SERVICE_UNIT_NS = 128,
	SERVICE_MOST = 0xffff, /* that or more */
	RECEIVED_UNIT = 256,
	OOO_INVALID = 0xffff,
};

/* NULL: no memory. */
static struct uet_cc *cc_of(struct flow *f)
{
	struct uet_dir *u = f->uet;

	if (!u->cc)
		u->cc = mem_calloc(1, sizeof *u->cc);
	return u->cc;
}

/* Adds how far a cumulative counter went; steps back are old answers. */
static void follow(struct uet_counter *c, uint32_t value)
{
	uint32_t step = (value - c->last) & COUNTER_MASK;

	if (c->known && step > COUNTER_MASK / 2)
		return;
	c->sum += c->known ? step : 0;
	c->known = true;
	c->last = value & COUNTER_MASK;
}

/* ---- NSCC ---- */

static void service(struct uet_cc *c, uint16_t raw)
{
	if (!raw)
		return; /* not told */
	if (!c->service_min || raw < c->service_min)
		c->service_min = raw;
	if (raw > c->service_max)
		c->service_max = raw;
}

static void window(struct uet_cc *c, const struct packet *p)
{
	c->nscc = true;
	service(c, p->uet.ack.service_time);
	if (p->uet.ack.penalty > c->penalty_max)
		c->penalty_max = p->uet.ack.penalty;
	c->restores += !!(p->uet.flags & UET_RC);
	follow(&c->received, p->uet.ack.amount);
}

void uet_cc_round_trip(struct flow *f, const struct packet *p, int64_t ns)
{
	uint16_t raw = p->uet.ack.service_time;
	struct uet_cc *c;

	if (p->uet.type != PDS_ACK_CC || !(p->uet.flags & UET_NSCC) || !raw ||
	    raw == SERVICE_MOST)
		return;
	ns -= (int64_t)raw * SERVICE_UNIT_NS;
	c = cc_of(f);
	if (c && ns > 0 && (!c->path_min_ns || ns < c->path_min_ns))
		c->path_min_ns = ns;
}

/* ---- credit ---- */

static uint32_t backlog(const struct uet_cc *c)
{
	uint32_t n = (c->wanted.last - c->granted.last) & COUNTER_MASK;

	return c->wanted.known && c->granted.known && n <= COUNTER_MASK / 2 ? n
									    : 0;
}

static void note_backlog(struct uet_cc *c)
{
	uint32_t n = backlog(c);

	if (n > c->backlog_max)
		c->backlog_max = n;
}

/* Since its last packet, or the last grant, it had less than it asked for. */
static void grant(struct flow *f, struct uet_cc *c, uint32_t value, int64_t ns)
{
	int64_t from = f->last_req_ns;

	if (from < c->counted_ns)
		from = c->counted_ns;
	if (backlog(c) && from && ns > from) {
		c->waits++;
		c->wait_ns += ns - from;
	}
	c->counted_ns = ns;
	follow(&c->granted, value);
	note_backlog(c);
}

static void want(struct flow *f, uint32_t value)
{
	struct uet_cc *c = cc_of(f);

	if (!c)
		return;
	follow(&c->wanted, value);
	note_backlog(c);
}

/* ---- packets ---- */

void uet_cc_ack(struct flow *f, const struct packet *p)
{
	struct uet_cc *c;

	if (!(p->uet.flags & (UET_NSCC | UET_CREDIT)))
		return;
	c = cc_of(f);
	if (!c)
		return;
	if (p->uet.ack.ooo_count != OOO_INVALID) {
		c->ooo_known = true;
		if (p->uet.ack.ooo_count > c->ooo_max)
			c->ooo_max = p->uet.ack.ooo_count;
	}
	if (p->uet.flags & UET_CREDIT)
		grant(f, c, p->uet.ack.amount, p->ns);
	else
		window(c, p);
}

void uet_cc_request(struct flow *f, const struct packet *p)
{
	if (p->uet.type == PDS_RUD_CC_REQ || p->uet.type == PDS_ROD_CC_REQ)
		want(f, p->uet.req.credit_target);
}

void uet_cc_control(struct flow *f, struct flow *peer, const struct packet *p)
{
	struct uet_cc *c;

	if (p->uet.next == CP_CREDIT_REQ) {
		f->uet->fact.credit_requests++;
		want(f, p->uet.cp.payload & COUNTER_MASK);
	} else if (p->uet.next == CP_CREDIT && peer && peer->uet) {
		/* It lets the other side send. */
		c = cc_of(peer);
		if (c)
			grant(peer, c, p->uet.cp.payload >> 8, p->ns);
	}
}

/* ---- what is told ---- */

static int64_t known(bool known, int64_t value)
{
	return known ? value : FACT_UNKNOWN;
}

void uet_cc_emit(const struct flow *f, struct fact_pdc *o)
{
	static const struct uet_cc none;
	const struct uet_cc *c = f->uet->cc ? f->uet->cc : &none;
	bool both = c->granted.known && c->wanted.known;

	o->service_min_ns = known(c->service_min,
				  (int64_t)c->service_min * SERVICE_UNIT_NS);
	o->service_max_ns = known(c->service_min,
				  (int64_t)c->service_max * SERVICE_UNIT_NS);
	o->path_min_ns = known(c->path_min_ns, c->path_min_ns);
	o->ooo_max = known(c->ooo_known, c->ooo_max);
	o->penalty_max = known(c->nscc, c->penalty_max);
	o->restores = c->restores;
	o->received = known(c->received.known, c->received.sum * RECEIVED_UNIT);
	o->credit_granted = known(c->granted.known, c->granted.sum);
	o->credit_wanted = known(c->wanted.known, c->wanted.sum);
	o->credit_backlog_max = known(both, c->backlog_max);
	o->credit_waits = known(both, c->waits);
	o->credit_wait_ns = known(both, c->wait_ns);
}
