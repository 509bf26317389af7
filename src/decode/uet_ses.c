/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ultra Ethernet's semantic sublayer (SES): what a packet is part of, and how
 * much of it it carries. */
#include "decode/uet_read.h"

enum {
	/* What a switch that trims leaves of a packet at least. */
	TRIM_LEAST = 16,
	SES_VENDOR_FIRST = 0x30,
};

/* --- semantic sublayer: requests --- */

enum ses_payload {
	CARRIES_UNDEFINED, /* no such operation */
	CARRIES_ANYTHING,  /* nobody knows: what there is */
	CARRIES_NOTHING,
	CARRIES_DATA,     /* of a whole message, all of it */
	CARRIES_OPERANDS, /* likewise; those to compare and swap are counted,
			   * but stand in a header */
	CARRIES_EAGER,    /* the rendezvous extension says how much */
};

/* What a standard request of each operation has behind it. */
static const struct operation {
	uint8_t extension; /* bytes */
	uint8_t payload;   /* enum ses_payload */
} operations[64] = {
#define OPERATION(op, extension, payload) \
	[op] = { extension, CARRIES_##payload }
	OPERATION(SES_NO_OP, 0, NOTHING),
	OPERATION(SES_WRITE, 0, DATA),
	OPERATION(SES_READ, 0, NOTHING),
	OPERATION(SES_ATOMIC, WIRE_SIZE_ses_atomic, OPERANDS),
	OPERATION(SES_FETCHING_ATOMIC, WIRE_SIZE_ses_atomic, OPERANDS),
	OPERATION(SES_SEND, 0, DATA),
	OPERATION(SES_RENDEZVOUS_SEND, WIRE_SIZE_ses_rendezvous, EAGER),
	OPERATION(SES_DATAGRAM_SEND, 0, DATA),
	OPERATION(SES_DEFERRABLE_SEND, 0, DATA),
	OPERATION(SES_TAGGED_SEND, 0, DATA),
	OPERATION(SES_RENDEZVOUS_TSEND, WIRE_SIZE_ses_rendezvous, EAGER),
	OPERATION(SES_DEFERRABLE_TSEND, 0, DATA),
	OPERATION(SES_DEFERRABLE_RTR, 0, NOTHING),
	OPERATION(SES_TSEND_ATOMIC, WIRE_SIZE_ses_atomic, OPERANDS),
	OPERATION(SES_TSEND_FETCH_ATOMIC, WIRE_SIZE_ses_atomic, OPERANDS),
	OPERATION(SES_MSG_ERROR, 0, NOTHING),
	OPERATION(SES_SYNC_WRITE, WIRE_SIZE_ses_sync, DATA),
	OPERATION(SES_SYNC_ATOMIC, WIRE_SIZE_ses_sync_atomic, DATA),
	OPERATION(SES_OP_EXTENSION, 0, ANYTHING),
#undef OPERATION
};

static bool known(uint8_t opcode)
{
	return operations[opcode].payload || opcode >= SES_VENDOR_FIRST;
}

/* Is the field whole in the first |n| bytes of header |h|? */
#define HAS(n, h, f) ((n) >= (WIRE_OFF(h, f) + WIRE_WIDTH(h, f) + 7) / 8)

/* What a packet that was trimmed or cut within them still has of the twelve
 * bytes that all requests begin with.  Inlined: |n| is known to most. */
WIRE_INLINE void read_common(struct uet_reading *r, const uint8_t *p, size_t n)
{
	struct uet *u = r->uet;
	uint8_t opcode;

	if (!HAS(n, ses_std, som))
		return;
	opcode = NUMBER(uint8_t, ses_std, opcode, p);
	r->suspect |= WIRE_GET(ses_std, version, p) || !known(opcode);
	r->odd |= WIRE_GET(ses_std, resv1, p) != 0;
	u->flags |= UET_REQUEST | uet_ses_flags(*WIRE_PTR(ses_std, version, p));
	u->opcode = opcode;
	if (!HAS(n, ses_std, message_id))
		return;
	if (u->next == SES_REQUEST_STD) {
		u->flags |= UET_MESSAGE;
		u->message_id = NUMBER(uint16_t, ses_std, message_id, p);
	} else {
		u->length = NUMBER(uint32_t, ses_small, request_length, p);
		r->odd |= WIRE_GET(ses_small, resv2, p) != 0;
	}
	if (!HAS(n, ses_std, job_id))
		return;
	u->flags |= UET_JOB;
	u->job_id = WIRE_GET(ses_std, job_id, p) & 0xffffff;
	u->ri_generation = NUMBER(uint8_t, ses_std, ri_generation, p);
	if (!HAS(n, ses_std, resource_index))
		return;
	r->odd |= WIRE_GET(ses_std, resv3, p) || WIRE_GET(ses_std, resv4, p);
	u->pid_on_fep = WIRE_GET(ses_std, pid_on_fep, p) & 0xfff;
	u->resource_index = WIRE_GET(ses_std, resource_index, p) & 0xfff;
}

static bool compares(const uint8_t *atomic)
{
	uint8_t amo = NUMBER(uint8_t, ses_atomic, amo_opcode, atomic);

	return amo >= AMO_CSWAP && amo <= AMO_CSWAP_GT;
}

/* Bytes of the whole SES header at |p|, as far as |n| of it tell. */
static inline size_t request_size(const struct uet_reading *r, const uint8_t *p,
				  size_t n)
{
	const struct operation *op = &operations[r->uet->opcode];
	size_t size = WIRE_SIZE_ses_std + op->extension;

	if (r->uet->next == SES_REQUEST_SMALL)
		return WIRE_SIZE_ses_small;
	if (r->uet->next == SES_REQUEST_MEDIUM)
		return WIRE_SIZE_ses_medium;
	if (op->payload == CARRIES_OPERANDS && n >= size &&
	    compares(p + WIRE_SIZE_ses_std))
		size += WIRE_SIZE_ses_cswap;
	return size;
}

/* What the packet with SES header |p| carries, when |part| bytes of the
 * message are its share, all of them if |exact|, and |left| bytes stand
 * behind the headers. */
static size_t carried(const struct uet_reading *r, const uint8_t *p,
		      size_t part, bool exact, size_t left)
{
	const struct uet *u = r->uet;
	const struct operation *op = &operations[u->opcode];

	if (op->payload == CARRIES_DATA && !op->extension)
		return exact || part < left ? part : left;
	if (op->payload == CARRIES_NOTHING)
		return 0;
	if (op->payload <= CARRIES_ANYTHING)
		return left;
	/* Nobody knows where small and medium requests have extensions. */
	if (op->extension && u->next != SES_REQUEST_STD)
		return left;
	p += WIRE_SIZE_ses_std;
	if (op->payload == CARRIES_EAGER && u->flags & UET_SOM)
		part = NUMBER(uint32_t, ses_rendezvous, eager_length, p);
	/* Operands to compare and swap are counted as payload. */
	if (op->payload == CARRIES_OPERANDS && compares(p))
		part -= part < WIRE_SIZE_ses_cswap ? part : WIRE_SIZE_ses_cswap;
	return exact || part < left ? part : left;
}

static const char *contradiction(const struct uet_reading *r, size_t part,
				 size_t payload)
{
	const struct uet *u = r->uet;
	bool single = u->next != SES_REQUEST_STD;
	uint8_t carries = operations[u->opcode].payload;
	bool data = carries == CARRIES_DATA || carries == CARRIES_OPERANDS;

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
static inline size_t read_request_rest(struct uet_reading *r, const uint8_t *p,
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
		r->odd |= WIRE_GET(ses_std_more, resv5, p) ||
			  (!part && !(u->flags & UET_EOM));
	}
	payload = carried(r, p, part, exact, left);
	wrong = contradiction(r, part, payload);
	if (wrong)
		uet_stop(r, PACKET_MALFORMED, "ses", wrong);
	return payload;
}

/* --- semantic sublayer: responses --- */

static const uint8_t response_sizes[] = {
	[SES_RESPONSE] = WIRE_SIZE_ses_rsp,
	[SES_RESPONSE_DATA] = WIRE_SIZE_ses_rsp_data,
	[SES_RESPONSE_DATA_SMALL] = WIRE_SIZE_ses_rsp_data_small,
};

WIRE_INLINE void read_response(struct uet_reading *r, const uint8_t *p,
			       size_t n)
{
	struct uet *u = r->uet;

	if (!HAS(n, ses_rsp, return_code))
		return;
	r->odd |= WIRE_GET(ses_rsp, version, p) != 0;
	u->flags |= UET_RESPONSE;
	u->list = WIRE_GET(ses_rsp, list, p) & 3;
	u->opcode = NUMBER(uint8_t, ses_rsp, opcode, p);
	u->return_code = NUMBER(uint8_t, ses_rsp, return_code, p);
	if (!HAS(n, ses_rsp, message_id))
		return;
	if (u->next != SES_RESPONSE_DATA_SMALL) {
		u->flags |= UET_MESSAGE;
		u->message_id = NUMBER(uint16_t, ses_rsp, message_id, p);
	}
	if (!HAS(n, ses_rsp, job_id))
		return;
	u->flags |= UET_JOB;
	u->job_id = WIRE_GET(ses_rsp, job_id, p) & 0xffffff;
	if (u->next == SES_RESPONSE)
		u->ri_generation = NUMBER(uint8_t, ses_rsp, ri_generation, p);
}

/* A whole response; what it says it carries. */
static inline size_t read_response_rest(struct uet_reading *r, const uint8_t *p)
{
	struct uet *u = r->uet;

	u->flags |= UET_SES;
	switch (u->next) {
	case SES_RESPONSE_DATA:
		r->odd |= WIRE_GET(ses_rsp_data, resv1, p) ||
			  WIRE_GET(ses_rsp_data, resv2, p);
		u->read_message_id =
			NUMBER(uint16_t, ses_rsp_data, read_message_id, p);
		u->length = NUMBER(uint32_t, ses_rsp_data, modified_length, p);
		u->offset = NUMBER(uint32_t, ses_rsp_data, message_offset, p);
		return NUMBER(size_t, ses_rsp_data, payload_length, p);
	case SES_RESPONSE_DATA_SMALL:
		r->odd |= WIRE_GET(ses_rsp_data_small, resv1, p) ||
			  WIRE_GET(ses_rsp_data_small, resv2, p);
		u->offset =
			NUMBER(uint32_t, ses_rsp_data_small, original_psn, p);
		return NUMBER(size_t, ses_rsp_data_small, payload_length, p);
	default:
		u->length = NUMBER(uint32_t, ses_rsp, modified_length, p);
		return 0;
	}
}

/* --- both --- */

/* Room for payload where |room| bytes are behind the headers. */
static inline size_t less_trailer(const struct uet_reading *r, size_t room)
{
	if (r->uet->flags & UET_TRIMMED)
		return room;
	return room > UET_TRAILER ? room - UET_TRAILER : 0;
}

/* The headers speak of |payload| bytes. */
static inline void take_payload(struct uet_reading *r, size_t payload)
{
	size_t left = less_trailer(r, r->declared);

	if (payload > left && payload == r->declared) {
		left = payload; /* it fits: the sender leaves out the CRC */
	} else if (payload > left) {
		uet_trimmed(r, payload + UET_TRAILER - r->declared);
		left = r->declared;
	}
	r->out->payload = (uint32_t)(payload < left ? payload : left);
}

/* What of the header can be read before its size is known; the size. */
static inline size_t begin(struct uet_reading *r, bool request)
{
	if (!request && r->have >= WIRE_SIZE_ses_rsp)
		read_response(r, r->p, WIRE_SIZE_ses_rsp);
	else if (!request)
		read_response(r, r->p, r->have);
	else if (r->have >= WIRE_SIZE_ses_small)
		read_common(r, r->p, WIRE_SIZE_ses_small);
	else
		read_common(r, r->p, r->have);
	return request ? request_size(r, r->p, r->have)
		       : response_sizes[r->uet->next];
}

/* The snaplen cut within a SES header of |size| bytes, of a packet whose PDS
 * header is whole: the length of the packet says how much it carries.  False
 * where that is not enough: how long operands are, they say themselves. */
static bool read_cut(struct uet_reading *r, bool request, size_t size)
{
	const struct uet *u = r->uet;
	uint8_t carries = u->flags & UET_REQUEST ? operations[u->opcode].payload
						 : (uint8_t)CARRIES_DATA;
	bool data =
		request ? carries != CARRIES_NOTHING : u->next != SES_RESPONSE;

	if (r->wrapped || carries == CARRIES_OPERANDS || r->declared < size ||
	    u->flags & UET_RUDI || u->type == PDS_UUD_REQ)
		return false;
	r->shape->cut = size;
	r->out->payload =
		data ? (uint32_t)less_trailer(r, r->declared - size) : 0;
	return true;
}

void uet_read_ses(struct uet_reading *r)
{
	const uint8_t *p = r->p;
	bool request = r->uet->next <= SES_REQUEST_STD;
	size_t size = begin(r, request), payload;

	if (r->declared < size && r->shape->headers + r->declared >= TRIM_LEAST)
		uet_trimmed(r, 0);
	if (r->have < size) {
		if (!read_cut(r, request, size))
			uet_lack(r, "ses", size);
		return;
	}
	uet_advance(r, size);
	payload =
		request ? read_request_rest(r, p, less_trailer(r, r->declared))
			: read_response_rest(r, p);
	take_payload(r, payload);
}
