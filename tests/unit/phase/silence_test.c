/* SPDX-License-Identifier: GPL-2.0-or-later
 * Silence that no iteration explains: two hosts that take turns.
 *
 * A message of so many kilobytes needs as many tenths of us on its link and
 * 2 us to the other host, which answers 20 us later; no two are alike. */
#include "ring.h"

enum { TURNS = 7, WORK = 20 * US, FROZEN = 80 * US };

/* The host whose turn |longer| is is frozen for |by|;
 * |both|: they take turns, and not the first alone. */
static struct heard *turns(int longer, int64_t by, bool both)
{
	struct world *w = calloc(1, sizeof *w);
	int64_t at = 1000 * US;
	size_t n[2] = { 0, 0 };
	struct heard *h;

	play(w);
	for (int k = 0; k < TURNS; k++) {
		int r = both ? k % 2 : 0;
		struct phase_activity *a = &w->a[r][n[r]++];
		int64_t takes = (30 + 7 * (k * k * 37 % 101)) * US / 10;

		*a = w->a[r][0];
		at += k ? WORK + (k == longer ? by : 0) : 0;
		a->from = at;
		a->sent = at + takes;
		a->came = at + 2 * US;
		a->there = a->arrived = a->over = a->sent + 2 * US;
		a->bytes = (uint64_t)takes * 10;
		at = both ? a->arrived : a->sent;
	}
	for (int r = 0; r < RANKS; r++)
		w->flows[r].n = w->flows[r].messages = r < 2 ? n[r] : 0;
	w->flows[1].dst = 0;
	w->in.last_ns = at + 2 * US;
	h = hear(w);
	free(w);
	assert_int_equal(h->job.iterations, PHASE_UNKNOWN);
	assert_int_equal(of_side(h, "network"), 0);
	assert_int_equal(of_side(h, "host"), 0);
	return h;
}

/* What recurs is work: (TURNS - 1) times |WORK|. */
static void who_is_frozen_once_may_be_late(void **state)
{
	struct heard *h = turns(5, FROZEN, true);

	(void)state;
	assert_int_equal(of_side(h, "unknown"), FROZEN);
	free(h);
}

static void what_recurs_is_work(void **state)
{
	struct heard *h = turns(5, WORK / 2, true);

	(void)state;
	assert_int_equal(of_side(h, "unknown"), 0);
	free(h);
}

/* It sends when somebody wants it to. */
static void who_waits_for_nobody_is_not_late(void **state)
{
	struct heard *h = turns(5, FROZEN, false);

	(void)state;
	assert_int_equal(of_side(h, "unknown"), 0);
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_frozen_once_may_be_late),
		cmocka_unit_test(what_recurs_is_work),
		cmocka_unit_test(who_waits_for_nobody_is_not_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
