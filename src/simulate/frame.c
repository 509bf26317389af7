/* SPDX-License-Identifier: GPL-2.0-or-later
 * A packet as bytes.
 *
 *   Eth [VLAN] [CSIG] | IPv4 or IPv6 | UDP | BTH | extensions | payload | ICRC
 *
 * Telemetry that sits behind the IP or UDP header is put in last: the ICRC is
 * that of the packet as its sender made it. */
#include "simulate/frame.h"

#include <string.h>

#include "base/crc32.h"
#include "simulate/cbfc.h"
#include "simulate/pkt.h"
#include "simulate/telemetry.h"
#include "simulate/truth.h"
#include "simulate/uet_frame.h"
#include "simulate/world.h"
#include "wire/wire.h"

enum { ICRC = 4, LRH_STAND_IN = 8, SHORTEST = 60 };

void frame_mac(uint8_t *p, uint32_t port)
{
	p[0] = 0x02; /* locally administered */
	p[1] = 0xfa;
	p[2] = 0xb5;
	p[3] = (uint8_t)(port >> 16);
	p[4] = (uint8_t)(port >> 8);
	p[5] = (uint8_t)port;
}

void frame_ipv4_sum(uint8_t *p)
{
	uint32_t sum = 0;

	WIRE_SET(ipv4, csum, p, 0);
	for (int i = 0; i < WIRE_SIZE_ipv4; i += 2)
		sum += (uint32_t)(p[i] << 8 | p[i + 1]);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	WIRE_SET(ipv4, csum, p, ~sum & 0xffff);
}

void frame_ipv4(uint8_t *p, uint8_t proto, uint16_t len, const uint8_t *src,
		const uint8_t *dst)
{
	memset(p, 0, WIRE_SIZE_ipv4);
	WIRE_SET(ipv4, version, p, 4);
	WIRE_SET(ipv4, ihl, p, 5);
	WIRE_SET(ipv4, len, p, WIRE_SIZE_ipv4 + len);
	WIRE_SET(ipv4, df, p, 1);
	WIRE_SET(ipv4, ttl, p, 64);
	WIRE_SET(ipv4, proto, p, proto);
	memcpy(WIRE_PTR(ipv4, src, p), src, 4);
	memcpy(WIRE_PTR(ipv4, dst, p), dst, 4);
	frame_ipv4_sum(p);
}

uint32_t frame_icrc(const uint8_t *ip, uint32_t len)
{
	uint8_t head[LRH_STAND_IN + WIRE_SIZE_ipv6 + WIRE_SIZE_udp +
		     WIRE_SIZE_bth];
	uint8_t *p = head + LRH_STAND_IN;
	uint32_t ip_len, reg;

	memset(head, 0xff, LRH_STAND_IN);
	if (WIRE_GET(ipv4, version, ip) == 4) {
		ip_len = WIRE_SIZE_ipv4;
		memcpy(p, ip, ip_len + WIRE_SIZE_udp + WIRE_SIZE_bth);
		WIRE_SET(ipv4, dscp, p, 0x3f);
		WIRE_SET(ipv4, ecn, p, 3);
		WIRE_SET(ipv4, ttl, p, 0xff);
		WIRE_SET(ipv4, csum, p, 0xffff);
	} else {
		ip_len = WIRE_SIZE_ipv6;
		memcpy(p, ip, ip_len + WIRE_SIZE_udp + WIRE_SIZE_bth);
		WIRE_SET(ipv6, dscp, p, 0x3f);
		WIRE_SET(ipv6, ecn, p, 3);
		WIRE_SET(ipv6, flow, p, 0xfffff);
		WIRE_SET(ipv6, hop, p, 0xff);
	}
	p += ip_len;
	WIRE_SET(udp, csum, p, 0xffff);
	p += WIRE_SIZE_udp;
	WIRE_SET(bth, fecn, p, 1);
	WIRE_SET(bth, becn, p, 1);
	WIRE_SET(bth, resv6, p, 0x3f);
	p += WIRE_SIZE_bth;
	reg = crc32_add(CRC32_START, head, (size_t)(p - head));
	ip_len += WIRE_SIZE_udp + WIRE_SIZE_bth;
	return ~crc32_add(reg, ip + ip_len, len - ip_len);
}

/* BTH to ICRC, both included. */
static uint32_t ib_bytes(const struct pkt *p)
{
	uint32_t pad = -p->payload & 3;

	return wire_opcode(p->opcode)->headers + p->payload + pad + ICRC;
}

static uint32_t ip_bytes(const struct sim *s)
{
	return s->host.ipv6 ? WIRE_SIZE_ipv6 : WIRE_SIZE_ipv4;
}

static uint32_t ip_payload(const struct sim *s, const struct pkt *p)
{
	return p->uet.type ? uet_frame_bytes(s, p)
			   : WIRE_SIZE_udp + ib_bytes(p);
}

uint32_t frame_bytes(const struct sim *s, const struct pkt *p)
{
	if (p->class == PKT_PAUSE)
		return SHORTEST;
	return WIRE_SIZE_eth + (s->host.vlan ? WIRE_SIZE_vlan : 0) +
	       ip_bytes(s) + ip_payload(s, p) + telemetry_bytes(p);
}

/* Not random, but different enough that no two packets look alike. */
void frame_payload(const struct pkt *p, uint8_t *out, uint32_t n)
{
	const uint64_t step = UINT64_C(0xd1342543de82ef95);
	uint64_t x = (p->stream->id * UINT64_C(0x9e3779b97f4a7c15)) ^
		     (p->psn << 4 | p->class);
	uint32_t i;

	x = (x ^ x >> 29) * step;
	for (i = 0; i + 8 <= n; i += 8) {
		x += step; /* no more: this is most of what is written */
		memcpy(out + i, &x, 8);
	}
	memcpy(out + i, &x, n - i);
}

static void write_bth(const struct pkt *p, uint8_t *b)
{
	memset(b, 0, WIRE_SIZE_bth);
	WIRE_SET(bth, opcode, b, p->opcode);
	WIRE_SET(bth, se, b, p->se);
	WIRE_SET(bth, padcnt, b, -p->payload & 3);
	WIRE_SET(bth, pkey, b, 0xffff);
	WIRE_SET(bth, becn, b, p->becn);
	WIRE_SET(bth, destqp, b, p->dst_qp);
	WIRE_SET(bth, ackreq, b, p->ackreq);
	WIRE_SET(bth, psn, b, p->psn & 0xffffff);
	if (p->class != PKT_CNP && p->class != PKT_CM)
		WIRE_SET(bth, migreq, b, 1);
}

static void write_extensions(const struct pkt *p, uint8_t *b)
{
	const struct wire_opcode *op = wire_opcode(p->opcode);

	memset(b + WIRE_SIZE_bth, 0, (size_t)op->headers - WIRE_SIZE_bth);
	if (WIRE_AT(op, deth)) {
		WIRE_SET(deth, qkey, b + WIRE_AT(op, deth), p->qkey);
		WIRE_SET(deth, srcqp, b + WIRE_AT(op, deth), p->src_qp);
	}
	if (WIRE_AT(op, reth)) {
		WIRE_SET(reth, va, b + WIRE_AT(op, reth), p->va);
		WIRE_SET(reth, rkey, b + WIRE_AT(op, reth), p->rkey);
		WIRE_SET(reth, dmalen, b + WIRE_AT(op, reth), p->dma_len);
	}
	if (WIRE_AT(op, aeth)) {
		WIRE_SET(aeth, kind, b + WIRE_AT(op, aeth), p->syndrome >> 5);
		WIRE_SET(aeth, value, b + WIRE_AT(op, aeth), p->syndrome);
		WIRE_SET(aeth, msn, b + WIRE_AT(op, aeth), p->msn);
	}
	if (WIRE_AT(op, atomiceth)) {
		uint8_t *a = b + WIRE_AT(op, atomiceth);

		WIRE_SET(atomiceth, va, a, p->va);
		WIRE_SET(atomiceth, rkey, a, p->rkey);
		WIRE_SET(atomiceth, swap, a, p->atomic[0]);
		WIRE_SET(atomiceth, compare, a, p->atomic[1]);
	}
	if (WIRE_AT(op, atomicacketh))
		WIRE_SET(atomicacketh, original, b + WIRE_AT(op, atomicacketh),
			 p->atomic[0]);
	if (WIRE_AT(op, immdt))
		WIRE_SET(immdt, imm, b + WIRE_AT(op, immdt), p->imm);
}

static uint8_t *write_ip(const struct sim *s, const struct pkt *p, uint8_t *o)
{
	uint16_t len = (uint16_t)ip_payload(s, p);
	uint8_t proto =
		p->uet.type && s->host.uet_native ? PROTO_EXP1 : PROTO_UDP;

	if (!s->host.ipv6) {
		frame_ipv4(o, proto, len, p->src->v4, p->dst->v4);
		WIRE_SET(ipv4, dscp, o, p->dscp);
		WIRE_SET(ipv4, ecn, o, p->ecn);
		WIRE_SET(ipv4, id, o, p->ip_id);
		WIRE_SET(ipv4, ttl, o, p->ttl);
		frame_ipv4_sum(o);
		return o + WIRE_SIZE_ipv4;
	}
	memset(o, 0, WIRE_SIZE_ipv6);
	WIRE_SET(ipv6, version, o, 6);
	WIRE_SET(ipv6, dscp, o, p->dscp);
	WIRE_SET(ipv6, ecn, o, p->ecn);
	WIRE_SET(ipv6, len, o, len);
	WIRE_SET(ipv6, next, o, proto);
	WIRE_SET(ipv6, hop, o, p->ttl);
	memcpy(WIRE_PTR(ipv6, src, o), p->src->v6, 16);
	memcpy(WIRE_PTR(ipv6, dst, o), p->dst->v6, 16);
	return o + WIRE_SIZE_ipv6;
}

static uint8_t *write_link(const struct sim *s, const struct pkt *p, uint8_t *o)
{
	uint16_t type = s->host.ipv6 ? ETYPE_IPV6 : ETYPE_IPV4;

	frame_mac(WIRE_PTR(eth, dmac, o), p->mac[1]);
	frame_mac(WIRE_PTR(eth, smac, o), p->mac[0]);
	WIRE_SET(eth, type, o, s->host.vlan ? ETYPE_VLAN : type);
	o += WIRE_SIZE_eth;
	if (!s->host.vlan)
		return o;
	WIRE_SET(vlan, pcp, o, p->prio);
	WIRE_SET(vlan, dei, o, 0);
	WIRE_SET(vlan, vid, o, s->host.vlan);
	WIRE_SET(vlan, type, o, type);
	return o + WIRE_SIZE_vlan;
}

static uint32_t write_pause(const struct pkt *p, uint8_t *o)
{
	uint8_t *b = o + WIRE_SIZE_eth;

	if (p->credits) {
		cbfc_frame(p, o);
		return SHORTEST;
	}
	memset(o, 0, SHORTEST);
	memcpy(WIRE_PTR(eth, dmac, o), "\x01\x80\xc2\x00\x00\x01", 6);
	frame_mac(WIRE_PTR(eth, smac, o), p->mac[0]);
	WIRE_SET(eth, type, o, ETYPE_PAUSE);
	if (p->global_pause) {
		WIRE_SET(pause, opcode, b, MAC_CONTROL_PAUSE);
		WIRE_SET(pause, quanta, b, p->pause[0]);
		return SHORTEST;
	}
	WIRE_SET(pfc, opcode, b, MAC_CONTROL_PFC);
	WIRE_SET(pfc, enable, b, p->pause_vector);
	for (int i = 0; i < PRIORITIES; i++) {
		uint8_t *t = WIRE_PTR(pfc, time0, b) + 2 * i;

		t[0] = (uint8_t)(p->pause[i] >> 8);
		t[1] = (uint8_t)p->pause[i];
	}
	return SHORTEST;
}

static void damage(const struct pkt *p, uint8_t *ib, uint32_t bytes)
{
	uint32_t headers = wire_opcode(p->opcode)->headers;

	/* a bit of the payload, or of the ICRC where there is none */
	if (p->payload)
		ib[headers + p->flip % p->payload] ^= 0x10;
	else
		ib[bytes - 1] ^= 0x10;
}

static void write_icrc(const uint8_t *ip, uint8_t *at)
{
	uint32_t icrc = frame_icrc(ip, (uint32_t)(at - ip));

	for (int i = 0; i < ICRC; i++)
		at[i] = (uint8_t)(icrc >> 8 * i);
}

static uint32_t pad(uint8_t *out, uint32_t total)
{
	while (total < SHORTEST)
		out[total++] = 0;
	return total;
}

uint32_t frame_write(const struct sim *s, const struct pkt *p,
		     uint8_t out[static FRAME_MAX], uint32_t want)
{
	uint8_t *ip, *ib;
	uint32_t n, headers, total;

	if (p->class == PKT_PAUSE)
		return write_pause(p, out);
	ip = write_link(s, p, out);
	ib = write_ip(s, p, ip);
	if (p->uet.type) {
		total = (uint32_t)(ib - out) +
			uet_frame_write(s, p, ip, ib, want);
		return pad(out, total);
	}
	WIRE_SET(udp, sport, ib, p->sport);
	WIRE_SET(udp, dport, ib, UDP_PORT_ROCE);
	WIRE_SET(udp, len, ib, WIRE_SIZE_udp + ib_bytes(p));
	WIRE_SET(udp, csum, ib, 0);
	ib += WIRE_SIZE_udp;
	write_bth(p, ib);
	write_extensions(p, ib);
	headers = wire_opcode(p->opcode)->headers;
	n = ib_bytes(p);
	if (p->mad)
		memcpy(ib + headers, p->mad, PKT_MAD);
	else
		frame_payload(p, ib + headers,
			      want < p->payload ? want : p->payload);
	memset(ib + headers + p->payload, 0, n - headers - p->payload);
	total = (uint32_t)(ib - out) + n;
	if (want >= total)
		write_icrc(ip, ib + n - ICRC);
	if (p->corrupt)
		damage(p, ib, n);
	total += telemetry_insert(s, p, out, ip, total);
	return pad(out, total);
}
