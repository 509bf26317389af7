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

bool phase_turns(const struct phase_flow *const *flows, size_t n,
		 struct phase_turns *out)
{
	const struct phase_flow **v = malloc((n + 1) * sizeof *v);
	size_t all = 0;
	bool ok;

	for (size_t i = 0; i < n; i++)
		all += flows[i]->n;
	*out = (struct phase_turns) {
		.flows = calloc(n + 1, sizeof *out->flows),
		.a = calloc(all + 1, sizeof *out->a),
	};
	ok = v && out->flows && out->a;
	if (ok && n) {
		memcpy(v, flows, n * sizeof *v);
		qsort(v, n, sizeof *v, by_hosts);
	}
	all = 0;
	for (size_t i = 0, m; ok && i < n; i += m) {
		struct phase_flow *g = &out->flows[out->n++];

		*g = *v[i];
		g->a = out->a + all;
		g->n = g->messages = 0;
		for (m = 0; i + m < n && same_hosts(v[i], v[i + m]); m++) {
			if (v[i + m]->n)
				memcpy(g->a + g->n, v[i + m]->a,
				       v[i + m]->n * sizeof *g->a);
			g->n += v[i + m]->n;
			g->messages += v[i + m]->messages;
		}
		all += g->n;
		ok = sort_by(struct phase_activity, g->a, g->n, from);
	}
	free(v);
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
