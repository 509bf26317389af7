/* SPDX-License-Identifier: GPL-2.0-or-later
 * What switches said in packets, summed up by place, flow and hop. */
#ifndef FABSCOPE_FLOW_PATH_H
#define FABSCOPE_FLOW_PATH_H

#include <stdint.h>

struct engine;
struct packet;

/* A packet with PACKET_STACK or PACKET_CSIG of flow number |flow|. */
void path_packet(struct engine *e, uint32_t flow, const struct packet *p);

void path_finish(struct engine *e); /* hands out hops, paths, csig */
void path_fini(struct engine *e);

#endif
