/* SPDX-License-Identifier: GPL-2.0-or-later
 * All flows between two hosts as one: where messages go by several queue pairs
 * in turn, a step may be no whole number of rounds, and no single flow has as
 * many messages in each. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "phase/phase_int.h"

static int by_hosts(const void *a, const void *b)
{
	const struct phase_flow *x = *(const struct phase_flow *const *)a;
	const struct phase_flow *y = *(const struct phase_flow *const *)b;

	if (x->src != y->src)
		return (x->src > y->src) - (x->src < y->src);
	if (x->dst != y->dst)
		return (x->dst > y->dst) - (x->dst < y->dst);
	return (x->id > y->id) - (x->id < y->id);
}

static bool same_hosts(const struct phase_flow *a, const struct phase_flow *b)
{
	return a->src == b->src && a->dst == b->dst;
}

/* From |v| on, so many go between the same hosts. */
static size_t alike(const struct phase_flow *const *v, size_t n)
{
	size_t m = 1;

	while (m < n && same_hosts(v[0], v[m]))
		m++;
	return m;
}

/* |g| is all of |m| flows; its activities have room at |a|. */
static bool join(struct phase_flow *g, const struct phase_flow *const *v,
		 size_t m, struct phase_activity *a)
{
	*g = *v[0];
	g->a = a;
	g->n = g->messages = 0;
	for (size_t i = 0; i < m; i++) {
		if (v[i]->n)
			memcpy(a + g->n, v[i]->a, v[i]->n * sizeof *a);
		g->n += v[i]->n;
		g->messages += v[i]->messages;
	}
	return sort_by(struct phase_activity, a, g->n, from);
}

bool phase_turns(const struct phase_flow **flows, size_t n,
		 struct phase_turns *out)
{
	struct phase_activity *next;
	size_t all = 0, pairs = 0;
	bool ok = true;

	*out = (struct phase_turns) { 0 };
	if (n)
		qsort(flows, n, sizeof *flows, by_hosts);
	for (size_t i = 0; i < n; i += alike(flows + i, n - i))
		pairs++;
	for (size_t i = 0; i < n; i++)
		all += flows[i]->n;
	if (pairs == n)
		return true;
	out->flows = calloc(pairs, sizeof *out->flows);
	out->a = next = calloc(all + 1, sizeof *out->a);
	ok = out->flows && next;
	for (size_t i = 0, m; ok && i < n; i += m) {
		struct phase_flow *g = &out->flows[out->n++];

		m = alike(flows + i, n - i);
		ok = join(g, flows + i, m, next);
		next += g->n;
	}
	if (!ok)
		phase_turns_free(out);
	return ok;
}

void phase_turns_free(struct phase_turns *t)
{
	free(t->flows);
	free(t->a);
	*t = (struct phase_turns) { 0 };
}
