/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a verdict rests on, as facts: with them the recoveries of a flow can be
 * decided about once more, when rules or assumptions have changed.  The engine
 * hands them out, and judge_flow() decides by the same code. */
#ifndef FABSCOPE_FLOW_RECOVERY_JUDGE_H
#define FABSCOPE_FLOW_RECOVERY_JUDGE_H

#include <stddef.h>
#include <stdint.h>

#include "flow/core/engine.h"
#include "flow/core/fact.h"
#include "flow/recovery/evidence.h"

/* The statistics of a flow that has recoveries. */
struct fact_judge_flow {
	uint32_t flow; /* fact_flow.id */
#define OF_FLOW(member) int64_t member;
#define OTHER(name)     int64_t name;
#include "flow/recovery/judge.def"
#undef OF_FLOW
#undef OTHER
};

/* One of its recoveries, in their order. */
struct fact_judge_recovery {
	uint32_t flow;
	struct evidence ev;
};

/* And the PSNs that it filled: of the recovery |fill.record|, from 0. */
struct fact_judge_fill {
	uint32_t flow;
	struct fill fill;
};

/* All of one flow. */
struct judge_case {
	struct fact_judge_flow flow;
	struct evidence *ev;
	struct fill *fill;
	uint32_t n, n_fills;
	uint16_t events[EVENT_KIND_COUNT]; /* its rows so far */
};

/* With an engine that is |judging|: what its verdicts rest on of a tap. */
void judge_tap(struct engine *e, uint32_t tap, uint64_t asked_for,
	       uint64_t missing);
/* Hands out events and recoveries; |row|, with what identifies the flow, gets
 * the counters that follow from them.  |c|'s lists are used up.  -1: no memory.
 */
int judge_flow(struct engine *e, struct judge_case *c, struct fact_flow *row);

#endif
