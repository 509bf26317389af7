/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stretches of data whose time stamps come in batches. */
#include "store/phase.h"

void phase_join_batches(struct phase_flow *g)
{
	size_t n = 0;

	for (size_t k = 1; g->near_step && k < g->n; k++) {
		const struct phase_activity *b = &g->a[k];
		struct phase_activity *a = &g->a[n], both = *b;

		if (!a->inside || !a->bytes || !b->bytes ||
		    b->from - a->sent > g->near_step) {
			g->a[++n] = *b;
			continue;
		}
		both.from = a->from;
		both.came = a->came;
		both.bytes += a->bytes;
		both.psns += a->psns;
		*a = both;
	}
	if (g->near_step && g->n)
		g->n = n + 1;
}
