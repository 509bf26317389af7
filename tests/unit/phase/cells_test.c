/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is set right of a phase when all of it is known, by vectors worked out
 * by hand.
 *
 * Ranks 0 and 1 send 100 bytes each to rank 2, and rank 0 50 bytes to rank 1.
 * A byte takes 1 ns, so the busiest link, into rank 2, needs 200 ns.  The path
 * says 60 ns of sending and 150 + 80 ns of waiting behind the job's own data:
 * 90 ns more than that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "phase/path_int.h"

enum { RANKS = 3, FLOWS = 3, USUAL = 10, TO_LATE = 0, TO_OTHER = 2 };

struct vector {
	uint32_t who;         /* rank that begins late */
	int64_t by, known;    /* so much, of which so much is known */
	int64_t late, behind; /* what is said */
	int64_t left, other;  /* of what was waited for at each link */
	int64_t queued;       /* what went to ranks 2 and 1 from rank 0 */
};

static int64_t cell(const struct path *p, uint32_t flow, enum phase_share s)
{
	int64_t sum = 0;

	for (size_t i = 0; i < p->n_cells; i++)
		if (p->cells[i].share == s &&
		    (flow == NO_RANK || p->cells[i].flow == flow))
			sum += p->cells[i].ns;
	return sum;
}

static void said(const struct path *p, const struct vector *v)
{
	assert_int_equal(cell(p, NO_RANK, SHARE_LATE), v->late);
	assert_int_equal(
		cell(p, NO_RANK, v->queued ? SHARE_CROWDED : SHARE_UNKNOWN),
		v->behind);
	assert_int_equal(
		cell(p, NO_RANK, v->queued ? SHARE_UNKNOWN : SHARE_CROWDED), 0);
	assert_int_equal(cell(p, TO_LATE, SHARE_SHARED), v->left);
	assert_int_equal(cell(p, TO_OTHER, SHARE_SHARED), v->other);
	assert_int_equal(cell(p, NO_RANK, SHARE_WIRE), 60);
	for (size_t i = 0; i < p->n_cells; i++)
		if (p->cells[i].share == SHARE_LATE)
			assert_int_equal(p->cells[i].rank, v->who);
}

static void check(const struct vector *v)
{
	struct phase_activity a[FLOWS] = {
		{ .from = 190,
		  .sent = 290,
		  .came = 200,
		  .there = 300 + v->queued,
		  .bytes = 100 },
		{ .from = 290,
		  .sent = 390,
		  .came = 300,
		  .there = 400,
		  .bytes = 100 },
		{ .from = 0,
		  .sent = 50,
		  .came = 10,
		  .there = 60 + v->queued,
		  .bytes = 50 },
	};
	struct phase_flow flows[FLOWS] = {
		{ .src = 0,
		  .dst = 2,
		  .far = true,
		  .wire = 1,
		  .a = &a[0],
		  .n = 1 },
		{ .src = 1,
		  .dst = 2,
		  .far = true,
		  .wire = 1,
		  .a = &a[1],
		  .n = 1 },
		{ .src = 0,
		  .dst = 1,
		  .far = true,
		  .wire = 1,
		  .a = &a[2],
		  .n = 1 },
	};
	struct phase_input in = { .flows = flows, .n_flows = FLOWS };
	struct rank ranks[RANKS] = { { .host = 0 },
				     { .host = 1 },
				     { .host = 2 } };
	uint32_t rank_of[RANKS] = { 0, 1, 2 };
	struct job j = { .in = &in,
			 .ranks = ranks,
			 .n_ranks = RANKS,
			 .rank_of = rank_of,
			 .link = 8e9 };
	int64_t start[RANKS] = { USUAL, USUAL, USUAL };
	int64_t usual = USUAL, tolerance = 5;
	uint32_t first_of[RANKS] = { 0 };
	bool awaited[RANKS] = { false };
	int64_t least[FLOWS] = { 10, 10, 10 }, none[FLOWS] = { 0 };
	bool full[FLOWS] = { false };
	struct path *p = calloc(1, sizeof *p);

	start[v->who] += v->by;
	*p = (struct path) { .j = &j,
			     .start = start,
			     .first_of = first_of,
			     .awaited = awaited,
			     .usual = &usual,
			     .tolerance = &tolerance,
			     .to = 400,
			     .part_to = 400 };
	p->facts = (struct path_facts) { .j = &j,
					 .least = least,
					 .noise = none,
					 .standing = none,
					 .full = full };
	p->facts.own = loads_new(flows, FLOWS, RANKS);
	cells_give(p, 1, 1, false, SHARE_WIRE, 60);
	cells_give(p, TO_OTHER, 0, false, SHARE_SHARED, 80);
	cells_give(p, TO_LATE, 0, false, SHARE_SHARED, 150);
	cells_give(p, 1, v->who, false, SHARE_LATE, v->known);
	cells_limit_shared(p);
	said(p, v);
	loads_free(p->facts.own);
	free(p);
}

/* The first cell gives first: 80 ns of one link, 10 ns of the other. */
static void all_at_once_is_a_queue(void **state)
{
	static const struct vector nobody_late = {
		2, 0, 0, 0, 90, 140, 0, 100
	};
	static const struct vector as_they_vary = {
		2, 5, 0, 0, 90, 140, 0, 100
	};

	(void)state;
	check(&nobody_late);
	check(&as_they_vary);
}

/* What was under way no longer than usual did not wait in the network. */
static void what_is_not_queued_may_wait_for_anything(void **state)
{
	static const struct vector flat = { 2, 0, 0, 0, 90, 140, 0, 0 };

	(void)state;
	check(&flat);
}

/* Its link was idle until it began, and what waited there then waited for
 * that.  The rest is a queue. */
static void all_at_once_behind_a_late_rank(void **state)
{
	static const struct vector vectors[] = {
		{ 2, 70, 0, 70, 20, 80, 60, 100 },
		{ 2, 70, 30, 70, 50, 110, 30, 100 },
		{ 2, 500, 0, 90, 0, 60, 80, 100 },
		{ 2, 70, 80, 80, 90, 140, 0, 100 },
		{ 1, 500, 0, 80, 10, 140, 0, 100 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
		check(&vectors[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_at_once_is_a_queue),
		cmocka_unit_test(what_is_not_queued_may_wait_for_anything),
		cmocka_unit_test(all_at_once_behind_a_late_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
