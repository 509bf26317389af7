/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the capture misses, and what it leaves open: rules R7 to R9
 * of reference/rocev2-and-analysis-rules.md 3.4, each as the smallest story
 * that fulfils its observation, counted by hand with 3.5. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene.h"

static void rule_R7_capture_loss_proved_by_ack(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2);
	unseen(&p, 3);
	unseen(&p, 4);
	DATA(&p, 5, 6);
	pause_ns(s, REACT);
	ack(&p, 6);
	DATA(&p, 7, 8);
	pause_ns(s, REACT);
	ack(&p, 8);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .missing = 2);
	assert_int_equal(first_event(r, EVENT_CAPTURE_MISSING)->psn, 3);
	assert_int_equal(first_event(r, EVENT_CAPTURE_MISSING)->count, 2);
	assert_true(names_rule(first_event(r, EVENT_CAPTURE_MISSING)->detail,
			       "R7"));
}

/* A NAK for 6 acknowledges everything before it. */
static void rule_R7_capture_loss_proved_by_later_nak(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2);
	unseen(&p, 3);
	DATA(&p, 4, 5, 6, 7);
	pause_ns(s, REACT);
	nak(&p, 6);
	pause_ns(s, REACT);
	DATA(&p, 6, 7, 8);
	pause_ns(s, REACT);
	ack(&p, 8);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .down_min = 1, .down_max = 2, .missing = 1,
	       .retransmitted = 2);
}

static void rule_R7_capture_loss_proved_by_later_rnr(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2);
	unseen(&p, 3);
	DATA(&p, 4);
	request(&p, OP_SEND_ONLY, 5);
	pause_ns(s, REACT);
	rnr(&p, 5, 1); /* 10 us */
	pause_ns(s, 100 * US);
	request(&p, OP_SEND_ONLY, 5);
	pause_ns(s, REACT);
	ack(&p, 5);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .missing = 1, .retransmitted = 1);
}

/* The READ behind the hole was executed, so the hole had arrived. */
static void rule_R7_capture_loss_proved_by_read_response(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	write_message(&p, 1, 3);
	pause_ns(s, REACT);
	ack(&p, 3);
	DATA(&p, 4);
	unseen(&p, 5);
	read_request(&p, 6, 4);
	pause_ns(s, REACT);
	read_responses(&p, 6, 4);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .missing = 1);
}

/* One hole, two fates: the ACK covers 3 and 4, the NAK wants 5. */
static void rule_R7_and_R3_in_one_gap(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2);
	unseen(&p, 3);
	unseen(&p, 4);
	unseen(&p, 5);
	DATA(&p, 6);
	pause_ns(s, REACT);
	ack(&p, 4);
	nak(&p, 5);
	pause_ns(s, REACT);
	DATA(&p, 5, 6, 7);
	pause_ns(s, REACT);
	ack(&p, 7);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 1, .down_max = ANY, .missing = 2,
	       .retransmitted = 2);
}

/* Sixty holes wait for one coalesced ACK. */
static void rule_R7_many_holes_one_ack(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	for (uint32_t psn = 0; psn < 600; psn++)
		if (psn % 10 == 4)
			unseen(&p, psn);
		else
			DATA(&p, psn);
	pause_ns(s, REACT);
	ack(&p, 599);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .missing = 60);
}

/* More holes than memory should hold: some may stay unresolved, none may
 * become a loss or vanish. */
static void rule_R7_more_holes_than_memory(void **state)
{
	enum { HOLES = 5000 };
	struct scene *s = *state;
	struct pair p = usual(s);

	for (uint32_t psn = 0; psn < 10 * HOLES; psn++)
		if (psn % 10 == 4)
			unseen(&p, psn);
		else
			DATA(&p, psn);
	pause_ns(s, REACT);
	ack(&p, 10 * HOLES - 1);

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	EXPECT(f, .missing = ANY, .unresolved = ANY);
	assert_int_equal(f->capture_missing + f->unresolved, HOLES);
}

/* The tap misses one of six responses, and nobody asks for it again. */
static void rule_R7_response_missing_in_the_capture(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	write_message(&p, 1, 3);
	pause_ns(s, REACT);
	ack(&p, 3);
	read_request(&p, 4, 6);
	pause_ns(s, REACT);
	for (uint32_t k = 0; k < 6; k++)
		if (k != 3)
			read_response(&p, 4, 6, k);
	for (uint32_t psn = 10; psn < 40; psn++) {
		DATA(&p, psn);
		pause_ns(s, 10 * MS);
		ack(&p, psn);
	}

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 0);
	EXPECT(reverse_of(r, &p), .missing = 1);
	assert_int_equal(TOTAL(r, implied_nak), 0);
}

/* The tap misses the whole end of a burst, but not its ACK. */
static void rule_R8_ack_of_what_was_never_seen(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	data_run(&p, 1, 10);
	pause_ns(s, REACT);
	ack(&p, 10);
	DATA(&p, 11);
	unseen(&p, 12);
	unseen(&p, 13);
	unseen(&p, 14);
	pause_ns(s, REACT);
	ack(&p, 14);
	pause_ns(s, MS);
	DATA(&p, 15, 16);
	pause_ns(s, REACT);
	ack(&p, 16);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .missing = 3);
}

/* The same, and there the capture ends. */
static void rule_R8_at_the_end_of_the_capture(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	data_run(&p, 1, 10);
	unseen(&p, 11);
	unseen(&p, 12);
	pause_ns(s, REACT);
	ack(&p, 12);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .missing = 2);
}

/* A NAK that the capture does not show an answer to: 3 is missing, on
 * the sender's side of the tap, and nothing else is. */
static void rule_R9_naked_and_the_capture_ends(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2);
	unseen(&p, 3);
	DATA(&p, 4, 5);
	pause_ns(s, REACT);
	nak(&p, 3);

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	EXPECT(f, .up = ANY, .down_max = ANY, .unresolved = ANY);
	assert_int_equal(f->lost_upstream + f->unresolved, 1);
}

static void rule_R9_naked_after_it_passed_and_the_capture_ends(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2, 3, 4, 5);
	pause_ns(s, REACT);
	nak(&p, 3);

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	EXPECT(f, .down_min = ANY, .down_max = ANY, .unresolved = ANY);
	assert_in_range(f->lost_downstream_min, 0, 1);
	assert_in_range(f->lost_downstream_max, 0, 3);
}

/* Forward only: the stream goes on for ten seconds, nothing can be said. */
static void rule_R9_unresolved_without_reverse_path(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	data_run(&p, 1, 50);
	unseen(&p, 51);
	unseen(&p, 52);
	for (uint32_t psn = 53; psn < 1053; psn++) {
		DATA(&p, psn);
		pause_ns(s, 10 * MS);
	}

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	EXPECT(f, .up = NOT_OR_0, .down_min = FACT_UNKNOWN,
	       .down_max = FACT_UNKNOWN, .missing = NOT_OR_0, .unresolved = 2,
	       .corrupted = NOT_OR_0, .reordered = NOT_OR_0, .extent = NOT_OR_0,
	       .spurious = NOT_OR_0, .timeouts = NOT_OR_0);
	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 0);
	assert_int_equal(events_of(r, EVENT_CAPTURE_MISSING), 0);
	assert_int_equal(first_event(r, EVENT_UNRESOLVED_GAP)->psn, 51);
	assert_int_equal(f->visibility, VISIBLE_FWD);
}

/* The same repeats seen one way only: the trigger stays unknown. */
static void rule_R9_repeats_without_reverse_path(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	data_run(&p, 1, 20);
	pause_ns(s, 100 * US);
	data_run(&p, 10, 30);

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	EXPECT(f, .up = NOT_OR_0, .down_min = FACT_UNKNOWN,
	       .down_max = FACT_UNKNOWN, .missing = NOT_OR_0,
	       .unresolved = NOT_OR_0, .corrupted = NOT_OR_0,
	       .reordered = NOT_OR_0, .extent = NOT_OR_0, .retransmitted = 11,
	       .spurious = ANY, .timeouts = NOT_OR_0);
	assert_int_equal(only_recovery(r)->trigger, TRIGGER_UNKNOWN);
	assert_true(events_of(r, EVENT_RETRANSMIT_UNKNOWN) > 0);
	assert_int_equal(events_of(r, EVENT_RETRANSMIT_TIMEOUT), 0);
}

/* A mirror that is known to miss copies: of what was sent again behind a loss,
 * the hole that the receiver did not name may be one of those. */
static void rule_R9_hole_behind_a_mirror_that_misses(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2);
	unseen(&p, 3);
	DATA(&p, 4);
	pause_ns(s, REACT);
	ack(&p, 4);
	unseen(&p, 5);
	DATA(&p, 6);
	pause_ns(s, REACT);
	ack(&p, 6);
	pause_ns(s, REACT);
	DATA(&p, 7);
	unseen(&p, 8);
	DATA(&p, 9);
	unseen(&p, 10);
	DATA(&p, 11);
	pause_ns(s, REACT);
	nak(&p, 8);
	pause_ns(s, REACT);
	DATA(&p, 8, 9, 10, 11, 12);
	pause_ns(s, REACT);
	ack(&p, 12);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 1, .down_max = ANY, .missing = 2,
	       .unresolved = 1, .retransmitted = 4);
	assert_int_equal(first_event(r, EVENT_LOSS_UPSTREAM)->psn, 8);
	assert_int_equal(first_event(r, EVENT_UNRESOLVED_GAP)->psn, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(rule_R7_capture_loss_proved_by_ack),
		SCENE_TEST(rule_R7_capture_loss_proved_by_later_nak),
		SCENE_TEST(rule_R7_capture_loss_proved_by_later_rnr),
		SCENE_TEST(rule_R7_capture_loss_proved_by_read_response),
		SCENE_TEST(rule_R7_and_R3_in_one_gap),
		SCENE_TEST(rule_R7_many_holes_one_ack),
		SCENE_TEST(rule_R7_more_holes_than_memory),
		SCENE_TEST(rule_R7_response_missing_in_the_capture),
		SCENE_TEST(rule_R8_ack_of_what_was_never_seen),
		SCENE_TEST(rule_R8_at_the_end_of_the_capture),
		SCENE_TEST(rule_R9_naked_and_the_capture_ends),
		SCENE_TEST(rule_R9_naked_after_it_passed_and_the_capture_ends),
		SCENE_TEST(rule_R9_unresolved_without_reverse_path),
		SCENE_TEST(rule_R9_repeats_without_reverse_path),
		SCENE_TEST(rule_R9_hole_behind_a_mirror_that_misses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
