/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts as rows.
 *
 * One line per column: its name, the member of the fact it comes from, and
 * what else must be known to write it.  How the member is read follows from
 * its C type, so that the two cannot disagree. */
#include "store/row.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "capture/capture.h"
#include "decode/packet.h"
#include "store/column.h"

/* --- meta, capture, damage, tap --- */

static const struct column meta_columns[] = {
	COL("key", struct row_pair, key, PLAIN),
	COL("value", struct row_pair, text, PLAIN),
};
const struct column_list row_meta = COLUMN_LIST(meta_columns);

static const struct column cap_columns[] = {
	COL("table_name", struct row_pair, key, PLAIN),
	COL("not_stored", struct row_pair, number, PLAIN),
};
const struct column_list row_cap = COLUMN_LIST(cap_columns);

static int64_t capture_first(const void *fact)
{
	const struct capture_file *f = fact;

	return f->packets ? f->first_ns : FACT_UNKNOWN;
}

static int64_t capture_last(const void *fact)
{
	const struct capture_file *f = fact;

	return f->packets ? f->last_ns : FACT_UNKNOWN;
}

/* What is missing at the end is not corrupted. */
static int64_t capture_corrupted(const void *fact)
{
	const struct capture_file *f = fact;

	return (int64_t)(f->damage_count - f->cut);
}

static int64_t capture_cut(const void *fact)
{
	return ((const struct capture_file *)fact)->cut > 0;
}

#define C(col, m) COL(col, struct capture_file, m, PLAIN)
static const struct column capture_columns[] = {
	GIVEN_ID("id"),
	C("path", path),
	C("format", format),
	C("packets", packets),
	C("bytes", bytes),
	COMPUTED("first_ns", capture_first),
	COMPUTED("last_ns", capture_last),
	COMPUTED("damaged_ranges", capture_corrupted),
	C("skipped_packets", skipped),
	C("filtered_packets", filtered),
	COMPUTED("cut", capture_cut),
};
const struct column_list row_capture = COLUMN_LIST(capture_columns);
#undef C

static const struct column damage_columns[] = {
	GIVEN_ID("capture_id"),
	COL("from_byte", struct capture_damage, from, PLAIN),
	COL("to_byte", struct capture_damage, to, PLAIN),
	COL("why", struct capture_damage, why, PLAIN),
};
const struct column_list row_damage = COLUMN_LIST(damage_columns);

static int64_t tap_first(const void *fact)
{
	const struct capture_tap *t = fact;

	return t->packets ? t->first_ns : FACT_UNKNOWN;
}

static int64_t tap_last(const void *fact)
{
	const struct capture_tap *t = fact;

	return t->packets ? t->last_ns : FACT_UNKNOWN;
}

/* Of no step back there is neither. */
static int64_t tap_back_from(const void *fact)
{
	const struct capture_tap *t = fact;

	return t->back_from != t->back_to ? t->back_from : FACT_UNKNOWN;
}

static int64_t tap_back_to(const void *fact)
{
	const struct capture_tap *t = fact;

	return t->back_from != t->back_to ? t->back_to : FACT_UNKNOWN;
}

#define T(col, m, r) COL(col, struct capture_tap, m, r)
static const struct column tap_columns[] = {
	GIVEN_ID("id"),
	T("capture_id", file, FROM_ONE),
	T("name", name, PLAIN),
	T("interface", interface, PLAIN),
	T("speed_bps", speed_bps, ZERO_IS_NULL),
	T("snaplen", snaplen, ZERO_IS_NULL),
	T("linktype", linktype, PLAIN),
	T("packets", packets, PLAIN),
	COMPUTED("first_ns", tap_first),
	COMPUTED("last_ns", tap_last),
	T("received_reported", received, MAX_IS_NULL),
	T("dropped_reported", dropped, MAX_IS_NULL),
	T("timestamp_regressions", regressions, PLAIN),
	COMPUTED("back_from_ns", tap_back_from),
	COMPUTED("back_to_ns", tap_back_to),
};
const struct column_list row_capture_tap = COLUMN_LIST(tap_columns);
#undef T

/* What the mirror's numbering says is known only where there is one. */
static int64_t mirror_seq_lost(const void *fact)
{
	const struct fact_tap *t = fact;

	return t->mirror_seq_seen ? (int64_t)t->mirror_seq_lost : FACT_UNKNOWN;
}

#define T(col, m) COL(col, struct fact_tap, m, PLAIN)
static const struct column tap_flow_columns[] = {
	COL("id", struct fact_tap, tap, FROM_ONE),
	T("mirror_duplicates", mirror_duplicates),
	T("holes_asked_for", holes_asked_for),
	T("holes_missing", holes_missing),
	T("place", place),
	T("packets_roce", by_kind[PACKET_ROCE]),
	T("packets_cnp", by_kind[PACKET_CNP]),
	T("packets_uet", by_kind[PACKET_UET]),
	T("packets_not_uet", by_kind[PACKET_NOT_UET]),
	T("packets_pfc", by_kind[PACKET_PFC]),
	T("packets_pause", by_kind[PACKET_PAUSE]),
	T("packets_lldp", by_kind[PACKET_LLDP]),
	T("packets_other", by_kind[PACKET_OTHER]),
	T("packets_unreadable", by_kind[PACKET_UNREADABLE]),
	T("truncated", by_status[PACKET_TRUNCATED]),
	T("malformed", by_status[PACKET_MALFORMED]),
	T("fragments", by_status[PACKET_FRAGMENT]),
	T("unknown_opcodes", unknown_opcodes),
	T("reserved_set", reserved_set),
	T("mirror_seq_seen", mirror_seq_seen),
	COMPUTED("mirror_seq_lost", mirror_seq_lost),
	T("icrc_good", icrc_good),
	T("icrc_bad", icrc_bad),
	T("icrc_unchecked", icrc_unchecked),
	T("ect", ect),
	T("ce", ce),
	T("nic_sniffer", nic_sniffer),
	T("spray_suspect", spray_suspect),
	COL("uet_unnamed_port", struct fact_tap, unknown_port, ZERO_IS_NULL),
	COL("packets_uet_unnamed", struct fact_tap, on_unknown_port, PLAIN),
};
const struct column_list row_tap = COLUMN_LIST(tap_flow_columns);
#undef T

/* --- flow --- */

static const char *const pairings[] = {
	[PAIRING_NONE] = NULL,     [PAIRING_CM] = "cm",
	[PAIRING_SPORT] = "sport", [PAIRING_READ] = "read",
	[PAIRING_ACK] = "ack",     [PAIRING_ASSUMED] = "assumed",
	[PAIRING_PDCID] = "pdcid", [PAIRING_IN_STEP] = "order",
};
const char *const row_visibility_names[VISIBLE_BOTH + 1] = {
	[VISIBLE_FWD] = "fwd",
	[VISIBLE_REV] = "rev",
	[VISIBLE_BOTH] = "both",
};
static const char *const recoveries[] = {
	[RECOVERY_UNKNOWN] = NULL,
	[RECOVERY_GBN] = "gbn",
	[RECOVERY_SR] = "sr",
	[RECOVERY_OOO] = "ooo",
	[RECOVERY_GO_BACK_0] = "go_back_0",
};

/* Counters of which one that is not zero makes a flow one with problems.  Not
 * among them: what happened to the copies only (capture loss, mirror
 * duplicates), and marks. */
static const uint16_t recovery_state_members[] = {
#define M(m) offsetof(struct fact_flow, m)
	M(lost_upstream),
	M(lost_downstream_min),
	M(lost_downstream_max),
	M(corrupted),
	M(unresolved),
	M(reordered),
	M(retransmitted),
	M(spurious),
	M(timeouts),
	M(nak_seq),
	M(nak_fatal),
	M(rnr_nak),
	M(implied_nak),
	M(duplicates),
	M(ack_lost),
	M(credit_stalls),
	M(trimmed),
	M(icrc_bad),
	M(recoveries),
#undef M
};

static int64_t is_recovering(const void *fact)
{
	const size_t n =
		sizeof recovery_state_members / sizeof *recovery_state_members;
	const struct fact_flow *f = fact;

	for (size_t i = 0; i < n; i++) {
		const char *at = (const char *)fact + recovery_state_members[i];

		if (recovery_state_members[i] ==
			    offsetof(struct fact_flow, reordered) &&
		    (f->transport == FLOW_UET_RUD ||
		     f->transport == FLOW_UET_RUDI))
			continue; /* any order is as good */
		/* FACT_UNKNOWN is negative */
		if (*(const int64_t *)(const void *)at > 0)
			return 1;
	}
	return 0;
}

/* Of what is encrypted nobody counts messages, or tells data from copies. */
int64_t row_readable(const struct fact_flow *f, uint64_t n)
{
	return f->transport == FLOW_UET_TSS ? FACT_UNKNOWN : (int64_t)n;
}

#define READABLE(m)                                   \
	static int64_t readable_##m(const void *fact) \
	{                                             \
		const struct fact_flow *f = fact;     \
                                                      \
		return row_readable(f, f->m);         \
	}
READABLE(goodput_bytes)
READABLE(messages)
READABLE(messages_completed)
READABLE(messages_incomplete)
#undef READABLE

#define F(col, m)        COL(col, struct fact_flow, m, PLAIN)
#define F0(col, m)       COL(col, struct fact_flow, m, ZERO_IS_NULL)
#define FE(col, m, list) ENUM(col, struct fact_flow, m, list)
static const struct column flow_columns[] = {
	F("id", id),
	COL("tap_id", struct fact_flow, tap, FROM_ONE),
	COMPUTED("impaired", is_recovering),
	FE("transport", transport, flow_transport_names),
	F("src", src),
	F("dst", dst),
	F("dst_qp", dst_qp),
	F("src_qp", src_qp),
	F("spdcid", spdcid),
	F("dpdcid", dpdcid),
	F("job_id", job_id),
	F("epoch", epoch),
	F0("peer_flow_id", peer),
	FE("pairing", pairing, pairings),
	F0("pairing_confidence", pairing_confidence),
	FE("visibility", visibility, row_visibility_names),
	FE("recovery", recovery, recoveries),
	F("spray_suspect", spray_suspect),
	F("udp_sports", udp_sports),
	F("udp_sport", udp_sport),
	F("sport_changes", sport_changes),
	COL("src_mac", struct fact_flow, src_mac, MAC),
	COL("dst_mac", struct fact_flow, dst_mac, MAC),
	F0("pmtu", pmtu),
	F("first_psn", first_psn),
	F("first_ns", first_ns),
	F("last_ns", last_ns),
	F("packets", packets),
	F("bytes", bytes),
	F("payload_bytes", payload_bytes),
	COMPUTED("goodput_bytes", readable_goodput_bytes),
	F("requests", requests),
	F("responses", responses),
	COMPUTED("messages", readable_messages),
	COMPUTED("messages_completed", readable_messages_completed),
	COMPUTED("messages_incomplete", readable_messages_incomplete),
	F("expected", expected),
	F("lost_upstream", lost_upstream),
	F("lost_downstream_min", lost_downstream_min),
	F("lost_downstream_max", lost_downstream_max),
	F("corrupted", corrupted),
	F("capture_missing", capture_missing),
	F("unresolved", unresolved),
	F("reordered", reordered),
	F("reorder_extent_max", reorder_extent_max),
	F("reorder_late_ns_max", reorder_late_ns_max),
	F("reorder_events", reorder_events),
	F("retransmitted", retransmitted),
	F("retransmitted_bytes", retransmitted_bytes),
	F("spurious", spurious),
	F("timeouts", timeouts),
	F("nak_seq", nak_seq),
	F("nak_fatal", nak_fatal),
	F("rnr_nak", rnr_nak),
	F("implied_nak", implied_nak),
	F("duplicates", duplicates),
	F("ack_lost", ack_lost),
	F("mirror_duplicates", mirror_duplicates),
	F("credit_stalls", credit_stalls),
	F("ect", ect),
	F("ce", ce),
	F("cnp", cnp),
	F("ect_data", ect_data),
	F("ce_data", ce_data),
	F("not_ect_data", not_ect_data),
	F("dscp", dscp),
	F("dscp_bare", dscp_bare),
	F("dscp_cnp", dscp_cnp),
	F("pcp", pcp),
	F("service_other", service_other),
	F("ttl", ttl),
	F("trimmed", trimmed),
	F("icrc_good", icrc_good),
	F("icrc_bad", icrc_bad),
	F("recoveries", recoveries),
	F("recovery_ns", recovery_ns),
	F("latency_min_ns", latency_min_ns),
	F("latency_mean_ns", latency_mean_ns),
	F("latency_max_ns", latency_max_ns),
	F("rtt_sender_ns", rtt_sender_ns),
	F("rtt_receiver_ns", rtt_receiver_ns),
	F("ack_timeout_code", ack_timeout_code),
	F("retry_count", retry_count),
	F("rnr_retry", rnr_retry),
};
const struct column_list row_flow = COLUMN_LIST(flow_columns);
#undef F
#undef F0
#undef FE

/* --- event, message, recovery --- */

#define E(col, m) COL(col, struct fact_event, m, PLAIN)
static const struct column event_columns[] = {
	E("ns", ns),
	COL("tap_id", struct fact_event, tap, FROM_ONE),
	COL("flow_id", struct fact_event, flow, ZERO_IS_NULL),
	COL("frame", struct fact_event, frame, ZERO_IS_NULL),
	ENUM("kind", struct fact_event, kind, event_kind_names),
	E("psn", psn),
	E("count", count),
	E("value", value),
	E("confidence", confidence),
	E("detail", detail),
	COL("decided", struct fact_event, decided, ZERO_IS_NULL),
};
const struct column_list row_event = COLUMN_LIST(event_columns);
#undef E

static const char *const message_ops[] = {
	[MESSAGE_SEND] = "send",   [MESSAGE_WRITE] = "write",
	[MESSAGE_READ] = "read",   [MESSAGE_ATOMIC] = "atomic",
	[MESSAGE_FLUSH] = "flush", [MESSAGE_ATOMIC_WRITE] = "atomic_write",
};
static const char *const message_statuses[] = {
	[MESSAGE_COMPLETE] = "complete",
	[MESSAGE_UNACKED] = "unacked",
	[MESSAGE_CAPTURE_GAP] = "capture_gap",
	[MESSAGE_LOST] = "lost",
	[MESSAGE_CUT] = "cut",
	[MESSAGE_QP_ERROR] = "qp_error",
	[MESSAGE_ABORTED] = "aborted",
};

#define M(col, m) COL(col, struct fact_message, m, PLAIN)
static const struct column message_columns[] = {
	COL("flow_id", struct fact_message, flow, ZERO_IS_NULL),
	ENUM("op", struct fact_message, op, message_ops),
	M("first_ns", first_ns),
	M("last_ns", last_ns),
	M("completed_ns", completed_ns),
	M("bytes", bytes),
	M("psn_first", psn_first),
	M("psn_last", psn_last),
	ENUM("status", struct fact_message, status, message_statuses),
};
const struct column_list row_message = COLUMN_LIST(message_columns);
#undef M

#define L(col, m) COL(col, struct fact_latency, m, PLAIN)
static const struct column latency_columns[] = {
	COL("tap_id", struct fact_latency, tap, FROM_ONE),
	ENUM("transport", struct fact_latency, transport, flow_transport_names),
	ENUM("op", struct fact_latency, op, message_ops),
	L("bytes_from", bytes_from),
	L("from_ns", from_ns),
	L("to_ns", to_ns),
	L("count", count),
};
const struct column_list row_latency = COLUMN_LIST(latency_columns);
#undef L

static const char *const causes[] = {
	[CAUSE_UNKNOWN] = "unknown",
	[CAUSE_LOSS_UPSTREAM] = "loss_upstream",
	[CAUSE_LOSS_DOWNSTREAM] = "loss_downstream",
	[CAUSE_LOSS_OR_REORDER] = "loss_or_reorder",
	[CAUSE_REORDER] = "reorder",
	[CAUSE_CORRUPTION] = "corruption",
	[CAUSE_ACK_LOSS] = "ack_loss",
	[CAUSE_RNR] = "rnr",
	[CAUSE_COLLATERAL] = "collateral",
	[CAUSE_TRIMMED_UPSTREAM] = "trimmed_upstream",
	[CAUSE_TRIMMED_DOWNSTREAM] = "trimmed_downstream",
	[CAUSE_TRIMMED] = "trimmed",
};

#define R(col, m)  COL(col, struct fact_recovery, m, PLAIN)
#define R0(col, m) COL(col, struct fact_recovery, m, ZERO_IS_NULL)
static const struct column recovery_columns[] = {
	R0("flow_id", flow),
	COL("tap_id", struct fact_recovery, tap, FROM_ONE),
	ENUM("trigger", struct fact_recovery, trigger, recovery_trigger_names),
	ENUM("cause", struct fact_recovery, cause, causes),
	R("psn", psn),
	R("lost_min", lost_min),
	R("lost_max", lost_max),
	R("first_ns", first_ns),
	R("detect_ns", detect_ns),
	R("retransmit_ns", resend_ns),
	R("last_ns", last_ns),
	R("idle_ns", silence_ns),
	R0("frame_detect", frame_detect),
	R0("frame_original", frame_original),
	R0("frame_first", frame_first),
	R0("frame_last", frame_last),
	R("retransmitted_packets", retransmitted_packets),
	R("retransmitted_bytes", retransmitted_bytes),
	R("confidence", confidence),
	R("rule", rule),
	R0("evidence", evidence),
	R0("remaining", remaining),
};
const struct column_list row_recovery = COLUMN_LIST(recovery_columns);
#undef R
#undef R0

/* --- cm, bin --- */

/* IBTA Vol. 1, chapter 12: AttributeID 0x10... */
static const char *cm_message(const void *fact, char *buf, size_t size)
{
	static const char *const names[] = {
		"REQ",  "MRA",      "REJ",      "REP", "RTU", "DREQ",
		"DREP", "SIDR_REQ", "SIDR_REP", "LAP", "APR",
	};
	const struct fact_cm *c = fact;
	unsigned i = c->attribute - 0x10u;

	(void)buf;
	(void)size;
	return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

static const char *cm_service(const void *fact, char *buf, size_t size)
{
	const struct fact_cm *c = fact;

	/* only REQ and the two of SIDR carry one */
	if (c->attribute != 0x10 && c->attribute != 0x17 &&
	    c->attribute != 0x18)
		return NULL;
	snprintf(buf, size, "0x%016" PRIx64, c->service_id);
	return buf;
}

#define M(col, m) COL(col, struct fact_cm, m, PLAIN)
static const struct column cm_columns[] = {
	M("ns", ns),
	COL("tap_id", struct fact_cm, tap, FROM_ONE),
	COL("frame", struct fact_cm, frame, ZERO_IS_NULL),
	M("src", src),
	M("dst", dst),
	SPELT("message", cm_message),
	M("attribute", attribute),
	M("local_comm_id", local_comm_id),
	M("remote_comm_id", remote_comm_id),
	M("qpn", qpn),
	M("psn", psn),
	SPELT("service_id", cm_service),
	COL("reason", struct fact_cm, reason, NEGATIVE_IS_NULL),
};
const struct column_list row_cm = COLUMN_LIST(cm_columns);
#undef M

static const char *const bin_scopes[] = {
	[BIN_TAP] = "tap",
	[BIN_FLOW] = "flow",
	[BIN_PRIORITY] = "priority",
};

/* A tap comes as an index, like everywhere. */
static int64_t bin_scope_id(const void *fact)
{
	const struct fact_bin *b = fact;

	return (int64_t)b->scope_id + (b->scope == BIN_TAP);
}

static int64_t bin_tap(const void *fact)
{
	const struct fact_bin *b = fact;

	return b->scope == BIN_PRIORITY ? (int64_t)b->tap + 1 : FACT_UNKNOWN;
}

static int64_t bin_paused(const void *fact)
{
	const struct fact_bin *b = fact;

	return b->scope == BIN_PRIORITY ? b->paused_ns : FACT_UNKNOWN;
}

#define B(col, m) COL(col, struct fact_bin, m, PLAIN)
static const struct column bin_columns[] = {
	ENUM("scope", struct fact_bin, scope, bin_scopes),
	COMPUTED("scope_id", bin_scope_id),
	B("start_ns", start_ns),
	B("width_ns", width_ns),
	B("packets", packets),
	B("bytes", bytes),
	B("ce", ce),
	B("ect", ect),
	B("cnp", cnp),
	B("retransmitted", retransmitted),
	COMPUTED("tap_id", bin_tap),
	COMPUTED("paused_ns", bin_paused),
};
const struct column_list row_bin = COLUMN_LIST(bin_columns);
#undef B

#define B(col, m) COL(col, struct fact_burst, m, PLAIN)
static const struct column burst_columns[] = {
	B("flow_id", flow),        B("first_ns", first_ns),
	B("last_ns", last_ns),     B("bytes", bytes),
	B("psns", psns),           B("inside", inside),
	B("acked_ns", acked_ns),   B("asked_ns", asked_ns),
	B("unacked", unacked),     B("granted_ns", granted_ns),
	B("wanted_ns", wanted_ns),
};
const struct column_list row_burst = COLUMN_LIST(burst_columns);
#undef B

/* --- all of them --- */

static const struct row {
	const char *table;
	const char *conflict; /* ON CONFLICT clause, NULL for none */
	const struct column_list *list;
} rows[ROW_KINDS] = {
#define ROW(name, table, key) { table, key, &row_##name },
#include "store/rows.def"
};

static void append_names(sqlite3_str *s, const struct row *r)
{
	for (int i = 0; i < r->list->n; i++)
		sqlite3_str_appendf(s, "%s%s", i ? "," : "",
				    r->list->c[i].name);
}

/* The later row wins, except that caps add up. */
static void append_conflict(sqlite3_str *s, enum row_kind kind)
{
	const struct row *r = &rows[kind];

	sqlite3_str_appendf(s, " ON CONFLICT(%s) DO UPDATE SET ", r->conflict);
	for (int i = 0; i < r->list->n; i++) {
		const char *name = r->list->c[i].name;

		sqlite3_str_appendf(s, "%s%s=excluded.%s", i ? "," : "", name,
				    name);
		if (kind == ROW_cap && i)
			sqlite3_str_appendf(s, "+%s.%s", r->table, name);
	}
}

char *row_select_sql(enum row_kind kind, const char *rest)
{
	sqlite3_str *s = sqlite3_str_new(NULL);

	sqlite3_str_appendall(s, "SELECT ");
	append_names(s, &rows[kind]);
	sqlite3_str_appendf(s, " FROM %s %s", rows[kind].table, rest);
	return sqlite3_str_finish(s);
}

const struct column_list *row_columns(enum row_kind kind)
{
	return rows[kind].list;
}

const char *row_table(enum row_kind kind)
{
	return rows[kind].table;
}

bool row_replaces(enum row_kind kind)
{
	return rows[kind].conflict;
}

static void put(const struct column *c, void *fact, int64_t v)
{
	void *at = (char *)fact + c->offset;

	switch ((enum member_type)c->type) {
	case MEMBER_U32:
		*(uint32_t *)at = (uint32_t)v;
		break;
	case MEMBER_I64:
	case MEMBER_U64:
		*(int64_t *)at = v;
		break;
	case MEMBER_U16:
		*(uint16_t *)at = (uint16_t)v;
		break;
	case MEMBER_U8:
		*(uint8_t *)at = (uint8_t)v;
		break;
	case MEMBER_BOOL:
		*(bool *)at = v;
		break;
	default:
		assert(!"a number");
	}
}

void row_read(enum row_kind kind, sqlite3_stmt *stmt, void *fact)
{
	const struct column_list *l = rows[kind].list;

	for (int i = 0; i < l->n; i++)
		put(&l->c[i], fact, sqlite3_column_int64(stmt, i));
}

char *row_insert_sql(enum row_kind kind)
{
	const struct row *r = &rows[kind];
	sqlite3_str *s = sqlite3_str_new(NULL);

	sqlite3_str_appendf(s, "INSERT INTO %s(", r->table);
	append_names(s, r);
	sqlite3_str_appendall(s, ") VALUES(");
	for (int i = 0; i < r->list->n; i++)
		sqlite3_str_appendf(s, "%s?%d", i ? "," : "", i + 1);
	sqlite3_str_appendall(s, ")");
	if (r->conflict)
		append_conflict(s, kind);
	return sqlite3_str_finish(s);
}
