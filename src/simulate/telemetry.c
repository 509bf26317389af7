/* SPDX-License-Identifier: GPL-2.0-or-later
 * What switches write into packets.
 *
 * The first switch on the way begins the stamps, every switch adds to them,
 * and the last one takes them off before the packet goes to a host: only taps
 * between switches see them.
 *
 *   IFA 2.0  IP (protocol 253) | IFA 4 | UDP | metadata 4 | stack | rest
 *   INT-MD   UDP to port 5000 | shim 4 | header 12 | stack | rest
 *   CSIG     a compact tag before the EtherType
 *
 * Newest entry first in both stacks. */
#include "simulate/telemetry.h"

#include <string.h>

#include "simulate/frame.h"
#include "simulate/mem.h"
#include "simulate/pkt.h"
#include "simulate/truth.h"
#include "simulate/world.h"
#include "wire/wire.h"

enum {
	CSIG_TAG = 4,
	IFA_HEADER = 4,
	IFA_METADATA = 4,
	IFA_ENTRY = 32,
	INT_SHIM = 4,
	INT_HEADER = 12,
	INT_WORDS = 3, /* node, ports, latency; a fourth is of the queue */
};

enum { STAMP_IFA = 1, STAMP_CSIG = 2, STAMP_INT = 4, STAMP_QUEUE = 8 };

static uint32_t ifa_bytes(const struct pkt *p)
{
	return IFA_HEADER + IFA_METADATA + IFA_ENTRY * (uint32_t)p->n_hops;
}

static uint32_t int_words(const struct pkt *p)
{
	return INT_WORDS + (p->stamps & STAMP_QUEUE ? 1 : 0);
}

static uint32_t int_bytes(const struct pkt *p)
{
	return INT_SHIM + INT_HEADER + 4 * int_words(p) * (uint32_t)p->n_hops;
}

uint32_t telemetry_bytes(const struct pkt *p)
{
	uint32_t n = 0;

	if (!p->n_hops)
		return 0;
	if (p->stamps & STAMP_IFA)
		n += ifa_bytes(p);
	if (p->stamps & STAMP_INT)
		n += int_bytes(p);
	if (p->stamps & STAMP_CSIG)
		n += CSIG_TAG;
	return n;
}

/* What only a stamp says; truth_hop() has the rest. */
static void fill(const struct sim *s, const struct pkt *p,
		 const struct port *out, struct pkt_hop *h)
{
	h->device = out->node->id;
	h->ttl = p->ttl;
	h->queue = p->prio;
	h->congested = p->ecn == MARK_CE;
	h->arrived_ns = (uint64_t)sim_ns(s, p->entered);
	h->depth = (uint32_t)out->queue[p->prio].bytes;
	h->unit = ((const struct switch_node *)out->node)->config.int_unit;
	h->busy_pm = out->load_pm;
	h->link_bps = out->bps;
}

static void stamp(struct pkt *p, const struct switch_config *c,
		  const struct pkt_hop *here)
{
	if (!p->hops)
		p->hops = mem_new(PKT_HOPS * sizeof *p->hops);
	p->stamps = (uint8_t)((c->ifa ? STAMP_IFA : 0) |
			      (c->csig ? STAMP_CSIG : 0) |
			      (c->int_md ? STAMP_INT : 0) |
			      (c->int_unit ? STAMP_QUEUE : 0));
	p->hops[p->n_hops++] = *here;
}

void telemetry_stamp(struct sim *s, struct pkt *p, const struct port *out,
		     bool marked)
{
	const struct switch_config *c =
		&((const struct switch_node *)out->node)->config;
	bool last = !out->peer->node->is_switch;
	bool stamps = (c->ifa || c->csig || c->int_md) && !last &&
		      p->n_hops < PKT_HOPS;
	struct pkt_hop here = {
		.ingress = (uint16_t)p->in->index,
		.egress = (uint16_t)out->index,
		.residence_ns = (uint32_t)((s->now - p->entered) / PS_PER_NS),
	};

	if (p->class > PKT_RESPONSE)
		return;
	truth_hop(p->stream, out->node, &here, stamps, marked);
	if (stamps) {
		fill(s, p, out, &here);
		stamp(p, c, &here);
	}
	if (last)
		p->n_hops = 0;
	if (p->hops)
		p->bytes = frame_bytes(s, p);
}

static void put32(uint8_t *o, uint32_t v)
{
	o[0] = (uint8_t)(v >> 24);
	o[1] = (uint8_t)(v >> 16);
	o[2] = (uint8_t)(v >> 8);
	o[3] = (uint8_t)v;
}

static uint32_t speed_code(uint64_t bps)
{
	static const uint32_t gigabit[] = { 10, 25, 40, 50, 100, 200, 400 };

	for (uint32_t i = 0; i < sizeof gigabit / sizeof *gigabit; i++)
		if (bps == gigabit[i] * UINT64_C(1000000000))
			return i;
	return 15;
}

static void ifa_entry(const struct pkt_hop *h, uint8_t *o)
{
	uint64_t seconds = h->arrived_ns / 1000000000;

	put32(o, 1u << 28 | h->device << 8 | h->ttl);
	put32(o + 4,
	      speed_code(h->link_bps) << 28 | (uint32_t)h->congested << 26 |
		      (uint32_t)h->queue << 20 | (uint32_t)(seconds & 0xfffff));
	put32(o + 8, (uint32_t)h->egress << 16 | h->ingress);
	put32(o + 12, (uint32_t)(h->arrived_ns % 1000000000));
	put32(o + 16, h->residence_ns);
	put32(o + 20, h->depth);
	put32(o + 24, 0);
	put32(o + 28, 0);
}

static void open_gap(uint8_t *frame, uint8_t *at, uint32_t total, uint32_t n)
{
	memmove(at + n, at, total - (uint32_t)(at - frame));
}

static uint32_t ip_header(const struct sim *s)
{
	return s->host.ipv6 ? WIRE_SIZE_ipv6 : WIRE_SIZE_ipv4;
}

static void ip_grows(const struct sim *s, uint8_t *ip, uint32_t n,
		     unsigned proto)
{
	if (s->host.ipv6) {
		WIRE_SET(ipv6, len, ip, WIRE_GET(ipv6, len, ip) + n);
		WIRE_SET(ipv6, next, ip, proto);
		return;
	}
	WIRE_SET(ipv4, len, ip, WIRE_GET(ipv4, len, ip) + n);
	WIRE_SET(ipv4, proto, ip, proto);
	frame_ipv4_sum(ip);
}

static uint32_t insert_ifa(const struct sim *s, const struct pkt *p,
			   uint8_t *frame, uint8_t *ip, uint32_t total)
{
	uint32_t n = ifa_bytes(p), behind_udp = n - IFA_HEADER;
	uint8_t *udp = ip + ip_header(s), *o = udp + WIRE_SIZE_udp;

	open_gap(frame, o, total, behind_udp);
	put32(o, 0x33220000u | (64u - p->n_hops) << 8 | 8u * p->n_hops);
	o += IFA_METADATA;
	for (int i = p->n_hops; i--; o += IFA_ENTRY)
		ifa_entry(&p->hops[i], o);
	open_gap(frame, udp, total + behind_udp, IFA_HEADER);
	put32(udp, 0x2f0000ffu | PROTO_UDP << 16);
	ip_grows(s, ip, n, PROTO_EXP1);
	return n;
}

static void int_entry(const struct pkt_hop *h, uint32_t unit, uint8_t *o)
{
	put32(o, h->device);
	put32(o + 4, (uint32_t)h->ingress << 16 | h->egress);
	put32(o + 8, h->residence_ns);
	if (unit)
		put32(o + 12,
		      (uint32_t)h->queue << 24 | (h->depth / unit & 0xffffff));
}

static uint32_t insert_int(const struct sim *s, const struct pkt *p,
			   uint8_t *frame, uint8_t *ip, uint32_t total)
{
	uint32_t n = int_bytes(p), words = int_words(p);
	uint8_t *udp = ip + ip_header(s), *o = udp + WIRE_SIZE_udp;

	open_gap(frame, o, total, n);
	put32(o, 0x14000000u | (n - INT_SHIM) / 4 << 16 | UDP_PORT_ROCE);
	o += INT_SHIM;
	put32(o, 0x20000000u | words << 8 | (8u - p->n_hops));
	put32(o + 4, words > INT_WORDS ? 0xf0000000 : 0xe0000000);
	put32(o + 8, 0);
	o += INT_HEADER;
	for (int i = p->n_hops; i--; o += 4 * words)
		int_entry(&p->hops[i], words > INT_WORDS ? p->hops[i].unit : 0,
			  o);
	WIRE_SET(udp, dport, udp, FRAME_UDP_INT);
	WIRE_SET(udp, len, udp, WIRE_GET(udp, len, udp) + n);
	ip_grows(s, ip, n, PROTO_UDP);
	return n;
}

/* Available share of the fullest hop, in 32 steps, and where that is. */
static uint32_t insert_csig(const struct pkt *p, uint8_t *frame, uint8_t *ip,
			    uint32_t total)
{
	uint8_t *o = ip - 2; /* before the EtherType */
	const struct pkt_hop *worst = &p->hops[0];
	uint32_t s, lm;

	for (int i = 1; i < p->n_hops; i++)
		if (p->hops[i].busy_pm > worst->busy_pm)
			worst = &p->hops[i];
	s = worst->busy_pm > 1000 ? 0 : (1000 - worst->busy_pm) * 31 / 1000;
	lm = ((worst->device & 7) << 4 | (worst->egress & 15)) & 0x7f;
	open_gap(frame, o, total, CSIG_TAG);
	put32(o, (uint32_t)ETYPE_CSIG << 16 | 1u << 13 | s << 7 | lm);
	return CSIG_TAG;
}

uint32_t telemetry_insert(const struct sim *s, const struct pkt *p,
			  uint8_t *frame, uint8_t *ip, uint32_t total)
{
	uint32_t n = 0;

	if (!p->n_hops)
		return 0;
	if (p->stamps & STAMP_INT)
		n += insert_int(s, p, frame, ip, total);
	if (p->stamps & STAMP_IFA)
		n += insert_ifa(s, p, frame, ip, total + n);
	if (p->stamps & STAMP_CSIG)
		n += insert_csig(p, frame, ip, total + n);
	return n;
}
