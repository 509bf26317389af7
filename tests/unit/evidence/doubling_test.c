/* SPDX-License-Identifier: GPL-2.0-or-later
 * No reader is quadratic: a file four times as long takes less than eight times
 * as much processor time.  Linear ones take four times as much, quadratic ones
 * sixteen times; of several turns the shortest counts, and what
 * is too slow is tried again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "evidence/evidence.h"

enum { UNITS = 3000, TIMES = 4, TURNS = 5, MOST = 8, TRIES = 6 };

/* A file of one kind: what repeats has its number in the place of "%u". */
static const struct shape {
	const char *name, *begin, *unit, *between, *end;
} shapes[] = {
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
	{ "dcb", "", "# host=h%u\nprio-pfc 0:off 1:on", "\n", "" },
};

static char *make(const struct shape *s, unsigned units)
{
	size_t room = (size_t)units * 256 + 512, n;
	char *text = malloc(room);

	assert_non_null(text);
	n = (size_t)snprintf(text, room, "%s", s->begin);
	for (unsigned i = 0; i < units; i++) {
		const char *number = strstr(s->unit, "%u");

		n += (size_t)snprintf(
			text + n, room - n, "%s%.*s%u%s", i ? s->between : "",
			(int)(number - s->unit), s->unit, i, number + 2);
	}
	snprintf(text + n, room - n, "%s", s->end);
	return text;
}

/* Processor time in ns; |*kept| is how much was read. */
static int64_t one_turn(const char *text, uint64_t *kept)
{
	struct evidence *e = evidence_new();
	char *copy = strdup(text);
	struct timespec a, b;

	assert_non_null(e);
	assert_non_null(copy);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	*kept = evidence_read_text(e, "f", NULL, copy, strlen(copy));
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	free(copy);
	evidence_free(e);
	return (b.tv_sec - a.tv_sec) * INT64_C(1000000000) + b.tv_nsec -
	       a.tv_nsec;
}

static int64_t shortest(const char *text, uint64_t *kept)
{
	int64_t least = INT64_MAX;

	for (int i = 0; i < TURNS; i++) {
		int64_t ns = one_turn(text, kept);

		least = ns < least ? ns : least;
	}
	return least;
}

static void readers_are_linear(void **state)
{
	int bad = 0;

	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		char *small = make(&shapes[i], UNITS);
		char *large = make(&shapes[i], UNITS * TIMES);
		uint64_t few = 0, many = 0;
		int64_t a = 0, b = 1;

		/* Other work disturbs both; it is not there each time. */
		for (int n = 0; n < TRIES && b > MOST * a; n++) {
			a = shortest(small, &few);
			b = shortest(large, &many);
		}
		if (!few || many < few || b > MOST * a) {
			print_error("%s: %llu in %lld ns, %llu in %lld ns\n",
				    shapes[i].name, (unsigned long long)few,
				    (long long)a, (unsigned long long)many,
				    (long long)b);
			bad++;
		}
		free(small);
		free(large);
	}
	assert_int_equal(bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readers_are_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
