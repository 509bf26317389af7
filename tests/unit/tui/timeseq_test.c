/* SPDX-License-Identifier: GPL-2.0-or-later
 * The time-sequence graph: what each packet of a flow becomes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "decode/packet.h"
#include "tui/timeseq.h"
#include "views/sequence.h"
#include "wire/wire.h"

enum {
	FROM_NS = 1000,
	TO_NS = FROM_NS + SEQUENCE_COLUMNS - 1, /* a column is 1 ns */
	FIRST = 0xfffffe,                       /* PSNs wrap at 24 bits */
	ACK_SYNDROME = 0,
	NAK_SYNDROME = 0x60,
};

struct step {
	int64_t at;
	uint8_t opcode;
	uint8_t syndrome;
	int psn; /* from FIRST on */
	bool reverse;
};

static void feed(struct sequence *s, const struct step *steps, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct packet p = {
			.ns = FROM_NS + steps[i].at,
			.kind = PACKET_ROCE,
			.status = PACKET_OK,
			.opcode = steps[i].opcode,
			.syndrome = steps[i].syndrome,
			.psn = (uint32_t)(FIRST + steps[i].psn) & 0xffffff,
			.payload = 1024,
			.wire_len = 1100,
		};

		sequence_packet(s, &p, steps[i].reverse);
	}
}

/* "kind at[+length] number..end_number;" of each row. */
static void written(const struct rows *r, char *out, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < r->n_rows; i++) {
		int64_t ns = rows_int(r, i, "ns", 0);
		int64_t length = rows_int(r, i, "end_ns", 0) - ns;
		char lasts[32] = "";

		if (length)
			snprintf(lasts, sizeof lasts, "+%lld",
				 (long long)length);
		at += (size_t)snprintf(
			out + at, size - at, "%s %lld%s %lld..%lld;",
			rows_text(r, i, "kind"), (long long)(ns - FROM_NS),
			lasts, (long long)rows_int(r, i, "number", -1),
			(long long)rows_int(r, i, "end_number", -1));
		assert_true(at < size);
	}
}

static void expect(const struct step *steps, size_t n, const char *rows)
{
	struct sequence *s = sequence_new(FROM_NS, TO_NS, 24, 1024);
	struct rows r = { 0 };
	char have[1024] = "";

	assert_non_null(s);
	feed(s, steps, n);
	assert_int_equal(timeseq_rows(&r, s, FROM_NS, TO_NS), 0);
	written(&r, have, sizeof have);
	assert_string_equal(have, rows);
	rows_fini(&r);
	sequence_free(s);
}

static void a_loss_and_its_retransmission(void **state)
{
	static const struct step steps[] = {
		{ 0, RC_SEND_ONLY, 0, 0, false },
		{ 10, RC_SEND_ONLY, 0, 1, false },
		{ 20, RC_SEND_ONLY, 0, 2, false },
		{ 20, RC_SEND_ONLY, 0, 3, false },
		{ 30, RC_ACK, ACK_SYNDROME, 1, true },
		{ 40, RC_ACK, NAK_SYNDROME, 2, true },
		{ 50, RC_SEND_ONLY, 0, 2, false },
	};

	(void)state;
	expect(steps, sizeof steps / sizeof steps[0],
	       "sent 0 0..0;sent 10 1..1;sent 20 2..3;"
	       "ACK 30 1..1;ACK 40 1..1;"
	       "retransmitted 50 2..2;NAK 40 2..2;"
	       /* two of four packets, and how long the second took */
	       "in flight 30+1070 2048..2048;ACK delay 30 20..20;"
	       "credits 30+1070 0..0;" /* code 0, until the end */
	       /* 1,100 bytes in 5 ns, or twice as many */
	       "throughput 0+5 1760000000000..1760000000000;"
	       "throughput 10+5 1760000000000..1760000000000;"
	       "throughput 20+5 3520000000000..3520000000000;"
	       "throughput 50+5 1760000000000..1760000000000;");
}

/* Credits are so until the next ACK, and payload in flight until it changes:
 * what a column has of it is all that it was, then what it was last.  A delay
 * to an ACK of what was sent twice is not known. */
static void windows(void **state)
{
	static const struct step steps[] = {
		{ 0, RC_SEND_ONLY, 0, 0, false },
		{ 2, RC_ACK, 2, 0, true }, /* code 2: two messages */
		{ 4, RC_SEND_ONLY, 0, 1, false },
		{ 4, RC_SEND_ONLY, 0, 2, false },
		{ 6, RC_SEND_ONLY, 0, 2, false },
		{ 8, RC_ACK, 5, 2, true }, /* code 5: six */
	};

	(void)state;
	expect(steps, sizeof steps / sizeof steps[0],
	       "sent 0 0..0;sent 4 1..2;ACK 2 0..0;ACK 8 2..2;"
	       "retransmitted 6 2..2;"
	       "in flight 2+2 0..0;in flight 4 1024..2048;"
	       "in flight 4+4 2048..2048;in flight 8+1092 0..0;"
	       "ACK delay 2 2..2;"
	       "credits 2+6 2..2;credits 8+1092 6..6;"
	       "throughput 0+5 5280000000000..5280000000000;"
	       "throughput 5+5 1760000000000..1760000000000;");
}

/* A flow that only answers READs shows the PSNs of its responses. */
static void responses_alone(void **state)
{
	static const struct step steps[] = {
		{ 5, RC_READ_ONLY, 0, 0, false },
		{ 7, RC_READ_ONLY, 0, 1, false },
		{ 9, RC_READ_ONLY, 0, 1, false },
	};

	(void)state;
	expect(steps, sizeof steps / sizeof steps[0],
	       "sent 5 0..0;sent 7 1..1;retransmitted 9 1..1;"
	       "throughput 5+5 5280000000000..5280000000000;");
}

static void nothing_is_no_row(void **state)
{
	(void)state;
	expect(NULL, 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loss_and_its_retransmission),
		cmocka_unit_test(windows),
		cmocka_unit_test(responses_alone),
		cmocka_unit_test(nothing_is_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
