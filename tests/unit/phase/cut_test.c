/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a reduced rate costs, by vectors worked out by hand. */
#include "ring.h"

enum { AT = 3 * STEPS + 1 }; /* the second step of the fourth iteration */

/* Host 1 receives a CNP in the middle of what it sends in step |k|. */
static void cnp(struct world *w, int k)
{
	static int64_t at;

	at = w->a[1][k].from + 5 * US;
	w->flows[1].cnps = &at;
	w->flows[1].n_cnps = 1;
}

/* Between two switches whose link is twice as fast as those of the hosts: who
 * sends as fast as before, and as later on, has lost nothing by a CNP. */
static void a_link_between_switches_says_nothing_of_a_host(void **state)
{
	(void)state;
	for (int slower = 0; slower < 2; slower++) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h;

		w->slow[1][AT] = slower ? 20 * US : 0;
		play(w);
		cnp(w, slower ? AT : 1);
		for (int r = 0; r < RANKS; r++)
			w->flows[r].src_seen = w->flows[r].dst_seen = false;
		w->in.link_bps *= 2;
		h = hear(w);
		assert_int_equal(h->job.iterations, ROUNDS);
		/* The last of 25 packets takes as long as each other does. */
		assert_in_range(h->share[SHARE_CUT], slower ? 19 * US : 0,
				slower ? 20 * US : 0);
		free(h);
		free(w);
	}
}

/* Step |AT| takes 45 us longer to send behind a CNP, and the next 10 us.  That
 * this begins 80 us later, 7 us behind an acknowledgement, is no lower rate. */
static void who_waits_between_messages_does_not_send_slowly(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	w->slow[1][AT] = 45 * US;
	w->slow[1][AT + 1] = 10 * US;
	w->waits[1][AT + 1] = 80 * US;
	play(w);
	cnp(w, AT);
	for (int k = 0; k < ROUNDS * STEPS - 1; k++)
		w->a[1][k].acked = w->a[1][k + 1].from - 7 * US;
	w->flows[1].rtt_s = US;
	h = hear(w);
	assert_int_equal(h->job.iterations, ROUNDS);
	assert_in_range(h->share[SHARE_CUT], 53 * US, 55 * US);
	free(h);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_link_between_switches_says_nothing_of_a_host),
		cmocka_unit_test(
			who_waits_between_messages_does_not_send_slowly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
