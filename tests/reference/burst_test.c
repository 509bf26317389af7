/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stretches of data and the silences between them: every octet is in one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uet_scene.h"
#include "wire/wire.h"

enum { APART = 500, STEP_APART = 1000, SILENCE = 50 * 1000 };

/* Three packets, and behind a silence a last one. */
static void check(const struct record *r, uint64_t each)
{
	assert_int_equal(r->n_bursts, 2);
	assert_int_equal(r->bursts[0].bytes, 3 * each);
	assert_int_equal(r->bursts[0].psns, 3);
	assert_int_equal(r->bursts[1].bytes, each);
	assert_int_equal(r->bursts[1].psns, 1);
	assert_true(r->bursts[1].first_ns == r->bursts[1].last_ns);
	assert_true(r->bursts[1].first_ns - r->bursts[0].last_ns >= SILENCE);
}

static void last_packet_alone_of_a_queue_pair(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint64_t each;

	s->step = APART;
	DATA(&p, 1, 2, 3);
	pause_ns(s, SILENCE);
	DATA(&p, 4);
	each = last_packet(s)->payload;
	assert_true(each > 0);
	check(scene_run(s, NULL), each);
}

static void last_packet_alone_of_a_context(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, 1000);

	s->step = APART;
	SEND(&c, 1000, 1001, 1002);
	pause_ns(s, SILENCE);
	SEND(&c, 1003);
	check(scene_run(s, NULL), 1024);
}

/* A context that is closed long after its last packet sent no data since: its
 * CLOSE has a PSN. */
static void closed_after_a_silence(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, 1000);
	const struct record *r;

	s->step = APART;
	SEND(&c, 1000, 1001, 1002);
	pause_ns(s, SILENCE);
	control_psn(&c, CP_CLOSE, 1003);
	r = scene_run(s, NULL);
	assert_int_equal(r->n_bursts, 1);
	assert_int_equal(r->bursts[0].psns, 4);
	assert_true(r->bursts[0].last_ns - r->bursts[0].first_ns ==
		    2 * s->step);
}

/* Messages that are over leave a stretch at a shorter silence than packets of
 * one message do: steps of a collective. */
static void messages_apart_are_stretches(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	s->step = STEP_APART;
	DATA(&p, 1, 2, 3);
	assert_int_equal(scene_run(s, NULL)->n_bursts, 3);
}

/* An empty message behind the data (a flag with immediate data) is as much
 * later as its sender, or a queue, makes it: 3 PSNs of data in any case. */
static void empty_message_is_no_data(void **state)
{
	static const int64_t behind[] = { APART, STEP_APART };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct scene *s = scene_new();
		struct pair p = usual(s);
		const struct record *r;

		s->step = APART;
		DATA(&p, 1, 2, 3);
		s->step = behind[i];
		request(&p, OP_WRITE_ONLY, 4);
		last_packet(s)->payload = 0;
		pause_ns(s, SILENCE);
		DATA(&p, 5);
		r = scene_run(s, NULL);
		assert_int_equal(r->n_bursts, 2);
		assert_int_equal(r->bursts[0].psns, 3);
		assert_int_equal(r->bursts[1].psns, 1);
		scene_free(s);
	}
}

/* A request to read says nothing of how much data there was, be it sent with
 * some, right behind it or alone. */
static void reads_are_no_data(void **state)
{
	static const int64_t behind[][2] = { { 0, SILENCE },
					     { SILENCE, 0 },
					     { SILENCE, SILENCE } };

	for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
		struct scene *s = *state;
		struct pair p = usual(s);
		const struct record *r;

		s->step = APART;
		DATA(&p, 1, 2, 3);
		pause_ns(s, behind[i][0]);
		read_request(&p, 4, 3);
		pause_ns(s, behind[i][1]);
		DATA(&p, 7);
		r = scene_run(s, NULL);
		assert_int_equal(r->n_bursts, 2);
		assert_int_equal(r->bursts[0].psns, 3);
		assert_int_equal(r->bursts[1].psns, 1);
		scene_teardown(state);
		scene_setup(state);
	}
}

/* The first one is no silence. */
static void one_packet_is_one_stretch(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, 1000);
	const struct record *r;

	SEND(&c, 1000);
	r = scene_run(s, NULL);
	assert_int_equal(r->n_bursts, 1);
	assert_int_equal(r->bursts[0].bytes, 1024);
	assert_true(r->bursts[0].first_ns == s->packets[0].ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(last_packet_alone_of_a_queue_pair),
		SCENE_TEST(last_packet_alone_of_a_context),
		SCENE_TEST(closed_after_a_silence),
		SCENE_TEST(messages_apart_are_stretches),
		SCENE_TEST(empty_message_is_no_data),
		SCENE_TEST(reads_are_no_data),
		SCENE_TEST(one_packet_is_one_stretch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
