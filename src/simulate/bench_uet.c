/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ultra Ethernet for bench.c: WRITEs by RUD, sprayed over 256 entropy values,
 * answered by an ACK_CC with NSCC state or by a NACK. */
#include <string.h>

#include "base/crc32.h"
#include "simulate/bench.h"
#include "simulate/uet.h"

enum {
	SES = BENCH_L4 + WIRE_SIZE_pds_req,
	BODY = SES + WIRE_SIZE_ses_std,
	DATA_BYTES = BODY + BENCH_MTU + BENCH_CRC,
	ACK_CC = BENCH_L4 + WIRE_SIZE_pds_ack,
	ACK_SES = ACK_CC + WIRE_SIZE_pds_ack_cc,
	ACK_BYTES = ACK_SES + WIRE_SIZE_ses_rsp + BENCH_CRC,
	NACK_BYTES = BENCH_L4 + WIRE_SIZE_pds_nack + BENCH_CRC,
	ENTROPY = 0xc000,
	ENTROPY_VALUES = 256,
	LENGTH = BENCH_MESSAGE * BENCH_MTU,
	RECEIVED_UNIT = 256,
	JOB = 200,
};

_Static_assert((int)ACK_BYTES <= (int)BENCH_ANSWER, "no room for an ACK");

static uint16_t message_id(uint64_t index)
{
	return (uint16_t)(index / BENCH_MESSAGE + 1);
}

/* Neighbours far apart, each value equally often. */
static uint32_t entropy(uint64_t index)
{
	return ENTROPY + (uint32_t)(index * 89 % ENTROPY_VALUES);
}

static void make(struct pair *p, uint32_t i)
{
	uint32_t a = 1 + i % 0x7fff, d = 0x8000 + a;
	uint8_t *pds = p->data + BENCH_L4, *ses = p->data + SES;

	memset(p->data, 0, BODY);
	bench_head(p->data, DATA_BYTES, p->src, p->dst, ENTROPY, UDP_PORT_UET);
	WIRE_SET(pds_prologue, type, pds, PDS_RUD_REQ);
	WIRE_SET(pds_prologue, next, pds, SES_REQUEST_STD);
	WIRE_SET(pds_req, spdcid, pds, a);
	WIRE_SET(ses_std, opcode, ses, SES_WRITE);
	WIRE_SET(ses_std, job_id, ses, JOB);
	WIRE_SET(ses_std, memory_key, ses, 0xabcdef);
	WIRE_SET(ses_std, request_length, ses, LENGTH);
	for (size_t k = BODY; k < sizeof p->data; k++)
		p->data[k] = (uint8_t)(k * 7 + i);
	memset(p->answer, 0, sizeof p->answer);
	pds = p->answer + BENCH_L4;
	WIRE_SET(pds_ack, spdcid, pds, d);
	WIRE_SET(pds_ack, dpdcid, pds, a);
}

static void semantics(const struct pair *p, uint8_t *ses)
{
	uint64_t at = p->next % BENCH_MESSAGE;
	uint8_t flags = UET_REL;

	flags |= at == 0 ? UET_SOM : 0;
	flags |= at == BENCH_MESSAGE - 1 ? UET_EOM : 0;
	*WIRE_PTR(ses_std, version, ses) = flags;
	WIRE_SET(ses_std, message_id, ses, message_id(p->next));
	if (!at)
		return;
	WIRE_SET(ses_std_more, payload_length, ses, BENCH_MTU);
	WIRE_SET(ses_std_more, message_offset, ses, at * BENCH_MTU);
}

static uint32_t data(const struct pair *p, bool ack, uint8_t *f, uint32_t snap)
{
	const uint32_t kept = snap < sizeof p->data ? snap : sizeof p->data;
	uint32_t flags = ack ? UET_AR : 0;
	uint8_t *pds = f + BENCH_L4;

	memcpy(f, p->data, kept);
	memset(f + kept, 0x5a, snap - kept);
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
	semantics(p, f + SES);
	return DATA_BYTES;
}

static uint32_t acknowledge(struct pair *p, uint64_t index)
{
	uint8_t *pds = p->answer + BENCH_L4, *cc = p->answer + ACK_CC;
	uint8_t *ses = p->answer + ACK_SES;
	uint32_t psn = (uint32_t)(p->first_psn + index);

	WIRE_SET(pds_prologue, type, pds, PDS_ACK_CC);
	WIRE_SET(pds_prologue, next, pds, SES_RESPONSE);
	WIRE_SET(pds_ack, ack_psn_offset, pds, 0);
	WIRE_SET(pds_ack, cack_psn, pds, psn);
	memset(cc, 0, WIRE_SIZE_pds_ack_cc + WIRE_SIZE_ses_rsp);
	WIRE_SET(pds_ack_cc, sack_bitmap, cc, 1);
	WIRE_SET(pds_ack_nscc, service_time, cc, 8);
	WIRE_SET(pds_ack_nscc, rcvd_bytes, cc,
		 (index + 1) * BENCH_MTU / RECEIVED_UNIT & 0xffffff);
	WIRE_SET(ses_rsp, opcode, ses, SES_RSP_DEFAULT);
	WIRE_SET(ses_rsp, return_code, ses, SES_RC_OK);
	WIRE_SET(ses_rsp, message_id, ses, message_id(index));
	WIRE_SET(ses_rsp, job_id, ses, JOB);
	WIRE_SET(ses_rsp, modified_length, ses, LENGTH);
	return ACK_BYTES;
}

static uint32_t refuse(struct pair *p, uint64_t index)
{
	uint8_t *pds = p->answer + BENCH_L4;

	WIRE_SET(pds_prologue, type, pds, PDS_NACK);
	WIRE_SET(pds_prologue, next, pds, SES_NONE);
	WIRE_SET(pds_nack, nack_code, pds, NACK_RCVR_INFER_LOSS);
	WIRE_SET(pds_nack, vendor_code, pds, 0);
	WIRE_SET(pds_nack, nack_psn, pds, (uint32_t)(p->first_psn + index));
	WIRE_SET(pds_nack, payload, pds, 0);
	return NACK_BYTES;
}

static uint32_t answer(struct pair *p, const struct due *d)
{
	uint32_t bytes =
		d->refuses ? refuse(p, d->index) : acknowledge(p, d->index);

	/* An answer takes the way of what it answers. */
	bench_head(p->answer, bytes, p->dst, p->src,
		   (uint16_t)entropy(d->index), UDP_PORT_UET);
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
