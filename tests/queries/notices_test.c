/* SPDX-License-Identifier: GPL-2.0-or-later
 * Findings about links, marks and captures: for each the least that makes it,
 * and what is not enough. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/topology.h"
#include "decode/packet.h"
#include "said.h"

enum { G10 = 1250 }; /* octets in 1 us at 10 Gb/s */

/* One tap of a 10 Gb/s link; |t| says what passed. */
static void begin(struct lab *l, const struct fact_tap *t)
{
	struct capture_file f = good_file();
	struct capture_tap tap = good_tap();

	lab_begin(l);
	store_capture(l->s, 0, &f);
	tap.speed_bps = 10000000000;
	store_tap(l->s, 0, &tap);
	l->sink.tap(l->sink.ctx, t);
}

static void topology(struct lab *l, const char *ini)
{
	static const char *const names[] = { "pa" };
	struct topology *t = topology_parse("test", ini, strlen(ini), &l->err);

	assert_non_null(t);
	store_topology(l->s, t, names, 1);
	topology_free(t);
}

static void pauser(struct lab *l, uint64_t mac, enum port_role role,
		   uint64_t xoff)
{
	l->sink.pauser(l->sink.ctx,
		       &(struct fact_pauser) { .mac = mac,
					       .priority = 3,
					       .link_bps = 10000000000,
					       .first_ns = T0,
					       .last_ns = T0 + 10 * MS,
					       .pauses = xoff,
					       .xoff = xoff,
					       .quanta_max = 100,
					       .paused_ns = MS,
					       .longest_ns = 100 * US,
					       .role = role,
					       .has_host = role == PORT_HOST,
					       .host = host((uint8_t)mac) });
}

static struct fact_flow marked_flow(int64_t ect, int64_t ce)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);

	f.ect = f.ect_data = ect;
	f.ce = f.ce_data = ce;
	return f;
}

/* ---- ECN and PFC ---- */

/* |n| intervals of 100 us that carry |octets| each, each second one with
 * marks. */
static void loaded(struct lab *l, int n, uint64_t octets)
{
	for (int i = 0; i < n; i++)
		l->sink.bin(l->sink.ctx,
			    &(struct fact_bin) { .scope = BIN_TAP,
						 .scope_id = 0,
						 .start_ns = T0 + i * 100 * US,
						 .width_ns = 100 * US,
						 .packets = 10,
						 .bytes = octets,
						 .ect = 8,
						 .ce = i % 2 ? 0 : 2 });
}

static void thresholds(int bins, uint64_t octets, uint64_t xoff,
		       const char *want)
{
	struct fact_tap t = good_fact_tap(0);
	struct fact_flow f = marked_flow(900, 100);
	struct lab l;

	t.ect = 900;
	t.ce = 100;
	begin(&l, &t);
	lab_pair(&l, &f);
	loaded(&l, bins, octets);
	if (xoff)
		pauser(&l, 0xb1, PORT_SWITCH, xoff);
	lab_reopen(&l);
	found(&l, "ecn-thresholds", want);
	lab_end(&l);
}

static void mark_earlier_or_later(void **state)
{
	(void)state;
	/* 100 us at 10 Gb/s are 125,000 octets */
	thresholds(60, G10 * 50, 0,
		   "Mark later, or cut less: the link is 50.0 % used right "
		   "after marks\n");
	thresholds(60, G10 * 61, 0, "");
	thresholds(38, G10 * 50, 0, ""); /* 19 intervals with marks */
	thresholds(60, G10 * 50, 1, ""); /* something is paused */
	thresholds(60, G10 * 90, 20,
		   "Mark earlier: PFC still stops senders although ECN "
		   "marks\n");
	thresholds(60, G10 * 90, 19, "");
}

static void marks_that_never_stop(void **state)
{
	struct fact_tap t = good_fact_tap(0);
	struct lab l;

	(void)state;
	begin(&l, &t);
	loaded(&l, 20, 1000); /* 20 of 180, in every second interval */
	lab_reopen(&l);
	found(&l, "persistent-marking",
	      "11.1 % of the ECN-capable packets at pa are CE-marked, during "
	      "50.0 % of the time\n");
	lab_end(&l);

	begin(&l, &t);
	loaded(&l, 19, 1000);
	lab_reopen(&l);
	found(&l, "persistent-marking", "");
	lab_end(&l);
}

static void pfc_without_ecn(uint64_t xoff, enum port_role role, int64_t ect,
			    const char *want)
{
	struct fact_tap t = good_fact_tap(0);
	struct fact_flow f = marked_flow(ect, 0);
	struct lab l;

	t.ect = ect;
	begin(&l, &t);
	lab_pair(&l, &f);
	pauser(&l, 0xb1, role, xoff);
	lab_reopen(&l);
	found(&l, "pfc-before-ecn", want);
	lab_end(&l);
}

static void thresholds_in_the_wrong_order(void **state)
{
	(void)state;
	pfc_without_ecn(
		10, PORT_SWITCH, 1000,
		"PFC stops senders, ECN never marks: 10 XOFF frames, no "
		"marked packet, no CNP\n");
	pfc_without_ecn(9, PORT_SWITCH, 1000, "");
	pfc_without_ecn(10, PORT_HOST, 1000, ""); /* a slow receiver */
	pfc_without_ecn(10, PORT_SWITCH, 999, "");
}

static void bare_data(uint64_t bare, uint64_t ce, const char *want)
{
	struct fact_tap t = good_fact_tap(0);
	struct fact_flow f = marked_flow(900, (int64_t)ce);
	struct fact_flow g = good_flow(3, 5, 2, 0x21);
	struct lab l;

	begin(&l, &t);
	lab_pair(&l, &f);
	g.ect = g.ect_data = 0;
	g.not_ect_data = (int64_t)bare;
	lab_pair(&l, &g);
	lab_reopen(&l);
	found(&l, "not-ect-data", want);
	lab_end(&l);
}

static void data_that_cannot_be_marked(void **state)
{
	(void)state;
	bare_data(100, 0,
		  "10.0 % of the data packets are not ECN-capable (not-ECT), "
		  "from 10.0.0.5\n");
	bare_data(99, 0, "");
}

/* ---- pauses ---- */

static void priority_that_nobody_uses(void **state)
{
	struct fact_tap t = good_fact_tap(0);
	struct fact_flow f = good_flow(1, 1, 2, 0x11);

	(void)state;
	for (int governed = 0; governed < 2; governed++) {
		struct lab l;

		begin(&l, &t);
		lab_pair(&l, &f);
		pauser(&l, 0xb1, PORT_SWITCH, 5);
		l.sink.paused_flow(l.sink.ctx, &(struct fact_paused_flow) {
						       .flow = 1,
						       .mac = 0xb1,
						       .priority = 4,
						       .ttl = 64,
						       .governed = governed });
		lab_reopen(&l);
		found(&l, "pfc-unexpected-priority",
		      governed
			      ? ""
			      : "Switch port 00:00:00:00:00:b1 pauses priority "
				"3, but the flows to it use priority 4\n");
		lab_end(&l);
	}
}

/* Who asks for silence, by what the topology file says of the tap. */
static void names_of(const char *ini, enum port_role role, const char *want)
{
	struct fact_tap t = good_fact_tap(0);
	struct lab l;

	begin(&l, &t);
	pauser(&l, 4, role, 5);
	if (ini)
		topology(&l, ini);
	lab_reopen(&l);
	lab_rows(&l, "SELECT who FROM pause_sender", want);
	lab_end(&l);
}

static void ports_have_the_names_of_the_topology(void **state)
{
	static const char one_way[] =
		"[switch leaf1]\ndevice = 7\n[host h4]\naddress = 10.0.0.4\n"
		"[tap pa]\nlink = leaf1->spine1\n";
	static const char both[] =
		"[switch leaf1]\ndevice = 7\n[host h4]\naddress = 10.0.0.4\n"
		"switch = leaf1\n[tap pa]\nlink = h4--leaf1\n";
	static const char switches[] =
		"[switch leaf1]\ndevice = 7\n[switch spine1]\ndevice = 8\n"
		"[tap pa]\nlink = leaf1--spine1\n";

	(void)state;
	names_of(NULL, PORT_SWITCH, "switch port 00:00:00:00:00:04\n");
	names_of(NULL, PORT_HOST, "host 10.0.0.4\n");
	names_of(one_way, PORT_HOST, "host 10.0.0.4 (h4)\n");
	names_of(one_way, PORT_SWITCH,
		 "port of leaf1 to spine1 (00:00:00:00:00:04)\n");
	names_of(one_way, PORT_UNKNOWN,
		 "port of leaf1 to spine1 (00:00:00:00:00:04)\n");
	names_of(both, PORT_SWITCH,
		 "port of leaf1 to h4 (00:00:00:00:00:04)\n");
	/* either end may be meant */
	names_of(both, PORT_UNKNOWN, "port 00:00:00:00:00:04\n");
	names_of(switches, PORT_SWITCH, "switch port 00:00:00:00:00:04\n");
}

/* Of |ports| ports, from the fourth address on. */
static void roce_in_dcbx_of(int ports, const char *applications, bool roce,
			    const char *want)
{
	struct fact_tap t = good_fact_tap(0);
	struct lab l;

	t.by_kind[PACKET_ROCE] = roce ? 1000 : 0;
	begin(&l, &t);
	for (int i = 0; i < ports; i++)
		l.sink.lldp(l.sink.ctx, &(struct fact_lldp) {
						.mac = 4 + (uint64_t)i,
						.first_ns = T0 + i,
						.last_ns = T0 + i,
						.frames = 1,
						.frame = 3,
						.dcbx = "ieee",
						.pfc_enabled = 0x08,
						.applications = applications });
	lab_reopen(&l);
	found(&l, "dcbx-mismatch", want);
	lab_end(&l);
}

static void roce_in_dcbx(const char *applications, bool roce, const char *want)
{
	roce_in_dcbx_of(1, applications, roce, want);
}

/* Anybody can send LLDP of a thousand ports. */
static void many_ports_are_one_finding(void **state)
{
	(void)state;
	roce_in_dcbx_of(1000, NULL, true,
			"1,000 ports advertise PFC, but no DCBX application "
			"entry for RoCE (UDP 4791), such as "
			"00:00:00:00:00:04\n");
}

static void dcbx_does_not_name_roce(void **state)
{
	static const char unnamed[] =
		"00:00:00:00:00:04 advertises PFC, but no DCBX application "
		"entry for RoCE (UDP 4791)\n";

	(void)state;
	roce_in_dcbx(NULL, true, unnamed);
	roce_in_dcbx(NULL, false, "");
	roce_in_dcbx("[{\"sel\":\"tcp\",\"proto\":3260,\"prio\":4}]", true,
		     unnamed);
	roce_in_dcbx("[{\"sel\":\"udp\",\"proto\":4791,\"prio\":3}]", true, "");
	roce_in_dcbx("[{\"sel\":\"port\",\"proto\":4791,\"prio\":3}]", true,
		     "");
	roce_in_dcbx("[{\"sel\":\"dscp\",\"proto\":26,\"prio\":3}]", true, "");
	roce_in_dcbx("[{\"sel\":\"ethertype\",\"proto\":0,\"prio\":3}]", true,
		     "");
}

static void credits_that_are_missing(int64_t ns, const char *want)
{
	struct fact_tap t = good_fact_tap(0);
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	begin(&l, &t);
	lab_pair(&l, &f);
	l.sink.stall(l.sink.ctx, &(struct fact_stall) { .flow = 1,
							.cause = STALL_CREDIT,
							.mac = 0xb1,
							.priority = 2,
							.first_ns = T0 + MS,
							.last_ns = T0 + MS + ns,
							.paused_ns = ns,
							.frame = 9 });
	lab_reopen(&l);
	found(&l, "uec-credit-starvation", want);
	lab_end(&l);
}

static void credit_starvation(void **state)
{
	(void)state;
	credits_that_are_missing(
		MS, "UEC CBFC: channel 2 of port 00:00:00:00:00:b1 seems to "
		    "have run out of credits, once\n");
	credits_that_are_missing(MS - 1, "");
}

/* ---- captures ---- */

static void notice(const struct fact_tap *t, const char *rule, const char *want)
{
	struct lab l;

	begin(&l, t);
	lab_reopen(&l);
	found(&l, rule, want);
	lab_end(&l);
}

static void what_a_capture_is_worth(void **state)
{
	const struct fact_tap good = good_fact_tap(0);
	struct fact_tap t = good;

	(void)state;
	t.icrc_good = t.icrc_bad = 500;
	notice(&t, "icrc-unusable", "ICRC not usable on 1 tap\n");
	t.icrc_good = 501;
	notice(&t, "icrc-unusable", "");

	t = good;
	t.mirror_seq_seen = true;
	t.mirror_seq_lost = 7;
	notice(&t, "mirror-loss",
	       "7 mirrored packets lost between the mirroring switch and the "
	       "capture: tap pa\n");
	t.mirror_seq_lost = 0;
	notice(&t, "mirror-loss", "");

	t = good;
	t.nic_sniffer = true;
	notice(&t, "nic-sniffer",
	       "A NIC sniffer wrote time stamps into the source addresses of 1 "
	       "tap\n");
	notice(&good, "nic-sniffer", "");

	t = good;
	t.by_kind[PACKET_ROCE] = t.by_kind[PACKET_CNP] = 0;
	notice(&t, "no-traffic",
	       "There is no RoCE or Ultra Ethernet traffic in this capture\n");
	t.by_kind[PACKET_UNREADABLE] = 1;
	notice(&t, "no-traffic", "");
	t.by_kind[PACKET_UNREADABLE] = 0;
	t.by_kind[PACKET_ROCE] = 1;
	notice(&t, "no-traffic", "");

	t = good;
	t.by_status[PACKET_MALFORMED] = 2;
	t.unknown_opcodes = 1;
	notice(&t, "undecodable", "3 packets not decoded\n");
	notice(&good, "undecodable", "");
}

/* One file with one tap in it, which say this of themselves. */
static void says_of_itself(const struct capture_file *f,
			   const struct capture_tap *tap, const char *rule,
			   const char *want)
{
	struct fact_tap t = good_fact_tap(0);
	struct lab l;

	lab_begin(&l);
	store_capture(l.s, 0, f);
	store_tap(l.s, 0, tap);
	l.sink.tap(l.sink.ctx, &t);
	lab_reopen(&l);
	found(&l, rule, want);
	lab_end(&l);
}

static void clock_that_went_back(void **state)
{
	struct capture_file f = good_file();
	struct capture_tap tap = good_tap();

	(void)state;
	says_of_itself(&f, &tap, "out-of-order-timestamps", "");
	tap.regressions = 3;
	tap.back_from = T0 + 900;
	tap.back_to = T0 + 200;
	says_of_itself(&f, &tap, "out-of-order-timestamps",
		       "3 out-of-order timestamps at 1 tap\n");
}

static void drops_that_the_file_admits(void **state)
{
	struct capture_file f = good_file();
	struct capture_tap tap = good_tap();

	(void)state;
	says_of_itself(&f, &tap, "capture-dropped", ""); /* it does not say */
	tap.dropped = 0;
	says_of_itself(&f, &tap, "capture-dropped", "");
	tap.dropped = 500;
	says_of_itself(&f, &tap, "capture-dropped",
		       "The capturing system dropped 500 packets at tap pa\n");
}

static void files_that_are_damaged(void **state)
{
	static const char want[] =
		"Part of the input could not be read: a.pcap\n";
	struct capture_file f = good_file();
	struct capture_tap tap = good_tap();

	(void)state;
	says_of_itself(&f, &tap, "corrupted-input", "");
	f.damage_count = f.cut = 1;
	says_of_itself(&f, &tap, "corrupted-input", want);
	f.damage_count = f.cut = 0;
	f.skipped = 2;
	says_of_itself(&f, &tap, "corrupted-input", want);
}

/* ---- shares ---- */

/* Two congested flows to one host, |windows| of 1 ms with 200 packets each; the
 * second gets 1/|ratio| of what the first gets: JFI (1 + r)^2 / 2 (1 + r^2). */
static void shares(int windows, unsigned ratio, const char *want)
{
	struct fact_tap t = good_fact_tap(0);
	struct lab l;

	begin(&l, &t);
	for (uint32_t id = 1; id <= 2; id++) {
		struct fact_flow f = marked_flow(900, 100);

		f.id = id;
		f.src = host((uint8_t)(10 + id));
		f.last_ns = T0 + windows * MS;
		l.sink.flow(l.sink.ctx, &f);
		l.sink.congestion(
			l.sink.ctx,
			&(struct fact_congestion) { .flow = id, .marks = 100 });
		for (int i = 0; i < windows; i++)
			l.sink.bin(l.sink.ctx,
				   &(struct fact_bin) {
					   .scope = BIN_FLOW,
					   .scope_id = id,
					   .start_ns = T0 + i * MS,
					   .width_ns = MS,
					   .packets = 200,
					   .bytes = id == 1 ? 100000 * ratio
							    : 100000 });
	}
	lab_reopen(&l);
	found(&l, "unfair", want);
	lab_end(&l);
}

static void uneven_shares(void **state)
{
	(void)state;
	/* r = 1/9: 100 / 164 = 0.6098; r = 1/10: 121 / 202 = 0.599 */
	shares(12, 10,
	       "Uneven shares of 2 congested flows to 10.0.0.2: fairness 59.9 "
	       "%\n");
	shares(12, 9, "");
	shares(9, 10, "");
}

/* Four ranks in a ring that send 100 kB in 10 us each 200 us; once the third
 * stands for 600 us, in the middle of a message or not. */
static void ring(struct lab *l, enum flow_visibility visibility, bool inside)
{
	lab_begin(l);
	lab_one_tap(l);
	for (uint32_t r = 0; r < 4; r++) {
		struct fact_flow f =
			good_flow(r + 1, (uint8_t)(r + 1),
				  (uint8_t)((r + 1) % 4 + 1), 0x11 + r);
		int64_t at = T0;

		f.visibility = visibility;
		f.goodput_bytes = f.payload_bytes = 12 * 100000;
		l->sink.flow(l->sink.ctx, &f);
		for (int i = 0; i < 12; i++) {
			bool slow = r == 2 && i == 6;
			struct fact_burst b = {
				.flow = r + 1,
				.first_ns = at,
				.last_ns = at + (slow ? 4 : 10) * US,
				.bytes = slow ? 40000 : 100000,
				.psns = slow ? 10 : 25,
				.inside = slow && inside,
				.acked_ns = FACT_UNKNOWN,
				.asked_ns = FACT_UNKNOWN,
				.unacked = FACT_UNKNOWN,
				.granted_ns = FACT_UNKNOWN,
			};

			l->sink.burst(l->sink.ctx, &b);
			if (slow) {
				b.first_ns = at + 604 * US;
				b.last_ns = at + 610 * US;
				b.bytes = 60000;
				b.psns = 15;
				b.inside = false;
				l->sink.burst(l->sink.ctx, &b);
			}
			at += (i == 6 ? 800 : 200) * US;
		}
	}
}

static void iterations_that_took_longer(void **state)
{
	struct fact_recovery lost =
		recovery(3, CAUSE_LOSS_DOWNSTREAM, TRIGGER_TIMEOUT);
	struct lab l;

	(void)state;
	ring(&l, VISIBLE_BOTH, true);
	lost.first_ns = T0 + 6 * 200 * US + 4 * US;
	lost.resend_ns = lost.first_ns + 600 * US;
	lost.last_ns = lost.resend_ns + 6 * US;
	hand_recovery(&l, lost);
	lab_reopen(&l);
	found(&l, "slow-iterations",
	      "1 of 12 phases of job 1 took longer than the others, mostly "
	      "because of retransmissions\n");
	/* nothing else is open: the fastest piece says how fast the link is */
	lab_rows(&l, "SELECT classes FROM phase_ambiguity ORDER BY 1", "");
	lab_end(&l);
}

/* Without the answers of its receiver nothing tells what it waited for. */
static void waits_that_cannot_be_told_apart(void **state)
{
	struct lab l;

	(void)state;
	ring(&l, VISIBLE_FWD, false);
	lab_reopen(&l);
	found(&l, "slow-iterations",
	      "1 of 12 phases of job 1 took longer than the others, for a "
	      "reason that is not observable here\n");
	lab_rows(&l, "SELECT classes FROM phase_ambiguity ORDER BY 1",
		 "host-late|host-receiver|queueing|loss\n"
		 "host-nic|queueing|pause|rate-cut\n");
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mark_earlier_or_later),
		cmocka_unit_test(marks_that_never_stop),
		cmocka_unit_test(thresholds_in_the_wrong_order),
		cmocka_unit_test(data_that_cannot_be_marked),
		cmocka_unit_test(priority_that_nobody_uses),
		cmocka_unit_test(ports_have_the_names_of_the_topology),
		cmocka_unit_test(dcbx_does_not_name_roce),
		cmocka_unit_test(many_ports_are_one_finding),
		cmocka_unit_test(credit_starvation),
		cmocka_unit_test(what_a_capture_is_worth),
		cmocka_unit_test(clock_that_went_back),
		cmocka_unit_test(drops_that_the_file_admits),
		cmocka_unit_test(files_that_are_damaged),
		cmocka_unit_test(uneven_shares),
		cmocka_unit_test(iterations_that_took_longer),
		cmocka_unit_test(waits_that_cannot_be_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
