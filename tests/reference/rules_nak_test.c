/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which NAKs leave it open whether a packet was lost or reordered behind the
 * tap: rules R15 and R26, each as the smallest story, with times by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene.h"

enum { ROUND_TRIP = STEP + REACT, WAIT = 30 * US };

/* PSNs first..last, each acknowledged after |rtt| before the next one. */
static void rounds(struct pair *p, uint32_t first, uint32_t last, int64_t rtt)
{
	struct scene *s = p->scene;

	s->step = 0;
	for (uint32_t psn = first; psn <= last; psn++) {
		DATA(p, psn);
		pause_ns(s, rtt);
		ack(p, psn);
		pause_ns(s, rtt);
	}
}

/* 11 passes |apart| behind 10; 12 and 13 follow at once, and a receiver that
 * waits names 11, which is retransmitted; by a |selective| sender alone. */
static const struct fact_recovery *waited_for_11(struct scene *s, int64_t apart,
						 bool selective)
{
	struct pair p = usual(s);

	rounds(&p, 1, 9, ROUND_TRIP);
	DATA(&p, 10);
	pause_ns(s, apart);
	DATA(&p, 11);
	pause_ns(s, US);
	DATA(&p, 12);
	pause_ns(s, US);
	DATA(&p, 13);
	pause_ns(s, ROUND_TRIP + WAIT - US);
	nak(&p, 11);
	pause_ns(s, 20 * US);
	DATA(&p, 11);
	if (!selective)
		DATA(&p, 12, 13);
	pause_ns(s, ROUND_TRIP);
	ack(&p, 13);
	return only_recovery(scene_run(s, NULL));
}

/* 10 may have come up to 30 us behind 11, which was discarded. */
static void rule_R26_a_wait_hides_what_came_early(void **state)
{
	const struct fact_recovery *c = waited_for_11(*state, US, false);

	assert_int_equal(c->cause, CAUSE_LOSS_OR_REORDER);
	assert_int_equal(c->lost_min, 1);
}

static void rule_R26_a_wait_and_a_space_shorter_than_two(void **state)
{
	assert_int_equal(waited_for_11(*state, 2 * WAIT - US, false)->cause,
			 CAUSE_LOSS_OR_REORDER);
}

/* 10 would have been later than 11 by more than the receiver ever waits. */
static void rule_R4_no_packet_comes_early_by_two_waits(void **state)
{
	const struct fact_recovery *c = waited_for_11(*state, 2 * WAIT, false);

	assert_int_equal(c->cause, CAUSE_LOSS_DOWNSTREAM);
	assert_int_equal(c->lost_min, 1);
}

/* The receiver had kept 12 and 13.  It would have kept 11 as well, had that
 * come early, and have named 10. */
static void rule_R4_who_keeps_what_comes_early_does_not_name_it(void **state)
{
	const struct fact_recovery *c = waited_for_11(*state, US, true);

	assert_int_equal(c->cause, CAUSE_LOSS_DOWNSTREAM);
	assert_int_equal(c->lost_min, 1);
}

/* 11 is lost of 10 to 14, and retransmitted with 12, which the receiver had
 * kept: it acknowledges its duplicate with all that it has.  That it had 11 as
 * well does not follow. */
static void rule_R4_a_duplicate_of_what_was_kept(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	const struct fact_recovery *c;

	rounds(&p, 1, 9, ROUND_TRIP);
	data_run(&p, 10, 14);
	pause_ns(s, ROUND_TRIP);
	nak(&p, 11);
	pause_ns(s, 20 * US);
	DATA(&p, 11, 12);
	pause_ns(s, ROUND_TRIP);
	ack(&p, 14);
	pause_ns(s, US);
	ack(&p, 14);
	c = only_recovery(scene_run(s, NULL));
	assert_int_equal(c->cause, CAUSE_LOSS_DOWNSTREAM);
	assert_int_equal(c->lost_min, 1);
}

/* 11 to 37 are lost of 10 to 39.  The receiver keeps the others and names each
 * missing one as soon as it has the one before; the sender retransmits what is
 * named and no more, though it looks like all that was under way. */
static void rule_R19_each_packet_asked_for_by_name(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	const struct fact_recovery *c;
	struct record *r;

	rounds(&p, 1, 9, ROUND_TRIP);
	data_run(&p, 10, 39);
	for (uint32_t psn = 11; psn < 38; psn++) {
		pause_ns(s, ROUND_TRIP);
		nak(&p, psn);
		pause_ns(s, 20 * US);
		DATA(&p, psn);
	}
	pause_ns(s, ROUND_TRIP);
	ack(&p, 39);
	rounds(&p, 40, 44, ROUND_TRIP);
	r = scene_run(s, NULL);
	c = only_recovery(r);
	assert_int_equal(c->cause, CAUSE_LOSS_DOWNSTREAM);
	assert_int_equal(flow_of(r, &p)->spurious, 0);
	assert_int_equal(flow_of(r, &p)->reordered, 0);
}

/* 10 passed, the NAK for it is reacted to after 2 ms, |times| times; then
 * one that never passed comes |sooner| after its NAK. */
static const struct fact_flow *
sooner_than_before(struct scene *s, unsigned times, int64_t sooner)
{
	struct pair p = usual(s);
	uint32_t psn = 10;

	s->constant_ip_id = true;
	rounds(&p, 1, 9, ROUND_TRIP);
	for (unsigned i = 0; i < times; i++, psn += 2) {
		data_run(&p, psn, psn + 1);
		pause_ns(s, ROUND_TRIP);
		nak(&p, psn);
		pause_ns(s, 2 * MS);
		data_run(&p, psn, psn + 1);
		pause_ns(s, ROUND_TRIP);
		ack(&p, psn + 1);
		pause_ns(s, ROUND_TRIP);
	}
	DATA(&p, psn + 1);
	pause_ns(s, ROUND_TRIP);
	nak(&p, psn);
	pause_ns(s, sooner);
	DATA(&p, psn);
	pause_ns(s, ROUND_TRIP);
	ack(&p, psn + 1);
	return flow_of(scene_run(s, NULL), &p);
}

/* It had been busy. */
static void rule_R3_a_sender_reacts_sooner_than_once(void **state)
{
	EXPECT(sooner_than_before(*state, 1, 300 * US), .up = 1, .down_min = 1,
	       .down_max = ANY, .retransmitted = 3);
}

static void rule_R1_no_sender_reacts_in_half_the_least_of_many(void **state)
{
	EXPECT(sooner_than_before(*state, 8, 300 * US), .reordered = 1,
	       .extent = 1, .down_min = 8, .down_max = ANY,
	       .retransmitted = 16);
}

static void rule_R3_in_more_than_half_of_it_one_may(void **state)
{
	EXPECT(sooner_than_before(*state, 8, MS + US), .up = 1, .down_min = 8,
	       .down_max = ANY, .retransmitted = 17);
}

/* Nothing is known of round trips when the NAK comes, in the end it is. */
static void rule_R26_a_wait_that_only_the_end_shows(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	s->step = 0;
	DATA(&p, 10);
	pause_ns(s, US);
	DATA(&p, 11);
	pause_ns(s, US);
	DATA(&p, 12);
	pause_ns(s, ROUND_TRIP + WAIT);
	nak(&p, 11);
	pause_ns(s, 20 * US);
	DATA(&p, 11, 12);
	pause_ns(s, ROUND_TRIP);
	ack(&p, 12);
	pause_ns(s, ROUND_TRIP);
	rounds(&p, 13, 16, ROUND_TRIP);
	assert_int_equal(only_recovery(scene_run(s, NULL))->cause,
			 CAUSE_LOSS_OR_REORDER);
}

/* 10 is lost; its NAK comes once more a round trip of |rtt| behind its
 * retransmission, and is reacted to. */
static const struct fact_flow *naked_twice(struct scene *s, int64_t rtt)
{
	struct pair p = usual(s);

	rounds(&p, 1, 9, rtt);
	DATA(&p, 10);
	pause_ns(s, US);
	DATA(&p, 11);
	pause_ns(s, rtt);
	nak(&p, 10);
	pause_ns(s, US);
	DATA(&p, 10);
	pause_ns(s, rtt);
	nak(&p, 10);
	pause_ns(s, US);
	DATA(&p, 10, 11);
	pause_ns(s, rtt);
	ack(&p, 11);
	return flow_of(scene_run(s, NULL), &p);
}

/* Of stamps of whole microseconds 1 us may be two. */
static void rule_R15_repeated_within_a_microsecond(void **state)
{
	EXPECT(naked_twice(*state, US), .down_min = 1, .down_max = ANY,
	       .retransmitted = 3);
}

/* Of finer ones it is no less than the shortest round trip. */
static void rule_R4_lost_twice_by_nanoseconds(void **state)
{
	EXPECT(naked_twice(*state, US + 1), .down_min = 2, .down_max = ANY,
	       .retransmitted = 3);
}

/* The NAK names what had been retransmitted, and that arrived: duplicates of
 * it, not of the original, are what the repeated ACKs speak of. */
static void rule_R15_not_reordered_but_retransmitted(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	rounds(&p, 1, 9, ROUND_TRIP);
	data_run(&p, 10, 13);
	pause_ns(s, ROUND_TRIP);
	nak(&p, 10);
	pause_ns(s, 20 * US);
	data_run(&p, 10, 13);
	pause_ns(s, ROUND_TRIP + 10 * US);
	nak(&p, 10);
	pause_ns(s, 20 * US);
	DATA(&p, 10);
	pause_ns(s, US);
	ack(&p, 11);
	pause_ns(s, US);
	ack(&p, 11);
	pause_ns(s, US);
	data_run(&p, 11, 13);
	pause_ns(s, ROUND_TRIP);
	ack(&p, 13);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .down_min = 1, .down_max = ANY,
	       .retransmitted = 8);
	assert_int_equal(r->n_recoveries, 2);
	assert_int_equal(r->recoveries[0].cause, CAUSE_LOSS_DOWNSTREAM);
	assert_int_equal(r->recoveries[1].cause, CAUSE_COLLATERAL);
}

/* Of one queue pair what a NAK named is acknowledged without a retransmission;
 * 5 of the other one is NAKed and retransmitted.  |misses|: the capture lacks
 * what is acknowledged. */
static enum recovery_cause beside_a_moot_nak(struct scene *s, bool misses)
{
	struct pair p = usual(s), q = pair(s, HOST_A, HOST_B, 0x21, 0x22);
	const struct record *r;

	data_run(&p, 1, 5);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	ack(&p, 5);
	data_run(&q, 1, 6);
	pause_ns(s, REACT);
	nak(&q, 5);
	pause_ns(s, REACT);
	data_run(&q, 5, 6);
	pause_ns(s, REACT);
	ack(&q, 6);
	if (misses)
		unseen(&q, 7);
	data_run(&q, misses ? 8 : 7, 10);
	pause_ns(s, REACT);
	ack(&q, 10);
	pause_ns(s, MS);
	data_run(&q, 11, 12);
	r = scene_run(s, NULL);
	return only_recovery(r)->cause;
}

static void rule_R26_a_moot_nak_speaks_of_the_path(void **state)
{
	assert_int_equal(beside_a_moot_nak(*state, false),
			 CAUSE_LOSS_OR_REORDER);
}

static void rule_R4_a_moot_nak_or_a_hole_of_the_capture(void **state)
{
	assert_int_equal(beside_a_moot_nak(*state, true),
			 CAUSE_LOSS_DOWNSTREAM);
}

/* A NAK for a packet that passed in order, and was not acknowledged before it
 * was retransmitted; four packets of the other direction were reordered, or
 * came in order. */
static enum recovery_cause beside_the_other_direction(struct scene *s,
						      bool reorders)
{
	struct pair p = usual(s), back = pair_reversed(&p);

	for (uint32_t i = 0; i < 4; i++) {
		uint32_t psn = 1 + 3 * i;
		uint16_t id;

		data_run(&back, psn, psn);
		id = reordered(&back);
		if (!reorders)
			late(&back, psn + 1, id);
		data_run(&back, psn + 2, psn + 2);
		if (reorders)
			late(&back, psn + 1, id);
		pause_ns(s, REACT);
		ack(&back, psn + 2);
	}
	data_run(&p, 1, 6);
	pause_ns(s, REACT);
	nak(&p, 5);
	pause_ns(s, REACT);
	data_run(&p, 5, 6);
	pause_ns(s, REACT);
	ack(&p, 6);
	return only_recovery(scene_run(s, NULL))->cause;
}

static void rule_R26_the_other_direction_is_reordered(void **state)
{
	assert_int_equal(beside_the_other_direction(*state, true),
			 CAUSE_LOSS_OR_REORDER);
}

static void rule_R4_the_other_direction_keeps_its_order(void **state)
{
	assert_int_equal(beside_the_other_direction(*state, false),
			 CAUSE_LOSS_DOWNSTREAM);
}

/* The fourth and fifth response of a READ overtake the second and third, so
 * that the requester discards them; or all five pass in order.  Both times it
 * requests the rest from the fourth on. */
static enum recovery_cause rest_of_a_read(struct scene *s, bool reorders)
{
	static const uint32_t order[2][5] = { { 0, 1, 2, 3, 4 },
					      { 0, 3, 4, 1, 2 } };
	struct pair p = usual(s);

	read_request(&p, 1, 5);
	pause_ns(s, REACT);
	for (unsigned i = 0; i < 5; i++)
		read_response(&p, 1, 5, order[reorders][i]);
	pause_ns(s, REACT);
	read_request(&p, 4, 2);
	pause_ns(s, REACT);
	read_responses(&p, 4, 2);
	return only_recovery(scene_run(s, NULL))->cause;
}

static void rule_R16_the_rest_of_a_read_came_early(void **state)
{
	assert_int_equal(rest_of_a_read(*state, true), CAUSE_REORDER);
}

static void rule_R16_the_rest_of_a_read_was_in_order(void **state)
{
	assert_int_equal(rest_of_a_read(*state, false), CAUSE_LOSS_DOWNSTREAM);
}

/* The third response of a READ of five is not seen, and the READ is requested
 * again from PSN |from| on. */
static struct record *without_the_third(struct scene *s, uint32_t from)
{
	struct pair p = usual(s);

	read_request(&p, 1, 5);
	pause_ns(s, REACT);
	for (uint32_t k = 0; k < 5; k++)
		if (k != 2)
			read_response(&p, 1, 5, k);
	pause_ns(s, REACT);
	read_request(&p, from, 6 - from);
	pause_ns(s, REACT);
	read_responses(&p, from, 6 - from);
	return scene_run(s, NULL);
}

static void rule_R7_a_later_response_is_requested_again(void **state)
{
	struct record *r = without_the_third(*state, 4);

	assert_int_equal(TOTAL(r, capture_missing), 1);
	assert_int_equal(TOTAL(r, lost_upstream), 0);
}

static void rule_R16_the_response_is_requested_again(void **state)
{
	struct record *r = without_the_third(*state, 3);

	assert_int_equal(TOTAL(r, capture_missing), 0);
	assert_int_equal(TOTAL(r, lost_upstream), 1);
}

/* Messages of four, each followed by a stop of 200 us.  The NAK for the third
 * packet of the first eight comes in their stops, and that packet is
 * acknowledged without a retransmission.  |also|: so long are the stops without
 * a NAK as well, which are shorter otherwise. */
static size_t stops_with_naks(struct scene *s, bool also)
{
	enum { MESSAGES = 16, NAKED = 8, STOP = 200 * US };
	struct pair p = usual(s);

	s->step = US;
	for (uint32_t i = 0; i < MESSAGES; i++) {
		uint32_t psn = 1 + 4 * i;

		data_run(&p, psn, psn + 3);
		pause_ns(s, 10 * US);
		if (i < NAKED)
			nak(&p, psn + 2);
		ack(&p, psn + 3);
		pause_ns(s, i < NAKED || also ? STOP : STOP / 4);
	}
	return events_of(scene_run(s, NULL), EVENT_NAK_STALL);
}

static void rule_R28_a_sender_stops_for_naks(void **state)
{
	assert_int_equal(stops_with_naks(*state, false), 8);
}

static void rule_R28_a_sender_stops_anyway(void **state)
{
	assert_int_equal(stops_with_naks(*state, true), 0);
}

/* The same, with NAKs that come 10 to 17 us after the last packet; the sender
 * goes on 200 us after the NAK, or after that packet. */
static double sure_of_stops(struct scene *s, bool after_naks)
{
	enum { MESSAGES = 16, NAKED = 8, STOP = 200 * US };
	struct pair p = usual(s);

	s->step = US;
	for (uint32_t i = 0; i < MESSAGES; i++) {
		uint32_t psn = 1 + 4 * i, wait = (10 + i % NAKED) * US;

		data_run(&p, psn, psn + 3);
		pause_ns(s, wait);
		if (i < NAKED)
			nak(&p, psn + 2);
		ack(&p, psn + 3);
		pause_ns(s, i >= NAKED   ? STOP / 4
			    : after_naks ? STOP
					 : STOP - wait);
	}
	return first_event(scene_run(s, NULL), EVENT_NAK_STALL)->confidence;
}

static void rule_R28_as_long_after_each_nak(void **state)
{
	assert_true(sure_of_stops(*state, true) > 0.5);
}

static void rule_R28_as_long_after_each_message(void **state)
{
	assert_true(sure_of_stops(*state, false) <= 0.5);
}

/* 3 is lost; after its RTO the sender tries only that one, and goes on.  4 was
 * seen here, but while the receiver that now sends a NAK for it missed 3. */
static void rule_R15_discarded_behind_a_missing_packet(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	data_run(&p, 1, 2);
	pause_ns(s, REACT);
	ack(&p, 2);
	unseen(&p, 3);
	data_run(&p, 4, 8);
	pause_ns(s, TIMEOUT);
	DATA(&p, 3);
	pause_ns(s, REACT);
	ack(&p, 3);
	DATA(&p, 9);
	pause_ns(s, REACT);
	nak(&p, 4);
	pause_ns(s, REACT);
	data_run(&p, 4, 9);
	pause_ns(s, REACT);
	ack(&p, 9);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 1, .retransmitted = 7, .timeouts = 1);
	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 0);
	assert_int_equal(r->n_recoveries, 2);
	assert_int_equal(r->recoveries[1].cause, CAUSE_COLLATERAL);
}

/* A NAK for |psn|, which alone is retransmitted; then an ACK of |acked|. */
static void repaired(struct pair *p, uint32_t psn, uint32_t acked)
{
	pause_ns(p->scene, REACT);
	nak(p, psn);
	pause_ns(p->scene, REACT);
	DATA(p, psn);
	pause_ns(p->scene, REACT);
	ack(p, acked);
}

/* 1 and 2 arrive, 3 does not get here, 4 to 8 pass. */
static void three_is_missing(struct pair *p)
{
	data_run(p, 1, 2);
	pause_ns(p->scene, REACT);
	ack(p, 2);
	unseen(p, 3);
	data_run(p, 4, 8);
}

/* The receiver discards what is early, and names one after the other, while the
 * sender goes on. */
static void twin_discarded_and_named_one_by_one(void **state)
{
	struct pair p = usual(*state);

	three_is_missing(&p);
	for (uint32_t psn = 3; psn <= 8; psn++) {
		repaired(&p, psn, psn);
		DATA(&p, psn + 6);
	}

	struct record *r = scene_run(*state, NULL);

	EXPECT(flow_of(r, &p), .up = 1, .retransmitted = 6);
	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 0);
}

/* It keeps what is early: 4 and 5 were lost as well, behind here. */
static void twin_kept_but_for_what_was_lost(void **state)
{
	struct pair p = usual(*state);

	three_is_missing(&p);
	repaired(&p, 3, 3);
	DATA(&p, 9);
	repaired(&p, 4, 4);
	DATA(&p, 10);
	repaired(&p, 5, 10);

	struct record *r = scene_run(*state, NULL);

	assert_int_equal(flow_of(r, &p)->lost_upstream, 1);
	assert_int_equal(flow_of(r, &p)->lost_downstream_min, 2);
}

/* Two packets are outstanding at the most.  The first is lost on its way here;
 * of what the receiver discarded then the sender repeats one after the other,
 * and goes on meanwhile.  What it does not repeat is not lost. */
static void rule_R13_a_selective_sender_of_few(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1);
	pause_ns(s, REACT);
	ack(&p, 1);
	for (uint32_t psn = 2; psn <= 14; psn += 3) {
		unseen(&p, psn);
		DATA(&p, psn + 1);
		repaired(&p, psn, psn);
		DATA(&p, psn + 2);
		repaired(&p, psn + 1, psn + 1);
		repaired(&p, psn + 2, psn + 2);
	}

	struct record *r = scene_run(s, NULL);

	assert_int_equal(flow_of(r, &p)->lost_upstream, 5);
	assert_int_equal(flow_of(r, &p)->lost_downstream_min, 0);
}

/* It keeps WRITEs that are early, and no READ: each time a WRITE is missing,
 * the READ behind it has to come once more. */
static void rule_R15_reads_are_not_kept(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1);
	pause_ns(s, REACT);
	ack(&p, 1);
	for (uint32_t psn = 2; psn <= 22; psn += 5) {
		unseen(&p, psn);
		read_request(&p, psn + 1, 1);
		data_run(&p, psn + 2, psn + 3);
		repaired(&p, psn, psn);
		DATA(&p, psn + 4);
		pause_ns(s, REACT);
		nak(&p, psn + 1);
		pause_ns(s, REACT);
		read_request(&p, psn + 1, 1);
		pause_ns(s, REACT);
		read_responses(&p, psn + 1, 1);
		ack(&p, psn + 4);
	}

	struct record *r = scene_run(s, NULL);

	assert_int_equal(flow_of(r, &p)->lost_upstream, 5);
	assert_int_equal(flow_of(r, &p)->lost_downstream_min, 0);
}

/* Each NAK is answered at once by all but the packet that it names, which comes
 * by the timer: the second time that waits for twice as long. */
static void rule_R10_a_timer_is_no_reaction(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	data_run(&p, 1, 2);
	unseen(&p, 3);
	data_run(&p, 4, 8);
	for (uint32_t i = 0; i < 2; i++) {
		pause_ns(s, REACT);
		nak(&p, 3 + i);
		pause_ns(s, REACT);
		unseen(&p, 3 + i);
		data_run(&p, 4 + i, 8 + i);
		pause_ns(s, (1 + i) * (int64_t)TIMEOUT);
		DATA(&p, 3 + i);
		pause_ns(s, REACT);
		ack(&p, 3 + i);
		DATA(&p, 9 + i);
	}
	pause_ns(s, REACT);
	ack(&p, 10);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(flow_of(r, &p)->timeouts, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(rule_R26_a_wait_hides_what_came_early),
		SCENE_TEST(rule_R26_a_wait_and_a_space_shorter_than_two),
		SCENE_TEST(rule_R4_no_packet_comes_early_by_two_waits),
		SCENE_TEST(rule_R4_who_keeps_what_comes_early_does_not_name_it),
		SCENE_TEST(rule_R4_a_duplicate_of_what_was_kept),
		SCENE_TEST(rule_R19_each_packet_asked_for_by_name),
		SCENE_TEST(rule_R3_a_sender_reacts_sooner_than_once),
		SCENE_TEST(rule_R1_no_sender_reacts_in_half_the_least_of_many),
		SCENE_TEST(rule_R3_in_more_than_half_of_it_one_may),
		SCENE_TEST(rule_R26_a_wait_that_only_the_end_shows),
		SCENE_TEST(rule_R15_repeated_within_a_microsecond),
		SCENE_TEST(rule_R4_lost_twice_by_nanoseconds),
		SCENE_TEST(rule_R15_not_reordered_but_retransmitted),
		SCENE_TEST(rule_R15_discarded_behind_a_missing_packet),
		SCENE_TEST(twin_discarded_and_named_one_by_one),
		SCENE_TEST(twin_kept_but_for_what_was_lost),
		SCENE_TEST(rule_R13_a_selective_sender_of_few),
		SCENE_TEST(rule_R15_reads_are_not_kept),
		SCENE_TEST(rule_R10_a_timer_is_no_reaction),
		SCENE_TEST(rule_R26_a_moot_nak_speaks_of_the_path),
		SCENE_TEST(rule_R4_a_moot_nak_or_a_hole_of_the_capture),
		SCENE_TEST(rule_R26_the_other_direction_is_reordered),
		SCENE_TEST(rule_R4_the_other_direction_keeps_its_order),
		SCENE_TEST(rule_R16_the_rest_of_a_read_came_early),
		SCENE_TEST(rule_R16_the_rest_of_a_read_was_in_order),
		SCENE_TEST(rule_R7_a_later_response_is_requested_again),
		SCENE_TEST(rule_R16_the_response_is_requested_again),
		SCENE_TEST(rule_R28_a_sender_stops_for_naks),
		SCENE_TEST(rule_R28_a_sender_stops_anyway),
		SCENE_TEST(rule_R28_as_long_after_each_nak),
		SCENE_TEST(rule_R28_as_long_after_each_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
