/* SPDX-License-Identifier: GPL-2.0-or-later
 * Was the clock set?  Wall time is held against time that only goes on. */
#ifndef FABSCOPE_RUN_CLOCKWATCH_H
#define FABSCOPE_RUN_CLOCKWATCH_H

#include <stdbool.h>
#include <stdint.h>

enum { CLOCK_STEP_NS = 50 * 1000 * 1000 };

struct clockwatch {
	int64_t offset; /* realtime - monotonic */
	bool set;
};

static inline int64_t clockwatch_step(const struct clockwatch *c,
				      int64_t realtime, int64_t monotonic)
{
	int64_t step = realtime - monotonic - c->offset;
	bool steered = step < CLOCK_STEP_NS && step > -CLOCK_STEP_NS;

	return !c->set || steered ? 0 : step;
}

/* Nanoseconds that the clock was set forward (or back) by since the last look;
 * 0 when it was only steered. */
static inline int64_t clockwatch_look(struct clockwatch *c, int64_t realtime,
				      int64_t monotonic)
{
	int64_t step = clockwatch_step(c, realtime, monotonic);

	c->offset = realtime - monotonic;
	c->set = true;
	return step;
}

/* Now and then, so that long steering is not taken for a step; a step is left
 * to the next look, which comes between the packets that it lies between. */
static inline void clockwatch_steer(struct clockwatch *c, int64_t realtime,
				    int64_t monotonic)
{
	if (!clockwatch_step(c, realtime, monotonic))
		clockwatch_look(c, realtime, monotonic);
}

#endif
