/* SPDX-License-Identifier: GPL-2.0-or-later
 * How numbers are spread. */
#include "flow/core/histogram.h"

#include "base/clamp.h"

enum { LINEAR_BITS = 5, STEP_BITS = 4 };

unsigned histogram_step(int64_t value)
{
	uint64_t v = value < 0 ? 0 : (uint64_t)value;
	unsigned octave, step;

	if (v < HISTOGRAM_LINEAR)
		return (unsigned)v;
	octave = 63u - (unsigned)__builtin_clzll(v) - LINEAR_BITS;
	if (octave >= HISTOGRAM_OCTAVES)
		return HISTOGRAM_BUCKETS - 1;
	step = (unsigned)(v >> (octave + LINEAR_BITS - STEP_BITS)) &
	       (HISTOGRAM_STEPS - 1);
	return HISTOGRAM_LINEAR + octave * HISTOGRAM_STEPS + step;
}

static unsigned shift_of(unsigned bucket)
{
	return (bucket - HISTOGRAM_LINEAR) / HISTOGRAM_STEPS + LINEAR_BITS -
	       STEP_BITS;
}

int64_t histogram_low(unsigned bucket)
{
	if (bucket < HISTOGRAM_LINEAR)
		return bucket;
	return (int64_t)(HISTOGRAM_STEPS +
			 (bucket - HISTOGRAM_LINEAR) % HISTOGRAM_STEPS)
	       << shift_of(bucket);
}

int64_t histogram_middle(unsigned bucket)
{
	if (bucket < HISTOGRAM_LINEAR)
		return bucket;
	return histogram_low(bucket) + (INT64_C(1) << shift_of(bucket)) / 2;
}

void histogram_add(struct histogram *s, int64_t value)
{
	if (value < 0)
		value = 0;
	if (!s->n || value < s->min)
		s->min = value;
	if (!s->n || value > s->max)
		s->max = value;
	s->n++;
	s->sum = clamp_add(s->sum, value);
	s->in[histogram_step(value)]++;
}

int64_t histogram_quantile(const struct histogram *s, double share)
{
	uint64_t want = (uint64_t)(share * (double)s->n), seen = 0;
	int64_t v = s->max;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += s->in[i];
		if (seen > want || seen == s->n) {
			v = histogram_middle(i);
			break;
		}
	}
	return v < s->min ? s->min : v > s->max ? s->max : v;
}
