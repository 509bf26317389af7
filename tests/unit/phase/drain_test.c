/* SPDX-License-Identifier: GPL-2.0-or-later
 * Receivers that are slow, by vectors worked out by hand. */
#include "ring.h"

/* ---- an adapter that takes up what comes late ----
 *
 * Adapters acknowledge 1 us behind the last packet, that of rank 2 |late|
 * longer.  Rank 2 passes on what it gets |waits| longer than the others.  All
 * begin each iteration together. */
static void slow_adapter(struct world *w, int64_t late, int64_t waits)
{
	for (int k = 0; k < ROUNDS * STEPS; k++)
		w->waits[2][k] = k % STEPS ? waits : 0;
	for (int i = 1; i < ROUNDS; i++) {
		int64_t end = 0;

		play(w);
		for (int r = 0; r < RANKS; r++)
			if (w->a[r][i * STEPS - 1].arrived > end)
				end = w->a[r][i * STEPS - 1].arrived;
		for (int r = 0; r < RANKS; r++)
			w->late[r][i] +=
				end + 200 * US - w->a[r][i * STEPS].from;
	}
	play(w);
	for (int r = 0; r < RANKS; r++)
		for (int k = 0; k < ROUNDS * STEPS; k++) {
			struct phase_activity *a = &w->a[r][k];

			a->returned = a->there + 1 * US + (r == 1 ? late : 0);
			a->acked = a->returned + 2 * US;
		}
}

/* Each iteration waits for rank 2 once, 10 us. */
static void late_acknowledgements_are_the_receivers(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	slow_adapter(w, 10 * US, 10 * US);
	h = hear(w);
	assert_int_equal(h->share[SHARE_DRAIN], ROUNDS * 10 * US);
	assert_int_equal(of_side(h, "host"), ROUNDS * 10 * US);
	assert_int_equal(of_side(h, "network"), 0);
	assert_int_equal(of_side(h, "unknown"), 0);
	free(h);
	free(w);
}

/* Who passes data on before it is acknowledged has it: only the
 * acknowledgement is late. */
static void acknowledgements_may_be_held_back(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	slow_adapter(w, 20 * US, 0);
	h = hear(w);
	assert_int_equal(h->share[SHARE_DRAIN], 0);
	nothing_was_wrong(h);
	free(h);
	free(w);
}

/* ---- a port that stands still ----
 *
 * Hosts 0 and 1 are at one switch, 2 and 3 at another: 2 us to each other, 4 us
 * to the others.  All send 100 kB to all, three flows of a host at once, which
 * takes 30 us at 80 Gb/s, and 200 us behind the last arrival they begin again.
 * What is sent to host 3 comes over 60 us instead of 30, from its own switch if
 * |near| as well. */
enum { FLOWS = RANKS * (RANKS - 1), APART = 294, LINK = 30, HELD = 30 };

static void to_host_3(struct world *w, bool near, int ack)
{
	struct phase_activity *a = w->a[0];
	int f = 0;

	play(w);
	for (int s = 0; s < RANKS; s++)
		for (int d = 0; d < RANKS; d++) {
			int way = s / 2 == d / 2 ? 2 : 4;
			int more = d == 3 && (near || s / 2 == 0) ? HELD : 0;

			if (d == s)
				continue;
			for (int k = 0; k < ROUNDS; k++) {
				int64_t at = (1000 + k * APART) * US;
				int64_t there = at + (LINK + way + more) * US;

				a[f * ROUNDS + k] = (struct phase_activity) {
					.from = at,
					.sent = at + LINK * US,
					.over = there,
					.arrived = there,
					.came = at + way * US,
					.there = there,
					.bytes = CHUNK,
					.psns = 100,
					.acked = PHASE_UNKNOWN,
					.asked = PHASE_UNKNOWN,
					.returned = ack ? there + (d == 3 ? ack
									  : 1) *
									    US
							: PHASE_UNKNOWN,
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
	w->in.last_ns = a[3 * ROUNDS - 1].arrived;
}

/* The link of host 3 is idle for half of the time: each round takes 30 us
 * longer, and whether host 3 or its port is slow nobody knows ... */
static void a_port_that_stands_still_is_ambiguous(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	to_host_3(w, true, 0);
	h = hear(w);
	assert_int_equal(h->phases, ROUNDS);
	assert_in_range(h->share[SHARE_HELD], ROUNDS * HELD * US - 800,
			ROUNDS * HELD * US + 800);
	assert_int_equal(of_side(h, "network"), 0);
	assert_int_equal(of_side(h, "host"), 0);
	free(h);
	free(w);
}

static void as_far(struct phase_activity *a)
{
	int64_t more = 4 * US - (a->came - a->from);

	a->came += more;
	a->there += more;
	a->over = a->arrived = a->there;
}

/* All ways may be as long as that between switches: who knows the cables knows
 * that one port is all they pass. */
static void one_switch_is_known_by_cables(void **state)
{
	(void)state;
	for (uint32_t other = 1; other <= 2; other++) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h;

		to_host_3(w, true, 0);
		for (uint32_t i = 0; i < RANKS; i++)
			w->hosts[i].leaf = i == 3 ? other : 1;
		for (int f = 0; f < FLOWS; f++)
			for (int k = 0; k < ROUNDS; k++)
				as_far(&w->flows[f].a[k]);
		h = hear(w);
		assert_in_range(other == 1 ? h->share[SHARE_HELD]
					   : of_side(h, "network"),
				ROUNDS * HELD * US - 800,
				ROUNDS * HELD * US + 800);
		free(h);
		free(w);
	}
}

/* ... or that one switch counted down what all packets have to live. */
static void one_switch_is_known_by_ttl(void **state)
{
	(void)state;
	for (int counts = 0; counts < 2; counts++) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h;

		to_host_3(w, true, 0);
		for (int f = 0; f < FLOWS; f++) {
			w->flows[f].routers = f || counts;
			for (int k = 0; k < ROUNDS; k++)
				as_far(&w->flows[f].a[k]);
		}
		h = hear(w);
		assert_in_range(
			counts ? h->share[SHARE_HELD] : of_side(h, "network"),
			ROUNDS * HELD * US - 800, ROUNDS * HELD * US + 800);
		free(h);
		free(w);
	}
}

/* ... and where all that comes to it is routed, it may be another port. */
static void behind_routers_it_may_be_another_port(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	to_host_3(w, true, 0);
	for (int f = 0; f < FLOWS; f++)
		w->flows[f].routers = 2;
	h = hear(w);
	assert_int_equal(h->share[SHARE_HELD], 0);
	assert_in_range(of_side(h, "network"), ROUNDS * HELD * US - 800,
			ROUNDS * HELD * US + 800);
	free(h);
	free(w);
}

/* ... unless its adapter acknowledges late, too.  Nobody waits for that behind
 * the last arrival. */
static void a_slow_adapter_holds_its_port(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	to_host_3(w, true, 3);
	h = hear(w);
	assert_int_equal(h->phases, ROUNDS);
	assert_in_range(h->share[SHARE_DRAIN], ROUNDS * HELD * US - 800,
			ROUNDS * HELD * US + 800);
	assert_int_equal(of_side(h, "network"), 0);
	assert_int_equal(of_side(h, "unknown"), 0);
	free(h);
	free(w);
}

/* What comes from the same switch is not delayed: a link between the switches
 * is too thin. */
static void a_thin_uplink_is_the_networks(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	to_host_3(w, false, 0);
	h = hear(w);
	assert_int_equal(h->share[SHARE_HELD], 0);
	assert_int_equal(of_side(h, "unknown"), 0);
	assert_int_equal(of_side(h, "host"), 0);
	assert_in_range(of_side(h, "network"), ROUNDS * HELD * US - 800,
			ROUNDS * HELD * US + 800);
	free(h);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_acknowledgements_are_the_receivers),
		cmocka_unit_test(acknowledgements_may_be_held_back),
		cmocka_unit_test(a_port_that_stands_still_is_ambiguous),
		cmocka_unit_test(one_switch_is_known_by_cables),
		cmocka_unit_test(one_switch_is_known_by_ttl),
		cmocka_unit_test(behind_routers_it_may_be_another_port),
		cmocka_unit_test(a_slow_adapter_holds_its_port),
		cmocka_unit_test(a_thin_uplink_is_the_networks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
