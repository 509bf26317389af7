/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a phase ends with: from there the walk through it goes back. */
#include "base/search.h"
#include "phase/path_int.h"

/* Where some are in the next phase already, time does not tell: what arrived
 * last of what flows had to carry before it.  False: none are, or unknown. */
static bool last_of_share(const struct path *p, struct event *last)
{
	const struct job *j = p->j;
	bool any = false;

	if (!p->start || !phase_touches(j, p->phase + 1))
		return false;
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		const struct event *e =
			&p->release[(p->phase + 1) * j->n_ranks + r];
		const struct phase_activity *a;

		if (e->ns == PHASE_UNKNOWN)
			continue;
		a = path_activity(p, e);
		if (a->from >= p->to || a->arrived <= p->from ||
		    (any && a->arrived <= last->ns))
			continue;
		*last = *e;
		last->ns = a->arrived;
		any = true;
	}
	if (any && last->ns > p->to)
		last->ns = p->to;
	return any;
}

/* What was being sent when the phase began belongs to it, if it is over by its
 * end: is that what arrives last?  |any|: there is |*last| already. */
static bool sent_since_before(const struct path *p, bool any,
			      struct event *last)
{
	for (uint32_t f = 0; f < p->j->in->n_flows; f++) {
		const struct phase_flow *g = &p->j->in->flows[f];
		size_t k = search_below(struct phase_activity, g->a, g->n, from,
					p->from);
		const struct phase_activity *a = k ? &g->a[k - 1] : NULL;

		if (!a || a->sent <= p->from || a->sent > p->to ||
		    path_is_small(&p->facts, f, a) ||
		    (any && a->arrived <= last->ns))
			continue;
		*last = (struct event) { a->arrived, f, k - 1 };
		any = true;
	}
	return any;
}

bool path_ends(const struct path *p, struct event *last)
{
	bool any = false, over = false;

	if (last_of_share(p, last))
		return true;
	for (uint32_t r = 0; r < p->j->n_ranks; r++) {
		const struct events *v = &p->out[r];
		size_t i = path_up_to(v, p->from - 1);

		for (; i < v->n && v->e[i].ns < p->to; i++) {
			const struct phase_activity *a =
				path_activity(p, &v->e[i]);
			bool sent = a->sent <= p->to;

			if (any &&
			    (over == sent ? a->arrived <= last->ns : over))
				continue;
			*last = v->e[i];
			last->ns = a->arrived;
			over = sent;
			any = true;
		}
	}
	if (p->start)
		any = sent_since_before(p, any && over, last) || any;
	if (any && last->ns > p->to)
		last->ns = p->to;
	return any;
}
