/* SPDX-License-Identifier: GPL-2.0-or-later
 * RNR, READ, dead queue pairs, UC and UD, late copies: R14 to R18, R21 to R25
 * of reference/rocev2-and-analysis-rules.md 3.4, each as the smallest story
 * that fulfils its observation, counted by hand with 3.5. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene.h"

static void rule_R14_rnr_retry(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	request(&p, OP_SEND_ONLY, 1);
	pause_ns(s, REACT);
	rnr(&p, 1, 12); /* at least 0.64 ms */
	pause_ns(s, 700 * US);
	request(&p, OP_SEND_ONLY, 1);
	pause_ns(s, REACT);
	rnr(&p, 1, 12);
	pause_ns(s, 700 * US);
	request(&p, OP_SEND_ONLY, 1);
	pause_ns(s, REACT);
	ack(&p, 1);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .retransmitted = 2);
	assert_int_equal(TOTAL(r, rnr_nak), 2);
	assert_int_equal(events_of(r, EVENT_RNR_NAK), 2);
	assert_int_equal(first_event(r, EVENT_RNR_NAK)->value, 640 * US);
	assert_true(events_of(r, EVENT_RETRANSMIT_RNR) > 0);
	for (size_t i = 0; i < r->n_recoveries; i++) {
		assert_int_equal(r->recoveries[i].trigger, TRIGGER_RNR);
		assert_int_equal(r->recoveries[i].cause, CAUSE_RNR);
	}
}

/* Two queue pairs of the same hosts begin alike, and nobody knows whose answers
 * are whose.  2 and 3 come behind the RNR NAK. */
static void rule_R14_before_the_pairing(void **state)
{
	struct scene *s = *state;
	struct pair p[] = { usual(s), pair(s, HOST_A, HOST_B, 0x33, 0x44) };
	struct record *r;

	for (int i = 0; i < 2; i++) {
		p[i].sport_a = p[i].sport_b = 49152; /* says nothing */
		DATA(&p[i], 1);
	}
	for (int i = 0; i < 2; i++)
		rnr(&p[i], 1, 12);
	for (int i = 0; i < 2; i++)
		DATA(&p[i], 2, 3);
	for (int i = 0; i < 2; i++)
		nak(&p[i], 1);
	pause_ns(s, 700 * US);
	for (int i = 0; i < 2; i++)
		DATA(&p[i], 1, 2, 3);
	for (uint32_t psn = 4; psn <= 20; psn++)
		for (int i = 0; i < 2; i++) {
			DATA(&p[i], psn);
			pause_ns(s, REACT);
			ack(&p[i], psn);
		}
	r = scene_run(s, NULL);
	assert_int_equal(TOTAL(r, rnr_nak), 2);
	assert_int_equal(r->n_recoveries, 2);
	for (size_t i = 0; i < r->n_recoveries; i++) {
		assert_int_equal(r->recoveries[i].trigger, TRIGGER_RNR);
		assert_int_equal(r->recoveries[i].cause, CAUSE_RNR);
	}
}

/* 2 and 3 were thrown away while the receiver waited, with a sequence NAK as
 * soft-RoCE sends it. */
static void rule_R15_collateral_of_rnr(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	request(&p, OP_SEND_ONLY, 1);
	request(&p, OP_SEND_ONLY, 2);
	request(&p, OP_SEND_ONLY, 3);
	pause_ns(s, REACT);
	rnr(&p, 1, 12);
	nak(&p, 1);
	pause_ns(s, MS);
	request(&p, OP_SEND_ONLY, 1);
	request(&p, OP_SEND_ONLY, 2);
	request(&p, OP_SEND_ONLY, 3);
	request(&p, OP_SEND_ONLY, 4);
	pause_ns(s, REACT);
	ack(&p, 4);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .retransmitted = 3);
	assert_int_equal(TOTAL(r, rnr_nak), 1);
	assert_int_equal(TOTAL(r, nak_seq), 1);
	assert_int_equal(only_recovery(r)->trigger, TRIGGER_RNR);
	assert_int_equal(only_recovery(r)->lost_min, 0);
}

/* A short WRITE message teaches the PMTU, then a READ of 6 at 10. */
static struct pair reading(struct scene *s)
{
	struct pair p = usual(s);

	write_message(&p, 7, 3);
	pause_ns(s, REACT);
	ack(&p, 9);
	read_request(&p, 10, 6);
	pause_ns(s, REACT);
	return p;
}

/* The partial READ retry for [12, 16): same end, later start. */
static void read_again_from_12(struct pair *p)
{
	pause_ns(p->scene, REACT);
	read_request(p, 12, 4);
	pause_ns(p->scene, REACT);
	read_responses(p, 12, 4);
	DATA(p, 16);
	pause_ns(p->scene, REACT);
	ack(p, 16);
}

static void rule_R16_read_response_lost_before_the_tap(void **state)
{
	struct scene *s = *state;
	struct pair p = reading(s);

	for (uint32_t k = 0; k < 6; k++)
		if (k != 2)
			read_response(&p, 10, 6, k);
		else
			pause_ns(s, STEP);
	read_again_from_12(&p);

	struct record *r = scene_run(s, NULL);

	/* 12 travelled from b to a and never reached the tap */
	EXPECT(reverse_of(r, &p), .up = 1, .down_max = ANY,
	       .retransmitted = ANY, .spurious = ANY);
	EXPECT(flow_of(r, &p), .retransmitted = ANY, .spurious = ANY);
	assert_int_equal(TOTAL(r, implied_nak), 1);
	assert_int_equal(events_of(r, EVENT_IMPLIED_NAK), 1);
	assert_int_equal(TOTAL(r, timeouts), 0);
	assert_true(events_of(r, EVENT_RETRANSMIT_IMPLIED) > 0);
}

static void rule_R16_read_response_lost_after_the_tap(void **state)
{
	struct scene *s = *state;
	struct pair p = reading(s);

	read_responses(&p, 10, 6);
	read_again_from_12(&p);

	struct record *r = scene_run(s, NULL);

	/* at least 12; at most [12, 16) */
	EXPECT(reverse_of(r, &p), .down_min = 1, .down_max = 4,
	       .retransmitted = ANY, .spurious = ANY);
	EXPECT(flow_of(r, &p), .retransmitted = ANY, .spurious = ANY);
	assert_int_equal(TOTAL(r, implied_nak), 1);
	assert_int_equal(TOTAL(r, timeouts), 0);
}

/* One of the requests was late here: so may a response be, behind here. */
static void rule_R16_read_response_late_or_lost_after_the_tap(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint16_t third;

	write_message(&p, 1, 2);
	third = reordered(&p);
	DATA(&p, 4, 5, 6, 7, 8);
	late(&p, 3, third);
	DATA(&p, 9);
	pause_ns(s, REACT);
	ack(&p, 9);
	read_request(&p, 10, 6);
	pause_ns(s, REACT);
	read_responses(&p, 10, 6);
	read_again_from_12(&p);

	struct record *r = scene_run(s, NULL);

	EXPECT(reverse_of(r, &p), .down_max = 4, .retransmitted = ANY,
	       .spurious = ANY);
	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_OR_REORDER);
	assert_int_equal(TOTAL(r, implied_nak), 1);
}

/* No answer at all within the timeout: request or answer, unknown which. */
static void rule_R17_read_timeout_without_response(void **state)
{
	struct scene *s = *state;
	struct pair p = reading(s);

	pause_ns(s, TIMEOUT);
	read_request(&p, 10, 6);
	pause_ns(s, REACT);
	read_responses(&p, 10, 6);
	DATA(&p, 16);
	pause_ns(s, REACT);
	ack(&p, 16);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(TOTAL(r, timeouts), 1);
	assert_int_equal(TOTAL(r, capture_missing), 0);
	assert_int_equal(TOTAL(r, unresolved), 0);
	assert_int_equal(flow_of(r, &p)->lost_upstream, 0);
	/* one request sent twice: at most one request was lost */
	assert_in_range(flow_of(r, &p)->lost_downstream_min, 0, 1);
}

/* All answers passed the tap: the last ones were lost behind it. */
static void rule_R17_read_timeout_after_all_responses(void **state)
{
	struct scene *s = *state;
	struct pair p = reading(s);

	read_responses(&p, 10, 6);
	pause_ns(s, TIMEOUT);
	read_request(&p, 14, 2);
	pause_ns(s, REACT);
	read_responses(&p, 14, 2);
	DATA(&p, 16);
	pause_ns(s, REACT);
	ack(&p, 16);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(TOTAL(r, timeouts), 1);
	assert_int_equal(TOTAL(r, implied_nak), 0);
	EXPECT(reverse_of(r, &p), .down_min = ANY, .down_max = 2,
	       .retransmitted = ANY, .spurious = ANY, .timeouts = ANY);
	/* 14 is missing at a, 15 may have been there and out of order */
	assert_in_range(reverse_of(r, &p)->lost_downstream_min, 1, 2);
	assert_int_equal(flow_of(r, &p)->lost_downstream_min, 0);
}

/* An ACK for 11 while the READ at 10 is unanswered. */
static void rule_R18_ack_skips_an_outstanding_read(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	write_message(&p, 7, 3);
	pause_ns(s, REACT);
	ack(&p, 9);
	read_request(&p, 10, 1);
	DATA(&p, 11);
	pause_ns(s, REACT);
	ack(&p, 11);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(TOTAL(r, implied_nak), 1);
	assert_int_equal(events_of(r, EVENT_IMPLIED_NAK), 1);
	assert_int_equal(first_event(r, EVENT_IMPLIED_NAK)->psn, 10);
	EXPECT(flow_of(r, &p), .up = 0);
}

/* Without IP identifications: a READ of 2 at 10, a WRITE at 12 that is captured
 * twice.  Its ACK came before the second response, |late|, or behind it. */
static void write_behind_a_read_twice(struct pair *p, bool late)
{
	struct scene *s = p->scene;

	s->constant_ip_id = true;
	s->step = US;
	write_message(p, 7, 3);
	pause_ns(s, 10 * US);
	ack(p, 9);
	read_request(p, 10, 2);
	DATA(p, 12);
	pause_ns(s, 10 * US);
	read_response(p, 10, 2, 0);
	if (late)
		ack(p, 12);
	read_response(p, 10, 2, 1);
	if (!late)
		ack(p, 12);
	DATA(p, 12);
	pause_ns(s, 10 * US);
	ack(p, 12);
	DATA(p, 13);
	pause_ns(s, 10 * US);
	ack(p, 13);
}

static void rule_R16_responses_out_of_order(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	write_behind_a_read_twice(&p, true);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(only_recovery(r)->trigger, TRIGGER_IMPLIED_NAK);
	assert_int_equal(only_recovery(r)->cause, CAUSE_REORDER);
	assert_int_equal(TOTAL(r, implied_nak), 1);
	assert_int_equal(TOTAL(r, duplicates), 0);
	EXPECT(flow_of(r, &p), .retransmitted = 1, .spurious = 1);
}

static void rule_R20_responses_in_order(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	write_behind_a_read_twice(&p, false);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_recoveries, 0);
	assert_int_equal(TOTAL(r, implied_nak), 0);
	assert_int_equal(flow_of(r, &p)->duplicates, 1);
	EXPECT(flow_of(r, &p), .retransmitted = 0);
}

/* Without IP identifications: a message that comes twice within a round trip,
 * as a NAK for its fourth packet made the sender start it again, or not. */
static const struct fact_flow *message_twice(struct scene *s, bool asked)
{
	struct pair p = usual(s);
	const struct record *r;

	s->constant_ip_id = true;
	s->step = US;
	write_message(&p, 1, 6);
	pause_ns(s, 10 * US);
	ack(&p, 6);
	write_message(&p, 7, 6);
	pause_ns(s, 10 * US);
	if (asked)
		nak(&p, 10);
	write_message(&p, 7, 6);
	pause_ns(s, 10 * US);
	ack(&p, 12);
	r = scene_run(s, NULL);
	return flow_of(r, &p);
}

static void rule_R22_a_message_started_again(void **state)
{
	const struct fact_flow *f = message_twice(*state, true);

	assert_int_equal(f->duplicates, 0);
	assert_int_equal(f->retransmitted, 6);
}

static void rule_R20_a_message_duplicated(void **state)
{
	const struct fact_flow *f = message_twice(*state, false);

	assert_int_equal(f->duplicates, 6);
	assert_int_equal(f->retransmitted, 0);
}

/* The first response came late, which is no loss. */
static void rule_R16_read_response_reordered(void **state)
{
	struct scene *s = *state;
	struct pair p = reading(s);

	read_response(&p, 10, 6, 1);
	read_response(&p, 10, 6, 0);
	for (uint32_t k = 2; k < 6; k++)
		read_response(&p, 10, 6, k);
	read_request(&p, 10, 6);
	pause_ns(s, REACT);
	read_responses(&p, 10, 6);
	DATA(&p, 16);
	pause_ns(s, REACT);
	ack(&p, 16);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(only_recovery(r)->trigger, TRIGGER_IMPLIED_NAK);
	assert_int_equal(only_recovery(r)->cause, CAUSE_REORDER);
	assert_int_equal(TOTAL(r, lost_downstream_min), 0);
	assert_int_equal(TOTAL(r, lost_upstream), 0);
}

static void rule_R18_ack_skips_an_outstanding_atomic(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	request(&p, OP_FETCH_ADD, 10);
	request(&p, OP_FETCH_ADD, 11);
	pause_ns(s, REACT);
	atomic_ack(&p, 11);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(TOTAL(r, implied_nak), 1);
	EXPECT(flow_of(r, &p), .up = 0);
}

static void rule_R21_fatal_nak_ends_the_queue_pair(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2, 3, 4);
	pause_ns(s, REACT);
	ack(&p, 1);
	nak_code(&p, 2, 0x62); /* remote access error */
	pause_ns(s, SECOND);

	struct record *r = scene_run(s, NULL);

	/* 2 3 4 are the application's fault, not lost */
	EXPECT(flow_of(r, &p), .up = 0);
	assert_int_equal(TOTAL(r, nak_fatal), 1);
	assert_int_equal(TOTAL(r, nak_seq), 0);
	assert_int_equal(first_event(r, EVENT_NAK_FATAL)->value, 0x62);
	assert_int_equal(first_event(r, EVENT_NAK_FATAL)->psn, 2);
	for (size_t i = 0; i < r->n_messages; i++)
		if (r->messages[i].psn_first >= 2)
			assert_int_equal(r->messages[i].status,
					 MESSAGE_QP_ERROR);
}

/* The NAK names 15, the sender starts the message again at 10. */
static void rule_R22_go_back_0(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 9);
	write_message(&p, 10, 10);
	pause_ns(s, REACT);
	nak(&p, 15);
	pause_ns(s, REACT);
	write_message(&p, 10, 10);
	pause_ns(s, REACT);
	ack(&p, 19);

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	EXPECT(f, .down_min = 1, .down_max = 5, .retransmitted = 10,
	       .spurious = ANY);
	/* 10 to 14 had been acknowledged by the NAK */
	assert_in_range(f->spurious, 0, 5);
	assert_int_equal(f->recovery, RECOVERY_GO_BACK_0);
	assert_int_equal(only_recovery(r)->trigger, TRIGGER_NAK);
}

/* A message of four UC packets misses its third; a repeat cannot mend it. */
static void rule_R23_uc_gap_loses_the_message(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	size_t complete = 0, broken = 0;

	p.service = UC;
	for (uint32_t m = 0; m < 3; m++) {
		uint32_t psn = 100 + 4 * m;

		request(&p, OP_SEND_FIRST, psn);
		request(&p, OP_SEND_MIDDLE, psn + 1);
		if (m == 1)
			unseen(&p, psn + 2);
		else
			request(&p, OP_SEND_MIDDLE, psn + 2);
		request(&p, OP_SEND_LAST, psn + 3);
		pause_ns(s, MS);
	}

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	assert_int_equal(f->transport, FLOW_UC);
	assert_int_equal(f->messages, 3);
	for (size_t i = 0; i < r->n_messages; i++) {
		const struct fact_message *m = &r->messages[i];

		if (m->status == MESSAGE_COMPLETE ||
		    m->status == MESSAGE_UNACKED) {
			complete++;
			continue;
		}
		broken++;
		assert_int_equal(m->psn_first, 104);
		assert_true(m->status == MESSAGE_LOST ||
			    m->status == MESSAGE_CAPTURE_GAP);
	}
	assert_int_equal(complete, 2);
	assert_int_equal(broken, 1);
	/* whether fabric or mirror lost it is open, that it was 1 is not */
	assert_int_equal((f->lost_upstream > 0 ? f->lost_upstream : 0) +
				 (f->unresolved > 0 ? f->unresolved : 0),
			 1);
	assert_true(f->capture_missing <= 0);
	assert_true(f->retransmitted <= 0);
}

static void rule_R23_uc_clean(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	p.service = UC;
	for (uint32_t psn = 0xfffffc; psn < 0xfffffc + 40; psn += 4) {
		request(&p, OP_SEND_FIRST, psn);
		request(&p, OP_SEND_MIDDLE, psn + 1);
		request(&p, OP_SEND_MIDDLE, psn + 2);
		request(&p, OP_SEND_LAST, psn + 3);
		pause_ns(s, MS);
	}

	struct record *r = scene_run(s, NULL);

	EXPECT_CLEAN(r);
	assert_int_equal(flow_of(r, &p)->messages, 10);
	assert_int_equal(flow_of(r, &p)->messages_incomplete, 0);
}

/* One UD sender, two destinations: each sees every other PSN. */
static void rule_R24_ud_psn_counts_across_destinations(void **state)
{
	struct scene *s = *state;
	struct pair to_b = usual(s);
	struct pair to_c = pair(s, HOST_A, HOST_C, 0x11, 0x44);

	to_b.service = to_c.service = UD;
	for (uint32_t psn = 0; psn < 100; psn++)
		request(psn % 2 ? &to_b : &to_c, OP_SEND_ONLY, psn);

	struct record *r = scene_run(s, NULL);

	EXPECT_CLEAN(r);
	assert_int_equal(flow_of(r, &to_b)->transport, FLOW_UD);
	assert_int_equal(flow_of(r, &to_b)->src_qp, 0x11);
	assert_int_equal(flow_of(r, &to_b)->messages, 50);
}

/* Only one of its destinations is in the capture: still nothing. */
static void rule_R24_ud_other_destinations_out_of_sight(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	p.service = UD;
	for (uint32_t psn = 0; psn < 300; psn += 3)
		request(&p, OP_SEND_ONLY, psn);

	struct record *r = scene_run(s, NULL);

	EXPECT_CLEAN(r);
}

static void rule_R25_copy_after_acknowledgement(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2, 3);
	pause_ns(s, REACT);
	ack(&p, 3);
	pause_ns(s, TIMEOUT); /* lost behind the tap: a never read it */
	DATA(&p, 2, 3);
	pause_ns(s, REACT);
	ack(&p, 3);

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	EXPECT(f, .retransmitted = 2, .spurious = 2, .timeouts = ANY);
	assert_int_equal(f->duplicates, 2);
	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 0);
	assert_true(events_of(r, EVENT_RETRANSMIT_SPURIOUS) +
			    events_of(r, EVENT_RETRANSMIT_TIMEOUT) >
		    0);
}

/* A receiver that complains about each packet behind the hole, and a sender
 * that goes back each time: one loss, and no timer. */
static void rule_R15_the_same_nak_again(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2);
	unseen(&p, 3);
	DATA(&p, 4, 5, 6);
	pause_ns(s, REACT);
	nak(&p, 3);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3, 4);
	DATA(&p, 3, 4, 5, 6, 7);
	pause_ns(s, REACT);
	ack(&p, 7);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 1, .down_max = ANY, .retransmitted = 6,
	       .spurious = ANY);
	assert_int_equal(r->n_recoveries, 2);
	assert_int_equal(r->recoveries[0].cause, CAUSE_LOSS_UPSTREAM);
	assert_int_equal(r->recoveries[1].cause, CAUSE_COLLATERAL);
	assert_int_equal(r->recoveries[1].trigger, TRIGGER_NAK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(rule_R14_rnr_retry),
		SCENE_TEST(rule_R14_before_the_pairing),
		SCENE_TEST(rule_R15_collateral_of_rnr),
		SCENE_TEST(rule_R15_the_same_nak_again),
		SCENE_TEST(rule_R16_read_response_lost_before_the_tap),
		SCENE_TEST(rule_R16_read_response_lost_after_the_tap),
		SCENE_TEST(rule_R16_read_response_late_or_lost_after_the_tap),
		SCENE_TEST(rule_R17_read_timeout_without_response),
		SCENE_TEST(rule_R17_read_timeout_after_all_responses),
		SCENE_TEST(rule_R18_ack_skips_an_outstanding_read),
		SCENE_TEST(rule_R16_responses_out_of_order),
		SCENE_TEST(rule_R20_responses_in_order),
		SCENE_TEST(rule_R16_read_response_reordered),
		SCENE_TEST(rule_R22_a_message_started_again),
		SCENE_TEST(rule_R20_a_message_duplicated),
		SCENE_TEST(rule_R18_ack_skips_an_outstanding_atomic),
		SCENE_TEST(rule_R21_fatal_nak_ends_the_queue_pair),
		SCENE_TEST(rule_R22_go_back_0),
		SCENE_TEST(rule_R23_uc_gap_loses_the_message),
		SCENE_TEST(rule_R23_uc_clean),
		SCENE_TEST(rule_R24_ud_psn_counts_across_destinations),
		SCENE_TEST(rule_R24_ud_other_destinations_out_of_sight),
		SCENE_TEST(rule_R25_copy_after_acknowledgement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
