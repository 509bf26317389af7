/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is taken of the error lines in logs.  The lines are as the sources and
 * reports print them that each test names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evidence/evidence.h"

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

static uint64_t read_text(const char *text)
{
	char *copy = strdup(text);
	uint64_t n = evidence_read_text(e, "f", NULL, copy, strlen(copy));

	free(copy);
	return n;
}

static const struct evidence_error *error_at(size_t i)
{
	assert_in_range(i, 0, e->n_errors - 1);
	return &e->errors[i];
}

static void expect_error(size_t i, unsigned line, const char *name,
			 int64_t vendor, int64_t qpn)
{
	const struct evidence_error *x = error_at(i);

	assert_int_equal(x->line, line);
	assert_string_equal(evidence_error_name(x->status), name);
	assert_int_equal(x->vendor, vendor);
	assert_int_equal(x->qpn, qpn);
}

/* NVIDIA/nccl, issue 1814, and src/transport/net_ib of several releases. */
static void nccl_log(void **state)
{
	(void)state;
	read_text(
		"node7:983:1261 [3] NCCL INFO Connected NVLS tree\n"
		"[2026-11-23 21:00:00] node7:983:1261 [3] net_ib.cc:1297 NCCL "
		"WARN NET/IB : Got completion from peer 29.87.1.9<55921> with "
		"status=12 opcode=1 len=0 vendor err 129 (Send) localGid "
		"::ffff:29.87.4.221 remoteGids::ffff:29.87.88.182 hca mlx5_3\n"
		"node7:983:1261 [3] NCCL WARN NET/IB : Got completion with "
		"error 10, opcode 0, len 0, vendor err 136\n"
		"NET/IB: Got completion from peer 29.87.1.9<5> with "
		"status=IBV_WC_RNR_RETRY_EXC_ERR(13) opcode=IBV_WC_SEND(0) "
		"vendor_err=135  localGid ::ffff:29.87.4.221 hca mlx5_3\n"
		"node8:1:2 [0] NCCL WARN NET/IB : mlx5_2:1 async fatal event "
		"on "
		"QP: local access violation work queue error\n");
	assert_int_equal(e->n_errors, 4);
	expect_error(0, 2, "retry", 129, -1);
	assert_string_equal(error_at(0)->local, "29.87.4.221");
	assert_string_equal(error_at(0)->remote, "29.87.88.182");
	assert_string_equal(error_at(0)->peer, "29.87.1.9");
	assert_string_equal(error_at(0)->device, "node7");
	assert_int_equal(error_at(0)->at_ns, 1795467600000000000);
	expect_error(1, 3, "remote_access", 136, -1);
	assert_int_equal(error_at(1)->at_ns, EVIDENCE_UNKNOWN);
	expect_error(2, 4, "rnr_retry", 135, -1);
	expect_error(3, 5, "remote_access", -1, -1);
	assert_true(error_at(3)->responder);
	assert_string_equal(error_at(3)->device, "node8");
}

/* openucx/ucx, issues 5199 and 6000; src/uct/ib/mlx5/ib_mlx5_log.c */
static void ucx_log(void **state)
{
	(void)state;
	read_text("[1612345678.250000] [ast1815:6807:0:6807] ib_mlx5_log.c:177 "
		  " UCX ERROR Transport retry count exceeded on mlx5_0:1/RoCE "
		  "(synd 0x15 vend 0x81 hw_synd 0/0)\n"
		  "[1612345678.250000] [ast1815:6807:0:6807] ib_mlx5_log.c:177 "
		  " UCX ERROR RC QP 0x10f3a wqe[446]: SEND s-e [rqpn 0x32ca "
		  "rmac 50:6b:4b:cb:be:ce sgix 3 dgid ::ffff:10.1.2.3 tc 0] "
		  "[inl len 20]\n"
		  "[ast1815:6807:0:6807] ib_mlx5_log.c:177  Remote access on "
		  "mlx5_0:1/RoCE (synd 0x13 vend 0x88 hw_synd 0/0)\n");
	assert_int_equal(e->n_errors, 2);
	expect_error(0, 1, "retry", 0x81, 0x10f3a);
	assert_int_equal(error_at(0)->remote_qpn, 0x32ca);
	assert_string_equal(error_at(0)->remote, "10.1.2.3");
	assert_string_equal(error_at(0)->device, "ast1815");
	assert_int_equal(error_at(0)->at_ns, 1612345678250000000);
	expect_error(1, 3, "remote_access", 0x88, -1);
}

/* Linux, drivers/infiniband/hw/mlx5/cq.c: the dump is that of the commit that
 * added the message; older kernels print four words a line. */
static void kernel_log(void **state)
{
	(void)state;
	read_text(
		"[166755.330649] infiniband mlx5_0: mlx5_handle_error_cqe:333:"
		"(pid 0): WC error: 10, Message: remote access error\n"
		"[166755.332323] infiniband mlx5_0: dump_cqe:272:(pid 0): dump "
		"error cqe\n"
		"[166755.332944] 00000000: 00 00 00 00 00 00 00 00 00 00 00 00 "
		"00 00 00 00\n"
		"[166755.333574] 00000010: 00 00 00 00 00 00 00 00 00 00 00 00 "
		"00 00 00 00\n"
		"[166755.334202] 00000020: 00 00 00 00 00 00 00 00 00 00 00 00 "
		"00 00 00 00\n"
		"[166755.334837] 00000030: 00 00 00 00 00 00 88 13 08 03 61 b3 "
		"1e a1 42 d3\n"
		"[Mon Nov 23 21:00:00 2026] mlx5_0:dump_cqe:263:(pid 0): dump "
		"error cqe\n"
		"00000000 00000000 00000000 00000000\n"
		"00000000 00000000 00000000 00000000\n"
		"00000000 00000000 00000000 00000000\n"
		"00000000 00008115 08000b4a 000025d2\n");
	assert_int_equal(e->n_errors, 2);
	expect_error(0, 1, "remote_access", 0x88, 0x0361b3);
	assert_int_equal(error_at(0)->at_ns, EVIDENCE_UNKNOWN);
	expect_error(1, 11, "retry", 0x81, 0x000b4a);
}

/* NVIDIA/nccl, issue 928, and src/transport/net_ib/common.cc of 2026; labels as
 * srun --label, torchrun and Open MPI's --tag-output print them. */
static void labeled_log(void **state)
{
	(void)state;
	read_text(
		"3: [2026-11-23 21:00:00] H100-2:19989:20082 [1] "
		"transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion "
		"from peer fe80::966d:ae03:8b:df78%ib0<53249> with error 4, "
		"opcode 32564, len 32564, vendor err 81 (Send)\n"
		"[rank3]:node7:983:1261 [3] net_ib.cc:1 NCCL WARN NET/IB : Got "
		"completion from peer 29.87.1.9<5> with status=12 opcode=1 "
		"len=0 vendor err 129 (Send)\n"
		"[1,3]<stderr>:[2026-11-23 21:00:00.5] [a:7 :0:6807] "
		"ib_mlx5_log.c:177  RNR on mlx5_0:1/RoCE (synd 0x16 vend 0x97 "
		"hw_synd 0/0)\n"
		"node8:1:2 [0] NCCL WARN NET/IB : mlx5_2:1 async fatal event "
		"on QP (0x7f3c1c0) qpn=4711 handle=7 send_cq=1 recv_cq=1 "
		"state=6 sq_psn=1 rq_psn=2: invalid request local work queue "
		"error\n"
		"srun: error: n1: task 0: Exited with exit code 1\n"
		"worker 3 exited with status=1, restarted with error 12\n");
	assert_int_equal(e->n_errors, 4);
	expect_error(0, 1, "local_protection", 81, -1);
	assert_string_equal(error_at(0)->device, "H100-2");
	assert_int_equal(error_at(0)->at_ns, 1795467600000000000);
	expect_error(1, 2, "retry", 129, -1);
	assert_string_equal(error_at(1)->device, "node7");
	expect_error(2, 3, "rnr_retry", 0x97, -1);
	assert_string_equal(error_at(2)->device, "a");
	assert_int_equal(error_at(2)->at_ns, 1795467600500000000);
	expect_error(3, 4, "remote_invalid_request", -1, 4711);
}

/* rdma-core, providers/mlx5/cq.c (the bytes: ofiwg/libfabric, issue 4283);
 * Linux with messages for debugging; journalctl -o short-iso-precise, whose
 * zone has no colon before systemd 256. */
static void mlx5_logs(void **state)
{
	(void)state;
	read_text(
		"mlx5: cn10: got completion with error:\n"
		"00000000 00000000 00000000 00000000\n"
		"00000000 00000000 00000000 00000000\n"
		"00000002 00000000 00000000 00000000\n"
		"00000000 00008813 10012abe 0dd0c1d3\n"
		"2026-11-23T22:00:00.250000+0100 n2 kernel: infiniband "
		"rocep33s0f0: mlx5_poll_one:527:(pid 0): Requestor error cqe "
		"on cqn 0x406:\n"
		"2026-11-23T22:00:00.250000+0100 n2 kernel: infiniband "
		"rocep33s0f0: mlx5_poll_one:530:(pid 0): syndrome 0x15, vendor "
		"syndrome 0x81\n"
		"2026-11-23T22:00:00.250000+01:00 n2 kernel: infiniband "
		"mlx5_0: mlx5_handle_error_cqe:333:(pid 0): WC error: 10, "
		"Message: remote access error\n");
	assert_int_equal(e->n_errors, 3);
	expect_error(0, 5, "remote_access", 0x88, 0x012abe);
	assert_string_equal(error_at(0)->device, "cn10");
	expect_error(1, 7, "retry", 0x81, -1);
	assert_string_equal(error_at(1)->device, "n2");
	assert_int_equal(error_at(1)->at_ns, 1795467600250000000);
	assert_int_equal(error_at(2)->at_ns, 1795467600250000000);
}

/* linux-rdma/perftest, src/perftest_resources.h */
static void perftest_log(void **state)
{
	(void)state;
	read_text("# host=a address=10.0.0.1 time=1700000000\n"
		  " Completion with error at client\n"
		  " Failed status 12: wr_id 0 syndrom 0x81\n"
		  "scnt=128, ccnt=0\n");
	assert_int_equal(e->n_errors, 1);
	expect_error(0, 3, "retry", 0x81, -1);
	assert_int_equal(error_at(0)->at_ns, 1700000000000000000);
	assert_string_equal(e->sources[error_at(0)->source].address,
			    "10.0.0.1");
}

static void what_is_no_error_line(void **state)
{
	(void)state;
	assert_int_equal(read_text("Failed status : wr_id\n"), 0);
	assert_int_equal(read_text("dump error cqe\n00 11\n"), 0);
	assert_int_equal(read_text("with status=77777777777777777777\n"), 0);
	assert_int_equal(read_text("[[[[ (synd 0x15x\n"), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nccl_log),
		TEST(ucx_log),
		TEST(kernel_log),
		TEST(labeled_log),
		TEST(mlx5_logs),
		TEST(perftest_log),
		TEST(what_is_no_error_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
