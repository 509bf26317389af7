/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sums of what a file says, which may be anything: where a sum is too large it
 * is the largest there is, or the smallest. */
#ifndef FABSCOPE_BASE_CLAMP_H
#define FABSCOPE_BASE_CLAMP_H

#include <stdint.h>

static inline int64_t clamp_add(int64_t a, int64_t b)
{
	int64_t v;

	if (__builtin_add_overflow(a, b, &v))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return v;
}

static inline int64_t clamp_sub(int64_t a, int64_t b)
{
	int64_t v;

	if (__builtin_sub_overflow(a, b, &v))
		return b > 0 ? INT64_MIN : INT64_MAX;
	return v;
}

static inline int64_t clamp_mul(int64_t a, int64_t b)
{
	int64_t v;

	if (__builtin_mul_overflow(a, b, &v))
		return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
	return v;
}

/* Counts: what a database can hold, and so never UINT64_MAX, which is none. */
static inline uint64_t clamp_count(uint64_t a, uint64_t b)
{
	uint64_t v;

	return __builtin_add_overflow(a, b, &v) || v > INT64_MAX ? INT64_MAX
								 : v;
}

/* The whole part; 0 of what is no number. */
static inline int64_t clamp_real(double x)
{
	const double beyond = 9223372036854775808.0; /* 2^63 */

	return x >= beyond   ? INT64_MAX
	       : x < -beyond ? INT64_MIN
	       : x == x      ? (int64_t)x
			     : 0;
}

#endif
