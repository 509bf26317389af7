/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the ranks of a pipeline work, from stage to stage.
 *
 * Ranks of a collective pass on what they got; those of a pipeline compute
 * what they send.  Where that goes on while the link is busy with what was
 * computed before, the critical path leads along the link, and yet without any
 * link it would take its time.  So the longest chain of work alone is looked
 * for: from each input over the work of the rank to what it sends, one after
 * the other, as if nothing took time on its way.  As much of what the phase
 * needed is computing, the rest is on the wire. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "phase/path_int.h"

/* A stage takes as long as usual, or so much less; a phase, so much more. */
static const double LESS = 0.75, MORE = 1.1;
/* The link was busy until so short a part of that before. */
static const double BUSY = 0.1;
/* So much of what was sent is all of it. */
static const double ALL = 0.99;

/* A neighbour of a rank. */
struct side {
	uint32_t peer; /* NO_RANK: none yet */
	size_t next;   /* event of path.in from the other that is looked at */
	double came;   /* bytes from the other before it */
	double sent;   /* bytes to this one ... */
	double first;  /* ... until its link fell silent at first */
	bool over;     /* it did */
	size_t begun;  /* micro-batches to this one */
};

struct worker {
	int64_t from;  /* it was done with what it worked on last */
	int64_t sent;  /* the last that its link was busy */
	int64_t began; /* likewise, its last activity */
	int64_t pace;  /* from packet to packet, then */
	int64_t chain; /* of work, up to here */
	int64_t usual; /* of one stage; 0 unknown */
	struct side side[2];
};

struct stage {
	uint32_t rank;
	int64_t ns;
};

struct working {
	const struct path *p;
	struct worker *ranks;
	int64_t *chain;    /* by activity, as path.lags */
	struct event *all; /* what began, in order of time */
	size_t n;
	struct stage *seen; /* of all ranks, while their links were idle */
	size_t n_seen;
	int64_t *batches; /* bytes that seem to be worked on at a time */
	size_t n_batches;
	double batch; /* the middle of them; 0 unknown */
};

static bool any_pipeline(const struct job *j)
{
	for (size_t i = 0; i < j->n_bursts; i++)
		if (j->bursts[i].pattern == PATTERN_PIPELINE)
			return true;
	return false;
}

static bool in_order(struct working *w)
{
	const struct path *p = w->p;

	for (uint32_t r = 0; r < p->j->n_ranks; r++) {
		memcpy(w->all + w->n, p->out[r].e,
		       p->out[r].n * sizeof *w->all);
		w->n += p->out[r].n;
	}
	return sort_by(struct event, w->all, w->n, ns);
}

/* The side of rank |k| that is |peer|; a pipeline has two. */
static struct side *side_of(struct worker *k, uint32_t peer)
{
	for (int i = 0; i < 2; i++) {
		if (k->side[i].peer == NO_RANK)
			k->side[i].peer = peer;
		if (k->side[i].peer == peer)
			return &k->side[i];
	}
	return NULL;
}

static uint32_t sender_of(const struct working *w, const struct event *e)
{
	return w->p->j->rank_of[w->p->j->in->flows[e->flow].src];
}

/* What brought rank |r| as many bytes as |target|, from another than |to|. */
static const struct event *input_of(struct working *w, uint32_t r,
				    const struct event *e, struct side *to,
				    double target)
{
	const struct events *v = &w->p->in[r];

	for (; to->next < v->n && v->e[to->next].ns <= e->ns; to->next++) {
		const struct event *in = &v->e[to->next];
		double bytes = (double)path_activity(w->p, in)->bytes;

		if (sender_of(w, in) == to->peer)
			continue;
		if (to->came + bytes >= target)
			return in;
		to->came += bytes;
	}
	return NULL;
}

/* What came last to a rank at the end of the chain, a stage before |e|. */
static const struct event *last_input(struct working *w, uint32_t r,
				      const struct event *e, int64_t begin)
{
	double stage = LESS * (double)w->ranks[r].usual;
	const struct event *got =
		path_latest(&w->p->in[r], e->ns - (int64_t)stage);

	return got && got->ns > begin ? got : NULL;
}

/* What a rank worked before activity |e|, of a phase from |begin| on. */
static int64_t work_before(struct working *w, const struct event *e,
			   struct side *to, bool busy, int64_t begin)
{
	uint32_t r = sender_of(w, e);
	struct worker *k = &w->ranks[r];
	const struct event *got =
		input_of(w, r, e, to, ALL * w->batch * (double)to->begun);
	int64_t since = k->from, ns, react = 0;
	bool is_input = got, is_new = false;

	if (!got)
		got = last_input(w, r, e, begin);
	if (got) {
		size_t at = w->p->first_lag[got->flow] + got->k;

		k->chain = w->chain[at] > k->chain ? w->chain[at] : k->chain;
		if (got->ns > since) {
			since = got->ns;
			react = w->p->facts.reacts;
			is_new = true;
		}
	}
	if (since < begin) /* who gets nothing begins by itself */
		return e->ns - begin;
	ns = e->ns - since;
	/* Perhaps its link was busy for longer than itself. */
	if (busy)
		return ns < k->usual ? ns : k->usual;
	/* To react takes its time without any work, too. */
	ns -= ns > 2 * react ? react : 0;
	/* The end of the chain may have worked on more than one. */
	if (!is_new || is_input)
		w->seen[w->n_seen++] = (struct stage) { r, ns };
	return ns;
}

/* Notes how many bytes a rank sent without a pause at first, and how many it
 * had got before: what is worked on at a time is no more than either. */
static void note_batch(struct working *w, const struct event *e,
		       struct side *to, bool busy)
{
	if (to->sent <= 0)
		input_of(w, sender_of(w, e), e, to, HUGE_VAL);
	else if (!busy)
		to->over = true;
	if (!to->over)
		to->first += (double)path_activity(w->p, e)->bytes;
}

static void keep_batches(struct working *w)
{
	for (uint32_t r = 0; r < w->p->j->n_ranks; r++)
		for (int i = 0; i < 2; i++) {
			const struct side *s = &w->ranks[r].side[i];

			if (s->came > 0 && s->first > 0)
				w->batches[w->n_batches++] =
					(int64_t)fmin(s->came, s->first);
		}
}

/* Does activity |e| begin a micro-batch?  Of one all is there when its first
 * byte is sent. */
static bool begins(const struct working *w, const struct event *e,
		   struct side *to)
{
	double least = fmin((double)path_activity(w->p, e)->bytes, w->batch);

	if (to->sent + least / 2 < w->batch * (double)to->begun)
		return false;
	to->begun++;
	return true;
}

static void begin_phase(struct working *w, const struct burst *b)
{
	const struct job *j = w->p->j;

	for (uint32_t r = 0; r < j->n_ranks; r++) {
		struct side none = {
			.peer = NO_RANK,
			.next = path_up_to(&w->p->in[r], b->from),
		};

		w->ranks[r] = (struct worker) {
			.from = -PHASE_FAR,
			.sent = -PHASE_FAR,
			.began = -PHASE_FAR,
			.usual = w->ranks[r].usual,
			.side = { none, none },
		};
	}
}

/* The longest chain of work of one phase; |*i| is its first event. */
static int64_t chain_of(struct working *w, size_t *i, const struct burst *b)
{
	const struct job *j = w->p->j;
	int64_t most = 0;

	begin_phase(w, b);
	while (*i < w->n && w->all[*i].ns < b->from)
		++*i;
	for (; *i < w->n && w->all[*i].ns < b->to; ++*i) {
		const struct event *e = &w->all[*i];
		const struct phase_activity *a = path_activity(w->p, e);
		const struct phase_flow *g = &j->in->flows[e->flow];
		struct worker *k = &w->ranks[j->rank_of[g->src]];
		struct side *to = side_of(k, j->rank_of[g->dst]);
		bool busy =
			e->ns - k->sent <=
			(int64_t)(BUSY * (double)(e->ns - k->began)) + k->pace;

		if (!to)
			continue;
		if (!w->batch) {
			note_batch(w, e, to, busy);
		} else if (begins(w, e, to)) {
			k->chain += work_before(w, e, to, busy, b->from);
			k->from = e->ns;
		}
		w->chain[w->p->first_lag[e->flow] + e->k] = k->chain;
		most = k->chain > most ? k->chain : most;
		to->sent += (double)a->bytes;
		k->began = e->ns;
		k->sent = a->sent > k->sent ? a->sent : k->sent;
		k->pace = a->psns > 1
				  ? (a->sent - a->from) / (int64_t)(a->psns - 1)
				  : 0;
	}
	if (!w->batch)
		keep_batches(w);
	return most;
}

static void chains(struct working *w, int64_t *work)
{
	const struct job *j = w->p->j;
	size_t i = 0;

	for (size_t b = 0; b < j->n_bursts; b++)
		if (j->bursts[b].pattern == PATTERN_PIPELINE)
			work[b] = chain_of(w, &i, &j->bursts[b]);
}

static int by_rank(const void *a, const void *b)
{
	const struct stage *x = a, *y = b;

	if (x->rank != y->rank)
		return (x->rank > y->rank) - (x->rank < y->rank);
	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* What one stage of each rank usually takes; where none is seen, what it takes
 * the quickest of the others. */
static void usual_stages(struct working *w)
{
	uint32_t n_ranks = w->p->j->n_ranks;
	int64_t least = 0;

	qsort(w->seen, w->n_seen, sizeof *w->seen, by_rank);
	for (size_t i = 0, n; i < w->n_seen; i += n) {
		const struct stage *s = &w->seen[i];

		for (n = 1; i + n < w->n_seen && s[n].rank == s->rank;)
			n++;
		w->ranks[s->rank].usual = s[n / 2].ns;
		if (!least || s[n / 2].ns < least)
			least = s[n / 2].ns;
	}
	for (uint32_t r = 0; r < n_ranks; r++)
		if (!w->ranks[r].usual)
			w->ranks[r].usual = least;
	w->n_seen = 0;
}

/* What one phase took much longer than the others was none of its work. */
static bool no_longer_than_usual(struct path *p)
{
	size_t kinds = path_kinds(p->j), n;
	int64_t *v = calloc(p->j->n_bursts + 1, sizeof *v), most;

	for (size_t kind = 0; v && kind < kinds; kind++) {
		n = 0;
		for (size_t i = kind; i < p->j->n_bursts; i += kinds)
			v[n++] = p->work[i];
		if (!n)
			break;
		most = (int64_t)(MORE * (double)phase_median(v, n));
		for (size_t i = kind; i < p->j->n_bursts; i += kinds)
			if (p->work[i] > most)
				p->work[i] = most;
	}
	free(v);
	return v;
}

bool work_find(struct path *p)
{
	struct working w = { .p = p };
	size_t n = 0, all = 0;
	bool ok;

	p->work = calloc(p->j->n_bursts + 1, sizeof *p->work);
	if (!p->work || !any_pipeline(p->j))
		return p->work;
	for (uint32_t r = 0; r < p->j->n_ranks; r++)
		n += p->out[r].n;
	for (size_t f = 0; f < p->j->in->n_flows; f++)
		all += p->j->in->flows[f].n;
	w.ranks = calloc(p->j->n_ranks + 1, sizeof *w.ranks);
	w.chain = calloc(all + 1, sizeof *w.chain);
	w.all = calloc(n + 1, sizeof *w.all);
	w.seen = calloc(n + 1, sizeof *w.seen);
	w.batches = calloc(2 * p->j->n_ranks * p->j->n_bursts + 1,
			   sizeof *w.batches);
	ok = w.ranks && w.chain && w.all && w.seen && w.batches && in_order(&w);
	if (ok) {
		chains(&w, p->work);
		w.batch = w.n_batches
				  ? (double)phase_median(w.batches, w.n_batches)
				  : 0;
	}
	if (ok && w.batch > 0) {
		chains(&w, p->work);
		usual_stages(&w);
		chains(&w, p->work);
	}
	ok = ok && no_longer_than_usual(p);
	free(w.ranks);
	free(w.chain);
	free(w.all);
	free(w.seen);
	free(w.batches);
	return ok;
}
