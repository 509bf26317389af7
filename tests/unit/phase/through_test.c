/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which jobs there are where the link of one host is seen: 0 exchanges data
 * with 1 in each of ten steps of 100 us, and flows lead from 2 into it and from
 * it to 3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "phase/phase.h"

enum { US = 1000, STEPS = 10, ONE = 100 * US, FLOWS = 4, MANY = 100 };

static const uint32_t ends[FLOWS][2] = {
	{ 0, 1 }, { 1, 0 }, { 2, 0 }, { 0, 3 }
};

struct seen {
	struct phase_activity a[FLOWS][MANY];
	struct phase_flow f[FLOWS];
};

/* |n| messages, the first at |at|, then one each |every|. */
static void send(struct phase_flow *f, size_t n, int64_t at, int64_t every)
{
	f->n = f->messages = n;
	for (size_t i = 0; i < n; i++, at += every)
		f->a[i] = (struct phase_activity) {
			.from = at,
			.sent = at + 8 * US,
			.over = at + 8 * US,
			.arrived = at + 8 * US,
			.came = at,
			.there = at + 8 * US,
			.bytes = 100000,
			.psns = 100,
		};
}

static void begin(struct seen *s)
{
	for (int i = 0; i < FLOWS; i++) {
		s->f[i] = (struct phase_flow) { .src = ends[i][0],
						.dst = ends[i][1],
						.src_seen = !ends[i][0],
						.dst_seen = !ends[i][1],
						.a = s->a[i] };
		send(&s->f[i], STEPS, (i < 2 ? 10 : 40) * US, ONE);
	}
}

static size_t jobs(const struct seen *s)
{
	static const struct phase_host hosts[4]; /* of no known server */
	int64_t uet[FLOWS];
	uint32_t job[FLOWS];

	for (int i = 0; i < FLOWS; i++)
		uet[i] = PHASE_UNKNOWN;
	return phase_jobs(s->f, FLOWS, hosts, 4, uet, job);
}

static void a_ring_through_a_host_is_of_its_job(void **state)
{
	struct seen s;

	(void)state;
	begin(&s);
	assert_int_equal(jobs(&s), 1);
}

static void what_has_other_steps_is_another_job(void **state)
{
	struct seen s;

	(void)state;
	begin(&s);
	for (int i = 2; i < FLOWS; i++)
		send(&s.f[i], STEPS - 3, 40 * US, 137 * US);
	assert_int_equal(jobs(&s), 2);
	/* all the time the same: as many bytes in each step, and no silence */
	begin(&s);
	for (int i = 2; i < FLOWS; i++)
		send(&s.f[i], MANY, 10 * US, 10 * US);
	assert_int_equal(jobs(&s), 2);
}

static void what_only_comes_is_no_ring(void **state)
{
	struct seen s;

	(void)state;
	begin(&s);
	s.f[3].src = 3;
	s.f[3].dst = 0;
	s.f[3].src_seen = false;
	s.f[3].dst_seen = true;
	assert_int_equal(jobs(&s), 2);
}

static void where_all_is_seen_nothing_closes(void **state)
{
	struct seen s;

	(void)state;
	/* the links of 2 and 3: no data goes from 3 to 2 */
	begin(&s);
	s.f[2].src_seen = true;
	s.f[3].dst_seen = true;
	assert_int_equal(jobs(&s), 2);
	/* at an uplink: which of their flows came by is chance */
	begin(&s);
	for (int i = 0; i < FLOWS; i++)
		s.f[i].src_seen = s.f[i].dst_seen = false;
	assert_int_equal(jobs(&s), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ring_through_a_host_is_of_its_job),
		cmocka_unit_test(what_has_other_steps_is_another_job),
		cmocka_unit_test(what_only_comes_is_no_ring),
		cmocka_unit_test(where_all_is_seen_nothing_closes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
