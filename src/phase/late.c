/* SPDX-License-Identifier: GPL-2.0-or-later
 * Phases in which a straggler was late against those in which it was not.
 * What is usual in most phases is how the job works, unless the few others
 * show that it needs less.
 *
 * Who is late in all of them leaves none to compare with.  But where all ranks
 * do the same, and each waits for what every other sends, what it sends has to
 * go as far from its begin on as it would have had to from that of the others:
 * the phase is longer by all that it was late. */
#include <string.h>

#include "phase/path_int.h"

enum {
	SEVERAL = 2, /* phases without lateness show what one needs */
	TIMES = 4,   /* in one phase a straggler may let others wait again */
};

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

/* |ns| of the |of| in |phase| that may be it is due to |rank|, which was late;
 * from each its part. */
static void give(struct settled *s, size_t phase, uint32_t rank, int64_t ns,
		 int64_t of, bool all)
{
	double part = (double)ns / (double)of;
	int64_t less = (int64_t)((double)s->back[phase][false] * part);
	size_t end = s->end[phase];

	s->back[phase][false] -= less;
	s->late[phase].rank = rank;
	s->late[phase].ns = less;
	for (size_t i = s->begin[phase]; i < end; i++) {
		if (!may_be_late(&s->cells[i], all))
			continue;
		less = (int64_t)((double)s->cells[i].ns * part);
		s->cells[i].ns -= less;
		s->late[phase].ns += less;
	}
}

/* What phase |i| is known to have been longer by because ranks began late. */
static int64_t known_late(const struct settled *s, size_t i)
{
	int64_t sum = s->late[i].ns;

	for (size_t k = s->begin[i]; k < s->end[i]; k++)
		if (!strcmp(phase_share_classes[s->cells[k].share],
			    "host-late"))
			sum += s->cells[k].ns;
	return sum;
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
	return path_self_starting(phase_pattern_of(j, i))
		       ? late->late_ns - known_late(s, i)
		       : 0;
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
		bool all = n < SEVERAL &&
			   phase_pattern_of(j, i) != PATTERN_ALL_TO_ALL;
		int64_t over, of = may_be_late_in(s, i, all);

		/* What was repaired may have made it late, or longer. */
		if (late[i].rank == NO_RANK || j->bursts[i].cut ||
		    s->repaired[i] || !j->ranks[late[i].rank].straggler)
			continue;
		over = longer(s, j, i, &late[i], n, most);
		over = over < of ? over : of;
		s->late[i].always = n < SEVERAL;
		if (over > 0)
			give(s, i, late[i].rank, over, of, all);
	}
}

void late_phases(struct settled *s, const struct job *j,
		 const struct lateness *late, size_t kinds)
{
	for (size_t kind = 0; kind < kinds; kind++)
		compare(s, j, late, kind, kinds);
}
