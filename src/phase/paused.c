/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a host that pauses its port leaves in the queue before it.
 *
 * What the port could have sent during a pause is queued when that ends.  Where
 * it is seen when all that passes the port was sent, the queue can be counted
 * with the pauses and without them: the difference is the host's doing, be it
 * that data waits longer, or that it is marked and senders reduce their rates.
 * Else it is known how much that is at most: for as long as the link is not
 * idle, all that it could have sent. */
#include <math.h>
#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"
#include "phase/path_int.h"

enum {
	SAMPLES = 8,
	/* CNPs during which a sender has not recovered from one before: DCQCN
	 * needs five steps to where it was. */
	RECOVERS = 5
};

/* That part of a queue which is marked is not. */
static const double FAR_LESS = 0.25;

/* ---- the queue, with pauses and without ---- */

/* From |ns| on |more| bytes/ns more come, or a pause begins or ends. */
struct change {
	int64_t ns;
	double more;
	int pause;
};

/* Bytes. */
struct knot {
	int64_t ns;
	double with, without;
};

struct phase_queue {
	double per_ns; /* bytes that the port sends */
	size_t n;
	struct knot knot[];
};

static int64_t shortest(const struct phase_flow *g)
{
	int64_t least = INT64_MAX;

	for (size_t k = 0; k < g->n; k++) {
		const struct phase_activity *a = &g->a[k];
		int64_t way = a->came - a->from < a->there - a->sent
				      ? a->came - a->from
				      : a->there - a->sent;

		least = way < least ? way : least;
	}
	return least;
}

static size_t add_flow(struct change *v, const struct phase_flow *g)
{
	int64_t least = shortest(g);
	size_t n = 0;

	for (size_t k = 0; k < g->n; k++) {
		const struct phase_activity *a = &g->a[k];
		int64_t ns = a->sent > a->from ? a->sent - a->from : 1;
		double slope = g->wire * (double)a->bytes / (double)ns;

		v[n++] = (struct change) { a->from + least, slope, 0 };
		v[n++] = (struct change) { a->from + least + ns, -slope, 0 };
	}
	return n;
}

static double grown(double bytes, double slope, int64_t ns)
{
	return fmax(0, bytes + slope * (double)ns);
}

/* When what has |bytes| and grows by |slope| is empty, if that is within |ns|;
 * else |ns|. */
static int64_t empty_in(double bytes, double slope, int64_t ns)
{
	double in = slope < 0 ? bytes / -slope : (double)ns;

	return in < (double)ns ? (int64_t)in : ns;
}

static void count(struct phase_queue *q, const struct change *v, size_t n)
{
	struct knot at = { n ? v[0].ns : 0, 0, 0 };
	double comes = 0;
	int pauses = 0;

	for (size_t i = 0; i < n; i++) {
		double slope = comes - q->per_ns;
		double held = pauses > 0 ? comes : slope;
		int64_t ns = v[i].ns - at.ns;
		int64_t first = empty_in(at.with, held, ns);
		int64_t other = empty_in(at.without, slope, ns);
		int64_t dry[] = { first < other ? first : other,
				  first < other ? other : first, ns };
		int64_t from = 0;

		for (int k = 0; k < 3; k++) {
			if (dry[k] <= from)
				continue;
			at.with = grown(at.with, held, dry[k] - from);
			at.without = grown(at.without, slope, dry[k] - from);
			at.ns += dry[k] - from;
			from = dry[k];
			q->knot[q->n++] = at;
		}
		comes += v[i].more;
		pauses += v[i].pause;
	}
}

bool phase_paused_queue(const struct phase_flow *flows, size_t n, uint32_t host,
			const struct phase_host *h, uint64_t bps,
			struct phase_queue **queue)
{
	size_t all = 2 * h->n_pauses, at = 0;
	struct change *v;
	bool ok;

	*queue = NULL;
	for (size_t i = 0; i < n; i++) {
		if (flows[i].dst != host)
			continue;
		if (!flows[i].far || !flows[i].src_seen || !flows[i].dst_seen)
			return true;
		all += 2 * flows[i].n;
	}
	if (!h->n_pauses || !bps)
		return true;
	v = calloc(all, sizeof *v);
	*queue = calloc(1, sizeof **queue + 3 * all * sizeof(struct knot));
	ok = v && *queue;
	for (size_t i = 0; ok && i < n; i++)
		if (flows[i].dst == host)
			at += add_flow(v + at, &flows[i]);
	for (size_t i = 0; ok && i < h->n_pauses; i++) {
		v[at++] = (struct change) { h->pauses[i].from, 0, 1 };
		v[at++] = (struct change) { h->pauses[i].to, 0, -1 };
	}
	ok = ok && sort_by(struct change, v, at, ns);
	if (ok) {
		(*queue)->per_ns = (double)bps / 8e9;
		count(*queue, v, at);
	}
	free(v);
	return ok;
}

/* The queue at |ns|, in ns that the link takes for it. */
static struct knot queue_at(const struct phase_queue *q, int64_t ns)
{
	size_t i = search_below(struct knot, q->knot, q->n, ns, ns);
	struct knot a, b;
	double part;

	if (!i || i == q->n)
		return (struct knot) { ns, 0, 0 };
	a = q->knot[i - 1];
	b = q->knot[i];
	part = (double)(ns - a.ns) / (double)(b.ns - a.ns);
	return (struct knot) {
		ns,
		(a.with + part * (b.with - a.with)) / q->per_ns,
		(a.without + part * (b.without - a.without)) / q->per_ns,
	};
}

/* ---- where that is not seen ---- */

/* For how long the link of |host| was not busy. */
static double idle(const struct path_facts *p, uint32_t host, int64_t from,
		   int64_t to)
{
	return fmax(0, (double)(to - from) - path_busy(p, host, from, to));
}

/* What had been left when the host's pauses began, one after the other. */
static void add_up(const struct path_facts *p, uint32_t host, double *left)
{
	const struct phase_host *h = &p->j->in->hosts[host];

	for (size_t i = 1; i < h->n_pauses; i++) {
		const struct phase_span *s = &h->pauses[i - 1];

		left[i] = fmax(0,
			       left[i - 1] + (double)(s->to - s->from) -
				       idle(p, host, s->to, h->pauses[i].from));
	}
}

static double left_at_most(const struct path_facts *p, uint32_t host,
			   int64_t ns)
{
	const struct phase_host *h = &p->j->in->hosts[host];
	size_t i = search_below(struct phase_span, h->pauses, h->n_pauses, from,
				ns);
	const struct phase_span *s = h->pauses + i - 1;
	double left;

	if (!i)
		return 0;
	left = p->left[p->first_left[host] + i - 1];
	if (ns <= s->to)
		return left + (double)(ns - s->from);
	return fmax(0, left + (double)(s->to - s->from) -
			       idle(p, host, s->to, ns));
}

double path_left_by_pauses(const struct path_facts *p, uint32_t host,
			   int64_t ns)
{
	const struct phase_host *h = &p->j->in->hosts[host];
	struct knot at;

	if (!h->n_pauses)
		return 0;
	if (!h->queue)
		return left_at_most(p, host, ns);
	at = queue_at(h->queue, ns);
	return fmax(0, at.with - at.without);
}

/* ---- marks ---- */

/* The queue when that was marked for which the sender of |g| got a CNP at |ns|:
 * it then had to arrive, and the CNP to come back. */
static void around(const struct path_facts *p, const struct phase_flow *g,
		   int64_t ns, struct knot v[static SAMPLES])
{
	int64_t round = p->round[g - p->j->in->flows];

	for (int i = 0; i < SAMPLES; i++)
		v[i] = queue_at(p->j->in->hosts[g->dst].queue,
				ns - 2 * round * i / SAMPLES);
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* How much had to be queued for |host| for a mark, at most: 19 of 20 CNPs had
 * more.  |v| has room for all. */
static double marks_from(const struct path_facts *p, uint32_t host, double *v)
{
	const struct phase_input *in = p->j->in;
	struct knot at[SAMPLES];
	size_t n = 0;

	for (size_t f = 0; f < in->n_flows; f++) {
		const struct phase_flow *g = &in->flows[f];

		for (size_t i = 0; g->dst == host && i < g->n_cnps; i++) {
			double most = 0;

			around(p, g, g->cnps[i], at);
			for (int k = 0; k < SAMPLES; k++)
				most = fmax(most, at[k].with);
			if (most > 0)
				v[n++] = most;
		}
	}
	qsort(v, n, sizeof *v, by_value);
	return n ? v[n / 20] : 0;
}

/* The sender of flow |f| got a CNP at |ns|, with |mark| or more in the queue.
 * With as much in it without pauses it would have got that all the same; what
 * is far less would not have been marked. */
static void add_mark(struct path_facts *p, uint32_t f, int64_t ns, double mark)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	struct knot at[SAMPLES];
	double all = 0, host = 0, either = 0;

	around(p, g, ns, at);
	for (int k = 0; k < SAMPLES; k++) {
		if (at[k].with <= 0 || at[k].with < mark)
			continue;
		all++;
		host += at[k].without < FAR_LESS * mark;
		either += at[k].without >= FAR_LESS * mark &&
			  at[k].without < mark;
	}
	if (all > 0) {
		p->cut_by_host[f] += host / all / (double)g->n_cnps;
		p->cut_unknown[f] += either / all / (double)g->n_cnps;
	}
}

/* ... and the queue is not seen. */
static bool may_be_left(const struct path_facts *p, uint32_t f, int64_t ns)
{
	uint32_t dst = p->j->in->flows[f].dst;

	return left_at_most(p, dst, ns) > 0 ||
	       left_at_most(p, dst, ns - p->round[f]) > 0 ||
	       left_at_most(p, dst, ns - 2 * p->round[f]) > 0;
}

/* Of all that the sender of flow |f| got.  Who has not recovered from a CNP
 * that it would have got anyway would be as slow without those that it got for
 * pauses. */
static void all_marked(struct path_facts *p, uint32_t f, double mark)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	const struct phase_host *h = &p->j->in->hosts[g->dst];
	double *host = &p->cut_by_host[f], *unknown = &p->cut_unknown[f];
	double slow;

	for (size_t i = 0; i < g->n_cnps; i++)
		if (h->queue)
			add_mark(p, f, g->cnps[i], mark);
		else if (may_be_left(p, f, g->cnps[i]))
			*unknown += 1 / (double)g->n_cnps;
	slow = fmin(*host, RECOVERS * fmax(0, 1 - *host - *unknown));
	*host -= slow;
	*unknown += slow;
}

static bool all_marks(struct path_facts *p)
{
	const struct phase_input *in = p->j->in;
	size_t most = 0;
	double *v;

	for (size_t f = 0; f < in->n_flows; f++)
		most += in->flows[f].n_cnps;
	v = calloc(most + 1, sizeof *v);
	for (uint32_t h = 0; v && h < in->n_hosts; h++) {
		double mark = in->hosts[h].queue ? marks_from(p, h, v) : 0;

		for (uint32_t f = 0; in->hosts[h].n_pauses && f < in->n_flows;
		     f++)
			if (in->flows[f].dst == h)
				all_marked(p, f, mark);
	}
	free(v);
	return v;
}

bool path_paused_ports(struct path_facts *p)
{
	const struct phase_input *in = p->j->in;
	size_t n = 0;

	p->first_left = calloc(in->n_hosts + 1, sizeof *p->first_left);
	p->cut_by_host = calloc(in->n_flows + 1, sizeof *p->cut_by_host);
	p->cut_unknown = calloc(in->n_flows + 1, sizeof *p->cut_unknown);
	if (!p->first_left || !p->cut_by_host || !p->cut_unknown)
		return false;
	for (uint32_t h = 0; h < in->n_hosts; h++) {
		p->first_left[h] = n;
		n += in->hosts[h].n_pauses;
	}
	p->left = calloc(n + 1, sizeof *p->left);
	if (!p->left)
		return false;
	for (uint32_t h = 0; h < in->n_hosts; h++)
		add_up(p, h, p->left + p->first_left[h]);
	return all_marks(p);
}
