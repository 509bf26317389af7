/* SPDX-License-Identifier: GPL-2.0-or-later
 * Statistics of repetitions that assume nothing of how values are distributed.
 *
 * The interval of a median is between two of the values: that the true median
 * lies there has exactly the probability that so many of n coins fall heads.
 * It is at least 95 % from six values on; below that the interval is from the
 * smallest to the largest, and |coverage| says what that is worth. */
#ifndef FABSCOPE_CAMPAIGN_STATISTICS_H
#define FABSCOPE_CAMPAIGN_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

struct summary {
	size_t n;
	double median, low, high;
	double coverage;        /* of low..high; 0: one value has no interval */
	double mean, deviation; /* of a sample: n - 1; 0 of one value */
	double least, most;
};

/* Sorts |v|. */
void summarize(double *v, size_t n, struct summary *s);

/* Is |x| an outlier among |v|, which is sorted?  The modified z-score by the
 * median of deviations (Iglewicz and Hoaglin), above 3.5; where more than half
 * of the values are the same, by their mean.  Never of fewer than five. */
bool outlies(const double *v, size_t n, double x);

/* How |y| goes with |x|. */
struct trend {
	size_t n;
	double slope;
	double low, high; /* of the slope, 95 % */
	bool interval;    /* there is one */
};

/* The median of the slopes of all pairs (Theil and Sen), and its interval by
 * Kendall's statistic.  False: no two x differ, or no memory. */
bool trend_of(const double *x, const double *y, size_t n, struct trend *t);

/* By least squares, as the draft asks for memory.  False: no two x differ. */
bool least_squares(const double *x, const double *y, size_t n, double *slope);

#endif
