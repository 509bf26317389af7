/* SPDX-License-Identifier: GPL-2.0-or-later
 * A flow by its key: what happens with every packet, inline.  table.c keeps
 * what is looked into. */
#ifndef FABSCOPE_FLOW_CORE_FIND_H
#define FABSCOPE_FLOW_CORE_FIND_H

#include "base/hash.h"
#include "flow/core/flow.h"

static inline uint64_t flow_hash(const struct packet *p, uint32_t qp,
				 uint32_t place, uint32_t aux)
{
	return hash6(p->src.w[0], p->src.w[1], p->dst.w[0], p->dst.w[1],
		     (uint64_t)qp << 32 | aux, place);
}

/* One comparison of many: a key that differs is rare behind an equal tag. */
static inline bool find_same(const struct flow *f, const struct packet *p,
			     uint32_t qp, uint32_t place, uint32_t aux)
{
	uint64_t differ =
		(f->src.w[0] ^ p->src.w[0]) | (f->src.w[1] ^ p->src.w[1]) |
		(f->dst.w[0] ^ p->dst.w[0]) | (f->dst.w[1] ^ p->dst.w[1]);

	return !(differ | (f->dst_qp ^ qp) | (f->aux ^ aux) |
		 (f->place ^ place));
}

/* The flow that |hash| most likely names: by its tag only, and as far as the
 * cache line of slots goes that was fetched; NULL. */
static inline struct flow *flow_guess(const struct engine *e, uint64_t hash)
{
	uint32_t i = (uint32_t)hash & e->slot_mask;

	do {
		uint64_t slot = e->slots[i];

		if (!slot)
			break;
		if ((uint32_t)(slot >> 32) == (uint32_t)(hash >> 32))
			return flow_at(e, (uint32_t)slot - 1);
		i = (i + 1) & e->slot_mask;
	} while (i % 8);
	return NULL;
}

/* |qp|: the destination QP, or for UET uet_number(). */
static inline struct flow *flow_find(const struct engine *e,
				     const struct packet *p, uint64_t hash,
				     uint32_t qp, uint32_t place, uint32_t aux)
{
	uint32_t tag = (uint32_t)(hash >> 32);

	for (uint32_t i = (uint32_t)hash & e->slot_mask;;
	     i = (i + 1) & e->slot_mask) {
		uint64_t slot = e->slots[i];
		struct flow *f;

		if (!slot)
			return NULL;
		if ((uint32_t)(slot >> 32) != tag)
			continue;
		f = flow_at(e, (uint32_t)slot - 1);
		if (find_same(f, p, qp, place, aux))
			return f;
	}
}

#endif
