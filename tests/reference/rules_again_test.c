/* SPDX-License-Identifier: GPL-2.0-or-later
 * More pairs of stories, one for each hypothesis: NAKs and packets that come
 * once more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow/recovery/decide.h"
#include "scene.h"

/* ---- the same NAK, and a sender that begins the message again ---- */

/* Two messages of 16; 25 is missing.  The sender has come to |to| of the second
 * one again when the same NAK makes it begin once more. */
static struct record *begun_twice(struct scene *s, struct pair *p, uint32_t to)
{
	*p = usual(s);
	write_message(p, 1, 16);
	pause_ns(s, REACT);
	ack(p, 16);
	write_message(p, 17, 16);
	pause_ns(s, REACT);
	nak(p, 25);
	pause_ns(s, REACT);
	request(p, OP_WRITE_FIRST, 17);
	for (uint32_t psn = 18; psn <= to; psn++)
		request(p, OP_WRITE_MIDDLE, psn);
	pause_ns(s, REACT);
	nak(p, 25);
	pause_ns(s, REACT);
	write_message(p, 17, 16);
	pause_ns(s, REACT);
	ack(p, 32);
	return scene_run(s, NULL);
}

/* Before it had come to 25: that was lost once. */
static void twin_asked_again_on_its_way(void **state)
{
	struct pair p;
	struct record *r = begun_twice(*state, &p, 19);

	assert_int_equal(flow_of(r, &p)->lost_downstream_min, 1);
	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 1);
}

/* It had retransmitted 25, which was lost once more. */
static void twin_retransmission_lost_too(void **state)
{
	struct pair p;
	struct record *r = begun_twice(*state, &p, 31);

	assert_int_equal(flow_of(r, &p)->lost_downstream_min, 2);
	assert_int_equal(events_of(r, EVENT_LOSS_DOWNSTREAM), 2);
}

/* ---- a mirror that doubles some packets, and no IP identifications ---- */

enum { APART = 300 };

/* Each second packet comes twice: |n| of them, then the duplicates. */
static void doubled_run(struct pair *p, uint32_t psn, uint32_t n)
{
	size_t first = p->scene->count;

	data_run(p, psn, psn + n - 1);
	for (uint32_t i = 0; i < n; i += 2) {
		struct packet *out = scene_append(p->scene);

		*out = p->scene->packets[first + i];
		out->ns = p->scene->now += APART;
		out->frame = p->scene->count;
	}
}

/* A NAK for 68, the replay, |asked| once more and another one. */
static struct record *replay_doubled(struct scene *s, struct pair *p,
				     bool asked)
{
	*p = usual(s);
	s->constant_ip_id = true;
	s->step = APART;
	for (uint32_t psn = 1; psn < 65; psn += 8) {
		doubled_run(p, psn, 8);
		pause_ns(s, REACT);
		ack(p, psn + 7);
	}
	doubled_run(p, 65, 8);
	pause_ns(s, REACT);
	nak(p, 68);
	duplicate(s, APART);
	pause_ns(s, REACT);
	doubled_run(p, 68, 5);
	if (asked) {
		pause_ns(s, REACT);
		nak(p, 68);
		pause_ns(s, REACT);
		data_run(p, 68, 72);
	}
	pause_ns(s, REACT);
	ack(p, 72);
	return scene_run(s, NULL);
}

/* What goes back within the replay is what the mirror doubled. */
static void twin_replay_doubled_by_the_mirror(void **state)
{
	struct pair p;
	struct record *r = replay_doubled(*state, &p, false);

	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_DOWNSTREAM);
	assert_int_equal(flow_of(r, &p)->retransmitted, 5);
	assert_int_equal(flow_of(r, &p)->lost_downstream_min, 1);
}

static void twin_replayed_twice(void **state)
{
	struct pair p;
	struct record *r = replay_doubled(*state, &p, true);

	assert_int_equal(flow_of(r, &p)->retransmitted, 10);
	assert_int_equal(flow_of(r, &p)->lost_downstream_min, 2);
}

/* ---- ATOMICs, and a receiver that waits before it sends a NAK ---- */

enum { NEAR = 2 * US, WAIT = 30 * US };

/* 24 is missing.  It was sent |later| than 23, the response of which is slow,
 * as if it had come late; the NAK comes WAIT after 25. */
static struct record *atomic_missing(struct scene *s, struct pair *p,
				     int64_t later)
{
	*p = usual(s);
	s->step = 100;
	for (uint32_t psn = 1; psn <= 22; psn++) {
		request(p, OP_FETCH_ADD, psn);
		pause_ns(s, NEAR);
		atomic_ack(p, psn);
	}
	request(p, OP_FETCH_ADD, 23);
	pause_ns(s, later);
	request(p, OP_FETCH_ADD, 24);
	pause_ns(s, 2 * NEAR);
	atomic_ack(p, 23);
	pause_ns(s, 3 * WAIT);
	request(p, OP_FETCH_ADD, 25);
	pause_ns(s, WAIT + NEAR);
	nak(p, 24);
	pause_ns(s, 10 * WAIT);
	for (uint32_t psn = 24; psn <= 25; psn++)
		request(p, OP_FETCH_ADD, psn);
	pause_ns(s, NEAR);
	for (uint32_t psn = 24; psn <= 25; psn++)
		atomic_ack(p, psn);
	return scene_run(s, NULL);
}

/* Downstream 24 may have overtaken 23: it was discarded then. */
static void twin_atomic_before_its_turn(void **state)
{
	struct pair p;
	struct record *r = atomic_missing(*state, &p, 0);

	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_OR_REORDER);
	assert_int_equal(flow_of(r, &p)->lost_downstream_min, 0);
}

/* Nobody overtakes what was sent so long before. */
static void twin_atomic_lost(void **state)
{
	struct pair p;
	struct record *r = atomic_missing(*state, &p, 5 * WAIT);

	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_DOWNSTREAM);
	assert_int_equal(flow_of(r, &p)->lost_downstream_min, 1);
}

/* ---- ACKs that are slower than the timer ---- */

/* Eight packets from |psn| on, retransmitted after the timer, and two ACKs of
 * them: step by step. */
static void timed_out(struct pair *p, uint32_t psn)
{
	struct scene *s = p->scene;

	data_run(p, psn, psn + 7);
	pause_ns(s, TIMEOUT);
	data_run(p, psn, psn + 7);
	pause_ns(s, REACT);
	ack(p, psn + 3);
	ack(p, psn + 7);
}

static struct record *timed_out_twice(struct scene *s, struct pair *p,
				      bool is_slow)
{
	*p = usual(s);
	timed_out(p, 1);
	pause_ns(s, 2 * REACT);
	/* for the duplicates */
	for (unsigned i = 0; is_slow && i < 8; i++)
		ack(p, 8);
	timed_out(p, 9);
	pause_ns(s, 2 * REACT);
	data_run(p, 17, 20);
	pause_ns(s, REACT);
	ack(p, 20);
	return scene_run(s, NULL);
}

/* As the duplicates were acknowledged once, ACKs may be that slow again. */
static void twin_acks_slow_once(void **state)
{
	struct pair p;
	struct record *r = timed_out_twice(*state, &p, true);

	assert_int_equal(r->n_recoveries, 2);
	assert_int_equal(r->recoveries[0].cause, CAUSE_ACK_LOSS);
	assert_int_equal(r->recoveries[1].cause, CAUSE_UNKNOWN);
	assert_int_equal(flow_of(r, &p)->lost_downstream_min, 0);
}

static void twin_acks_never_slow(void **state)
{
	struct pair p;
	struct record *r = timed_out_twice(*state, &p, false);

	assert_int_equal(r->n_recoveries, 2);
	assert_int_equal(r->recoveries[0].cause, CAUSE_LOSS_DOWNSTREAM);
	assert_int_equal(r->recoveries[1].cause, CAUSE_LOSS_DOWNSTREAM);
	assert_int_equal(flow_of(r, &p)->lost_downstream_min, 2);
}

/* ---- the first hole, before it is known who answers whom ---- */

/* The eighth packet comes behind the twelfth. */
static struct record *first_hole(struct scene *s, struct pair *p, bool naked)
{
	s->constant_ip_id = true;
	*p = usual(s);
	p->sport_a = p->sport_b = 0xc000;
	data_run(p, 1, 7);
	unseen(p, 8);
	DATA(p, 9);
	if (naked)
		nak(p, 8);
	data_run(p, 10, 12);
	pause_ns(s, REACT);
	DATA(p, 8, 13, 14, 15, 16);
	pause_ns(s, REACT);
	ack(p, 16);
	return scene_run(s, NULL);
}

static void twin_first_hole_naked(void **state)
{
	struct pair p;
	struct record *r = first_hole(*state, &p, true);

	assert_int_equal(flow_of(r, &p)->reordered, 0);
	assert_int_equal(flow_of(r, &p)->lost_upstream, 1);
}

static void twin_first_hole_late(void **state)
{
	struct pair p;
	struct record *r = first_hole(*state, &p, false);

	assert_int_equal(flow_of(r, &p)->reordered, 1);
	assert_int_equal(flow_of(r, &p)->lost_upstream, 0);
}

/* ---- responses that are requested again together with a missing one ---- */

/* A READ of 8, of which the responses 22 and 25 are missing here; requested
 * again from 22 on.  Before, this point missed |unseen_here| packets. */
static struct record *responses_missing(struct scene *s, struct pair *p,
					uint32_t unseen_here)
{
	*p = usual(s);
	for (uint32_t psn = 1; psn <= 19; psn++) {
		if (psn % 2 == 0 && psn / 2 <= unseen_here)
			unseen(p, psn);
		else
			data_run(p, psn, psn);
	}
	pause_ns(s, REACT);
	ack(p, 19);
	read_request(p, 20, 8);
	pause_ns(s, REACT);
	for (uint32_t k = 0; k < 8; k++)
		if (k != 2 && k != 5)
			read_response(p, 20, 8, k);
	pause_ns(s, REACT);
	read_request(p, 22, 6);
	pause_ns(s, REACT);
	read_responses(p, 22, 6);
	pause_ns(s, REACT);
	data_run(p, 28, 30);
	pause_ns(s, REACT);
	ack(p, 30);
	return scene_run(s, NULL);
}

/* Only of the first one it is known that it did not arrive. */
static void twin_response_not_captured_or_lost(void **state)
{
	struct pair p;
	struct record *r = responses_missing(*state, &p, 6);

	assert_int_equal(reverse_of(r, &p)->lost_upstream, 1);
	assert_int_equal(reverse_of(r, &p)->unresolved, 1);
}

/* What has captured all else has captured this as well. */
static void twin_two_responses_lost(void **state)
{
	struct pair p;
	struct record *r = responses_missing(*state, &p, 0);

	assert_int_equal(reverse_of(r, &p)->lost_upstream, 2);
	assert_int_equal(reverse_of(r, &p)->unresolved, 0);
}

/* ---- responses that are requested again: late, or lost ---- */

static void begin_read(struct pair *p)
{
	p->scene->constant_ip_id = true;
	DATA(p, 1);
	pause_ns(p->scene, REACT);
	ack(p, 1);
	pause_ns(p->scene, REACT);
	read_request(p, 2, 8);
}

/* The third of eight responses is not in its place, and its requester asks for
 * all from there on; what it is answered with begins with a First. */
static struct record *third_response(struct scene *s, struct pair *p,
				     bool is_late)
{
	*p = usual(s);
	begin_read(p);
	for (uint32_t k = 0; k < 8; k++)
		if (k != 2)
			read_response(p, 2, 8, k);
	pause_ns(s, REACT);
	read_request(p, 4, 6);
	if (is_late)
		read_response(p, 2, 8, 2);
	pause_ns(s, REACT);
	read_responses(p, 4, 6);
	return scene_run(s, NULL);
}

/* A Middle is no answer to a request that begins there. */
static void twin_response_late(void **state)
{
	struct pair p;
	struct record *r = third_response(*state, &p, true);

	assert_int_equal(reverse_of(r, &p)->lost_upstream, 0);
	assert_int_equal(reverse_of(r, &p)->reordered, 1);
	assert_int_equal(reverse_of(r, &p)->retransmitted, 6);
}

static void twin_response_lost(void **state)
{
	struct pair p;
	struct record *r = third_response(*state, &p, false);

	assert_int_equal(reverse_of(r, &p)->lost_upstream, 1);
	assert_int_equal(reverse_of(r, &p)->reordered, 0);
	assert_int_equal(reverse_of(r, &p)->retransmitted, 6);
}

/* At the tap of the responder all are in order; the requester, which took the
 * order that |k| are in at its own tap for a NAK, asks for all from |again|
 * on. */
static struct record *two_points(struct scene *s, const uint32_t k[8],
				 uint32_t again)
{
	struct pair p = usual(s);

	for (uint32_t tap = 0; tap < 2; tap++) {
		s->now = tap * US;
		s->tap = tap;
		begin_read(&p);
		for (uint32_t i = 0; i < 8; i++)
			read_response(&p, 2, 8, tap ? k[i] : i);
		pause_ns(s, REACT);
		read_request(&p, again, 10 - again);
		pause_ns(s, REACT);
		read_responses(&p, again, 10 - again);
	}
	scene_sort(s);
	return scene_run(s, NULL);
}

static void twin_reordered_between_two_points(void **state)
{
	static const uint32_t k[8] = { 0, 1, 3, 2, 4, 5, 6, 7 };
	struct record *r = two_points(*state, k, 5);

	assert_int_equal(TOTAL(r, lost_upstream), 0);
	assert_int_equal(TOTAL(r, lost_downstream_min), 0);
}

static void twin_lost_behind_both(void **state)
{
	static const uint32_t k[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	struct record *r = two_points(*state, k, 5);

	assert_int_equal(TOTAL(r, lost_upstream), 0);
	assert_int_equal(TOTAL(r, lost_downstream_min), 2);
}

/* Two hosts read from each other.  Of the responses of one, which pass in order
 * here, four are requested again; those of the other are out of order here, if
 * |mixed|. */
static struct record *both_ways(struct scene *s, bool mixed)
{
	struct pair p = usual(s), q = pair_reversed(&p);
	uint32_t psn = 10;

	begin_read(&p);
	read_responses(&p, 2, 8);
	for (; psn < 42; psn += 8) {
		read_request(&p, psn, 8);
		for (uint32_t k = 0; k < 8; k++)
			read_response(&p, psn, 8,
				      mixed && k / 2 == 1 ? k ^ 1 : k);
		read_request(&q, psn, 8);
		read_responses(&q, psn, 8);
		pause_ns(s, REACT);
		read_request(&q, psn + 3, 5);
		read_responses(&q, psn + 3, 5);
		pause_ns(s, REACT);
	}
	return scene_run(s, NULL);
}

static void twin_reordered_both_ways(void **state)
{
	struct record *r = both_ways(*state, true);

	assert_true(TOTAL(r, reordered) >= 4);
	assert_int_equal(TOTAL(r, lost_downstream_min), 0);
}

static void twin_in_order_both_ways(void **state)
{
	struct record *r = both_ways(*state, false);

	assert_int_equal(TOTAL(r, reordered), 0);
	assert_int_equal(TOTAL(r, lost_downstream_min), 4);
}

/* ---- a receiver that writes the PSN into an ACK when it leaves ---- */

/* Two messages of one packet each come so soon that the ACK of the first has
 * the PSN of the second: the same ACK twice, |times|. */
static void acked_as_they_leave(struct pair *p, uint32_t psn, int times)
{
	for (int i = 0; i < times; i++, psn += 2) {
		DATA(p, psn, psn + 1);
		pause_ns(p->scene, REACT);
		ack(p, psn + 1);
		ack(p, psn + 1);
		pause_ns(p->scene, REACT);
	}
}

/* NAK 21; 21 to 24 again, and two ACKs for the first two of these. */
static struct record *replay_acked_twice(struct scene *s, struct pair *p,
					 int times)
{
	*p = usual(s);
	acked_as_they_leave(p, 1, times);
	data_run(p, 2 * (uint32_t)times + 1, 20);
	pause_ns(s, REACT);
	ack(p, 20);
	DATA(p, 21, 22, 23, 24);
	pause_ns(s, REACT);
	nak(p, 21);
	pause_ns(s, REACT);
	acked_as_they_leave(p, 21, 1);
	DATA(p, 23, 24);
	pause_ns(s, REACT);
	ack(p, 24);
	return scene_run(s, NULL);
}

/* It had done so before, where nothing was retransmitted: none of these ACKs
 * shows that anything had arrived. */
static void twin_acked_as_they_leave(void **state)
{
	struct pair p;
	struct record *r = replay_acked_twice(*state, &p, 4);

	EXPECT(flow_of(r, &p), .down_min = 1, .down_max = 4,
	       .retransmitted = 4);
	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_DOWNSTREAM);
}

/* It never had: the second ACK is that of a duplicate. */
static void twin_acked_as_a_duplicate(void **state)
{
	struct pair p;
	struct record *r = replay_acked_twice(*state, &p, 0);

	assert_int_equal(only_recovery(r)->cause, CAUSE_REORDER);
	assert_int_equal(flow_of(r, &p)->lost_downstream_min, 0);
}

/* Two ACKs for one retransmission: the original had arrived as well, however
 * the receiver writes its ACKs. */
static void twin_one_copy_acked_twice(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	acked_as_they_leave(&p, 1, 10);
	DATA(&p, 21, 22, 23);
	pause_ns(s, REACT);
	nak(&p, 21);
	pause_ns(s, REACT);
	DATA(&p, 21);
	pause_ns(s, REACT);
	ack(&p, 21);
	ack(&p, 21);
	DATA(&p, 22, 23);
	pause_ns(s, REACT);
	ack(&p, 23);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(only_recovery(r)->cause, CAUSE_REORDER);
	assert_int_equal(flow_of(r, &p)->lost_downstream_min, 0);
}

/* 22 made it send the NAK, and was discarded: both ACKs of it are for what was
 * retransmitted. */
static void what_provoked_the_nak_had_not_arrived(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	data_run(&p, 1, 20);
	pause_ns(s, REACT);
	ack(&p, 20);
	DATA(&p, 21, 22);
	pause_ns(s, REACT);
	nak(&p, 21);
	pause_ns(s, REACT);
	acked_as_they_leave(&p, 21, 1);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .down_min = 1, .down_max = 2,
	       .retransmitted = 2);
}

/* The last packet of all again after a timeout; its receiver repeats the ACK of
 * the next two: whether the packet or its ACK was lost is not known. */
static void late_acks_of_a_tail(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	acked_as_they_leave(&p, 1, 10);
	DATA(&p, 21);
	pause_ns(s, TIMEOUT);
	DATA(&p, 21);
	pause_ns(s, REACT);
	ack(&p, 21);
	acked_as_they_leave(&p, 22, 1);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(only_recovery(r)->cause, CAUSE_UNKNOWN);
	assert_int_equal(flow_of(r, &p)->spurious, 0);
	assert_int_equal(flow_of(r, &p)->lost_downstream_max, 1);
}

/* ---- a response requested again, and what came of its original ---- */

/* All of a READ passes; the requester misses its third response and, before it
 * can have been answered (or |answered|), its fourth. */
static struct record *two_requested_again(struct scene *s, struct pair *p,
					  bool answered)
{
	*p = usual(s);
	begin_read(p);
	read_responses(p, 2, 8);
	pause_ns(s, REACT);
	read_request(p, 4, 6);
	if (answered)
		read_response(p, 4, 6, 0);
	pause_ns(s, REACT);
	read_request(p, 5, 5);
	if (!answered)
		read_response(p, 4, 6, 0);
	read_responses(p, 5, 5);
	return scene_run(s, NULL);
}

/* Who asks for the next one has received this one: it came late. */
static void twin_response_reordered_beyond(void **state)
{
	struct pair p;
	struct record *r = two_requested_again(*state, &p, false);

	assert_int_equal(reverse_of(r, &p)->lost_downstream_min, 0);
	assert_int_equal(events_of(r, EVENT_REORDER), 1);
}

static void twin_response_lost_beyond(void **state)
{
	struct pair p;
	struct record *r = two_requested_again(*state, &p, true);

	assert_int_equal(reverse_of(r, &p)->lost_downstream_min, 1);
	assert_int_equal(events_of(r, EVENT_REORDER), 0);
}

/* Of two READs that are numbered as they leave, the second one's third response
 * is not in its place and is requested again; it comes before (0) or behind (1)
 * the first one that answers this, or never (-1). */
static struct record *numbered_response(struct scene *s, struct pair *p, int at)
{
	uint16_t id, third;

	*p = usual(s);
	DATA(p, 1);
	pause_ns(s, REACT);
	ack(p, 1);
	read_request(p, 2, 8);
	read_responses(p, 2, 8);
	id = last_packet(s)->ip_id + 1;
	third = id + 2;
	read_request(p, 10, 8);
	for (uint32_t k = 0; k < 8; k++, id++) {
		if (k == 2)
			continue;
		read_response(p, 10, 8, k);
		last_packet(s)->ip_id = id;
	}
	pause_ns(s, REACT);
	read_request(p, 12, 6);
	for (uint32_t k = 0; k < 6; k++, id++) {
		if ((int)k == at) {
			read_response(p, 10, 8, 2);
			last_packet(s)->ip_id = third;
		}
		read_response(p, 12, 6, k);
		last_packet(s)->ip_id = id;
	}
	return scene_run(s, NULL);
}

static void came_late(void **state, int at)
{
	struct pair p;
	struct record *r = numbered_response(*state, &p, at);

	assert_int_equal(reverse_of(r, &p)->lost_upstream, 0);
	assert_int_equal(reverse_of(r, &p)->reordered, 1);
	assert_int_equal(reverse_of(r, &p)->retransmitted, 6);
	assert_int_equal(only_recovery(r)->cause, CAUSE_REORDER);
	assert_int_equal(only_recovery(r)->lost_min, 0);
}

static void twin_response_late_before_it_is_answered(void **state)
{
	came_late(state, 0);
}

static void twin_response_late_behind_its_copy(void **state)
{
	came_late(state, 1);
}

static void twin_numbered_response_lost(void **state)
{
	struct pair p;
	struct record *r = numbered_response(*state, &p, -1);

	assert_int_equal(reverse_of(r, &p)->lost_upstream, 1);
	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_UPSTREAM);
}

/* ---- late, or retransmitted for a reason that was not captured ---- */

/* A receiver that was not ready before, and a packet that comes late and not
 * again: |missed|: the capture lacks others. */
static struct record *late_after_rnr(struct scene *s, struct pair *p,
				     bool missed)
{
	*p = usual(s);
	s->constant_ip_id = true;
	DATA(p, 1);
	if (missed)
		unseen(p, 2);
	else
		DATA(p, 2);
	DATA(p, 3);
	pause_ns(s, REACT);
	ack(p, 3);
	DATA(p, 4);
	pause_ns(s, REACT);
	rnr(p, 4, 1);
	pause_ns(s, MS);
	DATA(p, 4, 5, 7, 8, 6, 9);
	pause_ns(s, REACT);
	ack(p, 9);
	return scene_run(s, NULL);
}

static void twin_late_where_rnr_naks_are_missed(void **state)
{
	struct pair p;
	struct record *r = late_after_rnr(*state, &p, true);

	assert_int_equal(flow_of(r, &p)->reordered, 0);
	assert_int_equal(flow_of(r, &p)->unresolved, 1);
}

static void twin_late_where_nothing_is_missed(void **state)
{
	struct pair p;
	struct record *r = late_after_rnr(*state, &p, false);

	assert_int_equal(flow_of(r, &p)->reordered, 1);
	assert_int_equal(flow_of(r, &p)->unresolved, 0);
}

/* A sender that draws its identifications. */
static void drawn(struct pair *p, uint32_t psn)
{
	data_run(p, psn, psn);
	last_packet(p->scene)->ip_id *= 40503;
}

/* 21 comes behind 22 and 23: then 23 and all else once more, or new ones. */
static struct record *late_before_others(struct scene *s, struct pair *p,
					 bool replay)
{
	static const uint32_t late[] = { 22, 23, 21 };

	*p = usual(s);
	for (uint32_t psn = 1; psn <= 20; psn++)
		drawn(p, psn);
	pause_ns(s, REACT);
	ack(p, 20);
	for (unsigned i = 0; i < 3; i++)
		drawn(p, late[i]);
	for (uint32_t psn = replay ? 23 : 24; psn <= 27; psn++)
		drawn(p, psn);
	pause_ns(s, REACT);
	ack(p, 27);
	return scene_run(s, NULL);
}

/* The retransmission of 22 was not captured, as the NAK before it. */
static void twin_head_of_a_replay(void **state)
{
	struct pair p;
	struct record *r = late_before_others(*state, &p, true);

	assert_int_equal(flow_of(r, &p)->reordered, 0);
	assert_int_equal(flow_of(r, &p)->unresolved, 1);
}

static void twin_late_before_new_ones(void **state)
{
	struct pair p;
	struct record *r = late_before_others(*state, &p, false);

	assert_int_equal(flow_of(r, &p)->reordered, 1);
	assert_int_equal(flow_of(r, &p)->unresolved, 0);
}

/* ---- responses with a bad ICRC ---- */

/* The third of eight responses is corrupted, or is missing here; the rest is
 * requested again. */
static struct record *response_not_good(struct scene *s, struct pair *p,
					bool corrupted)
{
	*p = usual(s);
	DATA(p, 1, 2);
	pause_ns(s, REACT);
	ack(p, 2);
	read_request(p, 10, 8);
	for (uint32_t k = 0; k < 8; k++) {
		if (k == 2 && !corrupted)
			continue;
		read_response(p, 10, 8, k);
		if (k == 2)
			last_packet(s)->icrc_status = ICRC_BAD;
	}
	pause_ns(s, REACT);
	read_request(p, 12, 6);
	read_responses(p, 12, 6);
	return scene_run(s, NULL);
}

static void rule_R5_a_response_was_corrupted(void **state)
{
	struct pair p;
	struct record *r = response_not_good(*state, &p, true);

	EXPECT(reverse_of(r, &p), .corrupted = 1, .retransmitted = 6);
	assert_int_equal(events_of(r, EVENT_LOSS_UPSTREAM), 0);
	assert_int_equal(first_event(r, EVENT_ICRC_BAD)->psn, 12);
	assert_int_equal(only_recovery(r)->cause, CAUSE_CORRUPTION);
	assert_true(names_rule(only_recovery(r)->rule, "R5"));
}

static void twin_a_response_was_missing(void **state)
{
	struct pair p;
	struct record *r = response_not_good(*state, &p, false);

	EXPECT(reverse_of(r, &p), .up = 1, .retransmitted = 6);
	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_UPSTREAM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(twin_asked_again_on_its_way),
		SCENE_TEST(twin_retransmission_lost_too),
		SCENE_TEST(twin_replay_doubled_by_the_mirror),
		SCENE_TEST(twin_replayed_twice),
		SCENE_TEST(twin_atomic_before_its_turn),
		SCENE_TEST(twin_atomic_lost),
		SCENE_TEST(twin_acks_slow_once),
		SCENE_TEST(twin_acks_never_slow),
		SCENE_TEST(twin_response_not_captured_or_lost),
		SCENE_TEST(twin_two_responses_lost),
		SCENE_TEST(twin_first_hole_naked),
		SCENE_TEST(twin_first_hole_late),
		SCENE_TEST(twin_response_late),
		SCENE_TEST(twin_response_lost),
		SCENE_TEST(twin_reordered_between_two_points),
		SCENE_TEST(twin_lost_behind_both),
		SCENE_TEST(twin_reordered_both_ways),
		SCENE_TEST(twin_in_order_both_ways),
		SCENE_TEST(twin_acked_as_they_leave),
		SCENE_TEST(twin_acked_as_a_duplicate),
		SCENE_TEST(twin_one_copy_acked_twice),
		SCENE_TEST(what_provoked_the_nak_had_not_arrived),
		SCENE_TEST(late_acks_of_a_tail),
		SCENE_TEST(twin_response_reordered_beyond),
		SCENE_TEST(twin_response_lost_beyond),
		SCENE_TEST(twin_response_late_before_it_is_answered),
		SCENE_TEST(twin_response_late_behind_its_copy),
		SCENE_TEST(twin_numbered_response_lost),
		SCENE_TEST(twin_late_where_rnr_naks_are_missed),
		SCENE_TEST(twin_late_where_nothing_is_missed),
		SCENE_TEST(twin_head_of_a_replay),
		SCENE_TEST(twin_late_before_new_ones),
		SCENE_TEST(rule_R5_a_response_was_corrupted),
		SCENE_TEST(twin_a_response_was_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
