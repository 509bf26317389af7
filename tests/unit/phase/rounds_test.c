/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which pieces of data are one exchange of all with all, by vectors worked out
 * by hand: four ranks, each sends to each other once a round, never as much as
 * the time before; in odd rounds one begins when the others are done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "phase/phase_int.h"

enum { RANKS = 4, PEERS = RANKS - 1, ROUNDS = 6, US = 1000, MOST = 3 * ROUNDS };

struct exchange {
	struct phase_activity a[RANKS][PEERS][MOST];
	struct phase_flow flows[RANKS * PEERS];
	struct phase_input in;
	uint32_t out[RANKS][PEERS];
	struct rank ranks[RANKS];
	struct job j;
	int64_t to[2 * ROUNDS]; /* pieces */
	bool begins[2 * ROUNDS];
};

static void add(struct phase_flow *g, int64_t at, uint64_t bytes, bool inside)
{
	g->a[g->n++] = (struct phase_activity) {
		.from = at,
		.sent = at + US,
		.over = at + US,
		.arrived = at + US,
		.bytes = bytes,
		.inside = inside,
	};
}

/* |asks|: who is late asked the others for data of theirs before; |stops|: one
 * of them stops in the middle of a message until then. */
static struct exchange *make(bool asks, bool stops)
{
	struct exchange *x = calloc(1, sizeof *x);

	assert_non_null(x);
	for (uint32_t r = 0; r < RANKS; r++) {
		x->ranks[r].out = x->out[r];
		x->ranks[r].n_out = PEERS;
		for (uint32_t p = 0; p < PEERS; p++) {
			uint32_t f = r * PEERS + p;

			x->out[r][p] = f;
			x->flows[f] = (struct phase_flow) {
				.src = r,
				.dst = (r + 1 + p) % RANKS,
				.a = x->a[r][p],
			};
		}
	}
	for (int k = 0; k < ROUNDS; k++) {
		int64_t at = (int64_t)k * 100 * US;
		uint32_t late = k % 2 ? (uint32_t)k % RANKS : RANKS;

		x->to[2 * k] = at + 10 * US;
		x->to[2 * k + 1] = at + 60 * US;
		for (uint32_t f = 0; f < RANKS * PEERS; f++) {
			struct phase_flow *g = &x->flows[f];
			uint64_t bytes =
				20000 +
				1700 * ((7 * f + 5u * (uint32_t)k) % 11);
			bool waits = g->src == late;

			if (waits && asks)
				add(g, at, 64, false);
			if (stops && late < RANKS && !waits &&
			    g->src == (late + 1) % RANKS) {
				add(g, at, bytes / 2, true);
				add(g, at + 50 * US, bytes / 2, false);
			} else {
				add(g, waits ? at + 50 * US : at, bytes, false);
			}
		}
	}
	x->in = (struct phase_input) { .flows = x->flows,
				       .n_flows = RANKS * PEERS,
				       .n_hosts = RANKS };
	x->j = (struct job) { .in = &x->in,
			      .ranks = x->ranks,
			      .n_ranks = RANKS };
	return x;
}

static void are_rounds(struct exchange *x)
{
	assert_true(phase_rounds(&x->j, x->to, 2 * ROUNDS, x->begins));
	for (int i = 0; i < 2 * ROUNDS; i++)
		assert_int_equal(x->begins[i], i % 2 == 0);
	free(x);
}

static void each_flow_is_in_a_round_once(void **state)
{
	struct exchange *x;

	(void)state;
	are_rounds(make(false, false));
	are_rounds(make(true, false));
	are_rounds(make(false, true));
	/* who sends to one other only passes data on */
	x = make(false, false);
	x->ranks[2].n_out = 1;
	assert_false(phase_rounds(&x->j, x->to, 2 * ROUNDS, x->begins));
	free(x);
	/* half of the flows are in each second round only */
	x = make(false, false);
	for (uint32_t f = 0; f < RANKS * PEERS / 2; f++)
		for (size_t i = 0; i < x->flows[f].n; i++)
			x->flows[f].a[i].from += (int64_t)i * 100 * US;
	assert_false(phase_rounds(&x->j, x->to, 2 * ROUNDS, x->begins));
	free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_flow_is_in_a_round_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
