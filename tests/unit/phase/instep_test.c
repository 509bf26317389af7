/* SPDX-License-Identifier: GPL-2.0-or-later
 * Who computes in step with the others, by vectors worked out by hand.
 *
 * Four ranks of a ring got something at 0 us and begin the next near 100 us. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "phase/path_int.h"

enum { RANKS = 4, US = 1000, MOST = 3 };

/* When the others begin, if rank 0 does at 120 us; 0: they do not begin by
 * themselves.  |begins|: all ranks; |got|: these got something once more;
 * |over|: end of the phase. */
static int64_t in_step(const int64_t begins[RANKS], const int64_t got[RANKS],
		       enum phase_pattern pattern, int64_t over)
{
	struct phase_activity a[RANKS][MOST] = { { { 0 } } };
	struct phase_flow flows[RANKS];
	struct phase_input in = { .flows = flows, .n_flows = RANKS };
	struct event to[RANKS][2], of[RANKS];
	struct events ins[RANKS], outs[RANKS];
	double message[RANKS] = { 0 };
	int64_t start[RANKS] = { 0 };
	struct job j = { .in = &in, .n_ranks = RANKS };
	struct path *p = calloc(1, sizeof *p);
	int64_t ns;

	for (uint32_t r = 0; r < RANKS; r++) {
		flows[r] = (struct phase_flow) {
			.src = r, .dst = (r + 1) % RANKS, .a = a[r], .n = MOST
		};
		a[r][2].from = begins[r];
		a[r][2].sent = a[r][2].arrived = a[r][2].came = begins[r] + 5;
		of[r] = (struct event) { begins[r], r, 2 };
		/* by the flow before, of which no begin is looked at */
		to[r][0] = (struct event) { 0, (r + RANKS - 1) % RANKS, 0 };
		to[r][1] =
			(struct event) { got[r], (r + RANKS - 1) % RANKS, 1 };
		ins[r] = (struct events) { to[r], got[r] ? 2 : 1 };
		outs[r] = (struct events) { &of[r], 1 };
	}
	p->j = &j;
	p->in = ins;
	p->out = outs;
	p->pattern = pattern;
	p->start = start;
	p->facts.message = message;
	p->from = -1;
	p->to = over;
	ns = path_began_in_step(p, 0, 0, 120 * US);
	free(p);
	return ns == PHASE_UNKNOWN ? 0 : ns;
}

static void who_computes_in_step_is_known_by_the_others(void **state)
{
	static const int64_t all[RANKS] = { 120 * US, 90 * US, 100 * US,
					    110 * US };
	static const int64_t late[RANKS] = { 120 * US, 190 * US, 200 * US,
					     110 * US };
	static const int64_t next[RANKS] = { 120 * US, 130 * US, 140 * US,
					     150 * US };
	static const int64_t none[RANKS] = { 0 };
	/* ranks 1 and 2 passed on what they got */
	static const int64_t got[RANKS] = { 0, 80 * US, 90 * US, 0 };

	(void)state;
	assert_int_equal(in_step(all, none, PATTERN_RING, 500 * US), 100 * US);
	assert_int_equal(in_step(all, got, PATTERN_RING, 500 * US), 0);
	/* they began when rank 0 had */
	assert_int_equal(in_step(late, none, PATTERN_RING, 500 * US), 0);
	/* they begin the next phase, for which they waited */
	assert_int_equal(in_step(next, none, PATTERN_RING, 125 * US), 0);
	assert_int_equal(in_step(next, none, PATTERN_RING, 500 * US), 140 * US);
	/* nobody in a tree begins by itself */
	assert_int_equal(in_step(all, none, PATTERN_TREE, 500 * US), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_computes_in_step_is_known_by_the_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
