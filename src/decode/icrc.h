/* SPDX-License-Identifier: GPL-2.0-or-later
 * The RoCE invariant CRC: over a whole InfiniBand packet and the headers that
 * stand for its route, without what routers change. */
#ifndef FABSCOPE_DECODE_ICRC_H
#define FABSCOPE_DECODE_ICRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ICRC_SIZE = 4 };

/* What stands in front of the BTH. */
enum icrc_route {
	ICRC_IPV4,
	ICRC_IPV6,
	ICRC_GRH, /* RoCEv1; native InfiniBand, routed */
	ICRC_LRH, /* native InfiniBand, not routed */
};

/* |route| is the start of the IPv4, IPv6, GRH or LRH header, |bth| lies behind
 * it in the same bytes, and |len| counts from the BTH to the pad, all of it
 * captured.
 * Returns the number that the four bytes after the pad should hold. */
uint32_t icrc_compute(enum icrc_route kind, const uint8_t *route,
		      const uint8_t *bth, size_t len);

/* The same when |head|, |at| bytes up to the BTH and then the BTH itself, is
 * a copy that was put right: |bth| lies somewhere else. */
uint32_t icrc_restored(enum icrc_route kind, const uint8_t *head, size_t at,
		       const uint8_t *bth, size_t len);

/* The ICRC as it stands on the wire: little-endian. */
static inline uint32_t icrc_read(const uint8_t *p)
{
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[1] << 8 | p[0];
}

#endif
