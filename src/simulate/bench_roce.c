/* SPDX-License-Identifier: GPL-2.0-or-later
 * RoCE for bench.c: WRITEs, an ACK or a NAK. */
#include <string.h>

#include "simulate/bench.h"
#include "simulate/qp.h"

enum {
	BODY = BENCH_L4 + WIRE_SIZE_bth,
	DATA_BYTES = BODY + BENCH_MTU + BENCH_CRC,
	FIRST_BYTES = DATA_BYTES + WIRE_SIZE_reth,
	ACK_BYTES = BODY + WIRE_SIZE_aeth + BENCH_CRC,
	CREDITS = 0x1f, /* AETH: no limit stated */
	NAK_SEQUENCE = 0x60,
};

_Static_assert((int)ACK_BYTES <= (int)BENCH_ANSWER, "no room for an ACK");

static void head(uint8_t *f, uint32_t bytes, uint32_t src, uint32_t dst,
		 uint16_t sport, uint32_t qp)
{
	uint8_t *bth = f + BENCH_L4;

	bench_head(f, bytes, src, dst, sport, UDP_PORT_ROCE);
	memset(bth, 0, WIRE_SIZE_bth);
	WIRE_SET(bth, migreq, bth, 1);
	WIRE_SET(bth, pkey, bth, 0xffff);
	WIRE_SET(bth, destqp, bth, qp);
}

static void make(struct pair *p, uint32_t i)
{
	uint32_t a = 0x100 + 2 * (i % 0x3fff00), d = a + 1;
	uint16_t sport = qp_sport(a, d);

	head(p->data, DATA_BYTES, p->src, p->dst, sport, d);
	for (size_t k = BODY; k < sizeof p->data; k++)
		p->data[k] = (uint8_t)(k * 7 + i);
	head(p->answer, ACK_BYTES, p->dst, p->src, sport, a);
	WIRE_SET(bth, opcode, p->answer + BENCH_L4, RC_ACK);
	memset(p->answer + BODY, 0, WIRE_SIZE_aeth + BENCH_CRC);
}

static uint32_t first(const struct pair *p, uint8_t *f, uint32_t snap)
{
	const uint32_t fixed = sizeof p->data - BODY;
	uint8_t *reth = f + BODY;
	uint32_t n;

	WIRE_SET(reth, va, reth,
		 UINT64_C(0x7f0000000000) + p->next * BENCH_MTU);
	WIRE_SET(reth, rkey, reth, 0x1000);
	WIRE_SET(reth, dmalen, reth, BENCH_MESSAGE * BENCH_MTU);
	for (uint32_t at = BODY + WIRE_SIZE_reth; at < snap; at += n) {
		n = snap - at < fixed ? snap - at : fixed;
		memcpy(f + at, p->data + BODY, n);
	}
	WIRE_SET(ipv4, len, f + BENCH_IP, FIRST_BYTES - BENCH_IP);
	WIRE_SET(udp, len, f + BENCH_UDP, FIRST_BYTES - BENCH_UDP);
	return FIRST_BYTES;
}

static uint32_t data(const struct pair *p, bool ack, uint8_t *f, uint32_t snap)
{
	const uint32_t kept = snap < sizeof p->data ? snap : sizeof p->data;
	uint64_t at = p->next % BENCH_MESSAGE;
	uint8_t *bth = f + BENCH_L4;
	uint32_t wirelen = DATA_BYTES;

	memcpy(f, p->data, kept);
	memset(f + kept, 0x5a, snap - kept);
	WIRE_SET(bth, opcode, bth,
		 at == 0                   ? RC_WRITE_FIRST
		 : at == BENCH_MESSAGE - 1 ? RC_WRITE_LAST
					   : RC_WRITE_MIDDLE);
	WIRE_SET(bth, ackreq, bth, ack);
	WIRE_SET(bth, psn, bth, (p->first_psn + p->next) & 0xffffff);
	if (!at)
		wirelen = first(p, f, snap);
	return wirelen;
}

static uint32_t answer(struct pair *p, const struct due *d)
{
	uint8_t *bth = p->answer + BENCH_L4, *aeth = p->answer + BODY;
	uint8_t syndrome = d->refuses ? NAK_SEQUENCE : CREDITS;

	WIRE_SET(bth, psn, bth, (p->first_psn + d->index) & 0xffffff);
	WIRE_SET(aeth, kind, aeth, syndrome >> 5);
	WIRE_SET(aeth, value, aeth, syndrome);
	WIRE_SET(aeth, msn, aeth, (d->index + !d->refuses) / BENCH_MESSAGE);
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
	.snap_least = BODY + WIRE_SIZE_reth,
	.counts_ip_id = true,
	.make = make,
	.data = data,
	.answer = answer,
	.seal = seal,
	.refused = refused,
};
