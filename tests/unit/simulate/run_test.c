/* SPDX-License-Identifier: GPL-2.0-or-later
 * Whole runs: repeatable to the byte, nothing lost from the books, and what
 * the scenarios promise really happens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "simulate/mem.h"
#include "simulate/simulate.h"

static const char *folder(const char *name, const char *otherwise)
{
	const char *v = getenv(name);

	return v ? v : otherwise;
}

static char *slurp(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *all;
	long size;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	all = mem_new((size_t)size + 1);
	*n = fread(all, 1, (size_t)size, f);
	fclose(f);
	unlink(path);
	return all;
}

struct made {
	char *capture, *truth;
	size_t capture_n, truth_n;
	struct simulate_result result;
};

static struct made make(const char *scenario, uint64_t seed)
{
	char in[512], out[512], truth[512];
	struct simulate_job job = {
		.scenario = in, .out = out, .truth = truth, .seed = seed
	};
	struct err err = { 0 };
	struct made m;

	snprintf(in, sizeof in, "%s/%s.fab",
		 folder("SCENARIOS", "captures/scenarios"), scenario);
	snprintf(out, sizeof out, "%s/run_test.%s.pcapng",
		 folder("FOLDER", "."), scenario);
	snprintf(truth, sizeof truth, "%s/run_test.%s.json",
		 folder("FOLDER", "."), scenario);
	if (simulate_run(&job, &m.result, &err))
		fail_msg("%s", err.text);
	m.capture = slurp(out, &m.capture_n);
	m.truth = slurp(truth, &m.truth_n);
	return m;
}

static void drop(struct made *m)
{
	free(m->capture);
	free(m->truth);
}

static void repeats(const char *scenario)
{
	struct made a = make(scenario, 7);
	struct made b = make(scenario, 7);
	struct made c = make(scenario, 8);

	assert_int_equal(a.capture_n, b.capture_n);
	assert_memory_equal(a.capture, b.capture, a.capture_n);
	assert_int_equal(a.truth_n, b.truth_n);
	assert_memory_equal(a.truth, b.truth, a.truth_n);
	assert_false(a.capture_n == c.capture_n &&
		     !memcmp(a.capture, c.capture, a.capture_n));
	drop(&a);
	drop(&b);
	drop(&c);
}

static void repeatable_to_the_byte(void **state)
{
	static const char *const some[] = {
		"loss_before_tap", "late_cnps", "uec_cbfc",
		"uet_loss_both",   "uet_rccc",  "spray_tolerant",
		"uet_meet_loss",
	};

	(void)state;
	for (size_t i = 0; i < sizeof some / sizeof *some; i++)
		repeats(some[i]);
}

static void nothing_leaves_the_books(void **state)
{
	static const char *const all[] = {
		"loss_before_tap",
		"read_loss_after",
		"storm_watchdog",
		"incast_lossy",
		"link_flap",
		"deadlock",
		"corruption",
		"black_hole",
		"ring",
		"uc",
		"qp_reuse",
		"uec_cbfc",
		"global_pause",
		"uet_trim_incast",
		"uet_close_reuse",
		"uet_black_hole",
		"uet_rudi",
		"uet_meet_loss",
		"uet_clear_loss",
		"uet_probe_loss",
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct made m = make(all[i], 3);

		assert_int_equal(m.result.unbalanced, 0);
		assert_true(m.result.packets > 100);
		drop(&m);
	}
}

static int has(const struct made *m, const char *text)
{
	return strstr(m->truth, text) != NULL;
}

static void scenarios_keep_their_promise(void **state)
{
	static const struct {
		const char *scenario, *has, *not ;
	} cases[] = {
		{ "clean", "\"flows\":", "\"cause\":" },
		{ "capture_loss", "\"missed\":", "\"kind\":\"drop\"" },
		{ "rnr", "\"cause\":\"rnr\"", "\"cause\":\"loss\"" },
		{ "ack_loss", "\"cause\":\"ack_loss\"", "\"cause\":\"loss\"" },
		{ "reorder_strict", "\"cause\":\"reorder\"",
		  "\"cause\":\"loss\"" },
		{ "reorder_tolerant", "\"reordered\":", "\"cause\":" },
		{ "corruption", "\"cause\":\"corruption\"",
		  "\"cause\":\"loss\"" },
		{ "tail_loss", "\"trigger\":\"timeout\"",
		  "\"trigger\":\"nak\"" },
		{ "read_loss_after", "\"trigger\":\"implied\"",
		  "\"trigger\":\"nak\"" },
		{ "black_hole", "\"kind\":\"qp_error\"", "\"nothing\"" },
		{ "fatal_nak", "\"kind\":\"nak_fatal\"", "\"kind\":\"drop\"" },
		{ "incast_dcqcn", "\"kind\":\"cnp\"", "\"kind\":\"drop\"" },
		{ "incast_pfc", "\"xoff\":", "\"kind\":\"drop\"" },
		{ "storm", "\"storm\":1", "\"kind\":\"drop\"" },
		{ "storm_watchdog", "\"reason\":\"watchdog\"", "\"nothing\"" },
		{ "deadlock", "\"to_ns\":null,\"xoff\":", "\"nothing\"" },
		{ "deadlock", "\"kind\":\"deadlock\"", "\"nothing\"" },
		{ "cnp_idle", "\"idle\":1", "\"ce\":" },
		{ "cnp_ignored", "\"reaction\":\"ignored\"", "\"nothing\"" },
		{ "pfc_before_ecn", "\"why\":\"congestion\"", "\"marked\"" },
		{ "uec_cbfc", "\"credit\":1", "\"nothing\"" },
		{ "global_pause", "\"global\":1", "\"nothing\"" },
		{ "uet_rud_timeout", "\"trigger\":\"timeout\"",
		  "\"trigger\":\"sack\"" },
		{ "uet_rud_sack", "\"trigger\":\"sack\"",
		  "\"trigger\":\"timeout\"" },
		{ "uet_rod_loss", "\"nacks\":{\"13\":", "\"nothing\"" },
		{ "uet_trim_incast", "\"cause\":\"trim\"",
		  "\"cause\":\"loss\"" },
		{ "uet_rccc", "\"credit_bytes\":", "\"kind\":\"drop\"" },
		{ "uet_no_pdc", "\"cause\":\"busy\"", "\"kind\":\"drop\"" },
		{ "uet_close_reuse", "\"kind\":\"pdc_close\"",
		  "\"kind\":\"qp_error\"" },
		{ "uet_black_hole", "\"kind\":\"qp_error\"", "\"nothing\"" },
		{ "uet_atomics", "\"kind\":\"release\"",
		  "\"kind\":\"timeout\"" },
		{ "uet_rendezvous", "\"rest_of\":", "\"kind\":\"drop\"" },
		{ "uet_deferrable", "\"kind\":\"restart\"",
		  "\"kind\":\"timeout\"" },
		{ "uet_guaranteed", "\"negotiations\":1", "\"cause\":" },
		{ "uet_probe", "\"kind\":\"probed\"", "\"cause\":" },
		{ "uet_probe_loss", "\"trigger\":\"sack\"",
		  "\"trigger\":\"timeout\"" },
		{ "uet_response_loss", "\"kind\":\"ack_req\"",
		  "\"cause\":\"loss\"" },
		{ "uet_clear_loss", "\"kind\":\"clear_req\"", "\"cause\":" },
		{ "uet_no_gtd", "\"cause\":\"busy\"", "\"kind\":\"drop\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct made m = make(cases[i].scenario, 2);

		if (!has(&m, cases[i].has))
			fail_msg("%s has no %s", cases[i].scenario,
				 cases[i].has);
		if (has(&m, cases[i].not ))
			fail_msg("%s has %s", cases[i].scenario, cases[i].not );
		drop(&m);
	}
}

/* With --each-tap every interface is a file, and all of it is in them. */
static void a_file_for_each_tap(void **state)
{
	static const char *const names[] = { "t1", "t2", "t3", "t3.back" };
	struct made one = make("clock_drift", 5);
	char in[512], out[512], file[512];
	struct simulate_job job = {
		.scenario = in, .out = out, .each = true, .seed = 5
	};
	struct simulate_result r;
	struct err err = { 0 };
	size_t n, all = 0;

	(void)state;
	snprintf(in, sizeof in, "%s/clock_drift.fab",
		 folder("SCENARIOS", "captures/scenarios"));
	snprintf(out, sizeof out, "%s/run_test.each.pcapng",
		 folder("FOLDER", "."));
	assert_int_equal(simulate_run(&job, &r, &err), 0);
	assert_int_equal(r.captured, one.result.captured);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(file, sizeof file, "%s/run_test.each.%s.pcapng",
			 folder("FOLDER", "."), names[i]);
		free(slurp(file, &n));
		all += n;
	}
	/* the same packets, and a head for each file */
	assert_true(all > one.capture_n && all < one.capture_n + 2000);
	snprintf(file, sizeof file, "%s/run_test.each.truth.json",
		 folder("FOLDER", "."));
	unlink(file);
	drop(&one);
}

static void bench_writes_what_was_asked(void **state)
{
	char out[512];
	struct bench_job job = { .out = out,
				 .packets = 10000,
				 .pairs = 100,
				 .per_host = 4,
				 .snaplen = 128,
				 .taps = 1,
				 .seed = 1,
				 .loss = 0.001 };
	struct err err = { 0 };
	size_t n, packets = 0, at = 24;
	char *all;

	(void)state;
	snprintf(out, sizeof out, "%s/run_test.bench.pcap",
		 folder("FOLDER", "."));
	assert_int_equal(bench_run(&job, &err), 0);
	all = slurp(out, &n);
	while (at + 16 <= n) {
		uint32_t caplen;

		memcpy(&caplen, all + at + 8, 4);
		at += 16 + caplen;
		packets++;
	}
	assert_int_equal(at, n);
	assert_int_equal(packets, 10000);
	free(all);
	job.out = "/nowhere/x.pcap";
	assert_int_equal(bench_run(&job, &err), -1);
	assert_string_equal(err.text,
			    "/nowhere/x.pcap: cannot create a file in its "
			    "folder: No such file or directory");
}

/* What a benchmark's capture has, counted by the bytes' places. */
struct seen {
	size_t packets, data, marked, cnps, naks, pauses, opcode[256];
	size_t behind;        /* data packets whose PSN their flow has passed */
	uint32_t highest[64]; /* 0: none yet; by QP */
};

static void count_frame(struct seen *n, const uint8_t *f)
{
	const uint8_t *bth = f + 42;
	uint32_t qp = (uint32_t)(bth[5] << 16 | bth[6] << 8 | bth[7]);
	uint32_t psn = (uint32_t)(bth[9] << 16 | bth[10] << 8 | bth[11]);
	uint32_t *highest = &n->highest[(qp >> 1) % 64];

	n->packets++;
	if (f[12] == 0x88 && f[13] == 0x08) {
		n->pauses++;
		return;
	}
	n->opcode[bth[0]]++;
	n->marked += (f[15] & 3) == 3;
	n->cnps += bth[0] == 0x81;
	n->naks += bth[0] == 0x11 && bth[12] == 0x60;
	if (bth[0] > 0x0b)
		return;
	n->data++;
	n->behind += *highest && ((psn - *highest) & 0xffffff) >= 0x800000;
	*highest = 1u << 24 | psn;
}

static void count_frames(struct bench_job *job, struct seen *n)
{
	struct err err = { 0 };
	size_t bytes, at = 24;
	char *all;

	*n = (struct seen) { 0 };
	assert_int_equal(bench_run(job, &err), 0);
	all = slurp(job->out, &bytes);
	while (at + 16 <= bytes) {
		uint32_t caplen;

		memcpy(&caplen, all + at + 8, 4);
		count_frame(n, (const uint8_t *)all + at + 16);
		at += 16 + caplen;
	}
	free(all);
}

/* Shares are those that were asked for, and each has its answers. */
static void bench_has_what_real_traffic_has(void **state)
{
	char out[512];
	struct bench_job job = { .out = out,
				 .packets = 200000,
				 .pairs = 16,
				 .per_host = 4,
				 .snaplen = 128,
				 .taps = 1,
				 .seed = 3 };
	struct seen clean, n;

	(void)state;
	snprintf(out, sizeof out, "%s/run_test.mix.pcap",
		 folder("FOLDER", "."));
	count_frames(&job, &clean);
	assert_int_equal(clean.packets, 200000);
	assert_int_equal(clean.marked + clean.cnps + clean.naks + clean.pauses,
			 0);
	assert_int_equal(clean.behind, 0);
	assert_true(clean.opcode[0x04] > 250);   /* SEND only */
	assert_true(clean.opcode[0x0b] > 100);   /* WRITE only with immediate */
	assert_true(clean.opcode[0x07] > 50000); /* WRITE middle */
	assert_true(clean.opcode[0x0c] > 100);   /* READ request ... */
	assert_true(clean.opcode[0x0f] + clean.opcode[0x10] <=
		    clean.opcode[0x0c]); /* ... and its last response */
	assert_true(clean.opcode[0x11] * 16 > clean.data);
	job.mark = 0.05;
	job.loss = 0.002;
	job.reorder = 0.001;
	job.pause = 0.0001;
	count_frames(&job, &n);
	assert_in_range(n.marked, n.data * 4 / 100, n.data * 6 / 100);
	assert_in_range(n.cnps, n.marked / 10, n.marked);
	assert_in_range(n.naks, n.data / 1500, n.data / 400);
	assert_in_range(n.pauses, 10, n.data / 2000);
	assert_in_range(n.behind, n.naks, 3 * n.data / 400);
	unlink(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repeatable_to_the_byte),
		cmocka_unit_test(nothing_leaves_the_books),
		cmocka_unit_test(scenarios_keep_their_promise),
		cmocka_unit_test(a_file_for_each_tap),
		cmocka_unit_test(bench_writes_what_was_asked),
		cmocka_unit_test(bench_has_what_real_traffic_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
