/* SPDX-License-Identifier: GPL-2.0-or-later
 * Hosts whose adapter sends slower than those of the others.
 *
 * Where a host has several flows under way at a time, each of them is as slow
 * as there are many, in all hosts alike: what says how fast its adapter is is
 * what all of them sent together, while nothing else slowed them down.  A
 * sender that waits for its window, for credit or for a queue is not asked. */
#include <stdlib.h>

#include "base/search.h"
#include "phase/path_int.h"

enum {
	STRETCHES = 4, /* that say how fast an adapter is */
	OTHERS = 2     /* hosts that one is compared with */
};

/* Slower than the others below that part of what they send at. */
static const double LESS = 0.75;
/* It sends at its rate, but for what begins or ends in between. */
static const double BUSY = 0.9;

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Nothing is known to have slowed activity |k| of flow |f| down. */
static bool undisturbed(const struct path_facts *p, uint32_t f, size_t k)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	const struct phase_activity *a = &g->a[k];
	const struct phase_span *s = p->spans + p->first[f];
	size_t n = p->first[f + 1] - p->first[f];
	size_t i = search_below(struct phase_span, s, n, to, a->from);

	return phase_has_rate(a) && !p->j->cut[f][k] &&
	       !piece_queued(p, f, a) && (i == n || s[i].from > a->sent);
}

/* Bytes a nanosecond that the link of |host| carried, of other jobs too: an
 * adapter sends at its rate whosever data that is. */
static double carried(const struct path_facts *p, uint32_t host, bool in,
		      int64_t from, int64_t to)
{
	const struct phase_input *i = p->j->in;
	const struct loads *l = i->all ? i->all : p->own;

	if (i->all && i->in_all)
		host = i->in_all[host];
	return loads_between(l, host, in, from, to) / (double)(to - from);
}

/* What the link of rank |r| carries, in bytes a nanosecond, if nobody says how
 * fast it is: as much as came over it, as links are as fast both ways.  |v| has
 * room for all activities. */
static double link_rate(const struct path_facts *p, const struct rank *r,
			double *v)
{
	size_t n = 0;

	if (p->j->speed && p->j->speed[r->host] > 0)
		return p->j->speed[r->host] / 8e9;
	for (uint32_t i = 0; i < r->n_in; i++) {
		const struct phase_flow *g = &p->j->in->flows[r->in[i]];

		for (size_t k = 0; g->dst_seen && g->far && k < g->n; k++) {
			const struct phase_activity *a = &g->a[k];

			if (phase_has_rate(a) && a->there > a->came)
				v[n++] = carried(p, r->host, true, a->came,
						 a->there);
		}
	}
	if (n < STRETCHES)
		return 0;
	qsort(v, n, sizeof *v, by_value);
	return v[3 * n / 4];
}

/* What rank |r| sends at, in bytes a nanosecond, where it is free to; 0 not
 * known.  |v| as above. */
static double free_rate(const struct path_facts *p, const struct rank *r,
			double *v)
{
	size_t n = 0;

	for (uint32_t i = 0; i < r->n_out; i++) {
		uint32_t f = r->out[i];
		const struct phase_flow *g = &p->j->in->flows[f];

		if (!g->src_seen || !g->far)
			continue;
		for (size_t k = 0; k < g->n; k++)
			if (undisturbed(p, f, k))
				v[n++] = carried(p, r->host, false,
						 g->a[k].from, g->a[k].sent);
	}
	if (n < STRETCHES)
		return 0;
	qsort(v, n, sizeof *v, by_value);
	return v[3 * n / 4];
}

bool path_slow_nics(struct path_facts *p)
{
	const struct job *j = p->j;
	size_t most = 0, n = 0;
	double *v, *sorted;

	for (uint32_t f = 0; f < j->in->n_flows; f++)
		most += j->in->flows[f].n;
	p->nic = calloc(j->in->n_hosts + 1, sizeof *p->nic);
	sorted = calloc(j->n_ranks + 1, sizeof *sorted);
	v = calloc(most + 1, sizeof *v);
	if (!p->nic || !sorted || !v) {
		free(v);
		free(sorted);
		return false;
	}
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		double rate = free_rate(p, &j->ranks[r], v);

		p->nic[j->ranks[r].host] = rate;
		if (rate > 0)
			sorted[n++] = rate;
	}
	qsort(sorted, n, sizeof *sorted, by_value);
	p->usual_nic = n > OTHERS ? sorted[n / 2] : 0;
	/* Who has a slower link than the others sends at the rate of that. */
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		double *rate = &p->nic[j->ranks[r].host];

		if (*rate >= LESS * p->usual_nic ||
		    *rate >= LESS * link_rate(p, &j->ranks[r], v))
			*rate = 0;
	}
	free(v);
	free(sorted);
	return true;
}

double path_nic_ns(const struct path_facts *p, uint32_t host, int64_t from,
		   int64_t to)
{
	double rate = to > from && p->nic[host] > 0
			      ? carried(p, host, false, from, to)
			      : 0;

	if (!rate || rate < BUSY * p->nic[host])
		return 0;
	return rate * (double)(to - from) *
	       (1 / p->nic[host] - 1 / p->usual_nic);
}
