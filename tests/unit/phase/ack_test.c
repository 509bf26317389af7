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

/* Of each iteration one rank waits 60 us for the acknowledgement of its last
 * step, in the sixth |longest|, and the others 40 us, from the moment at which
 * everybody has got all.  It needs no more than 2.5 us: of a first step it is
 * there 4 us behind the last packet, of which 2 us are the way forth, and a
 * quarter more of the other 2 is noise.  The rest its receiver held it back. */
static int64_t held_until(int r, int i, int64_t longest)
{
	return r != i % RANKS ? 40 * US : i == 5 ? longest : 60 * US;
}

static void hold_back(struct world *w, int64_t longest)
{
	for (int i = 1; i < ROUNDS; i++) {
		int64_t end = 0;

		play(w);
		for (int r = 0; r < RANKS; r++)
			if (w->a[r][i * STEPS - 1].arrived > end)
				end = w->a[r][i * STEPS - 1].arrived;
		for (int r = 0; r < RANKS; r++)
			w->late[r][i] += end + held_until(r, i, longest) +
					 200 * US - w->a[r][i * STEPS].from;
	}
	play(w);
	for (int r = 0; r < RANKS; r++)
		for (int i = 1; i < ROUNDS; i++) {
			struct phase_activity *last = &w->a[r][i * STEPS - 1];
			struct phase_activity *first = last - 2;

			last->acked = w->a[r][i * STEPS].from - 200 * US;
			first->acked = first->sent + 4 * US;
			last->returned = last->acked - 2 * US;
			first->returned = first->acked - 2 * US;
			last->unacked = first->unacked = 0;
		}
}

/* As long in all iterations it is how the job works; 30 us more are not, and
 * nobody knows what they are. */
static void what_is_held_back_always_is_needed(void **state)
{
	(void)state;
	for (int64_t more = 0; more <= 30 * US; more += 30 * US) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h;

		hold_back(w, 60 * US + more);
		h = hear(w);
		assert_int_equal(h->share[SHARE_NEEDED],
				 (ROUNDS - 1) * (60 * US - 2500));
		assert_int_equal(h->share[SHARE_HELD_ACK], more);
		assert_int_equal(of_side(h, "unknown"), more);
		assert_int_equal(of_side(h, "network"), 0);
		assert_int_equal(of_side(h, "host"), 0);
		free(h);
		free(w);
	}
}

/* In 30 of these 90 us its receiver sent 240 kB of another job, which are 24 us
 * of its link: behind these it stood. */
static void an_acknowledgement_behind_another_job(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct phase_activity *a = &w->other;
	struct heard *h;

	(void)state;
	hold_back(w, 90 * US);
	*a = w->a[1][5 * STEPS - 1];
	a->from = a->there + 10 * US;
	a->sent = a->from + 30 * US;
	a->came = a->from + 2 * US;
	a->there = a->arrived = a->over = a->sent + 2 * US;
	a->bytes = 240000;
	w->flows[RANKS].src = 2;
	w->flows[RANKS].dst = RANKS;
	w->flows[RANKS].a = a;
	w->flows[RANKS].n = 1;
	h = hear(w);
	assert_int_equal(h->share[SHARE_BEHIND], 24 * US);
	assert_int_equal(h->share[SHARE_HELD_ACK], 6 * US);
	assert_int_equal(of_side(h, "host"), 0);
	free(h);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rank_may_wait_for_its_acknowledgement),
		cmocka_unit_test(an_acknowledgement_is_held_back_or_queued),
		cmocka_unit_test(who_waits_for_it_is_no_straggler),
		cmocka_unit_test(what_is_held_back_always_is_needed),
		cmocka_unit_test(an_acknowledgement_behind_another_job),
		cmocka_unit_test(a_late_acknowledgement_is_ambiguous),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
