/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts of several capture points as rows. */
#include "flow/core/fact.h"
#include "store/column.h"
#include "store/row.h"

static const struct column tap_half_columns[] = {
	GIVEN_ID("id"),
	COL("half_of", struct fact_half, other, FROM_ONE),
	COL("half_by", struct fact_half, found_by, PLAIN),
	COL("half_why_not", struct fact_half, why_not, PLAIN),
	COL("direction", struct fact_half, side, ZERO_IS_NULL),
};

#define C(col, m) COL(col, struct fact_clock, m, PLAIN)
static const struct column clock_columns[] = {
	COL("tap_id", struct fact_clock, tap, FROM_ONE),
	C("part", part),
	COL("reference_tap_id", struct fact_clock, reference, FROM_ONE),
	COL("against_tap_id", struct fact_clock, against, FROM_ONE),
	C("against_error_ns", against_error_ns),
	C("method", method),
	COL("from_frame", struct fact_clock, from_frame, ZERO_IS_NULL),
	C("from_ns", from_ns),
	C("at_ns", at_ns),
	C("offset_ns", offset_ns),
	C("drift_ppb", drift_ppb),
	C("error_ns", error_ns),
	C("drift_low_ppb", drift_low_ppb),
	C("drift_high_ppb", drift_high_ppb),
	C("packets", packets),
	C("applied", applied),
	C("why", why),
};
#undef C

static int64_t tap_path_ttl(const void *fact)
{
	return ((const struct fact_tap_path *)fact)->ttl;
}

#define T(col, m) COL(col, struct fact_tap_path, m, PLAIN)
static const struct column tap_path_columns[] = {
	T("tap_path_id", tap_path),
	T("hop", hop),
	T("flow_id", flow),
	COL("tap_id", struct fact_tap_path, tap, FROM_ONE),
	COMPUTED("ttl", tap_path_ttl),
	T("packets", packets),
	T("order_from", order_from),
};
#undef T

#define BETWEEN(S)                                                 \
	COL("packets", S, n.packets, PLAIN),                       \
		COL("delay_min_ns", S, n.delay.min, PLAIN),        \
		COL("delay_p50_ns", S, n.delay.p50, PLAIN),        \
		COL("delay_mean_ns", S, n.delay.mean, PLAIN),      \
		COL("delay_p95_ns", S, n.delay.p95, PLAIN),        \
		COL("delay_p99_ns", S, n.delay.p99, PLAIN),        \
		COL("delay_p999_ns", S, n.delay.p999, PLAIN),      \
		COL("delay_max_ns", S, n.delay.max, PLAIN),        \
		COL("lost", S, n.lost, MAX_IS_NULL),               \
		COL("missed_to", S, n.missed_to, MAX_IS_NULL),     \
		COL("missed_from", S, n.missed_from, MAX_IS_NULL), \
		COL("open", S, n.open, MAX_IS_NULL),               \
		COL("marked", S, n.marked, PLAIN),                 \
		COL("trimmed", S, n.trimmed, PLAIN),               \
		COL("corrupted", S, n.damaged, PLAIN),             \
		COL("duplicated", S, n.doubled, PLAIN),            \
		COL("reordered", S, n.reordered, PLAIN),           \
		COL("displaced_max", S, n.displaced_max, PLAIN)

#define S(col, m) COL(col, struct fact_segment, m, PLAIN)
static const struct column segment_columns[] = {
	S("id", id),
	COL("from_tap_id", struct fact_segment, from, FROM_ONE),
	COL("to_tap_id", struct fact_segment, to, FROM_ONE),
	S("adjacent", adjacent),
	S("whole", whole),
	S("flows", flows),
	S("one_in", one_in),
	S("by_icrc", by_icrc),
	BETWEEN(struct fact_segment),
	COL("slowest_frame", struct fact_segment, slowest_frame, ZERO_IS_NULL),
	S("first_ns", first_ns),
	S("last_ns", last_ns),
};
#undef S

#define S(col, m) COL(col, struct fact_segment_flow, m, PLAIN)
static const struct column segment_flow_columns[] = {
	S("segment_id", segment),
	S("flow_id", flow),
	COL("to_flow_id", struct fact_segment_flow, to_flow, ZERO_IS_NULL),
	BETWEEN(struct fact_segment_flow),
	COL("marked_frame", struct fact_segment_flow, marked_frame,
	    ZERO_IS_NULL),
	COL("reordered_frame", struct fact_segment_flow, reordered_frame,
	    ZERO_IS_NULL),
};
#undef S

#define S(col, m) COL(col, struct fact_segment_bin, m, PLAIN)
#define N(col, m) COL(col, struct fact_segment_bin, m, MAX_IS_NULL)
static const struct column segment_bin_columns[] = {
	S("segment_id", segment),
	S("start_ns", start_ns),
	S("width_ns", width_ns),
	S("packets", n.packets),
	N("lost", n.lost),
	N("missed_to", n.missed_to),
	N("missed_from", n.missed_from),
	N("open", n.open),
	S("marked", n.marked),
	S("trimmed", n.trimmed),
	S("corrupted", n.damaged),
	S("duplicated", n.doubled),
	S("reordered", n.reordered),
	S("displaced_max", n.displaced_max),
};
#undef S
#undef N

#define L(col, m) COL(col, struct fact_latency, m, PLAIN)
static const struct column segment_delay_columns[] = {
	L("segment_id", segment),
	L("from_ns", from_ns),
	L("to_ns", to_ns),
	L("count", count),
};
#undef L

#define V(col, m) COL(col, struct fact_unmatched, m, PLAIN)
static const struct column unmatched_columns[] = {
	V("segment_id", segment),
	V("flow_id", flow),
	COL("to_flow_id", struct fact_unmatched, to_flow, ZERO_IS_NULL),
	V("ns", ns),
	COL("tap_id", struct fact_unmatched, tap, FROM_ONE),
	V("frame", frame),
	COL("before_frame", struct fact_unmatched, before_frame, ZERO_IS_NULL),
	COL("retransmit_frame", struct fact_unmatched, retransmitted_frame,
	    ZERO_IS_NULL),
	V("psn", psn),
	ENUM("kind", struct fact_unmatched, kind, unmatched_kind_names),
	ENUM("verdict", struct fact_unmatched, verdict,
	     unmatched_verdict_names),
	V("confidence", confidence),
	V("detail", detail),
};
#undef V

const struct column_list row_tap_half = COLUMN_LIST(tap_half_columns);
const struct column_list row_clock = COLUMN_LIST(clock_columns);
const struct column_list row_tap_path = COLUMN_LIST(tap_path_columns);
const struct column_list row_segment = COLUMN_LIST(segment_columns);
const struct column_list row_segment_flow = COLUMN_LIST(segment_flow_columns);
const struct column_list row_segment_bin = COLUMN_LIST(segment_bin_columns);
const struct column_list row_segment_delay = COLUMN_LIST(segment_delay_columns);
const struct column_list row_unmatched = COLUMN_LIST(unmatched_columns);
