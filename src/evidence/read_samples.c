/* SPDX-License-Identifier: GPL-2.0-or-later
 * Datagrams that switches send to collectors:
 *	sFlow version 5 (UDP 6343; sflow.org, sflow_version_5.txt and
 *	sflow_drops.txt): flow samples of RoCE packets, counters of interfaces,
 *	notifications of dropped packets
 *	mirror-on-drop of Broadcom XGS (any UDP port): IPFIX, set 0x1234, time,
 *	switch, ports, two reasons, sampled packet */
#include <stdio.h>
#include <string.h>

#include "base/addr.h"
#include "evidence/samples.h"

enum {
	SFLOW_PORT = 6343,
	SAMPLES_MAX = 4096, /* in one datagram, and records in one sample */
	FLOW_SAMPLE = 1,
	COUNTER_SAMPLE = 2,
	FLOW_SAMPLE_EXPANDED = 3,
	COUNTER_SAMPLE_EXPANDED = 4,
	DROPPED_PACKET = 5,
	RAW_HEADER = 1,
	INTERFACE_COUNTERS = 1,
	HEADER_ETHERNET = 1,
	HEADER_IPV4 = 11,
	HEADER_IPV6 = 12,
};

/* What an agent says in one datagram. */
struct agent {
	struct evidence_part *part;
	int64_t ns;
	char address[EVIDENCE_TEXT];
};

static bool numbers(struct bytes *o, uint64_t *to, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!bytes_number(o, 4, &to[i]))
			return false;
	return true;
}

static void reason_text(char to[static EVIDENCE_TEXT], uint64_t number)
{
	switch (number) {
#define REASON(n, text)              \
	case n:                      \
		text_keep(to, text); \
		return;
#include "evidence/reasons.def"
#undef REASON
	default:
		snprintf(to, EVIDENCE_TEXT, "reason %llu",
			 (unsigned long long)number);
	}
}

static struct evidence_of of_port(const struct agent *a, char port[static 32],
				  uint64_t index)
{
	snprintf(port, 32, "ifIndex %llu", (unsigned long long)index);
	return (struct evidence_of) { .device = a->address,
				      .port = port,
				      .at_ns = a->ns,
				      .priority = -1 };
}

/* ---- packets ---- */

static bool raw_header(struct bytes o, struct evidence_sample *s)
{
	uint64_t v[4]; /* protocol, length of the frame, stripped, here */
	struct bytes header;

	if (!numbers(&o, v, 4) || !bytes_take(&o, v[3], &header))
		return false;
	if (v[0] == HEADER_ETHERNET)
		return sampled_packet(header, SAMPLED_FRAME, v[1], s);
	return (v[0] == HEADER_IPV4 || v[0] == HEADER_IPV6) &&
	       sampled_packet(header, SAMPLED_IP, v[1], s);
}

static void put_records(const struct agent *a, struct bytes o, uint64_t n,
			uint64_t port, struct evidence_sample *s)
{
	char name[32];
	struct evidence_of of = of_port(a, name, port);
	uint64_t format, length;
	struct bytes record;
	bool found = false;

	for (uint64_t i = 0; i < n && i < SAMPLES_MAX && !found; i++) {
		if (!bytes_number(&o, 4, &format) ||
		    !bytes_number(&o, 4, &length) ||
		    !bytes_take(&o, length, &record))
			return;
		found = format == RAW_HEADER && raw_header(record, s);
	}
	s->first_ns = s->last_ns = a->ns;
	if (found)
		put_sample(a->part, &of, s);
}

static void flow_sample(const struct agent *a, struct bytes o, bool expanded)
{
	struct evidence_sample s = { .samples = 1 };
	uint64_t v[11];
	const unsigned n = expanded ? 11 : 8;

	/* sequence, source (class, index), rate, pool, drops, input, output
	 * (each with a format), records */
	if (!numbers(&o, v, n))
		return;
	s.estimated = v[expanded ? 3 : 2];
	s.input = (int64_t)(expanded ? v[7] : v[5] & 0x3fffffff);
	s.output = (int64_t)(expanded ? v[9] : v[6] & 0x3fffffff);
	put_records(a, o, v[n - 1], (uint64_t)s.input, &s);
}

static void dropped_packet(const struct agent *a, struct bytes o)
{
	struct evidence_sample s = { .dropped = true, .samples = 1 };
	uint64_t v[8]; /* sequence, class, index, drops, input, output, reason,
			* records */

	if (!numbers(&o, v, 8))
		return;
	s.estimated = 1;
	s.input = (int64_t)v[4];
	s.output = (int64_t)v[5];
	reason_text(s.reason, v[6]);
	put_records(a, o, v[7], v[5] ? v[5] : v[4], &s);
}

/* ---- counters ---- */

static void interface_counters(const struct agent *a, struct bytes o)
{
	static const struct {
		unsigned bytes;
		const char *name; /* NULL: not used */
	} fields[] = {
		{ 4, NULL }, /* ifIndex, read before */
		{ 4, NULL }, /* ifType */
		{ 8, NULL }, /* ifSpeed */
		{ 4, NULL }, /* ifDirection */
		{ 4, NULL }, /* ifStatus */
		{ 8, "ifHCInOctets" },
		{ 4, "ifHCInUcastPkts" },
		{ 4, NULL },
		{ 4, NULL },
		{ 4, "ifInDiscards" },
		{ 4, "ifInErrors" },
		{ 4, NULL },
		{ 8, "ifHCOutOctets" },
		{ 4, "ifHCOutUcastPkts" },
		{ 4, NULL },
		{ 4, NULL },
		{ 4, "ifOutDiscards" },
		{ 4, "ifOutErrors" },
	};
	struct bytes first = o;
	uint64_t index, value;
	char name[32];
	struct evidence_of of;

	if (!bytes_number(&first, 4, &index))
		return;
	of = of_port(a, name, index);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		if (!bytes_number(&o, fields[i].bytes, &value))
			return;
		/* all ones: not known */
		if (fields[i].name && value <= INT64_MAX &&
		    !(fields[i].bytes == 4 && value == UINT32_MAX))
			put_value(a->part, &of, fields[i].name, (int64_t)value);
	}
}

static void counter_sample(const struct agent *a, struct bytes o, bool expanded)
{
	uint64_t v[4], format, length;
	const unsigned n = expanded ? 4 : 3;
	struct bytes record;

	if (!numbers(&o, v, n))
		return;
	for (uint64_t i = 0; i < v[n - 1] && i < SAMPLES_MAX; i++) {
		if (!bytes_number(&o, 4, &format) ||
		    !bytes_number(&o, 4, &length) ||
		    !bytes_take(&o, length, &record))
			return;
		if (format == INTERFACE_COUNTERS)
			interface_counters(a, record);
	}
}

/* ---- datagrams ---- */

static void sample(const struct agent *a, uint64_t format, struct bytes o)
{
	switch (format) {
	case FLOW_SAMPLE:
	case FLOW_SAMPLE_EXPANDED:
		flow_sample(a, o, format == FLOW_SAMPLE_EXPANDED);
		break;
	case COUNTER_SAMPLE:
	case COUNTER_SAMPLE_EXPANDED:
		counter_sample(a, o, format == COUNTER_SAMPLE_EXPANDED);
		break;
	case DROPPED_PACKET:
		dropped_packet(a, o);
		break;
	}
}

static void sflow(struct evidence_part *part, const struct datagram *d)
{
	struct agent a = { .part = part, .ns = d->ns };
	struct bytes o = d->payload, address, body;
	char text[ADDR_TEXT];
	uint64_t v[4], version, family, format, length;

	if (!bytes_number(&o, 4, &version) || version != 5 ||
	    !bytes_number(&o, 4, &family) || (family != 1 && family != 2) ||
	    !bytes_take(&o, family == 1 ? 4 : 16, &address) ||
	    !numbers(&o, v, 4))
		return;
	text_keep(a.address, addr_text(family == 1 ? addr_from_v4(address.at)
						   : addr_from_v6(address.at),
				       text));
	for (uint64_t i = 0; i < v[3] && i < SAMPLES_MAX; i++) {
		if (!bytes_number(&o, 4, &format) ||
		    !bytes_number(&o, 4, &length) ||
		    !bytes_take(&o, length, &body))
			return;
		sample(&a, format, body);
	}
}

/* Behind the header of IPFIX (version 10, length, time, sequence, domain): set,
 * length, seconds, nanoseconds, switch, egress and ingress port, reasons of
 * ingress and MMU, metadata, class, 0xff, length, packet. */
static void drop_report(struct evidence_part *part, const struct datagram *d)
{
	static const unsigned bytes[] = {
		2, 2, 4, 4, 4, 2, 2, 1, 1, 2, 1, 1, 2
	};
	enum {
		SET,
		LENGTH,
		SECONDS,
		NS,
		SWITCH,
		OUT,
		IN,
		INGRESS,
		MMU,
		DATA,
		CLASS,
		MARK,
		SAMPLED,
		FIELDS
	};
	struct agent a = { .part = part, .ns = d->ns };
	struct evidence_sample s = { .dropped = true,
				     .samples = 1,
				     .estimated = 1 };
	struct bytes o = d->payload, frame;
	uint64_t v[FIELDS], version;
	char port[32];
	struct evidence_of of;

	if (!bytes_number(&o, 2, &version) || version != 10 ||
	    !bytes_skip(&o, 14))
		return;
	for (unsigned i = 0; i < FIELDS; i++)
		if (!bytes_number(&o, bytes[i], &v[i]))
			return;
	if (v[SET] != 0x1234 || v[MARK] != 0xff ||
	    !bytes_take(&o, v[SAMPLED], &frame) ||
	    !sampled_packet(frame, SAMPLED_FRAME, 0, &s))
		return;
	snprintf(a.address, sizeof a.address, "switch %llu",
		 (unsigned long long)v[SWITCH]);
	snprintf(s.reason, sizeof s.reason, "ingress 0x%02x, MMU 0x%02x",
		 (unsigned)v[INGRESS], (unsigned)v[MMU]);
	s.input = (int64_t)v[IN];
	s.output = (int64_t)v[OUT];
	s.first_ns = s.last_ns = d->ns;
	of = of_port(&a, port, v[OUT]);
	put_sample(part, &of, &s);
}

void read_datagram(struct evidence_part *part, const struct datagram *d)
{
	if (d->port == SFLOW_PORT)
		sflow(part, d);
	else if (!ipfix_message(part, d))
		drop_report(part, d);
}
