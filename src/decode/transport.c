/* SPDX-License-Identifier: GPL-2.0-or-later
 * RoCEv1 and RoCEv2: BTH, extension headers, CM, length rule, ICRC. */
#include "decode/transport.h"

#include <string.h>

#include "decode/mrc.h"
#include "decode/walk.h"
#include "wire/table.h"

enum {
	GSI_QP = 1,
	MAD_VERSION = 1,
	MAD_SIZE = 256,
	SERVICE_SHIFT = 5,  /* of an opcode */
	RDMA_CM_PREFIX = 1, /* of a service ID above protocol and port */
	RDMA_CM_PREFIX_SHIFT = 24,
};

/* Opcodes nobody described: BTH, then anything. */
static const struct wire_opcode opaque = {
	.headers = WIRE_SIZE_bth,
	.payload = PAYLOAD_ANY,
};

/* How this packet is to be read; NULL when it contradicts itself.  Nobody built
 * the RD service: what has its opcodes is Mellanox' DC, whose headers are not
 * public. */
static const struct wire_opcode *choose(struct walk *w, const uint8_t *bth,
					size_t len)
{
	uint8_t opcode = (uint8_t)WIRE_GET(bth, opcode, bth);
	const struct wire_opcode *op = wire_opcode(opcode);
	unsigned pad = (unsigned)WIRE_GET(bth, padcnt, bth);

	if (!op->name || opcode >> SERVICE_SHIFT == SERVICE_RD)
		op = &opaque;
	if (WIRE_GET(bth, tver, bth) != 0) {
		walk_stop(w, PACKET_MALFORMED,
			  "the transport version is not 0");
		return NULL;
	}
	if (transport_fits(op, transport_payload(op, pad, len)))
		return op;
	walk_stop(w, PACKET_MALFORMED,
		  "the length does not fit the opcode and the pad");
	return NULL;
}

static void read_extension(struct packet *out, enum wire_header header,
			   const uint8_t *p)
{
	switch (header) {
	case WIRE_deth:
		out->flags |= PACKET_HAS_DETH;
		out->src_qp = (uint32_t)WIRE_GET(deth, srcqp, p);
		break;
	case WIRE_xrceth:
		out->flags |= PACKET_HAS_XRCETH;
		out->src_qp = (uint32_t)WIRE_GET(xrceth, srq, p);
		break;
	case WIRE_reth:
		out->flags |= PACKET_HAS_RETH;
		out->dma_len = (uint32_t)WIRE_GET(reth, dmalen, p);
		break;
	case WIRE_aeth:
		out->flags |= PACKET_HAS_AETH;
		transport_aeth(p, out);
		break;
	case WIRE_immdt:
		out->flags |= PACKET_HAS_IMM;
		break;
	case WIRE_cnp:
		for (int i = 0; i < WIRE_SIZE_cnp; i++)
			if (p[i])
				out->flags |= PACKET_EXTENDED;
		break;
	default:
		break;
	}
}

static const uint8_t *take(struct walk *w, enum wire_header header)
{
	const struct wire_layout *layout = wire_layout(header);

	return walk_take(w, header, layout->about->name, layout->size);
}

/* Without which nobody can say whose packet it is, or what it answers.  The
 * others tell lengths and keys: where the snaplen cut them, the BTH and the
 * length of the packet still say what its PSN needs. */
static bool is_vital(const struct wire_opcode *op, enum wire_header header)
{
	switch (header) {
	case WIRE_deth:
		return true;
	case WIRE_aeth:
		return op->payload == PAYLOAD_NONE;
	default:
		return false;
	}
}

/* False when a vital one was not captured. */
static bool read_extensions(struct walk *w, const struct wire_opcode *op)
{
	for (unsigned chain = op->chain; chain; chain &= chain - 1) {
		enum wire_header header =
			(enum wire_header)(WIRE_rdeth + __builtin_ctz(chain));
		const struct wire_layout *layout = wire_layout(header);
		const uint8_t *p;

		if (w->have < layout->size && !w->cut &&
		    !is_vital(op, header)) {
			walk_pass(w, layout->about->name, layout->size);
			continue;
		}
		p = take(w, header);
		if (!p)
			return false;
		read_extension(w->out, header, p);
	}
	return true;
}

/* A connection manager's message is a UD SEND of one MAD to QP 1. */
static void find_cm(struct walk *w)
{
	struct packet *out = w->out;
	const uint8_t *p = w->p;

	if (out->opcode != UD_SEND_ONLY || out->dst_qp != GSI_QP ||
	    out->payload != MAD_SIZE || w->have < MAD_SIZE)
		return;
	if (WIRE_GET(mad, version, p) != MAD_VERSION ||
	    WIRE_GET(mad, mgmtclass, p) != MAD_CLASS_CM)
		return;
	out->flags |= PACKET_HAS_CM;
	out->mad = p;
}

static void show(struct walk *w, enum wire_header header, const uint8_t *p)
{
	const struct wire_layout *layout = wire_layout(header);

	walk_show(w, header, layout->about->name, p, layout->size);
}

static void show_cm(struct walk *w, const uint8_t *mad)
{
	const uint8_t *message = mad + WIRE_SIZE_mad_cm;
	enum wire_header next = wire_next(WIRE_mad_cm, mad, WIRE_SIZE_mad_cm);

	show(w, WIRE_mad_cm, mad);
	if (next == WIRE_HEADERS)
		walk_show(w, -1, "cm message", message,
			  MAD_SIZE - WIRE_SIZE_mad_cm);
	else
		show(w, next, message);
	if (next == WIRE_cm_req &&
	    WIRE_GET(cm_req, service_id, message) >> RDMA_CM_PREFIX_SHIFT ==
		    RDMA_CM_PREFIX)
		show(w, WIRE_rdma_cm, WIRE_PTR(cm_req, private, message));
}

/* Payload, pad and ICRC, for the observer only. */
static void show_rest(struct walk *w, const uint8_t *bth)
{
	const struct packet *out = w->out;

	if (out->mad) {
		show_cm(w, out->mad);
		w->p += MAD_SIZE;
		w->have -= MAD_SIZE;
	} else {
		walk_pass(w, "payload", out->payload);
	}
	walk_pass(w, "pad", WIRE_GET(bth, padcnt, bth));
	walk_pass(w, "icrc", ICRC_SIZE);
}

static void read_packet(struct walk *w, const uint8_t *bth, size_t len)
{
	const struct wire_opcode *op = choose(w, bth, len);
	size_t mrc = mrc_headers(bth, len);

	if (!op)
		return;
	w->out->payload = (uint32_t)transport_payload(
		op, (unsigned)WIRE_GET(bth, padcnt, bth), len - mrc);
	if (!(mrc ? mrc_read(w, bth) : read_extensions(w, op))) {
		/* The rest is in another fragment of what is around it. */
		if (w->out->status == PACKET_FRAGMENT)
			w->out->payload = 0;
		return;
	}
	find_cm(w);
	if (w->see)
		show_rest(w, bth);
}

/* Route, UDP and BTH as they were before telemetry came between. */
enum { ROUTE_MAX = 60, HEAD_MAX = ROUTE_MAX + WIRE_SIZE_udp + WIRE_SIZE_bth };

static size_t restore(const struct walk *w, const uint8_t *bth, size_t len,
		      uint8_t head[static HEAD_MAX])
{
	size_t udp_len = WIRE_SIZE_udp + len, n;
	uint8_t *udp;

	if (w->route_kind == ICRC_IPV4) {
		n = 4 * WIRE_GET(ipv4, ihl, w->route);
		memcpy(head, w->route, n);
		WIRE_SET(ipv4, len, head, n + udp_len);
		WIRE_SET(ipv4, proto, head, PROTO_UDP);
	} else {
		n = WIRE_SIZE_ipv6;
		memcpy(head, w->route, n);
		WIRE_SET(ipv6, len, head, udp_len);
		WIRE_SET(ipv6, next, head, PROTO_UDP);
	}
	udp = head + n;
	memcpy(udp, w->udp, WIRE_SIZE_udp);
	WIRE_SET(udp, len, udp, udp_len);
	if (w->dport)
		WIRE_SET(udp, dport, udp, w->dport);
	memcpy(udp + WIRE_SIZE_udp, bth, WIRE_SIZE_bth);
	return n + WIRE_SIZE_udp;
}

static void check_icrc(struct walk *w, const uint8_t *bth, size_t len)
{
	uint8_t head[HEAD_MAX];
	size_t at;

	len -= ICRC_SIZE;
	if (w->shimmed) {
		at = restore(w, bth, len + ICRC_SIZE, head);
		w->right = icrc_restored(w->route_kind, head, at, bth, len);
	} else {
		w->right = icrc_compute(w->route_kind, w->route, bth, len);
	}
	transport_icrc_found(w->out, w->right, icrc_read(bth + len),
			     w->inexact);
}

static enum layer transport(struct walk *w)
{
	size_t have = w->have, len = w->declared;
	struct packet *out = w->out;
	const uint8_t *bth;

	out->kind = PACKET_ROCE;
	bth = TAKE(w, bth);
	if (!bth)
		return LAYER_END;
	out->opcode = (uint8_t)WIRE_GET(bth, opcode, bth);
	out->psn = (uint32_t)WIRE_GET(bth, psn, bth);
	out->dst_qp = (uint32_t)WIRE_GET(bth, destqp, bth);
	out->flags |= transport_flags(bth, BTH_HEAD(bth));
	if (out->opcode == CNP)
		out->kind = PACKET_CNP;
	if (w->fragment)
		return walk_stop(w, PACKET_FRAGMENT, "only the first fragment");
	read_packet(w, bth, len);
	/* A corrupted packet may well be malformed: then this tells which. */
	if (have >= len && len >= WIRE_SIZE_bth + ICRC_SIZE &&
	    !w->options->skip_icrc)
		check_icrc(w, bth, len);
	return LAYER_END;
}

enum layer walk_roce_v2(struct walk *w)
{
	return transport(w);
}

/* A GRH, and the transport behind it. */
static enum layer routed(struct walk *w)
{
	const uint8_t *p = TAKE(w, grh);
	struct packet *out = w->out;

	if (!p)
		return LAYER_END;
	if (WIRE_GET(grh, version, p) != 6)
		return walk_stop(w, PACKET_MALFORMED, "the version is not 6");
	if (WIRE_GET(grh, next, p) != PROTO_IBA)
		return walk_stop(w, PACKET_FOREIGN,
				 "no InfiniBand transport inside");
	walk_declare(w, WIRE_GET(grh, len, p));
	out->flags = (out->flags | PACKET_V1) & ~(uint32_t)PACKET_IPV6;
	out->src = addr_from_v6(WIRE_PTR(grh, sgid, p));
	out->dst = addr_from_v6(WIRE_PTR(grh, dgid, p));
	out->tos = (uint8_t)WIRE_GET(grh, tclass, p);
	out->ttl = (uint8_t)WIRE_GET(grh, hop, p);
	out->ip_id = 0;
	w->fragment = false;
	w->inexact = false;
	w->shimmed = false;
	w->route_kind = ICRC_GRH;
	w->route = p;
	return transport(w);
}

enum layer walk_roce_v1(struct walk *w)
{
	return routed(w);
}

/* Marks of native InfiniBand where those of IP stand: every packet may be
 * marked, and FECN is the mark.  Its CNP has an opcode of its own. */
static enum layer native(struct walk *w)
{
	struct packet *out = w->out;
	unsigned ecn = out->flags & PACKET_FECN ? ECN_CE : ECN_ECT0;

	if (out->kind != PACKET_ROCE)
		return LAYER_END;
	out->tos = (uint8_t)((out->tos & ~ECN_CE) | ecn);
	if (out->opcode == CNP_IB)
		out->kind = PACKET_CNP;
	return LAYER_END;
}

enum layer walk_ib_local(struct walk *w)
{
	w->out->flags |= PACKET_V1;
	transport(w);
	return native(w);
}

enum layer walk_ib_global(struct walk *w)
{
	routed(w);
	return native(w);
}
