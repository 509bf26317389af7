/* SPDX-License-Identifier: GPL-2.0-or-later
 * Over which paths the packets of a flow were sent, where its sender writes
 * them into the destination: decode/srv6.h.
 *
 * A flow without such packets costs nothing. */
#ifndef FABSCOPE_FLOW_BALANCE_SRV6_H
#define FABSCOPE_FLOW_BALANCE_SRV6_H

struct engine;
struct flow;
struct packet;

/* |p| is of |f| and has PACKET_SRV6. */
void srv6_packet(struct engine *e, struct flow *f, const struct packet *p);

void srv6_emit(struct engine *e, const struct flow *f);
void srv6_free(struct flow *f);

#endif
