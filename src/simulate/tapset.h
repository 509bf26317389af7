/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sets of taps: those that a packet has passed, those that a loss was before.
 * Few of them differ.  Each is kept once, and a number stands for it, so that
 * the record of a packet stays small however many taps there are. */
#ifndef FABSCOPE_SIMULATE_TAPSET_H
#define FABSCOPE_SIMULATE_TAPSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t tapset; /* 0: no tap */

struct tapsets {
	struct tapset_row *row;
	size_t n, cap;
	size_t taps;   /* there are, from the first set on */
	tapset *slots; /* by hash of what is in a set; 0 free */
	size_t n_slots;
};

void tapsets_fini(struct tapsets *t);

struct sim;

tapset tapset_with(struct sim *s, tapset set, uint32_t tap);
tapset tapset_union(struct sim *s, tapset a, tapset b);
tapset tapset_less(struct sim *s, tapset a, tapset b); /* those not in |b| */
bool tapset_has(const struct sim *s, tapset set, uint32_t tap);
/* The first tap of |set| from |tap| on; the number of taps: none. */
uint32_t tapset_next(const struct sim *s, tapset set, uint32_t tap);

#endif
