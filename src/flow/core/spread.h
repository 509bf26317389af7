/* SPDX-License-Identifier: GPL-2.0-or-later
 * How numbers are spread: a histogram of fixed size, exact below 32 and within
 * 1/16 above, with the true smallest and largest.
 *
 * Sixteen steps an octave up to 2^28 (0.27 s in nanoseconds); what is larger
 * shares the last step. */
#ifndef FABSCOPE_FLOW_CORE_SPREAD_H
#define FABSCOPE_FLOW_CORE_SPREAD_H

#include <stdint.h>

enum {
	SPREAD_LINEAR = 32,
	SPREAD_STEPS = 16,
	SPREAD_OCTAVES = 23,
	SPREAD_BUCKETS = SPREAD_LINEAR + SPREAD_STEPS * SPREAD_OCTAVES,
};

struct spread {
	uint64_t n;
	int64_t min, max, sum;
	uint32_t in[SPREAD_BUCKETS];
};

/* In which step a number lies, and the middle of it. */
unsigned spread_step(int64_t value);
int64_t spread_middle(unsigned step);

/* The smallest number in a step. */
int64_t spread_low(unsigned step);

/* Negative numbers count as 0. */
void spread_add(struct spread *s, int64_t value);

/* The smallest number that at least |share| of all do not exceed, as near as
 * the steps allow and never outside of min and max.  Undefined when n is 0. */
int64_t spread_quantile(const struct spread *s, double share);

#endif
