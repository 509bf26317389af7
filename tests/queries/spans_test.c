/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is known of a part of the time.  balance_test and taps_test have links,
 * telemetry, segments and clocks. */
#include <stdlib.h>
#include <string.h>

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
	     "00000000,10000000,300,30000,,0,0,0,,0,0,5,0,\n");
	asks(&l, "flows", "from=+0ns", "to=+2500000ns",
	     "1,RC,10.0.0.1,10.0.0.2,17,,0,both," T
	     "00000000,10000000,600,60000,,3,0,2000000,,1,0,10,0,\n");
	asks(&l, "flows", "from=+2500000ns", "to=+4999999ns",
	     "1,RC,10.0.0.1,10.0.0.2,17,,0,both," T
	     "00000000,10000000,200,20000,,0,20,0,,0,0,0,0,\n");
	asks(&l, "tap-then", "from=+500us", "to=+4999999ns",
	     "1,4500000,200,20000,0,0,0,198400000\n");
	asks(&l, "taps", "from=+500us", "to=+4999999ns",
	     "1,pa,a.pcap,,128,200,,0,,,," T "00000000," T "10000000,0,0\n");
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
	     "00000000,10000000,,,,3,0,2000000,,1,0,,0,\n");
	asks(&l, "flows", "from=+0ns", "to=+10ms",
	     "1,RC,10.0.0.1,10.0.0.2,17,,0,both," T
	     "00000000,10000000,1000,1082000,10,3,20,2000000,7,1,0,10,0,\n");
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flow_and_its_tap),
		cmocka_unit_test(what_is_not_told_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
