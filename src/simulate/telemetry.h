/* SPDX-License-Identifier: GPL-2.0-or-later
 * What switches write into packets: IFA stacks, CSIG tags, INT. */
#ifndef FABSCOPE_SIMULATE_TELEMETRY_H
#define FABSCOPE_SIMULATE_TELEMETRY_H

#include <stdbool.h>
#include <stdint.h>

struct pkt;
struct port;
struct sim;

/* Bytes that the stamps of |p| add to its frame. */
uint32_t telemetry_bytes(const struct pkt *p);

/* |p| leaves a switch by |out|: stamps it as the switch is configured, and
 * enters the hop into the record; |marked| CE here. */
void telemetry_stamp(struct sim *s, struct pkt *p, const struct port *out,
		     bool marked);

/* Puts the stamps into the finished frame of |total| bytes; |ip| points at
 * its IP header.  Returns the bytes added. */
uint32_t telemetry_insert(const struct sim *s, const struct pkt *p,
			  uint8_t *frame, uint8_t *ip, uint32_t total);

#endif
