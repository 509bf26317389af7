/* SPDX-License-Identifier: GPL-2.0-or-later
 * Making, opening and closing queue pairs. */
#include "simulate/qp.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/cm.h"
#include "simulate/mem.h"
#include "simulate/uet.h"
#include "simulate/work.h"
#include "wire/wire.h"

struct qp_config qp_defaults(void)
{
	return (struct qp_config) {
		.mtu = 4096,
		.window = 256,
		.reads = 16,
		.ackreq_every = 16,
		.coalesce = 1,
		.ack_delay = 4 * PS_PER_US,
		.patience = 100 * PS_PER_US,
		.timeout = 2 * PS_PER_MS,
		.retries = 7,
		.cm_port = 18515,
		.rnr_retries = 7,
		.rnr_code = 12,
		.fatal_with = 1,
		.rnr_for = 500 * PS_PER_US,
		.prio = 3,
		.dscp = -1,
		.ecn = true,
		.uet = { .job = 1,
			 .evs = 256,
			 .ack_bytes = 16384,
			 .unsolicited = 65536,
			 .delay = 5 * PS_PER_US,
			 .held = 64,
			 .clear_at = 1,
			 .eager = 4096,
			 .defer_for = 100 * PS_PER_US },
	};
}

uint64_t psn_span(uint64_t bytes, uint32_t mtu)
{
	return bytes ? (bytes + mtu - 1) / mtu : 1;
}

uint16_t qp_sport(uint32_t a, uint32_t b)
{
	uint64_t v = (uint64_t)a * b;
	uint32_t f;

	v ^= v >> 20;
	v ^= v >> 40;
	f = (uint32_t)(v & 0xfffff);
	return (uint16_t)(0xc000 | ((f & 0x3fff) ^ (f >> 14)));
}

static uint16_t choose_sport(struct sim *s, uint32_t mine, uint32_t other)
{
	struct rng r = rng_fork(s->seed, "sport",
				mine * UINT64_C(16777259) ^ s->n_qps);

	switch (s->host.sport) {
	case SPORT_LINUX:
		return qp_sport(mine, other);
	case SPORT_RANDOM:
		return (uint16_t)(0xc000 | rng_below(&r, 0x4000));
	case SPORT_FIXED:
		break;
	}
	return s->host.sport_fixed;
}

static uint64_t number_hash(const struct host *h, uint32_t qpn)
{
	const uint32_t key[] = { h->number, qpn };

	return qp_hash(key, sizeof key);
}

static struct qp *one_end(struct sim *s, struct host *h, uint32_t qpn,
			  uint64_t psn, const struct qp_config *c)
{
	struct qp *q = mem_new(sizeof *q);

	q->host = h;
	q->qpn = qpn;
	q->config = *c;
	q->first_psn = q->una = q->snd = q->max = q->end = psn;
	q->rkey = 0x1000 + (uint32_t)s->n_qps * 0x100;
	q->next_va = UINT64_C(0x7f0000000000) + (uint64_t)qpn * 0x10000000;
	q->cnp_last = INT64_MIN / 2;
	s->qps = mem_room(s->qps, s->n_qps, &s->cap_qps, sizeof *s->qps);
	s->qps[s->n_qps++] = q;
	qp_index_add(&s->qps_by_number, number_hash(h, qpn), q);
	return q;
}

struct qp *qp_pair(struct sim *s, struct host *a, struct host *b,
		   const struct qp_names *n, const struct qp_config *c)
{
	struct qp *p = one_end(s, a, n->qpn[0], n->psn[0], c);
	struct qp *q = one_end(s, b, n->qpn[1], n->psn[1], c);

	strncpy(p->name, n->name, sizeof p->name - 1);
	strncpy(q->name, n->name, sizeof q->name - 1);
	qp_index_add(&s->qps_by_name, qp_hash(p->name, strlen(p->name)), p);
	p->peer = q;
	q->peer = p;
	p->expected = q->first_psn;
	q->expected = p->first_psn;
	p->epoch = q->epoch = n->reuse ? n->reuse->epoch + 1 : 0;
	p->sport = choose_sport(s, p->qpn, q->qpn);
	q->sport = choose_sport(s, q->qpn, p->qpn);
	if (service_is_uet(c->service)) {
		uet_pair(p);
		return p;
	}
	p->out = truth_stream(s->truth, c->service, a, b, p->qpn, q->qpn,
			      p->epoch, p->first_psn, q->first_psn);
	q->out = truth_stream(s->truth, c->service, b, a, q->qpn, p->qpn,
			      q->epoch, q->first_psn, p->first_psn);
	p->out->reverse = q->out;
	q->out->reverse = p->out;
	p->out->mtu = q->out->mtu = c->mtu;
	p->out->sport = p->sport;
	q->out->sport = q->sport;
	return p;
}

void qp_free(struct qp *q)
{
	uet_free(q);
	free(q->wrs);
	free(q->again);
	free(q->early_psn);
	free(q->early);
	free(q->answers);
	free(q);
}

struct qp *qp_find(const struct sim *s, const char *name)
{
	uint64_t hash = qp_hash(name, strlen(name));
	struct qp *q;
	size_t at = 0;

	do
		q = qp_index_next(&s->qps_by_name, hash, &at);
	while (q && strcmp(q->name, name) != 0);
	return q;
}

bool qp_taken(const struct sim *s, const struct host *h, uint32_t qpn)
{
	uint64_t hash = number_hash(h, qpn);
	const struct qp *q;
	size_t at = 0;

	do
		q = qp_index_next(&s->qps_by_number, hash, &at);
	while (q && (q->host != h || q->qpn != qpn));
	return q != NULL;
}

void qp_open(struct sim *s, struct qp *q)
{
	if (q->config.cm && !q->open) {
		cm_connect(s, q);
		return;
	}
	q->open = q->peer->open = true;
	nic_ready(s, q, LINE_DATA);
	nic_ready(s, q->peer, LINE_DATA);
}

void qp_close(struct sim *s, struct qp *q)
{
	if (q->uet) {
		uet_close(s, q);
		uet_close(s, q->peer);
		return;
	}
	if (q->config.cm && q->open)
		cm_disconnect(s, q);
	q->closed = q->peer->closed = true;
}

struct pkt *qp_packet(struct sim *s, struct qp *q, enum pkt_class class,
		      uint8_t opcode, uint64_t psn)
{
	struct pkt *p = pkt_new(&s->pool);

	p->class = (uint8_t) class;
	p->opcode = opcode;
	p->psn = psn;
	p->stream = q->out;
	p->to = q->peer;
	p->dst = q->peer->host;
	p->dst_qp = q->peer->qpn;
	p->src_qp = q->qpn;
	p->span = 1;
	p->sport = q->sport;
	p->prio = q->config.prio;
	p->dscp = q->config.dscp < 0 ? s->host.dscp : (uint8_t)q->config.dscp;
	p->ecn = q->config.ecn ? MARK_ECT0 : MARK_NOT;
	p->syndrome = 0x1f;
	return p;
}

struct pkt *qp_next_ack(struct sim *s, struct qp *q)
{
	return q->closed || q->uet ? NULL : responder_next(s, q, true);
}

bool qp_pending(const struct sim *s, const struct qp *q)
{
	if (q->uet)
		return q->next_at <= s->now && uet_pending(s, q);
	return !q->closed &&
	       (q->n_answers || (q->next_at <= s->now && requester_may(s, q)));
}

static void ask_again(struct sim *s, void *object, uint64_t argument)
{
	struct qp *q = object;

	(void)argument;
	q->wake = false;
	nic_ready(s, q, LINE_DATA);
}

struct pkt *qp_next_data(struct sim *s, struct qp *q)
{
	struct pkt *p;

	if (q->closed)
		return NULL;
	if (q->next_at > s->now) {
		if (!q->wake)
			events_add(&s->events, q->next_at, ask_again, q, 0);
		q->wake = true;
		return NULL;
	}
	if (q->uet)
		return uet_next(s, q);
	p = responder_next(s, q, false);
	return p ? p : requester_next(s, q);
}
