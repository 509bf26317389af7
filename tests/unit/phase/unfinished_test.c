/* SPDX-License-Identifier: GPL-2.0-or-later
 * Captures that end inside an iteration, by vectors worked out by hand.
 *
 * A pipeline of three: 100 kB take 10 us, and 2 us more to the next.  Rank 0
 * begins one of four batches each 70 us; rank 1 passes it on 20 us after it
 * came, rank 2 sends it back after 50 us, and rank 1 after 40 us more.  100 us
 * behind the last the next iteration begins. */
#include "ring.h"

enum { BATCHES = 4, FLOWS = 4, EACH = 70, ONE = 468 };

/* When batch 0 is sent from 0 to 1, from 1 to 2, from 2 to 1, from 1 to 0. */
static const struct {
	uint32_t src, dst;
	int at;
} hops[FLOWS] = { { 0, 1, 0 }, { 1, 2, 32 }, { 2, 1, 94 }, { 1, 0, 146 } };

/* Up to |end| us of the last iteration. */
static struct heard *up_to(int end)
{
	static struct phase_activity a[FLOWS][ROUNDS * BATCHES];
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	assert_non_null(w);
	play(w);
	for (int f = 0; f < FLOWS; f++) {
		struct phase_flow *g = &w->flows[f];

		g->src = hops[f].src;
		g->dst = hops[f].dst;
		g->a = a[f];
		g->n = 0;
		for (int k = 0; k < ROUNDS * BATCHES; k++) {
			int us = hops[f].at + k % BATCHES * EACH;
			int64_t at = 1000 * US + (k / BATCHES * ONE + us) * US;

			if (k / BATCHES == ROUNDS - 1 && us >= end)
				continue;
			a[f][g->n] = w->a[0][0];
			a[f][g->n].from = at;
			a[f][g->n].sent = at + 10 * US;
			a[f][g->n].came = at + 2 * US;
			a[f][g->n].there = at + 12 * US;
			a[f][g->n].over = a[f][g->n].arrived = at + 12 * US;
			g->n++;
		}
		g->messages = g->n;
	}
	w->in.n_flows = FLOWS;
	w->in.last_ns = 1000 * US + ((ROUNDS - 1) * ONE + end + 20) * US;
	h = hear(w);
	free(w);
	return h;
}

static void what_is_missing_makes_nobody_late(void **state)
{
	(void)state;
	for (int end = 80; end <= 480; end += 40) {
		struct heard *h = up_to(end);

		assert_true(h->job.iterations >= ROUNDS - 1);
		assert_int_equal(of_side(h, "host"), 0);
		assert_int_equal(of_side(h, "network"), 0);
		free(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_missing_makes_nobody_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
