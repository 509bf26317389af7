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
 * others have to do. */
#include <stdlib.h>

#include "base/search.h"
#include "phase/path_int.h"

enum {
	CAUSES = 16,    /* flows of a rank that are looked at, each way */
	EARLIER = 3,    /* message of the same number, and the ones before */
	ASKS = 8,       /* of a flow, that show what it waits for */
	EXTREMES = 32,  /* one of so many values */
	PLACES = 3,     /* asks that make something usual */
	BEST = 6,       /* one of so many asks is not late */
	TOGETHER = 256, /* messages in one activity */
};

static const double REGULAR = 0.25;

/* Where an activity lies: the messages of its flow that the phase had before
 * it, and those in it. */
struct numbered {
	int64_t at; /* phase * PHASE_AT + messages before */
	size_t k;
	int64_t n;
};

#define PHASE_AT ((int64_t)1 << 32)

struct one_ask {
	int64_t place, ns, at;
	struct ask_cause *is;
	struct event cause; /* the one at hand */
};

struct by_cause {
	struct path *p;
	struct numbered *all; /* of flow |f| from first_lag[f] on */
	size_t *n;            /* by flow; 0: messages are not alike */
	int64_t *lags;        /* room for the asks of a flow ... */
	struct one_ask *asks; /* ... and they */
	size_t n_asks;
};

/* The messages of flow |f|, by phase. */
static void number(struct by_cause *o, uint32_t f)
{
	const struct path *p = o->p;
	const struct job *j = p->j;
	const struct phase_flow *g = &j->in->flows[f];
	struct numbered *v = o->all + p->first_lag[f];
	double message = p->facts.message[f];
	int64_t before = 0;
	size_t i = 0, n = 0;

	for (size_t k = 0; k < g->n; k++) {
		double m = message > 0 ? (double)g->a[k].bytes / message : 0;
		int64_t whole = m < TOGETHER ? (int64_t)(m + 0.5) : 0;

		if (!g->a[k].bytes || path_is_small(&p->facts, f, &g->a[k]))
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
		v[n++] = (struct numbered) { (int64_t)i * PHASE_AT + before, k,
					     whole };
		before += whole;
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

/* Message |at| of flow |f|, when it came to its receiver, or, |own|, was begun;
 * ns PHASE_UNKNOWN: nobody knows. */
static struct event when(const struct by_cause *o, uint32_t f, bool own,
			 int64_t at)
{
	const struct phase_activity *a =
		at % PHASE_AT < PHASE_AT / 2 ? find(o, f, at, !own) : NULL;

	return a ? (struct event) { own ? a->from : a->arrived, f,
				    (size_t)(a - o->p->j->in->flows[f].a) }
		 : (struct event) { .ns = PHASE_UNKNOWN };
}

static int by_number(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
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
	qsort(o->lags, n, sizeof *o->lags, by_number);
	least = o->lags[n / EXTREMES];
	for (size_t i = 0; i < o->n_asks; i++) {
		const struct one_ask *a = &o->asks[i];
		int64_t late;

		if (a->cause.ns == PHASE_UNKNOWN)
			continue;
		late = a->ns - a->cause.ns - least;
		if (a->is->late != PHASE_UNKNOWN && late >= a->is->late)
			continue;
		*a->is = (struct ask_cause) { late, least, a->cause };
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
	o.lags = calloc(most + 1, sizeof *o.lags);
	o.asks = calloc(most + 1, sizeof *o.asks);
	any = p->asked && o.all && o.n && o.lags && o.asks;
	for (size_t i = 0; any && i < all; i++)
		p->asked[i].late = PHASE_UNKNOWN;
	for (uint32_t f = 0; any && f < in->n_flows; f++)
		number(&o, f);
	for (uint32_t f = 0; any && f < in->n_flows; f++)
		if (in->flows[f].driven)
			one_flow(&o, f);
	free(o.all);
	free(o.n);
	free(o.lags);
	free(o.asks);
	return any;
}
