/* SPDX-License-Identifier: GPL-2.0-or-later
 * Phases that computing begins, and phases that begin when the one before is
 * over, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "phase/path_int.h"

#define US 1000

enum { N = 24, QUEUED = 20 * US, NEEDED = 40 * US, COMPUTED = 100 * US };

/* Every other phase was queued for |QUEUED|.  |hidden|: the next begins
 * |COMPUTED| behind its begin whatever it takes, else so long behind its end.
 * Returns what is lost of all then. */
static int64_t lost_of_all(bool hidden)
{
	struct settled s = { 0 };
	struct job j = { .n_bursts = N };
	int64_t at = 0, lost = 0, all = 0;

	j.bursts = calloc(N, sizeof *j.bursts);
	assert_non_null(j.bursts);
	assert_true(settle_new(&s, N));
	for (size_t i = 0; i < N; i++) {
		int64_t queued = i % 2 ? QUEUED : 0;
		const struct cell cells[] = {
			{ NO_RANK, NO_RANK, SHARE_WIRE, false, NEEDED },
			{ NO_RANK, NO_RANK, SHARE_QUEUE, false, queued },
		};

		assert_true(settle_keep(&s, i, cells, 2));
		j.bursts[i].from = at;
		j.bursts[i].to = at + NEEDED + queued;
		at = COMPUTED + (hidden ? at : j.bursts[i].to);
	}
	assert_true(hidden_phases(&s, &j));
	for (size_t i = 0; i < N; i++) {
		lost += settle_sum(&s, i, "network");
		all += settle_sum(&s, i, "network") +
		       settle_sum(&s, i, "needed");
	}
	/* no time comes or goes */
	assert_int_equal(all, N * NEEDED + N / 2 * QUEUED);
	settle_free(&s);
	free(j.bursts);
	return lost;
}

/* Of the last phase nobody sees what begins behind it. */
static void what_is_hidden_costs_nothing(void **state)
{
	(void)state;
	assert_int_equal(lost_of_all(true), QUEUED);
}

static void what_the_next_waits_for_stays(void **state)
{
	(void)state;
	assert_int_equal(lost_of_all(false), N / 2 * QUEUED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_hidden_costs_nothing),
		cmocka_unit_test(what_the_next_waits_for_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
