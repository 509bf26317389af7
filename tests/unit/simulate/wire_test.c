/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the simulator puts on the wire, against vectors from elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "simulate/cbfc.h"
#include "simulate/events.h"
#include "simulate/frame.h"
#include "simulate/pfc.h"
#include "simulate/qp.h"
#include "simulate/rng.h"
#include "simulate/uet.h"
#include "simulate/uet_frame.h"
#include "simulate/world.h"

/* A packet from the wire: RC SEND Only out of a public capture of RDMA-CM
 * traffic; its last four bytes are the ICRC. */
static void icrc_of_a_captured_packet(void **state)
{
	static const uint8_t p[] = { 0x45, 0x00, 0x00, 0x30, 0xb1, 0xcc, 0x40,
				     0x00, 0x40, 0x11, 0x54, 0x74, 0x0a, 0x01,
				     0x10, 0x3e, 0x0a, 0x01, 0x10, 0x3d, 0xda,
				     0x18, 0x12, 0xb7, 0x00, 0x1c, 0x00, 0x00,
				     0x04, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00,
				     0x3b, 0x80, 0x72, 0x7d, 0x6e, 0x00, 0x00,
				     0x10, 0x00, 0x00, 0xbf, 0xf1, 0x2d };

	(void)state;
	assert_int_equal(frame_icrc(p, sizeof p - 4), 0x2df1bf00);
}

/* A CNP of a ConnectX-4 Lx, ICRC 82 fd 00 2a. */
static void icrc_of_a_captured_cnp(void **state)
{
	uint8_t p[60] = {
		0x45, 0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40,
		0x11, 0x00, 0x00, 0x0a, 0x00, 0x11, 0x01, 0x0a, 0x00,
		0x12, 0x01, 0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00,
		0x00, 0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18
	};

	(void)state;
	assert_int_equal(frame_icrc(p, sizeof p - 4), 0x2a00fd82);
}

/* The same transport over IPv6: cb d1 53 23 on the wire. */
static void icrc_over_ipv6(void **state)
{
	static const uint8_t p[] = {
		0x66, 0xa1, 0x23, 0x45, 0x00, 0x20, 0x11, 0x40, 0x20, 0x01,
		0x0d, 0xb8, 0,    0,    0,    0,    0,    0,    0,    0,
		0,    0,    0,    0x01, 0x20, 0x01, 0x0d, 0xb8, 0,    0,
		0,    0,    0,    0,    0,    0,    0,    0,    0,    0x02,
		0xc0, 0x00, 0x12, 0xb7, 0x00, 0x20, 0x00, 0x00, 0x04, 0x60,
		0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x80, 0x00, 0x00, 0x64,
		0x48, 0x45, 0x4c, 0x4c, 0x4f, 0x21, 0x00, 0x00
	};

	(void)state;
	assert_int_equal(frame_icrc(p, sizeof p), 0x2353d1cb);
}

static void checksum_of_an_ip_header(void **state)
{
	uint8_t p[20] = { 0x45, 0x6a, 0x00, 0x34, 0x12, 0x34, 0x40,
			  0x00, 0x40, 0x11, 0xff, 0xff, 0x0a, 0x00,
			  0x00, 0x01, 0x0a, 0x00, 0x00, 0x02 };

	(void)state;
	frame_ipv4_sum(p);
	assert_int_equal(p[10] << 8 | p[11], 0x1419);
}

/* Reference section 11; symmetric in its arguments. */
static void source_port_of_linux(void **state)
{
	(void)state;
	assert_int_equal(qp_sport(0x11, 0x12), 49458);
	assert_int_equal(qp_sport(0x118, 0x23a), 61305);
	assert_int_equal(qp_sport(0x12ab, 0x34cd), 61172);
	assert_int_equal(qp_sport(0x34cd, 0x12ab), 61172);
}

static void quanta_are_512_bit_times(void **state)
{
	(void)state;
	/* 83.885 us at 400G, 335.539 us at 100G, 1 quantum 5.12 ns */
	assert_int_equal(pfc_ps(65535, 400000000000) / PS_PER_NS, 83884);
	assert_int_equal(pfc_ps(65535, 100000000000) / PS_PER_NS, 335539);
	assert_int_equal(pfc_ps(1, 100000000000), 5120);
	/* 3.355 ms at 10G, 1.342 ms at 25G, 41.942 us at 800G */
	assert_int_equal(pfc_ps(65535, 10000000000) / PS_PER_NS, 3355392);
	assert_int_equal(pfc_ps(65535, 25000000000) / PS_PER_NS, 1342156);
	assert_int_equal(pfc_ps(65535, 800000000000) / PS_PER_NS, 41942);
}

/* A 4 KiB WRITE Middle is 4154 bytes, 4178 with FCS, preamble and gap:
 * 83.56 ns at 400G.  The least frame is 84 bytes on the wire: 6.72 ns at
 * 100G. */
static void time_on_the_wire(void **state)
{
	(void)state;
	assert_int_equal(wire_ps(4154, 400000000000), 83560);
	assert_int_equal(wire_ps(60, 100000000000), 6720);
	assert_int_equal(wire_ps(20, 100000000000), 6720);
}

static void rnr_timers(void **state)
{
	(void)state;
	assert_int_equal(rnr_ps(0), 655360 * PS_PER_US);
	assert_int_equal(rnr_ps(1), 10 * PS_PER_US);
	assert_int_equal(rnr_ps(12), 640 * PS_PER_US);
	assert_int_equal(rnr_ps(25), 61440 * PS_PER_US);
	assert_int_equal(rnr_ps(31), 491520 * PS_PER_US);
}

static void a_read_takes_the_psns_of_its_answer(void **state)
{
	(void)state;
	assert_int_equal(psn_span(10000, 4096), 3);
	assert_int_equal(psn_span(0, 4096), 1);
	assert_int_equal(psn_span(4096, 4096), 1);
	assert_int_equal(psn_span(4097, 4096), 2);
}

static int order[64], n_order;

static void note(struct sim *s, void *object, uint64_t argument)
{
	(void)s;
	(void)object;
	order[n_order++] = (int)argument;
}

static void events_come_in_order(void **state)
{
	struct events q;
	static const int at[] = { 5, 3, 3, 9, 1, 3, 7, 1, 0, 9 };
	static const int want[] = { 8, 4, 7, 1, 2, 5, 0, 6, 3, 9 };

	(void)state;
	events_init(&q);
	for (int i = 0; i < 10; i++)
		events_add(&q, at[i], note, NULL, (uint64_t)i);
	while (q.n) {
		struct planned e = events_take(&q);

		assert_int_equal(e.at, at[e.event.argument]);
		e.event.fn(NULL, e.event.object, e.event.argument);
	}
	events_fini(&q);
	assert_int_equal(n_order, 10);
	assert_memory_equal(order, want, sizeof want);
}

/* Some planned far ahead, some near, many for the same time, and taken in
 * between: the earliest always, of the same time the one planned first. */
static void events_mix(void **state)
{
	enum { MANY = 3000, STEPS = 40 };
	static int64_t when[MANY];
	static bool gone[MANY];
	struct rng r = { { 5, 6, 7, 8 } };
	struct events q;
	int64_t now = 0;
	int n = 0;

	(void)state;
	events_init(&q);
	while (n < MANY || q.n) {
		for (int k = (int)rng_below(&r, 4); k && n < MANY; k--, n++) {
			when[n] = now + (int64_t)rng_below(&r, STEPS);
			events_add(&q, when[n], note, NULL, (uint64_t)n);
		}
		if (!q.n)
			continue;
		struct planned e = events_take(&q);
		int best = -1;

		for (int i = 0; i < n; i++)
			if (!gone[i] && (best < 0 || when[i] < when[best]))
				best = i;
		assert_int_equal(e.event.argument, best);
		gone[best] = true;
		now = e.at;
	}
	events_fini(&q);
}

/* xoshiro256**, state 1 2 3 4: the first numbers by hand. */
static void random_numbers_are_those_of_the_paper(void **state)
{
	struct rng r = { { 1, 2, 3, 4 } };

	(void)state;
	assert_int_equal(rng_next(&r), 11520);
	assert_int_equal(rng_next(&r), 0);
	assert_int_equal(rng_next(&r), 1509978240);
}

/* --- UET: the worked packets of the reference ----------------------------- */

static void same_bytes(const struct pkt *p, bool back, const char *hex)
{
	static const uint8_t a[4] = { 10, 1, 0, 1 }, b[4] = { 10, 1, 0, 2 };
	struct sim s = { .epoch_ns = 0 };
	uint8_t frame[20 + FRAME_MAX];
	char text[2 * 256 + 1];
	uint32_t n, head = (uint32_t)strlen(hex) / 2;

	memcpy(frame + 12, back ? b : a, 4); /* all that the CRC sees of IP */
	memcpy(frame + 16, back ? a : b, 4);
	n = uet_frame_write(&s, p, frame, frame + 20, FRAME_MAX);
	assert_int_equal(n, uet_frame_bytes(&s, p));
	for (uint32_t i = 0; i < head; i++)
		snprintf(text + 2 * i, 3, "%02x", frame[20 + i]);
	assert_string_equal(text, hex);
}

static void uet_requests(void **state)
{
	struct stream st = { .id = 1 };
	struct pkt first = {
		.stream = &st,
		.sport = 0xc001,
		.psn = 0x10000,
		.payload = 4096,
		.uet = { .type = 2,
			 .next = 3,
			 .flags = UET_SYN,
			 .clear = 0xffff,
			 .spdcid = 0x12,
			 .op = 1,
			 .ses = UET_REL | UET_SOM,
			 .message = 7,
			 .job = 200,
			 .length = 8192,
			 .buffer = 0x2000,
			 .payload = 4096 },
	};
	struct pkt last = first;
	struct pkt native;

	(void)state;
	/* E1 */
	same_bytes(&first, false,
		   "c00112b9104400001184ffff000100000012000001090007000000c8"
		   "00050003000000000000200000000001000000000"
		   "0abcdef000000000000000000002000");
	/* E2 */
	last.sport = 0xc002;
	last.psn = 0x10001;
	last.uet.flags = UET_AR;
	last.uet.dpdcid = 0x34;
	last.uet.ses = UET_REL | UET_EOM;
	last.uet.offset = 4096;
	same_bytes(&last, false,
		   "c00212b9104400001188fffe0001000100120034010a0007000000c8"
		   "00050003000000000000200000000001000000000"
		   "0abcdef000010000000100000002000");
	/* E5: the second half again, trimmed to 24 bytes */
	native = last;
	native.kept = 24;
	assert_int_equal(uet_frame_bytes(&(struct sim) { 0 }, &native), 24);
}

static void uet_answers(void **state)
{
	struct pkt ack = {
		.sport = 0xc00a,
		.psn = 0x10004,
		.uet = { .type = 8,
			 .next = 4,
			 .flags = UET_M,
			 .cack = 0x10001,
			 .spdcid = 0x34,
			 .dpdcid = 0x12,
			 .mpr = 4,
			 .sack_base = 0x10002,
			 .sack = 6,
			 .cc_state = UINT64_C(0x0064050000210002),
			 .op = 1,
			 .code_ses = 1,
			 .message = 10,
			 .job = 200,
			 .length = 8192 },
	};
	struct pkt nack = {
		.sport = 0xc004,
		.psn = 0x10006,
		.uet = { .type = 10,
			 .code = 1,
			 .spdcid = 0x34,
			 .dpdcid = 0x12 },
	};

	(void)state;
	/* E4 and E6, CRCs and all */
	same_bytes(&ack, true,
		   "c00a12b900380000422000030001000100340012000400010000000000"
		   "000006006405000021000201"
		   "01000a000000c80000200025055205");
	same_bytes(&nack, true,
		   "c00412b9001c00005000010000010006003400120000"
		   "00006dfd8061");
}

static void uet_control_packets(void **state)
{
	struct pkt close = {
		.sport = 0xc005,
		.psn = 0x10007,
		.uet = { .type = 11,
			 .next = 4,
			 .flags = UET_AR,
			 .spdcid = 0x12,
			 .dpdcid = 0x34 },
	};
	struct pkt closed = {
		.sport = 0xc005,
		.psn = 0x10007,
		.uet = { .type = 7,
			 .cack = 0x10007,
			 .spdcid = 0x34,
			 .dpdcid = 0x12 },
	};
	struct pkt credit = {
		.sport = 0xc001,
		.uet = { .type = 11,
			 .next = 7,
			 .spdcid = 0x34,
			 .dpdcid = 0x12,
			 .credit_target = 0x400 },
	};

	(void)state;
	/* E7, E8, E15 */
	same_bytes(&close, false,
		   "c00512b9001c00005a08000000010007001200340000"
		   "00004eea7e1c");
	same_bytes(&closed, true,
		   "c00512b9001800003800000000010007003400"
		   "12dcf0caf6");
	same_bytes(&credit, true,
		   "c00112b9001c00005b80000000000000003400120004"
		   "000014653df0");
}

/* What an end asks of the other: 3.5, 3.6 and 3.9 of the reference, by hand. */
static void uet_questions(void **state)
{
	struct pkt clear = {
		.sport = 0xc001,
		.uet = { .type = 11,
			 .next = 2,
			 .spdcid = 0x12,
			 .dpdcid = 0x34,
			 .word = 0x10007 },
	};
	struct pkt probe = clear;
	struct pkt probed = {
		.sport = 0xc001,
		.psn = 0x10001,
		.uet = { .type = 8,
			 .flags = UET_P | UET_REQ_CLEAR,
			 .opaque = 0xbeef,
			 .cack = 0x10001,
			 .spdcid = 0x34,
			 .dpdcid = 0x12,
			 .mpr = 1,
			 .sack_base = 0x10001,
			 .sack = 5,
			 .cc_state = 0xffff },
	};

	(void)state;
	same_bytes(&clear, false,
		   "c00112b9001c0000590000000000000000120034"
		   "00010007");
	probe.psn = 0x10002;
	probe.uet.next = 6;
	probe.uet.opaque = 0xbeef;
	probe.uet.word = 0x10002;
	same_bytes(&probe, false,
		   "c00112b9001c00005b00beef0001000200120034"
		   "00010002");
	same_bytes(&probed, true,
		   "c00112b9002c0000400abeef0001000100340012"
		   "000100000000000000000005000000000000ffff");
}

/* Operations with tokens or an extension: 4.4 and 4.6. */
static void uet_operations(void **state)
{
	struct stream st = { .id = 1 };
	struct pkt p = {
		.stream = &st,
		.sport = 0xc001,
		.psn = 0x10001,
		.payload = 64,
		.uet = { .type = 2,
			 .next = 3,
			 .flags = UET_AR,
			 .clear = 0x10000,
			 .spdcid = 0x12,
			 .dpdcid = 0x34,
			 .op = 6,
			 .ses = UET_REL | UET_EOM | UET_SOM,
			 .message = 7,
			 .job = 200,
			 .length = 65536,
			 .buffer = 0x2000,
			 .eager = 64,
			 .rest = 0x40700000,
			 .rest_key = 0xbeef },
	};

	(void)state;
	/* RENDEZVOUS_SEND, 64 bytes of 64 KiB ahead */
	same_bytes(&p, false,
		   "c00112b9009c00001188ffff0001000100120034"
		   "060b0007000000c800050003000000000000200000000001"
		   "0000000000abcdef000000000000000000010000"
		   "00000040000050030000000040700000000000000000beef");
	/* FETCHING_ATOMIC, CSWAP of UINT64: operands in the header */
	p.payload = 0;
	p.uet.op = 4;
	p.uet.amo = 13;
	p.uet.length = 32;
	same_bytes(&p, false,
		   "c00112b9006800001188ffff0001000100120034"
		   "040b0007000000c800050003000000000000200000000001"
		   "0000000000abcdef000000000000000000000020"
		   "0d0701000000000000000000");
	/* DEFERRABLE_SEND that begins again, and DEFERRABLE_RTR before it */
	p.uet.op = 8;
	p.uet.token[0] = 7;
	p.uet.token[1] = 0x80000009;
	p.uet.length = 64;
	p.payload = 64;
	same_bytes(&p, false,
		   "c00112b9008400001188ffff0001000100120034"
		   "080b0007000000c80005000300000007800000090000"
		   "00010000000000abcdef000000000000000000000040");
	p.uet.op = 12;
	p.uet.token[0] = 0x80000009;
	p.uet.token[1] = 7;
	p.uet.length = p.payload = 0;
	same_bytes(&p, false,
		   "c00112b9004400001188ffff0001000100120034"
		   "0c0b0007000000c8000500030000000000000000"
		   "000000018000000900000007000000000000000000000000");
}

/* What answers them, 4.7 and 4.9: no buffer; and eight bytes that PSN 0x10001
 * asked for. */
static void uet_results(void **state)
{
	struct stream st = { .id = 1 };
	struct pkt answer = {
		.stream = &st,
		.sport = 0xc001,
		.psn = 0x10001,
		.uet = { .type = 7,
			 .next = 4,
			 .flags = UET_REQ_CLEAR,
			 .cack = 0x10000,
			 .spdcid = 0x34,
			 .dpdcid = 0x12,
			 .op = 1,
			 .list = 1,
			 .code_ses = 1,
			 .message = 7,
			 .job = 200 },
	};

	(void)state;
	same_bytes(&answer, true,
		   "c00112b9002400003a0200010001000000340012"
		   "41010007000000c800000000");
	answer.payload = answer.uet.payload = 8;
	answer.uet.next = 6;
	answer.uet.flags = answer.uet.list = 0;
	answer.uet.op = 2;
	answer.uet.word = 0x10001;
	same_bytes(&answer, true,
		   "c00112b9002c00003b0000010001000000340012"
		   "02010008000000c800010001");
}

/* E16: a CC_Update whose channel n has used 0x111 n credits. */
static void uec_credit_update(void **state)
{
	uint32_t used[8];
	uint8_t o[60];
	struct pkt p = { .class = PKT_PAUSE, .credits = used };

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		used[i] = 0x111 * i;
	cbfc_frame(&p, o);
	assert_memory_equal(o + 12,
			    "\x88\x08\xff\xfe\xfa\x7a\xcb\x01"
			    "\x00\x00\x00\x01\x11\x00\x22\x20\x03\x33"
			    "\x00\x44\x40\x05\x55\x00\x66\x60\x07\x77",
			    28);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(icrc_of_a_captured_packet),
		cmocka_unit_test(icrc_of_a_captured_cnp),
		cmocka_unit_test(icrc_over_ipv6),
		cmocka_unit_test(checksum_of_an_ip_header),
		cmocka_unit_test(source_port_of_linux),
		cmocka_unit_test(quanta_are_512_bit_times),
		cmocka_unit_test(time_on_the_wire),
		cmocka_unit_test(rnr_timers),
		cmocka_unit_test(a_read_takes_the_psns_of_its_answer),
		cmocka_unit_test(events_come_in_order),
		cmocka_unit_test(events_mix),
		cmocka_unit_test(uet_requests),
		cmocka_unit_test(uet_answers),
		cmocka_unit_test(uet_control_packets),
		cmocka_unit_test(uet_questions),
		cmocka_unit_test(uet_operations),
		cmocka_unit_test(uet_results),
		cmocka_unit_test(uec_credit_update),
		cmocka_unit_test(random_numbers_are_those_of_the_paper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
