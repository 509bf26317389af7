/* SPDX-License-Identifier: GPL-2.0-or-later
 * Silence without phases: work recurs, and takes about as long each time.  A
 * host that is frozen does not, and nobody can tell it from one that has more
 * to do this once. */
#include <stdlib.h>

#include "phase/path_int.h"

enum { RECURS = 3 }; /* so many times make something usual */

/* What is shorter than this part of the longest is a turn, and no work. */
static const double LIKE_WORK = 0.1;
static const double TWICE = 2;

struct silence {
	uint32_t flow, rank;
	int64_t ns;
};

void silence_note(struct silences *s, uint32_t flow, uint32_t rank, int64_t ns)
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
	s->s[s->n++] = (struct silence) { flow, rank, ns };
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

static void not_known(struct path *p, const struct silence *one, int64_t ns)
{
	for (size_t i = 0; i < p->n_cells; i++) {
		struct cell *c = &p->cells[i];

		if (c->flow != one->flow || c->rank != one->rank ||
		    c->share != SHARE_IDLE || c->gap)
			continue;
		ns = ns < c->ns ? ns : c->ns;
		c->ns -= ns;
		cells_give(p, c->flow, c->rank, false, SHARE_ALIKE, ns);
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
	if (!s->n || !both_ways(p->j))
		return true;
	v = calloc(s->n, sizeof *v);
	if (!v)
		return false;
	usual = usual_work(s, v);
	free(v);
	for (size_t i = 0; i < s->n; i++)
		if ((double)s->s[i].ns > TWICE * (double)usual)
			not_known(p, &s->s[i], s->s[i].ns - usual);
	return true;
}
