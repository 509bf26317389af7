/* SPDX-License-Identifier: GPL-2.0-or-later
 * Frames under pseudonyms, field by field. */
#include "views/frame_anonymizer.h"

#include <stdlib.h>
#include <string.h>

#include "decode/explain.h"
#include "run/frame.h"
#include "store/pseudonym.h"
#include "views/anonymizer_sums.h"
#include "wire/table.h"

enum anonymizer_class {
	ANONYMIZE_KEEP,
	ANONYMIZE_ZERO,
	ANONYMIZE_MARK,
	ANONYMIZE_MAC,
	ANONYMIZE_QP,
	ANONYMIZE_PDC,
	ANONYMIZE_JOB,
	ANONYMIZE_LID,
	ANONYMIZE_DEVICE,
	ANONYMIZE_IP4,
	ANONYMIZE_IP6,
	ANONYMIZE_MIXED,
};

static const struct anonymizer_row {
	const char *header, *field;
	enum anonymizer_class is;
} rows[] = {
#define ANONYMIZE(header, field, class) { #header, #field, ANONYMIZE_##class },
#include "views/frame_anonymizer.def"
#undef ANONYMIZE
};

enum { ROWS = sizeof rows / sizeof rows[0] };

enum { MAC_BITS = 48, WORD_BITS = 64, NAME_BITS = 16 };

struct frame_anonymizer {
	struct anonymous_key key;
	const struct decode_options *decode;
	/* of each field of each header, found once */
	uint8_t *classes[WIRE_HEADERS];
	uint64_t unread;

	struct frame frame;
	uint8_t *data; /* of |frame| */
	size_t room;
	struct anonymizer_sums sums;
	uint32_t behind; /* the last header that was whole */
	uint64_t tlv;    /* type of the LLDP value that comes next */
};

/* ---- classes ---- */

static const struct anonymizer_row *row_of(const char *header,
					   const char *field)
{
	for (size_t i = 0; i < ROWS; i++)
		if (!strcmp(rows[i].header, header) &&
		    !strcmp(rows[i].field, field))
			return &rows[i];
	return NULL;
}

static enum anonymizer_class class_of(const struct wire_layout *l,
				      const struct wire_field *f)
{
	const struct anonymizer_row *row = row_of(l->about->name, f->name);

	if (!row && f->base != WIRE_RAW)
		row = row_of("any", f->name);
	if (row)
		return row->is;
	switch (f->base) {
	case WIRE_MAC:
		return ANONYMIZE_MAC;
	case WIRE_IP4:
		return ANONYMIZE_IP4;
	case WIRE_IP6:
		return ANONYMIZE_IP6;
	case WIRE_RAW:
		return ANONYMIZE_ZERO;
	case WIRE_HEX:
		return f->width >= NAME_BITS ? ANONYMIZE_ZERO : ANONYMIZE_KEEP;
	default:
		return f->width > WORD_BITS ? ANONYMIZE_ZERO : ANONYMIZE_KEEP;
	}
}

static bool classify(struct frame_anonymizer *s)
{
	for (unsigned id = 0; id < WIRE_HEADERS; id++) {
		const struct wire_layout *l = wire_layout(id);

		s->classes[id] = malloc(l->n_fields + 1);
		if (!s->classes[id])
			return false;
		for (unsigned i = 0; i < l->n_fields; i++)
			s->classes[id][i] = (uint8_t)class_of(l, &l->fields[i]);
	}
	return true;
}

int anonymizer_row_is_used(unsigned i, const char **header, const char **field)
{
	if (i >= ROWS)
		return -1;
	*header = rows[i].header;
	*field = rows[i].field;
	for (unsigned id = 0; id < WIRE_HEADERS; id++) {
		const struct wire_layout *l = wire_layout(id);

		for (unsigned k = 0; k < l->n_fields; k++)
			if (!strcmp(l->fields[k].name, rows[i].field) &&
			    (!strcmp(rows[i].header, "any") ||
			     !strcmp(rows[i].header, l->about->name)))
				return 1;
	}
	return 0;
}

/* ---- fields ---- */

/* RDMA-CM has an IPv4 address in the last four of 16 bytes; what else is zero
 * before them are :: and ::1. */
static void put_address(const struct frame_anonymizer *s, const uint8_t *p,
			bool mixed, uint8_t *out)
{
	static const uint8_t zero[12];
	struct addr a;

	if (mixed && !memcmp(p, zero, sizeof zero)) {
		a = pseudonym_addr(&s->key, addr_from_v4(p + sizeof zero));
		memcpy(out + sizeof zero, (uint8_t *)&a + sizeof zero, 4);
		return;
	}
	a = pseudonym_addr(&s->key, addr_from_v6(p));
	memcpy(out, &a, sizeof a);
}

static uint64_t number(const struct frame_anonymizer *s,
		       enum anonymizer_class is, uint64_t v)
{
	static const enum pseudonym_number kinds[] = {
		[ANONYMIZE_QP] = NUMBER_QP,
		[ANONYMIZE_PDC] = NUMBER_PDC,
		[ANONYMIZE_JOB] = NUMBER_JOB,
		[ANONYMIZE_LID] = NUMBER_LID,
		[ANONYMIZE_DEVICE] = NUMBER_DEVICE,
	};

	return (uint64_t)pseudonym_of_number(&s->key, kinds[is], (int64_t)v);
}

static void put_bytes(const struct frame_anonymizer *s,
		      enum anonymizer_class is, const struct wire_field *f,
		      const uint8_t *p, uint8_t *out)
{
	struct addr a;
	uint64_t mac;

	switch (is) {
	case ANONYMIZE_MAC:
		mac = wire_get(p, MAC_BITS / 8, 0, MAC_BITS, false);
		wire_set(out, MAC_BITS / 8, 0, MAC_BITS, false,
			 pseudonym_mac(&s->key, mac));
		break;
	case ANONYMIZE_IP4:
		a = pseudonym_addr(&s->key, addr_from_v4(p));
		memcpy(out, (uint8_t *)&a + sizeof a - 4, 4);
		break;
	case ANONYMIZE_IP6:
	case ANONYMIZE_MIXED:
		put_address(s, p, is == ANONYMIZE_MIXED, out);
		break;
	case ANONYMIZE_MARK:
		for (unsigned i = 0; i < f->width / 8u; i++)
			out[0] |= p[i] != 0;
		break;
	default:
		break;
	}
}

static void put_field(const struct frame_anonymizer *s,
		      enum anonymizer_class is, const struct wire_field *f,
		      unsigned size, const uint8_t *p, uint8_t *out)
{
	bool le = f->base == WIRE_LE;
	uint64_t v;

	if (is == ANONYMIZE_ZERO)
		return;
	if (is == ANONYMIZE_MARK || is == ANONYMIZE_MAC ||
	    is >= ANONYMIZE_IP4) {
		put_bytes(s, is, f, p + f->off / 8, out + f->off / 8);
		return;
	}
	v = wire_get(p, size, f->off, f->width, le);
	if (is != ANONYMIZE_KEEP)
		v = number(s, is, v);
	wire_set(out, size, f->off, f->width, le, v);
}

/* ---- parts ---- */

/* Bytes that only their sender knows: a hash of them, then zeros. */
static void put_digest(const struct frame_anonymizer *s, const uint8_t *p,
		       size_t n, uint8_t *out)
{
	uint64_t h = pseudonym_of_bytes(&s->key, p, n);

	memcpy(out, &h, n < sizeof h ? n : sizeof h);
}

/* Chassis and port begin with what kind of name they have. */
static void put_identifier(const struct frame_anonymizer *s, const uint8_t *p,
			   size_t n, uint8_t mac_kind, uint8_t *out)
{
	enum { KEPT = 63 }; /* bytes of a name that the analysis keeps */
	char name[PSEUDONYM_TEXT];
	size_t length;

	if (!n)
		return;
	if (mac_kind) {
		*out++ = *p++;
		n--;
		if (p[-1] == mac_kind && n == MAC_BITS / 8) {
			put_bytes(s, ANONYMIZE_MAC, NULL, p, out);
			return;
		}
	}
	pseudonym_name(&s->key, (const char *)p, n < KEPT ? n : KEPT, name);
	length = strlen(name);
	memset(out, ' ', n);
	memcpy(out, name, length < n ? length : n);
}

static void put_lldp(const struct frame_anonymizer *s, const uint8_t *p,
		     size_t n, uint8_t *out)
{
	enum { CHASSIS_IS_MAC = 4, PORT_IS_MAC = 3 };

	switch (s->tlv) {
	case LLDP_CHASSIS_ID:
		put_identifier(s, p, n, CHASSIS_IS_MAC, out);
		break;
	case LLDP_PORT_ID:
		put_identifier(s, p, n, PORT_IS_MAC, out);
		break;
	case LLDP_SYSTEM_NAME:
		put_identifier(s, p, n, 0, out);
		break;
	case LLDP_TTL:
	case LLDP_CAPABILITIES:
		memcpy(out, p, n);
		break;
	default:
		break;
	}
}

static void put_nameless(struct frame_anonymizer *s,
			 const struct explain_part *part, uint8_t *out)
{
	if (!strcmp(part->name, "payload") || !strcmp(part->name, "encrypted"))
		put_digest(s, part->data, part->captured, out);
	else if (!strcmp(part->name, "lldp value"))
		put_lldp(s, part->data, part->captured, out);
}

/* The fields of header |id| that are whole in the |n| bytes at |p|. */
static void put_header(const struct frame_anonymizer *s, enum wire_header id,
		       const uint8_t *p, size_t n, uint8_t *out)
{
	const struct wire_layout *l = wire_layout(id);
	unsigned size = n < l->size ? (unsigned)n : l->size;

	for (unsigned i = 0; i < l->n_fields; i++) {
		const struct wire_field *f = &l->fields[i];

		if (f->off + f->width <= 8 * size)
			put_field(s, s->classes[id][i], f, size, p, out);
	}
}

static void put_part(void *ctx, const struct explain_part *part)
{
	struct frame_anonymizer *s = ctx;
	uint8_t *out = s->data + part->offset;

	anonymizer_sums_note(&s->sums, part);
	if (part->header < 0) {
		put_nameless(s, part, out);
		return;
	}
	put_header(s,
		   wire_form((enum wire_header)part->header, part->data,
			     part->captured),
		   part->data, part->captured, out);
	s->behind = part->offset + part->captured;
	if (part->header == WIRE_lldp_tlv)
		s->tlv = WIRE_GET(lldp_tlv, type, part->data);
}

/* A request for an atomic says behind its header how long it is. */
static void put_cut_request(struct frame_anonymizer *s, const uint8_t *at,
			    size_t n)
{
	uint8_t *out = s->data + s->behind;

	put_header(s, wire_form(WIRE_ses_std, at, n), at, n, out);
	if (n > WIRE_SIZE_ses_std)
		put_header(s, WIRE_ses_atomic, at + WIRE_SIZE_ses_std,
			   n - WIRE_SIZE_ses_std, out + WIRE_SIZE_ses_std);
}

/* A header of UET that a switch or the snaplen cut is no part, and yet its
 * begin is read. */
static void put_cut(struct frame_anonymizer *s, const struct frame *f,
		    const struct packet *p)
{
	const uint8_t *at = f->data + s->behind;
	size_t n = f->caplen - s->behind;

	if (p->kind != PACKET_UET)
		return;
	if (!(p->uet.flags & (UET_PDS | UET_TSS)))
		put_header(s, WIRE_pds_prologue, at, n, s->data + s->behind);
	else if (!(p->uet.flags & (UET_REQUEST | UET_RESPONSE)) ||
		 p->uet.flags & UET_SES)
		return;
	else if (p->uet.flags & UET_REQUEST && p->uet.next == SES_REQUEST_STD)
		put_cut_request(s, at, n);
	else
		/* where all of them have the same */
		put_header(s, WIRE_ses_rsp, at, n, s->data + s->behind);
}

/* ---- frames ---- */

static bool make_room(struct frame_anonymizer *s, size_t n)
{
	uint8_t *more;

	if (n <= s->room)
		return true;
	more = realloc(s->data, n);
	if (!more)
		return false;
	s->data = more;
	s->room = n;
	return true;
}

const struct frame *anonymizer_frame(struct frame_anonymizer *s,
				     const struct frame *f)
{
	const struct decode_input in = frame_input(f);
	struct packet before = { 0 };
	struct explain_end end;

	if (!make_room(s, (size_t)f->caplen + 1))
		return NULL;
	memset(s->data, 0, f->caplen);
	s->frame = *f;
	s->frame.data = s->data;
	s->behind = 0;
	s->tlv = LLDP_END;
	anonymizer_sums_begin(&s->sums, f);
	packet_explain(&in, s->decode, &before, put_part, s, &end);
	put_cut(s, f, &before);
	s->unread +=
		before.status != PACKET_OK &&
		(before.status != PACKET_FOREIGN ||
		 before.kind == PACKET_OTHER || before.kind == PACKET_NOT_UET ||
		 before.kind == PACKET_UNREADABLE);
	anonymizer_sums_put(&s->sums, &before, s->decode, &s->frame, s->data);
	return &s->frame;
}

char *anonymizer_name(const struct frame_anonymizer *s, const char *name)
{
	return anonymous_name(&s->key, name);
}

uint64_t anonymizer_unread(const struct frame_anonymizer *s)
{
	return s->unread;
}

struct frame_anonymizer *anonymizer_new(const struct anonymous_key *k,
					const struct decode_options *decode)
{
	struct frame_anonymizer *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->key = *k;
	s->decode = decode ? decode : &decode_defaults;
	if (classify(s))
		return s;
	anonymizer_free(s);
	return NULL;
}

void anonymizer_free(struct frame_anonymizer *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < WIRE_HEADERS; i++)
		free(s->classes[i]);
	free(s->data);
	free(s);
}
