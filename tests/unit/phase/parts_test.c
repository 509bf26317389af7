/* SPDX-License-Identifier: GPL-2.0-or-later
 * Phases of an iteration that carry as much as each other: by hand. */
#include "phase/phase_int.h"
#include "ring.h"

enum { PHASES = 20, HOSTS = 3, LENGTH = 100 };

/* Iterations of phases of 100 us; |silence|: before each, in turn. */
static int64_t iterations(const int *silence, size_t n)
{
	struct rank ranks[HOSTS];
	struct burst bursts[PHASES];
	struct phase_input in = { .n_flows = 0 };
	struct job j = { .in = &in,
			 .ranks = ranks,
			 .n_ranks = HOSTS,
			 .bursts = bursts,
			 .n_bursts = PHASES };
	int64_t at = 0;

	memset(ranks, 0, sizeof ranks);
	memset(bursts, 0, sizeof bursts);
	for (int r = 0; r < HOSTS; r++)
		ranks[r].bytes_in = ranks[r].bytes_out = 1 << 24;
	j.row.ranks_tapped = HOSTS;
	j.row.iterations = PHASE_UNKNOWN;
	for (size_t i = 0; i < PHASES; i++) {
		at += silence[i % n] * US;
		bursts[i].from = at;
		at += LENGTH * US;
		bursts[i].to = at;
		bursts[i].bytes = 1 << 24;
	}
	phase_repeats(&j);
	return j.row.iterations;
}

static void alike_but_for_the_silence(void **state)
{
	static const int each[] = { 200 }, second[] = { 200, 3 };
	static const int fourth[] = { 250, 2, 3, 4 };

	(void)state;
	assert_int_equal(iterations(each, 1), PHASES);
	assert_int_equal(iterations(second, 2), PHASES / 2);
	assert_int_equal(iterations(fourth, 4), PHASES / 4);
}

/* Steps without a silence between them are no parts of anything. */
static void without_a_silence(void **state)
{
	static const int none[] = { 0 }, hardly[] = { 5, 0 };

	(void)state;
	assert_int_equal(iterations(none, 1), PHASES);
	assert_int_equal(iterations(hardly, 2), PHASES);
}

/* A rank that is late each second time makes no iteration of two phases. */
static void late_at_times(void **state)
{
	static const int late[] = { 200, 50 };

	(void)state;
	assert_int_equal(iterations(late, 2), PHASES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alike_but_for_the_silence),
		cmocka_unit_test(without_a_silence),
		cmocka_unit_test(late_at_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
