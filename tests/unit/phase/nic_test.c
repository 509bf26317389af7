/* SPDX-License-Identifier: GPL-2.0-or-later
 * A host that sends slower than the others, with several flows at a time:
 * vectors worked out by hand.
 *
 * Four hosts send 100 kB to each other, all three flows of a host at once,
 * which takes 30 us at 80 Gb/s, and 200 us behind the last arrival they begin
 * again.  Host 0 needs 60 us: 30 us of each round are its doing.  Each of its
 * flows alone is no slower than those of a host with twice as many. */
#include "ring.h"

enum { FLOWS = RANKS * (RANKS - 1), APART = 262, WAY = 2, LINK = 30 };

/* |us|: how long host 0 sends; |queue|: so much longer its last packets were on
 * their way. */
static void all_to_all(struct world *w, int us, int queue)
{
	struct phase_activity *a = w->a[0];
	int f = 0;

	memset(w, 0, sizeof *w);
	play(w);
	for (int s = 0; s < RANKS; s++)
		for (int d = 0; d < RANKS; d++) {
			if (d == s)
				continue;
			for (int k = 0; k < ROUNDS; k++) {
				int64_t at = (1000 + k * APART) * US;
				int64_t sent = at + (s ? LINK : us) * US;
				int64_t there =
					sent + (WAY + (s ? 0 : queue)) * US;

				a[f * ROUNDS + k] = (struct phase_activity) {
					.from = at,
					.sent = sent,
					.over = there,
					.arrived = there,
					.came = at + WAY * US,
					.there = there,
					.bytes = CHUNK,
					.psns = 100,
					.acked = PHASE_UNKNOWN,
					.asked = PHASE_UNKNOWN,
					.returned = PHASE_UNKNOWN,
					.granted = PHASE_UNKNOWN,
					.unacked = PHASE_UNKNOWN,
				};
			}
			w->flows[f] = (struct phase_flow) {
				.id = f + 1,
				.src = (uint32_t)s,
				.dst = (uint32_t)d,
				.far = true,
				.src_seen = true,
				.dst_seen = true,
				.wire = 1,
				.messages = ROUNDS,
				.asked = PHASE_UNKNOWN,
				.a = a + f * ROUNDS,
				.n = ROUNDS,
			};
			f++;
		}
	w->in.n_flows = FLOWS;
	w->in.n_hosts = RANKS;
	w->in.last_ns = a[ROUNDS - 1].arrived;
}

static void test_slow_adapter(void **state)
{
	struct world *w = malloc(sizeof *w);
	struct heard *h;

	(void)state;
	all_to_all(w, 60, 0);
	h = hear(w);
	assert_int_equal(h->phases, ROUNDS);
	/* to a part of a nanosecond a packet */
	assert_in_range(h->share[SHARE_NIC], 30 * ROUNDS * US - 800,
			30 * ROUNDS * US + 800);
	free(h);
	free(w);
}

static void test_no_slow_adapter(void **state)
{
	struct world *w = malloc(sizeof *w);
	struct heard *h;

	(void)state;
	all_to_all(w, LINK, 0);
	h = hear(w);
	assert_int_equal(h->share[SHARE_NIC], 0);
	nothing_was_wrong(h);
	free(h);
	/* What was slowed down by a queue says nothing of who sent it. */
	all_to_all(w, 60, 40);
	h = hear(w);
	assert_int_equal(h->share[SHARE_NIC], 0);
	free(h);
	free(w);
}

/* A link of 40 Gb/s carries 300 kB in 60 us: no adapter could send faster.  If
 * nobody says so, it shows in what comes over it. */
static void test_slow_link(void **state)
{
	struct world *w = malloc(sizeof *w);
	struct heard *h;

	(void)state;
	all_to_all(w, 60, 0);
	w->hosts[0].bps = 40000000000;
	h = hear(w);
	assert_int_equal(h->share[SHARE_NIC], 0);
	free(h);
	all_to_all(w, 60, 0);
	for (int f = 0; f < FLOWS; f++)
		for (int k = 0; !w->flows[f].dst && k < ROUNDS; k++) {
			struct phase_activity *a = &w->flows[f].a[k];

			a->there = a->arrived = a->over = a->came + 60 * US;
		}
	w->in.link_bps = 0;
	w->a[0][0].from++; /* stamps are of nanoseconds */
	h = hear(w);
	assert_int_equal(h->share[SHARE_NIC], 0);
	free(h);
	free(w);
}

/* Host 0 sends the data of another job at the same time, as much again: its
 * link is full, and its adapter as fast as the others. */
static void test_data_of_another_job(void **state)
{
	struct world *w = malloc(sizeof *w);
	struct phase_activity others[ROUNDS];
	struct heard *h;

	(void)state;
	all_to_all(w, 60, 0);
	for (int k = 0; k < ROUNDS; k++) {
		others[k] = w->a[0][k];
		others[k].bytes = (RANKS - 1) * CHUNK;
	}
	w->other = others[0];
	w->flows[FLOWS] = w->flows[0];
	w->flows[FLOWS].dst = RANKS;
	w->flows[FLOWS].a = others;
	h = hear(w);
	assert_int_equal(h->share[SHARE_NIC], 0);
	assert_in_range(h->share[SHARE_BEHIND], 30 * ROUNDS * US - 800,
			30 * ROUNDS * US + 800);
	free(h);
	free(w);
}

/* ---- a link that is slower than the others, and nobody says so ----
 *
 * In the ring, what host 2 sends and what comes to it takes 20 us, not 10, as
 * at 40 Gb/s: its link is so fast, and that time is needed. */
static struct heard *ring_through_host_2(bool out, bool in)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	for (int k = 0; k < ROUNDS * STEPS; k++) {
		w->slow[2][k] = out ? 10 * US : 0;
		w->queued[1][k] = in ? 10 * US : 0;
	}
	play(w);
	w->in.link_bps = 0;
	w->a[0][0].from++; /* stamps are of nanoseconds */
	h = hear(w);
	free(w);
	return h;
}

static void test_slow_both_ways(void **state)
{
	struct heard *h = ring_through_host_2(true, true);

	(void)state;
	assert_int_equal(h->phases, ROUNDS);
	assert_int_equal(h->share[SHARE_NIC], 0);
	assert_int_equal(of_side(h, "network"), 0);
	assert_int_equal(of_side(h, "unknown"), 0);
	free(h);
}

/* ... one way only: its adapter is slow, or a queue is before its link. */
static void test_slow_one_way(void **state)
{
	struct heard *h = ring_through_host_2(true, false);

	(void)state;
	assert_true(h->share[SHARE_NIC] >= ROUNDS * 9 * US);
	assert_int_equal(of_side(h, "network"), 0);
	free(h);
	h = ring_through_host_2(false, true);
	/* the path of an iteration leads there in most of them */
	assert_true(of_side(h, "network") >= ROUNDS / 2 * 10 * US);
	assert_int_equal(of_side(h, "host"), 0);
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow_adapter),
		cmocka_unit_test(test_no_slow_adapter),
		cmocka_unit_test(test_slow_link),
		cmocka_unit_test(test_data_of_another_job),
		cmocka_unit_test(test_slow_both_ways),
		cmocka_unit_test(test_slow_one_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
