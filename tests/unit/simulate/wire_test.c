/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the simulator puts on the wire, against vectors from elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "simulate/events.h"
#include "simulate/frame.h"
#include "simulate/pfc.h"
#include "simulate/qp.h"
#include "simulate/rng.h"
#include "simulate/world.h"

/* A packet from the wire: RC SEND Only out of a public capture of RDMA-CM
 * traffic; its last four octets are the ICRC. */
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
}

/* A 4 KiB WRITE Middle is 4154 octets, 4178 with FCS, preamble and gap:
 * 83.56 ns at 400G.  The least frame is 84 octets on the wire: 6.72 ns at
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
	struct events q = { 0 };
	static const int at[] = { 5, 3, 3, 9, 1, 3, 7, 1, 0, 9 };
	static const int want[] = { 8, 4, 7, 1, 2, 5, 0, 6, 3, 9 };

	(void)state;
	for (int i = 0; i < 10; i++)
		events_add(&q, at[i], note, NULL, (uint64_t)i);
	while (q.n) {
		struct event e = events_take(&q);

		e.fn(NULL, e.object, e.argument);
	}
	events_fini(&q);
	assert_int_equal(n_order, 10);
	assert_memory_equal(order, want, sizeof want);
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
		cmocka_unit_test(random_numbers_are_those_of_the_paper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
