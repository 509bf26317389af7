/* SPDX-License-Identifier: GPL-2.0-or-later
 * SipHash-2-4 gives what its authors published (appendix A of the paper, and
 * the vectors of their reference code: key 00..0f, input 00, 01, ...). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/siphash.h"

static void test_vectors(void **state)
{
	static const struct {
		size_t n;
		uint64_t want;
	} vectors[] = {
		{ 0, UINT64_C(0x726fdb47dd0e0e31) },
		{ 1, UINT64_C(0x74f839c593dc67fd) },
		{ 7, UINT64_C(0xab0200f58b01d137) },
		{ 8, UINT64_C(0x93f5f5799a932462) },
		{ 15, UINT64_C(0xa129ca6149be45e5) },
	};
	uint8_t key[SIPHASH_KEY], in[16];

	(void)state;
	for (uint8_t i = 0; i < 16; i++)
		key[i] = in[i] = i;
	for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
		assert_true(siphash(key, in, vectors[i].n) == vectors[i].want);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_vectors) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
