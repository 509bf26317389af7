/* SPDX-License-Identifier: GPL-2.0-or-later
 * What happens next: a queue of events in time order.
 *
 * Times are picoseconds since the start of the run (a frame's time on a
 * 1.6 Tb/s link is not a whole number of nanoseconds).  Events of the same
 * time happen in the order in which they were planned, so a run repeats to
 * the byte. */
#ifndef FABSCOPE_SIMULATE_EVENTS_H
#define FABSCOPE_SIMULATE_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#define PS_PER_NS INT64_C(1000)
#define PS_PER_US INT64_C(1000000)
#define PS_PER_MS INT64_C(1000000000)
#define PS_PER_S  INT64_C(1000000000000)

struct sim;

typedef void event_fn(struct sim *, void *object, uint64_t argument);

struct event {
	event_fn *fn;
	void *object;
	uint64_t argument;
};

struct planned {
	int64_t at;
	uint64_t order;
	struct event event;
};

/* A row of events that came in order of time: a ring. */
struct event_fifo {
	struct planned *ring;
	uint32_t first, n, cap; /* cap: a power of two */
};

enum { EVENT_FIFOS = 8 };

struct events {
	struct planned *heap; /* those that fit no FIFO */
	size_t n_heap, cap;
	size_t n; /* in all */
	uint64_t order;
	/* of each FIFO, 0.. and the heap last: when the first of it is, and
	 * when the last of it is (INT64_MAX, INT64_MIN: empty) */
	int64_t head[EVENT_FIFOS + 1], tail[EVENT_FIFOS];
	struct event_fifo fifos[EVENT_FIFOS];
};

void events_init(struct events *q);

void events_add(struct events *q, int64_t at, event_fn *fn, void *object,
		uint64_t argument);

/* Takes the earliest and says when it is; |q| must not be empty. */
struct planned events_take(struct events *q);

/* What was just taken is not for now: it keeps its turn. */
void events_put_back(struct events *q, const struct planned *e);

void events_fini(struct events *q);

#endif
