/* SPDX-License-Identifier: GPL-2.0-or-later
 * When data arrived that was refused or lost, and when replays were over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/phase.h"

enum { US = 1000 };

/* One flow with one stretch of data, sent from 0 to 10 us, there at 12 us, and
 * acknowledged at |acked|; |s| is what is known of it. */
struct world {
	struct phase_activity a[2];
	struct phase_flow flow;
	struct phase_facts facts;
	struct phase_span s;
};

static void make(struct world *w, struct phase_span s, int64_t acked)
{
	w->s = s;
	w->a[0] = (struct phase_activity) {
		.sent = 10 * US,
		.arrived = 12 * US,
		.acked = acked,
		.unacked = 1,
	};
	w->flow = (struct phase_flow) {
		.a = w->a,
		.n = 1,
		.evidence = &w->s,
		.n_evidence = 1,
	};
	w->facts = (struct phase_facts) { .flows = &w->flow,
					  .n_flows = 1,
					  .evidence = &w->s };
	phase_recoveries(&w->facts);
	assert_int_equal(w->a[0].there, 12 * US);
}

static void what_was_lost_arrives_when_it_is_repaired(void **state)
{
	static const struct {
		struct phase_span s;
		int64_t acked, arrived;
	} cases[] = {
		/* While it was sent, or up to 10 us behind its arrival. */
		{ { 5 * US, 50 * US, CLASS_DETECTION, false },
		  PHASE_UNKNOWN,
		  50 },
		{ { 21 * US, 50 * US, CLASS_TIMEOUT, false },
		  PHASE_UNKNOWN,
		  50 },
		/* Later complaints are about something else. */
		{ { 23 * US, 50 * US, CLASS_TIMEOUT, false },
		  PHASE_UNKNOWN,
		  12 },
		/* Nothing of it was missing. */
		{ { 5 * US, 50 * US, CLASS_ACKS, false }, PHASE_UNKNOWN, 12 },
		{ { 5 * US, 50 * US, CLASS_EARLY, false }, PHASE_UNKNOWN, 12 },
		/* What stalls it else does not lose it. */
		{ { 5 * US, 50 * US, CLASS_PAUSED, false }, PHASE_UNKNOWN, 12 },
		{ { 5 * US, 50 * US, CLASS_CREDIT_WAIT, false },
		  PHASE_UNKNOWN,
		  12 },
		/* A receiver that is not ready refuses it, unless it had
		 * acknowledged it before. */
		{ { 20 * US, 50 * US, CLASS_RNR_WAIT, false }, 60 * US, 50 },
		{ { 20 * US, 50 * US, CLASS_RNR_WAIT, false }, 15 * US, 12 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct world w;

		make(&w, cases[i].s, cases[i].acked);
		assert_int_equal(w.a[0].arrived, cases[i].arrived * US);
	}
}

/* Its sender sends something new at 90 us only; all was acknowledged at 30 us,
 * or there at 25 us. */
static void a_replay_is_over_when_all_is_acknowledged(void **state)
{
	(void)state;
	for (int n = 0; n < 4; n++) {
		bool whole = n % 2;
		struct phase_span s = { 5 * US, 90 * US,
					n < 2 ? CLASS_REPLAY : CLASS_EITHER,
					true };
		struct world w = { .a = { {
					   .from = 6 * US,
					   .sent = 20 * US,
					   .arrived = 25 * US,
					   .acked = whole ? 30 * US
							  : PHASE_UNKNOWN,
					   .unacked = !whole,
				   } } };

		w.flow = (struct phase_flow) {
			.a = w.a, .n = 1, .evidence = &s, .n_evidence = 1
		};
		w.facts = (struct phase_facts) { .flows = &w.flow,
						 .n_flows = 1,
						 .evidence = &s };
		phase_recoveries(&w.facts);
		assert_int_equal(s.to, whole ? 30 * US : 25 * US);
	}
}

/* Behind it something new was sent, at 90 us or, by that tap, just before. */
static void what_is_new_is_no_replay(void **state)
{
	(void)state;
	for (int64_t early = 0; early < 2; early++) {
		struct phase_span s = { 5 * US, 90 * US, CLASS_REPLAY, true };
		struct phase_activity a[] = {
			{ .from = 6 * US,
			  .sent = 20 * US,
			  .arrived = 25 * US,
			  .acked = PHASE_UNKNOWN,
			  .unacked = 1 },
			{ .from = 90 * US - early,
			  .sent = 95 * US,
			  .arrived = 97 * US,
			  .acked = PHASE_UNKNOWN,
			  .unacked = 1 },
		};
		struct phase_flow g = {
			.a = a, .n = 2, .evidence = &s, .n_evidence = 1
		};
		struct phase_facts f = { .flows = &g,
					 .n_flows = 1,
					 .evidence = &s };

		phase_recoveries(&f);
		assert_int_equal(s.to, 25 * US);
	}
}

/* Sent again at 30 us, which its sender knew to be over at 50 us.  What came to
 * the link of its receiver was whole at 40 us; before, it was lost behind that,
 * or refused. */
static void what_was_seen_whole_has_arrived(void **state)
{
	static const struct {
		bool far, dst_seen;
		int64_t there, arrived;
	} cases[] = {
		{ true, true, 40, 40 },
		{ true, true, 12, 50 },
		{ false, true, 40, 50 },
		{ true, false, 40, 50 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct phase_span s[] = {
			{ 11 * US, 30 * US, CLASS_TIMEOUT, false },
			{ 30 * US, 50 * US, CLASS_REPLAY, true },
		};
		struct phase_activity a = { .sent = 10 * US,
					    .arrived = cases[i].there * US,
					    .acked = 50 * US,
					    .unacked = 1 };
		struct phase_flow g = { .a = &a,
					.n = 1,
					.far = cases[i].far,
					.dst_seen = cases[i].dst_seen,
					.evidence = s,
					.n_evidence = 2 };
		struct phase_facts f = { .flows = &g,
					 .n_flows = 1,
					 .evidence = s };

		phase_recoveries(&f);
		assert_int_equal(a.arrived, cases[i].arrived * US);
	}
}

/* Passed the tap at 10 us, and acknowledged there at 15 us. */
static void what_passed_at_its_receiver_has_arrived(void **state)
{
	static const struct {
		bool src_seen, dst_seen;
		int64_t arrived;
	} cases[] = {
		{ false, true, 10 },
		{ true, false, 15 },
		{ true, true, 15 }, /* it is one of two ends */
		{ false, false, 15 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct phase_activity a = { .sent = 10 * US,
					    .arrived = 10 * US,
					    .acked = 15 * US };
		struct phase_flow flow = { .src_seen = cases[i].src_seen,
					   .dst_seen = cases[i].dst_seen,
					   .a = &a,
					   .n = 1 };
		struct phase_facts f = { .flows = &flow, .n_flows = 1 };

		phase_by_answers(&f);
		assert_int_equal(a.arrived, cases[i].arrived * US);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_lost_arrives_when_it_is_repaired),
		cmocka_unit_test(what_passed_at_its_receiver_has_arrived),
		cmocka_unit_test(a_replay_is_over_when_all_is_acknowledged),
		cmocka_unit_test(what_is_new_is_no_replay),
		cmocka_unit_test(what_was_seen_whole_has_arrived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
