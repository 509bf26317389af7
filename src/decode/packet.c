/* SPDX-License-Identifier: GPL-2.0-or-later
 * packet_decode(): one straight line for the frame that makes up nearly all of
 * a capture, the walk for every other. */
#include "decode/packet.h"

#include "decode/transport.h"
#include "decode/uet.h"
#include "decode/walk.h"

const struct decode_options decode_defaults = {
	.roce_ports = { UDP_PORT_ROCE },
	.vxlan_ports = { UDP_PORT_VXLAN },
	.ifa_protocols = { PROTO_EXP1 },
	.csig_tpids = { ETYPE_CSIG },
	.uet_ports = { UDP_PORT_UET },
	.uet_protocols = { PROTO_EXP1 },
};

enum {
	NO_VLAN = 0xffff,
	NO_PCP = 0xff,
	/* A frame of that has all headers up to the BTH, tag or no tag. */
	FAST_LEAST = WIRE_SIZE_eth + WIRE_SIZE_vlan + WIRE_SIZE_ipv4 +
		     WIRE_SIZE_udp + WIRE_SIZE_bth,
	FAST_OPCODES = 0x40, /* RC and UC are below */
};

/* The first eight octets of IPv4 without options and fragments: of these bits
 * it is known what they are. */
#define PLAIN_BITS                                               \
	(WIRE_BITS(ipv4, version, 0) | WIRE_BITS(ipv4, ihl, 0) | \
	 WIRE_BITS(ipv4, mf, 0) | WIRE_BITS(ipv4, frag, 0))
#define PLAIN_IPV4                                     \
	((uint64_t)4 << WIRE_SHIFT(ipv4, version, 0) | \
	 (uint64_t)WIRE_SIZE_ipv4 / 4 << WIRE_SHIFT(ipv4, ihl, 0))

/* The octets of the frame that are there, the FCS left out. */
static inline size_t captured(const struct decode_input *in)
{
	size_t wire = in->wirelen > in->caplen ? in->wirelen : in->caplen;

	if (__builtin_expect(in->fcs_len == 0, 1))
		return in->caplen;
	wire = wire > in->fcs_len ? wire - in->fcs_len : 0;
	return in->caplen < wire ? in->caplen : wire;
}

static __attribute__((noinline)) bool
fast_icrc(struct packet *out, const uint8_t *ip, const uint8_t *bth, size_t len)
{
	transport_icrc(out, ICRC_IPV4, ip, bth, len, false);
	return true;
}

/* What is 0 unless a header says otherwise: one by one and in order, which
 * compilers turn into wide stores, and a memset() into a loop in microcode. */
static inline void clear_rare(struct packet *restrict out)
{
	out->syndrome = 0;
	out->mirror_session = 0;
	out->msn = 0;
	out->icrc = 0;
	out->src_qp = 0;
	out->dma_len = 0;
	out->mirror_seq = 0;
	out->link_index = 0;
	out->mad = NULL;
	out->stack = NULL;
	out->csig_value = 0;
	out->csig_locator = 0;
	out->csig_signal = 0;
	out->stack_form = 0;
	out->stack_hops = 0;
}

/* What the IPv4 header at |ip| says, whose first eight octets are |head|, and
 * zeros for all that is neither of the transport nor of the link. */
static inline void fill_route(const uint8_t *restrict ip, uint64_t head,
			      struct packet *restrict out)
{
	out->src = addr_from_v4(WIRE_PTR(ipv4, src, ip));
	out->dst = addr_from_v4(WIRE_PTR(ipv4, dst, ip));
	out->tos = (uint8_t)(WIRE_PART(ipv4, dscp, 0, head) << 2 |
			     WIRE_PART(ipv4, ecn, 0, head));
	out->ttl = (uint8_t)WIRE_GET(ipv4, ttl, ip);
	out->ip_id = (uint16_t)WIRE_PART(ipv4, id, 0, head);
	out->icrc_status = ICRC_UNCHECKABLE;
	clear_rare(out);
}

/* What stands between the BTH and the payload; its flags. */
static inline uint32_t fast_extensions(const struct wire_opcode *op,
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
		out->syndrome = transport_syndrome(aeth);
		out->msn = (uint32_t)WIRE_GET(aeth, msn, aeth);
	}
	return flags | (WIRE_AT(op, immdt) ? PACKET_HAS_IMM : 0);
}

/* Everything behind a plain IPv4 header at |ip|, of which |have| octets were
 * captured: up to the BTH at least. */
static inline bool fast_ip(const uint8_t *restrict ip, size_t have,
			   const struct decode_options *options,
			   struct packet *restrict out)
{
	const uint8_t *udp = ip + WIRE_SIZE_ipv4, *bth = udp + WIRE_SIZE_udp;
	const uint64_t head = WIRE_WORD(ipv4, 0, ip);
	const uint64_t ports = WIRE_WORD(udp, 0, udp);
	const uint64_t base = BTH_HEAD(bth);
	const unsigned opcode = (unsigned)BTH_PART(opcode, base);
	const struct wire_opcode *op = wire_opcode((uint8_t)opcode);
	/* Wraps below the two headers' size, and then is no payload's. */
	size_t len = WIRE_PART(ipv4, len, 0, head) - (size_t)(bth - ip);
	long payload =
		transport_payload(op, (unsigned)BTH_PART(padcnt, base), len);
	uint64_t port = WIRE_PART(udp, dport, 0, ports);
	uint32_t flags;

	have -= (size_t)(bth - ip);
	if ((head & PLAIN_BITS) != PLAIN_IPV4 ||
	    WIRE_GET(ipv4, proto, ip) != PROTO_UDP ||
	    port != options->roce_ports[0] || port == 0 ||
	    opcode >= FAST_OPCODES || !op->name ||
	    (base & WIRE_BITS(bth, tver, 0)) || have < op->headers ||
	    !transport_fits(op, payload))
		return false;

	flags = transport_flags(bth, base);
	fill_route(ip, head, out);
	out->psn = (uint32_t)WIRE_GET(bth, psn, bth);
	out->dst_qp = (uint32_t)BTH_PART(destqp, base);
	out->payload = (uint32_t)payload;
	out->status = PACKET_OK;
	out->kind = PACKET_ROCE;
	out->opcode = (uint8_t)opcode;
	out->sport = (uint16_t)WIRE_PART(udp, sport, 0, ports);
	if (op->chain)
		flags |= fast_extensions(op, bth, out);
	out->flags = flags;
	if (have < len || options->skip_icrc)
		return true;
	return fast_icrc(out, ip, bth, len);
}

/* In the order of the walk, which sees to telemetry before UET; none of it
 * begins like UET. */
static inline bool is_uet(const uint8_t *udp,
			  const struct decode_options *options)
{
	uint16_t port = options->uet_ports[0];

	return port && WIRE_GET(udp, dport, udp) == port &&
	       !walk_among(options->roce_ports, port) &&
	       WIRE_GET(pds_prologue, type, udp + WIRE_SIZE_udp) <=
		       PDS_ROD_CC_REQ;
}

static inline bool is_native_uet(const uint8_t *ip,
				 const struct decode_options *options)
{
	const uint8_t *entropy = ip + WIRE_SIZE_ipv4;

	return WIRE_GET(ipv4, proto, ip) == options->uet_protocols[0] &&
	       !WIRE_GET(entropy, resv, entropy) &&
	       uet_begins(entropy + WIRE_SIZE_entropy);
}

/* The same for Ultra Ethernet, whatever comes of it, which has one reading
 * only. */
static __attribute__((noinline)) bool
fast_uet(const uint8_t *restrict ip, size_t have,
	 const struct decode_options *options, struct packet *restrict out)
{
	const uint8_t *l4 = ip + WIRE_SIZE_ipv4;
	const uint64_t first = WIRE_WORD(ipv4, 0, ip);
	size_t total = WIRE_PART(ipv4, len, 0, first);
	bool native = WIRE_GET(ipv4, proto, ip) != PROTO_UDP;
	size_t head =
		WIRE_SIZE_ipv4 + (native ? WIRE_SIZE_entropy : WIRE_SIZE_udp);
	size_t promised = native ? 0 : WIRE_GET(udp, len, l4);
	struct uet_shape shape;
	const struct uet_place at = {
		.p = ip + head,
		.have = (have < total ? have : total) - head,
		.claimed = total - head,
		.promised =
			promised > WIRE_SIZE_udp ? promised - WIRE_SIZE_udp : 0,
		.covered = WIRE_PTR(ipv4, src, ip),
		.native = native,
	};

	if ((first & PLAIN_BITS) != PLAIN_IPV4 ||
	    total < head + WIRE_SIZE_pds_prologue ||
	    !(native ? is_native_uet(ip, options) : is_uet(l4, options)))
		return false;
	fill_route(ip, first, out);
	out->sport = (uint16_t)(native ? WIRE_GET(entropy, ev, l4)
				       : WIRE_GET(udp, sport, l4));
	out->psn = 0;
	out->dst_qp = 0;
	out->payload = 0;
	out->opcode = 0;
	out->flags = 0;
	uet_decode(&at, options, out, &shape);
	return true;
}

/* Ethernet, at most one 802.1Q tag, IPv4 without options and fragments, UDP
 * to the first RoCE port, an RC or UC opcode, nothing wrong and nothing cut
 * but payload; or Ultra Ethernet.  False for every other frame: then |out| is
 * half written, and the walk, which starts anew, finds out what it is. */
static inline bool fast(const struct decode_input *in,
			const struct decode_options *options,
			struct packet *restrict out)
{
	size_t have = captured(in);
	const uint8_t *restrict eth = in->data;
	const uint8_t *next = eth + WIRE_SIZE_eth;
	uint64_t type;

	if (in->linktype != LINKTYPE_ETHERNET || have < FAST_LEAST)
		return false;
	out->wire_len = in->wirelen;
	out->src_mac = WIRE_GET(eth, smac, eth);
	out->dst_mac = WIRE_GET(eth, dmac, eth);
	out->vlan = NO_VLAN;
	out->pcp = NO_PCP;
	type = WIRE_GET(eth, type, eth);
	if (type == ETYPE_VLAN) {
		out->vlan = (uint16_t)WIRE_GET(vlan, vid, next);
		out->pcp = (uint8_t)WIRE_GET(vlan, pcp, next);
		type = WIRE_GET(vlan, type, next);
		next += WIRE_SIZE_vlan;
	}
	if (type != ETYPE_IPV4)
		return false;
	have -= (size_t)(next - eth);
	if (fast_ip(next, have, options, out))
		return true;
	return fast_uet(next, have, options, out);
}

void packet_decode(const struct decode_input *in,
		   const struct decode_options *options, struct packet *out)
{
	/* Where a DSCP announces INT, any packet may be another one. */
	if (options->int_dscp_mask || !fast(in, options, out))
		packet_decode_general(in, options, out);
}
