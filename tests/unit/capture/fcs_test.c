/* SPDX-License-Identifier: GPL-2.0-or-later
 * FCS presence, proved by zlib's CRC. */
#include "capture/fcs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "maker.h"

enum { SEC = 1700000000 };

/* A record whose payload of |n| bytes ends in its FCS, cut to |caplen|. */
static void made_with_fcs(struct made *m, uint32_t n, uint32_t caplen,
			  uint32_t seed)
{
	uint32_t crc;
	size_t at, k;

	made_record(m, SEC, seed, n, n, seed);
	at = m->n - n;
	crc = (uint32_t)crc32(0, m->p + at, n - 4);
	for (k = 0; k < 4; k++)
		m->p[m->n - 4 + k] = (uint8_t)(crc >> 8 * k);
	made_set_u32(m, at - 8, caplen);
	m->n = at + caplen;
}

static void test_present(void **state)
{
	struct made m = { 0 };
	struct gathered g;
	uint32_t i;

	(void)state;
	made_pcap(&m, 0xa1b2c3d4, 0, 1);
	for (i = 0; i < 150; i++)
		made_with_fcs(&m, 64 + i, 64 + i, i);
	made_with_fcs(&m, 500, 498, 1); /* two of the four are there */
	made_with_fcs(&m, 500, 100, 1);
	made_record(&m, SEC, 0, 80, 80, 2); /* a bad one is one all the same */
	g = gather_made(&m);
	assert_int_equal(g.n, 153);
	for (i = 0; i < 150; i++)
		assert_int_equal(g.v[i].frame.fcs_len, 4);
	assert_int_equal(g.v[150].frame.fcs_len, 2);
	assert_int_equal(g.v[151].frame.fcs_len, 0);
	assert_int_equal(g.v[152].frame.fcs_len, 4);
	gathered_free(&g);
	made_free(&m);
}

static void check_absent(uint32_t linktype, uint32_t good_until)
{
	struct made m = { 0 };
	struct gathered g;
	uint32_t i;

	made_pcap(&m, 0xa1b2c3d4, 0, linktype);
	for (i = 0; i < 200; i++) {
		if (i < good_until)
			made_with_fcs(&m, 100, 100, i);
		else
			made_record(&m, SEC, i, 100, 100, i);
	}
	made_with_fcs(&m, 100, 100, 7);
	g = gather_made(&m);
	assert_int_equal(g.n, 201);
	assert_int_equal(g.v[199].frame.fcs_len, 0);
	assert_int_equal(g.v[200].frame.fcs_len, 0);
	gathered_free(&g);
	made_free(&m);
}

static void test_absent(void **state)
{
	(void)state;
	check_absent(1, 0);
	check_absent(1, 50);    /* half of them is not enough */
	check_absent(101, 201); /* only Ethernet has one */
}

/* Frames below 64 bytes show that there is none (reference 7.5). */
static void test_short_frames(void **state)
{
	struct made m = { 0 };
	struct gathered g;
	uint32_t i;

	(void)state;
	made_pcap(&m, 0xa1b2c3d4, 0, 1);
	for (i = 0; i < 200; i++)
		made_with_fcs(&m, i < 50 ? 60 : 64, i < 50 ? 60 : 64, i);
	g = gather_made(&m);
	assert_int_equal(g.v[199].frame.fcs_len, 0);
	gathered_free(&g);
	made_free(&m);
}

static void test_decides_in_time(void **state)
{
	struct taps t = { .per_file = calloc(1, sizeof(uint32_t)) };
	uint32_t tap = taps_add(&t, strdup("x"), 0, 1);
	uint8_t bytes[100] = { 0 };
	struct frame f = { .data = bytes,
			   .caplen = 100,
			   .wirelen = 1500,
			   .linktype = 1,
			   .tap = tap };
	int i;

	(void)state;
	assert_int_equal(t.fcs_open, 1);
	for (i = 0; i < 100000 && t.fcs_open; i++)
		fcs_mark(&t, &f, 1);
	assert_int_equal(t.v[tap].fcs, FCS_ABSENT);
	assert_true(i <= 10000);
	taps_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_present),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_short_frames),
		cmocka_unit_test(test_decides_in_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
