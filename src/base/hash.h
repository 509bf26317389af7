/* SPDX-License-Identifier: GPL-2.0-or-later
 * Hashes of tables that are filled from packets, names or files.
 *
 * Whoever writes a capture must not be able to choose keys that meet in one
 * slot, so the hash has a key of its own in every process: NH (Black et al.,
 * "UMAC: fast and secure message authentication", 1999), of which two inputs
 * collide with probability 2^-64, whatever they are.  What is reported must not
 * depend on the key: no table is emitted in the order of its slots, and none
 * in which a later entry replaces an earlier one is filled by this hash. */
#ifndef FABSCOPE_BASE_HASH_H
#define FABSCOPE_BASE_HASH_H

#include <stdint.h>

enum { HASH_KEY_WORDS = 8 };

/* Chosen when the program starts; the same until it ends. */
extern uint64_t hash_key[HASH_KEY_WORDS];

__extension__ typedef unsigned __int128 hash_wide;

static inline hash_wide hash_nh(uint64_t a, uint64_t b, unsigned at)
{
	return (hash_wide)(a + hash_key[at]) * (b + hash_key[at + 1]);
}

static inline uint64_t hash_fold(hash_wide sum)
{
	hash_wide w = hash_nh((uint64_t)sum, (uint64_t)(sum >> 64), 6);

	return (uint64_t)w ^ (uint64_t)(w >> 64);
}

/* Of |a| and |b| the upper bits are those to take: of 64 - n, two inputs
 * collide with probability 2^-n (Dietzfelbinger, "Universal hashing and k-wise
 * independent random variables via integer arithmetic without primes", 1996).
 */
static inline uint64_t hash_short(uint32_t a, uint32_t b)
{
	return hash_key[0] * a + hash_key[1] * b + hash_key[2];
}

static inline uint64_t hash2(uint64_t a, uint64_t b)
{
	return hash_fold(hash_nh(a, b, 0));
}

static inline uint64_t hash6(uint64_t a, uint64_t b, uint64_t c, uint64_t d,
			     uint64_t e, uint64_t f)
{
	return hash_fold(hash_nh(a, b, 0) + hash_nh(c, d, 2) +
			 hash_nh(e, f, 4));
}

#endif
