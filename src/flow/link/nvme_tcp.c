/* SPDX-License-Identifier: GPL-2.0-or-later
 * How much storage traffic goes over TCP, by its ports alone: no PDU is looked
 * at, and no sequence number is followed. */
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "decode/packet.h"
#include "flow/core/flow.h"
#include "flow/link/control.h"

enum {
	CONNECTIONS_MAX = 4096, /* directions of them, of all taps */
	SLOTS = 2 * CONNECTIONS_MAX,
};

struct nvme_tcp {
	struct fact_nvme_tcp list[CONNECTIONS_MAX];
	uint32_t n;
	uint16_t slot[SLOTS]; /* index + 1 */
};

static bool is_of(const struct fact_nvme_tcp *c, const struct packet *p)
{
	return c->tap == p->tap && c->src_port == p->sport &&
	       c->dst_port == p->port && addr_equal(c->src, p->src) &&
	       addr_equal(c->dst, p->dst);
}

static struct fact_nvme_tcp *add_to(struct nvme_tcp *t, uint16_t *slot,
				    const struct packet *p)
{
	struct fact_nvme_tcp *c = &t->list[t->n];

	if (t->n == CONNECTIONS_MAX)
		return NULL;
	*slot = (uint16_t)++t->n;
	*c = (struct fact_nvme_tcp) {
		.tap = p->tap,
		.src = p->src,
		.dst = p->dst,
		.src_port = p->sport,
		.dst_port = p->port,
		.first_ns = p->ns,
	};
	return c;
}

/* There are twice as many slots as connections: one is free. */
static struct fact_nvme_tcp *connection_of(struct nvme_tcp *t,
					   const struct packet *p)
{
	uint64_t ends =
		(uint64_t)p->tap << 32 | (uint32_t)p->sport << 16 | p->port;
	uint32_t at = (uint32_t)(hash6(p->src.w[0], p->src.w[1], p->dst.w[0],
				       p->dst.w[1], ends, 0) %
				 SLOTS);

	for (; t->slot[at]; at = (at + 1) % SLOTS)
		if (is_of(&t->list[t->slot[at] - 1], p))
			return &t->list[t->slot[at] - 1];
	return add_to(t, &t->slot[at], p);
}

void nvme_tcp_packet(struct engine *e, const struct packet *p)
{
	struct fact_nvme_tcp *c;

	if (!e->nvme_tcp)
		e->nvme_tcp = mem_calloc(1, sizeof *e->nvme_tcp);
	c = e->nvme_tcp ? connection_of(e->nvme_tcp, p) : NULL;
	if (!c) {
		e->limit[LIMIT_NVME_TCP].left_out++;
		return;
	}
	c->packets++;
	c->bytes += p->payload;
	c->last_ns = p->ns;
}

void nvme_tcp_finish(struct engine *e)
{
	for (uint32_t i = 0; e->nvme_tcp && i < e->nvme_tcp->n; i++)
		HAND_OUT(e, nvme_tcp, &e->nvme_tcp->list[i]);
}

void nvme_tcp_fini(struct engine *e)
{
	free(e->nvme_tcp);
}
