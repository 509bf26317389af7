/* SPDX-License-Identifier: GPL-2.0-or-later
 * A connection set up anew on the same QP numbers, without CM, and its twins:
 * retransmissions, holes of the capture, copies of a mirror. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow/recovery/decide.h"
#include "scene.h"

/* 40 messages, acknowledged. */
static void forty_at_once(struct pair *p)
{
	struct scene *s = p->scene;

	for (uint32_t psn = 1; psn <= 40; psn += 10) {
		data_run(p, psn, psn + 9);
		pause_ns(s, REACT);
		ack(p, psn + 9);
	}
}

/* ... then 300 us in which nothing is sent. */
static void forty_messages(struct pair *p)
{
	forty_at_once(p);
	pause_ns(p->scene, 300 * US);
}

/* Messages from |psn| on, the ACK of which counts |msn| messages. */
static void five_messages(struct pair *p, uint32_t psn, uint32_t acked,
			  uint32_t msn)
{
	data_run(p, psn, psn + 4);
	pause_ns(p->scene, REACT);
	ack(p, acked);
	last_packet(p->scene)->msn = msn;
}

static void two_connections(struct record *r, const struct pair *p)
{
	assert_int_equal(r->n_flows, 4);
	assert_int_equal(flow_epoch(r, p, 0)->packets, 40);
	assert_int_equal(flow_epoch(r, p, 1)->packets, 5);
	assert_int_equal(r->n_recoveries, 0);
	assert_int_equal(TOTAL(r, retransmitted), 0);
	assert_int_equal(TOTAL(r, capture_missing), 0);
	assert_int_equal(TOTAL(r, unresolved), 0);
}

/* The responder counts from 1 again: another connection, at the same PSN ... */
static void connected_anew_at_the_same_psn(void **state)
{
	struct pair p = usual(*state);

	forty_messages(&p);
	five_messages(&p, 1, 5, 5);
	two_connections(scene_run(*state, NULL), &p);
}

/* ... or a little ahead. */
static void connected_anew_ahead(void **state)
{
	struct pair p = usual(*state);

	forty_messages(&p);
	five_messages(&p, 101, 105, 5);
	two_connections(scene_run(*state, NULL), &p);
}

/* At once: whoever starts a message elsewhere when all was acknowledged has
 * a connection of its own, if the responder counts from 1 again ... */
static void connected_anew_at_once(void **state)
{
	struct pair p = usual(*state);

	forty_at_once(&p);
	five_messages(&p, 1, 5, 5);
	two_connections(scene_run(*state, NULL), &p);
}

static void connected_anew_ahead_at_once(void **state)
{
	struct pair p = usual(*state);

	forty_at_once(&p);
	five_messages(&p, 830738, 830742, 5);
	two_connections(scene_run(*state, NULL), &p);
}

/* While packets are under way, further ahead than the old one can have come: no
 * link carries 100,000 packets in 10 us. */
static void connected_anew_out_of_reach(void **state)
{
	struct pair p = usual(*state);
	struct record *r;

	forty_at_once(&p);
	data_run(&p, 41, 48);
	five_messages(&p, 100049, 100053, 5);
	r = scene_run(*state, NULL);
	assert_int_equal(flow_epoch(r, &p, 0)->packets, 48);
	assert_int_equal(flow_epoch(r, &p, 1)->packets, 5);
	assert_int_equal(TOTAL(r, capture_missing), 0);
	assert_int_equal(r->n_recoveries, 0);
}

/* But its responder counts on: a READ, of which the capture lacks the request,
 * may have taken these PSNs. */
static void out_of_reach_and_the_same_connection(void **state)
{
	struct pair p = usual(*state);

	forty_at_once(&p);
	data_run(&p, 41, 48);
	five_messages(&p, 100049, 100053, 54);
	assert_int_equal(scene_run(*state, NULL)->n_flows, 2);
}

/* ... or does not count, and another operation has a PSN of before. */
static void connected_anew_with_other_operations(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	forty_at_once(&p);
	for (uint32_t psn = 1; psn <= 5; psn++)
		request(&p, OP_SEND_ONLY, psn);
	pause_ns(s, REACT);
	ack(&p, 5);
	for (size_t i = 0; i < s->count; i++)
		s->packets[i].msn = 0;
	two_connections(scene_run(s, NULL), &p);
}

/* The same operations: the responder had counted on, and the ACK was lost. */
static void ack_lost_and_back_at_once(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	forty_at_once(&p);
	five_messages(&p, 31, 40, 40);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_flows, 2);
	EXPECT(flow_of(r, &p), .retransmitted = 5, .spurious = 5);
}

/* A mirror that is slow with its second copies shows no connection. */
static void mirror_copies_what_was_acknowledged(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	size_t n;

	s->constant_ip_id = true;
	five_messages(&p, 1, 5, 5);
	n = s->count;
	for (size_t i = 0; i < n; i++) {
		struct packet *copy = scene_append(s);

		*copy = s->packets[i];
		copy->ns = s->packets[n - 1].ns + (int64_t)(i + 1) * US;
	}
	pause_ns(s, REACT);
	data_run(&p, 6, 10);
	pause_ns(s, REACT);
	ack(&p, 10);

	assert_int_equal(scene_run(s, NULL)->n_flows, 2);
}

/* The responder has counted on: it had all of them, the ACK was lost. */
static void ack_lost_and_back_to_the_same_psn(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	forty_messages(&p);
	pause_ns(s, TIMEOUT);
	five_messages(&p, 1, 40, 40);
	data_run(&p, 41, 45);
	pause_ns(s, REACT);
	ack(&p, 45);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .retransmitted = 5, .spurious = 5,
	       .timeouts = 1);
	assert_int_equal(only_recovery(r)->cause, CAUSE_ACK_LOSS);
}

/* The responder has counted what is not here: the capture misses it. */
static void capture_misses_what_is_between(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	forty_messages(&p);
	for (uint32_t psn = 41; psn <= 42; psn++)
		unseen(&p, psn);
	five_messages(&p, 43, 47, 47);
	pause_ns(s, 300 * US);
	data_run(&p, 48, 52);
	pause_ns(s, REACT);
	ack(&p, 52);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .missing = 2);
}

/* No messages are counted and all ports are the same: both remain. */
static void connected_anew_or_ack_lost(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	forty_messages(&p);
	pause_ns(s, TIMEOUT);
	five_messages(&p, 1, 40, 0);
	for (size_t i = 0; i < s->count; i++)
		s->packets[i].msn = 0;

	struct record *r = scene_run(s, NULL);

	assert_int_equal(only_recovery(r)->cause, CAUSE_UNKNOWN);
	assert_true(only_recovery(r)->remaining & H(NEW_CONNECTION));
	assert_true(only_recovery(r)->remaining & H(ACK_LOST));
	assert_int_equal(TOTAL(r, ack_lost), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(connected_anew_at_the_same_psn),
		SCENE_TEST(connected_anew_ahead),
		SCENE_TEST(connected_anew_at_once),
		SCENE_TEST(connected_anew_ahead_at_once),
		SCENE_TEST(connected_anew_out_of_reach),
		SCENE_TEST(out_of_reach_and_the_same_connection),
		SCENE_TEST(connected_anew_with_other_operations),
		SCENE_TEST(ack_lost_and_back_at_once),
		SCENE_TEST(mirror_copies_what_was_acknowledged),
		SCENE_TEST(ack_lost_and_back_to_the_same_psn),
		SCENE_TEST(capture_misses_what_is_between),
		SCENE_TEST(connected_anew_or_ack_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
