/* SPDX-License-Identifier: GPL-2.0-or-later
 * packet_decode(): one straight line for the frame that makes up nearly all of
 * a capture, the walk for every other. */
#include "decode/packet.h"

#include "decode/transport.h"
#include "decode/walk.h"

const struct decode_options decode_defaults = {
	.roce_ports = { UDP_PORT_ROCE },
	.vxlan_ports = { UDP_PORT_VXLAN },
};

enum {
	NO_VLAN = 0xffff,
	NO_PCP = 0xff,
	/* Before the BTH, without a VLAN tag. */
	FAST_BEFORE = WIRE_SIZE_eth + WIRE_SIZE_ipv4 + WIRE_SIZE_udp,
	FAST_LEAST = FAST_BEFORE + WIRE_SIZE_vlan + WIRE_SIZE_bth,
	FAST_OPCODES = 0x40, /* RC and UC are below */
	/* The first octet of IPv4 without options. */
	PLAIN_IPV4 = 4 << WIRE_WIDTH(ipv4, ihl) | WIRE_SIZE_ipv4 / 4,
};

/* Where things are in such a frame. */
struct fast {
	const uint8_t *eth, *ip, *udp, *bth;
	const struct wire_opcode *op;
	size_t have; /* from the BTH on */
	size_t len;  /* likewise, to the end of the ICRC */
	long payload;
	uint16_t vlan;
	uint8_t pcp;
};

static inline size_t captured(const struct decode_input *in)
{
	size_t wire = in->wirelen > in->caplen ? in->wirelen : in->caplen;
	size_t frame = wire > in->fcs_len ? wire - in->fcs_len : 0;

	return in->fcs_len && frame < in->caplen ? frame : in->caplen;
}

/* Ethernet, at most one 802.1Q tag, IPv4 without options and fragments, UDP
 * to the first RoCE port, an RC or UC opcode, nothing wrong and nothing cut
 * but payload.  Whatever else it may be, the walk finds out. */
static inline bool fast_fits(const struct decode_input *in,
			     const struct decode_options *options,
			     struct fast *f)
{
	size_t have = captured(in);
	uint64_t type, port;

	if (in->linktype != LINKTYPE_ETHERNET || have < FAST_LEAST)
		return false;
	f->eth = in->data;
	f->ip = f->eth + WIRE_SIZE_eth;
	f->vlan = NO_VLAN;
	f->pcp = NO_PCP;
	type = WIRE_GET(eth, type, f->eth);
	if (type == ETYPE_VLAN) {
		f->vlan = (uint16_t)WIRE_GET(vlan, vid, f->ip);
		f->pcp = (uint8_t)WIRE_GET(vlan, pcp, f->ip);
		type = WIRE_GET(vlan, type, f->ip);
		f->ip += WIRE_SIZE_vlan;
	}
	f->udp = f->ip + WIRE_SIZE_ipv4;
	f->bth = f->udp + WIRE_SIZE_udp;
	port = WIRE_GET(udp, dport, f->udp);
	if (type != ETYPE_IPV4 || *f->ip != PLAIN_IPV4 ||
	    WIRE_GET(ipv4, mf, f->ip) || WIRE_GET(ipv4, frag, f->ip) ||
	    WIRE_GET(ipv4, proto, f->ip) != PROTO_UDP ||
	    port != options->roce_ports[0] || port == 0)
		return false;

	f->op = wire_opcode((uint8_t)WIRE_GET(bth, opcode, f->bth));
	f->have = have - (size_t)(f->bth - f->eth);
	/* Wraps below the two headers' size, and then is no payload's. */
	f->len = WIRE_GET(ipv4, len, f->ip) - WIRE_SIZE_ipv4 - WIRE_SIZE_udp;
	f->payload = transport_payload(f->op, f->bth, f->len);
	return WIRE_GET(bth, opcode, f->bth) < FAST_OPCODES && f->op->name &&
	       WIRE_GET(bth, tver, f->bth) == 0 && f->have >= f->op->headers &&
	       transport_fits(f->op, f->payload);
}

/* |out| and the frame overlap for all the compiler knows, hence restrict. */
static inline void fast_read(const struct decode_input *in,
			     const struct fast *f, struct packet *restrict out)
{
	const uint8_t *restrict ip = f->ip, *restrict bth = f->bth;
	const struct wire_opcode *op = f->op;
	uint32_t flags = transport_flags(bth), dma_len = 0, msn = 0;
	uint8_t syndrome = 0;

	if (op->chain) {
		bool has_reth = WIRE_AT(op, reth), has_aeth = WIRE_AT(op, aeth);
		const uint8_t *reth = has_reth ? bth + WIRE_AT(op, reth) : ip;
		const uint8_t *aeth = bth + WIRE_AT(op, aeth);

		flags |= FLAG_IF(has_reth, PACKET_HAS_RETH) |
			 FLAG_IF(has_aeth, PACKET_HAS_AETH) |
			 FLAG_IF(WIRE_AT(op, immdt) != 0, PACKET_HAS_IMM);
		dma_len = (uint32_t)WIRE_GET(reth, dmalen, reth) &
			  -(uint32_t)has_reth;
		syndrome = (uint8_t)(transport_syndrome(aeth) &
				     -(uint32_t)has_aeth);
		msn = (uint32_t)WIRE_GET(aeth, msn, aeth) & -(uint32_t)has_aeth;
	}
	out->src = addr_from_v4(WIRE_PTR(ipv4, src, ip));
	out->dst = addr_from_v4(WIRE_PTR(ipv4, dst, ip));
	out->wire_len = in->wirelen;
	out->psn = (uint32_t)WIRE_GET(bth, psn, bth);
	out->dst_qp = (uint32_t)WIRE_GET(bth, destqp, bth);
	out->payload = (uint32_t)f->payload;
	out->flags = flags;
	out->status = PACKET_OK;
	out->kind = PACKET_ROCE;
	out->opcode = (uint8_t)WIRE_GET(bth, opcode, bth);
	out->icrc_status = ICRC_UNCHECKABLE;
	out->syndrome = syndrome;
	out->tos = (uint8_t)(WIRE_GET(ipv4, dscp, ip) << 2 |
			     WIRE_GET(ipv4, ecn, ip));
	out->ttl = (uint8_t)WIRE_GET(ipv4, ttl, ip);
	out->pcp = f->pcp;
	out->msn = msn;
	out->sport = (uint16_t)WIRE_GET(udp, sport, f->udp);
	out->ip_id = (uint16_t)WIRE_GET(ipv4, id, ip);
	out->icrc = 0;
	out->src_qp = 0;
	out->dma_len = dma_len;
	out->vlan = f->vlan;
	out->mirror_session = 0;
	out->src_mac = WIRE_GET(eth, smac, f->eth);
	out->mirror_seq = 0;
	out->link_index = 0;
	out->mad = NULL;
}

static __attribute__((noinline)) void
fast_icrc(struct packet *out, const uint8_t *ip, const uint8_t *bth, size_t len)
{
	transport_icrc(out, ICRC_IPV4, ip, bth, len, false);
}

void packet_decode(const struct decode_input *in,
		   const struct decode_options *options, struct packet *out)
{
	struct fast f;

	if (!fast_fits(in, options, &f)) {
		packet_decode_general(in, options, out);
		return;
	}
	fast_read(in, &f, out);
	if (f.have >= f.len && !options->skip_icrc)
		fast_icrc(out, f.ip, f.bth, f.len);
}
