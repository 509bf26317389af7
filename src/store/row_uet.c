/* SPDX-License-Identifier: GPL-2.0-or-later
 * What only Ultra Ethernet has as rows. */
#include "flow/core/fact_uet.h"
#include "store/column.h"
#include "wire/table.h"

static const char *const pdc_roles[] = {
	[PDC_ROLE_UNKNOWN] = NULL,
	[PDC_INITIATOR] = "initiator",
	[PDC_TARGET] = "target",
};
static const char *const pdc_states[] = {
	[PDC_UNKNOWN] = NULL,
	[PDC_SYN_SENT] = "syn_sent",
	[PDC_ESTABLISHED] = "established",
	[PDC_QUIESCING] = "quiescing",
	[PDC_CLOSE_WAIT] = "close_wait",
	[PDC_CLOSED] = "closed",
	[PDC_ERROR] = "error",
};

static int64_t pdc_late(const void *fact)
{
	const struct fact_pdc *o = fact;

	return o->late_behind ? o->late_behind_max_ns : FACT_UNKNOWN;
}

#define P(col, m) COL(col, struct fact_pdc, m, PLAIN)
static const struct column pdc_columns[] = {
	P("flow_id", flow),
	ENUM("role", struct fact_pdc, role, pdc_roles),
	ENUM("state", struct fact_pdc, state, pdc_states),
	P("start_psn", start_psn),
	P("opened_ns", opened_ns),
	P("closed_ns", closed_ns),
	P("handshake_ns", handshake_ns),
	P("syn_packets", syn_packets),
	P("syn_bytes", syn_bytes),
	P("jobs", jobs),
	P("entropy_values", entropy_values),
	P("acks", acks),
	P("acks_cc", acks_cc),
	P("marked", marked),
	P("nacks", nacks),
	P("errors", errors),
	P("probes", probes),
	P("ack_requests", ack_requests),
	P("clears", clears),
	P("credit_requests", credit_requests),
	P("service_min_ns", service_min_ns),
	P("service_max_ns", service_max_ns),
	P("ooo_max", ooo_max),
	P("penalty_max", penalty_max),
	P("restores", restores),
	P("received_bytes", received),
	P("path_min_ns", path_min_ns),
	P("credit_granted", credit_granted),
	P("credit_wanted", credit_wanted),
	P("credit_backlog_max", credit_backlog_max),
	P("credit_waits", credit_waits),
	P("credit_wait_ns", credit_wait_ns),
	P("trimmed_upstream", trimmed_upstream),
	P("trimmed_downstream", trimmed_downstream),
	P("trimmed_lasthop", trimmed_lasthop),
	P("late_behind", late_behind),
	COMPUTED("late_behind_max_ns", pdc_late),
	P("retx_unset", retx_unset),
};
#undef P

#define B(col, m) COL(col, struct fact_cc_bin, m, PLAIN)
static const struct column cc_bin_columns[] = {
	B("flow_id", flow),
	B("start_ns", start_ns),
	B("width_ns", width_ns),
	B("acks", acks),
	B("marked", marked),
	B("trimmed", trimmed),
	B("received_bytes", received),
	B("service_mean_ns", service_mean_ns),
	B("service_max_ns", service_max_ns),
	B("ooo_max", ooo_max),
	B("penalty_max", penalty_max),
	B("credit_granted", granted),
	B("credit_wanted", wanted),
	B("credit_backlog_max", backlog_max),
	B("credit_wait_ns", waited_ns),
};
#undef B

static const char *nack_name(const void *fact, char *buf, size_t size)
{
	const struct fact_nack *n = fact;

	(void)buf;
	(void)size;
	return wire_name(WIRE_LIST_nack_code, n->code);
}

static int64_t nack_code(const void *fact)
{
	return ((const struct fact_nack *)fact)->code;
}

static int64_t nack_mean(const void *fact)
{
	const struct fact_nack *n = fact;

	return n->retransmitted ? n->react_sum_ns / (int64_t)n->retransmitted
				: FACT_UNKNOWN;
}

static int64_t nack_min(const void *fact)
{
	const struct fact_nack *n = fact;

	return n->retransmitted ? n->react_min_ns : FACT_UNKNOWN;
}

static int64_t nack_max(const void *fact)
{
	const struct fact_nack *n = fact;

	return n->retransmitted ? n->react_max_ns : FACT_UNKNOWN;
}

static const struct column nack_columns[] = {
	COL("flow_id", struct fact_nack, flow, PLAIN),
	COMPUTED("code", nack_code),
	SPELT("name", nack_name),
	COL("count", struct fact_nack, count, PLAIN),
	COL("retransmitted", struct fact_nack, retransmitted, PLAIN),
	COL("first_ns", struct fact_nack, first_ns, PLAIN),
	COL("frame", struct fact_nack, frame, ZERO_IS_NULL),
	COMPUTED("react_min_ns", nack_min),
	COMPUTED("react_mean_ns", nack_mean),
	COMPUTED("react_max_ns", nack_max),
};

#define N(col, m) COL(col, struct fact_entropy, m, PLAIN)
static const struct column entropy_columns[] = {
	COL("tap_id", struct fact_entropy, tap, FROM_ONE),
	N("src", src),
	N("dst", dst),
	N("ev", ev),
	N("packets", packets),
	N("bytes", bytes),
	N("ce", ce),
	N("marked", marked),
	N("trimmed", trimmed),
	N("retransmitted", retransmitted),
	N("lost", lost),
};
#undef N

#define T(col, m) COL(col, struct fact_tss, m, PLAIN)
static const struct column tss_columns[] = {
	COL("tap_id", struct fact_tss, tap, FROM_ONE),
	T("src", src),
	T("sdi", sdi),
	T("ssi", ssi),
	T("first_ns", first_ns),
	T("last_ns", last_ns),
	T("packets", packets),
	T("bytes", bytes),
	T("trimmed", trimmed),
	T("an", an),
	T("key_changes", key_changes),
	T("epoch_first", epoch_first),
	T("epoch_last", epoch_last),
	T("epoch_changes", epoch_changes),
	T("counter_first", counter_first),
	T("counter_last", counter_last),
	T("jumps", jumps),
	T("expected", expected),
	T("missing", missing),
	T("repeated", repeated),
	T("late", late),
	T("late_max", late_max),
	T("too_late", too_late),
};
#undef T

const struct column_list row_pdc = COLUMN_LIST(pdc_columns);
const struct column_list row_nack = COLUMN_LIST(nack_columns);
const struct column_list row_entropy = COLUMN_LIST(entropy_columns);
const struct column_list row_cc_bin = COLUMN_LIST(cc_bin_columns);
const struct column_list row_tss = COLUMN_LIST(tss_columns);
