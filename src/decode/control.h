/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the flow layer asks of link control besides packet.control. */
#ifndef FABSCOPE_DECODE_CONTROL_H
#define FABSCOPE_DECODE_CONTROL_H

#include "decode/explain.h"

/* The TLVs of |p|, a PACKET_LLDP, as far as captured, as packet_explain() shows
 * them: a lldp_tlv before each, bodies without a description as "lldp value".
 */
void lldp_explain(const struct packet *p,
		  void (*part)(void *ctx, const struct explain_part *part),
		  void *ctx);

#endif
