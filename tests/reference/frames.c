/* SPDX-License-Identifier: GPL-2.0-or-later
 * Frames of a few connections, mostly the next in order and like the one
 * before; every now and then something differs: any header field that a flow
 * may change, lengths, what was captured, the order.  What once differed may
 * end the short ways of a flow for good, so each run has its own kinds. */
#include <string.h>

#include "decode/icrc.h"
#include "frames_parts.h"
#include "wire/wire.h"

enum { PAYLOAD = 256, DSCP = 26 };

static uint8_t *bth_of(const struct frames_way *w, uint8_t *frame)
{
	return frames_ip(w, frame) + WIRE_SIZE_ipv4 + WIRE_SIZE_udp;
}

static void begin(struct frames_way *w, unsigned n, bool tagged)
{
	uint8_t *udp, *bth;

	frames_head(w, n, tagged, DSCP, PROTO_UDP);
	w->psn = n * 0x3ffff0;
	udp = frames_ip(w, w->head) + WIRE_SIZE_ipv4;
	bth = bth_of(w, w->head);
	WIRE_SET(udp, sport, udp, 0xc000 + n / 2);
	WIRE_SET(udp, dport, udp, UDP_PORT_ROCE);
	WIRE_SET(bth, pkey, bth, 0xffff);
	WIRE_SET(bth, destqp, bth, 0x11 + n);
}

/* What is different for a while, or for one packet. */
static void vary(struct frames *s, struct frames_way *w, uint8_t *frame)
{
	uint8_t *bth = bth_of(w, frame), *udp = bth - WIRE_SIZE_udp;
	unsigned what = frames_variation(s);

	switch (what) {
	case VARIATIONS_IP:
		WIRE_SET(udp, dport, udp, UDP_PORT_ROCE + (below(s, 8) == 0));
		break;
	case VARIATIONS_IP + 1:
		WIRE_SET(udp, sport, udp, 0xc000 + below(s, 4));
		break;
	case VARIATIONS_IP + 2:
		WIRE_SET(bth, becn, bth, below(s, 2));
		break;
	case VARIATIONS_IP + 3:
		WIRE_SET(bth, resv7, bth, below(s, 2));
		break;
	case VARIATIONS_IP + 4:
		WIRE_SET(bth, tver, bth, below(s, 8) == 0);
		break;
	case VARIATIONS:
		WIRE_SET(bth, tver, bth, 0);
		WIRE_SET(udp, dport, udp, UDP_PORT_ROCE);
		WIRE_SET(bth, becn, bth, 0);
		WIRE_SET(bth, resv7, bth, 0);
		break;
	default:
		break;
	}
	if (what < VARIATIONS_IP || what == VARIATIONS)
		frames_vary(s, w, frame, what, DSCP);
}

static uint8_t next_opcode(struct frames *s, struct frames_way *w)
{
	static const uint8_t starts[] = { RC_WRITE_FIRST, RC_WRITE_ONLY_IMM,
					  RC_WRITE_ONLY, RC_SEND_FIRST,
					  RC_READ_REQUEST };
	uint32_t what = below(s, 12);

	if (what == 0)
		return RC_ACK;
	if (below(s, 200) == 0)
		return w->in_message ? RC_WRITE_FIRST : RC_WRITE_MIDDLE;
	if (w->in_message)
		return what == 1 ? RC_WRITE_LAST : RC_WRITE_MIDDLE;
	return starts[below(s, sizeof starts)];
}

static uint32_t next_psn(struct frames *s, struct frames_way *w, uint8_t opcode)
{
	if (opcode == RC_ACK)
		return s->way[(w - s->way) ^ 1].psn - 1 - below(s, 3);
	return frames_psn(s, w, 2000);
}

static void finish(struct frames *s, struct frames_way *w, uint8_t opcode,
		   size_t payload)
{
	uint8_t *ip = frames_ip(w, s->frame), *bth = bth_of(w, s->frame);
	size_t len = wire_opcode(opcode)->headers + payload + ICRC_SIZE;
	size_t size = (size_t)(bth - s->frame) + len;
	uint32_t sum;

	WIRE_SET(ipv4, len, ip, (size_t)(bth - ip) + len);
	sum = icrc_compute(ICRC_IPV4, ip, bth, len - ICRC_SIZE);
	sum ^= (s->kinds & BAD_CHECK) && below(s, 2000) == 0;
	for (unsigned i = 0; i < ICRC_SIZE; i++)
		bth[len - ICRC_SIZE + i] = (uint8_t)(sum >> 8 * i);
	frames_captured(s, size);
}

void frames_next(struct frames *s)
{
	struct frames_way *w = &s->way[below(s, FRAMES_WAYS)];
	uint8_t opcode = next_opcode(s, w), *bth;
	size_t payload = PAYLOAD;

	if (below(s, 25) == 0)
		vary(s, w, w->head);
	memcpy(s->frame, w->head, sizeof s->frame);
	if (below(s, 25) == 0)
		vary(s, w, s->frame);
	bth = bth_of(w, s->frame);
	if (opcode == RC_WRITE_LAST || below(s, 30) == 0)
		payload = 4 * (1 + below(s, PAYLOAD / 4));
	if (opcode == RC_ACK || opcode == RC_READ_REQUEST)
		payload = 0;
	w->in_message = opcode == RC_WRITE_FIRST || opcode == RC_SEND_FIRST ||
			(w->in_message && opcode != RC_WRITE_LAST);
	WIRE_SET(bth, opcode, bth, opcode);
	WIRE_SET(bth, psn, bth, next_psn(s, w, opcode) & 0xffffff);
	WIRE_SET(bth, ackreq, bth, below(s, 8) == 0);
	WIRE_SET(bth, se, bth, below(s, 20) == 0);
	/* READs of one packet, so that PSNs go on one by one. */
	if (WIRE_AT(wire_opcode(opcode), reth))
		WIRE_SET(reth, dmalen, bth + WIRE_SIZE_bth,
			 opcode == RC_READ_REQUEST ? PAYLOAD
						   : PAYLOAD * below(s, 6));
	w->ip_id = (uint16_t)(w->ip_id + (below(s, 90) ? 1 : below(s, 9)));
	WIRE_SET(ipv4, id, frames_ip(w, s->frame), w->ip_id);
	finish(s, w, opcode, payload);
}

void frames_begin(struct frames *s)
{
	frames_kinds(s);
	for (unsigned i = 0; i < FRAMES_WAYS; i++)
		begin(&s->way[i], i, i / 2 == 1);
}
