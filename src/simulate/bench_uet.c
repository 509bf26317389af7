/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ultra Ethernet for bench.c: WRITEs and SENDs by RUD, sprayed over 256
 * entropy values, answered by an ACK_CC with NSCC state or by a NACK. */
#include <string.h>

#include "base/crc32.h"
#include "simulate/bench.h"
#include "simulate/uet.h"

enum {
	SES = BENCH_L4 + WIRE_SIZE_pds_req,
	BODY = SES + WIRE_SIZE_ses_std,
	HEADERS = BODY + BENCH_CRC,
	ACK_CC = BENCH_L4 + WIRE_SIZE_pds_ack,
	ACK_SES = ACK_CC + WIRE_SIZE_pds_ack_cc,
	ACK_BYTES = ACK_SES + WIRE_SIZE_ses_rsp + BENCH_CRC,
	NACK_BYTES = BENCH_L4 + WIRE_SIZE_pds_nack + BENCH_CRC,
	ENTROPY = 0xc000,
	ENTROPY_VALUES = 256,
	RECEIVED_UNIT = 256,
	JOB = 200,
};

_Static_assert((int)BODY <= (int)BENCH_HEAD, "no room for the headers");

static uint16_t message_id(const struct bench_place *w)
{
	return (uint16_t)(w->number + 1);
}

/* Neighbours far apart, each value equally often. */
static uint32_t entropy(uint64_t index)
{
	return ENTROPY + (uint32_t)(index * 89 % ENTROPY_VALUES);
}

static void make(struct pair *p, uint32_t i)
{
	uint32_t a = 1 + i % 0x7fff;
	uint8_t *pds = p->head + BENCH_L4, *ses = p->head + SES;

	memset(p->head, 0, BODY);
	bench_head(p->head, HEADERS, p->src, p->dst, ENTROPY, UDP_PORT_UET);
	WIRE_SET(pds_prologue, type, pds, PDS_RUD_REQ);
	WIRE_SET(pds_prologue, next, pds, SES_REQUEST_STD);
	WIRE_SET(pds_req, spdcid, pds, a);
	WIRE_SET(ses_std, job_id, ses, JOB);
	WIRE_SET(ses_std, memory_key, ses, 0xabcdef);
}

static void semantics(const struct bench_place *w, uint8_t *ses)
{
	uint8_t flags = UET_REL;

	flags |= w->at == 0 ? UET_SOM : 0;
	flags |= w->last ? UET_EOM : 0;
	*WIRE_PTR(ses_std, version, ses) = flags;
	WIRE_SET(ses_std, opcode, ses,
		 w->message->kind == BENCH_SEND ? SES_SEND : SES_WRITE);
	WIRE_SET(ses_std, message_id, ses, message_id(w));
	WIRE_SET(ses_std, request_length, ses, bench_message_bytes(w->message));
	if (!w->at)
		return;
	WIRE_SET(ses_std_more, payload_length, ses, w->payload);
	WIRE_SET(ses_std_more, message_offset, ses,
		 (uint64_t)w->at * BENCH_MTU);
}

static void set_bytes(uint8_t *f, uint32_t bytes)
{
	WIRE_SET(ipv4, len, f + BENCH_IP, bytes - BENCH_IP);
	WIRE_SET(udp, len, f + BENCH_UDP, bytes - BENCH_UDP);
	frame_ipv4_sum(f + BENCH_IP);
}

static uint32_t data(const struct pair *p, bool ack, uint8_t *f, uint32_t snap)
{
	struct bench_place w = bench_where(p, p->next);
	uint32_t flags = ack ? UET_AR : 0;
	uint8_t *pds = f + BENCH_L4;

	memcpy(f, p->head, BODY);
	set_bytes(f, HEADERS + w.payload);
	if (p->next < p->highest)
		flags |= UET_RETX;
	if (p->answered) {
		WIRE_SET(pds_req, dpdcid, pds,
			 0x8000 + WIRE_GET(pds_req, spdcid, pds));
	} else {
		flags |= UET_SYN;
		WIRE_SET(pds_req_syn, psn_offset, pds, p->next & 0xfff);
	}
	WIRE_SET(pds_prologue, flags, pds, flags);
	WIRE_SET(pds_req, clear_psn_offset, pds, 0xffff);
	WIRE_SET(pds_req, psn, pds, (p->first_psn + p->next) & UINT32_MAX);
	WIRE_SET(udp, sport, f + BENCH_UDP, entropy(p->next));
	semantics(&w, f + SES);
	bench_payload(p, f, BODY, snap);
	return HEADERS + w.payload;
}

static void acknowledge(const struct pair *p, const struct due *d, uint8_t *f)
{
	struct bench_place w = bench_where(p, d->index);
	uint8_t *pds = f + BENCH_L4, *cc = f + ACK_CC, *ses = f + ACK_SES;

	WIRE_SET(pds_prologue, type, pds, PDS_ACK_CC);
	WIRE_SET(pds_prologue, next, pds, SES_RESPONSE);
	WIRE_SET(pds_prologue, flags, pds, d->marked ? UET_M : 0);
	WIRE_SET(pds_ack, ack_psn_offset, pds, 0);
	WIRE_SET(pds_ack, cack_psn, pds, (uint32_t)(p->first_psn + d->index));
	WIRE_SET(pds_ack_cc, sack_bitmap, cc, 1);
	WIRE_SET(pds_ack_nscc, service_time, cc, 8);
	WIRE_SET(pds_ack_nscc, rcvd_bytes, cc,
		 (bench_bytes(p, d->index + 1) / RECEIVED_UNIT) & 0xffffff);
	WIRE_SET(ses_rsp, opcode, ses, SES_RSP_DEFAULT);
	WIRE_SET(ses_rsp, return_code, ses, SES_RC_OK);
	WIRE_SET(ses_rsp, message_id, ses, message_id(&w));
	WIRE_SET(ses_rsp, job_id, ses, JOB);
	WIRE_SET(ses_rsp, modified_length, ses, bench_message_bytes(w.message));
}

static void refuse(const struct pair *p, uint64_t index, uint8_t *f)
{
	uint8_t *pds = f + BENCH_L4;

	WIRE_SET(pds_prologue, type, pds, PDS_NACK);
	WIRE_SET(pds_prologue, next, pds, SES_NONE);
	WIRE_SET(pds_nack, nack_code, pds, NACK_RCVR_INFER_LOSS);
	WIRE_SET(pds_nack, vendor_code, pds, 0);
	WIRE_SET(pds_nack, nack_psn, pds, (uint32_t)(p->first_psn + index));
	WIRE_SET(pds_nack, payload, pds, 0);
}

static uint32_t answer(const struct pair *p, const struct due *d, uint8_t *f)
{
	uint32_t bytes = d->what == BENCH_NAK ? NACK_BYTES : ACK_BYTES;
	uint32_t spdcid =
		(uint32_t)WIRE_GET(pds_req, spdcid, p->head + BENCH_L4);
	uint8_t *pds = f + BENCH_L4;

	/* An answer takes the way of what it answers. */
	bench_head(f, bytes, p->dst, p->src, (uint16_t)entropy(d->index),
		   UDP_PORT_UET);
	memset(pds, 0, bytes - BENCH_L4);
	WIRE_SET(pds_ack, spdcid, pds, 0x8000 + spdcid);
	WIRE_SET(pds_ack, dpdcid, pds, spdcid);
	if (d->what == BENCH_NAK)
		refuse(p, d->index, f);
	else
		acknowledge(p, d, f);
	return bytes;
}

static void seal(uint8_t *f, uint32_t bytes)
{
	const uint8_t *from = WIRE_PTR(ipv4, src, f + BENCH_IP);
	uint8_t *at = f + bytes - BENCH_CRC;
	uint32_t crc = ~crc32c_add(CRC32_START, from, (size_t)(at - from));

	WIRE_SET(uet_crc, crc, at, crc);
}

/* Only that one once more. */
static void refused(struct pair *p, uint64_t index)
{
	p->resume = p->next;
	p->next = index;
}

const struct bench_transport bench_uet = {
	.snap_least = BODY,
	.make = make,
	.data = data,
	.answer = answer,
	.seal = seal,
	.refused = refused,
};
