/* SPDX-License-Identifier: GPL-2.0-or-later
 * What ranks waited for where no arrival says so, which delays are chance, and
 * links whose speed no flow shows alone: the ring of ring.h. */
#include "ring.h"

/* ---- repairs ---- */

/* Rank 2 begins its fourth iteration 500 us late.  The last step of the third,
 * which begins at S, was repaired until |us| before that. */
static struct heard *repaired_until(int64_t us)
{
	struct world *w = calloc(1, sizeof *w);
	struct phase_span e = { .class = CLASS_ACKS };
	struct heard *h;

	w->late[2][3] = 500 * US;
	play(w);
	e.from = w->a[2][3 * STEPS - 1].sent;
	e.to = w->a[2][3 * STEPS].from - us * US;
	w->flows[2].evidence = &e;
	w->flows[2].n_evidence = 1;
	h = hear(w);
	free(w);
	return h;
}

/* Others begin at S + 212 us, and rank 2 at S + 712, 200 behind the end of the
 * repair, as usual: what it waited for from S + 12 on was that, before the
 * phase and in it. */
static void who_waits_for_a_repair_is_not_late(void **state)
{
	struct heard *h = repaired_until(200);

	(void)state;
	assert_int_equal(h->share[SHARE_LATE], 0);
	/* What is usual before a phase is known to a nanosecond. */
	assert_in_range(h->share[SHARE_ACKS], 500 * US, 500 * US + 1);
	/* Of each round 200 us before it, but for the first, and 52 of wire. */
	assert_in_range(of_side(h, "needed"),
			(ROUNDS - 1) * 200 * US + ROUNDS * 52 * US - 1,
			(ROUNDS - 1) * 200 * US + ROUNDS * 52 * US);
	assert_int_equal(of_side(h, "unknown"), 0);
	free(h);
}

/* It usually takes half of that: nobody knows what it waited for beyond the 100
 * us of the repair that others waited for as well. */
static void a_repair_that_ended_long_before_may_be_no_cause(void **state)
{
	struct heard *h = repaired_until(400);

	(void)state;
	assert_int_equal(h->share[SHARE_LATE], 0);
	assert_int_equal(h->share[SHARE_ACKS], 100 * US);
	assert_int_equal(h->share[SHARE_UNKNOWN], 400 * US);
	free(h);
}

/* ---- reactions ---- */

/* Acknowledgements take 20 us, and data is passed on after 8: hosts do not wait
 * for acknowledgements that are held back. */
static void hosts_may_react_before_acknowledgements(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	w->late[2][3] = 70 * US;
	play(w);
	for (int r = 0; r < RANKS; r++)
		w->flows[r].rtt_r = 20 * US;
	h = hear(w);
	assert_int_equal(h->share[SHARE_TURN], ROUNDS * 2 * 8 * US);
	assert_int_equal(h->share[SHARE_LATE], 70 * US);
	assert_int_equal(of_side(h, "unknown"), 0);
	free(h);
	free(w);
}

/* ---- noise ---- */

/* One stretch takes 2.3 us instead of 2.  Where all others take 2, that is a
 * queue; where they differ by as much, it is chance. */
static void a_delay_is_noise_where_others_vary_as_much(void **state)
{
	(void)state;
	for (int vary = 0; vary < 2; vary++) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h;

		for (int r = 0; r < RANKS; r++)
			for (int k = 0; vary && k < ROUNDS * STEPS; k++)
				w->queued[r][k] = 100 * ((r + k) % 4);
		w->queued[1][4] = 300;
		play(w);
		h = hear(w);
		assert_int_equal(h->share[SHARE_QUEUE], vary ? 0 : 300);
		free(h);
		free(w);
	}
}

/* ---- links ---- */

/* Each rank sends 16 packets of 1,250 bytes eight times, each of another
 * message, |ns| of its number apart.  Returns the speed of a link. */
static int64_t link_of(const int64_t *ns)
{
	enum { PACKETS = 16, ALL = ROUNDS * PACKETS };
	struct world *w = calloc(1, sizeof *w);
	struct phase_activity *all = calloc(RANKS * ALL, sizeof *all);
	struct heard *h;
	int64_t rate;

	play(w);
	for (int i = 0; i < RANKS * ALL; i++) {
		struct phase_activity *a = &all[i];
		int r = i / ALL, k = i % ALL;

		*a = w->a[0][0];
		a->from = a->sent = (1000 + k / PACKETS * 200) * US + 1 +
				    k % PACKETS * ns[r];
		a->came = a->there = a->arrived = a->over = a->from + 2 * US;
		a->bytes = 1250;
		a->psns = 1;
	}
	for (int r = 0; r < RANKS; r++) {
		w->flows[r].a = all + r * ALL;
		w->flows[r].n = w->flows[r].messages = ALL;
	}
	w->in.last_ns = all[ALL - 1].over;
	w->in.link_bps = 0;
	h = hear(w);
	assert_int_equal(h->job.iterations, ROUNDS);
	rate = h->job.rate_bps;
	free(h);
	free(all);
	free(w);
	return rate;
}

static void most_senders_show_how_fast_a_link_is(void **state)
{
	static const int64_t all[] = { 100, 100, 100, 100 };
	static const int64_t one_slow[] = { 100, 100, 100, 200 };
	static const int64_t half[] = { 100, 100, 200, 200 };
	/* 90 Gb/s is no speed of a link */
	static const int64_t odd[] = { 111, 111, 111, 111 };

	(void)state;
	assert_int_equal(link_of(all), 100000000000);
	assert_int_equal(link_of(one_slow), 100000000000);
	assert_int_equal(link_of(half), PHASE_UNKNOWN);
	assert_int_equal(link_of(odd), PHASE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_waits_for_a_repair_is_not_late),
		cmocka_unit_test(
			a_repair_that_ended_long_before_may_be_no_cause),
		cmocka_unit_test(hosts_may_react_before_acknowledgements),
		cmocka_unit_test(a_delay_is_noise_where_others_vary_as_much),
		cmocka_unit_test(most_senders_show_how_fast_a_link_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
