/* SPDX-License-Identifier: GPL-2.0-or-later
 * Silence without phases: work recurs, and takes about as long each time.  A
 * host that is frozen does not, and nobody can tell it from one that has more
 * to do this once. */
#include <stdlib.h>

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
	s->s[s->n++] = (struct silence) { flow, rank, to, ns };
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

/* |ns| of it were no work. */
static void no_work(struct path *p, const struct silence *one, int64_t ns)
{
	for (size_t i = 0; i < p->n_cells; i++) {
		struct cell *c = &p->cells[i];

		if (c->flow != one->flow || c->rank != one->rank ||
		    c->share != SHARE_IDLE || c->gap)
			continue;
		ns = ns < c->ns ? ns : c->ns;
		c->ns -= ns;
		cells_give(p, c->flow, c->rank, false, why(p, one), ns);
		return;
	}
}

/* How long work usually takes, of all times that are as long; |v| has room for
 * them.  0: too few of them to say so. */
static int64_t usual_work(const struct silences *s, int64_t *v)
{
	int64_t longest = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		longest = s->s[i].ns > longest ? s->s[i].ns : longest;
	for (size_t i = 0; i < s->n; i++)
		if ((double)s->s[i].ns >= LIKE_WORK * (double)longest)
			v[n++] = s->s[i].ns;
	return n >= RECURS ? phase_median(v, n) : 0;
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
	usual = usual_work(s, v);
	free(v);
	for (size_t i = 0; i < s->n; i++)
		if ((double)s->s[i].ns > TWICE * (double)usual)
			no_work(p, &s->s[i], s->s[i].ns - usual);
		else if (s->s[i].ns > usual)
			p->j->row.uneven_ns += s->s[i].ns - usual;
	return true;
}
