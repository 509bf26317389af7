/* SPDX-License-Identifier: GPL-2.0-or-later
 * The answering side of a QP.
 *
 * Answers leave in the order of their PSNs: an ACK waits behind the READ
 * responses before it, and takes the place of an unsent ACK before it. */
#include "simulate/qp.h"

#include <string.h>

#include "simulate/mem.h"
#include "simulate/work.h"
#include "wire/wire.h"

enum { SYNDROME_ACK = 0x1f, SYNDROME_RNR = 0x20, SYNDROME_NAK = 0x60 };

int64_t rnr_ps(unsigned code)
{
	static const int32_t us[32] = {
		655360, 10,    20,    30,     40,     60,     80,     120,
		160,    240,   320,   480,    640,    960,    1280,   1920,
		2560,   3840,  5120,  7680,   10240,  15360,  20480,  30720,
		40960,  61440, 81920, 122880, 163840, 245760, 327680, 491520
	};

	return us[code & 31] * PS_PER_US;
}

/* --- answers waiting to be sent ------------------------------------------- */

static void push(struct sim *s, struct qp *q, const struct answer *a)
{
	struct answer *tail =
		q->n_answers ? &q->answers[q->n_answers - 1] : NULL;

	if (tail && tail->kind == ANSWER_ACK &&
	    tail->syndrome == SYNDROME_ACK && a->kind == ANSWER_ACK) {
		*tail = *a;
	} else {
		q->answers = mem_room(q->answers, q->n_answers, &q->cap_answers,
				      sizeof *q->answers);
		q->answers[q->n_answers++] = *a;
	}
	nic_ready(s, q,
		  q->answers[0].kind == ANSWER_ACK ? LINE_ACK : LINE_DATA);
}

static void push_ack(struct sim *s, struct qp *q, uint8_t syndrome,
		     uint64_t psn)
{
	q->ack_due = 0;
	push(s, q,
	     &(struct answer) { .kind = ANSWER_ACK,
				.psn = psn,
				.first = psn,
				.last = psn,
				.syndrome = syndrome,
				.msn = q->msn });
}

static void flush_ack(struct sim *s, void *object, uint64_t argument)
{
	struct qp *q = object;

	(void)argument;
	q->ack_timer = false;
	if (q->ack_due)
		push_ack(s, q, SYNDROME_ACK, q->expected - 1);
}

static void acknowledge(struct sim *s, struct qp *q)
{
	if (++q->ack_due >= q->config.coalesce) {
		push_ack(s, q, SYNDROME_ACK, q->expected - 1);
	} else if (!q->ack_timer) {
		q->ack_timer = true;
		sim_after(s, q->config.ack_delay, flush_ack, q, 0);
	}
}

static void nak(struct sim *s, struct qp *q)
{
	if (q->nak_out)
		return;
	q->nak_out = true;
	truth_event(s, TRUTH_NAK, q->peer->out, q->expected);
	push_ack(s, q, SYNDROME_NAK, q->expected);
}

static struct pkt *send_read(struct sim *s, struct qp *q, struct answer *a)
{
	uint32_t mtu = q->config.mtu;
	uint64_t done = (a->psn - a->first) * mtu, left = a->bytes - done;
	uint8_t op = RC_READ_MIDDLE;
	struct pkt *p;

	if (a->first == a->last)
		op = RC_READ_ONLY;
	else if (a->psn == a->first)
		op = RC_READ_FIRST;
	else if (a->psn == a->last)
		op = RC_READ_LAST;
	p = qp_packet(s, q, PKT_RESPONSE, op, a->psn);
	p->payload = (uint32_t)(left < mtu ? left : mtu);
	p->last = a->psn == a->last;
	p->msn = a->msn;
	return p;
}

static struct pkt *send_answer(struct sim *s, struct qp *q, struct answer *a)
{
	struct pkt *p;

	if (a->kind == ANSWER_READ)
		return send_read(s, q, a);
	if (a->kind == ANSWER_ATOMIC) {
		p = qp_packet(s, q, PKT_RESPONSE, RC_ATOMIC_ACK, a->psn);
		p->atomic[0] = a->psn;
		p->last = true;
	} else {
		p = qp_packet(s, q, PKT_ACK, RC_ACK, a->psn);
		p->syndrome = a->syndrome;
	}
	p->msn = a->msn;
	return p;
}

struct pkt *responder_next(struct sim *s, struct qp *q, bool ack)
{
	struct answer *a = q->answers;
	struct pkt *p;

	if (!q->n_answers || (a->kind == ANSWER_ACK) != ack)
		return NULL;
	p = send_answer(s, q, a);
	if (a->psn++ == a->last) {
		memmove(q->answers, q->answers + 1,
			--q->n_answers * sizeof *q->answers);
		if (q->n_answers)
			nic_ready(s, q,
				  q->answers[0].kind == ANSWER_ACK ? LINE_ACK
								   : LINE_DATA);
	}
	return p;
}

/* --- requests ------------------------------------------------------------- */

static void answer_read(struct sim *s, struct qp *q, const struct early *e)
{
	push(s, q,
	     &(struct answer) { .kind = ANSWER_READ,
				.psn = e->psn,
				.first = e->psn,
				.last = e->psn + e->span - 1,
				.bytes = e->dma_len,
				.msn = q->msn,
				.syndrome = SYNDROME_ACK });
}

static void answer_atomic(struct sim *s, struct qp *q, uint64_t psn)
{
	push(s, q,
	     &(struct answer) { .kind = ANSWER_ATOMIC,
				.psn = psn,
				.first = psn,
				.last = psn,
				.msn = q->msn,
				.syndrome = SYNDROME_ACK });
}

static bool is_atomic(uint8_t opcode)
{
	return opcode == RC_COMPARE_SWAP || opcode == RC_FETCH_ADD;
}

/* The request at the expected PSN. */
static void accept(struct sim *s, struct qp *q, const struct early *e)
{
	bool posted = e->opcode < RC_READ_REQUEST;

	truth_fate(q->peer->out, PKT_REQUEST, e->psn, FATE_TAKEN);
	q->expected = e->psn + e->span;
	q->nak_out = q->rnr_out = false;
	if (e->last)
		q->msn = (q->msn + 1) & 0xffffff;
	if (e->opcode == RC_READ_REQUEST)
		answer_read(s, q, e);
	else if (is_atomic(e->opcode))
		answer_atomic(s, q, e->psn);
	if (e->last && posted) {
		e->message->delivered = s->now;
		work_delivered(s, e->message);
	}
	if (posted && e->ackreq)
		acknowledge(s, q);
}

static void drop_early(struct qp *q)
{
	memmove(q->early, q->early + 1, --q->n_early * sizeof *q->early);
}

static void gap_stays(struct sim *s, void *object, uint64_t argument)
{
	struct qp *q = object;

	q->gap_timer = false;
	if (!q->n_early || q->closed)
		return;
	if (q->expected == argument) {
		nak(s, q);
		return;
	}
	q->gap_timer = true;
	sim_after(s, q->config.patience, gap_stays, q, q->expected);
}

/* There is a gap, and the receiver keeps what is behind it. */
static void mind_gap(struct sim *s, struct qp *q)
{
	if (q->config.receiver == RECEIVER_SELECT) {
		nak(s, q);
	} else if (!q->gap_timer) {
		q->gap_timer = true;
		sim_after(s, q->config.patience, gap_stays, q, q->expected);
	}
}

static void accept_early(struct sim *s, struct qp *q)
{
	while (q->n_early && q->early[0].psn <= q->expected) {
		struct early e = q->early[0];

		drop_early(q);
		if (e.psn == q->expected)
			accept(s, q, &e);
	}
	if (q->n_early)
		mind_gap(s, q);
}

static void keep_early(struct qp *q, const struct early *e)
{
	size_t i = q->n_early;

	while (i && q->early[i - 1].psn > e->psn)
		i--;
	if (i && q->early[i - 1].psn == e->psn)
		return;
	q->early =
		mem_room(q->early, q->n_early, &q->cap_early, sizeof *q->early);
	memmove(q->early + i + 1, q->early + i,
		(q->n_early++ - i) * sizeof *q->early);
	q->early[i] = *e;
}

/* Needs a receive work queue element, and there is none. */
static bool not_ready(struct sim *s, struct qp *q, const struct pkt *p)
{
	const struct qp_config *c = &q->config;

	if (!c->rnr_every || !(wire_opcode(p->opcode)->does & OP_RQE))
		return false;
	if (q->rqe_at)
		return s->now < q->rqe_at;
	if (++q->rqe_seen % c->rnr_every)
		return false;
	q->rqe_at = s->now + c->rnr_for;
	return true;
}

static void refuse(struct sim *s, struct qp *q, const struct pkt *p)
{
	truth_fate(q->peer->out, PKT_REQUEST, p->psn, FATE_RNR);
	q->rnr_out = true;
	truth_event(s, TRUTH_RNR, q->peer->out, p->psn)->value =
		q->config.rnr_code;
	push_ack(s, q, SYNDROME_RNR | q->config.rnr_code, p->psn);
}

static void take_duplicate(struct sim *s, struct qp *q, const struct pkt *p,
			   const struct early *e)
{
	if (p->opcode == RC_READ_REQUEST) {
		answer_read(s, q, e);
		return;
	}
	truth_fate(q->peer->out, PKT_REQUEST, p->psn, FATE_DUPLICATE);
	if (is_atomic(p->opcode))
		answer_atomic(s, q, p->psn);
	else if (p->ackreq)
		push_ack(s, q, SYNDROME_ACK, q->expected - 1);
}

static void take_ahead(struct sim *s, struct qp *q, const struct early *e)
{
	s->ahead++;
	if (q->config.receiver == RECEIVER_STRICT) {
		truth_fate(q->peer->out, PKT_REQUEST, e->psn,
			   FATE_OUT_OF_ORDER);
		if (!q->rnr_out)
			nak(s, q);
		return;
	}
	truth_fate(q->peer->out, PKT_REQUEST, e->psn, FATE_TAKEN);
	keep_early(q, e);
	mind_gap(s, q);
}

static bool fatal(struct sim *s, struct qp *q, const struct pkt *p)
{
	const uint8_t syndrome = (uint8_t)(0x61 + q->config.fatal_with);

	if (!q->config.fatal_at || q->msn + 1 != q->config.fatal_at)
		return false;
	truth_event(s, TRUTH_FATAL, q->peer->out, p->psn)->value = syndrome;
	push_ack(s, q, syndrome, p->psn);
	q->dead = true;
	return true;
}

/* No recovery: what follows a hole is of use from the next message on. */
static void take_unreliable(struct sim *s, struct qp *q, const struct pkt *p)
{
	bool starts = wire_opcode(p->opcode)->does & OP_STARTS;

	if (p->psn < q->expected) {
		truth_fate(p->stream, PKT_REQUEST, p->psn, FATE_OUT_OF_ORDER);
		return;
	}
	if (p->psn > q->expected)
		q->message_spoilt = true;
	if (starts)
		q->message_spoilt = false;
	q->expected = p->psn + 1;
	truth_fate(p->stream, PKT_REQUEST, p->psn,
		   q->message_spoilt ? FATE_OUT_OF_ORDER : FATE_TAKEN);
	if (p->last && !q->message_spoilt) {
		p->message->delivered = s->now;
		work_delivered(s, p->message);
	}
}

void responder_take(struct sim *s, struct qp *q, const struct pkt *p)
{
	struct early e = { p->psn,  p->span,   p->dma_len, p->opcode,
			   p->last, p->ackreq, p->message };

	if (q->config.service != SERVE_RC) {
		take_unreliable(s, q, p);
		return;
	}
	if (q->dead)
		return;
	if (p->psn < q->expected) {
		take_duplicate(s, q, p, &e);
	} else if (p->psn > q->expected) {
		take_ahead(s, q, &e);
	} else if (not_ready(s, q, p)) {
		refuse(s, q, p);
	} else if (!fatal(s, q, p)) {
		q->rqe_at = 0;
		accept(s, q, &e);
		accept_early(s, q);
	}
}
