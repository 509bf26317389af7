/* SPDX-License-Identifier: GPL-2.0-or-later
 * Mirrors and tunnels: GRE with everything people put into it, VXLAN,
 * VXLAN-GPE, GENEVE. */
#include "decode/walk.h"

enum {
	VXLAN_HAS_VNI = 0x08,
	VXLAN_HAS_NEXT = 0x04, /* VXLAN-GPE: the next protocol is valid */
	GENEVE_CLASS_INT = 0x0103,
};

/* Vendors put bytes that nobody documents between GRE and the frame: look
 * where a frame begins.  22 is seen on SONiC. */
static enum layer find_ethernet(struct walk *w)
{
	static const uint8_t offsets[] = { 0, 4, 8, 12, 22 };

	for (size_t i = 0; i < sizeof offsets; i++) {
		size_t at = offsets[i];

		if (!walk_looks_like_ethernet(w, at))
			continue;
		walk_take(w, -1, "vendor mirror header", at);
		break;
	}
	return LAYER_ETHERNET;
}

/* The outermost mirror is the one whose losses we can count.  Its switch is
 * known by the address that it sends from: two of IPv4 never look alike. */
static void note_mirror(struct walk *w, uint64_t session)
{
	struct packet *out = w->out;
	uint64_t folded = out->src.w[0] ^ out->src.w[1];

	if (out->flags & PACKET_MIRROR_SEQ)
		return;
	out->flags |= PACKET_MIRROR_SEQ;
	out->mirror_session = (uint16_t)session;
	out->mirror_seq = w->mirror_seq;
	out->mirror_switch = (uint32_t)(folded ^ folded >> 32);
}

static enum layer erspan2(struct walk *w)
{
	const uint8_t *p = TAKE(w, erspan2);

	if (!p)
		return LAYER_END;
	note_mirror(w, WIRE_GET(erspan2, session, p));
	switch (WIRE_GET(erspan2, en, p)) {
	case ERSPAN_EN_ISL:
	case ERSPAN_EN_8021Q: /* the tag was taken off and stands only here */
		w->mirror_vlan = (uint16_t)WIRE_GET(erspan2, vlan, p);
		w->mirror_pcp = (uint8_t)WIRE_GET(erspan2, cos, p);
		break;
	default:
		break;
	}
	return LAYER_ETHERNET;
}

static enum layer erspan3(struct walk *w, bool sequenced)
{
	const uint8_t *p = TAKE(w, erspan3);

	if (!p)
		return LAYER_END;
	if (WIRE_GET(erspan3, version, p) != 2)
		return walk_stop(w, PACKET_FOREIGN, "unknown ERSPAN version");
	if (WIRE_GET(erspan3, o, p) && !TAKE(w, erspan3_sub))
		return LAYER_END;
	if (sequenced)
		note_mirror(w, WIRE_GET(erspan3, session, p));
	switch (WIRE_GET(erspan3, ft, p)) {
	case ERSPAN_FT_ETHERNET:
		return LAYER_ETHERNET;
	case ERSPAN_FT_IP:
		return LAYER_IP;
	default:
		return walk_stop(w, PACKET_FOREIGN,
				 "unknown ERSPAN frame type");
	}
}

enum layer walk_gre_type(struct walk *w, uint16_t type, bool sequenced)
{
	w->out->flags |= PACKET_TUNNELLED;
	walk_forget_way(w); /* it is the mirror's */
	if (type && type == w->options->int_gre)
		return walk_int_gre(w);
	switch (type) {
	case ETYPE_ERSPAN3:
		return erspan3(w, sequenced);
	case ETYPE_ERSPAN:
		if (sequenced && w->have >= WIRE_SIZE_erspan2 &&
		    WIRE_GET(erspan2, version, w->p) == 1)
			return erspan2(w);
		return find_ethernet(w);
	case ETYPE_SONIC_MLX:
		return find_ethernet(w);
	default:
		return walk_etype(w, type);
	}
}

enum layer walk_gre(struct walk *w)
{
	const uint8_t *p = TAKE(w, gre), *seq;

	if (!p)
		return LAYER_END;
	if (WIRE_GET(gre, version, p) != 0)
		return walk_stop(w, PACKET_FOREIGN, "unknown GRE version");
	if (WIRE_GET(gre, r, p))
		return walk_stop(w, PACKET_FOREIGN, "GRE source routes");
	if (WIRE_GET(gre, c, p) && !TAKE(w, gre_csum))
		return LAYER_END;
	if (WIRE_GET(gre, k, p) && !TAKE(w, gre_key))
		return LAYER_END;
	if (WIRE_GET(gre, s, p)) {
		seq = TAKE(w, gre_seq);
		if (!seq)
			return LAYER_END;
		w->mirror_seq = (uint32_t)WIRE_GET(gre_seq, seq, seq);
	}
	if (w->ifa_gre) {
		w->ifa_gre = false;
		if (!walk_ifa_metadata(w))
			return LAYER_END;
	}
	return walk_gre_type(w, (uint16_t)WIRE_GET(gre, proto, p),
			     WIRE_GET(gre, s, p));
}

void walk_wrapped(struct walk *w)
{
	const uint8_t *behind = w->udp ? w->udp + WIRE_SIZE_udp : w->p;
	size_t declared = (size_t)(w->p - behind) + w->declared;

	if (w->wrapped_end || w->fragment || !w->udp)
		return; /* the outermost is what switches look at */
	w->wrapped_end = (size_t)(w->p - w->frame) + w->declared;
	w->wrapped_trimmed =
		(!w->shimmed &&
		 WIRE_GET(udp, len, w->udp) > WIRE_SIZE_udp + declared) ||
		w->options->trimmed_dscps >> (w->out->tos >> 2) & 1;
}

enum layer walk_vxlan(struct walk *w)
{
	const uint8_t *p = TAKE(w, vxlan);

	if (!p)
		return LAYER_END;
	if (!(WIRE_GET(vxlan, flags, p) & VXLAN_HAS_VNI))
		return walk_stop(w, PACKET_FOREIGN, "no VXLAN network");
	w->out->flags |= PACKET_TUNNELLED;
	walk_wrapped(w);
	return LAYER_ETHERNET;
}

enum layer walk_gpe_next(struct walk *w, uint64_t next)
{
	switch (next) {
	case GPE_IPV4:
		return LAYER_IPV4;
	case GPE_IPV6:
		return LAYER_IPV6;
	case GPE_ETHERNET:
		return LAYER_ETHERNET;
	case GPE_INT:
		return LAYER_INT_GPE;
	default:
		return walk_stop(w, PACKET_FOREIGN,
				 "no decoder for this VXLAN-GPE protocol");
	}
}

enum layer walk_vxlan_gpe(struct walk *w)
{
	const uint8_t *p = TAKE(w, vxlan_gpe);

	if (!p)
		return LAYER_END;
	w->out->flags |= PACKET_TUNNELLED;
	walk_wrapped(w);
	if (!(WIRE_GET(vxlan_gpe, flags, p) & VXLAN_HAS_NEXT))
		return LAYER_ETHERNET;
	return walk_gpe_next(w, WIRE_GET(vxlan_gpe, next, p));
}

/* The options, INT among them; what claims more than there is ends them. */
static bool geneve_options(struct walk *w, size_t left)
{
	while (left >= WIRE_SIZE_geneve_opt &&
	       w->have >= WIRE_SIZE_geneve_opt) {
		const uint8_t *p = w->p;
		size_t size = 4 * WIRE_GET(geneve_opt, len, p);

		if (size > left - WIRE_SIZE_geneve_opt)
			break;
		TAKE(w, geneve_opt);
		left -= WIRE_SIZE_geneve_opt + size;
		if (!(WIRE_GET(geneve_opt, class, p) == GENEVE_CLASS_INT
			      ? walk_int_option(
					w, WIRE_GET(geneve_opt, type, p), size)
			      : walk_take(w, -1, "geneve option", size) !=
					NULL))
			return false;
	}
	return walk_take(w, -1, "geneve options", left);
}

enum layer walk_geneve(struct walk *w)
{
	const uint8_t *p = TAKE(w, geneve);

	if (!p)
		return LAYER_END;
	if (WIRE_GET(geneve, version, p) != 0)
		return walk_stop(w, PACKET_FOREIGN, "unknown GENEVE version");
	w->out->flags |= PACKET_TUNNELLED;
	walk_wrapped(w);
	if (!geneve_options(w, 4 * WIRE_GET(geneve, optlen, p)))
		return LAYER_END;
	return walk_etype(w, (uint16_t)WIRE_GET(geneve, proto, p));
}
