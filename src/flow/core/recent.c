/* SPDX-License-Identifier: GPL-2.0-or-later
 * The last packets of the whole capture. */
#include "flow/core/recent.h"
#include "base/mem.h"

#include <stdlib.h>

bool recent_init(struct recent *r, const uint64_t *order)
{
	r->order = order;
	r->ring = mem_calloc(RECENT_SIZE, sizeof *r->ring);
	r->head = mem_calloc(RECENT_BUCKETS, sizeof *r->head);
	r->seq = RECENT_SIZE + 1; /* so that head 0 is older than the ring */
	if (r->ring && r->head)
		return true;
	recent_fini(r);
	return false;
}

void recent_fini(struct recent *r)
{
	free(r->ring);
	free(r->head);
	r->ring = NULL;
	r->head = NULL;
}

/* Entries older than the ring have been written over. */
static bool is_there(const struct recent *r, uint32_t seq)
{
	return r->seq - seq <= RECENT_SIZE;
}

/* A packet that was held lies before younger ones of other
 * keys: those are found whatever shares their bucket. */
static bool alive(const struct recent *r, const struct recent_packet *p)
{
	return *r->order - p->order < RECENT_FRAMES;
}

const struct recent_packet *recent_find(const struct recent *r,
					struct recent_key key, uint32_t psn,
					const struct recent_packet *from)
{
	uint32_t seq = from ? from->prev : r->head[recent_bucket(key, psn)];
	uint32_t last = r->seq;

	/* A bucket that was written over can point forward: stop there. */
	while (is_there(r, seq) && r->seq - seq > r->seq - last) {
		const struct recent_packet *p = &r->ring[seq % RECENT_SIZE];

		if (p->key == key.v && p->psn == psn && alive(r, p))
			return p;
		last = seq;
		seq = p->prev;
	}
	return NULL;
}
