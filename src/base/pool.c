/* SPDX-License-Identifier: GPL-2.0-or-later
 * Very many objects of one size. */
#include "base/pool.h"

#include <string.h>

#include "base/huge.h"

enum { CHUNK = 2 << 20, HEAD = 64 };

void pool_init(struct pool *p, size_t size)
{
	*p = (struct pool) { .size = (size + 63) & ~(size_t)63 };
}

void *pool_get(struct pool *p)
{
	void *object = p->vacant, **chunk;

	if (object) {
		p->vacant = *(void **)object;
		return memset(object, 0, p->size);
	}
	if (!p->chunk || p->used + p->size > CHUNK) {
		chunk = huge_alloc(CHUNK);
		if (!chunk)
			return NULL;
		*chunk = p->chunk;
		p->chunk = chunk;
		p->used = HEAD;
	}
	object = (char *)p->chunk + p->used;
	p->used += p->size;
	return object;
}

void pool_put(struct pool *p, void *object)
{
	if (!object)
		return;
	*(void **)object = p->vacant;
	p->vacant = object;
}

void pool_fini(struct pool *p)
{
	while (p->chunk) {
		void *before = *(void **)p->chunk;

		huge_free(p->chunk, CHUNK);
		p->chunk = before;
	}
	p->vacant = NULL;
}
