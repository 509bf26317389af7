/* SPDX-License-Identifier: GPL-2.0-or-later
 * An iteration against the others, by vectors worked out by hand.
 *
 * Five phases that all needed 20 ns: in two of them a repair took 60 ns, as the
 * path says.  The others took 100, 104 and 108 ns, so 104 are usual: three have
 * no upper quarter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "phase/path_int.h"

enum { PHASES = 5, LOST = 60, NEEDED = 20 };

struct vector {
	int64_t length[PHASES];
	int64_t loss[PHASES], unsure[PHASES];
};

static void check(const struct vector *v, bool repaired_all)
{
	struct burst bursts[PHASES] = { { .from = 0 } };
	struct job j = { .bursts = bursts, .n_bursts = PHASES };
	struct settled s = { 0 };
	int64_t back[PHASES][2] = { { 0 } }, unsure[PHASES] = { 0 };
	bool repaired[PHASES] = { false };
	size_t begin[PHASES], end[PHASES];

	s.phases = j.n_bursts;
	s.begin = begin;
	s.end = end;
	s.back = back;
	s.unsure = unsure;
	s.repaired = repaired;
	for (size_t i = 0; i < PHASES; i++) {
		bool lost = i == 1 || i == 3;
		int64_t ns = v->length[i] - (lost ? LOST : 0);
		struct cell cells[] = {
			{ 0, 0, SHARE_UNKNOWN, false, ns - NEEDED },
			{ 0, 0, SHARE_WIRE, false, NEEDED },
			{ 0, 0, SHARE_LOSS, false, lost ? LOST : 0 },
			{ 0, 0, SHARE_LOSS, true, lost ? 7 : 0 },
		};

		repaired[i] = lost || repaired_all;
		assert_true(settle_keep(&s, i, cells, 4));
	}
	assert_true(settle(&s, &j, 1));
	for (size_t i = 0; i < PHASES; i++) {
		assert_int_equal(s.cells[4 * i + 2].ns, v->loss[i]);
		assert_int_equal(unsure[i], v->unsure[i]);
		/* the silence before is another matter */
		assert_int_equal(s.cells[4 * i + 3].ns,
				 i == 1 || i == 3 ? 7 : 0);
	}
	free(s.cells);
}

/* 150 ns: 46 are more than usual, of the 60 that the path says.  112 ns: 8. */
static void a_loss_cost_what_others_did_not_take(void **state)
{
	static const struct vector some = { { 100, 150, 104, 112, 108 },
					    { 0, 46, 0, 8, 0 },
					    { 0, 14, 0, 52, 0 } };
	static const struct vector none = { { 100, 170, 104, 99, 108 },
					    { 0, 60, 0, 0, 0 },
					    { 0, 0, 0, 60, 0 } };

	(void)state;
	check(&some, false);
	check(&none, false);
}

/* Where all had something to repair, nothing says what is usual. */
static void without_others_a_loss_cost_what_it_took(void **state)
{
	static const struct vector all = { { 100, 150, 104, 112, 108 },
					   { 0, 60, 0, 60, 0 },
					   { 0 } };

	(void)state;
	check(&all, true);
}

/* The capture begins with the end of a phase, which the next one touches: the
 * 300 ns that all others compute before theirs are not in it.  What its loss
 * took was not needed. */
static void a_phase_that_the_capture_begins_with_had_computed(void **state)
{
	enum { COMPUTED = 300 };
	struct burst bursts[PHASES + 1] = { { .to = 10, .cut = true },
					    { .from = 10, .to = 100 } };
	struct job j = { .bursts = bursts, .n_bursts = PHASES + 1 };
	struct settled s = { 0 };
	int64_t back[PHASES + 1][2] = { { 0 } }, unsure[PHASES + 1] = { 0 };
	bool repaired[PHASES + 1] = { false };
	size_t begin[PHASES + 1], end[PHASES + 1];

	(void)state;
	s.phases = j.n_bursts;
	s.begin = begin;
	s.end = end;
	s.back = back;
	s.unsure = unsure;
	s.repaired = repaired;
	for (int64_t i = 0; i <= PHASES; i++) {
		struct cell cells[] = {
			{ 0, 0, SHARE_COMPUTE, true, i > 1 ? COMPUTED : 0 },
			{ 0, 0, SHARE_WIRE, false, NEEDED },
			{ 0, 0, SHARE_LOSS, false, i == 1 ? LOST : 0 },
		};

		if (i > 1)
			bursts[i] = (struct burst) { .from = 1000 * i,
						     .to = 1000 * i + 100 };
		repaired[i] = i == 1;
		assert_true(settle_keep(&s, i, cells, 3));
	}
	assert_true(settle(&s, &j, 1));
	assert_int_equal(s.cells[3 * 1 + 2].ns, LOST);
	assert_int_equal(back[1][false], 0);
	free(s.cells);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loss_cost_what_others_did_not_take),
		cmocka_unit_test(without_others_a_loss_cost_what_it_took),
		cmocka_unit_test(
			a_phase_that_the_capture_begins_with_had_computed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
