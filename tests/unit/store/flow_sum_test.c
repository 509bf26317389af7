/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flows added up are what SQLite itself adds them up to. */
#include <stdio.h>

#include "lab.h"
#include "store/judge.h"

/* Of more kinds than are kept in mind, in turns: each comes several times. */
enum { TAPS = 100, ROUNDS = 7 };

static void write_flows(struct lab *l)
{
	lab_one_tap(l);
	for (uint32_t i = 0; i < TAPS * ROUNDS; i++) {
		struct fact_flow f = good_flow(1 + 2 * i, 1, 2, i);

		f.tap = i % TAPS;
		f.transport = i % 5 ? FLOW_RC : FLOW_UD;
		f.visibility = i % 3 ? VISIBLE_BOTH : VISIBLE_FWD;
		f.packets = 1000 + 7 * i;
		f.first_ns = T0 + (i * 7919) % 1000;
		f.last_ns = T0 + 5000 + (i * 104729) % 1000;
		f.capture_missing = i % 4 ? FACT_UNKNOWN : i;
		f.latency_mean_ns = i % 6 ? (int64_t)(10 * i) : FACT_UNKNOWN;
		f.dscp = i % 2 ? (int)(i % 64) : FACT_UNKNOWN;
		f.pcp = i % 9 ? (int)(i % 8) : FACT_UNKNOWN;
		f.latency_min_ns = f.latency_mean_ns / 2;
		f.latency_max_ns = f.latency_mean_ns;
		f.rtt_receiver_ns = i % 7 ? (int64_t)i : FACT_UNKNOWN;
		f.spray_suspect = i % 11 == 0;
		f.bytes = 100 * i;
		f.expected = 3 * i;
		f.lost_upstream = i % 13 ? i % 5 : FACT_UNKNOWN;
		f.lost_downstream_min = i % 17;
		f.lost_downstream_max = 2 * (i % 17);
		f.unresolved = i % 19 ? i % 3 : FACT_UNKNOWN;
		f.retransmitted = i % 23;
		f.reordered = i % 29;
		f.spurious = i % 31;
		f.timeouts = i % 37;
		f.nak_seq = i % 41;
		f.implied_nak = i % 43;
		f.rnr_nak = i % 47;
		f.ect_data = i % 53;
		f.ce_data = i % 59;
		f.not_ect_data = i % 61;
		f.trimmed = i % 67;
		f.icrc_good = i % 2 ? i % 71 : FACT_UNKNOWN;
		f.icrc_bad = i % 2 ? i % 73 : FACT_UNKNOWN;
		lab_pair(l, &f);
	}
}

/* Every column of flow_sum, and what it is in SQL. */
static const struct {
	const char *name, *is;
} columns[] = {
	{ "min(first_id)", "min(id)" },
	{ "sum(flows)", "count(*)" },
	{ "sum(packets)", "sum(packets)" },
	{ "sum(wire)", "sum(bytes + 24 * packets)" },
	{ "sum(goodput)", "sum(goodput_bytes)" },
	{ "sum(expected)", "sum(expected)" },
	{ "sum(checked)",
	  "sum(iif(capture_missing IS NOT NULL, expected, NULL))" },
	{ "sum(capture_missing)", "sum(capture_missing)" },
	{ "sum(lost_min)", "sum(lost_upstream + lost_downstream_min)" },
	{ "sum(lost_max)",
	  "sum(lost_upstream + lost_downstream_max + unresolved)" },
	{ "sum(unresolved)", "sum(unresolved)" },
	{ "sum(retransmitted)", "sum(retransmitted)" },
	{ "sum(reordered)", "sum(reordered)" },
	{ "sum(spurious)", "sum(spurious)" },
	{ "sum(timeouts)", "sum(timeouts)" },
	{ "sum(naks)", "sum(nak_seq + implied_nak)" },
	{ "sum(rnr)", "sum(rnr_nak)" },
	{ "min(first_ns)", "min(first_ns)" },
	{ "max(last_ns)", "max(last_ns)" },
	{ "sum(ect_data)", "sum(ect_data)" },
	{ "sum(ce_data)", "sum(ce_data)" },
	{ "sum(not_ect_data)", "sum(not_ect_data)" },
	{ "min(dscp_min)", "min(dscp)" },
	{ "max(dscp_max)", "max(dscp)" },
	{ "min(pcp_min)", "min(pcp)" },
	{ "max(pcp_max)", "max(pcp)" },
	{ "min(least)", "min(latency_min_ns)" },
	{ "max(most)", "max(latency_max_ns)" },
	{ "sum(latency)", "sum(1.0 * latency_mean_ns * messages_completed)" },
	{ "sum(timed)", "sum(iif(latency_mean_ns IS NOT NULL,"
			" messages_completed, NULL))" },
	{ "min(rtt)", "min(rtt_receiver_ns)" },
	{ "sum(rtts)", "count(rtt_receiver_ns)" },
	{ "sum(trimmed)", "sum(trimmed)" },
	{ "sum(crc_good)", "sum(icrc_good)" },
	{ "sum(crc_bad)", "sum(icrc_bad)" },
};

static void check_sums(const struct lab *l)
{
	static const char sql[] =
		"SELECT count(*) > 200, count(*) FILTER (WHERE n <> 1) FROM"
		" (SELECT count(DISTINCT v) AS n FROM (SELECT tap_id,"
		" transport, visibility, paired, sprayed, numbered, carried,"
		" ifnull(%s, 'NULL') AS v FROM flow_sum GROUP BY 1, 2, 3, 4, 5,"
		" 6, 7 UNION ALL SELECT tap_id, transport, visibility,"
		" pairing IS NOT NULL, spray_suspect, requests > 0 OR"
		" responses > 0, payload_bytes > 0, ifnull(%s, 'NULL')"
		" FROM flow GROUP BY 1, 2, 3, 4, 5, 6, 7)"
		" GROUP BY tap_id, transport, visibility, paired, sprayed,"
		" numbered, carried)";
	char text[4000];

	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		snprintf(text, sizeof text, sql, columns[i].name,
			 columns[i].is);
		lab_rows(l, text, "1|0\n");
	}
}

/* Queue pairs to |to| at two capture points in turns, with |own| ports each. */
static void write_queue_pairs(struct lab *l, uint32_t *id, uint8_t to,
			      uint32_t n, uint32_t own)
{
	for (uint32_t i = 0; i < n; i++, *id += 2) {
		struct fact_flow f = good_flow(*id, 1, to, *id);

		f.tap = i % 2;
		f.udp_sport = 49152 + i / 2 % own;
		lab_pair(l, &f);
	}
}

static void read_back(struct lab *l)
{
	store_free(l->s);
	l->s = NULL;
	assert_int_equal(store_judge(l->path, l->path, 0, &l->err), 0);
}

/* Three flows of two hosts at a capture point say nothing. */
static void ports_are_counted(void **state)
{
	static const char sql[] =
		"SELECT verdict, text FROM audit WHERE what = 'entropy'";
	static const char want[] =
		"ok|Queue pairs of the same hosts have UDP source ports of"
		" their own (12 for 18 flows)\n";
	struct lab l;
	uint32_t id = 1;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	write_queue_pairs(&l, &id, 2, 8, 4);
	write_queue_pairs(&l, &id, 3, 10, 2);
	write_queue_pairs(&l, &id, 4, 6, 1);
	lab_reopen(&l);
	lab_rows(&l, sql, want);
	read_back(&l);
	lab_rows(&l, sql, want);
	lab_end(&l);
}

static void pairs_with_one_port_are_wrong(void **state)
{
	struct lab l;
	uint32_t id = 1;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	write_queue_pairs(&l, &id, 2, 8, 4);
	write_queue_pairs(&l, &id, 3, 8, 1);
	lab_reopen(&l);
	lab_rows(&l,
		 "SELECT verdict, substr(text, 1, 34) FROM audit"
		 " WHERE what = 'entropy'",
		 "wrong|2 pairs of hosts use one UDP sourc\n");
	lab_end(&l);
}

/* While they are written, and read back. */
static void sums_are_those_of_sqlite(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l);
	write_flows(&l);
	lab_reopen(&l);
	check_sums(&l);
	read_back(&l);
	check_sums(&l);
	lab_end(&l);
}

static void rows_are_few(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	for (uint32_t i = 0; i < 500; i++) {
		struct fact_flow f = good_flow(1 + 2 * i, 1, 2, i);

		lab_pair(&l, &f);
	}
	lab_reopen(&l);
	/* of one kind, both directions */
	lab_rows(&l, "SELECT count(*), sum(flows) FROM flow_sum", "1|1000\n");
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_those_of_sqlite),
		cmocka_unit_test(rows_are_few),
		cmocka_unit_test(ports_are_counted),
		cmocka_unit_test(pairs_with_one_port_are_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
