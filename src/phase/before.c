/* SPDX-License-Identifier: GPL-2.0-or-later
 * What was before: what a rank had sent, and what its receiver had got when it
 * asked for more. */
#include "base/search.h"
#include "phase/path_int.h"

enum {
	ARRIVING = 8,  /* events that are looked at */
	SENT_MAX = 64, /* likewise, of what a rank sent itself */
};

static const double SEVERAL = 1.5;

bool path_sent_before(const struct path *p, uint32_t r, int64_t ns,
		      struct event *own)
{
	const struct events *v = &p->out[r];
	int64_t last = p->from;
	size_t i = path_up_to(v, ns - 1);

	for (size_t n = 0; i > 0 && n < SENT_MAX; n++) {
		const struct event *o = &v->e[--i];
		const struct phase_activity *a = path_activity(p, o);

		if (a->from < p->from)
			break;
		if (a->sent > ns || a->sent <= last)
			continue;
		last = a->sent;
		*own = *o;
		own->ns = a->arrived > a->sent && a->arrived <= ns ? a->arrived
								   : a->sent;
	}
	return last > p->from;
}

bool path_several(const struct path *p, uint32_t f,
		  const struct phase_activity *a)
{
	double message = p->facts.message[f];

	return message > 0 && (double)a->bytes > SEVERAL * message;
}

const struct event *path_coming(const struct path *p, uint32_t r, int64_t ns)
{
	const struct events *v = &p->in[r];
	size_t i = path_up_to(v, ns);

	for (size_t n = i; n < v->n && n - i < ARRIVING; n++) {
		const struct phase_activity *a = path_activity(p, &v->e[n]);

		if (a->came < ns && path_several(p, v->e[n].flow, a))
			return &v->e[n];
	}
	return NULL;
}

/* What came last to rank |r| by |ns|, or was coming then: who asks for the next
 * message when one has come does not wait for those that follow it closely. */
static bool came_or_coming(const struct path *p, uint32_t r, int64_t ns,
			   struct event *in)
{
	const struct event *coming = path_coming(p, r, ns);
	size_t i = path_up_to(&p->in[r], ns);

	if (coming) {
		*in = *coming;
		in->ns = ns;
		return true;
	}
	if (i)
		*in = p->in[r].e[i - 1];
	return i > 0;
}

bool path_idle_before(const struct path *p, uint32_t r, int64_t ns,
		      struct event *in)
{
	struct event got;
	bool came = came_or_coming(p, r, ns, &got);
	bool sent = path_sent_before(p, r, ns, in);

	if (came && (!sent || got.ns > in->ns))
		*in = got;
	return came || sent;
}

int64_t path_idle_since_any(const struct path *p, uint32_t r, int64_t ns)
{
	const struct event *got = path_latest(&p->in[r], ns);
	const struct event *own = path_latest(&p->out[r], ns);
	int64_t since = got ? got->ns : -PHASE_FAR;

	if (own) {
		const struct phase_activity *a = path_activity(p, own);
		int64_t over = a->sent;

		if (a->acked != PHASE_UNKNOWN && a->acked <= ns)
			over = a->acked;
		since = over > since ? over : since;
	}
	return ns > since ? ns - since : 0;
}

bool path_before_asking(const struct path *p, uint32_t f, int64_t asked,
			struct event *in)
{
	return path_idle_before(p, p->j->rank_of[p->j->in->flows[f].dst],
				asked - path_way_back(&p->facts, f), in);
}

bool path_asked_since(const struct path *p, const struct event *e,
		      const struct event *got)
{
	const struct phase_flow *g = &p->j->in->flows[e->flow];
	struct event in;

	return got && got->ns > p->from &&
	       path_before_asking(p, e->flow, phase_asked(g, e->k), &in) &&
	       in.ns > got->ns && g->a[e->k].from - in.ns < in.ns - got->ns;
}

int64_t path_charge_credit(struct path *p, const struct event *e, uint32_t rank,
			   int64_t from, int64_t to)
{
	int64_t wanted = piece_wanted(&p->facts, e->flow, e->k, from);
	struct path_time t = { { 0 } };

	piece_silence(&p->facts, e->flow, e->k, wanted, to, &t);
	cells_give_time(p, e->flow, rank, &t);
	return wanted;
}

/* When rank |who| first sent anything to rank |to| in the phase at hand, as
 * that saw it; PHASE_UNKNOWN: it did not. */
static int64_t first_word(const struct path *p, uint32_t who, uint32_t to)
{
	const struct job *j = p->j;
	const struct rank *r = &j->ranks[who];
	int64_t first = PHASE_UNKNOWN;

	for (uint32_t i = 0; i < r->n_out; i++) {
		const struct phase_flow *g = &j->in->flows[r->out[i]];
		size_t k = search_below(struct phase_activity, g->a, g->n, from,
					p->from);

		if (j->rank_of[g->dst] == to && k < g->n &&
		    g->a[k].from < p->to &&
		    (first == PHASE_UNKNOWN || g->a[k].came < first))
			first = g->a[k].came;
	}
	return first;
}

bool path_until_first_word(const struct path *p, const struct event *e,
			   const struct event *got)
{
	const struct phase_flow *g = &p->j->in->flows[e->flow];
	uint32_t d = p->j->rank_of[g->dst], r = p->j->rank_of[g->src];
	int64_t from = g->a[e->k].from;
	int64_t since = got && got->ns > p->from ? got->ns : p->from;
	int64_t word;

	if (!p->start || !path_late_by(p, d) || path_late_by(p, r) ||
	    path_in_time(p, path_usual_lag(p, e->flow, e->k), from - since))
		return false;
	word = first_word(p, d, r);
	return word != PHASE_UNKNOWN && word > since && word <= from &&
	       word >= from - p->answers;
}

/* ---- how late ranks begin ---- */

int64_t path_since_asked(const struct path *p, size_t i)
{
	const struct phase_flow *g = &p->j->in->flows[p->first_of[i]];
	int64_t asked;

	if (!p->awaited[i])
		return PHASE_FAR;
	asked = phase_asked(g, search_below(struct phase_activity, g->a, g->n,
					    from, p->first[i]));
	return asked < p->first[i] ? p->first[i] - asked : 0;
}

int64_t path_began_late(const struct path *p, uint32_t r)
{
	size_t i = p->phase * p->j->n_ranks + r;
	int64_t took = p->start ? p->start[i] : PHASE_UNKNOWN;

	return took != PHASE_UNKNOWN && took > p->usual[p->phase] +
							p->tolerance[p->phase]
		       ? took - p->usual[p->phase]
		       : 0;
}

/* By how much rank |r|, which is late by itself again and again, was so in the
 * phase at hand: what ranks are done with before a phase may tell less of that
 * than when they begin it. */
static int64_t straggles_by(const struct path *p, uint32_t r)
{
	const struct lateness *late =
		p->start && p->lateness ? &p->lateness[p->phase] : NULL;

	return late && late->rank == r && p->j->ranks[r].straggler
		       ? late->late_ns
		       : 0;
}

int64_t path_late_by(const struct path *p, uint32_t r)
{
	int64_t late = path_began_late(p, r), own;

	if (!late && p->start &&
	    p->start[p->phase * p->j->n_ranks + r] != PHASE_UNKNOWN)
		late = straggles_by(p, r);
	if (!late)
		return 0;
	own = path_since_asked(p, p->phase * p->j->n_ranks + r);
	if (own <= p->tolerance[p->phase])
		return 0;
	return own < late ? own : late;
}

/* Does a rank pass on what comes before it needs what comes next? */
static bool in_turn(enum phase_pattern p)
{
	return p == PATTERN_RING || p == PATTERN_DOUBLE_RING ||
	       p == PATTERN_PIPELINE || p == PATTERN_EXCHANGE;
}

int64_t path_would_wait(const struct path *p, uint32_t f, int64_t from,
			int64_t to)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	int64_t way = p->facts.least[f], busy;

	if (in_turn(p->pattern) || !g->dst_seen || way == PHASE_UNKNOWN ||
	    from >= to)
		return 0;
	busy = (int64_t)path_busy_in(&p->facts, g->dst, from + way, to + way);
	return busy < to - from ? busy : to - from;
}

int64_t path_usual_of_first(const struct path *p, const struct event *e,
			    uint32_t r, int64_t from, int64_t usual)
{
	size_t i = p->phase * p->j->n_ranks + r;
	int64_t done, first;

	/* Late in all phases is usual, and no work. */
	if (p->start && p->first[i] == path_activity(p, e)->from) {
		first = p->first[i] - from - straggles_by(p, r);
		usual = first < usual ? first > 0 ? first : 0 : usual;
	}
	if (!p->start || p->pattern != PATTERN_TREE || !p->usual[p->phase] ||
	    p->release[i].ns == PHASE_UNKNOWN || p->first[i] == PHASE_UNKNOWN ||
	    p->first[i] < from || usual <= p->quick)
		return usual;
	done = p->release[i].ns + p->usual[p->phase] + p->tolerance[p->phase];
	done = done > from + p->quick ? done - from : p->quick;
	first = path_activity(p, e)->from - p->first[i];
	return done + first < usual ? done + first : usual;
}

/* ---- the phase before ---- */

void path_leave(struct path *p, uint32_t r)
{
	if (!p->begin_alone || !path_self_starting(p->pattern) ||
	    !p->j->in->hosts[p->j->ranks[r].host].link)
		return;
	p->enter = p->release[p->phase * p->j->n_ranks + r];
	p->enter_rank = r;
}

bool path_enter(struct path *p, struct event *last)
{
	*last = p->enter;
	p->enter.ns = PHASE_UNKNOWN;
	if (last->ns == PHASE_UNKNOWN || last->ns <= p->from ||
	    path_activity(p, last)->from >= p->to)
		return false;
	if (last->ns > p->to)
		last->ns = p->to;
	cells_give(p, last->flow, p->enter_rank, false, SHARE_COMPUTE,
		   p->to - last->ns);
	return true;
}
