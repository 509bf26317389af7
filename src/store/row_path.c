/* SPDX-License-Identifier: GPL-2.0-or-later
 * Path telemetry and topology as rows. */
#include <inttypes.h>
#include <stdio.h>

#include "base/topology.h"
#include "flow/core/fact.h"
#include "store/column.h"
#include "store/row.h"

#define SPREAD(S, name, m)                              \
	COL(name "_min_ns", S, m.min, PLAIN),           \
		COL(name "_p50_ns", S, m.p50, PLAIN),   \
		COL(name "_mean_ns", S, m.mean, PLAIN), \
		COL(name "_p99_ns", S, m.p99, PLAIN),   \
		COL(name "_max_ns", S, m.max, PLAIN)

#define H(col, m) COL(col, struct fact_hop, m, PLAIN)
static const struct column hop_columns[] = {
	COL("tap_id", struct fact_hop, tap, FROM_ONE),
	COL("flow_id", struct fact_hop, flow, ZERO_IS_NULL),
	H("device_id", device),
	H("position", position),
	H("ttl", ttl),
	H("ingress_port", ingress),
	H("egress_port", egress),
	H("queue", queue),
	H("packets", packets),
	SPREAD(struct fact_hop, "residence", residence),
	H("congested", congested),
	H("ce", ce),
	H("slowest", slowest),
	H("longest_ns", longest_ns),
	COL("longest_frame", struct fact_hop, longest_frame, ZERO_IS_NULL),
	H("marked_mean_ns", marked_mean_ns),
	H("lost", lost),
	H("lost_mean_ns", lost_mean_ns),
	H("answered", answered),
	H("answer_mean_ns", answer_mean_ns),
	H("answer_follows_pm", answer_follows_pm),
	H("telemetry_id", telemetry_id),
	H("depth_min", depth.min),
	H("depth_p50", depth.p50),
	H("depth_mean", depth.mean),
	H("depth_p99", depth.p99),
	H("depth_max", depth.max),
	COL("depth_id", struct fact_hop, depth_id, ZERO_IS_NULL),
};
#undef H

/* "1>5>3", "?" for a device without a name. */
static const char *path_devices(const void *fact, char *buf, size_t size)
{
	const struct fact_path *f = fact;
	size_t n = 0;

	*buf = 0;
	for (uint32_t i = 0; i < f->n_hops && n < size; i++) {
		const char *between = i ? ">" : "";

		n += (size_t)(f->device[i] < 0 ? snprintf(buf + n, size - n,
							  "%s?", between)
					       : snprintf(buf + n, size - n,
							  "%s%" PRId64, between,
							  f->device[i]));
	}
	return buf;
}

#define P(col, m) COL(col, struct fact_path, m, PLAIN)
static const struct column path_columns[] = {
	COL("tap_id", struct fact_path, tap, FROM_ONE),
	COL("flow_id", struct fact_path, flow, ZERO_IS_NULL),
	SPELT("devices", path_devices),
	P("hops", n_hops),
	P("packets", packets),
	P("ce", ce),
	SPREAD(struct fact_path, "residence", residence),
	P("lost", lost),
	P("answered", answered),
	P("answer_mean_ns", answer_mean_ns),
	P("answer_max_ns", answer_max_ns),
	P("answer_follows_pm", answer_follows_pm),
	P("telemetry_id", telemetry_id),
};
#undef P
#undef SPREAD

#define T(col, m) COL(col, struct fact_telemetry_packet, m, PLAIN)
static const struct column telemetry_packet_columns[] = {
	COL("tap_id", struct fact_telemetry_packet, tap, FROM_ONE),
	T("flow_id", flow),
	T("ns", ns),
	T("frame", frame),
	T("psn", psn),
	ENUM("fate", struct fact_telemetry_packet, fate, telemetry_fate_names),
	T("confidence", confidence),
	T("ce", ce),
	T("hops", hops),
	T("total_ns", total_ns),
	T("residence_ns", kept_ns),
	T("position", position),
	T("device_id", device),
	T("egress_port", egress),
	T("queue", queue),
};
#undef T

static const char *const csig_signals[] = { "abw", "abw_c", "delay", "depth" };

#define G(col, m) COL(col, struct fact_csig, m, PLAIN)
static const struct column csig_columns[] = {
	COL("tap_id", struct fact_csig, tap, FROM_ONE),
	COL("flow_id", struct fact_csig, flow, ZERO_IS_NULL),
	ENUM("signal", struct fact_csig, signal, csig_signals),
	G("type", signal),
	G("locator", locator),
	G("samples", samples),
	G("ce", ce),
	G("value_min", value.min),
	G("value_p50", value.p50),
	G("value_mean", value.mean),
	G("value_max", value.max),
	G("telemetry_id", telemetry_id),
};
#undef G

#define B(col, m) COL(col, struct fact_telemetry_bin, m, PLAIN)
static const struct column telemetry_bin_columns[] = {
	B("telemetry_id", telemetry_id),
	B("start_ns", start_ns),
	B("width_ns", width_ns),
	B("value", value),
	B("value_min", min),
	B("value_max", max),
	B("packets", packets),
	B("ce", ce),
	B("congested", congested),
	B("slowest", slowest),
};
#undef B

/* --- links --- */

#define M(col, m) COL(col, struct fact_flow_tap, m, PLAIN)
static const struct column flow_tap_columns[] = {
	M("flow_id", flow),
	COL("tap_id", struct fact_flow_tap, tap, FROM_ONE),
	M("packets", packets),
	M("bytes", bytes),
	M("first_ns", first_ns),
	M("last_ns", last_ns),
	M("first_port", first_port),
	M("last_port", last_port),
};
#undef M

#define M(col, m) COL(col, struct fact_srv6_path, m, PLAIN)
static const struct column srv6_path_columns[] = {
	M("flow_id", flow),    M("segments", segments),
	M("packets", packets), M("bytes", bytes),
	M("ce", ce),           M("first_ns", first_ns),
	M("last_ns", last_ns),
};
#undef M

#define R(m) COL(#m, struct fact_mrc, m, PLAIN)
static const struct column mrc_columns[] = {
	COL("flow_id", struct fact_mrc, flow, PLAIN),
	R(data),
	R(retransmitted),
	R(acks),
	R(sacks),
	R(skip_once),
	R(always_skip),
	R(nacks),
	R(trimmed),
	R(trimmed_lasthop),
	R(no_bitmap),
	R(no_buffer),
	R(no_resource),
	R(out_of_window),
	R(unexpected),
	R(other_reasons),
	R(probes),
	R(probe_replies),
	R(endpoint_requests),
	R(endpoint_responses),
	R(most_penalty),
};
#undef R

/* It has windows of a hundred packets only when it has as many. */
static int64_t fairness_pm(const void *fact)
{
	const struct fact_spread_over *f = fact;

	return f->fairness < 0 ? FACT_UNKNOWN : (int64_t)(1000 * f->fairness);
}

#define S(col, m) COL(col, struct fact_spread_over, m, PLAIN)
static const struct column spread_over_columns[] = {
	S("flow_id", flow),
	S("links", links),
	S("moves", moves),
	S("burst_packets", burst_packets),
	S("burst_moves", burst_moves),
	S("idle_ns", idle_ns),
	S("idles", idles),
	S("idle_moves", idle_moves),
	COMPUTED("fairness_pm", fairness_pm),
};
#undef S

const struct column_list row_flow_tap = COLUMN_LIST(flow_tap_columns);
const struct column_list row_srv6_path = COLUMN_LIST(srv6_path_columns);
const struct column_list row_mrc = COLUMN_LIST(mrc_columns);
const struct column_list row_spread_over = COLUMN_LIST(spread_over_columns);
const struct column_list row_hop = COLUMN_LIST(hop_columns);
const struct column_list row_path = COLUMN_LIST(path_columns);
const struct column_list row_telemetry_packet =
	COLUMN_LIST(telemetry_packet_columns);
const struct column_list row_telemetry_bin = COLUMN_LIST(telemetry_bin_columns);
const struct column_list row_csig = COLUMN_LIST(csig_columns);

/* --- the topology file --- */

static const char *node_kind(const void *fact, char *buf, size_t size)
{
	const struct topology_node *n = fact;

	(void)buf;
	(void)size;
	return n->is_switch ? "switch" : "host";
}

#define N(col, m, r) COL(col, struct topology_node, m, r)
static const struct column node_columns[] = {
	N("name", name, PLAIN),
	SPELT("kind", node_kind),
	N("device_id", device, NEGATIVE_IS_NULL),
	N("queue_unit", unit, NEGATIVE_IS_NULL),
	N("rail", rail, NEGATIVE_IS_NULL),
	N("attached", attached, PLAIN),
	N("server", server, PLAIN),
	N("pod", pod, PLAIN),
	N("storage", storage, NEGATIVE_IS_NULL),
	N("agent", agent, PLAIN),
};
#undef N

static const struct column node_address_columns[] = {
	COL("address", struct row_address, addr, PLAIN),
	COL("node", struct row_address, node, PLAIN),
};

static const struct column node_port_columns[] = {
	COL("node", struct topology_port, node, PLAIN),
	COL("port", struct topology_port, number, PLAIN),
	COL("name", struct topology_port, name, PLAIN),
};

static const struct column sheet_columns[] = {
	COL("name", struct sheet_fact, name, PLAIN),
	COL("key", struct sheet_fact, key, PLAIN),
	COL("part", struct sheet_fact, part, PLAIN),
	COL("title", struct sheet_fact, title, PLAIN),
	COL("value", struct sheet_fact, value, PLAIN),
};

static const struct column link_columns[] = {
	COL("a", struct topology_link, a, PLAIN),
	COL("b", struct topology_link, b, PLAIN),
	COL("a_port", struct topology_link, a_port, PLAIN),
	COL("b_port", struct topology_link, b_port, PLAIN),
	COL("speed_bps", struct topology_link, speed_bps, ZERO_IS_NULL),
};

static const char *const roles[] = {
	[ROLE_UNKNOWN] = NULL,
	[ROLE_INGRESS] = "ingress-mirror",
	[ROLE_EGRESS] = "egress-mirror",
	[ROLE_TAP] = "tap",
};

static const struct column tap_link_columns[] = {
	GIVEN_ID("id"),
	COL("from_node", struct topology_tap, from, PLAIN),
	COL("to_node", struct topology_tap, to, PLAIN),
	COL("from_port", struct topology_tap, from_port, PLAIN),
	COL("to_port", struct topology_tap, to_port, PLAIN),
	COL("both_ways", struct topology_tap, both, PLAIN),
	ENUM("role", struct topology_tap, role, roles),
};

static const struct column link_group_columns[] = {
	GIVEN_ID("id"),
	COL("name", struct row_group, name, PLAIN),
	COL("source", struct row_group, source, PLAIN),
	COL("members", struct row_group, members, ZERO_IS_NULL),
};

static const struct column link_member_columns[] = {
	GIVEN_ID("group_id"),
	COL("member", struct row_member, member, PLAIN),
	COL("tap_id", struct row_member, tap_id, NEGATIVE_IS_NULL),
};

const struct column_list row_node = COLUMN_LIST(node_columns);
const struct column_list row_node_address = COLUMN_LIST(node_address_columns);
const struct column_list row_node_port = COLUMN_LIST(node_port_columns);
const struct column_list row_sheet = COLUMN_LIST(sheet_columns);
const struct column_list row_link = COLUMN_LIST(link_columns);
const struct column_list row_tap_link = COLUMN_LIST(tap_link_columns);
const struct column_list row_link_group = COLUMN_LIST(link_group_columns);
const struct column_list row_link_member = COLUMN_LIST(link_member_columns);
