/* SPDX-License-Identifier: GPL-2.0-or-later
 * One host of a ring is tapped, and others write to it all the while. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "phase/phase.h"

enum { US = 1000, ROUNDS = 12, PARTS = 400, FLOWS = 4 };
enum { BEFORE, HOST, NEXT, STORE, STORES };

struct world {
	struct phase_activity a[FLOWS][PARTS];
	struct phase_flow flows[FLOWS];
	struct phase_host hosts[STORES + 1];
	uint32_t job[FLOWS];
};

static void flow(struct world *w, size_t f, uint32_t src, uint32_t dst)
{
	w->flows[f] = (struct phase_flow) {
		.id = (int64_t)f + 1,
		.src = src,
		.dst = dst,
		.wire = 1,
		.a = w->a[f],
	};
}

static void sends(struct world *w, size_t f, int64_t from, int64_t ns,
		  uint64_t bytes)
{
	struct phase_flow *g = &w->flows[f];

	g->a[g->n++] = (struct phase_activity) {
		.from = from,
		.sent = from + ns,
		.over = from + ns,
		.arrived = from + ns,
		.came = from,
		.there = from + ns,
		.bytes = bytes,
		.psns = bytes / 1000,
		.acked = PHASE_UNKNOWN,
		.asked = PHASE_UNKNOWN,
		.returned = PHASE_UNKNOWN,
		.granted = PHASE_UNKNOWN,
		.wanted = PHASE_UNKNOWN,
		.unacked = PHASE_UNKNOWN,
	};
}

/* 600 us of data each ms on the way through the host; |writes| bytes each
 * 40 us from |first| to |last|, a quarter of the time nothing. */
static size_t jobs(struct world *w, uint64_t writes, int64_t first,
		   int64_t last)
{
	memset(w, 0, sizeof *w);
	flow(w, 0, BEFORE, HOST);
	flow(w, 1, HOST, NEXT);
	flow(w, 2, STORE, HOST);
	for (int64_t r = 0; r < ROUNDS; r++) {
		sends(w, 0, 1000 * US * r, 600 * US, 1000000);
		sends(w, 1, 1000 * US * r + 10 * US, 600 * US, 1000000);
	}
	for (int64_t at = first; at < last; at += 40)
		sends(w, 2, at * US, 30 * US, writes);
	return phase_jobs(w->flows, 3, w->hosts, STORES + 1, NULL, w->job);
}

static void test_goes_through(void **state)
{
	struct world w;

	(void)state;
	assert_int_equal(jobs(&w, 20000, -100, 1000 * ROUNDS), 2);
	assert_int_equal(w.job[0], w.job[1]);
	assert_int_not_equal(w.job[0], w.job[2]);
	/* From the third round on. */
	assert_int_equal(jobs(&w, 20000, 2100, 1000 * ROUNDS), 2);
	assert_int_not_equal(w.job[0], w.job[2]);
}

/* As much as the ring's own: it may be the slow one of these. */
static void test_slow(void **state)
{
	struct world w;

	(void)state;
	assert_int_equal(jobs(&w, 40000, 0, 1000 * ROUNDS), 1);
}

/* Too few silences to say that it never waits. */
static void test_for_a_while(void **state)
{
	struct world w;

	(void)state;
	assert_int_equal(jobs(&w, 20000, 0, 5000), 1);
}

/* Who sends in each round, and pauses as long as the others, is one of them. */
static void test_pauses_as_well(void **state)
{
	struct world w;

	(void)state;
	jobs(&w, 20000, 0, 0);
	for (int64_t r = 0; r < ROUNDS; r++)
		sends(&w, 2, 1000 * US * r + 500 * US, 300 * US, 300000);
	assert_int_equal(
		phase_jobs(w.flows, 3, w.hosts, STORES + 1, NULL, w.job), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_goes_through),
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_for_a_while),
		cmocka_unit_test(test_pauses_as_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
