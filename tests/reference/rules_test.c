/* SPDX-License-Identifier: GPL-2.0-or-later
 * Rules R1 to R26 of reference/rocev2-and-analysis-rules.md 3.4, each as the
 * smallest story that fulfils its observation, counted by hand with 3.5. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene.h"

static struct pair usual(struct scene *s)
{
	return pair(s, HOST_A, HOST_B, 0x11, 0x12);
}

static const struct fact_recovery *only_recovery(const struct record *r)
{
	assert_int_equal(r->n_recoveries, 1);
	return &r->recoveries[0];
}

/* ---- R1, R2: reordering ---- */

static void rule_R1_reorder_upstream_single_copy(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint16_t third;

	DATA(&p, 1, 2);
	third = overtaken(&p);
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
	tenth = overtaken(&p);
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
	third = overtaken(&p);
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
		id[i] = overtaken(&p);
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
	id[0] = overtaken(&p);
	id[1] = overtaken(&p);
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

/* ---- R3 to R6: loss and NAK ---- */

static void rule_R3_loss_upstream_recovered_by_nak(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2);
	unseen(&p, 3);
	DATA(&p, 4);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3, 4, 5);
	pause_ns(s, REACT);
	ack(&p, 5);

	struct record *r = scene_run(s, NULL);
	const struct fact_recovery *c = only_recovery(r);
	const struct fact_event *e = first_event(r, EVENT_LOSS_UPSTREAM);

	/* the first copy seen of 3 is a re-send too: 3 and 4 */
	EXPECT(flow_of(r, &p), .up = 1, .down_max = ANY, .retransmitted = 2);
	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 1);
	assert_int_equal(e->psn, 3);
	assert_int_equal(e->count, 1);
	assert_true(names_rule(e->detail, "R3"));
	assert_true(names_rule(c->rule, "R3"));
	assert_int_equal(c->trigger, TRIGGER_NAK);
	assert_int_equal(c->cause, CAUSE_LOSS_UPSTREAM);
	assert_int_equal(c->frame_detect, 4); /* 1 2 4 [NAK] */
	assert_int_equal(c->frame_first, 5);
	assert_int_equal(c->frame_last, 6);
	assert_int_equal(c->detect_ns, s->packets[3].ns);
	assert_int_equal(c->resend_ns, s->packets[4].ns);
}

/* Two PSNs of one window: the hole behind the first is found only because
 * the tap never saw it before the replay. */
static void rule_R3_two_holes_in_one_window(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2);
	unseen(&p, 3);
	DATA(&p, 4, 5);
	unseen(&p, 6);
	DATA(&p, 7);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3, 4, 5, 6, 7, 8);
	pause_ns(s, REACT);
	ack(&p, 8);

	struct record *r = scene_run(s, NULL);

	/* 3 4 5 6 7 */
	EXPECT(flow_of(r, &p), .up = 2, .down_max = ANY, .retransmitted = 5);
}

/* The re-send is lost, too, on the same side of the tap: the sender gets a
 * second NAK for the same PSN.  One PSN, hence one loss by rule 1 of 3.5. */
static void rule_R3_resend_lost_too(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2);
	unseen(&p, 3);
	DATA(&p, 4, 5);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	unseen(&p, 3);
	DATA(&p, 4, 5);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3, 4, 5, 6);
	pause_ns(s, REACT);
	ack(&p, 6);

	struct record *r = scene_run(s, NULL);

	/* seen at the tap: 4 5 and 3 4 5 again */
	EXPECT(flow_of(r, &p), .up = 1, .down_max = ANY, .retransmitted = 5);
	assert_int_equal(TOTAL(r, nak_seq), 2);
}

/* The second round of a replay has a hole of its own: upstream, although the
 * PSN had been seen once (and was discarded behind the first hole). */
static void rule_R3_hole_in_a_replay(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2);
	unseen(&p, 3);
	DATA(&p, 4, 5, 6, 7);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3, 4);
	unseen(&p, 5);
	DATA(&p, 6, 7);
	pause_ns(s, REACT);
	nak(&p, 5);
	pause_ns(s, REACT);
	DATA(&p, 5, 6, 7, 8);
	pause_ns(s, REACT);
	ack(&p, 8);

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	/* copies: 3 4 6 7 and 5 6 7.  5 was lost as a re-send before the tap:
	 * whether it counts is open, that it was not lost after it is not. */
	EXPECT(f, .up = ANY, .down_max = ANY, .retransmitted = 7);
	assert_in_range(f->lost_upstream, 1, 2);
}

static void rule_R4_loss_downstream_recovered_by_nak(void **state)
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

	/* at least 3; at most the PSNs of [3, 6) */
	EXPECT(flow_of(r, &p), .down_min = 1, .down_max = 3,
	       .retransmitted = 3);
	assert_int_equal(first_event(r, EVENT_LOSS_DOWNSTREAM)->psn, 3);
	assert_int_equal(c->trigger, TRIGGER_NAK);
	assert_int_equal(c->frame_detect, 6);
	assert_int_equal(c->lost_min, 1);
	assert_int_equal(c->lost_max, 3);
	assert_true(c->cause == CAUSE_LOSS_DOWNSTREAM ||
		    c->cause == CAUSE_LOSS_OR_REORDER);
}

static void rule_R5_corrupted_upstream(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2, 3);
	last_packet(s)->icrc_status = ICRC_BAD;
	DATA(&p, 4, 5);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3, 4, 5, 6);
	pause_ns(s, REACT);
	ack(&p, 6);

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	/* it did not survive the way to the tap: never a downstream loss */
	EXPECT(f, .up = ANY, .down_max = ANY, .corrupted = 1,
	       .retransmitted = 3);
	assert_in_range(f->lost_upstream, 0, 1);
	assert_int_equal(f->icrc_bad, 1);
	assert_int_equal(f->icrc_good, 8);
	assert_int_equal(first_event(r, EVENT_ICRC_BAD)->psn, 3);
	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 0);
	assert_int_equal(only_recovery(r)->cause, CAUSE_CORRUPTION);
	assert_true(names_rule(only_recovery(r)->rule, "R5"));
}

static void rule_R6_collateral_is_not_loss(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	data_run(&p, 1, 40);
	nak(&p, 5);
	pause_ns(s, REACT);
	data_run(&p, 5, 60);
	pause_ns(s, REACT);
	ack(&p, 60);

	struct record *r = scene_run(s, NULL);

	/* 36 copies; only 5 is proven lost, [5, 41) may be */
	EXPECT(flow_of(r, &p), .down_min = 1, .down_max = 36,
	       .retransmitted = 36);
}

/* ---- R7 to R9: gaps that are never filled ---- */

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

/* A NAK that the capture does not show an answer to: 3 is gone for now, on
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

/* ---- R10 to R13: timeouts ---- */

static void rule_R10_timeout_retransmission(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1);
	pause_ns(s, REACT);
	ack(&p, 1);
	DATA(&p, 2, 3, 4);
	pause_ns(s, TIMEOUT);
	DATA(&p, 2, 3, 4);
	pause_ns(s, REACT);
	ack(&p, 4);

	struct record *r = scene_run(s, NULL);
	const struct fact_recovery *c = only_recovery(r);

	/* one ACK after all three: R11 or R12, nobody can tell */
	EXPECT(flow_of(r, &p), .down_min = ANY, .down_max = ANY,
	       .retransmitted = 3, .spurious = ANY, .timeouts = 1);
	assert_int_equal(c->trigger, TRIGGER_TIMEOUT);
	assert_int_equal(c->psn, 2);
	assert_int_equal(c->frame_detect, 0);
	/* the silence is counted from the last request, 4 */
	assert_int_equal(c->silence_ns, TIMEOUT + STEP);
	assert_true(events_of(r, EVENT_RETRANSMIT_TIMEOUT) > 0);
	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 0);
}

static void rule_R11_ack_lost_data_arrived(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	data_run(&p, 1, 8);
	pause_ns(s, TIMEOUT);
	DATA(&p, 1);
	pause_ns(s, REACT);
	ack(&p, 8); /* the newest in-order PSN, before 2 was sent again */
	data_run(&p, 2, 8);
	data_run(&p, 9, 10);
	pause_ns(s, REACT);
	ack(&p, 10);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .retransmitted = 8, .spurious = 8,
	       .timeouts = 1);
	assert_int_equal(only_recovery(r)->cause, CAUSE_ACK_LOSS);
	assert_true(names_rule(only_recovery(r)->rule, "R11"));
	assert_true(TOTAL(r, ack_lost) > 0);
	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 0);
}

/* The answer to every copy is exactly that copy: nothing had arrived. */
static void rule_R12_tail_loss_downstream(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1);
	pause_ns(s, REACT);
	ack(&p, 1);
	DATA(&p, 2, 3);
	pause_ns(s, TIMEOUT);
	DATA(&p, 2);
	pause_ns(s, REACT);
	ack(&p, 2);
	DATA(&p, 3);
	pause_ns(s, REACT);
	ack(&p, 3);

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	EXPECT(f, .down_min = ANY, .down_max = 2, .retransmitted = 2,
	       .timeouts = 1);
	/* 2 for certain; 3 may have come and been discarded */
	assert_in_range(f->lost_downstream_min, 1, 2);
	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_DOWNSTREAM);
	assert_true(names_rule(only_recovery(r)->rule, "R12"));
}

static void rule_R13_loss_upstream_found_by_timeout(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2);
	pause_ns(s, REACT);
	ack(&p, 2);
	unseen(&p, 3);
	DATA(&p, 4, 5);
	pause_ns(s, TIMEOUT); /* the NAK never reached anybody */
	DATA(&p, 3, 4, 5, 6);
	pause_ns(s, REACT);
	ack(&p, 6);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 1, .down_max = ANY, .retransmitted = 3,
	       .timeouts = 1);
	assert_int_equal(only_recovery(r)->trigger, TRIGGER_TIMEOUT);
	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_UPSTREAM);
	assert_true(
		names_rule(first_event(r, EVENT_LOSS_UPSTREAM)->detail, "R13"));
}

/* ---- R14, R15: receiver not ready ---- */

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

/* ---- R16 to R18: READ ---- */

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

/* ---- R19 to R22 ---- */

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
		id = overtaken(&p);
		DATA(&p, psn + 2, psn + 3);
		late(&p, psn + 1, id);
		pause_ns(s, REACT);
		ack(&p, psn + 3);
	}

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .reordered = 100, .extent = 2);
	assert_int_equal(flow_of(r, &p)->recovery, RECOVERY_OOO);
}

/* Every packet of the port twice, with one hop more on its second copy. */
static void rule_R20_mirror_duplicates_of_another_hop(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	for (uint32_t psn = 0; psn < 64; psn++) {
		DATA(&p, psn);
		duplicate(s, 5 * US);
		last_packet(s)->ttl--;
		pause_ns(s, REACT);
		ack(&p, psn);
		duplicate(s, 5 * US);
		last_packet(s)->ttl--;
	}

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 0);
	EXPECT(reverse_of(r, &p), .up = 0);
	assert_int_equal(flow_of(r, &p)->mirror_duplicates, 64);
	assert_int_equal(reverse_of(r, &p)->mirror_duplicates, 64);
	assert_int_equal(flow_of(r, &p)->messages_completed, 64);
	assert_int_equal(r->n_recoveries, 0);
}

/* A lone pair that differs in TTL is a mirror's work as well. */
static void rule_R20_lone_mirror_duplicate(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	for (uint32_t psn = 0; psn < 64; psn++) {
		DATA(&p, psn);
		if (psn == 30) {
			duplicate(s, 5 * US);
			last_packet(s)->ttl--;
		}
		pause_ns(s, REACT);
		ack(&p, psn);
	}

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 0);
	assert_int_equal(flow_of(r, &p)->mirror_duplicates, 1);
}

/* Doubled in the same way, nine of ten at least: TTL need not differ. */
static void rule_R20_nearly_all_doubled(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	for (uint32_t psn = 0; psn < 200; psn++) {
		DATA(&p, psn);
		duplicate(s, 3 * US);
		pause_ns(s, REACT);
		ack(&p, psn);
		duplicate(s, 3 * US);
	}

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 0);
	EXPECT(reverse_of(r, &p), .up = 0);
	/* a few at the start may be called something else than mirror's */
	assert_in_range(flow_of(r, &p)->mirror_duplicates +
				flow_of(r, &p)->duplicates,
			200, 200);
	assert_in_range(flow_of(r, &p)->mirror_duplicates, 100, 200);
}

/* A constant identification makes a fast go-back-N copy byte-identical. */
static void rule_R20_not_a_lone_pair_after_a_nak(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	s->constant_ip_id = true;
	data_run(&p, 1, 30);
	pause_ns(s, REACT);
	ack(&p, 30);
	s->step = US;
	DATA(&p, 31, 32, 33);
	pause_ns(s, 3 * US);
	nak(&p, 32);
	pause_ns(s, 20 * US);
	DATA(&p, 32, 33, 34); /* 26 us after their originals */
	pause_ns(s, REACT);
	ack(&p, 34);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .down_min = 1, .down_max = 2,
	       .retransmitted = 2);
	assert_int_equal(TOTAL(r, mirror_duplicates), 0);
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

/* ---- R23, R24: no retransmission in the transport ---- */

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

/* ---- R25, R26 ---- */

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(rule_R1_reorder_upstream_single_copy),
		SCENE_TEST(rule_R1_copy_violates_the_round_trip_bound),
		SCENE_TEST(rule_R2_reorder_then_spurious_go_back_n),
		SCENE_TEST(rule_R2_nak_for_the_packet_that_overtook),
		SCENE_TEST(rule_R2_overtaking_inside_a_replay),
		SCENE_TEST(rule_R3_loss_upstream_recovered_by_nak),
		SCENE_TEST(rule_R3_two_holes_in_one_window),
		SCENE_TEST(rule_R3_resend_lost_too),
		SCENE_TEST(rule_R3_hole_in_a_replay),
		SCENE_TEST(rule_R4_loss_downstream_recovered_by_nak),
		SCENE_TEST(rule_R5_corrupted_upstream),
		SCENE_TEST(rule_R6_collateral_is_not_loss),
		SCENE_TEST(rule_R7_capture_loss_proved_by_ack),
		SCENE_TEST(rule_R7_capture_loss_proved_by_later_nak),
		SCENE_TEST(rule_R7_capture_loss_proved_by_later_rnr),
		SCENE_TEST(rule_R7_capture_loss_proved_by_read_response),
		SCENE_TEST(rule_R7_and_R3_in_one_gap),
		SCENE_TEST(rule_R7_many_holes_one_ack),
		SCENE_TEST(rule_R7_more_holes_than_memory),
		SCENE_TEST(rule_R7_response_missing_in_the_capture),
		SCENE_TEST(rule_R1_response_comes_late),
		SCENE_TEST(rule_R8_ack_of_what_was_never_seen),
		SCENE_TEST(rule_R8_at_the_end_of_the_capture),
		SCENE_TEST(rule_R9_naked_and_the_capture_ends),
		SCENE_TEST(rule_R9_naked_after_it_passed_and_the_capture_ends),
		SCENE_TEST(rule_R9_unresolved_without_reverse_path),
		SCENE_TEST(rule_R9_repeats_without_reverse_path),
		SCENE_TEST(rule_R10_timeout_retransmission),
		SCENE_TEST(rule_R11_ack_lost_data_arrived),
		SCENE_TEST(rule_R12_tail_loss_downstream),
		SCENE_TEST(rule_R13_loss_upstream_found_by_timeout),
		SCENE_TEST(rule_R14_rnr_retry),
		SCENE_TEST(rule_R15_collateral_of_rnr),
		SCENE_TEST(rule_R16_read_response_lost_before_the_tap),
		SCENE_TEST(rule_R16_read_response_lost_after_the_tap),
		SCENE_TEST(rule_R17_read_timeout_without_response),
		SCENE_TEST(rule_R17_read_timeout_after_all_responses),
		SCENE_TEST(rule_R18_ack_skips_an_outstanding_read),
		SCENE_TEST(rule_R18_ack_skips_an_outstanding_atomic),
		SCENE_TEST(rule_R19_selective_repeat),
		SCENE_TEST(rule_R19_not_when_everything_is_sent_again),
		SCENE_TEST(rule_R19_out_of_order_placement),
		SCENE_TEST(rule_R20_mirror_duplicates_of_another_hop),
		SCENE_TEST(rule_R20_lone_mirror_duplicate),
		SCENE_TEST(rule_R20_nearly_all_doubled),
		SCENE_TEST(rule_R20_not_a_lone_pair_after_a_nak),
		SCENE_TEST(rule_R21_fatal_nak_ends_the_queue_pair),
		SCENE_TEST(rule_R22_go_back_0),
		SCENE_TEST(rule_R23_uc_gap_loses_the_message),
		SCENE_TEST(rule_R23_uc_clean),
		SCENE_TEST(rule_R24_ud_psn_counts_across_destinations),
		SCENE_TEST(rule_R24_ud_other_destinations_out_of_sight),
		SCENE_TEST(rule_R25_copy_after_acknowledgement),
		SCENE_TEST(rule_R26_loss_or_reorder_behind_the_tap),
		SCENE_TEST(rule_R26_reordered_behind_the_tap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
