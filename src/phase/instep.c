/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ranks that compute in step in the middle of a phase.
 *
 * Where data is exchanged while ranks compute, a phase has idle times of its
 * own, behind which each of a ring or an all-to-all begins whatever has come.
 * Who begins there was silent as long as the others were, and is late by what
 * he begins behind them. */
#include "phase/path_int.h"

enum {
	LEAST = 2,       /* others that began as well */
	OTHERS_MAX = 64, /* that are looked at */
};

/* Did rank |r| begin something near |to|, having done nothing for most of the
 * time since |from|?  PHASE_UNKNOWN: it did not. */
static int64_t began(const struct path *p, uint32_t r, int64_t from, int64_t to)
{
	int64_t half = (to - from) / 2;
	const struct event *e = path_earliest(&p->out[r], from + half);
	struct event in;

	/* Who begins the next phase may have waited for |r| to end this one. */
	if (!e || e->ns > to + half || e->ns >= p->to ||
	    (path_idle_before(p, r, e->ns, &in) && in.ns > from + half))
		return PHASE_UNKNOWN;
	return e->ns;
}

int64_t path_began_in_step(const struct path *p, uint32_t r, int64_t from,
			   int64_t to)
{
	int64_t v[OTHERS_MAX];
	uint32_t ranks = p->j->n_ranks;
	size_t n = 0, seen = 0;

	if (!p->start || !path_self_starting(p->pattern))
		return PHASE_UNKNOWN;
	for (uint32_t o = 0; o < ranks && seen < OTHERS_MAX; o++) {
		if (o == r)
			continue;
		v[n] = began(p, o, from, to);
		n += v[n] != PHASE_UNKNOWN;
		seen++;
	}
	return n >= LEAST && 2 * n >= seen ? phase_median(v, n) : PHASE_UNKNOWN;
}
