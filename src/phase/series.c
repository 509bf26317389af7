/* SPDX-License-Identifier: GPL-2.0-or-later
 * Lengths of silence, and repetition. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "phase/phase.h"

enum { PERIODS = 5 };

int64_t phase_middle(const int64_t *v, size_t n)
{
	return n % 2 ? v[n / 2] : v[n / 2 - 1] + (v[n / 2] - v[n / 2 - 1]) / 2;
}

int64_t phase_median(int64_t *v, size_t n)
{
	sort_int64(v, n);
	return phase_middle(v, n);
}

int64_t phase_half_in(int64_t *v, size_t n)
{
	double all = 0, sum = 0;
	size_t i = 0;

	sort_int64(v, n);
	for (size_t k = 0; k < n; k++)
		all += (double)v[k];
	while (i + 1 < n && (sum += (double)v[i]) < all / 2)
		i++;
	return v[i];
}

int64_t phase_deviation(int64_t *v, size_t n, int64_t middle)
{
	for (size_t i = 0; i < n; i++)
		v[i] = v[i] < middle ? middle - v[i] : v[i] - middle;
	return phase_median(v, n);
}

/* The largest are at either end. */
int64_t phase_spread(const int64_t *v, size_t n, int64_t middle)
{
	int64_t largest[2] = { 0 };

	for (size_t low = 0, high = n; high - low > (n - 1) / 2;) {
		int64_t below = middle - v[low], above = v[high - 1] - middle;

		largest[0] = largest[1];
		largest[1] = below > above ? below : above;
		if (below > above)
			low++;
		else
			high--;
	}
	return n % 2 ? largest[1] : largest[1] + (largest[0] - largest[1]) / 2;
}

/* Two kinds differ by this factor at least; what is shorter than the least
 * silence of a flow is of no kind. */
static const double APART = 1.5;
enum { FLOOR_NS = 2000 };

static double length_of(int64_t ns)
{
	return log((double)(ns > FLOOR_NS ? ns : FLOOR_NS));
}

size_t phase_idle_thresholds(int64_t *idle, size_t n, size_t least, int64_t *at,
			     size_t room)
{
	double widths[PHASE_KINDS_MAX] = { 0 };
	size_t k = 0;

	assert(room <= PHASE_KINDS_MAX);
	sort_int64(idle, n);
	for (size_t i = 1; i + least <= n; i++) {
		double low = length_of(idle[i - 1]), high = length_of(idle[i]);
		size_t p = k < room ? k : room - 1;

		if (high - low <= log(APART) ||
		    (k == room && high - low <= widths[p]))
			continue;
		for (; p && widths[p - 1] < high - low; p--) {
			widths[p] = widths[p - 1];
			at[p] = at[p - 1];
		}
		widths[p] = high - low;
		at[p] = (int64_t)exp((low + high) / 2);
		k += k < room;
	}
	return k;
}

/* Of the part that overlaps, so that long lags are not at a disadvantage. */
static double correlation(const double *x, size_t n, double mean, size_t lag)
{
	double both = 0, a = 0, b = 0;

	for (size_t i = 0; i + lag < n; i++) {
		double p = x[i] - mean, q = x[i + lag] - mean;

		both += p * q;
		a += p * p;
		b += q * q;
	}
	return a > 0 && b > 0 ? both / sqrt(a * b) : 0;
}

size_t phase_period(const double *x, size_t n, double *peak)
{
	double mean = 0, at;
	size_t best = 0, lag = 1;

	*peak = 0;
	for (size_t i = 0; i < n; i++)
		mean += x[i] / (double)n;
	while (lag * PERIODS <= n && correlation(x, n, mean, lag) >= 0.5)
		lag++;
	for (; lag * PERIODS <= n; lag++) {
		at = correlation(x, n, mean, lag);
		/* Of nearly equal ones the first is the period. */
		if (at > *peak + 0.05) {
			*peak = at;
			best = lag;
		}
	}
	return best;
}
