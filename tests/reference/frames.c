/* SPDX-License-Identifier: GPL-2.0-or-later
 * Frames of a few connections, mostly the next in order and like the one
 * before; every now and then something differs: any header field that a flow
 * may change, lengths, what was captured, the order.  What once differed may
 * end the short ways of a flow for good, so each run has its own kinds. */
#include "frames.h"

#include <string.h>

#include "decode/icrc.h"
#include "scene.h"
#include "wire/wire.h"

enum { PAYLOAD = 256 };

enum { VARIATIONS = 12 };
enum kind {
	OUT_OF_ORDER = 1 << VARIATIONS,
	BAD_ICRC = 1 << (VARIATIONS + 1),
	TWO_TAPS = 1 << (VARIATIONS + 2),
	CUT = 1 << (VARIATIONS + 3),
	KINDS = VARIATIONS + 4
};

static uint32_t below(struct frames *s, uint32_t n)
{
	return s->choose(s->ctx, n);
}

static uint8_t *ip_of(const struct frames_way *w, uint8_t *frame)
{
	return frame + WIRE_SIZE_eth + (w->tagged ? WIRE_SIZE_vlan : 0);
}

static uint8_t *bth_of(const struct frames_way *w, uint8_t *frame)
{
	return ip_of(w, frame) + WIRE_SIZE_ipv4 + WIRE_SIZE_udp;
}

static void begin(struct frames_way *w, unsigned n, bool tagged)
{
	uint8_t *eth = w->head, *ip, *udp, *bth;

	*w = (struct frames_way) { .tagged = tagged, .psn = n * 0x3ffff0 };
	ip = ip_of(w, eth);
	udp = ip + WIRE_SIZE_ipv4;
	bth = bth_of(w, eth);
	WIRE_SET(eth, smac, eth, 0x020000000001 + n);
	WIRE_SET(eth, dmac, eth, 0x020000000001 + (n ^ 1));
	WIRE_SET(eth, type, eth, ETYPE_IPV4);
	if (tagged) {
		WIRE_SET(eth, type, eth, ETYPE_VLAN);
		WIRE_SET(vlan, vid, eth + WIRE_SIZE_eth, 100);
		WIRE_SET(vlan, type, eth + WIRE_SIZE_eth, ETYPE_IPV4);
	}
	WIRE_SET(ipv4, version, ip, 4);
	WIRE_SET(ipv4, ihl, ip, 5);
	WIRE_SET(ipv4, dscp, ip, 26);
	WIRE_SET(ipv4, ecn, ip, 2);
	WIRE_SET(ipv4, ttl, ip, 64);
	WIRE_SET(ipv4, proto, ip, PROTO_UDP);
	WIRE_SET(ipv4, src, ip, 0x0a000001 + n);
	WIRE_SET(ipv4, dst, ip, 0x0a000001 + (n ^ 1));
	WIRE_SET(udp, sport, udp, 0xc000 + n / 2);
	WIRE_SET(udp, dport, udp, UDP_PORT_ROCE);
	WIRE_SET(bth, pkey, bth, 0xffff);
	WIRE_SET(bth, destqp, bth, 0x11 + n);
}

/* What is different for a while, or for one packet. */
static void vary(struct frames *s, struct frames_way *w, uint8_t *frame)
{
	uint8_t *ip = ip_of(w, frame), *udp = ip + WIRE_SIZE_ipv4;
	uint8_t *bth = bth_of(w, frame);

	uint32_t what = below(s, 2 * VARIATIONS);

	switch (s->kinds >> what & 1 ? what : VARIATIONS) {
	case 0:
		WIRE_SET(udp, sport, udp, 0xc000 + below(s, 4));
		break;
	case 1:
		WIRE_SET(ipv4, ecn, ip, below(s, 4));
		break;
	case 2:
		WIRE_SET(ipv4, dscp, ip, 24 + below(s, 3));
		break;
	case 3:
		WIRE_SET(ipv4, ttl, ip, 62 + below(s, 3));
		break;
	case 4:
		WIRE_SET(eth, smac, frame, 0x020000000001 + below(s, 3));
		break;
	case 5:
		if (w->tagged)
			WIRE_SET(vlan, pcp, frame + WIRE_SIZE_eth, below(s, 8));
		break;
	case 6:
		WIRE_SET(bth, becn, bth, below(s, 2));
		break;
	case 7:
		WIRE_SET(bth, resv7, bth, below(s, 2));
		break;
	case 8:
		WIRE_SET(bth, tver, bth, below(s, 8) == 0);
		break;
	case 9:
		WIRE_SET(ipv4, mf, ip, below(s, 8) == 0);
		break;
	case 10:
		WIRE_SET(udp, dport, udp, UDP_PORT_ROCE + (below(s, 8) == 0));
		break;
	default:
		WIRE_SET(ipv4, dscp, ip, 26);
		WIRE_SET(ipv4, ecn, ip, 2);
		WIRE_SET(bth, tver, bth, 0);
		WIRE_SET(ipv4, mf, ip, 0);
		WIRE_SET(udp, dport, udp, UDP_PORT_ROCE);
		WIRE_SET(bth, becn, bth, 0);
		WIRE_SET(bth, resv7, bth, 0);
	}
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

/* The PSN: in order, or a jump, a step back, a place long gone. */
static uint32_t next_psn(struct frames *s, struct frames_way *w, uint8_t opcode)
{
	if (opcode == RC_ACK)
		return s->way[(w - s->way) ^ 1].psn - 1 - below(s, 3);
	switch (s->kinds & OUT_OF_ORDER ? below(s, 2000) : 3) {
	case 0:
		w->psn += 1 + below(s, 3);
		break;
	case 1:
		w->psn -= 1 + below(s, 6);
		break;
	case 2:
		return w->psn - 1 - below(s, 20);
	default:
		break;
	}
	return w->psn++;
}

static void finish(struct frames *s, struct frames_way *w, uint8_t opcode,
		   size_t payload)
{
	uint8_t *ip = ip_of(w, s->frame), *bth = bth_of(w, s->frame);
	size_t len = wire_opcode(opcode)->headers + payload + ICRC_SIZE;
	size_t size = (size_t)(bth - s->frame) + len;
	uint32_t sum;

	WIRE_SET(ipv4, len, ip, (size_t)(bth - ip) + len);
	sum = icrc_compute(ICRC_IPV4, ip, bth, len - ICRC_SIZE);
	sum ^= (s->kinds & BAD_ICRC) && below(s, 2000) == 0;
	for (unsigned i = 0; i < ICRC_SIZE; i++)
		bth[len - ICRC_SIZE + i] = (uint8_t)(sum >> 8 * i);
	s->f.in = (struct decode_input) { .data = s->frame,
					  .caplen = (uint32_t)size,
					  .wirelen = (uint32_t)size,
					  .linktype = LINKTYPE_ETHERNET };
	if ((s->kinds & CUT) && below(s, 3) == 0)
		s->f.in.caplen -= below(s, (uint32_t)size);
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
	WIRE_SET(ipv4, id, ip_of(w, s->frame), w->ip_id);
	finish(s, w, opcode, payload);
	s->ns += below(s, 300) ? below(s, 4 * US) : below(s, 200 * MS);
	s->f.ns = s->ns;
	s->f.number = ++s->number;
	s->f.tap = (s->kinds & TWO_TAPS) && below(s, 50) == 0;
}

void frames_begin(struct frames *s)
{
	s->ns = SECOND;
	for (unsigned i = 0; i < KINDS; i++)
		s->kinds |= (below(s, 4) == 0) << i;
	for (unsigned i = 0; i < FRAMES_WAYS; i++)
		begin(&s->way[i], i, i / 2 == 1);
}
