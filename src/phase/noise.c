/* SPDX-License-Identifier: GPL-2.0-or-later
 * By how much a delay between two capture points differs without a queue: how
 * close to the shortest those come that are about as short. */
#include <stdlib.h>

#include "base/sort.h"
#include "phase/path_int.h"

enum {
	KNOWN = 16,        /* delays that say so, at least */
	QUARTERS_MOST = 6, /* times the distance of a quarter of them */
};

/* Parts of the shortest: packets differ in length, and nobody's delays are
 * all alike; what is longer by more is no noise. */
static const double LEAST = 0.08, MOST = 0.25;

struct delay {
	int64_t ns;
};

/* The delays of what flow |f| brought: of first packets, or of the |last|.
 * Returns how many there are; |v| may be NULL. */
static size_t delays(const struct path_facts *p, size_t f, bool last,
		     struct delay *v)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	size_t n = 0;

	for (size_t k = 0; k < g->n && g->far; k++) {
		const struct phase_activity *a = &g->a[k];
		int64_t ns = last ? a->there - a->sent : a->came - a->from;

		if (a->bytes <= p->small[f] || a->guessed || ns < 0)
			continue;
		if (v)
			v[n].ns = ns;
		n++;
	}
	return n;
}

static int64_t noise_of(struct delay *v, size_t n)
{
	return n >= KNOWN && sort_by(struct delay, v, n, ns)
		       ? phase_times(v[n / 4].ns - v[0].ns, QUARTERS_MOST)
		       : INT64_MAX;
}

/* Of first or |last| packets, of each pair of hosts, which is one of their
 * flows.  |first| has room for two numbers more than flows; false: no
 * memory. */
static bool noise_at_end(struct path_facts *p, bool last, size_t *first)
{
	size_t n = p->j->in->n_flows;
	struct delay *v;

	for (size_t f = 0; f < n + 2; f++)
		first[f] = 0;
	for (size_t f = 0; f < n; f++)
		first[p->pair[f] + 2] += delays(p, f, last, NULL);
	for (size_t f = 0; f < n; f++)
		first[f + 2] += first[f + 1];
	v = calloc(first[n + 1] + 1, sizeof *v);
	if (!v)
		return false;
	for (size_t f = 0; f < n; f++)
		first[p->pair[f] + 1] +=
			delays(p, f, last, v + first[p->pair[f] + 1]);
	for (size_t f = 0; f < n; f++) {
		int64_t ns = p->pair[f] == f ? noise_of(v + first[f],
							first[f + 1] - first[f])
					     : 0;

		p->noise[f] = ns > p->noise[f] ? ns : p->noise[f];
	}
	free(v);
	return true;
}

bool path_noise(struct path_facts *p)
{
	size_t n = p->j->in->n_flows;
	size_t *first = calloc(n + 2, sizeof *first);
	bool ok;

	p->noise = calloc(n + 1, sizeof *p->noise);
	ok = first && p->noise && noise_at_end(p, false, first) &&
	     noise_at_end(p, true, first);
	for (size_t f = 0; ok && f < n; f++) {
		int64_t low = (int64_t)(LEAST * (double)p->least[f]);
		int64_t high = (int64_t)(MOST * (double)p->least[f]);
		int64_t ns = p->noise[p->pair[f]];

		if (p->pair[f] == f && p->least[f] != PHASE_UNKNOWN)
			p->noise[f] = ns < low ? low : ns > high ? high : ns;
	}
	for (size_t f = 0; ok && f < n; f++)
		p->noise[f] = p->noise[p->pair[f]];
	free(first);
	return ok;
}
