/* SPDX-License-Identifier: GPL-2.0-or-later
 * Phases with and without a straggler that is late, by vectors worked out by
 * hand.
 *
 * A phase needs 100 ns, of which 40 are on the wire and 60 are computing, and
 * its rank 1 is late by 50 ns in most, in which it takes 150 ns.  The walk says
 * that all of it was needed, as it is so in most phases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "phase/path_int.h"

enum { PHASES = 7, LATE = 50, WIRE = 40, COMPUTE = 60, CELLS = 3 };

struct vector {
	enum phase_pattern pattern;
	bool alike; /* ranks carry as much as each other */
	bool late[PHASES];
	int64_t more[PHASES]; /* that the phase takes */
	int64_t host[PHASES]; /* of it */
	bool repaired[PHASES];
};

static void check(const struct vector *v, bool straggler)
{
	struct burst bursts[PHASES] = { { .from = 0 } };
	struct rank ranks[2] = { { .straggler = false, .bytes_out = 1000 },
				 { .straggler = straggler } };
	static const struct phase_input silent = { 0 };
	struct job j = { .in = &silent,
			 .bursts = bursts,
			 .n_bursts = PHASES,
			 .ranks = ranks,
			 .n_ranks = 2 };
	struct settled s = { 0 };
	struct lateness late[PHASES];
	struct settled_late is[PHASES] = { { 0 } };
	int64_t back[PHASES][2] = { { 0 } };
	bool repaired[PHASES];
	size_t begin[PHASES], end[PHASES];

	ranks[0].bytes_in = ranks[1].bytes_in = 1000;
	ranks[1].bytes_out = v->alike ? 1000 : 800;
	s.phases = PHASES;
	s.begin = begin;
	s.end = end;
	s.back = back;
	s.late = is;
	s.repaired = repaired;
	for (size_t i = 0; i < PHASES; i++) {
		struct cell cells[CELLS] = {
			{ 0, 1, SHARE_COMPUTE, false, COMPUTE + v->more[i] },
			{ 0, 0, SHARE_WIRE, false, WIRE },
			{ 0, NO_RANK, SHARE_COMPUTE, true, 10 },
		};

		bursts[i].pattern = v->pattern;
		repaired[i] = v->repaired[i];
		late[i] =
			(struct lateness) { v->late[i] ? 1 : NO_RANK, LATE, 0 };
		assert_true(settle_keep(&s, i, cells, CELLS));
	}
	late_phases(&s, &j, late, 1);
	for (size_t i = 0; i < PHASES; i++) {
		const struct cell *c = &s.cells[CELLS * i];

		/* parts of cells are rounded down */
		assert_in_range(is[i].ns,
				v->pattern == PATTERN_RING && v->host[i]
					? v->host[i] - 2
					: v->host[i],
				v->host[i]);
		if (v->host[i])
			assert_int_equal(is[i].rank, 1);
		/* all of it came from computing inside of the phase, or, round
		 * a ring, from all that it needed alike */
		if (v->pattern != PATTERN_RING) {
			assert_int_equal(c[0].ns,
					 COMPUTE + v->more[i] - v->host[i]);
			assert_int_equal(c[1].ns, WIRE);
		}
		assert_int_equal(c[0].ns + c[1].ns,
				 COMPUTE + WIRE + v->more[i] - is[i].ns);
		assert_int_equal(c[2].ns, 10);
	}
	free(s.cells);
}

/* Two that are not late show what a phase needs, whatever most take: the longer
 * of them took 4 ns more.  Nobody was late in the last but one. */
static void most_phases_may_be_late(void **state)
{
	static const struct vector most = {
		.late = { false, false, true, true, true, false, true },
		.more = { 0, 0, 50, 52, 3, 4, 50 },
		.host = { 0, 0, 46, 48, 0, 0, 46 },
	};

	/* of a rank that is late now and then that says nothing */
	static const struct vector none = {
		.late = { false, false, true, true, true, false, true },
		.more = { 0, 0, 50, 52, 3, 4, 50 },
		.host = { 0 },
	};

	(void)state;
	check(&most, true);
	check(&none, false);
}

/* The first has no silence before it and is none of them: one is too few. */
static void one_phase_is_not_what_all_need(void **state)
{
	static const struct vector one = {
		.late = { false, false, true, true, true, true, true },
		.more = { 0, 0, 50, 50, 50, 50, 50 },
		.host = { 0 },
	};

	(void)state;
	check(&one, true);
}

/* Late in all: where each waits for what every other sends, all that it was
 * late made the phase longer, but no more than it computed, and in a tree than
 * all were silent; in pipelines nobody knows.  The first has no silence before
 * it. */
static void always_late_is_late_where_all_wait(void **state)
{
	static const struct vector always = {
		.late = { true, true, true, true, true, true, true },
		.more = { 50, 50, 50, 50, -20, 50, 50 },
		.host = { 0, 50, 50, 50, 40, 50, 50 },
	};
	static const enum phase_pattern all[] = { PATTERN_ALL_TO_ALL,
						  PATTERN_TREE };
	struct vector v = always;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		v.pattern = all[i];
		check(&v, true);
	}
	v.pattern = PATTERN_NONE;
	v.alike = true;
	check(&v, true);
	v.pattern = PATTERN_RING;
	v.host[4] = 50;
	check(&v, true);
	memset(v.host, 0, sizeof v.host);
	check(&v, false);
	v.pattern = PATTERN_PIPELINE;
	check(&v, true);
	v.pattern = PATTERN_NONE;
	v.alike = false;
	check(&v, true);
}

/* Four times as much at most is due to it: 4 * 50 ns of 300. */
static void what_took_much_longer_had_another_reason(void **state)
{
	static const struct vector much = {
		.late = { false, false, true, true, true, false, true },
		.more = { 0, 0, 50, 300, 50, 0, 50 },
		.host = { 0, 0, 50, 200, 50, 0, 50 },
	};

	(void)state;
	check(&much, true);
}

/* Phase 3 waited for a retransmission as well: nobody knows which it was. */
static void what_was_repaired_may_be_the_reason(void **state)
{
	static const struct vector lost = {
		.late = { false, false, true, true, true, false, true },
		.more = { 0, 0, 50, 50, 50, 0, 50 },
		.host = { 0, 0, 50, 0, 50, 0, 50 },
		.repaired = { [3] = true },
	};

	(void)state;
	check(&lost, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(most_phases_may_be_late),
		cmocka_unit_test(always_late_is_late_where_all_wait),
		cmocka_unit_test(one_phase_is_not_what_all_need),
		cmocka_unit_test(what_was_repaired_may_be_the_reason),
		cmocka_unit_test(what_took_much_longer_had_another_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
