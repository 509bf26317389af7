/* SPDX-License-Identifier: GPL-2.0-or-later
 * Two pipelines side by side, of which a stage computes longer in each step. */
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
	PIPES = 2,
	STAGES = 4,
	RANKS = PIPES * STAGES,
	STEPS = 12,
	BATCHES = 4,
	LINKS = PIPES * (STAGES - 1), /* from stage to stage */
	FLOWS = 2 * LINKS + RANKS,    /* and back, and to the other pipeline */
	USUAL = 30,                   /* us, at a time */
};

static char names[RANKS][2] = { "a", "b", "c", "d", "e", "f", "g", "h" };

struct grid {
	struct phase_activity a[FLOWS][BATCHES * STEPS];
	struct phase_flow flows[FLOWS];
	struct phase_host hosts[RANKS];
	int works[RANKS];              /* us */
	int64_t shares[RANKS];         /* that it was late by */
	int64_t host_ns, took, phases; /* |took|: by hand, all steps */
};

/* 100 kB are sent in 8 us and there in 10. */
static int64_t send(struct grid *g, int f, int src, int dst, int64_t at)
{
	struct phase_flow *flow = &g->flows[f];

	g->a[f][flow->n] = (struct phase_activity) {
		.from = at,
		.sent = at + 8 * US,
		.over = at + 10 * US,
		.arrived = at + 10 * US,
		.came = at + 2 * US,
		.there = at + 10 * US,
		.bytes = 100000,
		.psns = 25,
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
	flow->wire = 1;
	flow->messages = flow->n;
	flow->src_seen = flow->dst_seen = true;
	flow->rtt_r = US;
	flow->asked = PHASE_UNKNOWN;
	flow->a = g->a[f];
	return at + 10 * US;
}

/* All batches of one pipeline forth, and then all back, from |at| on.  |done|:
 * of each stage. */
static void pipe(struct grid *g, int pipe, int64_t at, int64_t *done)
{
	int first = pipe * STAGES;
	int64_t came[BATCHES] = { 0 };

	for (int s = 0; s < STAGES; s++)
		done[s] = at;
	for (int back = 0; back < 2; back++)
		for (int hop = 0; hop < STAGES; hop++) {
			int s = back ? STAGES - 1 - hop : hop;
			int f = pipe * (STAGES - 1) + s;

			for (int b = 0; b < BATCHES; b++) {
				if (hop && came[b] > done[s])
					done[s] = came[b];
				done[s] += (int64_t)g->works[first + s] * US;
				if (hop == STAGES - 1)
					continue;
				came[b] = send(
					g, back ? LINKS + f - 1 : f, first + s,
					first + s + (back ? -1 : 1), done[s]);
			}
		}
}

static void play(struct grid *g)
{
	int64_t at = 0, done[RANKS];

	for (int k = 0; k < STEPS; k++) {
		int64_t over = at;

		for (int p = 0; p < PIPES; p++)
			pipe(g, p, at, done + p * STAGES);
		for (int r = 0; r < RANKS; r++) {
			int64_t ns = send(g, 2 * LINKS + r, r,
					  (r + STAGES) % RANKS, done[r]);

			over = ns > over ? ns : over;
		}
		g->took += over - at;
		at = over + 500 * US;
	}
}

static void hear_job(void *ctx, const struct phase_job *row)
{
	((struct grid *)ctx)->phases = row->phases;
}

static void hear_share(void *ctx, const struct phase_share_row *row)
{
	struct grid *g = ctx;

	if (strcmp(phase_share_sides[row->share], "host"))
		return;
	g->host_ns += row->time_ns;
	if (row->share == SHARE_LATER && row->rank != PHASE_UNKNOWN)
		g->shares[row->rank] += row->time_ns;
}

static struct grid *grid(const int *works)
{
	struct grid *g = calloc(1, sizeof *g);
	struct phase_input in = { .link_bps = 100000000000u };
	struct phase_sink sink = deaf_sink(g);
	int64_t next = 1;

	sink.job = hear_job;
	sink.share = hear_share;
	assert_non_null(g);
	for (int r = 0; r < RANKS; r++) {
		g->hosts[r] = (struct phase_host) { .address = names[r],
						    .rail = -1,
						    .link = true };
		g->works[r] = works[r];
	}
	play(g);
	in.flows = g->flows;
	in.n_flows = FLOWS;
	in.hosts = g->hosts;
	in.n_hosts = RANKS;
	in.last_ns = INT64_MAX / 2;
	in.whole = true;
	in.job = 1;
	in.uet_job = PHASE_UNKNOWN;
	assert_true(phase_job(&in, &sink, &next));
	assert_int_equal(g->phases, STEPS);
	return g;
}

static const int alike[RANKS] = { USUAL, USUAL, USUAL, USUAL,
				  USUAL, USUAL, USUAL, USUAL };

/* What the slow stage costs is what the steps take longer. */
static void a_stage_is_slow(void **state)
{
	int works[RANKS];
	struct grid *usual = grid(alike), *slow;
	int64_t longer;

	(void)state;
	assert_int_equal(usual->host_ns, 0);
	memcpy(works, alike, sizeof works);
	works[1] = 2 * USUAL;
	slow = grid(works);
	longer = slow->took - usual->took;
	assert_true(slow->shares[1] >= longer / 2);
	assert_true(slow->shares[1] <= longer);
	assert_int_equal(slow->host_ns, slow->shares[1]);
	free(usual);
	free(slow);
}

/* The same stage of both may have more to do. */
static void both_are_slow(void **state)
{
	const int works[RANKS] = { USUAL, 2 * USUAL, USUAL, USUAL,
				   USUAL, 2 * USUAL, USUAL, USUAL };
	struct grid *g = grid(works);

	(void)state;
	assert_int_equal(g->host_ns, 0);
	free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stage_is_slow),
		cmocka_unit_test(both_are_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
