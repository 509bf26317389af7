/* SPDX-License-Identifier: GPL-2.0-or-later
 * Retransmissions of Ultra Ethernet that prove nothing of what they repeat
 * (docs/rules.md, U14 to U18), each as the smallest pair of stories. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uet_scene.h"
#include "wire/wire.h"

/* One is lost before the tap.  An answer to another packet has its copy, and
 * comes before the answer to the copy.  |late|: answers of this receiver say
 * what there is when they leave, as an earlier one shows. */
static struct record *acked_just_before(struct scene *s, bool late)
{
	struct context c = open_context(s);

	SEND(&c, START + 1, START + 2);
	pause_ns(s, REACT);
	cack(&c, late ? START + 2 : START + 1, START + 1);
	cack(&c, START + 2, START + 2);
	SEND(&c, START + 4, START + 5);
	pause_ns(s, REACT);
	refuse(&c, START + 3, NACK_RCVR_INFER_LOSS);
	pause_ns(s, REACT);
	resend_psn(&c, START + 3);
	pause_ns(s, 2 * REACT);
	cack(&c, START + 5, START + 5);
	cack(&c, START + 5, START + 3);
	last_packet(s)->uet.flags |= UET_RETX;
	pause_ns(s, SECOND);
	return scene_run(s, NULL);
}

static void rule_U3_had_before_its_copy(void **state)
{
	assert_string_equal(
		only_recovery(acked_just_before(*state, false))->rule, "U3");
}

static void rule_U8_acked_as_the_answer_left(void **state)
{
	only_rule(acked_just_before(*state, true), "U8", TRIGGER_NAK,
		  CAUSE_LOSS_UPSTREAM);
}

/* What was named above a hole, and retransmitted with it by a timer: an ordered
 * sender retransmits everything. */
static struct record *sent_with_the_hole(struct scene *s, bool ordered)
{
	struct context c = context(s, START);

	c.ordered = ordered;
	send_psn(&c, START);
	answered(&c);
	settle(&c, START);
	SEND(&c, START + 1, START + 2);
	pause_ns(s, REACT);
	cack(&c, START, START + 2);
	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 1);
	resend_psn(&c, START + 2);
	settle(&c, START + 2);
	return scene_run(s, NULL);
}

static void rule_U14_an_ordered_sender_repeats_all(void **state)
{
	struct record *r = sent_with_the_hole(*state, true);

	assert_int_equal(recovery_of(r, "U14")->cause, CAUSE_COLLATERAL);
	assert_int_equal(recovery_of(r, "U14")->psn, START + 2);
}

static void rule_U14_nobody_else_does(void **state)
{
	struct record *r = sent_with_the_hole(*state, false);

	assert_int_equal(recovery_of(r, "U14")->cause, CAUSE_ACK_LOSS);
}

/* Sent twice within a few us, without the flag: by the mirror, or because an
 * ordered receiver refused what came behind. */
static uint32_t copies_of(struct scene *s, bool refused)
{
	struct context c = context(s, START);

	c.ordered = true;
	send_psn(&c, START);
	answered(&c);
	settle(&c, START);
	s->step = US;
	send_run(&c, START + 1, START + 2);
	if (refused)
		refuse(&c, START + 2, NACK_ROD_OOO);
	send_psn(&c, START + 1);
	send_psn(&c, START + 2);
	settle(&c, START + 2);
	return context_flow(scene_run(s, NULL), &c)->retransmitted;
}

static void rule_U18_the_same_twice(void **state)
{
	assert_int_equal(copies_of(*state, false), 0);
}

static void rule_U18_an_ordered_sender_went_back(void **state)
{
	assert_int_equal(copies_of(*state, true), 2);
}

/* The original was whole, its copy trimmed: two recoveries, and the second
 * alone is of a trim. */
static void rule_U5_a_copy_was_trimmed(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_run(&c, START + 1, START + 2);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_RCVR_INFER_LOSS);
	pause_ns(s, REACT);
	send_trimmed(&c, START + 1);
	last_packet(s)->uet.flags |= UET_RETX;
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_TRIMMED);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	settle(&c, START + 2);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_recoveries, 2);
	assert_string_equal(r->recoveries[0].rule, "U10");
	assert_string_equal(r->recoveries[1].rule, "U5");
	assert_int_equal(r->recoveries[1].retransmitted_packets, 1);
}

/* Of three that nothing was said of one was lost, and the first |had| came: the
 * answers to their copies say so.  A refusal is under way as they pass. */
static struct record *lost_behind(struct scene *s, uint32_t had)
{
	struct context c = context(s, START);

	c.ordered = true;
	send_psn(&c, START);
	answered(&c);
	settle(&c, START);
	send_run(&c, START + 1, START + 6);
	pause_ns(s, REACT);
	refuse(&c, START + 4, NACK_ROD_OOO);
	resend_psn(&c, START + 1);
	refuse(&c, START + 5, NACK_ROD_OOO);
	for (uint32_t psn = START + 2; psn <= START + 6; psn++)
		resend_psn(&c, psn);
	pause_ns(s, REACT);
	for (uint32_t psn = START + 1; psn <= START + 6; psn++) {
		bool twice = psn - START <= had;

		cack(&c, twice ? START + had : psn, psn);
		if (twice) {
			last_packet(s)->uet.return_code = SES_RC_NULL;
			last_packet(s)->uet.job_id = 0;
		}
	}
	settle(&c, START + 6);
	return scene_run(s, NULL);
}

static void rule_U11_one_behind_those_that_had_come(void **state)
{
	for (uint32_t had = 0; had < 3; had++) {
		struct scene *s = scene_new();
		struct record *r = lost_behind(s, had);

		assert_int_equal(recovery_of(r, "U11")->psn, START + 1 + had);
		assert_int_equal(recovery_of(r, "U11")->lost_min, 1);
		assert_int_equal(recovery_of(r, "U11")->lost_max, 3 - had);
		scene_free(s);
	}
	(void)state;
}

static void rule_U15_all_had_come(void **state)
{
	struct record *r = lost_behind(*state, 3);

	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 0);
	assert_string_equal(r->recoveries[0].rule, "U15");
}

/* What was refused passed before the one that was expected: the order here
 * explains it.  Another one, in order, was acknowledged with none. */
static struct record *refused_behind_a_late_one(struct scene *s, bool late)
{
	struct context c = context(s, START);

	c.ordered = true;
	send_psn(&c, START);
	answered(&c);
	settle(&c, START);
	if (late)
		SEND(&c, START + 1, START + 3, START + 4, START + 2);
	else
		send_run(&c, START + 1, START + 4);
	pause_ns(s, REACT);
	refuse(&c, START + 3, NACK_ROD_OOO);
	pause_ns(s, REACT);
	for (uint32_t psn = START + 1; psn <= START + 4; psn++)
		resend_psn(&c, psn);
	settle(&c, START + 4);
	return scene_run(s, NULL);
}

static void rule_U2_reordered_here_explains_the_refusal(void **state)
{
	struct record *r = refused_behind_a_late_one(*state, true);

	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 0);
	assert_int_equal(recovery_of(r, "U2")->psn, START + 2);
	assert_int_equal(recovery_of(r, "U21")->psn, START + 1);
}

static void rule_U11_in_order_here(void **state)
{
	struct record *r = refused_behind_a_late_one(*state, false);

	assert_int_equal(recovery_of(r, "U11")->psn, START + 1);
	assert_int_equal(recovery_of(r, "U11")->lost_min, 1);
}

/* The first ACK passed, and so long after it the sender still did not know of
 * its target: its RTO may be shorter than its round trip. */
static struct record *acked_long_before(struct scene *s, bool unaware)
{
	struct context c = context(s, START);

	send_psn(&c, START);
	pause_ns(s, REACT);
	cack(&c, START, START);
	if (unaware) {
		pause_ns(s, MS);
		resend_psn(&c, START);
	}
	answered(&c);
	send_psn(&c, START + 1);
	pause_ns(s, REACT);
	cack(&c, START + 1, START + 1);
	pause_ns(s, 2 * MS);
	resend_psn(&c, START + 1);
	settle(&c, START + 1);
	return scene_run(s, NULL);
}

static void rule_U14_the_ack_may_be_on_its_way(void **state)
{
	struct record *r = acked_long_before(*state, true);

	for (size_t i = 0; i < r->n_recoveries; i++) {
		assert_string_equal(r->recoveries[i].rule, "U14");
		assert_int_equal(r->recoveries[i].cause, CAUSE_COLLATERAL);
	}
}

static void rule_U14_the_ack_was_due(void **state)
{
	only_rule(acked_long_before(*state, false), "U14", TRIGGER_TIMEOUT,
		  CAUSE_ACK_LOSS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(rule_U3_had_before_its_copy),
		SCENE_TEST(rule_U8_acked_as_the_answer_left),
		SCENE_TEST(rule_U14_an_ordered_sender_repeats_all),
		SCENE_TEST(rule_U14_nobody_else_does),
		SCENE_TEST(rule_U18_the_same_twice),
		SCENE_TEST(rule_U18_an_ordered_sender_went_back),
		SCENE_TEST(rule_U5_a_copy_was_trimmed),
		SCENE_TEST(rule_U11_one_behind_those_that_had_come),
		SCENE_TEST(rule_U15_all_had_come),
		SCENE_TEST(rule_U2_reordered_here_explains_the_refusal),
		SCENE_TEST(rule_U11_in_order_here),
		SCENE_TEST(rule_U14_the_ack_may_be_on_its_way),
		SCENE_TEST(rule_U14_the_ack_was_due),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
