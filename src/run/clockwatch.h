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

/* Nanoseconds that the clock was set forward (or back) by since the last look;
 * 0 when it was only steered, which no one call may see as a step. */
static inline int64_t clockwatch_look(struct clockwatch *c, int64_t realtime,
				      int64_t monotonic)
{
	int64_t offset = realtime - monotonic, step = offset - c->offset;
	bool first = !c->set;

	c->offset = offset;
	c->set = true;
	if (first || (step < CLOCK_STEP_NS && step > -CLOCK_STEP_NS))
		return 0;
	return step;
}

#endif
