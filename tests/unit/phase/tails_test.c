/* SPDX-License-Identifier: GPL-2.0-or-later
 * Data of flows that are not in step, by vectors worked out by hand: three
 * phases of 50 us, 200 us after each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "phase/phase_int.h"

#define US 1000

enum { PHASES = 3 };

static void set(struct interval *v)
{
	for (int i = 0; i < PHASES; i++)
		v[i] = (struct interval) { .from = i * 200 * US,
					   .to = (i * 200 + 50) * US };
}

static void is(const struct interval *v, int64_t from, int64_t to)
{
	assert_int_equal(v->from, from * US);
	assert_int_equal(v->to, to * US);
}

/* One message 2 us behind the first, 10 us before the third, 2 us behind it. */
static void each_has_what_is_near(void **state)
{
	static const struct interval busy[] = {
		{ .from = 0, .to = 50 * US },
		{ .from = 52 * US, .to = 54 * US },
		{ .from = 200 * US, .to = 250 * US },
		{ .from = 390 * US, .to = 395 * US },
		{ .from = 400 * US, .to = 450 * US },
		{ .from = 452 * US, .to = 455 * US },
		{ .from = 600 * US, .to = 620 * US }, /* of the next */
	};
	struct interval v[PHASES];

	(void)state;
	set(v);
	phase_part_at_silences(busy, 7, v, PHASES);
	is(&v[0], 0, 54);
	is(&v[1], 200, 250);
	is(&v[2], 390, 455);
}

/* Nothing parts them: data all the time, or phases that touch. */
static void without_silences_all_stays(void **state)
{
	static const struct interval busy[] = { { .from = 0, .to = 500 * US } };
	struct interval v[PHASES];

	(void)state;
	set(v);
	phase_part_at_silences(busy, 1, v, PHASES);
	is(&v[0], 0, 50);
	is(&v[2], 400, 450);
	v[0].to = 200 * US;
	v[1].to = 400 * US;
	phase_part_at_silences(busy, 1, v, PHASES);
	is(&v[0], 0, 200);
	is(&v[1], 200, 400);
	is(&v[2], 400, 450);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_what_is_near),
		cmocka_unit_test(without_silences_all_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
