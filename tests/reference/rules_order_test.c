/* SPDX-License-Identifier: GPL-2.0-or-later
 * Order: rules R1, R2, R19 and R26
 * of reference/rocev2-and-analysis-rules.md 3.4, each as the smallest story
 * that fulfils its observation, counted by hand with 3.5. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene.h"

static void rule_R1_reorder_upstream_single_copy(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint16_t third;

	DATA(&p, 1, 2);
	third = reordered(&p);
	DATA(&p, 4, 5, 6, 7);
	late(&p, 3, third);
	DATA(&p, 8);
	pause_ns(s, REACT);
	ack(&p, 8);

	struct record *r = scene_run(s, NULL);

	/* 4 is the earliest larger arrival, four packets back */
	EXPECT(flow_of(r, &p), .reordered = 1, .extent = 4);
	assert_true(names_rule(first_event(r, EVENT_REORDER)->detail, "R1"));
	assert_int_equal(r->n_recoveries, 0);
}

/* 3 fills its hole after its NAK, and comes once more 2 us later, the same in
 * every bit: the original, late, and its retransmission. */
static void rule_R1_late_and_then_retransmitted(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	s->constant_ip_id = true;
	DATA(&p, 1, 2, 4, 5);
	unseen(&p, 3);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3);
	duplicate(s, 2 * US);
	pause_ns(s, REACT);
	ack(&p, 5);
	ack(&p, 5);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .reordered = 1, .retransmitted = 1,
	       .spurious = 1);
	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 0);
}

/* 3 comes behind 4, then the NAK for it; what follows that begins with 4: 3 was
 * no retransmission. */
static void rule_R1_late_before_its_nak(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	s->constant_ip_id = true;
	DATA(&p, 1, 2, 4);
	unseen(&p, 3);
	DATA(&p, 3);
	nak(&p, 3);
	pause_ns(s, TIMEOUT);
	DATA(&p, 4);
	pause_ns(s, REACT);
	ack(&p, 4);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 0);
	assert_int_equal(flow_of(r, &p)->lost_upstream, 0);
	assert_int_equal(flow_of(r, &p)->reordered, 1);
}

/* A NAK is seen, but the copy comes before the sender can have read it. */
static void rule_R1_copy_violates_the_round_trip_bound(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint16_t tenth;

	/* rtt_S becomes REACT + STEP */
	DATA(&p, 1);
	unseen(&p, 2);
	DATA(&p, 3);
	nak(&p, 2);
	pause_ns(s, REACT);
	DATA(&p, 2, 3, 4, 5, 6, 7, 8, 9);
	pause_ns(s, REACT);
	ack(&p, 9);
	pause_ns(s, MS);
	tenth = reordered(&p);
	DATA(&p, 11);
	nak(&p, 10);
	late(&p, 10, tenth);

	struct record *r = scene_run(s, NULL);

	/* 2 3 were sent again, the late 10 was not */
	EXPECT(flow_of(r, &p), .up = 1, .down_max = ANY, .reordered = 1,
	       .extent = 1, .retransmitted = 2, .spurious = ANY);
}

/* 3 came late, the strict receiver complained about 4 and gets all again. */
static void rule_R2_reorder_then_spurious_go_back_n(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint16_t third;

	DATA(&p, 1, 2);
	third = reordered(&p);
	DATA(&p, 4, 5);
	late(&p, 3, third);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3, 4, 5, 6);
	pause_ns(s, REACT);
	ack(&p, 6);

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	EXPECT(f, .down_max = ANY, .reordered = 1, .extent = 2,
	       .retransmitted = 3, .spurious = ANY);
	/* 3 was certainly sent in vain; 4 and 5 may have been discarded */
	assert_in_range(f->spurious, 1, 3);
	assert_int_equal(only_recovery(r)->cause, CAUSE_REORDER);
	assert_int_equal(only_recovery(r)->lost_min, 0);
}

/* 6 overtakes 3 4 5.  The receiver discards it, complains about 3, takes 3 4
 * 5 when they come and then misses 6, which the tap had seen first of all.
 * As in d14_reorder_gap.pb, frames 474 (6) and 565 (NAK 6). */
static void rule_R2_nak_for_the_packet_that_overtook(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint16_t id[3];

	data_run(&p, 0xfffff0, 0xffffff);
	data_run(&p, 0, 2);
	pause_ns(s, REACT);
	ack(&p, 2);
	for (int i = 0; i < 3; i++)
		id[i] = reordered(&p);
	DATA(&p, 6);
	pause_ns(s, REACT);
	nak(&p, 3);
	for (uint32_t i = 0; i < 3; i++)
		late(&p, 3 + i, id[i]);
	DATA(&p, 7, 8);
	pause_ns(s, REACT);
	nak(&p, 6);
	pause_ns(s, REACT);
	DATA(&p, 6, 7, 8, 9);
	pause_ns(s, REACT);
	ack(&p, 9);

	struct record *r = scene_run(s, NULL);

	/* 5 came three packets after 6 */
	EXPECT(flow_of(r, &p), .reordered = 3, .extent = 3, .retransmitted = 3,
	       .spurious = ANY, .down_max = ANY);
	assert_int_equal(flow_of(r, &p)->reorder_events, 1);
	assert_int_equal(only_recovery(r)->cause, CAUSE_REORDER);
	assert_int_equal(TOTAL(r, nak_seq), 2);
}

/* Two packets in a row come late, and the NAK for the first passes only behind
 * the second: by then the latest disorder is another one. */
static void rule_R2_nak_for_the_one_before_last_that_came_late(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	s->constant_ip_id = true; /* these do not tell */
	DATA(&p, 1, 2);
	reordered(&p);
	DATA(&p, 4);
	late(&p, 3, 0);
	DATA(&p, 5, 6);
	reordered(&p);
	DATA(&p, 8);
	late(&p, 7, 0);
	DATA(&p, 9, 10, 11);
	nak(&p, 3);
	pause_ns(s, REACT);
	data_run(&p, 3, 12);
	pause_ns(s, REACT);
	ack(&p, 12);

	struct record *r = scene_run(s, NULL);

	/* copies: 3 to 11 */
	EXPECT(flow_of(r, &p), .reordered = 2, .extent = 1, .retransmitted = 9,
	       .spurious = ANY);
	assert_int_equal(only_recovery(r)->cause, CAUSE_REORDER);
	assert_true(names_rule(only_recovery(r)->rule, "R2"));
}

/* Every packet passes once, as far out of order as time stamps can be that
 * several receive queues wrote, answers before what they answer.  The
 * identifications say in which order they were sent. */
static void rule_R1_all_out_of_order_and_no_copies(void **state)
{
	enum { N = 1000, MESSAGE = 50, SPREAD = 250 };
	struct scene *s = *state;
	struct pair p = usual(s);
	uint32_t chance = 1;

	for (uint32_t psn = 1; psn < N; psn += MESSAGE) {
		write_message(&p, psn, MESSAGE);
		ack(&p, psn + MESSAGE - 1);
	}
	for (size_t i = 0; i < s->count; i++) {
		chance = chance * 1664525 + 1013904223;
		s->packets[i].ns += (int64_t)((chance >> 8) % SPREAD) * STEP;
	}
	scene_sort(s);

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	EXPECT(f, .reordered = ANY, .extent = ANY, .missing = ANY);
	assert_in_range(f->reordered, N / 4, N);
	assert_int_equal(f->recoveries, 0);
}

/* The same inside a replay: the copy of 5 overtakes those of 3 and 4.  The
 * latest sight of 5 is older than that of 4, so the NAK for 5 is no loss.  As
 * in d14_reorder_gap.pb, PSN 4370228: frames 1178, 1220, NAK 1292. */
static void rule_R2_overtaking_inside_a_replay(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint16_t id[2];

	data_run(&p, 0xfffff0, 0xffffff);
	data_run(&p, 0, 6);
	pause_ns(s, REACT);
	ack(&p, 2);
	nak(&p, 3);
	pause_ns(s, REACT);
	id[0] = reordered(&p);
	id[1] = reordered(&p);
	DATA(&p, 5);
	late(&p, 3, id[0]);
	late(&p, 4, id[1]);
	DATA(&p, 6);
	pause_ns(s, REACT);
	nak(&p, 5);
	pause_ns(s, REACT);
	DATA(&p, 5, 6, 7);
	pause_ns(s, REACT);
	ack(&p, 7);

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	/* copies: 5 3 4 6 and 5 6 */
	EXPECT(f, .down_min = ANY, .down_max = ANY, .reordered = ANY,
	       .extent = ANY, .retransmitted = 6, .spurious = ANY);
	assert_in_range(f->lost_downstream_min, 0, 1);
	for (size_t i = 0; i < r->n_recoveries; i++)
		if (r->recoveries[i].psn == 5)
			assert_int_equal(r->recoveries[i].cause, CAUSE_REORDER);
	for (size_t i = 0; i < r->n_events; i++)
		if (r->events[i].kind == EVENT_LOSS_DOWNSTREAM)
			assert_int_equal(r->events[i].psn, 3);
}

/* The same, but the sender does not heed the NAK for 5 and sends it again by
 * its timer.  As in d14_reorder_gap.pb, NAK 1544, re-send 2141. */
static void rule_R2_nak_for_it_answered_by_the_timer(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint16_t id[2];

	data_run(&p, 0xfffff0, 0xffffff);
	data_run(&p, 0, 6);
	pause_ns(s, REACT);
	ack(&p, 2);
	nak(&p, 3);
	pause_ns(s, REACT);
	id[0] = reordered(&p);
	id[1] = reordered(&p);
	DATA(&p, 5);
	late(&p, 3, id[0]);
	late(&p, 4, id[1]);
	DATA(&p, 6);
	pause_ns(s, REACT);
	nak(&p, 5);
	pause_ns(s, SECOND);
	DATA(&p, 5, 6, 7);
	pause_ns(s, REACT);
	ack(&p, 7);

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	/* copies: 5 3 4 6 and 5 6 */
	EXPECT(f, .down_min = ANY, .down_max = ANY, .reordered = ANY,
	       .extent = ANY, .retransmitted = 6, .spurious = ANY,
	       .timeouts = ANY);
	assert_in_range(f->lost_downstream_min, 0, 1);
	for (size_t i = 0; i < r->n_recoveries; i++)
		if (r->recoveries[i].psn == 5)
			assert_int_equal(r->recoveries[i].cause, CAUSE_REORDER);
	for (size_t i = 0; i < r->n_events; i++)
		if (r->events[i].kind == EVENT_LOSS_DOWNSTREAM)
			assert_int_equal(r->events[i].psn, 3);
}

/* A response comes late: reordering on the way from b, as for requests. */
static void rule_R1_response_comes_late(void **state)
{
	static const uint32_t order[] = { 0, 1, 3, 4, 2, 5 };
	struct scene *s = *state;
	struct pair p = usual(s);

	write_message(&p, 1, 3);
	pause_ns(s, REACT);
	ack(&p, 3);
	read_request(&p, 4, 6);
	pause_ns(s, REACT);
	for (size_t i = 0; i < 6; i++) {
		read_response(&p, 4, 6, order[i]);
		/* numbered when they were sent */
		last_packet(s)->ip_id = (uint16_t)(3000 + order[i]);
	}
	DATA(&p, 10);
	pause_ns(s, REACT);
	ack(&p, 10);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 0);
	EXPECT(reverse_of(r, &p), .reordered = 1, .extent = 2);
}

static void rule_R19_selective_repeat(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	data_run(&p, 1, 9);
	unseen(&p, 10);
	data_run(&p, 11, 30);
	nak(&p, 10);
	pause_ns(s, REACT);
	DATA(&p, 10);
	data_run(&p, 31, 40);
	pause_ns(s, REACT);
	ack(&p, 40);

	struct record *r = scene_run(s, NULL);

	/* one of 21 outstanding was sent again: ratio below 0.2 */
	EXPECT(flow_of(r, &p), .up = 1, .down_max = ANY, .retransmitted = 1);
	assert_int_equal(flow_of(r, &p)->recovery, RECOVERY_SR);
}

static void rule_R19_not_when_everything_is_sent_again(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	data_run(&p, 1, 9);
	unseen(&p, 10);
	data_run(&p, 11, 30);
	nak(&p, 10);
	pause_ns(s, REACT);
	data_run(&p, 10, 40);
	pause_ns(s, REACT);
	ack(&p, 40);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(flow_of(r, &p)->recovery, RECOVERY_GBN);
}

/* Persistent disorder that nobody complains about. */
static void rule_R19_out_of_order_placement(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint16_t id;

	for (uint32_t psn = 0; psn < 400; psn += 4) {
		DATA(&p, psn);
		id = reordered(&p);
		DATA(&p, psn + 2, psn + 3);
		late(&p, psn + 1, id);
		pause_ns(s, REACT);
		ack(&p, psn + 3);
	}

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .reordered = 100, .extent = 2);
	assert_int_equal(flow_of(r, &p)->recovery, RECOVERY_OOO);
}

/* On a long way: the NAK and the copy are faster than the original. */
static void rule_R1_original_behind_its_own_copy(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint16_t id;

	DATA(&p, 1, 2);
	id = reordered(&p);
	DATA(&p, 4, 5);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3, 4, 5, 6);
	late(&p, 3, id);
	DATA(&p, 7);
	pause_ns(s, REACT);
	ack(&p, 7);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .retransmitted = 3, .spurious = 3,
	       .reordered = 1, .extent = ANY);
	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 0);
	assert_int_equal(only_recovery(r)->cause, CAUSE_REORDER);
}

/* More than a millisecond later it says nothing of the loss any more. */
static void rule_R1_long_behind_its_own_copy(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint16_t id;

	DATA(&p, 1, 2);
	id = reordered(&p);
	DATA(&p, 4, 5);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3, 4, 5);
	data_run(&p, 6, 160);
	late(&p, 3, id);
	pause_ns(s, REACT);
	ack(&p, 160);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 1, .down_max = ANY, .retransmitted = 4);
	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 1);
	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_UPSTREAM);
}

/* Others come as late as this one, which follows its NAK alone: copy or
 * original, nothing tells, and nobody is accused. */
static void rule_R1_or_R3_late_or_sent_again(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	s->constant_ip_id = true;
	DATA(&p, 1, 3);
	pause_ns(s, 2 * REACT);
	DATA(&p, 2, 4, 5, 6);
	DATA(&p, 8, 9, 10, 11, 12, 13);
	pause_ns(s, REACT / 2);
	nak(&p, 7);
	pause_ns(s, REACT / 2);
	DATA(&p, 7, 14);
	pause_ns(s, REACT);
	ack(&p, 14);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .reordered = 1, .extent = ANY, .unresolved = 1,
	       .retransmitted = ANY);
	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 0);
	assert_int_equal(only_recovery(r)->cause, CAUSE_UNKNOWN);
	assert_true(names_rule(only_recovery(r)->rule, "R1"));
}

/* Selective repeat and packet spraying: the receiver sends a NAK at the first
 * gap, and 80 ns later the packet is there.  No sender reads a packet from its
 * host's memory within 200 ns. */
static void rule_R1_sooner_than_any_sender(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	s->constant_ip_id = true;
	DATA(&p, 1, 2, 4);
	nak(&p, 3);
	s->now += 80 - s->step;
	DATA(&p, 3, 5, 6);
	pause_ns(s, REACT);
	ack(&p, 6);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .reordered = 1, .extent = 1);
	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 0);
	assert_int_equal(r->n_recoveries, 0);
}

/* All in order at the tap, yet NAKed, and nothing more: one tap cannot tell
 * loss from reordering behind it, so neither is certain. */
static void rule_R26_loss_or_reorder_behind_the_tap(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2, 3, 4, 5);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3, 4, 5, 6);
	pause_ns(s, REACT);
	ack(&p, 6);

	struct record *r = scene_run(s, NULL);
	const struct fact_recovery *c = only_recovery(r);

	assert_true(c->cause == CAUSE_LOSS_OR_REORDER ||
		    c->cause == CAUSE_LOSS_DOWNSTREAM);
	assert_true(c->confidence < 1.0);
	assert_true(names_rule(c->rule, "R26") || names_rule(c->rule, "R4"));
}

/* What passes from a to b is stamped later than what passes back, by more than
 * a round trip: answers are seen before what they answer, and the answer to the
 * copy before the copy.  That does not prove that it had arrived before. */
static void rule_R26_not_where_answers_come_first(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	for (uint32_t psn = 1; psn < 12; psn++) {
		DATA(&p, psn);
		pause_ns(s, REACT);
		ack(&p, psn);
		pause_ns(s, REACT);
	}
	DATA(&p, 12, 13, 14);
	pause_ns(s, REACT);
	nak(&p, 12);
	pause_ns(s, REACT);
	DATA(&p, 12, 13, 14);
	pause_ns(s, REACT);
	ack(&p, 14);
	pause_ns(s, REACT);
	DATA(&p, 15);
	for (size_t i = 0; i < s->count; i++)
		if (s->packets[i].dst_qp == p.qb)
			s->packets[i].ns += 2 * REACT;
	scene_sort(s);

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	EXPECT(f, .down_min = ANY, .down_max = ANY, .retransmitted = 3);
	for (size_t i = 0; i < r->n_recoveries; i++)
		assert_int_not_equal(r->recoveries[i].cause, CAUSE_REORDER);
	assert_int_equal(events_of(r, EVENT_REORDER), 0);
}

/* NAK 3, and then an ACK of 5 before 3 was sent again: 3 came after all, so
 * it had been overtaken behind the tap.  That is proof against loss. */
static void rule_R26_reordered_behind_the_tap(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2, 3, 4, 5);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, 20 * US);
	ack(&p, 5);
	pause_ns(s, 20 * US);
	DATA(&p, 3, 4, 5, 6);
	pause_ns(s, REACT);
	ack(&p, 6);

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	EXPECT(f, .down_min = 0, .down_max = ANY, .retransmitted = 3,
	       .spurious = 3);
	assert_int_equal(only_recovery(r)->lost_min, 0);
	assert_int_equal(only_recovery(r)->cause, CAUSE_REORDER);
	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 0);
}

/* The same NAK and ACK, but 3 came late here already: that explains both, and
 * says nothing of the path further on. */
static void rule_R1_late_here_and_no_further_on(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint16_t third;

	DATA(&p, 1, 2);
	third = reordered(&p);
	DATA(&p, 4, 5);
	late(&p, 3, third);
	nak(&p, 3);
	pause_ns(s, REACT);
	ack(&p, 5);
	pause_ns(s, 20 * US);
	DATA(&p, 6);
	pause_ns(s, REACT);
	ack(&p, 6);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .reordered = 1, .extent = 2);
	assert_int_equal(events_of(r, EVENT_REORDER), 1);
	assert_int_equal(first_event(r, EVENT_REORDER)->psn, 3);
	assert_true(names_rule(first_event(r, EVENT_REORDER)->detail, "R1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(rule_R1_reorder_upstream_single_copy),
		SCENE_TEST(rule_R1_copy_violates_the_round_trip_bound),
		SCENE_TEST(rule_R2_reorder_then_spurious_go_back_n),
		SCENE_TEST(rule_R2_nak_for_the_packet_that_overtook),
		SCENE_TEST(rule_R2_nak_for_the_one_before_last_that_came_late),
		SCENE_TEST(rule_R1_all_out_of_order_and_no_copies),
		SCENE_TEST(rule_R2_overtaking_inside_a_replay),
		SCENE_TEST(rule_R2_nak_for_it_answered_by_the_timer),
		SCENE_TEST(rule_R1_response_comes_late),
		SCENE_TEST(rule_R19_selective_repeat),
		SCENE_TEST(rule_R19_not_when_everything_is_sent_again),
		SCENE_TEST(rule_R19_out_of_order_placement),
		SCENE_TEST(rule_R1_or_R3_late_or_sent_again),
		SCENE_TEST(rule_R1_sooner_than_any_sender),
		SCENE_TEST(rule_R1_original_behind_its_own_copy),
		SCENE_TEST(rule_R1_long_behind_its_own_copy),
		SCENE_TEST(rule_R26_loss_or_reorder_behind_the_tap),
		SCENE_TEST(rule_R26_not_where_answers_come_first),
		SCENE_TEST(rule_R26_reordered_behind_the_tap),
		SCENE_TEST(rule_R1_late_here_and_no_further_on),
		SCENE_TEST(rule_R1_late_and_then_retransmitted),
		SCENE_TEST(rule_R1_late_before_its_nak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
