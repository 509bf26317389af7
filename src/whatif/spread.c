/* SPDX-License-Identifier: GPL-2.0-or-later
 * What runs say of a time together: a range, and a direction with how sure it
 * is.
 *
 * Each run that counts stands for times around its own, as a logistic
 * distribution has them (like a normal one, with more at its ends).  It is the
 * wider, the larger the change, and the farther the model of today is from the
 * capture. */
#include <math.h>

#include "whatif/whatif_int.h"

/* Standard deviations in the pairs of tests/whatif, of the time's logarithm:
 * always, of the change, and of how far the model is from the capture. */
static const double least_off = 0.004, of_change = 0.12, of_error = 0.15;

/* The range has the time nine times in ten. */
static const double tail = 0.05;

/* Nobody changes settings for less. */
static const double alike = 0.03;

/* More is not claimed: so many pairs were compared with what came. */
static const double most_sure = 0.99;

/* How much is below |at|, all in logarithms of the time over that captured. */
static double below(const struct wi_guess *g, size_t n, double error, double at)
{
	static const double sqrt3_by_pi = 0.5513288954;
	double all = 0, sum = 0;

	for (size_t i = 0; i < n; i++) {
		double change = of_change * g[i].change;
		double wide = sqrt(least_off * least_off + change * change +
				   of_error * of_error * error * error);
		double d = (at - g[i].change) / (wide * sqrt3_by_pi);

		all += g[i].weight;
		sum += g[i].weight / (1 + exp(-d));
	}
	return all > 0 ? sum / all : 0.5;
}

/* Where so much is below. */
static double quantile(const struct wi_guess *g, size_t n, double error,
		       double part)
{
	double low = -20, high = 20;

	while (high - low > 1e-7) {
		double middle = (low + high) / 2;

		if (below(g, n, error, middle) < part)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void wi_spread(const struct wi_guess *g, size_t n, double error,
	       struct whatif_time *t)
{
	double captured = (double)t->measured;

	t->low = (int64_t)(captured * exp(quantile(g, n, error, tail)));
	t->high = (int64_t)(captured * exp(quantile(g, n, error, 1 - tail)));
	t->faster = below(g, n, error, 0);
	t->unchanged = below(g, n, error, log1p(alike)) -
		       below(g, n, error, log1p(-alike));
}

double whatif_sure(const struct whatif_time *t)
{
	double most = fmax(t->unchanged, fmax(t->faster, 1 - t->faster));

	return fmin(most, most_sure);
}

const char *whatif_direction(const struct whatif_time *t)
{
	double sure = whatif_sure(t);

	if (sure < WHATIF_LEAST_SURE)
		return "unclear";
	if (t->unchanged >= sure)
		return "unchanged";
	return t->faster > 0.5 ? "faster" : "slower";
}
