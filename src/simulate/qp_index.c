/* SPDX-License-Identifier: GPL-2.0-or-later
 * Open addressing: an entry is in the first free slot behind where it belongs,
 * so that of equal ones the oldest is found first. */
#include "simulate/qp_index.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/siphash.h"
#include "simulate/mem.h"

enum { FIRST_ROOM = 64 };

uint64_t qp_hash(const void *key, size_t n)
{
	return siphash((const uint8_t *)hash_key, key, n);
}

static void put(struct qp_index *x, struct qp_slot s)
{
	size_t i = s.hash & (x->cap - 1);

	while (x->slot[i].qp)
		i = (i + 1) & (x->cap - 1);
	x->slot[i] = s;
	x->n++;
}

/* In the order of the slots from a free one on, so that equal ones stay in
 * theirs. */
static void widen(struct qp_index *x)
{
	struct qp_index wide = { .cap = x->cap ? 2 * x->cap : FIRST_ROOM };
	size_t first = 0;

	wide.slot = mem_new(wide.cap * sizeof *wide.slot);
	while (first < x->cap && x->slot[first].qp)
		first++;
	for (size_t i = 0; i < x->cap; i++) {
		struct qp_slot s = x->slot[(first + i) & (x->cap - 1)];

		if (s.qp)
			put(&wide, s);
	}
	free(x->slot);
	*x = wide;
}

void qp_index_add(struct qp_index *x, uint64_t hash, struct qp *q)
{
	if (2 * (x->n + 1) > x->cap)
		widen(x);
	put(x, (struct qp_slot) { hash, q });
}

struct qp *qp_index_next(const struct qp_index *x, uint64_t hash, size_t *at)
{
	while (x->cap) {
		const struct qp_slot *s =
			&x->slot[(hash + (*at)++) & (x->cap - 1)];

		if (!s->qp)
			break;
		if (s->hash == hash)
			return s->qp;
	}
	return NULL;
}

void qp_index_fini(struct qp_index *x)
{
	free(x->slot);
	*x = (struct qp_index) { 0 };
}
