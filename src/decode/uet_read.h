/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the layers of an Ultra Ethernet packet share while it is read.
 * Internal to uet.c and uet_ses.c. */
#ifndef FABSCOPE_DECODE_UET_READ_H
#define FABSCOPE_DECODE_UET_READ_H

#include "decode/transport.h"
#include "decode/uet.h"
#include "wire/wire.h"

enum { UET_TRAILER = WIRE_SIZE_uet_crc };

/* The bytes from p on, as in walk.h. */
struct uet_reading {
	const uint8_t *p;
	size_t have, declared;
	struct packet *out;
	struct uet *uet;
	struct uet_shape *shape;
	/* Something that UET of the published versions has not: another
	 * protocol, unless the CRC says otherwise. */
	bool suspect;
	bool odd;     /* a reserved bit is set, or a value is */
	bool wrapped; /* as in struct uet_place */
};

#define NUMBER(type, h, f, p) ((type)WIRE_GET(h, f, p))
#define SIGNED(h, f, p)       ((uint32_t)(int16_t)WIRE_GET(h, f, p))
#define FLAG(h, f, p, flag)   FLAG_IF(WIRE_GET(h, f, p), flag)

/* The first three of the PDS flags from SYN on, and from SOM on the six of a
 * SES request, stand in struct uet as on the wire. */
_Static_assert(UET_AR == UET_SYN << 1 && UET_RETX == UET_SYN << 2 &&
		       UET_M == UET_SYN << 3,
	       "in the order of the wire");
_Static_assert(UET_EOM == UET_SOM << 1 && UET_HD == UET_SOM << 2 &&
		       UET_REL == UET_SOM << 3 && UET_IE == UET_SOM << 4 &&
		       UET_DC == UET_SOM << 5,
	       "in the order of the wire");

enum { WIRE_SYN = 0x04, WIRE_AR = 0x08, WIRE_RETX = 0x10, WIRE_M = 0x20 };

/* Those of |which| that are set in the seven flags of a prologue. */
static inline uint32_t uet_pds_flags(uint8_t flags, unsigned which)
{
	return (flags & which) * (UET_SYN / WIRE_SYN);
}

/* Of the second byte of a SES request. */
static inline uint32_t uet_ses_flags(uint8_t byte)
{
	return (byte & 0x3fu) * UET_SOM;
}

/* Ends the reading; the first reason counts. */
static inline void uet_stop(struct uet_reading *r, enum packet_status status,
			    const char *at, const char *why)
{
	if (r->shape->why)
		return;
	r->out->status = (uint8_t)status;
	r->shape->at = at;
	r->shape->why = why;
}

/* Ends it for lack of |n| bytes; false.  What a switch cut off is no fault. */
static inline bool uet_lack(struct uet_reading *r, const char *at, size_t n)
{
	if (r->declared < n && r->uet->flags & UET_TRIMMED)
		return false;
	if (r->declared < n)
		uet_stop(r, PACKET_MALFORMED, at, "no room for this header");
	else
		uet_stop(r, PACKET_TRUNCATED, at, "cut inside this header");
	return false;
}

static inline void uet_advance(struct uet_reading *r, size_t n)
{
	r->p += n;
	r->have -= n;
	r->declared -= n;
	r->shape->headers += n;
}

static inline bool uet_has_cut(const struct uet *u)
{
	return u->type != PDS_TSS && u->type != PDS_ACK_CC &&
	       u->type != PDS_ACK_CCX && !(u->flags & UET_TSS);
}

/* More was sent than the IP header says is here: a switch cut off |cut|, 0 when
 * nothing tells. */
static inline void uet_trimmed(struct uet_reading *r, size_t cut)
{
	if (!(r->uet->flags & UET_TRIMMED) && uet_has_cut(r->uet))
		r->uet->cut = cut;
	r->uet->flags |= UET_TRIMMED;
}

/* The semantic sublayer that uet->next names; payload. */
void uet_read_ses(struct uet_reading *r);

#endif
