/* SPDX-License-Identifier: GPL-2.0-or-later
 * 32-bit serial arithmetic for UET's PSNs (uet.md 6.3). */
#ifndef FABSCOPE_FLOW_UET_SERIAL_H
#define FABSCOPE_FLOW_UET_SERIAL_H

#include <stdint.h>

/* > 0: |a| is after |b|. */
static inline int32_t psn32_diff(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b);
}

static inline uint32_t psn32_min(uint32_t a, uint32_t b)
{
	return psn32_diff(a, b) < 0 ? a : b;
}

#endif
