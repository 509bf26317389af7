/* SPDX-License-Identifier: GPL-2.0-or-later
 * The files of packets that a live analysis wrote, read as if they were its
 * captures: with the taps and the frame numbers it knows them by.
 *
 * A row of files (-w) and the flight recorder have many packets twice; each
 * comes once. */
#ifndef FABSCOPE_VIEWS_RECORDINGS_H
#define FABSCOPE_VIEWS_RECORDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct capture;
struct capture_tap;
struct catalogue;
struct frame;
struct recordings;
struct selector;
struct store;
struct packet_filter;

/* NULL and |err| when the database cannot say. */
struct recordings *recordings_new(struct store *s, const struct catalogue *c,
				  const struct selector *which,
				  struct err *err);
void recordings_free(struct recordings *r); /* NULL is fine */

/* Is the file |path| still there? */
typedef bool recording_there_fn(void *ctx, const char *path);

/* Chooses those that may have what is wanted and are there; |evidence|: only
 * its marks.  Returns how many, no more than recordings_most();
 * recordings_path() names them. */
size_t recordings_choose(struct recordings *r, const struct packet_filter *w,
			 bool evidence, recording_there_fn *there, void *ctx);
size_t recordings_most(const struct recordings *r);
const char *recordings_path(const struct recordings *r, size_t i);

/* A frame of |c|, whose inputs are the chosen ones in their order, gets the tap
 * and the number it has in the database.  False: it came before, or live knows
 * nothing of it. */
bool recordings_frame(struct recordings *r, const struct capture *c,
		      struct frame *f);

/* What stands for a tap of the database; NULL: no frame of it came. */
const struct capture_tap *recordings_tap(const struct recordings *r,
					 const struct capture *c, uint32_t tap);

#endif
