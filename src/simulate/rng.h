/* SPDX-License-Identifier: GPL-2.0-or-later
 * Random numbers that are the same on every machine.
 *
 * Every consumer (a fault, a tap, a switch) owns a generator forked by name
 * from the run's seed, so that adding a tap does not change what the fabric
 * does. */
#ifndef FABSCOPE_SIMULATE_RNG_H
#define FABSCOPE_SIMULATE_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
	uint64_t s[4];
};

/* |name| and |number| together tell the consumers of one seed apart. */
struct rng rng_fork(uint64_t seed, const char *name, uint64_t number);

uint64_t rng_next(struct rng *r);
uint64_t rng_below(struct rng *r, uint64_t n); /* 0..n-1; 0 when n is 0 */
double rng_unit(struct rng *r);                /* [0, 1) */
bool rng_chance(struct rng *r, double p);
double rng_exponential(struct rng *r, double mean);

#endif
