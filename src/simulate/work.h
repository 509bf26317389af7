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
	/* host of a rank of a collective, NULL when there is none; other work
	 * has no such function */
	const struct host *(*rank)(const struct work *w, uint32_t r);
	bool ends; /* without being a collective */
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
	int64_t gap, gap_to;     /* ps from completion to the next */
	int64_t every;           /* ps between messages, whatever completes */
	int64_t stop;            /* ps, 0: never */
	uint64_t posted;
	struct rng *rng; /* owned */
};

#define PATTERNS(X)                       \
	X(RING, "ring")                   \
	X(DOUBLERING, "doublering")       \
	X(TREE, "tree")                   \
	X(ALLTOALL, "alltoall")           \
	X(ALLGATHER, "allgather")         \
	X(REDUCESCATTER, "reducescatter") \
	X(PIPELINE, "pipeline")           \
	X(RAIL, "rail")                   \
	X(PARALLEL, "parallel")

enum pattern {
#define X(id, name) PATTERN_##id,
	PATTERNS(X)
#undef X
};

struct collective_config {
	enum pattern pattern;
	struct host **ranks; /* borrowed until collective_new returns */
	uint32_t n;
	uint64_t size; /* bytes each rank contributes */
	uint32_t iterations;
	uint32_t qps;            /* per pair of ranks */
	uint32_t slices;         /* messages of a transfer on each of them */
	int64_t compute, jitter; /* ps before each iteration; up to more */
	uint32_t late_rank, late_ranks; /* the first, how many */
	int64_t late;                   /* ps more that these compute */
	uint32_t late_from;             /* iteration from which on */
	bool alternate_late;            /* every second iteration only */
	uint64_t size_to;    /* sizes by chance up to it, by iteration */
	int64_t compute_to;  /* ps, likewise */
	bool nccl, adaptive; /* see exchange.c */
	uint32_t recv_rank;  /* posts its receives ... */
	int64_t recv_late;   /* ps later */
	uint32_t recv_from;  /* iteration from which on */
	bool rnr_only;       /* rnr_every is meant for ... */
	uint32_t rnr_rank;   /* only */
	uint32_t server;     /* rail: ranks a machine */
	uint32_t micro;      /* pipeline: micro-batches */
	int64_t stage;       /* ps a rank works on each */
	/* parallel: how many replicas, stages, and experts of a layer; bytes
	 * that go from stage to stage, and from expert to expert, a batch */
	uint32_t dp, pp, ep;
	uint64_t activations, experts;
	/* all to all: to one rank after another; all to rank 0 first */
	bool serial, same_order;
};

struct qp_config;

struct work *flow_new(struct sim *s, const char *name,
		      const struct flow_work *like);
/* Makes its QPs too: PSN 0, numbers from |qpn| on, as |qc| says. */
struct work *collective_new(struct sim *s, const char *name,
			    const struct collective_config *c,
			    const struct qp_config *qc, uint32_t qpn,
			    int64_t start);

/* All of them, or the only one that a twin has. */
void work_start(struct sim *s);
/* A collective, or other work that ends, has finished. */
void work_is_done(struct sim *s);
void work_delivered(struct sim *s, struct message *m);
void work_completed(struct sim *s, struct message *m);
void work_free(struct work *w);

#endif
