/* SPDX-License-Identifier: GPL-2.0-or-later
 * packet_decode(): one straight line for the frame that makes up nearly all of
 * a capture, the walk for every other. */
#include "decode/packet.h"

#include "decode/plain.h"
#include "decode/plain_uet.h"
#include "decode/uet.h"
#include "decode/walk.h"

const struct decode_options decode_defaults = {
	.roce_ports = { UDP_PORT_ROCE },
	.vxlan_ports = { UDP_PORT_VXLAN },
	.ifa_protocols = { PROTO_EXP1 },
	.csig_tpids = { ETYPE_CSIG },
	.uet_ports = { UDP_PORT_UET },
	.uet_protocols = { PROTO_EXP1 },
	.srv6 = { { 0x5f00, 16, true }, { 0xfcbbbb00, 32, false } },
};

/* In the order of the walk, which sees to telemetry before UET; none of it
 * begins like UET. */
static inline bool is_uet(const uint8_t *udp,
			  const struct decode_options *options)
{
	return plain_uet_port(udp, options) &&
	       WIRE_GET(pds_prologue, type, udp + WIRE_SIZE_udp) <=
		       PDS_ROD_CC_REQ;
}

static inline bool is_native_uet(const uint8_t *ip,
				 const struct decode_options *options)
{
	return plain_uet_entropy(ip, options) &&
	       uet_begins(ip + plain_uet_front(true));
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
	size_t head = plain_uet_front(native);
	size_t promised = native ? 0 : WIRE_GET(udp, len, l4);
	struct uet_shape shape;
	const struct uet_place at = {
		.p = ip + head,
		.have = (have < total ? have : total) - head,
		.declared = total - head,
		.promised =
			promised > WIRE_SIZE_udp ? promised - WIRE_SIZE_udp : 0,
		.covered = WIRE_PTR(ipv4, src, ip),
		.native = native,
	};

	if ((first & PLAIN_BITS) != PLAIN_IPV4 ||
	    total < head + WIRE_SIZE_pds_prologue ||
	    !(native ? is_native_uet(ip, options) : is_uet(l4, options)))
		return false;
	plain_uet_route(ip, first, out);
	out->psn = 0;
	out->payload = 0;
	uet_decode(&at, options, out, &shape);
	return true;
}

/* The plain frame, or Ultra Ethernet in one.  False for every other: then
 * |out| is half written, and the walk, which starts anew, finds out what it
 * is. */
static inline bool fast(const struct decode_input *in,
			const struct decode_options *options,
			struct packet *restrict out)
{
	struct plain_whole whole;
	size_t have;
	const uint8_t *ip = plain_link(in, out, &have);

	if (!ip)
		return false;
	if (plain_ip(ip, have, options, out, &whole)) {
		plain_icrc(&whole, out);
		return true;
	}
	if (plain_uet_ip(ip, have, options, out, &whole)) {
		plain_uet_crc(&whole, out);
		return true;
	}
	return fast_uet(ip, have, options, out);
}

void packet_decode(const struct decode_input *in,
		   const struct decode_options *options, struct packet *out)
{
	/* Where a DSCP announces INT, any packet may be another one. */
	if (options->int_dscp_mask || !fast(in, options, out))
		packet_decode_general(in, options, out);
}
