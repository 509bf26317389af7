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
	int64_t at;
	uint64_t order;
	event_fn *fn;
	void *object;
	uint64_t argument;
};

struct events {
	struct event *heap;
	size_t n, cap;
	uint64_t order;
};

void events_add(struct events *q, int64_t at, event_fn *fn, void *object,
		uint64_t argument);

/* Takes the earliest; |q| must not be empty. */
struct event events_take(struct events *q);

void events_fini(struct events *q);

#endif
