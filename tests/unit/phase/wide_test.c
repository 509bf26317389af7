/* SPDX-License-Identifier: GPL-2.0-or-later
 * A job of many hosts of which two go on for long: what is kept of each host in
 * each phase is their product, and a capture of a few megabytes can have
 * thousands of both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "phase/phase_int.h"

#define US   INT64_C(1000)
#define IDLE (5000 * US)

enum { MANY = 2060, FEW = 64, BYTES = 100000 };

struct heard {
	int64_t iterations;
	char why[128];
	size_t phases, in_phases, shares;
};

static void hear_job(void *ctx, const struct phase_job *row)
{
	struct heard *h = ctx;

	h->iterations = row->iterations;
	strncpy(h->why, row->why_not ? row->why_not : "", sizeof h->why - 1);
}

static void hear_rank(void *ctx, const struct phase_rank *row)
{
	(void)ctx;
	(void)row;
}

static void hear_phase(void *ctx, const struct phase *row)
{
	(void)row;
	((struct heard *)ctx)->phases++;
}

static void hear_phase_rank(void *ctx, const struct phase_rank_row *row)
{
	(void)row;
	((struct heard *)ctx)->in_phases++;
}

static void hear_flow(void *ctx, const struct phase_flow_row *row)
{
	(void)ctx;
	(void)row;
}

static void hear_group(void *ctx, const struct phase_group *row)
{
	(void)ctx;
	(void)row;
}

static void hear_share(void *ctx, const struct phase_share_row *row)
{
	(void)row;
	((struct heard *)ctx)->shares++;
}

static struct phase_activity burst(int64_t at)
{
	return (struct phase_activity) {
		.from = at,
		.sent = at + 10 * US,
		.over = at + 12 * US,
		.arrived = at + 12 * US,
		.came = at + 2 * US,
		.there = at + 12 * US,
		.bytes = BYTES,
		.psns = 25,
		.acked = PHASE_UNKNOWN,
		.asked = PHASE_UNKNOWN,
		.unacked = PHASE_UNKNOWN,
		.returned = PHASE_UNKNOWN,
		.granted = PHASE_UNKNOWN,
	};
}

/* A ring of |n|, in which each sends once, and the first |n| times more. */
static void play(uint32_t n, struct heard *h)
{
	const int64_t begin = INT64_C(1700000000000000000);
	struct phase_activity *a = calloc(2 * n, sizeof *a);
	struct phase_flow *flows = calloc(n, sizeof *flows);
	struct phase_host *hosts = calloc(n, sizeof *hosts);
	struct phase_input in = { .flows = flows,
				  .n_flows = n,
				  .hosts = hosts,
				  .n_hosts = n,
				  .first_ns = begin,
				  .last_ns = begin + (n + 1) * IDLE,
				  .link_bps = 80000000000,
				  .job = 1,
				  .uet_job = PHASE_UNKNOWN,
				  .whole = true };
	const struct phase_sink sink = {
		.ctx = h,
		.job = hear_job,
		.rank = hear_rank,
		.phase = hear_phase,
		.phase_rank = hear_phase_rank,
		.phase_flow = hear_flow,
		.group = hear_group,
		.share = hear_share,
	};
	int64_t next = 1;

	assert_true(a && flows && hosts);
	for (uint32_t i = 0; i < n; i++) {
		a[i] = burst(begin + (i + 1) * IDLE);
		a[n + i] = burst(begin);
		flows[i] = (struct phase_flow) { .id = i + 1,
						 .src = i,
						 .dst = (i + 1) % n,
						 .wire = 1,
						 .far = true,
						 .src_seen = true,
						 .dst_seen = true,
						 .a = &a[n + i],
						 .n = 1 };
		hosts[i] = (struct phase_host) { .rail = -1, .link = true };
	}
	a[n - 1] = burst(begin + n * IDLE);
	memmove(a + 1, a, (n - 1) * sizeof *a);
	a[0] = burst(begin);
	flows[0].a = a;
	flows[0].n = n;
	memset(h, 0, sizeof *h);
	assert_true(phase_job(&in, &sink, &next));
	free(a);
	free(flows);
	free(hosts);
}

static void a_few_are_compared(void **state)
{
	struct heard h;

	(void)state;
	play(FEW, &h);
	assert_int_equal(h.phases, FEW);
	assert_string_equal(h.why, "");
}

/* 2,060 times 2,060 is more than 2^22. */
static void too_many_are_not(void **state)
{
	struct heard h;

	(void)state;
	play(MANY, &h);
	assert_int_equal(h.iterations, PHASE_UNKNOWN);
	assert_non_null(strstr(h.why, "too many phases and hosts"));
	assert_int_equal(h.phases, 0);
	assert_int_equal(h.in_phases, 0);
	assert_true(h.shares > 0); /* where its time went is still said */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_few_are_compared),
		cmocka_unit_test(too_many_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
