/* SPDX-License-Identifier: GPL-2.0-or-later
 * ERSPAN II and III, VXLAN. */
#include "simulate/mirror.h"

#include <string.h>

#include "simulate/frame.h"
#include "simulate/tap.h"
#include "wire/wire.h"

enum {
	OUTER = WIRE_SIZE_eth + WIRE_SIZE_ipv4,
	GRE = WIRE_SIZE_gre + WIRE_SIZE_gre_seq,
	VNI = 4096,
};

static const uint32_t sizes[] = {
	[WRAP_NONE] = 0,
	[WRAP_ERSPAN2] = OUTER + GRE + WIRE_SIZE_erspan2,
	[WRAP_ERSPAN3] = OUTER + GRE + WIRE_SIZE_erspan3,
	[WRAP_VXLAN] = OUTER + WIRE_SIZE_udp + WIRE_SIZE_vxlan,
};

uint32_t mirror_bytes(const struct tap *t)
{
	return sizes[t->config.wrap];
}

static uint8_t *outer(const struct tap *t, uint8_t *o, uint8_t proto,
		      uint32_t len)
{
	/* of the switch whose session it is, which numbers all its copies */
	uint8_t src[4] = { 10, 255, 0, (uint8_t)(t->with->index + 1) };
	static const uint8_t dst[4] = { 10, 255, 255, 1 };
	uint8_t *ip = o + WIRE_SIZE_eth;

	frame_mac(WIRE_PTR(eth, dmac, o), 0xfffff0);
	frame_mac(WIRE_PTR(eth, smac, o), 0xffff00 + t->with->index);
	WIRE_SET(eth, type, o, ETYPE_IPV4);
	frame_ipv4(ip, proto, (uint16_t)len, src, dst);
	return ip + WIRE_SIZE_ipv4;
}

static void erspan2(const struct tap *t, uint8_t *o)
{
	memset(o, 0, WIRE_SIZE_erspan2);
	WIRE_SET(erspan2, version, o, 1);
	WIRE_SET(erspan2, session, o, t->config.session);
	WIRE_SET(erspan2, index, o, t->index + 1);
}

static void erspan3(const struct tap *t, uint8_t *o, int64_t ns)
{
	memset(o, 0, WIRE_SIZE_erspan3);
	WIRE_SET(erspan3, version, o, 2);
	WIRE_SET(erspan3, session, o, t->config.session);
	WIRE_SET(erspan3, timestamp, o, (uint64_t)ns & 0xffffffff);
	WIRE_SET(erspan3, p, o, 1);
	WIRE_SET(erspan3, hwid, o, t->index + 1);
	WIRE_SET(erspan3, d, o, t->at_rx ? ERSPAN_D_INGRESS : ERSPAN_D_EGRESS);
	WIRE_SET(erspan3, gra, o, ERSPAN_GRA_1NS);
}

static uint8_t *gre(uint8_t *o, unsigned proto, uint32_t number)
{
	memset(o, 0, GRE);
	WIRE_SET(gre, s, o, 1);
	WIRE_SET(gre, proto, o, proto);
	WIRE_SET(gre_seq, seq, o + WIRE_SIZE_gre, number);
	return o + GRE;
}

static void vxlan(const struct tap *t, uint8_t *o, uint32_t len)
{
	WIRE_SET(udp, sport, o, 50000 + t->index);
	WIRE_SET(udp, dport, o, UDP_PORT_VXLAN);
	WIRE_SET(udp, len, o, len);
	WIRE_SET(udp, csum, o, 0);
	o += WIRE_SIZE_udp;
	memset(o, 0, WIRE_SIZE_vxlan);
	WIRE_SET(vxlan, flags, o, 0x08);
	WIRE_SET(vxlan, vni, o, VNI + t->config.session);
}

void mirror_write(const struct tap *t, uint8_t *o, uint32_t len, int64_t ns,
		  uint32_t number)
{
	len += mirror_bytes(t) - OUTER;
	switch (t->config.wrap) {
	case WRAP_NONE:
		break;
	case WRAP_ERSPAN2:
		o = gre(outer(t, o, PROTO_GRE, len), ETYPE_ERSPAN, number);
		erspan2(t, o);
		break;
	case WRAP_ERSPAN3:
		o = gre(outer(t, o, PROTO_GRE, len), ETYPE_ERSPAN3, number);
		erspan3(t, o, ns);
		break;
	case WRAP_VXLAN:
		vxlan(t, outer(t, o, PROTO_UDP, len), len);
		break;
	}
}
