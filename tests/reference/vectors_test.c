/* SPDX-License-Identifier: GPL-2.0-or-later
 * Every vector of section 11 of reference/rocev2-and-analysis-rules.md that
 * the flow layer can answer, with the numbers printed there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow/core/serial.h"
#include "scene.h"

static void vector_serial_arithmetic(void **state)
{
	(void)state;
	assert_int_equal(psn_diff(0x000001, 0xffffff), 2);
	assert_int_equal(psn_diff(0xffffff, 0x000001), -2);
	/* half the space away is behind */
	assert_int_equal(psn_diff(0x800000, 0), -(1 << 23));
	assert_int_equal(psn_diff(0x7fffff, 0), (1 << 23) - 1);
	assert_int_equal(psn_diff(5, 5), 0);
}

/* READ 10 000 B at PMTU 4096 from PSN 0xFFFFFE: responses FFFFFE, FFFFFF,
 * 000000; next request 000001. */
static void vector_read_of_10000_octets(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	const struct fact_message *m = NULL;

	request(&p, OP_WRITE_FIRST, 0xfffffc);
	last_packet(s)->payload = 4096; /* this is how PMTU is learnt */
	last_packet(s)->dma_len = 4196;
	request(&p, OP_WRITE_LAST, 0xfffffd);
	last_packet(s)->payload = 100;
	ack(&p, 0xfffffd);
	read_request(&p, 0xfffffe, 3);
	last_packet(s)->dma_len = 10000;
	read_responses(&p, 0xfffffe, 3);
	for (int i = 0; i < 3; i++)
		s->packets[s->count - 3 + i].payload = i < 2 ? 4096 : 1808;
	request(&p, OP_WRITE_ONLY, 0x000001);
	ack(&p, 0x000001);

	struct record *r = scene_run(s, NULL);

	EXPECT_CLEAN(r);
	assert_int_equal(flow_of(r, &p)->pmtu, 4096);
	assert_int_equal(flow_of(r, &p)->messages, 3);
	assert_int_equal(flow_of(r, &p)->messages_completed, 3);
	for (size_t i = 0; i < r->n_messages; i++)
		if (r->messages[i].op == MESSAGE_READ)
			m = &r->messages[i];
	assert_non_null(m);
	assert_int_equal(m->psn_first, 0xfffffe);
	assert_int_equal(m->psn_last, 0x000000);
	assert_int_equal(m->bytes, 10000);
	assert_int_equal(m->status, MESSAGE_COMPLETE);
}

/* PSNs 1 2 4 5 3 6 once each, no NAK: one reordered packet, extent 2, one
 * NAK-provoking event, zero loss. */
static void vector_reorder(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	uint16_t third;

	DATA(&p, 1, 2);
	third = reordered(&p);
	DATA(&p, 4, 5);
	late(&p, 3, third);
	DATA(&p, 6);
	pause_ns(s, REACT);
	ack(&p, 6);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .reordered = 1, .extent = 2);
	assert_int_equal(flow_of(r, &p)->reorder_events, 1);
	assert_int_equal(events_of(r, EVENT_REORDER), 1);
	assert_int_equal(first_event(r, EVENT_REORDER)->psn, 3);
	/* 3 came 20 us after 4, the earliest larger PSN */
	assert_int_equal(flow_of(r, &p)->reorder_late_ns_max, 2 * STEP);
}

/* 1 2 4 5 6 [NAK 3] 3 4 5 6 7: upstream loss 1, collateral 3, retransmitted
 * 4, amplification 4. */
static void vector_go_back_n(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);

	DATA(&p, 1, 2);
	unseen(&p, 3);
	DATA(&p, 4, 5, 6);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3, 4, 5, 6, 7);

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = flow_of(r, &p);

	/* 3 itself and the collateral 4 5 6: 4 copies for one loss */
	EXPECT(f, .up = 1, .down_max = ANY, .retransmitted = 4);
	assert_int_equal(r->n_recoveries, 1);
	assert_int_equal(r->recoveries[0].trigger, TRIGGER_NAK);
	assert_int_equal(r->recoveries[0].cause, CAUSE_LOSS_UPSTREAM);
	assert_int_equal(r->recoveries[0].psn, 3);
	assert_int_equal(r->recoveries[0].lost_min, 1);
	assert_int_equal(r->recoveries[0].retransmitted_packets, 4);
	assert_int_equal(r->recoveries[0].retransmitted_bytes, 4 * PMTU);
	assert_int_equal(TOTAL(r, nak_seq), 1);
}

/* 1 2 4 5 [ACK 5]: capture loss 1, loss 0. */
static void vector_ghost(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);

	DATA(&p, 1, 2);
	unseen(&p, 3);
	DATA(&p, 4, 5);
	pause_ns(s, REACT);
	ack(&p, 5);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .missing = 1);
	assert_int_equal(r->n_recoveries, 0);
}

/* 1 2 3 ... silence T ... 1 [ACK 3] 2 3: data all delivered, ACK lost,
 * spurious 3. */
static void vector_spurious(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);

	DATA(&p, 1, 2, 3);
	pause_ns(s, TIMEOUT);
	DATA(&p, 1);
	pause_ns(s, 5 * US);
	ack(&p, 3);
	DATA(&p, 2, 3);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .retransmitted = 3, .spurious = 3,
	       .timeouts = 1);
	assert_int_equal(r->n_recoveries, 1);
	assert_int_equal(r->recoveries[0].trigger, TRIGGER_TIMEOUT);
	assert_int_equal(r->recoveries[0].cause, CAUSE_ACK_LOSS);
}

/* QPs (0x11,0x12) share port 49458, (0x118,0x23A) 61305, (0x12AB,0x34CD)
 * 61172; symmetric in the arguments. */
static void vector_source_ports(void **state)
{
	static const struct {
		uint32_t qa, qb;
		uint16_t sport;
	} row[] = { { 0x11, 0x12, 49458 },
		    { 0x118, 0x23a, 61305 },
		    { 0x12ab, 0x34cd, 61172 } };
	struct scene *s = *state;
	struct pair p[3];

	for (int i = 0; i < 3; i++) {
		assert_int_equal(linux_sport(row[i].qa, row[i].qb),
				 row[i].sport);
		assert_int_equal(linux_sport(row[i].qb, row[i].qa),
				 row[i].sport);
		p[i] = pair(s, HOST_A, HOST_B, row[i].qa, row[i].qb);
	}
	for (uint32_t psn = 0; psn < 4; psn++) {
		for (int i = 0; i < 3; i++)
			DATA(&p[i], psn);
		for (int i = 0; i < 3; i++)
			ack(&p[i], psn);
	}

	struct record *r = scene_run(s, NULL);

	EXPECT_CLEAN(r);
	for (int i = 0; i < 3; i++) {
		const struct fact_flow *f = flow_of(r, &p[i]);

		assert_int_equal(f->udp_sport, row[i].sport);
		assert_int_equal(f->pairing, PAIRING_SPORT);
		assert_int_equal(f->src_qp, row[i].qa);
		assert_int_equal(f->peer, reverse_of(r, &p[i])->id);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vector_serial_arithmetic),
		SCENE_TEST(vector_read_of_10000_octets),
		SCENE_TEST(vector_reorder),
		SCENE_TEST(vector_go_back_n),
		SCENE_TEST(vector_ghost),
		SCENE_TEST(vector_spurious),
		SCENE_TEST(vector_source_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
