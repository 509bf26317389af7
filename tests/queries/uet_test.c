/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ultra Ethernet: figures computed by hand from facts written by hand, and what
 * is found in them. */
#include <stdlib.h>
#include <string.h>

#include "decode/packet.h"
#include "flow/core/fact.h"
#include "said.h"

enum { TRIMMED = 1, LASTHOP = 2, NO_PDC = 4, INV_DPDCID = 14 };

static struct fact_cc_bin told(uint32_t flow)
{
	return (struct fact_cc_bin) {
		.flow = flow,
		.start_ns = T0 + MS,
		.width_ns = 100 * US,
		.acks = 10,
		.marked = 2,
		.trimmed = 1,
		.received = 12500,
		.service_mean_ns = 200,
		.service_max_ns = 256,
		.ooo_max = 3,
		.penalty_max = 7,
		.granted = FACT_UNKNOWN,
		.wanted = FACT_UNKNOWN,
		.backlog_max = FACT_UNKNOWN,
		.waited_ns = FACT_UNKNOWN,
	};
}

/* Two contexts of two jobs towards one host, and their answers. */
static void begin(struct lab *l, struct fact_flow *a, struct fact_pdc *p)
{
	struct fact_flow b = context_flow(2, 2, 201);
	struct fact_pdc q = context(2);

	lab_begin(l);
	lab_one_tap(l);
	l->sink.flow(l->sink.ctx, a);
	l->sink.flow(l->sink.ctx, &b);
	l->sink.pdc(l->sink.ctx, p);
	l->sink.pdc(l->sink.ctx, &q);
}

#define T "17952192000"

static void contexts_and_jobs(void **state)
{
	struct fact_flow a = context_flow(1, 1, 200);
	struct fact_pdc p = context(1);
	struct lab l;

	(void)state;
	begin(&l, &a, &p);
	lab_reopen(&l);
	asks_all(&l, "pdcs",
		 "1,UET-RUD,10.0.0.1,10.0.0.9,18,52,200,0,initiator,closed," T
		 "01000000,8000000,5000,7,7168,1000,10,64,0,0,0,3,0,0,0,\n"
		 "2,UET-RUD,10.0.0.2,10.0.0.9,18,52,201,0,initiator,closed," T
		 "02000000,7000000,6000,7,7168,1000,10,64,0,0,0,3,0,0,0,\n");
	/* one opened in the second and third millisecond, both closed in the
	 * tenth */
	asks_all(&l, "pdc-rate",
		 T "01000000,1,0,1,1000,5000\n" T "02000000,1,0,2,1000,6000\n" T
		   "09000000,0,2,0,0,\n");
	asks_all(&l, "jobs",
		 "200,1,1,1," T "01000000," T
		 "10000000,1000,1024000,0.5,10,12000,20000,0,0,0,0,0,50,0,0,0\n"
		 "201,1,1,1," T "02000000," T
		 "10000000,1000,1024000,0.5,10,12000,20000,0,0,0,0,0,50,0,0,"
		 "0\n");
	/* 9 ms and 8 ms of time */
	asks_all(&l, "uet-congestion",
		 "1,10.0.0.1,10.0.0.9,18,200,1000,0,200,50,0.25,128,256,11000,"
		 "3,0,"
		 "0,4096,3640888,100,160,60,2,900000,0.1,0\n"
		 "2,10.0.0.2,10.0.0.9,18,201,1000,0,200,50,0.25,128,256,11000,"
		 "3,0,"
		 "0,4096,4096000,100,160,60,2,900000,0.1125,0\n");
	/* 2 * 1024000 * 8 bits in 9 ms; 1024 of 1082 + 24 octets; two set up
	 * within 1 ms */
	asks_all(&l, "uet-roce",
		 "UET-RUD,2,2000,2048000,9000000,1820444444,0.9258589511754068,"
		 "64,"
		 "1,,"
		 "0,0,0,0,0,0,,12000,,2,1000,5500\n");
	expect(&l, "critical", "");
	expect(&l, "warning", "");
	lab_end(&l);
}

/* A timer that fires before the answer comes: the network is cleared, but what
 * was sent again is not passed over. */
static void early_timers_are_told(void **state)
{
	struct fact_flow f = good_flow(1, 1, 9, 0x11);
	struct fact_recovery r = recovery(1, CAUSE_COLLATERAL, TRIGGER_TIMEOUT);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.transport = FLOW_UET_RUD;
	f.retransmitted = r.retransmitted_packets = 7;
	r.rule = "U15";
	r.silence_ns = 20 * MS;
	lab_pair(&l, &f);
	hand_recovery(&l, r);
	lab_reopen(&l);
	expect(&l, NULL, "info RTO expired once before the ACK arrived\n");
	expect_in(&l, 1, "detail",
		  "7 packets of 1 flow from 10.0.0.1 had arrived and were "
		  "retransmitted after 20.0 ms to 20.0 ms without an ACK.");
	lab_end(&l);
}

/* Where pauses of the other kind are seen, PFC would be, too. */
static void no_PFC_is_none_where_pauses_are_seen(void **state)
{
	struct fact_flow a = context_flow(1, 1, 200);
	struct fact_pdc p = context(1);
	struct fact_tap t = good_fact_tap(0);
	struct lab l;

	(void)state;
	begin(&l, &a, &p);
	t.by_kind[PACKET_PAUSE] = 3;
	l.sink.tap(l.sink.ctx, &t);
	lab_reopen(&l);
	asks_all(&l, "uet-roce",
		 "UET-RUD,2,2000,2048000,9000000,1820444444,0.9258589511754068,"
		 "64,"
		 "1,,"
		 "0,0,0,0,0,0,,12000,0,2,1000,5500\n");
	lab_end(&l);
}

static void congestion_over_time(void **state)
{
	struct fact_flow a = context_flow(1, 1, 200);
	struct fact_pdc p = context(1);
	struct fact_cc_bin nscc = told(1), rccc = told(2);
	struct lab l;

	(void)state;
	rccc.received = rccc.service_mean_ns = rccc.service_max_ns =
		rccc.penalty_max = FACT_UNKNOWN;
	rccc.granted = 40;
	rccc.wanted = 100;
	rccc.backlog_max = 60;
	rccc.waited_ns = 25 * US;
	begin(&l, &a, &p);
	l.sink.cc_bin(l.sink.ctx, &nscc);
	l.sink.cc_bin(l.sink.ctx, &rccc);
	lab_reopen(&l);
	/* 12500 octets in 100 us are a gigabit a second */
	asks_all(
		&l, "uet-congestion-over-time",
		T
		"01000000,100000,1,10.0.0.1,10.0.0.9,18,10,2,1,1000000000,200,"
		"256,3,7,,,,,,0.2,\n" T
		"01000000,100000,2,10.0.0.2,10.0.0.9,18,10,2,1,,,,3,,40,100,60,"
		"25000,0.25,0.2,400\n");
	lab_end(&l);
}

/* Of a span, of those with most trouble. */
static void congestion_of_some(void **state)
{
	struct fact_flow a = context_flow(1, 1, 200);
	struct fact_pdc p = context(1);
	struct fact_cc_bin worst = told(2), other = told(1), late = told(2);
	char *have;
	struct lab l;

	(void)state;
	worst.marked = 3;
	late.start_ns += 100 * US;
	begin(&l, &a, &p);
	l.sink.cc_bin(l.sink.ctx, &other);
	l.sink.cc_bin(l.sink.ctx, &worst);
	l.sink.cc_bin(l.sink.ctx, &late);
	lab_reopen(&l);
	have = lab_ask(
		&l, "uet-congestion-over-time",
		(const char *[]) { "flows=1", "to=" T "01099999", NULL });
	assert_string_equal(strchr(have, '\n') + 1,
			    T "01000000,100000,2,10.0.0.2,10.0.0.9,18,10,3,1,"
			      "1000000000,200,256,3,7,,,,,,0.3,\n");
	free(have);
	have = lab_ask(&l, "uet-congestion-over-time",
		       (const char *[]) { "from=" T "01100000", NULL });
	assert_string_equal(strchr(have, '\n') + 1,
			    T "01100000,100000,2,10.0.0.2,10.0.0.9,18,10,2,1,"
			      "1000000000,200,256,3,7,,,,,,0.2,\n");
	free(have);
	lab_end(&l);
}

/* Ten answers in 100 us are 2 or 3 in 25, two marks are in one step each; of
 * the step behind them nothing is known. */
static void congestion_in_steps(void **state)
{
	struct fact_flow a = context_flow(1, 1, 200);
	struct fact_pdc p = context(1);
	struct fact_cc_bin nscc = told(1);
	const char *params[] = { "flow=1", "from=" T "01000000",
				 "to=" T "01124999", "steps=5", NULL };
	struct lab l;
	char *have;

	(void)state;
	nscc.granted = 7;
	nscc.waited_ns = 50 * US;
	begin(&l, &a, &p);
	l.sink.cc_bin(l.sink.ctx, &nscc);
	lab_reopen(&l);
	have = lab_ask(&l, "pdc-timeline", params);
	assert_string_equal(
		strchr(have, '\n') + 1,
		"0," T "01000000,25000,2,0,0,1000000000,256,3,7,1,,,12500\n"
		"1," T "01025000,25000,3,1,0,1000000000,256,3,7,2,,,12500\n"
		"2," T "01050000,25000,2,0,0,1000000000,256,3,7,2,,,12500\n"
		"3," T "01075000,25000,3,1,1,1000000000,256,3,7,2,,,12500\n"
		"4," T "01100000,25000,,,,,,,,,,,\n");
	free(have);
	params[0] = "flow=2";
	have = lab_ask(&l, "pdc-timeline", params);
	assert_string_equal(strchr(have, '\n') + 1, "");
	free(have);
	lab_end(&l);
}

/* 25000 octets of two flows in 100 us are two gigabit a second. */
static void jobs_over_time(void **state)
{
	struct fact_flow a = context_flow(1, 1, 200);
	struct fact_pdc p = context(1);
	struct fact_bin b = { .scope = BIN_FLOW,
			      .scope_id = 1,
			      .start_ns = a.first_ns,
			      .width_ns = 100 * US,
			      .packets = 10,
			      .bytes = 12500,
			      .ce = 3 };
	struct lab l;

	(void)state;
	begin(&l, &a, &p);
	a = context_flow(3, 1, 200);
	l.sink.flow(l.sink.ctx, &a);
	l.sink.bin(l.sink.ctx, &b);
	b.scope_id = 3;
	b.retransmitted = 2;
	l.sink.bin(l.sink.ctx, &b);
	b.scope_id = 2;
	l.sink.bin(l.sink.ctx, &b);
	lab_reopen(&l);
	asks_all(&l, "job-load",
		 "200," T "01000000,100000,2,20,25000,2000000000,6,2\n"
		 "201," T "01000000,100000,1,10,12500,1000000000,3,2\n");
	lab_end(&l);
}

/* One timer, and beside what was lost it had sent again what was not: told
 * once. */
static void a_timer_is_told_with_its_loss(void **state)
{
	struct fact_flow a = context_flow(1, 1, 200);
	struct fact_pdc p = context(1);
	struct fact_recovery lost =
		recovery(1, CAUSE_LOSS_UPSTREAM, TRIGGER_TIMEOUT);
	struct fact_recovery beside =
		recovery(1, CAUSE_UNKNOWN, TRIGGER_TIMEOUT);
	struct lab l;

	(void)state;
	begin(&l, &a, &p);
	lost.rule = "U9";
	beside.rule = "U21";
	beside.resend_ns += 10 * US;
	hand_recovery(&l, lost);
	hand_recovery(&l, beside);
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning At least 1 packet lost between the sender and this "
	       "capture point, recovered only by RTO: 10.0.0.1 > 10.0.0.9, PDC "
	       "0x0012\n");
	lab_end(&l);
}

static void trimming_costs_and_saves(void **state)
{
	struct fact_flow a = context_flow(1, 1, 200);
	struct fact_pdc p = context(1);
	struct fact_recovery cut =
		recovery(1, CAUSE_TRIMMED_DOWNSTREAM, TRIGGER_NAK);
	struct fact_recovery timer =
		recovery(2, CAUSE_UNKNOWN, TRIGGER_TIMEOUT);
	struct fact_nack n = { .flow = 1,
			       .code = LASTHOP,
			       .count = 4,
			       .retransmitted = 4,
			       .first_ns = T0 + 2 * MS,
			       .frame = 17,
			       .react_min_ns = 10 * US,
			       .react_sum_ns = 80 * US,
			       .react_max_ns = 30 * US };
	struct lab l;

	(void)state;
	a.trimmed = 4;
	p.nacks = p.trimmed_downstream = p.trimmed_lasthop = 4;
	begin(&l, &a, &p);
	cut.rule = "U6";
	cut.first_ns = T0 + MS;
	cut.last_ns = cut.first_ns + 50 * US;
	cut.retransmitted_packets = 4;
	cut.retransmitted_bytes = 4096;
	timer.rule = "U21";
	timer.first_ns = T0 + 3 * MS;
	timer.last_ns = timer.first_ns + 2 * MS;
	hand_recovery(&l, cut);
	hand_recovery(&l, timer);
	l.sink.nack(l.sink.ctx, &n);
	lab_reopen(&l);
	asks_all(&l, "uet-nacks",
		 "2,TRIMMED_LASTHOP,1,4,4," T "02000000,10000,20000,30000\n");
	/* 50 us instead of 2 ms */
	asks_all(
		&l, "trims",
		"1,10.0.0.1,10.0.0.9,18,200,0,4,4,4,4096,50000,2000000,1950000,"
		"0,,1\n");
	expect_in(&l, 2, "title",
		  "4 packets trimmed between this capture point and the "
		  "receiver: 10.0.0.1 > 10.0.0.9, PDC 0x0012");
	expect_in(&l, 2, "detail", "The last switch trimmed 4 of them");
	lab_end(&l);
}

static void asks_then(struct lab *l, const char *query, const char *from,
		      const char *to, const char *want)
{
	char *have = lab_ask(l, query, (const char *[]) { from, to, NULL });

	assert_string_equal(strchr(have, '\n') + 1, want);
	free(have);
}

static void cut_here(struct lab *l, uint32_t psn, int64_t ns, int64_t octets)
{
	l->sink.event(l->sink.ctx, &(struct fact_event) {
					   .ns = T0 + ns,
					   .flow = 1,
					   .kind = EVENT_TRIMMED,
					   .psn = psn,
					   .count = 1,
					   .value = octets,
					   .detail = "U5: seen here trimmed" });
}

static void cut_refused(struct lab *l, uint32_t psn, int64_t ns, int64_t code)
{
	l->sink.event(
		l->sink.ctx,
		&(struct fact_event) {
			.ns = T0 + ns,
			.flow = 1,
			.kind = EVENT_TRIMMED,
			.psn = psn,
			.count = 1,
			.value = code,
			.detail = "U6: the receiver refused it as trimmed" });
}

/* Five trimmed packets: 7 passed here cut and was refused, and so was its copy;
 * 8 passed here cut and its refusal did not; 9 and 10 were cut behind.  Each is
 * one, wherever it is counted. */
static void each_trimmed_packet_is_one(void **state)
{
	struct fact_flow a = context_flow(1, 1, 200);
	struct fact_pdc p = context(1);
	struct lab l;

	(void)state;
	a.trimmed = 5;
	p.trimmed_upstream = 3;
	p.trimmed_downstream = 2;
	p.trimmed_lasthop = 3;
	p.nacks = 4;
	begin(&l, &a, &p);
	cut_here(&l, 7, 2 * MS, 4000);
	cut_refused(&l, 7, 2 * MS + US, LASTHOP);
	cut_here(&l, 7, 3 * MS, 4000);
	cut_refused(&l, 7, 3 * MS + US, LASTHOP);
	cut_here(&l, 8, 3 * MS + 2 * US, 1000);
	cut_refused(&l, 9, 4 * MS, TRIMMED);
	cut_refused(&l, 10, 5 * MS, LASTHOP);
	l.sink.nack(
		l.sink.ctx,
		&(struct fact_nack) { .flow = 1, .code = TRIMMED, .count = 1 });
	lab_reopen(&l);
	asks_all(&l, "trim-events",
		 T "02000000,1,1,,7,1,1,4000,2\n" T
		   "03000000,1,1,,7,1,1,4000,2\n" T
		   "03002000,1,1,,8,1,1,1000,\n" T "04000000,1,1,,9,1,0,,1\n" T
		   "05000000,1,1,,10,1,0,,2\n");
	asks_all(&l, "trims",
		 "1,10.0.0.1,10.0.0.9,18,200,3,2,3,,,,,,1,9000,1\n");
	asks_then(&l, "trims", "from=+3ms", "to=+4ms",
		  "1,10.0.0.1,10.0.0.9,18,200,2,1,1,,,,,,1,5000,1\n");
	asks_then(&l, "trims", "from=+6ms", "to=+7ms", "");
	asks_all(&l, "trim-places",
		 "upstream and downstream of "
		 "pa,10.0.0.9,,5,3,1,1,1,9000,,,,,1\n");
	asks_then(&l, "trim-places", "from=+3ms", "to=+4ms",
		  "upstream and downstream of "
		  "pa,10.0.0.9,,3,1,1,1,1,5000,,,,,1\n");
	asks_then(&l, "timeline", "steps=2", "to=+9ms",
		  "0," T "00000000,4500001,0,0,0,,0,0,0,0,0,,0,,4\n"
		  "1," T "04500001,4500001,0,0,0,,0,0,0,0,0,,0,,1\n");
	lab_end(&l);
}

static void paths_by_entropy(void **state)
{
	struct fact_flow a = context_flow(1, 1, 200);
	struct fact_pdc p = context(1);
	struct fact_entropy good = { .src = host(1),
				     .dst = host(9),
				     .ev = 0xc001,
				     .packets = 300,
				     .bytes = 300000 };
	struct fact_entropy bad = good;
	struct lab l;

	(void)state;
	begin(&l, &a, &p);
	bad.ev = 0xc002;
	bad.packets = 100;
	bad.marked = 20;
	bad.lost = 5;
	l.sink.entropy(l.sink.ctx, &good);
	l.sink.entropy(l.sink.ctx, &bad);
	lab_reopen(&l);
	asks_all(&l, "entropy",
		 "10.0.0.1,10.0.0.9,49154,100,300000,0.25,0,20,0,0,5,0.25\n"
		 "10.0.0.1,10.0.0.9,49153,300,300000,0.75,0,0,0,0,0,0\n");
	lab_end(&l);
}

/* Of four values two carry a packet each and one two: as much as 2^1.5 of equal
 * weight, and the busiest has a half.  A flow with one value has it in any part
 * of its time. */
static void spread_over_entropy_values(void **state)
{
	struct fact_flow a = context_flow(1, 1, 200);
	struct fact_pdc p = context(1);
	struct fact_entropy e = {
		.src = host(1), .dst = host(9), .ev = 1, .packets = 20
	};
	struct lab l;

	(void)state;
	a.udp_sports = 3;
	begin(&l, &a, &p);
	l.sink.entropy(l.sink.ctx, &e);
	e.ev = 2;
	e.packets = 10;
	e.marked = e.trimmed = 1;
	l.sink.entropy(l.sink.ctx, &e);
	e.ev = 3;
	e.trimmed = 0;
	l.sink.entropy(l.sink.ctx, &e);
	lab_reopen(&l);
	asks_all(&l, "entropy-spread",
		 "1,UET-RUD,10.0.0.1,10.0.0.9,18,200,1000,3,,3,2.8,0.5,2,1,0\n"
		 "2,UET-RUD,10.0.0.2,10.0.0.9,18,201,1000,1,,,,,,,\n");
	asks_then(&l, "entropy-spread", "from=+3ms", "to=+4ms",
		  "1,UET-RUD,10.0.0.1,10.0.0.9,18,200,,,,,,,,,0\n"
		  "2,UET-RUD,10.0.0.2,10.0.0.9,18,201,,1,,,,,,,\n");
	lab_end(&l);
}

/* Load and marks are readable; answers, copies, messages are not. */
static void of_what_is_encrypted_nothing_is_zero(void **state)
{
	struct fact_flow a = context_flow(1, 1, 200);
	struct fact_pdc p = context(1);
	struct fact_entropy e = { .src = host(1),
				  .dst = host(9),
				  .ev = 1,
				  .packets = 20,
				  .bytes = 20000,
				  .ce = 5 };
	struct lab l;

	(void)state;
	a.transport = FLOW_UET_TSS;
	a.visibility = VISIBLE_FWD;
	begin(&l, &a, &p);
	l.sink.entropy(l.sink.ctx, &e);
	lab_reopen(&l);
	asks_all(&l, "entropy", "10.0.0.1,10.0.0.9,1,20,20000,1,5,,,,,\n");
	lab_rows(&l,
		 "SELECT messages, messages_completed, messages_incomplete, "
		 "goodput_bytes, packets FROM flow WHERE id = 1",
		 "-|-|-|-|1000\n");
	asks_then(&l, "tui/not-observable-flow", "flow=1", NULL,
		  "\"it is encrypted (TSS): losses, retransmissions, ACKs and "
		  "messages cannot be read\"\n");
	asks_then(&l, "tui/not-observable-flow", "flow=2", NULL, "");
	lab_end(&l);
}

/* RUD and ROD may well be there: nobody can read whether they are. */
static void all_encrypted_is_not_unacknowledged(void **state)
{
	struct fact_flow f = context_flow(1, 1, 200);
	const struct fact_tss t = { .src = host(1),
				    .ssi = FACT_UNKNOWN,
				    .packets = f.packets };
	struct lab l;

	(void)state;
	f.transport = FLOW_UET_TSS;
	f.visibility = VISIBLE_FWD;
	lab_begin(&l);
	lab_one_tap(&l);
	l.sink.flow(l.sink.ctx, &f);
	l.sink.tss(l.sink.ctx, &t);
	lab_reopen(&l);
	lab_rows(&l, "SELECT verdict, reason FROM answer",
		 "undetermined|1,000 packets of Ultra Ethernet are encrypted "
		 "(TSS)\n");
	lab_rows(&l,
		 "SELECT what, verdict FROM observability WHERE verdict = 'no' "
		 "AND why LIKE '%encrypted%' ORDER BY what",
		 "latency|no\nloss|no\n");
	lab_end(&l);
}

/* Of 200 answers 10 were in 100 us, and 190 later: in half of these 100 us
 * were 5 of them, to 1 marked packet, with half of the credit of 50.  What does
 * not add up to all is not known. */
static void congestion_of_a_span(void **state)
{
	struct fact_flow a = context_flow(1, 1, 200);
	struct fact_pdc p = context(1);
	struct fact_cc_bin first = told(1), rest = told(1);
	struct lab l;

	(void)state;
	begin(&l, &a, &p);
	first.granted = 50;
	rest.granted = 50;
	rest.start_ns += MS;
	rest.acks = 190;
	rest.marked = 48;
	rest.service_max_ns = 999;
	l.sink.cc_bin(l.sink.ctx, &first);
	l.sink.cc_bin(l.sink.ctx, &rest);
	lab_reopen(&l);
	/* received: 25000 octets in the steps, 4096 by the context */
	asks_then(&l, "uet-congestion", "from=" T "01000000",
		  "to=" T "01049999",
		  "1,10.0.0.1,10.0.0.9,18,200,,0,5,1,0.2,,256,,3,7,0,,,25,,,,,,"
		  "0\n");
	lab_end(&l);
}

static void refused(uint8_t code, struct fact_recovery *r, enum event_kind kind,
		    const char *title, const char *detail)
{
	struct fact_flow a = context_flow(1, 1, 200);
	struct fact_pdc p = context(1);
	struct fact_nack n = { .flow = 1, .code = code, .count = 1 };
	struct lab l;

	a.nak_fatal = kind == EVENT_NAK_FATAL;
	a.rnr_nak = kind == EVENT_RNR_NAK;
	begin(&l, &a, &p);
	hand_event(&l, 1, kind, code);
	if (r)
		hand_recovery(&l, *r);
	if (kind != EVENT_RESPONSE_ERROR)
		l.sink.nack(l.sink.ctx, &n);
	lab_reopen(&l);
	expect_in(&l, 1, "title", title);
	expect_in(&l, 1, "detail", detail);
	lab_end(&l);
}

static void refusals_name_their_reason(void **state)
{
	struct fact_recovery r = recovery(1, CAUSE_RNR, TRIGGER_RNR);

	(void)state;
	r.rule = "U7";
	refused(NO_PDC, &r, EVENT_RNR_NAK, "The receiver was not ready once",
		"(NACK NO_PDC_AVAIL)");
	refused(INV_DPDCID, NULL, EVENT_NAK_FATAL,
		"1 delivery context ended by the receiver with NACK INV_DPDCID",
		"(INV_DPDCID)");
	refused(28, NULL, EVENT_RESPONSE_ERROR,
		"1 operation failed at the target (return code 28 BAD_MKEY)",
		"refused by the semantic layer");
}

/* A NACK asks for no wait: what it says is its code. */
static void refusals_are_called_by_their_names(void **state)
{
	struct fact_flow a = context_flow(1, 1, 200);
	struct fact_pdc p = context(1);
	struct fact_nack n = { .flow = 1, .code = NO_PDC, .count = 1 };
	struct lab l;
	char *have;

	(void)state;
	begin(&l, &a, &p);
	hand_event(&l, 1, EVENT_RNR_NAK, NO_PDC);
	hand_event(&l, 1, EVENT_RESPONSE_ERROR, 28);
	l.sink.nack(l.sink.ctx, &n);
	lab_reopen(&l);
	have = lab_ask(&l, "rnr", (const char *[]) { NULL });
	assert_non_null(strstr(have, ",,NO_PDC_AVAIL\n"));
	free(have);
	have = lab_ask(&l, "errors", (const char *[]) { "job=200", NULL });
	assert_non_null(strstr(have, ",10.0.0.1,10.0.0.9,18,200,"));
	assert_non_null(strstr(have, ",28,BAD_MKEY\n"));
	free(have);
	have = lab_ask(&l, "ladder", (const char *[]) { "flow=1", NULL });
	assert_non_null(strstr(have, ",back,NACK,"));
	assert_non_null(strstr(have, "NO_PDC_AVAIL"));
	assert_null(strstr(have, "wait"));
	free(have);
	lab_end(&l);
}

/* Out of order is how RUD works: nothing to be found. */
static void disorder_is_no_finding(void **state)
{
	struct fact_flow a = context_flow(1, 1, 200);
	struct fact_pdc p = context(1);
	struct lab l;

	(void)state;
	a.reordered = 500;
	a.reorder_extent_max = 40;
	begin(&l, &a, &p);
	lab_reopen(&l);
	expect(&l, "critical", "");
	expect(&l, "warning", "");
	expect(&l, "info", "");
	lab_rows(&l, "SELECT impaired FROM flow WHERE id = 1", "0\n");
	lab_end(&l);
}

static void encrypted_is_said(void **state)
{
	struct fact_flow a = context_flow(1, 1, 200);
	struct fact_pdc p = context(1);
	struct fact_tap t = good_fact_tap(0);
	struct lab l;

	(void)state;
	a.transport = FLOW_UET_TSS;
	begin(&l, &a, &p);
	t.by_kind[PACKET_UET] = 4000;
	l.sink.tap(l.sink.ctx, &t);
	lab_reopen(&l);
	lab_rows(&l,
		 "SELECT verdict, why LIKE '%1,000 of 4,000 packets are "
		 "encrypted%' FROM observability WHERE what = 'uet'",
		 "partial|1\n");
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contexts_and_jobs),
		cmocka_unit_test(early_timers_are_told),
		cmocka_unit_test(no_PFC_is_none_where_pauses_are_seen),
		cmocka_unit_test(congestion_over_time),
		cmocka_unit_test(congestion_of_some),
		cmocka_unit_test(congestion_in_steps),
		cmocka_unit_test(jobs_over_time),
		cmocka_unit_test(a_timer_is_told_with_its_loss),
		cmocka_unit_test(trimming_costs_and_saves),
		cmocka_unit_test(each_trimmed_packet_is_one),
		cmocka_unit_test(paths_by_entropy),
		cmocka_unit_test(spread_over_entropy_values),
		cmocka_unit_test(of_what_is_encrypted_nothing_is_zero),
		cmocka_unit_test(all_encrypted_is_not_unacknowledged),
		cmocka_unit_test(congestion_of_a_span),
		cmocka_unit_test(refusals_name_their_reason),
		cmocka_unit_test(refusals_are_called_by_their_names),
		cmocka_unit_test(disorder_is_no_finding),
		cmocka_unit_test(encrypted_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
