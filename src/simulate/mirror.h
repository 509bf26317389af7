/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a switch puts around a mirrored frame. */
#ifndef FABSCOPE_SIMULATE_MIRROR_H
#define FABSCOPE_SIMULATE_MIRROR_H

#include <stdint.h>

struct tap;

enum { MIRROR_MAX = 64 }; /* bytes at most */

/* Bytes in front of the frame for |t|'s way of mirroring. */
uint32_t mirror_bytes(const struct tap *t);

/* Writes them at |o|; the frame of |len| bytes follows.  |ns| is the stamp,
 * |number| the sequence number. */
void mirror_write(const struct tap *t, uint8_t *o, uint32_t len, int64_t ns,
		  uint32_t number);

#endif
