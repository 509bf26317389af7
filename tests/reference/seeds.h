/* SPDX-License-Identifier: GPL-2.0-or-later
 * Claims that must hold for every seed of a model. */
#ifndef FABSCOPE_TESTS_REFERENCE_SEEDS_H
#define FABSCOPE_TESTS_REFERENCE_SEEDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { SEEDS = 200, MESSAGES = 300 };

static unsigned broken;

/* Counts what does not hold; names the first two seeds of each claim. */
#define HOLDS(seed, what)                                                 \
	do {                                                              \
		static unsigned here;                                     \
                                                                          \
		if (what)                                                 \
			break;                                            \
		broken++;                                                 \
		if (here++ < 2)                                           \
			print_error("%s:%d: seed %u: not %s\n", __FILE__, \
				    __LINE__, seed, #what);               \
	} while (0)

/* Nothing is said to be lost, on the way or by the capture. */
#define HOLDS_NOTHING_LOST(seed, f)                         \
	do {                                                \
		HOLDS(seed, (f)->lost_upstream == 0);       \
		HOLDS(seed, (f)->lost_downstream_max == 0); \
		HOLDS(seed, (f)->capture_missing == 0);     \
		HOLDS(seed, (f)->unresolved == 0);          \
	} while (0)

struct play;
typedef void judge_fn(const struct play *x, uint32_t seed);

/* In the file that includes this: |faults| in one run, judged. */
static void play_and_judge(const void *faults, uint32_t seed, judge_fn *judge);

static void for_every_seed(const void *faults, judge_fn *judge)
{
	broken = 0;
	for (uint32_t seed = 1; seed <= SEEDS; seed++)
		play_and_judge(faults, seed, judge);
	if (broken)
		fail_msg("%u claims broken in %d seeds", broken, SEEDS);
}

#endif
