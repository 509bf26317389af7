/* SPDX-License-Identifier: GPL-2.0-or-later
 * Messages that were seen once are replayed: the lines "replay" and
 * "send" of a scenario. */
#ifndef FABSCOPE_SIMULATE_REPLAY_H
#define FABSCOPE_SIMULATE_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simulate/work.h"

struct replay_send {
	struct qp *qp;
	enum msg_op op;
	uint64_t bytes;
	int64_t wait; /* ps from the last thing that it waits for, or from the
		       * begin of the run */
};

struct work *replay_new(struct sim *s, const char *name);
struct work *replay_named(const struct sim *s, const char *name); /* or NULL */
size_t replay_count(const struct work *w);
void replay_add(struct work *w, const struct replay_send *c);
/* The message added last waits until the receiver has all of message |of|, or,
 * with |acked|, its sender knows that.  |of| counts from 0 and is an earlier
 * one. */
void replay_after(struct work *w, size_t of, bool acked);

/* When message |k| was sent first, and was there, in ps; -1 never.  Is it
 * complete? */
bool replay_took(const struct work *w, size_t k, int64_t *first, int64_t *last);

#endif
