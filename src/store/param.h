/* SPDX-License-Identifier: GPL-2.0-or-later
 * The value of a parameter, from what a person types. */
#ifndef FABSCOPE_STORE_PARAM_H
#define FABSCOPE_STORE_PARAM_H

#include <stdint.h>

#include "store/query.h"

/* Numbers: decimal, or hexadecimal after 0x.  Shares also as "1%".  Durations
 * with a unit: 250us, 1.5ms, 2s; a bare number is ns.  Bytes and rates with K,
 * M, G, T: by 1024, by 1000.  Times: ns since the epoch, or +1.5s after
 * |origin|, or 2026-11-21T01:02:03.5Z.  "NULL" is NULL.  -1 when |text| is none
 * of that. */
int param_parse(enum query_unit unit, const char *text, int64_t origin,
		struct query_value *value);

#endif
