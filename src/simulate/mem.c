/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory that is there or ends the run. */
#include "simulate/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mem_exhausted(void)
{
	fputs("fabscope simulate: out of memory\n", stderr);
	exit(1);
}

static void *or_die(void *p)
{
	if (!p)
		mem_exhausted();
	return p;
}

void *mem_new(size_t bytes)
{
	return or_die(calloc(1, bytes ? bytes : 1));
}

char *mem_text(const char *s)
{
	return s ? or_die(strdup(s)) : NULL;
}

void *mem_room(void *array, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return array;
	*cap = *cap ? *cap * 2 : 16;
	array = or_die(realloc(array, *cap * size));
	memset((char *)array + n * size, 0, (*cap - n) * size);
	return array;
}
