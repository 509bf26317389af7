/* SPDX-License-Identifier: GPL-2.0-or-later
 * Two rings on the same hosts, one job or two: by hand.
 *
 * Three hosts send 100 kB to the next in each of ten steps of 100 us, 50 us of
 * it; and, on other queue pairs, 50 kB in each of |steps| of |length|. */
#include "phase/phase_int.h"
#include "ring.h"

enum { HOSTS = 3, STEPS_OF_IT = 10, LENGTH = 100, BURST = 50, FLOWS = 6 };

static struct phase_flow flow(uint32_t src, int steps, int late, int length,
			      uint64_t bytes, struct phase_activity *a)
{
	for (int i = 0; i < steps; i++)
		a[i] = (struct phase_activity) {
			.from = (i * length + late) * US,
			.sent = (i * length + late + BURST) * US,
			.over = (i * length + late + BURST) * US,
			.arrived = (i * length + late + BURST) * US,
			.bytes = bytes,
			.psns = 25,
		};
	return (struct phase_flow) { .src = src,
				     .dst = (src + 1) % HOSTS,
				     .wire = 1,
				     .a = a,
				     .n = (size_t)steps };
}

/* How many flows of the second ring are another job's. */
static int apart(int steps, int late, int length)
{
	static struct phase_activity a[FLOWS][STEPS_OF_IT];
	struct phase_flow f[FLOWS];
	const struct phase_flow *flows[FLOWS];
	uint32_t index[FLOWS];
	bool is[FLOWS] = { false };
	uint8_t ends[HOSTS];
	struct phase_part part = { .flows = flows, .index = index, .n = FLOWS };
	int n = 0;

	for (uint32_t i = 0; i < FLOWS; i++) {
		f[i] = i < HOSTS ? flow(i, STEPS_OF_IT, 0, LENGTH, CHUNK, a[i])
				 : flow(i - HOSTS, steps, late, length,
					CHUNK / 2, a[i]);
		flows[i] = &f[i];
		index[i] = i;
	}
	assert_true(phase_paces(&part, ends, is));
	for (int i = 0; i < FLOWS; i++) {
		assert_false(i < HOSTS && is[i]);
		n += is[i];
	}
	return n;
}

static void a_pace_of_its_own_is_another_job(void **state)
{
	(void)state;
	/* two iterations ahead in the end, eight in ten; or behind from the
	 * begin */
	assert_int_equal(apart(STEPS_OF_IT, 0, 80), HOSTS);
	assert_int_equal(apart(8, 200, LENGTH), HOSTS);
}

static void who_is_an_iteration_ahead_may_be_of_the_job(void **state)
{
	(void)state;
	assert_int_equal(apart(STEPS_OF_IT, 40, LENGTH), 0);
	assert_int_equal(apart(STEPS_OF_IT, 100, LENGTH), 0);
	assert_int_equal(apart(STEPS_OF_IT, 0, 92), 0);
	/* too few steps to say that they are iterations */
	assert_int_equal(apart(5, 0, 80), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pace_of_its_own_is_another_job),
		cmocka_unit_test(who_is_an_iteration_ahead_may_be_of_the_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
