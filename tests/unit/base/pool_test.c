/* SPDX-License-Identifier: GPL-2.0-or-later
 * Objects of one size: apart, zeroed, used again. */
#include "base/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 200, MANY = 30000 }; /* of several chunks */

static void objects_lie_apart_and_are_zero(void **state)
{
	static uint8_t *o[MANY];
	static const uint8_t zero[SIZE];
	struct pool p;

	(void)state;
	pool_init(&p, SIZE);
	for (unsigned i = 0; i < MANY; i++) {
		o[i] = pool_get(&p);
		assert_non_null(o[i]);
		assert_int_equal((uintptr_t)o[i] % 64, 0);
		assert_memory_equal(o[i], zero, SIZE);
		memset(o[i], (int)i, SIZE);
	}
	for (unsigned i = 0; i < MANY; i++) {
		assert_int_equal(o[i][0], (uint8_t)i);
		assert_int_equal(o[i][SIZE - 1], (uint8_t)i);
	}
	pool_fini(&p);
}

static void what_came_back_is_used_again(void **state)
{
	static const uint8_t zero[SIZE];
	struct pool p;
	void *a, *b;

	(void)state;
	pool_init(&p, SIZE);
	a = pool_get(&p);
	b = pool_get(&p);
	memset(a, 1, SIZE);
	memset(b, 2, SIZE);
	pool_put(&p, a);
	pool_put(&p, NULL);
	pool_put(&p, b);
	assert_ptr_equal(pool_get(&p), b);
	assert_memory_equal(b, zero, SIZE);
	assert_ptr_equal(pool_get(&p), a);
	assert_memory_equal(a, zero, SIZE);
	assert_ptr_not_equal(pool_get(&p), a);
	pool_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_lie_apart_and_are_zero),
		cmocka_unit_test(what_came_back_is_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
