/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which ranks of a training job form which group, by when in a step each sends
 * to each.
 *
 * Batches go from stage to stage, and their gradients back later: begin and end
 * of the two directions are apart (pp).  Experts send to each other at the same
 * time, all to all, from the begin of a step on (ep), replicas do so when their
 * rank has done most of its other work, or round a ring (dp).  A ring from the
 * begin on shares the work of each layer (tp).  All ranks have to be in a group
 * of each kind, and know each other by that; else the shape of the whole job
 * says what it is.  What two ranks do that have no others may be anything. */
#include <stdlib.h>
#include <string.h>

#include "phase/phase_int.h"

const char *const phase_group_kinds[PHASE_GROUP_KINDS] = { "dp", "pp", "ep",
							   "tp" };

enum { CONTROL_BYTES = 512 }; /* of a message: it only asks for data */

/* Shares of a step: that directions of a pipeline are apart, that others began
 * earlier. */
static const double APART = 0.05, EARLIER = 0.05;
/* Share of a step's bytes before what counts as begin, and behind its end. */
static const double EDGE = 0.1;

/* All that a rank sends to another. */
struct edge {
	uint32_t from, to;
	size_t flow, flows; /* in j->flow list, sorted by edge */
	int64_t begin, end; /* in a step: median */
	struct edge *back;
	bool late;
	int kind; /* enum phase_group_kind; PHASE_GROUP_KINDS none */
};

struct grouping {
	struct job *j;
	uint32_t *flows; /* sorted by edge */
	struct edge *edges;
	size_t n_edges;
	int64_t *from; /* of each step */
	size_t n_steps;
	int64_t length; /* of a step: median */
	int64_t *begin, *end;
	uint32_t *up; /* by rank: union */
	uint32_t n_groups;
};

static uint32_t rank_from(const struct job *j, uint32_t flow)
{
	return j->rank_of[j->in->flows[flow].src];
}

static uint32_t rank_to(const struct job *j, uint32_t flow)
{
	return j->rank_of[j->in->flows[flow].dst];
}

/* ---- steps ---- */

static void find_steps(struct grouping *g)
{
	const struct job *j = g->j;
	int64_t *length = g->begin;
	size_t k = 0;

	for (size_t i = 0; i < j->n_bursts; i++) {
		const struct burst *b = &j->bursts[i];

		if (!i || b->iteration != b[-1].iteration)
			g->from[k++] = b->from;
		length[k - 1] = b->to - g->from[k - 1];
	}
	g->n_steps = k;
	g->length = phase_median(length, k);
}

/* ---- edges ---- */

struct keyed {
	uint32_t from, to, flow;
};

static int by_edge(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->from != y->from)
		return (x->from > y->from) - (x->from < y->from);
	if (x->to != y->to)
		return (x->to > y->to) - (x->to < y->to);
	return (x->flow > y->flow) - (x->flow < y->flow);
}

static bool carries_data(const struct phase_flow *f)
{
	uint64_t bytes = 0;

	for (size_t a = 0; a < f->n; a++)
		bytes += f->a[a].bytes;
	return bytes > CONTROL_BYTES * f->messages;
}

static bool list_edges(struct grouping *g)
{
	const struct job *j = g->j;
	struct keyed *v = calloc(j->in->n_flows + 1, sizeof *v);
	bool ok = v;
	size_t n = 0;

	for (uint32_t f = 0; v && f < j->in->n_flows; f++)
		if (carries_data(&j->in->flows[f]))
			v[n++] = (struct keyed) { rank_from(j, f),
						  rank_to(j, f), f };
	if (v)
		qsort(v, n, sizeof *v, by_edge);
	for (size_t i = 0; v && i < n; i++) {
		struct edge *e = &g->edges[g->n_edges];

		g->flows[i] = v[i].flow;
		if (i && v[i].from == e[-1].from && v[i].to == e[-1].to) {
			e[-1].flows++;
			continue;
		}
		*e = (struct edge) { .from = v[i].from,
				     .to = v[i].to,
				     .flow = i,
				     .flows = 1,
				     .kind = PHASE_GROUP_KINDS };
		g->n_edges++;
	}
	free(v);
	return ok;
}

static int by_ends(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->from != y->from)
		return (x->from > y->from) - (x->from < y->from);
	return (x->to > y->to) - (x->to < y->to);
}

static void find_backs(struct grouping *g)
{
	for (size_t i = 0; i < g->n_edges; i++) {
		struct edge *e = &g->edges[i];
		struct edge key = { .from = e->to, .to = e->from };

		e->back = bsearch(&key, g->edges, g->n_edges, sizeof key,
				  by_ends);
	}
}

/* When |f| began and ended in step |k|, but for what is small; activities from
 * |*a| on. */
static void in_step(struct grouping *g, const struct phase_flow *f, size_t k,
		    size_t *a)
{
	int64_t end = k + 1 < g->n_steps ? g->from[k + 1] : INT64_MAX;
	double all = 0, sum = 0;
	size_t first;

	while (*a < f->n && f->a[*a].from < g->from[k])
		++*a;
	for (first = *a; *a < f->n && f->a[*a].from < end; ++*a)
		all += (double)f->a[*a].bytes;
	for (size_t i = first; i < *a; i++) {
		double before = sum;

		sum += (double)f->a[i].bytes;
		if (before <= EDGE * all && sum > EDGE * all &&
		    (g->begin[k] == PHASE_UNKNOWN ||
		     f->a[i].from < g->begin[k]))
			g->begin[k] = f->a[i].from;
		if (sum > EDGE * all && before < (1 - EDGE) * all &&
		    f->a[i].over > g->end[k])
			g->end[k] = f->a[i].over;
	}
}

static void time_edge(struct grouping *g, struct edge *e)
{
	size_t n = 0;

	for (size_t k = 0; k < g->n_steps; k++)
		g->begin[k] = g->end[k] = PHASE_UNKNOWN;
	for (size_t i = 0; i < e->flows; i++) {
		size_t a = 0;

		for (size_t k = 0; k < g->n_steps; k++)
			in_step(g, &g->j->in->flows[g->flows[e->flow + i]], k,
				&a);
	}
	for (size_t k = 0; k < g->n_steps; k++) {
		if (g->begin[k] == PHASE_UNKNOWN)
			continue;
		g->begin[n] = g->begin[k] - g->from[k];
		g->end[n++] = g->end[k] - g->from[k];
	}
	e->begin = n ? phase_median(g->begin, n) : PHASE_UNKNOWN;
	e->end = n ? phase_median(g->end, n) : PHASE_UNKNOWN;
}

/* ---- early and late ---- */

/* One end of an edge. */
struct touch {
	uint32_t rank;
	struct edge *edge;
};

static int by_begin(const void *a, const void *b)
{
	const struct touch *x = a, *y = b;

	if (x->rank != y->rank)
		return (x->rank > y->rank) - (x->rank < y->rank);
	return (x->edge->begin > y->edge->begin) -
	       (x->edge->begin < y->edge->begin);
}

/* What began earlier at the rank is half over when a late edge begins. */
static void mark_late(struct grouping *g, struct touch *v, size_t n)
{
	int64_t apart = (int64_t)(EARLIER * (double)g->length), end = 0;
	size_t earlier = 0, first = 0;

	for (size_t i = 0; i < n; i++) {
		struct edge *e = v[i].edge;

		if (!i || v[i].rank != v[i - 1].rank) {
			first = earlier = i;
			end = INT64_MIN;
		}
		for (; v[earlier].edge->begin < e->begin - apart; earlier++)
			if (v[earlier].edge->end > end)
				end = v[earlier].edge->end;
		if (v[i].rank == e->from && earlier > first &&
		    2 * e->begin >= v[first].edge->begin + end)
			e->late = true;
	}
}

static bool find_late(struct grouping *g)
{
	struct touch *v = calloc(2 * g->n_edges + 1, sizeof *v);
	bool ok = v;
	size_t n = 0;

	for (size_t i = 0; v && i < g->n_edges; i++) {
		if (g->edges[i].begin == PHASE_UNKNOWN)
			continue;
		v[n++] = (struct touch) { g->edges[i].from, &g->edges[i] };
		v[n++] = (struct touch) { g->edges[i].to, &g->edges[i] };
	}
	if (v) {
		qsort(v, n, sizeof *v, by_begin);
		mark_late(g, v, n);
	}
	free(v);
	return ok;
}

/* ---- kinds ---- */

static bool there_and_back(const struct grouping *g, const struct edge *e)
{
	int64_t apart = (int64_t)(APART * (double)g->length);
	const struct edge *f = e->back;

	return (f->begin - e->begin > apart && f->end - e->end > apart) ||
	       (e->begin - f->begin > apart && e->end - f->end > apart);
}

static int kind_of(const struct grouping *g, const struct edge *e)
{
	if (e->begin == PHASE_UNKNOWN ||
	    (e->back && e->back->begin == PHASE_UNKNOWN))
		return PHASE_GROUP_KINDS;
	if (!e->back)
		return e->late ? GROUP_DP : GROUP_TP;
	if (there_and_back(g, e))
		return GROUP_PP;
	return e->late && e->back->late ? GROUP_DP : GROUP_EP;
}

/* ---- groups ---- */

/* What the ranks of a group have in common. */
struct members {
	uint32_t ranks, edges;
	uint32_t number;
	uint32_t one, two; /* ranks that send to so many, and get of as many */
};

static struct members *count_members(struct grouping *g, int kind)
{
	size_t n = g->j->n_ranks;
	struct members *m = calloc(n + 1, sizeof *m);
	uint32_t *out = calloc(2 * n + 1, sizeof *out), *in;

	if (!m || !out) {
		free(out);
		free(m);
		return NULL;
	}
	in = out + n;
	for (uint32_t r = 0; r < n; r++)
		g->up[r] = r;
	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];

		if (e->kind != kind)
			continue;
		union_join(g->up, e->from, e->to);
		out[e->from]++;
		in[e->to]++;
	}
	for (size_t i = 0; i < g->n_edges; i++)
		if (g->edges[i].kind == kind)
			m[union_first(g->up, g->edges[i].from)].edges++;
	for (uint32_t r = 0; r < n; r++) {
		m[union_first(g->up, r)].ranks++;
		m[union_first(g->up, r)].one += out[r] == 1 && in[r] == 1;
		m[union_first(g->up, r)].two += out[r] == 2 && in[r] == 2;
	}
	free(out);
	return m;
}

/* Which kind the group is, now that it is known who is in it. */
static int decided(const struct members *m, int kind)
{
	if (m->ranks < 2)
		return PHASE_GROUP_KINDS;
	/* One way and no way back: round a ring, or stages that only infer. */
	if (kind == GROUP_TP && m->one < m->ranks)
		return m->edges == m->ranks - 1 ? GROUP_PP : PHASE_GROUP_KINDS;
	if (kind == GROUP_EP && m->edges < m->ranks * (m->ranks - 1))
		return m->two == m->ranks ? GROUP_TP : PHASE_GROUP_KINDS;
	return kind;
}

/* Numbers groups, in |of| by kind and rank: 0 none. */
static bool number_groups(struct grouping *g, int kind, uint32_t *of)
{
	struct members *m = count_members(g, kind);
	uint32_t n = g->j->n_ranks;
	bool ok = m;

	for (uint32_t r = 0; ok && r < n; r++) {
		uint32_t top = union_first(g->up, r);
		int is = decided(&m[top], kind);

		if (is == PHASE_GROUP_KINDS)
			continue;
		if (!m[top].number)
			m[top].number = ++g->n_groups;
		of[(size_t)is * n + r] = m[top].number;
	}
	free(m);
	return ok;
}

/* Ranks in each group of a kind; 0: not the same in all, or not all ranks are
 * in one.  1: there is none of that kind. */
static uint32_t size_of(const struct grouping *g, const uint32_t *of,
			uint32_t *count)
{
	uint32_t n = g->j->n_ranks, in = 0;

	memset(count, 0, (g->n_groups + 1) * sizeof *count);
	for (uint32_t r = 0; r < n; r++) {
		in += of[r] > 0;
		count[of[r]]++;
	}
	for (uint32_t r = 0; r < n && in == n; r++)
		if (count[of[r]] != count[of[0]])
			return 0;
	return !in ? 1 : in == n ? count[of[0]] : 0;
}

/* Are there two kinds, and is a rank known by its places in its groups? */
static bool is_grid(const struct grouping *g, const uint32_t *of)
{
	uint32_t n = g->j->n_ranks, kinds = 0;
	uint32_t *count = calloc(g->n_groups + 1, sizeof *count);
	uint64_t ranks = 1;

	for (uint32_t kind = 0; count && kind < PHASE_GROUP_KINDS; kind++) {
		uint32_t size = size_of(g, of + (size_t)kind * n, count);

		ranks *= size;
		kinds += size > 1;
	}
	free(count);
	return kinds > 1 && ranks == n;
}

static void tell_rank(const struct grouping *g, uint32_t rank, uint32_t number,
		      int kind, const struct phase_sink *sink)
{
	const struct job *j = g->j;
	struct phase_group row = {
		.job = j->row.id,
		.group = number,
		.kind = (enum phase_group_kind)kind,
		.address = j->in->hosts[j->ranks[rank].host].address,
	};

	sink->group(sink->ctx, &row);
}

/* What all ranks do together. */
static int kind_of_all(const struct job *j)
{
	switch (j->row.pattern) {
	case PATTERN_RING:
	case PATTERN_DOUBLE_RING:
	case PATTERN_TREE:
		return GROUP_DP;
	case PATTERN_ALL_TO_ALL:
		return GROUP_EP;
	case PATTERN_PIPELINE:
		return GROUP_PP;
	default:
		return PHASE_GROUP_KINDS;
	}
}

/* A mixture has no shape of its own. */
static void forget_shape(struct job *j)
{
	j->row.pattern = PATTERN_NONE;
	j->row.pattern_confidence = 0;
	for (size_t i = 0; i < j->n_bursts; i++) {
		j->bursts[i].pattern = PATTERN_NONE;
		j->bursts[i].confidence = 0;
	}
	for (uint32_t r = 0; r < j->n_ranks; r++)
		j->ranks[r].next = j->ranks[r].before = NO_RANK;
}

/* A tap at one host shows only what it sends and gets. */
static bool seen_from_one(const struct grouping *g)
{
	const struct edge *e = g->edges;
	uint32_t ends[2];
	size_t touch[2] = { 0 };

	if (!g->n_edges)
		return true;
	ends[0] = e[0].from;
	ends[1] = e[0].to;
	for (size_t i = 0; i < g->n_edges; i++)
		for (int k = 0; k < 2; k++)
			touch[k] += e[i].from == ends[k] || e[i].to == ends[k];
	return touch[0] == g->n_edges || touch[1] == g->n_edges;
}

static void tell_groups(struct grouping *g, const uint32_t *of,
			const struct phase_sink *sink)
{
	uint32_t n = g->j->n_ranks;
	int all = kind_of_all(g->j);

	if (is_grid(g, of)) {
		forget_shape(g->j);
		for (int kind = 0; kind < PHASE_GROUP_KINDS; kind++)
			for (uint32_t r = 0; r < n; r++)
				if (of[(size_t)kind * n + r])
					tell_rank(g, r,
						  of[(size_t)kind * n + r],
						  kind, sink);
	} else if (all != PHASE_GROUP_KINDS && !seen_from_one(g)) {
		for (uint32_t r = 0; r < n; r++)
			tell_rank(g, r, 1 + g->j->part[r], all, sink);
	}
}

static bool find_groups(struct grouping *g, uint32_t *of)
{
	find_steps(g);
	if (!list_edges(g))
		return false;
	for (size_t i = 0; i < g->n_edges; i++)
		time_edge(g, &g->edges[i]);
	find_backs(g);
	if (!find_late(g))
		return false;
	for (size_t i = 0; i < g->n_edges; i++)
		g->edges[i].kind = kind_of(g, &g->edges[i]);
	for (int kind = 0; kind < PHASE_GROUP_KINDS; kind++)
		if (!number_groups(g, kind, of))
			return false;
	return true;
}

bool group_ranks(struct job *j, const struct phase_sink *sink)
{
	struct grouping g = {
		.j = j,
		.flows = calloc(j->in->n_flows + 1, sizeof *g.flows),
		.edges = calloc(j->in->n_flows + 1, sizeof *g.edges),
		.from = calloc(3 * (j->n_bursts + 1), sizeof *g.from),
		.up = calloc(j->n_ranks + 1, sizeof *g.up),
	};
	uint32_t *of =
		calloc((size_t)PHASE_GROUP_KINDS * j->n_ranks + 1, sizeof *of);
	bool ok = g.flows && g.edges && g.from && g.up && of;

	if (ok) {
		g.begin = g.from + j->n_bursts + 1;
		g.end = g.begin + j->n_bursts + 1;
		ok = find_groups(&g, of);
	}
	if (ok)
		tell_groups(&g, of, sink);
	free(of);
	free(g.flows);
	free(g.edges);
	free(g.from);
	free(g.up);
	return ok;
}
