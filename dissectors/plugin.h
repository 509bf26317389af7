/* SPDX-License-Identifier: GPL-2.0-or-later
 * The parts of the plugin, each registered once. */
#ifndef FABSCOPE_DISSECTORS_PLUGIN_H
#define FABSCOPE_DISSECTORS_PLUGIN_H

#include "decode/packet.h"
#include "dissectors/compat.h"

struct judged;

/* What the tap "fabscope" is handed for each packet of a flow. */
struct tapped {
	const struct packet *packet;
	const struct judged *judged;
};

extern int proto_fabscope;

/* tables.c */
void tables_show(proto_tree *tree, tvbuff_t *tvb, const struct tapped *t);
void tables_tap(packet_info *pinfo, const struct tapped *t);

void analysis_register(void);
void congestion_register(void);
/* Marks, CNPs, pauses: into the tree of the analysis. */
void congestion_show(proto_tree *tree, tvbuff_t *tvb, const struct packet *p,
		     const struct judged *j);
void roce_register(void);
void roce_handoff(void);
/* The wrapper at the ports of RoCE, or away from them. */
void roce_place(bool on);
void tables_register(void);
void statistics_register(void);

#endif
