/* SPDX-License-Identifier: GPL-2.0-or-later
 * Data that its receiver reads once it hears of it: the ring of ring.h.
 *
 * 6 us before each step a rank says by 320 bytes that there is data, 2 us later
 * they are there; what asks for that comes 1 us before the data. */
#include "ring.h"

enum { ALL = ROUNDS * STEPS, AT = 4 * STEPS + 1, LATE = 80 * US };

/* Rank 1 sends its data |LATE| later in step |AT|: because what says so leaves
 * that late, or, |queued|, is that long on its way; in one flow with the data,
 * or in one of its own. */
static struct heard *announced(bool apart, bool queued)
{
	struct world *w = calloc(1, sizeof *w);
	struct phase_activity v[RANKS][2 * ALL], own[RANKS][ALL];
	struct heard *h;

	w->waits[1][AT] = LATE;
	play(w);
	for (int r = 0; r < RANKS; r++) {
		struct phase_flow *f = &w->flows[r];

		for (int k = 0; k < ALL; k++) {
			struct phase_activity *say = &v[r][2 * k];
			int64_t from = w->a[r][k].from;

			say[0] = say[1] = w->a[r][k];
			say->from = from - 6 * US;
			say->from -= queued && r == 1 && k == AT ? LATE : 0;
			say->sent = say->from;
			say->came = say->there = from - 4 * US;
			say->arrived = say->over = say->there;
			say->bytes = 320;
			say->psns = 1;
			say->asked = from - 1 * US;
			say[1].psns = 0;
			say[1].bytes = 8192;
			own[r][k] = *say;
			if (apart && k)
				w->a[r][k - 1].asked = say->asked;
			w->a[r][k].psns = 0;
			w->a[r][k].bytes = 8192;
		}
		f->driven = true;
		if (!apart) {
			f->a = v[r];
			f->n = 2 * ALL;
			continue;
		}
		w->flows[RANKS + r] = *f;
		w->flows[RANKS + r].id = (uint32_t)(RANKS + r + 1);
		w->flows[RANKS + r].driven = false;
		w->flows[RANKS + r].a = own[r] + 1;
		w->flows[RANKS + r].n = ALL - 1;
	}
	w->in.n_flows = apart ? 2 * RANKS : RANKS;
	w->in.first_ns -= apart ? 0 : 6 * US;
	h = hear(w);
	free(w);
	assert_int_equal(h->job.iterations, ROUNDS);
	return h;
}

/* Who asks as soon as it hears of data asks in time, however late that is. */
static void who_hears_of_data_late_asks_late(void **state)
{
	(void)state;
	for (int apart = 0; apart < 2; apart++) {
		struct heard *h = announced(apart, false);

		assert_int_equal(h->share[SHARE_RECEIVER], 0);
		assert_true(h->rank[1] > 0);
		assert_int_equal(h->rank[2], 0);
		assert_int_equal(of_side(h, "network"), 0);
		free(h);
	}
}

/* What says that there is data is that late on its way: no host's time. */
static void what_says_so_may_be_queued(void **state)
{
	(void)state;
	for (int apart = 0; apart < 2; apart++) {
		struct heard *h = announced(apart, true);

		assert_int_equal(of_side(h, "host"), 0);
		assert_int_equal(h->share[SHARE_QUEUE], LATE);
		free(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_hears_of_data_late_asks_late),
		cmocka_unit_test(what_says_so_may_be_queued),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
