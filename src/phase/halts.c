/* SPDX-License-Identifier: GPL-2.0-or-later
 * When the port of a receiver sent nothing although data waited for it, and no
 * queue of the network explains that.
 *
 * What waits in a queue waits while that sends something else, which waits as
 * well, and arrives somewhere.  A thin link lets data through evenly.  Where
 * all of a host's data stops, goes on as fast as its link can, and meanwhile
 * nothing arrives anywhere that was queued as long, a port was stopped: by the
 * host, which pauses it, or by what pauses others on the way. */
#include <math.h>
#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"
#include "phase/phase.h"

enum {
	SILENT_NS = 5 * 1000, /* less is one stretch of data */
	PACKETS = 4,          /* a stretch that has a rate, at least */
	LONG = 16,            /* ... that says how fast a link is */
	SERVED = 50,          /* packets: no thin link is silent for so long */
	LOOKED_AT = 4096,     /* passages that may explain a halt */
	PMTU_MOST = 4096
};

/* What goes on so fast was stopped.  In a queue as much else passes meanwhile,
 * at least, that has waited for that part of the time. */
static const double FAST = 0.8, ELSE = 0.1, AS_LONG = 0.5;

/* A stretch of data at the link of its receiver. */
struct passing {
	int64_t from, to;
	int64_t since;  /* it could have come */
	int64_t waited; /* the first of it, or the last */
	double bytes, packets;
	uint32_t host;
};

/* All that came to a host without a longer silence. */
struct stretch {
	int64_t before, since, from, to;
	double bytes, packets;
	bool any;
};

struct halt {
	int64_t host;
	struct phase_span span;
};

struct halts {
	struct passing *v;
	size_t n;
	int64_t *latest;     /* by passing: end of it and those before */
	struct stretch *now; /* by host ... */
	double *fastest;     /* ... bytes/ns */
	struct halt *found;  /* room for |n| */
	size_t n_found;
};

static double packets_of(uint64_t psns, double bytes)
{
	return psns ? (double)psns : bytes / PMTU_MOST;
}

static void add_seen(struct halts *x, const struct phase_flow *flows,
		     const struct phase_passage *p, const int64_t *least)
{
	const struct phase_flow *g = &flows[p->flow];
	double bytes = g->wire * (double)p->bytes;

	if (!g->dst_seen || !p->bytes)
		return;
	x->v[x->n++] = (struct passing) {
		.from = p->from,
		.to = p->to,
		.since = p->sent + least[p->flow],
		.waited = p->longest - least[p->flow],
		.bytes = bytes,
		.packets = packets_of(p->psns, (double)p->bytes),
		.host = g->dst,
	};
}

/* ... of senders that are not. */
static void add_unseen(struct halts *x, const struct phase_flow *g)
{
	for (size_t k = 0; !g->far && g->dst_seen && k < g->n; k++) {
		const struct phase_activity *a = &g->a[k];

		x->v[x->n++] = (struct passing) {
			.from = a->from,
			.to = a->sent,
			.since = a->from,
			.waited = INT64_MAX,
			.bytes = g->wire * (double)a->bytes,
			.packets = packets_of(a->psns, (double)a->bytes),
			.host = g->dst,
		};
	}
}

/* Bytes/ns of |s|: its last packet took time as well. */
static double rate(const struct stretch *s)
{
	return s->to > s->from ? s->bytes * (1 - 1 / fmax(s->packets, 1)) /
					 (double)(s->to - s->from)
			       : 0;
}

/* Did something pass the link of another host from |from| to |to| that had been
 * queued?  Where there is too much to look at, it may have. */
static bool explained(const struct halts *x, uint32_t host, int64_t from,
		      int64_t to)
{
	size_t i = search_below(struct passing, x->v, x->n, from, to);
	size_t last = i > LOOKED_AT ? i - LOOKED_AT : 0;
	double ns = (double)(to - from), sum = 0;
	double enough = ELSE * x->fastest[host] * ns;

	while (i-- > last && x->latest[i] > from && sum < enough) {
		const struct passing *p = &x->v[i];
		int64_t a = p->from > from ? p->from : from;
		int64_t b = p->to < to ? p->to : to;

		if (p->host != host && b > a &&
		    (double)p->waited >= AS_LONG * ns)
			sum += p->bytes * (double)(b - a) /
			       (double)(p->to - p->from);
	}
	return sum >= enough || (last && i + 1 == last);
}

/* A thin link lets a packet through again and again, too. */
static bool no_thin_link(const struct halts *x, uint32_t host, int64_t silent)
{
	return (double)silent * x->fastest[host] > SERVED * PMTU_MOST;
}

/* A stretch of |host| is over. */
static void judge(struct halts *x, uint32_t host)
{
	const struct stretch *s = &x->now[host];
	int64_t from = s->since > s->before ? s->since : s->before;
	bool fast = s->packets >= PACKETS && rate(s) >= FAST * x->fastest[host];

	if (!s->any || s->from - from <= SILENT_NS ||
	    (!fast && !no_thin_link(x, host, s->from - from)))
		return;
	if (!explained(x, host, from, s->from))
		x->found[x->n_found++] = (struct halt) {
			host, { from, s->from, CLASS_UNKNOWN, !fast }
		};
}

static void learn(struct halts *x, uint32_t host)
{
	const struct stretch *s = &x->now[host];

	if (s->packets >= LONG)
		x->fastest[host] = fmax(x->fastest[host], rate(s));
}

/* Calls |over| with each stretch of data of each host. */
static void walk(struct halts *x, size_t n_hosts,
		 void (*over)(struct halts *x, uint32_t host))
{
	for (size_t h = 0; h < n_hosts; h++)
		x->now[h] = (struct stretch) { .to = -PHASE_FAR };
	for (size_t i = 0; i < x->n; i++) {
		const struct passing *p = &x->v[i];
		struct stretch *s = &x->now[p->host];

		if (p->from - s->to > SILENT_NS) {
			over(x, p->host);
			*s = (struct stretch) { s->to, p->since, p->from, p->to,
						0,     0,        true };
		}
		s->to = p->to > s->to ? p->to : s->to;
		s->bytes += p->bytes;
		s->packets += p->packets;
	}
	for (uint32_t h = 0; h < n_hosts; h++)
		over(x, h);
}

/* Sets |x->v|, in order, and |x->latest|; |least| of each flow. */
static bool order(struct halts *x, const struct phase_flow *flows, size_t n,
		  const struct phase_passage *seen, size_t n_seen)
{
	int64_t *least = malloc((n + 1) * sizeof *least);

	for (size_t f = 0; least && f < n; f++)
		least[f] = INT64_MAX;
	for (size_t i = 0; least && i < n_seen; i++)
		if (seen[i].shortest < least[seen[i].flow])
			least[seen[i].flow] = seen[i].shortest;
	for (size_t i = 0; least && i < n_seen; i++)
		add_seen(x, flows, &seen[i], least);
	for (size_t f = 0; least && f < n; f++)
		add_unseen(x, &flows[f]);
	if (!least || !sort_by(struct passing, x->v, x->n, from)) {
		free(least);
		return false;
	}
	free(least);
	for (size_t i = 0; i < x->n; i++)
		x->latest[i] = i && x->latest[i - 1] > x->v[i].to
				       ? x->latest[i - 1]
				       : x->v[i].to;
	return true;
}

/* To each host its own. */
static bool hand_out(struct halts *x, struct phase_host *hosts, size_t n,
		     struct phase_span *spans)
{
	size_t at = 0;

	if (!sort_by(struct halt, x->found, x->n_found, host))
		return false;
	for (size_t i = 0; i < x->n_found; i++)
		spans[i] = x->found[i].span;
	for (size_t h = 0; h < n; h++) {
		hosts[h].halts = spans + at;
		while (at < x->n_found && x->found[at].host == (int64_t)h)
			at++;
		hosts[h].n_halts = (size_t)(spans + at - hosts[h].halts);
	}
	return true;
}

bool phase_halts(const struct phase_flow *flows, size_t n,
		 const struct phase_passage *seen, size_t n_seen,
		 struct phase_host *hosts, size_t n_hosts,
		 struct phase_span **spans)
{
	size_t all = n_seen;
	struct halts x = { 0 };
	bool ok;

	for (size_t f = 0; f < n; f++)
		all += flows[f].far ? 0 : flows[f].n;
	*spans = calloc(all + 1, sizeof **spans);
	x.v = calloc(all + 1, sizeof *x.v);
	x.latest = calloc(all + 1, sizeof *x.latest);
	x.now = calloc(n_hosts + 1, sizeof *x.now);
	x.fastest = calloc(n_hosts + 1, sizeof *x.fastest);
	x.found = calloc(all + 1, sizeof *x.found);
	ok = *spans && x.v && x.latest && x.now && x.fastest && x.found &&
	     order(&x, flows, n, seen, n_seen);
	if (ok) {
		walk(&x, n_hosts, learn);
		for (size_t h = 0; h < n_hosts; h++)
			if (hosts[h].bps)
				x.fastest[h] = (double)hosts[h].bps / 8e9;
		walk(&x, n_hosts, judge);
		ok = hand_out(&x, hosts, n_hosts, *spans);
	}
	free(x.v);
	free(x.latest);
	free(x.now);
	free(x.fastest);
	free(x.found);
	return ok;
}
