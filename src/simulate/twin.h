/* SPDX-License-Identifier: GPL-2.0-or-later
 * Twins: the same seed and the same work once more, without something.
 *
 * A scenario with "run ... twins=yes" is run as it is, and then again without
 * each problem that it declares, and in fabrics that are less and less real.
 * What a job took longer with something than without it, that something cost;
 * the record has it as the answer that an analysis should give.
 *
 *   twin.c    the runs
 *   answer.c  what each problem and each part of the fabric cost
 *   truth_answer.c  the same as JSON, with where it began */
#ifndef FABSCOPE_SIMULATE_TWIN_H
#define FABSCOPE_SIMULATE_TWIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct link_truth;
struct port;
struct sim;
struct problem;
struct work;

/* What a fabric does to packets; each does what the one before it does. */
enum fabric {
	FABRIC_INSTANT, /* nothing on a link or in a switch takes time */
	FABRIC_IDEAL,   /* links between switches carry packets side by side,
			 * and nobody but one job is there */
	FABRIC_QUEUES,  /* a link carries one packet at a time, for all jobs */
	FABRIC_PAUSES,  /* switches send PFC pauses */
	FABRIC_MARKS,   /* ... and mark */
	FABRIC_REAL,    /* ... and have buffers that end */
	FABRICS
};

/* What a run is without; all zero but |fabric| for the run itself. */
struct twin {
	enum fabric fabric;
	uint32_t off;      /* bit per problem: as if it were not declared */
	const char *alone; /* the only work that begins, or NULL */
	bool is_twin;      /* writes no captures */
};

enum side { SIDE_NEEDED, SIDE_NETWORK, SIDE_HOST };

/* Where time goes, and on whose side that is unless a problem says so. */
#define ANSWER_CLASSES(X)                       \
	X(COMPUTE, "compute", NEEDED)           \
	X(WIRE, "wire", NEEDED)                 \
	X(QUEUEING, "queueing", NETWORK)        \
	X(LOSS, "loss", NETWORK)                \
	X(RATE_CUT, "rate-cut", NETWORK)        \
	X(PAUSE, "pause", NETWORK)              \
	X(HOST_LATE, "host-late", HOST)         \
	X(HOST_RECEIVER, "host-receiver", HOST) \
	X(HOST_NIC, "host-nic", HOST)

enum answer_class {
#define X(id, name, side) CLASS_##id,
	ANSWER_CLASSES(X)
#undef X
		ANSWER_CLASS_COUNT
};

enum { PROBLEMS = 4, PROBLEM_PLACES = 16, PROBLEM_TEXT = 64 };

/* Something that a scenario does to a job, and would not have to. */
struct problem {
	char name[32];
	enum answer_class class;
	enum side side;
	/* where it begins: hosts, directions of links, works; any will do */
	char at[PROBLEM_PLACES][PROBLEM_TEXT];
	unsigned n_at;
};

struct part {
	enum answer_class class;
	enum side side;
	int64_t ps;
	const struct problem *problem; /* NULL: what the fabric did */
};

enum { ANSWER_PARTS = 2 + PROBLEMS + FABRICS };

struct twin_answer {
	const struct work *work;
	int64_t total, ideal; /* ps: first to last packet, and of
			       * the twin without problems */
	struct part part[ANSWER_PARTS];
	unsigned n_parts;
	int64_t *took; /* ps, by iteration; and of the twin */
	int64_t *took_ideal;
	uint32_t iterations;
};

/* What a run took: by collective, in the order of the scenario. */
struct twin_times {
	int64_t *span; /* ps, first to last packet; -1 not done */
	size_t n;
};

/* Runs |path| once more as |t| says; 0, or -1 and |err|.  |took| may be NULL,
 * or gets the iterations of |t|->alone. */
int twin_run(const struct sim *s, const char *path, const struct twin *t,
	     struct twin_times *times, int64_t *took, struct err *err);

/* The times of a run that is over; |times->span| is owned by the caller. */
void twin_measure(const struct sim *s, struct twin_times *times);
/* ... of each iteration of |w|. */
void twin_iterations(const struct sim *s, const struct work *w, int64_t *took);

/* Fills |s->answers|, from |s| that is over and as many twins as it takes. */
int answers_make(struct sim *s, const char *path, struct err *err);
void answers_free(struct sim *s);

/* After reading a scenario: what is instant where the twin wants that. */
void twin_prepare(struct sim *s);

#endif
