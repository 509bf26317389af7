/* SPDX-License-Identifier: GPL-2.0-or-later
 * The mistakes tools commonly make (section 12 of
 * reference/rocev2-and-analysis-rules.md), one test each.  Mistakes 9, 11,
 * 15, 16 and 19 need pause, balance, collectives or a report; 10 is checked
 * in tests/softroce. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene.h"

/* Both ends send and answer on the same QP pair: four PSN sequences on two
 * wires, A's requests from 100 and B's from 0x900000. */
static void mistake_01_one_sequence_for_requests_and_responses(void **state)
{
	struct scene *s = *state;
	struct pair ab = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	struct pair ba = pair_reversed(&ab);

	for (uint32_t i = 0; i < 20; i++) {
		DATA(&ab, 100 + i);
		DATA(&ba, 0x900000 + i);
		pause_ns(s, REACT);
		ack(&ab, 100 + i);
		ack(&ba, 0x900000 + i);
	}
	/* a READ response is data, and it counts in the requester's space */
	read_request(&ab, 120, 1);
	pause_ns(s, REACT);
	read_responses(&ab, 120, 1);
	DATA(&ba, 0x900014);
	DATA(&ab, 121);
	pause_ns(s, REACT);
	ack(&ba, 0x900014);
	ack(&ab, 121);

	struct record *r = scene_run(s, NULL);

	EXPECT_CLEAN(r);
	assert_int_equal(r->n_flows, 2);
	assert_int_equal(flow_of(r, &ab)->requests, 22);
	assert_int_equal(flow_of(r, &ab)->responses, 21);
	assert_int_equal(flow_of(r, &ba)->requests, 21);
	assert_int_equal(flow_of(r, &ba)->responses, 22);
}

/* A READ of 8 packets takes 8 PSNs. */
static void mistake_02_plus_one_after_a_read_request(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);

	write_message(&p, 10, 3);
	pause_ns(s, REACT);
	ack(&p, 12);
	for (uint32_t psn = 13; psn < 13 + 5 * 8; psn += 8) {
		read_request(&p, psn, 8);
		pause_ns(s, REACT);
		read_responses(&p, psn, 8);
	}
	DATA(&p, 53);
	pause_ns(s, REACT);
	ack(&p, 53);

	struct record *r = scene_run(s, NULL);

	EXPECT_CLEAN(r);
	assert_int_equal(flow_of(r, &p)->messages_completed, 7);
	/* PSNs 10 to 53 */
	assert_int_equal(flow_of(r, &p)->expected, 44);
}

/* The same while nothing yet has told the PMTU: no gap after the READ. */
static void mistake_02_read_of_unknown_span(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);

	read_request(&p, 13, 8);
	read_request(&p, 21, 8); /* both are outstanding at once */
	DATA(&p, 29);
	pause_ns(s, REACT);
	read_responses(&p, 13, 8);
	read_responses(&p, 21, 8);
	ack(&p, 29);

	EXPECT_CLEAN(scene_run(s, NULL));
}

static void mistake_03_no_wrap(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);

	data_run(&p, 0xfffff8, 0xfffffe);
	unseen(&p, 0xffffff);
	DATA(&p, 0, 1, 2);
	pause_ns(s, REACT);
	nak(&p, 0xffffff);
	pause_ns(s, REACT);
	DATA(&p, 0xffffff, 0, 1, 2, 3, 4);
	pause_ns(s, REACT);
	ack(&p, 4);
	/* and reordering across a wrap would be a huge extent */
	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 1, .down_max = ANY, .retransmitted = 4);
	assert_int_equal(first_event(r, EVENT_LOSS_UPSTREAM)->psn, 0xffffff);
	assert_int_equal(flow_of(r, &p)->expected, 13);
}

static void mistake_03_clean_wrap(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);

	for (uint32_t i = 0; i < 64; i++) {
		DATA(&p, 0xffffe0 + i);
		pause_ns(s, REACT);
		ack(&p, 0xffffe0 + i);
	}

	struct record *r = scene_run(s, NULL);

	EXPECT_CLEAN(r);
	assert_int_equal(flow_of(r, &p)->messages_completed, 64);
}

/* One loss, 21 packets sent again. */
static void mistake_04_every_retransmission_is_a_loss(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);

	data_run(&p, 1, 9);
	unseen(&p, 10);
	data_run(&p, 11, 30);
	nak(&p, 10);
	pause_ns(s, REACT);
	data_run(&p, 10, 40);
	pause_ns(s, REACT);
	ack(&p, 40);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 1, .down_max = ANY, .retransmitted = 21);
}

/* Three holes that the receiver never missed. */
static void mistake_05_every_gap_is_a_loss(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);

	for (uint32_t psn = 1; psn <= 60; psn++) {
		if (psn % 20 == 7)
			unseen(&p, psn);
		else
			DATA(&p, psn);
		if (psn % 10 == 0) {
			pause_ns(s, REACT);
			ack(&p, psn);
		}
	}

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .missing = 3);
	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 0);
	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 0);
}

/* A packet 5 ms late with no NAK is still only late. */
static void mistake_06_late_is_not_lost(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	uint16_t third;

	DATA(&p, 1, 2);
	third = reordered(&p);
	DATA(&p, 4, 5);
	pause_ns(s, 5 * MS);
	late(&p, 3, third);
	DATA(&p, 6);
	pause_ns(s, REACT);
	ack(&p, 6);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .reordered = 1, .extent = 2);
}

/* A copy that follows a NAK sooner than the sender can answer was already on
 * its way: the bound is learnt from the first, honest recovery. */
static void mistake_06_copy_too_soon_after_a_nak(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	uint16_t tenth;

	DATA(&p, 1, 2);
	unseen(&p, 3);
	DATA(&p, 4, 5);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3, 4, 5, 6, 7, 8);
	pause_ns(s, REACT);
	ack(&p, 8);
	pause_ns(s, MS);
	/* 10 is late; the NAK for it was answered by nobody in 10 us */
	DATA(&p, 9);
	tenth = reordered(&p);
	DATA(&p, 11, 12);
	nak(&p, 10);
	late(&p, 10, tenth);
	pause_ns(s, REACT);
	DATA(&p, 10, 11, 12, 13, 14); /* and this is the answer */
	pause_ns(s, REACT);
	ack(&p, 14);

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	/* 3 4 5 and 10 11 12 */
	EXPECT(f, .up = 1, .down_max = ANY, .reordered = 1, .extent = 2,
	       .retransmitted = 6, .spurious = ANY);
	/* at least the second 10 was sent for nothing */
	assert_in_range(f->spurious, 1, 3);
}

static void mistake_07_rnr_is_a_loss(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);

	request(&p, OP_SEND_ONLY, 1);
	request(&p, OP_SEND_ONLY, 2);
	request(&p, OP_SEND_ONLY, 3);
	pause_ns(s, REACT);
	ack(&p, 1);
	rnr(&p, 2, 12); /* 0.64 ms */
	pause_ns(s, MS);
	request(&p, OP_SEND_ONLY, 2);
	request(&p, OP_SEND_ONLY, 3);
	pause_ns(s, REACT);
	ack(&p, 3);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .retransmitted = 2);
	assert_int_equal(TOTAL(r, rnr_nak), 1);
	assert_int_equal(events_of(r, EVENT_RNR_NAK), 1);
}

/* A CNP to QP 0x11 throttles what QP 0x11 *sends*, whatever its port. */
static void mistake_08_cnp_throttles_the_wrong_flow(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	struct packet *cnp;

	for (uint32_t psn = 1; psn <= 10; psn++) {
		DATA(&p, psn);
		last_packet(s)->tos = psn % 5 ? 2 : 3;
		pause_ns(s, REACT);
		ack(&p, psn);
		if (psn % 5)
			continue;
		ack(&p, psn);
		cnp = last_packet(s);
		cnp->kind = PACKET_CNP;
		cnp->opcode = 0x81;
		cnp->flags = PACKET_BECN;
		cnp->psn = cnp->msn = cnp->syndrome = 0;
		cnp->sport = 0;
		cnp->tos = 0xc2;
	}

	struct record *r = scene_run(s, NULL);

	EXPECT_CLEAN(r);
	assert_int_equal(flow_of(r, &p)->cnp, 2);
	assert_int_equal(flow_of(r, &p)->ce, 2);
	assert_int_equal(flow_of(r, &p)->ect, 8);
	assert_int_equal(TOTAL(r, cnp), 2);
}

enum { IN_STEP = 8 };

/* NCCL: eight QPs, all from PSN 0, all advancing together, on a NIC whose
 * source port says nothing.  |order| (of the round, k) is whose ACK is the
 * kth. */
static struct record *in_step(struct scene *s, struct pair *p,
			      int order(uint32_t round, int k))
{
	for (uint32_t i = 0; i < IN_STEP; i++) {
		p[i] = pair(s, HOST_A, HOST_B, 0x100 + i, 0x207 - i);
		p[i].sport_a = p[i].sport_b = 49152;
	}
	for (uint32_t psn = 0; psn < 200; psn++) {
		for (int i = 0; i < IN_STEP; i++)
			DATA(&p[i], psn);
		pause_ns(s, REACT);
		for (int k = 0; k < IN_STEP; k++)
			ack(&p[order(psn, k)], psn);
	}
	return scene_run(s, NULL);
}

static int as_asked(uint32_t round, int k)
{
	(void)round;
	return k;
}

static int backwards(uint32_t round, int k)
{
	(void)round;
	return IN_STEP - 1 - k;
}

/* Another one with each round: by a generator of period 16. */
static int any_order(uint32_t round, int k)
{
	return (int)((5 * (unsigned)k + 3 * round * round + round) % IN_STEP);
}

/* A receiver answers in the order in which it was asked. */
static void mistake_12_pairing_by_order_in_lockstep(void **state)
{
	struct pair p[IN_STEP];
	struct record *r = in_step(*state, p, as_asked);

	EXPECT_CLEAN(r);
	for (int i = 0; i < IN_STEP; i++) {
		const struct fact_flow *f = flow_of(r, &p[i]);

		assert_int_equal(f->src_qp, p[i].qa);
		assert_int_equal(f->peer, reverse_of(r, &p[i])->id);
		assert_true(i == IN_STEP - 1 || f->pairing == PAIRING_IN_STEP);
	}
}

/* If it does not, a pairing is as good as none: it is said to be assumed. */
static void mistake_12_pairing_by_psn_in_lockstep(void **state)
{
	struct pair p[IN_STEP];
	struct record *r = in_step(*state, p, backwards);

	EXPECT_CLEAN(r);
	for (int i = 0; i < IN_STEP; i++) {
		const struct fact_flow *f = flow_of(r, &p[i]);

		if (f->src_qp != FACT_UNKNOWN && f->src_qp != p[i].qa)
			assert_true(f->pairing_confidence <= 0.8);
	}
}

static void mistake_12_lockstep_in_any_order(void **state)
{
	struct pair p[IN_STEP];
	struct record *r = in_step(*state, p, any_order);

	EXPECT_CLEAN(r);
	for (int i = 0; i < IN_STEP; i++) {
		const struct fact_flow *f = flow_of(r, &p[i]);

		if (f->src_qp != FACT_UNKNOWN)
			assert_int_equal(f->src_qp, p[i].qa);
		if (f->peer)
			assert_int_equal(f->peer, reverse_of(r, &p[i])->id);
	}
}

/* The same with losses: still no loss on a QP that had none. */
static void lockstep_with_one_loss(struct scene *s, bool ports, bool turned)
{
	struct pair p[4];
	struct record *r;

	for (uint32_t i = 0; i < 4; i++) {
		p[i] = pair(s, HOST_A, HOST_B, 0x100 + i, 0x203 - i);
		if (!ports)
			p[i].sport_a = p[i].sport_b = 49152;
	}
	for (uint32_t psn = 0; psn < 40; psn++) {
		for (int i = 0; i < 4; i++) {
			if (i == 2 && psn == 20)
				unseen(&p[i], psn);
			else
				DATA(&p[i], psn);
		}
		pause_ns(s, REACT);
		for (int k = 0; k < 4; k++) {
			int i = turned ? 3 - k : k;

			if (i == 2 && psn == 21)
				nak(&p[i], 20);
			else if (i != 2 || psn < 20)
				ack(&p[i], psn);
		}
		if (psn == 21) {
			pause_ns(s, REACT);
			DATA(&p[2], 20, 21);
			pause_ns(s, REACT);
			ack(&p[2], 21);
		} else if (psn > 21) {
			ack(&p[2], psn);
		}
	}
	r = scene_run(s, NULL);
	for (int i = 0; i < 4; i++) {
		if (!turned || i == 2)
			assert_int_equal(flow_of(r, &p[i])->src_qp, p[i].qa);
		if (i == 2)
			EXPECT(flow_of(r, &p[i]), .up = 1, .down_max = ANY,
			       .retransmitted = 2);
		else
			EXPECT(flow_of(r, &p[i]), .up = 0);
	}
}

static void mistake_12_lockstep_with_one_loss(void **state)
{
	lockstep_with_one_loss(*state, true, false);
}

/* Only the NAK, and who retransmits then, show which two belong together. */
static void mistake_12_one_loss_tells_in_order(void **state)
{
	lockstep_with_one_loss(*state, false, false);
}

static void mistake_12_one_loss_tells_in_another_order(void **state)
{
	lockstep_with_one_loss(*state, false, true);
}

/* NIC-side spraying: another source port with every packet. */
static void mistake_13_udp_port_in_the_flow_key(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);

	for (uint32_t psn = 0; psn < 64; psn++) {
		p.sport_a = (uint16_t)(49152 + psn % 16);
		DATA(&p, psn);
		pause_ns(s, REACT);
		ack(&p, psn);
	}

	struct record *r = scene_run(s, NULL);

	EXPECT_CLEAN(r);
	assert_int_equal(r->n_flows, 2);
	assert_int_equal(flow_of(r, &p)->packets, 64);
	assert_int_equal(flow_of(r, &p)->udp_sports, 16);
}

/* Leaf and spine copies of the same frames, from two taps. */
static void mistake_14_two_hops_in_one_machine(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	struct record *r;

	for (uint32_t psn = 0; psn < 50; psn++) {
		DATA(&p, psn);
		duplicate(s, 2 * US);
		last_packet(s)->tap = 1;
		last_packet(s)->ttl--;
		pause_ns(s, REACT);
		ack(&p, psn);
		last_packet(s)->tap = 1;
		duplicate(s, 2 * US);
		last_packet(s)->tap = 0;
		last_packet(s)->ttl--;
	}
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	assert_int_equal(TOTAL(r, mirror_duplicates), 0);
	assert_int_equal(r->n_flows, 4);
	for (size_t i = 0; i < r->n_flows; i++)
		assert_int_equal(r->flows[i].packets, 50);
}

/* But the two members of a bond are one place. */
static void mistake_14_two_links_of_one_hop(void **state)
{
	static const int place[2] = { 0, 0 };
	const struct engine_options options = { .jitter_ns = US,
						.place = place,
						.n_places = 2 };
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	struct record *r;

	for (uint32_t psn = 0; psn < 50; psn++) {
		s->tap = psn % 2;
		DATA(&p, psn);
		pause_ns(s, REACT);
		ack(&p, psn);
	}
	r = scene_run(s, &options);
	EXPECT_CLEAN(r);
	assert_int_equal(r->n_flows, 2);
	assert_int_equal(flow_of(r, &p)->packets, 50);
}

/* Adaptive retransmission: 16, 32, 64 ms, none of them 4.096 us * 2^20. */
static void mistake_17_timeouts_only_of_the_standard_length(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);

	DATA(&p, 1);
	pause_ns(s, REACT);
	ack(&p, 1);
	DATA(&p, 2, 3);
	for (int i = 0; i < 3; i++) {
		pause_ns(s, (int64_t)(16 << i) * MS);
		DATA(&p, 2, 3);
	}
	pause_ns(s, REACT);
	ack(&p, 3);

	struct record *r = scene_run(s, NULL);

	/* each of the three rounds sent both again */
	EXPECT(flow_of(r, &p), .down_min = ANY, .down_max = ANY,
	       .retransmitted = 6, .spurious = ANY, .timeouts = 3);
	assert_int_equal(flow_of(r, &p)->nak_seq, 0);
	assert_true(events_of(r, EVENT_RETRANSMIT_TIMEOUT) >= 1);
	assert_int_equal(events_of(r, EVENT_RETRANSMIT_NAK), 0);
}

/* Every packet asks, every 16th is answered. */
static void mistake_18_coalesced_acks_are_missing_acks(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);

	for (uint32_t psn = 0; psn < 128; psn++) {
		DATA(&p, psn);
		if (psn % 16 == 15) {
			pause_ns(s, REACT);
			ack(&p, psn);
		}
	}

	struct record *r = scene_run(s, NULL);

	EXPECT_CLEAN(r);
	assert_int_equal(TOTAL(r, ack_lost), 0);
	assert_int_equal(flow_of(r, &p)->messages_completed, 128);
}

/* One direction of a mirror: what only answers tell is not 0. */
static void mistake_20_zero_for_what_cannot_be_seen(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	struct record *r;
	const struct fact_flow *f;

	for (uint32_t psn = 0; psn < 64; psn++) {
		DATA(&p, psn);
		last_packet(s)->icrc_status = ICRC_UNCHECKABLE;
		last_packet(s)->icrc = 0;
	}
	r = scene_run(s, NULL);
	f = flow_of(r, &p);
	assert_int_equal(f->visibility, VISIBLE_FWD);
	assert_int_equal(f->pairing, PAIRING_NONE);
	assert_true(f->src_qp == FACT_UNKNOWN);
	assert_true(f->lost_downstream_min == FACT_UNKNOWN);
	assert_true(f->lost_downstream_max == FACT_UNKNOWN);
	assert_true(f->icrc_good == FACT_UNKNOWN);
	assert_true(f->icrc_bad == FACT_UNKNOWN);
	assert_true(f->latency_min_ns == FACT_UNKNOWN);
	assert_true(f->rtt_receiver_ns == FACT_UNKNOWN);
	assert_true(f->rtt_sender_ns == FACT_UNKNOWN);
	assert_true(f->ack_timeout_code == FACT_UNKNOWN);
	for (size_t i = 0; i < r->n_messages; i++) {
		assert_int_equal(r->messages[i].status, MESSAGE_UNACKED);
		assert_true(r->messages[i].completed_ns == FACT_UNKNOWN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(mistake_01_one_sequence_for_requests_and_responses),
		SCENE_TEST(mistake_02_plus_one_after_a_read_request),
		SCENE_TEST(mistake_02_read_of_unknown_span),
		SCENE_TEST(mistake_03_no_wrap),
		SCENE_TEST(mistake_03_clean_wrap),
		SCENE_TEST(mistake_04_every_retransmission_is_a_loss),
		SCENE_TEST(mistake_05_every_gap_is_a_loss),
		SCENE_TEST(mistake_06_late_is_not_lost),
		SCENE_TEST(mistake_06_copy_too_soon_after_a_nak),
		SCENE_TEST(mistake_07_rnr_is_a_loss),
		SCENE_TEST(mistake_08_cnp_throttles_the_wrong_flow),
		SCENE_TEST(mistake_12_pairing_by_order_in_lockstep),
		SCENE_TEST(mistake_12_pairing_by_psn_in_lockstep),
		SCENE_TEST(mistake_12_lockstep_in_any_order),
		SCENE_TEST(mistake_12_lockstep_with_one_loss),
		SCENE_TEST(mistake_12_one_loss_tells_in_order),
		SCENE_TEST(mistake_12_one_loss_tells_in_another_order),
		SCENE_TEST(mistake_13_udp_port_in_the_flow_key),
		SCENE_TEST(mistake_14_two_hops_in_one_machine),
		SCENE_TEST(mistake_14_two_links_of_one_hop),
		SCENE_TEST(mistake_17_timeouts_only_of_the_standard_length),
		SCENE_TEST(mistake_18_coalesced_acks_are_missing_acks),
		SCENE_TEST(mistake_20_zero_for_what_cannot_be_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
