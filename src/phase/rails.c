/* SPDX-License-Identifier: GPL-2.0-or-later
 * What ranks of a job with rails wait for: those of their server on the other
 * rails.
 *
 * Where it is not known who is whose, it is one of them on each rail, so that
 * no rank goes on before the first of each other rail could. */
#include <stdlib.h>

#include "phase/phase_int.h"

static const uint32_t NONE = UINT32_MAX;

/* The later of |a| and |b|, ranks or NONE. */
static uint32_t later(const int64_t *ns, uint32_t a, uint32_t b)
{
	if (a == NONE || b == NONE)
		return a == NONE ? b : a;
	return ns[b] > ns[a] ? b : a;
}

/* The last of each server, where all are known. */
static void over_servers(const struct job *j, const int64_t *ns, uint32_t *last,
			 uint32_t *waits)
{
	for (uint32_t r = 0; r < j->n_ranks; r++)
		last[r] = NONE;
	for (uint32_t r = 0; r < j->n_ranks; r++)
		last[j->node[r]] = later(ns, last[j->node[r]], r);
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		uint32_t other = last[j->node[r]];

		waits[r] = ns[r] == PHASE_UNKNOWN || ns[other] <= ns[r] ? r
									: other;
	}
}

void phase_over_rails(const struct job *j, const int64_t *ns, uint32_t *first,
		      uint32_t *waits)
{
	uint32_t last = NONE, second = NONE;

	if (j->servers && j->row.rails > 1) {
		over_servers(j, ns, first, waits);
		return;
	}
	for (uint32_t q = 0; q < j->row.rails; q++)
		first[q] = NONE;
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		uint32_t *f = &first[j->part[r]];

		if (*f == NONE || ns[r] < ns[*f])
			*f = r;
	}
	for (uint32_t q = 0; q < j->row.rails; q++) {
		/* unknown is before all times */
		if (first[q] == NONE || ns[first[q]] == PHASE_UNKNOWN)
			continue;
		if (later(ns, first[q], last) == last && last != NONE) {
			second = later(ns, second, first[q]);
			continue;
		}
		second = last;
		last = first[q];
	}
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		bool own = last != NONE && j->part[last] == j->part[r];
		uint32_t other = own ? second : last;

		waits[r] = ns[r] == PHASE_UNKNOWN || other == NONE ||
					   ns[other] <= ns[r]
				   ? r
				   : other;
	}
}
