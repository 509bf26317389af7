/* SPDX-License-Identifier: GPL-2.0-or-later
 * The life of a queue pair: epochs, numbers that come back, captures that
 * begin or end inside, other services (reference 2.1, 2.3, 3.8, 3.10). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene.h"

static void acked_run(struct pair *p, uint32_t first, uint32_t last)
{
	for (uint32_t psn = first; psn <= last; psn++) {
		DATA(p, psn);
		pause_ns(p->scene, REACT);
		ack(p, psn);
	}
}

/* A new connection with the old numbers: its MSN starts again as well. */
static void reborn(struct pair *p)
{
	p->ends->count = 0;
}

static void expect_two_lives(const struct record *r, const struct pair *p,
			     uint64_t first, uint64_t second)
{
	const struct fact_flow *old = flow_epoch(r, p, 0);
	const struct fact_flow *new = flow_epoch(r, p, 1);

	assert_non_null(old);
	assert_non_null(new);
	assert_null(flow_epoch(r, p, 2));
	assert_int_equal(old->requests, first);
	assert_int_equal(new->requests, second);
	EXPECT_CLEAN(r);
}

static void qpn_reuse_after_idle_and_far_away_psn(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	acked_run(&p, 1000, 1049);
	pause_ns(s, 3 * SECOND);
	reborn(&p);
	acked_run(&p, 0x9abcde, 0x9abcde + 29);

	expect_two_lives(scene_run(s, NULL), &p, 50, 30);
}

/* The same when the new PSN is behind the old ones. */
static void qpn_reuse_with_a_psn_behind(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	acked_run(&p, 0x300000, 0x300000 + 49);
	pause_ns(s, 3 * SECOND);
	reborn(&p);
	acked_run(&p, 0x100000, 0x100000 + 29);

	expect_two_lives(scene_run(s, NULL), &p, 50, 30);
}

/* NCCL: PSN back to 0 with MSN 1 after a restart of the job. */
static void qpn_reuse_psn_restarts_at_0(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	acked_run(&p, 0, 299);
	pause_ns(s, 3 * SECOND);
	reborn(&p);
	acked_run(&p, 0, 99);

	expect_two_lives(scene_run(s, NULL), &p, 300, 100);
}

static void qpn_reuse_after_a_fatal_nak(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	acked_run(&p, 1000, 1019);
	DATA(&p, 1020);
	pause_ns(s, REACT);
	nak_code(&p, 1020, 0x61);
	pause_ns(s, 200 * MS);
	reborn(&p);
	acked_run(&p, 500, 509);
	r = scene_run(s, NULL);
	expect_two_lives(r, &p, 21, 10);
	assert_int_equal(TOTAL(r, nak_fatal), 1);
}

/* A capture outage: the PSN jumps by more than 2^20 in a moment, and so do
 * the answers.  That is no gap of a million packets. */
static void forward_jump_opens_no_gap(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	acked_run(&p, 1000, 1049);
	pause_ns(s, 90 * MS);
	acked_run(&p, 1000 + 0x200000, 1049 + 0x200000);
	r = scene_run(s, NULL);
	for (size_t i = 0; i < r->n_flows; i++)
		EXPECT(&r->flows[i], .missing = NOT_OR_0);
	assert_int_equal(events_of(r, EVENT_UNRESOLVED_GAP), 0);
	assert_int_equal(events_of(r, EVENT_CAPTURE_MISSING), 0);
}

/* Half the number space ahead is behind (section 11): no gap of 2^23. */
static void half_the_space_away_opens_no_gap(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	acked_run(&p, 0, 9);
	acked_run(&p, 0x80000a, 0x80000a);
	acked_run(&p, 10, 19);
	r = scene_run(s, NULL);
	for (size_t i = 0; i < r->n_flows; i++)
		EXPECT(&r->flows[i], .missing = ANY, .reordered = ANY,
		       .extent = ANY, .retransmitted = ANY, .spurious = ANY);
	assert_in_range(TOTAL(r, capture_missing) + TOTAL(r, unresolved), 0,
			10);
}

/* 2^24 + 2^16 packets: PSNs come back, nothing is a copy (3.1). */
static void a_whole_turn_of_the_psn_is_no_retransmission(void **state)
{
	enum { MESSAGE = 1 << 16, MESSAGES = 257 };
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r = record_begin(s, NULL);
	uint32_t psn = 0x123456;

	s->step = US;
	for (int i = 0; i < MESSAGES; i++, psn += MESSAGE) {
		write_message(&p, psn, MESSAGE);
		pause_ns(s, REACT);
		ack(&p, psn + MESSAGE - 1);
		record_feed(r, s);
	}
	record_end(r);
	EXPECT_CLEAN(r);
	assert_int_equal(flow_of(r, &p)->requests,
			 (uint64_t)MESSAGE * MESSAGES);
	assert_int_equal(flow_of(r, &p)->messages_completed, MESSAGES);
}

/* From the middle of a message on, with ACKs of what came before. */
static void capture_starts_in_mid_stream(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;
	const struct fact_message *m;

	for (uint32_t psn = 5000; psn < 5040; psn++)
		ends_before(&p, psn);
	ack(&p, 5031);
	request(&p, OP_WRITE_MIDDLE, 5040);
	ack(&p, 5035);
	request(&p, OP_WRITE_MIDDLE, 5041);
	ack(&p, 5039);
	request(&p, OP_WRITE_LAST, 5042);
	write_message(&p, 5043, 4);
	pause_ns(s, REACT);
	ack(&p, 5042);
	ack(&p, 5046);
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	assert_int_equal(flow_of(r, &p)->messages_completed, 1);
	for (size_t i = 0; i < r->n_messages; i++) {
		m = &r->messages[i];
		if (m->psn_last == 5042)
			assert_int_equal(m->status, MESSAGE_CUT);
		else
			assert_int_equal(m->status, MESSAGE_COMPLETE);
	}
}

/* It starts in the middle of a replay: 8 9 10 come again, 7 was before. */
static void capture_starts_inside_a_recovery(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	DATA(&p, 8, 9, 10);
	pause_ns(s, REACT);
	nak(&p, 7);
	pause_ns(s, REACT);
	DATA(&p, 7, 8, 9, 10, 11);
	pause_ns(s, REACT);
	ack(&p, 11);
	r = scene_run(s, NULL);
	/* 7 was lost, but on which side of the tap nobody saw */
	EXPECT(flow_of(r, &p), .up = ANY, .down_min = ANY, .down_max = ANY,
	       .retransmitted = ANY);
	assert_in_range(flow_of(r, &p)->retransmitted, 3, 4);
	assert_in_range(flow_of(r, &p)->lost_upstream +
				flow_of(r, &p)->lost_downstream_min,
			0, 1);
	assert_int_equal(TOTAL(r, nak_seq), 1);
}

/* ... before the first packet that is seen of a go-back-N by timer: 1 to 9
 * passed earlier.  As in d18_blackhole_300ms.pa, begun at frame 4403. */
static void capture_starts_between_two_timeouts(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	for (uint32_t psn = 1; psn < 10; psn++)
		ends_before(&p, psn);
	data_run(&p, 10, 20);
	pause_ns(s, TIMEOUT);
	data_run(&p, 1, 20);
	pause_ns(s, TIMEOUT);
	data_run(&p, 1, 20);
	pause_ns(s, REACT);
	ack(&p, 20);
	data_run(&p, 21, 25);
	pause_ns(s, REACT);
	ack(&p, 25);
	r = scene_run(s, NULL);
	/* The second time all are copies, the first time at least 10 to 20.
	 * No answer says that any of them was in vain. */
	EXPECT(flow_of(r, &p), .down_min = ANY, .down_max = ANY,
	       .retransmitted = ANY, .timeouts = ANY);
	assert_in_range(flow_of(r, &p)->retransmitted, 31, 40);
	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 0);
}

/* A NAK for what passed before the capture began: 5 to 9 were not missing,
 * they were not looked for.  As in d14_reorder_gap.pb, begun at frame 2076. */
static void capture_starts_before_a_nak(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	for (uint32_t psn = 1; psn < 10; psn++)
		ends_before(&p, psn);
	data_run(&p, 10, 20);
	ack(&p, 4);
	nak(&p, 5);
	pause_ns(s, REACT);
	data_run(&p, 5, 25);
	pause_ns(s, REACT);
	ack(&p, 25);
	r = scene_run(s, NULL);
	/* 5 was lost somewhere; 6 to 9 surely not before the tap only */
	EXPECT(flow_of(r, &p), .up = ANY, .down_min = ANY, .down_max = ANY,
	       .retransmitted = ANY);
	assert_in_range(flow_of(r, &p)->lost_upstream +
				flow_of(r, &p)->lost_downstream_min,
			0, 1);
	assert_in_range(flow_of(r, &p)->retransmitted, 11, 16);
}

/* The NAK is the first packet of all; the window it stopped passes after it,
 * then the replay begins below anything seen.  As in d10_loss_random_1pct.pa,
 * begun at frame 3130. */
static void capture_starts_with_the_nak(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	for (uint32_t psn = 1; psn < 60; psn++)
		ends_before(&p, psn);
	nak(&p, 10);
	pause_ns(s, 20 * US);
	data_run(&p, 60, 64);
	pause_ns(s, 2 * MS);
	data_run(&p, 10, 70);
	pause_ns(s, REACT);
	ack(&p, 70);
	r = scene_run(s, NULL);
	/* 10 to 59 were sent before the capture, 60 to 64 are copies here */
	EXPECT(flow_of(r, &p), .up = ANY, .down_min = ANY, .down_max = ANY,
	       .retransmitted = ANY);
	assert_in_range(flow_of(r, &p)->lost_upstream +
				flow_of(r, &p)->lost_downstream_min,
			0, 1);
	assert_in_range(flow_of(r, &p)->retransmitted, 5, 55);
}

/* The first READ of a capture misses a response: its First told the PMTU.
 * As in d13_read_resp_drop.pa, begun at frame 1169. */
static void capture_starts_with_a_read_that_misses_one(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	read_request(&p, 100, 8);
	pause_ns(s, REACT);
	for (uint32_t k = 0; k < 8; k++)
		if (k != 3)
			read_response(&p, 100, 8, k);
	pause_ns(s, REACT);
	read_request(&p, 103, 5);
	pause_ns(s, REACT);
	read_responses(&p, 103, 5);
	read_request(&p, 108, 8);
	pause_ns(s, REACT);
	read_responses(&p, 108, 8);
	r = scene_run(s, NULL);
	EXPECT(reverse_of(r, &p), .up = 1, .down_max = ANY,
	       .retransmitted = ANY, .spurious = ANY);
	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 0);
	assert_int_equal(TOTAL(r, implied_nak), 1);
}

/* The end of the capture is not a loss, nor is the message complete. */
static void capture_ends_inside_a_message(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	write_message(&p, 1, 4);
	pause_ns(s, REACT);
	ack(&p, 4);
	request(&p, OP_WRITE_FIRST, 5);
	last_packet(s)->dma_len = 8 * PMTU;
	request(&p, OP_WRITE_MIDDLE, 6);
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	assert_int_equal(flow_of(r, &p)->messages_completed, 1);
	for (size_t i = 0; i < r->n_messages; i++)
		if (r->messages[i].psn_first == 5)
			assert_int_equal(r->messages[i].status, MESSAGE_CUT);
}

static void capture_ends_before_the_ack(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	acked_run(&p, 1, 20);
	DATA(&p, 21, 22, 23);
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	assert_int_equal(flow_of(r, &p)->messages_completed, 20);
	assert_int_equal(flow_of(r, &p)->messages, 23);
}

static void messages_sizes_and_latency(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	const struct fact_flow *f;
	struct record *r;

	write_message(&p, 1, 4);
	pause_ns(s, 100 * US);
	ack(&p, 4);
	request(&p, OP_SEND_ONLY, 5);
	last_packet(s)->payload = 7;
	pause_ns(s, 300 * US);
	ack(&p, 5);
	read_request(&p, 6, 3);
	pause_ns(s, 200 * US);
	read_responses(&p, 6, 3);
	request(&p, OP_FETCH_ADD, 9);
	pause_ns(s, 50 * US);
	atomic_ack(&p, 9);
	r = scene_run(s, NULL);
	f = flow_of(r, &p);
	EXPECT_CLEAN(r);
	assert_int_equal(f->messages_completed, 4);
	assert_int_equal(r->n_messages, 4);
	for (size_t i = 0; i < r->n_messages; i++) {
		const struct fact_message *m = &r->messages[i];
		/* from the first packet to the answer, as 3.10 has it */
		const int64_t latency = m->completed_ns - m->first_ns;

		assert_int_equal(m->status, MESSAGE_COMPLETE);
		switch (m->psn_first) {
		case 1: /* three more packets, the pause, the ACK */
			assert_int_equal(m->op, MESSAGE_WRITE);
			assert_int_equal(m->bytes, 4 * PMTU);
			assert_int_equal(m->psn_last, 4);
			assert_int_equal(latency, 4 * STEP + 100 * US);
			break;
		case 5:
			assert_int_equal(m->op, MESSAGE_SEND);
			assert_int_equal(m->bytes, 7);
			assert_int_equal(latency, STEP + 300 * US);
			break;
		case 6: /* to the last of three responses */
			assert_int_equal(m->op, MESSAGE_READ);
			assert_int_equal(m->bytes, 3 * PMTU);
			assert_int_equal(m->psn_last, 8);
			assert_int_equal(latency, 3 * STEP + 200 * US);
			break;
		case 9:
			assert_int_equal(m->op, MESSAGE_ATOMIC);
			assert_int_equal(latency, STEP + 50 * US);
			break;
		default:
			fail_msg("message at %u", m->psn_first);
		}
	}
	assert_int_equal(f->latency_min_ns, STEP + 50 * US);
	assert_int_equal(f->latency_max_ns, STEP + 300 * US);
	/* (140 + 310 + 230 + 60) / 4 */
	assert_int_equal(f->latency_mean_ns, 185 * US);
}

/* The Last of one message is lost and the First of the next comes twice: as
 * in d11_drop_every_400.pb, still two messages. */
static void message_begun_twice_counts_once(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	request(&p, OP_WRITE_FIRST, 1);
	last_packet(s)->dma_len = 4 * PMTU;
	request(&p, OP_WRITE_MIDDLE, 2);
	request(&p, OP_WRITE_MIDDLE, 3);
	unseen(&p, 4);
	request(&p, OP_WRITE_FIRST, 5);
	last_packet(s)->dma_len = 4 * PMTU;
	pause_ns(s, REACT);
	nak(&p, 4);
	pause_ns(s, REACT);
	request(&p, OP_WRITE_LAST, 4);
	write_message(&p, 5, 4);
	pause_ns(s, REACT);
	ack(&p, 4);
	ack(&p, 8);
	r = scene_run(s, NULL);
	EXPECT(flow_of(r, &p), .up = 1, .down_max = ANY, .retransmitted = 2);
	assert_int_equal(flow_of(r, &p)->messages, 2);
	assert_int_equal(flow_of(r, &p)->messages_completed, 2);
	assert_int_equal(flow_of(r, &p)->messages_incomplete, 0);
}

/* Why a message is not complete: reference 3.10. */
static void a_message_with_a_hole_of_the_capture(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	const struct fact_flow *f;
	struct record *r;

	write_message(&p, 1, 4);
	request(&p, OP_WRITE_FIRST, 5);
	last_packet(s)->dma_len = 4 * PMTU;
	request(&p, OP_WRITE_MIDDLE, 6);
	s->now += STEP; /* 7 passed unseen */
	request(&p, OP_WRITE_LAST, 8);
	write_message(&p, 9, 4);
	pause_ns(s, REACT);
	ack(&p, 12);
	r = scene_run(s, NULL);
	f = flow_of(r, &p);
	EXPECT(f, .missing = 1);
	assert_int_equal(f->messages, 3);
	assert_int_equal(f->messages_completed + f->messages_incomplete, 3);
	for (size_t i = 0; i < r->n_messages; i++)
		if (r->messages[i].psn_first == 5)
			assert_int_equal(r->messages[i].status,
					 MESSAGE_CAPTURE_GAP);
		else
			assert_int_equal(r->messages[i].status,
					 MESSAGE_COMPLETE);
}

static void a_message_of_a_dead_queue_pair(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	const struct fact_flow *f;

	write_message(&p, 1, 4);
	write_message(&p, 5, 4);
	pause_ns(s, REACT);
	ack(&p, 4);
	nak_code(&p, 5, 0x61);
	f = flow_of(scene_run(s, NULL), &p);
	assert_int_equal(f->messages, 2);
	assert_int_equal(f->messages_completed, 1);
	assert_int_equal(f->messages_incomplete, 1);
}

static void a_flow_knows_its_first_and_last_packet(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	for (uint32_t psn = 0; psn < 300; psn++)
		DATA(&p, psn);
	pause_ns(s, REACT);
	ack(&p, 250);
	ack(&p, 299);
	r = scene_run(s, NULL);
	assert_int_equal(flow_of(r, &p)->first_ns, s->packets[0].ns);
	assert_int_equal(flow_of(r, &p)->last_ns, s->packets[299].ns);
	assert_int_equal(reverse_of(r, &p)->first_ns, s->packets[300].ns);
	assert_int_equal(reverse_of(r, &p)->last_ns, s->packets[301].ns);
	assert_int_equal(flow_of(r, &p)->expected, 300);
	assert_int_equal(flow_of(r, &p)->requests, 300);
	assert_int_equal(reverse_of(r, &p)->responses, 2);
}

/* READ data travels in the other direction and is counted there. */
static void read_data_counts_where_it_travels(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	write_message(&p, 1, 3);
	pause_ns(s, REACT);
	ack(&p, 3);
	read_request(&p, 4, 6);
	pause_ns(s, REACT);
	read_responses(&p, 4, 6);
	read_request(&p, 8, 2); /* the last two got lost behind the tap */
	pause_ns(s, REACT);
	read_responses(&p, 8, 2);
	r = scene_run(s, NULL);
	assert_int_equal(flow_of(r, &p)->payload_bytes, 3 * PMTU);
	assert_int_equal(flow_of(r, &p)->goodput_bytes, 3 * PMTU);
	assert_int_equal(reverse_of(r, &p)->payload_bytes, 8 * PMTU);
	assert_int_equal(reverse_of(r, &p)->goodput_bytes, 6 * PMTU);
	assert_int_equal(flow_of(r, &p)->messages, 2);
	assert_int_equal(flow_of(r, &p)->messages_completed, 2);
}

/* Goodput leaves out what was sent twice. */
static void goodput_is_without_copies(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	const struct fact_flow *f;
	struct record *r;

	data_run(&p, 1, 10);
	pause_ns(s, REACT);
	nak(&p, 6);
	pause_ns(s, REACT);
	data_run(&p, 6, 12);
	pause_ns(s, REACT);
	ack(&p, 12);
	r = scene_run(s, NULL);
	f = flow_of(r, &p);
	assert_int_equal(f->packets, 17);
	assert_int_equal(f->payload_bytes, 17 * PMTU);
	assert_int_equal(f->goodput_bytes, 12 * PMTU);
	assert_int_equal(f->bytes, 17 * s->packets[0].wire_len);
	assert_int_equal(f->retransmitted_bytes, 5 * PMTU);
}

/* XRC: the same two hosts and QPs, two shared receive queues. */
static void xrc_is_keyed_by_srq(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	p.service = XRC;
	p.srq = 0x77;
	for (uint32_t psn = 1; psn <= 20; psn++) {
		DATA(&p, psn);
		pause_ns(s, REACT);
		ack(&p, psn);
	}
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	assert_int_equal(flow_of(r, &p)->transport, FLOW_XRC);
	assert_int_equal(flow_of(r, &p)->messages_completed, 20);
}

static void xrc_loss_is_found_like_rc(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	p.service = XRC;
	p.srq = 0x77;
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
	EXPECT(flow_of(r, &p), .up = 1, .down_max = ANY, .retransmitted = 3);
}

/* Credit 0, silence, credit again: reference 3.8. */
static void credit_stall_of_a_send_stream(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	for (uint32_t psn = 1; psn <= 4; psn++) {
		request(&p, OP_SEND_ONLY, psn);
		pause_ns(s, REACT);
		ack(&p, psn);
		last_packet(s)->syndrome = psn == 4 ? 0x00 : 0x05;
	}
	pause_ns(s, 20 * MS);
	ack(&p, 4);
	last_packet(s)->syndrome = 0x08; /* 16 messages */
	request(&p, OP_SEND_ONLY, 5);
	pause_ns(s, REACT);
	ack(&p, 5);
	last_packet(s)->syndrome = 0x08;
	r = scene_run(s, NULL);
	EXPECT(flow_of(r, &p), .up = 0);
	assert_int_equal(TOTAL(r, credit_stalls), 1);
	/* from the AETH without credit to the one with it, or the resumption */
	assert_in_range(first_event(r, EVENT_CREDIT_STALL)->value, 20 * MS,
			20 * MS + 3 * STEP);
}

/* 0x1f means that credits are not used: never a stall. */
static void no_credit_stall_without_credits(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	request(&p, OP_SEND_ONLY, 1);
	pause_ns(s, REACT);
	ack(&p, 1);
	pause_ns(s, 20 * MS);
	request(&p, OP_SEND_ONLY, 2);
	pause_ns(s, REACT);
	ack(&p, 2);
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	assert_int_equal(TOTAL(r, credit_stalls), 0);
}

/* Times of years apart and going back: no crash, no loss. */
static void gaps_of_years_and_time_going_back(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	acked_run(&p, 1, 10);
	pause_ns(s, 3LL * 365 * 24 * 3600 * SECOND);
	acked_run(&p, 11, 20);
	pause_ns(s, -2LL * 365 * 24 * 3600 * SECOND);
	acked_run(&p, 21, 30);
	r = scene_run(s, NULL);
	for (size_t i = 0; i < r->n_flows; i++)
		EXPECT(&r->flows[i], .missing = NOT_OR_0);
	assert_int_equal(r->n_recoveries, 0);
}

/* Mellanox DC uses the RD range; many initiators share one target, so the
 * source port is part of the key (reference 1.3, 2.1). */
static void dc_is_named_and_keyed_by_port(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;
	uint64_t packets = 0;

	for (uint32_t psn = 0; psn < 30; psn++)
		for (int i = 0; i < 2; i++) {
			p.sport_a = (uint16_t)(50000 + i);
			DATA(&p, psn + 1000 * (uint32_t)i);
			last_packet(s)->opcode = 0x4a;
		}
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	assert_int_equal(r->n_flows, 2);
	for (size_t i = 0; i < r->n_flows; i++) {
		assert_int_equal(r->flows[i].transport, FLOW_DC);
		packets += r->flows[i].packets;
	}
	assert_int_equal(packets, 60);
}

/* A sniffer that writes its clock into the source MAC and 4791 into the
 * source port: one host, no matter how many MACs, and told as what it is. */
static void nic_sniffer_is_recognised(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	p.sport_a = p.sport_b = 4791;
	for (uint32_t psn = 0; psn < 200; psn++) {
		DATA(&p, psn);
		last_packet(s)->src_mac = (uint64_t)last_packet(s)->ns;
		last_packet(s)->icrc_status = ICRC_BAD;
		pause_ns(s, REACT);
		ack(&p, psn);
		last_packet(s)->src_mac = (uint64_t)last_packet(s)->ns;
		last_packet(s)->icrc_status = ICRC_BAD;
	}
	r = scene_run(s, NULL);
	assert_int_equal(r->n_flows, 2);
	assert_int_equal(r->n_taps, 1);
	assert_true(r->taps[0].nic_sniffer);
	/* the sniffer changed what the ICRC covers: nothing is corrupt */
	EXPECT(flow_of(r, &p), .up = NOT_OR_0, .corrupted = NOT_OR_0);
	assert_int_equal(r->n_recoveries, 0);
}

/* An ordinary capture is not taken for one. */
static void ordinary_capture_is_no_nic_sniffer(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	acked_run(&p, 0, 199);
	assert_false(scene_run(s, NULL)->taps[0].nic_sniffer);
}

/* Truncated, malformed and foreign packets never enter a PSN machine. */
static void only_whole_packets_count(void **state)
{
	static const uint8_t status[] = { PACKET_TRUNCATED, PACKET_MALFORMED,
					  PACKET_FRAGMENT, PACKET_FOREIGN };
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	acked_run(&p, 1, 10);
	for (size_t i = 0; i < sizeof status; i++) {
		DATA(&p, 100 * (uint32_t)i + 3);
		last_packet(s)->status = status[i];
	}
	reborn(&p);
	for (uint32_t psn = 1; psn <= 10; psn++)
		ends_before(&p, psn);
	acked_run(&p, 11, 20);
	r = scene_run(s, NULL);
	EXPECT_CLEAN(r);
	assert_int_equal(flow_of(r, &p)->requests, 20);
	assert_int_equal(r->n_taps, 1);
	assert_int_equal(r->taps[0].packets, 44);
	assert_int_equal(r->taps[0].by_status[PACKET_MALFORMED], 1);
	assert_int_equal(r->taps[0].by_status[PACKET_TRUNCATED], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(qpn_reuse_after_idle_and_far_away_psn),
		SCENE_TEST(qpn_reuse_with_a_psn_behind),
		SCENE_TEST(qpn_reuse_psn_restarts_at_0),
		SCENE_TEST(qpn_reuse_after_a_fatal_nak),
		SCENE_TEST(forward_jump_opens_no_gap),
		SCENE_TEST(half_the_space_away_opens_no_gap),
		SCENE_TEST(a_whole_turn_of_the_psn_is_no_retransmission),
		SCENE_TEST(capture_starts_in_mid_stream),
		SCENE_TEST(capture_starts_inside_a_recovery),
		SCENE_TEST(capture_starts_between_two_timeouts),
		SCENE_TEST(capture_starts_before_a_nak),
		SCENE_TEST(capture_starts_with_the_nak),
		SCENE_TEST(capture_starts_with_a_read_that_misses_one),
		SCENE_TEST(capture_ends_inside_a_message),
		SCENE_TEST(capture_ends_before_the_ack),
		SCENE_TEST(messages_sizes_and_latency),
		SCENE_TEST(message_begun_twice_counts_once),
		SCENE_TEST(a_message_with_a_hole_of_the_capture),
		SCENE_TEST(a_message_of_a_dead_queue_pair),
		SCENE_TEST(a_flow_knows_its_first_and_last_packet),
		SCENE_TEST(read_data_counts_where_it_travels),
		SCENE_TEST(goodput_is_without_copies),
		SCENE_TEST(xrc_is_keyed_by_srq),
		SCENE_TEST(xrc_loss_is_found_like_rc),
		SCENE_TEST(credit_stall_of_a_send_stream),
		SCENE_TEST(no_credit_stall_without_credits),
		SCENE_TEST(gaps_of_years_and_time_going_back),
		SCENE_TEST(dc_is_named_and_keyed_by_port),
		SCENE_TEST(nic_sniffer_is_recognised),
		SCENE_TEST(ordinary_capture_is_no_nic_sniffer),
		SCENE_TEST(only_whole_packets_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
