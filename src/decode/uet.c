/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ultra Ethernet packets: TSS, packet delivery sublayer (PDS), semantic
 * sublayer (SES), payload, CRC.  Layouts are in wire/uet.def. */
#include "decode/uet.h"

#include "decode/transport.h"
#include "wire/wire.h"

enum {
	TRAILER_CRC = WIRE_SIZE_uet_crc,
	TRAILER_ICV = WIRE_SIZE_uet_icv,
	/* What a switch that trims leaves of a packet at least. */
	TRIM_LEAST = 16,
	SES_VENDOR_FIRST = 0x30,
	PDS_PROLOGUE_FLAGS = 0x7f,
};

/* A packet while it is read: the octets from p on, as in walk.h. */
struct reading {
	const uint8_t *p;
	size_t have, claimed;
	struct packet *out;
	struct uet *uet;
	struct uet_shape *shape;
	bool doubt; /* something that UET of the 1.0 versions has not */
};

#define NUMBER(type, h, f, p) ((type)WIRE_GET(h, f, p))
#define SIGNED(h, f, p)       ((uint32_t)(int16_t)WIRE_GET(h, f, p))
#define FLAG(h, f, p, flag)   FLAG_IF(WIRE_GET(h, f, p), flag)

static void stop(struct reading *r, enum packet_status status, const char *at,
		 const char *why)
{
	if (r->shape->why)
		return;
	r->out->status = (uint8_t)status;
	r->shape->at = at;
	r->shape->why = why;
}

/* Stops for want of |n| octets; false. */
static bool lack(struct reading *r, const char *at, size_t n)
{
	if (r->claimed < n)
		stop(r, PACKET_MALFORMED, at, "no room for this header");
	else
		stop(r, PACKET_TRUNCATED, at, "cut inside this header");
	return false;
}

static void advance(struct reading *r, size_t n)
{
	r->p += n;
	r->have -= n;
	r->claimed -= n;
	r->shape->headers += n;
}

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
	uint8_t size;     /* octets */
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

static inline void read_request(struct reading *r, const uint8_t *p)
{
	struct uet *u = r->uet;
	uint32_t psn = NUMBER(uint32_t, pds_req, psn, p);

	u->flags |=
		FLAG(pds_req, retx, p, UET_RETX) | FLAG(pds_req, ar, p, UET_AR);
	u->spdcid = NUMBER(uint16_t, pds_req, spdcid, p);
	u->req.clear_psn = psn + SIGNED(pds_req, clear_psn_offset, p);
	r->out->psn = psn;
	if (WIRE_GET(pds_req, syn, p)) {
		u->flags |= UET_SYN;
		u->req.start_psn =
			psn - NUMBER(uint32_t, pds_req_syn, psn_offset, p);
	} else {
		u->dpdcid = NUMBER(uint16_t, pds_req, dpdcid, p);
	}
	if (u->type == PDS_RUD_REQ || u->type == PDS_ROD_REQ)
		return;
	p += WIRE_SIZE_pds_req;
	u->req.ccc_id = NUMBER(uint8_t, pds_req_cc, ccc_id, p);
	u->req.credit_target = NUMBER(uint32_t, pds_req_cc, credit_target, p);
}

static void read_no_pdc(struct reading *r, const uint8_t *p)
{
	struct uet *u = r->uet;

	if (u->type == PDS_UUD_REQ)
		return;
	u->flags |= UET_RUDI | FLAG(pds_rudi_resp, m, p, UET_M) |
		    FLAG(pds_rudi, retx, p, UET_RETX);
	r->out->psn = NUMBER(uint32_t, pds_rudi, pkt_id, p);
}

static inline void read_cc_state(struct uet *u, const uint8_t *p)
{
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
		break;
	}
}

static inline void read_answer(struct reading *r, const uint8_t *p)
{
	struct uet *u = r->uet;
	uint32_t cack = NUMBER(uint32_t, pds_ack, cack_psn, p);

	u->flags |= FLAG(pds_ack, m, p, UET_M) |
		    FLAG(pds_ack, retx, p, UET_RETX) |
		    FLAG(pds_ack, p, p, UET_PROBE) |
		    FLAG_IF(WIRE_GET(pds_ack, req, p) == PDS_REQ_CLEAR,
			    UET_REQ_CLEAR) |
		    FLAG_IF(WIRE_GET(pds_ack, req, p) == PDS_REQ_CLOSE,
			    UET_REQ_CLOSE);
	u->spdcid = NUMBER(uint16_t, pds_ack, spdcid, p);
	u->dpdcid = NUMBER(uint16_t, pds_ack, dpdcid, p);
	u->ack.cack = cack;
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
	if (u->type == PDS_ACK_CC)
		read_cc_state(u, p);
}

static void read_refusal(struct reading *r, const uint8_t *p)
{
	struct uet *u = r->uet;

	u->flags |= FLAG(pds_nack, m, p, UET_M) |
		    FLAG(pds_nack, retx, p, UET_RETX) |
		    FLAG(pds_nack, nt, p, UET_RUDI);
	u->spdcid = NUMBER(uint16_t, pds_nack, spdcid, p);
	u->dpdcid = NUMBER(uint16_t, pds_nack, dpdcid, p);
	u->nack.code = NUMBER(uint8_t, pds_nack, nack_code, p);
	u->nack.vendor = NUMBER(uint8_t, pds_nack, vendor_code, p);
	u->nack.payload = NUMBER(uint32_t, pds_nack, payload, p);
	r->out->psn = NUMBER(uint32_t, pds_nack, nack_psn, p);
}

static void read_control(struct reading *r, const uint8_t *p)
{
	struct uet *u = r->uet;
	uint32_t psn = NUMBER(uint32_t, pds_cp, psn, p);

	u->flags |= FLAG(pds_cp, isrod, p, UET_ISROD) |
		    FLAG(pds_cp, retx, p, UET_RETX) |
		    FLAG(pds_cp, ar, p, UET_AR) | FLAG(pds_cp, syn, p, UET_SYN);
	u->spdcid = NUMBER(uint16_t, pds_cp, spdcid, p);
	u->cp.opaque = NUMBER(uint16_t, pds_cp, probe_opaque, p);
	if (WIRE_GET(pds_cp, syn, p))
		u->cp.start_psn =
			psn - NUMBER(uint32_t, pds_cp_syn, psn_offset, p);
	else
		u->dpdcid = NUMBER(uint16_t, pds_cp, dpdcid, p);
	r->out->psn = psn;
	p += WIRE_SIZE_pds_cp;
	u->cp.payload = NUMBER(uint32_t, cp_payload, payload, p);
}

static inline void read_class(struct reading *r, uint8_t class)
{
	switch ((enum pds_class) class) {
	case PDS_REQUEST:
		read_request(r, r->p);
		break;
	case PDS_NO_PDC:
		read_no_pdc(r, r->p);
		break;
	case PDS_ANSWER:
		read_answer(r, r->p);
		break;
	case PDS_REFUSAL:
		read_refusal(r, r->p);
		break;
	case PDS_CONTROL:
		read_control(r, r->p);
		break;
	}
}

/* A newer closing ACK has four octets more; elsewhere its flag is reserved. */
static bool expected_psn(struct reading *r, uint8_t flags)
{
	size_t least = WIRE_SIZE_pds_epsn + TRAILER_CRC;
	bool set = r->uet->type == PDS_ACK && flags & 0x40;

	if (!set)
		return true;
	if (r->claimed < least) {
		r->doubt = true;
		return true;
	}
	if (r->have < WIRE_SIZE_pds_epsn)
		return lack(r, "pds_epsn", WIRE_SIZE_pds_epsn);
	r->uet->flags |= UET_EPSN;
	r->uet->ack.base = NUMBER(uint32_t, pds_epsn, expected_psn, r->p);
	advance(r, WIRE_SIZE_pds_epsn);
	return true;
}

/* False when there is nothing more to read. */
static inline bool read_pds(struct reading *r)
{
	struct uet *u = r->uet;
	const struct pds *row = &types[u->type];
	uint8_t flags = NUMBER(uint8_t, pds_prologue, flags, r->p);
	bool control = row->class == PDS_CONTROL;

	u->next = NUMBER(uint8_t, pds_prologue, next, r->p);
	if (u->next > (control ? CP_NEGOTIATION : SES_RESPONSE_DATA_SMALL))
		r->doubt = true;
	r->doubt |= (flags & row->reserved) != 0;
	if (r->have < row->size)
		return lack(r, "pds", row->size);
	read_class(r, row->class);
	u->flags |= UET_PDS;
	advance(r, row->size);
	if (!expected_psn(r, flags) || control)
		return false;
	if (!(row->next >> u->next & 1)) {
		stop(r, PACKET_MALFORMED, "pds",
		     "this type carries no such next header");
		return false;
	}
	return u->next != SES_NONE;
}

/* --- semantic sublayer: requests --- */

enum ses_payload {
	CARRIES_UNKNOWN, /* what there is */
	CARRIES_NONE,
	CARRIES_DATA,  /* request_length octets of a whole message */
	CARRIES_EAGER, /* the rendezvous extension says how much */
};

/* What a standard request of each operation has behind it. */
static const struct operation {
	uint8_t extension; /* octets */
	uint8_t payload;   /* enum ses_payload */
	bool known;
} operations[64] = {
	[SES_NO_OP] = { 0, CARRIES_NONE, true },
	[SES_WRITE] = { 0, CARRIES_DATA, true },
	[SES_READ] = { 0, CARRIES_NONE, true },
	[SES_ATOMIC] = { WIRE_SIZE_ses_atomic, CARRIES_DATA, true },
	[SES_FETCHING_ATOMIC] = { WIRE_SIZE_ses_atomic, CARRIES_DATA, true },
	[SES_SEND] = { 0, CARRIES_DATA, true },
	[SES_RENDEZVOUS_SEND] = { WIRE_SIZE_ses_rendezvous, CARRIES_EAGER,
				  true },
	[SES_DATAGRAM_SEND] = { 0, CARRIES_DATA, true },
	[SES_DEFERRABLE_SEND] = { 0, CARRIES_DATA, true },
	[SES_TAGGED_SEND] = { 0, CARRIES_DATA, true },
	[SES_RENDEZVOUS_TSEND] = { WIRE_SIZE_ses_rendezvous, CARRIES_EAGER,
				   true },
	[SES_DEFERRABLE_TSEND] = { 0, CARRIES_DATA, true },
	[SES_DEFERRABLE_RTR] = { 0, CARRIES_NONE, true },
	[SES_TSEND_ATOMIC] = { WIRE_SIZE_ses_atomic, CARRIES_DATA, true },
	[SES_TSEND_FETCH_ATOMIC] = { WIRE_SIZE_ses_atomic, CARRIES_DATA, true },
	[SES_MSG_ERROR] = { 0, CARRIES_NONE, true },
	[SES_SYNC_WRITE] = { WIRE_SIZE_ses_sync, CARRIES_DATA, true },
	[SES_SYNC_ATOMIC] = { WIRE_SIZE_ses_sync_atomic, CARRIES_DATA, true },
	[SES_OP_EXTENSION] = { 0, CARRIES_UNKNOWN, true },
};

static bool known(uint8_t opcode)
{
	return operations[opcode].known || opcode >= SES_VENDOR_FIRST;
}

/* The octets of an SES header that a trimmed or cut packet still has. */
struct ses {
	const uint8_t *p;
	size_t there; /* captured */
};

#define HAS(s, h, f) ((s).there >= (WIRE_OFF(h, f) + WIRE_WIDTH(h, f) + 7) / 8)

/* The twelve octets that all requests begin with. */
static inline void read_common(struct reading *r, struct ses s)
{
	struct uet *u = r->uet;
	const uint8_t *p = s.p;

	if (!HAS(s, ses_std, som))
		return;
	u->opcode = NUMBER(uint8_t, ses_std, opcode, p);
	u->flags |=
		UET_REQUEST | FLAG(ses_std, som, p, UET_SOM) |
		FLAG(ses_std, eom, p, UET_EOM) | FLAG(ses_std, dc, p, UET_DC) |
		FLAG(ses_std, ie, p, UET_IE) | FLAG(ses_std, rel, p, UET_REL) |
		FLAG(ses_std, hd, p, UET_HD);
	if (WIRE_GET(ses_std, version, p) || !known(u->opcode))
		r->doubt = true;
	if (!HAS(s, ses_std, message_id))
		return;
	if (u->next == SES_REQUEST_STD) {
		u->flags |= UET_MESSAGE;
		u->message_id = NUMBER(uint16_t, ses_std, message_id, p);
	} else {
		u->length = NUMBER(uint32_t, ses_small, request_length, p);
	}
	if (!HAS(s, ses_std, job_id))
		return;
	u->flags |= UET_JOB;
	u->ri_generation = NUMBER(uint8_t, ses_std, ri_generation, p);
	u->job_id = WIRE_GET(ses_std, job_id, p) & 0xffffff;
	if (!HAS(s, ses_std, resource_index))
		return;
	u->pid_on_fep = WIRE_GET(ses_std, pid_on_fep, p) & 0xfff;
	u->resource_index = WIRE_GET(ses_std, resource_index, p) & 0xfff;
}

static bool compares(const uint8_t *atomic)
{
	uint8_t amo = NUMBER(uint8_t, ses_atomic, amo_opcode, atomic);

	return amo >= AMO_CSWAP && amo <= AMO_CSWAP_GT;
}

/* Octets of the whole SES header, as far as it is there to tell. */
static size_t request_size(const struct reading *r, struct ses s)
{
	const struct operation *op = &operations[r->uet->opcode];
	const uint8_t *extension = s.p + WIRE_SIZE_ses_std;
	size_t size;

	if (r->uet->next == SES_REQUEST_SMALL)
		return WIRE_SIZE_ses_small;
	if (r->uet->next == SES_REQUEST_MEDIUM)
		return WIRE_SIZE_ses_medium;
	size = WIRE_SIZE_ses_std + op->extension;
	if (op->extension == WIRE_SIZE_ses_atomic && s.there >= size &&
	    r->uet->opcode != SES_SYNC_WRITE && compares(extension))
		size += WIRE_SIZE_ses_cswap;
	return size;
}

/* What the packet with SES header |p| carries, when |part| octets of the
 * message are its share, all of them if |exact|, and |left| octets stand
 * behind the headers. */
static size_t carried(const struct reading *r, const uint8_t *p, size_t part,
		      bool exact, size_t left)
{
	const struct uet *u = r->uet;
	const struct operation *op = &operations[u->opcode];

	if (op->payload == CARRIES_NONE)
		return 0;
	if (op->payload == CARRIES_UNKNOWN)
		return left;
	/* Nobody knows where small and medium requests have extensions. */
	if (op->extension && u->next != SES_REQUEST_STD)
		return left;
	p += WIRE_SIZE_ses_std;
	if (op->payload == CARRIES_EAGER && u->flags & UET_SOM)
		part = NUMBER(uint32_t, ses_rendezvous, eager_length, p);
	/* Operands to compare and swap are counted as payload. */
	if (op->extension == WIRE_SIZE_ses_atomic &&
	    u->opcode != SES_SYNC_WRITE && compares(p))
		part -= part < WIRE_SIZE_ses_cswap ? part : WIRE_SIZE_ses_cswap;
	return exact || part < left ? part : left;
}

static const char *contradiction(const struct reading *r, size_t part,
				 size_t payload)
{
	const struct uet *u = r->uet;
	bool single = u->next != SES_REQUEST_STD;
	bool data = operations[u->opcode].payload == CARRIES_DATA;

	if (single && (u->flags & (UET_SOM | UET_EOM)) != (UET_SOM | UET_EOM))
		return "more than one packet in a form that has one";
	if (!(u->flags & UET_SOM) && (uint64_t)u->offset + part > u->length)
		return "the payload is beyond the end of the message";
	if (data && !single && payload >= u->length &&
	    (u->flags & (UET_SOM | UET_EOM)) == UET_SOM)
		return "the message is complete, yet goes on";
	return NULL;
}

/* A whole request at |p|; what it says it carries. */
static inline size_t read_request_rest(struct reading *r, const uint8_t *p,
				       size_t left)
{
	struct uet *u = r->uet;
	bool exact = u->flags & UET_EOM;
	size_t part, payload;
	const char *wrong;

	u->flags |= UET_SES;
	if (u->next == SES_REQUEST_STD) {
		u->initiator = NUMBER(uint32_t, ses_std, initiator, p);
		u->length = NUMBER(uint32_t, ses_std, request_length, p);
	} else if (u->next == SES_REQUEST_MEDIUM) {
		u->initiator = NUMBER(uint32_t, ses_medium, initiator, p);
	}
	part = u->length;
	if (!(u->flags & UET_SOM) && u->next == SES_REQUEST_STD) {
		u->offset = NUMBER(uint32_t, ses_std_more, message_offset, p);
		part = NUMBER(size_t, ses_std_more, payload_length, p);
		exact = true;
	}
	payload = carried(r, p, part, exact, left);
	wrong = contradiction(r, part, payload);
	if (wrong)
		stop(r, PACKET_MALFORMED, "ses", wrong);
	return payload;
}

/* --- semantic sublayer: responses --- */

static const uint8_t response_sizes[] = {
	[SES_RESPONSE] = WIRE_SIZE_ses_rsp,
	[SES_RESPONSE_DATA] = WIRE_SIZE_ses_rsp_data,
	[SES_RESPONSE_DATA_SMALL] = WIRE_SIZE_ses_rsp_data_small,
};

static inline void read_response(struct reading *r, struct ses s)
{
	struct uet *u = r->uet;
	const uint8_t *p = s.p;

	if (!HAS(s, ses_rsp, return_code))
		return;
	u->flags |= UET_RESPONSE;
	u->list = WIRE_GET(ses_rsp, list, p) & 3;
	u->opcode = NUMBER(uint8_t, ses_rsp, opcode, p);
	u->return_code = NUMBER(uint8_t, ses_rsp, return_code, p);
	if (!HAS(s, ses_rsp, message_id))
		return;
	if (u->next != SES_RESPONSE_DATA_SMALL) {
		u->flags |= UET_MESSAGE;
		u->message_id = NUMBER(uint16_t, ses_rsp, message_id, p);
	}
	if (!HAS(s, ses_rsp, job_id))
		return;
	u->flags |= UET_JOB;
	u->job_id = WIRE_GET(ses_rsp, job_id, p) & 0xffffff;
	if (u->next == SES_RESPONSE)
		u->ri_generation = NUMBER(uint8_t, ses_rsp, ri_generation, p);
}

/* A whole response; what it says it carries. */
static inline size_t read_response_rest(struct reading *r, const uint8_t *p)
{
	struct uet *u = r->uet;

	u->flags |= UET_SES;
	switch (u->next) {
	case SES_RESPONSE_DATA:
		u->read_message_id =
			NUMBER(uint16_t, ses_rsp_data, read_message_id, p);
		u->length = NUMBER(uint32_t, ses_rsp_data, modified_length, p);
		u->offset = NUMBER(uint32_t, ses_rsp_data, message_offset, p);
		return NUMBER(size_t, ses_rsp_data, payload_length, p);
	case SES_RESPONSE_DATA_SMALL:
		u->offset =
			NUMBER(uint32_t, ses_rsp_data_small, original_psn, p);
		return NUMBER(size_t, ses_rsp_data_small, payload_length, p);
	default:
		u->length = NUMBER(uint32_t, ses_rsp, modified_length, p);
		return 0;
	}
}

/* --- both --- */

/* More was sent than the IP header says there is: a switch cut it. */
static void trimmed(struct reading *r, size_t cut)
{
	uint8_t type = r->uet->type;

	if (!(r->uet->flags & UET_TRIMMED) && type != PDS_ACK_CC &&
	    type != PDS_ACK_CCX)
		r->uet->cut = cut;
	r->uet->flags |= UET_TRIMMED;
}

/* Room for the payload behind |n| octets, the trailer taken off. */
static size_t left_behind(const struct reading *r, size_t n)
{
	size_t trailer = r->uet->flags & UET_TRIMMED ? 0 : TRAILER_CRC;

	return r->claimed > n + trailer ? r->claimed - n - trailer : 0;
}

static void read_payload(struct reading *r, size_t payload, size_t size)
{
	size_t left = left_behind(r, size);

	if (payload > left)
		trimmed(r, payload - left);
	left = left_behind(r, size);
	r->out->payload = (uint32_t)(payload < left ? payload : left);
}

static void read_ses(struct reading *r)
{
	struct ses s = { r->p, r->have };
	bool request = r->uet->next <= SES_REQUEST_STD;
	size_t size, payload;

	if (request)
		read_common(r, s);
	else
		read_response(r, s);
	size = request ? request_size(r, s) : response_sizes[r->uet->next];
	if (r->claimed < size + TRAILER_CRC && !(r->uet->flags & UET_TRIMMED) &&
	    r->shape->headers + r->claimed >= TRIM_LEAST)
		trimmed(r, size + TRAILER_CRC - r->claimed);
	if (r->have < size) {
		if (r->claimed >= size || !(r->uet->flags & UET_TRIMMED))
			lack(r, "ses", size);
		return;
	}
	payload = request ? read_request_rest(r, s.p, left_behind(r, size))
			  : read_response_rest(r, s.p);
	read_payload(r, payload, size);
	advance(r, size);
}

/* --- transport security --- */

static void read_tss(struct reading *r)
{
	const uint8_t *p = r->p;
	struct uet *u = r->uet;
	bool ssi = WIRE_GET(pds_prologue, type, p) && *p & 0x04;
	size_t size =
		WIRE_SIZE_tss + (ssi ? WIRE_SIZE_tss_ssi : WIRE_SIZE_tss_tsc);

	if (r->have < size) {
		lack(r, "tss", size);
		return;
	}
	r->doubt = WIRE_GET(tss, resv, p);
	u->flags |= UET_TSS;
	u->tss.sdi = NUMBER(uint32_t, tss, sdi, p);
	u->tss.an = NUMBER(uint8_t, tss, an, p);
	p += WIRE_SIZE_tss;
	if (ssi) {
		u->tss.ssi = NUMBER(uint32_t, tss_ssi, ssi, p);
		u->tsc = WIRE_GET(tss_ssi, epoch, p) << 48 |
			 WIRE_GET(tss_ssi, counter, p);
	} else {
		u->tsc = WIRE_GET(tss_tsc, epoch, p) << 48 |
			 WIRE_GET(tss_tsc, counter, p);
	}
	advance(r, size);
	if (r->claimed > TRAILER_ICV)
		r->out->payload = (uint32_t)(r->claimed - TRAILER_ICV);
}

/* --- all of it --- */

static void read_packet(struct reading *r, const struct uet_place *at,
			const struct decode_options *o)
{
	struct uet *u = r->uet;

	if (r->have < WIRE_SIZE_pds_prologue) {
		lack(r, "pds", WIRE_SIZE_pds_prologue);
		return;
	}
	u->type = NUMBER(uint8_t, pds_prologue, type, r->p);
	if (at->promised > at->claimed) {
		u->flags |= UET_TRIMMED | UET_TRIM_SURE;
		u->cut = at->promised - at->claimed;
	} else if (o->trimmed_dscps >> (r->out->tos >> 2) & 1) {
		u->flags |= UET_TRIMMED | UET_TRIM_SURE;
	}
	if (u->type == PDS_TSS) {
		read_tss(r);
		return;
	}
	if (!types[u->type].size) {
		r->doubt = true;
		stop(r, PACKET_FOREIGN, "pds", "a type nobody described");
		return;
	}
	if (read_pds(r))
		read_ses(r);
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

void uet_decode(const struct uet_place *at, const struct decode_options *o,
		struct packet *out, struct uet_shape *shape)
{
	struct reading r = {
		.p = at->p,
		.have = at->have,
		.claimed = at->claimed,
		.out = out,
		.uet = &out->uet,
		.shape = shape,
	};

	*shape = (struct uet_shape) { 0 };
	out->kind = PACKET_UET;
	out->status = PACKET_OK;
	out->uet = (struct uet) { 0 };
	read_packet(&r, at, o);
	if (!(r.uet->flags & UET_TRIMMED))
		shape->trailer =
			r.uet->flags & UET_TSS ? TRAILER_ICV : TRAILER_CRC;
	if (r.doubt) {
		out->kind = PACKET_NOT_UET;
		out->status = PACKET_FOREIGN;
		out->psn = out->payload = 0;
		shape->why = "hardly Ultra Ethernet, in spite of its port";
		shape->at = "uet";
	}
}
