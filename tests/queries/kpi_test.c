/* SPDX-License-Identifier: GPL-2.0-or-later
 * The KPIs of the BMWG draft, from facts whose answers were computed by hand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "said.h"

/* The KPI |name| is |want|: "VALUE UNIT", or "needs WHAT". */
static void is(struct lab *l, const char *name, const char *want)
{
	char sql[400], row[400];

	snprintf(sql, sizeof sql,
		 "SELECT ifnull(round(value, 4) || ' ' || unit, 'needs ' ||"
		 " missing) FROM kpi WHERE name = '%s'",
		 name);
	snprintf(row, sizeof row, "%s\n", want);
	lab_rows(l, sql, row);
}

/* Never 0 for what could not be seen, and never blank. */
static void complete(struct lab *l)
{
	lab_rows(
		l,
		"SELECT name FROM kpi WHERE (value IS NULL) = (missing IS NULL)"
		" OR (value IS NULL) <> (confidence IS NULL) OR missing = ''"
		" OR unit IS NULL OR section IS NULL OR place IS NULL"
		" OR class NOT IN ('1T', 'NT', 'TEL', 'EXT', 'NO')"
		" OR abs(value) > 1e300",
		"");
	lab_rows(l,
		 "SELECT DISTINCT section FROM kpi"
		 " ORDER BY CAST(section AS REAL)",
		 "4.1\n4.2\n4.3\n5.1\n5.2\n5.3\n6.1\n6.2\n6.3\n6.4\n6.5\n6.6\n"
		 "6.7\n7.1\n7.2\n7.3\n7.4\n8.1\n8.2\n8.3\n8.4\n9.1\n9.2\n9.3\n"
		 "9.4\n10.1\n10.2\n10.3\n11.1\n11.2\n11.3\n12.1\n12.2\n13.7\n");
}

static void an_empty_capture_needs_everything(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_reopen(&l);
	complete(&l);
	/* what an empty table counts is 0 only where 0 was seen */
	lab_rows(&l, "SELECT name FROM kpi WHERE value IS NOT NULL", "");
	lab_end(&l);
}

static void loss_and_repair(void **state)
{
	struct fact_recovery r = recovery(1, CAUSE_LOSS_UPSTREAM, TRIGGER_NAK);
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.lost_upstream = 2;
	f.lost_downstream_min = 1;
	f.lost_downstream_max = 3;
	f.retransmitted = 40;
	f.reordered = 5;
	f.nak_seq = 1;
	lab_pair(&l, &f);
	r.lost_min = 3;
	r.first_ns = T0 + MS;
	r.last_ns = T0 + 3 * MS;
	l.sink.recovery(l.sink.ctx, &r);
	lab_reopen(&l);
	complete(&l);
	/* 1000 packet numbers in 10 ms */
	is(&l, "Packet Drop Rate", "3000.0 ppm");
	is(&l, "Packet Drop Rate, maximum", "5000.0 ppm");
	is(&l, "Packet Drop Rate, not retransmitted", "0.0 ppm");
	is(&l, "RDMA Retransmission Rate", "4000.0 1/s");
	is(&l, "Retransmitted share, RoCEv2 RC", "4.0 %");
	is(&l, "Out-of-Order Packet Rate", "500.0 1/s");
	is(&l, "Loss duration of a flow, longest", "2.0 ms");
	is(&l, "Packets lost", "3.0 packets");
	is(&l, "ACK Delay", "8.0 us");
	is(&l, "Message completion, max", "20.0 us");
	is(&l, "Tail Latency P99",
	   "needs two capture points with one clock (100 ns) on the path of "
	   "the same packets");
	is(&l, "CRC/FCS Error Rate", "0.0 1/s");
	lab_end(&l);
}

static void throughput_and_efficiency(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.visibility = VISIBLE_FWD;
	f.peer = 0;
	f.goodput_bytes = 1000000;
	l.sink.flow(l.sink.ctx, &f);
	lab_reopen(&l);
	complete(&l);
	/* 1 MB in 10 ms; 1082 + 24 octets a packet on the wire */
	is(&l, "Aggregate Throughput", "0.0008 Tb/s");
	is(&l, "Throughput, RoCEv2 RC", "0.8 Gb/s");
	is(&l, "Throughput efficiency", "90.4159 %");
	is(&l, "Throughput, RUD", "needs traffic of the service RUD");
	is(&l, "Retransmissions, spray",
	   "needs traffic balanced by packet spray, and taps at all parallel "
	   "links");
	lab_end(&l);
}

/* 500 packets of 1,000 bytes, 24 more on the wire, in 1 ms at 10 Gb/s. */
static void port_of_10g(struct lab *l)
{
	struct capture_file f = good_file();
	struct capture_tap t = good_tap();
	struct fact_tap ft = good_fact_tap(0);

	t.speed_bps = UINT64_C(10000000000);
	store_capture(l->s, 0, &f);
	store_tap(l->s, 0, &t);
	l->sink.tap(l->sink.ctx, &ft);
	l->sink.bin(l->sink.ctx, &(struct fact_bin) {
					 .scope = BIN_TAP,
					 .scope_id = 0,
					 .start_ns = T0,
					 .width_ns = MS,
					 .packets = 500,
					 .bytes = 500 * 1000,
				 });
}

static void ports_are_used_in_each_direction(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	port_of_10g(&l);
	f.visibility = VISIBLE_FWD;
	f.peer = 0;
	l.sink.flow(l.sink.ctx, &f);
	lab_reopen(&l);
	complete(&l);
	is(&l, "Port utilization, highest", "40.96 %");
	lab_end(&l);
}

/* Of a tap that shows a flow and its peer the bytes are those of both. */
static void both_directions_are_no_port(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	port_of_10g(&l);
	lab_pair(&l, &f);
	lab_reopen(&l);
	complete(&l);
	is(&l, "Port utilization, highest",
	   "needs link speeds (--topology) of taps that show one direction");
	lab_end(&l);
}

/* The same flow at two taps is one flow, and the same loss one loss. */
static void hops_are_not_added(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct fact_tap second = good_fact_tap(1);
	struct capture_tap t = good_tap();
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	store_tap(l.s, 1, &t);
	l.sink.tap(l.sink.ctx, &second);
	f.src_qp = FACT_UNKNOWN;
	l.sink.flow(l.sink.ctx, &f);
	f.id = 2;
	f.tap = 1;
	l.sink.flow(l.sink.ctx, &f);
	lab_reopen(&l);
	complete(&l);
	is(&l, "Aggregate Throughput", "0.0008 Tb/s");
	is(&l, "QP or PDC count, sustained", "1.0 PDCs");
	lab_end(&l);
}

/* A receiver that writes 64 octets for each of three messages: 30 us after one
 * is over, 2 us before the next begins; then 50 and 4 us. */
static void clear_to_send_and_bursts(void **state)
{
	static const int64_t at[][3] = { { 0, 10, 40 },
					 { 42, 52, 102 },
					 { 106, 116, 0 } };
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct fact_flow back = good_flow(2, 2, 1, 0x12);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.peer = 2;
	f.messages = back.messages = 3;
	f.lost_upstream = f.lost_downstream_max = 0;
	back.peer = 1;
	back.payload_bytes = back.goodput_bytes = 192;
	l.sink.flow(l.sink.ctx, &f);
	l.sink.flow(l.sink.ctx, &back);
	for (int i = 0; i < 3; i++)
		l.sink.burst(l.sink.ctx,
			     &(struct fact_burst) {
				     .flow = 1,
				     .first_ns = T0 + at[i][0] * US,
				     .last_ns = T0 + at[i][1] * US,
				     .bytes = 100000,
				     .psns = 25,
				     .acked_ns = FACT_UNKNOWN,
				     .asked_ns = at[i][2] ? T0 + at[i][2] * US
							  : FACT_UNKNOWN,
				     .unacked = FACT_UNKNOWN,
				     .granted_ns = FACT_UNKNOWN,
			     });
	lab_reopen(&l);
	complete(&l);
	is(&l, "CTS Delay", "3.0 us");
	is(&l, "CTS wait", "40.0 us");
	is(&l, "Burst absorption, frames", "25.0 frames");
	is(&l, "Burst absorption, bytes", "100000.0 bytes");
	lab_end(&l);
}

static void a_bad_capture_gives_no_drop_rate(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.lost_downstream_min = f.lost_downstream_max = 3;
	f.capture_missing = 100;
	lab_pair(&l, &f);
	lab_reopen(&l);
	complete(&l);
	is(&l, "Packet Drop Rate",
	   "needs a better capture: not captured 10.0 %");
	is(&l, "Packets lost",
	   "needs a better capture: too much was not captured");
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_capture_needs_everything),
		cmocka_unit_test(loss_and_repair),
		cmocka_unit_test(throughput_and_efficiency),
		cmocka_unit_test(ports_are_used_in_each_direction),
		cmocka_unit_test(both_directions_are_no_port),
		cmocka_unit_test(hops_are_not_added),
		cmocka_unit_test(clear_to_send_and_bursts),
		cmocka_unit_test(a_bad_capture_gives_no_drop_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
