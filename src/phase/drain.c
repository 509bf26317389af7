/* SPDX-License-Identifier: GPL-2.0-or-later
 * Hosts whose adapter takes up what comes later than those of the others.
 *
 * An adapter acknowledges what it has taken up, most of them at once.  Where
 * one of many needs far longer whatever comes, be its bus slow or its memory,
 * its host has the data no sooner than that either, and nothing that follows
 * from it is late.  Who sends on before it acknowledges only holds
 * acknowledgements back. */
#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"
#include "phase/phase_int.h"

enum {
	ACKS = 8,     /* that say how long an adapter takes */
	OTHERS = 2,   /* hosts that one is compared with */
	EXTREMES = 16 /* one of so many values */
};

static const double TWICE = 2;

struct moment {
	int64_t ns;
};

/* The adapter of a host. */
struct adapter {
	uint32_t host;
	int64_t quarter, middle; /* from data to its acknowledgement */
};

static bool acknowledged(const struct phase_flow *g, size_t k)
{
	return g->dst_seen && g->a[k].bytes &&
	       g->a[k].returned >= g->a[k].there;
}

/* How long rank |r| takes to acknowledge; false: not known.  |v| has room for
 * all activities. */
static bool acks_of(const struct job *j, const struct rank *r, struct moment *v,
		    struct adapter *out)
{
	size_t n = 0;

	for (uint32_t i = 0; i < r->n_in; i++) {
		const struct phase_flow *g = &j->in->flows[r->in[i]];

		for (size_t k = 0; k < g->n; k++)
			if (acknowledged(g, k))
				v[n++].ns = g->a[k].returned - g->a[k].there;
	}
	if (n < ACKS || !sort_by(struct moment, v, n, ns))
		return false;
	*out = (struct adapter) { r->host, v[n / 4].ns, v[n / 2].ns };
	return true;
}

/* Does rank |r| send on soon after data has come, within |ns|, and never
 * sooner?  |v| and |came| have room for all activities. */
static bool sends_on(const struct job *j, const struct rank *r, int64_t ns,
		     struct moment *v, struct moment *came)
{
	size_t n = 0, all = 0;

	for (uint32_t i = 0; i < r->n_in; i++) {
		const struct phase_flow *g = &j->in->flows[r->in[i]];

		for (size_t k = 0; k < g->n; k++)
			came[all++].ns = g->a[k].there;
	}
	if (!sort_by(struct moment, came, all, ns))
		return true;
	for (uint32_t i = 0; i < r->n_out; i++) {
		const struct phase_flow *g = &j->in->flows[r->out[i]];

		for (size_t k = 0; k < g->n; k++) {
			int64_t at = g->a[k].from;
			size_t m = search_below(struct moment, came, all, ns,
						at + 1);

			if (m)
				v[n++].ns = at - came[m - 1].ns;
		}
	}
	return !sort_by(struct moment, v, n, ns) ||
	       (n && v[n / 2].ns < ns &&
		TWICE * (double)v[n / EXTREMES].ns >= (double)v[n / 2].ns);
}

/* What rank |r| gets arrives when its adapter has taken it up, which takes
 * others |usual|. */
static void arrive_later(struct job *j, const struct rank *r, int64_t usual)
{
	for (uint32_t i = 0; i < r->n_in; i++) {
		struct phase_flow *g = &j->in->flows[r->in[i]];

		for (size_t k = 0; k < g->n; k++) {
			struct phase_activity *a = &g->a[k];
			int64_t ns = acknowledged(g, k) ? a->returned - usual
							: a->arrived;

			a->arrived = ns > a->arrived ? ns : a->arrived;
		}
	}
}

/* Of |n| adapters, in order of their middle, those that are slow. */
static void slow_ones(struct job *j, const struct adapter *all, size_t n,
		      struct moment *v, struct moment *came)
{
	int64_t usual = all[(n - 1) / 2].middle;

	for (size_t i = (n + 1) / 2; i < n; i++) {
		const struct rank *r = &j->ranks[j->rank_of[all[i].host]];

		if ((double)all[i].quarter < TWICE * (double)usual ||
		    sends_on(j, r, all[i].quarter, v, came))
			continue;
		j->drains[all[i].host] = usual > 0 ? usual : 1;
		arrive_later(j, r, usual);
	}
}

bool phase_drains(struct job *j)
{
	struct adapter *all = calloc(j->n_ranks + 1, sizeof *all);
	struct moment *v, *came;
	size_t most = 0, n = 0;
	bool ok;

	for (uint32_t f = 0; f < j->in->n_flows; f++)
		most += j->in->flows[f].n;
	v = calloc(most + 1, sizeof *v);
	came = calloc(most + 1, sizeof *came);
	j->drains = calloc(j->in->n_hosts + 1, sizeof *j->drains);
	ok = all && v && came && j->drains;
	for (uint32_t r = 0; ok && r < j->n_ranks; r++)
		n += acks_of(j, &j->ranks[r], v, &all[n]);
	if (ok && n > OTHERS && sort_by(struct adapter, all, n, middle))
		slow_ones(j, all, n, v, came);
	free(all);
	free(v);
	free(came);
	return ok;
}
