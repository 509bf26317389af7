/* SPDX-License-Identifier: GPL-2.0-or-later
 * A connection set up anew on the same QP numbers, without CM.
 *
 * Its first packet looks like a retransmission, or like the packet behind a
 * hole.  What decides is the next AETH: the MSN of a connection never goes
 * back, and one that began with this packet has not completed more messages
 * than it has sent packets.  Until then the packets are held, and followed in
 * their order afterwards, so nothing is said of them too early. */
#ifndef FABSCOPE_FLOW_ROCE_RECONNECT_H
#define FABSCOPE_FLOW_ROCE_RECONNECT_H

#include "flow/core/flow.h"

/* True: |p| is held. */
bool reconnect_holds(struct engine *e, struct flow *f, const struct packet *p);

/* |p|, a response to the requests of |f|: decides, if something is held. */
void reconnect_answered(struct engine *e, struct flow *g, struct flow *f,
			const struct packet *p);

/* Nothing more is to be learnt. */
void reconnect_flush(struct engine *e, struct flow *f);

#endif
