/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory of SQLite: to prepare the 750 statements of an analysis it asks for a
 * quarter of a million small pieces and gives them back soon.  Those are kept
 * by size, and asking for one is taking the last that came back; malloc() is
 * asked for the others.  (SQLite's own lists for this, "lookaside", are not in
 * Debian's build.)
 *
 * Each thread has lists of its own; a piece goes to those of the thread that
 * gives it back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"

enum {
	GRAIN = 16,
	GRAINS = 64, /* of the longest that is kept */
	CHUNK = 64 * 1024,
};

/* What stands before each piece. */
struct piece {
	uint64_t size;      /* that can be used: of a short one, whole grains */
	struct piece *next; /* there, while nobody uses it */
};

enum { BEFORE = offsetof(struct piece, next) };

static _Thread_local struct piece *lists[GRAINS + 1];
static _Thread_local char *chunk;
static _Thread_local size_t left;

static struct piece *piece_of(void *p)
{
	return (struct piece *)(void *)((char *)p - BEFORE);
}

static void *used(struct piece *x)
{
	return x ? &x->next : NULL;
}

static int rounded(int n)
{
	return n <= GRAIN * GRAINS ? (n + GRAIN - 1) / GRAIN * GRAIN
				   : (n + 7) / 8 * 8;
}

static struct piece *cut_off(size_t size)
{
	struct piece *x;

	/* SQLite wants 8 bytes of alignment */
	if (left < BEFORE + size) {
		chunk = malloc(CHUNK);
		left = chunk ? CHUNK : 0;
	}
	if (!chunk)
		return NULL;
	x = (struct piece *)(void *)chunk;
	chunk += BEFORE + size;
	left -= BEFORE + size;
	x->size = size;
	return x;
}

static void *heap_malloc(int n)
{
	size_t size = (size_t)rounded(n);
	struct piece *x;

	if (size > GRAIN * GRAINS) {
		x = malloc(BEFORE + size);
		if (x)
			x->size = size;
		return used(x);
	}
	x = lists[size / GRAIN];
	if (x)
		lists[size / GRAIN] = x->next;
	else
		x = cut_off(size);
	return used(x);
}

static void heap_free(void *p)
{
	struct piece *x = piece_of(p);

	if (x->size > GRAIN * GRAINS) {
		free(x);
		return;
	}
	x->next = lists[x->size / GRAIN];
	lists[x->size / GRAIN] = x;
}

static int heap_size(void *p)
{
	return p ? (int)piece_of(p)->size : 0;
}

static void *heap_realloc(void *p, int n)
{
	size_t old = piece_of(p)->size, size = (size_t)rounded(n);
	void *q;

	if (size == old)
		return p;
	if (old > GRAIN * GRAINS && size > GRAIN * GRAINS) {
		struct piece *x = realloc(piece_of(p), BEFORE + size);

		if (x)
			x->size = size;
		return used(x);
	}
	q = heap_malloc(n);
	if (!q)
		return NULL;
	memcpy(q, p, old < size ? old : size);
	heap_free(p);
	return q;
}

static int heap_init(void *ctx)
{
	(void)ctx;
	return SQLITE_OK;
}

static void heap_shutdown(void *ctx)
{
	(void)ctx;
}

void db_heap(void)
{
	static const sqlite3_mem_methods heap = {
		.xMalloc = heap_malloc,
		.xFree = heap_free,
		.xRealloc = heap_realloc,
		.xSize = heap_size,
		.xRoundup = rounded,
		.xInit = heap_init,
		.xShutdown = heap_shutdown,
	};

	sqlite3_config(SQLITE_CONFIG_MALLOC, &heap);
}
