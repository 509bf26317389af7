/* SPDX-License-Identifier: GPL-2.0-or-later
 * Destinations that say the way: SRv6 with compressed segments (micro-SIDs),
 * RFC 8986 and RFC 9800 (NEXT-C-SID), as senders of AI fabrics use it
 * (draft-filsfils-srv6ops-srv6-ai-backend).
 *
 * Such an address is a block, 16 bits for each node still to be passed, the
 * host last, and zeros.  A node takes its own bits out and shifts up the rest,
 * so one packet has another destination at each capture point, and packets of
 * one queue pair have as many as they have paths. */
#ifndef FABSCOPE_DECODE_SRV6_H
#define FABSCOPE_DECODE_SRV6_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"
#include "decode/packet.h"

/* |dst| is such a list: both addresses become those of the hosts, the same
 * at every capture point.  Only a source in the same block is a host's name
 * there: its first 16 bits behind the block.  |outer|: another IP header
 * follows, so |dst| is nobody's own address.  False, and nothing done, if it
 * is none. */
bool srv6_hosts(const struct decode_options *options, bool outer,
		struct addr *src, struct addr *dst);

/* Does a network begin with |address|, whose first |bits| say which? */
bool srv6_block(struct addr address, unsigned bits, struct srv6_block *out);

#endif
