/* SPDX-License-Identifier: GPL-2.0-or-later
 * Storms written by hand, and where an engineer would say they came from. */
#include "decode/packet.h"
#include "said.h"

enum { STEP = 20000 };

/* Port |mac| of tap |tap| pauses priority 3 from |first| on, for 120 ms. */
static void silence(struct lab *l, uint32_t tap, uint64_t mac,
		    enum port_role role, int64_t first, bool standing)
{
	const int64_t length = 120 * MS;
	const struct fact_pauser p = { .tap = tap,
				       .mac = mac,
				       .priority = 3,
				       .link_bps = 100000000000,
				       .first_ns = T0 + first,
				       .last_ns = T0 + first + length,
				       .pauses = 1,
				       .xoff = 700,
				       .quanta_max = 65535,
				       .paused_ns = length,
				       .longest_ns = length,
				       .role = role,
				       .has_host = role == PORT_HOST,
				       .host = host((uint8_t)mac) };

	l->sink.pauser(l->sink.ctx, &p);
	l->sink.storm(l->sink.ctx,
		      &(struct fact_storm) { .tap = tap,
					     .mac = mac,
					     .priority = 3,
					     .level = STORM_STORM,
					     .first_ns = T0 + first,
					     .last_ns = T0 + first + length,
					     .paused_ns = length,
					     .longest_ns = length,
					     .xoff = 700,
					     .frame = 1,
					     .frozen = true,
					     .standing = standing });
}

/* |f| crosses the link to |mac| at |tap|, and stands still there. */
static void cross(struct lab *l, struct fact_flow f, uint32_t tap, uint64_t mac,
		  uint8_t ttl, bool stands)
{
	static uint32_t next_id;

	if (f.id)
		next_id = 0;
	f.id = ++next_id;
	f.tap = tap;
	f.visibility = VISIBLE_BOTH;
	l->sink.flow(l->sink.ctx, &f);
	l->sink.paused_flow(l->sink.ctx,
			    &(struct fact_paused_flow) { .flow = f.id,
							 .tap = tap,
							 .mac = mac,
							 .priority = 3,
							 .ttl = ttl,
							 .governed = true,
							 .stalls = stands });
	if (stands)
		l->sink.stall(l->sink.ctx,
			      &(struct fact_stall) { .flow = f.id,
						     .tap = tap,
						     .mac = mac,
						     .priority = 3,
						     .first_ns = T0 + MS,
						     .last_ns = T0 + 100 * MS,
						     .paused_ns = 99 * MS,
						     .frame = 9 });
}

static void begin(struct lab *l, int taps)
{
	struct capture_tap t = good_tap();

	lab_begin(l);
	lab_one_tap(l);
	for (int i = 1; i < taps; i++) {
		struct fact_tap f = good_fact_tap((uint32_t)i);

		f.place = i;
		store_tap(l->s, (size_t)i, &t);
		l->sink.tap(l->sink.ctx, &f);
	}
}

/* Host 4 pauses its link, its switch the one before, and so on: one flow
 * goes to it, another shares the links and does not. */
static void storm_with_a_victim(void **state)
{
	struct fact_flow to = good_flow(1, 1, 4, 0x11);
	struct fact_flow by = good_flow(0, 2, 5, 0x22);
	struct lab l;

	(void)state;
	begin(&l, 3);
	silence(&l, 0, 4, PORT_HOST, 0, false);
	silence(&l, 1, 0xb1, PORT_SWITCH, STEP, false);
	silence(&l, 2, 0xc1, PORT_SWITCH, 2 * STEP, false);
	cross(&l, to, 2, 0xc1, 64, true);
	to.id = 0;
	cross(&l, to, 1, 0xb1, 63, true);
	cross(&l, to, 0, 4, 62, true);
	cross(&l, by, 2, 0xc1, 64, true);
	cross(&l, by, 1, 0xb1, 63, true);
	lab_reopen(&l);
	lab_rows(
		&l,
		"SELECT id, level, root, root_id, depth FROM storm ORDER BY id",
		"1|storm|host 10.0.0.4|1|2\n"
		"2|storm|host 10.0.0.4|1|1\n"
		"3|storm|host 10.0.0.4|1|0\n");
	lab_rows(&l,
		 "SELECT cause_id, effect_id, flows, delay_ns FROM storm_edge",
		 "1|2|1|20000\n"
		 "1|3|1|40000\n"
		 "2|3|2|20000\n");
	lab_rows(&l,
		 "SELECT f.src, h.part, h.storm_id FROM stalled_flow h"
		 " JOIN flow f ON f.id = h.flow_id ORDER BY 1",
		 "10.0.0.1|contributor|1\n"
		 "10.0.0.2|victim|1\n");
	expect(&l, "critical",
	       "critical Pause storm: host 10.0.0.4 pauses priority 3 of its "
	       "link for 120 ms\n");
	expect(&l, "warning",
	       "warning Head-of-line blocking: 1 flow to another host stalled "
	       "by pauses from host 10.0.0.4: 10.0.0.2 > 10.0.0.5\n");
	expect_in(&l, 1, "detail", "more than 100 ms");
	lab_end(&l);
}

/* One tap shows one link: no root, no victim. */
static void one_tap_knows_no_root(void **state)
{
	struct fact_flow f = good_flow(1, 1, 4, 0x11);
	struct lab l;

	(void)state;
	begin(&l, 1);
	silence(&l, 0, 0xb1, PORT_SWITCH, 0, false);
	cross(&l, f, 0, 0xb1, 64, true);
	lab_reopen(&l);
	lab_rows(&l, "SELECT root, root_id, depth FROM storm", "-|1|0\n");
	lab_rows(&l, "SELECT part FROM stalled_flow", "possible\n");
	expect_in(&l, 1, "detail", "Local pause only: the root cannot be");
	expect(&l, "warning", "");
	lab_end(&l);
}

/* Three ports of |role|, each pauses the one before it. */
static void ring(struct lab *l, int taps, enum port_role role)
{
	struct fact_flow f[3] = { good_flow(1, 1, 6, 0x11),
				  good_flow(0, 2, 4, 0x22),
				  good_flow(0, 3, 5, 0x33) };

	begin(l, taps);
	for (int i = 0; i < taps; i++)
		silence(l, (uint32_t)i, 0xb0 + (uint64_t)i, role, i * STEP,
			true);
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t next = (i + 1) % 3;

		if (i < (uint32_t)taps)
			cross(l, f[i], i, 0xb0 + i, 63, true);
		f[i].id = 0;
		if (next < (uint32_t)taps)
			cross(l, f[i], next, 0xb0 + next, 62, true);
	}
	lab_reopen(l);
}

static void circle_is_a_deadlock(void **state)
{
	struct lab l;

	(void)state;
	/* Who they are need not be known: only a switch forwards. */
	ring(&l, 3, PORT_UNKNOWN);
	lab_rows(&l, "SELECT level, root, root_id FROM storm ORDER BY id",
		 "deadlock|-|1\ndeadlock|-|1\ndeadlock|-|1\n");
	lab_rows(&l, "SELECT role, deadlock FROM pause_sender",
		 "switch|1\nswitch|1\nswitch|1\n");
	expect(&l, "critical",
	       "critical PFC deadlock: 3 links pause each other in a cycle\n");
	lab_end(&l);
}

/* A host at one of its links forwards nothing: it is no circle, and what the
 * host stalls is not the network's. */
static void host_in_a_circle_is_none(void **state)
{
	struct lab l;

	(void)state;
	ring(&l, 3, PORT_HOST);
	lab_rows(&l, "SELECT count(*) FROM storm WHERE level = 'deadlock'",
		 "0\n");
	lab_rows(&l, "SELECT DISTINCT role, deadlock FROM pause_sender",
		 "host|0\n");
	lab_end(&l);
}

/* With a link of it unseen, it is suspected at most. */
static void half_a_circle_is_a_suspect(void **state)
{
	struct lab l;

	(void)state;
	ring(&l, 2, PORT_SWITCH);
	lab_rows(&l, "SELECT level, root_id FROM storm ORDER BY id",
		 "storm|2\ndeadlock-suspect|2\n");
	lab_rows(&l, "SELECT sum(deadlock) FROM pause_sender", "0\n");
	expect(&l, "critical", "");
	expect_in(&l, 1, "title", "PFC deadlock suspected: switch port");
	lab_end(&l);
}

/* mistake 10 of reference 12 */
static void none_seen_is_not_zero(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	begin(&l, 1);
	lab_pair(&l, &f);
	lab_reopen(&l);
	lab_rows(&l,
		 "SELECT verdict, why LIKE '%does not mean none on the "
		 "wire' FROM observability WHERE what = 'pfc'",
		 "no|1\n");
	lab_rows(&l,
		 "SELECT count(*) FROM finding WHERE title LIKE '%silence%'",
		 "0\n");
	lab_end(&l);
}

/* The port that pauses priority 3 advertises PFC for 4 only, as seen at its own
 * link; the other end has both. */
static void pauses_against_the_configuration(void **state)
{
	struct fact_flow f = good_flow(1, 1, 4, 0x11);
	struct lab l;

	(void)state;
	begin(&l, 1);
	for (uint64_t mac = 4; mac <= 5; mac++)
		l.sink.lldp(l.sink.ctx,
			    &(struct fact_lldp) {
				    .mac = mac,
				    .first_ns = T0,
				    .last_ns = T0,
				    .frames = 1,
				    .frame = mac,
				    .pfc_enabled = mac == 4 ? 0x10 : 0x18 });
	silence(&l, 0, 4, PORT_HOST, 0, false);
	cross(&l, f, 0, 4, 64, true);
	lab_reopen(&l);
	expect(&l, "warning",
	       "warning Host 10.0.0.4 pauses priority 3, which it advertises "
	       "without PFC\n"
	       "warning PFC differs between the ends of a link, and neither is "
	       "willing to change: 00:00:00:00:00:04 and 00:00:00:00:00:05\n");
	lab_end(&l);
}

/* What is paused is what is configured. */
static void pauses_as_configured(void **state)
{
	struct fact_flow f = good_flow(1, 1, 4, 0x11);
	struct lab l;

	(void)state;
	begin(&l, 1);
	for (uint64_t mac = 4; mac <= 5; mac++)
		l.sink.lldp(l.sink.ctx,
			    &(struct fact_lldp) { .mac = mac,
						  .first_ns = T0,
						  .last_ns = T0,
						  .frames = 1,
						  .pfc_enabled = 0x08 });
	silence(&l, 0, 4, PORT_HOST, 0, false);
	cross(&l, f, 0, 4, 64, true);
	lab_reopen(&l);
	expect(&l, "warning", "");
	lab_end(&l);
}

/* Paused for 4 of 10 ms; of 100 packets 40 come meanwhile if nobody obeys. */
static void passed(uint64_t n, uint64_t xoff, const char *ignored,
		   const char *want)
{
	struct lab l;

	begin(&l, 1);
	l.sink.pauser(l.sink.ctx,
		      &(struct fact_pauser) { .tap = 0,
					      .mac = 4,
					      .priority = 3,
					      .link_bps = 100000000000,
					      .first_ns = T0,
					      .last_ns = T0 + 10 * MS,
					      .pauses = 8,
					      .xoff = xoff,
					      .paused_ns = 4 * MS,
					      .longest_ns = MS,
					      .role = PORT_HOST,
					      .has_host = true,
					      .host = host(4),
					      .seen = 100,
					      .passed = n });
	lab_reopen(&l);
	lab_rows(&l, "SELECT ignored FROM pause_sender", ignored);
	found(&l, "pauses-ignored", want);
	lab_end(&l);
}

/* At least half of these, and more than one for each XOFF. */
static void pauses_nobody_obeys(void **state)
{
	(void)state;
	passed(0, 10, "0\n", "");
	passed(20, 10, "0\n", "");
	passed(21, 10, "1\n",
	       "21 packets of priority 3 arrived while host 10.0.0.4 had "
	       "paused it\n");
	passed(21, 21, "0\n", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(storm_with_a_victim),
		cmocka_unit_test(one_tap_knows_no_root),
		cmocka_unit_test(circle_is_a_deadlock),
		cmocka_unit_test(host_in_a_circle_is_none),
		cmocka_unit_test(half_a_circle_is_a_suspect),
		cmocka_unit_test(none_seen_is_not_zero),
		cmocka_unit_test(pauses_against_the_configuration),
		cmocka_unit_test(pauses_as_configured),
		cmocka_unit_test(pauses_nobody_obeys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
