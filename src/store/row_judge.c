/* SPDX-License-Identifier: GPL-2.0-or-later
 * What verdicts on recoveries rest on, as rows: numbers only. */
#include "flow/recovery/judge.h"
#include "store/column.h"

#define J(m) COL(#m, struct fact_judge_flow, m, PLAIN)
static const struct column judge_flow_columns[] = {
	COL("flow_id", struct fact_judge_flow, flow, PLAIN),
#define OF_FLOW(member) J(member),
#define OTHER(name)     J(name),
#include "flow/recovery/judge.def"
#undef OF_FLOW
#undef OTHER
};
#undef J

#define E(m) COL(#m, struct fact_judge_recovery, ev.m, PLAIN)
static const struct column judge_recovery_columns[] = {
	COL("flow_id", struct fact_judge_recovery, flow, PLAIN),
	E(bits),
	E(trigger),
	E(beyond),
	E(proven_ever),
	E(again_before),
	E(answered),
	E(unpaired),
	E(paused),
	E(psn),
	E(high),
	E(nak_psn),
	E(nak_high),
	E(beyond_una),
	E(proven),
	E(rest),
	E(fills),
	E(again),
	E(repeats),
	E(re_acks),
	E(rounds),
	E(lost_min),
	E(lost_max),
	E(tap),
	E(bytes),
	E(lost_ns),
	E(detect_ns),
	E(first_ns),
	E(last_ns),
	E(end_ns),
	E(silence_ns),
	E(spaced_ns),
	E(soonest_ns),
	E(orig_frame),
	E(frame_detect),
	E(frame_first),
	E(frame_last),
	E(orig_ns),
	E(since_ns),
	E(missing_ns),
	E(missed_ns),
	E(ev),
	E(ev_known),
	E(proves),
	E(waited),
	E(acked),
	E(drops),
	E(in_time),
	E(ack_ns),
};
#undef E

#define F(m) COL(#m, struct fact_judge_fill, fill.m, PLAIN)
static const struct column judge_fill_columns[] = {
	COL("flow_id", struct fact_judge_fill, flow, PLAIN),
	F(record),
	F(psn),
	F(n),
	F(ns),
	F(since_ns),
	F(frame),
	F(drops),
	F(again),
};
#undef F

ROW_COLUMNS(judge_flow, judge_flow_columns)
ROW_COLUMNS(judge_recovery, judge_recovery_columns)
ROW_COLUMNS(judge_fill, judge_fill_columns)
