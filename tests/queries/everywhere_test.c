/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sums over flows: what several places of capture saw counts once. */
#include <stdlib.h>
#include <string.h>

#include "said.h"

/* A second place of capture beside the one of lab_one_tap. */
static void two_taps(struct lab *l)
{
	static char pb[] = "pb";
	struct capture_tap t = good_tap();

	lab_begin(l);
	lab_one_tap(l);
	t.name = pb;
	store_tap(l->s, 1, &t);
	l->sink.tap(l->sink.ctx, &(struct fact_tap) { .tap = 1, .place = 1 });
}

/* Flow |id| at |tap|, and its answers. */
static void pair_at(struct lab *l, uint32_t tap, uint32_t id,
		    struct fact_flow f)
{
	f.id = id;
	f.tap = tap;
	lab_pair(l, &f);
}

static void hop(struct lab *l, uint32_t tap_path, uint32_t tap, uint32_t flow)
{
	l->sink.tap_path(l->sink.ctx, &(struct fact_tap_path) {
					      .tap_path = tap_path,
					      .hop = (uint8_t)(tap + 1),
					      .flow = flow,
					      .tap = tap,
					      .ttl = (uint8_t)(64 - tap) });
}

static void happened(struct lab *l, uint32_t tap, uint32_t flow,
		     enum event_kind kind, uint64_t count)
{
	l->sink.event(l->sink.ctx, &(struct fact_event) { .ns = T0 + 2 * MS,
							  .tap = tap,
							  .frame = 42,
							  .flow = flow,
							  .kind = kind,
							  .psn = 7,
							  .count = count,
							  .value = FACT_UNKNOWN,
							  .confidence = 0.9,
							  .detail = "R0" });
}

/* Lost between the two: the second, which knows how many, tells of 3, the
 * first of 2 at least, and of one copy more. */
static void hand_one_way(struct lab *l)
{
	struct fact_flow f = good_flow(0, 1, 2, 0x11);

	f.cnp = 4;
	f.lost_downstream_min = 2;
	f.lost_downstream_max = 9;
	f.retransmitted = 5;
	f.recovery_ns = 70 * US;
	f.rnr_nak = 1;
	pair_at(l, 0, 1, f);
	f.packets -= 3;
	f.bytes -= 3000;
	f.lost_upstream = 3;
	f.lost_downstream_min = f.lost_downstream_max = 0;
	f.retransmitted = 4;
	f.recovery_ns = 60 * US;
	f.reordered = 6;
	pair_at(l, 1, 3, f);
	happened(l, 0, 1, EVENT_LOSS_DOWNSTREAM, 2);
	happened(l, 1, 3, EVENT_LOSS_UPSTREAM, 3);
	happened(l, 0, 1, EVENT_RETRANSMIT_NAK, 5);
	happened(l, 1, 3, EVENT_RETRANSMIT_UNKNOWN, 4);
	happened(l, 1, 3, EVENT_REORDER, 6);
}

static void rows(struct lab *l, const char *query, const char *param,
		 const char *want)
{
	char *have = lab_ask(l, query, (const char *[]) { param, NULL });

	assert_string_equal(strchr(have, '\n') + 1, want);
	free(have);
}

/* |column| of the only row. */
static void said_with(struct lab *l, const char *query, const char *param,
		      const char *column, const char *want)
{
	char *have = lab_ask(l, query, (const char *[]) { param, NULL });
	char *row = strchr(have, '\n'), *names = have, *name;

	*row++ = 0;
	row[strcspn(row, "\n")] = 0;
	while ((name = strsep(&names, ",")) && strcmp(name, column) != 0)
		strsep(&row, ",");
	assert_non_null(name);
	assert_string_equal(strsep(&row, ","), want);
	free(have);
}

static void said(struct lab *l, const char *query, const char *column,
		 const char *want)
{
	said_with(l, query, NULL, column, want);
}

#define SPAN "1795219200000000000,1795219200010000000,"

static void a_flow_on_its_way_counts_once(void **state)
{
	struct fact_recovery r =
		recovery(1, CAUSE_LOSS_DOWNSTREAM, TRIGGER_NAK);
	struct lab l;

	(void)state;
	two_taps(&l);
	hand_one_way(&l);
	r.lost_min = 2;
	hand_recovery(&l, r);
	r = recovery(3, CAUSE_LOSS_UPSTREAM, TRIGGER_NAK);
	r.tap = 1;
	r.lost_min = 3;
	hand_recovery(&l, r);
	hop(&l, 1, 0, 1);
	hop(&l, 1, 1, 3);
	hop(&l, 2, 1, 4);
	hop(&l, 2, 0, 2);
	lab_reopen(&l);
	rows(&l, "flow-once", NULL, "1,1\n2,2\n3,1\n4,2\n");
	rows(&l, "flow-everywhere", NULL,
	     "1,2,RC,10.0.0.1,10.0.0.2,1," SPAN
	     "1000,1082000,1000,0,3,5,6,0,1,70000\n"
	     "2,2,RC,10.0.0.2,10.0.0.1,1," SPAN
	     "1000,1082000,0,0,0,0,0,0,0,0\n");
	said_with(&l, "flows", "once=1", "tap", "\"pa");
	said_with(&l, "flows", "once=1", "lost", "3");
	said_with(&l, "flows", "tap=pb", "tap", "pb");
	lab_rows(&l, "SELECT count(*) FROM flow", "4\n");
	rows(&l, "hosts", NULL,
	     "10.0.0.1,1,1,1082000,1082000,3,5,0,70000\n"
	     "10.0.0.2,1,1,1082000,1082000,0,0,1,0\n");
	rows(&l, "events-dedup", NULL,
	     "1,loss_downstream,3\n3,retransmit_unknown,1\n");
	rows(&l, "marks-dedup", NULL, "0,4\n");
	said_with(&l, "timeline", "steps=1", "lost", "3");
	said_with(&l, "timeline", "steps=1", "retransmitted", "5");
	lab_rows(&l,
		 "SELECT sum(flows), sum(lost_min), sum(retransmitted) FROM "
		 "service",
		 "2|3|5\n");
	lab_rows(&l, "SELECT value FROM kpi WHERE name = 'Packets lost'",
		 "3.0\n");
	lab_end(&l);
}

/* In "In all" of the dashboard, on top of the report, in the verdict. */
static void so_it_does_in_all(void **state)
{
	struct lab l;

	(void)state;
	two_taps(&l);
	hand_one_way(&l);
	lab_reopen(&l);
	said(&l, "summary", "flows", "2");
	said(&l, "summary", "flows_both", "2");
	said(&l, "summary", "bytes", "2164000");
	said(&l, "summary", "expected", "1000");
	said(&l, "summary", "lost", "3");
	said(&l, "summary", "retransmitted", "5");
	said(&l, "summary", "reordered", "6");
	said(&l, "summary", "rnr_nak", "1");
	said(&l, "summary", "recovery_ns", "70000");
	said(&l, "verdict/totals", "flows", "2");
	lab_end(&l);
}

/* No packet of theirs has an identity: the name and the time tell. */
static void without_a_way_name_and_time_tell(void **state)
{
	struct fact_flow f = good_flow(0, 1, 2, 0x11);
	struct lab l;

	(void)state;
	two_taps(&l);
	pair_at(&l, 0, 1, f);
	f.first_ns += 5 * US;
	f.last_ns += 5 * US;
	pair_at(&l, 1, 3, f);
	lab_reopen(&l);
	rows(&l, "flow-once", NULL, "1,1\n2,2\n3,1\n4,2\n");
	lab_end(&l);
}

/* Pieces of one capture, one after the other: taps beyond a number of them are
 * places of their own. */
static void what_comes_after_is_more_of_it(void **state)
{
	struct fact_flow f = good_flow(0, 1, 2, 0x11), b;
	struct lab l;

	(void)state;
	two_taps(&l);
	f.lost_upstream = 2;
	b = good_flow(2, 2, 1, 0x12);
	l.sink.flow(l.sink.ctx, &b);
	f.id = 1;
	l.sink.flow(l.sink.ctx, &f);
	f.first_ns += 11 * MS;
	f.last_ns += 11 * MS;
	f.id = 3;
	f.tap = 1;
	l.sink.flow(l.sink.ctx, &f);
	lab_reopen(&l);
	rows(&l, "flow-once", NULL, "1,1\n2,2\n3,3\n");
	said(&l, "summary", "lost", "4");
	lab_end(&l);
}

/* The second place never saw the first connection of these numbers. */
static void the_way_knows_better_than_numbers(void **state)
{
	struct fact_flow f = good_flow(0, 1, 2, 0x11);
	struct lab l;

	(void)state;
	two_taps(&l);
	pair_at(&l, 0, 1, f);
	f.first_ns += 11 * MS;
	f.last_ns += 11 * MS;
	pair_at(&l, 1, 3, f);
	f.epoch = 1;
	pair_at(&l, 0, 5, f);
	hop(&l, 1, 0, 5);
	hop(&l, 1, 1, 3);
	lab_reopen(&l);
	lab_rows(&l,
		 "SELECT flow_id, counted_id FROM same_flow WHERE flow_id IN "
		 "(1, 3, 5)",
		 "5|3\n");
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flow_on_its_way_counts_once),
		cmocka_unit_test(so_it_does_in_all),
		cmocka_unit_test(without_a_way_name_and_time_tell),
		cmocka_unit_test(what_comes_after_is_more_of_it),
		cmocka_unit_test(the_way_knows_better_than_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
