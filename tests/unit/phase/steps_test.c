/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which steps a job has, by vectors worked out by hand: a ring of four, of
 * which each sends six messages of 4,096 bytes, 3 us apart, and 150 us behind
 * the last the first of the next step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "phase/phase.h"

enum { RANKS = 4, STEPS = 500, FEW = 10, EACH = 6, US = 1000, ONE = 165 * US };

static void as_many_as_there_are(void **state)
{
	static const size_t numbers[] = { 10, 100, STEPS };

	(void)state;
	/* Many are no fewer large ones, whatever their data begins with. */
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		size_t steps = numbers[i];
		struct phase_activity *a =
			calloc(RANKS * STEPS * EACH, sizeof *a);
		struct phase_flow g[RANKS] = { { 0 } };
		const struct phase_flow *flows[RANKS];
		struct phase_steps s;

		assert_non_null(a);
		for (uint32_t r = 0; r < RANKS; r++) {
			flows[r] = &g[r];
			g[r] = (struct phase_flow) {
				.src = r,
				.dst = (r + 1) % RANKS,
				.a = a + r * STEPS * EACH,
				.n = steps * EACH,
			};
			for (size_t k = 0; k < g[r].n; k++) {
				int64_t at = (int64_t)(k / EACH) * ONE +
					     (int64_t)(k % EACH) * 3 * US;

				g[r].a[k] = (struct phase_activity) {
					.from = at,
					.sent = at + US / 3,
					.arrived = at + US,
					.over = at + US,
					.bytes = 4096,
					.psns = 2,
				};
			}
		}
		assert_true(phase_steps(flows, RANKS, &s));
		assert_int_equal(s.n, steps);
		assert_true(s.sure);
		for (size_t k = 0; k < s.n; k++) {
			assert_int_equal(s.from[k], (int64_t)k * ONE);
			assert_int_equal(s.to[k], (int64_t)k * ONE + 16 * US);
		}
		phase_steps_free(&s);
		free(a);
	}
}

/* The last message of each step is too small to say when that is over; behind
 * the last step, where nothing follows, it is of that. */
static void all_data_is_of_the_last_step(void **state)
{
	struct phase_activity *a = calloc(RANKS * FEW * EACH, sizeof *a);
	struct phase_flow g[RANKS] = { { 0 } };
	const struct phase_flow *flows[RANKS];
	struct phase_steps s;

	(void)state;
	assert_non_null(a);
	for (uint32_t r = 0; r < RANKS; r++) {
		flows[r] = &g[r];
		g[r] = (struct phase_flow) { .src = r,
					     .dst = (r + 1) % RANKS,
					     .a = a + r * FEW * EACH,
					     .n = FEW * EACH };
		for (size_t k = 0; k < g[r].n; k++) {
			bool last = k % EACH == EACH - 1;
			int64_t at = (int64_t)(k / EACH) * ONE +
				     (int64_t)(k % EACH) * 3 * US;

			g[r].a[k] = (struct phase_activity) {
				.from = at,
				.sent = at + US / 3,
				.arrived = at + US,
				.over = at + US,
				.bytes = last ? 50 : 4096,
				.psns = last ? 1 : 2,
			};
		}
	}
	assert_true(phase_steps(flows, RANKS, &s));
	assert_int_equal(s.n, FEW);
	for (size_t k = 0; k < s.n; k++)
		assert_int_equal(s.to[k], (int64_t)k * ONE +
						  (k + 1 < FEW ? 13 : 16) * US);
	phase_steps_free(&s);
	free(a);
}

/* The last message of |late| steps comes 200 us later, when the others have
 * begun the next one: 51 us of the 165 of a step. */
static size_t steps_of(struct phase_activity *a, const bool late[FEW],
		       bool *sure)
{
	struct phase_flow g[RANKS] = { { 0 } };
	const struct phase_flow *flows[RANKS];
	struct phase_steps s;
	size_t n;

	for (uint32_t r = 0; r < RANKS; r++) {
		int64_t over = 0;

		flows[r] = &g[r];
		g[r] = (struct phase_flow) { .src = r,
					     .dst = (r + 1) % RANKS,
					     .a = a + r * FEW * EACH,
					     .n = FEW * EACH };
		for (size_t k = 0; k < g[r].n; k++) {
			int64_t at = (int64_t)(k / EACH) * ONE +
				     (int64_t)(k % EACH) * 3 * US;

			if (!r && k % EACH == EACH - 1 && late[k / EACH])
				at += 200 * US;
			if (at < over)
				at = over;
			over = at + US;
			g[r].a[k] = (struct phase_activity) {
				.from = at,
				.sent = at + US / 3,
				.arrived = over,
				.over = over,
				.bytes = 4096,
				.psns = 2,
			};
		}
	}
	assert_true(phase_steps(flows, RANKS, &s));
	n = s.n;
	*sure = s.sure;
	phase_steps_free(&s);
	return n;
}

static void who_repairs_overlaps_the_next_step(void **state)
{
	static const bool none[FEW] = { 0 };
	/* steps look like half as many, in which nobody is late */
	static const bool some[FEW] = { [0] = true, [4] = true, [8] = true };
	struct phase_activity *a = calloc(RANKS * FEW * EACH, sizeof *a);
	bool sure;

	(void)state;
	assert_non_null(a);
	assert_int_equal(steps_of(a, none, &sure), FEW);
	assert_int_equal(steps_of(a, some, &sure), FEW);
	assert_true(sure);
	free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_data_is_of_the_last_step),
		cmocka_unit_test(who_repairs_overlaps_the_next_step),
		cmocka_unit_test(as_many_as_there_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
