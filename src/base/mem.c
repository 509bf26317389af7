/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory whose want is remembered. */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdlib.h>

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

unsigned long mem_denied(void)
{
	return atomic_load(&denied);
}
