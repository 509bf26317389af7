/* SPDX-License-Identifier: GPL-2.0-or-later
 * IPv4, IPv6 with its extension headers, UDP. */
#include "decode/srv6.h"
#include "decode/walk.h"

/* |list| is 0-terminated. */
static bool among_protocols(const uint8_t list[static 4], uint64_t protocol)
{
	for (int i = 0; i < 4 && list[i]; i++)
		if (list[i] == protocol)
			return true;
	return false;
}

/* Numbers that are a matter of configuration.  UET and IFA share one that is
 * for experiments. */
static enum layer of_experiment(const struct walk *w, uint64_t protocol)
{
	bool ifa = among_protocols(w->options->ifa_protocols, protocol);

	if (among_protocols(w->options->uet_protocols, protocol) &&
	    (!ifa || walk_looks_like_uet(w) || !walk_looks_like_ifa(w)))
		return LAYER_UET_NATIVE;
	return ifa ? LAYER_IFA : LAYER_END;
}

static enum layer of_protocol(const struct walk *w, uint64_t protocol)
{
	switch (protocol) {
	case PROTO_UDP:
		return LAYER_UDP;
	case PROTO_GRE:
		return LAYER_GRE;
	case PROTO_IPV4:
		return LAYER_IPV4;
	case PROTO_IPV6:
		return LAYER_IPV6;
	case PROTO_MPLS:
		return LAYER_MPLS;
	default:
		return of_experiment(w, protocol);
	}
}

/* What an IP header of any version says about its contents. */
struct contents {
	uint64_t protocol;
	uint64_t offset; /* of the fragment */
	bool more;       /* fragments */
};

static bool of_nvme(uint64_t port)
{
	return port == TCP_PORT_NVME || port == TCP_PORT_NVME_DISCOVERY;
}

/* TCP is not followed; its ports are looked at, if they were captured. */
static void note_nvme(const struct walk *w)
{
	struct packet *out = w->out;
	const uint8_t *p = w->p;
	size_t header;

	if (w->have < WIRE_SIZE_tcp)
		return;
	header = 4 * WIRE_GET(tcp, off, p);
	if ((!of_nvme(WIRE_GET(tcp, sport, p)) &&
	     !of_nvme(WIRE_GET(tcp, dport, p))) ||
	    header < WIRE_SIZE_tcp || header > w->declared)
		return;
	out->flags |= PACKET_NVME_TCP;
	out->sport = (uint16_t)WIRE_GET(tcp, sport, p);
	out->port = (uint32_t)WIRE_GET(tcp, dport, p);
	out->payload = (uint32_t)(w->declared - header);
}

/* The protocol decides first: a fragment of what is not ours is not ours. */
static enum layer enter(struct walk *w, struct contents c)
{
	enum layer next = of_protocol(w, c.protocol);

	if (next == LAYER_END) {
		if (c.protocol == PROTO_TCP && !c.offset && !c.more)
			note_nvme(w);
		return walk_stop(w, PACKET_FOREIGN,
				 "no decoder for this IP protocol");
	}
	if (c.offset)
		return walk_stop(w, PACKET_FRAGMENT, "not the first fragment");
	if (c.more) {
		w->cut = w->fragment = true;
		walk_declare(w, DECLARED_UNKNOWN);
	}
	return next;
}

/* What the header in front of an IP header says about its packet: in a fabric
 * with SRv6 switches count hops and mark congestion there. */
struct carrier {
	bool srv6;
	uint8_t tos, ttl;
};

/* A new innermost IP header at |p|, whose packet is |size| bytes long: forget
 * what the outer one left.  The links of hosts carry what is inside a mirror or
 * tunnel, and no more; a mirror may have cut it. */
static struct carrier begin_route(struct walk *w, enum icrc_route kind,
				  const uint8_t *p, size_t size)
{
	struct packet *out = w->out;
	struct carrier c = { out->flags & PACKET_SRV6 && !w->udp, out->tos,
			     out->ttl };

	w->label = c.srv6 && w->route_kind == ICRC_IPV6
			   ? (uint32_t)WIRE_GET(ipv6, flow, w->route)
			   : 0;
	if (!c.srv6)
		walk_forget_way(w);
	/* The sender itself wrote a list of segments: no tunnel. */
	if (w->in_ip && !c.srv6)
		out->flags |= PACKET_TUNNELLED;
	if (out->flags & PACKET_TUNNELLED)
		out->wire_len =
			(uint32_t)(size + (w->ether > w->route
						   ? (size_t)(p - w->ether)
						   : WIRE_SIZE_eth));
	w->in_ip = true;
	w->fragment = false;
	w->inexact = false;
	w->route_kind = kind;
	w->route = p;
	w->udp = NULL;
	w->shimmed = false;
	w->dport = 0;
	out->ip_id = 0;
	out->flags &= ~(uint32_t)PACKET_IPV6;
	return c;
}

/* A mark outside is one of the packet, if it can have any: RFC 6040 4.2. */
static void heed(struct packet *out, struct carrier c)
{
	if (!c.srv6)
		return;
	out->ttl = c.ttl;
	if ((c.tos & 3) == ECN_CE && out->tos & 3)
		out->tos |= ECN_CE;
}

enum layer walk_ip(struct walk *w)
{
	switch (walk_nibble(w)) {
	case -1:
		return LAYER_END;
	case 4:
		return LAYER_IPV4;
	case 6:
		return LAYER_IPV6;
	default:
		return walk_stop(w, PACKET_FOREIGN, "neither IPv4 nor IPv6");
	}
}

static const char *ipv4_contradiction(const uint8_t *p, uint64_t header)
{
	if (WIRE_GET(ipv4, version, p) != 4)
		return "the version is not 4";
	if (header < WIRE_SIZE_ipv4)
		return "the header length is below 20";
	if (WIRE_GET(ipv4, len, p) < header)
		return "the total length is below the header length";
	return NULL;
}

enum layer walk_ipv4(struct walk *w)
{
	const uint8_t *p = TAKE(w, ipv4);
	struct packet *out = w->out;
	const char *wrong;
	struct carrier c;
	uint64_t header;

	if (!p)
		return LAYER_END;
	header = 4 * WIRE_GET(ipv4, ihl, p);
	wrong = ipv4_contradiction(p, header);
	if (wrong)
		return walk_stop(w, PACKET_MALFORMED, wrong);
	c = begin_route(w, ICRC_IPV4, p, WIRE_GET(ipv4, len, p));
	out->src = addr_from_v4(WIRE_PTR(ipv4, src, p));
	out->dst = addr_from_v4(WIRE_PTR(ipv4, dst, p));
	out->tos = (uint8_t)(WIRE_GET(ipv4, dscp, p) << 2 |
			     WIRE_GET(ipv4, ecn, p));
	out->ttl = (uint8_t)WIRE_GET(ipv4, ttl, p);
	out->ip_id = (uint16_t)WIRE_GET(ipv4, id, p);
	heed(out, c);

	walk_declare(w, WIRE_GET(ipv4, len, p) - WIRE_SIZE_ipv4);
	w->inexact = header > WIRE_SIZE_ipv4;
	if (!walk_take(w, -1, "ipv4 options", header - WIRE_SIZE_ipv4))
		return LAYER_END;
	return enter(w, (struct contents) { WIRE_GET(ipv4, proto, p),
					    WIRE_GET(ipv4, frag, p),
					    WIRE_GET(ipv4, mf, p) });
}

/* It is not settled what of such a destination the ICRC covers.  There is one
 * place for a list and for the hops of telemetry, which say more. */
static void note_segments(struct walk *w, const uint8_t *dst)
{
	w->inexact = true;
	if (w->out->flags & PACKET_STACK)
		return;
	w->out->flags |= PACKET_SRV6;
	w->out->srv6 = dst;
}

/* A routing header at |p|, of which |data| is behind the first bytes: while
 * there are segments left, where the packet goes in the end is the first of
 * them (RFC 8754 2). */
static void segment_routing(struct walk *w, const uint8_t *p,
			    const uint8_t *data)
{
	struct packet *out = w->out;

	if (WIRE_GET(srh, type, p) != ROUTING_SEGMENTS ||
	    !WIRE_GET(srh, left, p) ||
	    WIRE_GET(srh, len, p) < sizeof(struct addr) / 8)
		return;
	note_segments(w, WIRE_PTR(ipv6, dst, w->route));
	out->dst = addr_from_v6(data);
	srv6_hosts(w->options, false, &out->src, &out->dst);
}

/* Goes through the extension headers; false when it stopped in one. */
static bool skip_extensions(struct walk *w, struct contents *c)
{
	const uint8_t *p, *data;

	for (;;) {
		switch (c->protocol) {
		case PROTO_HOPOPTS:
		case PROTO_ROUTING:
		case PROTO_DSTOPTS:
			p = TAKE(w, ipv6_ext);
			data = p ? walk_take(w, -1, "ipv6 options",
					     8 * WIRE_GET(ipv6_ext, len, p))
				 : NULL;
			if (!data)
				return false;
			if (c->protocol == PROTO_ROUTING)
				segment_routing(w, p, data);
			c->protocol = WIRE_GET(ipv6_ext, next, p);
			break;
		case PROTO_FRAGMENT:
			p = TAKE(w, ipv6_frag);
			if (!p)
				return false;
			c->protocol = WIRE_GET(ipv6_frag, next, p);
			c->offset = WIRE_GET(ipv6_frag, frag, p);
			c->more = WIRE_GET(ipv6_frag, mf, p);
			if (c->offset)
				return true;
			break;
		default:
			return true;
		}
		w->inexact = true;
	}
}

enum layer walk_ipv6(struct walk *w)
{
	const uint8_t *p = TAKE(w, ipv6);
	struct packet *out = w->out;
	struct contents c = { 0 };
	struct carrier outer;

	if (!p)
		return LAYER_END;
	if (WIRE_GET(ipv6, version, p) != 6)
		return walk_stop(w, PACKET_MALFORMED, "the version is not 6");
	outer = begin_route(w, ICRC_IPV6, p,
			    WIRE_SIZE_ipv6 + WIRE_GET(ipv6, len, p));
	out->flags |= PACKET_IPV6;
	out->src = addr_from_v6(WIRE_PTR(ipv6, src, p));
	out->dst = addr_from_v6(WIRE_PTR(ipv6, dst, p));
	out->tos = (uint8_t)(WIRE_GET(ipv6, dscp, p) << 2 |
			     WIRE_GET(ipv6, ecn, p));
	out->ttl = (uint8_t)WIRE_GET(ipv6, hop, p);
	heed(out, outer);
	c.protocol = WIRE_GET(ipv6, next, p);
	if (srv6_hosts(w->options,
		       c.protocol == PROTO_IPV6 || c.protocol == PROTO_IPV4,
		       &out->src, &out->dst) &&
	    !outer.srv6)
		note_segments(w, WIRE_PTR(ipv6, dst, p));

	walk_declare(w, WIRE_GET(ipv6, len, p));
	return skip_extensions(w, &c) ? enter(w, c) : LAYER_END;
}

/* Only the destination port decides: source ports are entropy, and may by
 * chance be anybody's. */
enum layer walk_udp_port(struct walk *w, uint64_t port)
{
	uint16_t sport = (uint16_t)WIRE_GET(udp, sport, w->udp);
	enum layer next = walk_telemetry_layer(w, port);

	if (next != LAYER_END)
		return next;
	if (walk_among(w->options->roce_ports, port)) {
		w->out->sport = sport;
		return LAYER_ROCE_V2;
	}
	if (walk_among(w->options->vxlan_ports, port))
		return LAYER_VXLAN;
	if (walk_among(w->options->uet_ports, port)) {
		w->out->sport = sport;
		return LAYER_UET;
	}
	switch (port) {
	case UDP_PORT_VXLAN_GPE:
		return LAYER_VXLAN_GPE;
	case UDP_PORT_GENEVE:
		return LAYER_GENEVE;
	default:
		w->out->port = (uint32_t)port;
		walk_uet_unknown_port(w);
		return walk_stop(w, PACKET_FOREIGN,
				 "no decoder for this UDP port");
	}
}

enum layer walk_udp(struct walk *w)
{
	w->udp = TAKE(w, udp);
	w->dport = 0;
	if (!w->udp)
		return LAYER_END;
	return walk_udp_port(w, WIRE_GET(udp, dport, w->udp));
}
