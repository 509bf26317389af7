/* SPDX-License-Identifier: GPL-2.0-or-later
 * The interfaces of one file in time order, in a bounded window.
 *
 * Writers of several interfaces write each interface's packets as they get
 * hold of them, so a file is a bundle of sequences, each in its own order.
 * The sorter keeps a queue per tap and merges the queues by time: order within
 * a tap is never changed.  Frames are not copied; they point into the
 * window's buffers, and a buffer's frames leave before it is recycled.  */
#ifndef FABSCOPE_CAPTURE_SORTER_H
#define FABSCOPE_CAPTURE_SORTER_H

#include "capture/capture.h"

enum { SORTER_FRAMES = 1 << 16 }; /* held at most */

struct sorter;

/* One that holds up to |frames|.  NULL: no memory. */
struct sorter *sorter_new(uint32_t frames);
void sorter_free(struct sorter *s); /* NULL is fine */

/* How many more frames fit in. */
uint32_t sorter_room(const struct sorter *s);

/* Takes frames whose data live in buffer |fill|.  -1: no memory. */
int sorter_push(struct sorter *s, const struct frame *frames, int n,
		uint64_t fill);

/* Is a frame held whose data live in buffer |fill| or an older one? */
bool sorter_holds(const struct sorter *s, uint64_t fill);

/* The time by which the next frame to leave is chosen.  False: none held. */
bool sorter_peek(const struct sorter *s, int64_t *ns);

/* The earliest frame leaves.  False: none is held. */
bool sorter_pop(struct sorter *s, struct frame *out);

#endif
