/* SPDX-License-Identifier: GPL-2.0-or-later
 * All-to-all in which each receiver asks for what the others send it.
 *
 * Of four hosts each sends three messages of 100 kB in turn, 10 us each at
 * 80 Gb/s, which need 2 us on their way; what asks for them needs 1 us.  A
 * round takes 1 + 30 + 2 us, and 200 us behind it the next begins.  One host
 * begins |LATE|: it asks late, and what the others sent it in the meantime they
 * send at once then, and it takes its link 30 us. */
#include "ring.h"

enum { PEERS = RANKS - 1, EACH = RANKS * PEERS, LATE = 40 * US };

static struct phase_activity v[EACH][ROUNDS];

static void one_round(const struct world *w, int k, int64_t at, int64_t late)
{
	for (int r = 0; r < RANKS; r++) {
		int64_t begin = at + (r == RANKS - 1 ? late : 0), next = begin;

		for (int i = 0; i < PEERS; i++) {
			struct phase_activity *a = &v[r * PEERS + i][k];
			int to = (r + i + 1) % RANKS;
			int64_t held = to == RANKS - 1 ? late : 0;
			int64_t asked = at + 1 * US + held;

			*a = w->a[0][0];
			a->from = next > asked ? next : asked;
			a->sent = a->from + 10 * US;
			a->came = a->from + 2 * US;
			a->there = a->sent + 2 * US;
			/* behind that of the others */
			if (held)
				a->there += (int64_t)(10 * US) * r;
			a->arrived = a->over = a->there;
			a->asked = PHASE_UNKNOWN;
			if (k)
				a[-1].asked = asked;
			/* Nobody waits for who has not asked. */
			if (!held)
				next = a->sent;
		}
	}
}

static struct heard *rounds(int64_t late)
{
	struct world *w = calloc(1, sizeof *w);
	int64_t at = 1000 * US;
	struct heard *h;

	play(w);
	for (int k = 0; k < ROUNDS; k++) {
		one_round(w, k, at, late);
		at += (1 + 30 + 2 + 200) * US + late;
	}
	for (int f = 0; f < EACH; f++) {
		int r = f / PEERS;

		w->flows[f] = w->flows[0];
		w->flows[f].id = f + 1;
		w->flows[f].src = (uint32_t)r;
		w->flows[f].dst = (uint32_t)((r + f % PEERS + 1) % RANKS);
		w->flows[f].driven = true;
		w->flows[f].a = v[f];
		w->flows[f].n = w->flows[f].messages = ROUNDS;
		w->flows[f].asked = v[f][0].from;
	}
	w->in.n_flows = EACH;
	w->in.last_ns = at - 200 * US;
	h = hear(w);
	free(w);
	assert_int_equal(h->job.iterations, ROUNDS);
	assert_true(of_side(h, "network") < US);
	return h;
}

/* Who was asked late had sent to others in time. */
static void who_asks_late_is_late(void **state)
{
	struct heard *h = rounds(LATE);

	(void)state;
	assert_in_range(of_side(h, "host"), (ROUNDS - 1) * (LATE - 2 * US),
			ROUNDS * LATE);
	free(h);
}

static void who_asks_in_time_is_not(void **state)
{
	struct heard *h = rounds(0);

	(void)state;
	nothing_was_wrong(h);
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_asks_late_is_late),
		cmocka_unit_test(who_asks_in_time_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
