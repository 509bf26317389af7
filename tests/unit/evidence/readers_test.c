/* SPDX-License-Identifier: GPL-2.0-or-later
 * What readers take of each kind of file.  The texts are written by hand after
 * the sources that each reader names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static uint64_t read_as(const char *path, const char *device, const char *text)
{
	char *copy = strdup(text);
	uint64_t n = evidence_read_text(e, path, device, copy, strlen(copy));

	free(copy);
	return n;
}

static uint64_t read_text(const char *text)
{
	return read_as("f", NULL, text);
}

static const struct evidence_reading *find(const char *port, const char *name)
{
	for (size_t i = 0; i < e->n_readings; i++) {
		const struct evidence_reading *r = &e->readings[i];

		if (!strcmp(r->name, name) &&
		    !strcmp(e->sources[r->source].port, port))
			return r;
	}
	fail_msg("no %s of \"%s\"", name, port);
	return NULL;
}

static const char *meaning(const struct evidence_reading *r)
{
	const struct evidence_meaning *m = evidence_meaning(r->meaning);

	return m ? m->name : "";
}

static void expect(const char *port, const char *name, int64_t value,
		   const char *means, int priority)
{
	const struct evidence_reading *r = find(port, name);

	assert_int_equal(r->value, value);
	assert_string_equal(meaning(r), means);
	assert_int_equal(r->priority, priority);
}

/* ---- kinds ---- */

static void rdma_statistic(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("[{\"ifname\":\"mlx5_0\",\"port\":1,"
			  "\"np_cnp_sent\":41,\"packet_seq_err\":7,"
			  "\"local_ack_timeout_err\":2,\"novel\":5},"
			  "{\"ifname\":\"mlx5_1\",\"port\":1,\"rcvd_pkts\":3},"
			  "{\"ifname\":\"mlx5_1\",\"port\":1,\"cntn\":4,"
			  "\"rcvd_pkts\":9}]"),
		5);
	assert_string_equal(e->sources[0].kind, "rdma-statistic");
	expect("mlx5_0", "np_cnp_sent", 41, "cnps_sent", -1);
	expect("mlx5_0", "packet_seq_err", 7, "naks_received", -1);
	expect("mlx5_0", "local_ack_timeout_err", 2, "timeouts", -1);
	expect("mlx5_0", "novel", 5, "", -1);
	expect("mlx5_1", "rcvd_pkts", 3, "rdma_rx_packets", -1);
}

static void rdma_statistic_as_text(void **state)
{
	(void)state;
	assert_int_equal(read_text("link rxe_a/1 sent_pkts 12 rcvd_pkts 9 \n"
				   "link rxe_b/1 sent_pkts 1 "),
			 3);
	expect("rxe_a", "sent_pkts", 12, "rdma_tx_packets", -1);
	expect("rxe_b", "sent_pkts", 1, "rdma_tx_packets", -1);
}

static void ethtool(void **state)
{
	(void)state;
	assert_int_equal(read_text("# host=h1 port=eth2 time=1700000000.25\n"
				   "NIC statistics:\n     rx_discards_phy: 17\n"
				   "     rx_prio3_pause: 400\n"
				   "     tx_prio3_pause_duration: 12\n"
				   "     [3]: rx_packets: 4\n"),
			 4);
	expect("eth2", "rx_discards_phy", 17, "rx_no_buffer", -1);
	expect("eth2", "rx_prio3_pause", 400, "rx_pauses", 3);
	expect("eth2", "tx_prio3_pause_duration", 12000, "tx_paused", 3);
	assert_string_equal(e->sources[0].device, "h1");
	assert_int_equal(e->readings[0].at_ns, INT64_C(1700000000250000000));
}

static void sysfs_lines(void **state)
{
	static const char base[] = "/sys/class/infiniband/mlx5_0/ports/1";
	char text[600];

	(void)state;
	snprintf(text, sizeof text,
		 "%s/counters/port_xmit_data:100\n"
		 "%s/hw_counters/out_of_sequence:6\n"
		 "%s/gids/0:fe80:0000:0000:0000:0a00:00ff:fe00:0001\n"
		 "%s/gids/3:0000:0000:0000:0000:0000:ffff:0a00:0003\n"
		 "/sys/class/net/eth0/address:02:00:00:00:00:07\n",
		 base, base, base, base);
	assert_int_equal(read_text(text), 5);
	expect("mlx5_0", "port_xmit_data", 400, "tx_bytes", -1);
	expect("mlx5_0", "out_of_sequence", 6, "out_of_order", -1);
	assert_string_equal(e->sources[0].address, "10.0.0.3");
	assert_string_equal(e->sources[1].mac, "02:00:00:00:00:07");
}

/* Linux, drivers/infiniband/core/sysfs.c: gid_attrs/ndevs has the interface of
 * each GID.  A port of RoCE has each address twice, version 1 and 2, and those
 * of its VLANs. */
static void sysfs_gids(void **state)
{
	static const char *const expected[][2] = {
		{ "mlx5_0", "10.0.0.3" },
		{ "mlx5_0", "10.7.0.3" },
		{ "eth0", "10.0.0.3" },
		{ "eth0.7", "10.7.0.3" },
	};

	(void)state;
	read_text(
#define BASE "/sys/class/infiniband/mlx5_0/ports/1"
		BASE "/gids/0:fe80:0000:0000:0000:0a00:00ff:fe00:0001\n" BASE
		     "/gids/2:0000:0000:0000:0000:0000:ffff:0a00:0003\n" BASE
		     "/gids/3:0000:0000:0000:0000:0000:ffff:0a00:0003\n" BASE
		     "/gids/4:0000:0000:0000:0000:0000:ffff:0a07:0003\n" BASE
		     "/gids/9:0000:0000:0000:0000:0000:0000:0000:0000\n" BASE
		     "/gid_attrs/ndevs/0:eth0\n" BASE
		     "/gid_attrs/ndevs/2:eth0\n" BASE
		     "/gid_attrs/ndevs/3:eth0\n" BASE
		     "/gid_attrs/ndevs/4:eth0.7\n" BASE
		     "/gid_attrs/types/3:RoCE v2\n");
#undef BASE
	assert_int_equal(e->n_sources, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(e->sources[i].port, expected[i][0]);
		assert_string_equal(e->sources[i].address, expected[i][1]);
	}
}

static void sysfs_tree(void **state)
{
	(void)state;
	assert_int_equal(read_as("h7/before/sys/class/infiniband/mlx5_0/ports/"
				 "1/hw_counters/np_cnp_sent",
				 NULL, "5\n"),
			 1);
	expect("mlx5_0", "np_cnp_sent", 5, "cnps_sent", -1);
	assert_string_equal(e->sources[0].device, "h7");
	assert_int_equal(e->readings[0].moment, MOMENT_BEFORE);
	assert_int_equal(read_as("h7/infiniband/mlx5_0/ports/1/gids/0", NULL,
				 "0000:0000:0000:0000:0000:ffff:0a00:0007\n"),
			 1);
	assert_string_equal(e->sources[1].device, "h7");
	assert_string_equal(e->sources[1].address, "10.0.0.7");
}

static void sonic(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("Last cached time was 2026-01-01T00:00:00.5\n"
			  "{\"Ethernet0\":{\"RX_OK\":\"1,024\",\"RX_BPS\":"
			  "\"0.00 B/s\",\"RX_DRP\":\"3\",\"STATE\":\"U\","
			  "\"TX_DRP\":\"N/A\"},"
			  "\"Ethernet4\":{\"UC3\":{\"totalpacket\":\"9\","
			  "\"droppacket\":\"376\"},\"time\":\"x\"}}"),
		3);
	expect("Ethernet0", "RX_OK", 1024, "rx_packets", -1);
	expect("Ethernet0", "RX_DRP", 3, "rx_drops", -1);
	expect("Ethernet4", "droppacket", 376, "tx_drops", 3);
	assert_int_equal(e->skipped, 0);
}

/* sonic-utilities, tests/pfcstat_test.py and portstat_test.py */
static void sonic_pfc(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("  Port Tx    PFC0    PFC1    PFC2    PFC3\n"
			  "---------  ------  ------  ------  ------\n"
			  "Ethernet0       0       0       N/A   1,204\n\n"
			  "  Port Rx    PFC0    PFC1    PFC2    PFC3\n"
			  "---------  ------  ------  ------  ------\n"
			  "Ethernet4       9       0       0       7\n"),
		7);
	assert_string_equal(e->sources[0].kind, "sonic");
	expect("Ethernet0", "Port Tx", 0, "tx_pauses", 0);
	assert_int_equal(e->readings[2].value, 1204);
	assert_int_equal(e->readings[2].priority, 3);
	expect("Ethernet4", "Port Rx", 9, "rx_pauses", 0);
}

static void sonic_errors(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("{\"Ethernet0\":{\"RX_ERR\":\"10\",\"RX_DRP\":"
			  "\"100\",\"STATE\":\"U\",\"TX_OVR\":\"N/A\"}}\n"
			  "{\"Ethernet0\":{\"FEC_CORR\":\"130,402\","
			  "\"FEC_UNCORR\":\"3\",\"STATE\":\"U\"}}\n"),
		3);
	expect("Ethernet0", "RX_ERR", 10, "rx_errors", -1);
	expect("Ethernet0", "FEC_UNCORR", 3, "fec_uncorrected", -1);
}

static void counters_db(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("{\"COUNTERS_PORT_NAME_MAP\":{\"type\":\"hash\","
			  "\"value\":{\"Ethernet0\":\"oid:0x11\"}},"
			  "\"COUNTERS_QUEUE_NAME_MAP\":{\"value\":"
			  "{\"Ethernet0:4\":\"oid:0x22\"}},"
			  "\"COUNTERS:oid:0x11\":{\"value\":"
			  "{\"SAI_PORT_STAT_PFC_3_RX_PKTS\":\"88\"}},"
			  "\"USER_WATERMARKS:oid:0x22\":{\"value\":"
			  "{\"SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES\":"
			  "\"65536\"}}}"),
		2);
	expect("Ethernet0", "SAI_PORT_STAT_PFC_3_RX_PKTS", 88, "rx_pauses", 3);
	expect("Ethernet0", "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES", 65536,
	       "queue_max", 4);
}

static void watchdog(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("      QUEUE       STATUS    STORM DETECTED/RESTORED"
			  "    TX OK/DROP    RX OK/DROP\n"
			  "-----------  -----------  --------------------"
			  "-----  ------------  ------------\n"
			  "Ethernet8:4      stormed                        3/2"
			  "       100/300       100/7\n"),
		4);
	expect("Ethernet8", "storm detected", 3, "storms", 4);
	expect("Ethernet8", "storm restored", 2, "storms_restored", 4);
	expect("Ethernet8", "tx drop", 300, "storm_drops", 4);
	expect("Ethernet8", "rx drop", 7, "storm_drops", 4);
}

/* The same rows as sonic-utilities' table_as_json() writes tables. */
static void watchdog_json(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("{\"Ethernet8:4\":{\"RX LAST OK/DROP\":\"0/200\","
			  "\"RX OK/DROP\":\"100/7\",\"STATUS\":\"stormed\","
			  "\"STORM DETECTED/RESTORED\":\"3/2\","
			  "\"TX OK/DROP\":\"100/300\"},"
			  "\"Ethernet0:3\":{\"STORM DETECTED/RESTORED\":"
			  "\"1/0\",\"TX OK/DROP\":5},\"x\":3}"),
		6);
	expect("Ethernet8", "storm detected", 3, "storms", 4);
	expect("Ethernet8", "storm restored", 2, "storms_restored", 4);
	expect("Ethernet8", "tx drop", 300, "storm_drops", 4);
	expect("Ethernet8", "rx drop", 7, "storm_drops", 4);
	expect("Ethernet0", "storm detected", 1, "storms", 3);
}

/* sonic-utilities, doc/Command-Reference.md and tests/watermarkstat_test.py */
static void watermarks(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("Egress shared pool occupancy per unicast queue:\n"
			  "       Port    UC0      UC1    UC2\n"
			  "-----------  -----  -------  -----\n"
			  "  Ethernet0      0  2056704    N/A\n"
			  "  Ethernet4     20        0      0\n\n"
			  "Ingress headroom per PG:\n"
			  "Interface    PG2    PG3\n"
			  "-----------  -----  ---\n"
			  "  Ethernet0    7    9216\n"),
		7);
	assert_string_equal(e->sources[0].kind, "watermark");
	expect("Ethernet0", "queue watermark", 0, "queue_max", 0);
	assert_int_equal(e->readings[1].value, 2056704);
	assert_int_equal(e->readings[1].priority, 1);
	expect("Ethernet4", "queue watermark", 20, "queue_max", 0);
	expect("Ethernet0", "PG headroom watermark", 7, "buffer_max", 2);
	assert_int_equal(e->readings[6].value, 9216);
	assert_int_equal(e->readings[6].priority, 3);
	assert_int_equal(e->skipped, 0);
}

static void prometheus(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("# HELP node_network_receive_drop_total x\n"
			  "# TYPE node_network_receive_drop_total counter\n"
			  "node_network_receive_drop_total{device=\"eth0\","
			  "instance=\"h2:9100\"} 1.7e+03 1700000000123\n"
			  "node_ethtool_rx_discards_phy{device=\"a\\\"b\"} 4\n"
			  "broken{x=\"y 5\n"),
		2);
	expect("eth0", "node_network_receive_drop_total", 1700, "rx_drops", -1);
	expect("a\"b", "rx_discards_phy", 4, "rx_no_buffer", -1);
	assert_string_equal(e->sources[0].device, "h2");
	assert_int_equal(e->readings[0].at_ns, INT64_C(1700000000123000000));
	assert_int_equal(e->skipped, 1);
}

/* As TestBuildEthtoolFQName of node_exporter has it. */
static void prometheus_ethtool(void **state)
{
	(void)state;
	assert_int_equal(
		read_text(
			"node_ethtool_received_discards_phy{device=\"e\"} 4\n"
			"node_ethtool_transmitted_vport_rdma_unicast_packets"
			"{device=\"e\"} 5\n"
			"node_ethtool_received_prio3_pause{device=\"e\"} 6\n"
			"node_ethtool_received_packets_total{device=\"e\"} 7\n"
			"node_ethtool_port_received_errors{device=\"e\"} 8\n"),
		5);
	expect("e", "rx_discards_phy", 4, "rx_no_buffer", -1);
	expect("e", "tx_vport_rdma_unicast_packets", 5, "rdma_tx_packets", -1);
	expect("e", "rx_prio3_pause", 6, "rx_pauses", 3);
	expect("e", "rx_packets", 7, "rx_packets", -1);
	expect("e", "port_rx_errors", 8, "", -1);
}

static void prometheus_range(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("{\"status\":\"success\",\"data\":{\"resultType\":"
			  "\"matrix\",\"result\":[{\"metric\":{\"__name__\":"
			  "\"interface_counters_out_discards\",\"source\":"
			  "\"leaf1\",\"interface_name\":\"Ethernet4\"},"
			  "\"values\":[[1700000000,\"5\"],[1700000001,\"9\"]]"
			  "}]}}"),
		2);
	expect("Ethernet4", "interface_counters_out_discards", 5, "tx_drops",
	       -1);
	assert_string_equal(e->sources[0].device, "leaf1");
	assert_int_equal(e->readings[1].value, 9);
	assert_int_equal(e->readings[1].at_ns, INT64_C(1700000001000000000));
}

static void gnmi(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("{\"source\":\"leaf1:6030\",\"timestamp\":"
			  "1653401886216521708,\"updates\":[{\"Path\":"
			  "\"interfaces/interface[name=Ethernet2]/state/"
			  "counters/in-discards\",\"values\":{\"interfaces/"
			  "interface/state/counters/in-discards\":42}}]}\n"
			  "{\"sync-response\":true}\n"
			  "{\"source\":\"leaf1:6030\",\"timestamp\":"
			  "1653401887216521708,\"updates\":[{\"Path\":"
			  "\"interfaces/interface[name=Ethernet2]/state/"
			  "counters\",\"values\":{\"x\":{\"out-pkts\":"
			  "\"7\"}}}]}\n"),
		2);
	expect("Ethernet2", "in-discards", 42, "rx_drops", -1);
	expect("Ethernet2", "out-pkts", 7, "tx_packets", -1);
	assert_string_equal(e->sources[0].device, "leaf1");
	assert_int_equal(e->readings[0].at_ns, INT64_C(1653401886216521708));
}

/* gnmic, docs/user_guide/event_processors/intro.md */
static void gnmi_events(void **state)
{
	(void)state;
	assert_int_equal(
		read_text(
			"[{\"name\":\"default-1\",\"timestamp\":"
			"1653401886216521708,\"tags\":{\"interface_name\":"
			"\"Ethernet1\",\"source\":\"leaf1:6030\"},\"values\":"
			"{\"/interfaces/interface/state/counters/"
			"in-discards\":\"42\",\"/interfaces/interface/state/"
			"counters/out-pkts\":7}},{\"timestamp\":1,\"tags\":"
			"{\"cpu_index\":\"ALL\",\"source\":\"leaf1\"},"
			"\"values\":{\"/system/cpus/cpu/state/total/instant\":"
			"12.5}}]"),
		3);
	expect("Ethernet1", "in-discards", 42, "rx_drops", -1);
	expect("Ethernet1", "out-pkts", 7, "tx_packets", -1);
	expect("ALL", "cpu instant", 125000, "cpu_used", -1);
	assert_string_equal(e->sources[0].device, "leaf1");
	assert_int_equal(e->readings[0].at_ns, INT64_C(1653401886216521708));
}

static void snmp(void **state)
{
	(void)state;
	assert_int_equal(read_text("IF-MIB::ifInDiscards.3 = Counter32: 5\n"
				   "IF-MIB::ifName.3 = STRING: Ethernet3\n"
				   "IF-MIB::ifHCOutOctets.3 = Counter64: 700\n"
				   "IF-MIB::ifOperStatus.3 = INTEGER: up(1)\n"
				   "SNMPv2-MIB::sysName.0 = STRING: leaf1\n"),
			 2);
	expect("Ethernet3", "ifInDiscards", 5, "rx_drops", -1);
	expect("Ethernet3", "ifHCOutOctets", 700, "tx_bytes", -1);
	assert_string_equal(e->sources[0].device, "leaf1");
}

static void gnmi_prefix(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("{\"source\":\"leaf1:57400\",\"timestamp\":"
			  "1653401886216521708,\"prefix\":\"interfaces/"
			  "interface[name=Ethernet2]\",\"updates\":[{\"Path\":"
			  "\"state/counters/out-discards\",\"values\":{"
			  "\"state/counters/out-discards\":42}}]}\n"),
		1);
	expect("Ethernet2", "out-discards", 42, "tx_drops", -1);
}

/* As net-snmp of Debian prints it, without MIBs, and with -On. */
static void snmp_by_number(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("iso.3.6.1.2.1.1.5.0 = STRING: \"leaf1\"\n"
			  "iso.3.6.1.2.1.2.2.1.2.3 = STRING: \"port 3\"\n"
			  "iso.3.6.1.2.1.2.2.1.2.4 = STRING: \"port 4\"\n"
			  "iso.3.6.1.2.1.2.2.1.13.3 = Counter32: 5\n"
			  "iso.3.6.1.2.1.2.2.1.13.4 = Counter32: 6\n"
			  "iso.3.6.1.2.1.2.2.1.130.4 = Counter32: 9\n"
			  ".1.3.6.1.2.1.31.1.1.1.1.3 = STRING: Ethernet3\n"
			  ".1.3.6.1.2.1.31.1.1.1.10.3 = Counter64: 700\n"
			  ".1.3.6.1.2.1.99.1.1.1.1.5 = INTEGER: 6\n"
			  ".1.3.6.1.2.1.99.1.1.1.4.5 = INTEGER: 15\n"
			  ".1.3.6.1.4.1.2021.4.6.0 = INTEGER: 3\n"),
		5);
	expect("Ethernet3", "ifInDiscards", 5, "rx_drops", -1);
	expect("port 4", "ifInDiscards", 6, "rx_drops", -1);
	expect("Ethernet3", "ifHCOutOctets", 700, "tx_bytes", -1);
	expect("sensor 5", "entPhySensorValue watts", 15000, "power", -1);
	expect("", "memAvailReal", 3072, "memory_unused", -1);
	assert_string_equal(e->sources[0].device, "leaf1");
}

/* 0x43164000 is 150.25, by IEEE 754. */
static void gnmi_of_devices(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("{\"source\":\"leaf1\",\"updates\":[{\"Path\":"
			  "\"system/cpus/cpu[index=ALL]/state/total\","
			  "\"values\":{\"x\":{\"y:instant\":12.5}}},"
			  "{\"Path\":\"components/component[name=PSU1]/"
			  "power-supply/state/output-power\",\"values\":{"
			  "\"x/output-power\":\"QxZAAA==\"}},"
			  "{\"Path\":\"system/state\",\"values\":{"
			  "\"boot-time\":1}}]}"),
		2);
	expect("ALL", "cpu instant", 125000, "cpu_used", -1);
	expect("PSU1", "power output-power", 150250, "power", -1);
}

static void snmp_of_devices(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("A-MIB::hrProcessorLoad.7 = INTEGER: 12\n"
			  "A-MIB::memAvailReal.0 = INTEGER: 3 kB\n"
			  "A-MIB::entPhySensorValue.5 = INTEGER: 15\n"
			  "A-MIB::entPhySensorType.5 = INTEGER: watts(6)\n"
			  "A-MIB::entPhySensorScale.5 = INTEGER: kilo(10)\n"
			  "A-MIB::entPhySensorPrecision.5 = INTEGER: 1\n"
			  "A-MIB::entPhySensorType.6 = INTEGER: watts(6)\n"
			  "A-MIB::entPhySensorScale.6 = INTEGER: yotta(17)\n"
			  "A-MIB::entPhySensorValue.6 = INTEGER: 15\n"
			  "A-MIB::entPhySensorValue.9 = INTEGER: 1\n"),
		3);
	expect("processor 7", "hrProcessorLoad", 120000, "cpu_used", -1);
	expect("", "memAvailReal", 3072, "memory_unused", -1);
	expect("sensor 5", "entPhySensorValue watts", 1500000, "power", -1);
	assert_int_equal(e->skipped, 1);
}

/* ---- whose and when ---- */

/* ---- configuration ---- */

static void expect_setting(const char *port, enum evidence_setting_id id,
			   int number, int64_t value)
{
	for (size_t i = 0; i < e->n_settings; i++) {
		const struct evidence_setting *s = &e->settings[i];

		if (s->id != id || s->number != number ||
		    strcmp(e->sources[s->source].port, port) != 0)
			continue;
		assert_int_equal(s->value, value);
		return;
	}
	fail_msg("no %s %d of \"%s\"", evidence_setting_name(id), number, port);
}

/* sonic-buildimage, src/sonic-yang-models/doc/Configuration.md */
static void config_db(void **state)
{
	(void)state;
	read_text(
		"{\"DEVICE_METADATA\":{\"localhost\":{\"hostname\":\"leaf1\"}},"
		"\"PORT\":{\"Ethernet0\":{\"speed\":\"40000\","
		"\"mtu\":\"9100\"}},"
		"\"CABLE_LENGTH\":{\"AZURE\":{\"Ethernet0\":\"5m\"}},"
		"\"PORT_QOS_MAP\":{\"global\":{\"dscp_to_tc_map\":\"A\"},"
		"\"Ethernet0\":{\"pfc_enable\":\"3,4\","
		"\"dscp_to_tc_map\":\"[DSCP_TO_TC_MAP|A]\","
		"\"tc_to_queue_map\":\"A\"}},"
		"\"PFC_WD\":{\"Ethernet0\":{\"detection_time\":\"400\"}},"
		"\"DSCP_TO_TC_MAP\":{\"A\":{\"26\":\"3\"}},"
		"\"TC_TO_QUEUE_MAP\":{\"A\":{\"3\":\"5\"}},"
		"\"SCHEDULER\":{\"s\":{\"type\":\"STRICT\"}},"
		"\"WRED_PROFILE\":{\"w\":{\"ecn\":\"ecn_all\","
		"\"green_min_threshold\":\"10\","
		"\"green_max_threshold\":\"20\"}},"
		"\"QUEUE\":{\"Ethernet0,Ethernet4|5-6\":{\"scheduler\":"
		"\"[SCHEDULER|s]\",\"wred_profile\":\"w\"}},"
		"\"BUFFER_POOL\":{\"p\":{\"size\":\"900\"}},"
		"\"BUFFER_PROFILE\":{\"b\":{\"pool\":\"p\",\"xon\":\"7\","
		"\"xoff\":\"8\",\"dynamic_th\":\"-3\"}},"
		"\"BUFFER_PG\":{\"Ethernet0|3-4\":{\"profile\":\"b\"}}}");
	assert_string_equal(e->sources[0].device, "leaf1");
	expect_setting("Ethernet0", SETTING_SPEED, -1, 40000000000);
	expect_setting("Ethernet0", SETTING_MTU, -1, 9100);
	expect_setting("Ethernet0", SETTING_CABLE, -1, 5);
	expect_setting("Ethernet0", SETTING_PFC, 3, 1);
	expect_setting("Ethernet0", SETTING_PFC, 5, 0);
	expect_setting("Ethernet0", SETTING_WATCHDOG, -1, 400000000);
	expect_setting("Ethernet0", SETTING_DSCP_PRIORITY, 26, 3);
	expect_setting("Ethernet0", SETTING_DSCP_QUEUE, 26, 5);
	expect_setting("Ethernet4", SETTING_STRICT, 6, 1);
	expect_setting("Ethernet4", SETTING_ECN_MIN, 5, 10);
	expect_setting("Ethernet0", SETTING_ECN_MAX, 6, 20);
	expect_setting("Ethernet0", SETTING_XON, 4, 7);
	expect_setting("Ethernet0", SETTING_HEADROOM, 3, 8);
	/* an eighth, of which 1 + an eighth is the pool */
	expect_setting("Ethernet0", SETTING_XOFF, 3, 100);
}

/* Mellanox/mlnx-tools, python/mlnx_qos */
static void mlnx_qos(void **state)
{
	(void)state;
	read_text("# host=h port=eth0\nDCBX mode: OS controlled\n"
		  "Priority trust state: dscp\ndscp2prio mapping:\n"
		  "\tprio:3 dscp:31,30,29,28,27,26,25,24,\nCable len: 7\n"
		  "PFC configuration:\n"
		  "\tpriority    0   1   2   3   4   5   6   7\n"
		  "\tenabled     0   0   0   1   0   0   0   0   \n"
		  "tc: 6 ratelimit: unlimited, tsa: strict\n\t priority:  6\n");
	expect_setting("eth0", SETTING_PFC, 3, 1);
	expect_setting("eth0", SETTING_PFC, 4, 0);
	expect_setting("eth0", SETTING_DSCP_PRIORITY, 26, 3);
	expect_setting("eth0", SETTING_CABLE, -1, 7);
	expect_setting("eth0", SETTING_STRICT, 6, 1);
}

/* iproute2, man/man8/dcb-pfc.8, dcb-ets.8, dcb-app.8 */
static void dcb(void **state)
{
	(void)state;
	read_text("pfc-cap 8 macsec-bypass off delay 4096\n"
		  "prio-pfc 0:off 1:off 2:off 3:off 4:off 5:off 6:on 7:on\n"
		  "tc-tsa 0:strict 1:ets\n"
		  "dscp-prio default:1 AF31:3 CS6:6 12:1\n");
	expect_setting("", SETTING_PFC, 6, 1);
	expect_setting("", SETTING_PFC, 5, 0);
	expect_setting("", SETTING_STRICT, 0, 1);
	expect_setting("", SETTING_DSCP_PRIORITY, 0, 1);
	expect_setting("", SETTING_DSCP_PRIORITY, 26, 3);
	expect_setting("", SETTING_DSCP_PRIORITY, 48, 6);
	expect_setting("", SETTING_DSCP_PRIORITY, 12, 1);
}

/* iproute2, dcb/dcb_pfc.c, dcb_ets.c, dcb_app.c with -j */
static void dcb_json(void **state)
{
	(void)state;
	read_text("# host=h1 port=eth0\n"
		  "{\"pfc_cap\":8,\"macsec_bypass\":false,\"delay\":0,"
		  "\"prio_pfc\":[false,false,false,true,false,false,false,"
		  "false]}\n"
		  "{\"willing\":false,\"ets_cap\":8,\"cbs\":false,"
		  "\"tc_bw\":[0,100,0,0,0,0,0,0],"
		  "\"tc_tsa\":[\"strict\",\"ets\",\"strict\"],"
		  "\"prio_tc\":[0,1,0,0,0,0,0,0]}\n"
		  "{\"default_prio\":[0],\"dscp_prio\":[[26,3,\" \"],"
		  "[48,6,\" \"]]}\n");
	assert_string_equal(e->sources[0].kind, "dcb");
	assert_string_equal(e->sources[0].device, "h1");
	assert_int_equal(e->n_settings, 8 + 3 + 2);
	expect_setting("eth0", SETTING_PFC, 3, 1);
	expect_setting("eth0", SETTING_PFC, 4, 0);
	expect_setting("eth0", SETTING_STRICT, 1, 0);
	expect_setting("eth0", SETTING_STRICT, 2, 1);
	expect_setting("eth0", SETTING_DSCP_PRIORITY, 26, 3);
	expect_setting("eth0", SETTING_DSCP_PRIORITY, 48, 6);
}

/* NVIDIA, DCQCN parameters: microseconds */
static void dcqcn(void **state)
{
	(void)state;
	read_text("/sys/class/net/eth0/ecn/roce_np/min_time_between_cnps:4\n"
		  "/sys/class/net/eth0/ecn/roce_np/enable/3:1\n");
	expect_setting("eth0", SETTING_CNP_INTERVAL, -1, 4000);
	assert_int_equal(e->n_settings, 1);
}

static void names_of_files(void **state)
{
	static const struct {
		const char *path, *device;
		enum evidence_moment moment;
	} files[] = {
		{ "x/h1.before.json", "h1", MOMENT_BEFORE },
		{ "h1/after.txt", "h1", MOMENT_AFTER },
		{ "before/h1.txt", "h1", MOMENT_BEFORE },
		{ "h1-after", "h1", MOMENT_AFTER },
		{ "leaf-1.txt", "leaf-1", MOMENT_UNKNOWN },
		{ "rxe_a.after.json", "rxe_a", MOMENT_AFTER },
		{ "counters/h1/rdma.before.json", "h1", MOMENT_BEFORE },
		{ "c/h1/ethtool-eth0.after.txt", "h1", MOMENT_AFTER },
		{ "c/h1/counters_db.json", "h1", MOMENT_UNKNOWN },
		{ "counters/db.json", "", MOMENT_UNKNOWN },
		{ "counters/train-01.json", "train-01", MOMENT_UNKNOWN },
		{ "counters/h2/sysfs-after.txt", "h2", MOMENT_AFTER },
		{ "counters/db-2/net.json", "db-2", MOMENT_UNKNOWN },
		{ "before-h2.txt", "h2", MOMENT_BEFORE },
		{ "post_gpu-07.txt", "gpu-07", MOMENT_AFTER },
		{ "10.0.0.3.before.txt", "10.0.0.3", MOMENT_BEFORE },
		{ "10.0.0.3/after.txt", "10.0.0.3", MOMENT_AFTER },
		{ "after-10.0.0.3-eth0.txt", "10.0.0.3-eth0", MOMENT_AFTER },
		{ "h4.dc1.example.com.before.txt", "h4", MOMENT_BEFORE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		read_as(files[i].path, NULL, "link a/1 sent_pkts 1");
		assert_string_equal(e->sources[i].device, files[i].device);
		assert_int_equal(e->readings[i].moment, files[i].moment);
	}
	read_as("h1.txt", "h9", "link a/1 sent_pkts 1");
	assert_string_equal(e->sources[e->n_sources - 1].device, "h9");
}

static void parts_of_a_file(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("# host=h1 moment=before\nlink a/1 sent_pkts 1\n"
			  "# host=h2 time=2026-11-23T21:00:00.5+01:00\n"
			  "[{\"ifname\":\"b\",\"port\":1,\"sent_pkts\":2}]\n"
			  "# host=h3\nnobody knows this\n"),
		2);
	assert_string_equal(e->sources[0].device, "h1");
	assert_int_equal(e->readings[0].moment, MOMENT_BEFORE);
	assert_string_equal(e->sources[1].device, "h2");
	assert_int_equal(e->readings[1].at_ns, INT64_C(1795464000500000000));
	assert_int_equal(e->skipped, 1);
}

static void what_is_no_counter(void **state)
{
	static const char *const files[] = {
		"",
		"\n\n",
		"hello",
		"{}",
		"[]",
		"[1,2]",
		"{\"a\":",
		"NIC statistics:\n",
		"# host=h\n",
		"link",
		"# HELP \n",
		"[{\"ifname\":3}]",
		"{\"updates\":{}}",
		"IF-MIB::x\n",
		"{\"data\":{\"resultType\":\"matrix\",\"result\":[3]}}",
		"QUEUE STORM DETECTED/RESTORED\nEthernet0:\n",
		"{\"COUNTERS_PORT_NAME_MAP\":{\"value\":{\"a\":[]}}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		assert_int_equal(read_text(files[i]), 0);
	assert_int_equal(read_text("link a/1 sent_pkts 99999999999999999999"),
			 0);
	assert_int_equal(read_text("link a/1 sent_pkts -4"), 0);
	assert_int_equal(e->n_readings, 0);
}

static void names_of_the_user(void **state)
{
	char path[] = "names-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	struct err err;

	(void)state;
	assert_non_null(f);
	fputs("# ours\nmy_drops tx_drops\nmy_us_# rx_paused 1000\n", f);
	fclose(f);
	assert_int_equal(evidence_names(e, path, &err), 0);
	read_text("link a/1 my_drops 3 my_us_5 2");
	expect("a", "my_drops", 3, "tx_drops", -1);
	expect("a", "my_us_5", 2000, "rx_paused", 5);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("x nothing\n", f);
	fclose(f);
	assert_int_equal(evidence_names(e, path, &err), -1);
	assert_non_null(strstr(err.text, "line 1: no meaning is called "
					 "\"nothing\""));
	unlink(path);
}

/* A name that two rows have would be found by chance. */
static void no_name_has_two_meanings(void **state)
{
	static const char *const names[] = {
#define COUNTER(name, meaning, factor) name,
#include "evidence/counters.def"
#undef COUNTER
	};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(names[i], names[k]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rdma_statistic),
		TEST(rdma_statistic_as_text),
		TEST(ethtool),
		TEST(sysfs_lines),
		TEST(sysfs_gids),
		TEST(sysfs_tree),
		TEST(sonic),
		TEST(sonic_pfc),
		TEST(sonic_errors),
		TEST(counters_db),
		TEST(watchdog),
		TEST(watchdog_json),
		TEST(watermarks),
		TEST(prometheus),
		TEST(prometheus_ethtool),
		TEST(prometheus_range),
		TEST(gnmi),
		TEST(gnmi_prefix),
		TEST(gnmi_events),
		TEST(snmp),
		TEST(snmp_by_number),
		TEST(gnmi_of_devices),
		TEST(snmp_of_devices),
		TEST(config_db),
		TEST(mlnx_qos),
		TEST(dcb),
		TEST(dcb_json),
		TEST(dcqcn),
		TEST(names_of_files),
		TEST(parts_of_a_file),
		TEST(what_is_no_counter),
		TEST(names_of_the_user),
		TEST(no_name_has_two_meanings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
