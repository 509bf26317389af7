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

/* The same frame behind IPv6: all that was chosen of the IPv4 header but what
 * IPv6 has not. */
static void make_six(struct frames *s, const struct frames_way *w)
{
	uint8_t *ip = frames_ip(w, s->frame), old[WIRE_SIZE_ipv4];
	size_t link = (size_t)(ip - s->frame);
	size_t more = WIRE_SIZE_ipv6 - WIRE_SIZE_ipv4;

	memcpy(old, ip, sizeof old);
	memmove(ip + WIRE_SIZE_ipv6, ip + WIRE_SIZE_ipv4,
		FRAMES_ROOM - link - WIRE_SIZE_ipv4 - more);
	memset(ip, 0, WIRE_SIZE_ipv6);
	if (w->tagged)
		WIRE_SET(vlan, type, s->frame + WIRE_SIZE_eth, ETYPE_IPV6);
	else
		WIRE_SET(eth, type, s->frame, ETYPE_IPV6);
	WIRE_SET(ipv6, version, ip, 6);
	WIRE_SET(ipv6, dscp, ip, WIRE_GET(ipv4, dscp, old));
	WIRE_SET(ipv6, ecn, ip, WIRE_GET(ipv4, ecn, old));
	WIRE_SET(ipv6, flow, ip, below(s, 30) ? 7 : below(s, 1 << 20));
	WIRE_SET(ipv6, next, ip, WIRE_GET(ipv4, proto, old));
	WIRE_SET(ipv6, hop, ip, WIRE_GET(ipv4, ttl, old));
	memcpy(WIRE_PTR(ipv6, src, ip) + 12, WIRE_PTR(ipv4, src, old), 4);
	memcpy(WIRE_PTR(ipv6, dst, ip) + 12, WIRE_PTR(ipv4, dst, old), 4);
	*WIRE_PTR(ipv6, src, ip) = *WIRE_PTR(ipv6, dst, ip) = 0xfd;
}

/* Now and then the IP header contradicts what is there. */
static size_t said_length(struct frames *s, size_t len)
{
	if (!(s->kinds & BAD_CHECK) || below(s, 1000))
		return len;
	return below(s, 3) ? len - 4 + below(s, 9) : below(s, 64);
}

static void finish(struct frames *s, struct frames_way *w, uint8_t opcode,
		   size_t payload)
{
	uint8_t *ip = frames_ip(w, s->frame), *bth = bth_of(w, s->frame);
	size_t len = wire_opcode(opcode)->headers + payload + ICRC_SIZE;
	size_t size, said = said_length(s, len);
	uint32_t sum;

	if (w->six) {
		make_six(s, w);
		bth += WIRE_SIZE_ipv6 - WIRE_SIZE_ipv4;
		WIRE_SET(ipv6, len, ip, WIRE_SIZE_udp + said);
	} else {
		WIRE_SET(ipv4, len, ip, (size_t)(bth - ip) + said);
	}
	size = (size_t)(bth - s->frame) + len;
	sum = icrc_compute(w->six ? ICRC_IPV6 : ICRC_IPV4, ip, bth,
			   len - ICRC_SIZE);
	sum ^= (s->kinds & BAD_CHECK) && below(s, 2000) == 0;
	for (unsigned i = 0; i < ICRC_SIZE; i++)
		bth[len - ICRC_SIZE + i] = (uint8_t)(sum >> 8 * i);
	frames_captured(s, size);
}

void frames_next(struct frames *s)
{
	/* mostly several of the same */
	struct frames_way *w = below(s, 3) && s->number ? s->last : NULL;
	uint8_t opcode, *bth;
	size_t payload = PAYLOAD;

	if (!w)
		w = s->last = &s->way[below(s, FRAMES_WAYS)];
	opcode = next_opcode(s, w);

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
	bool six;

	frames_kinds(s);
	six = below(s, 3) == 0;
	for (unsigned i = 0; i < FRAMES_WAYS; i++) {
		begin(&s->way[i], i, i / 2 == 1);
		s->way[i].six = six;
	}
}
