/* SPDX-License-Identifier: GPL-2.0-or-later
 * What arrived and began when, and how long it usually takes from one to the
 * other: a rank of a job against its other ranks, an iteration against the
 * others. */
#include <math.h>
#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"
#include "phase/path_int.h"

enum {
	PLACES = 3,     /* phases that make something usual */
	SEVERAL = 3,    /* ranks whose middle is not one of them alone */
	BACK_MAX = 256, /* arrivals that are looked at */
	COMPUTES = 2,   /* times what an adapter takes, a host computes */
	EXTREMES = 16,  /* one of so many values */
	QUICK = 4,      /* likewise, what the quickest of its reactions take */
	ALONE = 2,      /* begins that waited for nothing; one may be chance */
};

/* A rank may be ahead by a part of a phase, and of phases without a silence
 * between them by one more, but never by more. */
static const double SAME = 0.02, AHEAD = 0.5, SAME_PLACE = 0.25;
static const double TWICE = 2, MOST = 0.9, HALF = 0.5;

/* ---- events ---- */

/* Those of the same time stay in order of flow and activity. */
static bool in_order(struct events *v)
{
	return sort_by(struct event, v->e, v->n, ns);
}

bool path_events(struct path *p)
{
	struct job *j = p->j;
	const struct phase_input *in = j->in;
	struct event *next;
	size_t all = 0;

	for (uint32_t f = 0; f < in->n_flows; f++) {
		p->in[j->rank_of[in->flows[f].dst]].n += in->flows[f].n;
		p->out[j->rank_of[in->flows[f].src]].n += in->flows[f].n;
		all += 2 * in->flows[f].n;
	}
	next = p->events = calloc(all + 1, sizeof *p->events);
	if (!next)
		return false;
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		p->in[r].e = next;
		p->out[r].e = next + p->in[r].n;
		next += p->in[r].n + p->out[r].n;
		p->in[r].n = p->out[r].n = 0;
	}
	for (uint32_t f = 0; f < in->n_flows; f++) {
		const struct phase_flow *g = &in->flows[f];
		struct events *i = &p->in[j->rank_of[g->dst]];
		struct events *o = &p->out[j->rank_of[g->src]];

		for (size_t k = 0; k < g->n; k++) {
			if (path_is_small(&p->facts, f, &g->a[k]))
				continue;
			i->e[i->n++] = (struct event) { g->a[k].arrived, f, k };
			o->e[o->n++] = (struct event) { g->a[k].from, f, k };
		}
	}
	for (uint32_t r = 0; r < j->n_ranks; r++)
		if (!in_order(&p->in[r]) || !in_order(&p->out[r]))
			return false;
	return true;
}

/* How many events there are up to |ns|. */
size_t path_up_to(const struct events *v, int64_t ns)
{
	return search_below(struct event, v->e, v->n, ns, ns + 1);
}

const struct event *path_latest(const struct events *v, int64_t ns)
{
	size_t n = path_up_to(v, ns);

	return n ? &v->e[n - 1] : NULL;
}

const struct event *path_earliest(const struct events *v, int64_t ns)
{
	size_t n = path_up_to(v, ns - 1);

	return n < v->n ? &v->e[n] : NULL;
}

const struct phase_activity *path_activity(const struct path *p,
					   const struct event *e)
{
	return &p->j->in->flows[e->flow].a[e->k];
}

/* ---- what is usual ---- */

/* Where the part of a flow begins that belongs to a phase: by time, or, where
 * it is ahead or behind by |least| bytes, and by no more than a rank may be, by
 * its share of what all have carried before.  If that ends within |near| bytes
 * of where it should, it may be ahead by more. */
struct share {
	double all;      /* bytes of the flow */
	double sum;      /* of its activities before |by_share| */
	double time_sum; /* of those before |by_time| */
	size_t by_share, by_time;
};

static size_t first_of(const struct phase_flow *g, struct share *s,
		       int64_t from, double part, double least, double ahead,
		       double near)
{
	double target = part * s->all, off;

	while (s->by_time < g->n && g->a[s->by_time].from < from)
		s->time_sum += (double)g->a[s->by_time++].bytes;
	while (s->by_share < g->n &&
	       s->sum + (double)g->a[s->by_share].bytes / 2 <= target)
		s->sum += (double)g->a[s->by_share++].bytes;
	off = fabs(s->time_sum - target);
	/* Its share ends where it should. */
	if (fabs(s->sum - target) <= near)
		ahead *= TWICE + 1;
	/* No part begins in the middle of a message. */
	if (s->by_time && g->a[s->by_time - 1].inside) {
		ahead *= TWICE;
		least = 0;
	}
	return off >= least && off < ahead * s->all ? s->by_share : s->by_time;
}

/* What released rank |r| to begin phase |i|, and when it began. */
static void note_release(struct path *p, size_t i, uint32_t r, int64_t ns,
			 uint32_t f, size_t k)
{
	struct event *e = &p->release[i * p->j->n_ranks + r];

	if (e->ns == PHASE_UNKNOWN || ns > e->ns)
		*e = (struct event) { ns, f, k };
}

static void note_start(struct path *p, size_t i, uint32_t f, size_t k)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	size_t at = i * p->j->n_ranks + p->j->rank_of[g->src];
	int64_t *first = &p->first[at];

	if (*first != PHASE_UNKNOWN && g->a[k].from >= *first)
		return;
	*first = g->a[k].from;
	p->first_of[at] = f;
	p->awaited[at] = path_is_asked_for(p, f, k);
}

/* When the last data that a rank sent before a phase, activity |last| of |g|,
 * was begun, or, where it waits for that, acknowledged: with what was small and
 * followed it closely, up to |end|, where the ACK is of all together. */
static int64_t own_release(const struct phase_flow *g, size_t last, size_t end,
			   bool acks)
{
	int64_t from = g->a[last].from;

	for (; acks && last < end; last++)
		if (g->a[last].acked != PHASE_UNKNOWN)
			return g->a[last].acked > from ? g->a[last].acked
						       : from;
	return from;
}

/* Does more than one flow carry what goes from one host to the other? */
static bool is_one_of_several(const struct path *p, uint32_t f)
{
	const struct job *j = p->j;
	const struct rank *r = &j->ranks[j->rank_of[j->in->flows[f].src]];

	for (uint32_t i = 0; i < r->n_out; i++)
		if (r->out[i] != f &&
		    p->facts.pair[r->out[i]] == p->facts.pair[f])
			return true;
	return false;
}

/* Phases whose shares of all data are known, |first| to |end|, and what a flow
 * sent in them: of what is cut, each may have lost another part. */
struct whole {
	size_t first, end, from, to;
};

static struct whole whole_of(const struct job *j, uint32_t f)
{
	return (struct whole) { j->skip ? 1 : 0,
				j->n_bursts - (j->keep ? 1 : 0),
				j->skip ? j->skip[f] : 0,
				j->keep ? j->keep[f] : j->in->flows[f].n };
}

static void starts_of_flow(struct path *p, uint32_t f, bool acks)
{
	const struct job *j = p->j;
	const struct phase_flow *g = &j->in->flows[f];
	uint32_t src = j->rank_of[g->src], dst = j->rank_of[g->dst];
	struct whole w = whole_of(j, f);
	struct share s = { .by_share = w.from, .by_time = w.from };
	double all = 0, before = 0, least = p->facts.message[f];

	/* Queue pairs in turn: one may have a message more. */
	if (!is_one_of_several(p, f))
		least *= HALF;
	for (size_t i = w.first; i < w.end; i++)
		all += p->carried[i];
	for (size_t k = w.from; k < w.to; k++)
		s.all += (double)g->a[k].bytes;
	for (size_t i = w.first; i < j->n_bursts && all > 0; i++) {
		double next = before + p->carried[i];
		bool touches = phase_touches(j, i);
		size_t k = first_of(g, &s, j->bursts[i].from, before / all,
				    touches ? 0 : least,
				    (touches ? 1 + AHEAD : AHEAD) *
					    (next - before) / all,
				    SAME_PLACE * p->facts.message[f]);
		size_t last = k, end = k;

		while (last && path_is_small(&p->facts, f, &g->a[last - 1]))
			last--;
		while (k < g->n && path_is_small(&p->facts, f, &g->a[k]))
			k++;
		if (last) {
			note_release(p, i, dst, g->a[last - 1].arrived, f,
				     last - 1);
			note_release(p, i, src,
				     own_release(g, last - 1, end, acks), f,
				     last - 1);
		}
		if (k < g->n && g->a[k].from <= j->bursts[i].to)
			note_start(p, i, f, k);
		before = next;
	}
}

bool path_self_starting(enum phase_pattern p)
{
	return p == PATTERN_RING || p == PATTERN_DOUBLE_RING ||
	       p == PATTERN_ALL_TO_ALL;
}

/* When a rank got word to begin a phase, |at| of |first|, behind |since|;
 * PHASE_UNKNOWN: it got none. */
static int64_t word_to_begin(const struct path *p, size_t at, int64_t since)
{
	const struct phase_flow *g = &p->j->in->flows[p->first_of[at]];
	struct event said;

	path_got_word(p, p->first_of[at],
		      search_below(struct phase_activity, g->a, g->n, from,
				   p->first[at]),
		      since, &said);
	return said.ns;
}

/* From the last that rank |r| got or began before phase |i| to the first that
 * it sends in it; PHASE_UNKNOWN: something came first, or nothing is known. */
static int64_t own_start(const struct path *p, size_t i, uint32_t r)
{
	const struct event *e = &p->release[i * p->j->n_ranks + r];
	int64_t first = p->first[i * p->j->n_ranks + r];
	const struct event *in;

	if (first == PHASE_UNKNOWN || e->ns == PHASE_UNKNOWN || e->ns > first)
		return PHASE_UNKNOWN;
	if (word_to_begin(p, i * p->j->n_ranks + r, e->ns) != PHASE_UNKNOWN)
		return PHASE_UNKNOWN;
	in = path_earliest(&p->in[r], p->j->bursts[i].from);
	if (in && in->ns <= e->ns)
		in = path_earliest(&p->in[r], e->ns + 1);
	/* Time stamps may be too coarse to tell which of the two was first; and
	 * what is repaired may have been there before it seemed to. */
	if (!path_self_starting(phase_pattern_of(p->j, i)) && in &&
	    (in->ns <= first || (p->repairs[i * p->j->n_ranks + r] > 0 &&
				 path_activity(p, in)->came < first)))
		return PHASE_UNKNOWN;
	return first - e->ns;
}

/* What is usual of one kind of phase; |v| has room for all. */
static double usual_bytes(const struct job *j, size_t kind, int64_t *v)
{
	size_t n = 0;

	for (size_t i = kind; i < j->n_bursts; i += path_kinds(j))
		v[n++] = (int64_t)j->bursts[i].bytes;
	return n ? (double)phase_median(v, n) : 0;
}

/* Where some ranks send what belongs to a phase before the others have ended
 * the one before, phases seem to carry more, or less, than they do: as much as
 * others of their kind, if those before it are nowhere off by more than a
 * message of each rank.  What the capture cuts has less.  |v| as above. */
static void find_carried(struct path *p, int64_t *v)
{
	const struct job *j = p->j;
	size_t kinds = path_kinds(j);
	double off = 0, message = 0;
	bool equal = true;

	for (uint32_t f = 0; f < j->in->n_flows; f++)
		message = fmax(message, p->facts.message[f]);
	for (size_t kind = 0; kind < kinds && kind < j->n_bursts; kind++) {
		double usual = usual_bytes(j, kind, v);

		for (size_t i = kind; i < j->n_bursts; i += kinds)
			p->carried[i] = j->bursts[i].cut
						? (double)j->bursts[i].bytes
						: usual;
	}
	for (size_t i = 0; i < j->n_bursts; i++) {
		off += (double)j->bursts[i].bytes - p->carried[i];
		equal &= fabs(off) <= j->n_ranks * message &&
			 (j->bursts[i].cut ||
			  fabs(off) <= SAME_PLACE * p->carried[i]);
	}
	for (size_t i = 0; !equal && i < j->n_bursts; i++)
		p->carried[i] = (double)j->bursts[i].bytes;
}

/* What a rank sent first in some phases of a kind before anything had come
 * waits for nothing in the others either, whatever has come until then. */
static void starts_alone(struct path *p, size_t kind, size_t lag, uint32_t r)
{
	size_t n = p->j->n_bursts, ranks = p->j->n_ranks, alone = 0;
	uint32_t flow = NO_RANK;

	for (size_t i = kind * ranks + r; i < n * ranks; i += lag * ranks) {
		if (p->starts[i] == PHASE_UNKNOWN ||
		    (alone && p->first_of[i] != flow))
			continue;
		flow = p->first_of[i];
		alone++;
	}
	if (alone < ALONE)
		return;
	for (size_t i = kind * ranks + r; i < n * ranks; i += lag * ranks)
		if (p->starts[i] == PHASE_UNKNOWN &&
		    p->first[i] != PHASE_UNKNOWN && p->first_of[i] == flow &&
		    p->release[i].ns != PHASE_UNKNOWN &&
		    p->release[i].ns <= p->first[i])
			p->starts[i] = p->first[i] - p->release[i].ns;
}

/* Phases of an iteration are kinds of their own. */
size_t path_kinds(const struct job *j)
{
	size_t n = j->row.iterations > 0
			   ? (size_t)((j->row.phases + j->row.iterations / 2) /
				      j->row.iterations)
			   : 1;

	return n ? n : 1;
}

/* How long the ranks of phase |i| took to begin, into |v|: where the links of
 * some are seen, these, as what another tap sees of the others came later.
 * Not of those that waited for their receiver longer than |most|. */
static size_t starts_of(const struct path *p, size_t i, int64_t most,
			int64_t *v)
{
	const struct job *j = p->j;
	bool any = false;
	size_t n = 0;

	for (uint32_t r = 0; r < j->n_ranks; r++)
		any |= j->in->hosts[j->ranks[r].host].link;
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		size_t at = i * j->n_ranks + r;

		if (p->starts[at] != PHASE_UNKNOWN &&
		    (p->starts[at] <= most || !p->awaited[at]) &&
		    (!any || j->in->hosts[j->ranks[r].host].link))
			v[n++] = p->starts[at];
	}
	return n;
}

/* What ranks take to begin phase |i|, if more than |middle|, which is usual:
 * all of them may have had more to do this time; of a few nobody knows.  Whose
 * receiver asked as late as that may have had no more to do, if any had not:
 * that the receiver is late counts once. */
static int64_t usual_start(struct path *p, size_t i, int64_t middle, int64_t *v)
{
	size_t n = starts_of(p, i, PHASE_FAR, v);

	p->in_step[i] = n >= SEVERAL;
	if (!p->in_step[i])
		return middle;
	sort_int64(v, n);
	if (v[0] <= middle + p->tolerance[i]) {
		n = starts_of(p, i, middle + p->tolerance[i], v);
		sort_int64(v, n);
	}
	return v[(n - 1) / 2] > middle ? v[(n - 1) / 2] : middle;
}

/* Of one kind of phase; |v| has room for all ranks of all phases. */
static void usual_of_kind(struct path *p, size_t kind, size_t lag, int64_t *v)
{
	const struct job *j = p->j;
	int64_t middle, below;
	size_t n = 0;

	for (size_t i = kind; i < j->n_bursts; i += lag)
		n += starts_of(p, i, PHASE_FAR, v + n);
	if (!n)
		return;
	sort_int64(v, n);
	middle = v[(n - 1) / 4];
	below = middle - v[(n - 1) / 8];
	for (size_t i = kind; i < j->n_bursts; i += lag) {
		p->tolerance[i] = phase_times(below, 6);
		if (p->tolerance[i] < (int64_t)(SAME * (double)middle))
			p->tolerance[i] = (int64_t)(SAME * (double)middle);
		p->middle[i] = middle;
		p->usual[i] = usual_start(p, i, middle, v);
	}
}

/* How long the silence before a phase of one kind usually is: what work needs
 * shows in the few phases that nothing made longer, if these are a sixth.  |v|
 * as above. */
static void usual_gap_of_kind(struct path *p, size_t kind, size_t lag,
			      int64_t *v)
{
	const struct burst *b = p->j->bursts;
	size_t n = 0;

	for (size_t i = kind ? kind : lag; i < p->j->n_bursts; i += lag)
		v[n++] = b[i].from - b[i - 1].to;
	if (!n)
		return;
	sort_int64(v, n);
	for (size_t i = kind; i < p->j->n_bursts; i += lag)
		p->gap[i] = v[(n - 1) / 6];
}

/* Does a phase begin behind |from|, by |to|? */
static bool begins_between(const struct job *j, int64_t from, int64_t to)
{
	size_t i = search_below(struct burst, j->bursts, j->n_bursts, from,
				from + 1);

	return i < j->n_bursts && j->bursts[i].from <= to;
}

/* How long it was from what came last to what was sent next, into |v|; |all|:
 * also where that began a phase. */
static size_t turns(const struct path *p, bool all, int64_t *v)
{
	const struct job *j = p->j;
	size_t n = 0;

	for (uint32_t r = 0; r < j->n_ranks; r++)
		for (size_t i = 0; i < p->in[r].n; i++) {
			int64_t ns = p->in[r].e[i].ns;
			const struct event *o =
				path_earliest(&p->out[r], ns + p->soonest);

			if (o &&
			    (i + 1 == p->in[r].n ||
			     p->in[r].e[i + 1].ns >= o->ns - p->soonest) &&
			    (all || !begins_between(j, ns, o->ns)))
				v[n++] = o->ns - ns;
		}
	return n;
}

/* From an arrival to what is sent next, where that is less than a phase.  Who
 * computes before a phase does not turn; but where that is all, nobody does,
 * and in an all-to-all nobody passes anything on. */
static bool usual_turn(struct path *p)
{
	const struct job *j = p->j;
	size_t n = 0, all = 0;
	int64_t *v;

	for (uint32_t r = 0; r < j->n_ranks; r++)
		all += p->in[r].n;
	v = calloc(all + 1, sizeof *v);
	if (!v)
		return false;
	if (j->row.iterations != PHASE_UNKNOWN &&
	    j->row.pattern != PATTERN_ALL_TO_ALL)
		n = turns(p, false, v);
	if (!n || n < j->n_bursts)
		n = turns(p, true, v);
	p->turn = n ? phase_median(v, n) : 0;
	p->quick = n ? 2 * (v[n / 10] > p->facts.grain ? v[n / 10]
						       : p->facts.grain) +
				   1
		     : 1;
	p->computes =
		p->facts.reacts ? COMPUTES * p->facts.reacts : QUICK * p->quick;
	free(v);
	return true;
}

/* ---- from what came to what is sent on ---- */

const struct event *path_came_last(const struct path *p, uint32_t f, int64_t ns)
{
	const struct job *j = p->j;
	const struct phase_flow *g = &j->in->flows[f];
	uint32_t r = j->rank_of[g->src], dst = j->rank_of[g->dst];
	const struct events *v = &p->in[r];
	size_t n = path_up_to(v, ns - p->soonest);
	uint32_t from;

	if (!n ||
	    (p->pattern != PATTERN_RING && p->pattern != PATTERN_DOUBLE_RING))
		return n ? &v->e[n - 1] : NULL;
	from = j->ranks[r].next == dst ? j->ranks[r].before : j->ranks[r].next;
	for (size_t i = n; i > 0 && n - i < BACK_MAX; i--)
		if (j->rank_of[j->in->flows[v->e[i - 1].flow].src] == from)
			return &v->e[i - 1];
	return &v->e[n - 1];
}

/* From what came last, or was coming, or was sent last in the same flow, to
 * activity |k|. */
static int64_t lag_of(const struct path *p, uint32_t f, size_t k)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	int64_t from = g->a[k].from, last = PHASE_UNKNOWN;
	uint32_t r = p->j->rank_of[g->src];
	const struct event *got = path_latest(&p->in[r], from - p->soonest);
	const struct event *coming = path_coming(p, r, from - p->soonest);

	if (got && path_activity(p, got)->from < from)
		last = got->ns;
	if (coming && path_activity(p, coming)->came > last)
		last = path_activity(p, coming)->came;
	if (k && g->a[k - 1].sent > last)
		last = g->a[k - 1].sent;
	return last == PHASE_UNKNOWN ? PHASE_UNKNOWN : from - last;
}

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->kind != y->kind)
		return (x->kind > y->kind) - (x->kind < y->kind);
	return (x->part > y->part) - (x->part < y->part);
}

static int by_lag(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* Places that are so close are one: a part of a message. */
static double one_place(const struct path *p, uint32_t f, double all)
{
	double n = p->j->n_bursts ? (double)p->j->n_bursts : 1;

	return SAME_PLACE * p->facts.message[f] * n / (all > 0 ? all : 1);
}

/* Where in its phase each activity of flow |f| lies whose lag is known. */
static size_t places(struct path *p, uint32_t f, size_t kinds, struct place *v,
		     double *near)
{
	const struct job *j = p->j;
	const struct phase_flow *g = &j->in->flows[f];
	int64_t *usual = p->lags + p->first_lag[f];
	double all = 0, bytes = 0, sum = 0, from = 0, to;
	struct whole w = whole_of(j, f);
	size_t i = w.first, n = 0;

	for (size_t b = i; b < w.end; b++)
		bytes += p->carried[b];
	for (size_t k = w.from; k < w.to; k++)
		all += (double)g->a[k].bytes;
	*near = one_place(p, f, all);
	if (i >= j->n_bursts || bytes <= 0 || all <= 0)
		return 0;
	to = p->carried[i] / bytes;
	for (size_t k = w.from; k < g->n; k++) {
		while (i + 1 < j->n_bursts &&
		       sum / all >= to - *near * (to - from)) {
			from = to;
			to += p->carried[++i] / bytes;
		}
		usual[k] = lag_of(p, f, k);
		if (usual[k] != PHASE_UNKNOWN)
			v[n++] = (struct place) { i % kinds, k,
						  (sum / all - from) /
							  (to - from),
						  usual[k] };
		sum += (double)g->a[k].bytes;
	}
	return n;
}

/* What it takes at the same place of undisturbed phases; |v| has room
 * for all. */
static void usual_lags(struct path *p, uint32_t f, size_t kinds,
		       struct place *v, int64_t *room)
{
	int64_t *usual = p->lags + p->first_lag[f];
	double near;
	size_t n = places(p, f, kinds, v, &near);

	qsort(v, n, sizeof *v, by_place);
	for (size_t a = 0, m; a < n; a += m) {
		for (m = 1; a + m < n && v[a + m].kind == v[a].kind &&
			    v[a + m].part - v[a + m - 1].part <= near;)
			m++;
		qsort(v + a, m, sizeof *v, by_lag);
		for (size_t b = 0; b < m; b++)
			usual[v[a + b].k] =
				m < PLACES ? p->turn : v[a + (m - 1) / 4].ns;
		path_find_steady(p, f, v + a, m, room);
	}
}

static bool usual_for_all(struct path *p)
{
	const struct phase_input *in = p->j->in;
	struct place *v = NULL;
	size_t all = 0, most = 0;
	int64_t *room;

	p->pattern = p->j->row.pattern;
	p->first_lag = calloc(in->n_flows + 1, sizeof *p->first_lag);
	for (size_t f = 0; p->first_lag && f < in->n_flows; f++) {
		p->first_lag[f] = all;
		all += in->flows[f].n;
		most = in->flows[f].n > most ? in->flows[f].n : most;
	}
	p->lags = calloc(all + 1, sizeof *p->lags);
	p->follows = calloc(all + 1, sizeof *p->follows);
	v = calloc(most + 1, sizeof *v);
	room = calloc(most + 1, sizeof *room);
	for (uint32_t f = 0; p->first_lag && p->lags && p->follows && v &&
			     room && f < in->n_flows;
	     f++)
		usual_lags(p, f, path_kinds(p->j), v, room);
	free(v);
	free(room);
	return v && room && p->first_lag && p->lags && p->follows &&
	       path_roles(p);
}

/* How far |n| > 0 sorted values are from their middle, without a few at both
 * ends. */
static int64_t mean_deviation(const int64_t *v, size_t n)
{
	int64_t middle = v[(n - 1) / 2], sum = 0;

	for (size_t i = n / EXTREMES; i < n - n / EXTREMES; i++)
		sum += v[i] > middle ? v[i] - middle : middle - v[i];
	return sum / (int64_t)n;
}

/* The shortest stretch that holds half of |n| > 0 sorted values: some ranks may
 * be late. */
static int64_t half_within(const int64_t *v, size_t n)
{
	size_t half = n / 2;
	int64_t least = v[half] - v[0];

	for (size_t i = 1; i + half < n; i++)
		if (v[i + half] - v[i] < least)
			least = v[i + half] - v[i];
	return least;
}

/* How far begins are apart: all of them, and the nearer half; and by how much
 * some are later than the middle, in sum. */
struct apart {
	int64_t mean, half, late;
};

/* Who waits for other rails was released by them.  |waits| has room for two
 * numbers for each rank, |ns| for one. */
static void release_over_rails(struct path *p, size_t i, int64_t *ns,
			       uint32_t *waits)
{
	const struct job *j = p->j;
	struct event *e = &p->release[i * j->n_ranks];
	const int64_t *first = &p->first[i * j->n_ranks];

	for (uint32_t r = 0; r < j->n_ranks; r++)
		ns[r] = e[r].ns;
	phase_over_rails(j, ns, waits + j->n_ranks, waits);
	/* From a rank that waits for nobody: |e| of that one is its own. */
	for (uint32_t r = 0; r < j->n_ranks; r++)
		if (waits[r] != r && first[r] != PHASE_UNKNOWN &&
		    ns[waits[r]] <= first[r])
			e[r] = e[waits[r]];
}

/* From what released each rank to its begin of each phase; |*known|: of so
 * many.  Returns how far these are apart, all kinds of phases together; |v| has
 * room for all. */
static struct apart starts_after(struct path *p, bool acks, int64_t *v,
				 size_t *known)
{
	const struct job *j = p->j;
	size_t n = j->n_bursts * j->n_ranks, lag = path_kinds(j);
	struct apart apart = { 0, 0, 0 };

	*known = 0;
	for (size_t i = 0; i < n; i++)
		p->release[i].ns = p->first[i] = PHASE_UNKNOWN;
	for (uint32_t f = 0; f < j->in->n_flows; f++)
		starts_of_flow(p, f, acks);
	for (size_t i = 0; j->row.rails > 1 && i < j->n_bursts; i++)
		release_over_rails(p, i, v, p->waits);
	for (size_t i = 0; i < n; i++)
		p->starts[i] = own_start(p, i / j->n_ranks,
					 (uint32_t)(i % j->n_ranks));
	for (size_t kind = 0; kind < lag; kind++)
		for (uint32_t r = 0; r < j->n_ranks; r++)
			starts_alone(p, kind, lag, r);
	for (size_t kind = 0; kind < lag && kind < j->n_bursts; kind++) {
		size_t m = 0;

		for (size_t i = kind; i < j->n_bursts; i += lag)
			m += starts_of(p, i, PHASE_FAR, v + m);
		if (!m)
			continue;
		sort_int64(v, m);
		apart.mean += mean_deviation(v, m);
		apart.half += half_within(v, m);
		for (size_t i = m / 2; i < m; i++)
			apart.late += v[i] - v[m / 2];
		*known += m;
	}
	return apart;
}

/* When all ranks were done with the phase before |i|; PHASE_UNKNOWN. */
static int64_t all_released(const struct path *p, size_t i)
{
	int64_t last = PHASE_UNKNOWN;

	for (uint32_t r = 0; r < p->j->n_ranks; r++)
		if (p->release[i * p->j->n_ranks + r].ns > last)
			last = p->release[i * p->j->n_ranks + r].ns;
	return last;
}

/* Do ranks begin as long behind their own part of the phase before as others
 * do, and not as long behind the last of all?  Most of them: some may be late.
 * Who gets nothing waits for what packets do not show.  |v| has room for two
 * numbers for each rank of each phase. */
static bool begin_alone(const struct path *p, int64_t *v)
{
	const struct job *j = p->j;
	int64_t *behind_all = v + j->n_bursts * j->n_ranks;
	int64_t own = 0, all = 0;

	for (size_t kind = 0; kind < path_kinds(j); kind++) {
		size_t n = 0;

		for (size_t i = kind ? kind : path_kinds(j); i < j->n_bursts;
		     i += path_kinds(j))
			for (uint32_t r = 0; r < j->n_ranks; r++) {
				size_t at = i * j->n_ranks + r;

				if (p->starts[at] == PHASE_UNKNOWN ||
				    !p->in[r].n)
					continue;
				v[n] = p->starts[at];
				behind_all[n++] =
					p->first[at] - all_released(p, i);
			}
		if (!n)
			continue;
		sort_int64(v, n);
		sort_int64(behind_all, n);
		own += half_within(v, n);
		all += half_within(behind_all, n);
	}
	return TWICE * (double)own < (double)(all - p->quick);
}

static bool far_less(const struct path *p, int64_t ns, int64_t than)
{
	return TWICE * (double)ns < (double)(than - p->facts.grain);
}

/* Some ranks begin a phase when they have got all, others when all that they
 * sent was acknowledged as well: what their begins follow more closely.  Where
 * that is the same for half of them, nobody is late for what an ACK explains.
 */
static void find_starts(struct path *p, int64_t *v)
{
	size_t known, with_acks;
	struct apart own = starts_after(p, false, v, &known);
	struct apart acks = starts_after(p, true, v, &with_acks);

	p->by_acks =
		(double)with_acks >= MOST * (double)known &&
		(far_less(p, acks.mean, own.mean) ||
		 far_less(p, acks.half, own.half) ||
		 (acks.half <= own.half && far_less(p, acks.late, own.late)));
	if (!p->by_acks)
		starts_after(p, false, v, &known);
	p->begin_alone = begin_alone(p, v);
}

static bool usual_starts(struct path *p)
{
	struct job *j = p->j;
	size_t n = j->n_bursts * j->n_ranks, lag = path_kinds(j);
	int64_t *v;

	p->release = calloc(n + 1, sizeof *p->release);
	p->first = calloc(n + 1, sizeof *p->first);
	p->first_of = calloc(n + 1, sizeof *p->first_of);
	p->starts = calloc(n + 1, sizeof *p->starts);
	p->awaited = calloc(n + 1, sizeof *p->awaited);
	p->usual = calloc(j->n_bursts + 1, sizeof *p->usual);
	p->tolerance = calloc(j->n_bursts + 1, sizeof *p->tolerance);
	p->middle = calloc(j->n_bursts + 1, sizeof *p->middle);
	p->gap = calloc(j->n_bursts + 1, sizeof *p->gap);
	p->carried = calloc(j->n_bursts + 1, sizeof *p->carried);
	p->in_step = calloc(j->n_bursts + 1, sizeof *p->in_step);
	v = calloc(2 * n + 1, sizeof *v);
	if (!p->release || !p->first || !p->first_of || !p->starts ||
	    !p->awaited || !p->usual || !p->tolerance || !p->middle ||
	    !p->gap || !p->carried || !p->in_step || !v) {
		free(v);
		return false;
	}
	find_carried(p, v);
	find_starts(p, v);
	for (size_t kind = 0; kind < lag && kind < j->n_bursts; kind++) {
		usual_of_kind(p, kind, lag, v);
		usual_gap_of_kind(p, kind, lag, v);
	}
	free(v);
	return true;
}

/* Nobody is late by more than it took longer than usual from what it was done
 * with, be that acknowledged, or from word it got; who begins whatever
 * comes, when it is done itself, is by just that, as far as its receiver had
 * asked. */
void path_forgive(const struct path *p, struct phase_rank_row *all)
{
	const struct job *j = p->j;

	for (size_t i = 0; i < j->n_bursts * j->n_ranks; i++) {
		int64_t over, said;

		if (all[i].residual_ns == PHASE_UNKNOWN ||
		    p->first[i] == PHASE_UNKNOWN)
			continue;
		said = word_to_begin(p, i, p->release[i].ns);
		if (said != PHASE_UNKNOWN &&
		    p->first[i] - said < all[i].residual_ns)
			all[i].residual_ns = p->first[i] - said;
		/* Who passes on, or asks for more then, takes a turn. */
		if (all[i].fed && path_in_time(p, p->turn, all[i].residual_ns))
			all[i].residual_ns = 0;
		if (p->starts[i] == PHASE_UNKNOWN)
			continue;
		over = p->starts[i] - p->usual[i / j->n_ranks];
		said = path_since_asked(p, i);
		over = said < over ? said : over;
		if (p->begin_alone &&
		    path_self_starting(phase_pattern_of(j, i / j->n_ranks)))
			all[i].residual_ns = over;
		else if (all[i].residual_ns > 0 && over < all[i].residual_ns)
			all[i].residual_ns = over > 0 ? over : 0;
	}
}

bool path_usual(struct path *p)
{
	if (!path_reacts(p) || !usual_turn(p) || !path_answers(p))
		return false;
	if (p->j->row.iterations == PHASE_UNKNOWN)
		return path_asks(p);
	path_note_repairs(p);
	return usual_starts(p) && usual_for_all(p) && path_ask_places(p) &&
	       path_ask_causes(p) && path_asks(p);
}
