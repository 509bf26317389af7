/* SPDX-License-Identifier: GPL-2.0-or-later
 * When a job as a whole was stalled until one of its flows went on: what that
 * flow waited for, all waited for, be their links captured or not. */
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "phase/path_int.h"

/* The wait of a flow is that of the job where it begins and ends with it, but
 * for this part of the silence: what came in between, and what is retransmitted
 * behind it. */
static const double NEAR = 0.25;

static int by_begin(const void *a, const void *b)
{
	const struct still *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/* Known to be the doing of one side. */
static bool is_known(enum phase_class c)
{
	return c == CLASS_PAUSED_HOST || c == CLASS_PAUSED_NET ||
	       c == CLASS_DETECTION || c == CLASS_TIMEOUT ||
	       c == CLASS_REPLAY || c == CLASS_TRIMMED || c == CLASS_ACKS ||
	       c == CLASS_RNR_WAIT;
}

static bool any_known(const struct phase_span *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_known(v[i].class))
			return true;
	return false;
}

/* When no flow had anything new under way, in order, into |v|, which has room
 * for all activities: behind the last, up to what is retransmitted last.
 * Returns how often. */
static size_t silences(const struct phase_input *in, struct still *v)
{
	struct still last = { .from = PHASE_UNKNOWN };
	int64_t over = PHASE_UNKNOWN;
	size_t n = 0, gaps = 0;

	for (size_t f = 0; f < in->n_flows; f++)
		for (size_t k = 0; k < in->flows[f].n; k++) {
			const struct phase_activity *a = &in->flows[f].a[k];
			struct still s = { .from = a->from,
					   .to = in->flows[f].far ? a->there
								  : a->sent,
					   .next = (uint32_t)f };

			if (a->bytes || a->psns)
				v[n++] = s;
			else if (s.from > last.from)
				last = s;
		}
	qsort(v, n, sizeof *v, by_begin);
	if (last.from != PHASE_UNKNOWN && n && last.from > v[n - 1].from)
		v[n++] = last;
	for (size_t i = 0; i < n; i++) {
		struct still s = v[i];

		if (over != PHASE_UNKNOWN && s.from > over)
			v[gaps++] = (struct still) { .from = over,
						     .to = s.from,
						     .next = s.next,
						     .flow = NO_RANK };
		over = over == PHASE_UNKNOWN || s.to > over ? s.to : over;
	}
	return gaps;
}

/* Did flow |f| wait for |s| while the job was silent for |v|?  Its sender may
 * compute behind that, if it is the first that goes on: only then all waited
 * for an ACK. */
static bool is_wait(const struct phase_input *in, const struct still *v,
		    uint32_t f, const struct phase_span *s)
{
	int64_t near = (int64_t)(NEAR * (double)(v->to - v->from));
	bool goes_on = in->flows[f].src == in->flows[v->next].src;

	if (s->class == CLASS_ACKS && !goes_on)
		return false;
	return s->from <= v->from + near && s->to <= v->to + near &&
	       s->to >= v->to - (goes_on ? 2 * near : near);
}

/* Flow |f| waited for |s|: was that while the job was silent for |v|? */
static void explain(const struct phase_input *in, struct still *v, uint32_t f,
		    const struct phase_span *s)
{
	enum phase_share share = piece_share(s->class);

	if (!is_wait(in, v, f, s))
		return;
	if (v->flow == NO_RANK) {
		v->flow = f;
		v->share = share;
	} else if (strcmp(phase_share_sides[v->share],
			  phase_share_sides[share])) {
		v->mixed = true;
	} else if (share < v->share) {
		v->flow = f;
		v->share = share;
	}
}

/* Spans that follow each other at once, as several timeouts in a row do, are
 * one wait: so many of |n|. */
static size_t in_a_row(const struct phase_span *s, size_t n)
{
	size_t k = 1;

	while (k < n && s[k].from <= s[k - 1].to &&
	       piece_share(s[k].class) == piece_share(s[0].class))
		k++;
	return k;
}

/* ... by |s|, of one flow: a repair may end in the next silence. */
static void explain_near(struct path *p, size_t stills, uint32_t f,
			 const struct phase_span *s)
{
	size_t k = search_below(struct still, p->stills, stills, from, s->to);

	for (size_t back = 0; back < 2 && k > back; back++)
		explain(p->j->in, &p->stills[k - 1 - back], f, s);
}

/* ... by |s| of |n|. */
static void explain_all(struct path *p, size_t stills, uint32_t f,
			const struct phase_span *s, size_t n)
{
	for (size_t i = 0, row = 0; i<n; i++, row -= row> 0) {
		struct phase_span all = s[i];

		if (!is_known(s[i].class))
			continue;
		explain_near(p, stills, f, &s[i]);
		if (row)
			continue;
		row = in_a_row(s + i, n - i);
		all.to = s[i + row - 1].to;
		if (row > 1)
			explain_near(p, stills, f, &all);
	}
}

/* Without phases nothing tells what work takes but the silence for which
 * nothing is known: where that is as long, all may have worked while one of
 * them waited for an ACK. */
static void without_work(const struct path *p, size_t n)
{
	int64_t most = 0;

	for (size_t i = 0; i < n; i++) {
		const struct still *v = &p->stills[i];

		if (v->flow == NO_RANK && v->to - v->from > most)
			most = v->to - v->from;
	}
	for (size_t i = 0; i < n; i++) {
		struct still *v = &p->stills[i];

		if (v->flow != NO_RANK && v->share == SHARE_ACKS &&
		    (double)most >= (1 - NEAR) * (double)(v->to - v->from))
			v->mixed = true;
	}
}

bool path_stills(struct path *p)
{
	const struct path_facts *q = &p->facts;
	const struct phase_input *in = p->j->in;
	bool known = any_known(q->spans, q->first[in->n_flows]);
	size_t n = 0, kept = 0;

	for (size_t f = 0; f < in->n_flows; f++) {
		known |= any_known(in->flows[f].held, in->flows[f].n_held);
		n += in->flows[f].n;
	}
	if (!known)
		return true;
	p->stills = calloc(n + 1, sizeof *p->stills);
	if (!p->stills)
		return false;
	n = silences(in, p->stills);
	for (uint32_t f = 0; f < in->n_flows; f++) {
		explain_all(p, n, f, q->spans + q->first[f],
			    q->first[f + 1] - q->first[f]);
		explain_all(p, n, f, in->flows[f].held, in->flows[f].n_held);
	}
	if (p->j->row.iterations == PHASE_UNKNOWN)
		without_work(p, n);
	for (size_t i = 0; i < n; i++)
		if (p->stills[i].flow != NO_RANK && !p->stills[i].mixed)
			p->stills[kept++] = p->stills[i];
	p->n_stills = kept;
	return true;
}

/* How long the job was stalled in from..to as far as that is |v|. */
static int64_t part_of(const struct still *v, int64_t from, int64_t to)
{
	from = v->from > from ? v->from : from;
	to = v->to < to ? v->to : to;
	return to > from ? to - from : 0;
}

static bool is_unknown(const struct cell *c)
{
	return !c->gap &&
	       (c->share == SHARE_UNKNOWN || c->share == SHARE_REPAIR);
}

/* Up to |ns| of what is unknown is |v|.  Returns how much. */
static int64_t take_unknown(struct path *p, int64_t ns, const struct still *v,
			    uint32_t rank)
{
	int64_t sum = 0;

	for (size_t i = 0; i < p->n_cells && sum < ns; i++) {
		struct cell *c = &p->cells[i];
		int64_t part = c->ns < ns - sum ? c->ns : ns - sum;

		if (!is_unknown(c))
			continue;
		c->ns -= part;
		sum += part;
	}
	cells_give(p, v->flow, rank, false, v->share, sum);
	return sum;
}

/* |ns| of |v| are in no cell. */
static void note(struct path *p, const struct still *v, int64_t ns)
{
	struct still *s = p->all.stalled ? &p->all.stalled[p->phase] : NULL;

	if (s && ns > s->to)
		*s = (struct still) { .to = ns,
				      .flow = v->flow,
				      .next = v->next,
				      .share = v->share };
}

void path_stand_still(struct path *p)
{
	size_t low =
		search_below(struct still, p->stills, p->n_stills, to, p->from);
	bool here[SHARE_COUNT] = { false };
	int64_t has = 0;

	for (size_t k = low; k < p->n_stills && p->stills[k].from < p->to; k++)
		here[p->stills[k].share] = true;
	/* What the walk found of it counts once. */
	for (size_t i = 0; i < p->n_cells; i++)
		if (here[p->cells[i].share] && !p->cells[i].gap)
			has += p->cells[i].ns;
	for (size_t k = low; k < p->n_stills && p->stills[k].from < p->to;
	     k++) {
		const struct still *v = &p->stills[k];
		int64_t ns = part_of(v, p->from, p->to),
			less = has < ns ? has : ns;
		uint32_t src = p->j->in->flows[v->flow].src;

		has -= less;
		less += take_unknown(p, ns - less, v, p->j->rank_of[src]);
		/* What is begun at once is no wait. */
		if (ns - less > p->quick)
			note(p, v, ns - less);
	}
}

const struct still *path_stalled_before(const struct path *p, int64_t *ns)
{
	size_t k = search_below(struct still, p->stills, p->n_stills, to,
				p->before);
	const struct still *most = NULL;

	*ns = 0;
	for (; k < p->n_stills && p->stills[k].from < p->from; k++) {
		int64_t part = part_of(&p->stills[k], p->before, p->from);

		if (part <= *ns)
			continue;
		*ns = part;
		most = &p->stills[k];
	}
	return most;
}
