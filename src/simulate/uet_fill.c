/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the packets of a PDC direction say: which operation, which part of a
 * message; and what the responses to them do. */
#include "simulate/qp.h"
#include "simulate/uet.h"
#include "wire/wire.h"

enum {
	RENDEZVOUS_KEY = 0xbeef,
	MATCH_BITS = 0x7a66,
	TARGET_TOKEN = 0x80000000
};

static enum service mode(const struct pdc_dir *l)
{
	return l->from->config.service;
}

uint8_t fill_type(const struct pdc_dir *l, const struct sent *t)
{
	bool cc = l->from->config.uet.cc == UET_CC_RCCC;

	if (t->kind == SENT_CLOSE)
		return PDS_CP;
	switch (mode(l)) {
	case SERVE_ROD:
		return cc ? PDS_ROD_CC_REQ : PDS_ROD_REQ;
	case SERVE_RUDI:
		return PDS_RUDI_REQ;
	case SERVE_UUD:
		return PDS_UUD_REQ;
	default:
		return cc ? PDS_RUD_CC_REQ : PDS_RUD_REQ;
	}
}

/* --- requests ------------------------------------------------------------- */

/* SES operations, plain and tagged; those without an extension have shorter
 * forms where a message is one packet. */
static const struct {
	uint8_t plain, tagged, amo;
	bool extended;
} operations[] = {
	[MSG_SEND] = { SES_SEND, SES_TAGGED_SEND, 0, false },
	[MSG_WRITE] = { SES_WRITE, SES_WRITE, 0, false },
	[MSG_WRITE_IMM] = { SES_WRITE, SES_WRITE, 0, false },
	[MSG_READ] = { SES_READ, SES_READ, 0, false },
	[MSG_CAS] = { SES_FETCHING_ATOMIC, SES_TSEND_FETCH_ATOMIC, AMO_CSWAP,
		      true },
	[MSG_ADD] = { SES_FETCHING_ATOMIC, SES_TSEND_FETCH_ATOMIC, AMO_SUM,
		      true },
	[MSG_ATOMIC] = { SES_ATOMIC, SES_TSEND_ATOMIC, AMO_SUM, true },
	[MSG_RENDEZVOUS] = { SES_RENDEZVOUS_SEND, SES_RENDEZVOUS_TSEND, 0,
			     true },
	[MSG_DEFERRABLE] = { SES_DEFERRABLE_SEND, SES_DEFERRABLE_TSEND, 0,
			     true },
};

static uint8_t operation(const struct pdc_dir *l, const struct sent *t)
{
	enum msg_op op = t->msg->m->op;

	if (t->kind == SENT_READ_DATA)
		return SES_RSP_DATA;
	if (t->kind == SENT_RTR)
		return SES_DEFERRABLE_RTR;
	if (mode(l) == SERVE_UUD)
		return SES_DATAGRAM_SEND;
	return l->from->config.uet.tagged ? operations[op].tagged
					  : operations[op].plain;
}

/* Of a request of |m|. */
static uint8_t request_form(const struct pdc_dir *l, const struct umsg *m)
{
	static const uint8_t forms[] = { SES_REQUEST_STD, SES_REQUEST_MEDIUM,
					 SES_REQUEST_SMALL };

	return m->packets == 1 && !operations[m->m->op].extended && !m->rest_of
		       ? forms[l->from->config.uet.form]
		       : (uint8_t)SES_REQUEST_STD;
}

/* Requests in the short forms have no message id that an answer could name. */
static uint8_t data_form(const struct pdc_dir *l, const struct umsg *m)
{
	return request_form(l, m) == SES_REQUEST_STD
		       ? (uint8_t)SES_RESPONSE_DATA
		       : (uint8_t)SES_RESPONSE_DATA_SMALL;
}

static uint8_t ses_form(const struct pdc_dir *l, const struct sent *t)
{
	if (t->kind == SENT_READ_DATA)
		return data_form(l, t->msg);
	return t->kind == SENT_RTR ? (uint8_t)SES_REQUEST_STD
				   : request_form(l, t->msg);
}

/* Bytes that packets like |t| reach to, together. */
static uint64_t reach(const struct sent *t)
{
	switch (t->kind) {
	case SENT_DATA:
		return t->msg->ahead;
	case SENT_RTR:
		return 0;
	default:
		return t->msg->m->bytes;
	}
}

bool fill_ends(const struct sent *t)
{
	return t->offset + t->len == reach(t);
}

/* request_length: operands to compare and swap are counted. */
static uint32_t length(const struct sent *t)
{
	if (t->kind == SENT_RTR)
		return 0;
	if (t->kind == SENT_DATA && t->msg->m->op == MSG_CAS)
		return UET_CSWAP;
	return (uint32_t)t->msg->m->bytes;
}

/* Tokens are of whoever gives them: the initiator's its message id. */
static void fill_restart(const struct sent *t, struct uet_head *u)
{
	uint32_t own = t->msg->id, other = TARGET_TOKEN | t->msg->id;

	if (t->kind == SENT_RTR) {
		u->token[0] = other;
		u->token[1] = own;
		u->message = t->msg->id;
	} else if (t->msg->m->op == MSG_DEFERRABLE && t->kind == SENT_DATA) {
		u->token[0] = own;
		u->token[1] = t->round ? other : 0;
	}
}

/* Where the target of a rendezvous reads the rest. */
static uint64_t rest_buffer(const struct umsg *m)
{
	return UINT64_C(0x40000000) + (uint64_t)m->id * 0x100000;
}

static void fill_where(const struct pdc_dir *l, const struct sent *t,
		       struct uet_head *u)
{
	const struct umsg *m = t->msg;

	u->buffer = UINT64_C(0x2000) + (uint64_t)m->id * 0x100000;
	if (t->kind == SENT_READ && m->rest_of) {
		u->buffer = rest_buffer(m->rest_of);
		u->key = RENDEZVOUS_KEY;
	} else if (m->m->op == MSG_RENDEZVOUS) {
		u->eager = (uint32_t)m->ahead;
		u->rest = rest_buffer(m);
		u->rest_key = RENDEZVOUS_KEY;
	}
	if (l->from->config.uet.tagged && t->kind == SENT_DATA &&
	    m->m->op != MSG_WRITE)
		u->key = MATCH_BITS;
}

void fill_message(const struct pdc_dir *l, const struct sent *t, struct pkt *p)
{
	const struct umsg *m = t->msg;
	struct uet_head *u = &p->uet;
	bool first = !t->offset, last = fill_ends(t);

	u->next = ses_form(l, t);
	u->op = operation(l, t);
	u->ses = (uint8_t)(mode(l) == SERVE_UUD ? 0 : UET_REL) |
		 (uint8_t)(last ? UET_EOM : 0) | (uint8_t)(first ? UET_SOM : 0);
	u->message = m->id;
	u->read_message = m->id;
	u->length = length(t);
	u->offset = t->offset;
	u->payload = t->len;
	u->amo = operations[m->m->op].amo;
	u->word = (uint32_t)m->m->psn_first;
	fill_where(l, t, u);
	fill_restart(t, u);
	p->payload = t->kind == SENT_READ ? 0 : t->len;
	p->last = last;
}

/* --- answers -------------------------------------------------------------- */

bool fill_inline(const struct pdc_dir *l, const struct sent *t)
{
	uint32_t most = l->from->config.uet.ack_data;

	if (t->kind == SENT_READ)
		return t->len <= most && most;
	return t->kind == SENT_DATA && uet_fetches(t->msg) &&
	       UET_OPERAND <= most;
}

static void fill_data(const struct pdc_dir *l, const struct sent *t,
		      uint64_t psn, struct pkt *p)
{
	struct uet_head *u = &p->uet;

	u->next = data_form(l, t->msg);
	u->op = SES_RSP_DATA;
	u->code_ses = SES_RC_OK;
	u->message = u->read_message = t->msg->id;
	u->length = (uint32_t)t->msg->m->bytes;
	u->offset = t->offset;
	u->word = psn & UINT32_MAX;
	u->payload = p->payload = t->kind == SENT_READ ? t->len : UET_OPERAND;
}

void fill_answer(struct pdc_dir *l, uint64_t psn, struct pkt *p)
{
	const struct sent *t = dir_sent(l, psn);
	struct uet_head *u = &p->uet;

	if (fill_inline(l, t)) {
		fill_data(l, t, psn, p);
		return;
	}
	/* Data that are asked for come on their own, and are no request. */
	if (t->kind == SENT_READ || t->kind == SENT_READ_DATA ||
	    (t->kind == SENT_DATA && uet_fetches(t->msg)))
		return;
	u->next = SES_RESPONSE;
	u->op = SES_RSP_DEFAULT;
	u->code_ses = SES_RC_OK;
	u->message = t->msg->id;
	u->length = length(t);
	if (!t->deferred)
		return;
	u->op = SES_RSP_RESPONSE;
	u->list = SES_LIST_OVERFLOW;
	u->length = 0;
}
