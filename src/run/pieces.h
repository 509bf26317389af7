/* SPDX-License-Identifier: GPL-2.0-or-later
 * One capture that was written in pieces, as tcpdump -C and dumpcap -b do: the
 * files are one place.
 *
 * Recognized by their order: a file begins within a second of the end of
 * another, nobody else is capturing then, there is only one place it can go on
 * from, and that has seen many packets. */
#ifndef FABSCOPE_RUN_PIECES_H
#define FABSCOPE_RUN_PIECES_H

#include <stdbool.h>
#include <stddef.h>

#include "run/places.h"

struct capture;
struct capture_input;
struct frame;

struct pieces {
	const struct capture_input *inputs;
	bool begun[MAP_TAPS];
};

/* Does pieces_look() have to look at |f|? */
bool pieces_new(const struct pieces *p, const struct capture *c,
		const struct frame *f);

/* Before the frames are fed: taps that begin among them and go on where
 * another ended get its place.  Those of files that were given names keep
 * theirs. */
void pieces_look(struct pieces *p, const struct capture *c,
		 const struct frame *frames, size_t n, struct tap_map *map);

#endif
