/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the results of decoding are called in JSON and on the terminal. */
#ifndef FABSCOPE_VIEWS_PACKET_NAMES_H
#define FABSCOPE_VIEWS_PACKET_NAMES_H

#include "decode/packet.h"

extern const char *const packet_status_names[PACKET_STATUSES];
extern const char *const packet_kind_names[PACKET_KINDS];
extern const char *const icrc_status_names[];

#endif
