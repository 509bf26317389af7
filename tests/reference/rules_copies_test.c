/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a mirror copied twice, and what was sent twice: rule R20
 * of reference/rocev2-and-analysis-rules.md 3.4, each as the smallest story
 * that fulfils its observation, counted by hand with 3.5. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene.h"

/* Every packet of the port twice, with one hop more on its second copy. */
static void rule_R20_mirror_duplicates_of_another_hop(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	for (uint32_t psn = 0; psn < 64; psn++) {
		DATA(&p, psn);
		duplicate(s, 5 * US);
		last_packet(s)->ttl--;
		pause_ns(s, REACT);
		ack(&p, psn);
		duplicate(s, 5 * US);
		last_packet(s)->ttl--;
	}

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 0);
	EXPECT(reverse_of(r, &p), .up = 0);
	assert_int_equal(flow_of(r, &p)->mirror_duplicates, 64);
	assert_int_equal(reverse_of(r, &p)->mirror_duplicates, 64);
	assert_int_equal(flow_of(r, &p)->messages_completed, 64);
	assert_int_equal(r->n_recoveries, 0);
}

/* Many QPs of two hosts that run in lockstep, all from PSN 0: what came with a
 * PSN just before is seldom of the same QP. */
enum { LOCKSTEP = 100, ROUNDS = 40 };

static void lockstep(struct pair *p, uint32_t psn,
		     void (*send)(struct pair *p, uint32_t psn))
{
	for (unsigned i = 0; i < LOCKSTEP; i++)
		send(&p[i], psn);
}

static void write_only(struct pair *p, uint32_t psn)
{
	DATA(p, psn);
}

/* The mirror makes a second copy of each of the last |n| packets, all of them
 * behind the originals. */
static void mirror_again(struct scene *s, unsigned n)
{
	size_t from = s->count - n;
	int64_t behind = last_packet(s)->ns + 1 - s->packets[from].ns;

	for (size_t i = from; i < from + n; i++) {
		struct packet copy = s->packets[i];

		copy.ns += behind;
		copy.ttl--;
		*scene_append(s) = copy;
	}
	s->now = last_packet(s)->ns;
}

static struct scene *in_lockstep(struct scene *s, struct pair *p)
{
	s->step = 100;
	s->constant_ip_id = true;
	for (uint32_t i = 0; i < LOCKSTEP; i++)
		p[i] = pair(s, HOST_A, HOST_B, 0x100 + i, 0x800 + i);
	return s;
}

static void rule_R20_mirror_duplicates_in_lockstep(void **state)
{
	static struct pair p[LOCKSTEP];
	struct scene *s = in_lockstep(*state, p);
	struct record *r;

	for (uint32_t psn = 0; psn < ROUNDS; psn++) {
		lockstep(p, psn, write_only);
		mirror_again(s, LOCKSTEP);
		pause_ns(s, REACT);
		lockstep(p, psn, ack);
		mirror_again(s, LOCKSTEP);
		pause_ns(s, REACT);
	}
	r = scene_run(s, NULL);
	assert_int_equal(TOTAL(r, retransmitted), 0);
	assert_int_equal(TOTAL(r, timeouts), 0);
	assert_int_equal(r->n_recoveries, 0);
	for (unsigned i = 0; i < LOCKSTEP; i++)
		assert_int_equal(flow_of(r, &p[i])->messages_completed, ROUNDS);
	assert_int_equal(TOTAL(r, mirror_duplicates), 2 * LOCKSTEP * ROUNDS);
}

/* A leaf mirrors both directions of its ports, so that all comes twice: as it
 * comes in, and behind a hop.  Of packet 30 the mirror misses the first copy;
 * its second one passes behind the first of 31, or, |late|, that of 31 as
 * well. */
static struct record *first_copy_missing(struct scene *s, struct pair *p,
					 bool late)
{
	struct packet copy;

	*p = usual(s);
	s->step = 1 * US;
	s->constant_ip_id = true;
	for (uint32_t psn = 0; psn < 30; psn++) {
		DATA(p, psn);
		mirror_again(s, 1);
	}
	if (late) {
		DATA(p, 31);
		last_packet(s)->ttl--;
		DATA(p, 30);
		last_packet(s)->ttl--;
	} else {
		DATA(p, 31);
		copy = *last_packet(s);
		DATA(p, 30);
		last_packet(s)->ttl--;
		copy.ttl--;
		copy.ns = s->now += US;
		*scene_append(s) = copy;
	}
	for (uint32_t psn = 32; psn < 40; psn++) {
		DATA(p, psn);
		mirror_again(s, 1);
	}
	pause_ns(s, REACT);
	ack(p, 39);
	return scene_run(s, NULL);
}

/* The order of one point says nothing of that of the other. */
static void twin_two_points_of_a_mirror(void **state)
{
	struct pair p;
	struct record *r = first_copy_missing(*state, &p, false);

	EXPECT(flow_of(r, &p), 0);
	assert_int_equal(events_of(r, EVENT_REORDER), 0);
}

/* Both were copied behind the hop. */
static void twin_one_point_of_a_mirror(void **state)
{
	struct pair p;
	struct record *r = first_copy_missing(*state, &p, true);

	assert_int_equal(flow_of(r, &p)->reordered, 1);
}

/* A queue between the two points of which a mirror copies: the second copies of
 * the first four packets come soon, those of the next |late| later.  Other
 * traffic passes one of the points only.  |hops| lie between the points. */
static struct record *mirrored_behind_a_queue(struct scene *s, struct pair *p,
					      uint8_t hops, int64_t late)
{
	struct pair other = pair(s, HOST_A, HOST_B, 0x90, 0x91);

	s->step = 1 * US;
	s->constant_ip_id = true;
	*p = pair(s, HOST_A, HOST_B, 0x100, 0x800);
	DATA(&other, 0, 1, 2, 3, 4, 5, 6, 7);
	for (uint32_t psn = 0; psn < 64; psn++) {
		DATA(p, psn);
		if (psn >= 4)
			continue;
		duplicate(s, 2 * US);
		last_packet(s)->ttl -= hops;
	}
	pause_ns(s, 40 * US);
	for (size_t i = s->count - 60, end = s->count; i < end; i++) {
		struct packet copy = s->packets[i];

		copy.ns += late;
		copy.ttl -= hops;
		*scene_append(s) = copy;
	}
	s->now = last_packet(s)->ns;
	pause_ns(s, REACT);
	ack(p, 63);
	return scene_run(s, NULL);
}

static void rule_R20_second_copies_behind_a_queue(void **state)
{
	struct pair p;
	struct record *r = mirrored_behind_a_queue(*state, &p, 0, 100 * US);

	assert_int_equal(r->n_recoveries, 0);
	assert_int_equal(flow_of(r, &p)->retransmitted, 0);
	assert_int_equal(flow_of(r, &p)->mirror_duplicates +
				 flow_of(r, &p)->duplicates,
			 64);
}

static void rule_R20_second_copies_behind_a_queue_and_a_hop(void **state)
{
	struct pair p;
	struct record *r = mirrored_behind_a_queue(*state, &p, 1, 100 * US);

	assert_int_equal(r->n_recoveries, 0);
	assert_int_equal(flow_of(r, &p)->retransmitted, 0);
	assert_int_equal(flow_of(r, &p)->mirror_duplicates, 64);
}

/* The longest queue, and longer than any. */
static void rule_R20_the_longest_queue(void **state)
{
	struct pair p;
	struct record *r = mirrored_behind_a_queue(*state, &p, 1, 900 * US);

	assert_int_equal(flow_of(r, &p)->mirror_duplicates, 64);
}

static void rule_R20_no_queue_is_so_long(void **state)
{
	struct pair p;
	struct record *r = mirrored_behind_a_queue(*state, &p, 1, 2 * MS);

	assert_int_equal(flow_of(r, &p)->mirror_duplicates, 4);
	assert_int_equal(flow_of(r, &p)->retransmitted, 60);
}

/* One packet comes once more, |late|, without an identification. */
static struct record *once_more(struct scene *s, struct pair *p, int64_t late)
{
	*p = usual(s);
	s->constant_ip_id = true;
	data_run(p, 1, 30);
	duplicate(s, late);
	pause_ns(s, REACT);
	ack(p, 30);
	return scene_run(s, NULL);
}

/* A switch keeps it no longer. */
static void rule_R20_residence(void **state)
{
	struct pair p;
	struct record *r = once_more(*state, &p, 35 * US);

	assert_int_equal(flow_of(r, &p)->retransmitted, 0);
}

static void rule_R20_no_residence(void **state)
{
	struct pair p;
	struct record *r = once_more(*state, &p, 70 * US);

	assert_int_equal(flow_of(r, &p)->retransmitted, 1);
}

/* The same frames as often, but the second ones were sent by the hosts: the
 * acknowledgements of the last round were lost, and each QP's timer ran out. */
static void rule_R20_no_mirror_but_timers_in_lockstep(void **state)
{
	static struct pair p[LOCKSTEP];
	struct scene *s = in_lockstep(*state, p);
	struct record *r;

	for (uint32_t psn = 0; psn < ROUNDS; psn++) {
		lockstep(p, psn, write_only);
		pause_ns(s, REACT);
		if (psn + 1 < ROUNDS)
			lockstep(p, psn, ack);
		pause_ns(s, REACT);
	}
	pause_ns(s, TIMEOUT);
	lockstep(p, ROUNDS - 1, write_only);
	pause_ns(s, REACT);
	lockstep(p, ROUNDS - 1, ack);
	r = scene_run(s, NULL);
	assert_int_equal(TOTAL(r, retransmitted), LOCKSTEP);
	assert_int_equal(TOTAL(r, timeouts), LOCKSTEP);
	assert_int_equal(TOTAL(r, mirror_duplicates), 0);
}

/* A lone pair that differs in TTL is a mirror's work as well. */
static void rule_R20_lone_mirror_duplicate(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	for (uint32_t psn = 0; psn < 64; psn++) {
		DATA(&p, psn);
		if (psn == 30) {
			duplicate(s, 5 * US);
			last_packet(s)->ttl--;
		}
		pause_ns(s, REACT);
		ack(&p, psn);
	}

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 0);
	assert_int_equal(flow_of(r, &p)->mirror_duplicates, 1);
}

/* All doubled, by a NIC whose identifications are all 0: what follows a NAK is
 * one retransmission and its double, not two. */
static void rule_R20_replay_doubled(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	s->constant_ip_id = true;
	for (uint32_t psn = 0; psn < 100; psn++) {
		if (psn == 50) {
			unseen(&p, psn);
			continue;
		}
		DATA(&p, psn);
		duplicate(s, 3 * US);
		if (psn != 51)
			continue;
		pause_ns(s, REACT);
		nak(&p, 50);
		duplicate(s, 3 * US);
		pause_ns(s, REACT);
		for (uint32_t again = 50; again <= 51; again++) {
			DATA(&p, again);
			duplicate(s, 3 * US);
		}
	}
	pause_ns(s, REACT);
	ack(&p, 99);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 1, .down_max = ANY, .retransmitted = 2);
	assert_int_equal(r->n_recoveries, 1);
}

/* Doubled in the same way, nine of ten at least: TTL need not differ. */
static void rule_R20_nearly_all_doubled(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	for (uint32_t psn = 0; psn < 200; psn++) {
		DATA(&p, psn);
		duplicate(s, 3 * US);
		pause_ns(s, REACT);
		ack(&p, psn);
		duplicate(s, 3 * US);
	}

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 0);
	EXPECT(reverse_of(r, &p), .up = 0);
	/* a few at the start may be called something else than mirror's */
	assert_in_range(flow_of(r, &p)->mirror_duplicates +
				flow_of(r, &p)->duplicates,
			200, 200);
	assert_in_range(flow_of(r, &p)->mirror_duplicates, 100, 200);
}

/* Every packet so far comes once more, |ns| later. */
static void twice(struct scene *s, int64_t ns)
{
	size_t n = s->count;

	for (size_t i = 0; i < n; i++) {
		struct packet *twin = scene_append(s);

		*twin = s->packets[i];
		twin->ns += ns;
	}
	scene_sort(s);
}

/* The mirror copies all of it twice from the very first packets on, before
 * anything is known of their sender; nothing was retransmitted. */
static void rule_R20_doubled_from_the_first(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	for (uint32_t psn = 0; psn < 40; psn++) {
		DATA(&p, psn);
		pause_ns(s, REACT);
		ack(&p, psn);
		pause_ns(s, 10 * REACT);
	}
	twice(s, 5 * REACT);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 0);
	assert_int_equal(flow_of(r, &p)->mirror_duplicates +
				 flow_of(r, &p)->duplicates,
			 40);
	assert_int_equal(r->n_recoveries, 0);
}

/* The mirror copies all of it twice, and so late that the sender has
 * retransmitted meanwhile: the second copy of an original comes behind its
 * repetition. */
static void rule_R20_doubled_behind_the_repetition(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1, 2);
	unseen(&p, 3);
	DATA(&p, 4, 5);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3, 4, 5, 6);
	pause_ns(s, REACT);
	ack(&p, 6);
	twice(s, 5 * REACT);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 1, .down_max = ANY, .retransmitted = 3);
	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_UPSTREAM);
	assert_int_equal(only_recovery(r)->retransmitted_packets, 3);
}

/* A constant identification makes a fast go-back-N copy byte-identical. */
static void rule_R20_not_a_lone_pair_after_a_nak(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	s->constant_ip_id = true;
	data_run(&p, 1, 30);
	pause_ns(s, REACT);
	ack(&p, 30);
	s->step = US;
	DATA(&p, 31, 32, 33);
	pause_ns(s, 3 * US);
	nak(&p, 32);
	pause_ns(s, 20 * US);
	DATA(&p, 32, 33, 34); /* 26 us after their originals */
	pause_ns(s, REACT);
	ack(&p, 34);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .down_min = 1, .down_max = 2,
	       .retransmitted = 2);
	assert_int_equal(TOTAL(r, mirror_duplicates), 0);
}

/* A receiver that keeps what comes early names 3 and then 4; each copy of them
 * comes twice at once, by a mirror that doubles few. */
static void rule_R20_copies_twice_at_once(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	s->constant_ip_id = true;
	DATA(&p, 1, 2, 3, 4, 5, 6);
	nak(&p, 3);
	pause_ns(s, 5 * US);
	DATA(&p, 3);
	pause_ns(s, REACT / 2);
	nak(&p, 4);
	pause_ns(s, 5 * US);
	DATA(&p, 4);
	duplicate(s, 0);
	pause_ns(s, REACT);
	ack(&p, 6);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(flow_of(r, &p)->retransmitted, 2);
	assert_int_equal(flow_of(r, &p)->duplicates +
				 flow_of(r, &p)->mirror_duplicates,
			 1);
}

/* The receiver is never ready, and each retransmission takes the other one of
 * two links: 655 us later, sooner than queues empty, but no copy of a
 * mirror. */
static void rule_R20_not_through_another_link(void **state)
{
	static const int place[2] = { 0, 0 };
	const struct engine_options options = { .jitter_ns = US,
						.place = place,
						.n_places = 2 };
	struct scene *s = *state;
	struct pair p = usual(s);

	s->constant_ip_id = true;
	for (uint32_t psn = 0; psn < 50; psn++) {
		s->tap = 0;
		DATA(&p, psn);
		for (unsigned n = 0; n < 3; n++) {
			pause_ns(s, REACT);
			rnr(&p, psn, 12);
			pause_ns(s, 655 * US);
			s->tap ^= 1;
			DATA(&p, psn);
		}
		pause_ns(s, REACT);
		ack(&p, psn);
	}

	struct record *r = scene_run(s, &options);

	assert_int_equal(flow_of(r, &p)->retransmitted, 150);
	assert_int_equal(TOTAL(r, mirror_duplicates), 0);
}

/* The rest of a long READ is requested once more, from the middle on: its
 * responses come again, byte for byte, and neither the mirror nor the network
 * doubled them.  An ACK with the PSN of the last one is none of them.  And once
 * more, from further on. */
static void rule_R20_not_what_is_read_again(void **state)
{
	struct scene *s = *state;
	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);
	struct record *r;

	s->constant_ip_id = true;
	s->step = 200;
	read_request(&p, 1, 40);
	pause_ns(s, 4 * US);
	read_responses(&p, 1, 40);
	ack(&p, 40);
	read_request(&p, 10, 31);
	pause_ns(s, 4 * US);
	read_responses(&p, 10, 31);
	read_request(&p, 12, 29);
	pause_ns(s, 4 * US);
	read_responses(&p, 12, 29);
	r = scene_run(s, NULL);
	assert_int_equal(TOTAL(r, duplicates), 0);
	assert_int_equal(TOTAL(r, mirror_duplicates), 0);
	assert_int_equal(events_of(r, EVENT_DUPLICATE), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(rule_R20_mirror_duplicates_of_another_hop),
		SCENE_TEST(rule_R20_mirror_duplicates_in_lockstep),
		SCENE_TEST(rule_R20_not_what_is_read_again),
		SCENE_TEST(twin_two_points_of_a_mirror),
		SCENE_TEST(twin_one_point_of_a_mirror),
		SCENE_TEST(rule_R20_second_copies_behind_a_queue),
		SCENE_TEST(rule_R20_second_copies_behind_a_queue_and_a_hop),
		SCENE_TEST(rule_R20_the_longest_queue),
		SCENE_TEST(rule_R20_no_queue_is_so_long),
		SCENE_TEST(rule_R20_residence),
		SCENE_TEST(rule_R20_no_residence),
		SCENE_TEST(rule_R20_no_mirror_but_timers_in_lockstep),
		SCENE_TEST(rule_R20_lone_mirror_duplicate),
		SCENE_TEST(rule_R20_replay_doubled),
		SCENE_TEST(rule_R20_nearly_all_doubled),
		SCENE_TEST(rule_R20_doubled_from_the_first),
		SCENE_TEST(rule_R20_doubled_behind_the_repetition),
		SCENE_TEST(rule_R20_not_a_lone_pair_after_a_nak),
		SCENE_TEST(rule_R20_copies_twice_at_once),
		SCENE_TEST(rule_R20_not_through_another_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
