/* SPDX-License-Identifier: GPL-2.0-or-later
 * Whose lateness inside a phase is nobody's for sure. */
#include <string.h>

#include "phase/path_int.h"

static const double TWICE = 2;
/* Share of the lateness of a phase that the rank has that is to blame. */
static const double LATE_LEAST = 0.5, LATE_MOST = 0.9;

/* What of the lateness |c| may be due to a repair: not how late its rank began
 * while there was none of what it sent or waited for. */
static void doubt(struct path *p, struct cell *c)
{
	int64_t *alone = c->rank == NO_RANK ? NULL : &p->late_alone[c->rank];
	int64_t sure = alone && *alone < c->ns ? *alone : alone ? c->ns : 0;
	int64_t ns = c->ns - sure;

	if (alone)
		*alone -= sure;
	c->ns = sure;
	cells_give(p, c->flow, c->rank, false, SHARE_UNKNOWN, ns);
}

/* Lateness inside a phase that no rank stands out with says that what is
 * usual is not understood, and not that all hosts are late; beside a repair of
 * its own, or one that took as long, it may be what the repair brought: whoever
 * waits for an acknowledgement lets others wait in ways that packets do not
 * show. */
void path_doubt_late(struct path *p)
{
	size_t n = p->n_cells;
	double least = 2.0 / p->j->n_ranks;
	int64_t all = 0, most = 0, repair;

	least = least < LATE_LEAST  ? LATE_LEAST
		: least > LATE_MOST ? LATE_MOST
				    : least;
	for (size_t i = 0; i < n; i++) {
		const struct cell *c = &p->cells[i];

		if (c->share != SHARE_LATE || c->gap || c->rank == NO_RANK)
			continue;
		all += c->ns;
		p->late_of[c->rank] += c->ns;
		most = p->late_of[c->rank] > most ? p->late_of[c->rank] : most;
	}
	repair = all ? path_longest_repair(p) : 0;
	for (size_t i = 0; i < n; i++) {
		struct cell *c = &p->cells[i];
		bool mended =
			(c->rank != NO_RANK && path_repaired(p, c->rank)) ||
			(repair && (double)c->ns <= TWICE * (double)repair);

		if (c->share != SHARE_LATE || c->gap)
			continue;
		if (mended)
			doubt(p, c);
		if ((double)most < least * (double)all)
			c->share = SHARE_ALIKE;
	}
	memset(p->late_of, 0, p->j->n_ranks * sizeof *p->late_of);
	memset(p->late_alone, 0, p->j->n_ranks * sizeof *p->late_alone);
}
