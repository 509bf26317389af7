/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flows added up are what SQLite itself adds them up to. */
#include <stdio.h>

#include "lab.h"

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
		lab_pair(l, &f);
	}
}

static const char *const same[] = {
	"SELECT tap_id, transport, visibility, pairing IS NOT NULL, count(*),"
	" sum(packets), min(first_ns), max(last_ns), min(id)",
	"SELECT tap_id, transport, visibility, paired, sum(flows),"
	" sum(packets), min(first_ns), max(last_ns), min(first_id)",
	"SELECT tap_id, transport, visibility, pairing IS NOT NULL,"
	" sum(capture_missing),"
	" sum(expected) FILTER (WHERE capture_missing IS NOT NULL),"
	" round(sum(1.0 * latency_mean_ns * messages_completed), 3),"
	" min(dscp), max(dscp), max(latency_max_ns), count(rtt_receiver_ns)",
	"SELECT tap_id, transport, visibility, paired, sum(capture_missing),"
	" sum(checked), round(sum(latency), 3), min(dscp_min), max(dscp_max),"
	" max(most), sum(rtts)",
};

static void sums_are_those_of_sqlite(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l);
	write_flows(&l);
	lab_reopen(&l);
	for (size_t i = 0; i < sizeof same / sizeof same[0]; i += 2) {
		static const char sql[] =
			"SELECT (SELECT count(*) FROM (%s FROM flow"
			" GROUP BY 1, 2, 3, 4)) > 200, (SELECT count(*) FROM"
			" (%s FROM flow GROUP BY 1, 2, 3, 4 EXCEPT"
			" %s FROM flow_sum GROUP BY 1, 2, 3, 4))";
		char text[4000];

		snprintf(text, sizeof text, sql, same[i], same[i], same[i + 1]);
		lab_rows(&l, text, "1|0\n");
	}
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
