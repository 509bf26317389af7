/* SPDX-License-Identifier: GPL-2.0-or-later
 * The unread part of a stream as one stretch of memory.
 *
 * Readers hand out pointers into it, so nothing is copied but the record that
 * crosses the end of a buffer.  Each buffer is [reserve | chunk]: one read()
 * fills the chunk, always at the same aligned place, and what was still unread
 * moves to just before it.
 *
 *	reserve          chunk
 *	.........uuuuuuu nnnnnnnnnnnnnnnnnnnn
 *	         p                           end
 *
 * With one buffer a fill overwrites what was handed out before.  With |count|
 * buffers the data of fill f live until fill f + count begins: that is the
 * room in which frames of several interfaces are sorted. */
#ifndef FABSCOPE_CAPTURE_WINDOW_H
#define FABSCOPE_CAPTURE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/source.h"

enum {
	WINDOW_CHUNK = 256 * 1024,
	WINDOW_RESERVE = 1280 * 1024, /* the longest stretch to ask for */
	WINDOW_BUFFERS = 16,
};

struct window {
	const uint8_t *p;    /* next unread byte; readers advance it */
	const uint8_t *end;  /* behind the last byte read */
	uint64_t end_offset; /* of |end| in the stream */
	uint64_t fills;      /* number of the buffer in use, from 0 */
	struct source *source;
	size_t chunk, reserve;
	unsigned count;
	bool ended; /* the source has no more */
	uint8_t *buffer[WINDOW_BUFFERS];
};

/* Takes |source|.  |reserve| is WINDOW_RESERVE, or less if the whole stream is
 * no longer than that.  -1: no memory, and |source| is still the caller's. */
int window_init(struct window *w, struct source *source, size_t chunk,
		size_t reserve);
void window_fini(struct window *w);

/* From the next fill on, |count| buffers.  -1: no memory. */
int window_widen(struct window *w, unsigned count);

/* Reads on once; false: the stream has ended. */
bool window_fill(struct window *w);

/* Would the next window_fill() begin a new buffer? */
bool window_turns(const struct window *w);

/* Fills until |n| bytes are unread; false if fewer remain. */
bool window_need(struct window *w, size_t n);

static inline size_t window_unread(const struct window *w)
{
	return (size_t)(w->end - w->p);
}

/* Where |p| is in the stream. */
static inline uint64_t window_offset(const struct window *w)
{
	return w->end_offset - window_unread(w);
}

#endif
