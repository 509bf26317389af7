/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which of some numbered things belong together (union-find): |up[i]| is i at
 * first, and leads to the first of its set. */
#ifndef FABSCOPE_BASE_UNION_H
#define FABSCOPE_BASE_UNION_H

#include <stdint.h>

/* The first of the set that |i| is in; shortens the way there. */
static inline uint32_t union_first(uint32_t *up, uint32_t i)
{
	while (up[i] != i)
		i = up[i] = up[up[i]];
	return i;
}

static inline void union_join(uint32_t *up, uint32_t a, uint32_t b)
{
	a = union_first(up, a);
	b = union_first(up, b);
	up[a > b ? a : b] = a > b ? b : a;
}

#endif
