/* SPDX-License-Identifier: GPL-2.0-or-later
 * The same packet seen at another place: what no switch
 * or router changes.
 *
 * TOS, TTL, MAC addresses, VLAN, encapsulation, byte 4 of the BTH and what
 * telemetry adds are left out; UET's length and DSCP too, because of trimming.
 * Everything used is in the headers, so that a cut packet has the same
 * identity as a whole one.  The ICRC, where it was captured, is compared
 * beside it: it alone tells two packets apart that differ in payload only. */
#ifndef FABSCOPE_FLOW_MULTITAP_IDENTITY_H
#define FABSCOPE_FLOW_MULTITAP_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

struct packet;

/* 0: nothing in it is its own (no fabric packet, headers cut, UUD without its
 * CRC).  Not unique: a copy of a sender whose IP identification does not count
 * has that of its original. */
uint64_t packet_identity(const struct packet *p);

/* Of its direction: the pair of addresses, in order; and of the other one. */
uint32_t packet_direction(const struct packet *p, bool back);

/* Both captured and not the same: two packets after all.  0 is unknown. */
static inline bool icrc_differs(uint32_t a, uint32_t b)
{
	return a && b && a != b;
}

#endif
