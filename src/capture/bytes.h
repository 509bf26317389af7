/* SPDX-License-Identifier: GPL-2.0-or-later
 * Words of a capture file, in this machine's byte order or in the other. */
#ifndef FABSCOPE_CAPTURE_BYTES_H
#define FABSCOPE_CAPTURE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t bytes_u16(const uint8_t *p, bool swapped)
{
	uint16_t v;

	memcpy(&v, p, sizeof v);
	return swapped ? __builtin_bswap16(v) : v;
}

static inline uint32_t bytes_u32(const uint8_t *p, bool swapped)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return swapped ? __builtin_bswap32(v) : v;
}

static inline uint64_t bytes_u64(const uint8_t *p, bool swapped)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return swapped ? __builtin_bswap64(v) : v;
}

#endif
