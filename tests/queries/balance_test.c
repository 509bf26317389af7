/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parallel links, paths and rails: figures computed by hand from facts written
 * by hand, and what is found in them. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/topology.h"
#include "said.h"

/* Four uplinks of 10 Gb/s, all captured; a fifth that is not, in a group of its
 * own with the first two. */
static const char topology[] = "[switch leaf1]\ndevice = 7\nport 1 = E1\n"
			       "[host h1]\naddress = 10.0.0.1\nrail = 0\n"
			       "[host h2]\naddress = 10.0.0.2\nrail = 0\n"
			       "[host h3]\naddress = 10.0.0.3\nrail = 1\n"
			       "[tap u1]\nlink = leaf1->s1\nspeed = 10G\n"
			       "[group up]\nmembers = leaf1->s1, u2, u3, u4\n"
			       "[protocols]\ncsig-port-bits = 4\n";
static const char partial[] = "[group up]\nmembers = u1, u2, u3, u4, u5\n";

static const char *const names[] = { "u1", "u2", "u3", "u4" };
enum { LINKS = 4 };

/* |marks| of 2000 packets of each link; NULL: none. */
static void begin_marked(struct lab *l, const char *ini, const uint64_t *marks)
{
	struct capture_file f = good_file();
	struct topology *t =
		ini ? topology_parse("test", ini, strlen(ini), NULL) : NULL;

	lab_begin(l);
	store_capture(l->s, 0, &f);
	for (uint32_t i = 0; i < LINKS; i++) {
		struct capture_tap tap = good_tap();
		struct fact_tap ft = good_fact_tap(i);

		tap.name = strdup(names[i]);
		tap.speed_bps = 10000000000;
		ft.place = 0;
		ft.ce = marks ? marks[i] : 0;
		store_tap(l->s, i, &tap);
		l->sink.tap(l->sink.ctx, &ft);
		free(tap.name);
	}
	if (t)
		store_topology(l->s, t, names, LINKS);
	topology_free(t);
}

static void begin(struct lab *l, const char *ini)
{
	begin_marked(l, ini, NULL);
}

/* Flow |id| with |bytes| on link |tap| only. */
static struct fact_flow link_flow(uint32_t id, uint8_t src, uint32_t tap,
				  uint64_t bytes)
{
	struct fact_flow f = good_flow(id, src, (uint8_t)(src + 1), 0x10 + id);

	f.tap = tap;
	f.bytes = bytes;
	f.packets = bytes / 1000;
	f.ect = (int64_t)f.packets;
	f.visibility = VISIBLE_FWD;
	f.pairing = PAIRING_NONE;
	f.lost_downstream_min = FACT_UNKNOWN;
	return f;
}

static void one_link(struct lab *l, uint32_t id, uint8_t src, uint32_t tap,
		     uint64_t bytes)
{
	struct fact_flow f = link_flow(id, src, tap, bytes);

	l->sink.flow(l->sink.ctx, &f);
}

static void asks(struct lab *l, const char *query, const char *param,
		 const char *want)
{
	char *have = lab_ask(l, query, (const char *[]) { param, NULL });

	assert_string_equal(strchr(have, '\n') + 1, want);
	free(have);
}

/* Octets 4, 2, 2, 0 MB: JFI = 64 / (4 * 24) = 0.667, MMR = 4 / 2 = 2; flows
 * 2, 1, 1, 0: MMR 2.  Ports 49153..49156 with 2, 2, 2, 2 MB: 2 bits. */
static void figures_of_merit(void **state)
{
	static const char want[] =
		"1,up,topology,4 of 4,ecmp,4,8000000,0.667,,,,2,2,2,,4,";
	char *balance, *row;
	struct lab l;
	double chance;

	(void)state;
	begin(&l, topology);
	one_link(&l, 1, 1, 0, 2000000);
	one_link(&l, 2, 2, 0, 2000000);
	one_link(&l, 3, 1, 1, 2000000);
	one_link(&l, 4, 2, 2, 2000000);
	lab_reopen(&l);
	balance = lab_ask(&l, "balance", (const char *[]) { NULL });
	row = strchr(balance, '\n') + 1;
	assert_int_equal(strncmp(row, want, strlen(want)), 0);
	chance = strtod(row + strlen(want), &row);
	assert_string_equal(row, ",leaf1->s1,\n");
	/* Of 256 choices of a link for 4 equal flows 24 have at most one on a
	 * link and 180 two: 24 + 90 are below, ties half counted. */
	assert_true(chance > 114 / 256.0 - 0.04);
	assert_true(chance < 114 / 256.0 + 0.04);
	free(balance);
	/* (4000000 + 24 * 4000) * 8 bits in 10 ms of 10 Gb/s = 0.32768 */
	asks(&l, "links", "group=1",
	     "1,leaf1->s1,u1,10000000000,2,4000,4000000,0.5,0.32768,0,2000,0\n"
	     "1,u2,u2,10000000000,1,2000,2000000,0.25,0.16384,0,2000,0\n"
	     "1,u3,u3,10000000000,1,2000,2000000,0.25,0.16384,0,2000,0\n"
	     "1,u4,u4,10000000000,0,0,0,0,0,0,2000,0\n");
	asks(&l, "balance-flows", "limit=1",
	     "1,1,10.0.0.1,10.0.0.2,17,ecmp,1,,1,2000,2000000,0,0,0,0.9\n");
	lab_end(&l);
}

static void passed(struct lab *l, uint32_t tap, int64_t start_ns,
		   uint64_t packets)
{
	l->sink.bin(l->sink.ctx, &(struct fact_bin) {
					 .scope = BIN_TAP,
					 .scope_id = tap,
					 .start_ns = start_ns,
					 .width_ns = 2 * MS,
					 .packets = packets,
					 .bytes = 976 * packets,
					 .ect = packets,
					 .ce = packets / 10,
				 });
}

/* From 2 ms to 7 ms: of u1 all of one step and half of another, 1500 packets
 * that take 1000 octets of the link and have 976; of u2 none.  12 Mbit in 5 ms
 * of 10 Gb/s are 0.24, 8 Mbit in the fuller step of 2 ms 0.4. */
static void links_of_a_span(void **state)
{
	static const char *const span[] = { "group=1", "from=+2ms",
					    "to=+6999999ns", NULL };
	struct lab l;
	char *have;

	(void)state;
	begin(&l, topology);
	one_link(&l, 1, 1, 0, 2000000);
	passed(&l, 0, T0, 7000);
	passed(&l, 0, T0 + 4 * MS, 1000);
	passed(&l, 0, T0 + 6 * MS, 1000);
	passed(&l, 1, T0 + 8 * MS, 3000);
	lab_reopen(&l);
	have = lab_ask(&l, "links", span);
	assert_string_equal(strchr(have, '\n') + 1,
			    "1,leaf1->s1,u1,10000000000,1,1500,1464000,1,0.24,"
			    "0.4,1500,150\n"
			    "1,u2,u2,10000000000,0,0,0,0,0,0,0,0\n"
			    "1,u3,u3,10000000000,0,0,0,0,0,0,0,0\n"
			    "1,u4,u4,10000000000,0,0,0,0,0,0,0,0\n");
	free(have);
	/* one of four has it all; one window of 2 ms lies in the span */
	have = lab_ask(&l, "balance", span + 1);
	assert_string_equal(strchr(have, '\n') + 1,
			    "1,up,topology,4 of 4,ecmp,1,1464000,0.25,0.25,"
			    "0.25,2000000,4,4,,,,,leaf1->s1,\n");
	free(have);
	lab_end(&l);
}

static void loaded(struct lab *l, int scope, uint32_t id, int64_t at,
		   uint64_t packets)
{
	l->sink.bin(l->sink.ctx,
		    &(struct fact_bin) { .scope = scope,
					 .scope_id = id,
					 .start_ns = T0 + at,
					 .width_ns = 2 * MS,
					 .packets = packets,
					 .bytes = 1000 * packets });
}

/* Of the first 2 ms: 1 MB of flow 1 on u1 and 2 MB of flow 3 on u2.  JFI is
 * 9 / (4 * 5), MMR 2 / 0.75; two source ports with a third and two thirds have
 * 0.918 bits, as 1.89 equal flows.  Of 16 choices 4 put both on one link, which
 * is more than 2 MB; the others are ties. */
static void what_a_hash_had_in_a_span(void **state)
{
	static const char want[] =
		"1,up,topology,4 of 4,ecmp,4,3000000,0.45,0.45,0.45,2000000,"
		"2.667,2,0.92,,1.9,";
	char *balance, *row;
	struct lab l;
	double chance;

	(void)state;
	begin(&l, topology);
	one_link(&l, 1, 1, 0, 2000000);
	one_link(&l, 2, 2, 0, 2000000);
	one_link(&l, 3, 1, 1, 2000000);
	one_link(&l, 4, 2, 2, 2000000);
	loaded(&l, BIN_FLOW, 1, 0, 1000);
	loaded(&l, BIN_FLOW, 1, 8 * MS, 1000);
	loaded(&l, BIN_FLOW, 2, 8 * MS, 2000);
	loaded(&l, BIN_FLOW, 3, 0, 2000);
	loaded(&l, BIN_FLOW, 4, 8 * MS, 2000);
	loaded(&l, BIN_TAP, 0, 0, 1000);
	loaded(&l, BIN_TAP, 0, 8 * MS, 3000);
	loaded(&l, BIN_TAP, 1, 0, 2000);
	loaded(&l, BIN_TAP, 2, 8 * MS, 2000);
	lab_reopen(&l);
	balance = lab_ask(&l, "balance",
			  (const char *[]) { "from=+0ns", "to=+2ms", NULL });
	row = strchr(balance, '\n') + 1;
	assert_int_equal(strncmp(row, want, strlen(want)), 0);
	chance = strtod(row + strlen(want), &row);
	assert_string_equal(row, ",u2,\n");
	assert_true(chance > 6 / 16.0 - 0.04);
	assert_true(chance < 6 / 16.0 + 0.04);
	free(balance);
	lab_end(&l);
}

/* k of N captured never gives a figure of merit: reference 6.1. */
static void part_of_the_links(void **state)
{
	struct lab l;

	(void)state;
	begin(&l, partial);
	one_link(&l, 1, 1, 0, 2000000);
	one_link(&l, 2, 2, 1, 2000000);
	lab_reopen(&l);
	asks(&l, "balance", NULL,
	     "1,up,topology,4 of 5,ecmp,2,4000000,,,,,,,1,,,,,"
	     "partial: 4 of 5 links are captured\n");
	lab_end(&l);
}

/* Three paths of one flow, 3, 2 and 1 kB: (3 + 2 + 1)^2 / (3 * 14). */
static void paths_of_senders(void **state)
{
	struct fact_srv6_path p = { .flow = 1, .packets = 3, .bytes = 3000 };
	struct lab l;

	(void)state;
	begin(&l, NULL);
	one_link(&l, 1, 1, 0, 2000000);
	for (unsigned i = 0; i < 3; i++) {
		char list[] = "fcbb:bb00:100:200:8::";

		list[10] = (char)('1' + i);
		assert_true(addr_parse(list, &p.segments));
		l.sink.srv6_path(l.sink.ctx, &p);
		p.packets--;
		p.bytes -= 1000;
		p.ce = 1;
	}
	lab_reopen(&l);
	asks(&l, "srv6-paths", NULL,
	     "1,10.0.0.1,10.0.0.2,17,fcbb:bb00:100:200:8::,3,3,3000,0.5,0,0,"
	     "0.8571428571428571\n"
	     "1,10.0.0.1,10.0.0.2,17,fcbb:bb00:200:200:8::,3,2,2000,"
	     "0.3333333333333333,1,0.5,0.8571428571428571\n"
	     "1,10.0.0.1,10.0.0.2,17,fcbb:bb00:300:200:8::,3,1,1000,"
	     "0.16666666666666666,1,1,0.8571428571428571\n");
	lab_end(&l);
}

/* Without a topology file nobody knows how many links there are, unless flows
 * that change links miss nothing. */
static void inferred_groups(void **state)
{
	struct fact_spread_over s = { .flow = 1,
				      .links = 2,
				      .moves = 1000,
				      .burst_packets = 2000,
				      .burst_moves = 1000,
				      .idle_ns = 100,
				      .idles = 2000,
				      .idle_moves = 1000,
				      .fairness = 0.98 };
	struct fact_flow_tap part = { .flow = 1,
				      .packets = 1000,
				      .bytes = 1000000,
				      .first_ns = T0,
				      .last_ns = T0 + 10 * MS };
	struct lab l;

	(void)state;
	begin(&l, NULL);
	one_link(&l, 1, 1, 0, 2000000);
	one_link(&l, 2, 2, 1, 2000000);
	lab_reopen(&l);
	asks(&l, "balance", NULL,
	     "1,\"u1, u2, u3, u4\",traffic,4 of ?,ecmp,2,4000000,,,,,,,1,,,,,"
	     "how many links there are is not known: give them in a topology "
	     "file\n");
	lab_end(&l);

	begin(&l, NULL);
	one_link(&l, 1, 1, 0, 2000000);
	l.sink.spread_over(l.sink.ctx, &s);
	for (part.tap = 0; part.tap < 2; part.tap++)
		l.sink.flow_tap(l.sink.ctx, &part);
	lab_reopen(&l);
	/* 1, 1, 0, 0 MB: 4 / (4 * 2) */
	asks(&l, "balance", NULL,
	     "1,\"u1, u2, u3, u4\",traffic,4 of 4,spray,1,2000000,0.5,,,,2,2,"
	     "0,,1,,1 u1,\n");
	lab_end(&l);
}

/* One capture in pieces, each from where the one before ends: of the same place
 * and with the same flows, but nothing to compare. */
static void pieces_are_no_links(void **state)
{
	struct capture_file file = good_file();
	struct lab l;

	(void)state;
	lab_begin(&l);
	store_capture(l.s, 0, &file);
	for (uint32_t i = 0; i < LINKS; i++) {
		struct capture_tap tap = good_tap();
		struct fact_tap ft = good_fact_tap(i);
		char name[] = "piece";

		tap.name = name;
		tap.first_ns += i * 10 * MS;
		tap.last_ns += i * 10 * MS;
		ft.place = 0;
		store_tap(l.s, i, &tap);
		l.sink.tap(l.sink.ctx, &ft);
	}
	one_link(&l, 1, 1, 0, 2000000);
	one_link(&l, 2, 2, 1, 1000000);
	lab_reopen(&l);
	asks(&l, "balance", NULL, "");
	lab_rows(&l, "SELECT count(*) FROM link_group", "0\n");
	lab_end(&l);
}

static void no_group_no_row(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	lab_pair(&l, &f);
	lab_reopen(&l);
	asks(&l, "balance", NULL, "");
	asks(&l, "links", NULL, "");
	asks(&l, "rails", NULL, "");
	asks(&l, "hops", NULL, "");
	lab_end(&l);
}

/* --- modes --- */

static void mode_is(struct fact_spread_over s, const char *want)
{
	struct lab l;
	char *have;

	begin(&l, topology);
	one_link(&l, 1, 1, 0, 2000000);
	s.flow = 1;
	s.links = 4;
	l.sink.spread_over(l.sink.ctx, &s);
	l.sink.flow_tap(l.sink.ctx,
			&(struct fact_flow_tap) {
				.flow = 1, .packets = 2000, .bytes = 2000000 });
	lab_reopen(&l);
	have = lab_ask(&l, "balance-flows", (const char *[]) { NULL });
	assert_non_null(strstr(have, want));
	free(have);
	lab_end(&l);
}

/* reference 6.3, of 2000 packets */
static void modes(void **state)
{
	(void)state;
	mode_is((struct fact_spread_over) { .moves = 1500,
					    .burst_packets = 1900,
					    .burst_moves = 1450,
					    .idles = 1900,
					    .idle_moves = 1500,
					    .fairness = 0.97 },
		",spray,4,");
	mode_is((struct fact_spread_over) { .moves = 1500,
					    .burst_packets = 1900,
					    .burst_moves = 1450,
					    .idles = 1900,
					    .idle_moves = 1500,
					    .fairness = 0.5 },
		",adaptive,4,");
	mode_is((struct fact_spread_over) { .moves = 40,
					    .burst_packets = 1900,
					    .idles = 60,
					    .idle_moves = 40,
					    .idle_ns = 50 * US,
					    .fairness = 0.7 },
		",flowlet,4,50000,");
	/* one change of route */
	mode_is((struct fact_spread_over) { .moves = 1,
					    .burst_packets = 1900,
					    .burst_moves = 1,
					    .idles = 1900,
					    .idle_moves = 1,
					    .fairness = 0.4 },
		",ecmp,4,");
	/* a little of everything is not recognised */
	mode_is((struct fact_spread_over) { .moves = 200,
					    .burst_packets = 1900,
					    .burst_moves = 190,
					    .idles = 1900,
					    .idle_moves = 190,
					    .fairness = 0.9 },
		",,4,");
}

/* --- findings --- */

static void collision(void **state)
{
	struct lab l;

	(void)state;
	begin(&l, topology);
	/* 10 Gb/s for 10 ms are 12.5 MB */
	one_link(&l, 1, 1, 0, 6000000);
	one_link(&l, 2, 2, 0, 6000000);
	one_link(&l, 3, 3, 1, 6000000);
	one_link(&l, 4, 4, 2, 6000000);
	lab_reopen(&l);
	expect(&l, "warning",
	       "warning Hash collision: leaf1->s1 is 98.3 % full while u4 is "
	       "idle\n");
	expect_in(&l, 1, "detail", "2 flows of 2 pairs of hosts");
	expect_in(&l, 1, "detail", "collisions are to be expected");
	lab_end(&l);
}

/* The same on three of five links: the others may be as full. */
static void no_collision_when_links_are_missing(void **state)
{
	struct lab l;

	(void)state;
	begin(&l, partial);
	one_link(&l, 1, 1, 0, 6000000);
	one_link(&l, 2, 2, 0, 6000000);
	one_link(&l, 3, 3, 1, 6000000);
	one_link(&l, 4, 4, 2, 6000000);
	lab_reopen(&l);
	expect(&l, "warning", "");
	lab_end(&l);
}

/* Twenty flows leave one link of four empty with (3/4)^20 = 0.003 a link. */
static void idle_link(void **state)
{
	struct lab l;

	(void)state;
	begin(&l, topology);
	for (uint32_t i = 0; i < 32; i++)
		one_link(&l, 1 + i, (uint8_t)(1 + i), i % 3, 300000);
	lab_reopen(&l);
	expect(&l, "warning",
	       "warning Idle link: u4 carries nothing of 32 flows over up\n");
	lab_end(&l);
	/* ten may */
	begin(&l, topology);
	for (uint32_t i = 0; i < 10; i++)
		one_link(&l, 1 + i, (uint8_t)(1 + i), i % 3, 900000);
	lab_reopen(&l);
	expect(&l, "warning", "");
	lab_end(&l);
}

/* |flows| equal flows on each link.  24 of 64 are 1.5 times the mean, which
 * chance does one time in fourteen (binomial, 64 tries at a quarter, four
 * links); 40 are not chance. */
static void uneven(const uint32_t *flows, const char *want)
{
	uint32_t id = 0;
	struct lab l;

	begin(&l, topology);
	for (uint32_t tap = 0; tap < LINKS; tap++)
		for (uint32_t i = 0; i < flows[tap]; i++, id++)
			one_link(&l, 1 + id, (uint8_t)(1 + id), tap, 200000);
	lab_reopen(&l);
	found(&l, "imbalance", want);
	lab_end(&l);
}

static void uneven_beyond_chance(void **state)
{
	(void)state;
	uneven((const uint32_t[]) { 40, 8, 8, 8 },
	       "Uneven load: leaf1->s1 carries 2.5 times the mean of up\n");
	uneven((const uint32_t[]) { 24, 14, 13, 13 }, "");
	/* that there is nothing on one of them is another finding */
	uneven((const uint32_t[]) { 40, 12, 12, 0 }, "");
}

/* 12 MB are 98 % of 10 Gb/s for 10 ms; |marks| and octets of each link. */
static void full_links(const uint64_t *marks, const uint64_t *bytes,
		       const char *want)
{
	struct lab l;

	begin_marked(&l, topology, marks);
	for (uint32_t tap = 0; tap < LINKS; tap++)
		one_link(&l, 1 + tap, (uint8_t)(1 + tap), tap, bytes[tap]);
	lab_reopen(&l);
	found(&l, "ce-one-member", want);
	lab_end(&l);
}

static void one_full_link_marks(void **state)
{
	static const uint64_t full[] = { 12000000, 12000000, 12000000,
					 12000000 };
	static const uint64_t others_half[] = { 12000000, 6000000, 6000000,
						6000000 };

	(void)state;
	full_links((const uint64_t[]) { 100, 0, 0, 0 }, full,
		   "ECN CE marks on one of 4 full links only: "
		   "leaf1->s1\n");
	full_links((const uint64_t[]) { 100, 1, 0, 0 }, full, "");
	full_links((const uint64_t[]) { 0, 0, 0, 0 }, full, "");
	full_links((const uint64_t[]) { 100, 0, 0, 0 }, others_half, "");
}

/* |n| queue pairs of two hosts with one UDP source port, on the links in turn
 * of |links|. */
static void one_port(uint32_t n, uint32_t links, const char *want)
{
	struct lab l;

	begin(&l, topology);
	for (uint32_t i = 0; i < n; i++) {
		struct fact_flow f = link_flow(1 + i, 1, i % links, 500000);

		f.udp_sport = 49152;
		l.sink.flow(l.sink.ctx, &f);
	}
	lab_reopen(&l);
	found(&l, "low-entropy", want);
	lab_end(&l);
}

static void nothing_to_hash(void **state)
{
	(void)state;
	one_port(8, 1,
		 "UDP source ports without entropy: 8 flows look like 1 flow "
		 "to the hash, on 4 links\n");
	one_port(8, 4, ""); /* the hash sees the queue pair */
	one_port(7, 1, ""); /* fewer than two a link */
}

/* --- path telemetry --- */

static struct fact_hop hop(uint32_t flow, int64_t device, uint32_t position,
			   int64_t waits)
{
	return (struct fact_hop) {
		.flow = flow,
		.device = device,
		.position = position,
		.ttl = 63,
		.ingress = flow ? 3 : FACT_UNKNOWN,
		.egress = 1,
		.queue = 3,
		.packets = 1000,
		.residence = { 400, 400 + waits, 400 + waits, 400 + 3 * waits,
			       400 + 4 * waits },
		.ce = 100,
		.slowest = position == 2 ? 900 : 100,
		.longest_ns = T0 + 5 * MS,
		.longest_frame = 77,
		.marked_mean_ns = 400 + 3 * waits,
		.lost = position == 2 ? 4 : 0,
		.lost_mean_ns = position == 2 ? 400 + 4 * waits : FACT_UNKNOWN,
		.acked = 300,
		.ack_mean_ns = 70000,
		.ack_correlation_pm = position == 2 ? 875 : FACT_UNKNOWN,
	};
}

static void hops_and_paths(void **state)
{
	struct fact_hop h[] = { hop(0, 7, 1, 100), hop(0, 9, 2, 50000),
				hop(1, 7, 1, 100), hop(1, 9, 2, 50000) };
	struct fact_path p = { .flow = 1,
			       .n_hops = 2,
			       .device = { 7, 9 },
			       .packets = 1000,
			       .ce = 100,
			       .residence = { 800, 50900, 50900, 150900,
					      200900 },
			       .lost = 4,
			       .acked = 300,
			       .ack_mean_ns = 70000,
			       .ack_max_ns = 230000,
			       .ack_correlation_pm = 870 };
	struct fact_telemetry_packet d = { .flow = 1,
					   .ns = T0 + 6 * MS,
					   .frame = 81,
					   .psn = 42,
					   .fate = TELEMETRY_LOST,
					   .confidence = 0.9,
					   .hops = 2,
					   .total_ns = 200900,
					   .kept_ns = 200400,
					   .position = 2,
					   .device = 9,
					   .egress = 1,
					   .queue = 3 };
	struct fact_csig c = { .flow = 0,
			       .signal = 1,
			       .locator = 0x21,
			       .samples = 50,
			       .value = { 0, 2, 3, 30, 31 } };
	struct lab l;

	(void)state;
	begin(&l, topology);
	one_link(&l, 1, 1, 0, 1000000);
	for (size_t i = 0; i < sizeof h / sizeof h[0]; i++)
		l.sink.hop(l.sink.ctx, &h[i]);
	l.sink.path(l.sink.ctx, &p);
	l.sink.csig(l.sink.ctx, &c);
	l.sink.telemetry_packet(l.sink.ctx, &d);
	lab_reopen(&l);
	asks(&l, "hops", NULL,
	     "u1,leaf1,1,,E1,3,1000,400,500,700,800,0.1,0,0.1,"
	     "1795219200005000000,77,700,0,,300,70000,\n"
	     "u1,9,2,,1,3,1000,400,50400,150400,200400,0.9,0,0.1,"
	     "1795219200005000000,77,150400,4,200400,300,70000,0.875\n");
	asks(&l, "paths", NULL,
	     "1,10.0.0.1,10.0.0.2,u1,7>9,1000,800,50900,150900,200900,0.1,9,1,"
	     "50000,0.9,4,70000,230000,,0,12000\n");
	asks(&l, "telemetry-packets", NULL,
	     "1795219200006000000,1,81,1,10.0.0.1,10.0.0.2,42,lost,0.9,0,2,"
	     "200900,9,1,3,200400,50400\n");
	asks(&l, "telemetry-packets", "fate=trimmed", "");
	asks(&l, "csig", NULL, "u1,abw_c,33,2,1,50,0,2,31,0\n");
	expect(&l, "warning",
	       "warning Congested hop: packets wait 50.0 us in switch 9 before "
	       "port "
	       "1\n");
	expect_in(&l, 1, "detail", "the slowest hop of 90.0 % of them");
	expect_in(&l, 1, "detail",
		  "the marked ones had waited 150 us on average, all "
		  "packets 50.4 us");
	expect_in(&l, 1, "detail",
		  "4 packets of these were lost later on the way, after "
		  "waiting 200 us here on average");
	expect_in(&l, 1, "detail", "the later came its ACK (correlation 0.88)");
	lab_end(&l);
}

/* |packets| that told about |value| in the step of 4 ms from T0. */
static struct fact_telemetry_bin step(uint64_t telemetry_id, int64_t value,
				      uint64_t packets, uint64_t slowest)
{
	return (struct fact_telemetry_bin) { .telemetry_id = telemetry_id,
					     .start_ns = T0,
					     .width_ns = 4 * MS,
					     .value = value,
					     .min = value - value / 50,
					     .max = value + value / 50,
					     .packets = packets,
					     .ce = packets / 10,
					     .congested = slowest / 2,
					     .slowest = slowest };
}

/* Of the first 2 ms, half of the steps of 4 ms: of 200 packets 50 waited 400 ns
 * and 50 5 us. */
static void telemetry_of_a_span(void **state)
{
	static const char half[] = "to=+1999999ns";
	struct fact_telemetry_bin bins[] = {
		step(1, 400, 100, 10),  step(1, 5000, 100, 90),
		step(2, 2, 30, 0),      step(2, 30, 20, 0),
		step(3, 6000, 40, 0),   step(4, 5000, 40, 40),
		step(1, 5000, 800, 800)
	};
	struct fact_hop all = hop(0, 9, 2, 50000), own = hop(1, 9, 2, 50000);
	struct fact_path p = { .flow = 1,
			       .n_hops = 2,
			       .device = { 7, 9 },
			       .packets = 1000,
			       .telemetry_id = 3 };
	struct fact_csig c = {
		.signal = 1, .locator = 0x21, .samples = 1000, .telemetry_id = 2
	};
	struct lab l;

	(void)state;
	all.telemetry_id = 1;
	own.telemetry_id = 4;
	bins[6].start_ns += 4 * MS;
	begin(&l, topology);
	one_link(&l, 1, 1, 0, 1000000);
	l.sink.hop(l.sink.ctx, &all);
	l.sink.hop(l.sink.ctx, &own);
	l.sink.path(l.sink.ctx, &p);
	l.sink.csig(l.sink.ctx, &c);
	for (size_t i = 0; i < sizeof bins / sizeof bins[0]; i++)
		l.sink.telemetry_bin(l.sink.ctx, &bins[i]);
	lab_reopen(&l);
	asks(&l, "hops", half,
	     "u1,9,2,,1,3,100,392,5000,5000,5100,0.5,0.25,0.1,,,,,,,,\n");
	asks(&l, "csig", half, "u1,abw_c,33,2,1,25,2,2,30,0.12\n");
	asks(&l, "paths", half,
	     "1,10.0.0.1,10.0.0.2,u1,7>9,20,5880,6000,6000,6120,0.1,9,1,"
	     "4600,1,,,,,0,\n");
	asks(&l, "hops", "from=+9ms", "");
#define HOP_9 "\"switch 9, port 1, queue 3 (u1)\",17952192000"
	asks(&l, "report/hops", NULL,
	     "p50," HOP_9 "00000000,4000000,5000\n"
	     "p50," HOP_9 "04000000,4000000,5000\n"
	     "p99," HOP_9 "00000000,4000000,5000\n"
	     "p99," HOP_9 "04000000,4000000,5000\n"
	     "most," HOP_9 "00000000,4000000,5100\n"
	     "most," HOP_9 "04000000,4000000,5100\n"
	     "congested," HOP_9 "00000000,4000000,0.25\n"
	     "congested," HOP_9 "04000000,4000000,0.5\n");
	asks(&l, "report/hops", "points=1",
	     "p50," HOP_9 "00000000,8000000,5000\n"
	     "p99," HOP_9 "00000000,8000000,5000\n"
	     "most," HOP_9 "00000000,8000000,5100\n"
	     "congested," HOP_9 "00000000,8000000,0.45\n");
	lab_end(&l);
}

static void rails(void **state)
{
	struct lab l;

	(void)state;
	begin(&l, topology);
	one_link(&l, 1, 1, 0, 3000000); /* h1 > h2 */
	one_link(&l, 2, 2, 1, 1000000); /* h2 > h3 */
	lab_reopen(&l);
	asks(&l, "rails", NULL,
	     "0,0,intra,1,3000000,0.75,0,,0\n"
	     "0,1,inter,1,1000000,0.25,0,,0\n");
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_of_merit),
		cmocka_unit_test(links_of_a_span),
		cmocka_unit_test(what_a_hash_had_in_a_span),
		cmocka_unit_test(part_of_the_links),
		cmocka_unit_test(paths_of_senders),
		cmocka_unit_test(inferred_groups),
		cmocka_unit_test(pieces_are_no_links),
		cmocka_unit_test(no_group_no_row),
		cmocka_unit_test(modes),
		cmocka_unit_test(collision),
		cmocka_unit_test(no_collision_when_links_are_missing),
		cmocka_unit_test(idle_link),
		cmocka_unit_test(uneven_beyond_chance),
		cmocka_unit_test(one_full_link_marks),
		cmocka_unit_test(nothing_to_hash),
		cmocka_unit_test(hops_and_paths),
		cmocka_unit_test(telemetry_of_a_span),
		cmocka_unit_test(rails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
