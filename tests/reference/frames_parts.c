/* SPDX-License-Identifier: GPL-2.0-or-later
 * What made-up frames of both transports have in common. */
#include "frames_parts.h"

#include "scene.h"
#include "wire/wire.h"

enum { HEADERS = 100 /* bytes kept of a frame where they are cut */ };

void frames_kinds(struct frames *s)
{
	s->ns = SECOND;
	for (unsigned i = 0; i < KINDS; i++)
		s->kinds |= (below(s, 4) == 0) << i;
}

uint8_t *frames_ip(const struct frames_way *w, uint8_t *frame)
{
	return frame + WIRE_SIZE_eth + (w->tagged ? WIRE_SIZE_vlan : 0);
}

void frames_head(struct frames_way *w, unsigned n, bool tagged, uint8_t dscp,
		 uint8_t proto)
{
	uint8_t *eth = w->head, *ip;

	*w = (struct frames_way) { .tagged = tagged };
	ip = frames_ip(w, eth);
	WIRE_SET(eth, smac, eth, 0x020000000001 + n);
	WIRE_SET(eth, dmac, eth, 0x020000000001 + (n ^ 1));
	WIRE_SET(eth, type, eth, tagged ? ETYPE_VLAN : ETYPE_IPV4);
	if (tagged) {
		WIRE_SET(vlan, vid, eth + WIRE_SIZE_eth, 100);
		WIRE_SET(vlan, type, eth + WIRE_SIZE_eth, ETYPE_IPV4);
	}
	WIRE_SET(ipv4, version, ip, 4);
	WIRE_SET(ipv4, ihl, ip, 5);
	WIRE_SET(ipv4, dscp, ip, dscp);
	WIRE_SET(ipv4, ecn, ip, 2);
	WIRE_SET(ipv4, ttl, ip, 64);
	WIRE_SET(ipv4, proto, ip, proto);
	WIRE_SET(ipv4, src, ip, 0x0a000001 + n);
	WIRE_SET(ipv4, dst, ip, 0x0a000001 + (n ^ 1));
}

unsigned frames_variation(struct frames *s)
{
	unsigned what = below(s, 2 * VARIATIONS);

	return what < VARIATIONS && s->kinds >> what & 1 ? what : VARIATIONS;
}

void frames_vary(struct frames *s, const struct frames_way *w, uint8_t *frame,
		 unsigned what, uint8_t dscp)
{
	uint8_t *ip = frames_ip(w, frame);

	switch (what) {
	case 0:
		WIRE_SET(ipv4, ecn, ip, below(s, 4));
		break;
	case 1:
		WIRE_SET(ipv4, dscp, ip, 24 + below(s, 3));
		break;
	case 2:
		WIRE_SET(ipv4, ttl, ip, 62 + below(s, 3));
		break;
	case 3:
		WIRE_SET(eth, smac, frame, 0x020000000001 + below(s, 3));
		break;
	case 4:
		if (w->tagged)
			WIRE_SET(vlan, pcp, frame + WIRE_SIZE_eth, below(s, 8));
		break;
	case 5:
		WIRE_SET(ipv4, mf, ip, below(s, 8) == 0);
		break;
	default:
		WIRE_SET(ipv4, dscp, ip, dscp);
		WIRE_SET(ipv4, ecn, ip, 2);
		WIRE_SET(ipv4, mf, ip, 0);
	}
}

uint32_t frames_psn(struct frames *s, struct frames_way *w, uint32_t often)
{
	switch (s->kinds & OUT_OF_ORDER ? below(s, often) : 3) {
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

void frames_captured(struct frames *s, size_t size)
{
	s->f.in = (struct decode_input) { .data = s->frame,
					  .caplen = (uint32_t)size,
					  .wirelen = (uint32_t)size,
					  .linktype = LINKTYPE_ETHERNET };
	if ((s->kinds & CUT) && below(s, 8) == 0)
		s->f.in.caplen -= below(s, (uint32_t)size);
	else if ((s->kinds & CUT) && size > HEADERS)
		s->f.in.caplen = HEADERS;
	if (below(s, 3))
		s->ns += below(s, US / 2);
	else
		s->ns += below(s, 100) ? below(s, 4 * US) : below(s, 200 * MS);
	s->f.ns = s->ns;
	s->f.number = ++s->number;
	s->f.tap = (s->kinds & TWO_TAPS) && below(s, 50) == 0;
}
