/* SPDX-License-Identifier: GPL-2.0-or-later
 * What an engine keeps to be merged with others. */
#include "flow/core/shard.h"

#include <stdlib.h>

#include "base/mem.h"
#include "flow/core/flow.h"

enum { FIRST = 1 << 10 };

bool shard_init(struct engine *e)
{
	if (!e->o.shards)
		return true;
	e->shard = mem_calloc(1, sizeof *e->shard);
	return e->shard;
}

void shard_fini(struct engine *e)
{
	if (!e->shard)
		return;
	free(e->shard->id_born);
	free(e->shard->flow_born);
	free(e->shard);
}

void shard_alone(struct engine *e)
{
	if (e->shard)
		e->shard->alone = true;
}

/* Without memory it cannot be merged. */
static void note(struct engine *e, uint64_t **at, uint32_t *room, uint32_t i,
		 uint64_t order)
{
	uint32_t more = *room ? 2 * *room : FIRST;
	uint64_t *grown;

	if (i >= *room) {
		grown = mem_reallocarray(*at, more, sizeof *grown);
		if (!grown) {
			shard_alone(e);
			return;
		}
		*at = grown;
		*room = more;
	}
	(*at)[i] = order;
}

void shard_id(struct engine *e, uint64_t order)
{
	struct shard *s = e->shard;

	if (s && !s->alone)
		note(e, &s->id_born, &s->id_room,
		     e->next_id - e->o.first_id - 1, order);
}

/* Who reads sees the outer addresses only: of a tunnel, or of what is no IP,
 * the same flow may be followed elsewhere. */
void shard_flow(struct engine *e, const struct packet *p, uint64_t order)
{
	struct shard *s = e->shard;

	if (!s)
		return;
	if (shard_slot(shard_hash(p->src.w, p->dst.w)) % e->o.shards !=
	    e->o.shard)
		s->alone = true;
	if (!s->alone)
		note(e, &s->flow_born, &s->flow_room, e->n_flows - 1, order);
}
