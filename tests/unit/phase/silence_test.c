/* SPDX-License-Identifier: GPL-2.0-or-later
 * Silence that no iteration explains: two hosts that take turns.
 *
 * A message of so many kilobytes needs as many tenths of us on its link and
 * 2 us to the other host, which answers 20 us later; no two are alike. */
#include "ring.h"

enum { TURNS = 7, WORK = 20 * US, FROZEN = 80 * US };

/* Host 1 sent something to host 2 as well, which was lost, and retransmitted at
 * |to|, after |ns|. */
static void repair(struct world *w, int64_t to, int64_t ns)
{
	static struct phase_span lost;

	w->a[2][0] = w->a[1][0];
	lost = (struct phase_span) { to - ns, to, CLASS_DETECTION, false };
	w->flows[2].src = 1;
	w->flows[2].dst = 2;
	w->flows[2].n = w->flows[2].messages = 1;
	w->flows[2].evidence = &lost;
	w->flows[2].n_evidence = 1;
}

/* The host whose turn |longer| is takes longer |by|, for |repaired| of which
 * something that host 1 had sent is repaired.  |both|: they take turns, and not
 * the first alone. */
static struct heard *turns(int longer, int64_t by, int64_t repaired, bool both)
{
	struct world *w = calloc(1, sizeof *w);
	int64_t at = 1000 * US, again = 0;
	size_t n[2] = { 0, 0 };
	struct heard *h;

	play(w);
	for (int k = 0; k < TURNS; k++) {
		int r = both ? k % 2 : 0;
		struct phase_activity *a = &w->a[r][n[r]++];
		int64_t takes = (30 + 7 * (k * k * 37 % 101)) * US / 10;

		*a = w->a[r][0];
		at += k ? WORK + (k == longer ? by : 0) : 0;
		again = k == longer ? at : again;
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
	if (repaired)
		repair(w, again, repaired);
	w->in.last_ns = at + 2 * US;
	h = hear(w);
	free(w);
	assert_int_equal(h->job.iterations, PHASE_UNKNOWN);
	assert_int_equal(of_side(h, "host"), 0);
	return h;
}

/* What recurs is work: (TURNS - 1) times |WORK|. */
static void who_is_frozen_once_may_be_late(void **state)
{
	struct heard *h = turns(5, FROZEN, 0, true);

	(void)state;
	assert_int_equal(of_side(h, "unknown"), FROZEN);
	assert_int_equal(of_side(h, "network"), 0);
	assert_int_equal(h->job.uneven_ns, 0);
	free(h);
}

/* It was waited for all the while, or for a part: then for more than that. */
static void what_is_repaired_meanwhile_was_waited_for(void **state)
{
	static const int64_t repaired[] = { WORK + FROZEN, FROZEN / 2 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct heard *h = turns(5, FROZEN, repaired[i], true);

		assert_int_equal(of_side(h, "network"), i ? 0 : FROZEN);
		assert_int_equal(of_side(h, "unknown"), i ? FROZEN : 0);
		free(h);
	}
}

/* Host 0 goes on when host 1 has retransmitted something, to whomever: nothing
 * of the job had moved. */
static void a_retransmission_ends_the_silence_of_all(void **state)
{
	struct heard *h = turns(4, FROZEN, WORK + FROZEN, true);

	(void)state;
	assert_int_equal(of_side(h, "network"), FROZEN);
	assert_int_equal(of_side(h, "unknown"), 0);
	free(h);
}

static void what_recurs_is_work(void **state)
{
	struct heard *h = turns(5, WORK / 2, 0, true);

	(void)state;
	assert_int_equal(of_side(h, "unknown"), 0);
	assert_int_equal(h->job.uneven_ns, 0); /* no silence: a turn */
	free(h);
}

/* It sends when somebody wants it to. */
static void who_waits_for_nobody_is_not_late(void **state)
{
	struct heard *h = turns(5, FROZEN, 0, false);

	(void)state;
	assert_int_equal(of_side(h, "unknown"), 0);
	assert_int_equal(h->job.uneven_ns, PHASE_UNKNOWN);
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_frozen_once_may_be_late),
		cmocka_unit_test(what_is_repaired_meanwhile_was_waited_for),
		cmocka_unit_test(a_retransmission_ends_the_silence_of_all),
		cmocka_unit_test(what_recurs_is_work),
		cmocka_unit_test(who_waits_for_nobody_is_not_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
