/* SPDX-License-Identifier: GPL-2.0-or-later
 * How long each rank of a ring takes to pass on what came.
 *
 * Round a ring goes as much from each rank as comes to it, and what it sends
 * had come before, but for what it begins with: so far ahead it may be, and no
 * rank ever is farther.  So what each piece waited for is known by its place,
 * whatever came meanwhile.  From that, or its receiver's word, or the piece
 * before it, to its begin all ranks take as long, if they are alike: who takes
 * longer in all phases does so for itself, and slows down all others. */
#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "phase/path_int.h"

enum {
	RANKS = 3,     /* to compare */
	SEVERAL = 16,  /* pieces of each rank, at least */
	AHEAD_OF = 16, /* one of so many pieces may be farther ahead */
};

/* A rank takes that part longer than all others. */
static const double LONGER = 0.1;

/* Pieces that a rank sends, or gets, one way round, in order. */
struct piece {
	int64_t from, to; /* it was sent, or came */
	double sum;       /* bytes up to its begin; to be sent: with its first
			   * message */
	double bytes, first; /* of it, and of its first message */
	struct event e;
};

struct turn {
	int64_t least, middle;
};

struct way {
	uint32_t rank;
	struct piece *out, *in;
	size_t n_out, n_in;
	int64_t *v; /* room for a number of each */
};

/* Pieces of |n| flows that go to |peer|, |out|, or come from it. */
static bool list(const struct path *p, const uint32_t *flows, uint32_t n,
		 uint32_t peer, bool out, struct piece *v, size_t *k)
{
	const struct job *j = p->j;
	double sum = 0;

	*k = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct phase_flow *g = &j->in->flows[flows[i]];

		if (j->rank_of[out ? g->dst : g->src] != peer)
			continue;
		for (size_t a = j->skip ? j->skip[flows[i]] : 0; a < g->n; a++)
			if (!path_is_small(&p->facts, flows[i], &g->a[a]))
				v[(*k)++] = (struct piece) {
					.from = out ? g->a[a].from
						    : g->a[a].came,
					.to = out ? g->a[a].sent
						  : g->a[a].arrived,
					.bytes = (double)g->a[a].bytes,
					.e = { 0, flows[i], a }
				};
	}
	if (!(out ? sort_by(struct piece, v, *k, from)
		  : sort_by(struct piece, v, *k, to)))
		return false;
	for (size_t i = 0; i < *k; i++) {
		double message = p->facts.message[v[i].e.flow];

		v[i].first = message > 0 && message < v[i].bytes ? message
								 : v[i].bytes;
		v[i].sum = out ? sum + v[i].first : sum;
		sum += v[i].bytes;
	}
	return true;
}

/* How far what it had sent, with each message, was ahead of what had come. */
static double ahead(const struct way *w)
{
	size_t got = 0;

	for (size_t i = 0; i < w->n_out; i++) {
		double in = 0;

		while (got < w->n_in && w->in[got].to <= w->out[i].from)
			got++;
		if (got < w->n_in) {
			const struct piece *q = &w->in[got];

			in = q->sum;
			if (q->from < w->out[i].from)
				in += q->bytes *
				      (double)(w->out[i].from - q->from) /
				      (double)(q->to - q->from);
		}
		w->v[i] = (int64_t)(w->out[i].sum - in);
	}
	if (!w->n_out)
		return 0;
	sort_int64(w->v, w->n_out);
	return (double)w->v[w->n_out - 1 - w->n_out / AHEAD_OF];
}

/* Did something else than its rank decide when |o| began, which could have
 * since |since|? */
static bool held_up(const struct path *p, const struct piece *o, int64_t since)
{
	const struct phase_flow *g = &p->j->in->flows[o->e.flow];
	const struct phase_activity *before = o->e.k ? &g->a[o->e.k - 1] : NULL;
	const bool *cut = p->j->cut[o->e.flow];

	return (cut && cut[o->e.k]) ||
	       (before &&
		(before->inside ||
		 (before->acked != PHASE_UNKNOWN && before->acked <= o->from &&
		  before->acked > o->from - p->quick))) ||
	       path_has_evidence(&p->facts, o->e.flow, since, o->from);
}

/* Do packets of one piece in sixteen, or more, wait in queues?  Who waits for
 * answers to them takes longer for that. */
static bool queues(const struct path *p, const struct way *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_out; i++) {
		const struct event *e = &w->out[i].e;
		const struct phase_flow *g = &p->j->in->flows[e->flow];

		n += piece_queued(&p->facts, e->flow, &g->a[e->k]) > p->quick;
	}
	return 16 * n > w->n_out;
}

/* How long |o| took from |since|, but for what the link of its rank was busy.
 */
static int64_t turn(const struct path *p, const struct piece *o, uint32_t rank,
		    int64_t since)
{
	uint32_t host = p->j->ranks[rank].host;
	double link = phase_link(p->j, host), busy;

	busy = link > 0 ? loads_between(p->facts.own, host, false, since,
					o->from) *
				  8e9 / link
			: 0;
	return o->from - since > (int64_t)busy ? o->from - since - (int64_t)busy
					       : 0;
}

/* Does |o| begin a phase, before which |*before| had been sent when |*phase|
 * began?  What a rank begins with may be as much as |lead|, and passes on
 * nothing. */
static bool begins(const struct path *p, const struct way *w,
		   const struct piece *o, double lead, size_t *phase,
		   double *before)
{
	const struct job *j = p->j;

	for (; *phase < j->n_bursts; ++*phase) {
		int64_t first = p->first[*phase * j->n_ranks + w->rank];

		if (first != PHASE_UNKNOWN && first > o->from)
			break;
		*before = first == o->from ? o->sum - o->first : *before;
	}
	return o->sum - *before <= lead;
}

/* How long pieces take since they could begin, if none is farther ahead of what
 * came than |lead|: three of four at least, and the middle.  PHASE_UNKNOWN. */
static struct turn turn_of(const struct path *p, const struct way *w,
			   double lead)
{
	size_t got = 0, n = 0, phase = 0;
	int64_t begun = -PHASE_FAR;
	double before = 0;

	for (size_t i = 0; i < w->n_out; i++) {
		const struct piece *o = &w->out[i], *q;
		double need = o->sum - lead;
		int64_t asked =
			phase_asked(&p->j->in->flows[o->e.flow], o->e.k);
		int64_t since;

		while (got < w->n_in &&
		       w->in[got].sum + w->in[got].bytes < need)
			got++;
		/* Before it has sent what it begins with it passes on none. */
		if (begins(p, w, o, lead, &phase, &before)) {
			begun = o->to > begun ? o->to : begun;
			continue;
		}
		if (need <= 0 || got == w->n_in)
			continue;
		q = &w->in[got];
		since = q->from + (int64_t)(fmax(need - q->sum, 0) / q->bytes *
					    (double)(q->to - q->from));
		if (asked > since && asked <= o->from)
			since = asked;
		since = begun > since ? begun : since;
		if (since <= o->from && !held_up(p, o, since))
			w->v[n++] = turn(p, o, w->rank, since);
	}
	if (n < SEVERAL || queues(p, w))
		return (struct turn) { PHASE_UNKNOWN, PHASE_UNKNOWN };
	sort_int64(w->v, n);
	return (struct turn) { w->v[(n - 1) / 4], w->v[n / 2] };
}

/* Both ends of rank |r|; false: no memory. */
static bool list_both(const struct path *p, uint32_t r, struct way *w)
{
	const struct rank *k = &p->j->ranks[r];

	w->rank = r;
	w->n_out = w->n_in = 0;
	if (k->next == NO_RANK || k->before == NO_RANK)
		return true;
	return list(p, k->out, k->n_out, k->next, true, w->out, &w->n_out) &&
	       list(p, k->in, k->n_in, k->before, false, w->in, &w->n_in);
}

/* Which rank takes longer than all others to pass on, and by how much each
 * time; NO_RANK: none does.  |turn| of each. */
static uint32_t slowest(const struct path *p, const struct turn *turn,
			int64_t *by)
{
	uint32_t n = p->j->n_ranks, worst = 0;
	int64_t next = 0;

	for (uint32_t r = 0; r < n; r++)
		if (turn[r].least == PHASE_UNKNOWN)
			return NO_RANK;
		else if (turn[r].least > turn[worst].least)
			worst = r;
	for (uint32_t r = 0; r < n; r++)
		if (r != worst && turn[r].middle > next)
			next = turn[r].middle;
	*by = turn[worst].middle - next;
	return (double)turn[worst].least > (1 + LONGER) * (double)next +
						   (double)p->facts.grain &&
			       p->facts.nic[p->j->ranks[worst].host] <= 0
		       ? worst
		       : NO_RANK;
}

/* Room for all pieces of a rank each way; false: no memory. */
static bool room_for(const struct path *p, struct way *w, struct turn **turn)
{
	size_t most = 0;

	for (uint32_t r = 0; r < p->j->n_ranks; r++) {
		most = p->in[r].n > most ? p->in[r].n : most;
		most = p->out[r].n > most ? p->out[r].n : most;
	}
	w->out = calloc(most + 1, sizeof *w->out);
	w->in = calloc(most + 1, sizeof *w->in);
	w->v = calloc(most + 1, sizeof *w->v);
	*turn = calloc(p->j->n_ranks + 1, sizeof **turn);
	return w->out && w->in && w->v && *turn;
}

/* What comes and goes is seen at the link of each rank itself. */
static bool all_seen(const struct job *j)
{
	for (uint32_t r = 0; r < j->n_ranks; r++)
		if (!j->in->hosts[j->ranks[r].host].link)
			return false;
	return true;
}

bool path_slow_to_pass(const struct path *p, struct slow_to_pass *slow)
{
	const struct job *j = p->j;
	struct way w = { 0 };
	struct turn *turn;
	bool ok;

	*slow = (struct slow_to_pass) { .rank = NO_RANK };
	if (j->row.pattern != PATTERN_RING || j->n_ranks < RANKS ||
	    !all_seen(j))
		return true;
	ok = room_for(p, &w, &turn);
	for (uint32_t r = 0; ok && r < j->n_ranks; r++) {
		ok = list_both(p, r, &w);
		if (ok)
			slow->bytes = fmax(slow->bytes, ahead(&w));
	}
	for (uint32_t r = 0; ok && r < j->n_ranks; r++) {
		ok = list_both(p, r, &w);
		if (ok)
			turn[r] = turn_of(p, &w, slow->bytes);
	}
	/* Where nobody is ahead of what came, nothing says what goes round. */
	if (ok && slow->bytes > 0)
		slow->rank = slowest(p, turn, &slow->by);
	free(w.out);
	free(w.in);
	free(w.v);
	free(turn);
	return ok;
}
