/* SPDX-License-Identifier: GPL-2.0-or-later
 * One frame, decoded flat: everything the state machines may ask of it.
 *
 * packet_decode() keeps no state, allocates nothing and never reads past the
 * captured octets.  Truncated, malformed, fragment and foreign are results. */
#ifndef FABSCOPE_DECODE_PACKET_H
#define FABSCOPE_DECODE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"

/* How far decoding got.  Only PACKET_OK may enter a PSN machine.
 *
 * Payload that the capture cut is no truncation; nor are the reserved octets
 * of a CNP.  An opcode that nobody described is OK too: the BTH is read,
 * payload is all behind it, and wire_opcode() gives no name.  So is an RD
 * opcode whose length rules RD out: Mellanox' DC, whose headers are not known.
 * Of PACKET_FRAGMENT the BTH is read when it is there.  Other kinds than ROCE
 * and CNP are FOREIGN when all of them was there. */
enum packet_status {
	PACKET_OK,        /* all headers the opcode promises were captured */
	PACKET_TRUNCATED, /* cut by the snap length inside the headers */
	PACKET_MALFORMED, /* contradicts itself: length rule, versions, ... */
	PACKET_FRAGMENT,  /* an IP fragment: no transport header, or half one */
	PACKET_FOREIGN,   /* not ours: see kind */
	PACKET_STATUSES
};

enum packet_kind {
	PACKET_OTHER, /* neither fabric transport nor link control */
	PACKET_ROCE,  /* RoCEv1 or v2, any opcode but CNP */
	PACKET_CNP,   /* RoCEv2 congestion notification, opcode 0x81 */
	PACKET_UET,   /* Ultra Ethernet, UDP 4793: counted */
	PACKET_PAUSE, /* 802.3x */
	PACKET_PFC,   /* 802.1Qbb */
	PACKET_LLDP,
	PACKET_UEC_CC, /* credits used, of UEC's credit-based flow control */
	PACKET_KINDS
};

/* RoCE invariant CRC at the tap (IBTA annex A17; reference 1.8).  Tags and
 * stamps of the link layer do not touch it.  With IPv4 options and IPv6
 * extension headers it is not settled what it covers: a match is GOOD, and no
 * match is UNCHECKABLE. */
enum icrc_status {
	ICRC_UNCHECKABLE, /* octets missing, a shim inserted, fragment */
	ICRC_GOOD,
	ICRC_BAD,
};

enum packet_flag {
	PACKET_V1 = 1 << 0, /* RoCEv1: GRH, no UDP */
	PACKET_IPV6 = 1 << 1,
	PACKET_SE = 1 << 2, /* solicited event */
	PACKET_MIGREQ = 1 << 3,
	PACKET_ACKREQ = 1 << 4,
	PACKET_HAS_RETH = 1 << 5,
	PACKET_HAS_AETH = 1 << 6,
	PACKET_HAS_DETH = 1 << 7,
	PACKET_HAS_IMM = 1 << 8,
	PACKET_HAS_XRCETH = 1 << 9,
	PACKET_HAS_CM = 1 << 10,    /* |mad| points at a whole CM MAD */
	PACKET_TUNNELLED = 1 << 11, /* was inside mirror/tunnel encapsulation */
	PACKET_MIRROR_SEQ = 1 << 12, /* mirror_seq/mirror_session are valid */
	PACKET_FECN = 1 << 13,
	PACKET_BECN = 1 << 14,
	PACKET_RESERVED_SET = 1 << 15, /* a reserved BTH bit is non-zero */
	PACKET_SHIM = 1 << 16,  /* telemetry shim or tag between layers */
	PACKET_STACK = 1 << 17, /* stack* are valid: telemetry of switches */
	PACKET_CSIG = 1 << 18,  /* csig_* are valid */
};

/* What |stack| points at: see stack.h. */
enum stack_form {
	STACK_XGS,  /* IFA entries of 32 octets, Broadcom XGS */
	STACK_DNX,  /* the same size, Broadcom DNX */
	STACK_INT2, /* INT 2 hops, behind an int_md header */
	STACK_INT1, /* INT 1.0 hops, behind an int_md1 header */
};

/* 152 octets, hot fields first. */
struct packet {
	/* where and when (from the frame) */
	int64_t ns;
	uint64_t frame;       /* number in its file, 1-based */
	struct addr src, dst; /* innermost IP, or GIDs for RoCEv1 */
	uint32_t tap;
	uint32_t wire_len; /* whole frame on the wire, outer headers too */

	/* transport */
	uint32_t psn;        /* 24 bit */
	uint32_t dst_qp;     /* 24 bit */
	uint32_t payload;    /* octets after extension headers, no pad; of link
			      * control those captured at |control| */
	uint32_t flags;      /* enum packet_flag */
	uint8_t status;      /* enum packet_status */
	uint8_t kind;        /* enum packet_kind */
	uint8_t opcode;      /* BTH opcode, all 8 bits */
	uint8_t icrc_status; /* enum icrc_status */
	uint8_t syndrome;    /* AETH */
	uint8_t tos;         /* TOS / traffic class: DSCP << 2 | ECN */
	uint8_t ttl;
	uint8_t pcp;      /* 802.1p of the innermost VLAN tag, 0xff none */
	uint32_t msn;     /* AETH, 24 bit */
	uint16_t sport;   /* UDP source port, 0 for RoCEv1 */
	uint16_t ip_id;   /* IPv4 identification, 0 for IPv6 */
	uint32_t icrc;    /* as on the wire, 0 when uncheckable */
	uint32_t src_qp;  /* DETH source QP / XRC SRQ number */
	uint32_t dma_len; /* RETH */
	uint16_t vlan;    /* innermost VLAN id, 0xffff none */
	uint16_t mirror_session;
	uint64_t src_mac;    /* 48 bit, of the Ethernet around the transport */
	uint64_t dst_mac;    /* likewise; 0 where there is none */
	uint32_t mirror_seq; /* ERSPAN II/III GRE sequence */
	uint32_t link_index; /* ERSPAN index/port, SLL2 ifindex: 0 none */
	union {
		const uint8_t *mad;     /* CM: 256 octets of MAD, else NULL */
		const uint8_t *control; /* link control: behind the EtherType;
					 * NULL in IP fragments */
	};

	/* telemetry, 0 without the flag; the tag's last is the innermost */
	const uint8_t *stack; /* newest hop first, all of it captured */
	uint32_t csig_value;
	uint16_t csig_locator;
	uint8_t csig_signal : 4;
	uint8_t stack_form : 4; /* enum stack_form */
	uint8_t stack_hops;
};

_Static_assert(sizeof(struct packet) <= 160, "keep the packet small");

/* Ports and types that are convention rather than law. */
struct decode_options {
	uint16_t roce_ports[4];  /* 0-terminated; default 4791 */
	uint16_t vxlan_ports[4]; /* 4789 */
	uint16_t int_ports[4];   /* none; INT around RoCE is recognised */
	/* DSCP that announces INT: dscp & mask == value; mask 0: none */
	uint8_t int_dscp, int_dscp_mask;
	uint8_t ifa_protocols[4]; /* 253 */
	uint16_t
		ifa_dnx; /* name spaces whose entries are DNX: bit per number */
	uint16_t csig_tpids[4];      /* 0x9900 */
	uint16_t csig_wide_tpids[4]; /* none */
	bool skip_icrc;              /* never compute ICRC */
};
extern const struct decode_options decode_defaults;

struct frame; /* capture/capture.h: decode does not depend on it */

/* What decode needs of a frame. */
struct decode_input {
	const uint8_t *data;
	uint32_t caplen, wirelen;
	uint16_t linktype;
	uint8_t fcs_len;
};

/* Fills every field of |out| except ns, frame and tap, which it leaves as
 * they are. */
void packet_decode(const struct decode_input *in,
		   const struct decode_options *options, struct packet *out);

#endif
