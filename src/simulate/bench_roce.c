/* SPDX-License-Identifier: GPL-2.0-or-later
 * RoCE for bench.c: requests, READ responses, ACKs, NAKs, CNPs. */
#include <string.h>

#include "simulate/bench.h"
#include "simulate/qp.h"

enum {
	BODY = BENCH_L4 + WIRE_SIZE_bth,
	ACK_BYTES = BODY + WIRE_SIZE_aeth + BENCH_CRC,
	CNP_BYTES = BODY + WIRE_SIZE_cnp + BENCH_CRC,
	SNAP_LEAST = BODY + WIRE_SIZE_reth + WIRE_SIZE_immdt,
	CREDITS = 0x1f, /* AETH: no limit stated */
	NAK_SEQUENCE = 0x60,
	DSCP_CNP = 48,
};

_Static_assert((int)BODY <= (int)BENCH_BACK, "no room for a BTH");

/* By kind of message: first, middle, last, only. */
static const uint8_t opcodes[][4] = {
	[BENCH_WRITE] = { RC_WRITE_FIRST, RC_WRITE_MIDDLE, RC_WRITE_LAST,
			  RC_WRITE_ONLY },
	[BENCH_WRITE_IMM] = { RC_WRITE_FIRST, RC_WRITE_MIDDLE,
			      RC_WRITE_LAST_IMM, RC_WRITE_ONLY_IMM },
	[BENCH_SEND] = { RC_SEND_FIRST, RC_SEND_MIDDLE, RC_SEND_LAST,
			 RC_SEND_ONLY },
	[BENCH_READ] = { RC_READ_FIRST, RC_READ_MIDDLE, RC_READ_LAST,
			 RC_READ_ONLY },
};

static void head(uint8_t *f, uint32_t src, uint32_t dst, uint16_t sport,
		 uint32_t qp)
{
	uint8_t *bth = f + BENCH_L4;

	bench_head(f, ACK_BYTES, src, dst, sport, UDP_PORT_ROCE);
	memset(bth, 0, WIRE_SIZE_bth);
	WIRE_SET(bth, migreq, bth, 1);
	WIRE_SET(bth, pkey, bth, 0xffff);
	WIRE_SET(bth, destqp, bth, qp);
}

static void make(struct pair *p, uint32_t i)
{
	uint32_t a = 0x100 + 2 * (i % 0x3fff00), d = a + 1;
	uint16_t sport = qp_sport(a, d);

	head(p->head, p->src, p->dst, sport, d);
	head(p->back, p->dst, p->src, sport, a);
}

/* The head of a frame of such an opcode. */
static void begin(uint8_t *f, const uint8_t *from, uint32_t bytes,
		  uint8_t opcode, uint64_t psn)
{
	uint8_t *bth = f + BENCH_L4;

	memcpy(f, from, BODY);
	WIRE_SET(ipv4, len, f + BENCH_IP, bytes - BENCH_IP);
	WIRE_SET(udp, len, f + BENCH_UDP, bytes - BENCH_UDP);
	WIRE_SET(bth, opcode, bth, opcode);
	WIRE_SET(bth, psn, bth, psn & 0xffffff);
}

/* A READ is asked for from packet |w| on: all of it, or what is missing. */
static void put_reth(const struct pair *p, const struct bench_place *w,
		     uint8_t *reth)
{
	WIRE_SET(reth, va, reth,
		 UINT64_C(0x7f0000000000) + p->next * BENCH_MTU);
	WIRE_SET(reth, rkey, reth, 0x1000);
	WIRE_SET(reth, dmalen, reth,
		 bench_message_bytes(w->message) - w->at * BENCH_MTU);
}

static void put_aeth(const struct pair *p, uint8_t syndrome, uint64_t expected,
		     uint8_t *aeth)
{
	uint64_t done =
		bench_where(p, expected).number - bench_where(p, 0).number;

	WIRE_SET(aeth, kind, aeth, syndrome >> 5);
	WIRE_SET(aeth, value, aeth, syndrome);
	WIRE_SET(aeth, msn, aeth, done & 0xffffff);
}

static uint8_t opcode_of(const struct pair *p, const struct bench_place *w)
{
	const uint8_t *of = opcodes[w->message->kind];

	if (w->message->kind == BENCH_READ && !p->requested)
		return RC_READ_REQUEST;
	if (w->last)
		return of[w->at ? 2 : 3];
	return of[w->at ? 1 : 0];
}

static uint32_t data(const struct pair *p, bool ack, uint8_t *f, uint32_t snap)
{
	struct bench_place w = bench_where(p, p->next);
	uint8_t opcode = opcode_of(p, &w), *bth = f + BENCH_L4;
	const struct wire_opcode *op = wire_opcode(opcode);
	uint32_t body = BENCH_L4 + op->headers, bytes = body + BENCH_CRC;

	if (opcode != RC_READ_REQUEST)
		bytes += w.payload;
	begin(f, op->does & OP_REPLY ? p->back : p->head, bytes, opcode,
	      p->first_psn + p->next);
	WIRE_SET(bth, ackreq, bth, ack);
	if (WIRE_AT(op, reth))
		put_reth(p, &w, bth + WIRE_AT(op, reth));
	if (WIRE_AT(op, aeth))
		put_aeth(p, CREDITS, p->next + 1, bth + WIRE_AT(op, aeth));
	if (WIRE_AT(op, immdt))
		WIRE_SET(immdt, imm, bth + WIRE_AT(op, immdt),
			 w.number & UINT32_MAX);
	bench_payload(p, f, body, snap);
	return bytes;
}

/* A CNP goes to whoever sent what was marked. */
static uint32_t notify(const struct pair *p, bool back, uint8_t *f)
{
	begin(f, back ? p->head : p->back, CNP_BYTES, CNP, 0);
	WIRE_SET(ipv4, dscp, f + BENCH_IP, DSCP_CNP);
	WIRE_SET(bth, becn, f + BENCH_L4, 1);
	WIRE_SET(bth, migreq, f + BENCH_L4, 0);
	memset(f + BODY, 0, WIRE_SIZE_cnp);
	return CNP_BYTES;
}

static uint32_t answer(const struct pair *p, const struct due *d, uint8_t *f)
{
	bool refuses = d->what == BENCH_NAK;

	if (d->what == BENCH_CNP)
		return notify(p, d->back, f);
	begin(f, p->back, ACK_BYTES, RC_ACK, p->first_psn + d->index);
	put_aeth(p, refuses ? NAK_SEQUENCE : CREDITS, d->index + !refuses,
		 f + BODY);
	return ACK_BYTES;
}

static void seal(uint8_t *f, uint32_t bytes)
{
	uint32_t icrc = frame_icrc(f + BENCH_IP, bytes - BENCH_CRC - BENCH_IP);

	for (int i = 0; i < BENCH_CRC; i++)
		f[bytes - BENCH_CRC + i] = (uint8_t)(icrc >> 8 * i);
}

/* It goes back. */
static void refused(struct pair *p, uint64_t index)
{
	p->next = index;
}

const struct bench_transport bench_roce = {
	.snap_least = SNAP_LEAST,
	.counts_ip_id = true,
	.reads = true,
	.has_cnps = true,
	.make = make,
	.data = data,
	.answer = answer,
	.seal = seal,
	.refused = refused,
};
