/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts written by hand, and the verdicts an engineer would draw from them. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/packet.h"
#include "said.h"

/* --- good captures --- */

static void clean_capture_has_no_finding(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	lab_pair(&l, &f);
	lab_reopen(&l);
	expect(&l, NULL, "");
	lab_end(&l);
}

static void marks_are_counted(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct fact_tap t = good_fact_tap(0);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	t.ce = 100;
	t.ect = 1900;
	l.sink.tap(l.sink.ctx, &t);
	f.ce = f.ce_data = 100;
	f.ect = f.ect_data = 900;
	lab_pair(&l, &f);
	lab_reopen(&l);
	expect(&l, NULL, "info 100 packets with an ECN CE mark\n");
	expect_in(&l, 1, "detail", "10.0 % of the ECN-capable data packets");
	lab_end(&l);
}

/* reference 12, mistake 5: every gap counted as a loss */
static void capture_loss_is_no_loss(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.capture_missing = 20; /* 2 % */
	lab_pair(&l, &f);
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning 2.00 % of the packets not captured at tap pa\n");
	expect_in(&l, 1, "detail", "LOW CONFIDENCE");
	lab_end(&l);
}

static void little_capture_loss_does_not_spoil(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.expected = 100000;
	f.capture_missing = 50; /* 0.05 % */
	lab_pair(&l, &f);
	lab_reopen(&l);
	expect(&l, "warning", "");
	expect(&l, "critical", "");
	expect(&l, "info",
	       "info 0.05 % of the packets not captured at tap pa\n");
	lab_end(&l);
}

static void one_direction_is_said(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.visibility = VISIBLE_FWD;
	f.pairing = PAIRING_NONE;
	f.lost_upstream = f.lost_downstream_min = FACT_UNKNOWN;
	f.lost_downstream_max = f.capture_missing = FACT_UNKNOWN;
	l.sink.flow(l.sink.ctx, &f);
	lab_reopen(&l);
	expect(&l, NULL, "info Only one direction of 1 flow is visible\n");
	lab_end(&l);
}

static void capture_without_roce_says_so(void **state)
{
	struct capture_tap t = good_tap();
	struct capture_file file = good_file();
	struct fact_tap ft = { .by_kind = { 2000 } };
	struct lab l;

	(void)state;
	lab_begin(&l);
	store_capture(l.s, 0, &file);
	store_tap(l.s, 0, &t);
	l.sink.tap(l.sink.ctx, &ft);
	lab_reopen(&l);
	expect(&l, NULL,
	       "info There is no RoCE or Ultra Ethernet traffic in this "
	       "capture\n");
	lab_end(&l);
}

static void pauses_without_quanta_are_counted(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct fact_tap ft = good_fact_tap(0);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	lab_pair(&l, &f);
	ft.by_kind[PACKET_PFC] = 7;
	l.sink.tap(l.sink.ctx, &ft);
	lab_reopen(&l);
	expect(&l, NULL,
	       "info 7 pause frames (PFC or 802.3x), none of which is an XOFF "
	       "or could be read\n");
	lab_end(&l);
}

/* --- many flows --- */

/* 1000 flows from 50 hosts to one receiver: one cause, one finding. */
static void incast_is_one_finding(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	for (uint32_t i = 0; i < 1000; i++) {
		struct fact_flow f = good_flow(
			2 * i + 1, (uint8_t)(10 + i % 50), 2, 0x100 + i);

		lab_pair(&l, &f);
		hand_recovery(&l, recovery(2 * i + 1, CAUSE_LOSS_DOWNSTREAM,
					   TRIGGER_NAK));
	}
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning 1,000 packets lost between this capture point and the "
	       "receiver: 50 hosts > 10.0.0.2, 1,000 flows\n");
	expect_in(&l, 1, "detail", "One flow lost up to 100 us.");
	expect_detail(&l, 1, "cost_ns", "100000000");
	lab_end(&l);
}

static void many_pairs_are_told_by_sender_or_together(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	for (uint32_t i = 0; i < 40; i++) {
		struct fact_flow f =
			good_flow(2 * i + 1, (uint8_t)(10 + i % 8),
				  (uint8_t)(100 + i / 8), 0x100 + i);

		/* 8 senders, 5 receivers: by receiver */
		lab_pair(&l, &f);
		hand_recovery(&l, recovery(2 * i + 1, CAUSE_LOSS_UPSTREAM,
					   TRIGGER_NAK));
	}
	for (uint32_t i = 40; i < 100; i++) {
		struct fact_flow f =
			good_flow(2 * i + 1, (uint8_t)(10 + i % 6),
				  (uint8_t)(100 + i % 10), 0x100 + i);

		/* 30 pairs of 6 and 10 hosts: only together */
		lab_pair(&l, &f);
		hand_recovery(&l, recovery(2 * i + 1, CAUSE_RNR, TRIGGER_RNR));
	}
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning The receiver was not ready 60 times: 30 host pairs, "
	       "60 flows\n"
	       "warning 8 packets lost between the sender and this capture "
	       "point: 8 hosts > 10.0.0.100, 8 flows\n"
	       "warning 8 packets lost between the sender and this capture "
	       "point: 8 hosts > 10.0.0.101, 8 flows\n"
	       "warning 8 packets lost between the sender and this capture "
	       "point: 8 hosts > 10.0.0.102, 8 flows\n"
	       "warning 8 packets lost between the sender and this capture "
	       "point: 8 hosts > 10.0.0.103, 8 flows\n"
	       "warning 8 packets lost between the sender and this capture "
	       "point: 8 hosts > 10.0.0.104, 8 flows\n");
	lab_end(&l);
}

/* --- what is not loss --- */

struct other {
	enum recovery_cause cause;
	enum recovery_trigger trigger;
	const char *want;
};

/* reference 12, mistakes 4 and 7 */
static void other_recoveries_are_not_losses(void **state)
{
	static const struct other others[] = {
		{ CAUSE_RNR, TRIGGER_RNR,
		  "warning The receiver was not ready once: " },
		{ CAUSE_REORDER, TRIGGER_NAK,
		  "warning Reordering upstream of this capture point made "
		  "receivers "
		  "send NAKs once: " },
		{ CAUSE_ACK_LOSS, TRIGGER_TIMEOUT,
		  "warning ACKs lost or late, once: " },
		{ CAUSE_UNKNOWN, TRIGGER_TIMEOUT,
		  "warning Senders idle until their RTO expired, once: " },
		{ CAUSE_UNKNOWN, TRIGGER_UNKNOWN,
		  "warning 20 packets retransmitted, and the capture does not "
		  "show why: " },
	};
	char want[300];

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		struct fact_flow f = good_flow(1, 1, 2, 0x11);
		struct lab l;

		lab_begin(&l);
		lab_one_tap(&l);
		lab_pair(&l, &f);
		hand_recovery(&l,
			      recovery(1, others[i].cause, others[i].trigger));
		/* collateral never adds one of its own */
		hand_recovery(&l, recovery(1, CAUSE_COLLATERAL, TRIGGER_NAK));
		lab_reopen(&l);
		snprintf(want, sizeof want,
			 "%s10.0.0.1 > 10.0.0.2, QP 0x000011\n",
			 others[i].want);
		expect(&l, NULL, want);
		lab_end(&l);
	}
}

/* An answer that names later ones is why it was retransmitted. */
static void passed_over_is_no_riddle(void **state)
{
	struct fact_recovery r =
		recovery(1, CAUSE_UNKNOWN, TRIGGER_IMPLIED_NAK);
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	r.rule = "U21";
	r.lost_min = 0;
	for (unsigned riddles = 0; riddles < 2; riddles++) {
		lab_begin(&l);
		lab_one_tap(&l);
		lab_pair(&l, &f);
		hand_recovery(&l, r);
		if (riddles)
			hand_recovery(&l, recovery(1, CAUSE_UNKNOWN,
						   TRIGGER_UNKNOWN));
		lab_reopen(&l);
		expect(&l, NULL,
		       riddles ? "warning 40 packets retransmitted, and the "
				 "capture does not show why: 10.0.0.1 > "
				 "10.0.0.2, QP 0x000011\n"
			       : "warning 20 packets retransmitted after "
				 "ACKs of later packets: 10.0.0.1 > 10.0.0.2, "
				 "QP 0x000011\n");
		lab_end(&l);
	}
}

/* A NAK is there; what it named was lost or reordered. */
static void what_a_nak_named_was_lost_or_reordered(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	lab_pair(&l, &f);
	hand_recovery(&l, recovery(1, CAUSE_UNKNOWN, TRIGGER_NAK));
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning 20 packets retransmitted after NAKs, lost or "
	       "reordered: "
	       "10.0.0.1 > 10.0.0.2, QP 0x000011\n");
	expect_in(&l, 1, "detail", "A NAK named each of them; ");
	lab_end(&l);
}

static void corruption_is_told_with_its_cost(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct fact_tap t = good_fact_tap(0);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	t.icrc_bad = 2;
	l.sink.tap(l.sink.ctx, &t);
	f.icrc_good = 998;
	f.icrc_bad = 2;
	f.corrupted = 1;
	lab_pair(&l, &f);
	hand_event(&l, 1, EVENT_ICRC_BAD, FACT_UNKNOWN);
	hand_recovery(&l, recovery(1, CAUSE_CORRUPTION, TRIGGER_NAK));
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning 2 packets corrupted between the sender and this "
	       "capture point: 10.0.0.1 > 10.0.0.2, QP 0x000011\n");
	expect_detail(&l, 1, "cost_ns", "100000");
	expect_in(&l, 1, "evidence", "{\"tap\":1,\"frame\":42}");
	lab_end(&l);
}

static void wrong_everywhere_is_no_corruption(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct fact_tap t = good_fact_tap(0);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	t.icrc_good = 0;
	t.icrc_bad = 2000;
	l.sink.tap(l.sink.ctx, &t);
	f.icrc_good = 0;
	f.icrc_bad = 1000;
	lab_pair(&l, &f);
	lab_reopen(&l);
	expect(&l, "warning", "");
	expect(&l, "info", "info ICRC not usable on 1 tap\n");
	lab_end(&l);
}

static struct fact_flow good_context(void)
{
	struct fact_flow f = good_flow(1, 1, 9, 0x11);

	f.transport = FLOW_UET_RUD;
	f.dst_qp = FACT_UNKNOWN;
	f.spdcid = 0x12;
	f.dpdcid = 0x34;
	f.job_id = 200;
	return f;
}

/* Of Ultra Ethernet: its checksums are counted with flows, not at the tap. */
static void its_damage_is_told(void **state)
{
	struct fact_flow f = good_context();
	struct fact_tap t = good_fact_tap(0);
	struct fact_recovery r = recovery(1, CAUSE_CORRUPTION, TRIGGER_NAK);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	t.by_kind[PACKET_ROCE] = 0;
	t.by_kind[PACKET_UET] = 2000;
	t.icrc_good = t.icrc_bad = t.icrc_unchecked = 0;
	l.sink.tap(l.sink.ctx, &t);
	f.icrc_good = 998;
	f.icrc_bad = 2;
	f.corrupted = 1;
	lab_pair(&l, &f);
	hand_recovery(&l, r);
	lab_reopen(&l);
	expect(&l, "warning",
	       "warning 2 packets corrupted between the sender and this "
	       "capture point: 10.0.0.1 > 10.0.0.9, PDC 0x0012\n");
	lab_rows(&l, "SELECT crc_good, crc_bad, crc_unchecked FROM coverage",
		 "998|2|0\n");
	lab_end(&l);
}

/* Whose ICRCs are all rewritten is not damaged because Ultra Ethernet beside it
 * is sound. */
static void a_checksum_speaks_for_its_own(void **state)
{
	struct fact_flow f = good_context(), g = good_flow(3, 1, 2, 0x11);
	struct fact_tap t = good_fact_tap(0);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	t.icrc_good = 10;
	t.icrc_bad = 400;
	l.sink.tap(l.sink.ctx, &t);
	f.icrc_good = 1000;
	f.icrc_bad = 0;
	lab_pair(&l, &f);
	g.icrc_good = 10;
	g.icrc_bad = 400;
	g.corrupted = 1;
	lab_pair(&l, &g);
	lab_reopen(&l);
	lab_rows(&l, "SELECT count(*) FROM incident WHERE kind = 'corruption'",
		 "0\n");
	lab_rows(&l,
		 "SELECT count(*) FROM finding WHERE rule = 'icrc-unusable'",
		 "1\n");
	lab_rows(&l,
		 "SELECT verdict, why FROM observability WHERE what = 'icrc'",
		 "partial|nearly every checksum of RoCE is wrong: the "
		 "capture path rewrites these packets; the others are "
		 "right\n");
	lab_end(&l);
}

/* A switch cut them where no length tells; that is no damage. */
static void what_was_cut_is_no_damage(void **state)
{
	struct fact_flow f = good_context();
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.icrc_good = 900;
	f.icrc_bad = 50;
	f.trimmed = 50;
	lab_pair(&l, &f);
	lab_reopen(&l);
	lab_rows(&l, "SELECT count(*) FROM incident WHERE kind = 'corruption'",
		 "0\n");
	lab_end(&l);
}

/* RUDI is answered, packet by packet, but its packets have no order. */
static void idempotent_is_not_unacknowledged(void **state)
{
	struct fact_flow f = good_context();
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.transport = FLOW_UET_RUDI;
	f.spdcid = f.dpdcid = FACT_UNKNOWN;
	f.visibility = VISIBLE_FWD;
	l.sink.flow(l.sink.ctx, &f);
	lab_reopen(&l);
	lab_rows(&l,
		 "SELECT what, verdict, why LIKE 'RUDI%', why LIKE 'from "
		 "request to response%' FROM observability "
		 "WHERE what IN ('loss', 'latency') ORDER BY what",
		 "latency|partial|0|1\nloss|no|1|0\n");
	lab_end(&l);
}

static void fatal_nak_names_the_error(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.nak_fatal = 1;
	lab_pair(&l, &f);
	hand_event(&l, 1, EVENT_NAK_FATAL, 0x62);
	lab_reopen(&l);
	expect(&l, NULL,
	       "critical 1 queue pair ended by the receiver with a remote "
	       "access error: 10.0.0.1 > 10.0.0.2, QP 0x000011\n");
	lab_end(&l);
}

static void events_become_findings(void **state)
{
	static const struct {
		enum event_kind kind;
		int64_t value;
		const char *want;
	} events[] = {
		{ EVENT_OUTAGE, 2000000, "info PSNs jump once: " },
		{ EVENT_DUPLICATE, FACT_UNKNOWN,
		  "info 1 packet arrived twice (0.10 %): " },
		{ EVENT_CREDIT_STALL, 2 * MS,
		  "warning Senders waited for credit once: " },
		{ EVENT_CREDIT_STALL, 2 * US,
		  "info Senders waited for credit once: " },
	};
	char want[300];

	(void)state;
	for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
		struct fact_flow f = good_flow(1, 1, 2, 0x11);
		struct lab l;

		lab_begin(&l);
		lab_one_tap(&l);
		lab_pair(&l, &f);
		hand_event(&l, 1, events[i].kind, events[i].value);
		lab_reopen(&l);
		snprintf(want, sizeof want,
			 "%s10.0.0.1 > 10.0.0.2, QP 0x000011\n",
			 events[i].want);
		expect(&l, strtok(strdupa(events[i].want), " "), want);
		lab_end(&l);
	}
}

/* ACKs arrive twice as well, and no PSN was expected of them. */
static void no_more_arrives_twice_than_there_is(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.packets = 6;
	f.expected = 2;
	lab_pair(&l, &f);
	for (int i = 0; i < 3; i++)
		hand_event(&l, 1, EVENT_DUPLICATE, FACT_UNKNOWN);
	lab_reopen(&l);
	expect(&l, "warning",
	       "warning 3 packets arrived twice (100 %): "
	       "10.0.0.1 > 10.0.0.2, QP 0x000011\n");
	lab_end(&l);
}

static void flow_counters_become_findings(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.reordered = 7;
	lab_pair(&l, &f);
	f = good_flow(3, 3, 4, 0x33);
	f.unresolved = 5;
	lab_pair(&l, &f);
	f = good_flow(5, 5, 6, 0x55);
	f.transport = FLOW_UC;
	f.visibility = VISIBLE_FWD;
	f.unresolved = 3;
	l.sink.flow(l.sink.ctx, &f);
	lab_reopen(&l);
	expect(&l, NULL,
	       "info 7 packets reordered upstream, without harm: "
	       "10.0.0.1 > 10.0.0.2, QP 0x000011\n"
	       "info 3 packets missing in UC flows: 10.0.0.5 > 10.0.0.6, "
	       "QP 0x000055\n"
	       "info 5 packets missing (lost, or not captured): "
	       "10.0.0.3 > 10.0.0.4, QP 0x000033\n");
	lab_end(&l);
}

static void go_back_0_is_told(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.recovery = RECOVERY_GO_BACK_0;
	f.recoveries = 1;
	lab_pair(&l, &f);
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning Senders restart whole messages after a loss "
	       "(go-back-0): 10.0.0.1 > 10.0.0.2, QP 0x000011\n");
	lab_end(&l);
}

/* --- sprayed traffic, reference 6.3 --- */

static void spraying_withdraws_loss(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.spray_suspect = true;
	f.lost_upstream = 500;
	f.unresolved = 100;
	lab_pair(&l, &f);
	hand_recovery(&l, recovery(1, CAUSE_LOSS_UPSTREAM, TRIGGER_NAK));
	hand_recovery(&l, recovery(1, CAUSE_LOSS_DOWNSTREAM, TRIGGER_NAK));
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning 40 packets retransmitted after NAKs, lost or "
	       "reordered: 10.0.0.1 > 10.0.0.2, QP 0x000011\n"
	       "info Sprayed traffic: parts of 1 flow use links that are not "
	       "captured\n");
	lab_rows(&l, "SELECT cause, sum(lost_min) FROM recovery GROUP BY 1",
		 "unknown|0\n");
	lab_end(&l);
}

/* What made the sender repeat may have passed another link. */
static void spraying_withdraws_timers(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.spray_suspect = true;
	lab_pair(&l, &f);
	hand_recovery(&l, recovery(1, CAUSE_UNKNOWN, TRIGGER_TIMEOUT));
	hand_recovery(&l, recovery(1, CAUSE_ACK_LOSS, TRIGGER_TIMEOUT));
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning 40 packets retransmitted, and the capture does not "
	       "show why: 10.0.0.1 > 10.0.0.2, QP 0x000011\n"
	       "info Sprayed traffic: parts of 1 flow use links that are not "
	       "captured\n");
	lab_end(&l);
}

/* --- the capture itself --- */

static void troubles_of_the_capture(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct capture_file file = good_file();
	struct capture_tap t = good_tap();
	struct fact_tap ft = good_fact_tap(0);
	struct lab l;

	(void)state;
	lab_begin(&l);
	file.damage_count = 2; /* the second is the end */
	file.damage[0] = (struct capture_damage) { 100, 200, "garbage" };
	file.damage[1] = (struct capture_damage) { 990, 1000, "early" };
	file.cut = 1;
	store_capture(l.s, 0, &file);
	t.dropped = 500;
	t.regressions = 2;
	store_tap(l.s, 0, &t);
	ft.mirror_duplicates = 40;
	ft.mirror_seq_seen = true;
	ft.mirror_seq_lost = 12;
	ft.nic_sniffer = true;
	ft.unknown_opcodes = 1;
	l.sink.tap(l.sink.ctx, &ft);
	lab_pair(&l, &f);
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning The capturing system dropped 500 packets at tap pa\n"
	       "warning Part of the input could not be read: a.pcap\n"
	       "warning 12 mirrored packets lost between the mirroring switch "
	       "and the capture: tap pa\n"
	       "info 2 out-of-order timestamps at 1 tap\n"
	       "info 1 packet not decoded\n"
	       "info 40 packets duplicated by the mirror at tap pa\n"
	       "info A NIC sniffer wrote time stamps into the source addresses "
	       "of 1 tap\n");
	expect_in(&l, 1, "detail", "20.0 % of what it received");
	expect_in(&l, 2, "detail",
		  "1 range of corrupted bytes skipped. The file is "
		  "cut off at the end.");
	lab_end(&l);
}

static void vendor_signatures(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct fact_recovery r;
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.ack_timeout_code = 14; /* 67.1 ms */
	f.rtt_sender_ns = 10 * US;
	lab_pair(&l, &f);
	r = recovery(1, CAUSE_LOSS_UPSTREAM, TRIGGER_NAK);
	r.resend_ns = r.detect_ns + 310 * US;
	for (int i = 0; i < 3; i++)
		hand_recovery(&l, r);
	r = recovery(1, CAUSE_ACK_LOSS, TRIGGER_TIMEOUT);
	r.silence_ns = 4 * MS;
	hand_recovery(&l, r);
	lab_reopen(&l);
	expect(&l, "info",
	       "info RTOs shorter than negotiated: adaptive "
	       "retransmission\n"
	       "info Slow reaction to NAKs: 300 us from NAK to the first "
	       "retransmission (median), 10.0.0.1\n");
	lab_end(&l);
}

static void findings_go_by_weight(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct fact_recovery r;
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.reordered = 1;
	lab_pair(&l, &f);
	hand_recovery(&l, recovery(1, CAUSE_LOSS_UPSTREAM, TRIGGER_NAK));
	r = recovery(1, CAUSE_RNR, TRIGGER_RNR);
	r.last_ns = r.first_ns + 5 * MS;
	hand_recovery(&l, r);
	r = recovery(1, CAUSE_ACK_LOSS, TRIGGER_TIMEOUT);
	r.last_ns = r.first_ns + 20 * MS;
	hand_recovery(&l, r);
	lab_reopen(&l);
	expect(&l, NULL,
	       "critical ACKs lost or late, once: "
	       "10.0.0.1 > 10.0.0.2, QP 0x000011\n"
	       "warning The receiver was not ready once: "
	       "10.0.0.1 > 10.0.0.2, QP 0x000011\n"
	       "warning 1 packet lost between the sender and this capture "
	       "point: 10.0.0.1 > 10.0.0.2, QP 0x000011\n"
	       "info 1 packet reordered upstream, without harm: "
	       "10.0.0.1 > 10.0.0.2, QP 0x000011\n");
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clean_capture_has_no_finding),
		cmocka_unit_test(marks_are_counted),
		cmocka_unit_test(capture_loss_is_no_loss),
		cmocka_unit_test(little_capture_loss_does_not_spoil),
		cmocka_unit_test(one_direction_is_said),
		cmocka_unit_test(capture_without_roce_says_so),
		cmocka_unit_test(pauses_without_quanta_are_counted),
		cmocka_unit_test(incast_is_one_finding),
		cmocka_unit_test(many_pairs_are_told_by_sender_or_together),
		cmocka_unit_test(other_recoveries_are_not_losses),
		cmocka_unit_test(passed_over_is_no_riddle),
		cmocka_unit_test(what_a_nak_named_was_lost_or_reordered),
		cmocka_unit_test(corruption_is_told_with_its_cost),
		cmocka_unit_test(wrong_everywhere_is_no_corruption),
		cmocka_unit_test(its_damage_is_told),
		cmocka_unit_test(what_was_cut_is_no_damage),
		cmocka_unit_test(a_checksum_speaks_for_its_own),
		cmocka_unit_test(idempotent_is_not_unacknowledged),
		cmocka_unit_test(fatal_nak_names_the_error),
		cmocka_unit_test(events_become_findings),
		cmocka_unit_test(no_more_arrives_twice_than_there_is),
		cmocka_unit_test(flow_counters_become_findings),
		cmocka_unit_test(go_back_0_is_told),
		cmocka_unit_test(spraying_withdraws_loss),
		cmocka_unit_test(spraying_withdraws_timers),
		cmocka_unit_test(troubles_of_the_capture),
		cmocka_unit_test(vendor_signatures),
		cmocka_unit_test(findings_go_by_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
