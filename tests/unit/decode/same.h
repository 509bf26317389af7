/* SPDX-License-Identifier: GPL-2.0-or-later
 * Are two packets the same?  As memory: a packet has no padding. */
#ifndef FABSCOPE_TESTS_DECODE_SAME_H
#define FABSCOPE_TESTS_DECODE_SAME_H

#include <string.h>

#include "decode/packet.h"

_Static_assert(sizeof(struct packet) == 224, "compare field by field");
_Static_assert(offsetof(struct packet, uet) == 160, "compare field by field");

static inline bool packets_same(const struct packet *a, const struct packet *b)
{
	bool uet = a->kind == PACKET_UET || a->flags & PACKET_LIKE_UET;

	/* what uet holds is not said of others */
	return !memcmp(a, b, uet ? sizeof *a : offsetof(struct packet, uet));
}

#endif
