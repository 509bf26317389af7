/* SPDX-License-Identifier: GPL-2.0-or-later
 * The RoCE invariant CRC. */
#include "decode/icrc.h"

#include "base/crc32.h"
#include "wire/wire.h"

/* The register after the eight bytes of ones that replace the local route
 * header.  (That it equals CRC32_RESIDUE is no accident: the first four turn
 * the register to zero, and so does a right CRC.) */
#define ICRC_START CRC32_RESIDUE
/* An LRH without a GRH behind it is summed itself. */
static uint32_t start(enum icrc_route kind)
{
	return kind == ICRC_LRH ? CRC32_START : ICRC_START;
}

/* clang-format off */

/* Bytes of headers that start at byte |at| of what is summed.  A field that
 * shares its first byte with another one leaves the other's bits alone. */
#define BYTE(at, h, f) [(at) + WIRE_OFF(h, f) / 8]
#define FROM(h, f)      (0xff >> WIRE_OFF(h, f) % 8)
#define UPPER           0xf0

#define MASK_IPV4 \
	BYTE(0, ipv4, dscp) = 0xff, BYTE(0, ipv4, ttl) = 0xff, \
	BYTE(0, ipv4, csum) = 0xff, BYTE(1, ipv4, csum) = 0xff
#define MASK_IPV6 \
	BYTE(0, ipv6, dscp) = FROM(ipv6, dscp), \
	BYTE(1, ipv6, dscp) = 0xff, BYTE(2, ipv6, dscp) = 0xff, \
	BYTE(3, ipv6, dscp) = 0xff, BYTE(0, ipv6, hop) = 0xff
#define MASK_GRH \
	BYTE(0, grh, tclass) = FROM(grh, tclass), \
	BYTE(1, grh, tclass) = 0xff, BYTE(2, grh, tclass) = 0xff, \
	BYTE(3, grh, tclass) = 0xff, BYTE(0, grh, hop) = 0xff
#define MASK_UDP(at) \
	BYTE(at, udp, csum) = 0xff, BYTE((at) + 1, udp, csum) = 0xff
#define MASK_BTH(at) BYTE(at, bth, fecn) = 0xff

/* Route, UDP and BTH in one piece: every header of its shortest length. */
static const uint8_t mask_whole[][CRC32_MASK] = {
	[ICRC_IPV4] = { MASK_IPV4, MASK_UDP(WIRE_SIZE_ipv4),
			MASK_BTH(WIRE_SIZE_ipv4 + WIRE_SIZE_udp) },
	[ICRC_IPV6] = { MASK_IPV6, MASK_UDP(WIRE_SIZE_ipv6),
			MASK_BTH(WIRE_SIZE_ipv6 + WIRE_SIZE_udp) },
	[ICRC_GRH] = { MASK_GRH, MASK_BTH(WIRE_SIZE_grh) },
	[ICRC_LRH] = { BYTE(0, lrh, vl) = UPPER, MASK_BTH(WIRE_SIZE_lrh) },
};

/* The same in two, for routes with options or extension headers. */
static const uint8_t mask_route[][CRC32_MASK] = {
	[ICRC_IPV4] = { MASK_IPV4 },
	[ICRC_IPV6] = { MASK_IPV6 },
};
static const uint8_t mask_udp[CRC32_MASK] = {
	MASK_UDP(0), MASK_BTH(WIRE_SIZE_udp)
};

/* clang-format on */

static const uint8_t shortest[] = {
	[ICRC_IPV4] = WIRE_SIZE_ipv4 + WIRE_SIZE_udp,
	[ICRC_IPV6] = WIRE_SIZE_ipv6 + WIRE_SIZE_udp,
	[ICRC_GRH] = WIRE_SIZE_grh,
	[ICRC_LRH] = WIRE_SIZE_lrh,
};

uint32_t icrc_compute(enum icrc_route kind, const uint8_t *route,
		      const uint8_t *bth, size_t len)
{
	size_t before = (size_t)(bth - route);
	uint32_t reg = start(kind);

	if (before == shortest[kind])
		return ~crc32_add_masked(reg, route, before + len,
					 mask_whole[kind]);
	before -= WIRE_SIZE_udp;
	reg = crc32_add_masked(reg, route, before, mask_route[kind]);
	return ~crc32_add_masked(reg, route + before, WIRE_SIZE_udp + len,
				 mask_udp);
}

uint32_t icrc_restored(enum icrc_route kind, const uint8_t *head, size_t at,
		       const uint8_t *bth, size_t len)
{
	uint32_t reg = ~icrc_compute(kind, head, head + at, WIRE_SIZE_bth);

	return ~crc32_add(reg, bth + WIRE_SIZE_bth, len - WIRE_SIZE_bth);
}
