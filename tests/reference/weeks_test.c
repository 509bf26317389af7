/* SPDX-License-Identifier: GPL-2.0-or-later
 * An engine that does not end: rule R27 (the capture dropped packets), flows
 * that are let go of, caps that count anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene.h"

enum { ROUNDS = 40, PAIRS = 25 };

/* 3 never passes; its receiver complains, and 3 to 5 are sent again. */
static void lost_upstream(struct pair *p)
{
	DATA(p, 1, 2);
	unseen(p, 3);
	DATA(p, 4);
	pause_ns(p->scene, REACT);
	nak(p, 3);
	pause_ns(p->scene, REACT);
	DATA(p, 3, 4, 5);
	pause_ns(p->scene, REACT);
	ack(p, 5);
}

/* 3 passes and does not arrive. */
static void lost_downstream(struct pair *p)
{
	DATA(p, 1, 2, 3, 4);
	pause_ns(p->scene, REACT);
	nak(p, 3);
	pause_ns(p->scene, REACT);
	DATA(p, 3, 4, 5);
	pause_ns(p->scene, REACT);
	ack(p, 5);
}

static struct record *run_with_drops(struct scene *s, int64_t from, int64_t to)
{
	struct record *r = record_begin(s, NULL);

	engine_capture_drops(r->engine, 0, from, to);
	record_feed(r, s);
	record_end(r);
	return r;
}

static uint64_t losses(const struct record *r)
{
	return events_of(r, EVENT_LOSS_UPSTREAM) +
	       events_of(r, EVENT_LOSS_DOWNSTREAM);
}

static void check_with_drops(void **state, void (*story)(struct pair *))
{
	struct scene *s = *state;
	struct pair p = usual(s);
	int64_t begin = s->now;

	story(&p);

	struct record *r = run_with_drops(s, begin, s->now);

	assert_int_equal(losses(r), 0);
	assert_int_equal(flow_of(r, &p)->lost_upstream, 0);
	assert_int_equal(flow_of(r, &p)->lost_downstream_min, 0);
	assert_int_equal(flow_of(r, &p)->timeouts, 0);
	assert_int_equal(only_recovery(r)->cause, CAUSE_UNKNOWN);
	assert_int_equal(only_recovery(r)->lost_max, 0);
}

/* One packet every 2 ms is a burst each, and of more than 65536 not all are
 * kept: of a file the first, of what runs for weeks the last, and no gap among
 * them. */
static void check_bursts(void **state, bool newest)
{
	enum { PACKETS = 70000, ROOM = 1 << 16 };
	const struct engine_options o = { .newest = newest };
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r = record_begin(s, &o);
	int64_t want;

	for (uint32_t psn = 0; psn < PACKETS; psn++) {
		DATA(&p, psn);
		pause_ns(s, 2 * MS);
	}
	want = newest ? last_packet(s)->ns : s->packets[0].ns;
	record_feed(r, s);
	assert_int_equal(engine_bursts_from(r->engine) != INT64_MIN, newest);
	record_end(r);
	assert_in_range(r->n_bursts, ROOM / 8, ROOM);
	/* the last one may still be under way */
	assert_in_range(r->bursts[newest ? r->n_bursts - 1 : 0].first_ns,
			want - (newest ? 3 * MS : 0), want);
	for (size_t i = 1; i < r->n_bursts; i++)
		assert_in_range(r->bursts[i].first_ns -
					r->bursts[i - 1].first_ns,
				MS, 3 * MS);
	assert_true(r->capped_others > 0);
}

static void bursts_of_a_file_are_the_first(void **state)
{
	check_bursts(state, false);
}

static void bursts_of_weeks_are_the_last(void **state)
{
	check_bursts(state, true);
}

static void rule_R27_no_loss_upstream_while_capture_drops(void **state)
{
	check_with_drops(state, lost_upstream);
}

static void rule_R27_no_loss_downstream_while_capture_drops(void **state)
{
	check_with_drops(state, lost_downstream);
}

static void rule_R27_sees_again_later(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	int64_t begin = s->now;

	pause_ns(s, SECOND);
	lost_upstream(&p);

	struct record *r = run_with_drops(s, begin, begin + MS);

	assert_int_equal(flow_of(r, &p)->lost_upstream, 1);
	assert_int_equal(losses(r), 1);
}

/* Another place has nothing to do with it. */
static void rule_R27_is_of_one_place(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	int64_t begin = s->now;

	lost_upstream(&p);

	struct record *r = record_begin(s, NULL);

	engine_capture_drops(r->engine, 1, begin, s->now);
	record_feed(r, s);
	record_end(r);
	assert_int_equal(flow_of(r, &p)->lost_upstream, 1);
}

/* Flows come and go; each is handed out once, with all its packets, and those
 * that are gone make room. */
static void flows_are_let_go_of(void **state)
{
	struct scene *s = *state;
	struct record *r = record_begin(s, NULL);
	uint64_t packets = 0, told = 0;

	for (uint32_t round = 0; round < ROUNDS; round++) {
		for (uint32_t i = 0; i < PAIRS; i++) {
			struct pair p = pair(s, HOST_A, HOST_B,
					     0x100 + round * PAIRS + i,
					     0x80000 + round * PAIRS + i);

			DATA(&p, 1, 2, 3);
			ack(&p, 3);
		}
		packets += s->count;
		record_feed(r, s);
		assert_int_equal(engine_flows(r->engine), 2 * PAIRS);
		pause_ns(s, SECOND);
		assert_int_equal(engine_retire(r->engine, s->now, UINT32_MAX),
				 2 * PAIRS);
		assert_int_equal(engine_flows(r->engine), 0);
	}
	assert_int_equal(engine_last_id(r->engine), 2 * PAIRS * ROUNDS);
	record_end(r);
	assert_int_equal(r->n_flows, 2 * PAIRS * ROUNDS);
	told = (uint64_t)TOTAL(r, packets);
	assert_int_equal(told, packets);
	assert_int_equal(TOTAL(r, lost_upstream), 0);
}

/* A pair stays as long as one of its directions is in use. */
static void a_pair_goes_together(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	struct record *r = record_begin(s, NULL);
	int64_t then;

	DATA(&p, 1, 2);
	ack(&p, 2);
	then = s->now;
	pause_ns(s, SECOND);
	DATA(&p, 3);
	record_feed(r, s);
	assert_int_equal(engine_retire(r->engine, then + MS, UINT32_MAX), 0);
	assert_int_equal(engine_retire(r->engine, s->now + MS, UINT32_MAX), 2);
	record_end(r);
	assert_int_equal(flow_of(r, &p)->packets, 3);
	assert_int_equal(flow_of(r, &p)->peer, reverse_of(r, &p)->id);
}

/* What is learnt later decides about what was before: the path turns out to
 * reorder, in another connection on the same numbers. */
static void late_reordering(struct pair *p)
{
	uint16_t id;

	DATA(p, 6, 7);
	id = reordered(p);
	DATA(p, 9, 10);
	late(p, 8, id);
	pause_ns(p->scene, REACT);
	ack(p, 10);
}

static struct record *live_for(struct scene *s, bool refreshes)
{
	struct pair p = usual(s);
	struct record *r = record_begin(s, NULL);

	for (int i = 0; i < 3; i++) {
		if (i == 0)
			lost_downstream(&p);
		if (i == 2)
			late_reordering(&p);
		record_feed(r, s);
		pause_ns(s, 10 * SECOND);
		if (refreshes)
			engine_retire(r->engine, s->now - 900 * SECOND,
				      UINT32_MAX);
	}
	record_end(r);
	return r;
}

/* Decided at the end of the file, and at each refresh again. */
static void live_ends_with_the_verdicts_of_the_file(void **state)
{
	struct scene *s = *state, *other = scene_new();
	const struct fact_recovery *file = only_recovery(live_for(s, false));
	const struct fact_recovery *live = only_recovery(live_for(other, true));

	assert_int_equal(file->cause, CAUSE_LOSS_OR_REORDER);
	assert_int_equal(live->cause, file->cause);
	assert_string_equal(live->rule, file->rule);
	assert_int_equal(live->evidence, file->evidence);
	assert_int_equal(live->remaining, file->remaining);
	assert_int_equal(live->lost_max, file->lost_max);
	scene_free(other);
}

static void ids_go_on(void **state)
{
	struct scene *s = *state;
	struct engine_options o = scene_options;
	struct pair p = usual(s);

	o.first_id = 1000;
	DATA(&p, 1);
	ack(&p, 1);

	struct record *r = scene_run(s, &o);

	assert_int_equal(flow_of(r, &p)->id, 1001);
}

static void caps_count_anew(void **state)
{
	struct scene *s = *state;
	struct engine_options o = scene_options;
	struct pair p = usual(s), q = pair(s, HOST_A, HOST_B, 0x21, 0x22);
	struct record *r;

	o.events_total = 1;
	r = record_begin(s, &o);
	lost_upstream(&p);
	record_feed(r, s);
	engine_reset_caps(r->engine);
	lost_upstream(&q);
	record_feed(r, s);
	record_end(r);
	assert_int_equal(r->n_events, 2);
}

static int begin(void **state)
{
	*state = scene_new();
	return *state == NULL;
}

static int end(void **state)
{
	scene_free(*state);
	return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rule_R27_no_loss_upstream_while_capture_drops),
		TEST(rule_R27_no_loss_downstream_while_capture_drops),
		TEST(rule_R27_sees_again_later),
		TEST(rule_R27_is_of_one_place),
		TEST(flows_are_let_go_of),
		TEST(a_pair_goes_together),
		TEST(live_ends_with_the_verdicts_of_the_file),
		TEST(ids_go_on),
		TEST(caps_count_anew),
		TEST(bursts_of_a_file_are_the_first),
		TEST(bursts_of_weeks_are_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
