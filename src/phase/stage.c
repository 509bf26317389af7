/* SPDX-License-Identifier: GPL-2.0-or-later
 * How long each stage of a pipeline computes at a time.
 *
 * Who computes longer than the others in all iterations may be slow, or may
 * have more to do: no other rank does the same work, and no iteration is
 * without it.  So it is said how long it takes, and not whose doing that is.
 * The first and the last stage do other work, and are not compared. */
#include <stdlib.h>
#include <string.h>

#include "phase/path_int.h"

enum { FEW = 4 }; /* activities of a flow that say nothing */

/* What flow |f| waited for its input, where that was computing, into |v|;
 * |asked|: also what was not sent before its receiver asked for it. */
static size_t lags_of(const struct path *p, uint32_t f, bool asked, int64_t *v)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	const int64_t *usual = p->lags + p->first_lag[f];
	size_t n = 0;

	for (size_t k = 0; k < g->n; k++)
		if (usual[k] != PHASE_UNKNOWN && usual[k] > p->computes &&
		    (asked || !path_is_asked_for(p, f, k)))
			v[n++] = usual[k];
	return n;
}

/* How long flow |f| computes at a time: between messages that are sent together
 * it is short, however many these are.  |v| has room for all.  0: it is not
 * known. */
static int64_t of_flow(const struct path *p, uint32_t f, int64_t *v)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	size_t n = lags_of(p, f, false, v);

	/* Where its receiver asks late, it waits for that as well. */
	if (n <= FEW && !path_may_ask_late(p, p->j->rank_of[g->dst]))
		n = lags_of(p, f, true, v);
	return n > FEW ? phase_half_in(v, n) : 0;
}

static int by_peer(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Ranks that |r| exchanges data with, in |v|. */
static size_t peers(const struct job *j, uint32_t r, uint32_t *v)
{
	const struct rank *k = &j->ranks[r];
	size_t n = 0, several = 0;

	for (uint32_t i = 0; i < k->n_out; i++)
		v[n++] = j->in->flows[k->out[i]].dst;
	for (uint32_t i = 0; i < k->n_in; i++)
		v[n++] = j->in->flows[k->in[i]].src;
	qsort(v, n, sizeof *v, by_peer);
	for (size_t i = 0; i < n; i++)
		if (!i || v[i] != v[i - 1])
			v[several++] = v[i];
	return several;
}

/* What |r| computes for each of its peers, one after the other; 0: of one of
 * them it is not known.  |*longest|: for one. */
static int64_t of_rank(const struct path *p, uint32_t r, const uint32_t *to,
		       size_t n, int64_t *v, int64_t *longest)
{
	const struct job *j = p->j;
	const struct rank *k = &j->ranks[r];
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t most = 0;

		for (uint32_t o = 0; o < k->n_out; o++)
			if (j->in->flows[k->out[o]].dst == to[i]) {
				int64_t ns = of_flow(p, k->out[o], v);

				most = ns > most ? ns : most;
			}
		if (!most)
			return 0;
		sum += most;
		*longest = most > *longest ? most : *longest;
	}
	return sum;
}

bool path_stages(struct path *p)
{
	struct job *j = p->j;
	size_t most = 0;
	uint32_t *to = calloc(2 * j->in->n_flows + 1, sizeof *to);
	int64_t *v;

	for (size_t f = 0; f < j->in->n_flows; f++)
		most = j->in->flows[f].n > most ? j->in->flows[f].n : most;
	v = calloc(most + 1, sizeof *v);
	p->stages = calloc((size_t)j->n_ranks + 1, sizeof *p->stages);
	for (uint32_t r = 0; v && to && p->stages && r < j->n_ranks; r++) {
		size_t n = peers(j, r, to);
		int64_t all = 0;

		if (j->row.pattern == PATTERN_PIPELINE && p->lags)
			all = of_rank(p, r, to, n, v, &p->stages[r]);
		j->ranks[r].stage_ns = n == 2 ? all : 0;
	}
	free(to);
	free(v);
	return v && to && p->stages;
}
