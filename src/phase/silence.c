/* SPDX-License-Identifier: GPL-2.0-or-later
 * Silence without phases: work recurs, and takes about as long each time.  A
 * host that is frozen does not, and nobody can tell it from one that has more
 * to do this once. */
#include <stdlib.h>

#include "base/search.h"
#include "phase/path_int.h"

enum {
	RECURS = 3,      /* so many times make something usual */
	FLOWS_MAX = 256, /* of a rank, that are looked at */
};

/* What is shorter than this part of the longest is a turn, and no work. */
static const double LIKE_WORK = 0.1;
static const double TWICE = 2, ALL_THE_WHILE = 0.9;

struct silence {
	uint32_t flow, rank;
	int64_t to, ns;
	int64_t waited; /* of it, for a retransmission ... */
	enum phase_share wait;
};

void silence_note(struct silences *s, uint32_t flow, uint32_t rank, int64_t to,
		  int64_t ns)
{
	struct silence *more;

	if (ns <= 0 || s->failed)
		return;
	if (s->n == s->room) {
		more = realloc(s->s, (2 * s->room + 64) * sizeof *more);
		s->failed = !more;
		if (!more)
			return;
		s->s = more;
		s->room = 2 * s->room + 64;
	}
	s->s[s->n++] = (struct silence) {
		.flow = flow, .rank = rank, .to = to, .ns = ns
	};
}

/* Does any host of the job both send and receive?  Only then one waits for
 * another. */
static bool both_ways(const struct job *j)
{
	for (uint32_t r = 0; r < j->n_ranks; r++)
		if (j->ranks[r].bytes_out && j->ranks[r].bytes_in)
			return true;
	return false;
}

/* What one of |n| flows is known to have spent most of |one| on; IDLE: nothing.
 */
static enum phase_share known_of(const struct path *p,
				 const struct silence *one,
				 const uint32_t *flows, uint32_t n)
{
	n = n < FLOWS_MAX ? n : FLOWS_MAX;
	for (uint32_t i = 0; i < n; i++) {
		struct path_time t = { { 0 } };

		piece_rest(&p->facts, flows[i], one->to - one->ns, one->to,
			   SHARE_IDLE, &t);
		for (unsigned s = 0; s < SHARE_COUNT; s++)
			if (s != SHARE_IDLE &&
			    (double)t.ns[s] >= ALL_THE_WHILE * (double)one->ns)
				return s;
	}
	return SHARE_IDLE;
}

/* Who is silent while something that it sent or is sent is repaired, and
 * nothing else goes on, waits for that; else nobody knows. */
static enum phase_share why(const struct path *p, const struct silence *one)
{
	const struct rank *r = &p->j->ranks[one->rank];
	enum phase_share s = known_of(p, one, r->out, r->n_out);

	if (s == SHARE_IDLE)
		s = known_of(p, one, r->in, r->n_in);
	return s == SHARE_IDLE ? SHARE_ALIKE : s;
}

/* When the job sent or got its last data before |ns|. */
static int64_t last_before(const struct phase_input *in, int64_t ns)
{
	int64_t last = PHASE_UNKNOWN;

	for (size_t f = 0; f < in->n_flows; f++) {
		const struct phase_flow *g = &in->flows[f];
		size_t k = search_below(struct phase_activity, g->a, g->n, from,
					ns);
		int64_t end;

		if (!k)
			continue;
		end = g->a[k - 1].there > g->a[k - 1].sent ? g->a[k - 1].there
							   : g->a[k - 1].sent;
		last = end > last ? end : last;
	}
	return last;
}

/* Of |n| repairs of flow |f| those that ended in the silence: for how long the
 * rank waited for them, or nothing of the job moved. */
static void note_wait(const struct path *p, uint32_t f,
		      const struct phase_span *v, size_t n, struct silence *one)
{
	int64_t begin = one->to - one->ns, sum = 0;
	struct path_time t = { { 0 } };
	enum phase_share most = SHARE_UNKNOWN;
	const struct phase_flow *g = &p->j->in->flows[f];
	bool own = p->j->rank_of[g->src] == one->rank ||
		   p->j->rank_of[g->dst] == one->rank;

	for (size_t k = search_below(struct phase_span, v, n, to, begin + 1);
	     k < n && v[k].to <= one->to; k++) {
		int64_t last = own ? begin : last_before(p->j->in, v[k].to);

		last = last > begin ? last : begin;
		last = last > v[k].from ? last : v[k].from;
		if (last < v[k].to)
			piece_held(&p->facts, f, last, v[k].to, &t);
	}
	t.ns[SHARE_UNKNOWN] = 0;
	for (unsigned s = 0; s < SHARE_COUNT; s++) {
		sum += t.ns[s];
		most = t.ns[s] > t.ns[most] ? s : most;
	}
	if (sum > one->waited && t.ns[most]) {
		one->waited = sum < one->ns ? sum : one->ns;
		one->wait = most;
	}
}

/* Nothing of the job moves, and what goes on first is a retransmission: that
 * silence belongs to it, and what is left until the rank itself goes on is its
 * work. */
static void find_wait(const struct path *p, struct silence *one)
{
	const struct path_facts *q = &p->facts;

	for (uint32_t f = 0; f < p->j->in->n_flows; f++) {
		const struct phase_flow *g = &p->j->in->flows[f];

		note_wait(p, f, q->spans + q->first[f],
			  q->first[f + 1] - q->first[f], one);
		if (g->n_held)
			note_wait(p, f, g->held, g->n_held, one);
	}
}

/* |ns| of it were no work, but |s|. */
static void no_work(struct path *p, const struct silence *one, int64_t ns,
		    enum phase_share s)
{
	for (size_t i = 0; i < p->n_cells && ns > 0; i++) {
		struct cell *c = &p->cells[i];

		if (c->flow != one->flow || c->rank != one->rank ||
		    c->share != SHARE_IDLE || c->gap)
			continue;
		ns = ns < c->ns ? ns : c->ns;
		c->ns -= ns;
		cells_give(p, c->flow, c->rank, false, s, ns);
		return;
	}
}

static int64_t work_of(const struct silence *one)
{
	return one->ns - one->waited;
}

/* How long work usually takes, of all times that are as long; |v| has room for
 * them.  0: too few of them to say so. */
static int64_t usual_work(const struct silences *s, int64_t *v)
{
	int64_t longest = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		longest = work_of(&s->s[i]) > longest ? work_of(&s->s[i])
						      : longest;
	for (size_t i = 0; i < s->n; i++)
		if ((double)work_of(&s->s[i]) >= LIKE_WORK * (double)longest)
			v[n++] = work_of(&s->s[i]);
	return n >= RECURS ? phase_median(v, n) : 0;
}

/* Who did not go on soon, as long as work usually takes, waited for more. */
static void judge(struct path *p, struct silence *one, int64_t usual)
{
	if ((double)work_of(one) > TWICE * (double)usual)
		one->waited = 0;
	no_work(p, one, one->waited, one->wait);
	if ((double)work_of(one) > TWICE * (double)usual)
		no_work(p, one, work_of(one) - usual, why(p, one));
	else if (work_of(one) > usual)
		p->j->row.uneven_ns += work_of(one) - usual;
}

bool silence_judge(struct path *p)
{
	const struct silences *s = &p->silences;
	int64_t *v, usual;

	if (s->failed)
		return false;
	if (!both_ways(p->j))
		return true;
	p->j->row.uneven_ns = 0;
	if (!s->n)
		return true;
	v = calloc(s->n, sizeof *v);
	if (!v)
		return false;
	for (size_t i = 0; i < s->n; i++)
		find_wait(p, &s->s[i]);
	usual = usual_work(s, v);
	free(v);
	for (size_t i = 0; i < s->n; i++)
		judge(p, &s->s[i], usual);
	return true;
}
