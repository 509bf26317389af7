/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packet delivery contexts: who opens them, what is sent in them, how they
 * end. */
#include "simulate/uet.h"
#include "simulate/uet_frame.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/mem.h"
#include "simulate/qp.h"
#include "simulate/work.h"
#include "wire/wire.h"

enum { PDC_IDS = 65536, EV_FIRST = 0xc000, PSN_LEAST = 1 << 16 };
#define PSN_BASE (UINT64_C(1) << 32) /* far from 0: PSN - 1 is one, too */

/* --- ids ------------------------------------------------------------------ */

/* The least id that is free, or 0. */
static uint16_t take_id(struct nic *n, bool target)
{
	if (target && n->pdc_most && n->pdcs == n->pdc_most)
		return 0;
	if (!n->pdc_used)
		n->pdc_used = mem_new(PDC_IDS);
	for (uint32_t id = 1; id < PDC_IDS; id++)
		if (!n->pdc_used[id]) {
			n->pdc_used[id] = 1;
			n->pdcs += target;
			return (uint16_t)id;
		}
	return 0;
}

static void give_id(struct nic *n, uint16_t id, bool target)
{
	if (!id)
		return;
	n->pdc_used[id] = 0;
	n->pdcs -= target;
}

/* --- opening -------------------------------------------------------------- */

static uint64_t first_psn(struct pdc *c)
{
	uint64_t chosen = c->q->config.uet.psn;

	return PSN_BASE +
	       (chosen ? chosen
		       : PSN_LEAST + rng_below(&c->rng, 1u << 31) - PSN_LEAST);
}

static void dir_init(struct sim *s, struct pdc *c, int i)
{
	struct pdc_dir *l = &c->pdc_dir[i];
	const struct qp_config *qc = &c->q->config;

	l->pdc = c;
	l->from = i ? c->q->peer : c->q;
	l->start = first_psn(c);
	l->una = l->next = l->top_acked = l->expected = l->top = l->start;
	l->window = (double)qc->window * qc->mtu;
	l->starved = l->probed = -1;
	l->cleared = l->start - 1;
	l->held_from = l->start;
	l->stream = truth_stream(s->truth, qc->service, l->from->host,
				 dir_to(l)->host, 0, 0, c->number, l->start,
				 l->start);
	l->stream->mtu = qc->mtu;
	l->stream->uet->job = qc->uet.job;
	l->stream->uet->initiator = !i;
	l->stream->uet->sdi = s->host.tss;
	l->stream->uet->ssi = uet_ssi(s, l->from->host);
}

static void name_ids(struct pdc *c)
{
	for (int i = 0; i < 2; i++) {
		c->pdc_dir[i].stream->src_qp = c->id[i];
		c->pdc_dir[i].stream->dst_qp = c->id[!i];
	}
}

static struct pdc *new_context(struct sim *s, struct qp *q)
{
	struct pdc *c = mem_new(sizeof *c);

	c->q = q;
	c->number = q->uet->pdcs++;
	c->rng = rng_fork(s->seed, q->name,
			  0x0e7 + q->host->number * 65536 + c->number);
	c->ev = (uint16_t)(EV_FIRST + rng_below(&c->rng, 0x3000));
	c->opened = s->now;
	for (int i = 0; i < 2; i++)
		dir_init(s, c, i);
	c->pdc_dir[0].stream->reverse = c->pdc_dir[1].stream;
	c->pdc_dir[1].stream->reverse = c->pdc_dir[0].stream;
	c->older = s->pdcs;
	s->pdcs = c;
	q->out = c->pdc_dir[0].stream;
	if (!q->peer->out)
		q->peer->out = c->pdc_dir[1].stream;
	return c;
}

static bool has_pdcs(const struct qp *q)
{
	return q->config.service == SERVE_ROD || q->config.service == SERVE_RUD;
}

static void note(struct sim *s, struct pdc *c, enum truth_kind kind)
{
	struct truth_event *e =
		truth_event(s, kind, c->pdc_dir[0].stream, c->pdc_dir[0].next);

	e->value = c->id[0];
	e->value2 = c->id[1];
}

static bool full(const struct pdc *c)
{
	uint32_t most = c->q->config.uet.close_after;

	return c->closing || c->q->uet->ending || (most && c->messages >= most);
}

struct pdc *uet_context(struct sim *s, struct qp *q, bool open)
{
	struct pdc *c = q->uet->pdc;
	uint16_t id;

	if (c)
		return full(c) ? NULL : c;
	if (!open || q->dead || q->uet->ending)
		return NULL;
	if (!has_pdcs(q)) { /* nothing to open, and never closed */
		c = q->uet->pdc = new_context(s, q);
		c->known = true;
		return c;
	}
	id = take_id(q->host->nic, false);
	if (!id)
		return NULL;
	c = q->uet->pdc = new_context(s, q);
	c->id[0] = id;
	name_ids(c);
	for (int i = 0; i < 2; i++)
		c->pdc_dir[i].stream->uet->opened = s->now;
	note(s, c, TRUTH_PDC_OPEN);
	return c;
}

bool uet_target_opens(struct sim *s, struct pdc *c)
{
	(void)s;
	if (!c->id[1])
		c->id[1] = take_id(c->q->peer->host->nic, true);
	name_ids(c);
	return c->id[1] != 0;
}

void uet_initiator_hears(struct sim *s, struct pdc *c)
{
	if (c->known)
		return;
	c->known = true;
	for (int i = 0; i < 2; i++)
		c->pdc_dir[i].stream->uet->known = s->now;
	note(s, c, TRUTH_PDC_KNOWN);
	if (c->q->config.uet.negotiate)
		ask_negotiate(s, &c->pdc_dir[0], c->q);
}

/* --- ending --------------------------------------------------------------- */

void uet_target_closes(struct sim *s, struct pdc *c)
{
	(void)s;
	c->target_closed = true;
	give_id(c->q->peer->host->nic, c->id[1], true);
}

void uet_closed(struct sim *s, struct pdc *c)
{
	c->closed = true;
	for (int i = 0; i < 2; i++)
		c->pdc_dir[i].stream->uet->closed = s->now;
	note(s, c, TRUTH_PDC_CLOSE);
	give_id(c->q->host->nic, c->id[0], false);
	if (c->q->uet->pdc == c)
		c->q->uet->pdc = NULL;
	nic_ready(s, c->q, LINE_DATA);
}

void uet_failed(struct sim *s, struct pdc *c)
{
	c->closed = true;
	c->q->dead = true;
	truth_event(s, TRUTH_QP_ERROR, c->pdc_dir[0].stream, c->pdc_dir[0].una);
}

void uet_close(struct sim *s, struct qp *q)
{
	q->uet->ending = true;
	nic_ready(s, q, LINE_DATA);
}

/* --- messages ------------------------------------------------------------- */

/* How much of |bytes| goes by itself, and what that brings about. */
static void lay_out(const struct qp *q, struct umsg *u, uint64_t bytes)
{
	const struct qp_config *c = &q->config;

	u->ahead = bytes;
	if (u->m->op == MSG_CAS)
		u->ahead = 0; /* its operands stand in a header */
	if (u->m->op == MSG_RENDEZVOUS && c->uet.eager < bytes) {
		u->ahead = c->uet.eager;
		u->gives = (uint32_t)psn_span(bytes - u->ahead, c->mtu);
	}
	u->packets = (uint32_t)psn_span(u->ahead, c->mtu);
	if (u->m->op == MSG_READ)
		u->wants = u->packets;
	else if (uet_fetches(u))
		u->wants = 1;
	u->m->eager = u->ahead;
}

static bool is_atomic(enum msg_op op)
{
	return op == MSG_CAS || op == MSG_ADD || op == MSG_ATOMIC;
}

struct umsg *uet_message(struct sim *s, struct qp *q, enum msg_op op,
			 uint64_t bytes)
{
	struct umsg *u = mem_new(sizeof *u);

	if (is_atomic(op))
		bytes = UET_OPERAND;
	u->m = truth_message(s->truth, NULL, op, bytes);
	u->m->posted = s->now;
	u->id = q->config.service == SERVE_UUD ? 0 : ++q->uet->next_id;
	if (!u->id && q->config.service != SERVE_UUD)
		u->id = ++q->uet->next_id; /* 0 is no message id */
	u->m->id = u->id;
	lay_out(q, u, bytes);
	q->uet->all = mem_room(q->uet->all, q->uet->n_all, &q->uet->cap_all,
			       sizeof *q->uet->all);
	q->uet->all[q->uet->n_all++] = u;
	return u;
}

struct message *uet_post(struct sim *s, struct qp *q, enum msg_op op,
			 uint64_t bytes, struct work *work)
{
	struct umsg *u = uet_message(s, q, op, bytes);

	u->m->work = work;
	if (q->uet->tail)
		q->uet->tail->next = u;
	else
		q->uet->head = u;
	q->uet->tail = u;
	if (q->open)
		nic_ready(s, q, LINE_DATA);
	return u->m;
}

void uet_leave(struct uet *u, const struct umsg *m)
{
	struct umsg **at = &u->head, *before = NULL;

	while (*at && *at != m) {
		before = *at;
		at = &before->next;
	}
	if (!*at)
		return;
	*at = m->next;
	if (u->tail == m)
		u->tail = before;
}

/* Behind a message that is on its way: they do not mix. */
void uet_begin_again(struct uet *u, struct umsg *m)
{
	struct umsg **at = &u->head;

	uet_leave(u, m);
	if (*at && (*at)->assigned)
		at = &(*at)->next;
	m->next = *at;
	*at = m;
	if (!m->next)
		u->tail = m;
}

/* All its packets are acknowledged, what they ask for is here, and all that the
 * other end wanted of it is there? */
void uet_completed(struct sim *s, struct pdc_dir *l, struct umsg *u)
{
	struct pdc *c = l->pdc;

	if (u->acked < u->packets || u->brought < u->wants ||
	    u->given < u->gives || u->waiting || u->m->completed >= 0)
		return;
	u->m->completed = s->now;
	if (u->m->op == MSG_READ)
		u->m->delivered = s->now;
	u->m->stream->completed++;
	c->undone -= u->m->stream == c->pdc_dir[0].stream;
	work_completed(s, u->m);
}

/* --- turns at the NIC ----------------------------------------------------- */

struct pkt *uet_next(struct sim *s, struct qp *q)
{
	struct pdc *theirs = q->peer->uet->pdc;
	struct pkt *p = NULL;

	if (!q->open)
		return NULL;
	if (theirs)
		p = dir_next(s, &theirs->pdc_dir[1]);
	if (p)
		return p;
	if (q->uet->head)
		uet_context(s, q, true);
	return q->uet->pdc ? dir_next(s, &q->uet->pdc->pdc_dir[0]) : NULL;
}

bool uet_pending(const struct sim *s, const struct qp *q)
{
	const struct pdc *theirs = q->peer->uet->pdc;

	(void)s;
	return q->open && !q->dead &&
	       ((theirs && dir_pending(&theirs->pdc_dir[1])) ||
		(q->uet->pdc ? dir_pending(&q->uet->pdc->pdc_dir[0])
			     : q->uet->head != NULL));
}

void uet_pair(struct qp *p)
{
	struct qp *ends[] = { p, p->peer };

	for (int i = 0; i < 2; i++)
		ends[i]->uet = mem_new(sizeof *ends[i]->uet);
}

void uet_free(struct qp *q)
{
	if (!q->uet)
		return;
	for (size_t i = 0; i < q->uet->n_all; i++)
		free(q->uet->all[i]);
	free(q->uet->all);
	free(q->uet);
}

void uet_contexts_free(struct pdc *c)
{
	while (c) {
		struct pdc *older = c->older;

		for (int i = 0; i < 2; i++) {
			free(c->pdc_dir[i].sent);
			free(c->pdc_dir[i].again);
			free(c->pdc_dir[i].owed);
			free(c->pdc_dir[i].got);
		}
		free(c);
		c = older;
	}
}
