/* SPDX-License-Identifier: GPL-2.0-or-later
 * The semantic sublayer of a UET packet as bytes: request or response, and the
 * extension that atomics and rendezvous have. */
#include "simulate/uet_ses.h"

#include <string.h>

#include "simulate/frame.h"
#include "simulate/uet.h"
#include "wire/wire.h"

enum { INITIATOR = 1, PID = 5, RESOURCE = 3 };
#define MEMORY_KEY UINT64_C(0xabcdef)

/* Bytes of the SES header, by next header. */
static const uint8_t ses_bytes[] = {
	[SES_NONE] = 0,
	[SES_REQUEST_SMALL] = WIRE_SIZE_ses_small,
	[SES_REQUEST_MEDIUM] = WIRE_SIZE_ses_medium,
	[SES_REQUEST_STD] = WIRE_SIZE_ses_std,
	[SES_RESPONSE] = WIRE_SIZE_ses_rsp,
	[SES_RESPONSE_DATA] = WIRE_SIZE_ses_rsp_data,
	[SES_RESPONSE_DATA_SMALL] = WIRE_SIZE_ses_rsp_data_small,
};

/* Bytes behind the header of a standard request. */
static uint32_t extension(const struct uet_head *u)
{
	switch (u->op) {
	case SES_RENDEZVOUS_SEND:
	case SES_RENDEZVOUS_TSEND:
		return WIRE_SIZE_ses_rendezvous;
	case SES_ATOMIC:
	case SES_FETCHING_ATOMIC:
	case SES_TSEND_ATOMIC:
	case SES_TSEND_FETCH_ATOMIC:
		return WIRE_SIZE_ses_atomic +
		       (u->amo == AMO_CSWAP ? UET_CSWAP : 0);
	default:
		return 0;
	}
}

uint32_t uet_ses_bytes(const struct pkt *p)
{
	if (p->uet.type == PDS_CP)
		return 0;
	return ses_bytes[p->uet.next] +
	       (p->uet.next == SES_REQUEST_STD ? extension(&p->uet) : 0);
}

static void write_common(const struct pkt *p, uint8_t *o)
{
	const struct uet_head *u = &p->uet;

	WIRE_SET(ses_std, opcode, o, u->op);
	o[1] = u->ses;
	WIRE_SET(ses_std, job_id, o, u->job);
	WIRE_SET(ses_std, pid_on_fep, o, PID);
	WIRE_SET(ses_std, resource_index, o, RESOURCE);
}

static uint64_t key(const struct uet_head *u)
{
	return u->key ? u->key : MEMORY_KEY;
}

/* Some operations have tokens where others have an address or a key. */
static void write_tokens(const struct uet_head *u, uint8_t *o)
{
	switch (u->op) {
	case SES_DEFERRABLE_SEND:
	case SES_DEFERRABLE_TSEND:
		WIRE_SET(ses_std_defer, initiator_token, o, u->token[0]);
		WIRE_SET(ses_std_defer, target_token, o, u->token[1]);
		break;
	case SES_DEFERRABLE_RTR:
		WIRE_SET(ses_std, buffer_offset, o, 0);
		WIRE_SET(ses_std_rtr, sender_token, o, u->token[0]);
		WIRE_SET(ses_std_rtr, receiver_token, o, u->token[1]);
		break;
	default:
		break;
	}
}

static void write_atomic(const struct pkt *p, uint8_t *o)
{
	WIRE_SET(ses_atomic, amo_opcode, o, p->uet.amo);
	WIRE_SET(ses_atomic, amo_datatype, o, AMO_UINT64);
	WIRE_SET(ses_atomic, cacheable, o, 1);
	if (p->uet.amo != AMO_CSWAP)
		return;
	/* two operands of 128 bits, of which the last 64 are meant */
	o += WIRE_SIZE_ses_atomic;
	frame_payload(p, o + UET_OPERAND, UET_OPERAND);
	frame_payload(p, o + UET_CSWAP / 2 + UET_OPERAND, UET_OPERAND);
}

static void write_rendezvous(const struct uet_head *u, uint8_t *o)
{
	WIRE_SET(ses_rendezvous, eager_length, o, u->eager);
	WIRE_SET(ses_rendezvous, pid_on_fep, o, PID);
	WIRE_SET(ses_rendezvous, resource_index, o, RESOURCE);
	WIRE_SET(ses_rendezvous, buffer_offset, o, u->rest);
	WIRE_SET(ses_rendezvous, memory_key, o, u->rest_key);
}

static void write_standard(const struct pkt *p, uint8_t *o)
{
	const struct uet_head *u = &p->uet;

	write_common(p, o);
	WIRE_SET(ses_std, message_id, o, u->message);
	WIRE_SET(ses_std, buffer_offset, o, u->buffer);
	WIRE_SET(ses_std, initiator, o, INITIATOR);
	WIRE_SET(ses_std, memory_key, o, key(u));
	WIRE_SET(ses_std, request_length, o, u->length);
	write_tokens(u, o);
	if (!(u->ses & UET_SOM)) {
		WIRE_SET(ses_std_more, payload_length, o, u->payload);
		WIRE_SET(ses_std_more, message_offset, o, u->offset);
	}
	if (extension(u) == WIRE_SIZE_ses_rendezvous)
		write_rendezvous(u, o + WIRE_SIZE_ses_std);
	else if (extension(u))
		write_atomic(p, o + WIRE_SIZE_ses_std);
}

static void write_short(const struct pkt *p, uint8_t *o)
{
	write_common(p, o);
	WIRE_SET(ses_small, request_length, o, p->uet.length);
	WIRE_SET(ses_small, buffer_offset, o, p->uet.buffer);
	if (p->uet.next == SES_REQUEST_SMALL)
		return;
	WIRE_SET(ses_medium, initiator, o, INITIATOR);
	WIRE_SET(ses_medium, memory_key, o, key(&p->uet));
}

static void write_response(const struct pkt *p, uint8_t *o)
{
	const struct uet_head *u = &p->uet;

	WIRE_SET(ses_rsp, list, o, u->list);
	WIRE_SET(ses_rsp, opcode, o, u->op);
	WIRE_SET(ses_rsp, return_code, o, u->code_ses);
	WIRE_SET(ses_rsp, message_id, o, u->message);
	WIRE_SET(ses_rsp, job_id, o, u->job);
	WIRE_SET(ses_rsp, modified_length, o, u->length);
}

static void write_read_data(const struct pkt *p, uint8_t *o)
{
	const struct uet_head *u = &p->uet;

	WIRE_SET(ses_rsp_data, opcode, o, u->op);
	WIRE_SET(ses_rsp_data, return_code, o, SES_RC_OK);
	WIRE_SET(ses_rsp_data, message_id, o, u->message);
	WIRE_SET(ses_rsp_data, job_id, o, u->job);
	WIRE_SET(ses_rsp_data, read_message_id, o, u->read_message);
	WIRE_SET(ses_rsp_data, payload_length, o, u->payload);
	WIRE_SET(ses_rsp_data, modified_length, o, u->length);
	WIRE_SET(ses_rsp_data, message_offset, o, u->offset);
}

static void write_small_data(const struct pkt *p, uint8_t *o)
{
	const struct uet_head *u = &p->uet;

	WIRE_SET(ses_rsp_data_small, opcode, o, u->op);
	WIRE_SET(ses_rsp_data_small, return_code, o, SES_RC_OK);
	WIRE_SET(ses_rsp_data_small, payload_length, o, u->payload);
	WIRE_SET(ses_rsp_data_small, job_id, o, u->job);
	WIRE_SET(ses_rsp_data_small, original_psn, o, u->word);
}

void uet_ses_write(const struct pkt *p, uint8_t *o)
{
	memset(o, 0, uet_ses_bytes(p));
	if (p->uet.type == PDS_CP)
		return;
	switch (p->uet.next) {
	case SES_REQUEST_STD:
		write_standard(p, o);
		break;
	case SES_REQUEST_MEDIUM:
	case SES_REQUEST_SMALL:
		write_short(p, o);
		break;
	case SES_RESPONSE:
		write_response(p, o);
		break;
	case SES_RESPONSE_DATA:
		write_read_data(p, o);
		break;
	case SES_RESPONSE_DATA_SMALL:
		write_small_data(p, o);
		break;
	default:
		break;
	}
}
