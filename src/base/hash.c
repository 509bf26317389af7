/* SPDX-License-Identifier: GPL-2.0-or-later
 * The key of this process. */
#include "base/hash.h"

#include <sys/random.h>
#include <time.h>

uint64_t hash_key[HASH_KEY_WORDS];

/* Where the system has no random numbers, the clock and where the program lies
 * in memory must do. */
static void __attribute__((constructor)) choose_key(void)
{
	struct timespec now;

	if (getrandom(hash_key, sizeof hash_key, GRND_NONBLOCK) ==
	    sizeof hash_key)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	for (unsigned i = 0; i < HASH_KEY_WORDS; i++)
		hash_key[i] =
			(uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u ^
			(uint64_t)(uintptr_t)&now << 17 ^ i << 11 ^
			(uint64_t)now.tv_sec * 0xc2b2ae3d27d4eb4fu * (i + 1);
}
