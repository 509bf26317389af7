/* SPDX-License-Identifier: GPL-2.0-or-later
 * The receiving end: requests taken or refused, and what an ACK, a NACK or a
 * control packet means to the other end. */
#include <string.h>

#include "simulate/mem.h"
#include "simulate/qp.h"
#include "simulate/uet.h"
#include "simulate/work.h"
#include "wire/wire.h"

enum { SACK_BITS = 64 };

static enum service mode(const struct pdc_dir *l)
{
	return l->from->config.service;
}

/* --- answers -------------------------------------------------------------- */

bool dir_has(const struct pdc_dir *l, uint64_t psn)
{
	return psn < l->expected ||
	       (psn - l->start < l->n_got && l->got[psn - l->start]);
}

void dir_fill_sack(const struct pdc_dir *l, struct uet_head *u, uint64_t psn)
{
	u->sack_base = u->cack;
	if (psn >= u->cack + SACK_BITS)
		u->sack_base = psn - SACK_BITS + 1;
	for (unsigned i = 0; i < SACK_BITS; i++)
		if (dir_has(l, u->sack_base + i))
			u->sack |= UINT64_C(1) << i;
}

/* The ACK that |to| brings about. */
void dir_acknowledge(struct sim *s, struct pdc_dir *l, const struct pkt *to)
{
	struct qp *q = dir_to(l);
	bool cc = q->config.uet.cc != UET_CC_NONE;
	bool data = to->class == PKT_REQUEST;
	struct pkt *p = uet_packet(s, l, q, PKT_ACK,
				   data && cc ? PDS_ACK_CC : PDS_ACK, to->psn);
	struct uet_head *u = &p->uet;

	p->sport = to->sport;
	u->cack = hold_cack(l);
	u->flags = (uint8_t)((to->ecn == MARK_CE ? UET_M : 0) |
			     (to->uet.flags & UET_RETX) |
			     (hold_wants_clear(l) ? UET_REQ_CLEAR : 0));
	p->stream->uet->clear_flags += hold_wants_clear(l);
	if (data && cc) {
		u->mpr = (uint8_t)((q->config.window + 127) / 128);
		dir_fill_sack(l, u, to->psn);
		cc_fill_ack(l, p, s->host.turnaround);
	}
	if (data)
		fill_answer(l, to->psn, p);
	l->since_ack = 0;
	l->stalled = false;
	uet_send_now(s, q, p);
}

static void late_ack(struct sim *s, void *object, uint64_t argument)
{
	struct pdc_dir *l = object;

	(void)argument;
	l->ack_timer = false;
	if ((l->since_ack || l->stalled) && !l->pdc->closed)
		dir_acknowledge(s, l, &l->unanswered);
}

/* |clear| has arrived.  Packets that were acknowledged together, behind what
 * was kept, are not known to be here before CACK goes on. */
static void cleared(struct sim *s, struct pdc_dir *l, uint64_t clear)
{
	if (!hold_release(s, l, clear))
		return;
	l->stalled = true;
	if (l->ack_timer)
		return;
	l->ack_timer = true;
	sim_after(s, l->from->config.ack_delay, late_ack, l, 0);
}

/* Not at once: after so many bytes, or so long a time. */
static void acknowledge_later(struct sim *s, struct pdc_dir *l,
			      const struct pkt *p)
{
	l->unanswered = *p;
	if (l->ack_timer)
		return;
	l->ack_timer = true;
	sim_after(s, l->from->config.ack_delay, late_ack, l, 0);
}

static void respond_rudi(struct sim *s, struct pdc_dir *l, const struct pkt *to)
{
	struct pkt *p =
		uet_packet(s, l, dir_to(l), PKT_ACK, PDS_RUDI_RESP, to->psn);

	p->sport = to->sport;
	p->uet.flags = to->ecn == MARK_CE ? UET_M : 0;
	fill_answer(l, to->psn, p);
	uet_send_now(s, dir_to(l), p);
}

void dir_refuse(struct sim *s, struct pdc_dir *l, const struct pkt *to,
		uint8_t code)
{
	struct pkt *p = uet_packet(s, l, dir_to(l), PKT_ACK, PDS_NACK, to->psn);
	struct truth_event *e = truth_event(s, TRUTH_NACK, l->stream, to->psn);

	e->value = code;
	p->sport = to->sport;
	p->syndrome = 0x60; /* to faults and taps: a NAK */
	p->uet.code = code;
	p->uet.flags = (uint8_t)((to->ecn == MARK_CE ? UET_M : 0) |
				 (to->uet.flags & UET_RETX));
	if (mode(l) == SERVE_RUDI)
		p->uet.flags |= UET_NT;
	if (l->pdc->target_closed)
		p->uet.spdcid = 0;
	uet_send_now(s, dir_to(l), p);
}

/* --- requests ------------------------------------------------------------- */

static void remember(struct pdc_dir *l, uint64_t psn)
{
	while (l->n_got <= psn - l->start) {
		l->got =
			mem_room(l->got, l->n_got, &l->cap_got, sizeof *l->got);
		l->n_got++;
	}
	l->got[psn - l->start] = GOT_IT;
	l->out_of_order += psn != l->expected;
	if (psn >= l->top)
		l->top = psn + 1;
	while (l->expected < l->top && dir_has(l, l->expected))
		l->expected++;
}

/* The whole of a message is there: what does the other end do with it? */
static void delivered(struct sim *s, struct pdc_dir *l, struct umsg *m)
{
	if (m->gives) {
		meet_rest(s, l, m);
		return;
	}
	m->m->delivered = s->now;
	work_delivered(s, m->m);
	if (uet_fetches(m) && !fill_inline(l, dir_sent(l, m->m->psn_first)))
		dir_owe(s, dir_back(l), SENT_READ_DATA, m, 0, UET_OPERAND);
}

/* Data that |m| asked for. */
static void brought(struct sim *s, struct pdc_dir *l, struct umsg *m)
{
	m->brought++;
	uet_completed(s, l, m);
	if (m->brought < m->wants || !m->rest_of)
		return;
	m->rest_of->m->delivered = s->now;
	work_delivered(s, m->rest_of->m);
}

/* |p| is part of a message: is that complete now? */
static void bring(struct sim *s, struct pdc_dir *l, const struct pkt *p)
{
	struct sent *t = dir_sent(l, p->psn);
	struct umsg *m = t->msg;

	switch (t->kind) {
	case SENT_READ:
		if (!fill_inline(l, t))
			dir_owe(s, dir_back(l), SENT_READ_DATA, m, t->offset,
				t->len);
		break;
	case SENT_READ_DATA:
		brought(s, dir_back(l), m);
		break;
	case SENT_RTR:
		meet_restart(s, dir_back(l), m);
		break;
	default:
		if (t->deferred)
			meet_deferred(s, l, t);
		if (!m->deferred && t->round == m->round &&
		    ++m->got == m->packets)
			delivered(s, l, m);
		break;
	}
}

static void take_new(struct sim *s, struct pdc_dir *l, const struct pkt *p)
{
	truth_fate(l->stream, PKT_REQUEST, p->psn, FATE_TAKEN);
	remember(l, p->psn);
	l->bytes += p->payload;
	l->since_ack += p->payload;
	l->nacked = false;
	if (hold_is_due(l, dir_sent(l, p->psn)))
		hold_keep(s, l, p->psn);
	if (l->held)
		l->unanswered = *p;
	bring(s, l, p);
}

/* RUDI and UUD: each packet for itself. */
static void take_loose(struct sim *s, struct pdc_dir *l, const struct pkt *p)
{
	if (p->kept) {
		truth_fate(l->stream, PKT_REQUEST, p->psn, FATE_TRIMMED);
		if (mode(l) == SERVE_RUDI)
			dir_refuse(s, l, p, p->uet.code);
		return;
	}
	if (dir_has(l, p->psn))
		truth_fate(l->stream, PKT_REQUEST, p->psn, FATE_DUPLICATE);
	else
		take_new(s, l, p);
	if (mode(l) == SERVE_RUDI)
		respond_rudi(s, l, p);
}

/* Why not, or 0. */
static uint8_t objection(struct sim *s, struct pdc_dir *l, const struct pkt *p)
{
	if (!dir_is_return(l)) {
		if (l->pdc->target_closed)
			return NACK_INV_DPDCID;
		if (!l->pdc->id[1] && !uet_target_opens(s, l->pdc))
			return NACK_NO_PDC_AVAIL;
	}
	if (p->kept)
		return p->uet.code;
	if (p->psn >= l->expected + l->from->config.window + 128)
		return NACK_PSN_OOR_WINDOW;
	return 0;
}

static void take_request(struct sim *s, struct pdc_dir *l, const struct pkt *p)
{
	uint8_t code = objection(s, l, p);
	const struct uet_config *c = &l->from->config.uet;

	if (code) {
		truth_fate(l->stream, PKT_REQUEST, p->psn,
			   p->kept ? FATE_TRIMMED : FATE_RNR);
		dir_refuse(s, l, p, code);
		return;
	}
	if (dir_is_return(l))
		uet_initiator_hears(s, l->pdc);
	cc_wanted(s, l, (uint64_t)p->uet.credit_target * UET_CREDIT);
	cleared(s, l, p->uet.clear);
	if (dir_has(l, p->psn)) {
		truth_fate(l->stream, PKT_REQUEST, p->psn, FATE_DUPLICATE);
		dir_acknowledge(s, l, p);
		return;
	}
	if (mode(l) == SERVE_ROD && p->psn != l->expected) {
		truth_fate(l->stream, PKT_REQUEST, p->psn, FATE_OUT_OF_ORDER);
		if (!l->nacked)
			dir_refuse(s, l, p, NACK_ROD_OOO);
		l->nacked = true;
		return;
	}
	meet_look(l, dir_sent(l, p->psn));
	if (hold_is_due(l, dir_sent(l, p->psn)) && !hold_room(l, p->psn)) {
		truth_fate(l->stream, PKT_REQUEST, p->psn, FATE_RNR);
		dir_refuse(s, l, p, NACK_NO_GTD_DEL_AVAIL);
		return;
	}
	take_new(s, l, p);
	if (p->uet.flags & (UET_AR | UET_SYN) || p->ecn == MARK_CE ||
	    l->since_ack >= c->ack_bytes || hold_is_due(l, dir_sent(l, p->psn)))
		dir_acknowledge(s, l, p);
	else
		acknowledge_later(s, l, p);
}

/* --- what comes back ------------------------------------------------------ */

/* A hole with so much acknowledged above it that it must be a loss: what is
 * sprayed passes, but not that far. */
static void mind_holes(struct sim *s, struct pdc_dir *l)
{
	uint32_t gap = l->from->config.uet.sack_gap;

	if (mode(l) != SERVE_RUD || !gap)
		return;
	for (uint64_t psn = l->una; psn + gap < l->top_acked; psn++) {
		const struct sent *t = dir_sent(l, psn);

		if (!t->acked && !t->again && !t->arrived &&
		    s->now - t->at > 2 * l->rtt)
			dir_repeat(s, l, psn, TRIG_SACK, false);
	}
}

static void sample_rtt(const struct sim *s, struct pdc_dir *l,
		       const struct pkt *p)
{
	const struct sent *t = dir_sent(l, p->psn);

	if (t->tries > 1 || t->acked)
		return;
	l->rtt = s->now - t->at;
	if (!l->rtt_min || l->rtt < l->rtt_min)
		l->rtt_min = l->rtt;
}

/* That |psn| is acknowledged, but not by an ACK of its own.  Where an answer
 * is waited for, that is not all. */
static void covered(struct sim *s, struct pdc_dir *l, uint64_t psn,
		    bool by_sack)
{
	struct sent *t = dir_sent(l, psn);

	if (fill_inline(l, t) || (by_sack && hold_waits(l, t)))
		t->arrived = true;
	else
		dir_acknowledged(s, l, psn);
}

static void hear_cack(struct sim *s, struct pdc_dir *l, const struct pkt *p)
{
	if (mode(l) >= SERVE_RUDI)
		return;
	for (uint64_t x = l->una; x <= p->uet.cack && x < l->next; x++)
		covered(s, l, x, false);
}

static void hear_sack(struct sim *s, struct pdc_dir *l, const struct pkt *p)
{
	for (unsigned i = 0; i < SACK_BITS && p->uet.sack; i++) {
		uint64_t x = p->uet.sack_base + i;

		if (p->uet.sack >> i & 1 && x >= l->una && x < l->next)
			covered(s, l, x, true);
	}
}

/* What answers the packet it names. */
static void hear_answer(struct sim *s, struct pdc_dir *l, const struct pkt *p)
{
	struct sent *t = dir_sent(l, p->psn);

	dir_acknowledged(s, l, p->psn);
	if (!p->payload || t->answered)
		return;
	t->answered = true;
	brought(s, l, t->msg);
}

void dir_hear(struct sim *s, struct pdc_dir *l, const struct pkt *p)
{
	bool names = !(p->uet.flags & UET_P);

	if (names && p->uet.next == SES_RESPONSE &&
	    p->uet.list == SES_LIST_OVERFLOW)
		meet_reported(s, l, dir_sent(l, p->psn));
	hear_cack(s, l, p);
	if (names && !l->pdc->closed)
		hear_answer(s, l, p);
	hear_sack(s, l, p);
}

static void take_ack(struct sim *s, struct pdc_dir *l, const struct pkt *p)
{
	uint64_t before = l->in_flight;

	if (!dir_is_return(l))
		uet_initiator_hears(s, l->pdc);
	l->heard = s->now;
	if (p->uet.flags & UET_P && p->uet.type != PDS_RUDI_RESP) {
		ask_take_probed(s, l, p);
		return;
	}
	if (p->psn < l->start || p->psn >= l->next)
		return;
	sample_rtt(s, l, p);
	dir_hear(s, l, p);
	if (l->pdc->closed)
		return;
	if (before > l->in_flight)
		cc_acknowledged(l, (uint32_t)(before - l->in_flight),
				p->uet.flags & UET_M);
	if (p->uet.type == PDS_ACK_CC && p->uet.cc_type == CC_CREDIT)
		cc_granted(s, l, (uint64_t)p->uet.credit_target * UET_CREDIT);
	mind_holes(s, l);
	if (p->uet.flags & UET_REQ_CLEAR)
		hold_clear(s, l, false);
}

static void retry(struct sim *s, void *object, uint64_t argument)
{
	struct pdc_dir *l = object;

	if (!l->pdc->closed && argument >= l->una)
		dir_repeat(s, l, argument, TRIG_NAK, true);
}

static void take_nack(struct sim *s, struct pdc_dir *l, const struct pkt *p)
{
	uint8_t code = p->uet.code;

	l->stream->uet->nacks[code]++;
	l->heard = s->now;
	if (p->psn < l->una || p->psn >= l->next)
		return;
	switch (code) {
	case NACK_TRIMMED:
	case NACK_TRIMMED_LASTHOP:
		cc_refused(l, dir_sent(l, p->psn)->len);
		if (mode(l) == SERVE_ROD)
			dir_go_back(s, l, TRIG_NAK);
		else
			dir_repeat(s, l, p->psn, TRIG_NAK, false);
		break;
	case NACK_PKT_NOT_RCVD:
		if (mode(l) == SERVE_ROD)
			dir_go_back(s, l, TRIG_NAK);
		else
			dir_repeat(s, l, p->psn, TRIG_NAK, false);
		break;
	case NACK_ROD_OOO:
		dir_go_back(s, l, TRIG_NAK);
		break;
	case NACK_INV_DPDCID:
		if (l->pdc->closing)
			uet_closed(s, l->pdc);
		else
			uet_failed(s, l->pdc);
		break;
	default: /* later */
		sim_after(s, l->from->config.timeout / 2, retry, l, p->psn);
		break;
	}
}

static void take_control(struct sim *s, struct pdc_dir *l, const struct pkt *p)
{
	switch (p->uet.next) {
	case CP_CLOSE:
		if (l->pdc->target_closed) {
			dir_refuse(s, l, p, NACK_INV_DPDCID);
			return;
		}
		hold_release(s, l, p->psn);
		remember(l, p->psn);
		dir_acknowledge(s, l, p);
		uet_target_closes(s, l->pdc);
		break;
	case CP_CREDIT:
		cc_granted(s, l, (uint64_t)p->uet.credit_target * UET_CREDIT);
		break;
	case CP_CREDIT_REQ:
		cc_wanted(s, l, (uint64_t)p->uet.credit_target * UET_CREDIT);
		break;
	case CP_CLEAR:
		cleared(s, l, p->uet.clear);
		break;
	case CP_CLEAR_REQ:
		hold_clear(s, l, true);
		break;
	case CP_PROBE:
		ask_take_probe(s, l, p);
		break;
	case CP_ACK_REQ:
		ask_take_ack_req(s, l, p);
		break;
	case CP_NEGOTIATION:
		if (!dir_is_return(l) && dir_to(l) == p->to)
			ask_negotiate(s, l, p->to);
		break;
	default:
		break;
	}
}

void uet_take(struct sim *s, struct qp *q, struct pkt *p)
{
	struct pdc_dir *l = p->pdc_dir;

	if (l->pdc->closed && (l->from == q || q->dead))
		return; /* too late to matter */
	switch (p->uet.type) {
	case PDS_RUDI_REQ:
	case PDS_UUD_REQ:
		take_loose(s, l, p);
		break;
	case PDS_ACK:
	case PDS_ACK_CC:
	case PDS_RUDI_RESP:
		take_ack(s, l, p);
		break;
	case PDS_NACK:
		take_nack(s, l, p);
		break;
	case PDS_CP:
		take_control(s, l, p);
		break;
	default:
		take_request(s, l, p);
		break;
	}
	nic_ready(s, q, LINE_DATA);
}
