/* SPDX-License-Identifier: GPL-2.0-or-later
 * A flow of a job that is slow, or one of somebody else: by hand.
 *
 * Three hosts send 100 kB to the next in each of ten steps of 100 us, 50 us of
 * it.  A fourth flow sends for 40 us of each step as well, and for 40 us of the
 * silence behind it. */
#include "phase/phase_int.h"
#include "ring.h"

enum { HOSTS = 3, STEPS_OF_IT = 10, LENGTH = 100, BURST = 50 };

static struct phase_flow flow(uint32_t src, uint32_t dst, int late, int us,
			      uint64_t bytes, struct phase_activity *a)
{
	for (int i = 0; i < STEPS_OF_IT; i++)
		a[i] = (struct phase_activity) {
			.from = (i * LENGTH + late) * US,
			.sent = (i * LENGTH + late + us) * US,
			.bytes = bytes,
			.psns = 25,
		};
	return (struct phase_flow) { .src = src,
				     .dst = dst,
				     .messages = STEPS_OF_IT,
				     .wire = 1,
				     .a = a,
				     .n = STEPS_OF_IT };
}

/* Is the |fourth| flow, of |messages|, somebody else's? */
static bool apart_is(struct phase_flow fourth, uint64_t messages)
{
	static struct phase_activity a[HOSTS][STEPS_OF_IT];
	struct phase_flow f[HOSTS + 1];
	const struct phase_flow *flows[HOSTS + 1];
	uint32_t index[HOSTS + 1] = { 0, 1, 2, 3 };
	int64_t from[STEPS_OF_IT], to[STEPS_OF_IT];
	bool in[HOSTS + 1] = { true, true, true }, apart[HOSTS + 1] = { false };
	uint8_t ends[HOSTS];
	struct phase_part part = {
		.flows = flows,
		.index = index,
		.n = HOSTS + 1,
		.steps = { .n = STEPS_OF_IT,
			   .from = from,
			   .to = to,
			   .in = in,
			   .share = 0.75 },
	};

	for (uint32_t i = 0; i < HOSTS; i++)
		f[i] = flow(i, (i + 1) % HOSTS, 0, BURST, CHUNK, a[i]);
	f[HOSTS] = fourth;
	f[HOSTS].messages = messages;
	for (int i = 0; i < STEPS_OF_IT; i++) {
		from[i] = (int64_t)i * LENGTH * US;
		to[i] = from[i] + BURST * US;
	}
	for (int i = 0; i <= HOSTS; i++)
		flows[i] = &f[i];
	assert_true(phase_apart(&part, ends, apart));
	return apart[HOSTS];
}

static bool is_apart(uint64_t bytes, uint64_t messages)
{
	struct phase_activity a[STEPS_OF_IT];

	return apart_is(flow(0, 2, 10, 80, bytes, a), messages);
}

/* As much as the others, but for |late| of a step, which comes with the next:
 * it was lost, and of the steps one was not found. */
static bool repaired_is_apart(uint64_t late)
{
	struct phase_activity a[STEPS_OF_IT];
	struct phase_flow f = flow(0, 2, 0, BURST, CHUNK, a);

	for (size_t i = 1; i < 9; i += i + 1) {
		a[i].bytes -= late;
		a[i + 1].bytes += late;
	}
	return apart_is(f, STEPS_OF_IT + 1);
}

static void who_repairs_is_of_the_job(void **state)
{
	(void)state;
	assert_false(repaired_is_apart(CHUNK / 3));
	assert_true(repaired_is_apart(CHUNK - 1));
}

static void a_slow_flow_is_of_the_job(void **state)
{
	(void)state;
	/* as much as the others, a message a step */
	assert_false(is_apart(CHUNK, STEPS_OF_IT));
	/* of as many messages, but not as much; as much, but no step of it */
	assert_true(is_apart(CHUNK / 2, STEPS_OF_IT));
	assert_true(is_apart(CHUNK, STEPS_OF_IT + 1) &&
		    is_apart(CHUNK / 2, STEPS_OF_IT + 1));
}

/* |n| of 48 queue pairs to the next host carry as much as the others, but
 * more in some steps and less in others.  Returns how many are somebody
 * else's. */
static int apart_of_many(int n)
{
	enum { EACH = 16, ALL = HOSTS * EACH };
	static const uint64_t halves[] = { 0, 1, 4, 3, 0, 2, 1, 5, 2, 2 };
	static struct phase_activity a[ALL][STEPS_OF_IT];
	struct phase_flow f[ALL];
	const struct phase_flow *flows[ALL];
	uint32_t index[ALL];
	int64_t from[STEPS_OF_IT], to[STEPS_OF_IT];
	bool in[ALL], is[ALL] = { false };
	uint8_t ends[HOSTS];
	struct phase_part part = {
		.flows = flows,
		.index = index,
		.n = ALL,
		.steps = { .n = STEPS_OF_IT,
			   .from = from,
			   .to = to,
			   .in = in,
			   .share = 0.7 },
	};
	int out = 0;

	for (uint32_t i = 0; i < ALL; i++) {
		in[i] = i >= (uint32_t)n;
		f[i] = flow(i % HOSTS, (i + 1) % HOSTS, 0, BURST, CHUNK, a[i]);
		f[i].messages = STEPS_OF_IT + 1;
		for (int k = 0; !in[i] && k < STEPS_OF_IT; k++)
			a[i][k].bytes = halves[k] * (CHUNK / 2);
		flows[i] = &f[i];
		index[i] = i;
	}
	for (int i = 0; i < STEPS_OF_IT; i++) {
		from[i] = (int64_t)i * LENGTH * US;
		to[i] = from[i] + BURST * US;
	}
	assert_true(phase_apart(&part, ends, is));
	for (int i = 0; i < ALL; i++)
		out += is[i];
	return out;
}

static void few_of_many_are_no_job(void **state)
{
	(void)state;
	assert_int_equal(apart_of_many(2), 0);
	assert_int_equal(apart_of_many(HOSTS * 4), HOSTS * 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_flow_is_of_the_job),
		cmocka_unit_test(who_repairs_is_of_the_job),
		cmocka_unit_test(few_of_many_are_no_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
