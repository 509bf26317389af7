/* SPDX-License-Identifier: GPL-2.0-or-later
 * Statistics of repetitions. */
#include "campaign/statistics.h"

#include <math.h>
#include <stdlib.h>

static const double CONFIDENCE = 0.95, CONFIDENCE_Z = 1.959964;
static const double OUTLIER_Z = 3.5;
enum { OUTLIER_VALUES = 5 };

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double middle(const double *v, size_t n)
{
	return n % 2 ? v[n / 2] : v[n / 2 - 1] + (v[n / 2] - v[n / 2 - 1]) / 2;
}

/* The value |*rank| from either end is the last that still has at least
 * CONFIDENCE between them: 1 - 2 P(B < rank), B binomial (n, 1/2). */
static double interval_of(size_t n, size_t *rank)
{
	double all = 1, log_term = -(double)n * log(2);
	double below = exp(log_term), coverage = all - 2 * below;

	for (*rank = 1; *rank < (n + 1) / 2; ++*rank) {
		double k = (double)*rank;

		log_term += log(((double)n - k + 1) / k);
		below += exp(log_term);
		if (all - 2 * below < CONFIDENCE)
			break;
		coverage = all - 2 * below;
	}
	return coverage;
}

void summarize(double *v, size_t n, struct summary *s)
{
	double sum = 0, squares = 0;
	size_t rank = 1;

	*s = (struct summary) { .n = n };
	if (!n)
		return;
	qsort(v, n, sizeof *v, by_value);
	for (size_t i = 0; i < n; i++)
		sum += v[i];
	s->mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (v[i] - s->mean) * (v[i] - s->mean);
	s->deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
	s->median = middle(v, n);
	s->coverage = n > 1 ? interval_of(n, &rank) : 0;
	s->low = v[rank - 1];
	s->high = v[n - rank];
	s->least = v[0];
	s->most = v[n - 1];
}

bool outlies(const double *v, size_t n, double x)
{
	double *away, center, mean = 0, scale;

	if (n < OUTLIER_VALUES)
		return false;
	away = malloc(n * sizeof *away);
	if (!away)
		return false;
	center = middle(v, n);
	for (size_t i = 0; i < n; i++) {
		away[i] = fabs(v[i] - center);
		mean += away[i] / (double)n;
	}
	qsort(away, n, sizeof *away, by_value);
	scale = middle(away, n);
	free(away);
	/* what makes either one the deviation of normal values */
	scale = scale > 0 ? scale * 1.482602 : mean * 1.253314;
	return scale > 0 && fabs(x - center) / scale > OUTLIER_Z;
}

/* Slopes of all pairs whose x differ; their number. */
static size_t slopes_of(const double *x, const double *y, size_t n, double *to)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			if (x[i] < x[j] || x[j] < x[i])
				to[k++] = (y[j] - y[i]) / (x[j] - x[i]);
	return k;
}

static void slope_interval(const double *slopes, size_t k, size_t n,
			   struct trend *t)
{
	double m = (double)n;
	double c = CONFIDENCE_Z * sqrt(m * (m - 1) * (2 * m + 5) / 18);
	double low = floor(((double)k - c) / 2),
	       high = ceil(((double)k + c) / 2);

	t->interval = low >= 1 && high < (double)k;
	if (!t->interval)
		return;
	t->low = slopes[(size_t)low - 1];
	t->high = slopes[(size_t)high];
}

bool trend_of(const double *x, const double *y, size_t n, struct trend *t)
{
	double *slopes;
	size_t k;

	*t = (struct trend) { .n = n };
	if (n < 2)
		return false;
	slopes = malloc(n * (n - 1) / 2 * sizeof *slopes);
	if (!slopes)
		return false;
	k = slopes_of(x, y, n, slopes);
	if (k) {
		qsort(slopes, k, sizeof *slopes, by_value);
		t->slope = middle(slopes, k);
		slope_interval(slopes, k, n, t);
	}
	free(slopes);
	return k > 0;
}

bool least_squares(const double *x, const double *y, size_t n, double *slope)
{
	double mx = 0, my = 0, xy = 0, xx = 0;

	for (size_t i = 0; i < n; i++) {
		mx += x[i] / (double)n;
		my += y[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		xy += (x[i] - mx) * (y[i] - my);
		xx += (x[i] - mx) * (x[i] - mx);
	}
	if (!(xx > 0))
		return false;
	*slope = xy / xx;
	return true;
}
