/* SPDX-License-Identifier: GPL-2.0-or-later
 * One frame, decoded flat: everything the state machines may ask of it.
 *
 * packet_decode() keeps no state, allocates nothing and never reads past the
 * captured bytes.  Truncated, malformed, fragment and foreign are results. */
#ifndef FABSCOPE_DECODE_PACKET_H
#define FABSCOPE_DECODE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"

/* How far decoding got.  Only PACKET_OK may enter a PSN machine.
 *
 * Payload that the capture cut is no truncation; nor are extension headers
 * that nobody needs to follow PSNs, such as the RETH: then their flag is not
 * set.  An opcode that nobody described is OK too: the BTH is read,
 * payload is all behind it, and wire_opcode() gives no name.  So is
 * one of the RD service: Mellanox' DC, whose headers are not public.
 * Of PACKET_FRAGMENT the BTH is read when it is there.  Other kinds than ROCE,
 * CNP and UET are FOREIGN when all of them was there.
 *
 * UET that a switch trimmed is OK: flag UET_TRIMMED.  So is a packet of a PDC
 * whose SES header the snaplen cut.
 * Of UET that was cut, everything that the flags promise is right. */
enum packet_status {
	PACKET_OK,        /* all headers that are needed were captured */
	PACKET_TRUNCATED, /* cut by the snaplen inside the headers */
	PACKET_MALFORMED, /* contradicts itself: length rule, versions, ... */
	PACKET_FRAGMENT,  /* an IP fragment: no transport header, or half one */
	PACKET_FOREIGN,   /* not ours: see kind */
	PACKET_STATUSES
};

enum packet_kind {
	PACKET_OTHER, /* neither fabric transport nor link control */
	PACKET_ROCE,  /* RoCEv1, v2 or native InfiniBand, any opcode but CNP */
	PACKET_CNP,   /* congestion notification: opcode 0x81, natively 0x80 */
	PACKET_UET,   /* Ultra Ethernet: see |uet| */
	PACKET_PAUSE, /* 802.3x */
	PACKET_PFC,   /* 802.1Qbb */
	PACKET_LLDP,
	PACKET_UEC_CC,  /* credits used, of UEC's credit-based flow control */
	PACKET_NOT_UET, /* on UET's port or IP protocol, yet hardly UET */
	/* of a link type, or ERF record type, that nobody described here: what
	 * is inside may be anything */
	PACKET_UNREADABLE,
	PACKET_KINDS
};

/* RoCE invariant CRC (IBTA annex A17) or UET CRC, at the tap.
 * Tags and stamps of the link layer do not touch it.  With IPv4 options and
 * IPv6 extension headers it is not settled what it covers: a match is GOOD, and
 * no match is UNCHECKABLE.  Of UET nobody knows if the CRC may be left out:
 * BAD is bad or absent. */
enum icrc_status {
	ICRC_UNCHECKABLE, /* bytes missing, a shim inserted, fragment */
	ICRC_GOOD,
	ICRC_BAD,
};

enum packet_flag {
	PACKET_V1 = 1 << 0, /* no UDP: RoCEv1, native InfiniBand */
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
	PACKET_SHIM = 1 << 16,     /* telemetry shim or tag between layers */
	PACKET_STACK = 1 << 17,    /* stack* are valid: telemetry of switches */
	PACKET_CSIG = 1 << 18,     /* csig_* are valid */
	PACKET_EXTENDED = 1 << 19, /* CNP: reserved bytes are not zero */
	/* on a UDP port that is nobody's, and reads as UET: |uet|, psn and
	 * icrc_status are what they were if it was; it proves nothing */
	PACKET_LIKE_UET = 1 << 20,
	PACKET_SRV6 = 1 << 21, /* |srv6| is valid; never with PACKET_STACK */
	/* kind OTHER: TCP from or to a port of NVMe over TCP; sport, port and
	 * payload, which are of TCP, are valid */
	PACKET_NVME_TCP = 1 << 22,
	PACKET_MRC = 1 << 23, /* kind ROCE: |mrc| is valid */
};

enum mrc_flag {
	MRC_RETRANSMITTED = 1,
	MRC_OF_PROBE = 2, /* SACK: the response to a probe */
};

/* Of a packet of MRC: wire/mrc.def. */
struct mrc {
	uint8_t flags;   /* enum mrc_flag */
	uint8_t code;    /* SACK: MRC_M_NONE, ...; NACK: MRC_TRIMMED, ... */
	uint8_t penalty; /* SACK: of the receiver, 0 none */
};

/* What |stack| points at: see stack.h. */
enum stack_form {
	STACK_XGS,  /* IFA entries of 32 bytes, Broadcom XGS */
	STACK_DNX,  /* the same size, Broadcom DNX */
	STACK_INT2, /* INT 2 hops, behind an int_md header */
	STACK_INT1, /* INT 1.0 hops, behind an int_md1 header */
};

/* Of a UET packet.  What the wire calls reserved is not here. */
enum uet_flag {
	/* what was read: each says that fields of struct uet are valid */
	UET_PDS = 1 << 0,       /* all of the PDS header */
	UET_REQUEST = 1 << 1,   /* SES: opcode, SOM, EOM, ... of a request */
	UET_RESPONSE = 1 << 2,  /* SES: opcode and return code of a response */
	UET_MESSAGE = 1 << 3,   /* message_id: not of small, medium requests */
	UET_JOB = 1 << 4,       /* job_id */
	UET_SES = 1 << 5,       /* all of the SES header, extensions too */
	UET_TSS = 1 << 6,       /* encrypted: tsc and tss are valid; of the PDS
				 * what is outside the union, with UET_PDS */
	UET_NATIVE = 1 << 7,    /* IP protocol and entropy header, no UDP */
	UET_TRIMMED = 1 << 8,   /* a switch cut payload, perhaps headers too */
	UET_TRIM_SURE = 1 << 9, /* ... by DSCP or UDP length, not by guess */
	UET_ODD = 1 << 10,      /* reserved bits are set, or a value is odd */
	UET_CRC_LE = 1 << 11, /* icrc_status GOOD is of the other byte order */
	/* PDS; the first four as on the wire */
	UET_SYN = 1 << 12,
	UET_AR = 1 << 13,
	UET_RETX = 1 << 14,  /* ACK, NACK: the packet answered had it */
	UET_M = 1 << 15,     /* the packet answered had a CE mark */
	UET_PROBE = 1 << 16, /* ACK of a probe: ack.opaque, no ACK_PSN */
	UET_RUDI = 1 << 17,  /* RUDI, or a NACK of it: psn is a packet id */
	UET_ISROD = 1 << 18,
	UET_EPSN = 1 << 19, /* ack.base is the expected PSN */
	UET_REQ_CLEAR = 1 << 20,
	UET_REQ_CLOSE = 1 << 21,
	UET_NSCC = 1 << 22,   /* ack: receiver state for a sender's window */
	UET_CREDIT = 1 << 23, /* ack: credit granted */
	UET_RC = 1 << 24,     /* NSCC: restore the window */
	/* SES request; as on the wire */
	UET_SOM = 1 << 25,
	UET_EOM = 1 << 26,
	UET_HD = 1 << 27,
	UET_REL = 1 << 28,
	UET_IE = 1 << 29,
	UET_DC = 1 << 30,
};

/* The transport and semantic layers of UET; wire/uet.def says what they are.
 * Which member of the union holds follows from type. */
struct uet {
	uint32_t flags;      /* enum uet_flag */
	uint8_t type;        /* PDS_RUD_REQ, ... */
	uint8_t next;        /* SES_REQUEST_STD, ...; CP_CLOSE, ... of a CP */
	uint8_t opcode;      /* SES: SES_WRITE, ... or SES_RSP_DEFAULT, ... */
	uint8_t return_code; /* SES response */
	uint16_t spdcid;     /* 0: none */
	uint16_t dpdcid;     /* 0: none, or not known yet (SYN) */
	uint16_t message_id;
	uint16_t read_message_id; /* SES response with data: of the READ */
	union {
		uint64_t sack; /* ACK_CC, ACK_CCX: bit i is base + i */
		uint64_t tsc;  /* TSS: epoch << 48 | counter */
		uint64_t cut;  /* the others: see uet_cut() */
	};
	union {
		struct {
			uint32_t clear_psn;
			uint32_t start_psn;     /* SYN */
			uint32_t credit_target; /* ..._CC_REQ, 24 bit */
			uint8_t ccc_id;
		} req; /* RUD and ROD; UUD has nothing, RUDI psn only */
		struct {
			uint32_t cack;
			uint32_t base;   /* of sack; EPSN: expected PSN */
			uint32_t amount; /* 24 bit, cumulative: received, in
					  * 256 bytes, or credit */
			uint16_t service_time; /* NSCC, 128 ns; 0 invalid */
			uint16_t ooo_count;    /* 0xffff invalid */
			uint8_t mpr;           /* PSN range / 128; 0 none */
			uint8_t penalty;       /* rcv_cwnd_pend */
			uint16_t opaque;
		} ack;
		struct {
			uint32_t payload;
			uint8_t code; /* NACK_TRIMMED, ... */
			uint8_t vendor;
		} nack;
		struct {
			uint32_t payload;   /* all 32 bits */
			uint32_t start_psn; /* SYN */
			uint16_t opaque;
		} cp;
		struct {
			uint32_t sdi; /* 24 bit */
			uint32_t ssi; /* 0 when absent */
			uint8_t an;   /* key generation, 0 or 1 */
			bool sp;      /* there is an SSI */
		} tss;
	};
	uint32_t job_id : 24;
	uint32_t ri_generation : 8;
	uint32_t pid_on_fep : 12, resource_index : 12;
	uint32_t list : 2;  /* SES response: expected, overflow */
	uint32_t initiator; /* SES: medium and standard requests */
	uint32_t length;    /* of the message; response: bytes accepted */
	uint32_t offset;    /* of the payload in the message; small
				 * response with data: PSN of the request */
};

/* Bytes that a switch cut off, 0 when it did not or nothing tells. */
uint32_t uet_cut(const struct uet *u);

/* First what every frame has, then, from |msn| on, what is 0 unless a header
 * says otherwise; |uet| last, which only UET writes. */
struct packet {
	/* where and when (from the frame) */
	int64_t ns;
	uint64_t order; /* among all frames of all files; 0: not kept */
	uint64_t frame; /* number in its file, 1-based */
	/* innermost IP, or GIDs, LIDs without UDP; see PACKET_SRV6 */
	struct addr src, dst;
	uint32_t tap;
	uint32_t wire_len; /* frame on the wire, without mirror and tunnel */
	uint64_t src_mac;  /* 48 bit, of the Ethernet around the transport */
	uint64_t dst_mac;  /* likewise; 0 where there is none */

	/* transport */
	/* RoCE: 24 bit.  UET: 32 bit, what the packet is about: its own PSN
	 * (requests, CP), ACK_PSN, NACK PSN; RUDI: packet id */
	uint32_t psn;
	uint32_t dst_qp;     /* 24 bit */
	uint32_t payload;    /* bytes after extension headers, no pad; of link
			      * control those captured at |control| */
	uint32_t flags;      /* enum packet_flag */
	uint8_t status;      /* enum packet_status */
	uint8_t kind;        /* enum packet_kind */
	uint8_t opcode;      /* BTH opcode, all 8 bits */
	uint8_t icrc_status; /* enum icrc_status */
	/* TOS / traffic class: DSCP << 2 | ECN.  Natively the ECN bits stand
	 * for FECN: CE when it is set, else ECT(0). */
	uint8_t tos;
	uint8_t ttl;
	uint8_t pcp;      /* 802.1p of the innermost VLAN tag, 0xff none */
	uint8_t syndrome; /* AETH */
	uint16_t sport;   /* UDP source port or UET entropy, 0 for RoCEv1 */
	uint16_t ip_id;   /* IPv4 identification, 0 for IPv6 */
	uint16_t vlan;    /* innermost VLAN id, 0xffff none */
	uint16_t mirror_session;

	uint32_t msn;  /* AETH, 24 bit */
	uint32_t icrc; /* as on the wire, 0 when uncheckable */
	union {
		uint32_t src_qp; /* DETH source QP / XRC SRQ number */
		uint32_t port;   /* kind OTHER: UDP destination port, when it
				  * is nobody's; see PACKET_NVME_TCP */
		struct mrc mrc;  /* see PACKET_MRC */
	};
	uint32_t dma_len;       /* RETH */
	uint32_t mirror_seq;    /* ERSPAN II/III GRE sequence */
	uint32_t mirror_switch; /* who numbered it: of the outer address */
	union {
		const uint8_t *mad;     /* CM: 256 bytes of MAD, else NULL */
		const uint8_t *control; /* link control: behind the EtherType;
					 * NULL in IP fragments */
		uint64_t label; /* PACKET_MRC: 20 bits each: flow labels of
				 * an IPv6 header with a list of segments
				 * around it, and of the one in front of its
				 * UDP; 0: there is none */
	};

	union {
		/* telemetry, 0 without the flag; newest hop first, all of it
		 * captured */
		const uint8_t *stack;
		/* the 16 bytes of the destination that is a list of segments,
		 * as it is at this capture point; |dst| is the host */
		const uint8_t *srv6;
	};
	/* the tag's last is the innermost */
	uint32_t csig_value;
	uint16_t csig_locator;
	uint8_t csig_signal : 4;
	uint8_t stack_form : 4; /* enum stack_form */
	uint8_t stack_hops;

	struct uet uet; /* of kind UET or like it, else not said */
};

_Static_assert(sizeof(struct packet) <= 224, "keep the packet small");

/* Addresses that are lists of segments: srv6.h. */
struct srv6_block {
	uint64_t prefix;
	uint8_t bits;    /* of prefix, 16 to 64; 0: none */
	bool only_lists; /* nobody has an address of his own in it */
};
enum { SRV6_BLOCKS = 6 };

/* Ports and types that are convention rather than law. */
struct decode_options {
	uint16_t roce_ports[4];  /* 0-terminated; default 4791 */
	uint16_t vxlan_ports[4]; /* 4789 */
	uint16_t uet_ports[4];   /* 4793 */
	uint16_t int_ports[4];   /* none; INT around RoCE is recognized */
	/* DSCP that announces INT: dscp & mask == value; mask 0: none */
	uint8_t int_dscp, int_dscp_mask;
	uint16_t int_gre;         /* GRE protocol type of INT; 0: none */
	uint8_t ifa_protocols[4]; /* 253 */
	uint8_t uet_protocols[4]; /* 253; what looks like IFA is IFA */
	uint8_t uet_clear;        /* bytes behind a TSS not encrypted; 0 */
	uint64_t trimmed_dscps;   /* bit n: DSCP n says "UET, trimmed"; 0 */
	uint16_t
		ifa_dnx; /* name spaces whose entries are DNX: bit per number */
	uint16_t csig_tpids[4];      /* 0x9900 */
	uint16_t csig_wide_tpids[4]; /* none */
	/* 5f00::/16 (RFC 9602), and fcbb:bb00::/32, which most examples of
	 * SRv6 use, but not only they */
	struct srv6_block srv6[SRV6_BLOCKS];
	bool skip_icrc; /* never compute ICRC */
};
extern const struct decode_options decode_defaults;

struct frame; /* capture/capture.h: decode does not depend on it */

/* What decode needs of a frame.  The small fields are kept apart: compilers
 * read neighbours at once, and what was just written one by one is then waited
 * for until all stores before it are done. */
struct decode_input {
	const uint8_t *data;
	uint32_t caplen;
	uint16_t linktype;
	uint32_t wirelen;
	uint8_t fcs_len;
};

/* Fills every field of |out| except ns, order, frame and tap, which it leaves
 * as they are, and uet when the packet is none. */
void packet_decode(const struct decode_input *in,
		   const struct decode_options *options, struct packet *out);

#endif
