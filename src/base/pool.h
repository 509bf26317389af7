/* SPDX-License-Identifier: GPL-2.0-or-later
 * Very many objects of one size, on huge pages: no header for each, and no
 * page walk for each that is asked for. */
#ifndef FABSCOPE_BASE_POOL_H
#define FABSCOPE_BASE_POOL_H

#include <stddef.h>

struct pool {
	size_t size;  /* of an object: a multiple of 64 */
	void *chunk;  /* the newest; names the one before */
	size_t used;  /* bytes of it */
	void *vacant; /* objects that came back; each names the next */
};

void pool_init(struct pool *p, size_t size);
/* Zeroed, on a line of its own; NULL: no memory. */
void *pool_get(struct pool *p);
/* |object| is from |p|, or NULL. */
void pool_put(struct pool *p, void *object);
/* All of them at once. */
void pool_fini(struct pool *p);

#endif
