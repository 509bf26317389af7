/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the hosts are busy with: flows of messages, collectives. */
#ifndef FABSCOPE_SIMULATE_WORK_H
#define FABSCOPE_SIMULATE_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "simulate/rng.h"
#include "simulate/truth.h"

struct qp;
struct sim;

struct work_kind {
	const char *name;
	void (*start)(struct sim *s, struct work *w);
	/* the receiver has all of |m|; the sender knows it */
	void (*delivered)(struct sim *s, struct work *w, struct message *m);
	void (*completed)(struct sim *s, struct work *w, struct message *m);
	void (*free)(struct work *w);
};

struct work {
	const struct work_kind *kind;
	char name[32];
	int64_t start; /* ps */
};

/* A stream of messages on one QP. */
enum { WORK_OPS = 8 };
struct flow_work {
	struct work work;
	struct qp *qp;
	enum msg_op op[WORK_OPS]; /* taken in turn */
	uint32_t n_ops;
	uint64_t size, size_max; /* random in between when they differ */
	uint64_t count;          /* 0: for ever */
	uint32_t depth;          /* messages under way */
	int64_t gap;             /* ps from completion to the next */
	int64_t every;           /* ps between messages, whatever completes */
	int64_t stop;            /* ps, 0: never */
	uint64_t posted;
	struct rng *rng; /* owned */
};

enum pattern { PATTERN_RING, PATTERN_TREE, PATTERN_ALLTOALL };

struct collective_config {
	enum pattern pattern;
	struct host **ranks; /* borrowed until collective_new returns */
	uint32_t n;
	uint64_t size; /* octets each rank contributes */
	uint32_t iterations;
	uint32_t qps;            /* per pair of ranks */
	int64_t compute, jitter; /* ps before each iteration; up to more */
	uint32_t late_rank;
	int64_t late;        /* ps more that late_rank computes */
	uint32_t late_from;  /* iteration from which on */
	bool alternate_late; /* every second iteration only */
};

struct qp_config;

struct work *flow_new(struct sim *s, const char *name,
		      const struct flow_work *like);
/* Makes its QPs too: PSN 0, numbers from |qpn| on, as |qc| says. */
struct work *collective_new(struct sim *s, const char *name,
			    const struct collective_config *c,
			    const struct qp_config *qc, uint32_t qpn,
			    int64_t start);

void work_start(struct sim *s);
void work_delivered(struct sim *s, struct message *m);
void work_completed(struct sim *s, struct message *m);
void work_free(struct work *w);

#endif
