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
static inline void read_common(struct uet_reading *r, struct ses s)
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
	r->doubt |= WIRE_GET(ses_std, version, p) || !known(u->opcode);
	r->odd |= WIRE_GET(ses_std, resv1, p) != 0;
	if (!HAS(s, ses_std, message_id))
		return;
	if (u->next == SES_REQUEST_STD) {
		u->flags |= UET_MESSAGE;
		u->message_id = NUMBER(uint16_t, ses_std, message_id, p);
	} else {
		u->length = NUMBER(uint32_t, ses_small, request_length, p);
		r->odd |= WIRE_GET(ses_small, resv2, p) != 0;
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
	r->odd |= WIRE_GET(ses_std, resv3, p) || WIRE_GET(ses_std, resv4, p);
}

static bool compares(const uint8_t *atomic)
{
	uint8_t amo = NUMBER(uint8_t, ses_atomic, amo_opcode, atomic);

	return amo >= AMO_CSWAP && amo <= AMO_CSWAP_GT;
}

/* Octets of the whole SES header, as far as it is there to tell. */
static size_t request_size(const struct uet_reading *r, struct ses s)
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
static size_t carried(const struct uet_reading *r, const uint8_t *p,
		      size_t part, bool exact, size_t left)
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

static const char *contradiction(const struct uet_reading *r, size_t part,
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

static inline void read_response(struct uet_reading *r, struct ses s)
{
	struct uet *u = r->uet;
	const uint8_t *p = s.p;

	if (!HAS(s, ses_rsp, return_code))
		return;
	u->flags |= UET_RESPONSE;
	u->list = WIRE_GET(ses_rsp, list, p) & 3;
	u->opcode = NUMBER(uint8_t, ses_rsp, opcode, p);
	u->return_code = NUMBER(uint8_t, ses_rsp, return_code, p);
	r->odd |= WIRE_GET(ses_rsp, version, p) != 0;
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

/* Room for payload where |room| octets are behind the headers. */
static inline size_t less_trailer(const struct uet_reading *r, size_t room)
{
	if (r->uet->flags & UET_TRIMMED)
		return room;
	return room > UET_TRAILER ? room - UET_TRAILER : 0;
}

/* The headers speak of |payload| octets. */
static inline void take_payload(struct uet_reading *r, size_t payload)
{
	size_t left = less_trailer(r, r->claimed);

	if (payload > left && payload == r->claimed) {
		left = payload; /* it fits: the sender leaves out the CRC */
	} else if (payload > left) {
		uet_trimmed(r, payload + UET_TRAILER - r->claimed);
		left = r->claimed;
	}
	r->out->payload = (uint32_t)(payload < left ? payload : left);
}

void uet_read_ses(struct uet_reading *r)
{
	struct ses s = { r->p, r->have };
	bool request = r->uet->next <= SES_REQUEST_STD;
	size_t size, payload;

	if (request)
		read_common(r, s);
	else
		read_response(r, s);
	size = request ? request_size(r, s) : response_sizes[r->uet->next];
	if (r->claimed < size && r->shape->headers + r->claimed >= TRIM_LEAST)
		uet_trimmed(r, 0);
	if (r->have < size) {
		uet_lack(r, "ses", size);
		return;
	}
	uet_advance(r, size);
	payload =
		request ? read_request_rest(r, s.p, less_trailer(r, r->claimed))
			: read_response_rest(r, s.p);
	take_payload(r, payload);
}
