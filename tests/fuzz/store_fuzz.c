/* SPDX-License-Identifier: GPL-2.0-or-later
 * libFuzzer target: any facts an engine could tell, into a database, and all
 * that is derived of them: jobs, phases, the answer, findings.
 *
 * An input is a list of facts.  Names and kinds are among those there are,
 * references point to flows or to none, what is a part of packets is no more
 * than these, other numbers are anything. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "store/query.h"
#include "store/store.h"
#include "views/verdict.h"

enum { FLOWS = 64, FACTS = 2000 };

struct take {
	const uint8_t *p, *end;
};

static uint64_t bytes(struct take *t, size_t n)
{
	uint64_t v = 0;

	for (; n && t->p < t->end; n--)
		v = v << 8 | *t->p++;
	return v;
}

/* Mostly small steps within a second, as captures have them; sometimes any
 * time there is, within what an engine gives. */
static int64_t when(struct take *t)
{
	uint64_t how = bytes(t, 1);

	if (how == 255)
		return (int64_t)(bytes(t, 8) >> 2);
	return INT64_C(1700000000000000000) +
	       (int64_t)(bytes(t, 2) * (how < 128 ? 1000 : 100000));
}

/* A count: more packets than that are in no capture. */
static int64_t amount(struct take *t)
{
	uint64_t how = bytes(t, 1);

	if (how < 64)
		return FACT_UNKNOWN;
	return (int64_t)bytes(t, how == 255 ? 5 : how & 3);
}

/* A time that something took: as a capture goes from any time to any. */
static int64_t span(struct take *t)
{
	uint64_t how = bytes(t, 1);

	if (how < 64)
		return FACT_UNKNOWN;
	if (how == 255)
		return (int64_t)(bytes(t, 8) >> 2);
	return (int64_t)bytes(t, how & 3);
}

/* How many of |of|, or not known. */
static int64_t part(struct take *t, uint64_t of)
{
	uint64_t n = bytes(t, 2);

	return n < 16384 ? FACT_UNKNOWN : (int64_t)(n % (of + 1));
}

static struct addr host(uint64_t n)
{
	struct addr a;
	char text[] = "10.0.0.x";

	text[7] = (char)('1' + n % 9);
	if (!addr_parse(text, &a))
		abort();
	return a;
}

static uint32_t flow(struct take *t)
{
	return 1 + (uint32_t)bytes(t, 1) % FLOWS;
}

static void one_flow(struct take *t, uint32_t id, struct flow_sink *sink)
{
	uint64_t ends = bytes(t, 1), packets = 1 + bytes(t, 2);
	struct fact_flow f = {
		.id = id,
		.peer = id % 2 ? id + 1 : id - 1,
		.transport = bytes(t, 1) % (FLOW_UET_RUDI + 1),
		.src = host(id % 2 ? ends & 15 : ends >> 4),
		.dst = host(id % 2 ? ends >> 4 : ends & 15),
		.dst_qp = 100 + id,
		.src_qp = FACT_UNKNOWN,
		.spdcid = FACT_UNKNOWN,
		.dpdcid = FACT_UNKNOWN,
		.job_id = amount(t),
		.first_ns = when(t),
		.packets = packets,
		.requests = packets,
		.expected = packets,
		.bytes = bytes(t, 3),
		.payload_bytes = bytes(t, 3),
		.goodput_bytes = bytes(t, 3),
		.udp_sport = 50000,
		.pmtu = 1024,
		.lost_upstream = part(t, packets),
		.lost_downstream_min = part(t, packets),
		.lost_downstream_max = part(t, packets),
		.capture_missing = part(t, packets),
		.retransmitted = part(t, packets),
		.timeouts = amount(t),
		.rtt_sender_ns = span(t),
		.rtt_receiver_ns = span(t),
		.recovery_ns = span(t),
		.recoveries = amount(t),
		.latency_min_ns = span(t),
		.dscp = FACT_UNKNOWN,
		.dscp_bare = FACT_UNKNOWN,
		.dscp_cnp = FACT_UNKNOWN,
		.pcp = FACT_UNKNOWN,
	};

	f.last_ns = f.first_ns + (int64_t)bytes(t, 4);
	sink->flow(sink->ctx, &f);
}

static void burst(struct take *t, struct flow_sink *sink)
{
	struct fact_burst b = { .flow = flow(t),
				.inside = bytes(t, 1) & 1,
				.first_ns = when(t),
				.bytes = bytes(t, 3),
				.psns = bytes(t, 2),
				.acked_ns = when(t),
				.asked_ns = when(t),
				.unacked = amount(t),
				.granted_ns = when(t) };

	b.last_ns = b.first_ns + (int64_t)bytes(t, 3);
	sink->burst(sink->ctx, &b);
}

static void message(struct take *t, struct flow_sink *sink)
{
	struct fact_message m = { .flow = flow(t),
				  .op = bytes(t, 1) % MESSAGE_OPS,
				  .status = bytes(t, 1) % MESSAGE_STATUSES,
				  .first_ns = when(t),
				  .completed_ns = when(t),
				  .bytes = bytes(t, 3),
				  .psn_first = (uint32_t)bytes(t, 2),
				  .psn_last = (uint32_t)bytes(t, 2) };

	m.last_ns = m.first_ns + (int64_t)bytes(t, 3);
	sink->message(sink->ctx, &m);
}

static void recovery(struct take *t, struct flow_sink *sink)
{
	struct fact_recovery r = { .flow = flow(t),
				   .trigger = bytes(t, 1) % RECOVERY_TRIGGERS,
				   .cause = bytes(t, 1) % (CAUSE_REORDER + 1),
				   .psn = (uint32_t)bytes(t, 2),
				   .lost_min = (uint32_t)bytes(t, 1),
				   .lost_max = (uint32_t)bytes(t, 2),
				   .first_ns = when(t),
				   .detect_ns = when(t),
				   .resend_ns = when(t),
				   .last_ns = when(t),
				   .silence_ns = span(t),
				   .retransmitted_packets = bytes(t, 1),
				   .retransmitted_bytes = bytes(t, 2),
				   .confidence = 0.5,
				   .rule = "R3" };

	sink->recovery(sink->ctx, &r);
}

static void event(struct take *t, struct flow_sink *sink)
{
	struct fact_event e = { .ns = when(t),
				.frame = bytes(t, 1),
				.flow = flow(t),
				.kind = bytes(t, 1) % EVENT_KIND_COUNT,
				.psn = (uint32_t)bytes(t, 2),
				.count = (uint32_t)bytes(t, 1),
				.value = amount(t),
				.confidence = 0.9 };

	sink->event(sink->ctx, &e);
}

static void facts(struct take *t, struct store *s)
{
	static void (*const kinds[])(struct take * t,
				     struct flow_sink * sink) = {
		burst, burst, burst, message, recovery, event,
	};
	struct flow_sink sink = store_sink(s);
	uint32_t flows = 2 + 2 * (uint32_t)(bytes(t, 1) % (FLOWS / 2));

	for (uint32_t id = 1; id <= flows; id++)
		one_flow(t, id, &sink);
	for (int i = 0; i < FACTS && t->p < t->end; i++)
		kinds[bytes(t, 1) % (sizeof kinds / sizeof *kinds)](t, &sink);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_folder();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[] = "in", name[] = "tap";
	const struct capture_file file = { .path = path, .format = "pcap" };
	const struct capture_tap tap = { .name = name };
	struct take t = { data, data + size };
	struct err err = { 0 };
	struct store *s = store_create(":memory:", &err);

	if (!s)
		abort();
	store_capture(s, 0, &file);
	store_tap(s, 0, &tap);
	facts(&t, s);
	/* any facts can be told: all that is derived of them is */
	if (store_commit(s, &err) ||
	    verdict_print(s, "fabscope", VERDICT_ALL, stdout, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	store_free(s);
	return 0;
}
