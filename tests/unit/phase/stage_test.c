/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stages of a pipeline that compute for so long, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "phase/phase.h"

#define US 1000

enum {
	RANKS = 5,
	STEPS = 12,
	FLOWS = 2 * (RANKS - 1),
	BATCHES = 4, /* each way */
	PARTS = 4,   /* messages of each */
	MOST = BATCHES * PARTS,
};

static char names[RANKS][2] = { "a", "b", "c", "d", "e" };

struct line {
	struct phase_activity a[FLOWS][MOST * STEPS];
	struct phase_flow flows[FLOWS];
	struct phase_host hosts[RANKS];
	int64_t stage_ns[RANKS];
	enum phase_pattern pattern;
	int64_t hosts_ns; /* that hosts caused */
};

static void send(struct line *l, int f, int src, int dst, int step, int64_t at)
{
	l->a[f][step] = (struct phase_activity) { .from = at,
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
						  .granted = PHASE_UNKNOWN };
	l->flows[f] = (struct phase_flow) { .id = f + 1,
					    .src = (uint32_t)src,
					    .dst = (uint32_t)dst,
					    .wire = 1,
					    .messages = (uint64_t)step + 1,
					    .src_seen = true,
					    .dst_seen = true,
					    .rtt_r = 5 * US,
					    .a = l->a[f],
					    .n = (size_t)step + 1 };
}

/* A batch goes down the line and back: stage r computes |us[r]| before it
 * passes it on, each way, in so many messages with 12 us between them.  |asks|:
 * stage 2 asks for the last of stage 1 only 100 us later. */
static void step(struct line *l, int k, const int *us, int messages, bool asks)
{
	int64_t at = (int64_t)k * 3000 * US;

	for (int hop = 0; hop < FLOWS; hop++) {
		bool back = hop >= RANKS - 1;
		int r = back ? FLOWS - hop : hop;
		int f = back ? RANKS - 2 + r : r;

		at += us[r] * US;
		for (int m = 0; m < messages; m++, at += 20 * US) {
			int nth = k * messages + m;
			bool asked = asks && hop == 1 && m == messages - 1;

			at += asked ? 100 * US : 0;
			send(l, f, r, back ? r - 1 : r + 1, nth, at);
			l->flows[f].driven = asked;
			if (asked)
				l->a[f][nth - 1].asked = at - US / 2;
		}
		at -= 10 * US;
	}
}

/* From rank |src| to |dst|, |PARTS| messages of 8 us that are 2 us on their
 * way: each is asked for when the one before has come, 1 us away, the first
 * when |idle|.  Returns when the last has come. */
static int64_t parts(struct line *l, int src, int dst, int nth, int64_t done,
		     int64_t idle)
{
	int f = dst > src ? src : RANKS - 2 + src;

	for (int m = 0; m < PARTS; m++, nth++) {
		int64_t asked = idle + US, at = asked > done ? asked : done;

		if (nth)
			l->a[f][nth - 1].asked = asked;
		send(l, f, src, dst, nth, at);
		l->flows[f].driven = true;
		idle = at + 10 * US;
	}
	return idle;
}

/* Batches go down the line, and then back.  Each stage computes 60 us when a
 * batch has come, and asks for the next one, or for what comes back, only
 * then. */
static void step_by_batches(struct line *l, int k)
{
	int64_t done[RANKS], idle[RANKS], begin = (int64_t)k * 9000 * US;

	for (int r = 0; r < RANKS; r++)
		idle[r] = done[r] = begin;
	for (int back = 0; back < 2; back++)
		for (int b = 0; b < BATCHES; b++) {
			int first = back ? RANKS - 1 : 0;

			done[first] += 60 * US;
			for (int hop = 0; hop < RANKS - 1; hop++) {
				int r = back ? RANKS - 1 - hop : hop;
				int to = back ? r - 1 : r + 1;

				done[to] = idle[to] =
					60 * US + parts(l, r, to,
							k * MOST + b * PARTS,
							done[r], idle[to]);
			}
		}
}

static void hear_job(void *ctx, const struct phase_job *row)
{
	((struct line *)ctx)->pattern = row->pattern;
}

static void hear_rank(void *ctx, const struct phase_rank *row)
{
	((struct line *)ctx)->stage_ns[row->rank] = row->stage_ns;
}

static void nothing_phase(void *ctx, const struct phase *row)
{
	(void)ctx;
	(void)row;
}

static void nothing_rank(void *ctx, const struct phase_rank_row *row)
{
	(void)ctx;
	(void)row;
}

static void nothing_flow(void *ctx, const struct phase_flow_row *row)
{
	(void)ctx;
	(void)row;
}

static void hear_share(void *ctx, const struct phase_share_row *row)
{
	if (!strcmp(phase_share_sides[row->share], "host"))
		((struct line *)ctx)->hosts_ns += row->time_ns;
}

static void nothing_group(void *ctx, const struct phase_group *row)
{
	(void)ctx;
	(void)row;
}

static void run(struct line *l)
{
	const struct phase_sink sink = { .ctx = l,
					 .job = hear_job,
					 .rank = hear_rank,
					 .phase = nothing_phase,
					 .phase_rank = nothing_rank,
					 .phase_flow = nothing_flow,
					 .share = hear_share,
					 .group = nothing_group };
	struct phase_input in = { .flows = l->flows,
				  .n_flows = FLOWS,
				  .hosts = l->hosts,
				  .n_hosts = RANKS,
				  .last_ns = (int64_t)STEPS * 9000 * US,
				  .link_bps = 100000000000,
				  .job = 1,
				  .uet_job = PHASE_UNKNOWN,
				  .whole = true };
	int64_t next = 1;

	for (int r = 0; r < RANKS; r++)
		l->hosts[r] = (struct phase_host) { .address = names[r],
						    .rail = -1,
						    .link = true };
	assert_true(phase_job(&in, &sink, &next));
	assert_int_equal(l->pattern, PATTERN_PIPELINE);
}

/* In one message or several; another may ask for the last of them late. */
static void a_stage_takes_so_long_both_ways(void **state)
{
	static const int us[RANKS] = { 50, 60, 140, 70, 90 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct line *l = calloc(1, sizeof *l);

		for (int k = 0; k < STEPS; k++)
			step(l, k, us, i ? 3 : 1, i == 2);
		run(l);
		/* the ends do other work */
		assert_int_equal(l->stage_ns[0], PHASE_UNKNOWN);
		assert_int_equal(l->stage_ns[RANKS - 1], PHASE_UNKNOWN);
		for (int r = 1; r + 1 < RANKS; r++)
			assert_int_equal(l->stage_ns[r], 2 * us[r] * US);
		free(l);
	}
}

static void a_stage_asks_when_it_has_computed(void **state)
{
	struct line *l = calloc(1, sizeof *l);

	(void)state;
	for (int k = 0; k < STEPS; k++)
		step_by_batches(l, k);
	run(l);
	assert_int_equal(l->stage_ns[2], 2 * 60 * US);
	assert_int_equal(l->hosts_ns, 0);
	free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stage_asks_when_it_has_computed),
		cmocka_unit_test(a_stage_takes_so_long_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
