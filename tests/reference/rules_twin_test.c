/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pairs of stories that begin alike, one for each hypothesis, and differ in
 * what proves it.  Whoever takes the sign that both have for a proof is wrong
 * in one of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow/recovery/decide.h"
#include "scene.h"

enum { FAR = 20 * MS, SOON = 8 * MS };

/* Round trips of 20 ms, measured, and a timer of 10 ms: 8 packets are sent
 * again, and an ACK comes sooner than any before. */
static void impatient_sender(struct pair *p)
{
	struct scene *s = p->scene;

	for (uint32_t psn = 1; psn <= 10; psn++) {
		DATA(p, psn);
		last_packet(s)->flags |= PACKET_ACKREQ;
		pause_ns(s, FAR);
		ack(p, psn);
	}
	data_run(p, 11, 18);
	pause_ns(s, FAR - SOON);
	data_run(p, 11, 18);
	pause_ns(s, SOON);
	ack(p, 14);
	pause_ns(s, 100 * US);
	ack(p, 18);
}

/* Every duplicate is acknowledged once more: all had arrived. */
static void twin_acks_later_than_the_timer(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	impatient_sender(&p);
	data_run(&p, 19, 20);
	pause_ns(s, FAR - SOON);
	for (uint32_t psn = 11; psn <= 18; psn++)
		ack(&p, 18);
	pause_ns(s, FAR);
	ack(&p, 20);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .down_min = 0, .retransmitted = 8, .spurious = 8,
	       .timeouts = 1);
	assert_int_equal(only_recovery(r)->cause, CAUSE_ACK_LOSS);
	assert_int_equal(TOTAL(r, ack_lost), 0);
	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 0);
}

/* The round trip has become shorter; no duplicate arrived. */
static void twin_data_lost_and_a_shorter_round_trip(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	impatient_sender(&p);
	data_run(&p, 19, 20);
	pause_ns(s, SOON);
	ack(&p, 20);
	pause_ns(s, 3 * FAR);
	data_run(&p, 21, 22);
	pause_ns(s, SOON);
	ack(&p, 22);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .down_min = 1, .down_max = ANY,
	       .retransmitted = 8, .timeouts = 1);
	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_DOWNSTREAM);
}

/* NAK for 3, acknowledged with no further transmission of 3. */
static void twin_naked_once_and_late(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2, 3, 4, 5);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	ack(&p, 5);
	data_run(&p, 6, 8);
	pause_ns(s, REACT);
	ack(&p, 8);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(events_of(r, EVENT_REORDER), 1);
}

/* The same NAK for 4, whose second transmission was under way already: it is
 * what arrived. */
static void twin_naked_while_its_copy_was_under_way(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2, 3, 4, 5);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3, 4, 5);
	nak(&p, 4);
	pause_ns(s, REACT);
	ack(&p, 5);
	data_run(&p, 6, 8);
	pause_ns(s, REACT);
	ack(&p, 8);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(events_of(r, EVENT_REORDER), 0);
	assert_int_equal(r->recoveries[0].cause, CAUSE_LOSS_DOWNSTREAM);
}

/* A replay stops behind 5; what follows has been acknowledged to there. */
static void half_a_replay(struct pair *p)
{
	struct scene *s = p->scene;

	data_run(p, 1, 12);
	pause_ns(s, REACT);
	nak(p, 3);
	pause_ns(s, REACT);
	data_run(p, 3, 5);
}

static void the_other_half(struct pair *p)
{
	struct scene *s = p->scene;

	pause_ns(s, REACT);
	ack(p, 5);
	pause_ns(s, TIMEOUT);
	data_run(p, 6, 12);
	pause_ns(s, REACT);
	ack(p, 12);
	data_run(p, 13, 40);
	pause_ns(s, REACT);
	ack(p, 40);
}

/* Nothing was sent in the silence: the queue pair was not scheduled. */
static void twin_sender_idle_inside_its_replay(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	half_a_replay(&p);
	the_other_half(&p);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 0, .down_min = 1, .down_max = ANY,
	       .retransmitted = 10, .timeouts = ANY);
	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 0);
}

/* Its rest was sent, and never came by: told as the one or the other, for a
 * sender has other queue pairs, too. */
static void twin_rest_of_a_replay_lost_upstream(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	half_a_replay(&p);
	for (uint32_t psn = 6; psn <= 12; psn++)
		unseen(&p, psn);
	the_other_half(&p);

	struct record *r = scene_run(s, NULL);
	bool open = false;

	for (size_t i = 0; i < r->n_recoveries; i++)
		open |= r->recoveries[i].remaining & H(LOST_UP) &&
			r->recoveries[i].psn == 6;
	assert_true(open);
}

/* The response to 2 comes behind that to 3 ... */
static void two_of_three_atomics(struct pair *p)
{
	for (uint32_t psn = 1; psn <= 3; psn++)
		request(p, OP_FETCH_ADD, psn);
	pause_ns(p->scene, REACT);
	atomic_ack(p, 1);
	atomic_ack(p, 3);
}

/* ... without being asked for: it was overtaken. */
static void twin_atomic_response_overtaken(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s), q = pair_reversed(&p);

	two_of_three_atomics(&p);
	atomic_ack(&p, 2);
	request(&p, OP_FETCH_ADD, 4);
	pause_ns(s, REACT);
	atomic_ack(&p, 4);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &q), .reordered = 1, .extent = 1);
	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 0);
}

/* ... when it is asked for once more: it was lost. */
static void twin_atomic_response_lost(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s), q = pair_reversed(&p);

	two_of_three_atomics(&p);
	pause_ns(s, REACT);
	request(&p, OP_FETCH_ADD, 2);
	request(&p, OP_FETCH_ADD, 3);
	pause_ns(s, REACT);
	atomic_ack(&p, 2);
	atomic_ack(&p, 3);
	request(&p, OP_FETCH_ADD, 4);
	pause_ns(s, REACT);
	atomic_ack(&p, 4);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &q), .up = 1, .retransmitted = 2);
	assert_int_equal(events_of(r, EVENT_REORDER), 0);
	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_UPSTREAM);
}

/* 3 is lost behind the tap; its receiver says so twice. */
static void two_naks(struct pair *p)
{
	struct scene *s = p->scene;

	data_run(p, 1, 20);
	pause_ns(s, REACT);
	nak(p, 3);
	nak(p, 3);
	pause_ns(s, REACT);
	data_run(p, 3, 20);
}

static void no_more_than_one_loss(struct record *r, struct pair *p)
{
	EXPECT(flow_of(r, p), .down_min = 1, .down_max = ANY,
	       .retransmitted = 36, .spurious = ANY, .timeouts = ANY);
}

/* The sender goes back for each, the second time when it is through. */
static void twin_two_naks_two_replays(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	two_naks(&p);
	data_run(&p, 3, 20);
	pause_ns(s, REACT);
	ack(&p, 20);

	struct record *r = scene_run(s, NULL);

	no_more_than_one_loss(r, &p);
	assert_int_equal(flow_of(r, &p)->timeouts, 0);
	assert_int_equal(TOTAL(r, ack_lost), 0);
}

/* The ACK of its replay is lost, and its timer runs out. */
static void twin_two_naks_and_a_timer(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	two_naks(&p);
	pause_ns(s, TIMEOUT);
	DATA(&p, 3);
	pause_ns(s, REACT);
	ack(&p, 20);
	data_run(&p, 4, 20);
	data_run(&p, 21, 22);
	pause_ns(s, REACT);
	ack(&p, 22);

	struct record *r = scene_run(s, NULL);

	no_more_than_one_loss(r, &p);
	assert_int_equal(flow_of(r, &p)->timeouts, 1);
}

/* A NAK for 3, which the sender reacts to after 600 us, and its replay behind
 * |head|; 3 itself comes by when the timer has run out. */
static void slow_replay_for_3(struct pair *p, uint32_t head)
{
	struct scene *s = p->scene;

	for (uint32_t psn = 0x100; psn < 0x108; psn++) {
		DATA(p, psn);
		last_packet(s)->flags |= PACKET_ACKREQ;
		pause_ns(s, REACT);
		ack(p, psn);
	}
	data_run(p, 0x108, 0x10a);
	unseen(p, 0x10b);
	data_run(p, 0x10c, 0x110);
	pause_ns(s, REACT);
	nak(p, 0x10b);
	pause_ns(s, 600 * US);
	for (uint32_t psn = 0x10b; psn < head; psn++)
		unseen(p, psn);
	data_run(p, head, 0x110);
	pause_ns(s, TIMEOUT);
}

/* The retransmission that was asked for is lost: no timer ran out before the
 * replay, one does behind it. */
static void twin_head_of_the_replay_lost(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	slow_replay_for_3(&p, 0x10c);
	data_run(&p, 0x10b, 0x110);
	pause_ns(s, REACT);
	ack(&p, 0x110);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 1, .retransmitted = 11, .timeouts = 1);
	assert_int_equal(r->recoveries[0].trigger, TRIGGER_NAK);
	assert_int_equal(r->recoveries[0].cause, CAUSE_LOSS_UPSTREAM);
}

/* It comes by, the ACK is lost beyond the tap. */
static void twin_whole_replay_then_a_timer(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	slow_replay_for_3(&p, 0x10b);
	ack(&p, 0x110);
	pause_ns(s, TIMEOUT);
	data_run(&p, 0x10f, 0x110);
	pause_ns(s, REACT);
	ack(&p, 0x110);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 1, .retransmitted = 8, .timeouts = 1,
	       .spurious = 2);
	assert_int_equal(r->recoveries[0].trigger, TRIGGER_NAK);
	assert_int_equal(r->recoveries[1].cause, CAUSE_ACK_LOSS);
}

/* Two queue pairs use the same PSNs; 0x20003 of the first is lost before the
 * tap, the NAK for it names a packet of the second as well. */
static void twin_nak_names_a_packet_of_another_qp(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	struct pair q = pair(s, HOST_A, HOST_B, 0x21, 0x22);

	p.sport_a = p.sport_b = q.sport_a = q.sport_b = 0xc000;
	data_run(&q, 0x20001, 0x20008);
	data_run(&p, 0x20001, 0x20002);
	unseen(&p, 0x20003);
	data_run(&p, 0x20004, 0x20006);
	pause_ns(s, REACT);
	nak(&p, 0x20003);
	pause_ns(s, REACT);
	data_run(&p, 0x20003, 0x20020);
	pause_ns(s, REACT);
	ack(&p, 0x20020);
	data_run(&q, 0x20009, 0x20010);
	pause_ns(s, REACT);
	ack(&q, 0x20010);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 1, .retransmitted = 4);
	EXPECT(flow_of(r, &q), .up = 0);
	assert_int_equal(flow_of(r, &p)->src_qp, 0x11);
	assert_int_equal(flow_of(r, &q)->src_qp, 0x21);
}

/* The sender falls silent inside a message of 16, all of which that passed is
 * acknowledged, and begins behind it when its timer has run out. */
static void silent_inside_a_message(struct pair *p, bool sent)
{
	struct scene *s = p->scene;

	write_message(p, 1, 12);
	pause_ns(s, REACT);
	ack(p, 12);
	pause_ns(s, REACT);
	request(p, OP_WRITE_FIRST, 13);
	for (uint32_t psn = 14; psn <= 17; psn++)
		request(p, OP_WRITE_MIDDLE, psn);
	pause_ns(s, REACT);
	ack(p, 17);
	for (uint32_t psn = 18; sent && psn <= 20; psn++)
		unseen(p, psn);
	pause_ns(s, TIMEOUT);
	for (uint32_t psn = 16; psn <= 19; psn++)
		request(p, OP_WRITE_MIDDLE, psn);
	pause_ns(s, REACT);
	ack(p, 17);
	request(p, OP_WRITE_LAST, 20);
	pause_ns(s, REACT);
	ack(p, 20);
	data_run(p, 21, 30);
	pause_ns(s, REACT);
	ack(p, 30);
}

/* Three packets were sent in the silence, and lost before the tap. */
static void twin_rest_of_a_message_lost_upstream(void **state)
{
	struct pair p = usual(*state);

	silent_inside_a_message(&p, true);

	struct record *r = scene_run(*state, NULL);

	assert_int_equal(flow_of(r, &p)->lost_upstream, 1);
	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_UPSTREAM);
}

/* Nothing was sent: it was paused or not scheduled, and its timer ran. */
static void twin_sender_paused_inside_a_message(void **state)
{
	struct pair p = usual(*state);

	silent_inside_a_message(&p, false);

	struct record *r = scene_run(*state, NULL);

	assert_int_equal(flow_of(r, &p)->lost_upstream, 0);
	assert_int_equal(only_recovery(r)->cause, CAUSE_ACK_LOSS);
}

/* Nothing tells a request lost downstream from its response lost upstream. */
static void twin_request_or_response_lost(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	const struct fact_recovery *c;

	read_request(&p, 1, 1);
	pause_ns(s, FAR);
	read_request(&p, 1, 1);
	pause_ns(s, REACT);
	read_responses(&p, 1, 1);

	struct record *r = scene_run(s, NULL);

	c = only_recovery(r);
	assert_int_equal(c->cause, CAUSE_UNKNOWN);
	assert_int_equal(c->trigger, TRIGGER_TIMEOUT);
	assert_true(c->remaining & H(LOST_DOWN));
	assert_true(c->remaining & H(RESPONSE_UP));
	assert_int_equal(TOTAL(r, lost_downstream_min), 0);
}

/* A READ of one response, and the first packet of the next message is reordered
 * by 0.3 us; or it is lost, and a timer brings it. */
static void behind_a_read(struct pair *p, bool lost)
{
	struct scene *s = p->scene;
	uint16_t second;

	read_request(p, 1, 1);
	pause_ns(s, REACT);
	read_responses(p, 1, 1);
	second = reordered(p);
	DATA(p, 3);
	if (lost) {
		pause_ns(s, FAR);
		DATA(p, 2, 3);
	} else {
		late(p, 2, second);
	}
	pause_ns(s, REACT);
	ack(p, 3);
	DATA(p, 4);
	pause_ns(s, REACT);
	ack(p, 4);
}

static void twin_first_packet_behind_a_read_reordered(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	behind_a_read(&p, false);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_recoveries, 0);
	assert_int_equal(flow_of(r, &p)->reordered, 1);
	assert_int_equal(flow_of(r, &p)->timeouts, 0);
}

static void twin_first_packet_behind_a_read_lost(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	behind_a_read(&p, true);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_UPSTREAM);
	assert_int_equal(only_recovery(r)->trigger, TRIGGER_TIMEOUT);
	assert_int_equal(flow_of(r, &p)->lost_upstream, 1);
	assert_int_equal(flow_of(r, &p)->reordered, 0);
}

/* READs take 250 us, their timer 300 us or much longer; of the second the
 * response passes |took| before it is requested once more. */
static void read_once_more(struct pair *p, int64_t took)
{
	struct scene *s = p->scene;

	read_request(p, 1, 1);
	pause_ns(s, 150 * US);
	read_responses(p, 1, 1);
	pause_ns(s, 200 * US);
	read_request(p, 2, 1);
	pause_ns(s, 150 * US);
	read_responses(p, 2, 1);
	pause_ns(s, took);
	read_request(p, 2, 1);
	pause_ns(s, 150 * US);
	read_responses(p, 2, 1);
}

/* It may have been under way to the requester still. */
static void twin_response_slower_than_the_timer(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s), q = pair_reversed(&p);

	read_once_more(&p, 150 * US);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(only_recovery(r)->cause, CAUSE_UNKNOWN);
	assert_true(only_recovery(r)->remaining & H(ACK_LATE));
	assert_true(only_recovery(r)->remaining & H(RESPONSE_DOWN));
	assert_int_equal(flow_of(r, &q)->lost_downstream_min, 0);
}

/* It had passed long before. */
static void twin_response_lost_downstream(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s), q = pair_reversed(&p);

	read_once_more(&p, TIMEOUT);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_DOWNSTREAM);
	assert_int_equal(flow_of(r, &q)->lost_downstream_min, 1);
}

/* Without IP identifications: 3 comes late, |took| behind 4.  Then a NAK for
 * 23, and a replay that brings 23 and 25 for the first time, |later|. */
static void late_and_two_holes(struct pair *p, int64_t later)
{
	struct scene *s = p->scene;

	s->constant_ip_id = true;
	DATA(p, 1, 2, 4);
	pause_ns(s, 20 * US);
	DATA(p, 3);
	data_run(p, 5, 20);
	pause_ns(s, REACT);
	ack(p, 20);
	DATA(p, 21, 22, 24, 26);
	nak(p, 23);
	pause_ns(s, later);
	data_run(p, 23, 26);
	pause_ns(s, REACT);
	ack(p, 26);
}

/* No later than 3 was: originals, perhaps. */
static void twin_holes_filled_as_soon_as_others_came_late(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	late_and_two_holes(&p, 20 * US);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(flow_of(r, &p)->lost_upstream, 0);
	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 0);
}

static void twin_holes_filled_much_later(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	late_and_two_holes(&p, MS);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(flow_of(r, &p)->lost_upstream, 2);
}

/* A sender that writes no identifications sends the same bytes 20 us after its
 * first, again and again, as its NAKs ask for it. */
static void twin_replays_of_the_same_bytes(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	s->constant_ip_id = true;
	for (uint32_t psn = 1; psn < 200; psn += 8) {
		data_run(&p, psn, psn + 7);
		for (unsigned k = 0; k < 4; k++) {
			nak(&p, psn + k);
			pause_ns(s, 10 * US);
			data_run(&p, psn + k, psn + 7);
		}
		pause_ns(s, REACT);
		ack(&p, psn + 7);
	}

	struct record *r = scene_run(s, NULL);

	assert_int_equal(TOTAL(r, mirror_duplicates), 0);
	assert_int_equal(flow_of(r, &p)->retransmitted, 25 * (8 + 7 + 6 + 5));
}

/* The mirror doubles all of it. */
static void twin_all_bytes_doubled_by_the_mirror(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	s->constant_ip_id = true;
	for (uint32_t psn = 1; psn <= 200; psn++) {
		DATA(&p, psn);
		duplicate(s, US);
	}
	nak(&p, 195);
	duplicate(s, US);
	pause_ns(s, 100 * US);
	for (uint32_t psn = 195; psn <= 200; psn++) {
		DATA(&p, psn);
		duplicate(s, US);
	}
	pause_ns(s, REACT);
	ack(&p, 200);
	duplicate(s, US);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(flow_of(r, &p)->mirror_duplicates, 206);
	assert_int_equal(flow_of(r, &p)->retransmitted, 6);
}

/* 12 of 10 to 20 is lost, and goes back within 20 us; or the network doubles it
 * and what follows.  The NAK comes before anything tells whose it is: the first
 * PSNs, two connections, and ports that tell nothing. */
static const struct record *early_replay(struct scene *s, struct pair *p,
					 bool naked)
{
	struct pair q = pair(s, HOST_A, HOST_B, 0x21, 0x22);

	*p = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	p->sport_a = p->sport_b = q.sport_a = q.sport_b = 0xc000;
	s->constant_ip_id = true;
	s->step = US;
	DATA(&q, 100);
	data_run(p, 10, 20);
	pause_ns(s, 10 * US);
	if (naked)
		nak(p, 12);
	pause_ns(s, 10 * US);
	data_run(p, 12, 20);
	for (uint32_t psn = 21; psn < 30; psn++) {
		pause_ns(s, 10 * US);
		ack(p, psn - 1);
		DATA(p, psn);
	}
	return scene_run(s, NULL);
}

static void twin_gone_back_before_the_pairing(void **state)
{
	struct pair p;
	const struct record *r = early_replay(*state, &p, true);

	assert_int_equal(flow_of(r, &p)->src_qp, 0x11);
	assert_int_equal(TOTAL(r, duplicates), 0);
	assert_int_equal(flow_of(r, &p)->retransmitted, 9);
	assert_int_equal(flow_of(r, &p)->nak_seq, 1);
}

static void twin_doubled_before_the_pairing(void **state)
{
	struct pair p;
	const struct record *r = early_replay(*state, &p, false);

	assert_int_equal(TOTAL(r, duplicates) + TOTAL(r, mirror_duplicates), 9);
	assert_int_equal(flow_of(r, &p)->retransmitted, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(twin_acks_later_than_the_timer),
		SCENE_TEST(twin_data_lost_and_a_shorter_round_trip),
		SCENE_TEST(twin_naked_once_and_late),
		SCENE_TEST(twin_naked_while_its_copy_was_under_way),
		SCENE_TEST(twin_sender_idle_inside_its_replay),
		SCENE_TEST(twin_rest_of_a_replay_lost_upstream),
		SCENE_TEST(twin_atomic_response_overtaken),
		SCENE_TEST(twin_atomic_response_lost),
		SCENE_TEST(twin_two_naks_two_replays),
		SCENE_TEST(twin_two_naks_and_a_timer),
		SCENE_TEST(twin_head_of_the_replay_lost),
		SCENE_TEST(twin_whole_replay_then_a_timer),
		SCENE_TEST(twin_nak_names_a_packet_of_another_qp),
		SCENE_TEST(twin_request_or_response_lost),
		SCENE_TEST(twin_first_packet_behind_a_read_reordered),
		SCENE_TEST(twin_first_packet_behind_a_read_lost),
		SCENE_TEST(twin_rest_of_a_message_lost_upstream),
		SCENE_TEST(twin_sender_paused_inside_a_message),
		SCENE_TEST(twin_response_slower_than_the_timer),
		SCENE_TEST(twin_response_lost_downstream),
		SCENE_TEST(twin_holes_filled_as_soon_as_others_came_late),
		SCENE_TEST(twin_holes_filled_much_later),
		SCENE_TEST(twin_replays_of_the_same_bytes),
		SCENE_TEST(twin_all_bytes_doubled_by_the_mirror),
		SCENE_TEST(twin_gone_back_before_the_pairing),
		SCENE_TEST(twin_doubled_before_the_pairing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
