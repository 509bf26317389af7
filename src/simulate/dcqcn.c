/* SPDX-License-Identifier: GPL-2.0-or-later
 * DCQCN at both ends (Zhu et al., SIGCOMM 2015).
 *
 * A cut sets the target to the present rate and takes alpha/2 off it.  Then
 * two clocks, one of time and one of bytes, count increase stages: while
 * both are below F the rate goes half way to the target (fast recovery); when
 * one has passed F the target grows a little each time (additive); when both
 * have, it grows faster (hyper). */
#include "simulate/dcqcn.h"

#include "simulate/mem.h"
#include "simulate/port.h"
#include "simulate/qp.h"
#include "simulate/truth.h"
#include "wire/wire.h"

struct dcqcn_constants dcqcn_defaults(void)
{
	return (struct dcqcn_constants) {
		.g = 1.0 / 256,
		.alpha_timer = 55 * PS_PER_US,
		.rate_timer = 55 * PS_PER_US,
		.byte_counter = 10000000,
		.fast = 5,
		.additive = 40e6,
		.hyper = 200e6,
		.slowest = 10e6,
	};
}

/* --- the receiver --------------------------------------------------------- */

static int64_t *pacer(struct sim *s, struct qp *q)
{
	struct nic *n = q->host->nic;

	switch (n->cnp_scope) {
	case CNP_QP:
		return &q->cnp_last;
	case CNP_PORT:
		return &n->cnp_last;
	case CNP_IP:
		break;
	}
	if (!n->cnp_last_to) {
		n->cnp_last_to = mem_new(s->n_hosts * sizeof(int64_t));
		for (size_t i = 0; i < s->n_hosts; i++)
			n->cnp_last_to[i] = INT64_MIN / 2;
	}
	return &n->cnp_last_to[q->peer->host->number];
}

static void send_cnp(struct sim *s, void *object, uint64_t argument)
{
	struct qp *q = object;
	struct cnp_truth *c = (struct cnp_truth *)(uintptr_t)argument;
	struct pkt *p;

	if (q->closed)
		return;
	c->sent = s->now;
	p = qp_packet(s, q, PKT_CNP, CNP, 0);
	p->becn = true;
	p->cnp = c;
	p->dscp = s->host.cnp_dscp;
	p->prio = s->host.cnp_prio;
	p->ecn = MARK_NOT;
	nic_dress(s, q->host, p);
	port_send(s, host_port(q), p);
}

void dcqcn_marked(struct sim *s, struct qp *q, const struct pkt *p)
{
	const struct nic *n = q->host->nic;
	int64_t *last = pacer(s, q);
	struct cnp_truth *c;

	if (!q->marks++)
		q->first_mark = s->now;
	if (n->no_cnp || q->config.no_cnp || s->now - *last < n->cnp_interval)
		return;
	*last = s->now;
	c = truth_cnp(s->truth, q->peer->out);
	c->marked = s->now;
	c->first = q->first_mark;
	c->marks = q->marks;
	c->class = p->class;
	c->psn = p->psn;
	c->trigger_taps = p->captured;
	q->marks = 0;
	if (n->cnp_delay)
		sim_after(s, n->cnp_delay, send_cnp, q, (uintptr_t)c);
	else
		send_cnp(s, q, (uintptr_t)c);
}

void dcqcn_idle(struct sim *s, struct qp *q)
{
	struct cnp_truth *c = truth_cnp(s->truth, q->peer->out);

	c->idle = true;
	send_cnp(s, q, (uintptr_t)c);
}

/* --- the sender ----------------------------------------------------------- */

static double line_rate(const struct qp *q)
{
	return (double)host_port(q)->bps;
}

static void alpha_decays(struct sim *s, void *object, uint64_t argument)
{
	struct qp *q = object;

	if (q->rate.timers != argument || q->closed)
		return;
	q->rate.alpha *= 1 - s->dcqcn.g;
	sim_after(s, s->dcqcn.alpha_timer, alpha_decays, q, argument);
}

static void increase(struct sim *s, struct qp *q)
{
	struct rate_state *r = &q->rate;
	uint32_t less = r->by_time < r->by_bytes ? r->by_time : r->by_bytes;
	uint32_t more = r->by_time > r->by_bytes ? r->by_time : r->by_bytes;

	if (less > s->dcqcn.fast)
		r->target += s->dcqcn.hyper;
	else if (more > s->dcqcn.fast)
		r->target += s->dcqcn.additive;
	if (r->target > line_rate(q))
		r->target = line_rate(q);
	r->now = (r->now + r->target) / 2;
	/* within a packet in ten thousand of the line: no limit any more */
	if (r->now > line_rate(q) * 0.9999) {
		r->now = r->target = line_rate(q);
		r->active = false;
		r->timers++;
	}
	truth_event(s, TRUTH_RATE, q->out, 0)->value = (uint64_t)r->now;
}

static void time_is_up(struct sim *s, void *object, uint64_t argument)
{
	struct qp *q = object;

	if (q->rate.timers != argument || q->closed)
		return;
	q->rate.by_time++;
	increase(s, q);
	sim_after(s, s->dcqcn.rate_timer, time_is_up, q, q->rate.timers);
}

static void cut(const struct sim *s, struct qp *q)
{
	struct rate_state *r = &q->rate;

	r->target = r->now;
	r->now *= 1 - r->alpha / 2;
	if (r->now < s->dcqcn.slowest)
		r->now = s->dcqcn.slowest;
	r->alpha = (1 - s->dcqcn.g) * r->alpha + s->dcqcn.g;
}

static enum reaction reaction(const struct sim *s, const struct qp *q)
{
	const struct rate_state *r = &q->rate;

	if (!q->config.dcqcn || q->config.ignores_cnp)
		return REACT_IGNORED;
	if (r->active && s->now - r->cut_last < s->dcqcn.cut_period)
		return REACT_ALREADY_CUT;
	return r->active && r->now <= s->dcqcn.slowest ? REACT_FLOOR
						       : REACT_CUT;
}

static void obey(struct sim *s, struct qp *q)
{
	struct rate_state *r = &q->rate;

	if (!r->active) {
		r->now = line_rate(q);
		r->alpha = 1;
		r->active = true;
	}
	r->cut_last = s->now;
	cut(s, q);
	r->by_time = r->by_bytes = 0;
	r->bytes = 0;
	r->timers++;
	sim_after(s, s->dcqcn.alpha_timer, alpha_decays, q, r->timers);
	sim_after(s, s->dcqcn.rate_timer, time_is_up, q, r->timers);
}

void dcqcn_notified(struct sim *s, struct qp *q, struct cnp_truth *c)
{
	struct rate_state *r = &q->rate;
	struct truth_event *e = truth_event(s, TRUTH_CNP, q->out, 0);

	q->out->cnps++;
	e->value = (uint64_t)(r->active ? r->now : line_rate(q));
	c->arrived = s->now;
	c->before = e->value;
	c->reaction = reaction(s, q);
	if (c->reaction == REACT_CUT || c->reaction == REACT_FLOOR)
		obey(s, q);
	c->after = (uint64_t)(r->active ? r->now : line_rate(q));
	e->value2 = c->after;
}

void dcqcn_sent(struct sim *s, struct qp *q, const struct pkt *p)
{
	struct rate_state *r = &q->rate;
	double rate = (double)q->config.rate;

	if (r->active) {
		if (!q->config.rate || r->now < rate)
			rate = r->now;
		r->bytes += p->bytes;
		if (r->bytes >= s->dcqcn.byte_counter) {
			r->bytes = 0;
			r->by_bytes++;
			increase(s, q);
		}
	}
	if (rate > 0)
		q->next_at = s->now + (int64_t)((double)(p->bytes + 24) * 8 *
						(double)PS_PER_S / rate);
}
