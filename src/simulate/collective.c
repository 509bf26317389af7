/* SPDX-License-Identifier: GPL-2.0-or-later
 * Collectives: every iteration a rank computes, then communicates.  Nothing
 * else keeps the ranks together: as in a real job, a rank goes on when the data
 * it waits for has come. */
#include "simulate/collective.h"

#include <stdio.h>
#include <stdlib.h>

#include "simulate/mem.h"
#include "simulate/qp.h"
#include "simulate/world.h"

static struct collective *of(struct work *w)
{
	return (struct collective *)w;
}

/* --- computing, communicating --------------------------------------------- */

static void compute(struct sim *s, struct collective *c, uint32_t r);

void collective_finish(struct sim *s, struct collective *c, uint32_t r)
{
	struct rank *rank = &c->ranks[r];
	struct iteration *it = c->record[rank->iteration];

	delay_over(c, r);
	it->rank_end[r] = s->now;
	it->to = s->now; /* the last to finish writes last */
	for (uint32_t i = 0; i < c->steps; i++)
		rank->got[rank->iteration % AHEAD][i] = 0;
	for (uint32_t i = 0; i < c->c.n; i++)
		rank->with[i].came[rank->iteration % AHEAD] = 0;
	rank->talking = rank->ready = false;
	rank->step = rank->back = rank->completed = 0;
	rank->iteration++;
	if (rank->iteration < c->c.iterations)
		compute(s, c, r);
	else if (++c->finished == c->c.n)
		work_is_done(s);
}

static void talk(struct sim *s, void *object, uint64_t argument)
{
	struct collective *c = object;
	uint32_t r = (uint32_t)argument;
	struct rank *rank = &c->ranks[r];
	struct iteration *it = c->record[rank->iteration];

	rank->talking = true;
	it->rank_start[r] = s->now;
	if (it->comm_from < 0)
		it->comm_from = s->now;
	it->slowest = r; /* the last to begin writes last */
	exchange_begin(s, c, r);
	pattern_of(c)->go(s, c, r);
}

static bool is_late(const struct collective *c, uint32_t r)
{
	uint32_t i = c->ranks[r].iteration;

	return c->c.late && r >= c->c.late_rank &&
	       r - c->c.late_rank < c->c.late_ranks && i >= c->c.late_from &&
	       (!c->c.alternate_late || (i - c->c.late_from) % 2 == 0);
}

static void compute(struct sim *s, struct collective *c, uint32_t r)
{
	struct rank *rank = &c->ranks[r];
	struct iteration *it = c->record[rank->iteration];
	int64_t takes = c->computes[rank->iteration];

	if (it->from < 0)
		it->from = s->now;
	it->rank_from[r] = s->now;
	if (c->c.jitter)
		takes += c->jitters[rank->iteration * c->c.n + r];
	rank->compute_until = s->now + takes;
	if (is_late(c, r)) {
		takes += c->c.late;
		it->rank_late[r] = c->c.late;
	}
	sim_after(s, takes, talk, c, r);
}

/* --- the work ------------------------------------------------------------- */

static void collective_start(struct sim *s, struct work *w)
{
	struct collective *c = of(w);
	const struct pattern_rule *rule = pattern_of(c);

	for (uint32_t i = 0; i < c->c.iterations; i++) {
		struct iteration *it = truth_iteration(s->truth, w, i, c->c.n);

		it->kind = rule->kind;
		it->bytes = c->sizes[i];
		it->bus = rule->bus ? rule->bus(c) : 0;
		c->record[i] = it;
	}
	for (uint32_t r = 0; r < c->c.n; r++)
		compute(s, c, r);
	delay_start(s);
}

bool collective_is_done(const struct work *w)
{
	const struct collective *c = (const struct collective *)w;

	return c->finished == c->c.n;
}

uint32_t collective_iterations(const struct work *w)
{
	return ((const struct collective *)w)->c.iterations;
}

static void collective_delivered(struct sim *s, struct work *w,
				 struct message *m)
{
	exchange_came(s, of(w), m);
}

static void collective_completed(struct sim *s, struct work *w,
				 struct message *m)
{
	exchange_completed(s, of(w), m);
}

static const struct host *collective_rank(const struct work *w, uint32_t r)
{
	const struct collective *c = (const struct collective *)w;

	return r < c->c.n ? c->ranks[r].host : NULL;
}

static void collective_free(struct work *w)
{
	struct collective *c = of(w);

	for (uint32_t i = 0; i < c->c.n; i++) {
		struct rank *r = &c->ranks[i];

		for (int k = 0; k < AHEAD; k++)
			free(r->got[k]);
		for (uint32_t k = 0; k < c->c.n; k++) {
			free(r->with[k].qp);
			free(r->with[k].held);
			free(r->with[k].waits.row);
		}
		free(r->with);
	}
	free(c->ranks);
	free(c->record);
	free(c->sizes);
	free(c->computes);
	free(c->jitters);
	free(c);
}

static const struct work_kind kinds[] = {
#define X(id, word)                                \
	[PATTERN_##id] = {                         \
		.name = word,                      \
		.start = collective_start,         \
		.delivered = collective_delivered, \
		.completed = collective_completed, \
		.free = collective_free,           \
		.rank = collective_rank,           \
	},
	PATTERNS(X)
#undef X
};

/* --- making one ----------------------------------------------------------- */

/* One rank may be the one that is not ready for what is sent to it. */
static void who_is_ready(const struct collective *c, struct qp *q, uint32_t r)
{
	if (c->c.rnr_only && r != c->c.rnr_rank)
		q->config.rnr_every = 0;
}

static void connect(struct sim *s, struct collective *c, uint32_t a, uint32_t b,
		    const struct qp_config *qc, uint32_t *qpn)
{
	struct partner *x = &c->ranks[a].with[b], *y = &c->ranks[b].with[a];
	bool back = !y->qp; /* a ring of two has QPs of its own each way */

	if (!x->qp)
		x->qp = mem_new(c->c.qps * sizeof(struct qp *));
	if (back)
		y->qp = mem_new(c->c.qps * sizeof(struct qp *));
	for (uint32_t i = 0; i < c->c.qps; i++) {
		char name[2 * NAME_MAX_TEXT];
		struct qp_names n = {
			name, { *qpn, *qpn + 1 }, { 0, 0 }, NULL
		};
		struct qp *q;

		snprintf(name, sizeof name, "%.12s.%u.%u.%u", c->work.name, a,
			 b, i);
		q = qp_pair(s, c->ranks[a].host, c->ranks[b].host, &n, qc);
		q->open = q->peer->open = true;
		who_is_ready(c, q, a);
		who_is_ready(c, q->peer, b);
		x->qp[i] = q;
		if (back)
			y->qp[i] = q->peer;
		*qpn += 2;
	}
}

/* What each iteration computes and sends, where that differs: the same in
 * each twin, in whatever order ranks get there. */
static void plan(struct collective *c)
{
	const struct collective_config *f = &c->c;

	c->sizes = mem_new(f->iterations * sizeof *c->sizes);
	c->computes = mem_new(f->iterations * sizeof *c->computes);
	for (uint32_t i = 0; i < f->iterations; i++) {
		c->sizes[i] = f->size;
		c->computes[i] = f->compute;
		if (f->size_to > f->size)
			c->sizes[i] += rng_below(&c->rng, f->size_to - f->size);
		if (f->compute_to > f->compute)
			c->computes[i] += (int64_t)rng_below(
				&c->rng,
				(uint64_t)(f->compute_to - f->compute));
	}
	c->jitters = mem_new((size_t)f->iterations * f->n * sizeof *c->jitters);
	for (size_t i = 0; f->jitter && i < (size_t)f->iterations * f->n; i++)
		c->jitters[i] =
			(int64_t)rng_below(&c->rng, (uint64_t)f->jitter);
}

static void make_ranks(struct collective *c)
{
	c->ranks = mem_new(c->c.n * sizeof *c->ranks);
	for (uint32_t i = 0; i < c->c.n; i++) {
		struct rank *r = &c->ranks[i];

		r->host = c->c.ranks[i];
		r->stage_until = -1;
		r->with = mem_new(c->c.n * sizeof *r->with);
		for (int k = 0; k < AHEAD; k++)
			r->got[k] = mem_new(c->steps * sizeof *r->got[k]);
	}
	c->c.ranks = NULL;
}

struct work *collective_new(struct sim *s, const char *name,
			    const struct collective_config *config,
			    const struct qp_config *qc, uint32_t qpn,
			    int64_t start)
{
	struct collective *c = mem_new(sizeof *c);
	const struct pattern_rule *rule;

	c->c = *config;
	rule = pattern_of(c);
	c->work.kind = &kinds[config->pattern];
	c->work.start = start;
	snprintf(c->work.name, sizeof c->work.name, "%s", name);
	c->rng = rng_fork(s->seed, name, 0xc011);
	c->steps = rule->steps(c);
	c->record = mem_new(config->iterations * sizeof(*c->record));
	plan(c);
	make_ranks(c);
	for (uint32_t a = 0; a < config->n; a++)
		for (uint32_t b = 0; b < config->n; b++)
			if (a != b && rule->joined(c, a, b))
				connect(s, c, a, b, qc, &qpn);
	s->works =
		mem_room(s->works, s->n_works, &s->cap_works, sizeof *s->works);
	s->works[s->n_works++] = &c->work;
	return &c->work;
}
