/* SPDX-License-Identifier: GPL-2.0-or-later
 * Several inputs as one sequence, by time.
 *
 * The frames of one input keep their order.  Which input goes next is decided
 * by the earliest time among its frames at hand, so that one frame with a time
 * far too late does not delay the rest of its file. */
#ifndef FABSCOPE_CAPTURE_MERGE_H
#define FABSCOPE_CAPTURE_MERGE_H

#include "capture/input.h"

struct merge;

/* Borrows |inputs|.  NULL: no memory. */
struct merge *merge_new(struct input *inputs, size_t n);
void merge_free(struct merge *m); /* NULL is fine */

/* As capture_next(). */
int merge_next(struct merge *m, const struct frame **frames, struct err *err);

#endif
