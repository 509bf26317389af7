/* SPDX-License-Identifier: GPL-2.0-or-later
 * How long messages took, as histograms: one for each capture point, transport,
 * operation and class of size.
 *
 * Of many messages a database has only a sample and the unusual ones, from
 * which no percentile can be computed. */
#include <stdlib.h>

#include "base/mem.h"
#include "flow/core/flow.h"
#include "flow/core/histogram.h"

enum { KINDS = 512, SIZE_UNKNOWN = 0xff };

struct latencies {
	uint64_t key[KINDS];
	struct histogram *of[KINDS];
	unsigned n, last; /* last: found last */
	uint64_t left_out;
};

/* Classes of size are powers of four: 0..3 bytes, 4..15, 16..63, ... */
static unsigned size_class(int64_t bytes)
{
	if (bytes == FACT_UNKNOWN)
		return SIZE_UNKNOWN;
	return bytes > 0
		       ? (63u - (unsigned)__builtin_clzll((uint64_t)bytes)) / 2
		       : 0;
}

static int64_t size_from(unsigned class)
{
	if (class == SIZE_UNKNOWN)
		return FACT_UNKNOWN;
	return class ? INT64_C(1) << 2 * class : 0;
}

static struct histogram *histogram_of(struct latencies *l, uint64_t key)
{
	unsigned i = l->last;

	if (i < l->n && l->key[i] == key)
		return l->of[i];
	for (i = 0; i < l->n && l->key[i] != key;)
		i++;
	if (i == KINDS)
		return NULL;
	if (i == l->n) {
		l->of[i] = mem_calloc(1, sizeof *l->of[i]);
		if (!l->of[i])
			return NULL;
		l->key[i] = key;
		l->n++;
	}
	l->last = i;
	return l->of[i];
}

void latency_add(struct engine *e, const struct flow *f,
		 const struct message *m, int64_t ns)
{
	struct histogram *s;

	if (!e->latencies)
		e->latencies = mem_calloc(1, sizeof *e->latencies);
	if (!e->latencies)
		return;
	s = histogram_of(e->latencies, (uint64_t)f->tap << 32 |
					       (uint64_t)f->transport << 16 |
					       (uint64_t)m->op << 8 |
					       size_class(message_bytes(m)));
	if (s)
		histogram_add(s, ns);
	else
		e->latencies->left_out++;
}

void latency_emit_histogram(struct engine *e, const struct histogram *s,
			    struct fact_latency f)
{
	for (unsigned i = 0; e->sink.latency && i < HISTOGRAM_BUCKETS; i++) {
		if (!s->in[i])
			continue;
		f.count = s->in[i];
		f.from_ns = histogram_low(i);
		f.to_ns = i + 1 < HISTOGRAM_BUCKETS ? histogram_low(i + 1) - 1
						    : s->max;
		if (f.from_ns < s->min)
			f.from_ns = s->min;
		if (f.to_ns > s->max)
			f.to_ns = s->max;
		e->sink.latency(e->sink.ctx, &f);
	}
}

void latency_finish(struct engine *e)
{
	const struct latencies *l = e->latencies;

	for (unsigned i = 0; l && i < l->n; i++) {
		latency_emit_histogram(
			e, l->of[i],
			(struct fact_latency) {
				.tap = (uint32_t)(l->key[i] >> 32),
				.transport = (enum flow_transport)(
					l->key[i] >> 16 & 0xff),
				.op = (enum message_op)(l->key[i] >> 8 & 0xff),
				.bytes_from = size_from((unsigned)l->key[i] &
							0xff) });
	}
	if (l)
		emit_left_out(e, "message_latency", l->left_out);
}

void latency_fini(struct engine *e)
{
	for (unsigned i = 0; e->latencies && i < e->latencies->n; i++)
		free(e->latencies->of[i]);
	free(e->latencies);
}
