/* SPDX-License-Identifier: GPL-2.0-or-later
 * The link that was full while a switch paused.
 *
 * A switch pauses because it holds too much.  What it and those behind it hold
 * was sent and has not arrived yet.  Whoever waits in the same buffers waits as
 * well, and may have more there; but the link that cannot take more never rests
 * meanwhile, and theirs have nothing to carry. */
#include <stdlib.h>

#include "base/search.h"
#include "phase/phase.h"

/* Busy for that part of the pauses: the end of each is for a queue that runs
 * dry, as XON takes a way. */
static const double FULL = 0.9;
/* What is queued for a link that is full, but not why anybody pauses, is less
 * than that part of all. */
static const double SOME = 0.1;

/* How much of the time up to the begin of each span they cover; all of them at
 * the end. */
static int64_t *sums_of(const struct phase_span *v, size_t n)
{
	int64_t *sum = malloc((n + 1) * sizeof *sum);

	if (!sum)
		return NULL;
	sum[0] = 0;
	for (size_t i = 0; i < n; i++)
		sum[i + 1] = sum[i] + v[i].to - v[i].from;
	return sum;
}

struct pauses {
	const struct phase_span *v;
	size_t n;
	int64_t *sum;
};

static int64_t paused_up_to(const struct pauses *p, int64_t ns)
{
	size_t i = search_below(struct phase_span, p->v, p->n, from, ns);

	if (!i)
		return 0;
	return p->sum[i] - (p->v[i - 1].to > ns ? p->v[i - 1].to - ns : 0);
}

/* The part of from..to that is paused. */
static double paused(const struct pauses *p, int64_t from, int64_t to)
{
	if (to <= from)
		to = from + 1;
	return (double)(paused_up_to(p, to) - paused_up_to(p, from)) /
	       (double)(to - from);
}

static int64_t shortest(const struct phase_flow *f)
{
	int64_t least = INT64_MAX;

	for (size_t k = 0; k < f->n; k++) {
		const struct phase_activity *a = &f->a[k];
		int64_t begin = a->came - a->from, end = a->there - a->sent;

		least = begin < least ? begin : least;
		least = end < least ? end : least;
	}
	return least;
}

struct receiver {
	double bytes; /* that its link carried in the pauses */
	double held;  /* bytes times ns, of what was queued for it then */
	double most;  /* of one flow */
	size_t flow;
};

static void add_flow(struct receiver *r, const struct phase_flow *f, size_t i,
		     const struct pauses *p)
{
	int64_t least = shortest(f);
	double held = 0;

	for (size_t k = 0; k < f->n; k++) {
		const struct phase_activity *a = &f->a[k];
		double bytes = f->wire * (double)a->bytes;
		double queued = (double)(a->came - a->from + a->there -
					 a->sent - 2 * least) /
				2;

		r->bytes += bytes * paused(p, a->came, a->there);
		held += bytes * queued * paused(p, a->from, a->there);
	}
	r->held += held;
	if (held > r->most) {
		r->most = held;
		r->flow = i;
	}
}

static bool is_full(const struct receiver *r, uint64_t bps, int64_t ns)
{
	return bps && r->bytes * 8e9 >= FULL * (double)bps * (double)ns;
}

bool phase_full_link(const struct phase_flow *flows, size_t n,
		     const struct phase_host *hosts, size_t n_hosts,
		     const struct phase_span *spans, size_t n_spans,
		     size_t *flow)
{
	struct pauses p = { spans, n_spans, sums_of(spans, n_spans) };
	struct receiver *r = calloc(n_hosts + 1, sizeof *r);
	struct receiver *most = NULL;
	bool ok = p.sum && r;
	double all = 0;

	*flow = SIZE_MAX;
	for (size_t i = 0; ok && i < n; i++)
		if (flows[i].far && flows[i].dst_seen && flows[i].n)
			add_flow(&r[flows[i].dst], &flows[i], i, &p);
	for (uint32_t h = 0; ok && h < n_hosts; h++) {
		all += r[h].held;
		if (is_full(&r[h], hosts[h].bps, p.sum[n_spans]) &&
		    (!most || r[h].held > most->held))
			most = &r[h];
	}
	if (most && most->most > 0 && most->held >= SOME * all)
		*flow = most->flow;
	free(r);
	free(p.sum);
	return ok;
}
