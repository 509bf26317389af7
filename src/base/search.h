/* SPDX-License-Identifier: GPL-2.0-or-later
 * Searching arrays that are in order. */
#ifndef FABSCOPE_BASE_SEARCH_H
#define FABSCOPE_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* How many of |n| elements of |size| bytes at |v| have an int64_t at |offset|
 * that is below |key|; they are in order of it. */
static inline size_t search_below_at(const void *v, size_t n, size_t size,
				     size_t offset, int64_t key)
{
	const char *first = v;
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const int64_t *at =
			(const void *)(first + middle * size + offset);

		if (*at < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The same where no two are equal, and mostly none is left out. */
static inline size_t search_dense_at(const void *v, size_t n, size_t size,
				     size_t offset, int64_t key)
{
	const char *first = (const char *)v + offset;
	uint64_t i =
		n ? (uint64_t)key - (uint64_t) *
					    (const int64_t *)(const void *)first
		  : 0;

	return i < n && *(const int64_t *)(const void *)(first + i * size) ==
				       key
		       ? i
		       : search_below_at(v, n, size, offset, key);
}

/* Of |n| |type| at |v| those whose |member| is below |key|. */
#define search_below(type, v, n, member, key) \
	search_below_at(v, n, sizeof(type), offsetof(type, member), key)

#endif
