/* SPDX-License-Identifier: GPL-2.0-or-later
 * The asking side of a QP: sends requests, goes back when it has to.
 *
 *   una <= snd <= max <= end
 *   |      |      |      '-- PSN after the last posted message
 *   |      |      '--------- PSN after the last one ever sent
 *   |      '---------------- next to send; below max: a repetition
 *   '----------------------- oldest not acknowledged */
#include "simulate/qp.h"

#include <string.h>

#include "simulate/dcqcn.h"
#include "simulate/mem.h"
#include "simulate/uet.h"
#include "simulate/work.h"
#include "wire/wire.h"

enum place { FIRST, MIDDLE, LAST, ONLY };

/* RC opcodes by operation and place; UC adds 0x20. */
static const uint8_t opcodes[][4] = {
	[MSG_SEND] = { RC_SEND_FIRST, RC_SEND_MIDDLE, RC_SEND_LAST,
		       RC_SEND_ONLY },
	[MSG_WRITE] = { RC_WRITE_FIRST, RC_WRITE_MIDDLE, RC_WRITE_LAST,
			RC_WRITE_ONLY },
	[MSG_WRITE_IMM] = { RC_WRITE_FIRST, RC_WRITE_MIDDLE, RC_WRITE_LAST_IMM,
			    RC_WRITE_ONLY_IMM },
	[MSG_READ] = { RC_READ_REQUEST, RC_READ_REQUEST, RC_READ_REQUEST,
		       RC_READ_REQUEST },
	[MSG_CAS] = { RC_COMPARE_SWAP, RC_COMPARE_SWAP, RC_COMPARE_SWAP,
		      RC_COMPARE_SWAP },
	[MSG_ADD] = { RC_FETCH_ADD, RC_FETCH_ADD, RC_FETCH_ADD, RC_FETCH_ADD },
};

/* READ and ATOMIC wait for an answer of their own. */
static bool answered(enum msg_op op)
{
	return op >= MSG_READ;
}

bool requester_busy(const struct qp *q)
{
	return q->open && !q->dead && (q->n_again || q->snd < q->end);
}

struct message *requester_post(struct sim *s, struct qp *q, enum msg_op op,
			       uint64_t bytes, struct work *work)
{
	struct message *m;
	struct wr w = { .op = op };

	if (q->uet)
		return uet_post(s, q, op, bytes, work);
	w.message = m = truth_message(s->truth, q->out, op, bytes);
	w.first = q->end;
	w.last = q->end + (op >= MSG_CAS ? 1 : psn_span(bytes, q->config.mtu)) -
		 1;
	w.va = q->next_va;
	q->next_va += (bytes + 4095) & ~UINT64_C(4095);
	q->end = w.last + 1;
	m->psn_first = w.first;
	m->psn_last = w.last;
	m->posted = s->now;
	m->work = work;
	if (!q->out->work)
		q->out->work = work;
	q->wrs = mem_room(q->wrs, q->n_wrs, &q->cap_wrs, sizeof *q->wrs);
	q->wrs[q->n_wrs++] = w;
	if (q->open)
		nic_ready(s, q, LINE_DATA);
	return m;
}

/* --- building a request --------------------------------------------------- */

static enum place place_of(const struct wr *w, uint64_t psn)
{
	if (w->first == w->last)
		return ONLY;
	return psn == w->first ? FIRST : psn == w->last ? LAST : MIDDLE;
}

static void fill_read(struct pkt *p, const struct wr *w, uint64_t done)
{
	p->span = (uint32_t)(w->last - p->psn + 1);
	p->va = w->va + done;
	p->dma_len = (uint32_t)(w->message->bytes - done);
	p->last = true;
}

static struct pkt *build(struct sim *s, struct qp *q, const struct wr *w,
			 uint64_t psn)
{
	enum place at = place_of(w, psn);
	uint8_t opcode = opcodes[w->op][at];
	uint64_t done = (psn - w->first) * q->config.mtu;
	struct pkt *p;

	if (q->config.service == SERVE_UC)
		opcode |= 0x20;
	if (q->config.service == SERVE_UD)
		opcode = UD_SEND_ONLY;
	p = qp_packet(s, q, PKT_REQUEST, opcode, psn);
	p->message = w->message;
	p->rkey = q->peer->rkey;
	p->va = w->va;
	p->imm = (uint32_t)w->first;
	p->qkey = 0x11111111;
	p->atomic[0] = 1;
	p->atomic[1] = 0;
	p->dma_len = (uint32_t)w->message->bytes;
	if (w->op == MSG_READ) {
		fill_read(p, w, done);
		return p;
	}
	p->last = psn == w->last;
	if (w->op < MSG_READ) {
		uint64_t left = w->message->bytes - done;

		p->payload =
			(uint32_t)(left < q->config.mtu ? left : q->config.mtu);
	}
	p->se = p->last && (w->op == MSG_SEND || w->op == MSG_WRITE_IMM);
	return p;
}

static bool wants_ack(const struct qp *q, const struct pkt *p)
{
	uint64_t n = p->psn - q->first_psn + 1;

	return q->config.service == SERVE_RC && p->opcode < RC_READ_REQUEST &&
	       (p->last ||
		(q->config.ackreq_every && n % q->config.ackreq_every == 0) ||
		p->psn + 1 - q->una >= q->config.window);
}

/* --- timer ---------------------------------------------------------------- */

static void go_back(struct sim *s, struct qp *q, uint64_t psn,
		    enum pkt_trigger trigger);

static void die(struct sim *s, struct qp *q)
{
	q->dead = true;
	truth_event(s, TRUTH_QP_ERROR, q->out, q->una);
}

static void expired(struct sim *s, void *object, uint64_t argument)
{
	struct qp *q = object;

	(void)argument;
	q->timer = false;
	if (q->dead || q->closed || q->una == q->max)
		return;
	if (s->now < q->deadline) {
		q->timer = true;
		events_add(&s->events, q->deadline, expired, q, 0);
		return;
	}
	if (q->tries++ == q->config.retries) {
		die(s, q);
		return;
	}
	q->out->timeouts++;
	truth_event(s, TRUTH_TIMEOUT, q->out, q->una)->value = q->tries;
	q->implied = false;
	go_back(s, q, q->una, TRIG_TIMEOUT);
	nic_ready(s, q, LINE_DATA);
}

static void arm(struct sim *s, struct qp *q)
{
	if (q->config.service != SERVE_RC)
		return;
	q->deadline = s->now + q->config.timeout;
	if (q->timer)
		return;
	q->timer = true;
	events_add(&s->events, q->deadline, expired, q, 0);
}

/* --- going back ----------------------------------------------------------- */

static void find_wr(struct qp *q, uint64_t psn)
{
	q->at_wr = 0;
	while (q->at_wr < q->n_wrs && q->wrs[q->at_wr].last < psn)
		q->at_wr++;
}

static void go_back(struct sim *s, struct qp *q, uint64_t psn,
		    enum pkt_trigger trigger)
{
	q->recovery = truth_recovery(s, q->out, trigger, psn, q->max, false);
	q->trigger = trigger;
	q->n_again = 0;
	q->snd = psn;
	find_wr(q, psn);
	arm(s, q);
}

static void repeat_one(struct sim *s, struct qp *q, uint64_t psn)
{
	q->recovery = truth_recovery(s, q->out, TRIG_NAK, psn, psn + 1, false);
	q->again =
		mem_room(q->again, q->n_again, &q->cap_again, sizeof *q->again);
	q->again[q->n_again++] = psn;
	arm(s, q);
}

/* --- sending -------------------------------------------------------------- */

static const struct wr *holder(struct qp *q, uint64_t psn)
{
	for (size_t i = 0; i < q->n_wrs; i++)
		if (q->wrs[i].first <= psn && psn <= q->wrs[i].last)
			return &q->wrs[i];
	return NULL;
}

static struct pkt *finish(struct sim *s, struct qp *q, struct pkt *p,
			  enum pkt_trigger trigger)
{
	struct message *m = p->message;

	p->ackreq = wants_ack(q, p);
	p->trigger = (uint8_t)trigger;
	if (trigger && q->recovery) {
		p->recovery = q->recovery;
		q->recovery->packets++;
		q->recovery->bytes += p->payload;
	}
	if (!trigger && m->first < 0)
		m->first = s->now;
	if (!trigger && p->psn + p->span - 1 == m->psn_last)
		m->last = s->now;
	if (q->una == q->max || !q->timer)
		arm(s, q);
	return p;
}

static struct pkt *next_repeated(struct sim *s, struct qp *q)
{
	const struct wr *w = holder(q, q->again[0]);
	struct pkt *p = w ? build(s, q, w, q->again[0]) : NULL;

	memmove(q->again, q->again + 1, --q->n_again * sizeof *q->again);
	return p ? finish(s, q, p, TRIG_NAK) : NULL;
}

static bool may_send(const struct qp *q, const struct wr *w)
{
	uint64_t span = w->op == MSG_READ ? w->last - q->snd + 1 : 1;

	if (q->config.service != SERVE_RC)
		return true;
	if (q->snd > q->una && q->snd + span - q->una > q->config.window)
		return false;
	return !answered(w->op) || q->snd < q->max ||
	       q->reads_out < q->config.reads;
}

bool requester_may(const struct sim *s, const struct qp *q)
{
	size_t i = q->at_wr;

	if (!requester_busy(q) || s->now < q->rnr_until)
		return false;
	if (q->n_again)
		return true;
	while (i < q->n_wrs && q->wrs[i].last < q->snd)
		i++;
	return i < q->n_wrs && may_send(q, &q->wrs[i]);
}

/* UC and UD are done when the last packet is on its way. */
static void done_on_sending(struct sim *s, struct qp *q, struct pkt *p)
{
	struct message *m = p->message;

	if (q->config.service == SERVE_RC || !p->last)
		return;
	m->completed = s->now;
	q->out->completed++;
	q->una = p->psn + 1;
	memmove(q->wrs, q->wrs + 1, --q->n_wrs * sizeof *q->wrs);
	q->at_wr = 0;
	work_completed(s, m);
}

struct pkt *requester_next(struct sim *s, struct qp *q)
{
	const struct wr *w;
	struct pkt *p;
	bool copy;

	if (!requester_busy(q) || s->now < q->rnr_until)
		return NULL;
	if (q->n_again) {
		p = next_repeated(s, q);
		if (p)
			return p;
	}
	if (q->snd >= q->end)
		return NULL;
	while (q->wrs[q->at_wr].last < q->snd)
		q->at_wr++;
	w = &q->wrs[q->at_wr];
	if (!may_send(q, w))
		return NULL;
	copy = q->snd < q->max;
	if (answered(w->op) && !copy)
		q->reads_out++;
	p = build(s, q, w, q->snd);
	p = finish(s, q, p, copy ? q->trigger : TRIG_NONE);
	q->snd += p->span;
	if (q->snd > q->max)
		q->max = q->snd;
	done_on_sending(s, q, p);
	return p;
}

/* --- what comes back ------------------------------------------------------ */

static void complete(struct sim *s, struct qp *q)
{
	struct wr w = q->wrs[0];

	memmove(q->wrs, q->wrs + 1, --q->n_wrs * sizeof *q->wrs);
	if (q->at_wr)
		q->at_wr--;
	if (answered(w.op)) {
		q->reads_out--;
		w.message->delivered = s->now;
	}
	w.message->completed = s->now;
	q->out->completed++;
	work_completed(s, w.message);
}

static void progress(struct sim *s, struct qp *q)
{
	q->tries = 0;
	q->rnr_tries = 0;
	if (q->snd < q->una) {
		q->snd = q->una;
		find_wr(q, q->snd);
	}
	if (q->recovery && q->una >= q->recovery->until) {
		q->recovery->caught_up = s->now;
		q->recovery = NULL;
	}
	if (q->una < q->max)
		arm(s, q);
}

/* An answer has not come, though a later one has. */
static void imply(struct sim *s, struct qp *q)
{
	if (q->implied && q->implied_at == q->una)
		return;
	q->implied = true;
	q->implied_at = q->una;
	q->out->implied++;
	truth_event(s, TRUTH_IMPLIED, q->out, q->una);
	go_back(s, q, q->una, TRIG_IMPLIED);
}

/* Everything below |upto| is acknowledged; false when an answer is missing
 * before it. */
static bool advance(struct sim *s, struct qp *q, uint64_t upto)
{
	bool moved = false;

	if (upto > q->max)
		upto = q->max;
	while (q->una < upto) {
		const struct wr *w = &q->wrs[0];

		if (answered(w->op)) {
			if (moved)
				progress(s, q);
			imply(s, q);
			return false;
		}
		q->una = upto <= w->last ? upto : w->last + 1;
		moved = true;
		if (q->una > w->last)
			complete(s, q);
	}
	if (moved)
		progress(s, q);
	return true;
}

static void take_answer(struct sim *s, struct qp *q, uint64_t psn)
{
	q->una = psn + 1;
	if (q->una > q->wrs[0].last)
		complete(s, q);
	progress(s, q);
}

static void take_early_answers(struct sim *s, struct qp *q)
{
	size_t i = 0;

	while (i < q->n_early_psn) {
		if (q->early_psn[i] > q->una) {
			i++;
			continue;
		}
		if (q->early_psn[i] == q->una)
			take_answer(s, q, q->una);
		q->early_psn[i] = q->early_psn[--q->n_early_psn];
		i = 0;
	}
}

static void keep_early_answer(struct qp *q, uint64_t psn)
{
	for (size_t i = 0; i < q->n_early_psn; i++)
		if (q->early_psn[i] == psn)
			return;
	q->early_psn = mem_room(q->early_psn, q->n_early_psn, &q->cap_early_psn,
				sizeof *q->early_psn);
	q->early_psn[q->n_early_psn++] = psn;
}

static void take_response(struct sim *s, struct qp *q, const struct pkt *p)
{
	enum fate fate;

	if (p->psn < q->una || p->psn >= q->max) {
		truth_fate(p->stream, PKT_RESPONSE, p->psn, FATE_DUPLICATE);
		return;
	}
	if (q->config.receiver == RECEIVER_STRICT ? advance(s, q, p->psn)
						  : q->una == p->psn) {
		fate = FATE_TAKEN;
		truth_fate(p->stream, PKT_RESPONSE, p->psn, fate);
		take_answer(s, q, p->psn);
		take_early_answers(s, q);
		return;
	}
	fate = FATE_OUT_OF_ORDER;
	if (q->config.receiver != RECEIVER_STRICT) {
		keep_early_answer(q, p->psn);
		fate = FATE_TAKEN;
	}
	truth_fate(p->stream, PKT_RESPONSE, p->psn, fate);
}

static void rnr_over(struct sim *s, void *object, uint64_t argument)
{
	(void)argument;
	nic_ready(s, object, LINE_DATA);
}

static void take_rnr(struct sim *s, struct qp *q, const struct pkt *p)
{
	q->out->rnr_naks++;
	if (q->config.rnr_retries < 7 &&
	    q->rnr_tries++ == q->config.rnr_retries) {
		die(s, q);
		return;
	}
	go_back(s, q, p->psn, TRIG_RNR);
	q->rnr_until = s->now + rnr_ps(p->syndrome & 0x1f);
	q->deadline = q->rnr_until + q->config.timeout;
	events_add(&s->events, q->rnr_until, rnr_over, q, 0);
}

static void take_nak(struct sim *s, struct qp *q, const struct pkt *p)
{
	q->out->naks++;
	if (q->config.receiver == RECEIVER_STRICT)
		go_back(s, q, p->psn, TRIG_NAK);
	else
		repeat_one(s, q, p->psn);
}

void requester_take(struct sim *s, struct qp *q, const struct pkt *p)
{
	bool ack = p->syndrome < 0x20;

	if (q->dead)
		return;
	if (p->class == PKT_RESPONSE) {
		take_response(s, q, p);
	} else if (advance(s, q, ack ? p->psn + 1 : p->psn) && !ack &&
		   q->una == p->psn && p->psn < q->max) {
		if (p->syndrome < 0x40) {
			take_rnr(s, q, p);
		} else if (p->syndrome == 0x60) {
			take_nak(s, q, p);
		} else {
			q->out->fatal++;
			die(s, q);
		}
	}
	nic_ready(s, q, LINE_DATA);
}
