/* SPDX-License-Identifier: GPL-2.0-or-later
 * Several places of capture: figures computed by hand from facts written by
 * hand, and what is found in them. */
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "decode/packet.h"
#include "said.h"

static void tap(struct lab *l, uint32_t i, const char *name)
{
	struct fact_tap f = { .tap = i, .place = (int)i, .packets = 1000 };
	struct capture_tap t = { .name = (char *)(uintptr_t)name,
				 .file = i,
				 .packets = 1000,
				 .received = UINT64_MAX,
				 .dropped = UINT64_MAX,
				 .first_ns = T0,
				 .last_ns = T0 + 10 * MS };

	f.by_kind[PACKET_ROCE] = 1000;
	store_tap(l->s, i, &t);
	l->sink.tap(l->sink.ctx, &f);
}

static struct fact_clock clock_of(uint32_t i, int64_t offset, int64_t error)
{
	return (struct fact_clock) { .tap = i,
				     .part = 1,
				     .method = "two-way",
				     .from_ns = FACT_UNKNOWN,
				     .at_ns = T0,
				     .offset_ns = offset,
				     .drift_ppb = 1500,
				     .error_ns = error,
				     .against_error_ns = error,
				     .drift_low_ppb = 1000,
				     .drift_high_ppb = 2000,
				     .packets = 500,
				     .applied = offset != 0,
				     .why = "because" };
}

static void seen_at_two_as(struct lab *l, uint64_t lost, int64_t error,
			   enum flow_transport transport,
			   enum unmatched_kind kind)
{
	struct capture_file file = good_file();
	struct fact_flow a = good_flow(1, 1, 9, 2), b = good_flow(2, 1, 9, 2);
	struct fact_clock first = clock_of(0, 0, 0);
	struct fact_clock second = clock_of(1, -40 * US, error);
	struct fact_segment s = { .id = 1,
				  .to = 1,
				  .adjacent = true,
				  .whole = true,
				  .flows = 1,
				  .one_in = 1,
				  .first_ns = T0,
				  .last_ns = T0 + 9 * MS,
				  .slowest_frame = 77 };
	struct fact_segment_bin half = { .segment = 1,
					 .start_ns = T0,
					 .width_ns = 5 * MS };
	struct fact_segment_flow f = { .segment = 1, .flow = 1, .to_flow = 2 };
	struct fact_tap_path t = {
		.tap_path = 1, .hop = 1, .flow = 1, .ttl = 64
	};

	lab_begin(l);
	store_capture(l->s, 0, &file);
	tap(l, 0, "leaf");
	tap(l, 1, "spine");
	first.method = "reference";
	store_clock(l->s, &first);
	store_clock(l->s, &second);
	b.tap = 1;
	a.transport = b.transport = transport;
	l->sink.flow(l->sink.ctx, &a);
	l->sink.flow(l->sink.ctx, &b);
	s.n = (struct fact_between) {
		.packets = 2000,
		.lost = lost,
		.marked = 7,
		.reordered = 5,
		.displaced_max = 4,
		.delay = { 1000, 2000, 2500, 8500, 9000, 9500, 10000 },
	};
	f.n = s.n;
	half.n = (struct fact_between) { .packets = 1500, .marked = 6 };
	l->sink.segment_bin(l->sink.ctx, &half);
	half.start_ns += 5 * MS;
	half.n = (struct fact_between) { .packets = 500,
					 .lost = lost,
					 .marked = 1,
					 .reordered = 5,
					 .displaced_max = 4 };
	l->sink.segment_bin(l->sink.ctx, &half);
	l->sink.segment(l->sink.ctx, &s);
	l->sink.segment_flow(l->sink.ctx, &f);
	l->sink.tap_path(l->sink.ctx, &t);
	t = (struct fact_tap_path) { .tap_path = 1,
				     .hop = 2,
				     .flow = 2,
				     .tap = 1,
				     .ttl = 63,
				     .order_from = "ttl" };
	l->sink.tap_path(l->sink.ctx, &t);
	for (uint32_t i = 0; i < lost; i++)
		l->sink.unmatched(
			l->sink.ctx,
			&(struct fact_unmatched) { .segment = 1,
						   .flow = 1,
						   .to_flow = 2,
						   .ns = T0 + i * MS,
						   .frame = 10 + i,
						   .psn = i,
						   .retransmitted_frame = 20,
						   .kind = kind,
						   .verdict = UNMATCHED_LOST,
						   .confidence = 0.99,
						   .detail = "M1" });
}

static void seen_at_two(struct lab *l, uint64_t lost, int64_t error)
{
	seen_at_two_as(l, lost, error, FLOW_RC, UNMATCHED_REQUEST);
}

static void asks_of(struct lab *l, const char *query, const char *from,
		    const char *to, const char *want)
{
	char *have = lab_ask(l, query, (const char *[]) { from, to, NULL });

	assert_string_equal(strchr(have, '\n') + 1, want);
	free(have);
}

static void asks(struct lab *l, const char *query, const char *want)
{
	asks_of(l, query, NULL, NULL, want);
}

#define T "17952192000"

static void segments_clocks_and_delays(void **state)
{
	struct lab l;

	(void)state;
	seen_at_two(&l, 2, 300);
	lab_reopen(&l);
	asks(&l, "clocks",
	     "leaf,1,leaf,reference," T "00000000,0,0,1.5,1,2,500,0,because\n"
	     "spine,1,leaf,two-way," T
	     "00000000,-40000,300,1.5,1,2,500,1,because\n");
	/* 1.5 us a second: in the middle, at 4 ms, 6 ns more than at T0 */
	asks_of(&l, "clocks", "from=+2ms", "to=+6ms",
		"leaf,1,leaf,reference," T
		"00000000,6,0,1.5,1,2,500,0,because\n"
		"spine,1,leaf,two-way," T
		"00000000,-39994,300,1.5,1,2,500,1,because\n");
	asks(&l, "segments", "1,leaf,spine,1,2000,2,0,0,0,7,5,4,0,0,0,,,1\n");
	asks_of(&l, "segments", "from=+0ns", "to=+4999999ns",
		"1,leaf,spine,1,1500,0,0,0,0,6,0,0,0,0,0,,,1\n");
	asks_of(&l, "segments", "from=+5ms", "to=+10ms",
		"1,leaf,spine,1,500,2,0,0,0,1,5,4,0,0,0,,,1\n");
	asks(&l, "report/segments",
	     "lost,leaf > spine," T "00000000,5000000,0\n"
	     "lost,leaf > spine," T "05000000,5000000,2\n"
	     "marked,leaf > spine," T "00000000,5000000,6\n"
	     "marked,leaf > spine," T "05000000,5000000,1\n"
	     "reordered,leaf > spine," T "00000000,5000000,0\n"
	     "reordered,leaf > spine," T "05000000,5000000,5\n");
	asks(&l, "latency",
	     "leaf,spine,1,2000,300,1000,2000,2500,9000,9500,10000,1000,8000,"
	     "9000,77\n");
	lab_rows(&l,
		 "SELECT name, value FROM kpi WHERE section = '5.2'"
		 " AND name LIKE 'One-way latency, %' ORDER BY place",
		 "One-way latency, min|1.0\nOne-way latency, mean|2.5\n"
		 "One-way latency, P50|2.0\nOne-way latency, P95|8.5\n"
		 "One-way latency, P99|9.0\nOne-way latency, P99.9|9.5\n"
		 "One-way latency, max|10.0\n");
	asks(&l, "unmatched",
	     T "00000000,leaf,spine,1,10.0.0.1,10.0.0.9,0,request,lost,10,20,,"
	       "0.99,M1\n" T
	       "01000000,leaf,spine,1,10.0.0.1,10.0.0.9,1,request,lost,11,20,,"
	       "0.99,M1\n");
	asks(&l, "two-ended",
	     "1,2,10.0.0.1,10.0.0.9,2,leaf,spine,2,1000,1000,2000,2,0,7,5,0,"
	     "2000,9000,300\n");
	expect(&l, "warning",
	       "warning 2 packets lost between leaf and spine\n");
	lab_end(&l);
}

/* What takes no PSN is not retransmitted, and what is encrypted may be data. */
static void answers_are_lost(void **state)
{
	const struct {
		enum flow_transport of;
		const char *title;
	} said[] = {
		{ FLOW_RC, "all of them ACKs, NAKs or CNPs" },
		{ FLOW_UET_RUD, "all of them ACKs, NACKs or control packets" },
		{ FLOW_UET_TSS, "data or ACKs (encrypted)" },
	};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct lab l;
		char want[128];

		seen_at_two_as(&l, 12, 300, said[i].of, UNMATCHED_ACK);
		lab_reopen(&l);
		(void)snprintf(want, sizeof want,
			       "12 packets lost between leaf and spine, %s\n",
			       said[i].title);
		lab_rows(
			&l,
			"SELECT title FROM finding WHERE title LIKE '% lost %'",
			want);
		lab_end(&l);
	}
}

/* What nothing bounds is not known; what is above the shortest is. */
static void a_clock_without_bound_has_no_delay(void **state)
{
	struct lab l;

	(void)state;
	seen_at_two(&l, 0, FACT_UNKNOWN);
	lab_reopen(&l);
	asks(&l, "latency", "leaf,spine,1,2000,,,,,,,,1000,8000,9000,77\n");
	lab_end(&l);
}

/* With one tap there is nothing to be said, and no 0. */
static void one_tap_has_no_segments(void **state)
{
	struct fact_flow a = good_flow(1, 1, 9, 0);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	l.sink.flow(l.sink.ctx, &a);
	lab_reopen(&l);
	asks(&l, "clocks", "");
	asks(&l, "segments", "");
	asks(&l, "report/segments", "");
	asks(&l, "latency", "");
	asks(&l, "unmatched", "");
	asks(&l, "two-ended", "");
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_clocks_and_delays),
		cmocka_unit_test(answers_are_lost),
		cmocka_unit_test(a_clock_without_bound_has_no_delay),
		cmocka_unit_test(one_tap_has_no_segments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
