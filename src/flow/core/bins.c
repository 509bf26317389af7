/* SPDX-License-Identifier: GPL-2.0-or-later
 * A time series in adaptive, sparse bins, and the series of each flow. */
#include "flow/core/bins.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "flow/uet/uet.h"

/* ---- the series ---- */

static size_t stride(const struct bins *s)
{
	return (1u + s->counters) * sizeof *s->b;
}

struct bins *bins_new_of(uint32_t max, unsigned counters, unsigned maxima)
{
	struct bins *s = mem_calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->counters = (uint16_t)counters;
	s->maxima = (uint16_t)maxima;
	s->b = mem_calloc(4, stride(s));
	if (!s->b) {
		free(s);
		return NULL;
	}
	s->room = 4;
	s->max = max;
	s->width = BIN_WIDTH_NS;
	return s;
}

struct bins *bins_new(uint32_t max)
{
	return bins_new_of(max, sizeof(struct bin_count) / sizeof(int64_t), 0);
}

void bins_delete(struct bins *s)
{
	if (s)
		free(s->b);
	free(s);
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* The first bin of all may begin before time can tell. */
static int64_t start_of(const struct bins *s, int64_t index)
{
	int64_t start;

	return __builtin_mul_overflow(index, s->width, &start) ? INT64_MIN
							       : start;
}

static void add(const struct bins *s, int64_t *to, const int64_t *c)
{
	for (unsigned i = 0; i < s->counters; i++)
		if (!(s->maxima >> i & 1))
			to[i] += c[i];
		else if (c[i] > to[i])
			to[i] = c[i];
}

static void double_width(struct bins *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		int64_t index = floor_div(*bins_number(s, i), 2);

		if (n && *bins_number(s, n - 1) == index) {
			add(s, bins_counters(s, n - 1), bins_counters(s, i));
			continue;
		}
		memmove(bins_number(s, n), bins_number(s, i), stride(s));
		*bins_number(s, n) = index;
		n++;
	}
	s->n = n;
	s->width *= 2;
}

void bins_limit(struct bins *s, uint32_t max)
{
	uint32_t before = s->n;

	s->max = max;
	while (s->n > max && s->width <= INT64_MAX / 4)
		double_width(s);
	if (s->n < before)
		s->to = s->from; /* no bin is current any more */
}

void bins_forget(struct bins *s, int64_t before)
{
	int64_t index = floor_div(before, s->width);
	uint32_t n = 0;

	while (n < s->n && *bins_number(s, n) < index)
		n++;
	if (!n)
		return;
	s->n -= n;
	memmove(s->b, bins_number(s, n), s->n * stride(s));
	s->to = s->from; /* no bin is current any more */
}

/* Where |index| is, or would be. */
static uint32_t lower_bound(const struct bins *s, int64_t index)
{
	uint32_t i = s->n;

	/* Time nearly always goes on: look from the end. */
	while (i > 0 && *bins_number(s, i - 1) >= index)
		i--;
	return i;
}

static bool make_room(struct bins *s)
{
	uint32_t room = s->room * 2;
	int64_t *b;

	if (s->n < s->room && s->n < s->max)
		return true;
	if (s->n >= s->max)
		return false;
	b = mem_reallocarray(s->b, room, stride(s));
	if (!b)
		return false;
	s->b = b;
	s->room = room;
	return true;
}

void *bins_find(struct bins *s, int64_t ns)
{
	int64_t index = floor_div(ns, s->width);
	uint32_t i = lower_bound(s, index);

	while ((i == s->n || *bins_number(s, i) != index) && !make_room(s)) {
		/* The year may have passed; the width has its limit too. */
		if (s->width > INT64_MAX / 4)
			return bins_counters(s, i < s->n ? i : s->n - 1);
		double_width(s);
		index = floor_div(ns, s->width);
		i = lower_bound(s, index);
	}
	if (i == s->n || *bins_number(s, i) != index) {
		memmove(bins_number(s, i + 1), bins_number(s, i),
			(s->n - i) * stride(s));
		memset(bins_number(s, i), 0, stride(s));
		*bins_number(s, i) = index;
		s->n++;
	}
	s->current = bins_counters(s, i);
	s->from = start_of(s, index);
	if (__builtin_add_overflow(s->from, s->width, &s->to))
		s->to = INT64_MAX;
	return s->current;
}

int64_t bins_start_of(const struct bins *s, uint32_t i)
{
	return start_of(s, *bins_number(s, i));
}

void bins_span(struct bins *s, unsigned counter, int64_t from, int64_t to)
{
	while (from < to) {
		int64_t *c = bins_counters_at(s, from);
		/* At the ends of time a bin may not reach where it is. */
		int64_t end = s->to > from && s->to < to ? s->to : to;

		c[counter] += end - from;
		from = end;
	}
}

void bins_paused_span(struct bins *s, int64_t from, int64_t to)
{
	bins_span(s, offsetof(struct bin_count, paused_ns) / sizeof(int64_t),
		  from, to);
}

static void emit_bin(struct engine *e, const struct bin_count *c,
		     const struct fact_bin *as)
{
	static const struct bin_count empty;
	struct fact_bin b = *as;

	/* All of a bin may have been taken back. */
	if (!memcmp(c, &empty, sizeof empty))
		return;
	b.packets = c->packets;
	b.bytes = c->bytes;
	b.ce = c->ce;
	b.ect = c->ect;
	b.cnp = c->cnp;
	b.retransmitted = c->retransmitted;
	b.paused_ns = c->paused_ns;
	HAND_OUT(e, bin, &b);
}

static void emit_series(struct engine *e, const struct bins *s,
			const struct fact_bin *as)
{
	struct fact_bin b = *as;

	for (uint32_t i = 0; s && i < s->n; i++) {
		b.start_ns = bins_start_of(s, i);
		b.width_ns = s->width;
		emit_bin(e, bins_counters(s, i), &b);
	}
}

void bins_emit_all(struct engine *e, const struct bins *s, int scope,
		   uint32_t id)
{
	emit_series(e, s,
		    &(struct fact_bin) { .scope = scope, .scope_id = id });
}

void bins_emit_priority(struct engine *e, const struct bins *s, uint32_t tap,
			uint32_t priority)
{
	emit_series(e, s,
		    &(struct fact_bin) { .scope = BIN_PRIORITY,
					 .scope_id = priority,
					 .tap = tap });
}

/* ---- the series of a flow ---- */

/* Only what changed since the last look is put into a bin, once per bin: the
 * path of a packet needs one comparison. */
struct flow_bins {
	struct bins *s;
	/* From the first packet on until there was a series: one long bin. */
	struct bin_count before;
	int64_t before_end;
	struct bin_count stored;
	int64_t since; /* where the next goes */
};

/* A flow has a series from so many packets on; of few flows, from fewer. */
enum { ENOUGH = 1000, SERIES_MAX = 8192 };

void bins_start(struct flow *f, int64_t ns)
{
	f->bin_end = ns + BIN_WIDTH_NS;
}

static struct bin_count now(const struct flow *f)
{
	return (struct bin_count) { .packets = f->packets,
				    .bytes = f->bytes,
				    .ce = flow_ce(f),
				    .ect = flow_ect(f),
				    .cnp = f->cnp,
				    .retransmitted = f->retransmitted };
}

/* All series share the rows that there may be. */
static uint32_t limit(const struct engine *e, const struct flow *f)
{
	uint32_t most = f->watched ? BIN_WATCHED_MAX : BIN_FLOW_MAX;
	uint32_t share = BIN_ROWS_MAX / (e->n_series ? e->n_series : 1);

	return share < most ? share : most;
}

static struct flow_bins *series(struct engine *e, struct flow *f, int64_t ns)
{
	uint32_t enough = e->n_flows < ENOUGH ? e->n_flows : ENOUGH;
	struct flow_bins *b;

	if (f->bins || (f->packets < enough && !f->watched) ||
	    e->n_series >= SERIES_MAX)
		return f->bins;
	b = mem_calloc(1, sizeof *b);
	if (b && !(b->s = bins_new(limit(e, f)))) {
		free(b);
		b = NULL;
	}
	if (b) {
		b->before = b->stored = now(f);
		b->before_end = b->since = ns;
		/* Not finer than what there will be room for. */
		while (b->s->width < (ns - f->first_ns) / b->s->max)
			b->s->width *= 2;
		e->n_series++;
	}
	f->bins = b;
	return b;
}

/* Packets that begin another epoch are taken back from this one: they were its
 * newest, and may lie in several bins. */
static void take_back(struct flow_bins *b, unsigned counter, int64_t n)
{
	for (uint32_t i = b->s->n + 1; n && i-- > 0;) {
		void *counters = i ? bins_counters(b->s, i - 1) : &b->before;
		int64_t *c = (int64_t *)counters + counter;
		int64_t part = n < *c ? n : *c;

		*c -= part;
		n -= part;
	}
}

static void settle(struct flow *f, struct flow_bins *b)
{
	struct bin_count n = now(f);
	const int64_t *to = (const int64_t *)&n;
	const int64_t *from = (const int64_t *)&b->stored;

	for (unsigned i = 0; i < b->s->counters; i++)
		if (to[i] > from[i])
			((int64_t *)bins_at(b->s, b->since))[i] +=
				to[i] - from[i];
		else
			take_back(b, i, from[i] - to[i]);
	b->stored = n;
}

void bins_roll(struct engine *e, struct flow *f, int64_t ns)
{
	struct flow_bins *b = series(e, f, ns);

	/* Look again after as long as the flow has lived. */
	if (__builtin_add_overflow(ns, (ns - f->first_ns) / 4 + BIN_WIDTH_NS,
				   &f->bin_end))
		f->bin_end = INT64_MAX;
	if (!b)
		return;
	settle(f, b);
	bins_limit(b->s, limit(e, f));
	b->since = ns;
	f->bin_end = floor_div(ns, b->s->width) * b->s->width + b->s->width;
}

void bins_forget_flow(struct flow *f, int64_t before)
{
	struct bins *stored = uet_series(f);

	if (stored)
		bins_forget(stored, before);
	if (!f->bins)
		return;
	bins_forget(f->bins->s, before);
	if (f->bins->before_end < before)
		f->bins->before = (struct bin_count) { 0 };
}

void bins_free(struct flow *f)
{
	if (f->bins)
		bins_delete(f->bins->s);
	free(f->bins);
	f->bins = NULL;
}

/* Up to the first bin, or in it when that is as long by now. */
static void emit_before(struct engine *e, const struct flow *f,
			struct flow_bins *b)
{
	int64_t end = b->before_end;

	if (b->s->n && bins_start_of(b->s, 0) < end)
		end = bins_start_of(b->s, 0);
	if (b->before.packets && end <= f->first_ns)
		add(b->s, bins_counters(b->s, 0), (const void *)&b->before);
	else if (b->before.packets)
		emit_bin(e, &b->before,
			 &(struct fact_bin) { .scope = BIN_FLOW,
					      .scope_id = f->id,
					      .start_ns = f->first_ns,
					      .width_ns = end - f->first_ns });
}

void bins_emit(struct engine *e, struct flow *f)
{
	struct flow_bins *b = f->bins;

	if (!b)
		return;
	settle(f, b);
	bins_limit(b->s, limit(e, f));
	if (!limit_take(e, LIMIT_BIN, b->s->n, true))
		return;
	e->limit[LIMIT_BIN].rows++; /* what was before */
	emit_before(e, f, b);
	bins_emit_all(e, b->s, BIN_FLOW, f->id);
}
