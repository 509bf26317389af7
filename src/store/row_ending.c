/* SPDX-License-Identifier: GPL-2.0-or-later
 * How queue pairs ended, as rows. */
#include "flow/core/fact.h"
#include "store/column.h"

static int64_t ending_last(const void *fact)
{
	const struct fact_ending *e = fact;

	return e->last_ns > e->refused_ns ? e->last_ns : e->refused_ns;
}

#define E(col, m)  COL(col, struct fact_ending, m, PLAIN)
#define E0(col, m) COL(col, struct fact_ending, m, ZERO_IS_NULL)
static const struct column ending_columns[] = {
	E("flow_id", flow),
	COL("tap_id", struct fact_ending, tap, FROM_ONE),
	E("psn", psn),
	E("first_psn", first),
	E("next_psn", next),
	E("mid_stream", mid_stream),
	E("opcode", opcode),
	E("payload", payload),
	E("length", wanted),
	E("acknowledged", acked),
	E("tries", tries),
	E0("first_ns", first_ns),
	COMPUTED("last_ns", ending_last),
	E("shortest_ns", shortest_ns),
	E("longest_ns", longest_ns),
	E0("frame_first", frame_first),
	E0("frame_last", frame_last),
	E("refusals", refusals),
	E0("syndrome", syndrome),
	E0("refused_ns", refused_ns),
	E("rnr_wait_ns", rnr_wait_ns),
	E0("frame_refused", frame_refused),
	E("answered_ns", answered_ns),
	E("end_ns", end_ns),
};
#undef E
#undef E0

const struct column_list row_ending = COLUMN_LIST(ending_columns);
