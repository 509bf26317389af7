/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is known of each flow of a job, before its time is looked at. */
#include <math.h>
#include <stdlib.h>

#include "phase/path_int.h"

struct flat {
	struct phase_span *spans;
	size_t n;
};

static void keep(void *ctx, const struct phase_span *s)
{
	struct flat *f = ctx;

	if (s->class != CLASS_UNKNOWN)
		f->spans[f->n++] = *s;
}

/* Evidence that overlaps becomes one class at a time. */
static bool flatten(struct path_facts *p)
{
	const struct phase_input *in = p->j->in;
	struct flat flat = { NULL, 0 };
	size_t all = 0;

	for (size_t f = 0; f < in->n_flows; f++)
		all += 2 * in->flows[f].n_evidence;
	flat.spans = p->spans = calloc(all + 1, sizeof *p->spans);
	if (!p->spans)
		return false;
	for (size_t f = 0; f < in->n_flows; f++) {
		const struct phase_flow *g = &in->flows[f];

		p->first[f] = flat.n;
		if (g->n_evidence &&
		    !phase_split(g->evidence, g->n_evidence, -PHASE_FAR,
				 PHASE_FAR, keep, &flat))
			return false;
	}
	p->first[in->n_flows] = flat.n;
	return true;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* What one sent within a round trip was under way at a time. */
static void most_open(struct path_facts *p, size_t f,
		      const struct phase_activity *a)
{
	int64_t n = a->unacked == PHASE_UNKNOWN ? 0 : a->unacked;

	if (a->sent - a->from < p->round[f] && (int64_t)a->psns > n)
		n = (int64_t)a->psns;
	if (n > p->open)
		p->open = n;
}

/* The fastest that |g| was, in bytes a nanosecond; |sure|: in pieces that are
 * long enough to say. */
static double best_rate(const struct path_facts *p, const struct phase_flow *g,
			bool sure)
{
	double best = 0;

	for (size_t k = 0; k < g->n; k++) {
		const struct phase_activity *a = &g->a[k];
		int64_t ns = a->sent - a->from;

		if (!sure && ns < p->grain)
			ns = p->grain;

		if (ns > 0 && (!sure || phase_has_rate(a)))
			best = fmax(best, (double)a->bytes / (double)ns);
	}
	return best;
}

/* What is typical of the pieces of |g|, in bytes a nanosecond; 0: none says.
 * |v| has room for all. */
static double typical_rate(const struct phase_flow *g, double *v)
{
	size_t n = 0;

	for (size_t k = 0; k < g->n; k++)
		if (phase_has_rate(&g->a[k]))
			v[n++] = g->wire * (double)g->a[k].bytes /
				 (double)(g->a[k].sent - g->a[k].from);
	qsort(v, n, sizeof *v, by_value);
	return n ? v[n / 2] : 0;
}

/* ... of all flows of the job. */
static bool typical_rates(struct path_facts *p)
{
	const struct phase_input *in = p->j->in;
	size_t most = in->n_flows, n = 0;
	double *v, *of;

	for (size_t f = 0; f < in->n_flows; f++)
		most = in->flows[f].n > most ? in->flows[f].n : most;
	v = calloc(most + 1, sizeof *v);
	of = calloc(in->n_flows + 1, sizeof *of);
	for (size_t f = 0; v && of && f < in->n_flows; f++) {
		double rate = typical_rate(&in->flows[f], v);

		if (rate > 0)
			of[n++] = rate;
		if (p->least[f] != PHASE_UNKNOWN)
			p->typical_open = fmax(p->typical_open,
					       rate * (double)p->least[f]);
	}
	if (n) {
		qsort(of, n, sizeof *of, by_value);
		p->typical = of[n / 2];
	}
	free(v);
	free(of);
	return v && of;
}

/* The fastest each flow was. */
static bool fastest_rates(struct path_facts *p)
{
	const struct phase_input *in = p->j->in;
	double *v = calloc(in->n_flows + 1, sizeof *v);
	bool any = false;
	size_t n = 0;

	if (!v)
		return false;
	for (size_t f = 0; f < in->n_flows; f++) {
		const struct phase_flow *g = &in->flows[f];

		for (size_t k = 0; g->messages && k < g->n; k++)
			p->message[f] +=
				(double)g->a[k].bytes / (double)g->messages;
		for (size_t k = 0; k < g->n; k++)
			most_open(p, f, &g->a[k]);
		p->best[f] = best_rate(p, g, true);
	}
	/* Nothing is long enough: then the error is the same for all. */
	for (size_t f = 0; f < in->n_flows; f++)
		any = any || p->best[f] > 0;
	for (size_t f = 0; f < in->n_flows; f++) {
		if (!any)
			p->best[f] = best_rate(p, &in->flows[f], false);
		if (p->best[f] > 0)
			v[n++] = p->best[f];
	}
	for (size_t f = 0; f < in->n_flows; f++)
		p->most = fmax(p->most, path_under_way(p, f));
	qsort(v, n, sizeof *v, by_value);
	p->usual = n ? v[n / 2] : 0;
	free(v);
	return true;
}

/* How long data was stalled at most on the way to each host. */
static void longest_queues(struct path_facts *p)
{
	const struct phase_input *in = p->j->in;

	for (uint32_t f = 0; f < in->n_flows; f++) {
		const struct phase_flow *g = &in->flows[f];

		for (size_t k = 0; g->far && g->dst_seen && k < g->n; k++) {
			int64_t q = piece_queued(p, f, &g->a[k]);

			if (q > p->queued_in[g->dst])
				p->queued_in[g->dst] = q;
		}
	}
}

/* The load of each sender to each receiver, by one of their flows. */
static bool load_pairs(struct path_facts *p)
{
	size_t n = p->j->in->n_flows;
	struct phase_flow *v = calloc(n + 1, sizeof *v);

	for (size_t f = 0; v && f < n; f++) {
		v[f] = p->j->in->flows[f];
		v[f].src = v[f].dst = p->pair[f];
	}
	p->pairs = v ? loads_new(v, n, n) : NULL;
	free(v);
	return p->pairs;
}

bool path_facts_init(struct path_facts *p, const struct job *j)
{
	size_t n = j->in->n_flows;

	*p = (struct path_facts) { .j = j, .grain = j->grain, .own = j->loads };
	p->least = calloc(n + 1, sizeof *p->least);
	p->standing = calloc(n + 1, sizeof *p->standing);
	p->full = calloc(n + 1, sizeof *p->full);
	p->back = calloc(n + 1, sizeof *p->back);
	p->asking = calloc(n + 1, sizeof *p->asking);
	p->round = calloc(n + 1, sizeof *p->round);
	p->credit = calloc(n + 1, sizeof *p->credit);
	p->first = calloc(n + 1, sizeof *p->first);
	p->best = calloc(n + 1, sizeof *p->best);
	p->message = calloc(n + 1, sizeof *p->message);
	p->small = calloc(n + 1, sizeof *p->small);
	p->pair = calloc(n + 1, sizeof *p->pair);
	p->queued_in = calloc(j->in->n_hosts + 1, sizeof *p->queued_in);
	if (!p->least || !p->standing || !p->full || !p->back || !p->asking ||
	    !p->round || !p->credit || !p->first || !p->best || !p->message ||
	    !p->small || !p->pair || !p->queued_in || !flatten(p) ||
	    !path_ways(p) || !path_noise(p))
		return false;
	longest_queues(p);
	return load_pairs(p) && fastest_rates(p) && typical_rates(p) &&
	       path_paused_ports(p) && path_slow_nics(p) && path_held_ports(p);
}

void path_facts_fini(struct path_facts *p)
{
	loads_free(p->pairs);
	free(p->pair);
	free(p->least);
	free(p->standing);
	free(p->full);
	free(p->back);
	free(p->asking);
	free(p->noise);
	free(p->round);
	free(p->credit);
	free(p->first);
	free(p->best);
	free(p->message);
	free(p->small);
	free(p->queued_in);
	free(p->nic);
	free(p->held);
	free(p->left);
	free(p->first_left);
	free(p->cut_by_host);
	free(p->cut_unknown);
	free(p->spans);
}
