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
					       .n = ROUNDS,
					       .asked = PHASE_UNKNOWN };
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

/* Rank 0 reads one part from rank 1, and when that is there the other one on a
 * second queue pair; what it got from rank 2 was there before.  Once the end of
 * the first part is lost: rank 0 asks again 190 us behind it, what comes is
 * there 2 us later, and all else is late. */
static void what_is_read_again_was_lost(void **state)
{
	enum { ONCE = 3, AGAIN = 200 * US, BY = 190 * US };
	struct world *w = calloc(1, sizeof *w);
	struct phase_activity v[ROUNDS + 1], *copy = &v[ONCE + 1];
	struct heard *h;

	(void)state;
	play(w); /* for the hosts */
	put(w, 0, 1, 0, 0, 10 * US);
	put(w, 1, 1, 0, 16 * US, 10 * US);
	put(w, 2, 0, 1, 36 * US, 10 * US);
	put(w, 3, 0, 2, 48 * US, 10 * US);
	put(w, 4, 2, 0, 0, 10 * US);
	for (int f = 1; f < 4; f++) {
		struct phase_activity *a = &w->flows[f].a[ONCE];

		a->from += BY;
		a->sent += BY;
		a->came += BY;
		a->arrived = a->over = a->there += BY;
	}
	memcpy(v, w->flows[0].a, ROUNDS * sizeof *v);
	memmove(copy + 1, copy, (ROUNDS - ONCE - 1) * sizeof *v);
	*copy = v[ONCE];
	copy->from += AGAIN;
	copy->sent = copy->from;
	copy->came = copy->there = copy->from + 2 * US;
	copy->bytes = 0;
	v[ONCE].arrived = copy->arrived = copy->over = copy->there;
	v[ONCE].over = copy->from;
	w->flows[0].a = v;
	w->flows[0].n++;
	for (int f = 0; f < 2; f++) {
		struct phase_flow *g = &w->flows[f];

		g->driven = true;
		for (size_t k = 0; k < g->n; k++) {
			g->a[k].psns = 0;
			if (k)
				g->a[k - 1].asked = g->a[k].from - 1 * US;
		}
	}
	w->in.n_flows = 5;
	w->in.last_ns = w->flows[3].a[ROUNDS - 1].arrived;
	h = hear(w);
	free(w);
	assert_int_equal(h->job.iterations, ROUNDS);
	assert_int_equal(of_side(h, "host"), 0);
	assert_in_range(h->share[SHARE_TIMER], BY - 2 * US, BY + 2 * US);
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
		cmocka_unit_test(what_is_read_again_was_lost),
		cmocka_unit_test(who_passes_on_does_not_compute),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
