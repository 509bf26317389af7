/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sorting long arrays by a number, usually a time: in time linear in their
 * length, where qsort() compares each element some twenty times. */
#ifndef FABSCOPE_BASE_SORT_H
#define FABSCOPE_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Puts |n| elements of |size| bytes, a multiple of 8, in order of the int64_t
 * at |offset|; those with the same keep their order.  False: no memory, and
 * nothing was moved. */
bool sort_by_number(void *v, size_t n, size_t size, size_t offset);

/* |n| |type| at |v| by |member|. */
#define sort_by(type, v, n, member) \
	sort_by_number(v, n, sizeof(type), offsetof(type, member))

/* Short arrays of numbers, by comparing them. */
void sort_int64(int64_t *v, size_t n);

#endif
