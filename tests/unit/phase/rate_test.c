/* SPDX-License-Identifier: GPL-2.0-or-later
 * How fast links are by what they carried, by vectors worked out by hand. */
#include "ring.h"

static void one_packet(struct phase_activity *a, int64_t at)
{
	a->from = a->sent = at - 2 * US;
	a->came = a->there = a->arrived = a->over = at;
	a->bytes = 4000;
	a->psns = 1;
}

/* Messages of one packet, of three ranks to one: 4000 bytes each 400 ns are
 * 80 Gb/s; nine of them and one back are an iteration.  |four|: that back has
 * four packets in 10 us, 12.8 Gb/s.  |later|: the last of the fifth is so much
 * longer on its way. */
static struct heard *one_packet_each(bool four, int64_t later)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;
	int64_t at = 1000 * US + 1;

	play(w);
	for (int k = 0; k < 8 * 9; k++) {
		struct phase_activity *a = &w->a[k % 3][k / 3];

		at += k == 5 * 9 - 1 ? later : 0;
		one_packet(a, at);
		if (k == 5 * 9 - 1)
			a->from = a->sent = at - 2 * US - later;
		if (k % 9 == 8) {
			struct phase_activity *back = &w->a[3][k / 9];

			one_packet(back, at += 20 * US);
			back->from -= four ? 10 * US : 0;
			back->came -= four ? 10 * US : 0;
			back->psns = four ? 4 : 1;
			back->bytes *= back->psns;
		}
		at += k % 9 == 8 ? 200 * US : 400;
	}
	for (int r = 0; r < RANKS; r++)
		w->flows[r].dst = r < 3 ? 3 : 0;
	w->flows[3].n = 8;
	w->in.last_ns = at;
	w->in.link_bps = 0;
	h = hear(w);
	assert_int_equal(h->job.iterations, 8);
	free(w);
	return h;
}

/* It can carry what it did, but for a fifth that may be an error. */
static void a_link_can_carry_what_it_did(void **state)
{
	struct heard *h;

	(void)state;
	h = one_packet_each(true, 0);
	assert_int_equal(h->job.rate_bps, 64000000000);
	assert_string_equal(h->job.rate_source, "seen");
	free(h);
}

/* Rank 0 sends 100 kB to each of the others at once: 75 packets of 4 kB, the
 * first and the last |ns| apart.  Returns what the link seems to carry. */
static int64_t rate_of_one_to_three(int64_t ns, int64_t off)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;
	int64_t bps;

	play(w);
	for (int r = 0; r < RANKS; r++) {
		w->flows[r].src = r == 3;
		w->flows[r].dst = r == 3 ? 0 : (uint32_t)r + 1;
		w->flows[r].n = ROUNDS;
		for (int k = 0; k < ROUNDS; k++) {
			struct phase_activity *a = &w->a[r][k];

			a->from =
				(1000 + 300 * k + (r == 3 ? 60 : 0)) * US + off;
			a->sent = a->from + ns;
			a->came = a->from + 2 * US;
			a->there = a->arrived = a->over = a->sent + 2 * US;
		}
	}
	w->in.last_ns = w->a[3][ROUNDS - 1].over;
	w->in.link_bps = 0;
	h = hear(w);
	bps = h->job.rate_bps;
	free(h);
	free(w);
	return bps;
}

/* So 296 kB passed its link in that time, of which no flow had more than a
 * third; by stamps in microseconds it may have been one more. */
static void flows_that_fill_a_link_together(void **state)
{
	(void)state;
	assert_int_equal(rate_of_one_to_three(30 * US, 1),
			 (int64_t)(296000 * 8 / 30.0 * 1e6));
	assert_int_equal(rate_of_one_to_three(8 * US, 0),
			 (int64_t)(296000 * 8 / 9.0 * 1e6));
}

/* Each of three ranks sends 100 kB to rank 3, which get there together: first
 * and last packet 30 us apart at both ends.  |late|: the first is said to have
 * come so much later, by an estimate, or it was not seen there. */
static int64_t rate_of_three_to_one(int64_t late, bool seen)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;
	int64_t bps;

	play(w);
	for (int r = 0; r < RANKS; r++) {
		w->flows[r].dst = r == 3 ? 0 : 3;
		w->flows[r].n = ROUNDS;
		for (int k = 0; k < ROUNDS; k++) {
			struct phase_activity *a = &w->a[r][k];

			a->from = (1000 + 300 * k + (r == 3 ? 60 : 0)) * US + 1;
			a->sent = a->from + 30 * US;
			a->came = a->from + 2 * US + late;
			a->guessed = late || !seen;
			a->there = a->arrived = a->over =
				a->sent + (seen ? 2 * US : 0);
		}
	}
	w->in.last_ns = w->a[3][ROUNDS - 1].over;
	w->in.link_bps = 0;
	h = hear(w);
	bps = h->job.rate_bps;
	free(h);
	free(w);
	return bps;
}

/* 296 kB come in 30 us where that is seen.  By an estimate it would be in 20;
 * since the first was sent it was 32.  What was not seen says nothing: each
 * sender's link carried 100 kB in 31.25 us, which 25 packets take of which the
 * first and the last are 30 us apart. */
static void an_estimate_makes_no_link_fast(void **state)
{
	(void)state;
	assert_int_equal(rate_of_three_to_one(0, true),
			 (int64_t)(296000 * 8 / 30.0 * 1e6));
	assert_int_equal(rate_of_three_to_one(10 * US, true),
			 (int64_t)(296000 * 8 / 32.0 * 1e6));
	assert_int_equal(rate_of_three_to_one(0, false),
			 (int64_t)(100000 * 8 / 31.25 * 1e6));
}

/* Of a link of unknown rate nobody knows for how long it was busy. */
static void nobody_knows_what_a_packet_waited_for(void **state)
{
	struct heard *h;

	(void)state;
	h = one_packet_each(false, 5 * US);
	assert_int_equal(h->job.rate_bps, PHASE_UNKNOWN);
	assert_int_equal(h->share[SHARE_QUEUE], 0);
	assert_int_equal(h->share[SHARE_UNKNOWN], 5 * US);
	free(h);
}

/* 25 packets of 100 kB, the first and the last 10 us apart by stamps in
 * microseconds: all of them took 10.416 us and 1 us more at most.  Those of
 * rank 1 take 30 us, which says nothing of the links. */
static void a_short_piece_is_no_slower_than_its_stamps(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	for (int k = 0; k < ROUNDS * STEPS; k++)
		w->slow[1][k] = 20 * US;
	play(w);
	w->in.link_bps = 0;
	h = hear(w);
	assert_int_equal(h->job.rate_bps, (int64_t)(100000 * 8e9 / 11416));
	assert_true(h->share[SHARE_NIC] > 0);
	free(h);
	free(w);
}

/* By clocks that are wrong. */
static void what_came_before_it_was_sent_ends(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	play(w);
	for (int k = 0; k < ROUNDS * STEPS; k += 5)
		w->a[1][k].there = w->a[1][k].came - US;
	w->in.link_bps = 0;
	h = hear(w);
	assert_int_equal(h->job.iterations, ROUNDS);
	free(h);
	free(w);
}

/* Three ranks send to rank 3.  In every other round each of them 100 kB,
 * which come together: 296 kB between the first packet and the last are 100
 * Gb/s.  In the others it is six messages of 16 kB each 2.6 us, which are
 * said to have come in 1 us, those of all three at the same time: more than
 * any link can carry. */
static void what_is_counted_between_idle_moments_is_right(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	play(w);
	for (int r = 0; r < RANKS; r++) {
		size_t n = 0;

		w->flows[r].dst = r == 3 ? 0 : 3;
		for (int k = 0; k < ROUNDS / 2 * 7; k++) {
			struct phase_activity *a = &w->a[r][n];
			bool all = k % 7 == 0;
			int64_t at = (1000 + 300 * (k / 7 * 2 + !all)) * US + 1;

			if (n == ROUNDS * STEPS)
				break;
			if (r == 3 && k % 7 > 1)
				continue;
			n++;
			a->from = at + (all ? 0 : (k % 7 - 1) * 2600) +
				  (r == 3 ? 60 : 0) * US;
			a->sent = a->from + (all ? 23680 : 2500);
			a->there = a->arrived = a->over = a->sent + 2 * US;
			a->came = a->there - (all ? 23680 : 1000);
			a->bytes = all ? CHUNK : 16000;
			a->psns = all ? 25 : 4;
		}
		w->flows[r].n = n;
	}
	w->in.last_ns = w->a[0][w->flows[0].n - 1].over + 100 * US;
	w->in.link_bps = 0;
	h = hear(w);
	assert_int_equal(h->job.rate_bps, 100000000000);
	free(h);
	free(w);
}

/* Three ranks send 100 kB to rank 3, one after the other, at 100 Gb/s.  Rank
 * 0 sends eight packets more meanwhile, on another queue pair, of which it is
 * only known that they were sent in 40 us: 6.4 Gb/s, if evenly.  There is no
 * link of 106.4 Gb/s. */
static void what_is_beyond_the_speed_of_links_is_an_error(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct phase_activity more[ROUNDS];
	struct heard *h;

	(void)state;
	play(w);
	for (int r = 0; r < RANKS; r++) {
		w->flows[r].dst = r == 3 ? 0 : 3;
		w->flows[r].n = ROUNDS;
		for (int k = 0; k < ROUNDS; k++) {
			struct phase_activity *a = &w->a[r][k];

			a->from = (1000 + 300 * k + 20 * r) * US + 1;
			a->sent = a->from + 7680;
			a->came = a->from + 2 * US;
			a->there = a->arrived = a->over = a->sent + 2 * US;
			if (r)
				continue;
			more[k] = *a;
			more[k].from -= 15 * US;
			more[k].sent = more[k].from + 40 * US;
			more[k].came = more[k].from + 2 * US;
			more[k].there = more[k].arrived = more[k].over =
				more[k].sent + 2 * US;
			more[k].bytes = 32000;
			more[k].psns = 8;
		}
	}
	w->flows[RANKS] = w->flows[0];
	w->flows[RANKS].id = RANKS + 1;
	w->flows[RANKS].a = more;
	w->in.n_flows = RANKS + 1;
	w->in.last_ns = w->a[3][ROUNDS - 1].over + 100 * US;
	w->in.link_bps = 0;
	h = hear(w);
	assert_int_equal(h->job.rate_bps, 100000000000);
	free(h);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_came_before_it_was_sent_ends),
		cmocka_unit_test(a_link_can_carry_what_it_did),
		cmocka_unit_test(flows_that_fill_a_link_together),
		cmocka_unit_test(an_estimate_makes_no_link_fast),
		cmocka_unit_test(what_is_counted_between_idle_moments_is_right),
		cmocka_unit_test(what_is_beyond_the_speed_of_links_is_an_error),
		cmocka_unit_test(a_short_piece_is_no_slower_than_its_stamps),
		cmocka_unit_test(nobody_knows_what_a_packet_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
