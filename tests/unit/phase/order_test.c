/* SPDX-License-Identifier: GPL-2.0-or-later
 * A rank that takes data from one peer after the other: a tree of four, worked
 * out by hand.
 *
 * Rank 0 takes 50 us of data from rank 1 and then asks rank 2 for 10 us, which
 * has had its own from rank 3 for long by then: that may come later and costs
 * nothing.  Then all goes back; every 400 us an iteration of 116 us. */
#include "ring.h"

enum { EVERY = 400 * US, LATER = 20 * US };

static void put(struct world *w, size_t flow, uint32_t src, uint32_t dst,
		int64_t from, int64_t takes)
{
	struct phase_activity *a = &w->a[flow % RANKS][flow / RANKS * ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		int64_t at = 1000 * US + i * EVERY + from;

		a[i] = (struct phase_activity) {
			.from = at,
			.sent = at + takes,
			.came = at + 2 * US,
			.there = at + takes + 2 * US,
			.bytes = (uint64_t)takes * 10,
			.psns = (uint64_t)takes / 400,
			.acked = PHASE_UNKNOWN,
			.asked = PHASE_UNKNOWN,
			.unacked = PHASE_UNKNOWN,
			.returned = PHASE_UNKNOWN,
			.granted = PHASE_UNKNOWN,
		};
		a[i].over = a[i].arrived = a[i].there;
	}
	w->flows[flow] = (struct phase_flow) { .id = (uint32_t)flow + 1,
					       .src = src,
					       .dst = dst,
					       .wire = 1,
					       .messages = ROUNDS,
					       .far = true,
					       .src_seen = true,
					       .dst_seen = true,
					       .a = a,
					       .n = ROUNDS };
}

/* Rank 0 asks at |asks|, which comes 2 us later and is obeyed within |takes|.
 * What rank 2 waits for is |LATER|, but for once. */
static struct heard *in_turn(int64_t asks, int64_t takes, uint64_t messages)
{
	struct world *w = calloc(1, sizeof *w);
	int64_t at = asks + 2 * US + takes;
	struct heard *h;

	play(w); /* for the hosts */
	put(w, 0, 1, 0, 0, 50 * US);
	put(w, 1, 3, 2, 0, 10 * US);
	put(w, 2, 2, 0, at, 10 * US);
	put(w, 3, 0, 1, at + 20 * US, 10 * US);
	put(w, 4, 0, 2, at + 30 * US, 10 * US);
	put(w, 5, 2, 3, at + 50 * US, 10 * US);
	w->flows[0].messages = messages * ROUNDS;
	w->flows[2].driven = true;
	for (int i = 1; i < ROUNDS; i++)
		w->flows[2].a[i - 1].asked = w->flows[2].a[i].from - takes;
	for (int i = 1; i < ROUNDS; i++) {
		struct phase_activity *a = &w->flows[1].a[i];

		a->over = a->arrived = a->there += LATER;
	}
	w->in.n_flows = 6;
	w->in.last_ns = w->flows[5].a[ROUNDS - 1].arrived;
	h = hear(w);
	free(w);
	assert_int_equal(h->job.iterations, ROUNDS);
	return h;
}

static void who_is_asked_in_its_turn_waits_for_that(void **state)
{
	struct heard *h = in_turn(52 * US, 1 * US, 1);

	(void)state;
	assert_int_equal(of_side(h, "network"), 0);
	assert_int_equal(of_side(h, "host"), 0);
	free(h);
}

/* Rank 0 asks as soon as ranks pass anything on, 8 us after it got what came
 * before, and rank 2 takes as long until it obeys: neither is late. */
static void what_its_sender_takes_is_not_the_receivers(void **state)
{
	struct heard *h = in_turn(60 * US, 8 * US, 1);

	(void)state;
	assert_int_equal(of_side(h, "network"), 0);
	assert_int_equal(of_side(h, "host"), 0);
	free(h);
}

/* The first of two messages that follow each other was there 5 us before the
 * second. */
static void its_turn_may_come_between_two_messages(void **state)
{
	struct heard *h = in_turn(47 * US, 1 * US, 2);

	(void)state;
	assert_int_equal(of_side(h, "network"), 0);
	/* Nothing is known of what asked at first. */
	assert_true(of_side(h, "host") <= LATER);
	free(h);
}

/* Both children compute before each iteration: rank 1 for 176 us, rank 2 for
 * 180 us more.  Rank 0 passes on what came from that within 8 us, although all
 * others take longer from what they get to what they send. */
static void who_passes_on_does_not_compute(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	play(w); /* for the hosts */
	put(w, 0, 1, 0, 0, 10 * US);
	put(w, 1, 2, 0, 192 * US, 10 * US);
	put(w, 2, 0, 1, 212 * US, 10 * US);
	put(w, 3, 0, 2, 224 * US, 10 * US);
	w->in.n_flows = 4;
	w->in.last_ns = w->flows[3].a[ROUNDS - 1].arrived;
	h = hear(w);
	free(w);
	assert_int_equal(h->job.iterations, ROUNDS);
	assert_int_equal(of_side(h, "network"), 0);
	assert_true(of_side(h, "host") >= (ROUNDS - 1) * 180 * US);
	assert_true(of_side(h, "host") <= ROUNDS * 192 * US);
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_asked_in_its_turn_waits_for_that),
		cmocka_unit_test(what_its_sender_takes_is_not_the_receivers),
		cmocka_unit_test(its_turn_may_come_between_two_messages),
		cmocka_unit_test(who_passes_on_does_not_compute),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
