/* SPDX-License-Identifier: GPL-2.0-or-later
 * A rank of a ring that takes longer to pass on than the others, always, by
 * vectors worked out by hand: 6 us each time, beside 8 us of each rank.
 *
 * What one rank begins an iteration with is passed on twice, by two of the four
 * others' places: the way that leads through the slow rank once takes 6 us
 * longer, and so does each iteration. */
#include "ring.h"

enum { SLOW = 6 * US };

/* Rank 2 takes |ns| longer to pass on, in all rounds from |first| on. */
static struct heard *slow_from(int first, int64_t ns)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	for (int k = first * STEPS; k < ROUNDS * STEPS; k++)
		if (k % STEPS)
			w->waits[2][k] = ns;
	play(w);
	h = hear(w);
	free(w);
	return h;
}

static void who_passes_on_slowly_is_found(void **state)
{
	struct heard *h = slow_from(0, SLOW);

	(void)state;
	assert_int_equal(h->job.iterations, ROUNDS);
	/* at least what it costs on average: three of four ways */
	assert_in_range(h->share[SHARE_LATER], ROUNDS * SLOW * 3 / 4,
			ROUNDS * SLOW);
	assert_int_equal(of_side(h, "network"), 0);
	free(h);
}

/* Half a microsecond of 8 is less than ranks differ by. */
static void ranks_may_differ(void **state)
{
	struct heard *h = slow_from(0, US / 2);

	(void)state;
	assert_int_equal(h->share[SHARE_LATER], 0);
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_passes_on_slowly_is_found),
		cmocka_unit_test(ranks_may_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
