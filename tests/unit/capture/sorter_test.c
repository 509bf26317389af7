/* SPDX-License-Identifier: GPL-2.0-or-later
 * Interfaces of one file put in time order. */
#include "capture/sorter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "maker.h"

static void push(struct sorter *s, uint32_t tap, int64_t ns, uint64_t number,
		 uint64_t fill)
{
	struct frame f = { .ns = ns, .tap = tap, .number = number };

	assert_int_equal(sorter_push(s, &f, 1, fill), 0);
}

static void pop(struct sorter *s, uint64_t number)
{
	struct frame f;

	assert_true(sorter_pop(s, &f));
	assert_int_equal(f.number, number);
}

static void test_merges_queues(void **state)
{
	struct sorter *s = sorter_new(SORTER_FRAMES);
	struct frame f;

	(void)state;
	assert_non_null(s);
	assert_false(sorter_pop(s, &f));
	push(s, 0, 10, 1, 1);
	push(s, 0, 30, 2, 1);
	push(s, 500, 5, 3, 1);
	push(s, 500, 20, 4, 2);
	push(s, 7, 20, 5, 2);
	pop(s, 3);
	pop(s, 1);
	assert_true(sorter_holds(s, 1)); /* number 2 */
	pop(s, 4);
	pop(s, 5);
	pop(s, 2);
	assert_false(sorter_holds(s, 9));
	assert_false(sorter_pop(s, &f));
	assert_int_equal(sorter_room(s), SORTER_FRAMES);
	sorter_free(s);
}

/* Order within a tap is the file's; a time far ahead holds up nothing. */
static void test_order_within_a_tap(void **state)
{
	struct sorter *s = sorter_new(SORTER_FRAMES);

	(void)state;
	assert_non_null(s);
	push(s, 0, 10, 1, 1);
	push(s, 0, 1000000, 2, 1);
	push(s, 0, 12, 3, 1);
	push(s, 1, 11, 4, 1);
	push(s, 1, 13, 5, 1);
	pop(s, 1);
	pop(s, 4);
	pop(s, 2);
	pop(s, 3);
	pop(s, 5);
	sorter_free(s);
}

static void test_knows_the_oldest_buffer(void **state)
{
	struct sorter *s = sorter_new(SORTER_FRAMES);

	(void)state;
	assert_non_null(s);
	push(s, 0, 50, 1, 3);
	push(s, 1, 10, 2, 4);
	assert_false(sorter_holds(s, 2));
	assert_true(sorter_holds(s, 3));
	pop(s, 2);
	assert_true(sorter_holds(s, 3));
	pop(s, 1);
	assert_false(sorter_holds(s, 3));
	sorter_free(s);
}

/* As a writer with one thread per interface does it: bursts of one, then the
 * other.  All comes out in order, across many read buffers. */
static void check_bursts(uint32_t interfaces, uint32_t burst, uint32_t length)
{
	struct made m = { 0 };
	struct gathered g;
	uint32_t i, round, n = 40 * burst;

	made_section(&m);
	for (i = 0; i < interfaces; i++)
		made_interface(&m, 1, 0, NULL, 9);
	for (round = 0; round < 40; round++)
		for (i = 0; i < interfaces * burst; i++)
			made_enhanced(&m, i / burst,
				      (uint64_t)(round * burst + i % burst) *
						      interfaces +
					      i / burst,
				      length, length, round);
	g = gather_made(&m);
	assert_int_equal(g.last, 0);
	assert_int_equal(g.n, n * interfaces);
	for (i = 0; i < g.n; i++) {
		assert_int_equal(g.v[i].frame.ns, i);
		assert_int_equal(g.v[i].frame.tap, i % interfaces);
		assert_payload(&g, i, i / (interfaces * burst));
	}
	assert_int_equal(gathered_file(&g)->packets, g.n);
	gathered_free(&g);
	made_free(&m);
}

static void test_bursts(void **state)
{
	(void)state;
	check_bursts(2, 64, 100);
	check_bursts(2, 1, 60);
	check_bursts(5, 100, 1000);
	check_bursts(100, 3, 1500);
}

/* Disorder beyond the window: nothing is lost, and each interface keeps its
 * order. */
static void test_beyond_the_window(void **state)
{
	enum { N = 9000 };
	struct made m = { 0 };
	struct gathered g;
	uint32_t i, next[2] = { 0 };

	(void)state;
	made_section(&m);
	made_interface(&m, 1, 0, NULL, 9);
	made_interface(&m, 1, 0, NULL, 9);
	for (i = 0; i < 2 * N; i++)
		made_enhanced(&m, i / N, i % N, 1000, 1000, i % N);
	g = gather_made(&m);
	assert_int_equal(g.n, 2 * N);
	for (i = 0; i < g.n; i++) {
		const struct frame *f = &g.v[i].frame;

		assert_int_equal(f->ns, next[f->tap]);
		assert_payload(&g, i, next[f->tap]);
		next[f->tap]++;
	}
	gathered_free(&g);
	made_free(&m);
}

/* Empty packets: the number of frames is the bound, not the bytes. */
static void test_many_small_frames(void **state)
{
	enum { N = 3 * SORTER_FRAMES };
	struct made m = { 0 };
	struct gathered g;
	uint32_t i;

	(void)state;
	made_section(&m);
	made_interface(&m, 1, 0, NULL, 9);
	made_interface(&m, 1, 0, NULL, 9);
	for (i = 0; i < N; i++)
		made_enhanced(&m, i % 2, i ^ 1, 0, 0, 0);
	g = gather_made(&m);
	assert_int_equal(g.n, N);
	for (i = 0; i < N; i++)
		assert_int_equal(g.v[i].frame.ns, i);
	gathered_free(&g);
	made_free(&m);
}

/* The second interface turns up when the first has sent already. */
static void test_late_interface(void **state)
{
	struct made m = { 0 };
	struct gathered g;
	uint32_t i;

	(void)state;
	made_section(&m);
	made_interface(&m, 1, 0, NULL, 9);
	for (i = 0; i < 3000; i++)
		made_enhanced(&m, 0, i, 1000, 1000, i);
	made_interface(&m, 1, 0, NULL, 9);
	for (; i < 6000; i++)
		made_enhanced(&m, i % 2, i ^ 1, 1000, 1000, i ^ 1);
	g = gather_made(&m);
	assert_int_equal(g.n, 6000);
	for (i = 0; i < g.n; i++) {
		assert_int_equal(g.v[i].frame.ns, i);
		assert_payload(&g, i, i);
	}
	gathered_free(&g);
	made_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merges_queues),
		cmocka_unit_test(test_order_within_a_tap),
		cmocka_unit_test(test_knows_the_oldest_buffer),
		cmocka_unit_test(test_bursts),
		cmocka_unit_test(test_beyond_the_window),
		cmocka_unit_test(test_many_small_frames),
		cmocka_unit_test(test_late_interface),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
