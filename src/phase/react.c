/* SPDX-License-Identifier: GPL-2.0-or-later
 * How soon adapters and hosts react to what comes. */
#include <stdlib.h>

#include "base/sort.h"
#include "phase/path_int.h"

enum {
	EXTREMES = 16, /* one of so many values */
	REACTIONS = 8, /* so many say how soon hosts react */
	/* An adapter that takes longer to acknowledge holds that back. */
	ACKS_WITHIN_NS = 2000,
	ANSWERS_MAX = 8000, /* ns: by then a host that polls has sent what it
			     * was asked for; a judgement */
};

static const double LESS = 0.75, TWICE = 2, ALIKE = 1.25;

/* How long it took from what may have been waited for, of |all| of them. */
struct reactions {
	int64_t *v;
	size_t n, all;
};

/* No host reacts sooner than its adapter acknowledges: what came later than
 * that is not what it waited for, and what takes twice as long is computing. */
static int64_t adapters_react(const struct phase_input *in)
{
	int64_t least = PHASE_UNKNOWN;

	for (size_t f = 0; f < in->n_flows; f++)
		if (in->flows[f].dst_seen && in->flows[f].rtt_r > 0)
			least = least == PHASE_UNKNOWN ||
						in->flows[f].rtt_r < least
					? in->flows[f].rtt_r
					: least;
	return least == PHASE_UNKNOWN ? 0 : least;
}

/* Rank |r| sent something at |ns|. */
static void note_behind(const struct path *p, uint32_t r, int64_t ns,
			struct reactions *o)
{
	const struct event *got = path_latest(&p->in[r], ns);

	o->all += got != NULL;
	if (got && (double)(ns - got->ns) < LESS * (double)p->facts.reacts)
		o->v[o->n++] = ns - got->ns;
}

/* Data that ranks send, and what asks for it, behind what came to them. */
static void behind_arrivals(const struct path *p, struct reactions *data,
			    struct reactions *asks)
{
	const struct phase_input *in = p->j->in;

	for (uint32_t r = 0; r < p->j->n_ranks; r++)
		for (size_t i = 0; i < p->out[r].n; i++)
			note_behind(p, r, p->out[r].e[i].ns, data);
	for (uint32_t f = 0; f < in->n_flows; f++) {
		const struct phase_flow *g = &in->flows[f];

		for (size_t k = 0; g->driven && k < g->n; k++)
			if (phase_asked(g, k) != PHASE_UNKNOWN)
				note_behind(p, p->j->rank_of[g->dst],
					    phase_asked(g, k) -
						    path_way_back(&p->facts, f),
					    asks);
	}
}

/* Unless adapters hold acknowledgements back (coalescing) and hosts do not wait
 * for that: then most of what is sent follows closely on an arrival, and never
 * more closely than by what a host takes.  What only happens to arrive before
 * something is sent has no such least distance.  0: it is not so. */
static int64_t least_of_most(struct reactions *o)
{
	sort_int64(o->v, o->n);
	return o->n >= REACTIONS && 2 * o->n >= o->all &&
			       TWICE * (double)o->v[o->n / EXTREMES] >=
				       (double)o->v[o->n / 2]
		       ? o->v[o->n / EXTREMES]
		       : 0;
}

/* From what asks for data to that data; |hosts|: not what an adapter sends
 * itself. */
static void behind_asks(const struct path *p, bool hosts, struct reactions *o)
{
	const struct phase_input *in = p->j->in;

	o->n = 0;
	for (uint32_t f = 0; f < in->n_flows; f++) {
		const struct phase_flow *g = &in->flows[f];

		for (size_t k = 0; k < g->n; k++)
			if ((!hosts || (g->driven && g->a[k].psns)) &&
			    phase_asked(g, k) != PHASE_UNKNOWN &&
			    phase_asked(g, k) <= g->a[k].from)
				o->v[o->n++] = g->a[k].from - phase_asked(g, k);
	}
	sort_int64(o->v, o->n);
}

/* Who always takes as long to send what it is asked for reacts to nothing
 * sooner than that, however soon its adapter acknowledges; 0: it is not so. */
static int64_t least_of_answers(const struct reactions *o)
{
	int64_t least = o->n ? o->v[o->n / EXTREMES] : 0;

	return o->n >= REACTIONS && least < ANSWERS_MAX / 2 &&
			       (double)o->v[o->n / 2] <= ALIKE * (double)least
		       ? least
		       : 0;
}

static size_t most_reactions(const struct path *p)
{
	const struct phase_input *in = p->j->in;
	size_t all = 0;

	for (uint32_t f = 0; f < in->n_flows; f++)
		all += in->flows[f].n;
	return all;
}

bool path_reacts(struct path *p)
{
	size_t all = most_reactions(p);
	int64_t *v = calloc(2 * all + 1, sizeof *v);
	struct reactions data = { .v = v }, asks = { .v = v + all };
	int64_t least[2], answers;

	if (!v)
		return false;
	p->facts.reacts = adapters_react(p->j->in);
	behind_arrivals(p, &data, &asks);
	least[0] = least_of_most(&data);
	least[1] = least_of_most(&asks);
	for (int i = 0; i < 2; i++)
		if (least[i] && least[i] < p->facts.reacts)
			p->facts.reacts = least[i];
	behind_asks(p, true, &data);
	answers = least_of_answers(&data);
	if (p->facts.reacts && !least[0] && !least[1] &&
	    answers > p->facts.reacts)
		p->facts.reacts = answers;
	/* Time stamps may be too coarse to see it. */
	p->soonest = p->facts.reacts < ACKS_WITHIN_NS ? p->facts.reacts
						      : ACKS_WITHIN_NS;
	p->soonest = (int64_t)(LESS * (double)p->soonest) - p->facts.grain;
	p->soonest = p->soonest > 0 ? p->soonest : 0;
	free(v);
	return true;
}

bool path_answers(struct path *p)
{
	int64_t *v = calloc(most_reactions(p) + 1, sizeof *v), at;
	struct reactions o = { .v = v };

	if (!v)
		return false;
	behind_asks(p, false, &o);
	at = o.n ? o.v[o.n / 10] : 0;
	p->answers = p->quick;
	if (o.n >= REACTIONS && at < ANSWERS_MAX / 2 && 2 * at > p->quick)
		p->answers = 2 * at;
	free(v);
	return true;
}
