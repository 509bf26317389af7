/* SPDX-License-Identifier: GPL-2.0-or-later
 * The InfiniBand packet inside a RoCE frame: what the fast path and the walk
 * must read in the same way.  Internal to decode. */
#ifndef FABSCOPE_DECODE_TRANSPORT_H
#define FABSCOPE_DECODE_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/icrc.h"
#include "decode/packet.h"
#include "wire/wire.h"

/* |flag| when the one-bit field is set: a shift, no branch. */
#define FLAG_IF(bit, flag) ((uint32_t)(bit) * (uint32_t)(flag))

/* The first eight bytes of a BTH hold all its fields but three. */
#define BTH_HEAD(bth)     WIRE_WORD(bth, 0, bth)
#define BTH_PART(f, head) WIRE_PART(bth, f, 0, head)

static inline uint32_t transport_rare_flags(const uint8_t *bth, uint64_t head)
{
	bool reserved = BTH_PART(resv6, head) || WIRE_GET(bth, resv7, bth);

	return FLAG_IF(BTH_PART(fecn, head), PACKET_FECN) |
	       FLAG_IF(BTH_PART(becn, head), PACKET_BECN) |
	       FLAG_IF(reserved, PACKET_RESERVED_SET);
}

static inline uint32_t transport_flags(const uint8_t *bth, uint64_t head)
{
	const uint64_t rare = WIRE_BITS(bth, fecn, 0) |
			      WIRE_BITS(bth, becn, 0) |
			      WIRE_BITS(bth, resv6, 0);
	uint32_t flags = FLAG_IF(BTH_PART(se, head), PACKET_SE) |
			 FLAG_IF(BTH_PART(migreq, head), PACKET_MIGREQ) |
			 FLAG_IF(WIRE_GET(bth, ackreq, bth), PACKET_ACKREQ);

	if (__builtin_expect((head & rare) || WIRE_GET(bth, resv7, bth), 0))
		flags |= transport_rare_flags(bth, head);
	return flags;
}

static inline void transport_aeth(const uint8_t *restrict aeth,
				  struct packet *restrict out)
{
	/* One byte, of three fields. */
	out->syndrome = *WIRE_PTR(aeth, resv, aeth);
	out->msn = (uint32_t)WIRE_GET(aeth, msn, aeth);
}

/* Bytes of payload in an InfiniBand packet of |len| from BTH to ICRC with |pad|
 * bytes before the latter, negative when there is no room for the rest. */
static inline long transport_payload(const struct wire_opcode *op, unsigned pad,
				     size_t len)
{
	return (long)len - op->headers - (long)pad - ICRC_SIZE;
}

/* Does |op| allow that much? */
static inline bool transport_fits(const struct wire_opcode *op, long payload)
{
	if (payload <= 0)
		return payload == 0 && op->payload != PAYLOAD_EIGHT;
	return op->payload != PAYLOAD_NONE &&
	       (op->payload != PAYLOAD_EIGHT || payload == 8);
}

/* The ICRC that stands there against the one it should be.  With |inexact|
 * nobody knows what the sum covers, and only a match is proof. */
static inline void transport_icrc_found(struct packet *out, uint32_t right,
					uint32_t found, bool inexact)
{
	if (found != right && inexact)
		return;
	out->icrc = found;
	out->icrc_status = found == right ? ICRC_GOOD : ICRC_BAD;
}

/* The same of the ICRC behind |len| bytes from the BTH on, all captured. */
static inline void transport_icrc(struct packet *out, enum icrc_route kind,
				  const uint8_t *route, const uint8_t *bth,
				  size_t len, bool inexact)
{
	uint32_t found = icrc_read(bth + len - ICRC_SIZE);

	transport_icrc_found(out,
			     icrc_compute(kind, route, bth, len - ICRC_SIZE),
			     found, inexact);
}

#endif
