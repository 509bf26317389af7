/* SPDX-License-Identifier: GPL-2.0-or-later
 * What vectors of the critical path that are worked out by hand have in common.
 *
 * A ring of four, three steps an iteration: 100 kB take 10 us at 80 Gb/s and
 * need 2 us to the next rank, which passes them on 8 us later.  An iteration is
 * 12 + 8 + 12 + 8 + 12 = 52 us, and 200 us behind its end a rank begins the
 * next.  What is done to one of them is all that differs. */
#ifndef RING_H
#define RING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "phase/phase.h"

#define US 1000

enum { RANKS = 4, STEPS = 3, ROUNDS = 8, CHUNK = 100000 };

struct world {
	struct phase_activity a[RANKS][ROUNDS * STEPS];
	struct phase_flow flows[3 * RANKS + 1]; /* and of another job */
	struct phase_host hosts[RANKS + 1];
	struct phase_activity other;
	int64_t late[RANKS][ROUNDS];
	int64_t slow[RANKS][ROUNDS * STEPS];   /* longer to send */
	int64_t queued[RANKS][ROUNDS * STEPS]; /* longer on its way */
	int64_t waits[RANKS][ROUNDS * STEPS];  /* longer to begin */
	struct phase_input in;
};

/* Plays the ring. */
void play(struct world *w);

/* ---- what is said of it ---- */

struct heard {
	struct phase_job job;
	struct phase phase[2 * ROUNDS];
	size_t phases;
	/* by phase, inside and before it; and without phases */
	int64_t sum[2 * ROUNDS][2], whole;
	int64_t share[SHARE_COUNT];
	int64_t rank[RANKS];   /* that a host was late */
	bool straggler[RANKS]; /* ... again and again */
};

/* What is said of |w|; to be freed.  All shares add up. */
struct heard *hear(struct world *w);
int64_t of_side(const struct heard *h, const char *side);
void nothing_was_wrong(const struct heard *h);

#endif
