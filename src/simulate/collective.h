/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the parts of a collective share.
 *
 *   collective.c  ranks compute, communicate, and begin again
 *   pattern.c     what goes to whom in which step
 *   exchange.c    how it goes: messages, and who may send yet
 *   delay.c       what each rank waits for, noted as time passes */
#ifndef FABSCOPE_SIMULATE_COLLECTIVE_H
#define FABSCOPE_SIMULATE_COLLECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simulate/rng.h"
#include "simulate/work.h"

enum { AHEAD = 2 }; /* a neighbour may be one iteration ahead */

/* A transfer that waits for its receiver (CTS). */
struct transfer {
	uint64_t bytes;
	uint32_t iteration, step, from, to;
};

/* One rank, as seen by another: what goes there, what comes from there. */
struct partner {
	struct qp **qp; /* to it, |qps| of them, or NULL */
	struct transfer *held;
	size_t n_held, cap_held;
	uint32_t granted;     /* transfers it is ready for */
	uint32_t sends;       /* begun towards it in this iteration */
	uint32_t asked;       /* CTS sent to it in this iteration */
	uint32_t cts_slot;    /* of its ring of descriptors */
	uint32_t came[AHEAD]; /* parts that came from it */
	struct delays waits;  /* for it, in this step */
};

struct rank {
	struct host *host;
	uint32_t iteration;
	bool talking;          /* done with computing */
	bool ready;            /* its receives are posted */
	int64_t compute_until; /* ps: as planned; what is more is late */
	uint32_t step;         /* of its pattern: next */
	uint32_t completed;    /* data sent in this iteration that is there */
	uint32_t back;         /* double ring: likewise, the other way */
	uint32_t *got[AHEAD];  /* parts that came, by step */
	uint32_t last_from;    /* who sent what came last */
	int64_t stage_until;   /* ps, pipeline: busy so long */
	struct partner *with;  /* by rank */
};

struct collective {
	struct work work;
	struct collective_config c;
	struct rank *ranks;
	uint32_t steps;
	uint32_t finished;         /* ranks done with all iterations */
	uint64_t *sizes;           /* by iteration */
	int64_t *computes;         /* ps, by iteration */
	int64_t *jitters;          /* ps more, by iteration and rank */
	struct iteration **record; /* by iteration */
	struct rng rng;
};

static inline bool is_collective(const struct work *w)
{
	return w->kind->rank;
}

/* Messages that a transfer is made of. */
static inline uint32_t parts_of(const struct collective *c)
{
	return c->c.qps * c->c.slices;
}

/* pattern.c */
struct pattern_rule {
	const char *kind; /* of operation: allreduce, ... */
	uint32_t (*steps)(const struct collective *c);
	/* are there QPs from |a| to |b|? */
	bool (*joined)(const struct collective *c, uint32_t a, uint32_t b);
	/* transfers that |r| gets from |from| in an iteration */
	uint32_t (*expects)(const struct collective *c, uint32_t r,
			    uint32_t from);
	/* is |r|, which communicates, waiting for |from|? */
	bool (*awaits)(const struct collective *c, uint32_t r, uint32_t from);
	/* whatever can be done now */
	void (*go)(struct sim *s, struct collective *c, uint32_t r);
	/* bus bandwidth is this times bytes / time; 0: not defined */
	double (*bus)(const struct collective *c);
};
const struct pattern_rule *pattern_of(const struct collective *c);

/* collective.c: |r| is done with this iteration. */
void collective_finish(struct sim *s, struct collective *c, uint32_t r);
bool collective_is_done(const struct work *w);
uint32_t collective_iterations(const struct work *w);

/* exchange.c */
void exchange_begin(struct sim *s, struct collective *c, uint32_t r);
void exchange_send(struct sim *s, struct collective *c, uint32_t r,
		   uint32_t peer, uint64_t bytes, uint32_t step);
void exchange_came(struct sim *s, struct collective *c, struct message *m);
/* ... and its sender knows it. */
void exchange_completed(struct sim *s, struct collective *c, struct message *m);

/* delay.c.  Notes every |tick| what ranks wait for, from now on. */
void delay_start(struct sim *s);
/* The step of |r| is over; |from| came last.  Only that wait counts. */
void delay_step(struct collective *c, uint32_t r, uint32_t from);
/* The iteration is: all that is still to be counted. */
void delay_over(struct collective *c, uint32_t r);

#endif
