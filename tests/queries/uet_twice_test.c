/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ultra Ethernet at two capture points: what is one counts once. */
#include <stdlib.h>
#include <string.h>

#include "decode/packet.h"
#include "flow/core/fact.h"
#include "said.h"

enum { TRIMMED = 1 };

#define T "17952192000"

static void begin_taps(struct lab *l)
{
	static char pb[] = "pb";
	struct capture_tap t = good_tap();
	struct fact_tap ft = good_fact_tap(1);

	lab_begin(l);
	lab_one_tap(l);
	t.name = pb;
	store_tap(l->s, 1, &t);
	l->sink.tap(l->sink.ctx, &ft);
}

/* One context, seen at two places of capture. */
static void begin_twice(struct lab *l)
{
	begin_taps(l);
	for (uint32_t i = 0; i < 2; i++) {
		struct fact_flow f = context_flow(i + 1, 1, 200);
		struct fact_pdc p = context(i + 1);

		f.tap = i;
		f.first_ns = T0 + MS + i * 5 * US;
		p.opened_ns = f.first_ns;
		p.handshake_ns = (9 - i) * US;
		l->sink.flow(l->sink.ctx, &f);
		l->sink.pdc(l->sink.ctx, &p);
	}
}

/* What both places saw of it is added up once. */
static void a_context_at_two_taps_counts_once(void **state)
{
	struct fact_entropy ev = { .src = host(1),
				   .dst = host(9),
				   .ev = 0xc001,
				   .packets = 300,
				   .bytes = 300000,
				   .marked = 3 };
	struct fact_nack n = { .flow = 1,
			       .code = TRIMMED,
			       .count = 4,
			       .retransmitted = 4,
			       .first_ns = T0 + 2 * MS,
			       .react_min_ns = 10 * US,
			       .react_sum_ns = 80 * US,
			       .react_max_ns = 30 * US };
	struct fact_bin b = { .scope = BIN_FLOW,
			      .scope_id = 1,
			      .start_ns = T0 + MS,
			      .width_ns = 100 * US,
			      .packets = 10,
			      .bytes = 12500 };
	struct lab l;

	(void)state;
	begin_twice(&l);
	for (uint32_t i = 0; i < 2; i++) {
		ev.tap = i;
		l.sink.entropy(l.sink.ctx, &ev);
		n.flow = b.scope_id = i + 1;
		l.sink.nack(l.sink.ctx, &n);
		l.sink.bin(l.sink.ctx, &b);
	}
	lab_reopen(&l);
	asks_all(&l, "flow-once", "1,1\n2,1\n");
	asks_all(&l, "jobs",
		 "200,1,1,1," T "01000000," T
		 "10000000,1000,1024000,1,10,12000,20000,0,0,0,0,0,50,0,0,0\n");
	asks_all(&l, "job-load",
		 "200," T "01000000,100000,1,10,12500,1000000000,"
		 "0,0\n");
	/* opened where it was seen first, answered after 9 us there */
	asks_all(&l, "pdc-rate",
		 T "01000000,1,0,1,1000,9000\n" T "09000000,0,1,0,0,\n");
	asks_all(&l, "uet-nacks",
		 "1,TRIMMED,1,4,4," T "02000000,10000,20000,"
		 "30000\n");
	asks_all(&l, "entropy",
		 "10.0.0.1,10.0.0.9,49153,300,300000,1,0,3,0,0,0,0.01\n");
	/* 1024000 bytes in 9 ms, 1024 of 1082 + 24 bytes */
	asks_all(&l, "uet-roce",
		 "UET-RUD,1,1000,1024000,9000000,910222222,"
		 "0.9258589511754068,64,1,,0,0,0,0,0,0,,12000,,1,,9000\n");
	lab_rows(&l,
		 "SELECT name, value FROM kpi WHERE name IN "
		 "('Concurrent PDCs, most', 'First-packet latency', "
		 "'Set-up time, RUD') ORDER BY name",
		 "Concurrent PDCs, most|1.0\nFirst-packet latency|9.0\n"
		 "Set-up time, RUD|9.0\n");
	lab_end(&l);
}

static void asks_once(struct lab *l, const char *query, const char *want)
{
	char *have = lab_ask(l, query, (const char *[]) { "once=1", NULL });
	const char *row = strchr(have, '\n') + 1;

	assert_memory_equal(row, want, strlen(want));
	assert_null(strchr(strchr(row, '\n') + 1, '\n'));
	free(have);
}

/* One flow at two capture points is one row where that is asked for: of the
 * one behind which nothing was trimmed or marked. */
static void once_is_one_row(void **state)
{
	struct lab l;

	(void)state;
	begin_taps(&l);
	for (uint32_t i = 0; i < 2; i++) {
		struct fact_flow f = context_flow(i + 1, 1, 200);
		struct fact_pdc p = context(i + 1);

		f.tap = i;
		f.first_ns = p.opened_ns = T0 + MS + i * 5 * US;
		f.packets -= i;
		f.ce = i * 5;
		f.trimmed = 20;
		p.trimmed_downstream = i ? 0 : 20;
		p.trimmed_upstream = i ? 20 : 0;
		l.sink.flow(l.sink.ctx, &f);
		l.sink.pdc(l.sink.ctx, &p);
	}
	lab_reopen(&l);
	asks_all(&l, "flow-once", "1,1\n2,1\n");
	asks_once(&l, "trims", "2,10.0.0.1,10.0.0.9,18,200,20,0,");
	asks_once(&l, "ecn", "2,10.0.0.1,10.0.0.9,");
	asks_once(&l, "uet-congestion", "2,10.0.0.1,10.0.0.9,");
	asks_once(&l, "entropy-spread", "1,UET-RUD,10.0.0.1,10.0.0.9,");
	lab_end(&l);
}

/* M1, as with RoCE: what one place saw whole and the next not at all, or
 * without its payload, is one finding and names both. */
static void what_two_taps_saw_is_told_once(void **state)
{
	static const struct {
		enum recovery_cause cause[2];
		const char *want;
	} stories[] = {
		{ { CAUSE_LOSS_DOWNSTREAM, CAUSE_LOSS_UPSTREAM },
		  "warning 1 packet lost between the taps pa and pb: "
		  "10.0.0.1 > 10.0.0.9, PDC 0x0012\n" },
		{ { CAUSE_TRIMMED_DOWNSTREAM, CAUSE_TRIMMED_UPSTREAM },
		  "warning 20 packets trimmed between the taps pa and pb: "
		  "10.0.0.1 > 10.0.0.9, PDC 0x0012\n" },
		/* before both of them */
		{ { CAUSE_TRIMMED_UPSTREAM, CAUSE_TRIMMED_UPSTREAM },
		  "warning 20 packets trimmed upstream of this capture point: "
		  "10.0.0.1 > 10.0.0.9, PDC 0x0012 at pa\n"
		  "warning 20 packets trimmed upstream of this capture point: "
		  "10.0.0.1 > 10.0.0.9, PDC 0x0012 at pb\n" },
		/* lost behind the one and trimmed before the other: not the
		 * same packet */
		{ { CAUSE_LOSS_DOWNSTREAM, CAUSE_TRIMMED_UPSTREAM },
		  "warning 1 packet lost between this capture point and the "
		  "receiver: 10.0.0.1 > 10.0.0.9, PDC 0x0012 at pa\n"
		  "warning 20 packets trimmed upstream of this capture point: "
		  "10.0.0.1 > 10.0.0.9, PDC 0x0012 at pb\n" },
	};
	struct lab l;

	(void)state;
	for (size_t s = 0; s < sizeof stories / sizeof *stories; s++) {
		begin_twice(&l);
		for (uint32_t i = 0; i < 2; i++) {
			struct fact_recovery r = recovery(
				i + 1, stories[s].cause[i], TRIGGER_NAK);

			r.tap = i;
			r.rule = "U6";
			hand_recovery(&l, r);
		}
		lab_reopen(&l);
		expect(&l, "warning", stories[s].want);
		lab_rows(&l,
			 "SELECT count(*) FROM finding"
			 " WHERE title || detail LIKE '%NAK%'",
			 "0\n");
		lab_end(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_context_at_two_taps_counts_once),
		cmocka_unit_test(once_is_one_row),
		cmocka_unit_test(what_two_taps_saw_is_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
