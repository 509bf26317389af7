/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts as rows: every column, and the unknown as NULL. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"

static void events(void **state)
{
	struct fact_event e = {
		.ns = 1,
		.frame = 2,
		.tap = 3,
		.flow = 4,
		.kind = EVENT_RNR_NAK,
		.psn = 0xffffff,
		.count = 6,
		.value = -7,
		.confidence = 0.25,
		.detail = "R14",
	};
	struct lab l;

	(void)state;
	lab_begin(&l);
	l.sink.event(l.sink.ctx, &e);
	e.frame = 0;
	e.flow = 0;
	e.value = FACT_UNKNOWN;
	e.detail = NULL;
	l.sink.event(l.sink.ctx, &e);
	lab_reopen(&l);
	lab_rows(&l, "SELECT * FROM event",
		 "1|1|4|4|2|rnr_nak|16777215|6|-7|0.25|R14|-\n"
		 "2|1|4|-|-|rnr_nak|16777215|6|-|0.25|-|-\n");
	lab_end(&l);
}

static void event_kinds_have_their_public_names(void **state)
{
	struct fact_event e = { .ns = 1 };
	struct lab l;

	(void)state;
	lab_begin(&l);
	for (int k = 0; k < EVENT_KIND_COUNT; k++) {
		e.kind = (enum event_kind)k;
		l.sink.event(l.sink.ctx, &e);
	}
	lab_reopen(&l);
	/* design.md 5, then those that were added */
	lab_rows(&l,
		 "SELECT group_concat(kind, ' ') FROM"
		 " (SELECT kind FROM event ORDER BY id)",
		 "loss_upstream loss_downstream capture_missing unresolved_gap "
		 "reorder mirror_duplicate retransmit_nak retransmit_timeout "
		 "retransmit_rnr retransmit_spurious retransmit_implied "
		 "retransmit_unknown nak_seq nak_fatal rnr_nak implied_nak "
		 "ack_lost icrc_bad cnp_unexplained epoch trimmed credit_stall "
		 "duplicate outage response_error nak_stall\n");
	lab_end(&l);
}

static void messages(void **state)
{
	struct fact_message m = {
		.flow = 1,
		.first_ns = 2,
		.last_ns = 3,
		.completed_ns = FACT_UNKNOWN,
		.bytes = 1ull << 40,
		.psn_first = 5,
		.psn_last = 6,
	};
	struct lab l;

	(void)state;
	lab_begin(&l);
	for (int i = 0; i < MESSAGE_STATUSES; i++) {
		m.op = (enum message_op)i;
		m.status = (enum message_status)i;
		l.sink.message(l.sink.ctx, &m);
	}
	lab_reopen(&l);
	lab_rows(&l, "SELECT * FROM message WHERE id = 1",
		 "1|1|send|2|3|-|1099511627776|5|6|complete\n");
	lab_rows(&l, "SELECT op, status FROM message",
		 "send|complete\nwrite|unacked\nread|capture_gap\n"
		 "atomic|lost\nflush|cut\natomic_write|qp_error\n"
		 "-|aborted\n");
	lab_end(&l);
}

static void recoveries(void **state)
{
	struct fact_recovery r = {
		.flow = 1,
		.tap = 1,
		.trigger = TRIGGER_IMPLIED_NAK,
		.cause = CAUSE_LOSS_OR_REORDER,
		.psn = 4,
		.lost_min = 5,
		.lost_max = 6,
		.first_ns = 7,
		.detect_ns = 8,
		.resend_ns = 9,
		.last_ns = 10,
		.silence_ns = 11,
		.frame_detect = 12,
		.frame_original = 17,
		.frame_first = 13,
		.frame_last = 14,
		.retransmitted_packets = 15,
		.retransmitted_bytes = 16,
		.confidence = 0.5,
		.rule = "R26",
		.evidence = 18,
		.remaining = 19,
	};
	struct lab l;

	(void)state;
	lab_begin(&l);
	l.sink.recovery(l.sink.ctx, &r);
	r.frame_detect = r.frame_original = r.evidence = r.remaining = 0;
	r.silence_ns = r.detect_ns = FACT_UNKNOWN;
	r.trigger = TRIGGER_UNKNOWN;
	r.cause = CAUSE_UNKNOWN;
	r.rule = NULL;
	l.sink.recovery(l.sink.ctx, &r);
	lab_reopen(&l);
	lab_rows(&l, "SELECT * FROM recovery",
		 "1|1|2|implied_nak|loss_or_reorder|4|5|6|7|8|9|10|11|12|17|13|"
		 "14|15|16|0.5|R26|18|19\n"
		 "2|1|2|unknown|unknown|4|5|6|7|-|9|10|-|-|-|13|14|15|16|0.5|-"
		 "|-|-\n");
	lab_end(&l);
}

/* Numbers 100, 101, ... in the members, in their order. */
static struct fact_flow numbered_flow(void)
{
	struct fact_flow f = good_flow(7, 1, 2, 0x11);
	int64_t *first = (int64_t *)(void *)&f.packets;
	int64_t *last = &f.rnr_retry;

	for (int64_t i = 0; first + i <= last; i++)
		first[i] = 100 + i;
	return f;
}

static void flows(void **state)
{
	struct fact_flow f = numbered_flow();
	struct lab l;

	(void)state;
	lab_begin(&l);
	f.tap = 2;
	f.peer = 8;
	f.epoch = 3;
	f.src_qp = 0x22;
	f.spdcid = 0x33;
	f.dpdcid = 0x44;
	f.job_id = FACT_UNKNOWN;
	f.recovery = RECOVERY_OOO;
	f.spray_suspect = true;
	f.ect_data = 201;
	f.ce_data = 202;
	f.first_psn = 4711;
	f.not_ect_data = 203;
	l.sink.flow(l.sink.ctx, &f);
	lab_reopen(&l);
	lab_rows(
		&l,
		"SELECT id, tap_id, transport, src, dst, dst_qp, src_qp, "
		"spdcid,"
		" dpdcid, job_id, epoch, peer_flow_id, pairing,"
		" pairing_confidence, visibility, recovery, spray_suspect,"
		" udp_sports, udp_sport, pmtu, first_psn, first_ns, last_ns"
		" FROM flow",
		"7|3|RC|10.0.0.1|10.0.0.2|17|34|51|68|-|3|8|ack|0.9|both|ooo|1|"
		"1|"
		"49159|1024|4711|1795219200000000000|1795219200010000000\n");
	lab_rows(
		&l,
		"SELECT packets, bytes, payload_bytes, requests, responses,"
		" goodput_bytes, messages, messages_completed,"
		" messages_incomplete, expected, lost_upstream,"
		" lost_downstream_min, lost_downstream_max, capture_missing,"
		" unresolved, corrupted, reordered, reorder_extent_max,"
		" reorder_late_ns_max, reorder_events, retransmitted,"
		" retransmitted_bytes, spurious, timeouts, nak_seq, nak_fatal,"
		" rnr_nak, implied_nak, duplicates, ack_lost, "
		"mirror_duplicates,"
		" credit_stalls, ect, ce, cnp, trimmed, icrc_good, icrc_bad,"
		" recovery_ns, recoveries, latency_min_ns, latency_mean_ns,"
		" latency_max_ns, rtt_sender_ns, rtt_receiver_ns,"
		" ack_timeout_code, retry_count, rnr_retry, impaired FROM flow",
		"100|101|102|103|104|105|106|107|108|109|110|111|112|113|114|"
		"115|116|117|118|119|120|121|122|123|124|125|126|127|128|129|"
		"130|131|132|133|134|135|136|137|138|139|140|141|142|143|144|"
		"145|146|147|1\n");
	lab_rows(&l, "SELECT ect_data, ce_data, not_ect_data FROM flow",
		 "201|202|203\n");
	lab_end(&l);
}

static void unknown_of_a_flow_is_null(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	f.lost_upstream = f.icrc_bad = f.unresolved = FACT_UNKNOWN;
	f.pairing = PAIRING_NONE;
	f.pairing_confidence = 0;
	f.pmtu = 0;
	l.sink.flow(l.sink.ctx, &f);
	lab_reopen(&l);
	lab_rows(&l,
		 "SELECT lost_upstream, icrc_bad, unresolved, pairing,"
		 " pairing_confidence, pmtu, src_qp, peer_flow_id, recovery,"
		 " impaired, reordered FROM flow",
		 "-|-|-|-|-|-|-|-|-|0|0\n");
	lab_end(&l);
}

static void transports_have_their_public_names(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	for (int i = FLOW_RC; i < FLOW_TRANSPORTS; i++) {
		f.id = (uint32_t)i + 1;
		f.transport = (enum flow_transport)i;
		l.sink.flow(l.sink.ctx, &f);
	}
	lab_reopen(&l);
	lab_rows(&l,
		 "SELECT group_concat(transport, ' ') FROM"
		 " (SELECT transport FROM flow ORDER BY id)",
		 "RC UC UD XRC DC UET-ROD UET-RUD UET-RUDI UET-UUD VENDOR "
		 "UET-TSS MRC\n");
	lab_end(&l);
}

static void addresses_are_text(void **state)
{
	static const uint8_t v6[16] = { 0xfd, 9, [15] = 1 };
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	f.dst = addr_from_v6(v6);
	l.sink.flow(l.sink.ctx, &f);
	lab_reopen(&l);
	lab_rows(&l, "SELECT src, dst FROM flow", "10.0.0.1|fd09::1\n");
	lab_end(&l);
}

static void taps_come_from_two_sides(void **state)
{
	struct capture_tap t = good_tap();
	struct fact_tap ft = {
		.tap = 0,
		.by_kind = { 10, 11, 12, 13, 14, 15, 16 },
		.by_status = { 20, 21, 22, 23, 24 },
		.mirror_duplicates = 30,
		.icrc_good = 31,
		.icrc_bad = 32,
		.icrc_unchecked = 33,
		.ect = 34,
		.ce = 35,
		.unknown_opcodes = 36,
		.reserved_set = 37,
		.place = 38,
	};
	struct lab l;

	(void)state;
	lab_begin(&l);
	l.sink.tap(l.sink.ctx, &ft); /* in either order */
	t.regressions = 9;
	t.back_from = 42;
	t.back_to = 23;
	store_tap(l.s, 0, &t);
	t.packets = 0;
	t.back_from = t.back_to = 0;
	t.speed_bps = 400000000000;
	t.snaplen = 0;
	t.dropped = 5;
	t.received = 50;
	t.interface = 1;
	store_tap(l.s, 1, &t);
	ft.tap = 1;
	ft.mirror_seq_seen = true;
	ft.mirror_seq_lost = 0;
	l.sink.tap(l.sink.ctx, &ft);
	lab_reopen(&l);
	lab_rows(
		&l,
		"SELECT id, capture_id, name, interface, speed_bps, snaplen,"
		" linktype, packets, first_ns, last_ns, received_reported,"
		" dropped_reported, timestamp_regressions, back_from_ns,"
		" back_to_ns, mirror_seq_seen, mirror_seq_lost FROM tap",
		"1|1|pa|0|-|128|1|2000|1795219200000000000|1795219200010000000|"
		"-|-|9|42|23|0|-\n"
		"2|1|pa|1|400000000000|-|1|0|-|-|50|5|9|-|-|1|0\n");
	/* enum packet_kind and packet_status of decode/packet.h */
	lab_rows(
		&l,
		"SELECT packets_other, packets_roce, packets_cnp, packets_uet,"
		" packets_pause, packets_pfc, packets_lldp, truncated,"
		" malformed, fragments, mirror_duplicates, icrc_good, icrc_bad,"
		" icrc_unchecked, ect, ce, unknown_opcodes, reserved_set, place"
		" FROM tap WHERE id = 1",
		"10|11|12|13|14|15|16|21|22|23|30|31|32|33|34|35|36|37|38\n");
	lab_end(&l);
}

static void captures(void **state)
{
	struct capture_file f = good_file();
	struct lab l;

	(void)state;
	lab_begin(&l);
	f.filtered = 3;
	f.skipped = 4;
	f.cut = 2;
	f.damage_count = 1000; /* 64 are kept */
	for (size_t i = 0; i < CAPTURE_DAMAGE_KEPT; i++)
		f.damage[i] =
			(struct capture_damage) { i * 10, i * 10 + 5, "w" };
	store_capture(l.s, 0, &f);
	f.packets = f.damage_count = f.cut = 0;
	store_capture(l.s, 1, &f);
	lab_reopen(&l);
	lab_rows(&l, "SELECT * FROM capture",
		 "1|a.pcap|pcap|2000|200000|1795219200000000000|"
		 "1795219200010000000|998|4|3|1\n"
		 "2|a.pcap|pcap|0|200000|-|-|0|4|3|0\n");
	lab_rows(&l,
		 "SELECT count(*), max(to_byte), min(capture_id) FROM "
		 "corrupted_range",
		 "64|635|1\n");
	lab_end(&l);
}

static void cm_messages(void **state)
{
	struct fact_cm c = {
		.ns = 1,
		.frame = 2,
		.src = host(1),
		.dst = host(2),
		.local_comm_id = 4,
		.remote_comm_id = 5,
		.qpn = 6,
		.psn = 7,
		.service_id = 0xfffffffffffffff0,
		.reason = -1,
	};
	struct lab l;

	(void)state;
	lab_begin(&l);
	c.attribute = 0x10;
	l.sink.cm(l.sink.ctx, &c);
	c.attribute = 0x12;
	c.reason = 28;
	l.sink.cm(l.sink.ctx, &c);
	c.attribute = 0x99;
	l.sink.cm(l.sink.ctx, &c);
	lab_reopen(&l);
	lab_rows(&l, "SELECT * FROM cm",
		 "1|1|1|2|10.0.0.1|10.0.0.2|REQ|16|4|5|6|7|0xfffffffffffffff0|-"
		 "\n"
		 "2|1|1|2|10.0.0.1|10.0.0.2|REJ|18|4|5|6|7|-|28\n"
		 "3|1|1|2|10.0.0.1|10.0.0.2|-|153|4|5|6|7|-|28\n");
	lab_end(&l);
}

static void endings(void **state)
{
	struct fact_ending x = {
		.flow = 3,
		.psn = 7,
		.first = 5,
		.next = 9,
		.tries = 4,
		.first_ns = 10,
		.last_ns = 40,
		.shortest_ns = 9,
		.longest_ns = 11,
		.rnr_wait_ns = FACT_UNKNOWN,
		.last_response_ns = FACT_UNKNOWN,
		.end_ns = 90,
		.wanted = FACT_UNKNOWN,
		.payload = 1024,
		.opcode = 6,
		.frame_first = 2,
		.frame_last = 8,
	};
	struct lab l;

	(void)state;
	lab_begin(&l);
	l.sink.ending(l.sink.ctx, &x);
	x.refusals = 1;
	x.syndrome = 0x62;
	x.refused_ns = 50;
	x.frame_refused = 9;
	x.tries = 0;
	x.first_ns = x.last_ns = 0;
	x.frame_first = x.frame_last = 0;
	x.acked = x.mid_stream = true;
	l.sink.ending(l.sink.ctx, &x);
	lab_reopen(&l);
	lab_rows(&l,
		 "SELECT flow_id, tap_id, psn, first_psn, next_psn, mid_stream,"
		 " opcode, payload, length, acknowledged, tries, first_ns,"
		 " last_ns, shortest_ns, longest_ns FROM ending",
		 "3|1|7|5|9|0|6|1024|-|0|4|10|40|9|11\n"
		 "3|1|7|5|9|1|6|1024|-|1|0|-|50|9|11\n");
	lab_rows(&l,
		 "SELECT frame_first, frame_last, refusals, syndrome,"
		 " refused_ns, rnr_wait_ns, frame_refused, last_response_ns, "
		 "end_ns"
		 " FROM ending",
		 "2|8|0|-|-|-|-|-|90\n-|-|1|98|50|-|9|-|90\n");
	lab_end(&l);
}

static void bins_and_caps(void **state)
{
	struct fact_bin b = { .start_ns = 1,
			      .width_ns = 2,
			      .packets = 3,
			      .bytes = 4,
			      .ce = 5,
			      .ect = 6,
			      .cnp = 7,
			      .retransmitted = 8,
			      .tap = 9,
			      .paused_ns = 10 };
	struct lab l;

	(void)state;
	lab_begin(&l);
	for (int i = BIN_TAP; i <= BIN_PRIORITY; i++) {
		b.scope = i;
		b.scope_id = 3;
		l.sink.bin(l.sink.ctx, &b);
	}
	l.sink.capped(l.sink.ctx, "event", 5);
	l.sink.capped(l.sink.ctx, "event", 6);
	l.sink.capped(l.sink.ctx, "message", 0);
	lab_reopen(&l);
	/* a tap comes as an index and becomes an id */
	lab_rows(&l, "SELECT * FROM bin",
		 "tap|4|-|1|2|3|4|5|6|7|8|-\n"
		 "flow|3|-|1|2|3|4|5|6|7|8|-\n"
		 "priority|3|10|1|2|3|4|5|6|7|8|10\n");
	lab_rows(&l, "SELECT * FROM row_limit", "event|11\n");
	lab_end(&l);
}

static void pauses_and_storms(void **state)
{
	const struct fact_pause p = { .tap = 1,
				      .mac = 0x02fab500000a,
				      .priority = 3,
				      .first_ns = 10,
				      .last_ns = FACT_UNKNOWN,
				      .paused_ns = FACT_UNKNOWN,
				      .xoff = 4,
				      .xon = 1,
				      .refreshes = 3,
				      .ended_by = PAUSE_XON,
				      .quanta = 262140,
				      .frame = 7 };
	struct fact_pauser r = { .tap = 1,
				 .mac = 0x02fab500000a,
				 .priority = FACT_UNKNOWN,
				 .role = PORT_HOST,
				 .has_host = true,
				 .paused_ns = FACT_UNKNOWN,
				 .passed = 5 };
	const struct fact_storm t = { .mac = 1,
				      .priority = 3,
				      .level = STORM_SUSPECT,
				      .first_ns = 1,
				      .last_ns = 2 };
	const struct fact_stall s = { .flow = 3,
				      .cause = STALL_PAUSE,
				      .mac = 1,
				      .first_ns = 5,
				      .last_ns = 9,
				      .paused_ns = 4 };
	const struct fact_paused_flow f = { .flow = 3,
					    .mac = 1,
					    .priority = 3,
					    .priority_from = PRIORITY_ASSUMED,
					    .ttl = 63 };
	struct lab l;

	(void)state;
	r.host = addr_from_v4((const uint8_t[]) { 10, 0, 0, 4 });
	lab_begin(&l);
	l.sink.pause(l.sink.ctx, &p);
	l.sink.pauser(l.sink.ctx, &r);
	r.link_bps = 1;
	l.sink.pauser(l.sink.ctx, &r);
	l.sink.storm(l.sink.ctx, &t);
	l.sink.stall(l.sink.ctx, &s);
	l.sink.paused_flow(l.sink.ctx, &f);
	lab_reopen(&l);
	lab_rows(&l, "SELECT * FROM pause",
		 "1|2|02:fa:b5:00:00:0a|3|10|-|4|1|3|xon|262140|-|7\n");
	/* what should have been held is unknown without the link's speed */
	lab_rows(&l,
		 "SELECT tap_id, source_mac, priority, link_bps, role, host,"
		 " peer_mac, paused_ns, passed FROM pause_sender",
		 "2|02:fa:b5:00:00:0a|-|-|host|10.0.0.4|-|-|-\n"
		 "2|02:fa:b5:00:00:0a|-|1|host|10.0.0.4|-|-|5\n");
	lab_rows(&l, "SELECT source_mac, level, root, root_id FROM storm",
		 "00:00:00:00:00:01|suspect|-|1\n");
	lab_rows(&l,
		 "SELECT flow_id, cause, last_ns - first_ns, paused_ns, frame"
		 " FROM stall",
		 "3|pause|4|4|-\n");
	lab_rows(
		&l,
		"SELECT flow_id, priority, priority_from, ttl, governed, stalls"
		" FROM paused_flow",
		"3|3|dscp|63|0|0\n");
	lab_end(&l);
}

/* design.md 5: every column of every table has a comment behind it, and SQLite
 * keeps it with the table. */
static void every_column_has_a_comment(void **state)
{
	static const char sql[] =
		"SELECT t.name, c.name FROM pragma_table_list t"
		" JOIN pragma_table_xinfo(t.name) c"
		" JOIN sqlite_schema s ON s.name = t.name"
		" WHERE t.schema = 'main' AND s.type = 'table'"
		" AND t.name NOT LIKE 'sqlite%'"
		" AND s.sql NOT GLOB '*\n  ' || c.name || ' [A-Z]* -- *'";
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_reopen(&l);
	lab_rows(&l, sql, "");
	lab_rows(&l,
		 "SELECT count(*) >= 25 FROM sqlite_schema"
		 " WHERE type = 'table'",
		 "1\n");
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events),
		cmocka_unit_test(event_kinds_have_their_public_names),
		cmocka_unit_test(messages),
		cmocka_unit_test(recoveries),
		cmocka_unit_test(flows),
		cmocka_unit_test(unknown_of_a_flow_is_null),
		cmocka_unit_test(transports_have_their_public_names),
		cmocka_unit_test(addresses_are_text),
		cmocka_unit_test(taps_come_from_two_sides),
		cmocka_unit_test(captures),
		cmocka_unit_test(cm_messages),
		cmocka_unit_test(endings),
		cmocka_unit_test(bins_and_caps),
		cmocka_unit_test(pauses_and_storms),
		cmocka_unit_test(every_column_has_a_comment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
