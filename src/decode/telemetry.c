/* SPDX-License-Identifier: GPL-2.0-or-later
 * What switches write into packets (reference telemetry 1 to 3): CSIG tags,
 * IFA 2.0 and 1.0, INT 2 and 1.0.  All of it is gone through, so that the
 * packet behind is read like any other; the ICRC is that of the packet as its
 * sender made it.
 *
 *   CSIG     Ethernet | tag | EtherType ...
 *   IFA 2.0  IP | ifa | UDP or GRE | ifa_md | entries | rest
 *   IFA 1.0  IP | UDP | ifa1 | entries | rest
 *   INT      IP | UDP | shim | header | hops | rest
 *            ... | GRE | shim | header | hops | rest
 *            ... | GENEVE | option header | header | hops | options, rest
 *
 * Entries stand newest first.  Of several stacks in one packet the innermost
 * is kept. */
#include "decode/walk.h"
#include "wire/table.h"

enum {
	WORD = 4,
	IFA_ENTRY = WIRE_SIZE_ifa_xgs,
	GNS_LOCAL = 15, /* each entry names its own name space */
	HOPS_KEPT = 255,
};

/* IFA 1.0: what the probes of these vendors begin with. */
static const uint64_t ifa1_markers[] = {
	0xa1f1a1f1a1f2a1f2, /* Broadcom */
	0xaaaaaaaabbbbbbbb, /* H3C */
};

_Static_assert(WIRE_SIZE_ifa_xgs == WIRE_SIZE_ifa_dnx, "one entry size");

/* Only if all of it was captured. */
static void keep_stack(struct walk *w, enum stack_form form, size_t hops,
		       size_t hop)
{
	struct packet *out = w->out;

	if (!hops || w->have < hops * hop)
		return;
	walk_forget_way(w);
	out->flags |= PACKET_STACK;
	out->stack = w->p;
	out->stack_form = (uint8_t)form;
	out->stack_hops = (uint8_t)(hops < HOPS_KEPT ? hops : HOPS_KEPT);
}

/* --- CSIG --- */

static void csig(struct walk *w, uint64_t signal, uint64_t value,
		 uint64_t locator)
{
	w->out->flags |= PACKET_SHIM | PACKET_CSIG;
	w->out->csig_signal = (uint8_t)signal;
	w->out->csig_value = (uint32_t)value;
	w->out->csig_locator = (uint16_t)locator;
}

/* Tags of the link layer: nothing above them changes, the ICRC included. */
enum layer walk_csig(struct walk *w)
{
	const uint8_t *p = TAKE(w, csig);

	if (!p)
		return LAYER_END;
	csig(w, WIRE_GET(csig, t, p), WIRE_GET(csig, s, p),
	     WIRE_GET(csig, lm, p));
	return walk_etype(w, (uint16_t)WIRE_GET(csig, type, p));
}

enum layer walk_csig_wide(struct walk *w)
{
	const uint8_t *p = TAKE(w, csig_wide);

	if (!p)
		return LAYER_END;
	csig(w, WIRE_GET(csig_wide, t, p), WIRE_GET(csig_wide, s, p),
	     WIRE_GET(csig_wide, lm, p));
	return walk_etype(w, (uint16_t)WIRE_GET(csig_wide, type, p));
}

/* --- IFA --- */

/* Which layout the first entry of a stack has is a matter of configuration:
 * chips and operators number their name spaces as they like. */
static bool is_dnx(const struct walk *w, uint64_t gns)
{
	uint64_t space = gns;

	if (gns == GNS_LOCAL && w->have)
		space = *w->p >> 4;
	return w->options->ifa_dnx >> space & 1;
}

/* |size| bytes of entries; what is no whole number of them is only passed. */
static bool ifa_entries(struct walk *w, size_t size, bool dnx)
{
	size_t n = size % IFA_ENTRY ? 0 : size / IFA_ENTRY;

	w->out->flags |= PACKET_SHIM;
	w->shimmed = true;
	if (!n)
		return walk_take(w, -1, "ifa stack", size);
	keep_stack(w, dnx ? STACK_DNX : STACK_XGS, n, IFA_ENTRY);
	while (n--)
		if (!(dnx ? TAKE(w, ifa_dnx) : TAKE(w, ifa_xgs)))
			return false;
	return true;
}

/* Time stamp devices of Exablaze send clock values under the same protocol
 * number (reference telemetry 1.9 and 6.6). */
static bool is_key_frame(const struct walk *w)
{
	const uint8_t *ip = w->route;

	return w->route_kind == ICRC_IPV4 && WIRE_GET(ipv4, src, ip) == 0 &&
	       WIRE_GET(ipv4, dst, ip) == UINT32_MAX &&
	       WIRE_GET(ipv4, ttl, ip) == 64 &&
	       (w->declared == 62 || w->declared == 40);
}

bool walk_looks_like_ifa(const struct walk *w)
{
	const uint8_t *p = w->p;

	if (w->have < WIRE_SIZE_ifa)
		return true; /* cut: nothing says that it is not */
	if (WIRE_GET(ifa, version, p) < 2 || WIRE_GET(ifa, version, p) > 3 ||
	    WIRE_GET(ifa, resv, p))
		return false;
	switch (WIRE_GET(ifa, next, p)) {
	case PROTO_UDP:
	case PROTO_TCP:
	case PROTO_GRE:
	case PROTO_IPV4:
	case PROTO_IPV6:
	case PROTO_ESP:
	case PROTO_AH:
	case PROTO_ICMPV6:
		return true;
	default:
		return false;
	}
}

/* Bytes of the stack.  The length of the metadata header is wrong in some
 * chips; UDP's, which nobody updates, shows it (reference telemetry 1.9). */
static size_t ifa_stack_size(const struct walk *w, const uint8_t *md)
{
	size_t said = WORD * WIRE_GET(ifa_md, len, md);
	size_t other, bytes;

	if (said % IFA_ENTRY && 2 * said % IFA_ENTRY == 0)
		said *= 2;
	if (!w->udp || w->fragment)
		return said;
	bytes = WIRE_GET(udp, len, w->udp);
	other = w->declared + WIRE_SIZE_udp - bytes;
	if (bytes < WIRE_SIZE_udp || bytes > w->declared + WIRE_SIZE_udp)
		return said;
	return other == 2 * said && w->have > said && w->p[said] >> 4 ? other
								      : said;
}

bool walk_ifa_metadata(struct walk *w)
{
	const uint8_t *md = TAKE(w, ifa_md);

	return md &&
	       ifa_entries(w, ifa_stack_size(w, md), is_dnx(w, w->ifa_gns));
}

static enum layer behind_l4(struct walk *w)
{
	if (!walk_ifa_metadata(w))
		return LAYER_END;
	if (!w->udp)
		return walk_stop(w, PACKET_FOREIGN, "TCP is not followed");
	return walk_udp_port(w, WIRE_GET(udp, dport, w->udp));
}

static bool take_tcp(struct walk *w)
{
	const uint8_t *p = TAKE(w, tcp);
	size_t bytes = p ? WORD * WIRE_GET(tcp, off, p) : 0;

	if (!p)
		return false;
	if (bytes < WIRE_SIZE_tcp) {
		walk_stop(w, PACKET_MALFORMED, "the header length is below 20");
		return false;
	}
	return walk_take(w, -1, "tcp options", bytes - WIRE_SIZE_tcp);
}

enum layer walk_ifa(struct walk *w)
{
	const uint8_t *p;

	w->at = "ifa";
	if (is_key_frame(w) || !walk_looks_like_ifa(w))
		return walk_stop(w, PACKET_FOREIGN,
				 "no decoder for this IP protocol");
	p = TAKE(w, ifa);
	if (!p)
		return LAYER_END;
	w->out->flags |= PACKET_SHIM;
	w->udp = NULL;
	w->ifa_gns = (uint8_t)WIRE_GET(ifa, gns, p);
	if (WIRE_GET(ifa, c, p))
		return walk_stop(w, PACKET_FOREIGN,
				 "IFA with a checksum header");
	switch (WIRE_GET(ifa, next, p)) {
	case PROTO_UDP:
		w->udp = TAKE(w, udp);
		if (!w->udp)
			return LAYER_END;
		break;
	case PROTO_TCP:
		if (!take_tcp(w))
			return LAYER_END;
		break;
	case PROTO_GRE:
		w->ifa_gre = true;
		return LAYER_GRE;
	default:
		return walk_stop(w, PACKET_FOREIGN,
				 "IFA around neither UDP, TCP nor GRE");
	}
	return behind_l4(w);
}

/* Behind UDP: one of the markers that are known. */
static bool looks_like_ifa1(const struct walk *w)
{
	uint64_t marker;

	if (w->have < WIRE_SIZE_ifa1)
		return false;
	marker = WIRE_GET(ifa1, marker, w->p);
	return marker == ifa1_markers[0] || marker == ifa1_markers[1];
}

enum layer walk_ifa1(struct walk *w)
{
	const uint8_t *p = TAKE(w, ifa1);
	size_t size = p ? WIRE_GET(ifa1, len, p) : 0;

	if (!p)
		return LAYER_END;
	if (size < WIRE_SIZE_ifa1)
		return walk_stop(w, PACKET_MALFORMED,
				 "the length is below the header's");
	if (!ifa_entries(w, size - WIRE_SIZE_ifa1, true))
		return LAYER_END;
	return walk_udp_port(w, WIRE_GET(udp, dport, w->udp));
}

/* --- INT --- */

/* What each bit of the instructions adds to a hop, from the most significant
 * on. */
struct int_word {
	int header;
	const char *name;
	uint8_t size;
};
#define INT_WORD(h)                         \
	{                                   \
		WIRE_##h, #h, WIRE_SIZE_##h \
	}
enum { INT_BITS = 16 };

static const struct int_word int2_words[INT_BITS] = {
	INT_WORD(int_node),  INT_WORD(int_ports), INT_WORD(int_latency),
	INT_WORD(int_queue), INT_WORD(int_time),  INT_WORD(int_time),
	INT_WORD(int_wide),  INT_WORD(int_load),  INT_WORD(int_buffer),
	INT_WORD(int_word),  INT_WORD(int_word),  INT_WORD(int_word),
	INT_WORD(int_word),  INT_WORD(int_word),  INT_WORD(int_word),
	INT_WORD(int_word),
};

static const struct int_word int1_words[INT_BITS] = {
	INT_WORD(int_node),  INT_WORD(int_ports), INT_WORD(int_latency),
	INT_WORD(int_queue), INT_WORD(int_time1), INT_WORD(int_time1),
	INT_WORD(int_wide),  INT_WORD(int_load),  INT_WORD(int_word),
	INT_WORD(int_word),  INT_WORD(int_word),  INT_WORD(int_word),
	INT_WORD(int_word),  INT_WORD(int_word),  INT_WORD(int_word),
	INT_WORD(int_word),
};

static bool int_bit(uint64_t bits, unsigned i)
{
	return bits >> (INT_BITS - 1 - i) & 1;
}

static size_t int_hop_size(const struct int_word *words, uint64_t bits)
{
	size_t n = 0;

	for (unsigned i = 0; i < INT_BITS; i++)
		n += int_bit(bits, i) ? words[i].size : 0;
	return n;
}

unsigned walk_int_offset(bool old, uint16_t bits, unsigned bit)
{
	const struct int_word *words = old ? int1_words : int2_words;

	return (unsigned)int_hop_size(words, bits & ~(0xffffu >> bit));
}

/* An INT header and what the shim says of it. */
struct int_header {
	const uint8_t *p;
	const struct int_word *words;
	uint64_t hopml, bits, domain_bits;
	size_t rest; /* bytes behind it */
};

static bool take_hop(struct walk *w, const struct int_header *h)
{
	for (unsigned i = 0; i < INT_BITS; i++)
		if (int_bit(h->bits, i) &&
		    !walk_take(w, h->words[i].header, h->words[i].name,
			       h->words[i].size))
			return false;
	return true;
}

/* The words of the domain are the source's alone and stand last. */
static bool int_hops(struct walk *w, const struct int_header *h)
{
	size_t hop = int_hop_size(h->words, h->bits);
	size_t own = WORD * (size_t)__builtin_popcountll(h->domain_bits);
	size_t stack = h->rest >= own ? h->rest - own : h->rest;
	size_t n = hop && hop == WORD * h->hopml ? stack / hop : 0;

	keep_stack(w, h->words == int1_words ? STACK_INT1 : STACK_INT2, n, hop);
	for (size_t i = 0; i < n; i++)
		if (!take_hop(w, h))
			return false;
	return walk_take(w, -1, "int words", h->rest - n * hop);
}

/* |size| bytes from the INT header to the end of the stack. */
static bool int_body(struct walk *w, size_t size, bool instructions_only)
{
	struct int_header h = { .words = int2_words };
	size_t header = WIRE_SIZE_int_md;

	w->out->flags |= PACKET_SHIM;
	w->shimmed = true;
	if (w->have && *w->p >> 4 == 1) {
		h.words = int1_words;
		header = WIRE_SIZE_int_md1;
	}
	if (size < header) {
		walk_stop(w, PACKET_MALFORMED, "no room for the INT header");
		return false;
	}
	h.rest = size - header;
	if (h.words == int1_words) {
		h.p = TAKE(w, int_md1);
		if (!h.p)
			return false;
		h.hopml = WIRE_GET(int_md1, hopml, h.p);
		h.bits = WIRE_GET(int_md1, bits, h.p);
		return int_hops(w, &h);
	}
	h.p = TAKE(w, int_md);
	if (!h.p)
		return false;
	if (instructions_only)
		return walk_take(w, -1, "int words", h.rest);
	h.hopml = WIRE_GET(int_md, hopml, h.p);
	h.bits = WIRE_GET(int_md, bits, h.p);
	h.domain_bits = WIRE_GET(int_md, dbits, h.p);
	return int_hops(w, &h);
}

static enum layer int_version_1(struct walk *w)
{
	const uint8_t *p = TAKE(w, int_shim1);
	size_t size = p ? WORD * WIRE_GET(int_shim1, len, p) : 0;

	if (!p || !int_body(w, size < WORD ? 0 : size - WORD, false))
		return LAYER_END;
	w->out->tos = (uint8_t)(WIRE_GET(int_shim1, dscp, p) << 2 |
				(w->out->tos & 3));
	return walk_udp_port(w, WIRE_GET(udp, dport, w->udp));
}

static enum layer int_version_2(struct walk *w)
{
	const uint8_t *p = TAKE(w, int_shim);
	uint64_t original;

	if (!p)
		return LAYER_END;
	original = WIRE_GET(int_shim, original, p);
	if (!int_body(w, WORD * WIRE_GET(int_shim, len, p),
		      WIRE_GET(int_shim, type, p) != INT_TYPE_MD))
		return LAYER_END;
	switch (WIRE_GET(int_shim, npt, p)) {
	case 0:
		w->out->tos = (uint8_t)((original & 0xfc) | (w->out->tos & 3));
		return walk_udp_port(w, WIRE_GET(udp, dport, w->udp));
	case 1:
		w->dport = (uint16_t)original;
		return walk_udp_port(w, original);
	default:
		if ((original & 0xff) == PROTO_UDP)
			return LAYER_UDP;
		return walk_stop(w, PACKET_FOREIGN,
				 "INT around something else than UDP");
	}
}

/* The first byte of the shim is the type, 1 to 3, in the upper half in
 * version 2 and all of it in 1.0. */
enum layer walk_int(struct walk *w)
{
	if (w->have && *w->p && *w->p >> 4 == 0)
		return int_version_1(w);
	return int_version_2(w);
}

enum layer walk_int_gpe(struct walk *w)
{
	const uint8_t *p = TAKE(w, int_shim_gpe);

	if (!p || !int_body(w, WORD * WIRE_GET(int_shim_gpe, len, p),
			    WIRE_GET(int_shim_gpe, type, p) != INT_TYPE_MD))
		return LAYER_END;
	return walk_gpe_next(w, WIRE_GET(int_shim_gpe, next, p));
}

enum layer walk_int_gre(struct walk *w)
{
	const uint8_t *p = TAKE(w, int_shim_gre);

	if (!p || !int_body(w, WORD * WIRE_GET(int_shim_gre, len, p),
			    WIRE_GET(int_shim_gre, type, p) != INT_TYPE_MD))
		return LAYER_END;
	return walk_etype(w, (uint16_t)WIRE_GET(int_shim_gre, next, p));
}

/* What is too short for its header is an option like any other. */
bool walk_int_option(struct walk *w, uint64_t type, size_t size)
{
	if (type != INT_TYPE_MD || size < WIRE_SIZE_int_md)
		return walk_take(w, -1, "geneve option", size);
	return int_body(w, size, false);
}

/* INT has no port of its own.  That a whole shim and header stand there which
 * agree with each other, and that what they took the place of is a RoCE port,
 * does not happen by chance. */
static bool looks_like_int(const struct walk *w)
{
	const uint8_t *p = w->p, *h = p + WIRE_SIZE_int_shim;

	return w->have >= WIRE_SIZE_int_shim + WIRE_SIZE_int_md &&
	       WIRE_GET(int_shim, type, p) == INT_TYPE_MD &&
	       WIRE_GET(int_shim, npt, p) == 1 &&
	       WIRE_GET(int_shim, resv, p) == 0 &&
	       (walk_among(w->options->roce_ports,
			   WIRE_GET(int_shim, original, p)) ||
		walk_among(w->options->uet_ports,
			   WIRE_GET(int_shim, original, p))) &&
	       WIRE_GET(int_md, version, h) == 2 &&
	       WIRE_GET(int_md, resv, h) == 0 && WIRE_GET(int_md, bits, h) &&
	       WORD * WIRE_GET(int_md, hopml, h) ==
		       int_hop_size(int2_words, WIRE_GET(int_md, bits, h)) &&
	       WORD * WIRE_GET(int_shim, len, p) >= WIRE_SIZE_int_md;
}

/* --- behind UDP --- */

enum layer walk_telemetry_layer(struct walk *w, uint64_t port)
{
	const struct decode_options *o = w->options;

	if (o->int_dscp_mask &&
	    (w->out->tos >> 2 & o->int_dscp_mask) == o->int_dscp)
		return LAYER_INT;
	if (!walk_among(o->roce_ports, port) &&
	    !walk_among(o->uet_ports, port) &&
	    (walk_among(o->int_ports, port) || looks_like_int(w)))
		return LAYER_INT;
	return looks_like_ifa1(w) ? LAYER_IFA1 : LAYER_END;
}
