/* SPDX-License-Identifier: GPL-2.0-or-later
 * What encrypted Ultra Ethernet (TSS) still tells, by security association:
 * source, secure domain (SDI), secure source (SSI).
 *
 * Its counter (TSC) goes up with every packet that the source sends under one
 * key, copies included, whoever they are for: numbers that are not here went
 * elsewhere, were lost or were not captured, and nothing says which. */
#ifndef FABSCOPE_FLOW_UET_TSS_H
#define FABSCOPE_FLOW_UET_TSS_H

#include "flow/uet.h"

void uet_tss_packet(struct engine *e, const struct packet *p);
void uet_tss_emit(struct engine *e);
void uet_tss_fini(struct engine *e);

#endif
