/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory whose want is remembered.
 *
 * The state machines go on without what they could not remember, so that a
 * packet needs no error path; whoever runs them asks at the end, and then what
 * came out is not to be trusted. */
#ifndef FABSCOPE_BASE_MEM_H
#define FABSCOPE_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As calloc(), malloc(), realloc() and reallocarray(). */
void *mem_calloc(size_t n, size_t size);
void *mem_malloc(size_t size);
void *mem_realloc(void *p, size_t size);
void *mem_reallocarray(void *p, size_t n, size_t size);

/* |at| points to a pointer to |n| things of |size|, with |*room|: is there room
 * for one more, or now for twice as many, |first| at first? */
bool mem_grow(void *at, uint32_t n, uint32_t *room, uint32_t first,
	      size_t size);

/* For allocators of another kind: there was none. */
void mem_deny(void);

/* How often there was none, in this process so far. */
unsigned long mem_denied(void);

#endif
