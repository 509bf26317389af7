/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory whose want is remembered. */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_ulong denied;

void mem_deny(void)
{
	atomic_fetch_add(&denied, 1);
}

static void *noted(void *p)
{
	if (!p)
		mem_deny();
	return p;
}

void *mem_calloc(size_t n, size_t size)
{
	return noted(calloc(n, size));
}

void *mem_malloc(size_t size)
{
	return noted(malloc(size));
}

void *mem_realloc(void *p, size_t size)
{
	return noted(realloc(p, size));
}

void *mem_reallocarray(void *p, size_t n, size_t size)
{
	return noted(reallocarray(p, n, size));
}

bool mem_grow(void *at, uint32_t n, uint32_t *room, uint32_t first, size_t size)
{
	uint32_t more = *room ? 2 * *room : first;
	void *p;

	if (n < *room)
		return true;
	memcpy(&p, at, sizeof p);
	p = mem_reallocarray(p, more, size);
	if (!p)
		return false;
	memcpy(at, &p, sizeof p);
	*room = more;
	return true;
}

unsigned long mem_denied(void)
{
	return atomic_load(&denied);
}
