/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which of many like cases a test tries: all, or under the sanitizers each
 * fourth (docs/testing.md, "Builds"). */
#ifndef FABSCOPE_TESTS_CASES_H
#define FABSCOPE_TESTS_CASES_H

#include <stdlib.h>

/* Each how many-th of them, at least 1. */
static inline long cases_each(void)
{
	const char *each = getenv("FABSCOPE_EACH");
	long k = each ? strtol(each, NULL, 10) : 1;

	return k < 1 ? 1 : k;
}

#endif
