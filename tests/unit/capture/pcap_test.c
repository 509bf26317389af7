/* SPDX-License-Identifier: GPL-2.0-or-later
 * pcap: both byte orders, all variants, odd records. */
#include "capture/pcap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "maker.h"

enum { SEC = 1700000000 };
#define NS (SEC * INT64_C(1000000000))

static const bool orders[] = { false, true };

static void assert_clean(const struct gathered *g, size_t packets)
{
	const struct capture_file *f = gathered_file(g);

	assert_int_equal(g->last, 0);
	assert_int_equal(g->n, packets);
	assert_int_equal(f->packets, packets);
	assert_int_equal(f->damage_count, 0);
	assert_int_equal(f->skipped, 0);
	assert_false(f->cut);
}

static void check_times(uint32_t magic, bool big, int64_t scale)
{
	struct made m = { .big = big };
	struct gathered g;

	made_pcap(&m, magic, 65535, 1);
	made_record(&m, SEC, 999999, 60, 60, 1);
	made_record(&m, SEC + 1, 5, 64, 1500, 2);
	g = gather_made(&m);
	assert_clean(&g, 2);
	assert_int_equal(g.v[0].frame.ns, NS + 999999 * scale);
	assert_int_equal(g.v[1].frame.ns, NS + 1000000000 + 5 * scale);
	assert_int_equal(g.v[0].frame.number, 1);
	assert_int_equal(g.v[1].frame.number, 2);
	assert_int_equal(g.v[1].frame.caplen, 64);
	assert_int_equal(g.v[1].frame.wirelen, 1500);
	assert_int_equal(g.v[1].frame.linktype, 1);
	assert_int_equal(g.v[1].frame.flags, 0);
	assert_payload(&g, 0, 1);
	assert_payload(&g, 1, 2);
	assert_string_equal(gathered_file(&g)->format, "pcap");
	assert_int_equal(gathered_file(&g)->bytes, m.n);
	assert_int_equal(gathered_file(&g)->first_ns, NS + 999999 * scale);
	assert_int_equal(capture_taps(g.capture), 1);
	assert_string_equal(capture_tap(g.capture, 0)->name, "memory");
	assert_int_equal(capture_tap(g.capture, 0)->packets, 2);
	assert_int_equal(capture_tap(g.capture, 0)->snaplen, 65535);
	gathered_free(&g);
	made_free(&m);
}

static void test_orders_and_units(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		check_times(0xa1b2c3d4, orders[i], 1000);
		check_times(0xa1b23c4d, orders[i], 1);
	}
}

/* Record header of another layout: what follows the usual fields. */
static void made_modified(struct made *m, uint32_t seed, uint32_t caplen,
			  int extra)
{
	made_u32(m, SEC + seed);
	made_u32(m, seed);
	made_u32(m, caplen);
	made_u32(m, caplen + 4);
	if (extra == 4) {
		made_u32(m, 0x9fbfb601); /* seen on Nokia */
	} else if (extra) {
		made_u32(m, 2);      /* interface */
		made_u16(m, 0x0800); /* protocol */
		made_fill(m, 1, 4);  /* type: outgoing */
		made_fill(m, (size_t)extra - 7, 0xee);
	}
	made_payload(m, seed, caplen);
}

static void check_layout(uint32_t magic, int extra, bool big,
			 const char *format)
{
	struct made m = { .big = big };
	struct gathered g;
	uint32_t i;

	made_pcap(&m, magic, big ? UINT32_MAX : 2000, 1);
	for (i = 1; i <= 20; i++)
		made_modified(&m, i, 60 + i % 7, extra);
	g = gather_made(&m);
	assert_clean(&g, 20);
	assert_string_equal(gathered_file(&g)->format, format);
	for (i = 1; i <= 20; i++) {
		assert_int_equal(g.v[i - 1].frame.ns,
				 NS + i * INT64_C(1000000000) + i * 1000);
		assert_int_equal(g.v[i - 1].frame.caplen, 60 + i % 7);
		assert_int_equal(g.v[i - 1].frame.flags, 0);
		assert_payload(&g, i - 1, i);
	}
	gathered_free(&g);
	made_free(&m);
}

static void test_modified_layouts(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		check_layout(0xa1b2cd34, 8, orders[i], "modified pcap");
		check_layout(0xa1b2cd34, 12, orders[i], "modified pcap");
		check_layout(0xa1b2c3d4, 8, orders[i], "pcap");
		check_layout(0xa1b2c3d4, 4, orders[i], "pcap");
	}
}

static void check_ixia(uint32_t magic, bool big, int64_t scale)
{
	struct made m = { .big = big };
	struct gathered g;

	made_pcap(&m, magic, 65535, 1);
	made_u32(&m, 16 + 60); /* bytes of all records */
	made_record(&m, SEC, 7, 60, 60, 1);
	g = gather_made(&m);
	assert_clean(&g, 1);
	assert_int_equal(g.v[0].frame.ns, NS + 7 * scale);
	assert_payload(&g, 0, 1);
	gathered_free(&g);
	made_free(&m);
}

static void test_ixia(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		check_ixia(0x1c0001ac, orders[i], 1);
		check_ixia(0x1c0001ab, orders[i], 1000);
	}
}

/* version, link type in the file, lengths as written */
static struct gathered gather_version(bool big, uint16_t major, uint16_t minor,
				      uint32_t network, uint32_t first,
				      uint32_t second)
{
	struct made m = { .big = big };
	struct gathered g;
	int i;

	made_u32(&m, 0xa1b2c3d4);
	made_u16(&m, major);
	made_u16(&m, minor);
	made_u64(&m, 0);
	made_u32(&m, 2000);
	made_u32(&m, network);
	for (i = 1; i <= 3; i++) {
		made_u32(&m, SEC);
		made_u32(&m, 123456);
		made_u32(&m, first);
		made_u32(&m, second);
		made_payload(&m, (uint32_t)i, 68);
	}
	g = gather_made(&m);
	made_free(&m);
	return g;
}

static void check_version(uint16_t major, uint16_t minor, uint32_t network,
			  uint32_t first, uint32_t second, int64_t scale,
			  uint16_t linktype)
{
	size_t i;

	for (i = 0; i < 2; i++) {
		struct gathered g = gather_version(orders[i], major, minor,
						   network, first, second);

		assert_clean(&g, 3);
		assert_int_equal(g.v[2].frame.caplen, 68);
		assert_int_equal(g.v[2].frame.wirelen, 1500);
		assert_int_equal(g.v[2].frame.linktype, linktype);
		assert_int_equal(g.v[2].frame.ns, NS + 123456 * scale);
		assert_payload(&g, 2, 3);
		gathered_free(&g);
	}
}

static void test_old_versions(void **state)
{
	struct gathered g;

	(void)state;
	check_version(2, 0, 1, 1500, 68, 1000, 1);
	check_version(2, 2, 1, 1500, 68, 1000, 1);
	check_version(2, 3, 1, 1500, 68, 1000, 1);
	check_version(2, 3, 1, 68, 1500, 1000, 1);
	check_version(543, 0, 1, 1500, 68, 1000, 1);
	/* AIX: nanoseconds and interface types */
	check_version(2, 2, 6, 1500, 68, 1, 1);
	check_version(2, 2, 9, 1500, 68, 1, 6);
	check_version(2, 2, 15, 1500, 68, 1, 10);
	check_version(2, 2, 24, 1500, 68, 1, 0);
	g = gather_version(false, 3, 0, 1, 68, 1500);
	assert_null(g.capture);
	assert_string_equal(g.err.text,
			    "memory: pcap version 3.0 is not known");
	gathered_free(&g);
}

/* 0x24000001: Ethernet, FCS known to be 2 * 16 bits (reference 6.9) */
static void test_link_type_word(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct made m = { .big = orders[i] };
		struct gathered g;

		made_pcap(&m, 0xa1b2c3d4, 100, 0x24000001);
		made_record(&m, SEC, 0, 64, 64, 1);
		made_record(&m, SEC, 0, 100, 102, 2);
		made_record(&m, SEC, 0, 100, 1500, 3);
		g = gather_made(&m);
		assert_clean(&g, 3);
		assert_int_equal(g.v[0].frame.linktype, 1);
		assert_int_equal(g.v[0].frame.fcs_len, 4);
		assert_int_equal(g.v[1].frame.fcs_len, 2);
		assert_int_equal(g.v[2].frame.fcs_len, 0);
		gathered_free(&g);
		made_free(&m);
	}
}

static void test_reserved_bits_do_not_matter(void **state)
{
	struct made m = { 0 };
	struct gathered g;

	(void)state;
	/* FCS length without the bit that makes it valid, reserved bits */
	made_pcap(&m, 0xa1b2c3d4, 0, 0xf9ff0114);
	made_record(&m, SEC, 0, 64, 64, 1);
	g = gather_made(&m);
	assert_clean(&g, 1);
	assert_int_equal(g.v[0].frame.linktype, 276);
	assert_int_equal(g.v[0].frame.fcs_len, 0);
	gathered_free(&g);
	made_free(&m);
}

static void test_odd_lengths(void **state)
{
	struct made m = { 0 };
	struct gathered g;

	(void)state;
	made_pcap(&m, 0xa1b2c3d4, 100, 1);
	made_record(&m, SEC, 0, 80, 80, 1);
	made_record(&m, SEC, 1, 0, 0, 2);     /* nothing at all */
	made_record(&m, SEC, 2, 0, 900, 3);   /* nothing captured */
	made_record(&m, SEC, 3, 150, 150, 4); /* beyond the snap length */
	made_record(&m, SEC, 4, 80, 60, 5);   /* beyond the packet */
	made_record(&m, SEC, 5, 90, 2000000, 6);
	made_record(&m, SEC, 6, 90, 90, 7);
	g = gather_made(&m);
	assert_clean(&g, 7);
	assert_int_equal(g.v[1].frame.caplen, 0);
	assert_int_equal(g.v[1].frame.wirelen, 0);
	assert_int_equal(g.v[2].frame.wirelen, 900);
	assert_int_equal(g.v[3].frame.caplen, 150);
	assert_int_equal(g.v[3].frame.flags, FRAME_BAD_LENGTH);
	assert_int_equal(g.v[4].frame.caplen, 80);
	assert_int_equal(g.v[4].frame.wirelen, 80);
	assert_int_equal(g.v[4].frame.flags, FRAME_BAD_LENGTH);
	assert_int_equal(g.v[5].frame.wirelen, 2000000);
	assert_int_equal(g.v[6].frame.number, 7);
	assert_payload(&g, 3, 4);
	assert_payload(&g, 6, 7);
	gathered_free(&g);
	made_free(&m);
}

/* All records say that they are longer than their packets, and in each the
 * bytes of two records of six years before lead to its end. */
static void test_what_only_looks_like_records(void **state)
{
	enum { N = 20, INNER = 24, OLD = SEC - 6 * 365 * 86400 };
	struct made m = { 0 };
	struct gathered g;

	(void)state;
	made_pcap(&m, 0xa1b2c3d4, 0, 1);
	for (uint32_t i = 0; i < N; i++) {
		size_t at = m.n + 16 + 8;

		made_record(&m, SEC, i, 8 + 2 * (16 + INNER), 60, i);
		for (int k = 0; k < 2; k++, at += 16 + INNER) {
			made_set_u32(&m, at, OLD);
			made_set_u32(&m, at + 4, i);
			made_set_u32(&m, at + 8, INNER);
			made_set_u32(&m, at + 12, INNER);
		}
	}
	g = gather_made(&m);
	assert_clean(&g, N);
	gathered_free(&g);
	made_free(&m);
}

static void test_fraction_of_more_than_a_second(void **state)
{
	struct made m = { 0 };
	struct gathered g;

	(void)state;
	made_pcap(&m, 0xa1b2c3d4, 100, 1);
	made_record(&m, SEC, 4000000000, 80, 80, 1);
	made_record(&m, SEC + 1, 0, 80, 80, 2);
	g = gather_made(&m);
	assert_clean(&g, 2);
	assert_int_equal(g.v[0].frame.ns, NS + 999999000);
	assert_int_equal(gathered_file(&g)->clamped_times, 1);
	gathered_free(&g);
	made_free(&m);
}

static void test_times(void **state)
{
	struct made m = { 0 };
	struct gathered g;
	const struct capture_tap *t;

	(void)state;
	made_pcap(&m, 0xa1b2c3d4, 0, 1);
	made_record(&m, SEC, 5, 60, 60, 1);
	made_record(&m, 4294967295, 999999, 60, 60, 2); /* 2106 */
	made_record(&m, SEC, 6, 60, 60, 3);
	made_record(&m, SEC - 1, 0, 60, 60, 4);
	g = gather_made(&m);
	assert_clean(&g, 4);
	assert_int_equal(g.v[1].frame.ns, INT64_C(4294967295999999000));
	assert_int_equal(g.v[1].frame.flags, 0);
	assert_int_equal(g.v[2].frame.flags, FRAME_REGRESSED);
	assert_int_equal(g.v[3].frame.flags, FRAME_REGRESSED);
	t = capture_tap(g.capture, 0);
	assert_int_equal(t->regressions, 2);
	assert_int_equal(t->back_from, INT64_C(4294967295999999000));
	assert_int_equal(t->back_to, NS + 6000);
	assert_int_equal(t->first_ns, NS - 1000000000);
	assert_int_equal(t->last_ns, INT64_C(4294967295999999000));
	assert_int_equal(gathered_file(&g)->first_ns, t->first_ns);
	assert_int_equal(gathered_file(&g)->last_ns, t->last_ns);
	gathered_free(&g);
	made_free(&m);
}

/* Gaps of years, clocks that start again in 1970 and come back: all packets
 * come out with the times they have. */
static void test_times_that_jump(void **state)
{
	static const uint32_t secs[] = {
		SEC,       SEC + 1, 100,     101, 102,     103,     104,
		SEC + 2,   SEC + 3, SEC + 4, 1,   SEC + 5, SEC + 6, 4200000000,
		SEC + 900, 0,       0,       0,   0,
	};
	enum { N = sizeof secs / sizeof *secs };
	struct made m = { 0 };
	struct gathered g;
	uint32_t i;

	(void)state;
	made_pcap(&m, 0xa1b2c3d4, 0, 1);
	for (i = 0; i < N; i++)
		made_record(&m, secs[i], i, 60, 60, i);
	g = gather_made(&m);
	assert_clean(&g, N);
	for (i = 0; i < N; i++)
		assert_int_equal(g.v[i].frame.ns,
				 secs[i] * INT64_C(1000000000) + i * 1000);
	gathered_free(&g);
	made_free(&m);
}

/* Packets of all lengths across the ends of many read buffers. */
static void test_packets_cross_buffers(void **state)
{
	struct made m = { 0 };
	struct gathered g;
	uint32_t i, n = 3000;

	(void)state;
	made_pcap(&m, 0xa1b23c4d, 262144, 1);
	for (i = 0; i < n; i++) {
		uint32_t length = 1 + i * 7919 % 2000;

		if (i % 500 == 499)
			length = 262144 - i;
		made_record(&m, SEC, i, length, length, i);
	}
	g = gather_made(&m);
	assert_clean(&g, n);
	for (i = 0; i < n; i++) {
		assert_int_equal(g.v[i].frame.ns, NS + i);
		assert_payload(&g, i, i);
	}
	gathered_free(&g);
	made_free(&m);
}

static void test_oversize_packets_are_passed_over(void **state)
{
	struct made m = { 0 };
	struct gathered g;

	(void)state;
	made_pcap(&m, 0xa1b2c3d4, 0, 1);
	made_record(&m, SEC, 0, 60, 60, 1);
	made_record(&m, SEC, 1, 1024 * 1024, 1024 * 1024, 2);
	made_record(&m, SEC, 2, 5 * 1024 * 1024, 5 * 1024 * 1024, 3);
	made_record(&m, SEC, 3, 2 * 1024 * 1024, 2 * 1024 * 1024, 4);
	made_record(&m, SEC, 4, 60, 60, 5);
	made_record(&m, SEC, 5, 60, 60, 6);
	g = gather_made(&m);
	assert_int_equal(g.n, 4);
	assert_int_equal(g.v[1].frame.caplen, 1024 * 1024);
	assert_payload(&g, 1, 2);
	assert_int_equal(g.v[2].frame.number, 5);
	assert_payload(&g, 2, 5);
	assert_int_equal(gathered_file(&g)->skipped, 2);
	assert_int_equal(gathered_file(&g)->damage_count, 0);
	gathered_free(&g);
	made_free(&m);
}

static void test_no_packets(void **state)
{
	struct made m = { 0 };
	struct gathered g;

	(void)state;
	made_pcap(&m, 0xa1b2c3d4, 0, 1);
	g = gather_made(&m);
	assert_clean(&g, 0);
	assert_int_equal(capture_taps(g.capture), 0);
	gathered_free(&g);
	made_free(&m);
}

/* What is there of a packet cut at the end is not handed out: capinfos and
 * tcpdump do not count it either. */
static void test_cut_files(void **state)
{
	struct made m = { 0 };
	size_t at, whole;

	(void)state;
	made_pcap(&m, 0xa1b2c3d4, 0, 1);
	made_record(&m, SEC, 0, 60, 60, 1);
	whole = m.n;
	made_record(&m, SEC, 1, 60, 60, 2);
	for (at = whole + 1; at < m.n; at++) {
		struct gathered g = gather_bytes(m.p, at);
		const struct capture_file *f = gathered_file(&g);

		assert_int_equal(g.n, 1);
		assert_true(f->cut);
		assert_int_equal(f->skipped, 0);
		assert_int_equal(f->damage_count, 1);
		assert_int_equal(f->damage[0].from, whole);
		assert_int_equal(f->damage[0].to, at);
		gathered_free(&g);
	}
	made_free(&m);
}

static void test_cut_file_header(void **state)
{
	struct made m = { 0 };
	size_t at;

	(void)state;
	made_pcap(&m, 0xa1b2c3d4, 0, 1);
	for (at = 4; at < 24; at++) {
		struct gathered g = gather_bytes(m.p, at);

		assert_null(g.capture);
		assert_string_equal(g.err.text,
				    "memory: ends inside the pcap file header");
		gathered_free(&g);
	}
	made_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders_and_units),
		cmocka_unit_test(test_modified_layouts),
		cmocka_unit_test(test_ixia),
		cmocka_unit_test(test_old_versions),
		cmocka_unit_test(test_link_type_word),
		cmocka_unit_test(test_reserved_bits_do_not_matter),
		cmocka_unit_test(test_odd_lengths),
		cmocka_unit_test(test_what_only_looks_like_records),
		cmocka_unit_test(test_fraction_of_more_than_a_second),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_times_that_jump),
		cmocka_unit_test(test_packets_cross_buffers),
		cmocka_unit_test(test_oversize_packets_are_passed_over),
		cmocka_unit_test(test_no_packets),
		cmocka_unit_test(test_cut_files),
		cmocka_unit_test(test_cut_file_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
