/* SPDX-License-Identifier: GPL-2.0-or-later
 * Large zeroed memory on huge pages. */
#include "base/huge.h"

#include <stdint.h>
#include <sys/mman.h>

#include "base/mem.h"

static const size_t HUGE = (size_t)2 << 20;

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

void huge_free(void *p, size_t size)
{
	if (p)
		munmap(p, rounded(size));
}
