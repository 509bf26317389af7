/* SPDX-License-Identifier: GPL-2.0-or-later
 * What stalled the operations that hosts recorded. */
#include "base/search.h"
#include "phase/path_int.h"

/* What came last to rank |r| up to the end, or was sent last. */
static bool last_of_rank(const struct path *p, uint32_t r, struct event *last)
{
	size_t i = path_up_to(&p->in[r], p->to);
	const struct event *in = i ? &p->in[r].e[i - 1] : NULL;
	const struct event *out = path_latest(&p->out[r], p->to - 1);

	/* It is still coming. */
	if (i < p->in[r].n && path_activity(p, &p->in[r].e[i])->from < p->to)
		in = &p->in[r].e[i];
	if (in)
		*last = *in;
	if (out && (!in || path_activity(p, out)->sent > in->ns)) {
		*last = *out;
		last->ns = path_activity(p, out)->sent;
	}
	if (last->ns > p->to)
		last->ns = p->to;
	return in || out;
}

/* The same, or of the last rank that it waits for on the other rails. */
static bool last_of_rails(const struct path *p, uint32_t r, struct event *last)
{
	const struct job *j = p->j;
	bool any = last_of_rank(p, r, last);

	if (!any || j->row.rails <= 1)
		return any;
	for (uint32_t i = 0; i < j->n_ranks; i++) {
		struct event e = { 0 };

		p->ends[i] = last_of_rank(p, i, &e) && e.ns > p->from
				     ? e.ns
				     : PHASE_UNKNOWN;
	}
	phase_over_rails(j, p->ends, p->waits + j->n_ranks, p->waits);
	return last_of_rank(p, p->waits[r], last);
}

/* The operation ended when the last was there, or later: as late as it has to
 * for its length. */
static void place_window(struct path *p, int64_t last, int64_t length)
{
	if (length < 0 || length >= p->to - p->from)
		return;
	p->to = last > p->from + length ? last : p->from + length;
	p->from = p->to - length;
}

/* What is known of ranks is known of the phase in which it ended. */
static size_t phase_at(const struct path *p, int64_t ns)
{
	const struct job *j = p->j;
	size_t i = search_below(struct burst, j->bursts, j->n_bursts, to, ns);

	return i < j->n_bursts || !i ? i : i - 1;
}

void path_window(struct path *p, const struct phase_window *w,
		 enum phase_pattern pattern, const struct phase_sink *s)
{
	uint32_t r = p->j->rank_of[w->host];
	struct event last = { 0 };

	p->start = NULL;
	p->late = SHARE_LATE;
	p->from = p->before = w->from;
	p->to = w->to;
	p->pattern = pattern;
	p->n_cells = 0;
	if (!last_of_rails(p, r, &last) || last.ns <= p->from)
		return;
	place_window(p, last.ns, w->length);
	p->phase = phase_at(p, last.ns);
	p->before = p->from;
	/* It had all, and had sent all: what is left is its own. */
	cells_give(p, last.flow, r, false, SHARE_IDLE, p->to - last.ns);
	path_follow(p, last);
	for (size_t i = 0; i < p->n_cells; i++) {
		const struct cell *c = &p->cells[i];
		struct phase_window_row row = {
			.window = w->id,
			.job = p->j->row.id,
			.flow = p->j->in->flows[c->flow].id,
			.rank = c->rank == NO_RANK ? PHASE_UNKNOWN : c->rank,
			.share = c->share,
			.time_ns = c->ns,
		};

		s->window(s->ctx, &row);
	}
}
