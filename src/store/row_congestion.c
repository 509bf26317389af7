/* SPDX-License-Identifier: GPL-2.0-or-later
 * Congestion as rows. */
#include "flow/core/fact.h"
#include "store/column.h"

#define N(col, m) COL(col, struct fact_cnp, m, PLAIN)
static const struct column cnp_columns[] = {
	N("ns", ns),
	COL("tap_id", struct fact_cnp, tap, FROM_ONE),
	COL("frame", struct fact_cnp, frame, ZERO_IS_NULL),
	COL("flow_id", struct fact_cnp, flow, ZERO_IS_NULL),
	ENUM("attribution", struct fact_cnp, attribution,
	     cnp_attribution_names),
	N("receiver", src),
	N("sender", dst),
	N("qp", qp),
	N("latency_min_ns", latency_min_ns),
	N("latency_max_ns", latency_max_ns),
	N("marks", marks),
	N("clean", clean),
	N("rate_before_bps", rate_before_bps),
	N("rate_after_bps", rate_after_bps),
	N("window_before_ns", window_before_ns),
	N("window_after_ns", window_after_ns),
	ENUM("reaction", struct fact_cnp, reaction, cnp_reaction_names),
	N("detail", detail),
};
#undef N

#define G(col, m) COL(col, struct fact_congestion, m, PLAIN)
static const struct column congestion_columns[] = {
	G("flow_id", flow),
	G("first_mark_ns", first_mark_ns),
	G("last_mark_ns", last_mark_ns),
	G("first_cnp_ns", first_cnp_ns),
	G("last_cnp_ns", last_cnp_ns),
	G("marks", marks),
	G("cnps", cnps),
	G("clean", clean),
	G("unexplained", unexplained),
	G("reacted", reacted),
	G("not_reacted", not_reacted),
	G("inconclusive", inconclusive),
	G("ignored", ignored),
	G("rate_start_bps", rate_start_bps),
	G("rate_low_bps", rate_low_bps),
	G("rate_end_bps", rate_end_bps),
	G("shared", shared),
};
#undef G

#define P(col, m) COL(col, struct fact_pacing, m, PLAIN)
static const struct column pacing_columns[] = {
	COL("tap_id", struct fact_pacing, tap, FROM_ONE),
	P("receiver", receiver),
	ENUM("scope", struct fact_pacing, scope, pacing_scope_names),
	P("inferred", inferred),
	P("entities", entities),
	P("cnps", cnps),
	P("marks", marks),
	P("gaps", gaps),
	P("gap_min_ns", gap_min_ns),
	P("gap_p1_ns", gap_p1_ns),
	P("gap_p50_ns", gap_p50_ns),
	P("near", near),
	P("expected", expected),
	P("observed", observed),
};
#undef P

const struct column_list row_cnp = COLUMN_LIST(cnp_columns);
const struct column_list row_congestion = COLUMN_LIST(congestion_columns);
const struct column_list row_pacing = COLUMN_LIST(pacing_columns);
