/* SPDX-License-Identifier: GPL-2.0-or-later
 * Rings that nobody sees whole: what a host sends on comes back to it by ways
 * where no capture point is.
 *
 * Such flows lead into the component of that host and out of it, and look like
 * somebody else's.  They are of its job if their steps are those of its other
 * flows: as many, one after the other, and silence between any two of their
 * own.  What leads through all the time has no steps, and what only comes, or
 * only goes, is no ring. */
#include <stdlib.h>

#include "phase/phase_int.h"

/* Of a step: silence, at least. */
static const double SILENT = 0.1;

/* A flow of a host whose link is seen. */
struct touch {
	uint32_t host, flow;
	bool open; /* leads out of its component, to where nobody looks */
};

/* The flows of one host: those of its component, then the open ones. */
struct through {
	const struct phase_flow **v;
	size_t inside, n;
};

static int by_host(const void *a, const void *b)
{
	const struct touch *x = a, *y = b;

	if (x->host != y->host)
		return (x->host > y->host) - (x->host < y->host);
	if (x->open != y->open)
		return x->open - y->open;
	return (x->flow > y->flow) - (x->flow < y->flow);
}

static void see(const struct phase_flow *flows, size_t n, bool *seen)
{
	for (size_t i = 0; i < n; i++) {
		seen[flows[i].src] = seen[flows[i].src] || flows[i].src_seen;
		seen[flows[i].dst] = seen[flows[i].dst] || flows[i].dst_seen;
	}
}

static size_t list(const struct phase_flow *flows, size_t n, const bool *left,
		   const bool *seen, const uint32_t *scc, struct touch *v)
{
	size_t k = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t ends[] = { flows[i].src, flows[i].dst };
		bool open = scc[ends[0]] != scc[ends[1]];

		for (int e = 0; e < 2; e++)
			if (!left[i] && seen[ends[e]] &&
			    (!open || !seen[ends[!e]]))
				v[k++] = (struct touch) { ends[e], i, open };
	}
	qsort(v, k, sizeof *v, by_host);
	return k;
}

/* Do flows of |v| bring |host| data, and take some?  |in| may be NULL: all. */
static bool both_ways(const struct phase_flow *const *v, const bool *in,
		      size_t n, uint32_t host)
{
	bool out = false, back = false;

	for (size_t i = 0; i < n; i++) {
		out = out || ((!in || in[i]) && v[i]->src == host);
		back = back || ((!in || in[i]) && v[i]->dst == host);
	}
	return out && back;
}

static bool is_silent_between(const struct phase_steps *s)
{
	for (size_t i = 0; i + 1 < s->n; i++)
		if ((double)(s->from[i + 1] - s->to[i]) <
		    SILENT * (double)(s->from[i + 1] - s->from[i]))
			return false;
	return s->n;
}

/* The open flows of |host| that are in step with the others: these come first,
 * and |*k| says how many.  False: no memory. */
static bool keep_step(const struct through *t, uint32_t host, size_t *k)
{
	const struct phase_flow **open = t->v + t->inside;
	struct phase_steps all = { 0 }, own = { 0 };
	size_t n = t->n - t->inside;
	bool ok = phase_steps(t->v, t->n, &all);

	*k = 0;
	for (size_t i = 0; ok && all.n && i < n; i++)
		if (all.in[t->inside + i])
			open[(*k)++] = open[i];
	ok = ok && phase_steps(open, *k, &own);
	if (!ok || own.n != all.n || !is_silent_between(&own) ||
	    !both_ways(open, own.in, *k, host))
		*k = 0;
	phase_steps_free(&all);
	phase_steps_free(&own);
	return ok;
}

static bool look(struct through *t, uint32_t host, const uint32_t *scc,
		 uint32_t *joined)
{
	size_t k = 0;

	if (t->inside &&
	    both_ways(t->v + t->inside, NULL, t->n - t->inside, host) &&
	    !keep_step(t, host, &k))
		return false;
	for (size_t i = 0; i < k; i++) {
		const struct phase_flow *f = t->v[t->inside + i];

		union_join(joined, scc[f->src], scc[f->dst]);
	}
	return true;
}

bool phase_through(const struct phase_flow *flows, size_t n, size_t n_hosts,
		   const bool *left, const uint32_t *scc, uint32_t *joined)
{
	struct touch *v = calloc(2 * n + 1, sizeof *v);
	struct through t = { .v = calloc(n + 1, sizeof *t.v) };
	bool *seen = calloc(n_hosts + 1, sizeof *seen);
	bool ok = v && t.v && seen;
	size_t k = 0;

	if (ok) {
		see(flows, n, seen);
		k = list(flows, n, left, seen, scc, v);
	}
	for (size_t i = 0; ok && i < k; i++) {
		t.v[t.n++] = &flows[v[i].flow];
		t.inside += !v[i].open;
		if (i + 1 < k && v[i + 1].host == v[i].host)
			continue;
		ok = look(&t, v[i].host, scc, joined);
		t.inside = t.n = 0;
	}
	free(v);
	free(t.v);
	free(seen);
	return ok;
}
