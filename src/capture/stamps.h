/* SPDX-License-Identifier: GPL-2.0-or-later
 * How fine the time stamps of a tap are.
 *
 * Where a host stamps what its adapter hands over in batches (interrupt
 * moderation, polling), all packets of a batch have one stamp, and a clock may
 * tick more slowly than packets come.  What a stamp may be wrong by then is the
 * step to it from the one before. */
#ifndef FABSCOPE_CAPTURE_STAMPS_H
#define FABSCOPE_CAPTURE_STAMPS_H

#include <stdint.h>

struct stamps;

/* |more| packets have the stamp of another one, which came |step| behind the
 * one before, or is the first: < 0.  |*s| may be NULL at first; without memory
 * it stays so. */
void stamps_add(struct stamps **s, int64_t step, uint64_t more);

/* What stamps step by while packets come, of |packets| in all; 0: most have a
 * stamp of their own. */
int64_t stamps_step(const struct stamps *s, uint64_t packets);

void stamps_free(struct stamps *s); /* may be NULL */

#endif
