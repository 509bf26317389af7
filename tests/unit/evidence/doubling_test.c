/* SPDX-License-Identifier: GPL-2.0-or-later
 * No reader of evidence is quadratic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "doubling.h"
#include "evidence/evidence.h"

enum { UNITS = 1000 };

static const struct doubling shapes[] = {
	{ "rdma", "[", "{\"ifname\":\"m%u\",\"port\":1,\"np_cnp_sent\":4}", ",",
	  "]" },
	{ "rdma text", "", "link m%u/1 sent_pkts 12 rcvd_pkts 9", "\n", "" },
	{ "ethtool", "NIC statistics:\n", "     x%u: 17", "\n", "" },
	{ "sysfs", "",
	  "/sys/class/infiniband/m%u/ports/1/counters/port_xmit_data:100", "\n",
	  "" },
	{ "sonic", "{", "\"Ethernet%u\":{\"RX_OK\":\"1\",\"RX_DRP\":\"3\"}",
	  ",", "}" },
	{ "watchdog",
	  "QUEUE STATUS STORM DETECTED/RESTORED TX OK/DROP RX OK/DROP\n",
	  "Ethernet%u:4 stormed 3/2 100/300 100/7", "\n", "" },
	{ "watchdog as JSON", "{",
	  "\"E%u:4\":{\"STORM DETECTED/RESTORED\":\"3/2\"}", ",", "}" },
	{ "watermarks",
	  "Egress shared pool occupancy per unicast queue:\nPort UC0 UC1\n",
	  "Ethernet%u 5 6", "\n", "" },
	{ "titles of watermarks", "",
	  "Ingress headroom per PG:\nPort PG1\nE%u 1", "\n", "" },
	{ "prometheus", "# TYPE node_network_receive_drop_total counter\n",
	  "node_network_receive_drop_total{device=\"e%u\",instance=\"h:1\"} 17",
	  "\n", "" },
	{ "gnmi", "",
	  "{\"source\":\"l:1\",\"timestamp\":1653401886216521708,\"updates\":[{"
	  "\"Path\":\"interfaces/interface[name=E%u]/state/counters/"
	  "in-discards\",\"values\":{\"interfaces/interface/state/counters/"
	  "in-discards\":42}}]}",
	  "\n", "" },
	{ "snmp", "", "IF-MIB::ifInDiscards.%u = Counter32: 5", "\n", "" },
	{ "snmp names", "IF-MIB::ifInDiscards.1 = Counter32: 5\n",
	  "IF-MIB::ifName.%u = STRING: e", "\n",
	  "\nIF-MIB::ifInDiscards.2 = Counter32: 5" },
	{ "error lines", "",
	  "a:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.9<5> "
	  "with status=12 opcode=%u len=0 vendor err 129 (Send)",
	  "\n", "" },
	{ "queue pairs", "Failed status 12: wr_id 0\n", "RC QP 0x%u wqe[1]: x",
	  "\n", "" },
	{ "CQE", "Failed status 12: wr_id 0\n", "dump error cqe %u", "\n", "" },
	{ "parts", "", "# host=h%u port=e\nNIC statistics:\n  rx_packets: 1",
	  "\n", "" },
	{ "configuration", "{\"PORT\":{},\"PORT_QOS_MAP\":{",
	  "\"Ethernet%u\":{\"pfc_enable\":\"3\"}", ",", "}}" },
	{ "cables",
	  "{\"PORT\":{\"E\":{\"speed\":\"1\"}},\"BUFFER_PG\":{},"
	  "\"CABLE_LENGTH\":{\"A\":{",
	  "\"Ethernet%u\":\"5m\"", ",", "}}}" },
	{ "groups of cables",
	  "{\"PORT\":{\"E\":{\"speed\":\"1\"}},\"BUFFER_PG\":{},"
	  "\"CABLE_LENGTH\":{",
	  "\"A%u\":{\"Ethernet1\":\"5m\"}", ",", "}}" },
	{ "ports and their cables", "{\"BUFFER_PG\":{},\"PORT\":{",
	  "\"E%u\":{\"speed\":\"100000\"}\1},\"CABLE_LENGTH\":{\1"
	  "\"G%u\":{\"E%u\":\"5m\"}",
	  ",", "}}" },
	{ "names of one object", "{\"COUNTERS_PORT_NAME_MAP\":{",
	  "\"E%u\":\"oid:0x1\"\1},\"COUNTERS:oid:0x1\":{\1"
	  "\"SAI_%u\":\"5\"",
	  ",", "}}" },
	{ "steps", "", "iteration %u/ 9 | elapsed time per iteration (ms): 4.5",
	  "\n", "" },
	{ "step table", "step,seconds\n", "%u,0.5", "\n", "" },
	{ "slurm", "JobID|State|Start\n", "1%u|FAILED|2025-04-13T23:40:00",
	  "\n", "" },
	{ "ranks", "{\"nccl_version\":\"2\",\"communicators\":[{\"ranks\":[",
	  "{\"rank\":%u,\"collective_counts\":{\"A\":1}}", ",", "]}]}" },
	{ "requests", "[",
	  "{\"cat\":\"NET_IB\",\"ph\":\"b\",\"args\":{\"qp_num\":%u}}", ",",
	  "]" },
	{ "WJH", "sPort Src IP:Port Drop\n",
	  "1 25/04/13 23:41:12 a b c d e f 10.0.0.1:%u 10.0.0.2:4791 udp B E x",
	  "\n", "" },
	{ "dropwatch", "", "drop at: x%u\norigin: hardware\n", "\n", "" },
	{ "dcb", "", "# host=h%u\nprio-pfc 0:off 1:on", "\n", "" },
};

static struct steps_run counted(char *text, size_t n)
{
	struct evidence *e = evidence_new();
	struct steps_run run;

	assert_non_null(e);
	steps_begin();
	run.read = evidence_read_text(e, "f", NULL, text, n);
	run.steps = steps_taken();
	evidence_free(e);
	return run;
}

static void readers_are_linear(void **state)
{
	(void)state;
	doubling_linear(shapes, sizeof shapes / sizeof *shapes, UNITS, counted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readers_are_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
