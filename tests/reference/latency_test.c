/* SPDX-License-Identifier: GPL-2.0-or-later
 * Histograms of message latency: what is told of messages whose times are
 * known, counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene.h"

/* Of how many messages is a latency of |ns| told? */
static uint64_t told(const struct record *r, int64_t ns)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->n_latencies; i++)
		if (r->latencies[i].from_ns <= ns &&
		    ns <= r->latencies[i].to_ns)
			n += r->latencies[i].count;
	return n;
}

static uint64_t all(const struct record *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->n_latencies; i++)
		n += r->latencies[i].count;
	return n;
}

/* More messages than get a row each. */
static void every_message_counts(void **state)
{
	enum { QUICK = 300, SLOW = 3 };
	struct scene *s = *state;
	struct pair p = usual(s);

	for (uint32_t psn = 1; psn <= QUICK + SLOW; psn++) {
		DATA(&p, psn);
		pause_ns(s, psn <= QUICK ? REACT : MS);
		ack(&p, psn);
	}
	const struct record *r = scene_run(s, NULL);

	assert_true(r->n_messages < QUICK);
	assert_int_equal(all(r), QUICK + SLOW);
	assert_int_equal(told(r, STEP + REACT), QUICK);
	assert_int_equal(told(r, STEP + MS), SLOW);
	for (size_t i = 0; i < r->n_latencies; i++) {
		const struct fact_latency *f = &r->latencies[i];

		assert_int_equal(f->segment, 0);
		assert_int_equal(f->transport, FLOW_RC);
		assert_int_equal(f->op, MESSAGE_WRITE);
		assert_int_equal(f->bytes_from, PMTU); /* a power of four */
		assert_true(f->to_ns - f->from_ns <= f->from_ns / 16);
	}
}

/* Whose ACK is not seen, or whose begin is not, has no latency. */
static void only_whole_ones(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1);
	pause_ns(s, REACT);
	ack(&p, 1);
	DATA(&p, 2, 3);

	assert_int_equal(all(scene_run(s, NULL)), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(every_message_counts),
		SCENE_TEST(only_whole_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
