/* SPDX-License-Identifier: GPL-2.0-or-later
 * What packets of MRC say, by flow.  Internal to flow. */
#ifndef FABSCOPE_FLOW_BALANCE_MRC_H
#define FABSCOPE_FLOW_BALANCE_MRC_H

struct engine;
struct flow;
struct packet;

/* Of the key of a flow: no source port. */
enum { MRC_AUX = 1 << 16 };

/* |p| has PACKET_MRC. */
void mrc_packet(struct engine *e, const struct flow *f, const struct packet *p);
void mrc_emit(struct engine *e, const struct flow *f);
void mrc_free(struct engine *e, const struct flow *f);
void mrc_fini(struct engine *e);

#endif
