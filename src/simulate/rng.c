/* SPDX-License-Identifier: GPL-2.0-or-later
 * xoshiro256** seeded through splitmix64 (Blackman and Vigna). */
#include "simulate/rng.h"

#include <math.h>

static uint64_t splitmix(uint64_t *x)
{
	uint64_t z = *x += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

struct rng rng_fork(uint64_t seed, const char *name, uint64_t number)
{
	uint64_t x = seed;
	struct rng r;

	splitmix(&x);
	for (; *name; name++)
		x = (x ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	x ^= splitmix(&number);
	for (int i = 0; i < 4; i++)
		r.s[i] = splitmix(&x);
	return r;
}

static uint64_t rotate(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

uint64_t rng_next(struct rng *r)
{
	uint64_t out = rotate(r->s[1] * 5, 7) * 9, t = r->s[1] << 17;

	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= t;
	r->s[3] = rotate(r->s[3], 45);
	return out;
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
	return n ? (uint64_t)((unsigned __int128)rng_next(r) * n >> 64) : 0;
}

double rng_unit(struct rng *r)
{
	return (double)(rng_next(r) >> 11) * 0x1p-53;
}

bool rng_chance(struct rng *r, double p)
{
	return p > 0 && rng_unit(r) < p;
}

double rng_exponential(struct rng *r, double mean)
{
	return -mean * log(1 - rng_unit(r));
}
