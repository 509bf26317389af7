/* SPDX-License-Identifier: GPL-2.0-or-later
 * Recycled read buffers. */
#include "capture/window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t whole(const struct window *w)
{
	return w->reserve + w->chunk;
}

int window_init(struct window *w, struct source *source, size_t chunk,
		size_t reserve)
{
	*w = (struct window) { .chunk = chunk, .reserve = reserve, .count = 1 };
	/* Large and aligned: the pages of an unused reserve cost nothing. */
	w->buffer[0] = aligned_alloc(4096, whole(w));
	if (!w->buffer[0])
		return -1;
	w->source = source;
	w->p = w->end = w->buffer[0] + whole(w);
	return 0;
}

void window_fini(struct window *w)
{
	unsigned i;

	for (i = 0; i < WINDOW_BUFFERS; i++)
		free(w->buffer[i]);
	source_free(w->source);
	*w = (struct window) { 0 };
}

int window_widen(struct window *w, unsigned count)
{
	unsigned i, old = w->count;

	assert(count >= old && count <= WINDOW_BUFFERS);
	for (i = old; i < count; i++) {
		w->buffer[i] = aligned_alloc(4096, whole(w));
		if (!w->buffer[i])
			return -1;
	}
	/* The buffer in use must stay where fills % count finds it. */
	if (old == 1)
		w->fills -= w->fills % count;
	w->count = count;
	return 0;
}

static size_t room(const struct window *w)
{
	const uint8_t *b = w->buffer[w->fills % w->count];

	return (size_t)(b + whole(w) - w->end);
}

/* A pipe gives little at a time: the rest of the buffer is used first. */
bool window_turns(const struct window *w)
{
	return room(w) < w->chunk / 4;
}

static void turn(struct window *w)
{
	size_t unread = window_unread(w);
	uint8_t *to;

	assert(unread <= w->reserve);
	w->fills++;
	to = w->buffer[w->fills % w->count] + w->reserve - unread;
	memmove(to, w->p, unread);
	w->p = to;
	w->end = to + unread;
}

bool window_fill(struct window *w)
{
	uint8_t *to;
	size_t n;

	if (w->ended)
		return false;
	if (window_turns(w))
		turn(w);
	to = w->buffer[w->fills % w->count] + whole(w) - room(w);
	n = w->source->read(w->source, to, room(w));
	w->ended = !n;
	w->end += n;
	w->end_offset += n;
	return n;
}

bool window_need(struct window *w, size_t n)
{
	assert(n <= WINDOW_RESERVE);
	while (window_unread(w) < n)
		if (!window_fill(w))
			return false;
	return true;
}
