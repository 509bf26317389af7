/* SPDX-License-Identifier: GPL-2.0-or-later
 * What an activity waited for, of all that came to its rank before. */
#include "base/search.h"
#include "phase/path_int.h"

enum {
	ROUNDS = 4,   /* ways until a repair is known to be over */
	ARRIVING = 8, /* events that are looked at */
};

static const double TWICE = 2, NOISE = 0.25;

int64_t path_usual_lag(const struct path *p, uint32_t f, size_t k)
{
	int64_t ns = p->lags ? p->lags[p->first_lag[f] + k] : p->turn;

	return ns > p->turn ? ns : p->turn;
}

bool path_in_time(const struct path *p, int64_t usual, int64_t ns)
{
	return (p->turn <= p->computes &&
		(double)ns <= TWICE * (double)p->turn + 1) ||
	       (double)ns <= (1 + NOISE) * (double)usual;
}

enum phase_class path_evidence_at(const struct path *p, uint32_t f, int64_t ns)
{
	const struct path_facts *q = &p->facts;
	const struct phase_span *s = q->spans + q->first[f];
	size_t n = q->first[f + 1] - q->first[f];
	size_t i = search_below(struct phase_span, s, n, to, ns);

	return i < n && s[i].from < ns ? s[i].class : CLASS_UNKNOWN;
}

static bool is_replay(enum phase_class c)
{
	return c == CLASS_REPLAY || c == CLASS_LINK;
}

/* What came last to rank |r|, which began something at |ns|.  That something
 * had been repaired, or had come where nobody looks, is known only later: it
 * may have been there before. */
static const struct event *arriving(const struct path *p, uint32_t r,
				    int64_t ns, const struct event *got)
{
	const struct events *v = &p->in[r];
	size_t i = path_up_to(v, ns - p->soonest);

	if (got && path_activity(p, got)->from >= ns)
		got = NULL;
	if (got && ns - got->ns <= p->quick)
		return got;
	for (size_t n = 0; n < ARRIVING && i < v->n; i++, n++) {
		const struct phase_activity *a = path_activity(p, &v->e[i]);
		const struct phase_flow *g = &p->j->in->flows[v->e[i].flow];
		int64_t way = p->facts.least[v->e[i].flow];

		if (way == PHASE_UNKNOWN)
			continue;
		if (a->sent < ns &&
		    (g->far ? a->arrived > a->there &&
				      (a->arrived - ns <=
					       ROUNDS * way + p->quick ||
				       is_replay(path_evidence_at(
					       p, v->e[i].flow, ns)))
			    : a->arrived - ns <= way))
			return &v->e[i];
		if (a->came < ns && path_several(p, v->e[i].flow, a))
			return &v->e[i];
	}
	return got;
}

/* A rank computes no shorter than usual: what came too late for that is not
 * what it waited for, if something else came as long before as usual. */
static const struct event *usual_cause(const struct path *p,
				       const struct event *e, uint32_t r,
				       const struct event *got)
{
	int64_t from = path_activity(p, e)->from;
	int64_t usual = path_usual_lag(p, e->flow, e->k);
	int64_t least = (int64_t)((1 - NOISE) * (double)usual);
	const struct event *c;

	if (!got || got->ns > from || !p->lags || usual <= p->computes ||
	    from - got->ns >= least)
		return got;
	c = path_latest(&p->in[r], from - least);
	return c && c->ns > p->from &&
			       (double)(from - c->ns) <=
				       (1 + NOISE) * (double)usual
		       ? c
		       : got;
}

/* What activity |e| of rank |r| waited for, if |got| came last: what is still
 * on its way, or being repaired, is known by that; else what it follows most
 * steadily. */
static const struct event *followed(const struct path *p, const struct event *e,
				    uint32_t r, const struct event *got)
{
	const struct event *steady =
		p->follows ? p->follows[p->first_lag[e->flow] + e->k] : NULL;
	const struct event *last =
		arriving(p, r, path_activity(p, e)->from, got);

	return last == got && steady && steady->ns > p->from
		       ? steady
		       : usual_cause(p, e, r, last);
}

/* Nothing but one arrival came to rank |r| since it had all that it seemed to
 * need, and at once it sent |e|: it was not late, it had waited for that,
 * though hosts usually take longer to react. */
static const struct event *sole_cause(const struct path *p,
				      const struct event *e, uint32_t r,
				      const struct event *got,
				      const struct phase_activity *before)
{
	int64_t from = path_activity(p, e)->from;
	int64_t since = got && got->ns > p->from ? got->ns : p->from;
	const struct event *c = path_latest(&p->in[r], from);

	if (before && before->sent > since)
		since = before->sent;
	if (!c || c->ns <= since || path_activity(p, c)->from >= from ||
	    path_in_time(p, path_usual_lag(p, e->flow, e->k), from - since) ||
	    path_up_to(&p->in[r], c->ns - 1) > path_up_to(&p->in[r], since))
		return got;
	return c;
}

const struct event *path_waited_for(const struct path *p, const struct event *e,
				    uint32_t r, const struct event *got,
				    const struct phase_activity *before)
{
	return sole_cause(p, e, r, followed(p, e, r, got), before);
}
