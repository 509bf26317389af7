/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which link was full while a switch paused: vectors worked out by hand.
 *
 * Two hosts send 100 kB each to host 2, whose link has 8 Gb/s: it carries
 * 200 kB in the 200 us of a pause, and the last packet waits 100 us.  Host 3
 * sends to host 4 through the same switch, where its packets wait for 40 us. */
#include "ring.h"

enum { HOSTS = 5, FLOWS = 3 };

struct spread {
	struct phase_activity a[FLOWS];
	struct phase_flow flows[FLOWS];
	struct phase_host hosts[HOSTS];
	struct phase_span pause;
};

static void made(struct spread *s)
{
	static const uint32_t src[FLOWS] = { 0, 1, 3 },
			      dst[FLOWS] = { 2, 2, 4 };

	*s = (struct spread) { .pause = { .to = 200 * US,
					  .class = CLASS_PAUSED } };
	for (int f = 0; f < FLOWS; f++) {
		bool victim = dst[f] == 4;

		s->a[f] = (struct phase_activity) {
			.from = 0,
			.sent = victim ? 60 * US : 100 * US,
			.came = 2 * US,
			.there = victim ? 102 * US : 202 * US,
			.bytes = victim ? 50000 : 100000,
		};
		s->flows[f] = (struct phase_flow) { .id = f + 1,
						    .src = src[f],
						    .dst = dst[f],
						    .far = true,
						    .src_seen = true,
						    .dst_seen = true,
						    .wire = 1,
						    .a = &s->a[f],
						    .n = 1 };
	}
	for (int h = 0; h < HOSTS; h++)
		s->hosts[h].bps = 8000000000;
}

static size_t full(const struct spread *s)
{
	size_t flow;

	assert_true(phase_full_link(s->flows, FLOWS, s->hosts, HOSTS, &s->pause,
				    1, &flow));
	return flow;
}

static void test_full(void **state)
{
	struct spread s;

	(void)state;
	made(&s);
	/* 198 of 200 us; both have as much queued, the first is named */
	assert_int_equal(full(&s), 0);
	s.a[1].there += 10 * US;
	assert_int_equal(full(&s), 1);
}

static void test_not_full(void **state)
{
	struct spread s;

	(void)state;
	/* A link of 10 Gb/s would have had room for a fifth more. */
	made(&s);
	s.hosts[2].bps = 10000000000;
	assert_int_equal(full(&s), SIZE_MAX);
	made(&s);
	s.hosts[2].bps = 0;
	assert_int_equal(full(&s), SIZE_MAX);
	/* Nobody knows what waited before the link of a host that is not
	 * captured. */
	made(&s);
	s.flows[0].dst_seen = s.flows[1].dst_seen = false;
	assert_int_equal(full(&s), SIZE_MAX);
	/* It is full, but what waits is for host 4: 3 MB, for 4 ms. */
	made(&s);
	s.a[2].bytes = 3000000;
	s.a[2].came = 1000 * US;
	s.a[2].there = 4000 * US;
	assert_int_equal(full(&s), SIZE_MAX);
}

/* Those who wait in the same buffers may have more there. */
static void test_victims(void **state)
{
	struct spread s;

	(void)state;
	made(&s);
	s.a[2].there = 402 * US;
	assert_int_equal(full(&s), 0);
}

static void test_pause_of_others(void **state)
{
	struct spread s;

	(void)state;
	/* It was over before anything was sent. */
	made(&s);
	s.pause = (struct phase_span) { .from = -300 * US,
					.to = -100 * US,
					.class = CLASS_PAUSED };
	assert_int_equal(full(&s), SIZE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_not_full),
		cmocka_unit_test(test_victims),
		cmocka_unit_test(test_pause_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
