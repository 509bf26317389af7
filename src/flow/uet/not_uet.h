/* SPDX-License-Identifier: GPL-2.0-or-later
 * Other traffic on Ultra Ethernet's port, by pair of hosts.
 *
 * The first bytes of a packet prove little: of bytes by chance one packet in
 * sixty could be Ultra Ethernet.  Where two hosts send each other more that can
 * be none than there are packets of a flow, and no CRC of it was ever right, it
 * is held for the same, accuses nobody, and is no flow in the end. */
#ifndef FABSCOPE_FLOW_UET_NOT_UET_H
#define FABSCOPE_FLOW_UET_NOT_UET_H

#include "flow/uet/uet.h"

/* |p| is none, in spite of its port. */
void uet_is_not_uet(struct engine *e, const struct packet *p);
/* Is |f| hardly Ultra Ethernet? */
bool uet_hardly(const struct engine *e, const struct flow *f);
/* Too little to accuse anybody: it is hardly any, or a single packet. */
bool uet_mere(const struct engine *e, const struct flow *f);
/* Counts |n| packets of tap |tap| as none. */
void uet_disown(struct engine *e, uint32_t tap, uint64_t n);
void uet_not_uet_fini(struct engine *e);

#endif
