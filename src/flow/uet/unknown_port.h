/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ultra Ethernet on UDP ports that nobody named.
 *
 * That a packet reads as Ultra Ethernet proves nothing, nor that many do: any
 * header that stays the same may.  Two things do prove it, for bytes by chance
 * do not come to them:
 *  - a CRC that is right (one in 2^31);
 *  - an answer that goes to the same port, names a context of which requests
 *    went the other way, comes from the context that answered them before, and
 *    tells the number of one of them, a later one each time. A port is reported
 *    when one of these was seen PROOFS times and nearly all that goes there
 *    reads as Ultra Ethernet.
 *
 * Memory is of fixed size, and there is none until a packet on such a port
 * reads as Ultra Ethernet: ports with least proof, and contexts that are silent
 * while others are not, give way.
 *
 * Frequency: packets that are neither fabric transport nor link control. */
#ifndef FABSCOPE_FLOW_UET_UNKNOWN_PORT_H
#define FABSCOPE_FLOW_UET_UNKNOWN_PORT_H

#include "flow/core/flow.h"

/* |p| went to a UDP port that is nobody's. */
void uet_unknown_port(struct engine *e, const struct packet *p);
/* The port where |f|, which begins a capture point, saw most of it. */
void uet_unknown_port_tell(const struct engine *e, struct fact_tap *f);
void uet_unknown_port_fini(struct engine *e);

#endif
