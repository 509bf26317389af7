/* SPDX-License-Identifier: GPL-2.0-or-later
 * The frame that makes up nearly all of a capture, in one straight line and
 * inline: where |out| does not leave the caller, what the caller does not ask
 * for is never computed. */
#ifndef FABSCOPE_DECODE_PLAIN_H
#define FABSCOPE_DECODE_PLAIN_H

#include "decode/packet.h"
#include "decode/transport.h"

enum {
	PLAIN_NO_VLAN = 0xffff,
	PLAIN_NO_PCP = 0xff,
	/* A frame of that has all headers up to the BTH, tag or no tag. */
	PLAIN_LEAST = WIRE_SIZE_eth + WIRE_SIZE_vlan + WIRE_SIZE_ipv4 +
		      WIRE_SIZE_udp + WIRE_SIZE_bth,
	PLAIN_OPCODES = 0x40, /* RC and UC are below */
};

/* The first eight bytes of IPv4 without options and fragments: of these bits
 * it is known what they are. */
#define PLAIN_BITS                                               \
	(WIRE_BITS(ipv4, version, 0) | WIRE_BITS(ipv4, ihl, 0) | \
	 WIRE_BITS(ipv4, mf, 0) | WIRE_BITS(ipv4, frag, 0))
#define PLAIN_IPV4                                     \
	((uint64_t)4 << WIRE_SHIFT(ipv4, version, 0) | \
	 (uint64_t)WIRE_SIZE_ipv4 / 4 << WIRE_SHIFT(ipv4, ihl, 0))

/* The bytes of the frame that are there, the FCS left out. */
static inline size_t plain_captured(const struct decode_input *in)
{
	size_t wire = in->wirelen > in->caplen ? in->wirelen : in->caplen;

	if (__builtin_expect(in->fcs_len == 0, 1))
		return in->caplen;
	wire = wire > in->fcs_len ? wire - in->fcs_len : 0;
	return in->caplen < wire ? in->caplen : wire;
}

/* What is 0 unless a header says otherwise: one by one and in order, which
 * compilers turn into wide stores, and a memset() into a loop in microcode. */
static inline void plain_clear(struct packet *restrict out)
{
	out->syndrome = 0;
	out->mirror_session = 0;
	out->msn = 0;
	out->icrc = 0;
	out->src_qp = 0;
	out->dma_len = 0;
	out->mirror_seq = 0;
	out->mirror_switch = 0;
	out->mad = NULL;
	out->stack = NULL;
	out->csig_value = 0;
	out->csig_locator = 0;
	out->csig_signal = 0;
	out->stack_form = 0;
	out->stack_hops = 0;
}

static inline uint8_t plain_tos(const uint8_t *ip)
{
	return (uint8_t)(WIRE_GET(ipv4, dscp, ip) << 2 |
			 WIRE_GET(ipv4, ecn, ip));
}

/* What the IPv4 header at |ip| says, whose first eight bytes are |head|, and
 * zeros for all that is neither of the transport nor of the link. */
static inline void plain_route(const uint8_t *restrict ip, uint64_t head,
			       struct packet *restrict out)
{
	out->src = addr_from_v4(WIRE_PTR(ipv4, src, ip));
	out->dst = addr_from_v4(WIRE_PTR(ipv4, dst, ip));
	out->tos = (uint8_t)(WIRE_PART(ipv4, dscp, 0, head) << 2 |
			     WIRE_PART(ipv4, ecn, 0, head));
	out->ttl = (uint8_t)WIRE_GET(ipv4, ttl, ip);
	out->ip_id = (uint16_t)WIRE_PART(ipv4, id, 0, head);
	out->icrc_status = ICRC_UNCHECKABLE;
	plain_clear(out);
}

/* What stands between the BTH and the payload; its flags. */
static inline uint32_t plain_extensions(const struct wire_opcode *op,
					const uint8_t *restrict bth,
					struct packet *restrict out)
{
	const uint8_t *reth = bth + WIRE_AT(op, reth);
	const uint8_t *aeth = bth + WIRE_AT(op, aeth);
	uint32_t flags = 0;

	if (reth != bth) {
		flags |= PACKET_HAS_RETH;
		out->dma_len = (uint32_t)WIRE_GET(reth, dmalen, reth);
	}
	if (aeth != bth) {
		flags |= PACKET_HAS_AETH;
		transport_aeth(aeth, out);
	}
	return flags | (WIRE_AT(op, immdt) ? PACKET_HAS_IMM : 0);
}

/* A packet of which every byte was captured, so that its ICRC can be checked:
 * |len| bytes from the BTH on, behind the IPv4 header |ip|; NULL: cut. */
struct plain_whole {
	const uint8_t *ip;
	size_t len;
};

static inline void plain_icrc(const struct plain_whole *w,
			      struct packet *restrict out)
{
	if (w->ip)
		transport_icrc(out, ICRC_IPV4, w->ip,
			       w->ip + WIRE_SIZE_ipv4 + WIRE_SIZE_udp, w->len,
			       false);
}

/* What differs from packet to packet of a plain flow behind a plain IPv4
 * header at |ip|, of which |have| bytes were captured, up to the BTH at
 * least. */
static inline bool plain_rest(const uint8_t *restrict ip, size_t have,
			      const struct decode_options *options,
			      struct packet *restrict out,
			      struct plain_whole *restrict whole)
{
	const uint8_t *bth = ip + WIRE_SIZE_ipv4 + WIRE_SIZE_udp;
	const uint64_t head = WIRE_WORD(ipv4, 0, ip);
	const uint64_t base = BTH_HEAD(bth);
	const unsigned opcode = (unsigned)BTH_PART(opcode, base);
	const struct wire_opcode *op = wire_opcode((uint8_t)opcode);
	/* Wraps below the two headers' size, and then is no payload's. */
	size_t len = WIRE_PART(ipv4, len, 0, head) - (size_t)(bth - ip);
	long payload =
		transport_payload(op, (unsigned)BTH_PART(padcnt, base), len);
	uint32_t flags;

	have -= (size_t)(bth - ip);
	if (opcode >= PLAIN_OPCODES || !op->name || have < op->headers ||
	    !transport_fits(op, payload))
		return false;
	flags = transport_flags(bth, base);
	plain_route(ip, head, out);
	out->psn = (uint32_t)WIRE_GET(bth, psn, bth);
	out->dst_qp = (uint32_t)BTH_PART(destqp, base);
	out->payload = (uint32_t)payload;
	out->status = PACKET_OK;
	out->kind = PACKET_ROCE;
	out->opcode = (uint8_t)opcode;
	out->sport = (uint16_t)WIRE_GET(udp, sport, ip + WIRE_SIZE_ipv4);
	if (op->chain)
		flags |= plain_extensions(op, bth, out);
	out->flags = flags;
	whole->ip = have >= len && !options->skip_icrc ? ip : NULL;
	whole->len = len;
	return true;
}

/* Everything behind an IPv4 header. */
static inline bool plain_ip(const uint8_t *restrict ip, size_t have,
			    const struct decode_options *options,
			    struct packet *restrict out,
			    struct plain_whole *restrict whole)
{
	const uint8_t *udp = ip + WIRE_SIZE_ipv4, *bth = udp + WIRE_SIZE_udp;
	uint64_t port = WIRE_GET(udp, dport, udp);

	return (WIRE_WORD(ipv4, 0, ip) & PLAIN_BITS) == PLAIN_IPV4 &&
	       WIRE_GET(ipv4, proto, ip) == PROTO_UDP &&
	       port == options->roce_ports[0] && port != 0 &&
	       !WIRE_GET(bth, tver, bth) &&
	       plain_rest(ip, have, options, out, whole);
}

/* Ethernet with at most one 802.1Q tag: what is behind it, and its type. */
static inline const uint8_t *plain_eth(const uint8_t *restrict eth,
				       uint32_t wirelen, uint64_t *type,
				       struct packet *restrict out)
{
	const uint8_t *next = eth + WIRE_SIZE_eth;

	out->wire_len = wirelen;
	out->src_mac = WIRE_GET(eth, smac, eth);
	out->dst_mac = WIRE_GET(eth, dmac, eth);
	out->vlan = PLAIN_NO_VLAN;
	out->pcp = PLAIN_NO_PCP;
	*type = WIRE_GET(eth, type, eth);
	if (*type != ETYPE_VLAN)
		return next;
	out->vlan = (uint16_t)WIRE_GET(vlan, vid, next);
	out->pcp = (uint8_t)WIRE_GET(vlan, pcp, next);
	*type = WIRE_GET(vlan, type, next);
	return next + WIRE_SIZE_vlan;
}

/* Where IPv4 begins, and |*have|, the bytes captured from there on; NULL when
 * it is something else. */
static inline const uint8_t *plain_link(const struct decode_input *in,
					struct packet *restrict out,
					size_t *have)
{
	const uint8_t *next;
	uint64_t type;

	*have = plain_captured(in);
	if (in->linktype != LINKTYPE_ETHERNET || *have < PLAIN_LEAST)
		return NULL;
	next = plain_eth(in->data, in->wirelen, &type, out);
	*have -= (size_t)(next - in->data);
	return type == ETYPE_IPV4 ? next : NULL;
}

/* ---- a packet like one before ---- */

enum {
	/* The first bytes of a frame with one tag or none, which say all
	 * about a plain packet but what plain_again() reads. */
	PLAIN_HEAD = PLAIN_LEAST,
	PLAIN_SAID = PLAIN_HEAD - WIRE_SIZE_vlan,
	PLAIN_SIX_HEAD = PLAIN_HEAD + WIRE_SIZE_ipv6 - WIRE_SIZE_ipv4,
};

/* How an IP header says what differs from packet to packet. */
struct plain_like {
	const struct packet *like;
	const uint8_t *ip;
	bool six;       /* it is IPv6 */
	uint16_t reth;  /* offset from the BTH, 0: none */
	uint16_t fixed; /* bytes from the BTH on that are no payload, no pad */
};

/* What is in front of the BTH, from the IP header on. */
static inline size_t plain_front(bool six)
{
	return (six ? WIRE_SIZE_ipv6 : WIRE_SIZE_ipv4) + WIRE_SIZE_udp;
}

/* Bytes from the BTH to the ICRC, as the IP header has it. */
static inline size_t plain_length(const uint8_t *ip, bool six)
{
	return six ? WIRE_GET(ipv6, len, ip) - WIRE_SIZE_udp
		   : WIRE_GET(ipv4, len, ip) - plain_front(false);
}

/* The bits that must be as they were: all up to the end of the BTH, except
 * what each packet has of its own.  |tag| is the bytes of the VLAN tag;
 * |lengths|: lengths are the packet's own, as the last of a message has them.
 */
static inline void plain_mask(uint8_t mask[static PLAIN_SIX_HEAD], size_t tag,
			      bool six, bool lengths)
{
	uint8_t *ip = mask + WIRE_SIZE_eth + tag;
	uint8_t *bth = ip + plain_front(six), *udp = bth - WIRE_SIZE_udp;

	memset(mask, 0, PLAIN_SIX_HEAD);
	memset(mask, 0xff, (size_t)(bth - mask) + WIRE_SIZE_bth);
	if (six) {
		WIRE_SET(ipv6, ecn, ip, 0);
		WIRE_SET(ipv6, flow, ip, 0);
	} else {
		WIRE_SET(ipv4, id, ip, 0);
		WIRE_SET(ipv4, ecn, ip, 0);
		WIRE_SET(ipv4, csum, ip, 0);
	}
	if (lengths && six)
		WIRE_SET(ipv6, len, ip, 0);
	else if (lengths)
		WIRE_SET(ipv4, len, ip, 0);
	if (lengths) {
		WIRE_SET(udp, len, udp, 0);
		WIRE_SET(bth, padcnt, bth, 0);
	}
	WIRE_SET(udp, csum, udp, 0);
	WIRE_SET(bth, ackreq, bth, 0);
	WIRE_SET(bth, psn, bth, 0);
}

/* Of a packet whose head is that of |l|: what it has of its own but an AETH.
 * All that was captured of it is no less than |like| needed. */
static inline __attribute__((always_inline)) void
plain_again(const struct plain_like *l, struct packet *restrict out)
{
	const uint8_t *ip = l->ip, *bth = ip + plain_front(l->six);
	uint8_t ecn = (uint8_t)(l->six ? WIRE_GET(ipv6, ecn, ip)
				       : WIRE_GET(ipv4, ecn, ip));

	*out = *l->like;
	if (!l->six)
		out->ip_id = (uint16_t)WIRE_GET(ipv4, id, ip);
	out->tos = (uint8_t)((l->like->tos & ~3) | ecn);
	out->psn = (uint32_t)WIRE_GET(bth, psn, bth);
	out->payload = (uint32_t)(plain_length(ip, l->six) - l->fixed -
				  WIRE_GET(bth, padcnt, bth));
	out->flags = (l->like->flags & ~(uint32_t)PACKET_ACKREQ) |
		     FLAG_IF(WIRE_GET(bth, ackreq, bth), PACKET_ACKREQ);
	out->icrc = 0;
	out->icrc_status = ICRC_UNCHECKABLE;
	if (l->reth)
		out->dma_len = (uint32_t)WIRE_GET(reth, dmalen, bth + l->reth);
}

/* Of one with the same lengths and ECN as the packet that |out| is. */
static inline __attribute__((always_inline)) void
plain_run(const uint8_t *ip, bool six, struct packet *restrict out)
{
	const uint8_t *bth = ip + plain_front(six);

	if (!six)
		out->ip_id = (uint16_t)WIRE_GET(ipv4, id, ip);
	out->psn = (uint32_t)WIRE_GET(bth, psn, bth);
	out->flags = (out->flags & ~(uint32_t)PACKET_ACKREQ) |
		     FLAG_IF(WIRE_GET(bth, ackreq, bth), PACKET_ACKREQ);
}

/* ... and the AETH at |aeth| from the BTH. */
static inline void plain_aeth(const uint8_t *restrict bth, unsigned aeth,
			      struct packet *restrict out)
{
	transport_aeth(bth + aeth, out);
}

#endif
