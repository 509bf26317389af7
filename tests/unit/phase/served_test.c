/* SPDX-License-Identifier: GPL-2.0-or-later
 * A parameter server whose link is full: vectors worked out by hand.
 *
 * Three workers each send four messages of 50 kB to the server, 5 us each at
 * 80 Gb/s, all at a time.  The link of the server takes 15 us for one message
 * of each, so that the last of the 600 kB is there 60 us, and the way of 2
 * us, after the first was sent: nothing could be sooner.  10 us later it
 * sends 100 kB back to each, 30 us in all, and 200 us behind these all begin
 * again.  Behind a thin link of the network one message of each takes 30 us. */
#include "ring.h"

enum {
	WORKERS = 3,
	MESSAGES = 4,
	BYTES = 50000,
	SENT = 5,
	WAY = 2,
	APART = 400
};

struct served {
	struct world w;
	struct phase_activity push[WORKERS][ROUNDS * MESSAGES];
	struct phase_activity back[WORKERS][ROUNDS];
};

static struct phase_activity piece(int64_t at, int us, int64_t came, int takes,
				   uint64_t bytes)
{
	return (struct phase_activity) {
		.from = at * US,
		.sent = (at + us) * US,
		.over = (came + takes) * US,
		.arrived = (came + takes) * US,
		.came = came * US,
		.there = (came + takes) * US,
		.bytes = bytes,
		.psns = 12,
		.acked = PHASE_UNKNOWN,
		.asked = PHASE_UNKNOWN,
		.returned = PHASE_UNKNOWN,
		.granted = PHASE_UNKNOWN,
		.unacked = PHASE_UNKNOWN,
	};
}

static struct phase_flow flow(int64_t id, uint32_t src, uint32_t dst,
			      struct phase_activity *a, size_t n)
{
	return (struct phase_flow) { .id = id,
				     .src = src,
				     .dst = dst,
				     .far = true,
				     .src_seen = true,
				     .dst_seen = true,
				     .wire = 1,
				     .messages = n,
				     .asked = PHASE_UNKNOWN,
				     .a = a,
				     .n = n };
}

/* |takes|: what passes of one message of each worker. */
static void serve(struct served *s, int takes)
{
	struct world *w = &s->w;

	memset(s, 0, sizeof *s);
	play(w);
	for (int i = 0; i < WORKERS; i++) {
		uint32_t worker = (uint32_t)i + 1;

		for (int k = 0; k < ROUNDS; k++) {
			int64_t at = 1000 + k * APART;
			int64_t over = at + WAY + MESSAGES * takes;

			for (int m = 0; m < MESSAGES; m++)
				s->push[i][k * MESSAGES + m] = piece(
					at + m * SENT, SENT,
					at + WAY + m * takes, takes, BYTES);
			s->back[i][k] = piece(over + 10, 30, over + 10 + WAY,
					      30, 2 * BYTES);
		}
		w->flows[i] =
			flow(i + 1, worker, 0, s->push[i], ROUNDS * MESSAGES);
		w->flows[WORKERS + i] =
			flow(WORKERS + i + 1, 0, worker, s->back[i], ROUNDS);
	}
	w->in.n_flows = 2 * WORKERS;
	w->in.n_hosts = RANKS;
	w->in.first_ns = s->push[0][0].from;
	w->in.last_ns = s->back[0][ROUNDS - 1].arrived;
}

static void what_waits_for_a_full_link_is_needed(void **state)
{
	struct served *s = malloc(sizeof *s);
	struct heard *h;

	(void)state;
	serve(s, 15);
	h = hear(&s->w);
	assert_int_equal(h->phases, ROUNDS);
	nothing_was_wrong(h);
	free(h);
	free(s);
}

/* Switches stop what comes faster than that. */
static void nor_do_pauses_cost_more(void **state)
{
	struct served *s = malloc(sizeof *s);
	struct phase_span e[WORKERS][ROUNDS];
	struct heard *h;

	(void)state;
	serve(s, 15);
	for (int i = 0; i < WORKERS; i++) {
		for (int k = 0; k < ROUNDS; k++)
			e[i][k] = (struct phase_span) {
				.from = (1000 + k * APART + 25) * US,
				.to = (1000 + k * APART + 55) * US,
				.class = CLASS_PAUSED_NET,
			};
		s->w.flows[i].evidence = e[i];
		s->w.flows[i].n_evidence = ROUNDS;
	}
	h = hear(&s->w);
	nothing_was_wrong(h);
	free(h);
	free(s);
}

/* 60 us more in each round, but for half of what came meanwhile. */
static void a_link_that_is_half_full_was_not_waited_for(void **state)
{
	struct served *s = malloc(sizeof *s);
	struct heard *h;

	(void)state;
	serve(s, 30);
	h = hear(&s->w);
	assert_in_range(h->share[SHARE_QUEUE], ROUNDS * 30 * US,
			ROUNDS * 80 * US);
	assert_in_range(of_side(h, "host"), 0, ROUNDS); /* rounded */
	free(h);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_waits_for_a_full_link_is_needed),
		cmocka_unit_test(nor_do_pauses_cost_more),
		cmocka_unit_test(a_link_that_is_half_full_was_not_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
