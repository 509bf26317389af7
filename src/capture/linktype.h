/* SPDX-License-Identifier: GPL-2.0-or-later
 * Link types as files number them and as libpcap's compiler does: nearly the
 * same numbers. */
#ifndef FABSCOPE_CAPTURE_LINKTYPE_H
#define FABSCOPE_CAPTURE_LINKTYPE_H

#include <stdint.h>

int linktype_dlt(uint16_t linktype);
uint16_t linktype_from_dlt(int dlt);

#endif
