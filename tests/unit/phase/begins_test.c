/* SPDX-License-Identifier: GPL-2.0-or-later
 * A rank that is late in each iteration, in captures that begin in one, by
 * vectors worked out by hand.
 *
 * Host 1 begins 400 us later than the others.  These send what they can, and
 * are idle for longer than they compute; it sends all its three pieces in 46 us
 * then, and begins the next 600 us later: an iteration takes 646 us, and not
 * 252. */
#include "ring.h"

enum { LATE = 400 * US, COST = 646 * US - 252 * US };

/* What began before |from| was not captured. */
static void begin_at(struct world *w, int64_t from)
{
	for (int r = 0; r < RANKS; r++) {
		struct phase_flow *g = &w->flows[r];

		while (g->n && g->a[0].from < from) {
			g->a++;
			g->n--;
			g->messages--;
		}
	}
	w->in.first_ns = from;
}

static struct heard *hear_from(int64_t (*from)(const struct world *w))
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	for (int i = 1; i < ROUNDS; i++)
		w->late[1][i] = LATE;
	play(w);
	begin_at(w, from(w));
	h = hear(w);
	free(w);
	return h;
}

/* While all wait for it, the second time: what begins then is the rest of an
 * iteration of which the others' begins are missing. */
static int64_t while_all_wait(const struct world *w)
{
	return w->a[1][STEPS].from - 50 * US;
}

/* Behind the first pieces of the others. */
static int64_t behind_first_pieces(const struct world *w)
{
	return w->a[3][STEPS].from + 1;
}

static void it_is_late_wherever_the_capture_begins(void **state)
{
	int64_t (*const from[])(const struct world *) = { while_all_wait,
							  behind_first_pieces };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct heard *h = hear_from(from[i]);
		/* The second time it begins late when the capture has
		 * begun. */
		int64_t cost = (ROUNDS - 2 + i) * COST;

		assert_int_equal(h->job.iterations, ROUNDS - 2);
		assert_in_range(h->share[SHARE_LATE], cost - cost / 20,
				cost + cost / 20);
		assert_int_equal(h->share[SHARE_LATE], h->rank[1]);
		assert_in_range(of_side(h, "network"), 0, 10 * US);
		free(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_late_wherever_the_capture_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
