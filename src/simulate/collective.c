/* SPDX-License-Identifier: GPL-2.0-or-later
 * Collectives: ring all-reduce, tree all-reduce, all-to-all.
 *
 * Every iteration a rank computes, then communicates.  Nothing else keeps the
 * ranks together: as in a real job, a rank goes on when the data it waits for
 * has come.
 *
 *   ring        2(n-1) steps; step k goes to the next rank once step k-1 has
 *               come from the one before
 *   tree        up: a rank sends to its parent when it has both children's
 *               data; down: it passes on what comes from the parent
 *   all-to-all  one message to every other rank */
#include "simulate/work.h"

#include <stdio.h>
#include <stdlib.h>

#include "simulate/mem.h"
#include "simulate/qp.h"
#include "simulate/world.h"

enum { AHEAD = 2 }; /* a neighbour may be one iteration ahead */

enum tree_step { STEP_UP, STEP_DOWN };

struct rank {
	struct host *host;
	uint32_t iteration;
	bool talking;         /* done with computing */
	uint32_t step;        /* ring: next to send */
	uint32_t *got[AHEAD]; /* messages that came, by step */
	struct qp **to;       /* [peer * qps + i], or NULL */
};

struct collective {
	struct work work;
	struct collective_config c;
	struct rank *ranks;
	uint32_t steps;
	struct iteration **record; /* by iteration */
	struct rng rng;
};

static struct collective *of(struct work *w)
{
	return (struct collective *)w;
}

/* |bytes| from rank |r| to |peer|, spread over their QPs. */
static void send(struct sim *s, struct collective *c, uint32_t r, uint32_t peer,
		 uint64_t bytes, uint32_t step)
{
	struct rank *rank = &c->ranks[r];
	uint64_t part = bytes / c->c.qps, rest = bytes % c->c.qps;

	for (uint32_t i = 0; i < c->c.qps; i++) {
		struct message *m = requester_post(
			s, rank->to[peer * c->c.qps + i], MSG_WRITE_IMM,
			part + (i < rest), &c->work);

		m->iteration = rank->iteration;
		m->rank = peer;
		m->step = step;
	}
}

static bool has(const struct collective *c, const struct rank *r, uint32_t step,
		uint32_t senders)
{
	return r->got[r->iteration % AHEAD][step] >= senders * c->c.qps;
}

static void compute(struct sim *s, struct collective *c, uint32_t r);

static void finish(struct sim *s, struct collective *c, uint32_t r)
{
	struct rank *rank = &c->ranks[r];
	struct iteration *it = c->record[rank->iteration];

	it->rank_end[r] = s->now;
	it->to = s->now; /* the last to finish writes last */
	for (uint32_t i = 0; i < c->steps; i++)
		rank->got[rank->iteration % AHEAD][i] = 0;
	rank->talking = false;
	rank->step = 0;
	rank->iteration++;
	if (rank->iteration < c->c.iterations)
		compute(s, c, r);
}

/* --- the patterns --------------------------------------------------------- */

static void ring(struct sim *s, struct collective *c, uint32_t r)
{
	struct rank *rank = &c->ranks[r];
	uint64_t chunk = c->c.size / c->c.n;

	while (rank->step < c->steps &&
	       (!rank->step || has(c, rank, rank->step - 1, 1))) {
		send(s, c, r, (r + 1) % c->c.n, chunk, rank->step);
		rank->step++;
	}
	if (rank->step == c->steps && has(c, rank, c->steps - 1, 1))
		finish(s, c, r);
}

static uint32_t children(const struct collective *c, uint32_t r)
{
	return (2 * r + 1 < c->c.n) + (2 * r + 2 < c->c.n);
}

static void send_down(struct sim *s, struct collective *c, uint32_t r)
{
	for (uint32_t k = 1; k <= 2; k++)
		if (2 * r + k < c->c.n)
			send(s, c, r, 2 * r + k, c->c.size, STEP_DOWN);
}

static void tree(struct sim *s, struct collective *c, uint32_t r)
{
	struct rank *rank = &c->ranks[r];

	if (rank->step == 0 && has(c, rank, STEP_UP, children(c, r))) {
		rank->step = 1;
		if (r)
			send(s, c, r, (r - 1) / 2, c->c.size, STEP_UP);
	}
	if (rank->step == 1 && (!r || has(c, rank, STEP_DOWN, 1))) {
		rank->step = 2;
		send_down(s, c, r);
		finish(s, c, r);
	}
}

static void alltoall(struct sim *s, struct collective *c, uint32_t r)
{
	struct rank *rank = &c->ranks[r];

	if (!rank->step) {
		rank->step = 1;
		for (uint32_t i = 1; i < c->c.n; i++)
			send(s, c, r, (r + i) % c->c.n, c->c.size / c->c.n, 0);
	}
	if (has(c, rank, 0, c->c.n - 1))
		finish(s, c, r);
}

static void (*const patterns[])(struct sim *, struct collective *, uint32_t) = {
	[PATTERN_RING] = ring,
	[PATTERN_TREE] = tree,
	[PATTERN_ALLTOALL] = alltoall,
};

/* --- computing, arriving -------------------------------------------------- */

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
	patterns[c->c.pattern](s, c, r);
}

static bool is_late(const struct collective *c, uint32_t r)
{
	uint32_t i = c->ranks[r].iteration;

	return c->c.late && r == c->c.late_rank && i >= c->c.late_from &&
	       (!c->c.alternate_late || (i - c->c.late_from) % 2 == 0);
}

static void compute(struct sim *s, struct collective *c, uint32_t r)
{
	struct iteration *it = c->record[c->ranks[r].iteration];
	int64_t takes = c->c.compute;

	if (it->from < 0)
		it->from = s->now;
	it->rank_from[r] = s->now;
	if (c->c.jitter)
		takes += (int64_t)rng_below(&c->rng, (uint64_t)c->c.jitter);
	if (is_late(c, r)) {
		takes += c->c.late;
		it->rank_late[r] = c->c.late;
	}
	sim_after(s, takes, talk, c, r);
}

static void collective_start(struct sim *s, struct work *w)
{
	struct collective *c = of(w);

	for (uint32_t i = 0; i < c->c.iterations; i++)
		c->record[i] = truth_iteration(s->truth, w, i, c->c.n);
	for (uint32_t r = 0; r < c->c.n; r++)
		compute(s, c, r);
}

static void collective_delivered(struct sim *s, struct work *w,
				 struct message *m)
{
	struct collective *c = of(w);
	struct rank *rank = &c->ranks[m->rank];

	rank->got[m->iteration % AHEAD][m->step]++;
	if (rank->talking && rank->iteration == m->iteration)
		patterns[c->c.pattern](s, c, m->rank);
}

static void collective_free(struct work *w)
{
	struct collective *c = of(w);

	for (uint32_t i = 0; i < c->c.n; i++) {
		for (int k = 0; k < AHEAD; k++)
			free(c->ranks[i].got[k]);
		free(c->ranks[i].to);
	}
	free(c->ranks);
	free(c->record);
	free(c);
}

static const struct work_kind kinds[] = {
	[PATTERN_RING] = { "ring", collective_start, collective_delivered, NULL,
			   collective_free },
	[PATTERN_TREE] = { "tree", collective_start, collective_delivered, NULL,
			   collective_free },
	[PATTERN_ALLTOALL] = { "alltoall", collective_start,
			       collective_delivered, NULL, collective_free },
};

/* --- making one ----------------------------------------------------------- */

static bool talks_to(const struct collective *c, uint32_t a, uint32_t b)
{
	switch (c->c.pattern) {
	case PATTERN_RING:
		return b == (a + 1) % c->c.n;
	case PATTERN_TREE:
		return b && (b - 1) / 2 == a; /* both ways on one QP */
	case PATTERN_ALLTOALL:
		break;
	}
	return a < b;
}

static void connect(struct sim *s, struct collective *c, uint32_t a, uint32_t b,
		    const struct qp_config *qc, uint32_t *qpn)
{
	struct rank *x = &c->ranks[a], *y = &c->ranks[b];

	for (uint32_t i = 0; i < c->c.qps; i++) {
		char name[2 * NAME_MAX_TEXT];
		struct qp_names n = {
			name, { *qpn, *qpn + 1 }, { 0, 0 }, NULL
		};
		struct qp *q;

		snprintf(name, sizeof name, "%.12s.%u.%u.%u", c->work.name, a,
			 b, i);
		q = qp_pair(s, x->host, y->host, &n, qc);
		q->open = q->peer->open = true;
		x->to[b * c->c.qps + i] = q;
		if (!y->to[a * c->c.qps + i])
			y->to[a * c->c.qps + i] = q->peer;
		*qpn += 2;
	}
}

struct work *collective_new(struct sim *s, const char *name,
			    const struct collective_config *config,
			    const struct qp_config *qc, uint32_t qpn,
			    int64_t start)
{
	struct collective *c = mem_new(sizeof *c);
	uint32_t n = config->n;

	c->c = *config;
	c->work.kind = &kinds[config->pattern];
	c->work.start = start;
	snprintf(c->work.name, sizeof c->work.name, "%s", name);
	c->rng = rng_fork(s->seed, name, 0xc011);
	c->steps = config->pattern == PATTERN_RING ? 2 * (n - 1) : 2;
	c->ranks = mem_new(n * sizeof *c->ranks);
	c->record = mem_new(config->iterations * sizeof(*c->record));
	for (uint32_t i = 0; i < n; i++) {
		struct rank *r = &c->ranks[i];

		r->host = config->ranks[i];
		r->to = mem_new(n * config->qps * sizeof *r->to);
		for (int k = 0; k < AHEAD; k++)
			r->got[k] = mem_new(c->steps * sizeof *r->got[k]);
	}
	c->c.ranks = NULL;
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < n; b++)
			if (a != b && talks_to(c, a, b))
				connect(s, c, a, b, qc, &qpn);
	s->works =
		mem_room(s->works, s->n_works, &s->cap_works, sizeof *s->works);
	s->works[s->n_works++] = &c->work;
	return &c->work;
}
