/* SPDX-License-Identifier: GPL-2.0-or-later
 * Phases in which a straggler was late against those in which it was not.
 * What is usual in most phases is how the job works, unless the few others
 * show that it needs less.
 *
 * Who is late in all of them leaves none to compare with.  But where all ranks
 * do the same, and each waits for what every other sends, what it sends has to
 * go as far from its begin on as it would have had to from that of the others:
 * the phase is longer by all that it was late. */
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "phase/path_int.h"

enum {
	SEVERAL = 2, /* phases without lateness show what one needs */
	TIMES = 4,   /* in one phase a straggler may let others wait again */
};

/* Ranks that send, or get, as much but for this part have the same to do. */
static const double UNLIKE = 0.1;

/* Host time that a walk takes for needed where it is the same in most phases.
 * Where it is so in |all|, the walk may lead along any other way: round a ring,
 * but not where others have as much to send meanwhile. */
static bool may_be_late(const struct cell *c, bool all)
{
	return !c->gap &&
	       (c->share == SHARE_COMPUTE || c->share == SHARE_TURN ||
		c->share == SHARE_NEEDED || (all && path_is_needed(c->share)));
}

static int64_t may_be_late_in(const struct settled *s, size_t phase, bool all)
{
	int64_t sum = s->back[phase][false];

	for (size_t i = s->begin[phase]; i < s->end[phase]; i++)
		if (may_be_late(&s->cells[i], all))
			sum += s->cells[i].ns;
	return sum;
}

/* |ns| of the |of| in |phase| that may be it is due to a rank that was late,
 * |to|; from each its part. */
static void give(struct settled *s, size_t phase, struct settled_late *to,
		 int64_t ns, int64_t of, bool all)
{
	double part = (double)ns / (double)of;
	int64_t less = (int64_t)((double)s->back[phase][false] * part);
	size_t end = s->end[phase];

	s->back[phase][false] -= less;
	to->ns += less;
	for (size_t i = s->begin[phase]; i < end; i++) {
		if (!may_be_late(&s->cells[i], all))
			continue;
		less = (int64_t)((double)s->cells[i].ns * part);
		s->cells[i].ns -= less;
		to->ns += less;
	}
}

/* What phase |i| is known to have been longer by because of hosts: who is late
 * asks late as well. */
static int64_t known_late(const struct settled *s, size_t i)
{
	int64_t sum = s->late[i].ns;

	for (size_t k = s->begin[i]; k < s->end[i]; k++)
		if (!strcmp(phase_share_sides[s->cells[k].share], "host"))
			sum += s->cells[k].ns;
	return sum;
}

/* Does every rank send, and get, as much as any other? */
static bool all_alike(const struct job *j)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (uint32_t r = 0; r < j->n_ranks; r++) {
		const struct rank *k = &j->ranks[r];

		least = k->bytes_out < least ? k->bytes_out : least;
		least = k->bytes_in < least ? k->bytes_in : least;
		most = k->bytes_out > most ? k->bytes_out : most;
		most = k->bytes_in > most ? k->bytes_in : most;
	}
	return (double)most <= (1 + UNLIKE) * (double)least;
}

/* Does each rank wait for what every other sends in phase |i|? */
static bool all_for_all(const struct job *j, size_t i)
{
	enum phase_pattern p = phase_pattern_of(j, i);

	return path_self_starting(p) || p == PATTERN_TREE ||
	       (p == PATTERN_NONE && all_alike(j));
}

/* For how long nothing of the job was under way from |from| to |to|: others may
 * have had as long a way to go, as leaves of a tree that are nearer to its root
 * or farther. */
static int64_t silent_in(const struct job *j, int64_t from, int64_t to)
{
	int64_t silent = 0;

	while (from < to) {
		int64_t next = to, over = from;

		for (size_t f = 0; f < j->in->n_flows; f++) {
			const struct phase_flow *g = &j->in->flows[f];
			size_t k = search_below(struct phase_activity, g->a,
						g->n, from, from + 1);

			if (k && g->a[k - 1].over > over)
				over = g->a[k - 1].over;
			if (k < g->n && g->a[k].from < next)
				next = g->a[k].from;
		}
		if (over == from) {
			silent += next - from;
			over = next;
		}
		from = over;
	}
	return silent;
}

/* How much longer phase |i| was than |most|, or, with nothing to compare with,
 * than if all had begun in step. */
static int64_t longer(const struct settled *s, const struct job *j, size_t i,
		      const struct lateness *late, size_t n, int64_t most)
{
	int64_t over;

	if (n >= SEVERAL) {
		over = settle_sum(s, i, "needed") - most;
		return over < TIMES * late->late_ns ? over
						    : TIMES * late->late_ns;
	}
	if (!all_for_all(j, i))
		return 0;
	over = phase_pattern_of(j, i) == PATTERN_TREE
		       ? silent_in(j, late->at - late->late_ns, late->at)
		       : late->late_ns;
	return over - known_late(s, i);
}

/* Phases |kind| of each iteration. */
static void compare(struct settled *s, const struct job *j,
		    const struct lateness *late, size_t kind, size_t kinds)
{
	int64_t most = 0;
	size_t n = 0;

	/* The first has no silence before it. */
	for (size_t i = kind ? kind : kinds; i < s->phases; i += kinds) {
		int64_t needed = settle_sum(s, i, "needed");

		if (late[i].rank != NO_RANK || j->bursts[i].cut)
			continue;
		most = needed > most ? needed : most;
		n++;
	}
	for (size_t i = kind ? kind : kinds; i < s->phases; i += kinds) {
		enum phase_pattern p = phase_pattern_of(j, i);
		bool all = n < SEVERAL &&
			   (p == PATTERN_RING || p == PATTERN_DOUBLE_RING);
		int64_t over, of = may_be_late_in(s, i, all);

		/* What was repaired may have made it late, or longer. */
		if (late[i].rank == NO_RANK || j->bursts[i].cut ||
		    s->repaired[i] || !j->ranks[late[i].rank].straggler)
			continue;
		over = longer(s, j, i, &late[i], n, most);
		over = over < of ? over : of;
		s->late[i].rank = late[i].rank;
		s->late[i].always = n < SEVERAL;
		if (over > 0)
			give(s, i, &s->late[i], over, of, all);
	}
}

void late_phases(struct settled *s, const struct job *j,
		 const struct lateness *late, size_t kinds)
{
	for (size_t kind = 0; kind < kinds; kind++)
		compare(s, j, late, kind, kinds);
}

/* How much longer rank |rank| computed in phase |i| than any other. */
static int64_t computes_longer(const struct settled *s, const struct job *j,
			       size_t i, uint32_t rank, int64_t *by_rank)
{
	int64_t most = 0;

	for (uint32_t r = 0; r < j->n_ranks; r++)
		by_rank[r] = 0;
	for (size_t k = s->begin[i]; k < s->end[i]; k++) {
		const struct cell *c = &s->cells[k];

		if (!c->gap && c->share == SHARE_COMPUTE && c->rank != NO_RANK)
			by_rank[c->rank] += c->ns;
	}
	for (uint32_t r = 0; r < j->n_ranks; r++)
		if (r != rank && by_rank[r] > most)
			most = by_rank[r];
	return by_rank[rank] - most;
}

/* How long rank |rank| takes to send |bytes|, which nothing makes shorter. */
static int64_t sending(const struct job *j, uint32_t rank, double bytes)
{
	double link = phase_link(j, j->ranks[rank].host);

	return link > 0 ? (int64_t)(8e9 * bytes / link) : 0;
}

bool late_to_pass(struct settled *s, const struct job *j,
		  const struct slow_to_pass *slow)
{
	int64_t *v = calloc(j->n_ranks + 1, sizeof *v);

	for (size_t i = 0; v && i < s->phases; i++) {
		double bytes = (double)j->bursts[i].bytes / j->n_ranks;
		int64_t of = may_be_late_in(s, i, true), over, longer;

		if (phase_pattern_of(j, i) != PATTERN_RING || s->repaired[i])
			continue;
		/* What goes round passes each rank so often. */
		over = (int64_t)((double)slow->by * bytes / slow->bytes /
				 j->n_ranks);
		/* So slow it was not: the phase would have been longer. */
		if (over > of - sending(j, slow->rank, bytes))
			continue;
		over -= known_late(s, i) - s->late[i].ns +
			settle_sum(s, i, "network");
		longer = computes_longer(s, j, i, slow->rank, v);
		over = longer > over ? longer : over;
		over = over < of ? over : of;
		s->later[i].rank = slow->rank;
		if (over > 0)
			give(s, i, &s->later[i], over, of, true);
	}
	free(v);
	return v;
}
