/* SPDX-License-Identifier: GPL-2.0-or-later
 * Over which of several parallel links the packets of a flow went, and when it
 * changed from one to another.
 *
 * A flow that stays on one link costs a comparison a packet.  From its first
 * change on it has a struct flow_links, and each packet is looked at. */
#ifndef FABSCOPE_FLOW_BALANCE_LINKS_H
#define FABSCOPE_FLOW_BALANCE_LINKS_H

#include <stdint.h>

struct engine;
struct flow;
struct packet;

/* |p| was not seen at flow.last_tap.  Before |p| is counted. */
void links_packet(struct engine *e, struct flow *f, const struct packet *p);

void links_emit(struct engine *e, const struct flow *f);
void links_free(struct flow *f);

#endif
