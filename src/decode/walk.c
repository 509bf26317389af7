/* SPDX-License-Identifier: GPL-2.0-or-later
 * The loop over layers, and what the layers share. */
#include "decode/walk.h"

#include <string.h>

#include "decode/explain.h"

enum {
	DEPTH_MAX = 8, /* layers, tags and labels not counted */
	ETHER_IN_IP_MAX = 3,
	ETYPE_MIN = 0x0600, /* below it is a length */
	NO_VLAN = 0xffff,
	NO_PCP = 0xff,
};

enum layer walk_stop(struct walk *w, enum packet_status status, const char *why)
{
	w->out->status = (uint8_t)status;
	w->why = why;
	return LAYER_END;
}

void walk_show(const struct walk *w, int id, const char *name, const uint8_t *p,
	       size_t length)
{
	size_t left = (size_t)(w->p + w->have - p);
	struct explain_part part = {
		.header = id,
		.name = name,
		.data = p,
		.offset = (uint32_t)(p - w->frame),
		.length = (uint32_t)length,
		.captured = (uint32_t)(length < left ? length : left),
	};

	w->see(w->ctx, &part);
}

void walk_pass(struct walk *w, const char *name, size_t length)
{
	size_t here = length < w->have ? length : w->have;

	if (here && w->see)
		walk_show(w, -1, name, w->p, length);
	w->p += here;
	w->have -= here;
}

const uint8_t *walk_lack(struct walk *w, const char *name, size_t n)
{
	w->at = name;
	if (w->declared < n)
		walk_stop(w, PACKET_MALFORMED, "no room for this header");
	else
		walk_stop(w, w->cut ? PACKET_FRAGMENT : PACKET_TRUNCATED,
			  "cut inside this header");
	return NULL;
}

int walk_nibble(struct walk *w)
{
	if (w->have)
		return *w->p >> 4;
	walk_stop(w, w->declared ? PACKET_TRUNCATED : PACKET_MALFORMED,
		  w->declared ? "cut after this header" : "nothing inside");
	return -1;
}

enum layer walk_etype_layer(const struct walk *w, uint16_t type)
{
	if (walk_among(w->options->csig_tpids, type))
		return LAYER_CSIG;
	if (walk_among(w->options->csig_wide_tpids, type))
		return LAYER_CSIG_WIDE;
	switch (type) {
	case ETYPE_TEB:
		return LAYER_ETHERNET;
	case ETYPE_VLAN:
	case ETYPE_QINQ:
	case ETYPE_QINQ_9100:
	case ETYPE_QINQ_9200:
		return LAYER_VLAN;
	case ETYPE_ARISTA:
		return LAYER_ARISTA;
	case ETYPE_MPLS:
	case ETYPE_MPLS_UP:
		return LAYER_MPLS;
	case ETYPE_IPV4:
		return LAYER_IPV4;
	case ETYPE_IPV6:
		return LAYER_IPV6;
	case ETYPE_ROCE:
		return LAYER_ROCE_V1;
	case ETYPE_PAUSE:
		return LAYER_MAC_CONTROL;
	case ETYPE_LLDP:
		return LAYER_LLDP;
	default:
		return LAYER_END;
	}
}

enum layer walk_etype(struct walk *w, uint16_t type)
{
	enum layer next = walk_etype_layer(w, type);

	if (next != LAYER_END)
		return next;
	return walk_stop(w, PACKET_FOREIGN,
			 type < ETYPE_MIN ? "an 802.3 length, no EtherType"
					  : "no decoder for this EtherType");
}

/* What each layer is, and whether it counts as deep. */
static const struct {
	enum layer (*peel)(struct walk *w);
	bool deep;
} layers[LAYERS] = {
	[LAYER_NULL] = { walk_null, false },
	[LAYER_LOOP] = { walk_loop, false },
	[LAYER_SLL] = { walk_sll, false },
	[LAYER_SLL2] = { walk_sll2, false },
	[LAYER_ERF] = { walk_erf, false },
	[LAYER_LRH] = { walk_lrh, false },
	[LAYER_ETHERNET] = { walk_ethernet, true },
	[LAYER_VLAN] = { walk_vlan, false },
	[LAYER_CSIG] = { walk_csig, false },
	[LAYER_CSIG_WIDE] = { walk_csig_wide, false },
	[LAYER_ARISTA] = { walk_arista, false },
	[LAYER_MPLS] = { walk_mpls, false },
	[LAYER_MAC_CONTROL] = { walk_mac_control, false },
	[LAYER_LLDP] = { walk_lldp, false },
	[LAYER_IP] = { walk_ip, false },
	[LAYER_IPV4] = { walk_ipv4, true },
	[LAYER_IPV6] = { walk_ipv6, true },
	[LAYER_UDP] = { walk_udp, false },
	[LAYER_IFA] = { walk_ifa, true },
	[LAYER_IFA1] = { walk_ifa1, true },
	[LAYER_INT] = { walk_int, true },
	[LAYER_INT_GPE] = { walk_int_gpe, true },
	[LAYER_GRE] = { walk_gre, true },
	[LAYER_VXLAN] = { walk_vxlan, true },
	[LAYER_VXLAN_GPE] = { walk_vxlan_gpe, true },
	[LAYER_GENEVE] = { walk_geneve, true },
	[LAYER_UET] = { walk_uet, false },
	[LAYER_UET_NATIVE] = { walk_uet_native, false },
	[LAYER_ROCE_V1] = { walk_roce_v1, false },
	[LAYER_ROCE_V2] = { walk_roce_v2, false },
	[LAYER_IB_LOCAL] = { walk_ib_local, false },
	[LAYER_IB_GLOBAL] = { walk_ib_global, false },
};

static bool too_deep(struct walk *w, enum layer next)
{
	if (layers[next].deep && ++w->layers > DEPTH_MAX)
		return true;
	return next == LAYER_ETHERNET && w->in_ip &&
	       ++w->ether_in_ip > ETHER_IN_IP_MAX;
}

void walk_init(struct walk *w, const struct decode_input *in,
	       const struct decode_options *options, struct packet *out)
{
	size_t wire = in->wirelen > in->caplen ? in->wirelen : in->caplen;

	*w = (struct walk) {
		.frame = in->data,
		.p = in->data,
		.have = in->caplen,
		.options = options,
		.out = out,
		.mirror_vlan = NO_VLAN,
		.mirror_pcp = NO_PCP,
	};
	walk_declare(w, wire > in->fcs_len ? wire - in->fcs_len : 0);
	*out = (struct packet) {
		.ns = out->ns,
		.order = out->order,
		.frame = out->frame,
		.tap = out->tap,
		.wire_len = in->wirelen,
		.vlan = NO_VLAN,
		.pcp = NO_PCP,
	};
}

void walk_run(struct walk *w, uint16_t linktype)
{
	enum layer next = walk_linktype(w, linktype);

	while (next != LAYER_END) {
		if (too_deep(w, next)) {
			walk_stop(w, PACKET_FOREIGN, "nested too deep");
			return;
		}
		next = layers[next].peel(w);
	}
}

void packet_decode_general(const struct decode_input *in,
			   const struct decode_options *options,
			   struct packet *out)
{
	struct walk w;

	walk_init(&w, in, options, out);
	walk_run(&w, in->linktype);
}

void packet_explain(const struct decode_input *in,
		    const struct decode_options *options, struct packet *out,
		    void (*part)(void *ctx, const struct explain_part *part),
		    void *ctx, struct explain_end *end)
{
	struct walk w;

	walk_init(&w, in, options, out);
	w.see = part;
	w.ctx = ctx;
	walk_run(&w, in->linktype);
	*end = (struct explain_end) {
		.offset = (uint32_t)(w.p - w.frame),
		.at = w.why ? w.at : NULL,
		.why = w.why,
		.right = w.right,
	};
}
