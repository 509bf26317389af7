/* SPDX-License-Identifier: GPL-2.0-or-later
 * Silence without phases: work recurs, and takes about as long each time.  A
 * host that is frozen does not, and nobody can tell it from one that has more
 * to do this once. */
#include <stdlib.h>

#include "phase/path_int.h"

enum { RECURS = 3 }; /* so many times make something usual */

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

bool silence_judge(struct path *p)
{
	const struct silences *s = &p->silences;
	int64_t *v, usual = 0;

	if (s->failed)
		return false;
	if (!s->n || !both_ways(p->j))
		return true;
	v = calloc(s->n, sizeof *v);
	if (!v)
		return false;
	for (size_t i = 0; i < s->n; i++)
		v[i] = s->s[i].ns;
	phase_median(v, s->n); /* sorts */
	if (s->n >= RECURS)
		usual = v[(s->n - 1) / 4];
	free(v);
	for (size_t i = 0; i < s->n; i++)
		if ((double)s->s[i].ns > TWICE * (double)usual)
			not_known(p, &s->s[i], s->s[i].ns - usual);
	return true;
}
