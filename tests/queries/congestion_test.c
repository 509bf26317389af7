/* SPDX-License-Identifier: GPL-2.0-or-later
 * Congestion written by hand: what is asked of it, and the verdicts an
 * engineer would draw. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "said.h"

/* A flow of good_flow()'s that was marked and told to slow down. */
static struct fact_congestion good_congestion(uint32_t flow)
{
	return (struct fact_congestion) {
		.flow = flow,
		.first_mark_ns = T0 + 1 * MS,
		.last_mark_ns = T0 + 8 * MS,
		.first_cnp_ns = T0 + 1 * MS + 2 * US,
		.last_cnp_ns = T0 + 8 * MS + 2 * US,
		.marks = 100,
		.cnps = 40,
		.clean = 1,
		.reacted = 3,
		.inconclusive = 5,
		.rate_start_bps = 50000000000,
		.rate_low_bps = 10000000000,
		.rate_end_bps = 12000000000,
	};
}

static struct fact_cnp good_cnp(uint32_t flow, int64_t ns)
{
	return (struct fact_cnp) {
		.ns = T0 + ns,
		.frame = 100 + (uint64_t)(ns / US),
		.flow = flow,
		.attribution = ATTRIBUTED_PAIR,
		.src = host(2),
		.dst = host(1),
		.qp = 0x12,
		.latency_min_ns = 1 * US,
		.latency_max_ns = 10 * US,
		.marks = 5,
		.rate_before_bps = FACT_UNKNOWN,
		.rate_after_bps = FACT_UNKNOWN,
		.window_before_ns = FACT_UNKNOWN,
		.window_after_ns = FACT_UNKNOWN,
	};
}

static void begin(struct lab *l)
{
	lab_begin(l);
	lab_one_tap(l);
}

static struct fact_flow marked_flow(uint32_t id, uint8_t src)
{
	struct fact_flow f = good_flow(id, src, 2, 0x10 + id);

	f.ect_data = 900;
	f.ce_data = 100;
	f.cnp = 40;
	return f;
}

static void marked_pair(struct lab *l, uint32_t id, uint8_t src,
			const struct fact_congestion *c)
{
	struct fact_flow f = marked_flow(id, src);

	lab_pair(l, &f);
	l->sink.congestion(l->sink.ctx, c);
}

static void answer_is(struct lab *l, const char *query, const char *const *how,
		      const char *want)
{
	char *have = lab_ask(l, query, how);

	assert_string_equal(strchr(have, '\n') + 1, want);
	free(have);
}

/* --- questions --- */

static void latencies_with_a_known_trigger_count(void **state)
{
	static const int64_t known[] = { 4 * US, 6 * US, 30 * US };
	struct fact_congestion c = good_congestion(1);
	struct lab l;

	(void)state;
	begin(&l);
	marked_pair(&l, 1, 1, &c);
	for (int i = 0; i < 3; i++) {
		struct fact_cnp n = good_cnp(1, (2 + i) * MS);

		n.latency_min_ns = 2 * US;
		n.latency_max_ns = known[i];
		n.clean = true;
		l.sink.cnp(l.sink.ctx, &n);
	}
	struct fact_cnp vague = good_cnp(1, 6 * MS);

	vague.latency_max_ns = 50 * US;
	l.sink.cnp(l.sink.ctx, &vague);
	vague.latency_min_ns = vague.latency_max_ns = FACT_UNKNOWN;
	l.sink.cnp(l.sink.ctx, &vague);
	lab_reopen(&l);
	/* good_flow: 8 us to the receiver and back */
	answer_is(&l, "cnp-latency", NULL,
		  "1,10.0.0.2,4,3,6000,30000,30000,-2000,2000,6000\n");
	answer_is(&l, "cnps",
		  (const char *const[]) { "clean=1", "limit=1", NULL },
		  "1795219200002000000,1,2100,1,pair,10.0.0.2,10.0.0.1,18,2000,"
		  "4000,1,,,,,,\n");
	lab_end(&l);
}

static void the_scope_that_fits_is_shown(void **state)
{
	struct fact_pacing p = {
		.receiver = host(2),
		.scope = PACING_QP,
		.entities = 4,
		.cnps = 100,
		.gaps = 96,
		.gap_min_ns = 50 * US,
		.gap_p1_ns = 50 * US,
		.gap_p50_ns = 60 * US,
		.near = 0.5,
		.expected = FACT_UNKNOWN,
		.observed = FACT_UNKNOWN,
	};
	struct lab l;

	(void)state;
	begin(&l);
	l.sink.pacing(l.sink.ctx, &p);
	p.scope = PACING_PORT;
	p.inferred = true;
	p.entities = 1;
	p.expected = 90;
	p.observed = 91;
	l.sink.pacing(l.sink.ctx, &p);
	lab_reopen(&l);
	answer_is(&l, "cnp-pacing", NULL,
		  "1,10.0.0.2,port,1,1,100,96,50000,60000,0.5,90,91\n");
	lab_end(&l);
}

static void bin(struct lab *l, uint32_t flow, int64_t at, uint64_t bytes)
{
	struct fact_bin b = {
		.scope = BIN_FLOW,
		.scope_id = flow,
		.start_ns = T0 + at,
		.width_ns = 100 * US,
		.packets = 200,
		.bytes = bytes,
	};

	l->sink.bin(l->sink.ctx, &b);
}

/* Shares 3:1 give (3+1)^2 / (2 (9+1)) = 0.8, equal ones 1. */
static void fairness_is_jains(void **state)
{
	struct fact_congestion a = good_congestion(1), b = good_congestion(3);
	struct lab l;

	(void)state;
	begin(&l);
	marked_pair(&l, 1, 1, &a);
	marked_pair(&l, 3, 3, &b);
	bin(&l, 1, 0, 750000);
	bin(&l, 3, 0, 250000);
	bin(&l, 1, 100 * US, 500000);
	bin(&l, 3, 100 * US, 500000);
	lab_reopen(&l);
	answer_is(&l, "fairness", NULL,
		  "1,10.0.0.2,1795219200000000000,100000,2,80000000000,"
		  "20000000000,60000000000,0,0.8\n"
		  "1,10.0.0.2,1795219200000100000,100000,2,80000000000,"
		  "40000000000,40000000000,2,1\n");
	lab_end(&l);
}

/* The second flow joins after 2 ms, takes 1 ms to get its share and keeps it
 * for 4. */
static void convergence_lasts_until_all_are_even_for_good(void **state)
{
	struct fact_congestion a = good_congestion(1), b = good_congestion(3);
	struct fact_flow f = marked_flow(1, 1), g = marked_flow(3, 3);
	struct lab l;

	(void)state;
	begin(&l);
	g.first_ns = T0 + 2 * MS;
	f.last_ns = g.last_ns = T0 + 7 * MS - 1;
	lab_pair(&l, &f);
	lab_pair(&l, &g);
	l.sink.congestion(l.sink.ctx, &a);
	l.sink.congestion(l.sink.ctx, &b);
	for (int i = 0; i < 70; i++) {
		bool early = i < 30;

		bin(&l, 1, i * 100 * US, early ? 750000 : 500000);
		if (i >= 20)
			bin(&l, 3, i * 100 * US, early ? 250000 : 500000);
	}
	lab_reopen(&l);
	answer_is(&l, "convergence", NULL,
		  "1,10.0.0.2,1795219200002000000,2,1,100000,1000000,1000000,"
		  "5000000,0.8,1\n");
	expect(&l, "warning", "");
	lab_end(&l);
}

static void never_even_is_not_converged(void **state)
{
	struct fact_congestion a = good_congestion(1), b = good_congestion(3);
	struct fact_flow f = marked_flow(1, 1), g = marked_flow(3, 3);
	char *have;
	struct lab l;

	(void)state;
	begin(&l);
	g.first_ns = T0 + 2 * MS;
	lab_pair(&l, &f);
	lab_pair(&l, &g);
	l.sink.congestion(l.sink.ctx, &a);
	l.sink.congestion(l.sink.ctx, &b);
	for (int i = 20; i < 60; i++) {
		bin(&l, 1, i * 100 * US, 900000);
		bin(&l, 3, i * 100 * US, 100000);
	}
	lab_reopen(&l);
	have = lab_ask(&l, "kpis", NULL);
	assert_non_null(strstr(have, "Congestion Control Convergence,,us,1T,,a "
				     "longer capture: not converged within "
				     "4.00 ms,,\n"));
	free(have);
	lab_end(&l);
}

/* --- verdicts --- */

static void healthy_congestion_is_only_told(void **state)
{
	struct fact_congestion c = good_congestion(1);
	struct lab l;

	(void)state;
	begin(&l);
	marked_pair(&l, 1, 1, &c);
	lab_reopen(&l);
	expect(&l, "warning", "");
	expect(&l, "critical", "");
	lab_end(&l);
}

static void a_sender_that_goes_on_is_told(void **state)
{
	struct fact_congestion good = good_congestion(1);
	struct fact_congestion deaf = good_congestion(3);
	struct lab l;

	(void)state;
	begin(&l);
	marked_pair(&l, 1, 1, &good);
	deaf.reacted = 0;
	deaf.ignored = 35;
	deaf.rate_end_bps = deaf.rate_low_bps = deaf.rate_start_bps;
	marked_pair(&l, 3, 3, &deaf);
	lab_reopen(&l);
	expect(&l, "warning",
	       "warning 10.0.0.3 receives CNPs and does not reduce its rate: "
	       "35 "
	       "CNPs in a row without effect, 10.0.0.3 > 10.0.0.2\n");
	expect_in(&l, 1, "detail", "1 other sender reduced its rate");
	lab_end(&l);
}

static void few_ignored_cnps_accuse_nobody(void **state)
{
	struct fact_congestion c = good_congestion(1);
	struct lab l;

	(void)state;
	begin(&l);
	c.reacted = 0;
	c.not_reacted = 12;
	c.ignored = 29;
	marked_pair(&l, 1, 1, &c);
	lab_reopen(&l);
	expect(&l, "warning", "");
	lab_end(&l);
}

static struct fact_congestion unanswered(uint32_t flow)
{
	struct fact_congestion c = good_congestion(flow);

	c.cnps = c.clean = c.reacted = c.inconclusive = 0;
	c.first_cnp_ns = c.last_cnp_ns = FACT_UNKNOWN;
	return c;
}

static void a_receiver_that_never_answers_is_told(void **state)
{
	struct fact_congestion c = unanswered(1);
	struct lab l;

	(void)state;
	begin(&l);
	marked_pair(&l, 1, 1, &c);
	lab_reopen(&l);
	expect(&l, "warning",
	       "warning 10.0.0.2 sends no CNPs for CE-marked packets: 100 "
	       "marked "
	       "packets, no CNP\n");
	answer_is(&l, "unanswered-marks", NULL,
		  "1,1,10.0.0.1,10.0.0.2,17,100,0,\"the receiver sends none: "
		  "its notification point (NP) is off, or CNPs take another "
		  "path\"\n");
	lab_end(&l);
}

static void nor_is_one_whose_answers_are_elsewhere(void **state)
{
	struct fact_congestion c = unanswered(1);
	struct fact_flow f = marked_flow(1, 1);
	struct lab l;

	(void)state;
	begin(&l);
	f.visibility = VISIBLE_FWD;
	lab_pair(&l, &f);
	l.sink.congestion(l.sink.ctx, &c);
	lab_reopen(&l);
	expect(&l, "warning", "");
	answer_is(
		&l, "unanswered-marks", NULL,
		"1,1,10.0.0.1,10.0.0.2,17,100,0,the reverse path is not in the "
		"capture\n");
	lab_end(&l);
}

/* The other queue pair got the CNP that was due: reference 4.3. */
static void nor_is_one_that_paces_for_its_port(void **state)
{
	struct fact_congestion c = unanswered(1), d = good_congestion(3);
	struct fact_pacing p = { .receiver = host(2),
				 .scope = PACING_PORT,
				 .inferred = true,
				 .entities = 1,
				 .cnps = 40 };
	struct fact_cnp n = good_cnp(3, 2 * MS);
	struct lab l;

	(void)state;
	begin(&l);
	marked_pair(&l, 1, 1, &c);
	marked_pair(&l, 3, 3, &d);
	l.sink.cnp(l.sink.ctx, &n);
	l.sink.pacing(l.sink.ctx, &p);
	lab_reopen(&l);
	expect(&l, "warning", "");
	answer_is(&l, "unanswered-marks", NULL,
		  "1,1,10.0.0.1,10.0.0.2,17,100,40,paced out: the receiver "
		  "counts by port\n");
	lab_end(&l);
}

static void late_notifications_are_told(void **state)
{
	struct fact_congestion c = good_congestion(1);
	struct lab l;

	(void)state;
	begin(&l);
	marked_pair(&l, 1, 1, &c);
	for (int i = 0; i < 3; i++) {
		struct fact_cnp n = good_cnp(1, (2 + i) * MS);

		n.clean = true;
		n.latency_max_ns = 308 * US;
		l.sink.cnp(l.sink.ctx, &n);
	}
	lab_reopen(&l);
	expect(&l, "warning",
	       "warning 10.0.0.2 takes 300 us from a CE mark to its CNP\n");
	lab_end(&l);
}

static void unexplained_notifications_have_a_cause(void **state)
{
	struct fact_congestion c = good_congestion(1);
	struct fact_event e = {
		.ns = T0 + MS,
		.frame = 7,
		.flow = 1,
		.kind = EVENT_CNP_UNEXPLAINED,
		.count = 5,
		.value = FACT_UNKNOWN,
		.confidence = 0.85,
		.detail = "4.5-3: sent with a NAK",
	};
	struct lab l;

	(void)state;
	begin(&l);
	marked_pair(&l, 1, 1, &c);
	l.sink.event(l.sink.ctx, &e);
	lab_reopen(&l);
	expect(&l, "warning", "");
	expect(&l, "info",
	       "info 5 CNPs without a CE mark at this capture point: sent "
	       "together with "
	       "NAKs\n");
	lab_end(&l);
}

static void marks_behind_the_tap_cannot_be_seen(void **state)
{
	struct fact_congestion c = good_congestion(1);
	struct fact_tap t = good_fact_tap(0);
	char *have;
	struct lab l;

	(void)state;
	begin(&l);
	t.ect = 1000;
	l.sink.tap(l.sink.ctx, &t);
	c.unexplained = c.cnps;
	c.marks = 0;
	marked_pair(&l, 1, 1, &c);
	lab_reopen(&l);
	have = lab_ask(&l, "observability", NULL);
	assert_non_null(strstr(have,
			       "ce,no,\"40 CNPs of 40 react to CE marks not "
			       "seen here"));
	assert_non_null(strstr(have,
			       "reaction,partial,known after 3 of 8 windows "
			       "with CNPs"));
	free(have);
	lab_end(&l);
}

static void data_without_ecn_beside_marked_data_is_told(void **state)
{
	struct fact_congestion c = good_congestion(1);
	struct fact_flow f = good_flow(3, 3, 2, 0x33);
	struct lab l;

	(void)state;
	begin(&l);
	marked_pair(&l, 1, 1, &c);
	f.not_ect_data = 1000;
	lab_pair(&l, &f);
	lab_reopen(&l);
	expect(&l, "warning",
	       "warning 50.0 % of the data packets are not ECN-capable "
	       "(not-ECT), from 10.0.0.3\n");
	lab_end(&l);
}

static void a_fabric_without_ecn_is_not_inconsistent(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	begin(&l);
	f.ect = 0;
	f.not_ect_data = 1000;
	lab_pair(&l, &f);
	lab_reopen(&l);
	expect(&l, "warning", "");
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latencies_with_a_known_trigger_count),
		cmocka_unit_test(the_scope_that_fits_is_shown),
		cmocka_unit_test(fairness_is_jains),
		cmocka_unit_test(convergence_lasts_until_all_are_even_for_good),
		cmocka_unit_test(never_even_is_not_converged),
		cmocka_unit_test(healthy_congestion_is_only_told),
		cmocka_unit_test(a_sender_that_goes_on_is_told),
		cmocka_unit_test(few_ignored_cnps_accuse_nobody),
		cmocka_unit_test(a_receiver_that_never_answers_is_told),
		cmocka_unit_test(nor_is_one_whose_answers_are_elsewhere),
		cmocka_unit_test(nor_is_one_that_paces_for_its_port),
		cmocka_unit_test(late_notifications_are_told),
		cmocka_unit_test(unexplained_notifications_have_a_cause),
		cmocka_unit_test(marks_behind_the_tap_cannot_be_seen),
		cmocka_unit_test(data_without_ecn_beside_marked_data_is_told),
		cmocka_unit_test(a_fabric_without_ecn_is_not_inconsistent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
