/* SPDX-License-Identifier: GPL-2.0-or-later
 * A capture followed by several threads, each with an engine of its own for
 * some of the pairs of hosts, and made one in the end: docs/scale.md.
 *
 * The thread that reads looks at the addresses only and puts each frame where
 * its pair is followed; nothing is copied. */
#ifndef FABSCOPE_RUN_SHARDS_H
#define FABSCOPE_RUN_SHARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"
#include "flow/core/engine.h"
#include "flow/core/shard.h"

struct shards;

/* |n| threads, up to SHARDS_MOST; both borrowed.  NULL: no memory. */
struct shards *shards_new(unsigned n, const struct engine_options *options,
			  const struct decode_options *decode);
void shards_free(struct shards *s); /* NULL is fine */

/* Frames of a capture whose keeper is shards_keeper(), the first of them with
 * |order|. */
void shards_feed(struct shards *s, const struct frame *frames, size_t n,
		 uint64_t order);
struct capture_keeper shards_keeper(struct shards *s);
/* All that was fed has been followed when it returns. */
void shards_wait(struct shards *s);

/* What came concerns more than pairs of hosts: one engine has to follow it
 * all.  Somebody else may know. */
bool shards_alone(const struct shards *s);
void shards_give_up(struct shards *s);

/* The engine that has followed all; what the others handed out has gone to
 * |sink|.  NULL: as with shards_alone(). */
struct engine *shards_merge(struct shards *s, const struct flow_sink *sink);

/* With these packets something is made known to all engines: see
 * engine_tick(). */
static inline bool shards_tick_at(uint64_t order)
{
	enum { FIRST = 1 << 8, EACH = 1 << 16 };

	return order % EACH == 0 ||
	       (order >= FIRST && order < EACH && !(order & (order - 1)));
}

#endif
