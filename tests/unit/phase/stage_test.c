/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stages of a pipeline that compute for so long, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "phase/phase.h"

#define US 1000

enum { RANKS = 5, STEPS = 12, FLOWS = 2 * (RANKS - 1), MOST = 3 };

static char names[RANKS][2] = { "a", "b", "c", "d", "e" };

struct line {
	struct phase_activity a[FLOWS][MOST * STEPS];
	struct phase_flow flows[FLOWS];
	struct phase_host hosts[RANKS];
	int64_t stage_ns[RANKS];
	enum phase_pattern pattern;
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

static void nothing_share(void *ctx, const struct phase_share_row *row)
{
	(void)ctx;
	(void)row;
}

static void nothing_group(void *ctx, const struct phase_group *row)
{
	(void)ctx;
	(void)row;
}

static void run(struct line *l, const int *us, int messages, bool asks)
{
	const struct phase_sink sink = { .ctx = l,
					 .job = hear_job,
					 .rank = hear_rank,
					 .phase = nothing_phase,
					 .phase_rank = nothing_rank,
					 .phase_flow = nothing_flow,
					 .share = nothing_share,
					 .group = nothing_group };
	struct phase_input in = { .flows = l->flows,
				  .n_flows = FLOWS,
				  .hosts = l->hosts,
				  .n_hosts = RANKS,
				  .last_ns = (int64_t)STEPS * 3000 * US,
				  .link_bps = 100000000000,
				  .job = 1,
				  .uet_job = PHASE_UNKNOWN,
				  .whole = true };
	int64_t next = 1;

	for (int k = 0; k < STEPS; k++)
		step(l, k, us, messages, asks);
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

		run(l, us, i ? MOST : 1, i == 2);
		/* the ends do other work */
		assert_int_equal(l->stage_ns[0], PHASE_UNKNOWN);
		assert_int_equal(l->stage_ns[RANKS - 1], PHASE_UNKNOWN);
		for (int r = 1; r + 1 < RANKS; r++)
			assert_int_equal(l->stage_ns[r], 2 * us[r] * US);
		free(l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stage_takes_so_long_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
