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
#include "flow/core/bins.h"
#include "flow/uet/credit.h"
#include "flow/uet/serial.h"
#include "wire/wire.h"

enum {
	COUNTER_MASK = 0xffffff,
	SERVICE_UNIT_NS = 128,
	SERVICE_MOST = 0xffff, /* that or more */
	RECEIVED_UNIT = 256,
	OOO_INVALID = 0xffff,
};

/* ---- the series ---- */

/* What happened in a bin of time. */
struct cc_count {
	int64_t acks, marked, trimmed;
	int64_t served, service_ns; /* responses that carried it; all of them */
	int64_t received, granted, wanted, waited_ns;
	int64_t service_max, ooo_max, penalty_max, backlog_max;
};

#define COUNTER(m) (offsetof(struct cc_count, m) / sizeof(int64_t))

enum {
	CC_COUNTERS = sizeof(struct cc_count) / sizeof(int64_t),
	CC_MAXIMA = 1 << COUNTER(service_max) | 1 << COUNTER(ooo_max) |
		    1 << COUNTER(penalty_max) | 1 << COUNTER(backlog_max),
	SERIES_MAX = 4096,  /* contexts that have one ... */
	SERIES_CALM = 512,  /* ... if nothing has gone wrong so far */
	ROWS_MAX = 1 << 15, /* they share these ... */
	BINS_MAX = 64,      /* ... and none has more than so many */
};

/* |bad|: there is congestion to report.  NULL: none, as there are too many. */
static struct bins *series(struct engine *e, struct flow *f, bool bad)
{
	struct uet_sender *s = f->uet.sender;
	if (!s->series && e->n_cc_series < (bad ? SERIES_MAX : SERIES_CALM)) {
		s->series = bins_new_of(BINS_MAX, CC_COUNTERS, CC_MAXIMA);
		e->n_cc_series += s->series != NULL;
	}
	if (!s->series)
		return NULL;
	/* This is no place for a division. */
	if (s->series->max * e->n_cc_series > ROWS_MAX)
		bins_limit(s->series, ROWS_MAX / e->n_cc_series);
	return s->series;
}

/* The bin of |ns|; what it counts is lost where there is none. */
static struct cc_count *bin(struct engine *e, struct flow *f, int64_t ns,
			    bool bad)
{
	static _Thread_local struct cc_count lost;
	struct bins *s = series(e, f, bad);

	return s ? bins_counters_at(s, ns) : &lost;
}

static void most(int64_t *m, int64_t value)
{
	if (value > *m)
		*m = value;
}

/* ---- counters ---- */

/* Adds how far a cumulative counter went, and returns that; steps back are old
 * answers. */
static uint32_t follow(struct uet_counter *c, uint32_t value)
{
	uint32_t step = (value - c->last) & COUNTER_MASK;

	if (c->known && step > COUNTER_MASK / 2)
		return 0;
	step = c->known ? step : 0;
	c->sum += step;
	c->known = true;
	c->last = value & COUNTER_MASK;
	return step;
}

/* ---- NSCC ---- */

static void service(struct uet_cc *c, uint16_t raw, struct cc_count *b)
{
	if (!raw)
		return; /* not carried */
	if (!c->service_min || raw < c->service_min)
		c->service_min = raw;
	if (raw > c->service_max)
		c->service_max = raw;
	b->served++;
	b->service_ns += (int64_t)raw * SERVICE_UNIT_NS;
	most(&b->service_max, raw);
}

static void window(struct uet_cc *c, const struct packet *p, struct cc_count *b)
{
	c->nscc = true;
	service(c, p->uet.ack.service_time, b);
	if (p->uet.ack.penalty > c->penalty_max)
		c->penalty_max = p->uet.ack.penalty;
	most(&b->penalty_max, p->uet.ack.penalty);
	c->restores += !!(p->uet.flags & UET_RC);
	b->received += follow(&c->received, p->uet.ack.amount);
}

void uet_cc_round_trip(struct flow *f, const struct packet *p, int64_t ns)
{
	uint16_t raw = p->uet.ack.service_time;
	struct uet_cc *c = &f->uet.sender->cc;

	if (p->uet.type != PDS_ACK_CC || !(p->uet.flags & UET_NSCC) || !raw ||
	    raw == SERVICE_MOST)
		return;
	ns -= (int64_t)raw * SERVICE_UNIT_NS;
	if (ns > 0 && ns < UINT32_MAX &&
	    (!c->path_min_ns || ns < c->path_min_ns))
		c->path_min_ns = (uint32_t)ns;
}

/* ---- credit ---- */

/* NULL: no memory. */
static struct uet_credit *credit_of(struct flow *f)
{
	struct uet_sender *s = f->uet.sender;

	if (s->credit)
		return s->credit;
	s->credit = mem_calloc(1, sizeof *s->credit);
	if (s->credit)
		uet_credit_init(s->credit);
	return s->credit;
}

static void note_backlog(struct uet_credit *c, struct cc_count *b)
{
	uint32_t n = uet_credit_backlog(c);

	if (n > c->backlog_max)
		c->backlog_max = n;
	most(&b->backlog_max, n);
}

static void grant(struct engine *e, struct flow *f, uint32_t value, int64_t ns)
{
	struct uet_credit *c = credit_of(f);
	struct cc_count *b;
	uint32_t step;

	if (!c)
		return;
	b = bin(e, f, ns, uet_credit_backlog(c));
	if (!c->granted.known)
		c->first_granted = value & COUNTER_MASK;
	step = follow(&c->granted, value);
	b->granted += step;
	uet_credit_granted(c, f, step, ns);
	note_backlog(c, b);
}

/* |open|: packets that are not answered. */
static void want(struct engine *e, struct flow *f, uint32_t value,
		 uint32_t open, int64_t ns)
{
	struct uet_credit *c = credit_of(f);
	struct cc_count *b;

	if (!c)
		return;
	b = bin(e, f, ns, uet_credit_backlog(c));
	if (!c->wanted.known)
		c->first_wanted = value & COUNTER_MASK;
	b->wanted += follow(&c->wanted, value);
	uet_credit_wanted(c, f, open, ns);
	note_backlog(c, b);
}

/* Data that takes credit. */
static void spend(struct engine *e, struct flow *f, uint32_t psn, int64_t ns)
{
	struct uet_credit *c = credit_of(f);
	int64_t until, wait = c ? uet_credit_data(c, f, psn, ns, &until) : 0;
	struct bins *s = wait ? series(e, f, true) : NULL;

	if (s)
		bins_span(s, COUNTER(waited_ns), until - wait, until);
}

/* With |psn|. */
static uint32_t unanswered(const struct flow *f, uint32_t psn)
{
	uint32_t next = psn + 1;

	if (!f->req_valid)
		return 0;
	if (psn32_diff(next, f->nxt) < 0)
		next = f->nxt;
	return next - (f->uet.una_valid ? f->una : f->first);
}

/* ---- packets ---- */

void uet_cc_ack(struct engine *e, struct flow *f, const struct packet *p)
{
	struct uet_cc *c = &f->uet.sender->cc;
	struct cc_count *b;

	if (!(p->uet.flags & (UET_NSCC | UET_CREDIT | UET_M)))
		return;
	b = bin(e, f, p->ns,
		(p->uet.flags & (UET_M | UET_RC)) ||
			((p->uet.flags & UET_NSCC) && p->uet.ack.penalty));
	b->acks++;
	b->marked += !!(p->uet.flags & UET_M);
	if (!(p->uet.flags & (UET_NSCC | UET_CREDIT)))
		return;
	if (p->uet.ack.ooo_count != OOO_INVALID) {
		c->ooo_known = true;
		if (p->uet.ack.ooo_count > c->ooo_max)
			c->ooo_max = p->uet.ack.ooo_count;
		most(&b->ooo_max, p->uet.ack.ooo_count);
	}
	if (p->uet.flags & UET_CREDIT)
		grant(e, f, p->uet.ack.amount, p->ns);
	else
		window(c, p, b);
}

void uet_cc_trimmed(struct engine *e, struct flow *f, const struct packet *p)
{
	bin(e, f, p->ns, true)->trimmed++;
}

void uet_cc_request(struct engine *e, struct flow *f, const struct packet *p)
{
	if (p->uet.type != PDS_RUD_CC_REQ && p->uet.type != PDS_ROD_CC_REQ)
		return;
	spend(e, f, p->psn, p->ns);
	want(e, f, p->uet.req.credit_target, unanswered(f, p->psn), p->ns);
}

void uet_cc_control(struct engine *e, struct flow *f, struct flow *peer,
		    const struct packet *p)
{
	if (p->uet.next == CP_CREDIT_REQ) {
		/* Asked for by itself: data could not ask. */
		want(e, f, p->uet.cp.payload & COUNTER_MASK, 0, p->ns);
		if (f->uet.sender->credit)
			f->uet.sender->credit->requests++;
	} else if (p->uet.next == CP_CREDIT && peer && uet_sender(e, peer)) {
		/* It lets the other side send. */
		grant(e, peer, p->uet.cp.payload >> 8, p->ns);
	}
}

void uet_cc_free(struct engine *e, struct flow *f)
{
	struct uet_sender *s = f->uet.sender;

	e->n_cc_series -= s->series != NULL;
	bins_delete(s->series);
	free(s->credit);
}

/* ---- what is reported ---- */

int64_t uet_cc_granted(const struct flow *f, int64_t *wanted)
{
	const struct uet_sender *s = flow_is_uet(f) ? f->uet.sender : NULL;
	const struct uet_credit *c = s ? s->credit : NULL;

	*wanted = c && c->relieved_ns ? c->wanted_ns : FACT_UNKNOWN;
	return c && c->relieved_ns ? c->relieved_ns : FACT_UNKNOWN;
}

static int64_t known(bool known, int64_t value)
{
	return known ? value : FACT_UNKNOWN;
}

/* Do the counters of credit count what this context does, from its begin in the
 * capture on?  Then they begin at 0, and what is asked for first is sent later.
 * Nothing says so: they may be those of an older context between the same two,
 * and then their first values are any. */
static bool begins_at_zero(const struct flow *f, const struct uet_credit *k)
{
	return f->uet.sender && f->uet.sender->fact.opened_ns != FACT_UNKNOWN &&
	       k->first_granted <= k->first_wanted &&
	       (uint64_t)k->first_wanted << k->unit <= f->payload;
}

void uet_cc_emit(const struct flow *f, struct fact_pdc *o)
{
	static const struct uet_sender none;
	static const struct uet_credit no_credit;
	const struct uet_sender *s = f->uet.sender ? f->uet.sender : &none;
	const struct uet_cc *c = &s->cc;
	const struct uet_credit *k = s->credit ? s->credit : &no_credit;
	bool both = k->granted.known && k->wanted.known;
	bool began = begins_at_zero(f, k);

	o->service_min_ns = known(c->service_min,
				  (int64_t)c->service_min * SERVICE_UNIT_NS);
	o->service_max_ns = known(c->service_min,
				  (int64_t)c->service_max * SERVICE_UNIT_NS);
	o->path_min_ns = known(c->path_min_ns, c->path_min_ns);
	o->ooo_max = known(c->ooo_known, c->ooo_max);
	o->penalty_max = known(c->nscc, c->penalty_max);
	o->restores = c->restores;
	o->received = known(c->received.known,
			    (int64_t)c->received.sum * RECEIVED_UNIT);
	o->credit_requests = k->requests;
	o->credit_granted =
		known(k->granted.known,
		      k->granted.sum + (began ? k->first_granted : 0));
	o->credit_wanted = known(k->wanted.known,
				 k->wanted.sum + (began ? k->first_wanted : 0));
	o->credit_backlog_max = known(both, k->backlog_max);
	o->credit_waits = known(both, k->waits);
	o->credit_wait_ns = known(both, k->wait_ns);
}

static void report_cc(struct engine *e, const struct flow *f,
		      const struct cc_count *b, int64_t start)
{
	static const struct uet_credit no_credit;
	const struct uet_sender *s = f->uet.sender;
	const struct uet_cc *c = &s->cc;
	const struct uet_credit *k = s->credit ? s->credit : &no_credit;
	bool both = k->granted.known && k->wanted.known;
	struct fact_cc_bin o = {
		.flow = f->id,
		.start_ns = start,
		.width_ns = s->series->width,
		.acks = b->acks,
		.marked = b->marked,
		.trimmed = b->trimmed,
		.received =
			known(c->received.known, b->received * RECEIVED_UNIT),
		.service_mean_ns = FACT_UNKNOWN,
		.service_max_ns =
			known(b->served, b->service_max * SERVICE_UNIT_NS),
		.ooo_max = known(c->ooo_known && b->acks, b->ooo_max),
		.penalty_max = known(c->nscc && b->acks, b->penalty_max),
		.granted = known(k->granted.known, b->granted),
		.wanted = known(k->wanted.known, b->wanted),
		.backlog_max = known(both, b->backlog_max),
		.waited_ns = known(both, b->waited_ns),
	};

	if (b->served)
		o.service_mean_ns = b->service_ns / b->served;
	HAND_OUT(e, cc_bin, &o);
}

void uet_cc_finish(struct engine *e, const struct flow *f)
{
	const struct uet_sender *s = f->uet.sender;

	if (!s)
		return;
	if (!s->series) {
		e->limit[LIMIT_CC_BIN].left_out +=
			s->cc.nscc || s->credit || s->fact.marked;
		return;
	}
	if (!limit_take(e, LIMIT_CC_BIN, s->series->n, true))
		return;
	for (uint32_t i = 0; i < s->series->n; i++)
		report_cc(e, f, bins_counters(s->series, i),
			  bins_start_of(s->series, i));
}
