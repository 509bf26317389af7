/* SPDX-License-Identifier: GPL-2.0-or-later
 * R20 where a mirror's second copies all come much later than a switch keeps a
 * packet, but as late as each other; and what only looks like that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow/multitap/twice.h"
#include "scene.h"

enum { WINDOW = 8, LAG = 100 * US, WINDOWS = 12 };

static struct pair stream(struct scene *s)
{
	s->step = 1 * US;
	s->constant_ip_id = true;
	return pair(s, HOST_A, HOST_B, 0x100, 0x800);
}

static void window(struct pair *p, uint32_t psn)
{
	data_run(p, psn, psn + WINDOW - 1);
	pause_ns(p->scene, 4 * US);
	ack(p, psn + WINDOW - 1);
	pause_ns(p->scene, 4 * US);
}

/* One packet in |one_in| again, |lag| later. */
static void doubled(struct scene *s, int64_t lag, size_t one_in)
{
	for (size_t i = 0, end = s->count; i < end; i += one_in) {
		struct packet copy = s->packets[i];

		copy.ns += lag;
		*scene_append(s) = copy;
	}
	scene_sort(s);
}

static int64_t lag_of(const struct scene *s)
{
	struct twice *t = twice_new();
	int64_t lag;

	assert_non_null(t);
	twice_look(t, s->packets, s->count);
	twice_decide(t, &lag, 1);
	twice_free(t);
	return lag;
}

static struct record *run(struct scene *s)
{
	const int place = 0;
	const int64_t lag = lag_of(s);
	struct engine_options o = scene_options;

	o.place = &place;
	o.lag = &lag;
	o.n_places = 1;
	return scene_run(s, &o);
}

/* A loss in the middle: its retransmissions come twice like all the rest. */
static void rule_R20_second_copies_always_as_late(void **state)
{
	struct scene *s = *state;
	struct pair p = stream(s);
	struct record *r;
	size_t n;

	for (uint32_t i = 0; i < WINDOWS; i++)
		window(&p, i * WINDOW);
	data_run(&p, 96, 99);
	pause_ns(s, 4 * US);
	nak(&p, 98);
	pause_ns(s, 4 * US);
	data_run(&p, 98, 103);
	pause_ns(s, 4 * US);
	ack(&p, 103);
	for (uint32_t i = 13; i < 13 + WINDOWS; i++)
		window(&p, i * WINDOW);
	n = s->count;
	doubled(s, LAG, 1);
	assert_int_equal(lag_of(s), LAG);
	r = run(s);
	EXPECT(flow_of(r, &p), .down_min = 1, .down_max = 2,
	       .retransmitted = 2);
	assert_int_equal(only_recovery(r)->cause, CAUSE_LOSS_DOWNSTREAM);
	assert_int_equal(TOTAL(r, mirror_duplicates), n);
	assert_int_equal(TOTAL(r, duplicates), 0);
}

/* A message begins where a window ended, and its copy when the flow is idle:
 * no connection anew. */
static void rule_R20_second_copies_of_first_packets(void **state)
{
	struct scene *s = *state;
	struct pair p = stream(s);
	struct record *r;

	for (uint32_t i = 0; i < WINDOWS; i++)
		window(&p, i * WINDOW);
	pause_ns(s, 2 * MS);
	window(&p, WINDOWS * WINDOW);
	doubled(s, LAG, 1);
	r = run(s);
	EXPECT(flow_of(r, &p), .up = 0);
	assert_int_equal(r->n_recoveries, 0);
	assert_int_equal(TOTAL(r, mirror_duplicates),
			 (WINDOWS + 1) * (WINDOW + 1));
}

/* The timer of a sender is shorter than its way: each window and its ACK come
 * again as late as the last ones, but nothing new in between. */
static void rule_R20_no_mirror_but_a_short_timer(void **state)
{
	struct scene *s = *state;
	struct pair p = stream(s);

	for (uint32_t i = 0; i < 4 * WINDOWS; i++) {
		window(&p, i * WINDOW);
		pause_ns(s, LAG);
	}
	doubled(s, LAG, 1);
	assert_int_equal(lag_of(s), 0);
}

static void rule_R20_no_mirror_that_copies_half(void **state)
{
	struct scene *s = *state;
	struct pair p = stream(s);

	for (uint32_t i = 0; i < 4 * WINDOWS; i++)
		window(&p, i * WINDOW);
	doubled(s, LAG, 2);
	assert_int_equal(lag_of(s), 0);
}

/* Within the time that a switch keeps a packet no look ahead is needed. */
static void rule_R20_no_lag_but_residence(void **state)
{
	struct scene *s = *state;
	struct pair p = stream(s);

	for (uint32_t i = 0; i < 4 * WINDOWS; i++)
		window(&p, i * WINDOW);
	doubled(s, 40 * US, 1);
	assert_int_equal(lag_of(s), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(rule_R20_second_copies_always_as_late),
		SCENE_TEST(rule_R20_second_copies_of_first_packets),
		SCENE_TEST(rule_R20_no_mirror_but_a_short_timer),
		SCENE_TEST(rule_R20_no_mirror_that_copies_half),
		SCENE_TEST(rule_R20_no_lag_but_residence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
