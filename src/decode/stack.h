/* SPDX-License-Identifier: GPL-2.0-or-later
 * What one switch on the way of a packet said of itself, whatever the form of
 * the telemetry: IFA of two chip families, INT of two versions. */
#ifndef FABSCOPE_DECODE_STACK_H
#define FABSCOPE_DECODE_STACK_H

#include <stdbool.h>
#include <stdint.h>

struct packet;

enum { STACK_UNKNOWN = -1 };

struct stack_hop {
	int64_t device; /* as the switch calls itself */
	int64_t ingress, egress;
	int64_t residence_ns; /* INT names no unit: ns, as in the field */
	int64_t depth;        /* of the queue, in the unit of the device */
	int32_t queue;
	int16_t ttl;      /* when it passed */
	int8_t congested; /* 0, 1 */
	bool normalised;  /* the residence had a second too many */
};

/* Hop |i| of p->stack_hops, 0 the newest: what the hop does not report is
 * STACK_UNKNOWN. The packet must have PACKET_STACK. */
void stack_hop(const struct packet *p, unsigned i, struct stack_hop *out);

#endif
