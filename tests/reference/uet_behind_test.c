/* SPDX-License-Identifier: GPL-2.0-or-later
 * What an Ultra Ethernet receiver missed of what had passed here, or had all
 * the same (docs/rules.md, U11 to U16), each as the smallest story that fulfils
 * it, counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uet_scene.h"
#include "wire/wire.h"

static struct context open_ordered(struct scene *s)
{
	struct context c = context(s, START);

	c.ordered = true;
	send_psn(&c, START);
	pause_ns(s, REACT);
	cack(&c, START, START);
	answered(&c);
	return c;
}

/* Go back N: one is proven lost, of the run before the refused packet. */
static void rule_U11_U16_ROD_goes_back(void **state)
{
	struct scene *s = *state;
	struct context c = open_ordered(s);

	send_run(&c, START + 1, START + 5);
	pause_ns(s, REACT);
	refuse(&c, START + 3, NACK_ROD_OOO);
	pause_ns(s, REACT);
	for (uint32_t psn = START + 1; psn <= START + 5; psn++)
		resend_psn(&c, psn);
	settle(&c, START + 5);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_min = 1, .down_max = 2,
	       .retransmitted = 5);
	assert_int_equal(r->n_recoveries, 2);
	assert_string_equal(r->recoveries[0].rule, "U11");
	assert_string_equal(r->recoveries[1].rule, "U16");
	assert_int_equal(r->recoveries[1].cause, CAUSE_COLLATERAL);
	assert_int_equal(context_flow(r, &c)->nak_seq, 1);
}

static void rule_U8_ROD_the_hole_is_before_the_tap(void **state)
{
	struct scene *s = *state;
	struct context c = open_ordered(s);

	SEND(&c, START + 1, START + 3);
	pause_ns(s, REACT);
	cack(&c, START + 1, START + 1);
	refuse(&c, START + 3, NACK_ROD_OOO);
	pause_ns(s, REACT);
	resend_psn(&c, START + 2);
	resend_psn(&c, START + 3);
	settle(&c, START + 3);

	EXPECT(context_flow(scene_run(s, NULL), &c), .up = 1,
	       .retransmitted = 2);
}

/* What the receiver had no room for explains that all behind it is too
 * early. */
static void rule_U11_what_was_refused_before_explains_it(void **state)
{
	struct scene *s = *state;
	struct context c = open_ordered(s);

	send_run(&c, START + 1, START + 4);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_NO_RESOURCE);
	refuse(&c, START + 4, NACK_ROD_OOO);
	pause_ns(s, REACT);
	for (uint32_t psn = START + 1; psn <= START + 4; psn++)
		resend_psn(&c, psn);
	settle(&c, START + 4);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_max = 0, .retransmitted = 4);
	assert_int_equal(r->n_recoveries, 2);
	assert_string_equal(r->recoveries[0].rule, "U7");
	assert_string_equal(r->recoveries[1].rule, "U16");
}

/* A receiver that refused one for lack of room need not refuse what is behind
 * it, and too early: one wait for all. */
static void rule_U7_ROD_goes_back_to_what_was_refused(void **state)
{
	struct scene *s = *state;
	struct context c = open_ordered(s);

	send_run(&c, START + 1, START + 4);
	pause_ns(s, REACT);
	refuse(&c, START + 2, NACK_NO_PKT_BUFFER);
	pause_ns(s, 20 * REACT);
	for (uint32_t psn = START + 2; psn <= START + 4; psn++)
		resend_psn(&c, psn);
	settle(&c, START + 4);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_max = 0, .retransmitted = 3);
	only_rule(r, "U7", TRIGGER_RNR, CAUSE_RNR);
}

/* What was too early itself is missing then, and was not lost. */
static void rule_U11_what_was_too_early_is_not_lost(void **state)
{
	struct scene *s = *state;
	struct context c = open_ordered(s);

	SEND(&c, START + 2);
	pause_ns(s, REACT);
	refuse(&c, START + 2, NACK_ROD_OOO);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	SEND(&c, START + 3);
	pause_ns(s, REACT);
	cack(&c, START + 1, START + 1);
	refuse(&c, START + 3, NACK_ROD_OOO);
	pause_ns(s, REACT);
	resend_psn(&c, START + 2);
	resend_psn(&c, START + 3);
	settle(&c, START + 3);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .up = 1, .retransmitted = 3);
	assert_int_equal(r->n_recoveries, 2);
	assert_string_equal(r->recoveries[0].rule, "U8");
	assert_string_equal(r->recoveries[1].rule, "U16");
}

/* CACK is held back: what answers named had come in order all the same. */
static void rule_U11_what_was_answered_is_not_lost(void **state)
{
	struct scene *s = *state;
	struct context c = open_ordered(s);

	for (uint32_t psn = START + 1; psn <= START + 3; psn++) {
		SEND(&c, psn);
		pause_ns(s, REACT);
		cack(&c, START, psn);
	}
	SEND(&c, START + 4, START + 5);
	pause_ns(s, REACT);
	refuse(&c, START + 5, NACK_ROD_OOO);
	pause_ns(s, REACT);
	for (uint32_t psn = START + 3; psn <= START + 5; psn++)
		resend_psn(&c, psn);
	settle(&c, START + 5);

	struct record *r = scene_run(s, NULL);

	/* the first of the three had been answered */
	EXPECT(context_flow(r, &c), .down_min = 1, .down_max = 1,
	       .retransmitted = 3, .spurious = 1);
}

/* What passed while another one was missing was not taken, whether refused or
 * not, and what is said of it when that has come is no loss. */
static void rule_U11_passed_too_early(void **state)
{
	struct scene *s = *state;
	struct context c = open_ordered(s);

	send_run(&c, START + 2, START + 5);
	pause_ns(s, REACT);
	refuse(&c, START + 5, NACK_ROD_OOO);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	pause_ns(s, REACT);
	cack(&c, START + 1, START + 1);
	SEND(&c, START + 6);
	pause_ns(s, REACT);
	refuse(&c, START + 6, NACK_ROD_OOO);
	pause_ns(s, REACT);
	resend_psn(&c, START + 2);
	resend_psn(&c, START + 3);
	pause_ns(s, 10 * MS);
	refuse(&c, START + 4, NACK_PKT_NOT_RCVD);
	pause_ns(s, REACT);
	for (uint32_t psn = START + 4; psn <= START + 6; psn++)
		resend_psn(&c, psn);
	settle(&c, START + 6);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .up = 1, .retransmitted = 6);
}

static void rule_U12_a_hole_behind_the_tap(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_run(&c, START + 1, START + 3);
	pause_ns(s, REACT);
	sack(&c, START, START + 3, 0xd);
	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 1);
	settle(&c, START + 3);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_min = 1, .down_max = 1,
	       .retransmitted = 1);
	only_rule(r, "U12", TRIGGER_IMPLIED_NAK, CAUSE_LOSS_DOWNSTREAM);
}

/* A sender in a hurry: the SACK came before it can tell of a loss, but what
 * passed here later was there. */
static void rule_U27_overtaken_or_lost(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	pause_ns(s, REACT);
	send_run(&c, START + 1, START + 3);
	pause_ns(s, US - STEP);
	sack(&c, START, START + 3, 0xd);
	pause_ns(s, US - STEP);
	resend_psn(&c, START + 1);
	settle(&c, START + 3);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_min = 0, .down_max = 1,
	       .retransmitted = 1);
	only_rule(r, "U27", TRIGGER_IMPLIED_NAK, CAUSE_LOSS_OR_REORDER);
}

/* ... which has to be so: this one may only have been on its way. */
static void rule_U21_on_its_way(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	pause_ns(s, REACT);
	SEND(&c, START + 2, START + 3, START + 1);
	pause_ns(s, US - STEP);
	sack(&c, START, START + 3, 0xd);
	pause_ns(s, US - STEP);
	resend_psn(&c, START + 1);
	settle(&c, START + 3);

	struct record *r = scene_run(s, NULL);

	only_rule(r, "U21", TRIGGER_IMPLIED_NAK, CAUSE_UNKNOWN);
}

/* Packets are known to come late behind the tap: a hole is not yet a loss. */
static void rule_U13_lost_or_late_behind_the_tap(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_run(&c, START + 1, START + 3);
	pause_ns(s, REACT);
	sack(&c, START, START + 3, 0xd);
	pause_ns(s, REACT);
	sack(&c, START + 3, START + 1, 0x1); /* it was only late */
	send_run(&c, START + 4, START + 6);
	pause_ns(s, REACT);
	sack(&c, START + 3, START + 6, 0xd);
	pause_ns(s, US);
	resend_psn(&c, START + 4);
	settle(&c, START + 6);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_min = 0, .down_max = 1,
	       .retransmitted = 1);
	only_rule(r, "U13", TRIGGER_IMPLIED_NAK, CAUSE_LOSS_OR_REORDER);
	assert_int_equal(context_pdc(r, &c)->late_behind, 1);
}

/* A verdict of before the proof is taken back. */
static void rule_U13_from_the_proof_on_backwards(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_run(&c, START + 1, START + 3);
	pause_ns(s, REACT);
	sack(&c, START, START + 3, 0xd);
	pause_ns(s, US);
	resend_psn(&c, START + 1);
	pause_ns(s, REACT);
	sack(&c, START + 3, START + 1, 0x1);
	send_run(&c, START + 4, START + 6);
	pause_ns(s, REACT);
	sack(&c, START + 3, START + 6, 0xd);
	pause_ns(s, 4 * REACT);
	sack(&c, START + 6, START + 4, 0x1);
	pause_ns(s, SECOND);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_min = 0, .down_max = 1,
	       .retransmitted = 1);
	assert_string_equal(only_recovery(r)->rule, "U13");
}

/* Missed by name, and acknowledged before any copy: so late do others come. */
static void rule_U13_got_without_a_copy(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_run(&c, START + 1, START + 3);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_RCVR_INFER_LOSS);
	pause_ns(s, US);
	cack(&c, START + 3, START + 1);
	resend_psn(&c, START + 1);
	send_run(&c, START + 4, START + 6);
	pause_ns(s, REACT);
	refuse(&c, START + 4, NACK_RCVR_INFER_LOSS);
	pause_ns(s, US);
	resend_psn(&c, START + 4);
	settle(&c, START + 6);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_min = 0, .down_max = 1,
	       .retransmitted = 2, .spurious = 1);
	assert_int_equal(context_pdc(r, &c)->late_behind, 1);
	assert_int_equal(r->n_recoveries, 2);
	assert_string_equal(r->recoveries[0].rule, "U14");
	assert_string_equal(r->recoveries[1].rule, "U13");
}

/* Out of order here, and acknowledged a moment before its copy: it may have
 * looked lost.  No timer is told. */
static void rule_U14_out_of_order_is_no_timer(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 2, START + 1);
	pause_ns(s, 3 * REACT);
	cack(&c, START + 2, START + 2);
	pause_ns(s, US);
	resend_psn(&c, START + 1);
	settle(&c, START + 2);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .reordered = 1, .extent = 1,
	       .retransmitted = 1, .spurious = 1);
	only_rule(r, "U14", TRIGGER_UNKNOWN, CAUSE_COLLATERAL);
}

/* CACK is held back: the answer names it. */
static void rule_U14_named_by_an_answer(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1, START + 2);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_RCVR_INFER_LOSS);
	pause_ns(s, US);
	cack(&c, START, START + 1);
	pause_ns(s, US);
	resend_psn(&c, START + 1);
	settle(&c, START + 2);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .retransmitted = 1, .spurious = 1);
	only_rule(r, "U14", TRIGGER_NAK, CAUSE_COLLATERAL);
	assert_int_equal(context_pdc(r, &c)->late_behind, 1);
}

/* Answers to what is behind it make a sender do it as well as timers do. */
static void rule_U21_later_ones_were_answered(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_run(&c, START + 1, START + 3);
	pause_ns(s, REACT);
	cack(&c, START, START + 3);
	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 1);
	settle(&c, START + 3);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_max = 1, .retransmitted = 1);
	only_rule(r, "U21", TRIGGER_IMPLIED_NAK, CAUSE_UNKNOWN);
}

/* A SACK has it, CACK waits, and its own answer never came. */
static void rule_U14_its_own_answer_is_missing(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_run(&c, START + 1, START + 3);
	pause_ns(s, REACT);
	sack(&c, START, START + 3, 0xf);
	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 1);
	settle(&c, START + 3);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .retransmitted = 1, .spurious = 1);
	only_rule(r, "U14", TRIGGER_IMPLIED_NAK, CAUSE_COLLATERAL);
}

static void rule_U14_the_answer_had_passed(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	/* how long this sender takes */
	SEND(&c, START + 1);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_NO_RESOURCE);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	settle(&c, START + 1);

	SEND(&c, START + 2);
	pause_ns(s, REACT);
	cack(&c, START + 2, START + 2);
	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 2);
	settle(&c, START + 2);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .retransmitted = 2, .spurious = 1,
	       .timeouts = 1);
	assert_int_equal(context_flow(r, &c)->ack_lost, 1);
	assert_string_equal(r->recoveries[1].rule, "U14");
	assert_int_equal(r->recoveries[1].cause, CAUSE_ACK_LOSS);
}

static void rule_U15_answered_as_a_duplicate(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1);
	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 1);
	settle(&c, START + 1);
	last_packet(s)->uet.return_code = SES_RC_NULL;
	last_packet(s)->uet.job_id = 0;

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .retransmitted = 1, .spurious = 1,
	       .timeouts = 1);
	only_rule(r, "U15", TRIGGER_TIMEOUT, CAUSE_COLLATERAL);
}

/* The queue of the receiver is longer than the RTO: a probe passes it, and then
 * comes an ACK for each of the two, with the entropy value of that.  |second|:
 * it is not repeated with the value of the original. */
static struct record *an_ack_for_each(struct scene *s, uint16_t second)
{
	struct context c = open_context(s);
	const uint16_t original = 700, copy = 701;

	for (uint32_t psn = START + 1; psn <= START + 8; psn++) {
		SEND(&c, psn);
		settle(&c, psn);
	}
	c.ev = original;
	SEND(&c, START + 9);
	pause_ns(s, 10 * MS);
	sack(&c, START + 8, START + 8, 0);
	last_packet(s)->uet.flags |= UET_PROBE;
	c.ev = copy;
	resend_psn(&c, START + 9);
	pause_ns(s, REACT);
	c.ev = second ? second : original;
	cack(&c, START + 9, START + 9);
	c.ev = copy;
	settle(&c, START + 9);
	return scene_run(s, NULL);
}

static void rule_U15_an_ack_for_each_of_the_two(void **state)
{
	only_rule(an_ack_for_each(*state, 0), "U15", TRIGGER_IMPLIED_NAK,
		  CAUSE_COLLATERAL);
}

static void rule_U12_two_acks_of_the_copy(void **state)
{
	only_rule(an_ack_for_each(*state, 701), "U12", TRIGGER_IMPLIED_NAK,
		  CAUSE_LOSS_DOWNSTREAM);
}

/* A probe passes what queues at the receiver, and finds seven missing that it
 * has: their ACK comes when the queue is gone, and then that of each copy,
 * behind it.  |held|: none of the originals had come, and the copies are
 * answered in turn. */
static struct record *probed_in_a_queue(struct scene *s, bool held)
{
	struct context c = open_context(s);

	for (uint32_t psn = START + 1; psn <= START + 8; psn++) {
		SEND(&c, psn);
		settle(&c, psn);
	}
	s->step = US;
	c.spray = true;
	send_run(&c, START + 9, START + 12);
	pause_ns(s, 2 * REACT);
	sack(&c, START + 8, START + 8, 0);
	last_packet(s)->uet.flags |= UET_PROBE;
	for (uint32_t psn = START + 9; psn <= START + 12; psn++)
		resend_psn(&c, psn);
	c.spray = false;
	pause_ns(s, REACT);
	if (!held) {
		c.ev = 1;
		cack(&c, START + 10, START + 10);
		pause_ns(s, REACT);
		cack(&c, START + 12, START + 12);
	}
	for (uint32_t psn = START + 9; psn <= START + 12; psn++) {
		c.ev = (uint16_t)(0xc000 + psn - START - 4);
		cack(&c, held ? psn : START + 12, psn);
	}
	pause_ns(s, SECOND);
	return scene_run(s, NULL);
}

static void rule_U15_each_copy_is_answered_later(void **state)
{
	struct record *r = probed_in_a_queue(*state, false);

	for (size_t i = 0; i < r->n_recoveries; i++)
		assert_string_equal(r->recoveries[i].rule, "U15");
	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 0);
}

static void rule_U12_each_copy_is_answered_in_turn(void **state)
{
	struct record *r = probed_in_a_queue(*state, true);

	assert_string_equal(only_recovery(r)->rule, "U12");
	assert_int_equal(only_recovery(r)->lost_min, 4);
}

/* A target that answers all like that tells nothing by it. */
static void rule_U15_not_of_who_answers_all_so(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	for (uint32_t psn = START + 1; psn <= START + 2; psn++) {
		SEND(&c, psn);
		if (psn == START + 2) {
			pause_ns(s, 10 * MS);
			resend_psn(&c, psn);
		}
		settle(&c, psn);
		last_packet(s)->uet.return_code = SES_RC_NULL;
		last_packet(s)->uet.job_id = 0;
	}

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_max = 1, .retransmitted = 1,
	       .timeouts = 1);
	only_rule(r, "U21", TRIGGER_TIMEOUT, CAUSE_UNKNOWN);
}

/* What is answered only after its copies tells of no round trip, whether the
 * answers say so or not. */
static void rule_U15_not_by_the_time_of_copies(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	for (uint32_t psn = START; psn <= START + 8; psn++) {
		SEND(&c, psn);
		pause_ns(s, 5 * MS);
		resend_psn(&c, psn);
		pause_ns(s, REACT);
		cack(&c, psn, psn);
		answered(&c);
	}
	pause_ns(s, SECOND);

	EXPECT(context_flow(scene_run(s, NULL), &c), .down_max = 9,
	       .retransmitted = 9, .timeouts = ANY);
}

/* Return code 0 is one of two that a default response has. */
static void rule_U15_a_response_of_a_job_is_none(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1);
	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 1);
	settle(&c, START + 1);
	last_packet(s)->uet.return_code = SES_RC_NULL;

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_max = 1, .retransmitted = 1,
	       .timeouts = 1);
	only_rule(r, "U21", TRIGGER_TIMEOUT, CAUSE_UNKNOWN);
}

/* A copy was on its way when its refusal passed: the sender seems to be near,
 * which it is not. */
static struct context seems_near(struct scene *s, bool ordered)
{
	struct context c = ordered ? open_ordered(s) : open_context(s);

	SEND(&c, START + 1);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_NO_PKT_BUFFER);
	resend_psn(&c, START + 1);
	settle(&c, START + 1);
	return c;
}

static void not_an_ack_loss(struct scene *s, const struct context *c)
{
	struct record *r;

	pause_ns(s, SECOND);
	r = scene_run(s, NULL);
	assert_int_equal(r->n_recoveries, 2);
	assert_string_equal(r->recoveries[1].rule, "U14");
	assert_int_equal(r->recoveries[1].cause, CAUSE_COLLATERAL);
	assert_int_equal(context_flow(r, c)->ack_lost, 0);
}

/* What came out of order may have looked lost to the sender. */
static void rule_U14_it_may_have_looked_lost(void **state)
{
	struct scene *s = *state;
	struct context c = seems_near(s, false);

	SEND(&c, START + 3, START + 2, START + 4);
	pause_ns(s, REACT);
	cack(&c, START + 4, START + 4);
	pause_ns(s, 2 * REACT);
	resend_psn(&c, START + 2);
	not_an_ack_loss(s, &c);
}

static void rule_U14_it_had_been_asked_for(void **state)
{
	struct scene *s = *state;
	struct context c = seems_near(s, true);

	SEND(&c, START + 2, START + 3);
	pause_ns(s, REACT);
	refuse(&c, START + 3, NACK_ROD_OOO);
	cack(&c, START + 3, START + 3);
	pause_ns(s, 3 * REACT);
	resend_psn(&c, START + 2);
	not_an_ack_loss(s, &c);
}

/* No timer is shorter than the sender's round trip. */
static void rule_U14_not_in_vain(void **state)
{
	struct scene *s = *state;
	struct context c = seems_near(s, false);

	SEND(&c, START + 2);
	pause_ns(s, 3 * REACT);
	cack(&c, START + 2, START + 2);
	pause_ns(s, REACT);
	resend_psn(&c, START + 2);
	not_an_ack_loss(s, &c);
}

/* Answered when another would have been for |part| tenths of a round trip: the
 * answer to a probe has no bit for it, nor for any behind it. */
static struct record *probed(struct scene *s, struct context *c, int64_t part)
{
	*c = open_context(s);
	SEND(c, START + 2, START + 1); /* some take another way */
	pause_ns(s, REACT);
	cack(c, START + 2, START + 2);
	pause_ns(s, REACT);
	SEND(c, START + 3, START + 4);
	pause_ns(s, REACT * part / 10);
	sack(c, START + 2, START + 2, 3); /* START + 2 and START + 3 */
	last_packet(s)->uet.flags |= UET_PROBE;
	pause_ns(s, 5 * MS);
	resend_psn(c, START + 4);
	settle(c, START + 4);
	return scene_run(s, NULL);
}

static void rule_U12_a_probe_behind_the_tap(void **state)
{
	struct context c;
	struct record *r = probed(*state, &c, 30);

	EXPECT(context_flow(r, &c), .reordered = 1, .extent = 1, .down_min = 1,
	       .down_max = 1, .retransmitted = 1);
	only_rule(r, "U12", TRIGGER_IMPLIED_NAK, CAUSE_LOSS_DOWNSTREAM);
}

/* It may have gone a longer way than the probe. */
static void rule_U12_a_probe_that_overtook(void **state)
{
	struct context c;
	struct record *r = probed(*state, &c, 15);

	EXPECT(context_flow(r, &c), .reordered = 1, .extent = 1, .down_max = 1,
	       .retransmitted = 1);
	only_rule(r, "U21", TRIGGER_IMPLIED_NAK, CAUSE_UNKNOWN);
}

/* Missed by name, sent again, and acknowledged |after|. */
static struct record *missed_by_name(struct scene *s, struct context *c,
				     int64_t after)
{
	*c = open_context(s);
	for (uint32_t psn = START + 1; psn <= START + 8; psn++) {
		SEND(c, psn);
		pause_ns(s, REACT);
		cack(c, psn, psn);
	}
	SEND(c, START + 9, START + 10);
	pause_ns(s, 10 * MS);
	refuse(c, START + 9, NACK_RCVR_INFER_LOSS);
	pause_ns(s, REACT);
	resend_psn(c, START + 9);
	pause_ns(s, after - s->step);
	cack(c, START + 10, START + 9);
	pause_ns(s, SECOND);
	return scene_run(s, NULL);
}

/* A round trip may be shorter than those before: what the receiver missed by
 * name it did not have all the same. */
static void rule_U15_not_of_what_was_missed_by_name(void **state)
{
	struct context c;
	struct record *r = missed_by_name(*state, &c, REACT * 7 / 10);

	EXPECT(context_flow(r, &c), .down_min = 1, .down_max = 1,
	       .retransmitted = 1);
	only_rule(r, "U10", TRIGGER_NAK, CAUSE_LOSS_DOWNSTREAM);
}

/* Much sooner than any answer can be here: it had come late. */
static void rule_U15_missed_by_name_and_late(void **state)
{
	struct context c;
	struct record *r = missed_by_name(*state, &c, REACT * 3 / 10);

	EXPECT(context_flow(r, &c), .retransmitted = 1, .spurious = 1);
	only_rule(r, "U15", TRIGGER_NAK, CAUSE_COLLATERAL);
	assert_int_equal(context_pdc(r, &c)->late_behind, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(rule_U11_U16_ROD_goes_back),
		SCENE_TEST(rule_U8_ROD_the_hole_is_before_the_tap),
		SCENE_TEST(rule_U11_what_was_refused_before_explains_it),
		SCENE_TEST(rule_U7_ROD_goes_back_to_what_was_refused),
		SCENE_TEST(rule_U11_what_was_too_early_is_not_lost),
		SCENE_TEST(rule_U11_what_was_answered_is_not_lost),
		SCENE_TEST(rule_U11_passed_too_early),
		SCENE_TEST(rule_U12_a_hole_behind_the_tap),
		SCENE_TEST(rule_U27_overtaken_or_lost),
		SCENE_TEST(rule_U21_on_its_way),
		SCENE_TEST(rule_U13_lost_or_late_behind_the_tap),
		SCENE_TEST(rule_U13_from_the_proof_on_backwards),
		SCENE_TEST(rule_U13_got_without_a_copy),
		SCENE_TEST(rule_U14_out_of_order_is_no_timer),
		SCENE_TEST(rule_U14_named_by_an_answer),
		SCENE_TEST(rule_U14_its_own_answer_is_missing),
		SCENE_TEST(rule_U14_the_answer_had_passed),
		SCENE_TEST(rule_U21_later_ones_were_answered),
		SCENE_TEST(rule_U15_answered_as_a_duplicate),
		SCENE_TEST(rule_U15_an_ack_for_each_of_the_two),
		SCENE_TEST(rule_U12_two_acks_of_the_copy),
		SCENE_TEST(rule_U15_each_copy_is_answered_later),
		SCENE_TEST(rule_U12_each_copy_is_answered_in_turn),
		SCENE_TEST(rule_U15_not_of_who_answers_all_so),
		SCENE_TEST(rule_U14_it_may_have_looked_lost),
		SCENE_TEST(rule_U14_it_had_been_asked_for),
		SCENE_TEST(rule_U14_not_in_vain),
		SCENE_TEST(rule_U12_a_probe_behind_the_tap),
		SCENE_TEST(rule_U12_a_probe_that_overtook),
		SCENE_TEST(rule_U15_not_by_the_time_of_copies),
		SCENE_TEST(rule_U15_a_response_of_a_job_is_none),
		SCENE_TEST(rule_U15_not_of_what_was_missed_by_name),
		SCENE_TEST(rule_U15_missed_by_name_and_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
