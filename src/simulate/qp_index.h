/* SPDX-License-Identifier: GPL-2.0-or-later
 * QPs by a hash: there may be thousands, each looked for when it is made. */
#ifndef FABSCOPE_SIMULATE_QP_INDEX_H
#define FABSCOPE_SIMULATE_QP_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct qp;

struct qp_index {
	struct qp_slot {
		uint64_t hash;
		struct qp *qp;
	} * slot;
	size_t n, cap; /* a power of two, at least twice as many */
};

uint64_t qp_hash(const void *key, size_t n);
void qp_index_add(struct qp_index *x, uint64_t hash, struct qp *q);
/* Those with |hash| one after the other, from |*at| = 0 on; NULL at the end. */
struct qp *qp_index_next(const struct qp_index *x, uint64_t hash, size_t *at);
void qp_index_fini(struct qp_index *x);

#endif
