/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory that is there or ends the run: a simulation has no use for half a
 * fabric. */
#ifndef FABSCOPE_SIMULATE_MEM_H
#define FABSCOPE_SIMULATE_MEM_H

#include <stddef.h>

_Noreturn void mem_exhausted(void);

/* Zeroed; ends the program with one line when there is none left. */
void *mem_new(size_t bytes);

char *mem_text(const char *s); /* a copy; NULL stays NULL */

/* Makes room for one more element of |size| in an array that holds |n|.
 * |*cap| is the room there is.  Returns the array, moved or not. */
void *mem_room(void *array, size_t n, size_t *cap, size_t size);

#endif
