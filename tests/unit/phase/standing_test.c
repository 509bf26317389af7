/* SPDX-License-Identifier: GPL-2.0-or-later
 * A queue that never is empty: vectors worked out by hand.
 *
 * All that rank 0 sends takes 32 us instead of 2, acknowledgements 2 us back.
 * Six switches store 4100 bytes for 2.46 us at 80 Gb/s: 27.54 us are too long.
 * The path through the ring takes that link once an iteration at most, and in
 * most of them. */
#include "ring.h"

enum { OVER = 27540, EXTRA = 30 * US };

/* Data of rank 0 takes |extra|, but |longer| each time in four but one, and
 * its acknowledgements |back|. */
static struct heard *said(int64_t extra, int64_t longer, int64_t back)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	for (int k = 0; k < ROUNDS * STEPS; k++)
		w->queued[0][k] = extra + (k % 4 ? longer : 0);
	play(w);
	for (int r = 0; r < RANKS; r++)
		for (int k = 0; k < ROUNDS * STEPS; k++) {
			struct phase_activity *a = &w->a[r][k];

			a->came += w->queued[r][k];
			a->returned = a->there + US / 10;
			a->acked = a->returned + (r ? 2 * US : back);
		}
	h = hear(w);
	free(w);
	return h;
}

static void all_take_longer_than_back(void **state)
{
	struct heard *h = said(EXTRA, 0, 2 * US);

	(void)state;
	/* clocks may differ */
	assert_int_equal(h->share[SHARE_STANDING] % OVER, 0);
	assert_in_range(h->share[SHARE_STANDING], (ROUNDS / 2 + 1) * OVER,
			ROUNDS * OVER);
	assert_int_equal(of_side(h, "network"), 0);
	assert_int_equal(of_side(h, "host"), 0);
	free(h);
}

static void most_wait_longer_still(void **state)
{
	struct heard *h = said(EXTRA, 5 * US, 2 * US);

	(void)state;
	assert_int_equal(h->share[SHARE_STANDING], 0);
	assert_in_range(h->share[SHARE_FULL] + h->share[SHARE_QUEUE],
			(ROUNDS / 2 + 1) * OVER, ROUNDS * (OVER + 5 * US));
	assert_true(h->share[SHARE_FULL] > h->share[SHARE_QUEUE]);
	assert_int_equal(of_side(h, "host"), 0);
	free(h);
}

static void both_ways_are_long(void **state)
{
	struct heard *h = said(EXTRA, 0, 32 * US);

	(void)state;
	nothing_was_wrong(h);
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_take_longer_than_back),
		cmocka_unit_test(most_wait_longer_still),
		cmocka_unit_test(both_ways_are_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
