/* SPDX-License-Identifier: GPL-2.0-or-later
 * Behind the tap: lost, late, or the copy lost as well (docs/rules.md, U10 to
 * U13), each as the smallest story that fulfils it, counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "uet_scene.h"
#include "wire/wire.h"

/* |psn| is missing behind the tap, and shown so by a SACK; two follow it. */
static void hole_at(struct context *c, uint32_t psn)
{
	send_run(c, psn, psn + 2);
	pause_ns(c->scene, REACT);
	sack(c, psn - 1, psn + 2, 0xd);
}

static uint32_t late_behind(const struct record *r, const struct context *c)
{
	return context_pdc(r, c)->late_behind;
}

/* The next SACK comes much later, and says nothing of when the hole closed. */
static void rule_U13_a_plain_answer_closes_a_hole(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	hole_at(&c, START + 1);
	pause_ns(s, 10 * US);
	cack(&c, START + 3, START + 1);
	pause_ns(s, 100 * MS);
	hole_at(&c, START + 4);
	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 4);
	settle(&c, START + 6);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(late_behind(r, &c), 1);
	assert_in_range(context_pdc(r, &c)->late_behind_max_ns, REACT,
			REACT + 100 * US);
	EXPECT(context_flow(r, &c), .down_min = 0, .down_max = 1,
	       .retransmitted = 1);
	only_rule(r, "U13", TRIGGER_IMPLIED_NAK, CAUSE_LOSS_OR_REORDER);
}

/* Shown missing again as long after the late one was there. */
static void rule_U12_missing_for_much_longer_than_others(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	hole_at(&c, START + 1);
	pause_ns(s, 10 * US);
	cack(&c, START + 3, START + 1);
	pause_ns(s, 100 * MS);
	hole_at(&c, START + 4);
	pause_ns(s, MS);
	SEND(&c, START + 7);
	pause_ns(s, REACT);
	sack(&c, START + 3, START + 7, 0x1d);
	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 4);
	settle(&c, START + 7);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_min = 1, .down_max = 1,
	       .retransmitted = 1);
	only_rule(r, "U12", TRIGGER_IMPLIED_NAK, CAUSE_LOSS_DOWNSTREAM);
}

/* A copy closed the first hole: that was no lateness. */
static void rule_U12_what_a_copy_closed_was_not_late(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	for (uint32_t psn = START + 1; psn <= START + 4; psn += 3) {
		hole_at(&c, psn);
		pause_ns(s, 10 * MS);
		resend_psn(&c, psn);
		settle(&c, psn + 2);
	}

	struct record *r = scene_run(s, NULL);

	assert_int_equal(late_behind(r, &c), 0);
	EXPECT(context_flow(r, &c), .down_min = 2, .down_max = 2,
	       .retransmitted = 2);
}

/* The answer that missed it was overtaken by the one that had it. */
static void rule_U13_answers_overtake_each_other(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_run(&c, START + 1, START + 3);
	pause_ns(s, REACT);
	sack(&c, START, START + 2, 0xf);
	sack(&c, START, START + 3, 0xd);
	pause_ns(s, 10 * MS);
	SEND(&c, START + 4);
	pause_ns(s, REACT);
	sack(&c, START + 4, START + 4, 0x1);
	pause_ns(s, SECOND);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(late_behind(r, &c), 0);
	EXPECT(context_flow(r, &c), .retransmitted = 0);
}

/* Sent again before anybody missed it, and then missed by name sooner than the
 * copy can have been there. */
static void rule_U12_missed_after_its_copy(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_run(&c, START + 1, START + 3);
	pause_ns(s, MS);
	resend_psn(&c, START + 1);
	sack(&c, START, START + 3, 0xd);
	settle(&c, START + 3);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_min = 1, .down_max = 1,
	       .retransmitted = 1, .timeouts = 1);
	only_rule(r, "U12", TRIGGER_TIMEOUT, CAUSE_LOSS_DOWNSTREAM);
}

/* Missed a moment after it had passed, as those are that come late; of the time
 * until its copy nobody says anything. */
static void rule_U13_missed_no_longer_than_others(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	hole_at(&c, START + 1);
	pause_ns(s, 10 * US);
	cack(&c, START + 3, START + 1);
	send_run(&c, START + 4, START + 6);
	pause_ns(s, REACT);
	refuse(&c, START + 4, NACK_RCVR_INFER_LOSS);
	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 4);
	settle(&c, START + 6);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_min = 0, .down_max = 1,
	       .retransmitted = 1);
	only_rule(r, "U13", TRIGGER_NAK, CAUSE_LOSS_OR_REORDER);
}

/* The receiver refused what its copy had just followed. */
static void rule_U7_the_copy_was_faster_than_the_refusal(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_run(&c, START + 1, START + 3);
	pause_ns(s, REACT);
	sack(&c, START, START + 3, 0xd);
	resend_psn(&c, START + 1);
	refuse(&c, START + 1, NACK_NO_RESOURCE);
	settle(&c, START + 3);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_max = 0, .retransmitted = 1);
	assert_string_equal(only_recovery(r)->rule, "U7");
}

/* ---- the copy is missing as well ---- */

static void rule_U10_the_copy_was_lost_as_well(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_run(&c, START + 1, START + 3);
	for (int i = 0; i < 2; i++) {
		pause_ns(s, 10 * MS);
		refuse(&c, START + 1, NACK_RCVR_INFER_LOSS);
		pause_ns(s, REACT);
		resend_psn(&c, START + 1);
	}
	settle(&c, START + 3);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_min = 2, .down_max = 2,
	       .retransmitted = 2);
}

/* The original was lost before the tap, its copy behind it. */
static void rule_U8_U12_first_before_the_tap(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 2, START + 3);
	pause_ns(s, REACT);
	sack(&c, START, START + 3, 0xd);
	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 1);
	pause_ns(s, 10 * MS);
	SEND(&c, START + 4);
	pause_ns(s, REACT);
	sack(&c, START, START + 4, 0x1d);
	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 1);
	settle(&c, START + 4);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .up = 1, .down_min = 1, .down_max = 1,
	       .retransmitted = 2);
	assert_int_equal(r->n_recoveries, 2);
	assert_string_equal(r->recoveries[0].rule, "U8");
	assert_string_equal(r->recoveries[1].rule, "U12");
}

/* An answer may have been under way while the copy passed. */
static void rule_U10_a_complaint_that_crossed_the_copy(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_run(&c, START + 1, START + 3);
	pause_ns(s, 10 * MS);
	refuse(&c, START + 1, NACK_RCVR_INFER_LOSS);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	pause_ns(s, REACT / 2);
	refuse(&c, START + 1, NACK_RCVR_INFER_LOSS);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	settle(&c, START + 3);

	EXPECT(context_flow(scene_run(s, NULL), &c), .down_min = 1,
	       .down_max = 2, .retransmitted = 2);
}

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

/* All of |first| to |last| once more. */
static void go_back(struct context *c, uint32_t first, uint32_t last)
{
	pause_ns(c->scene, REACT);
	for (uint32_t psn = first; psn <= last; psn++)
		resend_psn(c, psn);
	pause_ns(c->scene, REACT);
}

/* Of the replay one is missing again. */
static void rule_U11_a_hole_inside_a_replay(void **state)
{
	struct scene *s = *state;
	struct context c = open_ordered(s);

	send_run(&c, START + 1, START + 5);
	pause_ns(s, REACT);
	refuse(&c, START + 2, NACK_ROD_OOO);
	go_back(&c, START + 1, START + 5);
	cack(&c, START + 2, START + 2);
	refuse(&c, START + 4, NACK_ROD_OOO);
	go_back(&c, START + 3, START + 5);
	settle(&c, START + 5);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_min = 2, .down_max = 2,
	       .retransmitted = 8);
}

/* The receiver had no room for it, or a switch cut it: nothing of the replay
 * need have been lost. */
static void replay_that_is_refused(struct scene *s, uint8_t code)
{
	struct context c = open_ordered(s);

	send_run(&c, START + 1, START + 5);
	pause_ns(s, REACT);
	refuse(&c, START + 2, NACK_ROD_OOO);
	go_back(&c, START + 1, START + 5);
	cack(&c, START + 2, START + 2);
	refuse(&c, START + 3, code);
	refuse(&c, START + 4, NACK_ROD_OOO);
	go_back(&c, START + 3, START + 5);
	settle(&c, START + 5);

	EXPECT(context_flow(scene_run(s, NULL), &c), .down_min = 1,
	       .down_max = 1, .retransmitted = 8);
}

static void rule_U11_a_copy_that_was_refused(void **state)
{
	replay_that_is_refused(*state, NACK_NO_SES_MSG_AVAIL);
}

static void rule_U11_a_copy_that_was_trimmed(void **state)
{
	replay_that_is_refused(*state, NACK_TRIMMED);
}

/* What is queued comes much later than the shortest round trip: what is too
 * early may be of the replay before, of which the trimmed packet is missing. */
static void rule_U11_a_replay_behind_a_queue(void **state)
{
	struct scene *s = *state;
	struct context c = open_ordered(s);

	send_run(&c, START + 1, START + 5);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_TRIMMED);
	refuse(&c, START + 2, NACK_ROD_OOO);
	go_back(&c, START + 1, START + 5);
	pause_ns(s, REACT);
	refuse(&c, START + 3, NACK_TRIMMED);
	go_back(&c, START + 3, START + 5);
	cack(&c, START + 2, START + 2);
	pause_ns(s, 2 * REACT);
	refuse(&c, START + 4, NACK_ROD_OOO);
	go_back(&c, START + 3, START + 5);
	settle(&c, START + 5);

	assert_int_equal(
		context_flow(scene_run(s, NULL), &c)->lost_downstream_min, 0);
}

/* Of five one is cut, or not, and all behind it refused as too early; the ACK
 * of what is before it was held back, and all are sent once more. */
static struct record *goes_back_further(struct scene *s, struct context *c,
					uint8_t code)
{
	*c = open_ordered(s);
	send_run(c, START + 1, START + 5);
	pause_ns(s, REACT);
	if (code)
		refuse(c, START + 3, code);
	refuse(c, START + 4, NACK_ROD_OOO);
	refuse(c, START + 5, NACK_ROD_OOO);
	go_back(c, START + 1, START + 5);
	settle(c, START + 5);
	return scene_run(s, NULL);
}

static void rule_U21_before_what_was_refused(void **state)
{
	static const uint8_t codes[] = { NACK_TRIMMED, NACK_TRIMMED_LASTHOP,
					 NACK_NO_PKT_BUFFER };
	struct context c;

	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		struct scene *s = scene_new();
		struct record *r = goes_back_further(s, &c, codes[i]);

		EXPECT(context_flow(r, &c), .down_min = 0, .down_max = 2,
		       .retransmitted = 5);
		assert_int_equal(r->n_recoveries, 3);
		assert_int_equal(recovery_of(r, "U21")->cause, CAUSE_UNKNOWN);
		assert_int_equal(recovery_of(r, "U21")->psn, START + 1);
		assert_int_equal(recovery_of(r, "U16")->psn, START + 4);
		assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 0);
		scene_free(s);
	}
	(void)state;
}

/* The mirror's second refusal comes when what was cut has been acknowledged; or
 * none came before that, and the refused packet is what is missing. */
static uint32_t refused_behind_an_ack(struct scene *s, bool second)
{
	struct context c = open_ordered(s);

	send_run(&c, START + 1, START + 3);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_TRIMMED);
	if (second)
		refuse(&c, START + 2, NACK_ROD_OOO);
	resend_psn(&c, START + 1);
	pause_ns(s, REACT);
	cack(&c, START + 1, START + 1);
	refuse(&c, START + 2, NACK_ROD_OOO);
	go_back(&c, START + 2, START + 3);
	settle(&c, START + 3);
	return context_flow(scene_run(s, NULL), &c)->lost_downstream_min;
}

static void rule_U16_refused_once_more(void **state)
{
	assert_int_equal(refused_behind_an_ack(*state, true), 0);
}

static void rule_U11_refused_as_the_expected_one(void **state)
{
	assert_int_equal(refused_behind_an_ack(*state, false), 1);
}

/* Packets are refused in the order in which they come: in that they were sent,
 * or not, as packets overtake each other behind the tap. */
static struct record *refused_in_turn(struct scene *s, struct context *c,
				      uint32_t first, uint32_t second)
{
	*c = open_ordered(s);
	send_run(c, START + 1, START + 4);
	pause_ns(s, 2 * REACT);
	refuse(c, first, NACK_ROD_OOO);
	refuse(c, second, NACK_ROD_OOO);
	pause_ns(s, REACT);
	go_back(c, START + 1, START + 4);
	settle(c, START + 4);
	return scene_run(s, NULL);
}

static void rule_U11_refused_in_order(void **state)
{
	struct context c;
	struct record *r = refused_in_turn(*state, &c, START + 3, START + 4);

	EXPECT(context_flow(r, &c), .down_min = 1, .down_max = 2,
	       .retransmitted = 4);
	assert_non_null(recovery_of(r, "U11"));
}

static void rule_U13_refused_out_of_order(void **state)
{
	struct context c;
	struct record *r = refused_in_turn(*state, &c, START + 4, START + 3);

	EXPECT(context_flow(r, &c), .down_min = 0, .down_max = 2,
	       .retransmitted = 4);
	assert_non_null(recovery_of(r, "U13"));
}

/* What the receiver does not have it may have discarded, and said so. */
static uint32_t not_received(struct scene *s, bool early)
{
	struct context c = open_ordered(s);

	send_run(&c, START + 1, START + 3);
	pause_ns(s, REACT);
	if (early)
		refuse(&c, START + 2, NACK_ROD_OOO);
	cack(&c, START + 1, START + 1);
	refuse(&c, START + 2, NACK_PKT_NOT_RCVD);
	go_back(&c, START + 2, START + 3);
	settle(&c, START + 3);
	return context_flow(scene_run(s, NULL), &c)->lost_downstream_min;
}

static void rule_U16_refused_and_then_not_received(void **state)
{
	assert_int_equal(not_received(*state, true), 0);
}

static void rule_U10_not_received(void **state)
{
	assert_int_equal(not_received(*state, false), 1);
}

static void rule_U11_where_nothing_was_refused(void **state)
{
	struct context c;
	struct record *r = goes_back_further(*state, &c, 0);

	EXPECT(context_flow(r, &c), .down_min = 1, .down_max = 3,
	       .retransmitted = 5);
	assert_int_equal(recovery_of(r, "U11")->psn, START + 1);
}

/* One is refused as too early, and all sent once more: was the one before it
 * lost, or did it come behind it?  Then its ACK comes sooner than a round trip,
 * of which there were only a few. */
static struct record *acked_after(struct scene *s, struct context *c,
				  int64_t ns)
{
	*c = open_ordered(s);
	SEND(c, START + 1);
	pause_ns(s, REACT);
	cack(c, START + 1, START + 1);
	SEND(c, START + 2, START + 3);
	pause_ns(s, REACT);
	refuse(c, START + 3, NACK_ROD_OOO);
	pause_ns(s, REACT);
	resend_psn(c, START + 2);
	s->step = 1;
	pause_ns(s, ns);
	cack(c, START + 2, START + 2);
	s->step = STEP;
	resend_psn(c, START + 3);
	settle(c, START + 3);
	return scene_run(s, NULL);
}

static void rule_U13_ROD_sooner_than_a_round_trip(void **state)
{
	struct context c;
	struct record *r = acked_after(*state, &c, REACT * 8 / 10);

	EXPECT(context_flow(r, &c), .down_min = 0, .down_max = 1,
	       .retransmitted = 2);
	assert_int_equal(recovery_of(r, "U13")->psn, START + 2);
}

static void rule_U11_no_sooner_than_a_round_trip(void **state)
{
	struct context c;
	struct record *r = acked_after(*state, &c, REACT + STEP);

	EXPECT(context_flow(r, &c), .down_min = 1, .down_max = 1,
	       .retransmitted = 2);
}

/* Two losses, each repaired before the next: nothing was missing between. */
static void rule_U11_two_replays_apart(void **state)
{
	struct scene *s = *state;
	struct context c = open_ordered(s);

	for (uint32_t psn = START + 1; psn < START + 20; psn += 10) {
		send_run(&c, psn, psn + 5);
		pause_ns(s, REACT);
		refuse(&c, psn + 1, NACK_ROD_OOO);
		go_back(&c, psn, psn + 5);
		cack(&c, psn + 5, psn + 5);
		send_run(&c, psn + 6, psn + 9);
		pause_ns(s, 5 * MS);
		cack(&c, psn + 9, psn + 9);
	}
	settle(&c, START + 20);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_min = 2, .down_max = 2,
	       .retransmitted = 12);
	assert_int_equal(r->n_recoveries, 4);
	for (size_t i = 0; i < r->n_recoveries; i++)
		assert_true(r->recoveries[i].last_ns -
				    r->recoveries[i].first_ns <
			    5 * MS);
}

/* The first packet here is refused as too early: what is missing is before it,
 * and never passed. */
static void rule_U11_nothing_before_the_first(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	c.ordered = true;
	SEND(&c, START + 2, START + 3);
	pause_ns(s, REACT);
	refuse(&c, START + 2, NACK_ROD_OOO);
	answered(&c);
	go_back(&c, START, START + 3);
	settle(&c, START + 3);

	EXPECT(context_flow(scene_run(s, NULL), &c), .down_max = 0,
	       .retransmitted = 4);
}

/* What preceded a refused packet is acknowledged without a copy: it came late,
 * and what is missed for no longer need not be lost. */
static void rule_U13_ROD_comes_late(void **state)
{
	struct scene *s = *state;
	struct context c = open_ordered(s);

	SEND(&c, START + 1, START + 2);
	pause_ns(s, REACT);
	refuse(&c, START + 2, NACK_ROD_OOO);
	cack(&c, START + 1, START + 1);
	go_back(&c, START + 2, START + 2);
	settle(&c, START + 2);
	SEND(&c, START + 3, START + 4);
	pause_ns(s, REACT);
	refuse(&c, START + 4, NACK_ROD_OOO);
	go_back(&c, START + 3, START + 4);
	settle(&c, START + 4);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(late_behind(r, &c), 1);
	EXPECT(context_flow(r, &c), .down_min = 0, .down_max = 1,
	       .retransmitted = 3);
}

/* The answer to all but the last of them was merely held back. */
static void rule_U11_of_what_was_not_acknowledged(void **state)
{
	struct scene *s = *state;
	struct context c = open_ordered(s);

	send_run(&c, START + 1, START + 5);
	pause_ns(s, REACT);
	refuse(&c, START + 5, NACK_ROD_OOO);
	cack(&c, START + 3, START + 3);
	go_back(&c, START + 1, START + 5);
	settle(&c, START + 5);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(late_behind(r, &c), 0);
	assert_int_equal(context_flow(r, &c)->lost_downstream_min, 1);
	assert_int_equal(context_flow(r, &c)->lost_downstream_max, 1);
}

/* The first came late, and the second before it: refused without a word, as
 * the rest.  That is missed since the first refusal, and not since the next. */
static void rule_U13_ROD_refused_without_a_word(void **state)
{
	struct scene *s = *state;
	struct context c = open_ordered(s);

	send_run(&c, START + 1, START + 3);
	pause_ns(s, REACT);
	refuse(&c, START + 3, NACK_ROD_OOO);
	cack(&c, START + 1, START + 1);
	pause_ns(s, 10 * MS);
	SEND(&c, START + 4);
	pause_ns(s, REACT);
	refuse(&c, START + 4, NACK_ROD_OOO);
	go_back(&c, START + 2, START + 4);
	settle(&c, START + 4);
	SEND(&c, START + 5, START + 6);
	pause_ns(s, REACT);
	refuse(&c, START + 6, NACK_ROD_OOO);
	cack(&c, START + 5, START + 5);
	go_back(&c, START + 6, START + 6);
	settle(&c, START + 6);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(late_behind(r, &c), 1);
	assert_int_equal(context_flow(r, &c)->lost_downstream_min, 0);
}

/* A copy was refused as too early while as many were in doubt as are
 * remembered. */
static void rule_U11_a_copy_too_early_among_very_many(void **state)
{
	struct scene *s = *state;
	struct context c = open_ordered(s);

	send_run(&c, START + 1, START + 200);
	pause_ns(s, REACT);
	refuse(&c, START + 2, NACK_ROD_OOO);
	cack(&c, START + 1, START + 1);
	go_back(&c, START + 2, START + 200);
	cack(&c, START + 149, START + 149);
	refuse(&c, START + 151, NACK_ROD_OOO);
	cack(&c, START + 150, START + 150);
	refuse(&c, START + 153, NACK_ROD_OOO);
	go_back(&c, START + 151, START + 200);
	settle(&c, START + 200);

	assert_int_equal(
		context_flow(scene_run(s, NULL), &c)->lost_downstream_min, 0);
}

/* The refusal of a copy was forgotten over a replay of very many. */
static void rule_U11_more_in_doubt_than_is_remembered(void **state)
{
	struct scene *s = *state;
	struct context c = open_ordered(s);

	send_run(&c, START + 1, START + 200);
	pause_ns(s, REACT);
	cack(&c, START + 9, START + 9);
	refuse(&c, START + 10, NACK_NO_RESOURCE);
	refuse(&c, START + 11, NACK_ROD_OOO);
	go_back(&c, START + 10, START + 20);
	refuse(&c, START + 10, NACK_NO_RESOURCE);
	go_back(&c, START + 21, START + 200);
	refuse(&c, START + 12, NACK_ROD_OOO);
	go_back(&c, START + 10, START + 200);
	settle(&c, START + 200);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(context_flow(r, &c)->lost_downstream_min, 0);
	assert_int_equal(context_flow(r, &c)->retransmitted, 2 * 191);
	for (size_t i = 0; i < r->n_events; i++)
		assert_int_not_equal(r->events[i].kind, EVENT_LOSS_DOWNSTREAM);
}

/* The receiver had no context for what was sent with it; the refusal of this
 * one may have been lost. */
static void rule_U23_others_were_refused_for_want_of_a_context(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	SEND(&c, START, START + 1);
	pause_ns(s, REACT);
	refuse(&c, START, NACK_NO_PDC_AVAIL);
	pause_ns(s, 10 * MS);
	refuse(&c, START + 1, NACK_PKT_NOT_RCVD);
	pause_ns(s, REACT);
	resend_psn(&c, START);
	resend_psn(&c, START + 1);
	settle(&c, START + 1);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_min = 0, .down_max = 1,
	       .retransmitted = 2);
	assert_int_equal(r->n_recoveries, 2);
	assert_string_equal(r->recoveries[0].rule, "U7");
	assert_string_equal(r->recoveries[1].rule, "U23");
}

/* Packets overtake each other, nobody knows how far behind the tap, and this
 * one was acknowledged sooner after its copy than any before. */
static void rule_U13_sooner_than_any_before(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 2, START + 1, START + 3);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_RCVR_INFER_LOSS);
	resend_psn(&c, START + 1);
	pause_ns(s, REACT * 7 / 10 - s->step);
	cack(&c, START + 3, START + 1);
	pause_ns(s, SECOND);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_min = 0, .down_max = 1,
	       .retransmitted = 1, .reordered = 1, .extent = 1);
	only_rule(r, "U13", TRIGGER_NAK, CAUSE_LOSS_OR_REORDER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(rule_U13_a_plain_answer_closes_a_hole),
		SCENE_TEST(rule_U12_missing_for_much_longer_than_others),
		SCENE_TEST(rule_U12_what_a_copy_closed_was_not_late),
		SCENE_TEST(rule_U13_answers_overtake_each_other),
		SCENE_TEST(rule_U12_missed_after_its_copy),
		SCENE_TEST(rule_U13_missed_no_longer_than_others),
		SCENE_TEST(rule_U7_the_copy_was_faster_than_the_refusal),
		SCENE_TEST(rule_U10_the_copy_was_lost_as_well),
		SCENE_TEST(rule_U8_U12_first_before_the_tap),
		SCENE_TEST(rule_U10_a_complaint_that_crossed_the_copy),
		SCENE_TEST(rule_U11_a_hole_inside_a_replay),
		SCENE_TEST(rule_U11_a_copy_that_was_refused),
		SCENE_TEST(rule_U11_a_copy_that_was_trimmed),
		SCENE_TEST(rule_U11_a_replay_behind_a_queue),
		SCENE_TEST(rule_U21_before_what_was_refused),
		SCENE_TEST(rule_U11_where_nothing_was_refused),
		SCENE_TEST(rule_U11_refused_in_order),
		SCENE_TEST(rule_U13_refused_out_of_order),
		SCENE_TEST(rule_U16_refused_and_then_not_received),
		SCENE_TEST(rule_U10_not_received),
		SCENE_TEST(rule_U16_refused_once_more),
		SCENE_TEST(rule_U11_refused_as_the_expected_one),
		SCENE_TEST(rule_U13_ROD_sooner_than_a_round_trip),
		SCENE_TEST(rule_U11_no_sooner_than_a_round_trip),
		SCENE_TEST(rule_U11_two_replays_apart),
		SCENE_TEST(rule_U11_nothing_before_the_first),
		SCENE_TEST(rule_U13_ROD_comes_late),
		SCENE_TEST(rule_U11_of_what_was_not_acknowledged),
		SCENE_TEST(rule_U13_ROD_refused_without_a_word),
		SCENE_TEST(rule_U11_a_copy_too_early_among_very_many),
		SCENE_TEST(rule_U11_more_in_doubt_than_is_remembered),
		SCENE_TEST(rule_U23_others_were_refused_for_want_of_a_context),
		SCENE_TEST(rule_U13_sooner_than_any_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
