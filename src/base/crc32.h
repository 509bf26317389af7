/* SPDX-License-Identifier: GPL-2.0-or-later
 * CRC-32 as Ethernet, zlib and the RoCE ICRC use it, and CRC-32C as Ultra
 * Ethernet does, fast on short data too.
 *
 * The functions work on the bare register, reflected: start it with all ones
 * and complement the end for the usual CRC, or start it where another run
 * ended.  CRC32_RESIDUE is what the register of any data holds after the data's
 * own CRC, appended little-endian, went through it as well. */
#ifndef FABSCOPE_BASE_CRC32_H
#define FABSCOPE_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

#define CRC32_START   UINT32_C(0xffffffff)
#define CRC32_RESIDUE UINT32_C(0xdebb20e3)

/* The register after |n| more bytes. */
uint32_t crc32_add(uint32_t reg, const uint8_t *p, size_t n);

/* The same of the data with |mask| or-ed over its first bytes: for checksums
 * that leave out fields which change on the way. */
enum { CRC32_MASK = 64 };
uint32_t crc32_add_masked(uint32_t reg, const uint8_t *p, size_t n,
			  const uint8_t mask[static CRC32_MASK]);

/* The same with the polynomial of Castagnoli: CRC-32C. */
uint32_t crc32c_add(uint32_t reg, const uint8_t *p, size_t n);

/* What those above use on machines without carry-less multiplication. */
uint32_t crc32_add_portable(uint32_t reg, const uint8_t *p, size_t n);
uint32_t crc32_add_masked_portable(uint32_t reg, const uint8_t *p, size_t n,
				   const uint8_t mask[static CRC32_MASK]);
uint32_t crc32c_add_portable(uint32_t reg, const uint8_t *p, size_t n);

#endif
