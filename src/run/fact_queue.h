/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts put by, to be written later: the engine hands them out whenever it
 * likes, the database takes them once a refresh. */
#ifndef FABSCOPE_RUN_FACT_QUEUE_H
#define FABSCOPE_RUN_FACT_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "flow/core/fact.h"

struct fact_queue {
	uint8_t *data;
	size_t n, room, most; /* bytes; most: what there may be */
	uint64_t lost;        /* facts beyond that */
	/* What caps kept back is no fact: it goes here at once, or NULL */
	void (*capped)(void *ctx, const char *table, uint64_t dropped);
	void *ctx;
};

void fact_queue_init(struct fact_queue *t, size_t most);
void fact_queue_fini(struct fact_queue *t);

/* Facts into |t|. */
struct flow_sink fact_queue_sink(struct fact_queue *t);

/* Those from byte |from| on, in order, to |sink|. */
void fact_queue_play(const struct fact_queue *t, size_t from,
		     const struct flow_sink *sink);

/* The first |n| bytes have been written. */
void fact_queue_cut(struct fact_queue *t, size_t n);

#endif
