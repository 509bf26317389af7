/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory of SQLite: to prepare the 970 statements of an analysis it asks for a
 * quarter of a million small pieces and gives them back soon.  Those are kept
 * by size, and asking for one is taking the last that came back; malloc() is
 * asked for the others.  (SQLite's own lists for this, "lookaside", are not in
 * Debian's build.)
 *
 * Pieces of one size are cut from chunks.  A chunk of which none is used any
 * more goes back to malloc(): sorting takes a piece for each row, and what
 * comes next has others.
 *
 * Each thread has chunks of its own.  A piece that another gives back stays
 * with that one, and counts as used for its chunk until it comes back from
 * there. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"

enum {
	GRAIN = 16,
	GRAINS = 64, /* of the longest that is kept */
	CHUNK = 16 * 1024,
	SPARE = 16, /* chunks that nothing is cut from, and are kept */
};

/* What stands before each piece. */
struct piece {
	union {
		struct chunk *chunk; /* of a short one; its lowest bit is 0 */
		uint64_t size;       /* of a long one, that can be used, + 1 */
	};
	struct piece *next; /* there, while nobody uses it */
};

enum { BEFORE = offsetof(struct piece, next) };

struct chunk {
	uint64_t owner;            /* id of the lists that it is of */
	struct chunk *prev, *next; /* of those that have pieces of this size */
	struct piece *free;        /* that came back */
	uint32_t grains;           /* of a piece */
	uint32_t used;             /* pieces */
	uint32_t left;             /* pieces that were never cut off ... */
	char *at;                  /* ... from here on */
};

static atomic_uint_fast64_t n_lists;

static _Thread_local struct lists {
	uint64_t id; /* never that of another thread, be it over; 0: no chunk */
	struct chunk *open[GRAINS + 1];   /* with pieces, by grains */
	struct piece *others[GRAINS + 1]; /* of other threads' chunks */
	struct chunk *spare;
	unsigned n_spare;
} lists;

static struct piece *piece_of(void *p)
{
	return (struct piece *)(void *)((char *)p - BEFORE);
}

static void *used(struct piece *x)
{
	return x ? &x->next : NULL;
}

static bool is_long(const struct piece *x)
{
	return x->size & 1;
}

static size_t size_of(const struct piece *x)
{
	return is_long(x) ? x->size - 1 : (size_t)x->chunk->grains * GRAIN;
}

static int rounded(int n)
{
	return n <= GRAIN * GRAINS ? (n + GRAIN - 1) / GRAIN * GRAIN
				   : (n + 7) / 8 * 8;
}

/* --- chunks --- */

static void link_up(struct lists *l, struct chunk *c)
{
	struct chunk **first = &l->open[c->grains];

	c->prev = NULL;
	c->next = *first;
	if (*first)
		(*first)->prev = c;
	*first = c;
}

static void take_out(struct lists *l, struct chunk *c)
{
	*(c->prev ? &c->prev->next : &l->open[c->grains]) = c->next;
	if (c->next)
		c->next->prev = c->prev;
}

static size_t step_of(const struct chunk *c)
{
	return BEFORE + (size_t)c->grains * GRAIN;
}

static bool is_full(const struct chunk *c)
{
	return !c->free && !c->left;
}

static struct chunk *new_chunk(struct lists *l, uint32_t grains)
{
	struct chunk *c = l->spare;

	if (c) {
		l->spare = c->next;
		l->n_spare--;
	} else {
		c = malloc(CHUNK);
	}
	if (!c)
		return NULL;
	/* SQLite wants 8 bytes of alignment */
	if (!l->id)
		l->id = ++n_lists;
	*c = (struct chunk) { .owner = l->id,
			      .grains = grains,
			      .at = (char *)(c + 1) };
	c->left = (uint32_t)((CHUNK - sizeof *c) / step_of(c));
	link_up(l, c);
	return c;
}

static void drop_chunk(struct lists *l, struct chunk *c)
{
	take_out(l, c);
	if (l->n_spare == SPARE) {
		free(c);
		return;
	}
	c->next = l->spare;
	l->spare = c;
	l->n_spare++;
}

static struct piece *cut_off(struct chunk *c)
{
	struct piece *x = (struct piece *)(void *)c->at;

	c->at += step_of(c);
	c->left--;
	x->chunk = c;
	return x;
}

/* --- pieces --- */

static struct piece *short_piece(struct lists *l, uint32_t grains)
{
	struct piece *x = l->others[grains];
	struct chunk *c;

	if (x) {
		l->others[grains] = x->next;
		return x;
	}
	c = l->open[grains] ? l->open[grains] : new_chunk(l, grains);
	if (!c)
		return NULL;
	x = c->free;
	if (x)
		c->free = x->next;
	else
		x = cut_off(c);
	c->used++;
	if (is_full(c))
		take_out(l, c);
	return x;
}

static void *heap_malloc(int n)
{
	size_t size = (size_t)rounded(n);
	struct piece *x;

	if (size <= GRAIN * GRAINS)
		return used(short_piece(&lists, (uint32_t)(size / GRAIN)));
	x = malloc(BEFORE + size);
	if (x)
		x->size = size + 1;
	return used(x);
}

static void give_back(struct lists *l, struct piece *x)
{
	struct chunk *c = x->chunk;

	if (c->owner != l->id) {
		x->next = l->others[c->grains];
		l->others[c->grains] = x;
		return;
	}
	if (is_full(c))
		link_up(l, c);
	x->next = c->free;
	c->free = x;
	if (!--c->used)
		drop_chunk(l, c);
}

static void heap_free(void *p)
{
	struct piece *x = piece_of(p);

	if (is_long(x))
		free(x);
	else
		give_back(&lists, x);
}

static int heap_size(void *p)
{
	return p ? (int)size_of(piece_of(p)) : 0;
}

static void *heap_realloc(void *p, int n)
{
	size_t old = size_of(piece_of(p)), size = (size_t)rounded(n);
	void *q;

	if (size == old)
		return p;
	if (old > GRAIN * GRAINS && size > GRAIN * GRAINS) {
		struct piece *x = realloc(piece_of(p), BEFORE + size);

		if (x)
			x->size = size + 1;
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
