/* SPDX-License-Identifier: GPL-2.0-or-later
 * Times of frames corrected as struct capture_shift says. */
#ifndef FABSCOPE_CAPTURE_SHIFT_H
#define FABSCOPE_CAPTURE_SHIFT_H

#include <stddef.h>
#include <stdint.h>

#include "capture/tap.h"

/* Those of one file; NULL when there are none. */
const struct capture_shift *shifts_of(const struct capture_shift *s, size_t n,
				      uint32_t file, size_t *count);

/* Frames as the reader made them. */
void shift_frames(const struct capture_shift *s, size_t n,
		  const struct taps *taps, struct frame *frames, int count);

#endif
