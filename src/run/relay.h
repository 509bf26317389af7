/* SPDX-License-Identifier: GPL-2.0-or-later
 * Frames that a thread of its own reads, looks at and passes on.
 *
 * They come in the order in which they are read, and none is followed by
 * anybody else, so that what is made of them cannot depend on it.  What needs
 * the capture as it was when a batch was read gets that batch itself, while
 * the thread waits. */
#ifndef FABSCOPE_RUN_RELAY_H
#define FABSCOPE_RUN_RELAY_H

#include "capture/capture.h"
#include "flow/core/engine.h"

struct relay;

struct relay_options {
	struct capture *capture;     /* the thread's until relay_free() ... */
	const struct engine *engine; /* for engine_look() */
	const struct decode_options *decode;
	/* ... but for as long as a batch is out of which this said that
	 * something begins with it.  Called by the thread; while it is not,
	 * what it reads must not change. */
	bool (*begins)(const void *ctx, const struct frame *frames, size_t n);
	const void *ctx;
};

/* Some frames. */
struct relayed {
	const struct frame *batch; /* as capture_next() gave them; or NULL */
	const struct engine_frame *frame; /* looked at, |order| from 1 on */
	size_t n;
};

/* NULL: no memory, or no thread to be had. */
struct relay *relay_new(const struct relay_options *o);

/* As capture_next(): valid until the next call.  When ^C came the thread reads
 * no more, and what it has read comes first. */
int relay_next(struct relay *r, struct relayed *to, struct err *err);

/* Ends the thread, wherever it is; NULL is fine. */
void relay_free(struct relay *r);

#endif
