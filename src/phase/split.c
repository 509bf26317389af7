/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which class has which part of a stretch of time. */
#include <stdlib.h>

#include "phase/phase.h"

#define X(id, name, part) name,
const char *const phase_class_names[PHASE_CLASS_COUNT] = { PHASE_CLASSES(X) };
#undef X
#define X(id, name, part) part,
const char *const phase_class_parts[PHASE_CLASS_COUNT] = { PHASE_CLASSES(X) };
#undef X

#define X(id, class, side, measured) class,
const char *const phase_share_classes[SHARE_COUNT] = { PHASE_SHARES(X) };
#undef X
#define X(id, class, side, measured) side,
const char *const phase_share_sides[SHARE_COUNT] = { PHASE_SHARES(X) };
#undef X
#define X(id, class, side, measured) measured,
const char *const phase_share_measures[SHARE_COUNT] = { PHASE_SHARES(X) };
#undef X

/* A span begins (+1) or ends (-1). */
struct edge {
	int64_t ns;
	enum phase_class class;
	int step;
};

static int by_time(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

static enum phase_class first_of(const int *open)
{
	unsigned c = 0;

	while (c < CLASS_UNKNOWN && !open[c])
		c++;
	return c;
}

static size_t edges_of(const struct phase_span *spans, size_t n, int64_t from,
		       int64_t to, struct edge *e)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t a = spans[i].from > from ? spans[i].from : from;
		int64_t b = spans[i].to < to ? spans[i].to : to;

		if (a >= b)
			continue;
		e[k++] = (struct edge) { a, spans[i].class, 1 };
		e[k++] = (struct edge) { b, spans[i].class, -1 };
	}
	qsort(e, k, sizeof *e, by_time);
	return k;
}

bool phase_split(const struct phase_span *spans, size_t n, int64_t from,
		 int64_t to,
		 void (*piece)(void *ctx, const struct phase_span *), void *ctx)
{
	struct edge *e = calloc(2 * n + 1, sizeof *e);
	struct phase_span p = { from, from, CLASS_UNKNOWN, false };
	int open[PHASE_CLASS_COUNT] = { 0 };
	size_t k;

	if (!e)
		return false;
	k = edges_of(spans, n, from, to, e);
	for (size_t i = 0; i <= k && from < to; i++) {
		int64_t ns = i < k ? e[i].ns : to;
		enum phase_class now = first_of(open);

		if (ns > p.to && now != p.class) {
			if (p.to > p.from)
				piece(ctx, &p);
			p.from = p.to;
			p.class = now;
		}
		p.to = ns;
		if (i < k)
			open[e[i].class] += e[i].step;
	}
	if (p.to > p.from)
		piece(ctx, &p);
	free(e);
	return true;
}
