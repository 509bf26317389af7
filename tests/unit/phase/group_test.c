/* SPDX-License-Identifier: GPL-2.0-or-later
 * Steps and groups of a job of two replicas, two stages and two experts, with
 * times worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "phase/phase.h"

#define US 1000

enum { RANKS = 8, STEPS = 8, EACH = 4, FLOWS = RANKS * 3 };

struct stage {
	struct phase_activity a[FLOWS][STEPS * EACH];
	struct phase_flow flows[FLOWS];
	struct phase_host hosts[RANKS];
	char names[RANKS][2];
	struct phase_input in;
};

/* Rank ((replica * 2) + stage) * 2 + expert. */
static int replica(int r)
{
	return r ^ 4;
}

static int stage(int r)
{
	return r ^ 2;
}

static int expert(int r)
{
	return r ^ 1;
}

/* Data of |f| that is under way 10 us, at |us| of each step. */
static void send(struct stage *s, int f, int src, int dst, const int *us, int n,
		 int every)
{
	for (int k = 0; k < STEPS; k++)
		for (int i = 0; i < n; i++) {
			int64_t at = (int64_t)(k * every + us[i]) * US;

			s->a[f][k * n + i] = (struct phase_activity) {
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
		}
	s->flows[f] = (struct phase_flow) { .id = f + 1,
					    .src = (uint32_t)src,
					    .dst = (uint32_t)dst,
					    .wire = 1,
					    .messages = (uint64_t)(STEPS * n),
					    .a = s->a[f],
					    .n = (size_t)(STEPS * n) };
}

/* Two batches go to the experts of the first stage, on to the second and to its
 * experts, and back; then replicas exchange twice. */
static struct stage *play(int every)
{
	static const int first[] = { 0, 100, 360, 460 };
	static const int second[] = { 60, 160, 300, 400 };
	static const int on[] = { 50, 150 }, back[] = { 350, 450 };
	static const int all[] = { 500, 520 };
	struct stage *s = calloc(1, sizeof *s);

	for (int r = 0, f = 0; r < RANKS; r++) {
		send(s, f++, r, expert(r), r & 2 ? second : first, 4, every);
		send(s, f++, r, stage(r), r & 2 ? back : on, 2, every);
		send(s, f++, r, replica(r), all, 2, every);
		s->names[r][0] = (char)('a' + r);
		s->hosts[r] = (struct phase_host) { .address = s->names[r],
						    .rail = -1,
						    .link = true };
	}
	s->in = (struct phase_input) { .flows = s->flows,
				       .n_flows = FLOWS,
				       .hosts = s->hosts,
				       .n_hosts = RANKS,
				       .last_ns = (int64_t)STEPS * every * US,
				       .link_bps = 100000000000,
				       .job = 1,
				       .uet_job = PHASE_UNKNOWN,
				       .whole = true };
	return s;
}

struct heard {
	struct phase_job job;
	int64_t ends[STEPS];
	size_t phases, groups;
	int64_t group[PHASE_GROUP_KINDS][RANKS]; /* 0 none */
};

static void hear_job(void *ctx, const struct phase_job *row)
{
	((struct heard *)ctx)->job = *row;
}

static void hear_group(void *ctx, const struct phase_group *row)
{
	struct heard *h = ctx;

	assert_int_equal(h->group[row->kind][*row->address - 'a'], 0);
	h->group[row->kind][*row->address - 'a'] = row->group;
	h->groups++;
}

static void hear_phase(void *ctx, const struct phase *row)
{
	struct heard *h = ctx;

	assert_true(h->phases < STEPS);
	h->ends[h->phases++] = row->last_ns;
}

static void hear_rank(void *ctx, const struct phase_rank *row)
{
	(void)ctx;
	(void)row;
}

static void hear_phase_rank(void *ctx, const struct phase_rank_row *row)
{
	(void)ctx;
	(void)row;
}

static void hear_flow(void *ctx, const struct phase_flow_row *row)
{
	(void)ctx;
	(void)row;
}

static void hear_share(void *ctx, const struct phase_share_row *row)
{
	(void)ctx;
	(void)row;
}

static struct heard *hear(const struct phase_input *in)
{
	struct heard *h = calloc(1, sizeof *h);
	const struct phase_sink sink = { .ctx = h,
					 .job = hear_job,
					 .rank = hear_rank,
					 .phase = hear_phase,
					 .phase_rank = hear_phase_rank,
					 .phase_flow = hear_flow,
					 .group = hear_group,
					 .share = hear_share };
	int64_t next = 1;

	assert_true(phase_job(in, &sink, &next));
	return h;
}

static void pairs_are(const struct heard *h, enum phase_group_kind kind,
		      int (*other)(int))
{
	for (int r = 0; r < RANKS; r++) {
		assert_true(h->group[kind][r] > 0);
		for (int o = 0; o < RANKS; o++)
			assert_int_equal(h->group[kind][r] == h->group[kind][o],
					 o == r || o == other(r));
	}
}

static void steps_end_when_the_last_is_done(const struct heard *h, int every)
{
	assert_int_equal(h->job.iterations, STEPS);
	assert_int_equal(h->phases, STEPS);
	for (int k = 0; k < STEPS; k++)
		assert_int_equal(h->ends[k], (int64_t)(k * every + 530) * US);
}

/* All are silent 10 us between steps, and up to 130 us inside of one. */
static void one_job_has_groups_of_each_kind(void **state)
{
	struct stage *s = play(540);
	struct heard *h = hear(&s->in);

	(void)state;
	steps_end_when_the_last_is_done(h, 540);
	assert_int_equal(h->groups, 3 * RANKS);
	pairs_are(h, GROUP_EP, expert);
	pairs_are(h, GROUP_PP, stage);
	pairs_are(h, GROUP_DP, replica);
	assert_int_equal(h->job.pattern, PATTERN_NONE);
	free(h);
	free(s);
}

/* The first ranks begin with the next step 10 us before the last are done. */
static void steps_may_overlap(void **state)
{
	struct stage *s = play(520);
	struct heard *h = hear(&s->in);

	(void)state;
	steps_end_when_the_last_is_done(h, 520);
	assert_int_equal(h->groups, 3 * RANKS);
	free(h);
	free(s);
}

/* A tap at one host sees three pairs, and not who else is in their groups. */
static void what_is_not_seen_has_no_groups(void **state)
{
	struct stage *s = play(540);
	struct heard *h;
	size_t n = 0;

	(void)state;
	for (int f = 0; f < FLOWS; f++)
		if (!s->flows[f].src || !s->flows[f].dst)
			s->flows[n++] = s->flows[f];
	s->in.n_flows = n;
	h = hear(&s->in);
	assert_int_equal(h->job.ranks, 4);
	assert_int_equal(h->job.iterations, STEPS);
	assert_int_equal(h->groups, 0);
	free(h);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_job_has_groups_of_each_kind),
		cmocka_unit_test(steps_may_overlap),
		cmocka_unit_test(what_is_not_seen_has_no_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
