/* SPDX-License-Identifier: GPL-2.0-or-later
 * Texts in which something repeats, and whether their reader is linear in how
 * often. */
#ifndef FABSCOPE_TESTS_DOUBLING_H
#define FABSCOPE_TESTS_DOUBLING_H

#include <stddef.h>

#include "steps.h"

/* In each "%u" stands a number: in |unit| how often it came before, in |begin|
 * 0, in |end| 1.  Between \1 stands what comes before another list, as long. */
struct doubling {
	const char *name, *begin, *unit, *between, *end;
};

/* What |read| takes for |units| of each of |shapes|, and for so many times
 * more; fails unless that is linear. */
void doubling_linear(const struct doubling *shapes, size_t n, unsigned units,
		     struct steps_run (*read)(char *text, size_t n));

#endif
