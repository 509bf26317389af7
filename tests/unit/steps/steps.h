/* SPDX-License-Identifier: GPL-2.0-or-later
 * Steps of code, counted: no clock and no other process has a part in it.
 *
 * What is measured is built once more for such a test (add_counted() in
 * CMakeLists.txt): the compiler puts a call of __sanitizer_cov_trace_pc() in
 * front of each basic block, and the linker sends what it calls in the C
 * library to the functions of steps.c, which count the bytes that these look
 * at.  Each thread counts its own. */
#ifndef FABSCOPE_TESTS_STEPS_H
#define FABSCOPE_TESTS_STEPS_H

#include <stdint.h>

enum { STEPS_TIMES = 4 };

struct steps_run {
	uint64_t read; /* what was found: not nothing */
	uint64_t steps;
};

void steps_begin(void);
uint64_t steps_taken(void);

/* An input four times as long takes less than eight times as many steps: what
 * is linear takes four times as many, what is quadratic sixteen times.  0, or
 * 1 when it is not so, and says it. */
int steps_linear(const char *name, const struct steps_run *once,
		 const struct steps_run *four_times);

#endif
