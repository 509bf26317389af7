/* SPDX-License-Identifier: GPL-2.0-or-later
 * What readers take of jobs and of drops as tools print them.  The texts are
 * written by hand after the sources that each reader names. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evidence/evidence.h"

#define S(n) (INT64_C(1000000000) * (n))

static struct evidence *e;

static int begin(void **state)
{
	(void)state;
	e = evidence_new();
	return e ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	evidence_free(e);
	return 0;
}

static void reads(const char *text, uint64_t n, const char *kind)
{
	char *copy = strdup(text);

	assert_non_null(copy);
	assert_int_equal(
		evidence_read_text(e, "h1.log", NULL, copy, strlen(copy)), n);
	free(copy);
	if (n)
		assert_string_equal(e->sources[0].kind, kind);
}

static void megatron(void **state)
{
	(void)state;
	reads("training ...\n"
	      " [2025-04-13 23:41:12] iteration       10/    1000 | consumed "
	      "samples:          160 | elapsed time per iteration (ms): 1125.0 "
	      "| learning rate: 0.000000E+00 | global batch size:    16 | lm "
	      "loss: 7.399415E+00 | loss scale: 8388608.0 |\n"
	      " iteration       20/    1000 | elapsed time per iteration (ms): "
	      "430.0 | lm loss: 6.5E+00 |\n",
	      2, "steps");
	assert_int_equal(e->notes[0].number, 10);
	assert_int_equal(e->notes[0].line, 2);
	assert_int_equal(e->notes[0].last_ns, S(1744587672));
	assert_int_equal(e->notes[0].length_ns, 1125000000);
	assert_true(fabs(e->notes[0].loss - 7.399415) < 1e-9);
	assert_true(isnan(e->notes[0].rate));
	assert_int_equal(e->notes[1].number, 20);
	assert_int_equal(e->notes[1].last_ns, EVIDENCE_UNKNOWN);
}

static void torchtitan(void **state)
{
	(void)state;
	reads("[titan] 2025-04-13 23:41:12,037 - root - INFO - step: 10  "
	      "loss:  7.2500  memory: 33.2GiB(41.9%)  tps: 1,234  mfu: 40%\n",
	      1, "steps");
	assert_int_equal(e->notes[0].number, 10);
	assert_int_equal(e->notes[0].last_ns, S(1744587672) + 37000000);
	assert_true(e->notes[0].loss == 7.25 && e->notes[0].rate == 1234);
	assert_int_equal(e->notes[0].length_ns, EVIDENCE_UNKNOWN);
}

/* pytorch/torchtitan, pull request 3393: torchrun's label, two blanks. */
static void labeled(void **state)
{
	(void)state;
	reads("[rank0]:[titan] 2026-05-18 16:04:46,338 - root - INFO - step: "
	      "14  loss:  3.24405  grad_norm:  0.8319  memory:  "
	      "9.46GiB(64.99%)  tps: 7,282  tflops: 0.52  mfu: 0.17%\n"
	      "12: [2026-05-18 16:04:47.25] iteration 15/ 99 | elapsed time "
	      "per iteration (ms): 430.0 | lm loss: 6.5E+00 |\n",
	      2, "steps");
	assert_int_equal(e->notes[0].number, 14);
	assert_int_equal(e->notes[0].last_ns, S(1779120286) + 338000000);
	assert_true(e->notes[0].loss == 3.24405 && e->notes[0].rate == 7282);
	assert_int_equal(e->notes[1].number, 15);
	assert_int_equal(e->notes[1].last_ns, S(1779120287) + 250000000);
}

static void table(void **state)
{
	(void)state;
	reads("step,timestamp,step_time,tokens/s,loss\n"
	      "7,1744587672.5,0.25,1000.5,2.5\n"
	      "8,2025-04-13T23:41:13Z,0.5,,\n",
	      2, "steps");
	assert_int_equal(e->notes[0].last_ns, S(1744587672) + 500000000);
	assert_int_equal(e->notes[0].length_ns, 250000000);
	assert_true(e->notes[0].rate == 1000.5 && e->notes[0].loss == 2.5);
	assert_int_equal(e->notes[1].last_ns, S(1744587673));
	assert_true(isnan(e->notes[1].rate));
}

/* A log has errors and steps. */
static void steps_among_errors(void **state)
{
	(void)state;
	reads(" iteration 20/ 99 | elapsed time per iteration (ms): 430.0 |\n"
	      "a:1:2 [0] NCCL WARN NET/IB : Got completion from peer "
	      "10.0.0.9<5> with status=12 opcode=1 len=0 vendor err 129 "
	      "(Send)\n",
	      2, "steps");
	assert_int_equal(e->n_notes, 1);
	assert_int_equal(e->n_errors, 1);
	assert_int_equal(e->errors[0].line, 2);
}

static void slurm(void **state)
{
	(void)state;
	reads("JobID|JobName|State|ExitCode|Start|End|NodeList\n"
	      "4711|train|FAILED|1:0|2025-04-13T23:40:00|"
	      "2025-04-13T23:59:02|n[1-2]\n"
	      "4711.batch|batch|FAILED|1:0|2025-04-13T23:40:00|"
	      "2025-04-13T23:59:02|n1\n"
	      "4712|next|RUNNING|0:0|2025-04-14T00:00:00|Unknown|n1\n",
	      2, "slurm");
	assert_int_equal(e->notes[0].number, 4711);
	assert_string_equal(e->notes[0].name, "train");
	assert_string_equal(e->notes[0].state, "FAILED");
	assert_int_equal(e->notes[0].first_ns, S(1744587600));
	assert_int_equal(e->notes[0].last_ns, S(1744588742));
	assert_int_equal(e->notes[1].last_ns, EVIDENCE_UNKNOWN);
}

static void ras(void **state)
{
	(void)state;
	reads("{\"nccl_version\": \"2.28.3\", \"timestamp\": "
	      "\"2025-04-13 23:41:12\", \"communicators_count\": 1, "
	      "\"communicators\": [{\"hash\": \"0x1\", \"size\": 3, \"ranks\": "
	      "[{\"rank\": 0, \"host\": \"10.0.0.1\", \"status\": "
	      "{\"init_state\": 0, \"async_error\": 0, \"abort_flag\": false},"
	      " \"collective_counts\": {\"AllReduce\": 7, \"Broadcast\": 2}}, "
	      "{\"rank\": 1, \"host\": \"10.0.0.2\", \"status\": "
	      "{\"async_error\": 6}, \"collective_counts\": {}}], "
	      "\"missing_ranks\": [{\"rank\": 2, \"host\": \"10.0.0.3\", "
	      "\"status\": {\"unresponsive\": true, \"considered_dead\": "
	      "true}}]}], \"ras\": {\"timeouts_count\": 1}}",
	      3, "nccl-ras");
	assert_int_equal(e->notes[0].count, 9);
	assert_string_equal(e->notes[0].state, "running");
	assert_string_equal(e->notes[0].name, "10.0.0.1");
	assert_int_equal(e->notes[0].last_ns, S(1744587672));
	assert_string_equal(e->notes[1].state, "error 6: remote process error");
	assert_string_equal(e->notes[2].state, "dead");
	assert_int_equal(e->notes[2].number, 2);
}

/* NCCL, src/ras/client_support.cc: its own stamp has no zone, a communicator
 * that does not block is in progress (7) while it works, and who is gone has no
 * address. */
static void ras_states(void **state)
{
	(void)state;
	reads("# time=1744587672\n"
	      "{\"nccl_version\": \"2.28.9\", \"timestamp\": "
	      "\"2025-04-14 01:41:11\", \"communicators\": [{\"ranks\": "
	      "[{\"rank\": 0, \"host\": \"10.0.0.1\", \"status\": "
	      "{\"init_state\": 0, \"async_error\": 7, \"abort_flag\": false},"
	      " \"collective_counts\": {\"AllReduce\": 7}}, {\"rank\": 1, "
	      "\"host\": \"10.0.0.2\", \"status\": {\"init_state\": 2, "
	      "\"async_error\": 0}, \"collective_counts\": {}}], "
	      "\"missing_ranks\": [{\"rank\": 2, \"host\": \"unknown\", "
	      "\"pid\": -1, \"status\": {\"unresponsive\": true, "
	      "\"considered_dead\": false}}]}]}",
	      3, "nccl-ras");
	assert_int_equal(e->notes[0].last_ns, S(1744587672));
	assert_string_equal(e->notes[0].state, "running");
	assert_string_equal(e->notes[1].state, "error 2: system error");
	assert_string_equal(e->notes[2].state, "unresponsive");
	assert_string_equal(e->notes[2].name, "");
}

#define QP_EVENT(ph, qp, size)                                          \
	"{\"name\": \"Qp\", \"cat\": \"NET_IB\", \"ph\": \"" ph         \
	"\", \"id\": 0, \"pid\": 7, \"tid\": 1, \"ts\": 9.5, "          \
	"\"args\": {\"device\": 0, \"qp_num\": " qp ", \"opcode\": 0, " \
	"\"wr_id\": 1, \"size\": " size "}},\n"

/* A job that is killed leaves a trace without its end. */
static void profiler_cut(void **state)
{
	(void)state;
	reads("[\n" QP_EVENT("b", "77", "4096") QP_EVENT("b", "77", "4096")
		      QP_EVENT("b", "78", "0") "{\"name\": \"Qp\", \"ca",
	      2, "nccl-profiler");
	assert_int_equal(e->n_notes, 2);
	assert_int_equal(e->notes[0].qpn, 77);
	assert_int_equal(e->notes[0].count, 2);
	assert_int_equal(e->notes[0].bytes, 8192);
	assert_int_equal(e->notes[1].bytes, 0);
	assert_int_equal(e->skipped, 1);
}

/* A list is taken for cut once: not at each of those in it. */
static void lists_in_lists(void **state)
{
	enum { DEEP = 200000 };
	static const char one[] = "[{},";
	char *text = malloc(DEEP * (sizeof one - 1) + 1), *at = text;

	(void)state;
	assert_non_null(text);
	for (int i = 0; i < DEEP; i++)
		at = stpcpy(at, one);
	assert_int_equal(evidence_read_text(e, "h1.json", NULL, text,
					    (size_t)(at - text)),
			 0);
	free(text);
}

static void profiler(void **state)
{
	(void)state;
	reads("[\n{\"name\": \"Group\", \"cat\": \"GROUP\", \"ph\": \"b\", "
	      "\"id\": 0, \"ts\": 1.5, \"args\": {\"groupId\": 0}},\n"
	      "{\"name\": \"Qp\", \"cat\": \"NET_IB\", \"ph\": \"b\", \"id\": "
	      "0, \"pid\": 1, \"tid\": 1, \"ts\": 10.5, \"args\": "
	      "{\"device\": 0, \"qp_num\": 291, \"opcode\": 0, \"wr_id\": 5, "
	      "\"size\": 4096}},\n"
	      "{\"name\": \"Qp\", \"cat\": \"NET_IB\", \"ph\": \"e\", \"id\": "
	      "0, \"pid\": 1, \"tid\": 1, \"ts\": 20.5},\n"
	      "{\"name\": \"Qp\", \"cat\": \"NET_IB\", \"ph\": \"b\", \"id\": "
	      "1, \"args\": {\"qp_num\": 291, \"size\": 100}},\n{}]\n",
	      1, "nccl-profiler");
	assert_int_equal(e->notes[0].qpn, 291);
	assert_int_equal(e->notes[0].count, 2);
	assert_int_equal(e->notes[0].bytes, 4196);
}

/* Its heads stand in two lines; only RoCE is taken. */
static void wjh(void **state)
{
	(void)state;
	reads("#    Timestamp              sPort  dPort  VLAN  sMAC  dMAC  "
	      "EthType  Src IP:Port  Dst IP:Port  IP Proto  Drop   Severity  "
	      "Drop reason - Recommended action\n"
	      "                                        Group\n"
	      "---- ---------------------- ------ ------\n"
	      "1    25/04/13 23:41:12.052  swp1   swp7   N/A   "
	      "44:38:39:00:a4:84  44:38:39:00:a4:85  IPv4     10.0.0.1:50001  "
	      "10.0.0.2:4791  udp       Buffer Error     Tail drop - Monitor "
	      "network congestion\n"
	      "2    25/04/13 23:41:12.052  swp1   N/A    N/A   "
	      "44:38:39:00:a4:84  44:38:39:00:a4:84  IPv4     N/A          "
	      "N/A          N/A       L2     Error     Source MAC equals "
	      "destination MAC - Bad packet was received from peer\n",
	      1, "wjh");
	assert_string_equal(e->samples[0].src, "10.0.0.1");
	assert_string_equal(e->samples[0].dst, "10.0.0.2");
	assert_string_equal(e->samples[0].reason, "Buffer: Tail drop");
	assert_string_equal(e->sources[0].port, "swp7");
	assert_int_equal(e->samples[0].dst_qp, -1);
	assert_int_equal(e->samples[0].first_ns,
			 S(1744587672) + INT64_C(52000000));
}

static void dropwatch(void **state)
{
	(void)state;
	reads("drop at: blackhole_route (l3_drops)\norigin: hardware\n"
	      "input port ifindex: 9\ninput port name: swp3\n"
	      "timestamp: Sun Apr 13 23:41:12 2025 000000005 nsec\n"
	      "protocol: 0x800\nlength: 98\noriginal length: 98\n\n"
	      "drop at: __udp4_lib_rcv+0xae5/0xbb0 (0xffffffffb05ead95)\n"
	      "origin: software\ninput port ifindex: 2\n"
	      "drop reason: NO_SOCKET\n\n",
	      2, "dropwatch");
	assert_string_equal(e->samples[0].reason, "blackhole_route (l3_drops)");
	assert_int_equal(e->samples[0].input, 9);
	assert_int_equal(e->samples[0].first_ns, S(1744587672) + 5);
	assert_string_equal(e->sources[e->samples[0].source].port, "swp3");
	assert_string_equal(e->samples[1].reason, "NO_SOCKET");
}

static void what_is_none(void **state)
{
	static const char *const texts[] = {
		"step, by step\n1,2\n",
		"step,loss\n1,2\n",
		"JobID and | more\n1|2\n",
		"{\"nccl_version\": 1, \"communicators\": {}}",
		("[{\"cat\": \"NET_IB\", \"ph\": \"b\", \"args\": "
		 "{\"qp_num\": -1, \"size\": 1}}]"),
		"sPort Src IP:Port Drop\n1 2 3 4 5 6 7 8 9 10 11:4791\n",
		"iteration x | elapsed time per iteration (ms): y",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		reads(texts[i], 0, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(megatron),       TEST(torchtitan),
		TEST(table),          TEST(labeled),
		TEST(ras_states),     TEST(profiler_cut),
		TEST(lists_in_lists), TEST(steps_among_errors),
		TEST(slurm),          TEST(ras),
		TEST(profiler),       TEST(wjh),
		TEST(dropwatch),      TEST(what_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
