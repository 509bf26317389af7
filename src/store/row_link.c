/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts of the link layer as rows. */
#include "store/column.h"
#include "store/row.h"

/* --- pauses --- */

#define P(col, m) COL(col, struct fact_pause, m, PLAIN)
static const struct column pause_columns[] = {
	COL("tap_id", struct fact_pause, tap, FROM_ONE),
	COL("source_mac", struct fact_pause, mac, MAC),
	P("priority", priority),
	P("first_ns", first_ns),
	P("last_ns", last_ns),
	P("xoff_frames", xoff),
	P("xon_frames", xon),
	P("refreshes", refreshes),
	ENUM("ended_by", struct fact_pause, ended_by, pause_end_names),
	P("quanta", quanta),
	P("paused_ns", paused_ns),
	COL("frame", struct fact_pause, frame, ZERO_IS_NULL),
};
#undef P

static const char *pauser_host(const void *fact, char *buf, size_t size)
{
	const struct fact_pauser *p = fact;

	if (!p->has_host || size < ADDR_TEXT)
		return NULL;
	return addr_text(p->host, buf);
}

/* Without a speed it is not known when they should have stopped. */
static int64_t pauser_passed(const void *fact)
{
	const struct fact_pauser *p = fact;

	return p->link_bps ? (int64_t)p->passed : FACT_UNKNOWN;
}

#define P(col, m) COL(col, struct fact_pauser, m, PLAIN)
static const struct column pauser_columns[] = {
	COL("tap_id", struct fact_pauser, tap, FROM_ONE),
	COL("source_mac", struct fact_pauser, mac, MAC),
	P("priority", priority),
	COL("link_bps", struct fact_pauser, link_bps, ZERO_IS_NULL),
	ENUM("role", struct fact_pauser, role, port_role_names),
	SPELT("host", pauser_host),
	COL("peer_mac", struct fact_pauser, peer_mac, MAC),
	P("first_ns", first_ns),
	P("last_ns", last_ns),
	P("pauses", pauses),
	P("xoff_frames", xoff),
	P("xon_frames", xon),
	P("refreshes", refreshes),
	P("ended_by_xon", by_xon),
	P("ended_by_expiry", by_expiry),
	P("quanta", quanta),
	P("quanta_max", quanta_max),
	P("paused_ns", paused_ns),
	P("longest_ns", longest_ns),
	P("seen", seen),
	COMPUTED("passed", pauser_passed),
	P("vague", vague),
	COL("frame", struct fact_pauser, frame, ZERO_IS_NULL),
};
#undef P

/* --- storms --- */

#define S(col, m) COL(col, struct fact_storm, m, PLAIN)
static const struct column storm_columns[] = {
	COL("tap_id", struct fact_storm, tap, FROM_ONE),
	COL("source_mac", struct fact_storm, mac, MAC),
	S("priority", priority),
	S("first_ns", first_ns),
	S("last_ns", last_ns),
	ENUM("level", struct fact_storm, level, storm_level_names),
	S("paused_ns", paused_ns),
	S("longest_ns", longest_ns),
	S("xoff_frames", xoff),
	S("seen", seen),
	S("vague", vague),
	S("frozen", frozen),
	S("standing", standing),
	COL("frame", struct fact_storm, frame, ZERO_IS_NULL),
};
#undef S

/* --- what they did to flows --- */

#define S(col, m) COL(col, struct fact_stall, m, PLAIN)
static const struct column stall_columns[] = {
	S("flow_id", flow),
	COL("tap_id", struct fact_stall, tap, FROM_ONE),
	ENUM("cause", struct fact_stall, cause, stall_cause_names),
	COL("source_mac", struct fact_stall, mac, MAC),
	S("priority", priority),
	S("first_ns", first_ns),
	S("last_ns", last_ns),
	S("paused_ns", paused_ns),
	COL("frame", struct fact_stall, frame, ZERO_IS_NULL),
};
#undef S

/* A time to live is 8 bits. */
static int64_t paused_ttl(const void *fact)
{
	return ((const struct fact_paused_flow *)fact)->ttl;
}

#define F(col, m) COL(col, struct fact_paused_flow, m, PLAIN)
static const struct column paused_flow_columns[] = {
	F("flow_id", flow),
	COL("tap_id", struct fact_paused_flow, tap, FROM_ONE),
	COL("source_mac", struct fact_paused_flow, mac, MAC),
	F("priority", priority),
	ENUM("priority_from", struct fact_paused_flow, priority_from,
	     priority_source_names),
	COMPUTED("ttl", paused_ttl),
	F("governed", governed),
	F("stalls", stalls),
	F("stalled_ns", stalled_ns),
	F("longest_ns", longest_ns),
	F("standing", standing),
};
#undef F

/* --- what ports advertise --- */

#define L(col, m) COL(col, struct fact_lldp, m, PLAIN)
static const struct column lldp_columns[] = {
	COL("tap_id", struct fact_lldp, tap, FROM_ONE),
	COL("source_mac", struct fact_lldp, mac, MAC),
	L("first_ns", first_ns),
	L("last_ns", last_ns),
	L("frames", frames),
	L("frame", frame),
	L("chassis", chassis),
	L("port", port),
	L("system", system),
	L("ttl_s", ttl_s),
	L("dcbx", dcbx),
	L("pfc_willing", pfc_willing),
	L("pfc_cap", pfc_cap),
	L("pfc_enabled", pfc_enabled),
	L("ets_willing", ets_willing),
	L("ets_classes", ets_classes),
	L("ets_tc", ets_tc),
	L("ets_bandwidth", ets_bandwidth),
	L("ets_selection", ets_selection),
	L("applications", applications),
	L("uec", uec),
};
#undef L

/* --- UEC credits --- */

#define C(col, m) COL(col, struct fact_uec_credit, m, PLAIN)
static const struct column uec_credit_columns[] = {
	COL("tap_id", struct fact_uec_credit, tap, FROM_ONE),
	COL("source_mac", struct fact_uec_credit, mac, MAC),
	C("channel", channel),
	C("first_ns", first_ns),
	C("last_ns", last_ns),
	C("updates", updates),
	C("credits", credits),
	C("resets", resets),
	C("stalls", standstills),
	C("stalled_ns", standstill_ns),
	C("longest_ns", longest_ns),
	C("frame", frame),
};
#undef C

#define C(col, m) COL(col, struct fact_uec_credit_bin, m, PLAIN)
static const struct column uec_credit_bin_columns[] = {
	COL("tap_id", struct fact_uec_credit_bin, tap, FROM_ONE),
	COL("source_mac", struct fact_uec_credit_bin, mac, MAC),
	C("channel", channel),
	C("start_ns", start_ns),
	C("width_ns", width_ns),
	C("updates", updates),
	C("credits", credits),
};
#undef C

/* --- storage over TCP --- */

#define N(col, m) COL(col, struct fact_nvme_tcp, m, PLAIN)
static const struct column nvme_tcp_columns[] = {
	COL("tap_id", struct fact_nvme_tcp, tap, FROM_ONE),
	N("src", src),
	N("dst", dst),
	N("src_port", src_port),
	N("dst_port", dst_port),
	N("packets", packets),
	N("bytes", bytes),
	N("first_ns", first_ns),
	N("last_ns", last_ns),
};
#undef N

const struct column_list row_pause = COLUMN_LIST(pause_columns);
const struct column_list row_pauser = COLUMN_LIST(pauser_columns);
const struct column_list row_storm = COLUMN_LIST(storm_columns);
const struct column_list row_stall = COLUMN_LIST(stall_columns);
const struct column_list row_paused_flow = COLUMN_LIST(paused_flow_columns);
const struct column_list row_lldp = COLUMN_LIST(lldp_columns);
const struct column_list row_uec_credit = COLUMN_LIST(uec_credit_columns);
const struct column_list row_uec_credit_bin =
	COLUMN_LIST(uec_credit_bin_columns);
const struct column_list row_nvme_tcp = COLUMN_LIST(nvme_tcp_columns);
