/* SPDX-License-Identifier: GPL-2.0-or-later
 * By how much a delay between two capture points differs without a queue: how
 * close to the shortest those come that are about as short. */
#include <stdlib.h>

#include "base/sort.h"
#include "phase/path_int.h"

enum {
	KNOWN = 16, /* delays that say so, at least */
	SPREAD = 6, /* times the distance of a quarter of them */
};

/* Parts of the shortest: packets differ in length, and nobody's delays are
 * all alike; what is longer by more is no noise. */
static const double LEAST = 0.08, MOST = 0.25;

struct delay {
	int64_t ns;
};

/* Calls |each| with every delay between two taps that is seen. */
static size_t delays(const struct path_facts *p, size_t f, struct delay *v)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	size_t n = 0;

	for (size_t k = 0; k < g->n && g->far; k++) {
		const struct phase_activity *a = &g->a[k];

		if (a->bytes <= p->small[f] || a->guessed || a->came < a->from)
			continue;
		if (v)
			v[n].ns = a->came - a->from;
		n++;
	}
	return n;
}

static int64_t noise_of(struct delay *v, size_t n, int64_t least)
{
	int64_t low = (int64_t)(LEAST * (double)least);
	int64_t high = (int64_t)(MOST * (double)least), ns = high;

	if (n >= KNOWN && sort_by(struct delay, v, n, ns))
		ns = phase_times(v[n / 4].ns - v[0].ns, SPREAD);
	return ns < low ? low : ns > high ? high : ns;
}

bool path_noise(struct path_facts *p)
{
	size_t n = p->j->in->n_flows, all = 0;
	size_t *first = calloc(n + 2, sizeof *first);
	struct delay *v;

	p->noise = calloc(n + 1, sizeof *p->noise);
	/* by pair of hosts, which is one of their flows */
	for (size_t f = 0; first && f < n; f++)
		first[p->pair[f] + 2] += delays(p, f, NULL);
	for (size_t f = 0; first && f < n; f++)
		first[f + 2] += first[f + 1];
	all = first ? first[n + 1] : 0;
	v = calloc(all + 1, sizeof *v);
	if (!first || !v || !p->noise) {
		free(first);
		free(v);
		return false;
	}
	for (size_t f = 0; f < n; f++)
		first[p->pair[f] + 1] +=
			delays(p, f, v + first[p->pair[f] + 1]);
	for (size_t f = 0; f < n; f++)
		if (p->pair[f] == f && p->least[f] != PHASE_UNKNOWN)
			p->noise[f] =
				noise_of(v + first[f], first[f + 1] - first[f],
					 p->least[f]);
	for (size_t f = 0; f < n; f++)
		p->noise[f] = p->noise[p->pair[f]];
	free(first);
	free(v);
	return true;
}
