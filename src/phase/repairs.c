/* SPDX-License-Identifier: GPL-2.0-or-later
 * What was lost and repaired of a job: in which phases, for how long, and who
 * went on behind it. */
#include "base/search.h"
#include "phase/path_int.h"

enum { AT_ONCE_NS = 8000 }; /* who has waited for room has sent by then */

/* A repair ended as long before something as is usual, within that part. */
static const double NOISE = 0.25;

/* The first phase that ends behind |ns|; n_bursts: none. */
static size_t first_ending(const struct job *j, int64_t ns)
{
	return search_below(struct burst, j->bursts, j->n_bursts, to, ns + 1);
}

/* The first phase that begins at |ns| or later; likewise. */
static size_t first_from(const struct job *j, int64_t ns)
{
	return search_below(struct burst, j->bursts, j->n_bursts, from, ns);
}

/* From the begin of a repair to its end, of rank |r|. */
static void note_repair(struct path *p, uint32_t r, size_t first, size_t end)
{
	p->repairs[first * p->j->n_ranks + r]++;
	p->repairs[end * p->j->n_ranks + r]--;
}

static bool is_repair(const struct phase_span *s)
{
	return s->class >= CLASS_ADAPTER && s->class <= CLASS_TIMER;
}

/* Flow |f| was repaired, or what asks for its data, by |n| spans. */
static void note_spans(struct path *p, size_t f, const struct phase_span *v,
		       size_t n)
{
	const struct job *j = p->j;

	for (const struct phase_span *e = v; e < v + n; e++) {
		size_t i = first_ending(j, e->from);
		size_t end = first_from(j, e->to);

		if (!is_repair(e))
			continue;
		end = end > i ? end : i;
		note_repair(p, j->rank_of[j->in->flows[f].src], i, end);
		note_repair(p, j->rank_of[j->in->flows[f].dst], i, end);
	}
}

/* Phases in which something was repaired that a rank sent or waited for. */
void path_note_repairs(struct path *p)
{
	const struct job *j = p->j;
	const struct path_facts *q = &p->facts;

	for (size_t f = 0; f < j->in->n_flows; f++) {
		const struct phase_flow *g = &j->in->flows[f];

		note_spans(p, f, q->spans + q->first[f],
			   q->first[f + 1] - q->first[f]);
		if (g->n_held)
			note_spans(p, f, g->held, g->n_held);
	}
	for (size_t i = j->n_ranks; i < j->n_bursts * j->n_ranks; i++)
		p->repairs[i] += p->repairs[i - j->n_ranks];
}

/* Is something repaired in this phase that rank |r| sent or waited for? */
bool path_repaired(const struct path *p, uint32_t r)
{
	return p->repairs[p->phase * p->j->n_ranks + r] > 0;
}

/* How long something was repaired in this phase, by |n| spans. */
static int64_t repaired_for(const struct path *p, const struct phase_span *v,
			    size_t n)
{
	int64_t sum = 0;

	for (size_t i = search_below(struct phase_span, v, n, to, p->from);
	     i < n && v[i].from < p->to; i++) {
		int64_t from = v[i].from > p->from ? v[i].from : p->from;
		int64_t to = v[i].to < p->to ? v[i].to : p->to;

		if (is_repair(&v[i]))
			sum += to - from;
	}
	return sum;
}

/* How long something of the job was repaired in this phase, at most. */
int64_t path_longest_repair(const struct path *p)
{
	const struct path_facts *q = &p->facts;
	int64_t most = 0;

	for (size_t f = 0; f < p->j->in->n_flows; f++) {
		const struct phase_flow *g = &p->j->in->flows[f];
		int64_t own = repaired_for(p, q->spans + q->first[f],
					   q->first[f + 1] - q->first[f]);
		int64_t asks =
			g->n_held ? repaired_for(p, g->held, g->n_held) : 0;

		own = asks > own ? asks : own;
		most = own > most ? own : most;
	}
	return most;
}

static bool any_repair(const struct phase_span *v, size_t n, int64_t from,
		       int64_t to)
{
	for (size_t i = search_below(struct phase_span, v, n, to, from);
	     i < n && v[i].from < to; i++)
		if (is_repair(&v[i]))
			return true;
	return false;
}

/* Was something repaired from |from| to |to| that rank |r| sent or waited
 * for? */
bool path_repaired_between(const struct path *p, uint32_t r, int64_t from,
			   int64_t to)
{
	const struct path_facts *q = &p->facts;
	const struct rank *me = &p->j->ranks[r];

	for (uint32_t i = 0; i < me->n_out + me->n_in; i++) {
		uint32_t f = i < me->n_out ? me->out[i] : me->in[i - me->n_out];
		const struct phase_flow *g = &p->j->in->flows[f];

		if (any_repair(q->spans + q->first[f],
			       q->first[f + 1] - q->first[f], from, to) ||
		    (g->n_held && any_repair(g->held, g->n_held, from, to)))
			return true;
	}
	return false;
}

/* From |at| on there is room again for what rank |r| sends: the last repair of
 * what it had sent took most of the time from |since| to |at|, and ended just
 * before that, |own|.  False: there is none. */
bool path_repaired_until(const struct path *p, uint32_t r, int64_t at,
			 int64_t since, struct event *own)
{
	const struct rank *me = &p->j->ranks[r];
	int64_t soonest =
		at - (p->computes > AT_ONCE_NS ? p->computes : AT_ONCE_NS);
	bool any = false;

	for (uint32_t i = 0; i < me->n_out; i++) {
		uint32_t f = me->out[i];
		const struct phase_flow *g = &p->j->in->flows[f];
		const struct phase_span *s = p->facts.spans + p->facts.first[f];
		size_t n = p->facts.first[f + 1] - p->facts.first[f];
		size_t k = search_below(struct phase_span, s, n, to, at + 1);
		int64_t over = k ? s[k - 1].to : 0, took = 0;

		if (!k || over <= soonest)
			continue;
		/* Spans of one repair follow each other. */
		for (; k && s[k - 1].to > since && is_repair(&s[k - 1]); k--)
			took += s[k - 1].to -
				(s[k - 1].from > since ? s[k - 1].from : since);
		n = search_below(struct phase_activity, g->a, g->n, from, over);
		if (!n || 2 * took < at - since)
			continue;
		soonest = over;
		*own = (struct event) { over, f, n - 1 };
		any = true;
	}
	return any;
}

/* The last repair of what rank |r| had sent that ended as long before |at| as
 * |usual|, behind |since|: |own|.  False: there is none. */
bool path_repaired_before(const struct path *p, uint32_t r, int64_t at,
			  int64_t since, int64_t usual, struct event *own)
{
	const struct rank *me = &p->j->ranks[r];
	int64_t soonest = at - (int64_t)((1 + NOISE) * (double)usual);
	int64_t latest = at - (int64_t)((1 - NOISE) * (double)usual);
	bool any = false;

	soonest = soonest > since ? soonest : since;
	for (uint32_t i = 0; i < me->n_out; i++) {
		uint32_t f = me->out[i];
		const struct phase_flow *g = &p->j->in->flows[f];
		const struct phase_span *s = p->facts.spans + p->facts.first[f];
		size_t n = p->facts.first[f + 1] - p->facts.first[f];
		size_t k =
			search_below(struct phase_span, s, n, to, latest + 1);

		if (!k || !is_repair(&s[k - 1]) || s[k - 1].to <= soonest)
			continue;
		n = search_below(struct phase_activity, g->a, g->n, from,
				 s[k - 1].to);
		if (!n)
			continue;
		soonest = s[k - 1].to;
		*own = (struct event) { soonest, f, n - 1 };
		any = true;
	}
	return any;
}
