/* SPDX-License-Identifier: GPL-2.0-or-later
 * What each rank of a collective waits for.
 *
 * Each microsecond every rank that communicates is asked what keeps it: the
 * data it needs next, and there the first packet that its receiver has not
 * taken.  That packet is somewhere, or has not been sent for a reason.  Where a
 * rank has not sent because it waits itself, the question goes on to whom it
 * waits for.  Nothing here changes what is simulated. */
#include "simulate/collective.h"

#include <stdlib.h>

#include "simulate/host.h"
#include "simulate/mem.h"
#include "simulate/port.h"
#include "simulate/qp.h"
#include "simulate/uet.h"
#include "simulate/world.h"

enum { SHORT_QUEUE = 16384 }; /* bytes: no queue to speak of */
static const int64_t tick = PS_PER_US;

struct why {
	enum delay kind;
	uint16_t place;
	uint32_t rank;
};

static uint16_t place_of(struct sim *s, struct port *port)
{
	static const char reason[] = "waits";
	char name[80];

	if (!port->waits) {
		port_name(port, name);
		port->waits = truth_place(s->truth, name, reason);
	}
	return port->waits;
}

/* --- where a packet is ---------------------------------------------------- */

struct sight {
	struct qp *q; /* its sender */
	uint64_t psn;
};

/* In the queue of |port|: is one before it of other work? */
static bool behind_others(const struct pkt_fifo *f, const struct pkt *p)
{
	return p->other_work > f->all - f->n;
}

static uint64_t bytes_before(const struct pkt_fifo *f, const struct pkt *p)
{
	return p->joined - (f->all_bytes - f->bytes);
}

/* Sent once, and not there yet. */
static void on_its_way(struct sim *s, const struct sight *x,
		       const struct pkt *p, struct why *why)
{
	const struct qp *q = x->q;
	struct port *port = p->at;
	const struct pkt_fifo *f;

	if (!p->live || p->stream != q->out || p->psn != x->psn || !port)
		return;
	f = &port->queue[p->prio];
	if (port->node == &q->peer->host->node) {
		why->kind = DELAY_RECEIVER;
		port = port->peer;
	} else if (port_paused(s, port, p->prio)) {
		why->kind = DELAY_PAUSED;
	} else if (bytes_before(f, p) >= SHORT_QUEUE) {
		why->kind = behind_others(f, p) ? DELAY_SHARED : DELAY_QUEUE;
	}
	if (why->kind != DELAY_WIRE)
		why->place = place_of(s, port);
}

/* --- why a packet is not there -------------------------------------------- */

static bool slowed(const struct qp *q)
{
	double line = (double)host_port(q)->bps;

	return q->rate.active && q->rate.now < 0.9 * line;
}

static void unsent(struct sim *s, const struct sight *x, struct why *why)
{
	const struct qp *q = x->q;
	struct port *port = host_port(q);

	if (s->now < q->rnr_until) {
		why->kind = DELAY_RNR;
	} else if (port_paused(s, port, q->config.prio)) {
		why->kind = DELAY_PAUSED;
		why->place = place_of(s, port);
	} else if (x->psn - q->una >= q->config.window) {
		why->kind = q->recovery ? DELAY_RECOVERY : DELAY_WINDOW;
	}
}

static void sent_before(struct sim *s, const struct sight *x, struct why *why)
{
	struct qp *q = x->q;
	const struct psn_record *r = truth_psn(q->out, PKT_REQUEST, x->psn);
	bool rnr = q->recovery && q->recovery->trigger == TRIG_RNR;

	if (r->fate == FATE_RNR || (rnr && r->fate != FATE_LOST)) {
		why->kind = DELAY_RNR;
	} else if (r->fate == FATE_FLYING && r->sent == 1) {
		on_its_way(s, x, r->newest, why);
	} else if (r->fate != FATE_TAKEN) {
		why->kind = DELAY_RECOVERY;
		why->place = r->place      ? r->place
			     : q->recovery ? q->recovery->place
					   : 0;
	}
}

/* UET: what its PDC direction says, by and large. */
static void of_pdc_dir(struct sim *s, const struct qp *q, struct why *why)
{
	const struct pdc_dir *l = q->uet->pdc ? &q->uet->pdc->pdc_dir[0] : NULL;
	struct port *port = host_port(q);

	if (port_paused(s, port, q->config.prio)) {
		why->kind = DELAY_PAUSED;
		why->place = place_of(s, port);
	} else if (l && l->n_again) {
		why->kind = DELAY_RECOVERY;
	} else if (l && l->starved >= 0) {
		why->kind = DELAY_CREDIT;
	}
}

static struct why of_qp(struct sim *s, struct qp *q)
{
	struct why why = { .kind = DELAY_WIRE };
	struct sight x = { q, q->peer->expected };

	if (q->uet) {
		of_pdc_dir(s, q, &why);
		return why;
	}
	if (x.psn >= q->end)
		return why;
	if (x.psn >= q->max)
		unsent(s, &x, &why);
	else
		sent_before(s, &x, &why);
	if (why.kind < DELAY_RATE && slowed(q))
		why = (struct why) { .kind = DELAY_RATE };
	return why;
}

/* --- why a rank waits ----------------------------------------------------- */

static struct why of_rank(struct sim *s, struct collective *c, uint32_t r,
			  unsigned deep);

/* The worst of the QPs that carry it. */
static struct why of_pair(struct sim *s, struct collective *c, uint32_t from,
			  uint32_t to)
{
	struct partner *p = &c->ranks[from].with[to];
	struct why worst = { .kind = DELAY_WIRE };

	for (uint32_t i = 0; i < c->c.qps; i++) {
		struct why why = of_qp(s, p->qp[i]);

		if (why.kind > worst.kind)
			worst = why;
	}
	worst.rank = from;
	return worst;
}

/* Why has |r| not all that it needs from |from|? */
static struct why of_input(struct sim *s, struct collective *c, uint32_t r,
			   uint32_t from, unsigned deep)
{
	const struct rank *rank = &c->ranks[r], *other = &c->ranks[from];
	uint32_t next =
		rank->with[from].came[rank->iteration % AHEAD] / parts_of(c);
	const struct partner *to = &other->with[r];

	if (other->iteration < rank->iteration ||
	    (other->iteration == rank->iteration &&
	     (!other->talking || to->sends <= next)))
		return of_rank(s, c, from, deep + 1);
	if (to->n_held && to->held[0].iteration == rank->iteration &&
	    (other->iteration > rank->iteration ||
	     to->sends - to->n_held <= next))
		return rank->with[from].asked > next
			       ? of_pair(s, c, r, from) /* the CTS */
			       : (struct why) { DELAY_CTS, 0, r };
	return of_pair(s, c, from, r);
}

static struct why of_rank(struct sim *s, struct collective *c, uint32_t r,
			  unsigned deep)
{
	const struct rank *rank = &c->ranks[r];

	if (!rank->talking)
		return (struct why) { s->now < rank->compute_until
					      ? DELAY_COMPUTE
					      : DELAY_LATE,
				      0, r };
	for (uint32_t from = 0; from < c->c.n && deep <= c->c.n; from++)
		if (pattern_of(c)->awaits(c, r, from))
			return of_input(s, c, r, from, deep);
	return (struct why) { DELAY_COMPUTE, 0, r };
}

/* --- counting ------------------------------------------------------------- */

static void add(struct delays *d, const struct delay_row *row)
{
	for (size_t i = 0; i < d->n; i++) {
		struct delay_row *x = &d->row[i];

		if (x->kind == row->kind && x->place == row->place &&
		    x->rank == row->rank) {
			x->ps += row->ps;
			return;
		}
	}
	d->row = mem_room(d->row, d->n, &d->cap, sizeof *d->row);
	d->row[d->n++] = *row;
}

static void ask(struct sim *s, struct collective *c, uint32_t r)
{
	for (uint32_t from = 0; from < c->c.n; from++) {
		struct delay_row row = { .ps = tick };
		struct why why;

		if (!pattern_of(c)->awaits(c, r, from))
			continue;
		why = of_input(s, c, r, from, 0);
		row.kind = why.kind;
		row.place = why.place;
		row.rank = why.rank;
		add(&c->ranks[r].with[from].waits, &row);
	}
}

/* Has |r| something to send on a QP whose rate is cut, and may it send?  What
 * is left of the iteration before counts there. */
static void note_cut(struct sim *s, struct collective *c, uint32_t r)
{
	const struct rank *rank = &c->ranks[r];
	uint32_t i = rank->iteration - (rank->talking ? 0 : 1);

	for (uint32_t p = 0; p < c->c.n && i < c->c.iterations; p++)
		for (uint32_t k = 0; rank->with[p].qp && k < c->c.qps; k++) {
			struct qp *q = rank->with[p].qp[k];
			struct sight x = { q, q->max };
			struct why why = { .kind = DELAY_WIRE };

			if (q->uet || q->max >= q->end || !slowed(q))
				continue;
			unsent(s, &x, &why);
			if (why.kind == DELAY_WIRE) {
				c->record[i]->rank_cut[r] += tick;
				return;
			}
		}
}

static void take_up(struct collective *c, uint32_t r, uint32_t from)
{
	struct rank *rank = &c->ranks[r];
	struct delays *d = &rank->with[from].waits;

	for (size_t i = 0; i < d->n; i++)
		add(&c->record[rank->iteration]->rank_waits[r], &d->row[i]);
	d->n = 0;
}

void delay_step(struct collective *c, uint32_t r, uint32_t from)
{
	take_up(c, r, from);
	for (uint32_t i = 0; i < c->c.n; i++)
		c->ranks[r].with[i].waits.n = 0;
}

void delay_over(struct collective *c, uint32_t r)
{
	for (uint32_t i = 0; i < c->c.n; i++)
		take_up(c, r, i);
}

static void look(struct sim *s, void *object, uint64_t argument)
{
	bool more = false;

	(void)object;
	(void)argument;
	for (size_t i = 0; i < s->n_works; i++) {
		struct collective *c = (struct collective *)s->works[i];

		if (!is_collective(s->works[i]) || c->finished == c->c.n)
			continue;
		more = true;
		for (uint32_t r = 0; r < c->c.n; r++) {
			if (c->ranks[r].talking)
				ask(s, c, r);
			note_cut(s, c, r);
		}
	}
	s->watching = more && s->events.n;
	if (s->watching)
		sim_after(s, tick, look, NULL, 0);
}

void delay_start(struct sim *s)
{
	if (!s->watching)
		sim_after(s, tick, look, NULL, 0);
	s->watching = true;
}
