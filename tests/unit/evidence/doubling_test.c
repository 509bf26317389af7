/* SPDX-License-Identifier: GPL-2.0-or-later
 * No reader is quadratic: a file four times as long takes less than eight times
 * as many steps.  Linear ones take four times as many, quadratic ones sixteen
 * times.
 *
 * Steps are counted, so that no clock and no other process has a part in it.
 * The readers are built once more for this test: the compiler puts a call of
 * __sanitizer_cov_trace_pc() in front of each of their basic blocks, and the
 * linker sends what they call in the C library to the functions below, which
 * count the bytes that it looks at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evidence/evidence.h"

enum { UNITS = 1000, TIMES = 4, MOST = 8 };

static uint64_t steps;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	steps++;
}

/* ---- what the C library looks at ---- */

#define WRAP(type, name, parameters)   \
	type __real_##name parameters; \
	type __wrap_##name parameters; \
	type __wrap_##name parameters

/* Up to what was found, else all of it. */
static uint64_t up_to(const char *text, const char *found)
{
	return found ? (uint64_t)(found - text) : strlen(text);
}

WRAP(size_t, strlen, (const char *text))
{
	size_t n = __real_strlen(text);

	steps += n;
	return n;
}

WRAP(char *, strdup, (const char *text))
{
	steps += __real_strlen(text);
	return __real_strdup(text);
}

WRAP(char *, strchr, (const char *text, int c))
{
	char *found = __real_strchr(text, c);

	steps += up_to(text, found);
	return found;
}

WRAP(char *, strrchr, (const char *text, int c))
{
	steps += __real_strlen(text);
	return __real_strrchr(text, c);
}

WRAP(char *, strstr, (const char *text, const char *part))
{
	char *found = __real_strstr(text, part);

	steps += up_to(text, found);
	return found;
}

WRAP(size_t, strspn, (const char *text, const char *set))
{
	size_t n = __real_strspn(text, set);

	steps += n;
	return n;
}

WRAP(size_t, strcspn, (const char *text, const char *set))
{
	size_t n = __real_strcspn(text, set);

	steps += n;
	return n;
}

WRAP(char *, strtok_r, (char *text, const char *set, char **rest))
{
	char *from = text ? text : *rest;
	char *word = __real_strtok_r(text, set, rest);

	steps += from ? (uint64_t)(*rest - from) : 0;
	return word;
}

WRAP(void *, memchr, (const void *text, int c, size_t n))
{
	const char *found = __real_memchr(text, c, n);

	steps += found ? (uint64_t)(found - (const char *)text) : n;
	return (void *)(uintptr_t)found;
}

WRAP(void *, memcpy, (void *to, const void *from, size_t n))
{
	steps += n;
	return __real_memcpy(to, from, n);
}

WRAP(void *, memmove, (void *to, const void *from, size_t n))
{
	steps += n;
	return __real_memmove(to, from, n);
}

/* Each may copy all that is there. */
WRAP(void *, realloc, (void *at, size_t n))
{
	steps += n;
	return __real_realloc(at, n);
}

WRAP(void *, reallocarray, (void *at, size_t n, size_t size))
{
	steps += n * size;
	return __real_reallocarray(at, n, size);
}

WRAP(void *, calloc, (size_t n, size_t size))
{
	steps += n * size;
	return __real_calloc(n, size);
}

/* It looks for the end of its text first, of whatever it needs the begin. */
#define WRAP_SSCANF(name)                                           \
	int __wrap_##name(const char *text, const char *form, ...); \
	int __wrap_##name(const char *text, const char *form, ...)  \
	{                                                           \
		va_list list;                                       \
		int n;                                              \
                                                                    \
		steps += strlen(text);                              \
		va_start(list, form);                               \
		n = vsscanf(text, form, list);                      \
		va_end(list);                                       \
		return n;                                           \
	}
WRAP_SSCANF(sscanf)
WRAP_SSCANF(__isoc99_sscanf)
WRAP_SSCANF(__isoc23_sscanf)

/* ---- files ---- */

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

/* Steps that it takes; |*kept| is how much was read. */
static uint64_t counted(const struct shape *s, unsigned units, uint64_t *kept)
{
	struct evidence *e = evidence_new();
	char *text = make(s, units);
	size_t n = strlen(text);

	assert_non_null(e);
	steps = 0;
	*kept = evidence_read_text(e, "f", NULL, text, n);
	n = steps;
	free(text);
	evidence_free(e);
	return n;
}

static void readers_are_linear(void **state)
{
	int bad = 0;

	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		uint64_t few, many;
		uint64_t a = counted(&shapes[i], UNITS, &few);
		uint64_t b = counted(&shapes[i], UNITS * TIMES, &many);

		if (few && many >= few && a > UNITS && b <= MOST * a)
			continue;
		print_error("%s: %llu in %llu steps, %llu in %llu\n",
			    shapes[i].name, (unsigned long long)few,
			    (unsigned long long)a, (unsigned long long)many,
			    (unsigned long long)b);
		bad++;
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
