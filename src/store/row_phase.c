/* SPDX-License-Identifier: GPL-2.0-or-later
 * Jobs and phases as rows: src/phase. */
#include "phase/phase.h"
#include "store/column.h"

#define J(col, m) COL(col, struct phase_job, m, PLAIN)
static const struct column job_columns[] = {
	J("id", id),
	J("uet_job_id", uet_job),
	J("ranks", ranks),
	J("ranks_tapped", ranks_tapped),
	J("rails", rails),
	J("flows", flows),
	J("bytes", bytes),
	J("first_ns", first_ns),
	J("last_ns", last_ns),
	J("whole", whole),
	J("iterations", iterations),
	J("why_not", why_not),
	J("confidence", confidence),
	J("idle_threshold_ns", idle_threshold_ns),
	J("period_ns", period_ns),
	J("period_peak", period_peak),
	J("phases", phases),
	ENUM("pattern", struct phase_job, pattern, phase_pattern_names),
	J("pattern_confidence", pattern_confidence),
	J("collective", collective),
	J("collective_confidence", collective_confidence),
	J("jct_ns", jct_ns),
	J("comm_ns", comm_ns),
	J("phase_p50_ns", phase_p50_ns),
	J("compute_ns", compute_ns),
	J("rank_bytes", rank_bytes),
	J("rate_bps", rate_bps),
	J("rate_source", rate_source),
	J("busbw_p50_bps", busbw_p50_bps),
	J("links_seen", links_seen),
	J("stamp_ns", stamp_ns),
	J("uneven_ns", uneven_ns),
};
#undef J

#define R(col, m) COL(col, struct phase_rank, m, PLAIN)
static const struct column rank_columns[] = {
	R("job", job),
	R("rank", rank),
	R("address", address),
	R("rail", rail),
	R("tapped", tapped),
	R("bytes_out", bytes_out),
	R("bytes_in", bytes_in),
	R("flows", flows),
	R("phases", phases),
	R("residual_ns", residual_ns),
	R("spread_ns", spread_ns),
	R("late_phases", late_phases),
	R("late_ns", late_ns),
	R("straggler", straggler),
	R("stage_ns", stage_ns),
};
#undef R

#define G(col, m) COL(col, struct phase_group, m, PLAIN)
static const struct column group_columns[] = {
	G("job", job),
	G("grp", group),
	ENUM("kind", struct phase_group, kind, phase_group_kinds),
	G("address", address),
};
#undef G

#define P(col, m) COL(col, struct phase, m, PLAIN)
static const struct column phase_columns[] = {
	P("id", id),
	P("job", job),
	P("iteration", iteration),
	P("first_ns", first_ns),
	P("last_ns", last_ns),
	P("gap_ns", gap_ns),
	ENUM("pattern", struct phase, pattern, phase_pattern_names),
	P("confidence", confidence),
	P("bytes", bytes),
	P("ranks", ranks),
	P("busbw_bps", busbw_bps),
	P("cut", cut),
	P("slow", slow),
	P("late_rank", late_rank),
	P("late_ns", late_ns),
};
#undef P

#define K(col, m) COL(col, struct phase_rank_row, m, PLAIN)
static const struct column phase_rank_columns[] = {
	K("phase_id", phase),
	K("rank", rank),
	K("start_ns", start_ns),
	K("end_ns", end_ns),
	K("bytes_out", bytes_out),
	K("bytes_in", bytes_in),
	K("late_start_ns", late_start_ns),
	K("late_end_ns", late_end_ns),
	K("residual_ns", residual_ns),
};
#undef K

#define SHARE(S)                                           \
	ENUM("class", S, share, phase_share_classes),      \
		ENUM("side", S, share, phase_share_sides), \
		ENUM("measured", S, share, phase_share_measures)

#define F(col, m) COL(col, struct phase_flow_row, m, PLAIN)
static const struct column phase_flow_columns[] = {
	F("phase_id", phase),
	F("flow_id", flow),
	SHARE(struct phase_flow_row),
	F("time_ns", time_ns),
};
#undef F

#define S(col, m) COL(col, struct phase_share_row, m, PLAIN)
static const struct column phase_share_columns[] = {
	S("job", job),
	S("phase_id", phase),
	S("gap", gap),
	SHARE(struct phase_share_row),
	S("flow_id", flow),
	S("rank", rank),
	S("other_flow_id", other),
	S("time_ns", time_ns),
};
#undef S

#define M(col, m) COL(col, struct phase_message_row, m, PLAIN)
static const struct column message_time_columns[] = {
	M("message_id", message),
	SHARE(struct phase_message_row),
	M("time_ns", time_ns),
};
#undef M

#define W(col, m) COL(col, struct phase_window_row, m, PLAIN)
static const struct column collective_time_columns[] = {
	W("collective_id", window),
	W("job", job),
	W("flow_id", flow),
	W("rank", rank),
	SHARE(struct phase_window_row),
	W("time_ns", time_ns),
};
#undef W

ROW_COLUMNS(job, job_columns)
ROW_COLUMNS(job_rank, rank_columns)
ROW_COLUMNS(job_group, group_columns)
ROW_COLUMNS(phase, phase_columns)
ROW_COLUMNS(phase_rank, phase_rank_columns)
ROW_COLUMNS(phase_flow, phase_flow_columns)
ROW_COLUMNS(phase_share, phase_share_columns)
ROW_COLUMNS(message_time, message_time_columns)
ROW_COLUMNS(collective_time, collective_time_columns)
