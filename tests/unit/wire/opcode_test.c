/* SPDX-License-Identifier: GPL-2.0-or-later
 * All 256 opcodes against table 1.3 of the reference, typed here a second
 * time, and the codes of 1.5. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "wire/table.h"

enum { S = 1, E = 2, Q = 4, R = 8 };

/* One row of the reference: extension headers as "name bytes" in order. */
struct operation {
	const char *headers;
	char payload; /* p =PMTU, 1 1..PMTU, 0 0..PMTU, - none, 8 eight */
	int marks;    /* S/E, RQE, Rsp columns */
};

static const struct operation operations[32] = {
	[0x00] = { "", 'p', S | Q },
	[0x01] = { "", 'p', 0 },
	[0x02] = { "", '1', E },
	[0x03] = { "immdt 4", '1', E },
	[0x04] = { "", '0', S | E | Q },
	[0x05] = { "immdt 4", '0', S | E | Q },
	[0x06] = { "reth 16", 'p', S },
	[0x07] = { "", 'p', 0 },
	[0x08] = { "", '1', E },
	[0x09] = { "immdt 4", '1', E | Q },
	[0x0a] = { "reth 16", '0', S | E },
	[0x0b] = { "reth 16 immdt 4", '0', S | E | Q },
	[0x0c] = { "reth 16", '-', S | E },
	[0x0d] = { "aeth 4", 'p', S | R },
	[0x0e] = { "", 'p', R },
	[0x0f] = { "aeth 4", '1', E | R },
	[0x10] = { "aeth 4", '0', S | E | R },
	[0x11] = { "aeth 4", '-', S | E | R },
	[0x12] = { "aeth 4 atomicacketh 8", '-', S | E | R },
	[0x13] = { "atomiceth 28", '-', S | E },
	[0x14] = { "atomiceth 28", '-', S | E },
	[0x15] = { "", '-', 0 },
	[0x16] = { "ieth 4", '1', E },
	[0x17] = { "ieth 4", '0', S | E | Q },
	[0x1c] = { "feth 4 reth 16", '-', S | E },
	[0x1d] = { "reth 16", '8', S | E },
};

/* Which operations a service has, and what it puts before their headers. */
struct service {
	const char *request, *response;
	uint32_t legal; /* bit per operation */
};

enum { SENDS_WRITES = 0xfff, UP_TO_14 = 0x1fffff };

static const struct service services[8] = {
	[0] = { "", "", UP_TO_14 | 3u << 0x16 | 3u << 0x1c },
	[1] = { "", "", SENDS_WRITES },
	[2] = { "rdeth 4 deth 8", "rdeth 4",
		UP_TO_14 | 1u << 0x15 | 1u << 0x1c },
	[3] = { "deth 8", "", 1u << 4 | 1u << 5 },
	[5] = { "xrceth 4", "", UP_TO_14 | 3u << 0x16 | 3u << 0x1c },
};

/* Writes the chain as the engine knows it in the words of the table above. */
static unsigned chain_text(const struct wire_opcode *op, char *text, size_t n)
{
	unsigned bytes = WIRE_SIZE_bth;
	size_t len = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < WIRE_EXTENSIONS; i++) {
		const struct wire_layout *l = wire_layout(WIRE_rdeth + i);

		if (!(op->chain >> i & 1)) {
			assert_int_equal(op->at[i], 0);
			continue;
		}
		assert_int_equal(op->at[i], bytes);
		bytes += l->size;
		len += (size_t)snprintf(text + len, n - len, "%s%s %u",
					len ? " " : "", l->about->name,
					l->size);
	}
	return bytes;
}

static char payload_mark(const struct wire_opcode *op)
{
	static const char marks[] = {
		[PAYLOAD_NONE] = '-',  [PAYLOAD_ANY] = '0',
		[PAYLOAD_SOME] = '1',  [PAYLOAD_FULL] = 'p',
		[PAYLOAD_EIGHT] = '8',
	};

	return marks[op->payload];
}

static int marks(const struct wire_opcode *op)
{
	return (op->does & OP_STARTS ? S : 0) | (op->does & OP_ENDS ? E : 0) |
	       (op->does & OP_RQE ? Q : 0) | (op->does & OP_REPLY ? R : 0);
}

static void check_opcode(unsigned v)
{
	const struct wire_opcode *op = wire_opcode((uint8_t)v);
	const struct service *s = &services[v >> 5];
	const struct operation *o = &operations[v & 31];
	const char *before = o->marks & R ? s->response : s->request;
	char want[128], got[128];

	snprintf(want, sizeof want, "%s%s%s", before ? before : "",
		 before && *before && *o->headers ? " " : "",
		 o->headers ? o->headers : "");
	assert_int_equal(chain_text(op, got, sizeof got), op->headers);
	assert_string_equal(got, want);
	assert_int_equal(payload_mark(op), o->payload);
	assert_int_equal(marks(op), o->marks);
}

static void every_chain_as_in_the_reference(void **state)
{
	unsigned known = 0;

	(void)state;
	for (unsigned v = 0; v < 256; v++) {
		bool legal = services[v >> 5].legal >> (v & 31) & 1;

		if (v == 0x80 || v == 0x81)
			continue; /* the CNP class is not a service */
		assert_int_equal(wire_opcode((uint8_t)v)->name != NULL, legal);
		if (!legal)
			continue;
		check_opcode(v);
		known++;
	}
	assert_int_equal(known, 25 + 12 + 23 + 2 + 25);
}

/* Sixteen reserved bytes after the BTH, no payload. */
static void cnp_is_0x81(void **state)
{
	const struct wire_opcode *op = wire_opcode(0x81);

	(void)state;
	assert_string_equal(op->name, "CNP");
	assert_int_equal(op->headers, 28);
	assert_int_equal(op->payload, PAYLOAD_NONE);
	assert_int_equal(op->does, 0);
	assert_int_equal(wire_opcode(0x80)->chain, 0);
	assert_null(wire_opcode(0xe0)->name);
	assert_int_equal(wire_opcode(0xe0)->headers, 0);
}

/* Where an RDMA header stands, by service: 12, 16 after XRCETH, 24 in RD. */
static void reth_moves_with_the_service(void **state)
{
	(void)state;
	assert_int_equal(WIRE_AT(wire_opcode(RC_WRITE_ONLY), reth), 12);
	assert_int_equal(WIRE_AT(wire_opcode(UC_WRITE_ONLY), reth), 12);
	assert_int_equal(WIRE_AT(wire_opcode(XRC_WRITE_ONLY), reth), 16);
	assert_int_equal(WIRE_AT(wire_opcode(RD_WRITE_ONLY), reth), 24);
	assert_int_equal(WIRE_AT(wire_opcode(RC_FLUSH), reth), 16);
	assert_int_equal(WIRE_AT(wire_opcode(RC_SEND_ONLY), reth), 0);
	assert_int_equal(WIRE_AT(wire_opcode(RC_WRITE_ONLY_IMM), immdt), 28);
	assert_int_equal(WIRE_AT(wire_opcode(UD_SEND_ONLY_IMM), immdt), 20);
}

/* rocev2-and-analysis-rules 1.5, in hundredths of a millisecond. */
static void rnr_timers(void **state)
{
	static const uint32_t want[32] = {
		65536, 1,    2,    3,     4,     6,     8,     12,
		16,    24,   32,   48,    64,    96,    128,   192,
		256,   384,  512,  768,   1024,  1536,  2048,  3072,
		4096,  6144, 8192, 12288, 16384, 24576, 32768, 49152,
	};

	(void)state;
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(wire_rnr_timer_ns(i), want[i] * 10000);
	assert_int_equal(wire_rnr_timer_ns(0x20 | 12), 640000);
}

static void credits(void **state)
{
	static const int want[32] = {
		0,    1,    2,    3,     4,     6,     8,     12,
		16,   24,   32,   48,    64,    96,    128,   192,
		256,  384,  512,  768,   1024,  1536,  2048,  3072,
		4096, 6144, 8192, 12288, 16384, 24576, 32768, -1,
	};

	(void)state;
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(wire_credit_count(i), want[i]);
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(wire_name(WIRE_LIST_nak, 0), "PSN sequence error");
	assert_string_equal(wire_name(WIRE_LIST_cm_attr, 0x10), "REQ");
	assert_string_equal(wire_name(WIRE_LIST_cm_attr, 0x18), "SIDR_REP");
	assert_string_equal(wire_name(WIRE_LIST_udp_port, 4791), "RoCEv2");
	assert_string_equal(wire_name(WIRE_LIST_service, 0x81 >> 5), "CNP");
	assert_string_equal(wire_name(WIRE_LIST_opcode, 0x64), "UD SEND Only");
	assert_null(wire_name(WIRE_LIST_aeth, 2));
	assert_null(wire_name(WIRE_LIST_none, 0));
	assert_null(wire_name(WIRE_LIST_mtu, 1));
	assert_null(wire_name(WIRE_LISTS, 0));
	assert_true(wire_number(WIRE_LIST_mtu, 5) == 4096);
	assert_true(wire_number(WIRE_LIST_mtu, 6) == UINT64_MAX);
	assert_true(wire_number(WIRE_LIST_credit, 31) == UINT64_MAX);
	assert_null(wire_rows(WIRE_LIST_none));
	assert_null(wire_rows(WIRE_LISTS));
	assert_null(wire_layout(WIRE_HEADERS));
}

/* Every row can be found again by its value. */
static void rows_and_lookups_agree(void **state)
{
	(void)state;
	for (unsigned list = 1; list < WIRE_LISTS; list++) {
		const struct wire_rows *l = wire_rows(list);

		assert_true(l->n > 0);
		for (const struct wire_row *r = l->rows; r < l->rows + l->n;
		     r++)
			if (l->unit)
				assert_true(wire_number(list, r->value) ==
					    r->number);
			else
				assert_ptr_equal(wire_name(list, r->value),
						 r->text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_chain_as_in_the_reference),
		cmocka_unit_test(cnp_is_0x81),
		cmocka_unit_test(reth_moves_with_the_service),
		cmocka_unit_test(rnr_timers),
		cmocka_unit_test(credits),
		cmocka_unit_test(names),
		cmocka_unit_test(rows_and_lookups_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
