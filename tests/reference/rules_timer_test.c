/* SPDX-License-Identifier: GPL-2.0-or-later
 * More pairs of stories, one for each hypothesis: what a timeout is explained
 * by, and whose response it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow/recovery/decide.h"
#include "scene.h"

enum { FAR = 20 * MS };

/* NICs that write no IP identification.  Of two messages of 16 all that passed
 * is acknowledged; then the sender, silent in the middle of the second one,
 * begins again after its timer: at |from|. */
static void silent_without_identifications(struct pair *p, uint32_t from)
{
	struct scene *s = p->scene;

	s->constant_ip_id = true;
	write_message(p, 1, 16);
	pause_ns(s, REACT);
	ack(p, 16);
	request(p, OP_WRITE_FIRST, 17);
	for (uint32_t psn = 18; psn <= 22; psn++)
		request(p, OP_WRITE_MIDDLE, psn);
	pause_ns(s, REACT);
	ack(p, 22);
	pause_ns(s, TIMEOUT);
	for (uint32_t psn = from; psn <= 31; psn++)
		request(p, OP_WRITE_MIDDLE, psn);
	request(p, OP_WRITE_LAST, 32);
	pause_ns(s, REACT);
	ack(p, 32);
}

/* At a packet that had been acknowledged: the ACK did not reach it in time,
 * and nothing says that it had sent more. */
static void twin_timer_explained_by_an_ack(void **state)
{
	struct pair p = usual(*state);

	silent_without_identifications(&p, 19);

	struct record *r = scene_run(*state, NULL);

	assert_int_equal(flow_of(r, &p)->lost_upstream, 0);
	assert_int_equal(only_recovery(r)->cause, CAUSE_ACK_LOSS);
}

/* A receiver that keeps what comes behind a missing packet acknowledges all
 * that passed as soon as that one comes: 19, for which its NAK was in vain. */
static void naked_in_vain(struct pair *p, bool lost_upstream)
{
	struct scene *s = p->scene;

	s->constant_ip_id = true;
	write_message(p, 1, 16);
	pause_ns(s, REACT);
	ack(p, 16);
	request(p, OP_WRITE_FIRST, 17);
	request(p, OP_WRITE_MIDDLE, 18);
	if (lost_upstream)
		unseen(p, 19);
	else
		request(p, OP_WRITE_MIDDLE, 19);
	for (uint32_t psn = 20; psn <= 24; psn++)
		request(p, OP_WRITE_MIDDLE, psn);
	nak(p, 19);
	pause_ns(s, TIMEOUT);
	request(p, OP_WRITE_MIDDLE, 18);
	request(p, OP_WRITE_MIDDLE, 19);
	ack(p, 24);
	for (uint32_t psn = 20; psn <= 31; psn++)
		request(p, OP_WRITE_MIDDLE, psn);
	request(p, OP_WRITE_LAST, 32);
	pause_ns(s, REACT);
	ack(p, 32);
}

/* The hole explains the timer; behind it nothing more was lost. */
static void twin_timer_explained_by_a_hole(void **state)
{
	struct pair p = usual(*state);

	naked_in_vain(&p, true);

	struct record *r = scene_run(*state, NULL);

	assert_int_equal(flow_of(r, &p)->lost_upstream, 1);
	assert_int_equal(first_event(r, EVENT_LOSS_UPSTREAM)->psn, 19);
}

static void twin_timer_and_no_hole(void **state)
{
	struct pair p = usual(*state);

	naked_in_vain(&p, false);

	struct record *r = scene_run(*state, NULL);

	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 0);
	assert_int_equal(flow_of(r, &p)->lost_upstream, 0);
}

/* Both hosts send.  |a|, whose NIC counts its identifications up, sends six
 * packets of a message of 16, then another one that never gets here, or none,
 * and acknowledges what |b| sends; then, after its timer, begins again. */
static void silent_between_answers(struct pair *p, bool lost_upstream)
{
	struct scene *s = p->scene;
	struct pair back = pair_reversed(p);

	write_message(p, 1, 16);
	pause_ns(s, REACT);
	ack(p, 16);
	DATA(&back, 1);
	ack(&back, 1);
	request(p, OP_WRITE_FIRST, 17);
	for (uint32_t psn = 18; psn <= 22; psn++)
		request(p, OP_WRITE_MIDDLE, psn);
	last_packet(s)->flags |= PACKET_ACKREQ;
	if (lost_upstream)
		unseen(p, 23);
	DATA(&back, 2);
	ack(&back, 2);
	pause_ns(s, TIMEOUT);
	request(p, OP_WRITE_FIRST, 17);
	pause_ns(s, REACT);
	ack(p, 22); /* a duplicate: where the receiver stands */
	for (uint32_t psn = 18; psn <= 31; psn++)
		request(p, OP_WRITE_MIDDLE, psn);
	request(p, OP_WRITE_LAST, 32);
	pause_ns(s, REACT);
	ack(p, 32);
}

/* The identification of the packet that did not come is missing before that of
 * the ACK, not before that of the retransmission. */
static void twin_timer_and_an_identification_missing_before(void **state)
{
	struct pair p = usual(*state);

	silent_between_answers(&p, true);

	struct record *r = scene_run(*state, NULL);

	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_UPSTREAM);
	assert_int_equal(flow_of(r, &p)->lost_upstream, 1);
	assert_int_equal(TOTAL(r, ack_lost), 0);
}

static void twin_timer_and_all_identifications_seen(void **state)
{
	struct pair p = usual(*state);

	silent_between_answers(&p, false);

	struct record *r = scene_run(*state, NULL);

	assert_int_equal(only_recovery(r)->cause, CAUSE_ACK_LOSS);
	assert_int_equal(flow_of(r, &p)->lost_upstream, 0);
}

/* A window of four packets, all of them under way inside a message when the ACK
 * is lost; of what the sender repeats the first packet is not seen here. */
static void window_full(struct scene *s, struct pair *p)
{
	s->constant_ip_id = true;
	request(p, OP_WRITE_FIRST, 1);
	for (uint32_t psn = 2; psn <= 31; psn++) {
		request(p, OP_WRITE_MIDDLE, psn);
		if (psn % 4)
			continue;
		if (psn == 20) {
			pause_ns(s, TIMEOUT);
			unseen(p, 17);
			for (uint32_t again = 18; again <= 20; again++)
				request(p, OP_WRITE_MIDDLE, again);
		}
		pause_ns(s, REACT);
		ack(p, psn);
		pause_ns(s, REACT);
	}
	request(p, OP_WRITE_LAST, 32);
	pause_ns(s, REACT);
	ack(p, 32);
}

/* The sender had no room for another packet that could have been lost. */
static void twin_timer_and_no_room(void **state)
{
	struct pair p = usual(*state);

	window_full(*state, &p);

	struct record *r = scene_run(*state, NULL);

	assert_int_equal(flow_of(r, &p)->timeouts, 1);
	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 0);
}

/* Two connections read |n| packets each, with ports that tell nothing.  The
 * first request of one passed before the capture began; the other one's is at
 * |other|. */
static void two_readers(struct scene *s, uint32_t n, uint32_t other,
			struct pair *p, struct pair *q)
{
	enum { AT = 0x20000 };

	*p = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	*q = pair(s, HOST_A, HOST_B, 0x21, 0x22);
	p->sport_a = p->sport_b = q->sport_a = q->sport_b = 0xc000;
	ends_before(p, AT + n - 1);
	read_request(q, other, n);
	pause_ns(s, REACT);
	read_responses(p, AT, n);
	pause_ns(s, REACT);
	read_responses(q, other, n);
	pause_ns(s, REACT);
	read_request(p, AT + n, n);
	pause_ns(s, REACT);
	read_responses(p, AT + n, n);
}

/* A response of the first has the PSN of the second's request. */
static void twin_response_with_the_psn_of_another_read(void **state)
{
	struct scene *s = *state;
	struct pair p, q;

	two_readers(s, 4, 0x20002, &p, &q);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(flow_of(r, &p)->src_qp, 0x11);
	assert_int_equal(flow_of(r, &q)->src_qp, 0x21);
	assert_int_equal(TOTAL(r, capture_missing), 0);
}

static void twin_reads_of_other_psns(void **state)
{
	struct scene *s = *state;
	struct pair p, q;

	two_readers(s, 4, 0x30000, &p, &q);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(flow_of(r, &p)->src_qp, 0x11);
	assert_int_equal(flow_of(r, &q)->src_qp, 0x21);
	assert_int_equal(TOTAL(r, capture_missing), 0);
}

/* The first READ of a connection, or, |proven|, the first behind one that was
 * answered in time.  Responses 2 and 3 pass, and the requester
 * asks again after its timer. */
static void first_read(struct pair *p, bool proven, bool first_passes)
{
	struct scene *s = p->scene;
	uint32_t at = proven ? 2 : 1;

	if (proven) {
		read_request(p, 1, 1);
		pause_ns(s, REACT);
		read_responses(p, 1, 1);
	}
	read_request(p, at, 3);
	pause_ns(s, REACT);
	for (uint32_t k = first_passes ? 0 : 1; k < 3; k++)
		read_response(p, at, 3, k);
	pause_ns(s, FAR);
	read_request(p, at, 3);
	pause_ns(s, REACT);
	read_responses(p, at, 3);
	DATA(p, at + 3);
	pause_ns(s, REACT);
	ack(p, at + 3);
}

/* READs of two responses one after the other, each asked for once more 7 us
 * after they passed, and after as long as all others: before any of them can
 * have been received, if it is the timer's time. */
static void rule_R16_no_response_was_ever_in_time(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	s->step = 200;
	for (uint32_t psn = 1; psn <= 21; psn += 2) {
		read_request(&p, psn, 2);
		pause_ns(s, 60 * US);
		read_responses(&p, psn, 2);
		pause_ns(s, 7 * US);
		read_request(&p, psn, 2);
		pause_ns(s, 60 * US);
		read_responses(&p, psn, 2);
		pause_ns(s, 10 * US);
	}

	struct record *r = scene_run(s, NULL);

	assert_int_equal(TOTAL(r, lost_downstream_min), 0);
	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 0);
}

static void twin_first_response_of_all_lost_upstream(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	first_read(&p, false, false);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_UPSTREAM);
	assert_int_equal(reverse_of(r, &p)->lost_upstream, 1);
	assert_int_equal(reverse_of(r, &p)->lost_downstream_max, 0);
}

static void twin_first_response_lost_downstream(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	first_read(&p, true, true);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_DOWNSTREAM);
	assert_int_equal(reverse_of(r, &p)->lost_upstream, 0);
	assert_int_equal(reverse_of(r, &p)->lost_downstream_min, 1);
}

/* Nothing had come in time before: the way to the requester may be slower than
 * its timer. */
static void twin_first_response_of_all_lost_or_slow(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	first_read(&p, false, true);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(only_recovery(r)->cause, CAUSE_UNKNOWN);
	assert_true(only_recovery(r)->remaining & H(ACK_LATE));
	assert_true(only_recovery(r)->remaining & H(RESPONSE_DOWN));
	assert_int_equal(reverse_of(r, &p)->lost_downstream_min, 0);
}

/* The last response to the first READ of a connection is lost before the path
 * MTU is known; two connections whose ports tell nothing, so that it is not
 * known either whose the responses are.  No MTU makes 3 packets of 4 KiB. */
static void rest_of_a_read_asked_for_again(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	struct pair q = pair(s, HOST_A, HOST_B, 0x21, 0x22);
	struct record *r;

	p.sport_a = p.sport_b = q.sport_a = q.sport_b = 0xc000;
	read_request(&p, 1, 4);
	read_request(&q, 1, 1);
	pause_ns(s, REACT);
	for (uint32_t k = 0; k < 3; k++)
		read_response(&p, 1, 4, k);
	read_responses(&q, 1, 1);
	pause_ns(s, TIMEOUT);
	read_request(&p, 4, 1);
	pause_ns(s, REACT);
	read_responses(&p, 4, 1);
	for (uint32_t psn = 5; psn < 50; psn += 4) {
		read_request(&p, psn, 4);
		pause_ns(s, REACT);
		read_responses(&p, psn, 4);
	}
	r = scene_run(s, NULL);
	assert_int_equal(flow_of(r, &p)->src_qp, 0x11);
	assert_int_equal(flow_of(r, &p)->timeouts, 1);
	assert_int_equal(flow_of(r, &p)->retransmitted, 1);
	assert_int_equal(TOTAL(r, capture_missing), 0);
	assert_int_equal(only_recovery(r)->psn, 4);
	assert_int_equal(only_recovery(r)->trigger, TRIGGER_TIMEOUT);
	assert_true(only_recovery(r)->remaining & H(RESPONSE_UP));
}

/* Of three READs of one response each the first two are answered; then all are
 * requested again, too soon for a requester far away to know of the second
 * response. */
static void repeated_behind_another(struct pair *p, uint32_t psn)
{
	struct scene *s = p->scene;

	for (uint32_t i = 0; i < 3; i++)
		read_request(p, psn + i, 1);
	pause_ns(s, 20 * US);
	read_responses(p, psn, 1);
	read_responses(p, psn + 1, 1);
	pause_ns(s, 20 * US);
	for (uint32_t i = 0; i < 3; i++)
		read_request(p, psn + i, 1);
	read_responses(p, psn + 2, 1);
	pause_ns(s, 20 * US);
	for (uint32_t i = 0; i < 3; i++)
		read_responses(p, psn + i, 1);
	pause_ns(s, REACT);
}

/* Its timer may be shorter than the way: that was so of all that it requested
 * before.  Nothing need have been lost. */
static void twin_timer_shorter_than_the_way(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s), q = pair_reversed(&p);

	for (uint32_t psn = 1; psn < 12; psn += 3)
		repeated_behind_another(&p, psn);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(flow_of(r, &q)->lost_downstream_min, 0);
	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 0);
	assert_int_equal(events_of(r, EVENT_IMPLIED_NAK), 0);
	for (size_t i = 0; i < r->n_recoveries; i++) {
		assert_int_equal(r->recoveries[i].trigger, TRIGGER_UNKNOWN);
		assert_int_equal(r->recoveries[i].cause, CAUSE_UNKNOWN);
	}
}

/* What it requested before came in time. */
static void twin_timer_longer_than_the_way(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s), q = pair_reversed(&p);

	for (uint32_t psn = 1; psn < 9; psn++) {
		read_request(&p, psn, 1);
		read_responses(&p, psn, 1);
	}
	repeated_behind_another(&p, 9);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(flow_of(r, &q)->lost_downstream_min, 1);
	assert_int_equal(events_of(r, EVENT_IMPLIED_NAK), 1);
	assert_int_equal(only_recovery(r)->trigger, TRIGGER_IMPLIED_NAK);
	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_DOWNSTREAM);
}

/* The first packet of a replay is lost upstream, and repeated |later|. */
static struct record *replay_without_head(struct scene *s, struct pair *p,
					  int64_t later)
{
	for (uint32_t psn = 1; psn < 9; psn++) {
		DATA(p, psn);
		last_packet(s)->flags |= PACKET_ACKREQ;
		pause_ns(s, REACT);
		ack(p, psn);
	}
	DATA(p, 9, 10);
	pause_ns(s, REACT);
	nak(p, 9);
	data_run(p, 11, 15);
	pause_ns(s, REACT);
	unseen(p, 9);
	data_run(p, 10, 15);
	pause_ns(s, later);
	data_run(p, 9, 15);
	pause_ns(s, REACT);
	ack(p, 15);
	return scene_run(s, NULL);
}

/* A NAK says what was lost behind this point; then a timer, shorter than
 * senders may take to react to NAKs, repairs what was lost before it. */
static void rule_R10_a_timer_behind_a_replay_without_head(void **state)
{
	struct pair p = usual(*state);
	struct record *r = replay_without_head(*state, &p, 600 * US);

	EXPECT(flow_of(r, &p), .up = 1, .down_min = 1, .down_max = ANY,
	       .retransmitted = 13, .timeouts = 1);
	assert_int_equal(r->n_recoveries, 2);
	assert_int_equal(r->recoveries[0].psn, 9);
	assert_int_equal(r->recoveries[0].trigger, TRIGGER_NAK);
	assert_int_equal(r->recoveries[0].cause, CAUSE_LOSS_DOWNSTREAM);
	assert_int_equal(r->recoveries[1].psn, 9);
	assert_int_equal(r->recoveries[1].trigger, TRIGGER_TIMEOUT);
	assert_int_equal(r->recoveries[1].cause, CAUSE_LOSS_UPSTREAM);
}

/* Each of |first|..|last| is acknowledged before the next is sent. */
static void acked_each(struct pair *p, uint32_t first, uint32_t last)
{
	for (uint32_t psn = first; psn <= last; psn++) {
		DATA(p, psn);
		last_packet(p->scene)->flags |= PACKET_ACKREQ;
		pause_ns(p->scene, REACT);
		ack(p, psn);
	}
}

/* 9 is named by a NAK, retransmitted, and repeated by a timer; behind it 12
 * never gets here, of which the sender does not know yet. */
static const struct fact_recovery *timer_for_9(struct scene *s, bool hole)
{
	struct pair p = usual(s);
	struct record *r;

	acked_each(&p, 1, 8);
	data_run(&p, 9, 11);
	if (hole)
		unseen(&p, 12);
	else
		DATA(&p, 12);
	data_run(&p, 13, 15);
	pause_ns(s, REACT);
	nak(&p, 9);
	pause_ns(s, REACT);
	DATA(&p, 9);
	pause_ns(s, TIMEOUT);
	DATA(&p, 9);
	pause_ns(s, REACT);
	ack(&p, hole ? 11 : 15);
	if (hole) {
		nak(&p, 12);
		pause_ns(s, REACT);
		DATA(&p, 12);
		pause_ns(s, REACT);
		ack(&p, 15);
	}
	r = scene_run(s, NULL);
	for (size_t i = 0; i < r->n_recoveries; i++)
		if (r->recoveries[i].trigger == TRIGGER_TIMEOUT)
			return &r->recoveries[i];
	fail();
	return NULL;
}

/* The receiver may have waited for 12, in silence. */
static void twin_a_hole_behind_explains_the_timer(void **state)
{
	const struct fact_recovery *c = timer_for_9(*state, true);

	assert_true(c->remaining & H(LOST_UP));
	assert_int_equal(c->lost_min, 0);
}

static void twin_nothing_behind_explains_the_timer(void **state)
{
	const struct fact_recovery *c = timer_for_9(*state, false);

	assert_false(c->remaining & H(LOST_UP));
}

/* 9 is lost behind the tap, and so is 14, which passes between the NAK and the
 * replay. */
static void rule_R4_the_most_goes_to_the_replay(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	data_run(&p, 1, 11);
	pause_ns(s, REACT);
	nak(&p, 9);
	data_run(&p, 12, 16);
	pause_ns(s, REACT);
	data_run(&p, 9, 16);
	pause_ns(s, REACT);
	ack(&p, 16);
	EXPECT(flow_of(scene_run(s, NULL), &p), .down_min = 1, .down_max = 8,
	       .retransmitted = 8);
}

/* The receiver keeps 10 and 11 while 9 is missing, and then names the READ 12,
 * which was sent |early|, while 9 was missing, or behind its retransmission. */
static const struct fact_recovery *read_named(struct scene *s, bool early)
{
	struct pair p = usual(s);
	struct record *r;

	acked_each(&p, 1, 8);
	DATA(&p, 9, 10, 11);
	pause_ns(s, REACT);
	nak(&p, 9);
	if (early)
		read_request(&p, 12, 1);
	pause_ns(s, REACT);
	DATA(&p, 9);
	if (!early)
		read_request(&p, 12, 1);
	DATA(&p, 13);
	pause_ns(s, REACT);
	ack(&p, 11);
	nak(&p, 12);
	pause_ns(s, REACT);
	read_request(&p, 12, 1);
	pause_ns(s, REACT);
	read_responses(&p, 12, 1);
	ack(&p, 13);
	r = scene_run(s, NULL);
	assert_int_equal(r->n_recoveries, 2);
	assert_int_equal(r->recoveries[1].psn, 12);
	return &r->recoveries[1];
}

/* Many receivers keep what is written, and no READs. */
static void twin_read_sent_while_an_earlier_one_was_missing(void **state)
{
	const struct fact_recovery *c = read_named(*state, true);

	assert_int_equal(c->cause, CAUSE_UNKNOWN);
	assert_true(c->remaining & H(TOO_EARLY));
	assert_true(c->remaining & H(LOST_DOWN));
}

static void twin_read_sent_when_nothing_was_missing(void **state)
{
	assert_int_equal(read_named(*state, false)->cause,
			 CAUSE_LOSS_DOWNSTREAM);
}

/* Without identifications: 3 is named, and 4 before the replay for 3 comes by.
 * No packet of it is a mirror duplicate. */
static void rule_R20_a_replay_for_the_nak_before_the_last(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	s->constant_ip_id = true;
	request(&p, OP_WRITE_FIRST, 1);
	for (uint32_t psn = 2; psn < 8; psn++)
		request(&p, OP_WRITE_MIDDLE, psn);
	pause_ns(s, 5 * US);
	nak(&p, 3);
	pause_ns(s, US);
	nak(&p, 4);
	pause_ns(s, US);
	for (uint32_t psn = 3; psn < 8; psn++)
		request(&p, OP_WRITE_MIDDLE, psn);
	pause_ns(s, REACT);
	ack(&p, 7);
	r = scene_run(s, NULL);
	assert_int_equal(flow_of(r, &p)->retransmitted, 5);
	assert_int_equal(events_of(r, EVENT_DUPLICATE), 0);
	assert_int_equal(events_of(r, EVENT_MIRROR_DUPLICATE), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(rule_R16_no_response_was_ever_in_time),
		SCENE_TEST(twin_first_response_of_all_lost_upstream),
		SCENE_TEST(twin_first_response_lost_downstream),
		SCENE_TEST(twin_first_response_of_all_lost_or_slow),
		SCENE_TEST(rest_of_a_read_asked_for_again),
		SCENE_TEST(twin_timer_explained_by_an_ack),
		SCENE_TEST(twin_timer_explained_by_a_hole),
		SCENE_TEST(twin_timer_and_no_hole),
		SCENE_TEST(twin_timer_and_no_room),
		SCENE_TEST(twin_timer_and_an_identification_missing_before),
		SCENE_TEST(twin_timer_and_all_identifications_seen),
		SCENE_TEST(twin_response_with_the_psn_of_another_read),
		SCENE_TEST(twin_reads_of_other_psns),
		SCENE_TEST(twin_timer_shorter_than_the_way),
		SCENE_TEST(twin_timer_longer_than_the_way),
		SCENE_TEST(rule_R10_a_timer_behind_a_replay_without_head),
		SCENE_TEST(twin_a_hole_behind_explains_the_timer),
		SCENE_TEST(twin_nothing_behind_explains_the_timer),
		SCENE_TEST(rule_R4_the_most_goes_to_the_replay),
		SCENE_TEST(twin_read_sent_while_an_earlier_one_was_missing),
		SCENE_TEST(twin_read_sent_when_nothing_was_missing),
		SCENE_TEST(rule_R20_a_replay_for_the_nak_before_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
