/* SPDX-License-Identifier: GPL-2.0-or-later
 * Receivers, and how they pace their CNPs.
 *
 * A NIC sends no CNP sooner than an interval after the one before, counted for
 * each QP, for each peer, or for the whole port.  Which of these: the widest
 * scope between whose CNPs there is a hard floor.  Gaps are counted in eighths
 * of an octave, so a receiver takes the same room however many it sends. */
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "flow/congestion/congestion.h"

enum {
	NPS_MAX = 1024,
	PAIRS_MAX = 1 << 14,
	OCTAVE = 8,            /* buckets */
	FIRST_OCTAVE = 8,      /* 256 ns */
	BUCKETS = 16 * OCTAVE, /* up to 16 ms */
	LEARN_EVERY = 64,      /* CNPs */
	GAPS_LEAST = 20,       /* before a floor is seen in them */
	NEAR_PERCENT = 125,    /* of the shortest gaps is close to them */
	FLOOR_NS = 2000,       /* what is shorter is nobody's timer */
	QUIET_NS = 500 * 1000, /* ten times the 50 us of the paper */
	QUIET_TIMES = 10,
};

struct gaps_seen {
	uint32_t bucket[BUCKETS];
	int64_t min;
	uint32_t n, entities;
	/* The walk: CNPs that marks would give, paced by |interval|. */
	int64_t interval; /* 0 not learnt yet */
	int64_t walk_ns;
	uint64_t expected;
};

struct np {
	struct addr addr;
	uint32_t place, tap;
	int64_t last_ns; /* CNP, 0 none */
	uint64_t cnps, marks;
	uint64_t observed; /* CNPs while walking */
	int64_t slowest;   /* from mark to CNP, as seen here */
	struct gaps_seen scope[PACING_SCOPES];
};

struct pair_state {
	uint32_t route; /* + 1, 0 free */
	int64_t last_ns, walk_ns;
};

struct nps {
	struct np *of[NPS_MAX];
	uint16_t slots[2 * NPS_MAX]; /* + 1 */
	uint32_t n, n_pairs;
	struct pair_state pairs[2 * PAIRS_MAX];
};

/* ---- tables ---- */

struct np *np_get(struct engine *e, struct addr addr, uint32_t place,
		  uint32_t tap)
{
	struct nps *t = e->nps;
	uint32_t i = (uint32_t)hash6(addr.w[0], addr.w[1], place, 0, 0, 0);
	struct np *np;

	if (!t && !(t = e->nps = mem_calloc(1, sizeof *t)))
		return NULL;
	for (;; i++) {
		uint16_t slot = t->slots[i % (2 * NPS_MAX)];

		if (!slot)
			break;
		np = t->of[slot - 1];
		if (addr_equal(np->addr, addr) && np->place == place)
			return np;
	}
	np = t->n < NPS_MAX ? mem_calloc(1, sizeof *np) : NULL;
	if (!np)
		return NULL;
	np->addr = addr;
	np->place = place;
	np->tap = tap;
	t->of[t->n] = np;
	t->slots[i % (2 * NPS_MAX)] = (uint16_t)++t->n;
	return np;
}

static struct pair_state *pair_get(struct nps *t, uint32_t route)
{
	uint32_t i = (uint32_t)hash2(route, 0);
	struct pair_state *s;

	for (;; i++) {
		s = &t->pairs[i % (2 * PAIRS_MAX)];
		if (s->route == route + 1)
			return s;
		if (!s->route)
			break;
	}
	if (t->n_pairs >= PAIRS_MAX)
		return NULL;
	t->n_pairs++;
	s->route = route + 1;
	return s;
}

void nps_free(struct engine *e)
{
	for (uint32_t i = 0; e->nps && i < e->nps->n; i++)
		free(e->nps->of[i]);
	free(e->nps);
	e->nps = NULL;
}

/* ---- gaps ---- */

static unsigned bucket_of(int64_t ns)
{
	int64_t least = INT64_C(1) << FIRST_OCTAVE;
	unsigned octave, i;

	if (ns < least)
		return 0;
	octave = 63 - (unsigned)__builtin_clzll((unsigned long long)ns);
	i = (octave - FIRST_OCTAVE) * OCTAVE +
	    (unsigned)((ns >> (octave - 3)) & (OCTAVE - 1));
	return i < BUCKETS ? i : BUCKETS - 1;
}

/* The shortest gap of a bucket. */
static int64_t bucket_ns(unsigned i)
{
	return (INT64_C(1) << (FIRST_OCTAVE + i / OCTAVE)) / OCTAVE *
	       (OCTAVE + i % OCTAVE);
}

static int64_t percentile(const struct gaps_seen *g, unsigned percent)
{
	uint64_t want = (uint64_t)g->n * percent / 100, sum = 0;

	for (unsigned i = 0; i < BUCKETS; i++) {
		sum += g->bucket[i];
		if (sum > want)
			return bucket_ns(i) > g->min ? bucket_ns(i) : g->min;
	}
	return FACT_UNKNOWN;
}

/* How many gaps are as short as the shortest ones. */
static double near_floor(const struct gaps_seen *g)
{
	int64_t to = percentile(g, 1);
	uint64_t n = 0;

	if (!g->n)
		return 0;
	to = to / 100 * NEAR_PERCENT;
	for (unsigned i = 0; i < BUCKETS && bucket_ns(i) <= to; i++)
		n += g->bucket[i];
	return (double)n / g->n;
}

static void gap(struct gaps_seen *g, int64_t before, int64_t ns)
{
	int64_t d = ns - before;

	if (!before) {
		g->entities++;
		return;
	}
	if (!g->n || d < g->min)
		g->min = d;
	g->bucket[bucket_of(d)]++;
	g->n++;
}

/* ---- in ---- */

void np_took(struct np *np, int64_t ns)
{
	if (ns > np->slowest)
		np->slowest = ns;
}

int64_t np_slowest(const struct np *np)
{
	return np->slowest;
}

bool np_was_quiet(const struct np *np, int64_t ns)
{
	int64_t quiet = QUIET_TIMES * np->scope[PACING_QP].interval;
	int64_t last = np->last_ns;

	if (quiet < QUIET_NS)
		quiet = QUIET_NS;
	return !last || ns - last > quiet;
}

static void walk(struct gaps_seen *g, int64_t *last, int64_t ns)
{
	if (!g->interval || ns - *last < g->interval)
		return;
	*last = ns;
	g->expected++;
}

void np_mark(struct engine *e, struct np *np, struct congestion *c,
	     uint32_t route, int64_t ns)
{
	struct pair_state *s;

	np->marks++;
	if (!np->scope[PACING_QP].interval)
		return;
	s = pair_get(e->nps, route);
	walk(&np->scope[PACING_QP], &c->walk_ns, ns);
	if (s)
		walk(&np->scope[PACING_PAIR], &s->walk_ns, ns);
	walk(&np->scope[PACING_PORT], &np->scope[PACING_PORT].walk_ns, ns);
}

/* The floors so far, to walk with from here on. */
static void learn(struct np *np)
{
	for (int i = 0; i < PACING_SCOPES; i++) {
		struct gaps_seen *g = &np->scope[i];

		if (g->n < GAPS_LEAST || g->interval)
			continue;
		g->interval = percentile(g, 1);
		g->expected = 0;
	}
}

void np_cnp(struct engine *e, struct np *np, struct congestion *c,
	    uint32_t route, int64_t ns)
{
	struct pair_state *s = pair_get(e->nps, route);

	if (c)
		gap(&np->scope[PACING_QP], c->cnp_ns, ns);
	if (s) {
		gap(&np->scope[PACING_PAIR], s->last_ns, ns);
		s->last_ns = ns;
	}
	gap(&np->scope[PACING_PORT], np->last_ns, ns);
	np->last_ns = ns;
	np->cnps++;
	if (np->scope[PACING_QP].interval)
		np->observed++;
	else if (np->cnps % LEARN_EVERY == 0)
		learn(np);
}

/* ---- out ---- */

static bool has_floor(const struct gaps_seen *g)
{
	return g->n >= GAPS_LEAST && percentile(g, 1) >= FLOOR_NS &&
	       near_floor(g) >= 0.1;
}

/* The widest scope with a floor, and those below that look the same because
 * they are made of the same members: a bit each. */
static unsigned inferred(const struct np *np)
{
	int at = PACING_SCOPES - 1;
	unsigned fits;

	while (at >= 0 && !has_floor(&np->scope[at]))
		at--;
	if (at < 0)
		return 0;
	fits = 1u << at;
	while (at-- > 0 && np->scope[at].entities == np->scope[at + 1].entities)
		fits |= 1u << at;
	return fits;
}

static void emit_scope(struct engine *e, const struct np *np, int i, bool fits)
{
	const struct gaps_seen *g = &np->scope[i];
	bool any = g->n;
	struct fact_pacing o = {
		.tap = np->tap,
		.receiver = np->addr,
		.scope = (enum pacing_scope)i,
		.inferred = fits,
		.entities = g->entities,
		.cnps = (int64_t)np->cnps,
		.marks = (int64_t)np->marks,
		.gaps = g->n,
		.gap_min_ns = any ? g->min : FACT_UNKNOWN,
		.gap_p1_ns = any ? percentile(g, 1) : FACT_UNKNOWN,
		.gap_p50_ns = any ? percentile(g, 50) : FACT_UNKNOWN,
		.near = near_floor(g),
		.expected = g->interval && np->marks ? (int64_t)g->expected
						     : FACT_UNKNOWN,
		.observed = g->interval ? (int64_t)np->observed : FACT_UNKNOWN,
	};

	HAND_OUT(e, pacing, &o);
}

void nps_finish(struct engine *e)
{
	struct nps *t = e->nps;

	for (uint32_t i = 0; t && i < t->n; i++) {
		unsigned fits = inferred(t->of[i]);

		for (int s = 0; s < PACING_SCOPES; s++)
			emit_scope(e, t->of[i], s, fits >> s & 1);
	}
}
