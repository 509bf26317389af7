/* SPDX-License-Identifier: GPL-2.0-or-later
 * Link layers: link types, Ethernet and its tags, MPLS, link control. */
#include "decode/walk.h"

enum {
	NO_VLAN = 0xffff,
	NO_PCP = 0xff,
	ARPHRD_GRE = 778, /* a cooked capture on a GRE interface */
	MAC_SIZE = 6,
};

static enum layer of_family(uint32_t family)
{
	switch (family) {
	case 2: /* AF_INET everywhere */
		return LAYER_IPV4;
	case 10: /* AF_INET6: Linux, then Windows and the BSDs, macOS */
	case 23:
	case 24:
	case 28:
	case 30:
		return LAYER_IPV6;
	default:
		return LAYER_END;
	}
}

static enum layer loopback(struct walk *w, bool any_order)
{
	const uint8_t *p = TAKE(w, loopback);
	uint32_t family;
	enum layer next;

	if (!p)
		return LAYER_END;
	family = (uint32_t)WIRE_GET(loopback, family, p);
	next = of_family(family);
	if (next == LAYER_END && any_order)
		next = of_family(__builtin_bswap32(family));
	if (next == LAYER_END)
		walk_stop(w, PACKET_FOREIGN, "not an IP address family");
	return next;
}

enum layer walk_null(struct walk *w)
{
	return loopback(w, true);
}

enum layer walk_loop(struct walk *w)
{
	return loopback(w, false);
}

static uint64_t cooked_mac(const uint8_t *addr, uint64_t length)
{
	uint64_t mac = 0;

	for (int i = 0; length == MAC_SIZE && i < MAC_SIZE; i++)
		mac = mac << 8 | addr[i];
	return mac;
}

static enum layer cooked_type(struct walk *w, uint64_t arphrd, uint16_t type)
{
	return arphrd == ARPHRD_GRE ? walk_gre_type(w, type, false)
				    : walk_etype(w, type);
}

enum layer walk_sll(struct walk *w)
{
	const uint8_t *p = TAKE(w, sll);

	if (!p)
		return LAYER_END;
	w->out->src_mac =
		cooked_mac(WIRE_PTR(sll, addr, p), WIRE_GET(sll, addrlen, p));
	return cooked_type(w, WIRE_GET(sll, arphrd, p),
			   (uint16_t)WIRE_GET(sll, proto, p));
}

enum layer walk_sll2(struct walk *w)
{
	const uint8_t *p = TAKE(w, sll2);

	if (!p)
		return LAYER_END;
	w->out->src_mac =
		cooked_mac(WIRE_PTR(sll2, addr, p), WIRE_GET(sll2, addrlen, p));
	return cooked_type(w, WIRE_GET(sll2, arphrd, p),
			   (uint16_t)WIRE_GET(sll2, proto, p));
}

/* Of |number|, or LAYER_END. */
struct begin {
	uint16_t number;
	enum layer layer;
};

static enum layer find(const struct begin *table, size_t n, uint64_t number)
{
	for (size_t i = 0; i < n; i++)
		if (table[i].number == number)
			return table[i].layer;
	return LAYER_END;
}

static enum layer unreadable(struct walk *w, const char *why)
{
	w->out->kind = PACKET_UNREADABLE;
	return walk_stop(w, PACKET_FOREIGN, why);
}

enum layer walk_linktype(struct walk *w, uint16_t linktype)
{
	static const struct begin table[] = {
		{ LINKTYPE_ETHERNET, LAYER_ETHERNET },
		{ LINKTYPE_RAW_12, LAYER_IP },
		{ LINKTYPE_RAW_14, LAYER_IP },
		{ LINKTYPE_RAW, LAYER_IP },
		{ LINKTYPE_IPV4, LAYER_IPV4 },
		{ LINKTYPE_IPV6, LAYER_IPV6 },
		{ LINKTYPE_MPLS, LAYER_MPLS },
		{ LINKTYPE_NULL, LAYER_NULL },
		{ LINKTYPE_LOOP, LAYER_LOOP },
		{ LINKTYPE_LINUX_SLL, LAYER_SLL },
		{ LINKTYPE_LINUX_SLL2, LAYER_SLL2 },
		{ LINKTYPE_ERF, LAYER_ERF },
		{ LINKTYPE_INFINIBAND, LAYER_LRH },
	};
	enum layer next = find(table, sizeof table / sizeof *table, linktype);

	if (next != LAYER_END)
		return next;
	w->at = "linktype";
	return unreadable(w, "unknown link type");
}

static bool erf_extensions(struct walk *w, bool more)
{
	while (more) {
		const uint8_t *p = TAKE(w, erf_ext);

		if (!p)
			return false;
		more = WIRE_GET(erf_ext, more, p);
	}
	return true;
}

enum layer walk_erf(struct walk *w)
{
	static const struct begin table[] = {
		{ ERF_ETH, LAYER_ETHERNET },
		{ ERF_COLOR_ETH, LAYER_ETHERNET },
		{ ERF_DSM_COLOR_ETH, LAYER_ETHERNET },
		{ ERF_COLOR_HASH_ETH, LAYER_ETHERNET },
		{ ERF_INFINIBAND, LAYER_LRH },
		{ ERF_IPV4, LAYER_IPV4 },
		{ ERF_IPV6, LAYER_IPV6 },
	};
	const uint8_t *p = TAKE(w, erf);
	uint64_t type;
	enum layer next;

	if (!p || !erf_extensions(w, WIRE_GET(erf, ext, p)))
		return LAYER_END;
	w->out->wire_len = (uint32_t)WIRE_GET(erf, wlen, p);
	type = WIRE_GET(erf, type, p);
	next = find(table, sizeof table / sizeof *table, type);
	if (next == LAYER_ETHERNET && !TAKE(w, erf_eth))
		return LAYER_END;
	if (next != LAYER_END)
		return next;
	if (type == ERF_INFINIBAND_LINK || type == ERF_META || type == ERF_PAD)
		return walk_stop(w, PACKET_FOREIGN, "no packet in this record");
	return unreadable(w, "no decoder for this record type");
}

/* What the link layer of InfiniBand wraps.  LIDs are the addresses as long as
 * no GRH has better ones. */
enum layer walk_lrh(struct walk *w)
{
	static const enum layer next[] = {
		[LNH_RAW] = LAYER_END,
		[LNH_IPV6] = LAYER_IPV6,
		[LNH_IBA_LOCAL] = LAYER_IB_LOCAL,
		[LNH_IBA_GLOBAL] = LAYER_IB_GLOBAL,
	};
	const uint8_t *p = TAKE(w, lrh);
	struct packet *out = w->out;
	size_t len;
	enum layer inside;

	if (!p)
		return LAYER_END;
	len = 4 * WIRE_GET(lrh, len, p);
	if (len < WIRE_SIZE_lrh)
		return walk_stop(w, PACKET_MALFORMED,
				 "the length is below that of the header");
	walk_declare(w, len - WIRE_SIZE_lrh);
	out->src = addr_from_lid((uint16_t)WIRE_GET(lrh, slid, p));
	out->dst = addr_from_lid((uint16_t)WIRE_GET(lrh, dlid, p));
	w->route_kind = ICRC_LRH;
	w->route = p;
	inside = next[WIRE_GET(lrh, lnh, p)];
	if (inside != LAYER_END)
		return inside;
	return walk_stop(w, PACKET_FOREIGN, "no InfiniBand transport inside");
}

enum layer walk_ethernet(struct walk *w)
{
	const uint8_t *p = TAKE(w, eth);

	if (!p)
		return LAYER_END;
	w->ether = p;
	w->out->src_mac = WIRE_GET(eth, smac, p);
	w->out->dst_mac = WIRE_GET(eth, dmac, p);
	w->out->vlan = w->mirror_vlan;
	w->out->pcp = w->mirror_pcp;
	w->mirror_vlan = NO_VLAN;
	w->mirror_pcp = NO_PCP;
	return walk_etype(w, (uint16_t)WIRE_GET(eth, type, p));
}

enum layer walk_vlan(struct walk *w)
{
	const uint8_t *p = TAKE(w, vlan);

	if (!p)
		return LAYER_END;
	w->out->vlan = (uint16_t)WIRE_GET(vlan, vid, p);
	w->out->pcp = (uint8_t)WIRE_GET(vlan, pcp, p);
	return walk_etype(w, (uint16_t)WIRE_GET(vlan, type, p));
}

/* The forms of Arista's header that stand before a whole frame.  The version
 * gives the time scale and, in its upper nibble, the width of the stamp. */
static const struct arista_form {
	uint16_t subtype, version, mask;
	int header;
	const char *name;
	uint8_t size;
} arista_forms[] = {
#define FORM(h) WIRE_##h, #h, WIRE_SIZE_##h
	{ ARISTA_TIMESTAMP, 0x0010, 0x00f0, FORM(arista_ts64) },
	{ ARISTA_TIMESTAMP, 0x0020, 0x00f0, FORM(arista_ts48) },
	{ ARISTA_GREEN_TAP, 0x0020, 0x00f0, FORM(arista_tap) },
#undef FORM
};

static const struct arista_form *arista_form(const uint8_t *p)
{
	size_t n = sizeof arista_forms / sizeof *arista_forms;

	for (size_t i = 0; i < n; i++) {
		const struct arista_form *f = &arista_forms[i];

		if (WIRE_GET(arista, subtype, p) == f->subtype &&
		    (WIRE_GET(arista, version, p) & f->mask) == f->version)
			return f;
	}
	return NULL;
}

enum layer walk_arista(struct walk *w)
{
	const uint8_t *p = TAKE(w, arista);
	const struct arista_form *form;

	if (!p)
		return LAYER_END;
	form = arista_form(p);
	if (!form)
		return walk_stop(w, PACKET_FOREIGN,
				 "not a time stamp of this vendor");
	if (!walk_take(w, form->header, form->name, form->size))
		return LAYER_END;
	p = TAKE(w, ethertype);
	if (!p)
		return LAYER_END;
	w->out->flags |= PACKET_SHIM;
	return walk_etype(w, (uint16_t)WIRE_GET(ethertype, type, p));
}

bool walk_looks_like_ethernet(const struct walk *w, size_t at)
{
	const uint8_t *p = w->p + at, *next = p + WIRE_SIZE_eth;
	uint16_t type;

	if (w->have <= at + WIRE_SIZE_eth)
		return false;
	type = (uint16_t)WIRE_GET(eth, type, p);
	switch (walk_etype_layer(w, type)) {
	case LAYER_IPV4:
		return *next >> 4 == 4;
	case LAYER_IPV6:
	case LAYER_ROCE_V1:
		return *next >> 4 == 6;
	case LAYER_END:
		return type == ETYPE_ARP;
	default:
		return type != ETYPE_TEB;
	}
}

/* The label stack says nothing about what it carries: guess by the first
 * nibble, which is 0 for a control word and for many a MAC address. */
static enum layer below_labels(struct walk *w)
{
	bool at_once = walk_looks_like_ethernet(w, 0);
	bool behind;

	switch (walk_nibble(w)) {
	case -1:
		return LAYER_END;
	case 4:
		return LAYER_IPV4;
	case 6:
		return LAYER_IPV6;
	case 0:
		behind = walk_looks_like_ethernet(w, WIRE_SIZE_pw);
		if (at_once && !behind)
			return LAYER_ETHERNET;
		return TAKE(w, pw) ? LAYER_ETHERNET : LAYER_END;
	default:
		if (at_once)
			return LAYER_ETHERNET;
		return walk_stop(w, PACKET_FOREIGN, "unknown below the labels");
	}
}

enum layer walk_mpls(struct walk *w)
{
	const uint8_t *p;

	w->out->flags |= PACKET_TUNNELLED;
	do {
		p = TAKE(w, mpls);
		if (!p)
			return LAYER_END;
	} while (!WIRE_GET(mpls, bos, p));
	return below_labels(w);
}
