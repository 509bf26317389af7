/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ultra Ethernet packets: TSS, packet delivery sublayer (PDS), CRC.  Layouts
 * are in wire/uet.def. */
#include "decode/uet.h"

#include "base/crc32.h"
#include "decode/uet_read.h"

/* --- packet delivery sublayer --- */

#define NEXT_SET(n) (1u << (n))
#define NO_SES      NEXT_SET(SES_NONE)
#define SES_REQUESTS                                                           \
	(NO_SES | NEXT_SET(SES_REQUEST_SMALL) | NEXT_SET(SES_REQUEST_MEDIUM) | \
	 NEXT_SET(SES_REQUEST_STD))
#define SES_RESPONSES                                                    \
	(NO_SES | NEXT_SET(SES_RESPONSE) | NEXT_SET(SES_RESPONSE_DATA) | \
	 NEXT_SET(SES_RESPONSE_DATA_SMALL))
/* A READ's data comes as a request of the other direction. */
#define SES_ANY (SES_REQUESTS | SES_RESPONSES)

enum pds_class {
	PDS_REQUEST,
	PDS_NO_PDC,
	PDS_ANSWER,
	PDS_REFUSAL,
	PDS_CONTROL
};

/* What each PDS type has; size 0: no such type. */
static const struct pds {
	uint8_t size;     /* bytes */
	uint8_t reserved; /* of the seven flag bits */
	uint8_t next;     /* which next headers may follow */
	uint8_t class;
} types[32] = {
	[PDS_RUD_REQ] = { 12, 0x63, SES_ANY, PDS_REQUEST },
	[PDS_ROD_REQ] = { 12, 0x63, SES_ANY, PDS_REQUEST },
	[PDS_RUD_CC_REQ] = { 16, 0x63, SES_ANY, PDS_REQUEST },
	[PDS_ROD_CC_REQ] = { 16, 0x63, SES_ANY, PDS_REQUEST },
	[PDS_RUDI_REQ] = { 8, 0x6f, SES_REQUESTS, PDS_NO_PDC },
	[PDS_RUDI_RESP] = { 8, 0x4f, SES_RESPONSES, PDS_NO_PDC },
	[PDS_UUD_REQ] = { 4, 0x7f, SES_REQUESTS, PDS_NO_PDC },
	[PDS_ACK] = { 12, 0x01, SES_RESPONSES, PDS_ANSWER },
	[PDS_ACK_CC] = { 32, 0x41, SES_RESPONSES, PDS_ANSWER },
	[PDS_ACK_CCX] = { 40, 0x41, SES_RESPONSES, PDS_ANSWER },
	[PDS_NACK] = { 16, 0x47, NO_SES, PDS_REFUSAL },
	[PDS_NACK_CCX] = { 32, 0x47, NO_SES, PDS_REFUSAL },
	[PDS_CP] = { 16, 0x43, SES_ANY, PDS_CONTROL },
};

enum { UPTO_SACK = WIRE_SIZE_pds_ack + 12 };

static inline void read_request(struct uet_reading *r, const uint8_t *p,
				uint8_t flags)
{
	struct uet *u = r->uet;
	uint32_t psn = NUMBER(uint32_t, pds_req, psn, p);

	u->flags |= uet_pds_flags(flags, WIRE_RETX | WIRE_AR | WIRE_SYN);
	u->spdcid = NUMBER(uint16_t, pds_req, spdcid, p);
	u->req.clear_psn = psn + SIGNED(pds_req, clear_psn_offset, p);
	r->out->psn = psn;
	if (flags & WIRE_SYN) {
		u->req.start_psn =
			psn - NUMBER(uint32_t, pds_req_syn, psn_offset, p);
	} else {
		u->dpdcid = NUMBER(uint16_t, pds_req, dpdcid, p);
		r->odd |= !u->dpdcid;
	}
	if (u->type == PDS_RUD_REQ || u->type == PDS_ROD_REQ)
		return;
	p += WIRE_SIZE_pds_req;
	u->req.ccc_id = NUMBER(uint8_t, pds_req_cc, ccc_id, p);
	u->req.credit_target = NUMBER(uint32_t, pds_req_cc, credit_target, p);
}

static void read_no_pdc(struct uet_reading *r, const uint8_t *p, uint8_t flags)
{
	struct uet *u = r->uet;

	if (u->type == PDS_UUD_REQ) {
		r->odd |= WIRE_GET(pds_uud, resv2, p) != 0;
		return;
	}
	r->odd |= WIRE_GET(pds_rudi, resv3, p) != 0;
	u->flags |= UET_RUDI | uet_pds_flags(flags, WIRE_M | WIRE_RETX);
	r->out->psn = NUMBER(uint32_t, pds_rudi, pkt_id, p);
}

static inline void read_cc_state(struct uet_reading *r, const uint8_t *p)
{
	struct uet *u = r->uet;

	r->odd |= WIRE_GET(pds_ack_cc, cc_flags, p) != 0;
	switch (WIRE_GET(pds_ack_cc, cc_type, p)) {
	case CC_NSCC:
		u->flags |= UET_NSCC | FLAG(pds_ack_nscc, rc, p, UET_RC);
		u->ack.amount = NUMBER(uint32_t, pds_ack_nscc, rcvd_bytes, p);
		u->ack.service_time =
			NUMBER(uint16_t, pds_ack_nscc, service_time, p);
		u->ack.penalty =
			NUMBER(uint8_t, pds_ack_nscc, rcv_cwnd_pend, p);
		u->ack.ooo_count = NUMBER(uint16_t, pds_ack_nscc, ooo_count, p);
		break;
	case CC_CREDIT:
		u->flags |= UET_CREDIT;
		u->ack.amount = NUMBER(uint32_t, pds_ack_credit, credit, p);
		u->ack.ooo_count =
			NUMBER(uint16_t, pds_ack_credit, ooo_count, p);
		break;
	default:
		r->odd = true;
	}
}

/* What the target asks for. */
static inline uint32_t asks(const uint8_t *p)
{
	static const uint32_t asked[] = {
		[PDS_REQ_CLEAR] = UET_REQ_CLEAR,
		[PDS_REQ_CLOSE] = UET_REQ_CLOSE,
		[3] = 0,
	};

	return asked[WIRE_GET(pds_ack, req, p)];
}

static inline void read_answer(struct uet_reading *r, const uint8_t *p,
			       uint8_t flags)
{
	struct uet *u = r->uet;
	uint32_t cack = NUMBER(uint32_t, pds_ack, cack_psn, p);

	u->flags |= uet_pds_flags(flags, WIRE_M | WIRE_RETX) |
		    FLAG(pds_ack, p, p, UET_PROBE) | asks(p);
	u->spdcid = NUMBER(uint16_t, pds_ack, spdcid, p);
	u->dpdcid = NUMBER(uint16_t, pds_ack, dpdcid, p);
	u->ack.cack = cack;
	r->odd |= !u->dpdcid || WIRE_GET(pds_ack, req, p) > PDS_REQ_CLOSE;
	if (WIRE_GET(pds_ack, p, p))
		u->ack.opaque =
			NUMBER(uint16_t, pds_ack_probe, probe_opaque, p);
	else
		r->out->psn = cack + SIGNED(pds_ack, ack_psn_offset, p);
	if (u->type == PDS_ACK)
		return;
	p += WIRE_SIZE_pds_ack;
	u->ack.mpr = NUMBER(uint8_t, pds_ack_cc, mpr, p);
	u->ack.base = cack + SIGNED(pds_ack_cc, sack_psn_offset, p);
	u->sack = WIRE_GET(pds_ack_cc, sack_bitmap, p);
	if (u->type == PDS_ACK_CC && r->have >= types[PDS_ACK_CC].size)
		read_cc_state(r, p);
}

static void read_refusal(struct uet_reading *r, const uint8_t *p, uint8_t flags)
{
	struct uet *u = r->uet;

	u->flags |= uet_pds_flags(flags, WIRE_M | WIRE_RETX) |
		    FLAG(pds_nack, nt, p, UET_RUDI);
	u->spdcid = NUMBER(uint16_t, pds_nack, spdcid, p);
	u->dpdcid = NUMBER(uint16_t, pds_nack, dpdcid, p);
	u->nack.code = NUMBER(uint8_t, pds_nack, nack_code, p);
	u->nack.vendor = NUMBER(uint8_t, pds_nack, vendor_code, p);
	u->nack.payload = NUMBER(uint32_t, pds_nack, payload, p);
	r->out->psn = NUMBER(uint32_t, pds_nack, nack_psn, p);
}

static void read_control(struct uet_reading *r, const uint8_t *p, uint8_t flags)
{
	struct uet *u = r->uet;
	uint32_t psn = NUMBER(uint32_t, pds_cp, psn, p);

	u->flags |= uet_pds_flags(flags, WIRE_RETX | WIRE_AR | WIRE_SYN) |
		    FLAG(pds_cp, isrod, p, UET_ISROD);
	u->spdcid = NUMBER(uint16_t, pds_cp, spdcid, p);
	u->cp.opaque = NUMBER(uint16_t, pds_cp, probe_opaque, p);
	if (flags & WIRE_SYN)
		u->cp.start_psn =
			psn - NUMBER(uint32_t, pds_cp_syn, psn_offset, p);
	else
		u->dpdcid = NUMBER(uint16_t, pds_cp, dpdcid, p);
	r->odd |= (!u->dpdcid && !(u->flags & UET_SYN)) ||
		  (u->cp.opaque && u->next != CP_PROBE);
	r->out->psn = psn;
	p += WIRE_SIZE_pds_cp;
	u->cp.payload = NUMBER(uint32_t, cp_payload, payload, p);
}

static inline void read_class(struct uet_reading *r, uint8_t class,
			      uint8_t flags)
{
	switch ((enum pds_class) class) {
	case PDS_REQUEST:
		read_request(r, r->p, flags);
		break;
	case PDS_NO_PDC:
		read_no_pdc(r, r->p, flags);
		break;
	case PDS_ANSWER:
		read_answer(r, r->p, flags);
		break;
	case PDS_REFUSAL:
		read_refusal(r, r->p, flags);
		break;
	case PDS_CONTROL:
		read_control(r, r->p, flags);
		break;
	}
}

/* A newer closing ACK has four bytes more; elsewhere its flag is reserved. */
static bool expected_psn(struct uet_reading *r, uint8_t flags)
{
	size_t least = WIRE_SIZE_pds_epsn + UET_TRAILER;
	bool set = r->uet->type == PDS_ACK && flags & 0x40;

	if (!set)
		return true;
	if (r->declared < least) {
		r->suspect = true;
		return true;
	}
	if (r->have < WIRE_SIZE_pds_epsn)
		return uet_lack(r, "pds_epsn", WIRE_SIZE_pds_epsn);
	r->uet->flags |= UET_EPSN;
	r->uet->ack.base = NUMBER(uint32_t, pds_epsn, expected_psn, r->p);
	uet_advance(r, WIRE_SIZE_pds_epsn);
	return true;
}

/* The snaplen cut within an acknowledgement, but behind its SACK: what it says
 * of congestion is missing. */
static bool read_cut(struct uet_reading *r, const struct pds *row,
		     uint8_t flags)
{
	if (row->class != PDS_ANSWER || r->have < UPTO_SACK ||
	    r->declared < row->size || r->wrapped ||
	    (r->uet->next != SES_NONE && r->uet->next != SES_RESPONSE))
		return false;
	read_answer(r, r->p, flags);
	r->uet->flags |= UET_PDS;
	r->shape->cut = row->size;
	uet_advance(r, WIRE_SIZE_pds_ack);
	return true;
}

static inline void read_pds(struct uet_reading *r)
{
	struct uet *u = r->uet;
	const struct pds *row = &types[u->type];
	uint8_t flags = NUMBER(uint8_t, pds_prologue, flags, r->p);
	bool control = row->class == PDS_CONTROL;

	u->next = NUMBER(uint8_t, pds_prologue, next, r->p);
	r->suspect |= (flags & row->reserved) != 0;
	r->suspect |=
		u->next > (control ? CP_NEGOTIATION : SES_RESPONSE_DATA_SMALL);
	if (r->have < row->size) {
		if (!read_cut(r, row, flags))
			uet_lack(r, "pds", row->size);
		return;
	}
	read_class(r, row->class, flags);
	u->flags |= UET_PDS;
	uet_advance(r, row->size);
	if (!expected_psn(r, flags))
		return;
	if (control || u->next == SES_NONE)
		/* More than the CRC behind it is not of UET. */
		r->suspect |= r->declared > UET_TRAILER;
	else if (row->next >> u->next & 1)
		uet_read_ses(r);
	else
		uet_stop(r, PACKET_MALFORMED, "pds",
			 "this type carries no such next header");
}

/* --- transport security --- */

/* Configured: |n| bytes behind the TSS are not encrypted.  What is in the
 * union stays what the TSS says. */
static void read_clear(struct uet_reading *r, size_t n)
{
	struct uet_reading clear = *r;
	struct uet *u = r->uet;
	struct uet tss = *u;
	uint8_t type, flags;

	if (n < WIRE_SIZE_pds_prologue || r->have < WIRE_SIZE_pds_prologue)
		return;
	type = NUMBER(uint8_t, pds_prologue, type, r->p);
	if (!types[type].size)
		return;
	u->type = type;
	u->next = NUMBER(uint8_t, pds_prologue, next, r->p);
	if (n < types[type].size || r->have < types[type].size)
		return;
	flags = NUMBER(uint8_t, pds_prologue, flags, r->p);
	read_class(&clear, types[type].class, flags);
	u->flags |= UET_PDS;
	u->tsc = tss.tsc;
	u->tss = tss.tss;
}

/* VXLAN on this port begins like a TSS without SSI in domain 0: eight bytes
 * that say so, and the head of an IP packet where Ethernet has it, which is
 * ciphertext by chance in one packet of 2^19. */
static bool is_vxlan(const struct uet_reading *r)
{
	const uint8_t *p = r->p, *eth = p + WIRE_SIZE_vxlan;
	const uint8_t *ip = eth + WIRE_SIZE_eth;
	uint64_t type;

	if (r->have < WIRE_SIZE_vxlan + WIRE_SIZE_eth + 1 ||
	    WIRE_WORD(vxlan, 0, p) >> 32 != UINT64_C(0x08000000) ||
	    WIRE_WORD(vxlan, 0, p) & 0xff)
		return false;
	type = WIRE_GET(eth, type, eth);
	return (type == ETYPE_IPV4 && *ip >> 4 == 4) ||
	       (type == ETYPE_IPV6 && *ip >> 4 == 6);
}

static void read_tss(struct uet_reading *r, const struct decode_options *o)
{
	const uint8_t *p = r->p;
	struct uet *u = r->uet;
	bool ssi = WIRE_GET(tss, sp, p);
	size_t size =
		WIRE_SIZE_tss + (ssi ? WIRE_SIZE_tss_ssi : WIRE_SIZE_tss_tsc);

	if (r->have < size) {
		uet_lack(r, "tss", size);
		return;
	}
	r->suspect |= WIRE_GET(tss, resv, p) || is_vxlan(r);
	u->flags |= UET_TSS;
	u->tss.sdi = NUMBER(uint32_t, tss, sdi, p);
	u->tss.an = NUMBER(uint8_t, tss, an, p);
	p += WIRE_SIZE_tss;
	if (ssi) {
		u->tss.sp = true;
		u->tss.ssi = NUMBER(uint32_t, tss_ssi, ssi, p);
		u->tsc = WIRE_GET(tss_ssi, epoch, p) << 48 |
			 WIRE_GET(tss_ssi, counter, p);
	} else {
		u->tsc = WIRE_GET(tss_tsc, epoch, p) << 48 |
			 WIRE_GET(tss_tsc, counter, p);
	}
	uet_advance(r, size);
	if (r->declared < WIRE_SIZE_uet_icv)
		uet_trimmed(r, 0);
	else
		r->out->payload = (uint32_t)(r->declared - WIRE_SIZE_uet_icv);
	if (o->uet_clear)
		read_clear(r, o->uet_clear);
}

/* --- all of it --- */

static void read_packet(struct uet_reading *r, const struct uet_place *at,
			const struct decode_options *o)
{
	struct uet *u = r->uet;

	if (at->promised > at->declared) {
		u->flags |= UET_TRIMMED | UET_TRIM_SURE;
		u->cut = at->promised - at->declared;
	} else if (o->trimmed_dscps >> (r->out->tos >> 2) & 1) {
		u->flags |= UET_TRIMMED | UET_TRIM_SURE;
	}
	if (r->have < WIRE_SIZE_pds_prologue) {
		uet_lack(r, "pds", WIRE_SIZE_pds_prologue);
		return;
	}
	u->type = NUMBER(uint8_t, pds_prologue, type, r->p);
	if (types[u->type].size) {
		read_pds(r);
	} else if (u->type == PDS_TSS) {
		read_tss(r, o);
	} else {
		r->suspect = true;
		uet_stop(r, PACKET_FOREIGN, "pds", "a type nobody described");
	}
}

uint32_t uet_crc_right(const uint8_t *covered, const uint8_t *end)
{
	return ~crc32c_add(CRC32_START, covered,
			   (size_t)(end - UET_TRAILER - covered));
}

/* Nobody knows whether a sender may leave it out: BAD is no proof of damage. */
enum icrc_status uet_crc(const uint8_t *covered, const uint8_t *end,
			 uint32_t *found, bool *little)
{
	const uint8_t *at = end - UET_TRAILER;
	uint32_t sum = uet_crc_right(covered, end);

	*found = NUMBER(uint32_t, uet_crc, crc, at);
	*little = sum != *found && __builtin_bswap32(sum) == *found;
	return sum == *found || *little ? ICRC_GOOD : ICRC_BAD;
}

uint32_t uet_cut(const struct uet *u)
{
	return u->flags & UET_TRIMMED && uet_has_cut(u) ? (uint32_t)u->cut : 0;
}

bool uet_begins(const uint8_t *p)
{
	unsigned type = NUMBER(unsigned, pds_prologue, type, p);
	unsigned next = NUMBER(unsigned, pds_prologue, next, p);

	return type == PDS_TSS ||
	       (types[type].size &&
		(type == PDS_CP ? next <= CP_NEGOTIATION
				: types[type].next >> next & 1));
}

/* Nothing that was read means what it seemed to. */
static void not_uet(struct packet *out, struct uet_shape *shape)
{
	out->kind = PACKET_NOT_UET;
	out->status = PACKET_FOREIGN;
	out->icrc_status = ICRC_UNCHECKABLE;
	out->icrc = out->psn = out->payload = 0;
	shape->at = "uet";
	shape->why = "hardly Ultra Ethernet, in spite of port or protocol";
}

/* Bytes behind the payload that are no padding. */
static size_t trailer(const struct uet_reading *r)
{
	size_t room = r->declared - r->out->payload;
	bool secured = r->uet->type == PDS_TSS || r->uet->flags & UET_TSS;
	size_t size = secured ? WIRE_SIZE_uet_icv : UET_TRAILER;

	return r->uet->flags & UET_TRIMMED || room < size ? 0 : size;
}

void uet_decode(const struct uet_place *at, const struct decode_options *o,
		struct packet *out, struct uet_shape *shape)
{
	struct uet_reading r = {
		.p = at->p,
		.have = at->have,
		.declared = at->declared,
		.out = out,
		.uet = &out->uet,
		.shape = shape,
		.suspect = at->suspect,
		.wrapped = at->wrapped,
	};

	*shape = (struct uet_shape) { 0 };
	out->kind = PACKET_UET;
	out->status = PACKET_OK;
	out->uet = (struct uet) { .flags = at->native ? UET_NATIVE : 0 };
	read_packet(&r, at, o);
	shape->trailer = trailer(&r);
	if (shape->trailer == UET_TRAILER && at->have == at->declared &&
	    at->covered && (r.suspect || !o->skip_icrc)) {
		bool little;

		out->icrc_status = (uint8_t)uet_crc(
			at->covered, at->p + at->declared, &out->icrc, &little);
		out->uet.flags |= FLAG_IF(little, UET_CRC_LE);
	}
	if (r.suspect && out->icrc_status != ICRC_GOOD)
		not_uet(out, shape);
	else
		r.uet->flags |= FLAG_IF(r.suspect | r.odd, UET_ODD);
}
