/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the engine promises whatever the story: order that cannot be trusted
 * proves nothing, any split gives the same facts, memory has limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scene.h"

/* ---- jitter between directions: reference 0.3, 3.3 ---- */

/* A merged mirror shows each ACK 5 us before the packet it acknowledges. */
static void ack_before_its_data_within_epsilon(void **state)
{
	const struct engine_options options = { .jitter_ns = 20 * US };
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	for (uint32_t psn = 1; psn <= 100; psn++) {
		ends_before(&p, psn);
		ack(&p, psn);
		pause_ns(s, -5 * US);
		DATA(&p, psn);
		pause_ns(s, 60 * US);
	}
	r = scene_run(s, &options);
	EXPECT_CLEAN(r);
	assert_int_equal(flow_of(r, &p)->messages_completed, 100);
}

/* The last packets of each burst are swapped with their ACK. */
static void burst_ack_before_its_tail_within_epsilon(void **state)
{
	const struct engine_options options = { .jitter_ns = 20 * US };
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	s->step = US;
	for (uint32_t psn = 0; psn < 400; psn += 8) {
		for (uint32_t k = 0; k < 8; k++)
			ends_before(&p, psn + k);
		data_run(&p, psn, psn + 4);
		ack(&p, psn + 7);
		data_run(&p, psn + 5, psn + 7);
		pause_ns(s, 100 * US);
	}
	r = scene_run(s, &options);
	EXPECT_CLEAN(r);
}

/* The first copy seems to come before the NAK that called for it. */
static void copy_before_its_nak_within_epsilon(void **state)
{
	const struct engine_options options = { .jitter_ns = 20 * US };
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	DATA(&p, 1, 2);
	unseen(&p, 3);
	DATA(&p, 4, 5);
	pause_ns(s, 100 * US);
	s->step = US;
	DATA(&p, 3, 4);
	nak(&p, 3);
	DATA(&p, 5);
	pause_ns(s, 100 * US);
	DATA(&p, 6);
	pause_ns(s, 100 * US);
	ack(&p, 6);
	r = scene_run(s, &options);
	/* one packet was missing and came; no second one can be invented */
	EXPECT(flow_of(r, &p), .up = ANY, .down_max = ANY, .reordered = ANY,
	       .extent = ANY, .retransmitted = ANY, .spurious = ANY,
	       .timeouts = ANY);
	assert_in_range(flow_of(r, &p)->lost_upstream, 0, 1);
}

/* ---- any split ---- */

/* A bit of everything on several pairs. */
static void eventful(struct scene *s)
{
	struct pair p[6];
	uint16_t id;

	for (uint32_t i = 0; i < 6; i++)
		p[i] = pair(s, (int)i % 2, HOST_C, 0x10 + i, 0x20 + i);
	for (uint32_t round = 0; round < 40; round++) {
		const uint32_t at = 16 * round;

		DATA(&p[0], at, at + 1, at + 2);
		if (round % 7 == 3)
			unseen(&p[0], at + 3);
		else
			DATA(&p[0], at + 3);
		DATA(&p[0], at + 4, at + 5);
		if (round % 7 == 3) {
			nak(&p[0], at + 3);
			pause_ns(s, REACT);
			DATA(&p[0], at + 3, at + 4, at + 5);
		}
		data_run(&p[0], at + 6, at + 15);
		ack(&p[0], at + 15);

		write_message(&p[1], at, 16);
		if (round % 5 == 0) {
			nak(&p[1], at + 9);
			pause_ns(s, REACT);
			data_run(&p[1], at + 9, at + 15);
		}
		pause_ns(s, REACT);
		ack(&p[1], at + 15);

		read_request(&p[2], at, 16);
		pause_ns(s, REACT);
		read_responses(&p[2], at, 16);

		id = reordered(&p[3]);
		data_run(&p[3], at + 1, at + 15);
		late(&p[3], at, id);
		ack(&p[3], at + 15);

		for (uint32_t k = 0; k < 16; k++) {
			if ((round * 16 + k) % 11 == 5)
				unseen(&p[4], at + k);
			else
				DATA(&p[4], at + k);
			duplicate(s, US);
			last_packet(s)->ttl--;
		}
		ack(&p[4], at + 15);

		request(&p[5], OP_SEND_ONLY, round);
		if (round % 4 == 0) {
			rnr(&p[5], round, 12);
			pause_ns(s, MS);
			request(&p[5], OP_SEND_ONLY, round);
		}
		if (round % 9 == 8) {
			pause_ns(s, TIMEOUT);
			request(&p[5], OP_SEND_ONLY, round);
		}
		ack(&p[5], round);
	}
}

static void any_split_gives_identical_facts(void **state)
{
	static const size_t batch[] = { 1, 2, 3, 7, 64, 255, 256, 1000 };
	struct scene *s = *state;
	const struct record *whole;

	eventful(s);
	whole = scene_run(s, NULL);
	assert_true(whole->n_events > 20);
	assert_true(whole->n_recoveries > 10);
	for (size_t i = 0; i < sizeof batch / sizeof batch[0]; i++) {
		const struct record *r = scene_run_in(s, NULL, batch[i]);

		assert_int_equal(r->n_events, whole->n_events);
		assert_int_equal(r->n_messages, whole->n_messages);
		assert_int_equal(r->n_recoveries, whole->n_recoveries);
		assert_true(r->digest == whole->digest);
	}
}

static void two_runs_give_identical_facts(void **state)
{
	struct scene *s = *state;

	eventful(s);
	assert_true(scene_run(s, NULL)->digest == scene_run(s, NULL)->digest);
}

static void nothing_gives_nothing(void **state)
{
	struct scene *s = *state;
	const struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_flows, 0);
	assert_int_equal(r->n_events, 0);
}

/* ---- spray seen through one link: reference 0.3.5, 6.3 ---- */

/* Eight QPs sprayed over two links, one of which is tapped: every other
 * packet in no pattern, no NAK, ACKs pass.  No loss, no ghosts. */
static void spray_through_one_link_gives_no_verdict(void **state)
{
	enum { QPS = 8 };
	struct scene *s = *state;
	struct pair p[QPS];
	struct record *r;
	uint32_t dice = 12345;

	for (uint32_t i = 0; i < QPS; i++)
		p[i] = pair(s, HOST_A, HOST_B, 0x100 + i, 0x200 + i);
	s->step = US;
	for (uint32_t psn = 0; psn < 3000; psn++)
		for (int i = 0; i < QPS; i++) {
			dice = dice * 1103515245 + 12345;
			if (dice >> 31 || psn == 2998)
				DATA(&p[i], psn);
			else
				unseen(&p[i], psn);
			if (psn % 16 == 15)
				ack(&p[i], psn);
		}
	/* As if by a timer; but a NAK may have passed the other link. */
	pause_ns(s, SECOND);
	for (int i = 0; i < QPS; i++)
		DATA(&p[i], 2998);
	r = scene_run(s, NULL);
	for (int i = 0; i < QPS; i++) {
		const struct fact_flow *f = flow_of(r, &p[i]);

		assert_true(f->spray_suspect);
		EXPECT(f, .up = NOT_OR_0, .down_min = NOT_OR_0,
		       .down_max = NOT_OR_0, .missing = NOT_OR_0,
		       .unresolved = NOT_OR_0, .corrupted = NOT_OR_0,
		       .reordered = NOT_OR_0, .extent = NOT_OR_0,
		       .spurious = NOT_OR_0, .timeouts = NOT_OR_0,
		       .retransmitted = 1);
	}
	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 0);
	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 0);
	assert_true(r->taps[0].spray_suspect);
}

enum { TWINS = 8, TWIN_PSNS = 2000, TWIN_MESSAGE = 16 };

/* Eight queue pairs with messages of sixteen packets, of which the capture has
 * those that |has| says, by their number in order of sending. */
static struct record *twin(struct scene *s, struct pair *p, bool naks,
			   bool (*has)(uint32_t n))
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < TWINS; i++)
		p[i] = pair(s, HOST_A, HOST_B, 0x100 + i, 0x200 + i);
	s->step = US;
	for (uint32_t psn = 0; psn < TWIN_PSNS; psn++)
		for (int i = 0; i < TWINS; i++, n++) {
			uint32_t k = psn % TWIN_MESSAGE;

			if (has(n))
				message_part(&p[i], psn - k, TWIN_MESSAGE, k);
			else if (k == TWIN_MESSAGE - 1)
				unseen(&p[i], psn);
			else
				s->now += s->step;
			/* It came late, by another link. */
			if (naks && !i && psn % 7 == 5 && psn % 8 < 6)
				nak(&p[i], psn - 1);
			if (k == TWIN_MESSAGE - 1 && (!naks || !i))
				ack(&p[i], psn);
		}
	return scene_run(s, NULL);
}

static uint32_t chance(uint32_t n)
{
	n = (n + 1) * 2654435761u;
	n = (n ^ n >> 15) * 2246822519u;
	return n ^ n >> 13;
}

static bool one_link_of_four(uint32_t n)
{
	return chance(n) % 4 == 0;
}

/* Twenty at once are missing, then some are there. */
static bool in_bursts(uint32_t n)
{
	return (n + chance(n / 64) % 24) % 40 < 20;
}

/* A receiver that sends NAKs for what is only late: what its flow has lost is
 * as unknown as of those whose ACKs pass another link. */
static void spray_is_of_all_flows(void **state)
{
	struct pair p[TWINS];
	struct record *r = twin(*state, p, true, one_link_of_four);

	assert_true(r->taps[0].spray_suspect);
	for (int i = 0; i < TWINS; i++) {
		const struct fact_flow *f = flow_of(r, &p[i]);

		assert_true(f->spray_suspect);
		assert_int_equal(f->lost_upstream, FACT_UNKNOWN);
		assert_int_equal(f->lost_downstream_max, FACT_UNKNOWN);
		assert_int_equal(f->capture_missing, FACT_UNKNOWN);
		assert_int_equal(f->unresolved, FACT_UNKNOWN);
	}
	assert_true(flow_of(r, &p[0])->nak_seq * 10 > TWIN_PSNS);
}

/* The twin: all links are there, and the mirror drops bursts. */
static void bursts_that_a_mirror_drops_are_not_spray(void **state)
{
	struct pair p[TWINS];
	struct record *r = twin(*state, p, false, in_bursts);

	assert_false(r->taps[0].spray_suspect);
	for (int i = 0; i < TWINS; i++) {
		const struct fact_flow *f = flow_of(r, &p[i]);

		assert_false(f->spray_suspect);
		assert_int_equal(f->capture_missing + f->unresolved,
				 TWIN_PSNS - f->requests);
	}
}

/* Two per cent of capture loss is no spraying. */
static void capture_loss_is_not_spray(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;
	int64_t holes = 0;

	for (uint32_t psn = 0; psn < 2000; psn++) {
		if (psn % 50 == 17) {
			unseen(&p, psn);
			holes++;
		} else {
			DATA(&p, psn);
		}
		if (psn % 16 == 15) {
			pause_ns(s, REACT);
			ack(&p, psn);
		}
	}
	r = scene_run(s, NULL);
	assert_false(flow_of(r, &p)->spray_suspect);
	EXPECT(flow_of(r, &p), .missing = holes);
}

/* ---- independent evidence of capture loss: reference 3.5 ---- */

/* The mirror numbers its copies (ERSPAN): three of them are missing. */
static void mirror_sequence_tells_what_the_mirror_lost(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;
	uint32_t copy = 0xfffffff0;

	for (uint32_t psn = 0; psn < 50; psn++, copy++) {
		if (psn == 10 || psn == 30 || psn == 31) {
			unseen(&p, psn);
			continue;
		}
		DATA(&p, psn);
		last_packet(s)->flags |= PACKET_MIRROR_SEQ | PACKET_TUNNELLED;
		last_packet(s)->mirror_seq = copy;
		last_packet(s)->mirror_session = 5;
	}
	pause_ns(s, REACT);
	ack(&p, 49);
	r = scene_run(s, NULL);
	assert_true(r->taps[0].mirror_seq_seen);
	assert_int_equal(r->taps[0].mirror_seq_lost, 3);
	EXPECT(flow_of(r, &p), .missing = 3);
}

/* Two switches number their copies each for itself, in sessions of the same
 * number; what the second of them lost is all that is missing. */
static void mirror_sequences_of_two_switches(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint32_t copy[2] = { 7, 900000 };
	struct record *r;

	for (uint32_t psn = 0; psn < 60; psn++) {
		unsigned by = psn / 3 % 2;

		DATA(&p, psn);
		last_packet(s)->flags |= PACKET_MIRROR_SEQ | PACKET_TUNNELLED;
		last_packet(s)->mirror_seq = copy[by]++;
		last_packet(s)->mirror_session = 5;
		last_packet(s)->mirror_switch = 0xc0a80001 + by;
		if (psn == 40)
			copy[1] += 2; /* not of this flow */
	}
	ack(&p, 59);
	r = scene_run(s, NULL);
	assert_int_equal(r->taps[0].mirror_seq_lost, 2);
}

/* Hundreds of sessions keep their counts apart. */
static void mirror_sequences_of_many_switches(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	for (uint32_t psn = 0; psn < 400; psn++) {
		DATA(&p, psn);
		last_packet(s)->flags |= PACKET_MIRROR_SEQ | PACKET_TUNNELLED;
		last_packet(s)->mirror_seq = psn / 100 + psn % 100 * 1000;
		last_packet(s)->mirror_session = (uint16_t)(psn % 100 / 25);
		last_packet(s)->mirror_switch = 0x0a000001 + psn % 25;
	}
	r = scene_run(s, NULL);
	assert_true(r->taps[0].mirror_seq_seen);
	assert_int_equal(r->taps[0].mirror_seq_lost, 0);
}

/* ---- what is counted ---- */

static void a_tap_counts_what_passed(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	const struct fact_tap *t;
	struct record *r;

	for (uint32_t psn = 0; psn < 40; psn++) {
		DATA(&p, psn);
		last_packet(s)->tos = psn < 10 ? 2 : psn < 13 ? 3 : 0;
		if (psn % 4 == 0)
			last_packet(s)->flags |= PACKET_RESERVED_SET;
		if (psn >= 30)
			last_packet(s)->icrc_status = ICRC_UNCHECKABLE;
		pause_ns(s, REACT);
		ack(&p, psn);
		if (psn == 5)
			last_packet(s)->icrc_status = ICRC_BAD;
	}
	DATA(&p, 7);
	last_packet(s)->kind = PACKET_LLDP;
	last_packet(s)->status = PACKET_FOREIGN;
	DATA(&p, 40);
	last_packet(s)->opcode = 0x1a; /* no such operation */
	r = scene_run(s, NULL);
	assert_int_equal(r->n_taps, 1);
	t = &r->taps[0];
	assert_int_equal(t->packets, 82);
	assert_int_equal(t->by_kind[PACKET_ROCE], 81);
	assert_int_equal(t->by_kind[PACKET_LLDP], 1);
	assert_int_equal(t->by_status[PACKET_OK], 81);
	assert_int_equal(t->by_status[PACKET_FOREIGN], 1);
	assert_int_equal(t->ect, 10);
	assert_int_equal(t->ce, 3);
	assert_int_equal(t->reserved_set, 10);
	assert_int_equal(t->unknown_opcodes, 1);
	assert_int_equal(t->icrc_bad, 1);
	assert_int_equal(t->icrc_unchecked, 10);
	/* 40 + 40 + the unknown one, less those two groups */
	assert_int_equal(t->icrc_good, 70);
	assert_false(t->mirror_seq_seen);
}

static void a_tap_counts_mirror_duplicates(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r;

	for (uint32_t psn = 0; psn < 40; psn++) {
		DATA(&p, psn);
		duplicate(s, US);
		last_packet(s)->ttl--;
		pause_ns(s, REACT);
		ack(&p, psn);
	}
	r = scene_run(s, NULL);
	assert_int_equal(r->taps[0].mirror_duplicates, 40);
	assert_int_equal(TOTAL(r, mirror_duplicates), 40);
}

/* Bins are few, never overlap, and add up to the whole. */
static void bins_add_up(void **state)
{
	enum { PACKETS = 5000 };
	struct scene *s = *state;
	struct pair p = usual(s);
	uint64_t tap = 0, flows = 0, tap_bytes = 0, again = 0, bytes = 0;
	struct record *r;

	for (uint32_t psn = 0; psn < PACKETS; psn++) {
		DATA(&p, psn);
		if (psn == 1000)
			pause_ns(s, 40LL * 24 * 3600 * SECOND);
		if (psn % 100 == 99) {
			pause_ns(s, REACT);
			ack(&p, psn);
		}
	}
	r = scene_run(s, NULL);
	for (size_t i = 0; i < s->count; i++)
		bytes += s->packets[i].wire_len;
	for (size_t i = 0; i < r->n_bins; i++) {
		const struct fact_bin *b = &r->bins[i];

		assert_true(b->width_ns > 0);
		assert_true(b->packets > 0);
		assert_true(b->start_ns + b->width_ns > s->packets[0].ns);
		assert_true(b->start_ns <= last_packet(s)->ns);
		again += b->retransmitted;
		if (b->scope == BIN_TAP) {
			tap += b->packets;
			tap_bytes += b->bytes;
		} else if (b->scope == BIN_FLOW) {
			flows += b->packets;
		}
		for (size_t j = 0; j < i; j++)
			if (r->bins[j].scope == b->scope &&
			    r->bins[j].scope_id == b->scope_id)
				assert_true(r->bins[j].start_ns +
						    r->bins[j].width_ns <=
					    b->start_ns);
	}
	assert_int_equal(tap, PACKETS + PACKETS / 100);
	assert_int_equal(tap_bytes, bytes);
	/* of two flows both have a series */
	assert_int_equal(flows, PACKETS + PACKETS / 100);
	assert_int_equal(again, 0);
	assert_in_range(r->n_bins, 3, 5000);
}

/* A bin of a flow holds the packets of its time, from the first one on. */
static void bins_hold_their_packets(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint64_t bins = 0;
	struct record *r;

	for (uint32_t psn = 0; psn < 3000; psn++) {
		DATA(&p, psn);
		if (psn % 7 == 0)
			pause_ns(s, 37 * 1000 + 1000 * (psn % 90));
		if (psn % 100 == 99)
			ack(&p, psn);
	}
	r = scene_run(s, NULL);
	for (size_t i = 0; i < r->n_bins; i++) {
		const struct fact_bin *b = &r->bins[i];
		const struct fact_flow *f = r->flows;
		uint64_t inside = 0;

		if (b->scope != BIN_FLOW)
			continue;
		while (f->id != b->scope_id)
			f++;
		for (size_t k = 0; k < s->count; k++)
			inside += s->packets[k].dst_qp == f->dst_qp &&
				  s->packets[k].ns >= b->start_ns &&
				  s->packets[k].ns < b->start_ns + b->width_ns;
		assert_int_equal(b->packets, inside);
		bins++;
	}
	assert_true(bins > 20);
}

/* The shortest round trips on both sides of the tap: reference 3.3. */
static void round_trips_are_minima(void **state)
{
	static const int wait[] = { 90, 30, 60 };
	struct scene *s = *state;
	struct pair p = usual(s);
	const struct fact_flow *f;
	uint32_t psn = 0;

	for (int i = 0; i < 3; i++) {
		DATA(&p, psn);
		pause_ns(s, wait[i] * US);
		ack(&p, psn++);
		pause_ns(s, MS);
	}
	for (int i = 0; i < 3; i++) {
		DATA(&p, psn, psn + 1);
		pause_ns(s, 200 * US);
		nak(&p, psn);
		pause_ns(s, (wait[i] + 5) * US);
		DATA(&p, psn, psn + 1);
		pause_ns(s, 200 * US);
		ack(&p, psn + 1);
		pause_ns(s, MS);
		psn += 2;
	}
	f = flow_of(scene_run(s, NULL), &p);
	assert_int_equal(f->rtt_receiver_ns, 30 * US + STEP);
	assert_int_equal(f->rtt_sender_ns, 35 * US + STEP);
}

/* What a recovery cost, and when: fact_recovery. */
static void a_recovery_says_when_and_how_much(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	const struct fact_recovery *c;
	const struct packet *at;
	struct record *r;

	DATA(&p, 1, 2); /* frames 1 2 */
	unseen(&p, 3);
	DATA(&p, 4, 5, 6); /* 3 4 5 */
	pause_ns(s, REACT);
	nak(&p, 3); /* 6 */
	pause_ns(s, REACT);
	DATA(&p, 3, 4, 5, 6); /* 7 to 10 */
	DATA(&p, 7);          /* 11 */
	pause_ns(s, REACT);
	ack(&p, 7);
	r = scene_run(s, NULL);
	at = s->packets - 1; /* by frame number */
	assert_int_equal(r->n_recoveries, 1);
	c = &r->recoveries[0];
	assert_int_equal(c->flow, flow_of(r, &p)->id);
	assert_int_equal(c->frame_detect, 6);
	assert_int_equal(c->frame_first, 7);
	assert_int_equal(c->frame_last, 10);
	assert_int_equal(c->retransmitted_packets, 4);
	assert_int_equal(c->first_ns, at[3].ns); /* the hole opens */
	assert_int_equal(c->detect_ns, at[6].ns);
	assert_int_equal(c->resend_ns, at[7].ns);
	assert_in_range(c->last_ns, at[10].ns, at[12].ns);
	/* silent from 6 to the first copy */
	assert_int_equal(c->silence_ns, at[7].ns - at[5].ns);
	assert_true(c->confidence > 0.5);
	assert_int_equal(flow_of(r, &p)->recoveries, 1);
	assert_int_equal(flow_of(r, &p)->recovery_ns, c->last_ns - c->first_ns);
	/* the NAK event carries the NAK, the re-send first and last copy */
	assert_int_equal(first_event(r, EVENT_NAK_SEQ)->frame, 6);
	assert_int_equal(first_event(r, EVENT_NAK_SEQ)->psn, 3);
	assert_int_equal(first_event(r, EVENT_RETRANSMIT_NAK)->frame, 7);
	assert_int_equal(first_event(r, EVENT_RETRANSMIT_NAK)->count, 4);
	assert_int_equal(first_event(r, EVENT_RETRANSMIT_NAK)->value, 10);
}

/* ---- limits ---- */

enum { LOSSES = 200 };

static void many_losses(struct scene *s, struct pair *p)
{
	for (uint32_t i = 0; i < LOSSES; i++) {
		DATA(p, 3 * i);
		unseen(p, 3 * i + 1);
		DATA(p, 3 * i + 2);
		nak(p, 3 * i + 1);
		pause_ns(s, REACT);
		DATA(p, 3 * i + 1, 3 * i + 2);
		pause_ns(s, REACT);
		ack(p, 3 * i + 2);
	}
}

static void events_per_flow_are_capped_and_counted(void **state)
{
	const struct engine_options free_options = { .jitter_ns = US };
	const struct engine_options options = { .jitter_ns = US,
						.events_per_flow = 10 };
	struct scene *s = *state;
	struct pair p = usual(s);
	const struct record *all, *some;

	many_losses(s, &p);
	all = scene_run(s, &free_options);
	some = scene_run(s, &options);
	assert_int_equal(events_of(all, EVENT_LOSS_UPSTREAM), LOSSES);
	assert_int_equal(events_of(some, EVENT_LOSS_UPSTREAM), 10);
	assert_int_equal(events_of(some, EVENT_NAK_SEQ), 10);
	/* "and N more" */
	assert_int_equal(all->capped_events, 0);
	assert_int_equal(some->n_events + some->capped_events, all->n_events);
	/* the counters do not know of the cap */
	EXPECT(flow_of(some, &p), .up = LOSSES, .down_max = ANY,
	       .retransmitted = 2 * LOSSES);
}

static void events_in_total_are_capped_and_counted(void **state)
{
	const struct engine_options options = { .jitter_ns = US,
						.events_total = 25 };
	struct scene *s = *state;
	struct pair p = usual(s);
	const struct record *all, *some;

	many_losses(s, &p);
	all = scene_run(s, NULL);
	some = scene_run(s, &options);
	assert_int_equal(some->n_events, 25);
	assert_int_equal(some->n_events + some->capped_events, all->n_events);
	EXPECT(flow_of(some, &p), .up = LOSSES, .down_max = ANY,
	       .retransmitted = 2 * LOSSES);
}

static void messages_are_capped_and_counted(void **state)
{
	const struct engine_options options = { .jitter_ns = US,
						.messages_total = 50 };
	struct scene *s = *state;
	struct pair p = usual(s);
	const struct record *r;

	for (uint32_t psn = 0; psn < 500; psn++) {
		DATA(&p, psn);
		pause_ns(s, REACT);
		ack(&p, psn);
	}
	r = scene_run(s, &options);
	assert_in_range(r->n_messages, 1, 50);
	assert_int_equal(r->n_messages + r->capped_others, 500);
	assert_int_equal(flow_of(r, &p)->messages_completed, 500);
	EXPECT_CLEAN(r);
}

/* What is as usual fills half of the rows at most. */
static void slow_messages_find_room(void **state)
{
	const struct engine_options options = { .jitter_ns = US,
						.messages_total = 8 };
	struct scene *s = *state;
	struct pair p = usual(s), q = pair(s, HOST_A, HOST_B, 0x31, 0x32);
	const struct record *r;
	unsigned slow = 0;

	for (uint32_t psn = 0; psn < 40; psn++) {
		DATA(&q, psn);
		DATA(&p, psn);
		pause_ns(s, psn < 38 ? REACT : 50 * REACT);
		ack(&p, psn);
		ack(&q, psn);
	}
	r = scene_run(s, &options);
	for (unsigned i = 0; i < r->n_messages; i++)
		slow += r->messages[i].completed_ns - r->messages[i].first_ns >=
			50 * REACT;
	assert_int_equal(slow, 4);
	assert_int_equal(r->n_messages, 8);
	assert_int_equal(r->n_messages + r->capped_others, 80);
}

/* Flows beyond the limit are counted, not followed; no crash. */
static void flows_are_capped(void **state)
{
	const struct engine_options options = { .jitter_ns = US,
						.max_flows = 16 };
	struct scene *s = *state;
	struct record *r;

	for (uint32_t i = 0; i < 100; i++) {
		struct pair p = pair(s, HOST_A, HOST_B, 0x100 + i, 0x200 + i);

		DATA(&p, 1, 2, 3);
		pause_ns(s, REACT);
		ack(&p, 3);
	}
	r = scene_run(s, &options);
	assert_in_range(r->n_flows, 1, 16);
	assert_true(r->capped_flows > 0);
	EXPECT_CLEAN(r);
}

/* Data, answers and CNPs may have a DSCP each; what differs from the first of
 * its kind is counted, an 802.1p priority as well. */
static void classes_of_service_are_told(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s), back = pair_reversed(&p);
	const struct fact_flow *data, *answers;
	struct record *r;

	for (uint32_t psn = 1; psn <= 10; psn++) {
		DATA(&p, psn);
		last_packet(s)->tos = 26 << 2 | (psn & 1 ? 2 : 3);
		last_packet(s)->pcp = psn == 7 ? 4 : 3;
		if (psn == 9)
			last_packet(s)->tos = 0;
		pause_ns(s, REACT);
		ack(&p, psn);
		last_packet(s)->tos = 46 << 2;
	}
	r = scene_run(s, NULL);
	data = flow_of(r, &p);
	assert_int_equal(data->dscp, 26);
	assert_int_equal(data->pcp, 3);
	assert_int_equal(data->dscp_bare, FACT_UNKNOWN);
	assert_int_equal(data->dscp_cnp, FACT_UNKNOWN);
	assert_int_equal(data->service_other, 2);
	answers = flow_of(r, &back);
	assert_int_equal(answers->dscp, FACT_UNKNOWN);
	assert_int_equal(answers->dscp_bare, 46);
	assert_int_equal(answers->pcp, FACT_UNKNOWN);
	assert_int_equal(answers->service_other, 0);
}

/* Of READs every second response is missing, and one packet of 40 that the same
 * queue pair sends: it is the mirror that misses them, not another link. */
static void missing_responses_are_not_sprayed(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s), back = pair_reversed(&p);
	uint32_t n = 0;

	for (uint32_t k = 0; k < 41; k++) {
		if (k == 20)
			unseen(&back, k++);
		DATA(&back, k);
		pause_ns(s, REACT);
		ack(&back, k);
		read_request(&p, 8 * n, 8);
		pause_ns(s, REACT);
		for (uint32_t i = 0; i < 8; i += 1 + (i < 6))
			read_response(&p, 8 * n, 8, i);
		n++;
		pause_ns(s, REACT);
	}

	struct record *r = scene_run(s, NULL);
	const struct fact_flow *f = reverse_of(r, &p);

	assert_false(f->spray_suspect);
	assert_true(flow_of(r, &p)->spans_reads);
	assert_int_equal(f->capture_missing + f->unresolved, 40 * 3 + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(ack_before_its_data_within_epsilon),
		SCENE_TEST(burst_ack_before_its_tail_within_epsilon),
		SCENE_TEST(copy_before_its_nak_within_epsilon),
		SCENE_TEST(any_split_gives_identical_facts),
		SCENE_TEST(two_runs_give_identical_facts),
		SCENE_TEST(nothing_gives_nothing),
		SCENE_TEST(spray_through_one_link_gives_no_verdict),
		SCENE_TEST(spray_is_of_all_flows),
		SCENE_TEST(bursts_that_a_mirror_drops_are_not_spray),
		SCENE_TEST(capture_loss_is_not_spray),
		SCENE_TEST(mirror_sequence_tells_what_the_mirror_lost),
		SCENE_TEST(mirror_sequences_of_two_switches),
		SCENE_TEST(mirror_sequences_of_many_switches),
		SCENE_TEST(a_tap_counts_what_passed),
		SCENE_TEST(a_tap_counts_mirror_duplicates),
		SCENE_TEST(bins_add_up),
		SCENE_TEST(bins_hold_their_packets),
		SCENE_TEST(round_trips_are_minima),
		SCENE_TEST(classes_of_service_are_told),
		SCENE_TEST(a_recovery_says_when_and_how_much),
		SCENE_TEST(events_per_flow_are_capped_and_counted),
		SCENE_TEST(events_in_total_are_capped_and_counted),
		SCENE_TEST(messages_are_capped_and_counted),
		SCENE_TEST(slow_messages_find_room),
		SCENE_TEST(flows_are_capped),
		SCENE_TEST(missing_responses_are_not_sprayed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
