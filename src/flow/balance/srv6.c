/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets of a flow by the list of segments in their destination. */
#include "flow/balance/srv6.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "flow/core/flow.h"

enum {
	/* Lists of a flow; senders have some hundreds.  Packets with further
	 * ones are counted as left out. */
	LISTS_MAX = 512,
	SLOTS = 2 * LISTS_MAX,
};

struct flow_srv6 {
	struct fact_srv6_path *list;
	uint32_t n, room;
	uint16_t slot[SLOTS]; /* index + 1 */
};

static struct fact_srv6_path *add(struct flow_srv6 *s, uint16_t *slot,
				  struct addr list)
{
	if (s->n == LISTS_MAX ||
	    !mem_grow(&s->list, s->n, &s->room, 8, sizeof *s->list))
		return NULL;
	s->list[s->n] = (struct fact_srv6_path) { .segments = list };
	*slot = (uint16_t)++s->n;
	return &s->list[s->n - 1];
}

/* There are twice as many slots as lists: one is free.  Who sends chooses the
 * lists, and so the hash has a key. */
static struct fact_srv6_path *find(struct flow_srv6 *s, struct addr list)
{
	uint32_t at = (uint32_t)(hash2(list.w[0], list.w[1]) % SLOTS);

	for (; s->slot[at]; at = (at + 1) % SLOTS)
		if (addr_equal(s->list[s->slot[at] - 1].segments, list))
			return &s->list[s->slot[at] - 1];
	return add(s, &s->slot[at], list);
}

void srv6_packet(struct engine *e, struct flow *f, const struct packet *p)
{
	struct fact_srv6_path *path;

	if (!f->srv6)
		f->srv6 = mem_calloc(1, sizeof *f->srv6);
	path = f->srv6 ? find(f->srv6, addr_from_v6(p->srv6)) : NULL;
	if (!path) {
		e->limit[LIMIT_SRV6_PATH].left_out++;
		return;
	}
	if (!path->packets++)
		path->first_ns = p->ns;
	path->bytes += p->wire_len;
	path->ce += (p->tos & 3) == ECN_CE;
	path->last_ns = p->ns;
}

void srv6_emit(struct engine *e, const struct flow *f)
{
	for (uint32_t i = 0; f->srv6 && i < f->srv6->n; i++) {
		struct fact_srv6_path row = f->srv6->list[i];

		row.flow = f->id;
		if (limit_take(e, LIMIT_SRV6_PATH, 1, true))
			HAND_OUT(e, srv6_path, &row);
	}
}

void srv6_free(struct flow *f)
{
	if (f->srv6)
		free(f->srv6->list);
	free(f->srv6);
	f->srv6 = NULL;
}
