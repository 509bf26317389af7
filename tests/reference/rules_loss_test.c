/* SPDX-License-Identifier: GPL-2.0-or-later
 * Losses and timeouts: rules R3 to R6 and R10 to R13
 * of reference/rocev2-and-analysis-rules.md 3.4, each as the smallest story
 * that fulfils its observation, counted by hand with 3.5. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow/recovery/decide.h"
#include "scene.h"

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
	assert_int_equal(flow_of(r, &p)->messages, 5);
	assert_int_equal(flow_of(r, &p)->messages_completed, 5);
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

static uint32_t said_lost(const struct record *r, uint32_t psn)
{
	uint32_t n = 0;

	for (size_t i = 0; i < r->n_events; i++) {
		const struct fact_event *e = &r->events[i];

		n += e->kind == EVENT_LOSS_UPSTREAM && psn >= e->psn &&
		     psn < e->psn + e->count;
	}
	return n;
}

static struct record *four_holes(struct scene *s)
{
	struct pair p = usual(s);

	for (uint32_t psn = 1; psn <= 30; psn++)
		psn == 5 ? unseen(&p, psn) : DATA(&p, psn);
	pause_ns(s, REACT);
	nak(&p, 5);
	pause_ns(s, REACT);
	for (uint32_t psn = 5; psn <= 30; psn++)
		psn == 9 || psn == 17 || psn == 18 ? unseen(&p, psn)
						   : DATA(&p, psn);
	pause_ns(s, REACT);
	nak(&p, 9);
	pause_ns(s, REACT);
	for (uint32_t psn = 9; psn <= 30; psn++)
		DATA(&p, psn);
	pause_ns(s, REACT);
	ack(&p, 30);
	return scene_run(s, NULL);
}

/* Go-back-N: what the replay lost besides what the NAK for it names is missing
 * here in the same way. */
static void rule_R3_four_holes_in_a_replay(void **state)
{
	struct record *r = four_holes(*state);

	assert_int_equal(TOTAL(r, lost_upstream), 4);
	assert_int_equal(TOTAL(r, retransmitted), 45);
	assert_int_equal(TOTAL(r, unresolved), 0);
	for (uint32_t psn = 1; psn <= 30; psn++)
		assert_int_equal(said_lost(r, psn), psn == 5 || psn == 9 ||
							    psn == 17 ||
							    psn == 18);
	assert_int_equal(r->n_recoveries, 2);
	assert_int_equal(r->recoveries[1].lost_min, 3);
	assert_int_equal(r->recoveries[1].lost_max, 3);
}

/* A receiver that keeps what comes behind a missing packet.  Of 11 a NAK, and
 * what was retransmitted for it did not arrive, or its ACK did not: by the
 * timer all is retransmitted, and acknowledged at once. */
static void rule_R12_or_R11_of_a_receiver_that_keeps(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	const struct fact_recovery *c;
	struct record *r;

	data_run(&p, 1, 8);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3);
	pause_ns(s, REACT);
	ack(&p, 8);
	data_run(&p, 9, 16);
	pause_ns(s, REACT);
	nak(&p, 11);
	pause_ns(s, REACT);
	DATA(&p, 11);
	pause_ns(s, TIMEOUT);
	data_run(&p, 11, 16);
	pause_ns(s, REACT);
	for (uint32_t psn = 11; psn <= 16; psn++)
		ack(&p, 16);
	r = scene_run(s, NULL);
	c = &r->recoveries[r->n_recoveries - 1];
	assert_int_equal(c->trigger, TRIGGER_TIMEOUT);
	assert_int_equal(c->cause, CAUSE_UNKNOWN);
	assert_true(c->remaining & H(LOST_DOWN));
	assert_true(c->remaining & H(ACK_LOST));
	assert_int_equal(TOTAL(r, spurious), 0);
	/* of a NAK for one packet one was retransmitted */
	assert_int_equal(r->recoveries[0].lost_min, 1);
	assert_int_equal(r->recoveries[0].lost_max, 1);
}

/* Of two replays without a head only the first is the answer to the NAK: the
 * timer ran out before the second. */
static void rule_R10_a_timer_whose_head_is_lost_again(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	for (uint32_t psn = 1; psn <= 20; psn++)
		psn >= 5 && psn <= 8 ? unseen(&p, psn) : DATA(&p, psn);
	pause_ns(s, REACT);
	nak(&p, 5);
	pause_ns(s, REACT);
	for (uint32_t psn = 5; psn <= 20; psn++)
		psn <= 8 ? unseen(&p, psn) : DATA(&p, psn);
	pause_ns(s, MS);
	for (uint32_t psn = 5; psn <= 20; psn++)
		psn <= 6 ? unseen(&p, psn) : DATA(&p, psn);
	pause_ns(s, REACT);
	nak(&p, 5);
	pause_ns(s, REACT);
	data_run(&p, 5, 20);
	pause_ns(s, REACT);
	ack(&p, 20);
	r = scene_run(s, NULL);
	assert_int_equal(TOTAL(r, reordered), 0);
	assert_int_equal(events_of(r, EVENT_REORDER), 0);
	assert_int_equal(TOTAL(r, timeouts), 1);
}

/* The same, but the NAK comes when the replay is over and new data follow. */
static void rule_R3_hole_in_a_replay_naked_later(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2);
	unseen(&p, 3);
	data_run(&p, 4, 9);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3, 4);
	unseen(&p, 5);
	unseen(&p, 6);
	data_run(&p, 7, 14);
	pause_ns(s, REACT);
	ack(&p, 3);
	ack(&p, 4);
	nak(&p, 5);
	DATA(&p, 15);
	pause_ns(s, REACT);
	data_run(&p, 5, 16);
	pause_ns(s, REACT);
	ack(&p, 16);

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	/* copies: 3 4 7 8 9 and 5 to 15 */
	EXPECT(f, .up = ANY, .down_max = ANY, .retransmitted = 16);
	assert_in_range(f->lost_upstream, 1, 3);
	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 0);
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

/* The re-send of 5 dies behind the tap as well: ACK 4 and NAK 5 say the same
 * about 3 and 4, but a NAK is no repeated acknowledgement. */
static void rule_R4_second_loss_inside_the_replay(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1);
	pause_ns(s, REACT);
	ack(&p, 1);
	data_run(&p, 2, 20);
	pause_ns(s, REACT);
	ack(&p, 2);
	nak(&p, 3);
	pause_ns(s, REACT);
	data_run(&p, 3, 12);
	ack(&p, 3);
	DATA(&p, 13);
	ack(&p, 4);
	DATA(&p, 14);
	nak(&p, 5);
	DATA(&p, 15, 16);
	pause_ns(s, REACT);
	data_run(&p, 5, 21);
	pause_ns(s, REACT);
	ack(&p, 21);

	struct record *r = scene_run(s, NULL);

	/* copies: 3 to 16 and 5 to 20 */
	EXPECT(flow_of(r, &p), .down_min = 2, .down_max = ANY,
	       .retransmitted = 30);
	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 2);
	assert_int_equal(r->n_recoveries, 2);
}

/* A sender that leaves 2 ms between any two packets does so in a replay, too:
 * no timer ran. */
static void rule_R4_replay_at_its_own_pace(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	for (uint32_t psn = 1; psn <= 8; psn++) {
		DATA(&p, psn);
		pause_ns(s, REACT);
		ack(&p, psn);
		pause_ns(s, 2 * MS);
	}
	DATA(&p, 9);
	pause_ns(s, 2 * MS);
	DATA(&p, 10);
	pause_ns(s, REACT);
	nak(&p, 9);
	for (uint32_t psn = 9; psn <= 11; psn++) {
		pause_ns(s, 2 * MS);
		DATA(&p, psn);
		pause_ns(s, REACT);
		ack(&p, psn);
	}

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .down_min = 1, .down_max = ANY,
	       .retransmitted = 2);
	assert_int_equal(only_recovery(r)->trigger, TRIGGER_NAK);
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

static void acks_after_the_timer(struct pair *p)
{
	struct scene *s = p->scene;

	data_run(p, 1, 8);
	pause_ns(s, TIMEOUT);
	DATA(p, 1);
	pause_ns(s, REACT);
	ack(p, 8); /* the newest in-order PSN, before 2 was sent again */
	data_run(p, 2, 8);
	data_run(p, 9, 10);
	pause_ns(s, REACT);
	ack(p, 10);
}

static void arrived_all_along(struct record *r, struct pair *p)
{
	EXPECT(flow_of(r, p), .retransmitted = 8, .spurious = 8, .timeouts = 1);
	assert_int_equal(only_recovery(r)->cause, CAUSE_ACK_LOSS);
	assert_true(names_rule(only_recovery(r)->rule, "R11"));
	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 0);
}

static void rule_R11_ack_lost_data_arrived(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	/* An ACK that came in time: the others are not all too slow. */
	DATA(&p, 0);
	pause_ns(s, REACT);
	ack(&p, 0);
	acks_after_the_timer(&p);

	struct record *r = scene_run(s, NULL);

	arrived_all_along(r, &p);
	assert_true(TOTAL(r, ack_lost) > 0);
}

/* It may have been the first ACK of the flow that was slower than the timer. */
static void rule_R11_ack_lost_or_late(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	acks_after_the_timer(&p);

	struct record *r = scene_run(s, NULL);

	arrived_all_along(r, &p);
	assert_int_equal(TOTAL(r, ack_lost), 0);
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

/* A message longer than what may be unanswered: what its sender sends behind
 * |last| never comes by, behind 24 it waits for an answer.  Twice it comes. */
static void window_of_8(struct pair *p, uint32_t last)
{
	request(p, OP_WRITE_FIRST, 1);
	for (uint32_t psn = 2; psn <= last; psn++) {
		request(p, OP_WRITE_MIDDLE, psn);
		if (psn == 8 || psn == 16) {
			pause_ns(p->scene, REACT);
			ack(p, psn);
			pause_ns(p->scene, REACT);
		}
	}
	p->scene->next_id[p->a] += (uint16_t)(24 - last);
	pause_ns(p->scene, TIMEOUT);
	request(p, OP_WRITE_MIDDLE, 17);
	pause_ns(p->scene, REACT);
	ack(p, last);
	for (uint32_t psn = last + 1; psn < 30; psn++)
		request(p, OP_WRITE_MIDDLE, psn);
	request(p, OP_WRITE_LAST, 30);
	pause_ns(p->scene, REACT);
	ack(p, 30);
}

/* In the middle of its message, but with all on its way that may be. */
static void rule_R11_ack_of_a_full_window_lost(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	window_of_8(&p, 24);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .retransmitted = 1, .spurious = 1,
	       .timeouts = 1);
	assert_int_equal(only_recovery(r)->cause, CAUSE_ACK_LOSS);
	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 0);
}

/* |p| may have 8 packets outstanding of 30, and requests an ACK with each 16th,
 * if |often| with each 8th; what it repeats is acknowledged at once. */
static void window_without_request(struct pair *p, bool often)
{
	struct scene *s = p->scene;

	DATA(p, 0);
	pause_ns(s, REACT);
	ack(p, 0);
	request(p, OP_WRITE_FIRST, 1);
	for (uint32_t psn = 2; psn <= 24; psn++) {
		request(p, OP_WRITE_MIDDLE, psn);
		if (psn % 16 == 12 || (often && psn == 20))
			last_packet(s)->flags |= PACKET_ACKREQ;
		if (psn == 12) {
			pause_ns(s, REACT);
			ack(p, 12);
		}
		if (psn == 8 || psn == 16) {
			pause_ns(s, TIMEOUT);
			request(p, psn == 8 ? OP_WRITE_FIRST : OP_WRITE_MIDDLE,
				psn == 8 ? 1 : 13);
			pause_ns(s, REACT);
			ack(p, psn);
		}
	}
	pause_ns(s, TIMEOUT);
	request(p, OP_WRITE_MIDDLE, 17);
	pause_ns(s, REACT);
	ack(p, 24);
	for (uint32_t psn = 25; psn < 30; psn++)
		request(p, OP_WRITE_MIDDLE, psn);
	request(p, OP_WRITE_LAST, 30);
	pause_ns(s, REACT);
	ack(p, 30);
}

/* No ACK was due, so none was lost; of the last window only where it was not
 * requested. */
static void rule_R11_no_ack_was_requested(void **state)
{
	for (int often = 0; often < 2; often++) {
		struct scene *s = scene_new();
		struct pair p = usual(s);
		struct record *r;
		unsigned lost = 0, none_due = 0;

		window_without_request(&p, often);
		r = scene_run(s, NULL);
		for (size_t i = 0; i < r->n_recoveries; i++) {
			const struct fact_recovery *a = &r->recoveries[i];

			lost += a->cause == CAUSE_ACK_LOSS;
			none_due += a->cause == CAUSE_COLLATERAL &&
				    names_rule(a->rule, "R11");
		}
		assert_int_equal(none_due, often ? 2 : 3);
		assert_int_equal(lost, often);
		scene_free(s);
	}
	(void)state;
}

/* It might have sent more, and had: that never came by. */
static void rule_R13_rest_of_a_message_lost_upstream(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	window_of_8(&p, 21);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 1, .down_max = ANY, .retransmitted = ANY,
	       .timeouts = 1);
	assert_int_equal(first_event(r, EVENT_LOSS_UPSTREAM)->psn, 22);
}

/* The sender goes back for a NAK, and then for its RTO: a packet of the first
 * replay had been lost, behind what it began again with.  |upstream|: that was
 * not seen here. */
static const struct fact_recovery *lost_again(struct pair *p, bool upstream)
{
	struct scene *s = p->scene;

	data_run(p, 1, 20);
	pause_ns(s, REACT);
	nak(p, 2);
	pause_ns(s, REACT);
	data_run(p, 2, 8);
	if (upstream)
		unseen(p, 9);
	else
		DATA(p, 9);
	data_run(p, 10, 20);
	pause_ns(s, REACT);
	ack(p, 6);
	pause_ns(s, TIMEOUT);
	data_run(p, 7, 9);
	pause_ns(s, REACT);
	ack(p, 8);
	data_run(p, 10, 20);
	pause_ns(s, REACT);
	ack(p, 20);
	pause_ns(s, 3 * TIMEOUT);
	DATA(p, 21);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_recoveries, 2);
	assert_int_equal(r->recoveries[1].trigger, TRIGGER_TIMEOUT);
	assert_int_equal(flow_of(r, p)->lost_upstream, upstream);
	return &r->recoveries[1];
}

static void rule_R13_lost_from_an_earlier_replay(void **state)
{
	struct pair p = usual(*state);

	assert_int_equal(lost_again(&p, true)->cause, CAUSE_LOSS_UPSTREAM);
}

static void rule_R12_lost_behind_an_earlier_replay(void **state)
{
	struct pair p = usual(*state);

	assert_int_equal(lost_again(&p, false)->cause, CAUSE_LOSS_DOWNSTREAM);
}

/* A message of 8 from |first| on, of which its sender's RTO repeats the first
 * packet; |seen|: the last one seen before, or 0: all were. */
static void message_of_8(struct pair *p, uint32_t first, uint32_t seen)
{
	struct scene *s = p->scene;
	uint32_t last = first + 7, next = seen ? seen + 1 : last + 1;

	request(p, OP_WRITE_FIRST, first);
	last_packet(s)->dma_len = 8 * PMTU;
	for (uint32_t psn = first + 1; psn < last && psn < next; psn++)
		request(p, OP_WRITE_MIDDLE, psn);
	if (seen) {
		pause_ns(s, TIMEOUT);
		request(p, OP_WRITE_FIRST, first);
		last_packet(s)->dma_len = 8 * PMTU;
		pause_ns(s, REACT);
		ack(p, seen); /* a duplicate: where the receiver stands */
		for (uint32_t psn = first + 1; psn < last; psn++)
			request(p, OP_WRITE_MIDDLE, psn);
	}
	request(p, OP_WRITE_LAST, last);
	pause_ns(s, REACT);
	ack(p, last);
}

/* The rest of the first message of all: it may have been lost, or an ACK for a
 * part of it. */
static void rule_R13_rest_of_the_first_message(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	s->constant_ip_id = true;
	message_of_8(&p, 1, 5);

	const struct fact_recovery *c = only_recovery(scene_run(s, NULL));

	assert_int_equal(c->cause, CAUSE_UNKNOWN);
	assert_true(c->remaining & H(LOST_UP));
	assert_false(c->remaining & (H(LOST_DOWN) | H(REORDERED_DOWN)));
}

/* As much of it as was under way before is lost: its length is in its RETH. */
static void rule_R13_rest_of_a_message_is_counted(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	s->constant_ip_id = true;
	message_of_8(&p, 1, 0);
	message_of_8(&p, 9, 13);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 3, .down_max = ANY, .retransmitted = ANY,
	       .spurious = ANY, .timeouts = 1);
	assert_int_equal(only_recovery(r)->lost_min, 3);
	assert_int_equal(only_recovery(r)->lost_max, 3);
	assert_int_equal(first_event(r, EVENT_LOSS_UPSTREAM)->psn, 14);
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

/* Two READs of the same PSNs: whose responses these are is not known yet, so
 * that nothing shows that one of them was requested again.  The rest of it came
 * again, though, in one run. */
static void answer_again_unpaired(struct scene *s, bool same_ids)
{
	struct pair p[2];
	struct record *r;

	s->constant_ip_id = same_ids;
	for (uint32_t i = 0; i < 2; i++) {
		p[i] = pair(s, HOST_A, HOST_B, 0x31 + i, 0x42 - i);
		p[i].sport_a = p[i].sport_b = 49152;
		read_request(&p[i], 100, 40);
	}
	pause_ns(s, REACT);
	for (uint32_t k = 0; k < 40; k++)
		for (int i = 0; i < 2; i++) {
			read_response(&p[i], 100, 40, k);
			s->count -= !i && k == 20;
		}
	read_request(&p[0], 110, 30);
	read_request(&p[1], 140, 40);
	pause_ns(s, REACT);
	read_responses(&p[0], 110, 30);
	read_responses(&p[1], 140, 40);
	read_request(&p[0], 140, 40);
	pause_ns(s, REACT);
	read_responses(&p[0], 140, 40);
	r = scene_run(s, NULL);
	assert_int_equal(events_of(r, EVENT_REORDER), 0);
}

static void rule_R1_not_an_answer_that_comes_again(void **state)
{
	answer_again_unpaired(*state, false);
}

static void rule_R1_not_an_answer_that_comes_again_by_order(void **state)
{
	answer_again_unpaired(*state, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(rule_R3_loss_upstream_recovered_by_nak),
		SCENE_TEST(rule_R3_two_holes_in_one_window),
		SCENE_TEST(rule_R3_resend_lost_too),
		SCENE_TEST(rule_R3_hole_in_a_replay),
		SCENE_TEST(rule_R3_four_holes_in_a_replay),
		SCENE_TEST(rule_R10_a_timer_whose_head_is_lost_again),
		SCENE_TEST(rule_R12_or_R11_of_a_receiver_that_keeps),
		SCENE_TEST(rule_R1_not_an_answer_that_comes_again),
		SCENE_TEST(rule_R1_not_an_answer_that_comes_again_by_order),
		SCENE_TEST(rule_R3_hole_in_a_replay_naked_later),
		SCENE_TEST(rule_R4_loss_downstream_recovered_by_nak),
		SCENE_TEST(rule_R4_second_loss_inside_the_replay),
		SCENE_TEST(rule_R4_replay_at_its_own_pace),
		SCENE_TEST(rule_R5_corrupted_upstream),
		SCENE_TEST(rule_R6_collateral_is_not_loss),
		SCENE_TEST(rule_R10_timeout_retransmission),
		SCENE_TEST(rule_R11_ack_lost_data_arrived),
		SCENE_TEST(rule_R11_ack_lost_or_late),
		SCENE_TEST(rule_R12_tail_loss_downstream),
		SCENE_TEST(rule_R11_ack_of_a_full_window_lost),
		SCENE_TEST(rule_R11_no_ack_was_requested),
		SCENE_TEST(rule_R12_lost_behind_an_earlier_replay),
		SCENE_TEST(rule_R13_lost_from_an_earlier_replay),
		SCENE_TEST(rule_R13_rest_of_the_first_message),
		SCENE_TEST(rule_R13_rest_of_a_message_is_counted),
		SCENE_TEST(rule_R13_rest_of_a_message_lost_upstream),
		SCENE_TEST(rule_R13_loss_upstream_found_by_timeout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
