/* SPDX-License-Identifier: GPL-2.0-or-later
 * What phases cannot have lost, as they were no longer, by vectors worked out
 * by hand: sixteen of 500 us, 1 ms from begin to begin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "phase/path_int.h"

#define US 1000

enum { PHASES = 16, RANKS = 4, APART = 1000, LASTS = 500, LOST = 300 };

struct phases {
	struct job j;
	struct burst bursts[PHASES];
	struct rank ranks[RANKS];
	double speed[RANKS];
	struct settled s;
	struct cell cells[PHASES];
	size_t begin[PHASES], end[PHASES];
	int64_t back[PHASES][2], unsure[PHASES];
	bool repaired[PHASES];
	struct settled_late late[PHASES], later[PHASES];
};

/* From phase |first| on 300 us of each are |share|, and it is as much longer as
 * |longer| says. */
static void set(struct phases *p, size_t first, enum phase_share share,
		int64_t longer)
{
	int64_t at = 0;

	memset(p, 0, sizeof *p);
	for (size_t i = 0; i < PHASES; i++) {
		int64_t more = i >= first ? longer * US : 0;

		p->bursts[i] = (struct burst) {
			.from = at,
			.to = at + LASTS * US + more,
			.bytes = RANKS * 100000,
			.pattern = PATTERN_RING,
		};
		at += APART * US + more;
		p->begin[i] = p->end[i] = i;
		if (i < first)
			continue;
		p->cells[i] = (struct cell) { .share = share, .ns = LOST * US };
		p->end[i]++;
	}
	p->j = (struct job) { .bursts = p->bursts,
			      .n_bursts = PHASES,
			      .ranks = p->ranks,
			      .n_ranks = RANKS,
			      .speed = p->speed,
			      .grain = 100 };
	for (uint32_t r = 0; r < RANKS; r++) {
		p->ranks[r].host = r;
		p->speed[r] = 80e9;
	}
	p->j.row.pattern = PATTERN_RING;
	p->s = (struct settled) { .cells = p->cells,
				  .n = PHASES,
				  .begin = p->begin,
				  .end = p->end,
				  .phases = PHASES,
				  .back = p->back,
				  .unsure = p->unsure,
				  .repaired = p->repaired,
				  .late = p->late,
				  .later = p->later };
}

/* What is charged of those from |first| to the last but one, of which nobody
 * knows what begins behind it. */
static int64_t charged(const struct phases *p, size_t first)
{
	int64_t sum = 0;

	for (size_t i = first; i + 1 < PHASES; i++)
		sum += p->cells[i].ns;
	return sum;
}

static void no_longer_than_those_that_lost_nothing(void **state)
{
	static struct phases p;

	(void)state;
	set(&p, 6, SHARE_RECEIVER, 0);
	assert_true(hidden_phases(&p.s, &p.j));
	assert_int_equal(charged(&p, 6), 0);
	assert_int_equal(p.back[6][false], LOST * US);
	/* they are as much longer */
	set(&p, 6, SHARE_RECEIVER, LOST);
	assert_true(hidden_phases(&p.s, &p.j));
	assert_int_equal(charged(&p, 6), (PHASES - 7) * LOST * US);
	/* too few lost nothing */
	set(&p, 3, SHARE_RECEIVER, 0);
	assert_true(hidden_phases(&p.s, &p.j));
	assert_int_equal(charged(&p, 3), (PHASES - 4) * LOST * US);
}

/* Each rank sends 100 kB, which takes 10 us: four times of 50 us are less than
 * the 300 that the ranks computed, four times of 100 us are not. */
static void nobody_is_slower_than_the_phase(void **state)
{
	static struct phases p;
	struct slow_to_pass slow = { .rank = 2, .by = 50 * US, .bytes = 6250 };

	(void)state;
	set(&p, 0, SHARE_COMPUTE, 0);
	assert_true(late_to_pass(&p.s, &p.j, &slow));
	assert_int_equal(p.later[1].ns, 4 * 50 * US);
	assert_int_equal(p.cells[1].ns, (LOST - 4 * 50) * US);
	set(&p, 0, SHARE_COMPUTE, 0);
	slow.by = 100 * US;
	p.cells[1].rank = 1; /* of another */
	assert_true(late_to_pass(&p.s, &p.j, &slow));
	assert_int_equal(p.later[1].ns, 0);
	assert_int_equal(p.cells[1].ns, LOST * US);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_longer_than_those_that_lost_nothing),
		cmocka_unit_test(nobody_is_slower_than_the_phase),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
