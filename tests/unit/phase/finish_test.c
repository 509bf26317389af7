/* SPDX-License-Identifier: GPL-2.0-or-later
 * What arrives last in a phase, by vectors worked out by hand.
 *
 * Hosts 0 and 1 are at one switch, 2 and 3 at another.  In each round all send
 * 100 kB, twice, to each other, from its begin on: that takes 60 us of a link
 * of 80 Gb/s.  Between the switches is a thin link, and the last packet comes
 * 400 us after it was sent: the shortest way is 4 us, 2 us at a switch.  The
 * first 100 kB to all are one phase, the second begins when these have come
 * where no queue is, and what goes over the thin link began just before.  For
 * 20 us the link of the receiver carries what another one sent. */
#include "ring.h"

enum {
	FLOWS = RANKS * (RANKS - 1),
	APART = 490,
	SENDS = 60,
	QUEUE = 396,
	OTHERS = 20
};

static struct phase_activity one(int64_t from, int64_t sent, int64_t came,
				 int64_t there, uint64_t bytes)
{
	return (struct phase_activity) {
		.from = from * US,
		.sent = sent * US,
		.over = there * US,
		.arrived = there * US,
		.came = came * US,
		.there = there * US,
		.bytes = bytes,
		.psns = bytes / 1000,
		.acked = PHASE_UNKNOWN,
		.asked = PHASE_UNKNOWN,
		.returned = PHASE_UNKNOWN,
		.granted = PHASE_UNKNOWN,
		.unacked = PHASE_UNKNOWN,
	};
}

static void thin_uplink(struct world *w)
{
	static struct phase_activity all[2 * FLOWS * ROUNDS];
	struct phase_activity *a = all;
	int f = 0;

	play(w);
	for (int s = 0; s < RANKS; s++)
		for (int d = 0; d < RANKS; d++) {
			struct phase_activity *first = a;
			bool near = s / 2 == d / 2;

			if (d == s)
				continue;
			for (int k = 0; k < ROUNDS; k++) {
				int64_t at = 1000 + k * APART;

				if (near) {
					*a++ = one(at, at + 28, at + 2, at + 30,
						   CHUNK);
					*a++ = one(at + 31, at + 60, at + 33,
						   at + 62, CHUNK);
					continue;
				}
				*a = one(at, at + 29, at + 4, at + 231, CHUNK);
				a++->over = (at + 29) * US;
				*a++ = one(at + 29, at + SENDS, at + 231,
					   at + SENDS + 4 + QUEUE, CHUNK);
			}
			w->flows[f] = (struct phase_flow) {
				.id = f + 1,
				.src = (uint32_t)s,
				.dst = (uint32_t)d,
				.far = true,
				.src_seen = true,
				.dst_seen = true,
				.wire = 1,
				.messages = 2 * ROUNDS,
				.asked = PHASE_UNKNOWN,
				.a = first,
				.n = (size_t)(a - first),
			};
			f++;
		}
	w->in.n_flows = FLOWS;
	w->in.n_hosts = RANKS;
	w->in.last_ns = (1000 + ROUNDS * APART) * US;
}

static void what_began_before_may_arrive_last(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	thin_uplink(w);
	h = hear(w);
	assert_int_equal(h->phases, 2 * ROUNDS);
	assert_in_range(of_side(h, "network"), ROUNDS * (QUEUE - OTHERS) * US,
			ROUNDS * QUEUE * US);
	assert_int_equal(of_side(h, "host"), 0);
	assert_int_equal(of_side(h, "unknown"), 0);
	free(h);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_began_before_may_arrive_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
