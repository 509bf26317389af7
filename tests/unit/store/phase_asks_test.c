/* SPDX-License-Identifier: GPL-2.0-or-later
 * Data that is striped over queue pairs, and asked for on one of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/phase.h"

enum { FLOWS = 4, STEPS = 3, ASKS = 8 };

struct world {
	struct phase_ask asks[ASKS];
	struct phase_activity a[FLOWS][STEPS];
	struct phase_flow flows[FLOWS];
	struct phase_facts facts;
};

static void asks(struct world *w, int64_t flow, int64_t ns)
{
	w->asks[w->facts.n_asks++] = (struct phase_ask) { ns, flow };
}

/* Three messages from host 0 to host 1, of which each of three flows brings a
 * part, at 1000, 2000, 3000, one a little behind the other, and its receiver
 * asks for the next on the first at 900 behind each.  The fourth flow is of two
 * other hosts. */
static void make(struct world *w)
{
	for (int f = 0; f < FLOWS; f++) {
		for (int k = 0; k < STEPS; k++)
			w->a[f][k] = (struct phase_activity) {
				.from = 1000 * (k + 1) + f,
				.sent = 1000 * (k + 1) + 100 + f,
				.bytes = 4096,
				.asked = f || k + 1 == STEPS
						 ? PHASE_UNKNOWN
						 : 1000 * (k + 1) + 900,
			};
		w->flows[f] = (struct phase_flow) { .src = f == 3 ? 1 : 0,
						    .dst = f == 3 ? 2 : 1,
						    .driven = f == 0,
						    .messages = STEPS,
						    .a = w->a[f],
						    .n = STEPS,
						    .asked = PHASE_UNKNOWN };
	}
	w->facts = (struct phase_facts) { .flows = w->flows,
					  .n_flows = FLOWS,
					  .asks = w->asks };
	asks(w, 0, 2900);
	asks(w, 0, 1900);
}

static void parts_of_a_message_are_asked_for_together(void **state)
{
	struct world w = { 0 };

	/* What asks was lost, and came again. */
	struct phase_span lost = { 1500, 1900, CLASS_TIMEOUT, false };

	(void)state;
	make(&w);
	w.flows[0].held = &lost;
	w.flows[0].n_held = 1;
	asks(&w, 0, 900);
	assert_true(phase_share_asks(&w.facts));
	for (int f = 1; f < 3; f++) {
		assert_ptr_equal(w.flows[f].held, &lost);
		assert_int_equal(w.flows[f].n_held, 1);
		assert_true(w.flows[f].driven);
		assert_int_equal(w.flows[f].asked, 900);
		assert_int_equal(w.a[f][0].asked, 1900);
		assert_int_equal(w.a[f][1].asked, 2900);
		assert_int_equal(w.a[f][2].asked, PHASE_UNKNOWN);
	}
	assert_false(w.flows[3].driven);
	assert_int_equal(w.flows[3].n_held, 0);
	assert_int_equal(w.a[3][0].asked, PHASE_UNKNOWN);
}

static void other_messages_are_not(void **state)
{
	struct world w = { 0 };

	(void)state;
	make(&w);
	w.flows[1].messages = 12 * STEPS;
	w.a[2][1].asked = 2500; /* on its own */
	assert_true(phase_share_asks(&w.facts));
	assert_false(w.flows[1].driven);
	assert_int_equal(w.a[1][0].asked, PHASE_UNKNOWN);
	assert_int_equal(w.a[2][0].asked, PHASE_UNKNOWN);
	assert_int_equal(w.a[2][1].asked, 2500);
}

/* Of five messages in turn on three queue pairs two have two, and one has
 * one. */
static void messages_in_turn_are(void **state)
{
	struct world w = { 0 };

	(void)state;
	make(&w);
	w.flows[0].messages = w.flows[1].messages = 2;
	w.flows[2].messages = 1;
	w.a[2][0] = w.a[2][1];
	w.flows[2].n = 1;
	assert_true(phase_share_asks(&w.facts));
	assert_true(w.flows[1].driven);
	assert_true(w.flows[2].driven);
	assert_int_equal(w.flows[1].asked, PHASE_UNKNOWN);
	assert_int_equal(w.flows[2].asked, 1900);
}

/* The first flow sends its second message late, and by then its receiver has
 * asked for the third: each of the others waited for what came just before
 * it. */
static void each_waits_for_the_last_before_it(void **state)
{
	struct world w = { 0 };

	(void)state;
	make(&w);
	w.a[0][1].from = 2990;
	w.a[0][0].asked = 2900;
	asks(&w, 0, 2980);
	asks(&w, 1, 1950); /* for another flow */
	assert_true(phase_share_asks(&w.facts));
	assert_int_equal(w.a[1][0].asked, 1900);
	assert_int_equal(w.a[2][0].asked, 1900);
	assert_int_equal(w.a[2][1].asked, 2980);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_a_message_are_asked_for_together),
		cmocka_unit_test(other_messages_are_not),
		cmocka_unit_test(messages_in_turn_are),
		cmocka_unit_test(each_waits_for_the_last_before_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
