/* SPDX-License-Identifier: GPL-2.0-or-later
 * How numbers are spread. */
#include "flow/core/spread.h"

enum { LINEAR_BITS = 5, STEP_BITS = 4 };

unsigned spread_step(int64_t value)
{
	uint64_t v = value < 0 ? 0 : (uint64_t)value;
	unsigned octave, step;

	if (v < SPREAD_LINEAR)
		return (unsigned)v;
	octave = 63u - (unsigned)__builtin_clzll(v) - LINEAR_BITS;
	if (octave >= SPREAD_OCTAVES)
		return SPREAD_BUCKETS - 1;
	step = (unsigned)(v >> (octave + LINEAR_BITS - STEP_BITS)) &
	       (SPREAD_STEPS - 1);
	return SPREAD_LINEAR + octave * SPREAD_STEPS + step;
}

static unsigned shift_of(unsigned bucket)
{
	return (bucket - SPREAD_LINEAR) / SPREAD_STEPS + LINEAR_BITS -
	       STEP_BITS;
}

int64_t spread_low(unsigned bucket)
{
	if (bucket < SPREAD_LINEAR)
		return bucket;
	return (int64_t)(SPREAD_STEPS + (bucket - SPREAD_LINEAR) % SPREAD_STEPS)
	       << shift_of(bucket);
}

int64_t spread_middle(unsigned bucket)
{
	if (bucket < SPREAD_LINEAR)
		return bucket;
	return spread_low(bucket) + (INT64_C(1) << shift_of(bucket)) / 2;
}

void spread_add(struct spread *s, int64_t value)
{
	if (value < 0)
		value = 0;
	if (!s->n || value < s->min)
		s->min = value;
	if (!s->n || value > s->max)
		s->max = value;
	s->n++;
	s->sum += value;
	s->in[spread_step(value)]++;
}

int64_t spread_quantile(const struct spread *s, double share)
{
	uint64_t want = (uint64_t)(share * (double)s->n), seen = 0;
	int64_t v = s->max;

	for (unsigned i = 0; i < SPREAD_BUCKETS; i++) {
		seen += s->in[i];
		if (seen > want || seen == s->n) {
			v = spread_middle(i);
			break;
		}
	}
	return v < s->min ? s->min : v > s->max ? s->max : v;
}
