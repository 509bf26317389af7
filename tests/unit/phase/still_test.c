/* SPDX-License-Identifier: GPL-2.0-or-later
 * A ring of which rank 1 is not captured at its own link: it passes on 300 us
 * later what came, and nobody sends meanwhile. */
#include "ring.h"

enum { WAIT = 300 * US };

/* The ring, once round, and one message more beside its first; what that flow
 * waited for, |n| spans, is known. */
static struct heard *stops(const struct phase_span *v, size_t n, int64_t *at)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	w->waits[1][1] = WAIT;
	play(w);
	for (int r = 0; r < RANKS; r++)
		w->flows[r].n = w->flows[r].messages = STEPS;
	w->flows[1].src_seen = w->flows[0].dst_seen = false;
	w->hosts[1].link = false;
	*at = w->a[1][1].from;
	w->other = w->a[2][0];
	w->flows[RANKS] = w->flows[2];
	w->flows[RANKS].a = &w->other;
	w->flows[RANKS].n = w->flows[RANKS].messages = 1;
	w->flows[RANKS].evidence = v;
	w->flows[RANKS].n_evidence = n;
	w->in.n_flows = RANKS + 1;
	h = hear(w);
	free(w);
	assert_int_equal(h->job.iterations, PHASE_UNKNOWN);
	return h;
}

static void all_are_stalled_by_one_repair(void **state)
{
	static const struct {
		int64_t from, to; /* of the repair, from the end of the wait */
		enum phase_class class;
		enum phase_share share; /* SHARE_UNKNOWN: nobody knows */
	} vectors[] = {
		{ -WAIT, 0, CLASS_DETECTION, SHARE_LOSS },
		{ -2 * WAIT, 5 * US, CLASS_REPLAY, SHARE_LOSS },
		{ -WAIT, 0, CLASS_RNR_WAIT, SHARE_RECEIVER },
		{ -WAIT, 0, CLASS_PAUSED_NET, SHARE_PAUSE_NET },
		/* of unknown cause itself */
		{ -WAIT, 0, CLASS_REPAIR, SHARE_UNKNOWN },
		/* over long before anybody went on, or long after */
		{ -WAIT, -WAIT / 2, CLASS_DETECTION, SHARE_UNKNOWN },
		{ -WAIT, WAIT / 2, CLASS_DETECTION, SHARE_UNKNOWN },
		/* begun when all had waited for long */
		{ -WAIT / 2, 0, CLASS_DETECTION, SHARE_UNKNOWN },
	};
	struct heard *h;
	int64_t at, wait;

	(void)state;
	h = stops(NULL, 0, &at);
	wait = of_side(h, "unknown");
	assert_in_range(wait, WAIT / 2, WAIT);
	free(h);
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		struct phase_span s = { at + vectors[i].from,
					at + vectors[i].to, vectors[i].class,
					false };

		h = stops(&s, 1, &at);
		assert_int_equal(of_side(h, "unknown"),
				 vectors[i].share == SHARE_UNKNOWN ? wait : 0);
		if (vectors[i].share != SHARE_UNKNOWN)
			assert_int_equal(h->share[vectors[i].share], wait);
		free(h);
	}
}

/* All are silent for as long in the middle of one iteration, and compute,
 * unless something was repaired until they went on. */
static void nobody_computes_until_a_repair(void **state)
{
	enum { STEP = 4 * STEPS + 1 };

	(void)state;
	for (int repaired = 0; repaired < 2; repaired++) {
		struct world *w = calloc(1, sizeof *w);
		struct phase_span s = { .class = CLASS_TIMEOUT };
		struct heard *h;

		for (int r = 0; r < RANKS; r++)
			w->waits[r][STEP] = WAIT;
		play(w);
		s.to = w->a[1][STEP].from;
		s.from = s.to - WAIT;
		w->flows[2].held = &s; /* what asks for its data was lost */
		w->flows[2].n_held = (size_t)repaired;
		h = hear(w);
		assert_int_not_equal(h->job.iterations, PHASE_UNKNOWN);
		assert_int_equal(of_side(h, "host"), 0);
		if (repaired)
			assert_in_range(h->share[SHARE_LOSS], WAIT * 9 / 10,
					WAIT);
		else
			assert_int_equal(of_side(h, "network"), 0);
		free(h);
		free(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_stalled_by_one_repair),
		cmocka_unit_test(nobody_computes_until_a_repair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
