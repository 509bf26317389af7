/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory of SQLite: pieces keep what is in them, whatever is asked for, made
 * longer and given back beside them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "store/store_int.h"

enum { HELD = 400, TURNS = 200000 };

static struct {
	uint8_t *p;
	int n, fill;
} held[HELD];

static unsigned chance(unsigned most)
{
	static uint64_t seed = 1;

	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 40) % most;
}

static void is_whole(unsigned i, int n)
{
	bool whole = true;

	for (int k = 0; k < n; k++)
		whole = whole && held[i].p[k] == held[i].fill;
	assert_true(whole);
}

static void fill(unsigned i, int n)
{
	assert_non_null(held[i].p);
	assert_int_equal((uintptr_t)held[i].p % 8, 0);
	assert_true(sqlite3_msize(held[i].p) >= (sqlite3_uint64)n);
	held[i].n = n;
	held[i].fill = (int)chance(256);
	/* all of it is ours */
	memset(held[i].p, held[i].fill, (size_t)sqlite3_msize(held[i].p));
}

/* Most are short; some are longer than those that are kept in lists. */
static int some_length(void)
{
	return 1 + (int)(chance(4) ? chance(200) : chance(3000));
}

static void pieces_keep_what_is_in_them(void **state)
{
	(void)state;
	for (int turn = 0; turn < TURNS; turn++) {
		unsigned i = chance(HELD);
		int n = some_length();

		if (!held[i].p) {
			held[i].p = sqlite3_malloc(n);
			fill(i, n);
			continue;
		}
		is_whole(i, held[i].n);
		if (chance(2)) {
			sqlite3_free(held[i].p);
			held[i].p = NULL;
			continue;
		}
		held[i].p = sqlite3_realloc(held[i].p, n);
		is_whole(i, n < held[i].n ? n : held[i].n);
		fill(i, n);
	}
	for (unsigned i = 0; i < HELD; i++)
		sqlite3_free(held[i].p);
}

/* Not to ask for more again and again is what it is for. */
static void what_came_back_is_given_again(void **state)
{
	void *first = sqlite3_malloc(100), *second;

	(void)state;
	sqlite3_free(first);
	second = sqlite3_malloc(110);
	assert_ptr_equal(second, first);
	sqlite3_free(second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_keep_what_is_in_them),
		cmocka_unit_test(what_came_back_is_given_again),
	};

	db_heap();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
