/* SPDX-License-Identifier: GPL-2.0-or-later
 * Large zeroed memory on huge pages. */
#define _GNU_SOURCE
#include "base/huge.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

static const size_t HUGE = (size_t)2 << 20;

enum {
	HEAP_ROOM = 64 << 20,
	HEAP_STEP = 2 << 20,
	HEAP_APART = 32 << 20, /* more has pages of its own: malloc's limit */
};

static size_t rounded(size_t size)
{
	return (size + HUGE - 1) & ~(HUGE - 1);
}

void *huge_alloc(size_t size)
{
	size_t want = rounded(size), room = want + HUGE;
	uint8_t *p, *start;

	if (want < size || room < want)
		return NULL;
	p = mmap(NULL, room, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED) {
		mem_deny();
		return NULL;
	}
	start = (uint8_t *)(((uintptr_t)p + HUGE - 1) & ~(HUGE - 1));
	if (start > p)
		munmap(p, (size_t)(start - p));
	if (start + want < p + room)
		munmap(start + want, (size_t)(p + room - (start + want)));
	madvise(start, want, MADV_HUGEPAGE);
	return start;
}

void *huge_grow(void *p, size_t old, size_t size)
{
	size_t want = rounded(size);
	void *q = MAP_FAILED;

	if (want >= size)
		q = p ? mremap(p, rounded(old), want, MREMAP_MAYMOVE)
		      : mmap(NULL, want, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			     0);
	if (q != MAP_FAILED)
		return q;
	mem_deny();
	return NULL;
}

void huge_free(void *p, size_t size)
{
	if (p)
		munmap(p, rounded(size));
}

/* Address space for it is had at once, as advice does not hold for what the
 * heap grows by later.  Where there is not so much, all stays as it is. */
void huge_heap(void)
{
	uintptr_t from = ((uintptr_t)sbrk(0) + HUGE - 1) & ~(HUGE - 1), to;
	void *volatile p;

	mallopt(M_MMAP_THRESHOLD, HEAP_APART);
	mallopt(M_TRIM_THRESHOLD, 4 * HEAP_ROOM);
	mallopt(M_TOP_PAD, HEAP_ROOM);
	p = malloc(HEAP_STEP);
	free(p);
	mallopt(M_TOP_PAD, HEAP_STEP);
	to = (uintptr_t)sbrk(0) & ~(HUGE - 1);
	if (to > from)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
}
