/* SPDX-License-Identifier: GPL-2.0-or-later
 * Large zeroed memory on huge pages where the system has them: tables that are
 * hit at random cost a page walk an access otherwise. */
#ifndef FABSCOPE_BASE_HUGE_H
#define FABSCOPE_BASE_HUGE_H

#include <stddef.h>

/* Zeroed, aligned to 2 MiB; pages come when touched.  NULL: no memory. */
void *huge_alloc(size_t size);

/* |p|, of |old| bytes from here, with |size| instead; it moves without being
 * copied, so that there are never two of it.  Its pages are small ones.  |p|
 * may be NULL.  NULL: no memory, and |p| is as it was. */
void *huge_grow(void *p, size_t old, size_t size);

/* |size| as given to huge_alloc() or huge_grow(); |p| may be NULL. */
void huge_free(void *p, size_t size);

/* What malloc() gives from here on lies on huge pages, as far as there is room,
 * and what is freed stays for the next who asks: for a program that works once
 * and ends.  Call it before there are threads. */
void huge_heap(void);

#endif
