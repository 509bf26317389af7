/* SPDX-License-Identifier: GPL-2.0-or-later
 * SipHash-2-4. */
#include "base/siphash.h"

static uint64_t little64(const uint8_t *p)
{
	uint64_t v = 0;

	for (int i = 7; i >= 0; i--)
		v = v << 8 | p[i];
	return v;
}

static uint64_t rotate(uint64_t v, int by)
{
	return v << by | v >> (64 - by);
}

static void rounds(uint64_t v[4], int n)
{
	while (n--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static void word(uint64_t v[4], uint64_t m)
{
	v[3] ^= m;
	rounds(v, 2);
	v[0] ^= m;
}

uint64_t siphash(const uint8_t key[static SIPHASH_KEY], const void *data,
		 size_t n)
{
	uint64_t k0 = little64(key), k1 = little64(key + 8);
	uint64_t v[4] = {
		UINT64_C(0x736f6d6570736575) ^ k0,
		UINT64_C(0x646f72616e646f6d) ^ k1,
		UINT64_C(0x6c7967656e657261) ^ k0,
		UINT64_C(0x7465646279746573) ^ k1,
	};
	const uint8_t *p = data;
	uint64_t last = (uint64_t)(n & 0xff) << 56;
	size_t whole = n / 8 * 8;

	for (size_t i = 0; i < whole; i += 8)
		word(v, little64(p + i));
	for (size_t i = whole; i < n; i++)
		last |= (uint64_t)p[i] << 8 * (i - whole);
	word(v, last);
	v[2] ^= 0xff;
	rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
