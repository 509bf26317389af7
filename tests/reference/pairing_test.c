/* SPDX-License-Identifier: GPL-2.0-or-later
 * Finding the other direction: P1 to P5 of
 * reference/rocev2-and-analysis-rules.md 2.2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mads.h"
#include "scene.h"

static void expect_paired(const struct record *r, const struct pair *p,
			  enum flow_pairing how)
{
	const struct fact_flow *f = flow_of(r, p), *g = reverse_of(r, p);

	assert_int_equal(f->peer, g->id);
	assert_int_equal(g->peer, f->id);
	assert_int_equal(f->src_qp, p->qa);
	assert_int_equal(g->src_qp, p->qb);
	assert_int_equal(f->pairing, how);
	assert_int_equal(f->visibility, VISIBLE_BOTH);
	assert_true(f->pairing_confidence > 0);
	assert_true(f->pairing_confidence <= 1);
}

/* Never the wrong partner, whether or not there is one. */
static void expect_not_wrong(const struct record *r, const struct pair *p)
{
	const struct fact_flow *f = flow_of(r, p);

	if (f->src_qp != FACT_UNKNOWN)
		assert_int_equal(f->src_qp, p->qa);
	if (f->peer)
		assert_int_equal(f->peer, reverse_of(r, p)->id);
}

static void cm_message(struct scene *s, bool from_b, const uint8_t *mad)
{
	struct pair gsi = pair(s, HOST_A, HOST_B, 1, 1);
	struct pair back = pair_reversed(&gsi);
	struct pair *way = from_b ? &back : &gsi;
	struct packet *out;

	way->service = UD;
	request(way, OP_SEND_ONLY, (uint32_t)s->count);
	out = last_packet(s);
	out->payload = 256;
	out->flags |= PACKET_HAS_CM;
	out->mad = mad;
	out->src_qp = 1;
}

/* Known for one direction at least, and never another value. */
static void expect_term(int64_t one, int64_t other, int64_t value)
{
	assert_true(one == value || other == value);
	assert_true(one == value || one == FACT_UNKNOWN);
	assert_true(other == value || other == FACT_UNKNOWN);
}

/* The MADs say: A's QP and first PSN in the REQ, B's in the REP. */
static void pairing_P1_cm_exchange(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, CM_REQ_QPN, CM_REP_QPN);
	struct record *r;

	p.sport_a = p.sport_b = 49152; /* says nothing */
	cm_message(s, false, cm_req);
	cm_message(s, true, cm_rep);
	cm_message(s, false, cm_rtu);
	for (uint32_t i = 0; i < 3; i++) {
		DATA(&p, CM_REQ_PSN + i);
		pause_ns(s, REACT);
		ack(&p, CM_REQ_PSN + i);
	}
	r = scene_run(s, NULL);
	expect_paired(r, &p, PAIRING_CM);
	assert_int_equal(r->n_cms, 3);
	assert_int_equal(r->cms[0].attribute, 0x10);
	assert_int_equal(r->cms[0].qpn, CM_REQ_QPN);
	assert_int_equal(r->cms[0].psn, CM_REQ_PSN);
	assert_int_equal(r->cms[0].reason, -1);
	assert_int_equal(r->cms[1].attribute, 0x13);
	assert_int_equal(r->cms[1].qpn, CM_REP_QPN);
	assert_int_equal(r->cms[1].psn, CM_REP_PSN);
	assert_int_equal(r->cms[1].remote_comm_id, r->cms[0].local_comm_id);
	assert_int_equal(r->cms[2].attribute, 0x14);
	assert_int_equal(r->cms[2].local_comm_id, r->cms[0].local_comm_id);
	assert_int_equal(r->cms[2].remote_comm_id, r->cms[1].local_comm_id);
	/* in the REQ, hence for what one of the two sends or for both */
	expect_term(flow_of(r, &p)->ack_timeout_code,
		    reverse_of(r, &p)->ack_timeout_code, CM_REQ_TIMEOUT);
	expect_term(flow_of(r, &p)->retry_count, reverse_of(r, &p)->retry_count,
		    CM_REQ_RETRY);
	expect_term(flow_of(r, &p)->rnr_retry, reverse_of(r, &p)->rnr_retry,
		    CM_REQ_RNR_RETRY);
	assert_int_equal(flow_of(r, &p)->pmtu, CM_REQ_PMTU);
}

/* The connection ends by CM and is made again: same numbers, same PSN. */
static void reconnect_by_cm_is_a_new_epoch(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, CM_REQ_QPN, CM_REP_QPN);
	struct record *r;

	for (int life = 0; life < 2; life++) {
		p.ends->count = 0;
		cm_message(s, false, cm_req);
		cm_message(s, true, cm_rep);
		cm_message(s, false, cm_rtu);
		for (uint32_t i = 0; i < 10; i++) {
			DATA(&p, CM_REQ_PSN + i);
			pause_ns(s, REACT);
			ack(&p, CM_REQ_PSN + i);
		}
		cm_message(s, false, cm_dreq);
		cm_message(s, true, cm_drep);
		pause_ns(s, 20 * MS);
	}
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	assert_int_equal(r->n_cms, 10);
	for (uint32_t life = 0; life < 2; life++) {
		const struct fact_flow *f = flow_epoch(r, &p, life);

		assert_non_null(f);
		assert_int_equal(f->requests, 10);
		assert_int_equal(f->pairing, PAIRING_CM);
	}
}

/* One connection made by CM, one out of band, both at the same PSNs. */
static void pairing_P1_stays_right_in_lockstep(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, CM_REQ_QPN, CM_REP_QPN);
	struct pair q = pair(s, HOST_A, HOST_B, 0x51, 0x52);
	struct record *r;

	p.sport_a = p.sport_b = q.sport_a = q.sport_b = 49152;
	cm_message(s, false, cm_req);
	cm_message(s, true, cm_rep);
	for (uint32_t i = 0; i < 100; i++) {
		DATA(&p, CM_REQ_PSN + i);
		DATA(&q, CM_REQ_PSN + i);
		pause_ns(s, REACT);
		ack(&q, CM_REQ_PSN + i);
		ack(&p, CM_REQ_PSN + i);
	}
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	expect_paired(r, &p, PAIRING_CM);
	expect_not_wrong(r, &q);
}

/* Sixteen QPs in lockstep whose ports tell. */
static void pairing_P2_source_port(void **state)
{
	enum { QPS = 16 };
	struct scene *s = *state;
	struct pair p[QPS];
	struct record *r;

	for (uint32_t i = 0; i < QPS; i++)
		p[i] = pair(s, HOST_A, HOST_B, 0x1000 + i, 0x2abc - 3 * i);
	for (uint32_t psn = 0; psn < 20; psn++) {
		for (int i = 0; i < QPS; i++)
			DATA(&p[i], psn);
		pause_ns(s, REACT);
		for (int i = QPS - 1; i >= 0; i--)
			ack(&p[i], psn);
	}
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	for (int i = 0; i < QPS; i++)
		expect_paired(r, &p[i], PAIRING_SPORT);
}

/* soft-RoCE: the port hashes the own QP only, so both directions differ and
 * P2 must not be forced. */
static void pairing_P2_not_when_the_ports_differ(void **state)
{
	struct scene *s = *state;
	struct pair p[2];
	struct record *r;

	for (uint32_t i = 0; i < 2; i++) {
		p[i] = pair(s, HOST_A, HOST_B, 0x11 + i, 0x21 + i);
		p[i].sport_a = (uint16_t)(50000 + i);
		p[i].sport_b = (uint16_t)(60000 + i);
	}
	for (uint32_t psn = 0; psn < 40; psn++)
		for (uint32_t i = 0; i < 2; i++) {
			DATA(&p[i], 1000 * i + psn);
			pause_ns(s, REACT);
			ack(&p[i], 1000 * i + psn);
		}
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	for (int i = 0; i < 2; i++)
		expect_paired(r, &p[i], PAIRING_ACK);
}

/* READ response ranges, QPs in lockstep but for the PSNs read. */
static void pairing_P3_read_ranges(void **state)
{
	struct scene *s = *state;
	struct pair p[2];
	struct record *r;

	for (uint32_t i = 0; i < 2; i++) {
		p[i] = pair(s, HOST_A, HOST_B, 0x31 + i, 0x42 - i);
		p[i].sport_a = p[i].sport_b = 49152;
	}
	for (uint32_t k = 0; k < 10; k++) {
		uint32_t at[2] = { 8 * k, 0x4000 + 4 * k };

		read_request(&p[0], at[0], 8);
		read_request(&p[1], at[1], 4);
		pause_ns(s, REACT);
		read_responses(&p[1], at[1], 4);
		read_responses(&p[0], at[0], 8);
	}
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	for (int i = 0; i < 2; i++)
		expect_paired(r, &p[i], PAIRING_READ);
}

/* QPs that differ in PSN, ports that say nothing: ACK correlation. */
static void pairing_P4_ack_correlation(void **state)
{
	enum { QPS = 4 };
	struct scene *s = *state;
	struct pair p[QPS];
	struct record *r;

	for (uint32_t i = 0; i < QPS; i++) {
		p[i] = pair(s, HOST_A, HOST_B, 0x61 + i, 0x71 + 3 - i);
		p[i].sport_a = p[i].sport_b = 49152;
	}
	for (uint32_t psn = 0; psn < 50; psn++) {
		for (uint32_t i = 0; i < QPS; i++)
			DATA(&p[i], 0x100000 * (i + 1) + psn);
		pause_ns(s, REACT);
		for (uint32_t i = 0; i < QPS; i++)
			ack(&p[i], 0x100000 * (i + 1) + psn);
	}
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	for (int i = 0; i < QPS; i++)
		expect_paired(r, &p[i], PAIRING_ACK);
}

/* Four QPs in lockstep, all from PSN 0, whose ports are no formula's but the
 * same both ways. */
static void pairing_P4_by_the_same_source_port(void **state)
{
	enum { QPS = 4 };
	struct scene *s = *state;
	struct pair p[QPS];
	struct record *r;

	for (uint32_t i = 0; i < QPS; i++) {
		p[i] = pair(s, HOST_A, HOST_B, 0x61 + i, 0x72 - i);
		p[i].sport_a = p[i].sport_b = (uint16_t)(50000 + i);
	}
	for (uint32_t psn = 0; psn < 20; psn++) {
		for (int i = 0; i < QPS; i++)
			DATA(&p[i], psn);
		pause_ns(s, REACT);
		for (int i = QPS - 1; i >= 0; i--)
			ack(&p[i], psn);
	}
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	for (int i = 0; i < QPS; i++)
		expect_paired(r, &p[i], PAIRING_ACK);
}

/* All from one port, and the ACKs in another order each time: which ACK is for
 * which is not known. */
static void pairing_P4_not_by_a_port_of_all(void **state)
{
	struct scene *s = *state;
	struct pair p[3];
	struct record *r;

	for (uint32_t i = 0; i < 3; i++) {
		p[i] = pair(s, HOST_A, HOST_B, 0x61 + i, 0x72 - i);
		p[i].sport_a = p[i].sport_b = 50000;
	}
	for (uint32_t psn = 0; psn < 20; psn++) {
		for (int i = 0; i < 3; i++)
			DATA(&p[i], psn);
		pause_ns(s, REACT);
		for (uint32_t i = 0; i < 3; i++)
			ack(&p[(2 * i + psn) % 3], psn);
	}
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	for (int i = 0; i < 3; i++)
		expect_not_wrong(r, &p[i]);
}

/* One connection and too few ACKs for P4: the only candidate, and said so. */
static void pairing_P5_single_candidate(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x61, 0x71);
	struct record *r;

	p.sport_a = 50001;
	p.sport_b = 50002;
	DATA(&p, 1, 2);
	unseen(&p, 3);
	DATA(&p, 4, 5);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3, 4, 5, 6);
	pause_ns(s, REACT);
	ack(&p, 6);
	r = scene_run(s, NULL);
	expect_paired(r, &p, PAIRING_ASSUMED);
	assert_true(flow_of(r, &p)->pairing_confidence < 0.95);
	EXPECT(flow_of(r, &p), .up = 1, .down_max = ANY, .retransmitted = 3);
}

static void two_in_step(struct scene *s, struct pair p[2])
{
	for (uint32_t i = 0; i < 2; i++) {
		p[i] = pair(s, HOST_A, HOST_B, 0x61 + i, 0x72 - i);
		p[i].sport_a = 50001;
		p[i].sport_b = 50002;
	}
	for (uint32_t psn = 1; psn <= 5; psn++)
		for (int i = 0; i < 2; i++)
			DATA(&p[i], psn);
	pause_ns(s, REACT);
}

/* Two QPs in step, and a NAK for one of them.  |again| retransmits, |after|
 * that, what it names. */
static struct record *nak_in_step(struct scene *s, struct pair p[2], int again,
				  int64_t after)
{
	two_in_step(s, p);
	nak(&p[0], 3);
	pause_ns(s, after);
	data_run(&p[again], 3, 5);
	return scene_run(s, NULL);
}

static void pairing_P6_by_a_nak(void **state)
{
	struct pair p[2];
	struct record *r = nak_in_step(*state, p, 0, REACT);

	expect_paired(r, &p[0], PAIRING_ACK);
}

/* A NAK for each of them; the replay of one comes to what the other's named. */
static void pairing_P6_not_inside_a_replay(void **state)
{
	struct scene *s = *state;
	struct pair p[2];
	struct record *r;

	two_in_step(s, p);
	nak(&p[0], 3);
	nak(&p[1], 5);
	pause_ns(s, REACT);
	data_run(&p[0], 3, 5);
	data_run(&p[1], 5, 5);
	r = scene_run(s, NULL);
	expect_paired(r, &p[0], PAIRING_ACK);
	expect_paired(r, &p[1], PAIRING_ACK);
}

/* The reaction to the NAK was not captured, and the other QP retransmits by its
 * timer. */
static void pairing_P6_not_by_an_old_nak(void **state)
{
	struct pair p[2];
	struct record *r = nak_in_step(*state, p, 1, TIMEOUT);

	expect_not_wrong(r, &p[1]);
}

/* QP numbers of two hosts can be equal: a QP is known with its host only. */
static void equal_numbers_on_both_hosts(void **state)
{
	struct scene *s = *state;
	struct pair p[4];
	struct record *r;

	for (uint32_t i = 0; i < 4; i++)
		p[i] = pair(s, HOST_A, HOST_B, 0x11 + i, 0x11 + i);
	for (uint32_t psn = 0; psn < 30; psn++)
		for (uint32_t i = 0; i < 4; i++) {
			DATA(&p[i], 777 * i + psn);
			pause_ns(s, REACT);
			ack(&p[i], 777 * i + psn);
		}
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	assert_int_equal(r->n_flows, 8);
	for (int i = 0; i < 4; i++)
		expect_paired(r, &p[i], PAIRING_SPORT);
}

/* As many as a large job has, all in lockstep. */
static void two_thousand_pairs(void **state)
{
	enum { QPS = 2000 };
	static struct pair p[QPS];
	struct scene *s = *state;
	struct record *r;
	uint32_t wrong = 0, unpaired = 0;

	s->step = US;
	for (uint32_t i = 0; i < QPS; i++)
		p[i] = pair(s, HOST_A, HOST_B, 0x4000 + 7 * i, 0x9000 + 5 * i);
	for (uint32_t psn = 0; psn < 6; psn++) {
		for (int i = 0; i < QPS; i++)
			DATA(&p[i], psn);
		for (int i = 0; i < QPS; i++)
			ack(&p[i], psn);
	}
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	assert_int_equal(r->n_flows, 2 * QPS);
	for (int i = 0; i < QPS; i++) {
		const struct fact_flow *f = flow_of(r, &p[i]);

		if (f->src_qp == FACT_UNKNOWN)
			unpaired++;
		else if (f->src_qp != p[i].qa)
			wrong++;
	}
	/* about one in 16384 candidates has the port of another (2.2) */
	assert_int_equal(wrong, 0);
	assert_in_range(unpaired, 0, QPS / 4);
}

/* A QP of another pair of hosts is no candidate. */
static void pairs_of_hosts_do_not_mix(void **state)
{
	struct scene *s = *state;
	struct pair ab = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	struct pair cb = pair(s, HOST_C, HOST_B, 0x11, 0x13);
	struct pair ca = pair(s, HOST_C, HOST_A, 0x12, 0x11);
	struct pair *all[3] = { &ab, &cb, &ca };
	struct record *r;

	for (int i = 0; i < 3; i++)
		all[i]->sport_a = all[i]->sport_b = 49152;
	for (uint32_t psn = 0; psn < 30; psn++)
		for (int i = 0; i < 3; i++) {
			DATA(all[i], psn);
			pause_ns(s, REACT);
			ack(all[i], psn);
		}
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	assert_int_equal(r->n_flows, 6);
	for (int i = 0; i < 3; i++) {
		expect_not_wrong(r, all[i]);
		assert_int_equal(flow_of(r, all[i])->visibility, VISIBLE_BOTH);
	}
}

/* Requests of one connection and answers of another, the rest takes other
 * paths.  They are the only candidates for each other, but their PSNs say
 * otherwise: no pairing, and above all no verdict from it. */
static void unrelated_flows_are_not_paired(void **state)
{
	struct scene *s = *state;
	struct pair here = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	struct pair there = pair(s, HOST_A, HOST_B, 0x99, 0x98);
	struct record *r;

	for (uint32_t i = 0; i < 200; i++) {
		DATA(&here, 1 + i);
		pause_ns(s, REACT);
		ends_before(&there, 0x500000 + i);
		ack(&there, 0x500000 + i);
	}
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	assert_int_equal(r->n_flows, 2);
	assert_int_equal(flow_of(r, &here)->peer, 0);
	assert_true(flow_of(r, &here)->src_qp == FACT_UNKNOWN);
	assert_int_equal(flow_of(r, &here)->visibility, VISIBLE_FWD);
}

/* They looked alike at first, then none of 200 ACKs lies in [una, max sent]:
 * that is no ACK correlation (P4 wants 95 %).  Dropped, or assumed at most. */
static void a_pairing_that_turns_out_wrong_is_no_p4(void **state)
{
	struct scene *s = *state;
	struct pair here = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	struct pair there = pair(s, HOST_A, HOST_B, 0x99, 0x98);
	struct record *r;

	DATA(&here, 1, 2);
	pause_ns(s, REACT);
	ends_before(&there, 2);
	ack(&there, 2);
	for (uint32_t i = 0; i < 200; i++) {
		DATA(&here, 3 + i);
		pause_ns(s, REACT);
		ends_before(&there, 3 + 100 * i);
		ack(&there, 3 + 100 * i);
	}
	r = scene_run(s, NULL);
	for (size_t i = 0; i < r->n_flows; i++)
		EXPECT(&r->flows[i], .up = NOT_OR_0, .down_min = NOT_OR_0,
		       .down_max = NOT_OR_0, .missing = ANY,
		       .unresolved = NOT_OR_0, .corrupted = NOT_OR_0,
		       .reordered = NOT_OR_0, .extent = NOT_OR_0,
		       .retransmitted = NOT_OR_0, .spurious = NOT_OR_0,
		       .timeouts = NOT_OR_0);
	assert_true(flow_of(r, &here)->pairing == PAIRING_NONE ||
		    flow_of(r, &here)->pairing == PAIRING_ASSUMED);
	assert_true(flow_of(r, &here)->pairing_confidence < 0.9);
}

/* Only answers in the capture: a reverse-only flow is no request stream. */
static void answers_alone_are_rev(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	struct record *r;

	for (uint32_t psn = 1; psn <= 40; psn++) {
		ends_before(&p, psn);
		ack(&p, psn);
	}
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	assert_int_equal(r->n_flows, 1);
	assert_int_equal(r->flows[0].visibility, VISIBLE_REV);
	assert_int_equal(r->flows[0].responses, 40);
	assert_int_equal(r->flows[0].requests, 0);
	assert_int_equal(r->flows[0].peer, 0);
}

/* Two QPs of one port each, used both ways, begin at one PSN; a packet of the
 * first one is lost beyond the tap, and asked for by the receiver that sends
 * first.  The second one repeats the same PSN for its own reasons. */
static void pairing_P6_not_with_another_port(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	struct pair q = pair(s, HOST_A, HOST_B, 0x21, 0x22);
	struct record *r;

	p.sport_a = p.sport_b = 50001;
	q.sport_a = q.sport_b = 50002;
	for (uint32_t psn = 0x20000; psn < 0x20008; psn++) {
		DATA(&p, psn);
		DATA(&q, psn);
	}
	pause_ns(s, REACT);
	nak(&q, 0x20004);
	pause_ns(s, REACT);
	data_run(&p, 0x20004, 0x20007);
	data_run(&q, 0x20004, 0x20007);
	pause_ns(s, REACT);
	ack(&q, 0x20007);
	ack(&p, 0x20007);
	r = scene_run(s, NULL);
	assert_int_not_equal(flow_of(r, &p)->src_qp, 0x21);
	assert_int_equal(flow_of(r, &q)->src_qp, 0x21);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(pairing_P1_cm_exchange),
		SCENE_TEST(reconnect_by_cm_is_a_new_epoch),
		SCENE_TEST(pairing_P1_stays_right_in_lockstep),
		SCENE_TEST(pairing_P2_source_port),
		SCENE_TEST(pairing_P2_not_when_the_ports_differ),
		SCENE_TEST(pairing_P3_read_ranges),
		SCENE_TEST(pairing_P4_ack_correlation),
		SCENE_TEST(pairing_P4_by_the_same_source_port),
		SCENE_TEST(pairing_P4_not_by_a_port_of_all),
		SCENE_TEST(pairing_P5_single_candidate),
		SCENE_TEST(pairing_P6_by_a_nak),
		SCENE_TEST(pairing_P6_not_inside_a_replay),
		SCENE_TEST(pairing_P6_not_by_an_old_nak),
		SCENE_TEST(pairing_P6_not_with_another_port),
		SCENE_TEST(equal_numbers_on_both_hosts),
		SCENE_TEST(two_thousand_pairs),
		SCENE_TEST(pairs_of_hosts_do_not_mix),
		SCENE_TEST(unrelated_flows_are_not_paired),
		SCENE_TEST(a_pairing_that_turns_out_wrong_is_no_p4),
		SCENE_TEST(answers_alone_are_rev),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
