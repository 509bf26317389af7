/* SPDX-License-Identifier: GPL-2.0-or-later
 * Names of columns as people read them. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "store/format.h"

struct spelling {
	const char *name, *head;
};

/* Whole names that say too little without their query. */
static const struct spelling names[] = {
	{ "id", "ID" },
	{ "ns", "time" },
	{ "first_ns", "first seen" },
	{ "last_ns", "last seen" },
	{ "seen_first_ns", "first seen" },
	{ "cost_ns", "time lost" },
	{ "job_ns", "job time" },
	{ "recovery", "loss recovery" },
	{ "cause_ns", "time of cause" },
	{ "class_ns", "time of class" },
	{ "joined_ns", "joined at" },
	{ "root_id", "root storm" },
	{ "tap_id", "tap ID" },
	{ "behind_ns", "downstream" },
	{ "timer_ns", "RTO" },
	{ "detect_ns", "detection" },
	{ "react_ns", "reaction time" },
	{ "exec_ns", "execution" },
	{ "comm_ns", "communication" },
	{ "ev", "entropy value" },
	{ "qp", "QP" },
	{ "retransmitted_packets", "retransmitted" },
	{ "damaged_ranges", "corrupted ranges" },
	{ "lost_downstream_min", "lost downstream" },
	{ "ooo_max", "max out of order" },
	{ "capture_missing", "not captured" },
	{ "missing_share", "share not captured" },
	{ "mirror_seq_lost", "mirror lost" },
	{ "late_behind", "late downstream" },
	{ "by_last", "at last hop" },
	{ "trimmed_lasthop", "trimmed at last hop" },
	{ "retx_unset", "without RETX flag" },
	{ "place", "location" },
	{ "places", "capture points" },
	{ "grp", "group" },
	{ "least", "minimum" },
	{ "most", "maximum" },
	{ "nearly_ns", "95 % of them" },
	{ "over_ns", "over median" },
	{ "beside", "overlapping" },
	{ "dead_ns", "gave up by" },
	{ "settle", "needed" },
	{ "way", "direction" },
	{ "says", "note" },
	{ "who", "host or flow" },
	{ "passed", "while paused" },
	{ "spread_ns", "deviation" },
	{ "spread_share", "share of several paths" },
	{ "per_s", "per second" },
	{ "acked", "ACKed" },
	{ "ack_mean_ns", "ACK mean" },
	{ "ack_max_ns", "ACK max" },
	{ "ack_correlation", "ACK correlation" },
	{ "qpn", "QP" },
	{ "wmin_bytes", "marks from" },
	{ "wmax_bytes", "marks most from" },
	{ "missed_to", "not captured there" },
	{ "missed_from", "not captured before" },
	{ "open", "ambiguous" },
	{ "living", "open at end" },
	{ "near", "near shortest" },
	{ "ways", "pairs of hosts" },
	{ "better_id", "better flow" },
	{ "counted_id", "counted as" },
	{ "got_bytes", "received bytes" },
	{ "flows_both", "both directions" },
	{ "line", "answer" },
	{ "reads", "content" },
};

/* Parts of names; NULL: the value has its unit, or is another table's row. */
static const struct spelling parts[] = {
	{ "ack", "ACK" },       { "acks", "ACKs" },
	{ "an", "AN" },         { "ce", "CE" },
	{ "cm", "CM" },         { "cnp", "CNP" },
	{ "cnps", "CNPs" },     { "dcbx", "DCBX" },
	{ "dpdcid", "DPDCID" }, { "ect", "ECT" },
	{ "ets", "ETS" },       { "icrc", "ICRC" },
	{ "jct", "JCT" },       { "jfi", "JFI" },
	{ "mac", "MAC" },       { "mmr", "MMR" },
	{ "nack", "NACK" },     { "nacks", "NACKs" },
	{ "nak", "NAK" },       { "naks", "NAKs" },
	{ "nic", "NIC" },       { "pdc", "PDC" },
	{ "pdcs", "PDCs" },     { "pfc", "PFC" },
	{ "pmtu", "PMTU" },     { "psn", "PSN" },
	{ "psns", "PSNs" },     { "qp", "QP" },
	{ "rnr", "RNR" },       { "roce", "RoCE" },
	{ "rtt", "RTT" },       { "sdi", "SDI" },
	{ "spdcid", "SPDCID" }, { "ssi", "SSI" },
	{ "syn", "SYN" },       { "udp", "UDP" },
	{ "uec", "UEC" },       { "uet", "UET" },
	{ "xoff", "XOFF" },     { "xon", "XON" },
	{ "ns", NULL },         { "bps", NULL },
	{ "id", NULL },         { "ooo", "out of order" },
};

static const struct spelling *find(const struct spelling *s, size_t n,
				   const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strlen(s[i].name) == length &&
		    !memcmp(s[i].name, name, length))
			return &s[i];
	return NULL;
}

char *format_head(const char *name, char buf[static FORMAT_CELL])
{
	const struct spelling *s =
		find(names, sizeof names / sizeof names[0], name, strlen(name));
	size_t at = 0, n;

	if (s) {
		snprintf(buf, FORMAT_CELL, "%s", s->head);
		return buf;
	}
	*buf = 0;
	for (; *name && at + 1 < FORMAT_CELL; name += n + (name[n] == '_')) {
		n = strcspn(name, "_");
		s = find(parts, sizeof parts / sizeof parts[0], name, n);
		if (s && !s->head)
			continue;
		at += (size_t)snprintf(buf + at, FORMAT_CELL - at, "%s%.*s",
				       at ? " " : "", s ? FORMAT_CELL : (int)n,
				       s ? s->head : name);
	}
	return buf;
}

bool format_head_is(const char *name, const char *word)
{
	char head[FORMAT_CELL], *c;

	if (!strcasecmp(name, word))
		return true;
	for (c = format_head(name, head); *c; c++)
		if (*c == ' ')
			*c = '_';
	return !strcasecmp(head, word);
}
