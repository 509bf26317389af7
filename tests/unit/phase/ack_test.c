/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a rank waits for that an acknowledgement releases, by vectors worked out
 * by hand. */
#include "ring.h"

/* Each rank begins an iteration 200 us, and |more| of rank 1 in the sixth,
 * behind the acknowledgement of its last step. */
static void acknowledge(struct world *w, int64_t more)
{
	w->late[1][5] += more;
	play(w);
	for (int r = 0; r < RANKS; r++)
		for (int i = 1; i < ROUNDS; i++)
			w->a[r][i * STEPS - 1].acked =
				w->a[r][i * STEPS].from - 200 * US -
				(r == 1 && i == 5 ? more : 0);
}

static void acknowledged_at_times(struct world *w, int64_t most, int64_t more)
{
	for (int r = 0; r < RANKS; r++)
		for (int i = 1; i < ROUNDS; i++)
			w->late[r][i] = (r * 3 + i * 5) % 8 * 5 * US;
	w->late[1][5] = most;
	acknowledge(w, more);
}

/* It comes up to 35 us behind all that the rank got: nobody is late, but for
 * the one that takes 50 us more. */
static void a_rank_may_wait_for_its_acknowledgement(void **state)
{
	(void)state;
	for (int64_t more = 0; more <= 50 * US; more += 50 * US) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h;

		acknowledged_at_times(w, 35 * US, more);
		h = hear(w);
		assert_int_equal(of_side(h, "host"), more);
		assert_int_equal(h->rank[1], more);
		free(h);
		free(w);
	}
}

/* The one that rank 1 waits for longest was held back by its receiver, as the
 * others were, or it was 30 us longer on its way back than these. */
static void an_acknowledgement_is_held_back_or_queued(void **state)
{
	(void)state;
	for (int queued = 0; queued < 2; queued++) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h;

		acknowledged_at_times(w, 60 * US, 0);
		for (int r = 0; r < RANKS; r++)
			for (int i = 1; i < ROUNDS; i++) {
				struct phase_activity *a =
					&w->a[r][i * STEPS - 1];

				a->unacked = 0;
				a->returned = a->acked - 2 * US;
			}
		w->a[1][5 * STEPS - 1].returned -= queued ? 30 * US : 0;
		h = hear(w);
		assert_int_equal(of_side(h, "host"), 0);
		assert_int_equal(of_side(h, "network"), queued ? 30 * US : 0);
		free(h);
		free(w);
	}
}

/* That of rank 2 comes always 30 us later.  Without it that is a straggler. */
static void who_waits_for_it_is_no_straggler(void **state)
{
	(void)state;
	for (int acks = 0; acks < 2; acks++) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h;

		for (int i = 1; i < ROUNDS; i++)
			w->late[2][i] = 30 * US;
		if (acks)
			acknowledge(w, 0);
		else
			play(w);
		h = hear(w);
		for (int r = 0; r < RANKS; r++)
			assert_int_equal(h->straggler[r], r == 2 && !acks);
		assert_int_equal(of_side(h, "host") > 0, !acks);
		free(h);
		free(w);
	}
}

/* Without a second tap the same may be its receiver. */
static void a_late_acknowledgement_is_ambiguous(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	w->queued[0][4 * STEPS + 2] = 30 * US;
	play(w);
	for (int r = 0; r < RANKS; r++) {
		w->flows[r].far = w->flows[r].dst_seen = false;
		for (int k = 0; k < ROUNDS * STEPS; k++)
			w->a[r][k].acked = w->a[r][k].arrived;
	}
	h = hear(w);
	assert_int_equal(of_side(h, "network"), 0);
	assert_int_equal(of_side(h, "host"), 0);
	assert_int_equal(h->share[SHARE_LATE_ACK], 30 * US);
	free(h);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rank_may_wait_for_its_acknowledgement),
		cmocka_unit_test(an_acknowledgement_is_held_back_or_queued),
		cmocka_unit_test(who_waits_for_it_is_no_straggler),
		cmocka_unit_test(a_late_acknowledgement_is_ambiguous),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
