/* SPDX-License-Identifier: GPL-2.0-or-later
 * What word a rank got, a few bytes, just before it went on.
 *
 * A queue pair that carries data both ways may carry small messages as well:
 * who gets one and sends at once had waited for it, and was late by nothing.
 * What delayed it is up to what brought it: its sender, and its way. */
#include "base/search.h"
#include "phase/path_int.h"

enum {
	BACK_MAX = 256, /* flows that may have brought word */
	TELLS = 8,      /* activities of each that are looked at */
};

/* The last message of flow |f| that is too small for data and was there by
 * |ns|; it has no number behind |*k|.  False: there is none. */
static bool last_small(const struct path *p, uint32_t f, int64_t ns, size_t *k)
{
	const struct phase_flow *g = &p->j->in->flows[f];

	*k = search_below(struct phase_activity, g->a, g->n, from, ns);
	for (size_t n = 0; n<TELLS && * k> 0; n++) {
		const struct phase_activity *a = &g->a[--*k];

		if (a->there <= ns)
			return a->bytes && path_is_small(&p->facts, f, a);
	}
	return false;
}

bool path_got_word(const struct path *p, uint32_t f, size_t k, int64_t since,
		   struct event *said)
{
	const struct job *j = p->j;
	const struct phase_flow *g = &j->in->flows[f];
	const struct rank *r = &j->ranks[j->rank_of[g->src]];
	int64_t from = g->a[k].from;
	size_t i;

	said->ns = PHASE_UNKNOWN;
	/* What came before its first data was seen as that, if at all. */
	if (g->driven || path_is_small(&p->facts, f, &g->a[k]) ||
	    (k && phase_asked(g, k) == PHASE_UNKNOWN))
		return false;
	for (uint32_t n = 0; n < r->n_in && n < BACK_MAX; n++) {
		const struct phase_flow *o = &j->in->flows[r->in[n]];

		if (o->src != g->dst || !last_small(p, r->in[n], from, &i) ||
		    o->a[i].there <= since ||
		    o->a[i].there < from - p->answers ||
		    o->a[i].there <= said->ns)
			continue;
		*said = (struct event) { o->a[i].there, r->in[n], i };
	}
	return said->ns != PHASE_UNKNOWN;
}
