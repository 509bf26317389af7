/* SPDX-License-Identifier: GPL-2.0-or-later
 * Phases in which a straggler was late against those in which it was not.
 * What is usual in most phases is how the job works, unless the few others
 * show that it needs less. */
#include "phase/path_int.h"

enum {
	SEVERAL = 2, /* phases without lateness show what one needs */
	TIMES = 4,   /* in one phase a straggler may let others wait again */
};

/* Host time that a walk takes for needed where it is the same in most phases.
 */
static bool may_be_late(const struct cell *c)
{
	return !c->gap && (c->share == SHARE_COMPUTE ||
			   c->share == SHARE_TURN || c->share == SHARE_NEEDED);
}

static int64_t may_be_late_in(const struct settled *s, size_t phase)
{
	int64_t sum = s->back[phase][false];

	for (size_t i = s->begin[phase]; i < s->end[phase]; i++)
		if (may_be_late(&s->cells[i]))
			sum += s->cells[i].ns;
	return sum;
}

/* |ns| of the |of| in |phase| that may be it is due to |rank|, which was late;
 * from each its part. */
static void give(struct settled *s, size_t phase, uint32_t rank, int64_t ns,
		 int64_t of)
{
	double part = (double)ns / (double)of;
	int64_t less = (int64_t)((double)s->back[phase][false] * part);
	size_t end = s->end[phase];

	s->back[phase][false] -= less;
	s->late[phase] = (struct settled_late) { rank, less };
	for (size_t i = s->begin[phase]; i < end; i++) {
		if (!may_be_late(&s->cells[i]))
			continue;
		less = (int64_t)((double)s->cells[i].ns * part);
		s->cells[i].ns -= less;
		s->late[phase].ns += less;
	}
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
	for (size_t i = kind ? kind : kinds; n >= SEVERAL && i < s->phases;
	     i += kinds) {
		int64_t over = settle_sum(s, i, "needed") - most;
		int64_t of = may_be_late_in(s, i);

		/* What was repaired may have made it late, or longer. */
		if (late[i].rank == NO_RANK || j->bursts[i].cut ||
		    s->repaired[i] || !j->ranks[late[i].rank].straggler)
			continue;
		over = over < TIMES * late[i].late_ns ? over
						      : TIMES * late[i].late_ns;
		over = over < of ? over : of;
		if (over > 0)
			give(s, i, late[i].rank, over, of);
	}
}

void late_phases(struct settled *s, const struct job *j,
		 const struct lateness *late, size_t kinds)
{
	for (size_t kind = 0; kind < kinds; kind++)
		compare(s, j, late, kind, kinds);
}
