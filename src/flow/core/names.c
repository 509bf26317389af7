/* SPDX-License-Identifier: GPL-2.0-or-later
 * What facts are called: in the database, in JSON, in Wireshark. */
#include "flow/core/fact.h"

const char *const flow_transport_names[FLOW_TRANSPORTS] = {
	[FLOW_RC] = "RC",           [FLOW_UC] = "UC",
	[FLOW_UD] = "UD",           [FLOW_XRC] = "XRC",
	[FLOW_DC] = "DC",           [FLOW_UET_ROD] = "UET-ROD",
	[FLOW_UET_RUD] = "UET-RUD", [FLOW_UET_RUDI] = "UET-RUDI",
	[FLOW_UET_UUD] = "UET-UUD", [FLOW_VENDOR] = "VENDOR",
	[FLOW_UET_TSS] = "UET-TSS", [FLOW_MRC] = "MRC",
};

const char *const recovery_trigger_names[RECOVERY_TRIGGERS] = {
	[TRIGGER_UNKNOWN] = "unknown",         [TRIGGER_NAK] = "nak",
	[TRIGGER_TIMEOUT] = "timeout",         [TRIGGER_RNR] = "rnr",
	[TRIGGER_IMPLIED_NAK] = "implied_nak",
};

const char *const cnp_attribution_names[ATTRIBUTIONS] = {
	[ATTRIBUTED_NOT] = NULL,
	[ATTRIBUTED_PAIR] = "pair",
	[ATTRIBUTED_LATER] = "later",
};

const char *const cnp_reaction_names[REACTIONS] = {
	[REACTION_UNJUDGED] = NULL,
	[REACTION_REACTED] = "reacted",
	[REACTION_NONE] = "none",
	[REACTION_INCONCLUSIVE] = "inconclusive",
};

const char *const pacing_scope_names[PACING_SCOPES] = {
	[PACING_QP] = "qp",
	[PACING_PAIR] = "pair",
	[PACING_PORT] = "port",
};

const char *const event_kind_names[EVENT_KIND_COUNT] = {
#define X(id, name) [EVENT_##id] = name,
	EVENT_KINDS(X)
#undef X
};

const char *const note_kind_names[NOTE_KIND_COUNT] = {
#define X(id, name) [NOTE_##id] = name,
	NOTE_KINDS(X)
#undef X
};

const char *const telemetry_fate_names[TELEMETRY_FATES] = {
	[TELEMETRY_LOST] = "lost",
	[TELEMETRY_NEXT_TO_LOSS] = "next-to-loss",
	[TELEMETRY_TRIMMED] = "trimmed",
};

const char *const pause_end_names[PAUSE_ENDS] = {
	[PAUSE_XON] = "xon",
	[PAUSE_EXPIRY] = "expiry",
	[PAUSE_CAPTURE] = "capture_end",
};

const char *const port_role_names[PORT_ROLES] = {
	[PORT_UNKNOWN] = NULL,
	[PORT_HOST] = "host",
	[PORT_SWITCH] = "switch",
};

const char *const storm_level_names[STORM_LEVELS] = {
	[STORM_HEAVY] = "heavy",
	[STORM_SUSPECT] = "suspect",
	[STORM_STORM] = "storm",
	[STORM_DEADLOCK_SUSPECT] = "deadlock-suspect",
	[STORM_DEADLOCK] = "deadlock",
};

const char *const unmatched_kind_names[UNMATCHED_KINDS] = {
	[UNMATCHED_REQUEST] = "request",
	[UNMATCHED_RESPONSE] = "response",
	[UNMATCHED_ANSWER] = "answer",
};

const char *const unmatched_verdict_names[UNMATCHED_VERDICTS] = {
	[UNMATCHED_LOST] = "lost",
	[UNMATCHED_MISSED] = "missed",
	[UNMATCHED_OPEN] = "open",
};

const char *const stall_cause_names[STALL_CAUSES] = {
	[STALL_PAUSE] = "pause",
	[STALL_CREDIT] = "uec-cbfc",
};

const char *const priority_source_names[] = {
	[PRIORITY_PCP] = "pcp",
	[PRIORITY_LLDP] = "lldp",
	[PRIORITY_ASSUMED] = "dscp",
};
