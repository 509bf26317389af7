/* SPDX-License-Identifier: GPL-2.0-or-later
 * Idle times in the middle of what ranks do together.
 *
 * A rank that is late by more than the others compute lets all fall silent
 * when these have sent what they can.  That parts the data as evenly as the
 * ends of phases do, but for the first piece and the last, which are one
 * together: in the first all began but that rank, and each of the others goes
 * on only when something has come to it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "phase/phase_int.h"

enum { PIECES = 5 };

static const double SAME = 0.05, MOST = 0.75;

/* When each host first sent and got data in a piece. */
struct begins {
	int64_t *sent, *came;
	size_t *cursor; /* by flow */
};

static void take_first(int64_t *of, int64_t ns)
{
	if (*of == PHASE_UNKNOWN || ns < *of)
		*of = ns;
}

/* The piece ends where the next one begins, at |to|; all before are over. */
static void look(const struct phase_input *in, int64_t to, struct begins *b)
{
	for (size_t h = 0; h < in->n_hosts; h++)
		b->sent[h] = b->came[h] = PHASE_UNKNOWN;
	for (size_t f = 0; f < in->n_flows; f++) {
		const struct phase_flow *g = &in->flows[f];

		for (; b->cursor[f] < g->n && g->a[b->cursor[f]].from < to;
		     b->cursor[f]++) {
			const struct phase_activity *a = &g->a[b->cursor[f]];

			take_first(&b->sent[g->src], a->from);
			take_first(&b->came[g->dst], a->came);
		}
	}
}

/* The only host that began by itself, if all others that sent had got
 * something before; NO_RANK: there are several. */
static uint32_t only_begin(const struct phase_input *in, const struct begins *b)
{
	uint32_t only = NO_RANK;

	for (uint32_t h = 0; h < in->n_hosts; h++) {
		if (b->sent[h] == PHASE_UNKNOWN ||
		    (b->came[h] != PHASE_UNKNOWN && b->came[h] <= b->sent[h]))
			continue;
		if (only != NO_RANK)
			return NO_RANK;
		only = h;
	}
	return only;
}

/* Have all hosts sent but |late|? */
static bool all_but(const struct job *j, const struct begins *b, uint32_t late)
{
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		uint32_t h = j->ranks[r].host;

		if (j->ranks[r].n_out &&
		    (b->sent[h] != PHASE_UNKNOWN) == (h == late))
			return false;
	}
	return true;
}

static bool one_together(const double *bytes, size_t n)
{
	double whole = 0, ends = bytes[0] + bytes[n - 1];

	for (size_t i = 1; i + 1 < n; i++)
		whole += bytes[i] / (double)(n - 2);
	return fabs(ends - whole) <= SAME * whole && bytes[0] > SAME * whole &&
	       bytes[n - 1] > SAME * whole;
}

/* Do most pieces but the first begin with the same host? */
static bool one_begins(const struct job *j, const int64_t *from, size_t n,
		       struct begins *b)
{
	uint32_t late = NO_RANK;
	size_t times = 0;

	look(j->in, from[1], b);
	for (uint32_t r = 0; r < j->n_ranks; r++)
		if (j->ranks[r].n_out &&
		    b->sent[j->ranks[r].host] == PHASE_UNKNOWN)
			late = j->ranks[r].host;
	if (late == NO_RANK || !all_but(j, b, late))
		return false;
	for (size_t i = 1; i < n; i++) {
		look(j->in, i + 1 < n ? from[i + 1] : INT64_MAX, b);
		times += only_begin(j->in, b) == late;
	}
	return (double)times >= MOST * (double)(n - 1);
}

bool phase_in_the_middle(const struct job *j, const int64_t *from,
			 const double *bytes, size_t n)
{
	struct begins b = {
		.sent = calloc(2 * j->in->n_hosts + 1, sizeof *b.sent),
		.cursor = calloc(j->in->n_flows + 1, sizeof *b.cursor)
	};
	bool is = false;

	b.came = b.sent ? b.sent + j->in->n_hosts : NULL;
	if (b.sent && b.cursor && n > PIECES && one_together(bytes, n))
		is = one_begins(j, from, n, &b);
	free(b.sent);
	free(b.cursor);
	return is;
}
