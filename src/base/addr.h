/* SPDX-License-Identifier: GPL-2.0-or-later
 * IPv4 and IPv6 addresses, GIDs and LIDs in one shape: 16 bytes, network
 * order; IPv4 as ::ffff:a.b.c.d (RFC 4291 2.5.5.2), which is also how a RoCEv1
 * GID carries it.  A LID of InfiniBand takes the last two bytes of a block
 * that nobody may use, ::fffe:0:0/96, and is written "lid:23". */
#ifndef FABSCOPE_BASE_ADDR_H
#define FABSCOPE_BASE_ADDR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct addr {
	uint64_t w[2]; /* the 16 bytes as they are in memory, network order */
};

enum { ADDR_TEXT = 46 };

/* Writes at most ADDR_TEXT bytes including the NUL; returns |buf|. */
char *addr_text(struct addr a, char buf[static ADDR_TEXT]);

/* The inverse; false when |text| is no address. */
bool addr_parse(const char *text, struct addr *out);

enum { MAC_TEXT = 18 };

/* "02:00:00:00:00:01" of the lower 48 bits; returns |buf|. */
char *mac_text(uint64_t mac, char buf[static MAC_TEXT]);

static inline struct addr addr_from_v4(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return (struct addr) { { 0, (uint64_t)v << 32 | 0xffff0000 } };
#else
	return (struct addr) { { 0, (uint64_t)0xffff << 32 | v } };
#endif
}

static inline struct addr addr_from_v6(const uint8_t *p)
{
	struct addr a;

	memcpy(&a, p, sizeof a);
	return a;
}

struct addr addr_from_lid(uint16_t lid);

/* The LID, or -1: it is an address of another kind. */
int addr_lid(struct addr a);

static inline bool addr_equal(struct addr a, struct addr b)
{
	return a.w[0] == b.w[0] && a.w[1] == b.w[1];
}

/* A total order, the same on every machine (memcmp of the bytes). */
static inline int addr_compare(struct addr a, struct addr b)
{
	return memcmp(&a, &b, sizeof a);
}

#endif
