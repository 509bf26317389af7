/* SPDX-License-Identifier: GPL-2.0-or-later
 * A small RC connection that plays by the rules, seen by a tap in the middle.
 *
 * A sends one-packet WRITEs in a window and goes back N after a NAK or a
 * timeout; B takes them in order only.  Packets die or are overtaken before or
 * behind the tap, and the tap itself misses some.  What happened to each is
 * counted, so that what the engine says can be judged for any seed. */
#ifndef FABSCOPE_TESTS_REFERENCE_MODEL_H
#define FABSCOPE_TESTS_REFERENCE_MODEL_H

#include <stdint.h>

#include "scene.h"

/* Chances out of 10000. */
struct model_faults {
	uint32_t lost_before, lost_behind; /* requests, seen from the tap */
	uint32_t late_before, late_behind;
	uint32_t answer_before, answer_behind; /* answers lost: B-tap, tap-A */
	uint32_t missed;                       /* by the tap, both directions */
};

struct model_truth {
	uint32_t sent, retransmitted; /* by A */
	uint32_t retransmitted_seen;  /* of these, at the tap */
	uint32_t lost_before, lost_behind, late_before, late_behind;
	uint32_t answers_lost;
	uint32_t missed_requests, missed_answers;
	uint32_t missed_and_lost_behind;
	uint32_t duplicates; /* what B had taken already */
	uint32_t timeouts;
	uint32_t distinct_naks; /* PSNs asked for, at the tap */
};

/* Plays |messages| messages from PSN |first| on |p| into its scene. */
struct model_truth model_play(struct pair *p, uint32_t first, uint32_t messages,
			      const struct model_faults *faults, uint32_t seed);

#endif
