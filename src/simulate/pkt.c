/* SPDX-License-Identifier: GPL-2.0-or-later
 * A pool of packets, and queues of them. */
#include "simulate/pkt.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/mem.h"

struct pkt *pkt_new(struct pkt_pool *pool)
{
	struct pkt *p = pool->free, *older;

	if (p) {
		pool->free = p->next;
		older = p->older;
	} else {
		p = mem_new(sizeof *p);
		older = pool->all;
		pool->all = p;
	}
	memset(p, 0, sizeof *p);
	p->older = older;
	p->live = true;
	p->id = ++pool->ids;
	pool->live++;
	return p;
}

void pkt_free(struct pkt_pool *pool, struct pkt *p)
{
	free(p->mad);
	free(p->hops);
	free(p->credits);
	p->mad = NULL;
	p->hops = NULL;
	p->credits = NULL;
	p->live = false;
	p->next = pool->free;
	pool->free = p;
	pool->live--;
}

void pkt_pool_fini(struct pkt_pool *pool)
{
	while (pool->all) {
		struct pkt *p = pool->all;

		pool->all = p->older;
		free(p->mad);
		free(p->hops);
		free(p->credits);
		free(p);
	}
}

void fifo_put(struct pkt_fifo *f, struct pkt *p)
{
	p->next = NULL;
	if (f->tail)
		f->tail->next = p;
	else
		f->head = p;
	f->tail = p;
	f->bytes += p->bytes;
	f->all_bytes += p->bytes;
	f->n++;
	f->all++;
}

struct pkt *fifo_take(struct pkt_fifo *f)
{
	struct pkt *p = f->head;

	if (!p)
		return NULL;
	f->head = p->next;
	if (!f->head)
		f->tail = NULL;
	f->bytes -= p->bytes;
	f->n--;
	return p;
}
