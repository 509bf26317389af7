/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is known of a part of the time.  balance_test and taps_test have links,
 * telemetry, segments and clocks. */
#include <stdlib.h>
#include <string.h>

#include "flow/core/fact.h"
#include "lab.h"

#define T "17952192000"

/* One flow of 10 ms: steps of load with 600 of its 1000 packets, a loss at 2 ms
 * and its recovery, which sends again at 3 ms. */
static void hand(struct lab *l, uint64_t first, uint64_t second)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct fact_bin b = { .scope = BIN_FLOW,
			      .scope_id = 1,
			      .start_ns = T0,
			      .width_ns = 2 * MS,
			      .packets = first,
			      .bytes = 100 * first,
			      .ce = 10 };
	struct fact_event e = { .ns = T0 + 2 * MS,
				.flow = 1,
				.kind = EVENT_LOSS_UPSTREAM,
				.count = 3 };
	const struct fact_recovery r = { .flow = 1,
					 .trigger = TRIGGER_TIMEOUT,
					 .cause = CAUSE_LOSS_UPSTREAM,
					 .first_ns = T0 + 2 * MS,
					 .last_ns = T0 + 4 * MS };

	lab_begin(l);
	lab_one_tap(l);
	f.lost_upstream = 3;
	f.retransmitted = 20;
	f.timeouts = f.recoveries = 1;
	f.recovery_ns = 2 * MS;
	f.reordered = 7; /* and no event says when */
	f.ce = 10;
	l->sink.flow(l->sink.ctx, &f);
	l->sink.bin(l->sink.ctx, &b);
	b.start_ns = T0 + 4 * MS;
	b.packets = second;
	b.bytes = 100 * second;
	b.ce = 0;
	l->sink.bin(l->sink.ctx, &b);
	b.scope = BIN_TAP;
	b.scope_id = 0;
	l->sink.bin(l->sink.ctx, &b);
	l->sink.event(l->sink.ctx, &e);
	e.ns = T0 + 3 * MS;
	e.kind = EVENT_RETRANSMIT_TIMEOUT;
	e.count = 20;
	l->sink.event(l->sink.ctx, &e);
	l->sink.recovery(l->sink.ctx, &r);
	lab_reopen(l);
}

static void asks(struct lab *l, const char *query, const char *from,
		 const char *to, const char *want)
{
	char *have = lab_ask(l, query, (const char *[]) { from, to, NULL });

	assert_string_equal(strchr(have, '\n') + 1, want);
	free(have);
}

/* All packets are in the steps: of the first 1 ms a half of the first one, of
 * the first 2.5 ms all of it and the loss, of the rest what was sent again. */
static void a_flow_and_its_tap(void **state)
{
	struct lab l;

	(void)state;
	hand(&l, 600, 400);
	asks(&l, "flows", "from=+0ns", "to=+999999ns",
	     "1,RC,10.0.0.1,10.0.0.2,17,,0,both," T
	     "00000000,10000000,300,30000,,0,0,0,,0,0,5,0,,,,,,"
	     "\"[2500,2500,2500,2500,2500,2500,2500,2500,2500,2500,2500,2500]"
	     "\",\n");
	asks(&l, "flows", "from=+0ns", "to=+2500000ns",
	     "1,RC,10.0.0.1,10.0.0.2,17,,0,both," T
	     "00000000,10000000,600,60000,,3,0,2000000,,1,0,10,0,,,,,,"
	     "\"[6250,6250,6250,6250,6250,6250,6250,6250,6250,3750,0,0]\",\n");
	asks(&l, "flows", "from=+2500000ns", "to=+4999999ns",
	     "1,RC,10.0.0.1,10.0.0.2,17,,0,both," T
	     "00000000,10000000,200,20000,,0,20,0,,0,0,0,0,,,,,,"
	     "\"[0,0,0,0,0,0,0,3333,4167,4167,4167,4167]\",\n");
	asks(&l, "tap-in-window", "from=+500us", "to=+4999999ns",
	     "1,4500000,200,20000,0,0,0,198400000\n");
	asks(&l, "taps", "from=+500us", "to=+4999999ns",
	     "1,pa,a.pcap,,128,200,,0,,,," T "00000000," T
	     "10000000,0,0,,,,,\n");
	asks(&l, "flows", "from=+11ms", NULL, "");
	lab_end(&l);
}

/* The steps have 600 of 1000 packets: of a part nobody knows how many, and of
 * all it is known as before. */
static void what_is_not_told_is_not_known(void **state)
{
	struct lab l;

	(void)state;
	hand(&l, 400, 200);
	asks(&l, "flows", "from=+0ns", "to=+2500000ns",
	     "1,RC,10.0.0.1,10.0.0.2,17,,0,both," T
	     "00000000,10000000,,,,3,0,2000000,,1,0,,0,,,,,,"
	     "\"[4167,4167,4167,4167,4167,4167,4167,4167,4167,2500,0,0]\",\n");
	asks(&l, "flows", "from=+0ns", "to=+10ms",
	     "1,RC,10.0.0.1,10.0.0.2,17,,0,both," T
	     "00000000,10000000,1000,1082000,10,3,20,2000000,7,1,0,10,0,,"
	     "1024000,,,,"
	     "\"[16667,16667,6667,0,1667,8333,8333,1667,0,0,0,0]\",\n");
	lab_end(&l);
}

static void data(struct lab *l, uint32_t flow, int64_t from, uint64_t bytes)
{
	l->sink.burst(l->sink.ctx,
		      &(struct fact_burst) { .flow = flow,
					     .first_ns = T0 + from,
					     .last_ns = T0 + from + MS - 1,
					     .bytes = bytes,
					     .acked_ns = FACT_UNKNOWN,
					     .asked_ns = FACT_UNKNOWN,
					     .unacked = FACT_UNKNOWN,
					     .granted_ns = FACT_UNKNOWN });
}

static void goodputs(struct lab *l, const char *from, const char *to,
		     const char *want)
{
	char *have = lab_ask(l, "flow-in-window",
			     (const char *[]) { from, to, NULL });
	char *line, *rest = strchr(have, '\n') + 1, got[100] = "";

	while ((line = strsep(&rest, "\n")) && *line) {
		char *cell = NULL;

		/* its place in the header comment of the query */
		for (int i = 0; i < 54; i++)
			cell = strsep(&line, ",");
		strcat(strcat(got, cell), " ");
	}
	assert_string_equal(got, want);
	free(have);
}

/* Neither flow has steps.  Of the first one all data is here, a half each in
 * its first and its ninth millisecond; of the other one what came first: until
 * then nothing is missing of anybody. */
static void data_of_flows_without_steps(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	const char *params[] = { "scope=flow", "id=1", "steps=4",
				 "to=+1999999ns", NULL };
	struct lab l;
	char *have;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	l.sink.flow(l.sink.ctx, &f);
	f = good_flow(2, 3, 2, 0x12);
	l.sink.flow(l.sink.ctx, &f);
	data(&l, 1, 0, 512000);
	data(&l, 1, 8 * MS, 512000);
	data(&l, 2, 0, 100000);
	lab_reopen(&l);
	goodputs(&l, "from=+500us", "to=+1999999ns", "256000 50000 ");
	goodputs(&l, "from=+0ns", "to=+9500us", "1024000  ");
	goodputs(&l, "from=+2ms", "to=+3ms", "0 0 ");
	have = lab_ask(&l, "timeline", params);
	assert_string_equal(
		strchr(have, '\n') + 1,
		"0," T "00000000,500000,,,,4096000000,,,0,0,0,,0,,0\n"
		"1," T "00500000,500000,,,,4096000000,,,0,0,0,,0,,0\n"
		"2," T "01000000,500000,,,,0,,,0,0,0,,0,,0\n"
		"3," T "01500000,500000,,,,0,,,0,0,0,,0,,0\n");
	free(have);
	params[1] = "id=2";
	params[2] = "steps=2";
	params[3] = "to=+10ms";
	have = lab_ask(&l, "timeline", params);
	assert_string_equal(strchr(have, '\n') + 1,
			    "0," T
			    "00000000,5000001,,,,159999968,,,0,0,0,,0,,0\n"
			    "1," T "05000001,5000001,,,,,,,0,0,0,,0,,0\n");
	free(have);
	lab_end(&l);
}

/* 1000 packets of 1082 octets, 58 of them no payload, in two stretches: of the
 * first half a millisecond a quarter.  One of flow 4 is a copy, sent then.
 * Numbers and copies that do not make up all packets tell nothing. */
static void packets_of_flows_without_steps(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct fact_burst b = { .acked_ns = FACT_UNKNOWN,
				.asked_ns = FACT_UNKNOWN,
				.unacked = FACT_UNKNOWN,
				.granted_ns = FACT_UNKNOWN };
	const struct fact_event copy = { .ns = T0 + MS,
					 .flow = 4,
					 .kind = EVENT_RETRANSMIT_NAK,
					 .count = 1 };
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.ce = f.ce_data = 0;
	for (uint32_t id = 1; id <= 4; id++) {
		f.id = id;
		f.retransmitted = id >= 3;
		f.goodput_bytes = id == 4 ? 1023000 : 1024000;
		l.sink.flow(l.sink.ctx, &f);
		for (int64_t at = 0; at <= 8 * MS; at += 8 * MS) {
			bool last = at > 0;

			b.flow = id;
			b.psns = 500 - (last && (id == 2 || id == 4));
			b.bytes = 512000 - (last && id == 4) * 1000;
			b.first_ns = T0 + at;
			b.last_ns = T0 + at + MS - 1;
			l.sink.burst(l.sink.ctx, &b);
		}
	}
	l.sink.event(l.sink.ctx, &copy);
	lab_reopen(&l);
	/* 256000 + 250 * 58; 256000 + 1000 + 251 * 58 */
	asks(&l, "flows", "from=+500us", "to=+1999999ns",
	     "1,RC,10.0.0.1,10.0.0.2,17,,0,both," T
	     "00000000,10000000,250,270500,,0,0,0,0,0,0,0,0,,256000,,,,,\n"
	     "2,RC,10.0.0.1,10.0.0.2,17,,0,both," T
	     "00000000,10000000,,,,0,0,0,0,0,0,0,0,,256000,,,,,\n"
	     "3,RC,10.0.0.1,10.0.0.2,17,,0,both," T
	     "00000000,10000000,,,,0,,0,0,0,0,0,0,,256000,,,,,\n"
	     "4,RC,10.0.0.1,10.0.0.2,17,,0,both," T
	     "00000000,10000000,251,271558,,0,1,0,0,0,0,0,0,,256000,,,,,\n");
	lab_end(&l);
}

/* 1000 answers of 1082 octets: 900 in the first millisecond, half of them in
 * the second half of it, and the refusals are among the rest. */
static void answers_of_flows_without_steps(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct fact_cc_bin told = {
		.flow = 1, .start_ns = T0, .width_ns = MS, .acks = 900
	};
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	l.sink.flow(l.sink.ctx, &f);
	f.id = 2;
	f.peer = 1;
	f.requests = f.messages = f.payload_bytes = f.goodput_bytes = 0;
	f.responses = f.packets;
	f.ce = f.ce_data = 0;
	l.sink.flow(l.sink.ctx, &f);
	l.sink.cc_bin(l.sink.ctx, &told);
	told.start_ns += 5 * MS;
	told.acks = 90;
	told.trimmed = 10;
	l.sink.cc_bin(l.sink.ctx, &told);
	lab_reopen(&l);
	asks(&l, "flows", "from=+500us", "to=+1999999ns",
	     "1,RC,10.0.0.1,10.0.0.2,17,,0,both," T
	     "00000000,10000000,,,,0,0,0,0,0,0,0,0,,,,,,,\n"
	     "2,RC,10.0.0.1,10.0.0.2,17,,0,both," T
	     "00000000,10000000,450,486900,0,0,0,0,0,0,0,0,0,,0,,,,,\n");
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flow_and_its_tap),
		cmocka_unit_test(what_is_not_told_is_not_known),
		cmocka_unit_test(data_of_flows_without_steps),
		cmocka_unit_test(packets_of_flows_without_steps),
		cmocka_unit_test(answers_of_flows_without_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
