/* SPDX-License-Identifier: GPL-2.0-or-later
 * Workers that send to a server, one of them late while the link of the server
 * is busy with the others, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "phase/phase.h"

#include "sink.h"

#define US 1000

enum {
	WORKERS = 4,
	RANKS = WORKERS + 1, /* the last is the server */
	STEPS = 12,
	MANY = 48,  /* of three that send to each other */
	EACH = 100, /* us that the link takes for the data of a worker */
	WORK = 40,  /* us of the server */
};

static char names[RANKS][2] = { "a", "b", "c", "d", "e" };

struct server {
	struct phase_activity a[2 * WORKERS][MANY];
	struct phase_flow flows[2 * WORKERS];
	struct phase_host hosts[RANKS];
	int64_t host_ns, took, phases; /* |took|: by hand, all steps */
};

/* Sent from |at| to |sent| and there 2 us later: 12.5 kB a us. */
static void send(struct server *g, int f, int src, int dst, int64_t at,
		 int64_t sent)
{
	struct phase_flow *flow = &g->flows[f];

	g->a[f][flow->n] = (struct phase_activity) {
		.from = at,
		.sent = sent,
		.over = sent + 2 * US,
		.arrived = sent + 2 * US,
		.came = at + 2 * US,
		.there = sent + 2 * US,
		.bytes = EACH * 12500,
		.psns = EACH * 3,
		.acked = PHASE_UNKNOWN,
		.asked = PHASE_UNKNOWN,
		.unacked = PHASE_UNKNOWN,
		.returned = PHASE_UNKNOWN,
		.granted = PHASE_UNKNOWN,
	};
	flow->n++;
	flow->id = f + 1;
	flow->src = (uint32_t)src;
	flow->dst = (uint32_t)dst;
	flow->far = flow->whole = true;
	flow->wire = 1;
	flow->messages = flow->n;
	flow->src_seen = flow->dst_seen = true;
	flow->rtt_r = US;
	flow->asked = PHASE_UNKNOWN;
	flow->a = g->a[f];
}

/* All share the link of the server evenly, worker 0 from |late| on.  Returns
 * when the server has all. */
static int64_t gather(struct server *g, int64_t at, int64_t late)
{
	const int64_t all = WORKERS * EACH * US;
	int64_t others = all - EACH * US, last = late + EACH * US;

	/* what these have left then, they share with it */
	if (late < others) {
		last = all;
		others = all - late / (WORKERS - 1);
	}
	for (int w = 1; w < WORKERS; w++)
		send(g, w, w, WORKERS, at, at + others);
	send(g, 0, 0, WORKERS, at + late, at + last);
	return at + last + 2 * US;
}

static void play(struct server *g, int64_t late)
{
	int64_t at = 0;

	for (int k = 0; k < STEPS; k++) {
		int64_t begin = at;

		at = gather(g, at, k % 3 == 1 ? late : 0) + WORK * US;
		for (int w = 0; w < WORKERS; w++)
			send(g, WORKERS + w, WORKERS, w, at,
			     at + WORKERS * EACH * US);
		at += WORKERS * EACH * US + 2 * US;
		g->took += at - begin;
		at += 500 * US;
	}
}

/* Three of them send 1.25 MB to each other at the same times, 1 ms apart, but
 * one of them, from the ninth step on, 400 us later, by 20 us more or less;
 * nobody begins later for that. */
static void all_to_all(struct server *g, int64_t late)
{
	enum { THREE = 3, TAKES = (THREE - 1) * EACH, APART = 1000 };

	for (int k = 0; k < MANY; k++)
		for (int s = 0; s < THREE; s++)
			for (int d = 0; d < THREE; d++) {
				int64_t at = (k * APART + k % 2 * 20) * US;

				at += !s && k > 7 ? late : 0;
				if (s != d)
					send(g, s * (THREE - 1) + d - (d > s),
					     s, d, at, at + TAKES * US);
			}
}

static void hear_job(void *ctx, const struct phase_job *row)
{
	((struct server *)ctx)->phases = row->phases;
}

static void hear_share(void *ctx, const struct phase_share_row *row)
{
	struct server *g = ctx;

	if (!strcmp(phase_share_sides[row->share], "host"))
		g->host_ns += row->time_ns;
}

static struct server *run(void (*plays)(struct server *, int64_t), int64_t late,
			  int flows, int ranks)
{
	struct server *g = calloc(1, sizeof *g);
	struct phase_input in = { .link_bps = 100000000000u,
				  .job = 1,
				  .uet_job = PHASE_UNKNOWN,
				  .whole = true };
	struct phase_sink sink = deaf_sink(g);
	int64_t next = 1;

	sink.job = hear_job;
	sink.share = hear_share;
	assert_non_null(g);
	for (int r = 0; r < ranks; r++)
		g->hosts[r] = (struct phase_host) { .address = names[r],
						    .rail = -1,
						    .link = true };
	plays(g, late);
	in.flows = g->flows;
	in.n_flows = (size_t)flows;
	in.hosts = g->hosts;
	in.n_hosts = (size_t)ranks;
	in.last_ns = INT64_MAX / 2;
	assert_true(phase_job(&in, &sink, &next));
	assert_int_equal(g->phases, plays == all_to_all ? MANY : STEPS);
	return g;
}

static struct server *server(int64_t late)
{
	return run(play, late, 2 * WORKERS, RANKS);
}

/* Late by |late| us: hosts cost what steps take longer, but for a part of the
 * lateness. */
static void costs_what_is_longer(int64_t late)
{
	struct server *usual = server(0), *g = server(late * US);
	int64_t longer = g->took - usual->took;
	int64_t part = STEPS / 3 * late * US / 10;

	assert_int_equal(usual->host_ns, 0);
	assert_true(g->host_ns >= longer - part);
	assert_true(g->host_ns <= longer + part);
	free(usual);
	free(g);
}

static void nothing_while_the_link_is_busy(void **state)
{
	(void)state;
	costs_what_is_longer(EACH);
	costs_what_is_longer(2 * EACH);
}

static void what_is_left_when_it_is_idle(void **state)
{
	(void)state;
	costs_what_is_longer(5 * EACH);
	costs_what_is_longer(8 * EACH);
}

/* But for what the next begins later by, at times. */
static void nothing_if_nobody_begins_later(void **state)
{
	struct server *g = run(all_to_all, 400 * US, 6, 3);

	(void)state;
	assert_true(g->host_ns <= MANY * 40 * US);
	free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_while_the_link_is_busy),
		cmocka_unit_test(what_is_left_when_it_is_idle),
		cmocka_unit_test(nothing_if_nobody_begins_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
