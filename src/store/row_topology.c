/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the topology file says as rows. */
#include "base/topology.h"
#include "store/column.h"
#include "store/row.h"

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

ROW_COLUMNS(node, node_columns)
ROW_COLUMNS(node_address, node_address_columns)
ROW_COLUMNS(node_port, node_port_columns)
ROW_COLUMNS(sheet, sheet_columns)
ROW_COLUMNS(link, link_columns)
ROW_COLUMNS(tap_link, tap_link_columns)
ROW_COLUMNS(link_group, link_group_columns)
ROW_COLUMNS(link_member, link_member_columns)
