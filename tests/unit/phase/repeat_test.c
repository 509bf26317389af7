/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which rounds are iterations, by vectors worked out by hand. */
#include "ring.h"

/* Iterations of the ring whose first messages of each round wait in queues,
 * and whose ranks compute longer before it. */
static int64_t iterations(const int64_t queued_us[ROUNDS],
			  const int64_t longer_us[ROUNDS])
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;
	int64_t n;

	assert_non_null(w);
	for (int i = 0; i < ROUNDS; i++)
		for (int r = 0; r < RANKS; r++) {
			w->queued[r][i * STEPS] = queued_us[i] * US;
			w->late[r][i] = longer_us[i] * US;
		}
	play(w);
	h = hear(w);
	n = h->job.iterations;
	free(h);
	free(w);
	return n;
}

static void what_goes_wrong_makes_iterations_uneven(void **state)
{
	static const int64_t none[ROUNDS] = { 0 };
	/* From begin to begin: 252 to 952 us; by more than a third of the
	 * median in most. */
	static const int64_t uneven[ROUNDS] = { 0,   700, 250, 0,
						500, 30,  650, 100 };

	(void)state;
	assert_int_equal(iterations(none, none), ROUNDS);
	/* ranks compute for 200 us, all the same */
	assert_int_equal(iterations(uneven, none), ROUNDS);
	/* the same intervals, and nothing that recurs */
	assert_int_equal(iterations(none, uneven), PHASE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_goes_wrong_makes_iterations_uneven),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
