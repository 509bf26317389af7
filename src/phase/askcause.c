/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the receiver of a message had waited for when it asked for it, and how
 * much later than that it asked.
 *
 * A host asks for the next message when some have come and some of its own have
 * begun: which, is the same in all phases.  What it waits for never comes later
 * than it asks, but for as long as it takes to ask.  So of each flow of the
 * rank the shortest time from its message of the same number to the asking is
 * found, and the latest of all that says when it could have asked.  A host that
 * often asks late shows by this alone what it takes otherwise, whatever the
 * others have to do.
 *
 * Where a buffer holds a message until that has been passed on, no rank asks
 * for the next one before a message that it sent, so many before, has arrived:
 * who asks late then was not free to ask sooner. */
#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"
#include "phase/path_int.h"

enum {
	CAUSES = 16,    /* flows of a rank that are looked at, each way */
	EARLIER = 3,    /* message of the same number, and the ones before */
	ASKS = 8,       /* of a flow, that show what it waits for */
	EXTREMES = 32,  /* one of so many values */
	PLACES = 3,     /* asks that make something usual */
	BEST = 6,       /* one of so many asks is not late */
	TOGETHER = 256, /* messages in one activity */
	BUFFERS = 16,   /* and the messages that fill them, at most */
	RANKS = 3,      /* that wait for buffers, at least */
	PLACES_MAX = 1 << 16, /* in an iteration */
};

static const double REGULAR = 0.25;

/* Where an activity lies: the messages of its flow that the phase had before
 * it, and those in it. */
struct numbered {
	int64_t at;  /* phase * PHASE_AT + messages before */
	int64_t all; /* messages before, of all phases */
	size_t k;
	int64_t n;
};

#define PHASE_AT ((int64_t)1 << 32)

struct one_ask {
	int64_t place, ns, at, all;
	struct ask_cause *is;
	struct event cause; /* the one at hand */
};

struct by_cause {
	struct path *p;
	struct numbered *all; /* of flow |f| from first_lag[f] on */
	size_t *n;            /* by flow; 0: messages are not alike ... */
	int64_t *sum;         /* ... and all messages */
	struct waits *waits;  /* by message of an iteration, by distance */
	int64_t *lags;        /* room for the asks of a flow ... */
	struct one_ask *asks; /* ... and they */
	size_t n_asks;
};

/* The messages of flow |f|, by phase.  |but_small|: also where some say that
 * there is data to read, and are not among these. */
static void number(struct by_cause *o, uint32_t f, bool but_small)
{
	const struct path *p = o->p;
	const struct job *j = p->j;
	const struct phase_flow *g = &j->in->flows[f];
	struct numbered *v = o->all + p->first_lag[f];
	double message = p->facts.message[f];
	int64_t before = 0;
	size_t i = 0, n = 0;

	o->n[f] = 0;
	o->sum[f] = 0;
	for (size_t k = 0; k < g->n; k++) {
		double m = message > 0 ? (double)g->a[k].bytes / message : 0;
		int64_t whole = m < TOGETHER ? (int64_t)(m + 0.5) : 0;

		if (!g->a[k].bytes || path_is_small(&p->facts, f, &g->a[k]) ||
		    (but_small && m < REGULAR))
			continue;
		if (!whole || m - (double)whole > REGULAR ||
		    (double)whole - m > REGULAR)
			return;
		while (i < j->n_bursts && j->bursts[i].to < g->a[k].from) {
			before = 0;
			i++;
		}
		if (i == j->n_bursts)
			break;
		v[n++] = (struct numbered) { (int64_t)i * PHASE_AT + before,
					     o->sum[f], k, whole };
		before += whole;
		o->sum[f] += whole;
	}
	o->n[f] = n;
}

/* The activity of flow |f| in which message |at| lies, whose first or |last|
 * one that is; NULL: another is. */
static const struct phase_activity *find(const struct by_cause *o, uint32_t f,
					 int64_t at, bool last)
{
	const struct numbered *v = o->all + o->p->first_lag[f];
	size_t i = search_below(struct numbered, v, o->n[f], at, at + 1);

	if (!i || v[i - 1].at / PHASE_AT != at / PHASE_AT ||
	    (last ? v[i - 1].at + v[i - 1].n - 1 : v[i - 1].at) != at)
		return NULL;
	return &o->p->j->in->flows[f].a[v[i - 1].k];
}

/* Message |at| of flow |f|, when it came to its receiver, or, |begun|, was
 * begun; ns PHASE_UNKNOWN: nobody knows. */
static struct event when(const struct by_cause *o, uint32_t f, bool begun,
			 int64_t at)
{
	const struct phase_activity *a =
		at % PHASE_AT < PHASE_AT / 2 ? find(o, f, at, !begun) : NULL;

	return a ? (struct event) { begun ? a->from : a->arrived, f,
				    (size_t)(a - o->p->j->in->flows[f].a) }
		 : (struct event) { .ns = PHASE_UNKNOWN };
}

static int by_place(const void *a, const void *b)
{
	const struct one_ask *x = a, *y = b;

	if (x->place != y->place)
		return (x->place > y->place) - (x->place < y->place);
	return (x->is->late > y->is->late) - (x->is->late < y->is->late);
}

/* How many asks from number |i| on are for one place. */
static size_t at_place(const struct by_cause *o, size_t i)
{
	size_t m = 1;

	while (i + m < o->n_asks && o->asks[i + m].place == o->asks[i].place)
		m++;
	return m;
}

/* Sets how long each of |m| asks is behind a message of flow |x|; unknown if
 * that is ever behind one of them: no cause is. */
static void lags_at(const struct by_cause *o, struct one_ask *v, size_t m,
		    uint32_t x, bool own, int64_t back)
{
	bool before = true;

	for (size_t i = 0; i < m; i++) {
		v[i].cause = when(o, x, own, v[i].at - back);
		before &= v[i].cause.ns == PHASE_UNKNOWN ||
			  v[i].cause.ns <= v[i].ns;
	}
	for (size_t i = 0; !before && i < m; i++)
		v[i].cause.ns = PHASE_UNKNOWN;
}

/* Messages of flow |x| that lie |back| before the asks: these could not come
 * sooner than the least behind them. */
static void bound(struct by_cause *o, uint32_t x, bool own, int64_t back)
{
	size_t n = 0, m;
	int64_t least;

	for (size_t i = 0; i < o->n_asks; i += m) {
		m = at_place(o, i);
		lags_at(o, o->asks + i, m, x, own, back);
	}
	for (size_t i = 0; i < o->n_asks; i++)
		if (o->asks[i].cause.ns != PHASE_UNKNOWN)
			o->lags[n++] = o->asks[i].ns - o->asks[i].cause.ns;
	if (n < ASKS)
		return;
	sort_int64(o->lags, n);
	least = o->lags[n / EXTREMES];
	for (size_t i = 0; i < o->n_asks; i++) {
		const struct one_ask *a = &o->asks[i];
		int64_t late;

		if (a->cause.ns == PHASE_UNKNOWN)
			continue;
		late = a->ns - a->cause.ns - least;
		if (a->is->late != PHASE_UNKNOWN && late >= a->is->late)
			continue;
		*a->is = (struct ask_cause) { late, least, PHASE_UNKNOWN,
					      a->cause };
	}
}

/* What all asks at one place are later by is how the job works. */
static void less_usual(struct by_cause *o)
{
	size_t m, best;

	qsort(o->asks, o->n_asks, sizeof *o->asks, by_place);
	for (size_t i = 0; i < o->n_asks; i += m) {
		int64_t usual;

		m = at_place(o, i);
		/* one alone may be chance */
		best = (m - 1) / BEST ? (m - 1) / BEST : m > 1;
		usual = o->asks[i + best].is->late;
		for (size_t k = i; k < i + m; k++) {
			int64_t *late = &o->asks[k].is->late;

			if (*late == PHASE_UNKNOWN)
				continue;
			if (m < PLACES || usual == PHASE_UNKNOWN)
				*late = PHASE_UNKNOWN;
			else
				*late = *late > usual ? *late - usual : 0;
		}
	}
}

/* The asks for flow |f| by place, but for the first of each phase: ranks begin
 * that. */
static void asks_of(struct by_cause *o, uint32_t f)
{
	const struct path *p = o->p;
	const struct phase_flow *g = &p->j->in->flows[f];
	const struct numbered *v = o->all + p->first_lag[f];
	int64_t kinds = (int64_t)path_kinds(p->j);
	int64_t way = path_way_back(&p->facts, f);

	o->n_asks = 0;
	for (size_t i = 0; i < o->n[f]; i++)
		if (v[i].at % PHASE_AT &&
		    phase_asked(g, v[i].k) != PHASE_UNKNOWN)
			o->asks[o->n_asks++] = (struct one_ask) {
				v[i].at / PHASE_AT % kinds * PHASE_AT +
					v[i].at % PHASE_AT,
				phase_asked(g, v[i].k) - way,
				v[i].at,
				v[i].all,
				&p->asked[p->first_lag[f] + v[i].k],
				{ .ns = PHASE_UNKNOWN }
			};
	qsort(o->asks, o->n_asks, sizeof *o->asks, by_place);
}

static void one_flow(struct by_cause *o, uint32_t f)
{
	const struct job *j = o->p->j;
	const struct rank *r = &j->ranks[j->rank_of[j->in->flows[f].dst]];

	asks_of(o, f);
	if (o->n_asks < ASKS)
		return;
	for (int64_t back = 0; back < EARLIER; back++) {
		for (uint32_t i = 0; i < r->n_in && i < CAUSES; i++)
			bound(o, r->in[i], false, back);
		for (uint32_t i = 0; i < r->n_out && i < CAUSES; i++)
			bound(o, r->out[i], true, back);
	}
	less_usual(o);
}

/* ---- buffers that hold what is passed on ---- */

/* Asks at a place of all ranks that came when a message of their rank, so many
 * before, had arrived, and before that. */
struct waits {
	uint32_t after, before;
	uint64_t ranks; /* bits of their numbers */
};

/* Message |n| of flow |x| was there, and acknowledged if that was by |by|; one
 * in the middle of several when as much of these was there; PHASE_UNKNOWN. */
static int64_t over(const struct by_cause *o, uint32_t x, int64_t n, int64_t by)
{
	const struct numbered *v = o->all + o->p->first_lag[x];
	size_t i = search_below(struct numbered, v, o->n[x], all, n + 1);
	const struct phase_activity *a;
	double part;

	if (n < 0 || !i || v[i - 1].all + v[i - 1].n <= n)
		return PHASE_UNKNOWN;
	a = &o->p->j->in->flows[x].a[v[i - 1].k];
	if (n == v[i - 1].all + v[i - 1].n - 1 && a->acked <= by &&
	    a->acked > a->there)
		return a->acked;
	part = (double)(n - v[i - 1].all + 1) / (double)v[i - 1].n;
	return a->came + (int64_t)(part * (double)(a->there - a->came));
}

/* Messages of flow |f| in an iteration; 0: no whole number. */
static int64_t in_iteration(const struct by_cause *o, uint32_t f)
{
	int64_t n = (int64_t)(o->p->j->n_bursts / path_kinds(o->p->j));

	return n && o->sum[f] % n == 0 ? o->sum[f] / n : 0;
}

/* Counts the asks for flow |f| of rank |r| against what it sends by flow |x|,
 * which has as many messages. */
static void count_waits(struct by_cause *o, uint32_t f, uint32_t r, uint32_t x)
{
	for (size_t i = 0; i < o->n_asks; i++) {
		const struct one_ask *a = &o->asks[i];
		struct waits *w =
			o->waits + a->all % in_iteration(o, f) * BUFFERS;

		for (int64_t back = 0; back < BUFFERS; back++, w++) {
			int64_t ns = over(o, x, a->all - back, a->ns);

			if (ns == PHASE_UNKNOWN)
				continue;
			w->after += ns <= a->ns;
			w->before += ns > a->ns;
			w->ranks |= UINT64_C(1) << r % 64;
		}
	}
}

static int bits(uint64_t v)
{
	int n = 0;

	for (; v; v &= v - 1)
		n++;
	return n;
}

/* The latest message that all ranks wait for; BUFFERS: there is none. */
static int64_t buffers(const struct waits *w)
{
	int64_t back = 0;

	while (back < BUFFERS && (bits(w[back].ranks) < RANKS ||
				  w[back].before * EXTREMES > w[back].after))
		back++;
	return back;
}

static void set_room(struct by_cause *o, uint32_t f, uint32_t x)
{
	for (size_t i = 0; i < o->n_asks; i++) {
		const struct one_ask *a = &o->asks[i];
		int64_t back = buffers(o->waits +
				       a->all % in_iteration(o, f) * BUFFERS);
		int64_t ns = over(o, x, a->all - back, a->ns);

		if (back < BUFFERS && ns != PHASE_UNKNOWN && ns > a->is->room &&
		    ns <= a->ns)
			a->is->room = ns;
	}
}

/* What the receiver of each flow sends: |count| it, or what follows from it. */
static void find_room(struct by_cause *o, bool count)
{
	const struct job *j = o->p->j;

	for (uint32_t f = 0; f < j->in->n_flows; f++) {
		uint32_t rank = j->rank_of[j->in->flows[f].dst];
		const struct rank *r = &j->ranks[rank];

		o->n_asks = 0;
		if (j->in->flows[f].driven && in_iteration(o, f))
			asks_of(o, f);
		for (uint32_t i = 0; o->n_asks && i < r->n_out && i < CAUSES;
		     i++) {
			if (o->sum[r->out[i]] != o->sum[f])
				continue;
			if (count)
				count_waits(o, f, rank, r->out[i]);
			else
				set_room(o, f, r->out[i]);
		}
	}
}

/* False: no memory. */
static bool wait_for_room(struct by_cause *o)
{
	int64_t most = 0;

	for (uint32_t f = 0; f < o->p->j->in->n_flows; f++)
		number(o, f, true);
	for (uint32_t f = 0; f < o->p->j->in->n_flows; f++)
		if (in_iteration(o, f) > most)
			most = in_iteration(o, f);
	if (most > PLACES_MAX)
		return true;
	o->waits = calloc((size_t)most * BUFFERS + 1, sizeof *o->waits);
	if (o->waits) {
		find_room(o, true);
		find_room(o, false);
	}
	free(o->waits);
	return o->waits;
}

bool path_ask_causes(struct path *p)
{
	const struct phase_input *in = p->j->in;
	struct by_cause o = { .p = p };
	size_t all = 0, most = 0;
	bool any;

	for (uint32_t f = 0; f < in->n_flows; f++) {
		all += in->flows[f].n;
		most = in->flows[f].n > most ? in->flows[f].n : most;
	}
	p->asked = calloc(all + 1, sizeof *p->asked);
	o.all = calloc(all + 1, sizeof *o.all);
	o.n = calloc(in->n_flows + 1, sizeof *o.n);
	o.sum = calloc(in->n_flows + 1, sizeof *o.sum);
	o.lags = calloc(most + 1, sizeof *o.lags);
	o.asks = calloc(most + 1, sizeof *o.asks);
	any = p->asked && o.all && o.n && o.sum && o.lags && o.asks;
	for (size_t i = 0; any && i < all; i++)
		p->asked[i].late = p->asked[i].room = PHASE_UNKNOWN;
	for (uint32_t f = 0; any && f < in->n_flows; f++)
		number(&o, f, false);
	for (uint32_t f = 0; any && f < in->n_flows; f++)
		if (in->flows[f].driven)
			one_flow(&o, f);
	any = any && wait_for_room(&o);
	free(o.all);
	free(o.n);
	free(o.sum);
	free(o.lags);
	free(o.asks);
	return any;
}
