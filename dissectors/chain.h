/* SPDX-License-Identifier: GPL-2.0-or-later
 * Headers that Wireshark does not know: Ultra Ethernet transport, telemetry
 * (IFA, CSIG, INT), UEC credit updates. */
#ifndef FABSCOPE_DISSECTORS_CHAIN_H
#define FABSCOPE_DISSECTORS_CHAIN_H

#include "dissectors/compat.h"

void chain_register(void);
void chain_handoff(void);

/* The dissectors at the numbers of the settings, or away from them. */
void chain_place(bool on);

/* Shows what of |tvb|, a part of the frame, is in such headers from its first
 * byte on, and hands over to Wireshark what follows.  0 when it begins with
 * none of them. */
int chain_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

#endif
