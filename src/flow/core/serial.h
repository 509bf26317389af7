/* SPDX-License-Identifier: GPL-2.0-or-later
 * 24-bit serial arithmetic for PSNs and MSNs (IBTA vol 1, 9.7.1). */
#ifndef FABSCOPE_FLOW_CORE_SERIAL_H
#define FABSCOPE_FLOW_CORE_SERIAL_H

#include <stdint.h>

enum { PSN_MASK = 0xffffff };

/* > 0: |a| is after |b|.  Exactly half the space apart counts as behind. */
static inline int32_t psn_diff(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

static inline uint32_t psn_add(uint32_t a, uint32_t n)
{
	return (a + n) & PSN_MASK;
}

/* The one further along. */
static inline uint32_t psn_max(uint32_t a, uint32_t b)
{
	return psn_diff(a, b) > 0 ? a : b;
}

static inline uint32_t psn_min(uint32_t a, uint32_t b)
{
	return psn_diff(a, b) < 0 ? a : b;
}

#endif
