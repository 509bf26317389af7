/* SPDX-License-Identifier: GPL-2.0-or-later
 * SipHash-2-4: a short keyed hash (Aumasson and Bernstein, "SipHash: a fast
 * short-input PRF", 2012).  Without the key its values tell nothing of what
 * went in. */
#ifndef FABSCOPE_BASE_SIPHASH_H
#define FABSCOPE_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

enum { SIPHASH_KEY = 16 }; /* bytes */

uint64_t siphash(const uint8_t key[static SIPHASH_KEY], const void *data,
		 size_t n);

#endif
