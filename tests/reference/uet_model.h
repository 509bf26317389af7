/* SPDX-License-Identifier: GPL-2.0-or-later
 * A small RUD context that plays by the rules, seen by a tap in the middle.
 *
 * A sends one-packet messages in a window; B takes them in any order and
 * answers each with CACK and SACK.  A sends again what a NACK names or what a
 * timer of its own PSN demands, with the flag.  Packets die, are trimmed or
 * are overtaken before or behind the tap, and the tap itself misses some.
 * What happened to each is counted, so that what the engine says can be judged
 * for any seed. */
#ifndef FABSCOPE_TESTS_REFERENCE_UET_MODEL_H
#define FABSCOPE_TESTS_REFERENCE_UET_MODEL_H

#include <stdint.h>

#include "uet_scene.h"

/* Chances out of 10000. */
struct uet_faults {
	uint32_t lost_before, lost_behind; /* requests, seen from the tap */
	uint32_t late_before, late_behind;
	uint32_t trim_before, trim_behind;
	uint32_t answer_before, answer_behind; /* lost: B-tap, tap-A */
	uint32_t missed;                       /* by the tap, both directions */
};

struct uet_truth {
	uint32_t sent, retransmitted;
	uint32_t retransmitted_seen; /* of these, at the tap */
	uint32_t lost_before, lost_behind;
	uint32_t firsts_before; /* originals lost before the tap */
	uint32_t psns_behind;   /* PSNs of which a copy was lost behind it */
	uint32_t late_before, late_behind;
	uint32_t trimmed_before, trimmed_behind;
	uint32_t missed_requests, missed_answers;
	uint32_t duplicates; /* copies of what B had already */
	uint32_t timeouts;
};

/* Plays |messages| messages on |c|, which starts at its START_PSN. */
struct uet_truth uet_model_play(struct context *c, uint32_t messages,
				const struct uet_faults *faults, uint32_t seed);

#endif
