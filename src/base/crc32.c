/* SPDX-License-Identifier: GPL-2.0-or-later
 * CRC-32 by carry-less multiplication, or by tables where there is none.
 *
 * Bits are reflected: bit 0 of byte 0 is the highest power of x.  In a 128-bit
 * block the low half is therefore the high-order one.  Folding moves a block
 * further down the data: block * x^d = low * x^(d+64) + high * x^d, with both
 * powers taken modulo the polynomial beforehand.  What remains is 128 bits;
 * two more folds and a Barrett reduction find their remainder (Gopal et al.,
 * "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ", 2009). */
#include "base/crc32.h"

#include <stdbool.h>
#include <string.h>

enum { SLICES = 8 };

/* [k][b]: the register that byte |b| leaves after |k| zero bytes. */
typedef uint32_t slices[SLICES][256];
static slices ethernet_slice, castagnoli_slice;

static void slice_fill(slices slice, uint32_t polynomial)
{
	for (uint32_t b = 0; b < 256; b++) {
		uint32_t reg = b;

		for (int bit = 0; bit < 8; bit++)
			reg = reg >> 1 ^ (reg & 1 ? polynomial : 0);
		slice[0][b] = reg;
	}
	for (int k = 1; k < SLICES; k++) {
		for (int b = 0; b < 256; b++) {
			uint32_t reg = slice[k - 1][b];

			slice[k][b] = reg >> 8 ^ slice[0][reg & 0xff];
		}
	}
}

static void __attribute__((constructor)) slice_init(void)
{
	slice_fill(ethernet_slice, 0xedb88320);
	slice_fill(castagnoli_slice, 0x82f63b78);
}

static inline uint32_t load_le32(const uint8_t *p)
{
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[1] << 8 | p[0];
}

static inline uint32_t add_byte(const slices slice, uint32_t reg, uint8_t byte)
{
	return reg >> 8 ^ slice[0][(reg ^ byte) & 0xff];
}

static inline uint32_t add_8(const slices slice, uint32_t reg, uint32_t low,
			     uint32_t high)
{
	reg ^= low;
	return slice[7][reg & 0xff] ^ slice[6][reg >> 8 & 0xff] ^
	       slice[5][reg >> 16 & 0xff] ^ slice[4][reg >> 24] ^
	       slice[3][high & 0xff] ^ slice[2][high >> 8 & 0xff] ^
	       slice[1][high >> 16 & 0xff] ^ slice[0][high >> 24];
}

static uint32_t add_sliced(const slices slice, uint32_t reg, const uint8_t *p,
			   size_t n)
{
	for (; n >= 8; p += 8, n -= 8)
		reg = add_8(slice, reg, load_le32(p), load_le32(p + 4));
	while (n--)
		reg = add_byte(slice, reg, *p++);
	return reg;
}

uint32_t crc32_add_portable(uint32_t reg, const uint8_t *p, size_t n)
{
	return add_sliced(ethernet_slice, reg, p, n);
}

uint32_t crc32c_add_portable(uint32_t reg, const uint8_t *p, size_t n)
{
	return add_sliced(castagnoli_slice, reg, p, n);
}

uint32_t crc32_add_masked_portable(uint32_t reg, const uint8_t *p, size_t n,
				   const uint8_t mask[static CRC32_MASK])
{
	size_t head = n < CRC32_MASK ? n : CRC32_MASK, i = 0;

	for (; i + 8 <= head; i += 8)
		reg = add_8(ethernet_slice, reg,
			    load_le32(p + i) | load_le32(mask + i),
			    load_le32(p + i + 4) | load_le32(mask + i + 4));
	for (; i < head; i++)
		reg = add_byte(ethernet_slice, reg, p[i] | mask[i]);
	return crc32_add_portable(reg, p + head, n - head);
}

#if defined(__x86_64__)

#include <immintrin.h>

#define CLMUL __attribute__((target("pclmul,sse4.1")))

/* What depends on the polynomial.  The powers x^d modulo it, reflected, d as
 * in the names: how far the low and the high half of a block are moved. */
struct powers {
	uint64_t fold_512[2], fold_128[2], fold_64[2];
	uint64_t barrett[2]; /* quotient of x^64, polynomial */
};
static const struct powers ethernet = {
	{ 0x1c6e41596, 0x154442bd4 },
	{ 0x0ccaa009e, 0x1751997d0 },
	{ 0, 0x163cd6124 },
	{ 0x1f7011641, 0x1db710641 },
};
static const struct powers castagnoli = {
	{ 0x09e4addf8, 0x0740eef02 },
	{ 0x14cd00bd6, 0x0f20c0dfe },
	{ 0, 0x0dd45aab8 },
	{ 0x0dea713f1, 0x105ec76f1 },
};

/* As a constant, where |by| is one of the above. */
#define BY(power) _mm_set_epi64x((int64_t)by->power[0], (int64_t)by->power[1])
/* Inlined into each caller, so that |by| and a mask fold away. */
#define FOLDS static inline __attribute__((always_inline)) CLMUL

static bool have_clmul;

static void __attribute__((constructor)) clmul_init(void)
{
	__builtin_cpu_init();
	have_clmul = __builtin_cpu_supports("pclmul") &&
		     __builtin_cpu_supports("sse4.1");
}

static inline CLMUL __m128i load(const void *p)
{
	return _mm_loadu_si128((const __m128i_u *)p);
}

static inline CLMUL __m128i fold(__m128i block, __m128i by, __m128i onto)
{
	__m128i low = _mm_clmulepi64_si128(block, by, 0x00);
	__m128i high = _mm_clmulepi64_si128(block, by, 0x11);

	return _mm_xor_si128(_mm_xor_si128(low, high), onto);
}

FOLDS uint32_t reduce(const struct powers *by, __m128i x)
{
	const __m128i by_128 = BY(fold_128);
	const __m128i by_64 = BY(fold_64);
	const __m128i barrett = BY(barrett);
	const __m128i word = _mm_setr_epi32(-1, 0, 0, 0);
	__m128i q;

	/* 128 bits, and 32 zeros that make room for the remainder. */
	x = _mm_xor_si128(_mm_srli_si128(x, 8),
			  _mm_clmulepi64_si128(x, by_128, 0x10));
	x = _mm_xor_si128(
		_mm_srli_si128(x, 4),
		_mm_clmulepi64_si128(_mm_and_si128(x, word), by_64, 0x00));
	q = _mm_clmulepi64_si128(_mm_and_si128(x, word), barrett, 0x10);
	q = _mm_clmulepi64_si128(_mm_and_si128(q, word), barrett, 0x00);
	return (uint32_t)_mm_extract_epi32(_mm_xor_si128(x, q), 1);
}

/* A window of 16 bytes into this shifts a block up, or down, by r bytes. */
static const uint8_t shift_window[48] = {
	0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
	0x80, 0x80, 0x80, 0x80, 0,    1,    2,    3,    4,    5,    6,    7,
	8,    9,    10,   11,   12,   13,   14,   15,   0x80, 0x80, 0x80, 0x80,
	0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
};

/* |x| stands before |r| (1..15) last bytes, which are the last of |ends|:
 * split the 16 + r bytes so that the lower 16 are the new block. */
FOLDS __m128i fold_rest(const struct powers *by, __m128i x, __m128i ends,
			size_t r)
{
	__m128i up = load(shift_window + r); /* first r to the end */
	__m128i down =
		load(shift_window + 16 + r); /* the others to the front */
	__m128i first = _mm_shuffle_epi8(x, up);
	__m128i block = _mm_blendv_epi8(_mm_shuffle_epi8(x, down), ends, down);

	return fold(first, BY(fold_128), block);
}

/* |mask| may be NULL. */
FOLDS uint32_t add_clmul(const struct powers *by, uint32_t reg,
			 const uint8_t *p, size_t n, const uint8_t *mask)
{
#define MASKED(at)                                              \
	(mask ? _mm_or_si128(load(p + (at)), load(mask + (at))) \
	      : load(p + (at)))
	const __m128i by_128 = BY(fold_128);
	__m128i x = _mm_xor_si128(MASKED(0), _mm_cvtsi32_si128((int)reg));
	size_t i = 16;

	if (n >= 64) {
		const __m128i by_512 = BY(fold_512);
		__m128i y = MASKED(16), z = MASKED(32), w = MASKED(48);

		for (i = 64; i + 64 <= n; i += 64) {
			x = fold(x, by_512, load(p + i));
			y = fold(y, by_512, load(p + i + 16));
			z = fold(z, by_512, load(p + i + 32));
			w = fold(w, by_512, load(p + i + 48));
		}
		x = fold(fold(fold(x, by_128, y), by_128, z), by_128, w);
		mask = NULL;
	}
	for (; i + 16 <= n; i += 16)
		x = fold(x, by_128, MASKED(i));
	if (i < n)
		x = fold_rest(by, x, MASKED(n - 16), n - i);
	return reduce(by, x);
#undef MASKED
}

static CLMUL uint32_t add_plain(uint32_t reg, const uint8_t *p, size_t n)
{
	return add_clmul(&ethernet, reg, p, n, NULL);
}

static CLMUL uint32_t add_plain_c(uint32_t reg, const uint8_t *p, size_t n)
{
	return add_clmul(&castagnoli, reg, p, n, NULL);
}

static CLMUL uint32_t add_with_mask(uint32_t reg, const uint8_t *p, size_t n,
				    const uint8_t *mask)
{
	return add_clmul(&ethernet, reg, p, n, mask);
}

#else

static const bool have_clmul = false;
#define add_plain     crc32_add_portable
#define add_plain_c   crc32c_add_portable
#define add_with_mask crc32_add_masked_portable

#endif

uint32_t crc32_add(uint32_t reg, const uint8_t *p, size_t n)
{
	if (have_clmul && n >= 16)
		return add_plain(reg, p, n);
	return crc32_add_portable(reg, p, n);
}

uint32_t crc32c_add(uint32_t reg, const uint8_t *p, size_t n)
{
	if (have_clmul && n >= 16)
		return add_plain_c(reg, p, n);
	return crc32c_add_portable(reg, p, n);
}

uint32_t crc32_add_masked(uint32_t reg, const uint8_t *p, size_t n,
			  const uint8_t mask[static CRC32_MASK])
{
	if (have_clmul && n >= 16)
		return add_with_mask(reg, p, n, mask);
	return crc32_add_masked_portable(reg, p, n, mask);
}
