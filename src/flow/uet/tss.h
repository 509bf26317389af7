/* SPDX-License-Identifier: GPL-2.0-or-later
 * What encrypted Ultra Ethernet (TSS) still tells, by security association:
 * source, secure domain (SDI), secure source (SSI).
 *
 * Its counter (TSC) goes up with every packet that the source sends under one
 * key, copies included, whoever they are for: numbers that are not here went
 * elsewhere, were lost or were not captured, and nothing says which.
 *
 * What begins like one need not be one: nothing in a single packet tells.  So
 * what does not count up, as an association does, is held for something else
 * in the end, and then it is no flow either. */
#ifndef FABSCOPE_FLOW_UET_TSS_H
#define FABSCOPE_FLOW_UET_TSS_H

#include "flow/uet/uet.h"

/* A flow is of one association: its key has the SSI for a number, and for the
 * rest the SDI and whether there is an SSI at all. */
enum { UET_AUX_SSI = 1 << 26 };

static inline uint32_t uet_tss_aux(const struct uet *u)
{
	return UET_AUX_TSS + u->tss.sdi + (u->tss.sp ? UET_AUX_SSI : 0);
}

void uet_tss_packet(struct engine *e, const struct packet *p);
/* Is |f| of an association that is hardly one? */
bool uet_tss_hardly(const struct engine *e, const struct flow *f);
/* Packets of such are counted as no Ultra Ethernet.  Before
 * the taps are reported. */
void uet_tss_disown(struct engine *e);
void uet_tss_emit(struct engine *e);
void uet_tss_fini(struct engine *e);

#endif
