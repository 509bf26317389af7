/* SPDX-License-Identifier: GPL-2.0-or-later
 * The semantic sublayer of a UET packet as bytes. */
#ifndef FABSCOPE_SIMULATE_UET_SES_H
#define FABSCOPE_SIMULATE_UET_SES_H

#include <stdint.h>

struct pkt;

/* Extension included; a control packet has none. */
uint32_t uet_ses_bytes(const struct pkt *p);
void uet_ses_write(const struct pkt *p, uint8_t *o);

#endif
