/* SPDX-License-Identifier: GPL-2.0-or-later
 * What each activity follows, by how steadily it does.
 *
 * Of all that came to a rank before it sent something, the last need not be
 * what it waited for: it may have come meanwhile.  Iterations are alike, so
 * what it waits for is followed after the same time in most of them, and what
 * comes from others is not, once somebody is late.  Where several flows are
 * followed as steadily, what came last counts. */
#include <stdlib.h>

#include "phase/path_int.h"

enum {
	SOURCES = 8,   /* flows that a rank waits for */
	BEHIND = 32,   /* arrivals that are looked at */
	STEADY_MIN = 4 /* followed less often is no rule */
};

/* A rank that computes is as punctual as that part of what it takes. */
static const double PUNCTUAL = 0.05;
/* As steady as another, but for one time in eight: chance. */
static const double AS_STEADY = 0.875;

struct source {
	uint32_t flow;
	int64_t middle;
	size_t steady; /* activities that are behind it by |middle| */
};

/* The activities of flow |f| at one place of its phases. */
struct at_place {
	const struct path *p;
	const struct phase_flow *g;
	const struct events *in;
	const struct place *v;
	size_t n;
	int64_t *lags; /* room for all */
	struct source sources[SOURCES];
	size_t n_sources;
	int64_t tolerance;
};

/* What came last from |flow| before activity |k|; NULL: nothing lately, its own
 * flow sent something since, or what it waits for may be coming still. */
static const struct event *before(const struct at_place *o, uint32_t flow,
				  size_t k)
{
	int64_t ns = o->g->a[k].from - o->p->soonest;
	size_t n = path_up_to(o->in, ns);
	const struct event *e = NULL;

	if (path_coming(o->p, o->p->j->rank_of[o->g->src], ns))
		return NULL;
	for (size_t i = 0; !e && i < n && i < BEHIND; i++)
		if (o->in->e[n - 1 - i].flow == flow)
			e = &o->in->e[n - 1 - i];
	return e && k && o->g->a[k - 1].sent > e->ns ? NULL : e;
}

static void note_source(struct at_place *o, uint32_t flow)
{
	for (size_t i = 0; i < o->n_sources; i++)
		if (o->sources[i].flow == flow)
			return;
	if (o->n_sources < SOURCES)
		o->sources[o->n_sources++] = (struct source) { .flow = flow };
}

static void find_sources(struct at_place *o)
{
	for (size_t m = 0; m < o->n; m++) {
		int64_t ns = o->g->a[o->v[m].k].from - o->p->soonest;
		size_t n = path_up_to(o->in, ns);

		for (size_t i = 0; i < n && i < SOURCES; i++)
			note_source(o, o->in->e[n - 1 - i].flow);
	}
}

/* What came from |s| before each of the activities. */
static size_t lags_behind(struct at_place *o, const struct source *s)
{
	size_t n = 0;

	for (size_t m = 0; m < o->n; m++) {
		const struct event *e = before(o, s->flow, o->v[m].k);

		if (e)
			o->lags[n++] = o->g->a[o->v[m].k].from - e->ns;
	}
	return n;
}

/* A host that reacts deviates by no more than it takes to, one that computes by
 * a part of that: from the nearest source, as whatever is far away may be late
 * by as much as that is from time to time. */
static void find_tolerance(struct at_place *o)
{
	const struct path *p = o->p;
	int64_t reacts = p->facts.reacts ? p->facts.reacts : p->quick;
	int64_t nearest = INT64_MAX;

	for (size_t i = 0; i < o->n_sources; i++) {
		struct source *s = &o->sources[i];
		size_t n = lags_behind(o, s);

		if (n < STEADY_MIN)
			continue;
		s->middle = phase_median(o->lags, n);
		nearest = s->middle < nearest ? s->middle : nearest;
	}
	o->tolerance = p->facts.grain > reacts ? p->facts.grain : reacts;
	if (nearest < INT64_MAX)
		o->tolerance += (int64_t)(PUNCTUAL * (double)nearest);
}

static bool punctual(const struct at_place *o, const struct source *s,
		     int64_t ns)
{
	return llabs(ns - s->middle) <= o->tolerance;
}

static void measure(struct at_place *o, struct source *s)
{
	size_t n = lags_behind(o, s);

	for (size_t i = 0; n >= STEADY_MIN && i < n; i++)
		s->steady += punctual(o, s, o->lags[i]);
}

/* What came last to activity |k| of what it follows most steadily. */
static const struct event *followed(const struct at_place *o, size_t k,
				    size_t most, int64_t *usual)
{
	const struct event *last = NULL;

	for (size_t i = 0; i < o->n_sources; i++) {
		const struct source *s = &o->sources[i];
		const struct event *e =
			AS_STEADY * (double)most <= (double)s->steady
				? before(o, s->flow, k)
				: NULL;

		if (e && punctual(o, s, o->g->a[k].from - e->ns) &&
		    (!last || e->ns > last->ns)) {
			last = e;
			*usual = s->middle;
		}
	}
	return last;
}

void path_find_steady(struct path *p, uint32_t f, const struct place *v,
		      size_t n, int64_t *lags)
{
	struct at_place o = {
		.p = p, .g = &p->j->in->flows[f], .v = v, .n = n, .lags = lags
	};
	size_t most = 0;

	o.in = &p->in[p->j->rank_of[o.g->src]];
	if (n < STEADY_MIN)
		return;
	find_sources(&o);
	find_tolerance(&o);
	for (size_t i = 0; o.n_sources > 1 && i < o.n_sources; i++) {
		measure(&o, &o.sources[i]);
		most = o.sources[i].steady > most ? o.sources[i].steady : most;
	}
	if (most < STEADY_MIN || 2 * most < n)
		return;
	for (size_t m = 0; m < n; m++) {
		size_t at = p->first_lag[f] + v[m].k;

		p->follows[at] = followed(&o, v[m].k, most, &p->lags[at]);
	}
}
