/* SPDX-License-Identifier: GPL-2.0-or-later
 * The Ultra Ethernet packet that makes up nearly all of a capture, in one
 * straight line: a data request of an established PDC, or its answer. */
#ifndef FABSCOPE_DECODE_PLAIN_UET_H
#define FABSCOPE_DECODE_PLAIN_UET_H

#include "decode/plain.h"
#include "decode/uet_read.h"
#include "decode/walk.h"

enum {
	PLAIN_UET_SES = WIRE_SIZE_pds_req,
	PLAIN_UET_HEADERS = PLAIN_UET_SES + WIRE_SIZE_ses_std,
};

/* The bits of the PDS header that are always the same: RUD or ROD, with a
 * standard request behind it, nothing reserved, no SYN. */
#define PLAIN_UET_PDS_BITS                                            \
	((WIRE_BITS(pds_req, type, 0) ^                               \
	  UINT64_C(1) << WIRE_SHIFT(pds_req, type, 0)) |              \
	 WIRE_BITS(pds_req, next, 0) | WIRE_BITS(pds_req, resv1, 0) | \
	 WIRE_BITS(pds_req, syn, 0) | WIRE_BITS(pds_req, resv2, 0))
#define PLAIN_UET_PDS                                            \
	((uint64_t)PDS_RUD_REQ << WIRE_SHIFT(pds_req, type, 0) | \
	 (uint64_t)SES_REQUEST_STD << WIRE_SHIFT(pds_req, next, 0))
_Static_assert(PDS_RUD_REQ == (PDS_ROD_REQ ^ 1), "they differ in that bit");

/* Of the SES header those that are 0. */
#define PLAIN_UET_SES_ZERO \
	(WIRE_BITS(ses_std, resv1, 0) | WIRE_BITS(ses_std, version, 0))
#define PLAIN_UET_SES_ZERO_8 \
	(WIRE_BITS(ses_std, resv3, 8) | WIRE_BITS(ses_std, resv4, 8))

/* Operations with data and no extension. */
#define PLAIN_UET_OP(op) (UINT64_C(1) << (op))
#define PLAIN_UET_OPS                                                          \
	(PLAIN_UET_OP(SES_WRITE) | PLAIN_UET_OP(SES_SEND) |                    \
	 PLAIN_UET_OP(SES_DATAGRAM_SEND) | PLAIN_UET_OP(SES_DEFERRABLE_SEND) | \
	 PLAIN_UET_OP(SES_TAGGED_SEND) | PLAIN_UET_OP(SES_DEFERRABLE_TSEND))

/* All of it has been read. */
#define PLAIN_UET_READ (UET_PDS | UET_REQUEST | UET_MESSAGE | UET_JOB | UET_SES)

/* Does the message's part that the packet with SES header |ses| claims fill
 * what there is, |left| bytes?  *offset: where it begins. */
static inline bool plain_uet_fills(const uint8_t *restrict ses, uint32_t flags,
				   size_t left, uint32_t *offset)
{
	uint64_t length = WIRE_GET(ses_std, request_length, ses);
	uint64_t more;

	*offset = 0;
	if (flags & UET_SOM)
		return flags & UET_EOM ? length == left : length > left;
	more = WIRE_WORD(ses_std_more, 32, ses);
	*offset = (uint32_t)WIRE_PART(ses_std_more, message_offset, 32, more);
	return left && more >> 32 == left && *offset + left <= length;
}

/* All of it, padding too: two packets may be compared byte by byte.  One by
 * one, as in plain_clear(). */
static inline void plain_uet_clear(struct uet *u)
{
	typedef uint64_t word __attribute__((may_alias));
	word *w = (word *)u;

	_Static_assert(sizeof *u == 8 * sizeof *w, "all of it");
	w[0] = 0;
	w[1] = 0;
	w[2] = 0;
	w[3] = 0;
	w[4] = 0;
	w[5] = 0;
	w[6] = 0;
	w[7] = 0;
}

/* The packet at |pds|, of which |have| of |declared| bytes were captured.
 * False for every other kind, and for what is odd in any way: then |out| has
 * not changed.  Not the CRC. */
static inline bool plain_uet(const uint8_t *restrict pds, size_t have,
			     size_t declared, bool native,
			     struct packet *restrict out)
{
	const uint8_t *ses = pds + PLAIN_UET_SES;
	size_t left = declared - PLAIN_UET_HEADERS - UET_TRAILER;
	struct uet *u = &out->uet;
	uint64_t p, s, s8;
	uint32_t flags, offset, psn;

	if (have < PLAIN_UET_HEADERS ||
	    declared < PLAIN_UET_HEADERS + UET_TRAILER)
		return false;
	p = WIRE_WORD(pds_req, 0, pds);
	s = WIRE_WORD(ses_std, 0, ses);
	s8 = WIRE_WORD(ses_std, 8, ses);
	flags = PLAIN_UET_READ |
		uet_ses_flags((uint8_t)(s >> WIRE_SHIFT(ses_std, som, 0))) |
		uet_pds_flags((uint8_t)(p >> WIRE_SHIFT(pds_req, resv2, 0)),
			      WIRE_RETX | WIRE_AR) |
		(native ? UET_NATIVE : 0);
	if ((p & PLAIN_UET_PDS_BITS) != PLAIN_UET_PDS ||
	    (s & PLAIN_UET_SES_ZERO) || (s8 & PLAIN_UET_SES_ZERO_8) ||
	    !(PLAIN_UET_OPS >> WIRE_PART(ses_std, opcode, 0, s) & 1) ||
	    !WIRE_GET(pds_req, dpdcid, pds) ||
	    !plain_uet_fills(ses, flags, left, &offset))
		return false;
	psn = (uint32_t)WIRE_PART(pds_req, psn, 0, p);
	out->psn = psn;
	out->payload = (uint32_t)left;
	out->status = PACKET_OK;
	out->kind = PACKET_UET;
	plain_uet_clear(u);
	u->flags = flags;
	u->type = (uint8_t)WIRE_PART(pds_req, type, 0, p);
	u->next = SES_REQUEST_STD;
	u->opcode = (uint8_t)WIRE_PART(ses_std, opcode, 0, s);
	u->spdcid = NUMBER(uint16_t, pds_req, spdcid, pds);
	u->dpdcid = NUMBER(uint16_t, pds_req, dpdcid, pds);
	u->message_id = (uint16_t)WIRE_PART(ses_std, message_id, 0, s);
	u->req.clear_psn = psn + (uint32_t)(int16_t)WIRE_PART(
					 pds_req, clear_psn_offset, 0, p);
	u->job_id = WIRE_PART(ses_std, job_id, 0, s) & 0xffffff;
	u->ri_generation = WIRE_PART(ses_std, ri_generation, 0, s) & 0xff;
	u->pid_on_fep = WIRE_PART(ses_std, pid_on_fep, 8, s8) & 0xfff;
	u->resource_index = WIRE_PART(ses_std, resource_index, 8, s8) & 0xfff;
	u->initiator = NUMBER(uint32_t, ses_std, initiator, ses);
	u->length = NUMBER(uint32_t, ses_std, request_length, ses);
	u->offset = offset;
	return true;
}

/* ---- answers ---- */

/* As above: ACK or ACK_CC, a response behind it; M and RETX may be set. */
#define PLAIN_UET_ACK_BITS                                           \
	(WIRE_BITS(pds_ack, type, 0) | WIRE_BITS(pds_ack, next, 0) | \
	 WIRE_BITS(pds_ack, epsn, 0) | WIRE_BITS(pds_ack, p, 0) |    \
	 WIRE_BITS(pds_ack, req, 0) | WIRE_BITS(pds_ack, resv, 0))
#define PLAIN_UET_ACK(type_)                                 \
	((uint64_t)(type_) << WIRE_SHIFT(pds_ack, type, 0) | \
	 (uint64_t)SES_RESPONSE << WIRE_SHIFT(pds_ack, next, 0))

/* The 20 bytes that make an ACK an ACK_CC. */
static inline bool plain_uet_cc(const uint8_t *restrict cc, uint32_t cack,
				struct uet *restrict u)
{
	uint64_t state = WIRE_WORD(pds_ack_nscc, 12, cc);

	if (WIRE_GET(pds_ack_cc, cc_flags, cc))
		return false;
	switch (WIRE_GET(pds_ack_cc, cc_type, cc)) {
	case CC_NSCC:
		u->flags |=
			UET_NSCC |
			FLAG_IF(WIRE_PART(pds_ack_nscc, rc, 12, state), UET_RC);
		u->ack.service_time = (uint16_t)WIRE_PART(
			pds_ack_nscc, service_time, 12, state);
		u->ack.penalty = (uint8_t)WIRE_PART(pds_ack_nscc, rcv_cwnd_pend,
						    12, state);
		u->ack.amount = (uint32_t)WIRE_PART(pds_ack_nscc, rcvd_bytes,
						    12, state);
		break;
	case CC_CREDIT:
		u->flags |= UET_CREDIT;
		u->ack.amount =
			(uint32_t)WIRE_PART(pds_ack_credit, credit, 12, state);
		break;
	default:
		return false;
	}
	u->ack.ooo_count =
		(uint16_t)WIRE_PART(pds_ack_nscc, ooo_count, 12, state);
	u->ack.mpr = NUMBER(uint8_t, pds_ack_cc, mpr, cc);
	u->ack.base = cack + SIGNED(pds_ack_cc, sack_psn_offset, cc);
	u->sack = WIRE_GET(pds_ack_cc, sack_bitmap, cc);
	return true;
}

/* The same as plain_uet(), but out->uet may be half written. */
static inline bool plain_uet_answer(const uint8_t *restrict pds, size_t have,
				    size_t declared, bool native,
				    struct packet *restrict out)
{
	const uint8_t *cc = pds + WIRE_SIZE_pds_ack, *ses = cc;
	struct uet *u = &out->uet;
	uint64_t p, s;
	uint32_t cack;
	bool with_cc;

	if (have < WIRE_SIZE_pds_ack + WIRE_SIZE_ses_rsp)
		return false;
	p = WIRE_WORD(pds_ack, 0, pds);
	with_cc = (p & PLAIN_UET_ACK_BITS) == PLAIN_UET_ACK(PDS_ACK_CC);
	ses += with_cc ? WIRE_SIZE_pds_ack_cc : 0;
	if ((!with_cc && (p & PLAIN_UET_ACK_BITS) != PLAIN_UET_ACK(PDS_ACK)) ||
	    have < (size_t)(ses - pds) + WIRE_SIZE_ses_rsp ||
	    declared != (size_t)(ses - pds) + WIRE_SIZE_ses_rsp + UET_TRAILER ||
	    !WIRE_GET(pds_ack, dpdcid, pds))
		return false;
	s = WIRE_WORD(ses_rsp, 0, ses);
	cack = (uint32_t)WIRE_PART(pds_ack, cack_psn, 0, p);
	plain_uet_clear(u);
	u->flags = UET_PDS | UET_RESPONSE | UET_MESSAGE | UET_JOB | UET_SES |
		   (native ? UET_NATIVE : 0) |
		   uet_pds_flags((uint8_t)(p >> WIRE_SHIFT(pds_ack, resv, 0)),
				 WIRE_M | WIRE_RETX);
	u->type = (uint8_t)WIRE_PART(pds_ack, type, 0, p);
	u->next = SES_RESPONSE;
	u->opcode = (uint8_t)WIRE_PART(ses_rsp, opcode, 0, s);
	u->return_code = (uint8_t)WIRE_PART(ses_rsp, return_code, 0, s);
	u->spdcid = NUMBER(uint16_t, pds_ack, spdcid, pds);
	u->dpdcid = NUMBER(uint16_t, pds_ack, dpdcid, pds);
	u->message_id = (uint16_t)WIRE_PART(ses_rsp, message_id, 0, s);
	u->ack.cack = cack;
	u->job_id = WIRE_PART(ses_rsp, job_id, 0, s) & 0xffffff;
	u->ri_generation = WIRE_PART(ses_rsp, ri_generation, 0, s) & 0xff;
	u->list = WIRE_PART(ses_rsp, list, 0, s) & 3;
	u->length = NUMBER(uint32_t, ses_rsp, modified_length, ses);
	if (WIRE_PART(ses_rsp, version, 0, s) ||
	    (with_cc && !plain_uet_cc(cc, cack, u)))
		return false;
	out->psn = cack +
		   (uint32_t)(int16_t)WIRE_PART(pds_ack, ack_psn_offset, 0, p);
	out->payload = 0;
	out->status = PACKET_OK;
	out->kind = PACKET_UET;
	return true;
}

/* ---- the frame around them ---- */

_Static_assert(WIRE_OFF(udp, sport) == WIRE_OFF(entropy, ev),
	       "one field for both");

/* Bytes in front of the PDS header. */
static inline size_t plain_uet_front(bool native)
{
	return WIRE_SIZE_ipv4 + (native ? WIRE_SIZE_entropy : WIRE_SIZE_udp);
}

static inline bool plain_uet_port(const uint8_t *udp,
				  const struct decode_options *options)
{
	uint16_t port = options->uet_ports[0];

	/* There is hardly ever a second port of RoCE. */
	return port && WIRE_GET(udp, dport, udp) == port &&
	       port != options->roce_ports[0] &&
	       (!options->roce_ports[1] ||
		!walk_among(options->roce_ports, port));
}

static inline bool plain_uet_entropy(const uint8_t *ip,
				     const struct decode_options *options)
{
	const uint8_t *entropy = ip + WIRE_SIZE_ipv4;

	return WIRE_GET(ipv4, proto, ip) == options->uet_protocols[0] &&
	       !WIRE_GET(entropy, resv, entropy);
}

/* What the IPv4 header at |ip| and the one behind it say, whose first eight
 * bytes are |head|, and zeros for what only RoCE has. */
static inline void plain_uet_route(const uint8_t *restrict ip, uint64_t head,
				   struct packet *restrict out)
{
	plain_route(ip, head, out);
	/* The source port stands where the entropy value stands. */
	out->sport = (uint16_t)WIRE_GET(udp, sport, ip + WIRE_SIZE_ipv4);
	out->dst_qp = 0;
	out->opcode = 0;
	out->flags = 0;
}

/* Everything behind an IPv4 header, of which |have| bytes were captured, all
 * of UDP at least.  |whole->len|: bytes from the PDS header on. */
static inline bool plain_uet_ip(const uint8_t *restrict ip, size_t have,
				const struct decode_options *options,
				struct packet *restrict out,
				struct plain_whole *restrict whole)
{
	const uint8_t *l4 = ip + WIRE_SIZE_ipv4;
	const uint64_t head = WIRE_WORD(ipv4, 0, ip);
	bool native = WIRE_GET(ipv4, proto, ip) != PROTO_UDP;
	size_t front = plain_uet_front(native);
	size_t total = WIRE_PART(ipv4, len, 0, head);

	have = have < total ? have : total;
	if ((head & PLAIN_BITS) != PLAIN_IPV4 || have < front ||
	    !(native ? plain_uet_entropy(ip, options)
		     : plain_uet_port(l4, options)) ||
	    (!native && WIRE_GET(udp, len, l4) > total - WIRE_SIZE_ipv4) ||
	    options->trimmed_dscps >> WIRE_PART(ipv4, dscp, 0, head) & 1 ||
	    (!plain_uet(ip + front, have - front, total - front, native, out) &&
	     !plain_uet_answer(ip + front, have - front, total - front, native,
			       out)))
		return false;
	plain_uet_route(ip, head, out);
	whole->ip = have == total && !options->skip_icrc ? ip : NULL;
	whole->len = total - front;
	return true;
}

static inline void plain_uet_crc(const struct plain_whole *w,
				 struct packet *restrict out)
{
	bool little = false;
	uint32_t found = 0; /* |out| may live in registers */

	if (!w->ip)
		return;
	out->icrc_status = (uint8_t)uet_crc(
		WIRE_PTR(ipv4, src, w->ip),
		w->ip + WIRE_PART(ipv4, len, 0, WIRE_WORD(ipv4, 0, w->ip)),
		&found, &little);
	out->icrc = found;
	out->uet.flags |= FLAG_IF(little, UET_CRC_LE);
}

/* ---- a packet like one before: as in plain.h ---- */

enum {
	PLAIN_UET_HEAD = 80,
	PLAIN_UET_SAID = PLAIN_SAID - WIRE_SIZE_bth + PLAIN_UET_SES +
			 WIRE_OFF(ses_std, buffer_offset) / 8,
};

_Static_assert(PLAIN_UET_SAID + WIRE_SIZE_vlan <= PLAIN_UET_HEAD,
	       "no room for a tag");

/* The bits that must be as they were. */
static inline void plain_uet_mask(uint8_t mask[static PLAIN_UET_HEAD],
				  size_t tag, bool native, bool answer)
{
	uint8_t *ip = mask + WIRE_SIZE_eth + tag, *l4 = ip + WIRE_SIZE_ipv4;
	uint8_t *pds = ip + plain_uet_front(native);
	uint8_t *ses = pds + PLAIN_UET_SES;

	memset(mask, 0, PLAIN_UET_HEAD);
	memset(mask, 0xff,
	       (size_t)(ses - mask) + WIRE_OFF(ses_std, buffer_offset) / 8);
	WIRE_SET(ipv4, id, ip, 0);
	WIRE_SET(ipv4, ecn, ip, 0);
	WIRE_SET(ipv4, csum, ip, 0);
	if (native) {
		WIRE_SET(entropy, ev, l4, 0);
	} else {
		WIRE_SET(udp, sport, l4, 0);
		WIRE_SET(udp, csum, l4, 0);
	}
	if (answer) { /* all but type, next header and the two numbers */
		memset(ses, 0, PLAIN_UET_HEAD - (size_t)(ses - mask));
		WIRE_SET(pds_prologue, flags, pds, 0);
		WIRE_SET(pds_ack, ack_psn_offset, pds, 0);
		WIRE_SET(pds_ack, cack_psn, pds, 0);
		return;
	}
	WIRE_SET(pds_req, ar, pds, 0);
	WIRE_SET(pds_req, clear_psn_offset, pds, 0);
	WIRE_SET(pds_req, psn, pds, 0);
	WIRE_SET(ses_std, message_id, ses, 0);
	WIRE_SET(ses_std, som, ses, 0);
	WIRE_SET(ses_std, eom, ses, 0);
}

/* |like| is a packet that others will be like: what they have of their own is
 * taken off. */
static inline void plain_uet_like(struct packet *like)
{
	like->icrc = 0;
	like->icrc_status = ICRC_UNCHECKABLE;
	like->uet.flags &= ~(uint32_t)(UET_AR | UET_CRC_LE | UET_SOM | UET_EOM);
}

/* Of a packet with its IPv4 header at |ip| and its PDS header at |pds|, whose
 * head is that of |like|: what it has of its own.  False when its lengths do
 * not fit. */
static inline bool plain_uet_again(const uint8_t *restrict ip,
				   const uint8_t *restrict pds,
				   const struct packet *restrict like,
				   struct packet *restrict out)
{
	const uint8_t *ses = pds + PLAIN_UET_SES;
	uint64_t p = WIRE_WORD(pds_req, 0, pds);
	uint32_t flags, offset;

	flags = like->uet.flags |
		uet_ses_flags(*WIRE_PTR(ses_std, version, ses)) |
		uet_pds_flags((uint8_t)(p >> WIRE_SHIFT(pds_req, resv2, 0)),
			      WIRE_AR);
	if (!plain_uet_fills(ses, flags, like->payload, &offset))
		return false;
	*out = *like;
	out->status = PACKET_OK; /* for the compiler to know */
	out->kind = PACKET_UET;
	out->flags = 0;
	out->ip_id = (uint16_t)WIRE_GET(ipv4, id, ip);
	out->tos = plain_tos(ip);
	out->sport = (uint16_t)WIRE_GET(udp, sport, ip + WIRE_SIZE_ipv4);
	out->psn = (uint32_t)WIRE_PART(pds_req, psn, 0, p);
	out->uet.flags = flags;
	out->uet.message_id = NUMBER(uint16_t, ses_std, message_id, ses);
	out->uet.req.clear_psn =
		out->psn +
		(uint32_t)(int16_t)WIRE_PART(pds_req, clear_psn_offset, 0, p);
	out->uet.initiator = NUMBER(uint32_t, ses_std, initiator, ses);
	out->uet.length = NUMBER(uint32_t, ses_std, request_length, ses);
	out->uet.offset = offset;
	return true;
}

#endif
