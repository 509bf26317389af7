/* SPDX-License-Identifier: GPL-2.0-or-later
 * CRC-32 against zlib: every length, every alignment, masked and not, by
 * carry-less multiplication and by tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/crc32.h"

enum { LONGEST = 1300, ALIGNMENTS = 17 };

static uint8_t data[ALIGNMENTS + 70000];
static uint8_t mask[CRC32_MASK];

static int fill(void **state)
{
	(void)state;
	srand(1);
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (uint8_t)rand();
	for (size_t i = 0; i < sizeof mask; i++)
		mask[i] = (uint8_t)(rand() & rand());
	mask[0] = mask[CRC32_MASK - 1] = 0xff;
	return 0;
}

/* By its definition, a bit at a time. */
static uint32_t crc32c_bitwise(const uint8_t *p, size_t n)
{
	uint32_t reg = CRC32_START;

	for (size_t i = 0; i < 8 * n; i++) {
		reg ^= p[i / 8] >> i % 8 & 1;
		reg = reg >> 1 ^ (reg & 1 ? 0x82f63b78 : 0);
	}
	return reg;
}

/* Memory of exactly |n| bytes: a sanitizer sees the byte too far. */
static void check(const uint8_t *p, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	uint32_t plain, masked;

	assert_non_null(copy);
	memcpy(copy, p, n);
	plain = (uint32_t)crc32(0, copy, (uInt)n);
	assert_int_equal(~crc32_add(CRC32_START, copy, n), plain);
	assert_int_equal(~crc32_add_portable(CRC32_START, copy, n), plain);
	for (size_t i = 0; i < n && i < CRC32_MASK; i++)
		copy[i] |= mask[i];
	assert_int_equal(crc32c_add(CRC32_START, copy, n),
			 crc32c_bitwise(copy, n));
	assert_int_equal(crc32c_add_portable(CRC32_START, copy, n),
			 crc32c_bitwise(copy, n));
	masked = (uint32_t)crc32(0, copy, (uInt)n);
	memcpy(copy, p, n);
	assert_int_equal(~crc32_add_masked(CRC32_START, copy, n, mask), masked);
	assert_int_equal(~crc32_add_masked_portable(CRC32_START, copy, n, mask),
			 masked);
	free(copy);
}

static void every_length(void **state)
{
	(void)state;
	for (size_t n = 0; n <= LONGEST; n++)
		check(data, n);
	check(data, 4096);
	check(data, 65535);
	check(data, 70000);
}

static void every_alignment(void **state)
{
	(void)state;
	for (size_t at = 0; at < ALIGNMENTS; at++) {
		for (size_t n = 0; n < 200; n++)
			check(data + at, n);
	}
}

/* What is summed in two parts is summed. */
static void continued(void **state)
{
	uint32_t whole = crc32_add(CRC32_START, data, 300);

	(void)state;
	for (size_t n = 0; n <= 300; n++) {
		uint32_t reg = crc32_add(CRC32_START, data, n);

		assert_int_equal(crc32_add(reg, data + n, 300 - n), whole);
	}
}

static void check_value(void **state)
{
	static const uint8_t digits[] = "123456789";

	(void)state;
	assert_int_equal(~crc32_add(CRC32_START, digits, 9), 0xcbf43926);
	assert_int_equal(~crc32c_add(CRC32_START, digits, 9), 0xe3069283);
}

static void residue(void **state)
{
	uint8_t frame[104];
	uint32_t sum = ~crc32_add(CRC32_START, data, 100);

	(void)state;
	memcpy(frame, data, 100);
	for (int i = 0; i < 4; i++)
		frame[100 + i] = (uint8_t)(sum >> 8 * i);
	assert_int_equal(crc32_add(CRC32_START, frame, 104), CRC32_RESIDUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_length),
		cmocka_unit_test(every_alignment),
		cmocka_unit_test(continued),
		cmocka_unit_test(check_value),
		cmocka_unit_test(residue),
	};

	return cmocka_run_group_tests(tests, fill, NULL);
}
