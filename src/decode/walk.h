/* SPDX-License-Identifier: GPL-2.0-or-later
 * Peeling a frame, header by header, down to the transport.  Internal to
 * decode.
 *
 * One walk serves two masters: packet_decode() when the frame is not of the
 * common shape, and packet_explain(), which only adds an observer.  So what
 * people are shown is what the engine saw.
 *
 * Two lengths go along.  |have| is captured, |declared| is what the enclosing
 * headers say there is; have <= declared at all times.  A header that does not
 * fit the declared length contradicts it: malformed.  One that the capture has
 * no room for is truncated.  An IP header inside declares a new length, also a
 * larger one: mirrors cut frames and correct only the outer lengths. */
#ifndef FABSCOPE_DECODE_WALK_H
#define FABSCOPE_DECODE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/icrc.h"
#include "decode/packet.h"
#include "wire/wire.h"

/* Declared behind a first fragment: the rest is somewhere else. */
#define DECLARED_UNKNOWN SIZE_MAX

/* What comes next. */
enum layer {
	LAYER_END,  /* stopped: out->status and why say how */
	LAYER_NULL, /* from here on what a capture may begin with */
	LAYER_LOOP,
	LAYER_SLL,
	LAYER_SLL2,
	LAYER_ERF,
	LAYER_LRH,
	LAYER_ETHERNET,
	LAYER_VLAN,
	LAYER_CSIG,
	LAYER_CSIG_WIDE,
	LAYER_ARISTA,
	LAYER_MPLS,
	LAYER_MAC_CONTROL,
	LAYER_LLDP,
	LAYER_IP, /* version by its first nibble */
	LAYER_IPV4,
	LAYER_IPV6,
	LAYER_UDP,
	LAYER_IFA,
	LAYER_IFA1,
	LAYER_INT,
	LAYER_INT_GPE,
	LAYER_GRE,
	LAYER_VXLAN,
	LAYER_VXLAN_GPE,
	LAYER_GENEVE,
	LAYER_UET,
	LAYER_UET_NATIVE,
	LAYER_ROCE_V1,
	LAYER_ROCE_V2,
	LAYER_IB_LOCAL, /* behind an LRH: BTH, GRH */
	LAYER_IB_GLOBAL,
	LAYERS
};

struct explain_part;

struct walk {
	const uint8_t *frame;
	const uint8_t *p;      /* next byte that nobody has looked at */
	size_t have, declared; /* from p on */
	const struct decode_options *options;
	struct packet *out;

	uint8_t layers; /* peeled so far, tags not counted */
	uint8_t ether_in_ip;
	bool in_ip;
	bool cut;             /* an IP packet around here is a fragment */
	bool fragment;        /* ... and it is the innermost */
	bool inexact;         /* the ICRC's coverage is not settled */
	bool ifa_gre;         /* IFA around GRE: its metadata come behind it */
	uint8_t ifa_gns;      /* ... of this name space */
	uint16_t mirror_vlan; /* as the mirror header has it, 0xffff none */
	uint8_t mirror_pcp;
	uint32_t mirror_seq; /* of the last GRE header */
	enum icrc_route route_kind;
	const uint8_t *ether; /* the innermost Ethernet header, NULL: none */
	const uint8_t *route; /* the innermost IP header, GRH or LRH */
	const uint8_t *udp;   /* the UDP header behind it, NULL: none */
	uint32_t label; /* flow label of an IPv6 header with a list of segments
			 * around it; 0: there is none */
	/* Telemetry stands between route and transport, and took the place of
	 * UDP destination port |dport|; 0: did not. */
	bool shimmed;
	uint16_t dport;
	/* Where the packet ends that a tunnel over UDP wraps around others,
	 * counted from |frame|, 0: there is none; and whether a switch cut it
	 * there, by its UDP length, which trimming leaves as it was, or DSCP.
	 * A mirror that cuts what it wraps writes lengths that agree. */
	size_t wrapped_end;
	bool wrapped_trimmed;

	uint32_t right; /* what the ICRC should be */

	const char *why; /* where and why it stopped */
	const char *at;
	void (*see)(void *ctx, const struct explain_part *part);
	void *ctx;
};

void walk_init(struct walk *w, const struct decode_input *in,
	       const struct decode_options *options, struct packet *out);
void walk_run(struct walk *w, uint16_t linktype);

/* The walk without an observer and without the fast path in front of it. */
void packet_decode_general(const struct decode_input *in,
			   const struct decode_options *options,
			   struct packet *out);

/* --- for the layers --- */

/* Ends the walk. |why| is static text. */
enum layer walk_stop(struct walk *w, enum packet_status status,
		     const char *why);

/* Shows bytes from |p| on to the observer, which there must be. */
void walk_show(const struct walk *w, int id, const char *name, const uint8_t *p,
	       size_t length);

/* Goes over |length| bytes, which the capture may have cut. */
void walk_pass(struct walk *w, const char *name, size_t length);

/* Stops for lack of |n| bytes for |name|; NULL. */
const uint8_t *walk_lack(struct walk *w, const char *name, size_t n);

/* The next |n| bytes as header |id| (-1: none that is described) called
 * |name|; NULL when they are not all there: the walk has stopped then. */
static inline const uint8_t *walk_take(struct walk *w, int id, const char *name,
				       size_t n)
{
	const uint8_t *p = w->p;

	if (w->have < n)
		return walk_lack(w, name, n);
	if (!n)
		return p;
	w->at = name;
	if (w->see)
		walk_show(w, id, name, p, n);
	w->p += n;
	w->have -= n;
	w->declared -= n;
	return p;
}
#define TAKE(w, h) walk_take((w), WIRE_##h, #h, WIRE_SIZE_##h)

/* Narrows the declared length to |n| bytes, or widens it. */
static inline void walk_declare(struct walk *w, size_t n)
{
	w->declared = n;
	if (w->have > n)
		w->have = n;
}

/* The packet is not known to have segments any more. */
static inline void walk_forget_way(struct walk *w)
{
	if (w->out->flags & PACKET_SRV6)
		w->out->srv6 = NULL;
	w->out->flags &= ~(uint32_t)PACKET_SRV6;
}

/* Is |number| in a list that 0 ends? */
static inline bool walk_among(const uint16_t list[static 4], uint64_t number)
{
	for (int i = 0; i < 4 && list[i]; i++)
		if (list[i] == number)
			return true;
	return false;
}

/* The layer that an EtherType selects; LAYER_END if none, without a stop. */
enum layer walk_etype_layer(const struct walk *w, uint16_t type);
/* The same, and stops the walk when there is none. */
enum layer walk_etype(struct walk *w, uint16_t type);

/* The upper half of the next byte; -1 when there is none: stopped. */
int walk_nibble(struct walk *w);

/* What follows a GRE header of protocol |type|, with a sequence or without. */
enum layer walk_gre_type(struct walk *w, uint16_t type, bool sequenced);

/* What follows a UDP header whose destination port is, or was, |port|. */
enum layer walk_udp_port(struct walk *w, uint64_t port);
/* The telemetry behind UDP, if it is any; LAYER_END, without a stop. */
enum layer walk_telemetry_layer(struct walk *w, uint64_t port);
/* Bytes from the begin of an INT hop of these instructions to the metadata
 * of |bit|, counted from the most significant; |old| is version 1.0. */
unsigned walk_int_offset(bool old, uint16_t bits, unsigned bit);
/* What follows a VXLAN-GPE header that says |next|. */
enum layer walk_gpe_next(struct walk *w, uint64_t next);

/* May an entropy header begin here, and UET behind it, by what is captured? */
bool walk_looks_like_uet(const struct walk *w);
/* May IFA 2.0 begin here, by what is captured? */
bool walk_looks_like_ifa(const struct walk *w);

/* Behind the header of a tunnel over UDP: notes where what it wraps ends. */
void walk_wrapped(struct walk *w);
/* Does Ethernet begin at byte |at| from here? */
bool walk_looks_like_ethernet(const struct walk *w, size_t at);

enum layer walk_linktype(struct walk *w, uint16_t linktype);
enum layer walk_null(struct walk *w);
enum layer walk_loop(struct walk *w);
enum layer walk_sll(struct walk *w);
enum layer walk_sll2(struct walk *w);
enum layer walk_erf(struct walk *w);
enum layer walk_lrh(struct walk *w);
enum layer walk_ethernet(struct walk *w);
enum layer walk_vlan(struct walk *w);
enum layer walk_csig(struct walk *w);
enum layer walk_csig_wide(struct walk *w);
enum layer walk_arista(struct walk *w);
enum layer walk_mpls(struct walk *w);
enum layer walk_mac_control(struct walk *w);
enum layer walk_lldp(struct walk *w);
enum layer walk_ip(struct walk *w);
enum layer walk_ipv4(struct walk *w);
enum layer walk_ipv6(struct walk *w);
enum layer walk_udp(struct walk *w);
enum layer walk_ifa(struct walk *w);
enum layer walk_ifa1(struct walk *w);
enum layer walk_int(struct walk *w);
enum layer walk_int_gpe(struct walk *w);
/* Behind a GRE header of the type that is configured for INT. */
enum layer walk_int_gre(struct walk *w);
/* |size| bytes of the GENEVE option |type| of INT. */
bool walk_int_option(struct walk *w, uint64_t type, size_t size);
/* What IFA puts behind the header that it took for L4. */
bool walk_ifa_metadata(struct walk *w);
enum layer walk_gre(struct walk *w);
enum layer walk_vxlan(struct walk *w);
enum layer walk_vxlan_gpe(struct walk *w);
enum layer walk_geneve(struct walk *w);
enum layer walk_uet(struct walk *w);
/* Behind the UDP header of a port that is nobody's: PACKET_LIKE_UET? */
void walk_uet_unknown_port(struct walk *w);
enum layer walk_uet_native(struct walk *w);
enum layer walk_roce_v1(struct walk *w);
enum layer walk_roce_v2(struct walk *w);
enum layer walk_ib_local(struct walk *w);
enum layer walk_ib_global(struct walk *w);

#endif
