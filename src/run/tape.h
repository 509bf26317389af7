/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts put by, to be written later: the engine hands them out whenever it
 * likes, the database takes them once a refresh. */
#ifndef FABSCOPE_RUN_TAPE_H
#define FABSCOPE_RUN_TAPE_H

#include <stddef.h>
#include <stdint.h>

#include "flow/core/fact.h"

struct tape {
	uint8_t *data;
	size_t n, room, most; /* bytes; most: what there may be */
	uint64_t lost;        /* facts beyond that */
	/* What caps kept back is no fact: it goes here at once, or NULL */
	void (*capped)(void *ctx, const char *table, uint64_t dropped);
	void *ctx;
};

void tape_init(struct tape *t, size_t most);
void tape_fini(struct tape *t);

/* Facts into |t|. */
struct flow_sink tape_sink(struct tape *t);

/* Those from byte |from| on, in order, to |sink|. */
void tape_play(const struct tape *t, size_t from, const struct flow_sink *sink);

/* The first |n| bytes have been written. */
void tape_cut(struct tape *t, size_t n);

#endif
