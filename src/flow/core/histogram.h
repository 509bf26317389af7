/* SPDX-License-Identifier: GPL-2.0-or-later
 * How numbers are spread: a histogram of fixed size, exact below 32 and within
 * 1/16 above, with the true smallest and largest.
 *
 * Sixteen steps an octave up to 2^28 (0.27 s in nanoseconds); what is larger
 * shares the last step. */
#ifndef FABSCOPE_FLOW_CORE_HISTOGRAM_H
#define FABSCOPE_FLOW_CORE_HISTOGRAM_H

#include <stdint.h>

enum {
	HISTOGRAM_LINEAR = 32,
	HISTOGRAM_STEPS = 16,
	HISTOGRAM_OCTAVES = 23,
	HISTOGRAM_BUCKETS =
		HISTOGRAM_LINEAR + HISTOGRAM_STEPS * HISTOGRAM_OCTAVES,
};

struct histogram {
	uint64_t n;
	int64_t min, max, sum;
	uint32_t in[HISTOGRAM_BUCKETS];
};

/* In which step a number lies, and the middle of it. */
unsigned histogram_step(int64_t value);
int64_t histogram_middle(unsigned step);

/* The smallest number in a step. */
int64_t histogram_low(unsigned step);

/* Negative numbers count as 0. */
void histogram_add(struct histogram *s, int64_t value);

/* The smallest number that at least |share| of all do not exceed, as near as
 * the steps allow and never outside of min and max.  Undefined when n is 0. */
int64_t histogram_quantile(const struct histogram *s, double share);

#endif
