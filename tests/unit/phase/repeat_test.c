/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which rounds are iterations, by vectors worked out by hand. */
#include "ring.h"

/* Of the ring whose first messages of each round wait in queues, and carry
 * |more| bytes. */
static int64_t iterations(const int64_t queued_us[ROUNDS],
			  const uint64_t more[ROUNDS])
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;
	int64_t n;

	assert_non_null(w);
	for (int i = 0; i < ROUNDS; i++)
		for (int r = 0; r < RANKS; r++)
			w->queued[r][i * STEPS] = queued_us[i] * US;
	play(w);
	for (int i = 0; i < ROUNDS; i++)
		for (int r = 0; r < RANKS; r++)
			w->a[r][i * STEPS].bytes += more[i];
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
	static const uint64_t same[ROUNDS] = { 0 };
	static const uint64_t other[ROUNDS] = { 0,      500000, 20000, 900000,
						300000, 70000,  0,     650000 };

	(void)state;
	assert_int_equal(iterations(none, same), ROUNDS);
	assert_int_equal(iterations(uneven, same), ROUNDS);
	/* nothing recurs */
	assert_int_equal(iterations(uneven, other), PHASE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_goes_wrong_makes_iterations_uneven),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
