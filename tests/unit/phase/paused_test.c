/* SPDX-License-Identifier: GPL-2.0-or-later
 * What pauses of a host leave in the queue before its port, by vectors worked
 * out by hand. */
#include "ring.h"

enum { AT = 4 * STEPS + 2, SECOND = 3 * STEPS + 1 };

/* Host 1 pauses its port from |from| on. */
static void pauses(struct world *w, struct phase_span *pause, int64_t from,
		   int64_t ns)
{
	*pause = (struct phase_span) { .from = from,
				       .to = from + ns,
				       .class = CLASS_PAUSED_HOST };
	w->hosts[1].pauses = pause;
	w->hosts[1].n_pauses = 1;
	assert_true(phase_paused_queue(w->flows, RANKS, 1, &w->hosts[1],
				       w->in.link_bps, &w->hosts[1].queue));
}

static void done(struct world *w, struct heard *h)
{
	free(w->hosts[1].queue);
	free(h);
	free(w);
}

/* What waits for a port that did not send, and then sent what had come
 * meanwhile, waits for the host that paused it, for no longer than that. */
static void what_is_queued_behind_a_pause_waits_for_its_host(void **state)
{
	static const struct {
		int64_t queued;   /* what the data waits for */
		int at;           /* the pause begins when this comes ... */
		int64_t from, ns; /* ... and so much later */
		int64_t pause;    /* what of the wait is its host's */
	} vectors[] = {
		/* until the last has come, which met no pause itself */
		{ 10 * US, AT, -15 * US, 25 * US, 10 * US },
		/* others sent more than the port could not send */
		{ 30 * US, AT, 6 * US, 4 * US, 4 * US },
		/* all of that was sent, and the link idle, before it came */
		{ 30 * US, AT - 1, -15 * US, 17 * US, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		struct world *w = calloc(1, sizeof *w);
		int64_t queued = vectors[i].queued;
		struct phase_span pause;
		struct heard *h;

		w->queued[0][AT] = queued;
		play(w);
		pauses(w, &pause, w->a[0][vectors[i].at].came + vectors[i].from,
		       vectors[i].ns);
		h = hear(w);
		assert_int_equal(h->share[SHARE_PAUSE_HOST], vectors[i].pause);
		assert_int_equal(h->share[SHARE_QUEUE],
				 queued - vectors[i].pause);
		done(w, h);
	}
}

/* The sender of host 1 gets a CNP in what it sends, and needs 20 us longer for
 * the rest; the queue that was marked is there because of a pause, or that was
 * long ago. */
static void marks_of_a_queue_behind_a_pause_are_its_hosts(void **state)
{
	(void)state;
	for (int before = 0; before < 2; before++) {
		struct world *w = calloc(1, sizeof *w);
		struct phase_span pause;
		struct heard *h;
		int64_t at;

		w->slow[0][SECOND] = 20 * US;
		play(w);
		at = w->a[0][SECOND].from + 6 * US;
		w->flows[0].cnps = &at;
		w->flows[0].n_cnps = 1;
		w->flows[0].rtt_s = w->flows[0].rtt_r = US;
		pauses(w, &pause, at - 4 * US - before * 100 * US, 3 * US);
		h = hear(w);
		assert_in_range(h->share[before ? SHARE_CUT : SHARE_PAUSE_HOST],
				19 * US, 21 * US);
		assert_int_equal(
			h->share[before ? SHARE_PAUSE_HOST : SHARE_CUT], 0);
		done(w, h);
	}
}

/* Where it is not seen what was sent to that host, nobody knows what of the
 * queue is left by the pause. */
static void marks_of_a_queue_that_is_not_seen_are_unknown(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct phase_span pause;
	struct heard *h;
	int64_t at;

	(void)state;
	w->slow[0][SECOND] = 20 * US;
	play(w);
	at = w->a[0][SECOND].from + 6 * US;
	w->flows[0].cnps = &at;
	w->flows[0].n_cnps = 1;
	w->flows[0].src_seen = false;
	w->in.link_bps *= 2;
	pauses(w, &pause, at - 4 * US, 3 * US);
	assert_null(w->hosts[1].queue);
	h = hear(w);
	assert_int_equal(h->share[SHARE_CUT], 0);
	assert_int_equal(h->share[SHARE_PAUSE_HOST], 0);
	assert_true(h->share[SHARE_UNKNOWN] >= 19 * US);
	done(w, h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			what_is_queued_behind_a_pause_waits_for_its_host),
		cmocka_unit_test(marks_of_a_queue_behind_a_pause_are_its_hosts),
		cmocka_unit_test(marks_of_a_queue_that_is_not_seen_are_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
