/* SPDX-License-Identifier: GPL-2.0-or-later
 * pcapng: sections, interfaces, time units, every block that matters. */
#include "capture/pcapng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "maker.h"

#define SEC INT64_C(1700000000)
#define NS  (SEC * 1000000000)

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

static void check_order(bool big)
{
	struct made m = { .big = big };
	struct gathered g;
	const struct capture_tap *t;

	made_section(&m);
	made_interface(&m, 1, 262144, "eth0", 9);
	made_enhanced(&m, 0, (uint64_t)NS + 5, 61, 1500, 1);
	made_enhanced(&m, 0, (uint64_t)NS + 6, 64, 64, 2);
	g = gather_made(&m);
	assert_clean(&g, 2);
	assert_int_equal(g.v[0].frame.ns, NS + 5);
	assert_int_equal(g.v[0].frame.caplen, 61);
	assert_int_equal(g.v[0].frame.wirelen, 1500);
	assert_int_equal(g.v[0].frame.flags, 0);
	assert_int_equal(g.v[0].frame.drops, 0);
	assert_int_equal(g.v[1].frame.number, 2);
	assert_payload(&g, 0, 1);
	assert_payload(&g, 1, 2);
	t = capture_tap(g.capture, 0);
	assert_int_equal(capture_taps(g.capture), 1);
	assert_string_equal(t->name, "eth0");
	assert_int_equal(t->snaplen, 262144);
	assert_int_equal(t->linktype, 1);
	assert_int_equal(t->packets, 2);
	assert_true(t->dropped == UINT64_MAX);
	assert_true(t->received == UINT64_MAX);
	assert_int_equal(gathered_file(&g)->first_ns, NS + 5);
	assert_int_equal(gathered_file(&g)->last_ns, NS + 6);
	assert_string_equal(gathered_file(&g)->format, "pcapng");
	gathered_free(&g);
	made_free(&m);
}

static void test_both_orders(void **state)
{
	(void)state;
	check_order(false);
	check_order(true);
}

/* The bytes of reference 6.10: if_tsresol 9, if_fcslen 4, if_tsoffset 37; the
 * packet inbound with an FCS of 4 bytes, 3 lost before it. */
static void test_reference_example(void **state)
{
	static const uint8_t options[] = {
		0x02, 0, 0x04, 0, 0x81, 0, 0, 0,             /* flags */
		0x04, 0, 0x08, 0, 3,    0, 0, 0, 0, 0, 0, 0, /* drops */
		0,    0, 0,    0,
	};
	static const uint8_t resolution = 9, fcs = 4;
	struct made m = { 0 };
	struct gathered g;

	(void)state;
	made_section(&m);
	made_begin(&m, 1);
	made_u16(&m, 1);
	made_u16(&m, 0);
	made_u32(&m, 0);
	made_option(&m, 9, &resolution, 1);
	made_option(&m, 13, &fcs, 1);
	made_option_u64(&m, 14, 0x25);
	made_u32(&m, 0);
	made_end(&m);
	made_begin(&m, 6);
	made_u32(&m, 0);
	made_bytes(&m, "\xfe\x9c\x97\x17\x15\xcd\x85\x3d", 8);
	made_u32(&m, 64);
	made_u32(&m, 64);
	made_payload(&m, 1, 64);
	made_bytes(&m, options, sizeof options);
	made_end(&m);
	g = gather_made(&m);
	assert_clean(&g, 1);
	assert_int_equal(g.v[0].frame.ns, INT64_C(1700000037123456789));
	assert_int_equal(g.v[0].frame.flags, FRAME_IN);
	assert_int_equal(g.v[0].frame.fcs_len, 4);
	assert_int_equal(g.v[0].frame.drops, 3);
	assert_int_equal(capture_tap(g.capture, 0)->dropped, 3);
	gathered_free(&g);
	made_free(&m);
}

/* if_tsresol, if_tsoffset, units -> nanoseconds, by hand */
static void test_time_units(void **state)
{
	static const struct {
		uint8_t resolution;
		int64_t offset;
		uint64_t units;
		int64_t ns;
		bool exact;
	} rows[] = {
		{ 6, 0, 1700000000123456, 1700000000123456000, true },
		{ 9, 0, 1700000000123456789, 1700000000123456789, true },
		{ 0, 0, 1700000000, 1700000000000000000, true },
		{ 3, 0, 1700000000123, 1700000000123000000, true },
		{ 12, 0, 1700000000123, 1700000000, true },
		{ 10, 0, 19, 1, true },
		{ 28, 0, UINT64_MAX, 1, true }, /* 1.8 ns */
		{ 29, 0, UINT64_MAX, 0, true },
		{ 127, 0, UINT64_MAX, 0, true },
		{ 0x80, 0, 1700000000, 1700000000000000000, true },
		{ 0x8a, 0, 1024 + 512, 1500000000, true },
		{ 0x80 + 30, 0, 1 << 29, 500000000, true },
		{ 0x80 + 32, 0, UINT64_MAX, 4294967295999999999, true },
		{ 0x80 + 63, 0, UINT64_MAX, 1999999999, true },
		{ 0x80 + 64, 0, UINT64_MAX, 999999999, true },
		{ 0xff, 0, UINT64_MAX, 0, true },
		{ 9, -1, 1000000001, 1, true },
		{ 9, -2, 1000000000, -1000000000, true },
		{ 6, 37, 0, 37000000000, true },
		/* what nanoseconds cannot say */
		{ 6, 0, UINT64_MAX, INT64_MAX, false },
		{ 9, 0, (uint64_t)INT64_MAX + 1, INT64_MAX, false },
		{ 9, 0, INT64_MAX, INT64_MAX, true },
		{ 9, INT64_MAX, 0, INT64_MAX, false },
		{ 9, INT64_MIN, UINT64_MAX, INT64_MIN, false },
		{ 0, INT64_MAX, UINT64_MAX, INT64_MAX, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct interface at = { .resolution = rows[i].resolution,
					      .offset = rows[i].offset };
		int64_t ns;

		assert_int_equal(interface_ns(&at, rows[i].units, &ns),
				 rows[i].exact);
		assert_int_equal(ns, rows[i].ns);
	}
}

static void test_clamped_times_are_counted(void **state)
{
	struct made m = { 0 };
	struct gathered g;

	(void)state;
	made_section(&m);
	made_interface(&m, 1, 0, NULL, 0);
	made_enhanced(&m, 0, UINT64_MAX, 60, 60, 1);
	made_enhanced(&m, 0, 1, 60, 60, 2);
	g = gather_made(&m);
	assert_clean(&g, 2);
	assert_int_equal(g.v[0].frame.ns, INT64_MAX);
	assert_int_equal(gathered_file(&g)->clamped_times, 1);
	assert_int_equal(g.v[1].frame.flags, FRAME_REGRESSED);
	gathered_free(&g);
	made_free(&m);
}

/* -1 and other nonsense is no speed. */
static void test_speeds_of_no_link(void **state)
{
	static const uint64_t speeds[][2] = {
		{ UINT64_MAX, 0 },
		{ INT64_MAX, 0 },
		{ UINT64_C(1000000000000001), 0 },
		{ UINT64_C(1000000000000000), UINT64_C(1000000000000000) },
		{ UINT64_C(1600000000000), UINT64_C(1600000000000) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
		struct made m = { 0 };
		struct gathered g;

		made_section(&m);
		made_begin(&m, 1);
		made_u32(&m, 1);
		made_u32(&m, 0);
		made_option_u64(&m, 8, speeds[i][0]);
		made_u32(&m, 0);
		made_end(&m);
		made_enhanced(&m, 0, 1, 60, 60, 1);
		g = gather_made(&m);
		assert_clean(&g, 1);
		assert_int_equal(capture_tap(g.capture, 0)->speed_bps,
				 speeds[i][1]);
		gathered_free(&g);
		made_free(&m);
	}
}

/* The draft says microseconds when the option is missing. */
static void test_default_unit(void **state)
{
	struct made m = { 0 };
	struct gathered g;

	(void)state;
	made_section(&m);
	made_interface(&m, 1, 0, NULL, -1);
	made_enhanced(&m, 0, 1700000000000001, 60, 60, 1);
	g = gather_made(&m);
	assert_clean(&g, 1);
	assert_int_equal(g.v[0].frame.ns, NS + 1000);
	gathered_free(&g);
	made_free(&m);
}

/* Interface numbers, byte order and time unit are the section's own. */
static void test_sections(void **state)
{
	struct made m = { 0 };
	struct gathered g;

	(void)state;
	made_section(&m);
	made_interface(&m, 1, 0, "a", 9);
	made_enhanced(&m, 0, (uint64_t)NS, 60, 60, 1);
	m.big = true;
	made_section(&m);
	made_interface(&m, 101, 0, "b", 6);
	made_enhanced(&m, 0, (uint64_t)NS / 1000 + 1, 61, 61, 2);
	m.big = false;
	made_section(&m);
	made_interface(&m, 1, 0, "a", 9);
	made_enhanced(&m, 0, (uint64_t)NS + 2000, 62, 62, 3);
	g = gather_made(&m);
	assert_clean(&g, 3);
	assert_int_equal(g.v[1].frame.ns, NS + 1000);
	assert_int_equal(g.v[1].frame.linktype, 101);
	assert_int_equal(g.v[1].frame.tap, 1);
	/* the same name in the same file is the same place */
	assert_int_equal(g.v[2].frame.tap, 0);
	assert_int_equal(capture_taps(g.capture), 2);
	assert_int_equal(capture_tap(g.capture, 0)->packets, 2);
	assert_payload(&g, 2, 3);
	gathered_free(&g);
	made_free(&m);
}

static void test_tap_names(void **state)
{
	const char *path = made_path("taps.pcapng");
	struct capture_input input = { .path = path, .tap = "leaf1" };
	struct made m = { 0 };
	struct gathered g;
	struct err err = { 0 };
	const char *slash;

	(void)state;
	made_section(&m);
	made_interface(&m, 1, 0, "eth0", 9);
	made_interface(&m, 1, 0, NULL, 9);
	made_interface(&m, 1, 0, "eth0", 9);
	made_enhanced(&m, 0, 0, 60, 60, 1);
	made_enhanced(&m, 1, 1, 60, 60, 1);
	made_enhanced(&m, 2, 2, 60, 60, 1);
	made_write(&m, path);
	g = gather_paths(&path, 1, NULL);
	assert_clean(&g, 3);
	slash = strrchr(path, '/') + 1;
	assert_int_equal(capture_taps(g.capture), 3);
	assert_string_equal(capture_tap(g.capture, 0)->name, "eth0");
	assert_memory_equal(capture_tap(g.capture, 1)->name, slash,
			    strlen(slash));
	assert_string_equal(capture_tap(g.capture, 1)->name + strlen(slash),
			    ":1");
	assert_string_equal(capture_tap(g.capture, 2)->name, "eth0");
	assert_int_equal(capture_tap(g.capture, 2)->interface, 2);
	gathered_free(&g);

	g = gather_capture(capture_open(&input, 1, NULL, &err), &err);
	assert_string_equal(capture_tap(g.capture, 0)->name, "leaf1:eth0");
	assert_string_equal(capture_tap(g.capture, 1)->name, "leaf1:1");
	gathered_free(&g);
	made_free(&m);

	made_section(&m);
	made_interface(&m, 1, 0, "eth0", 9);
	made_enhanced(&m, 0, 0, 60, 60, 1);
	made_write(&m, path);
	g = gather_capture(capture_open(&input, 1, NULL, &err), &err);
	assert_string_equal(capture_tap(g.capture, 0)->name, "leaf1");
	gathered_free(&g);
	remove(path);
	made_free(&m);
}

/* Without time, without captured length; snap length of interface 0. */
static void check_simple(bool big)
{
	struct made m = { .big = big };
	struct gathered g;

	made_section(&m);
	made_interface(&m, 1, 60, NULL, 9);
	made_begin(&m, 3);
	made_u32(&m, 1500);
	made_payload(&m, 1, 60);
	made_end(&m);
	made_enhanced(&m, 0, 7, 58, 58, 2);
	made_begin(&m, 3);
	made_u32(&m, 42);
	made_payload(&m, 3, 42);
	made_fill(&m, 2, 0);
	made_end(&m);
	g = gather_made(&m);
	assert_clean(&g, 3);
	assert_int_equal(g.v[0].frame.caplen, 60);
	assert_int_equal(g.v[0].frame.wirelen, 1500);
	assert_int_equal(g.v[0].frame.flags, FRAME_NO_TIME);
	assert_int_equal(g.v[0].frame.ns, 7); /* of the first that has one */
	assert_int_equal(g.v[2].frame.caplen, 42);
	assert_int_equal(g.v[2].frame.ns, 7);
	assert_payload(&g, 0, 1);
	assert_payload(&g, 2, 3);
	assert_int_equal(capture_tap(g.capture, 0)->regressions, 0);
	gathered_free(&g);
	made_free(&m);
}

static void test_simple_packets(void **state)
{
	(void)state;
	check_simple(false);
	check_simple(true);
}

static void test_obsolete_packets(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct made m = { .big = orders[i] };
		struct gathered g;
		uint16_t drops;

		made_section(&m);
		made_interface(&m, 1, 0, NULL, 9);
		made_interface(&m, 1, 0, NULL, 9);
		for (drops = 4; drops; drops = drops == 4 ? 0xffff : 0) {
			made_begin(&m, 2);
			made_u16(&m, 1);
			made_u16(&m, drops);
			made_u32(&m, 1);
			made_u32(&m, 2);
			made_u32(&m, 41);
			made_u32(&m, 900);
			made_payload(&m, 9, 41);
			made_fill(&m, 3, 0);
			made_option_u32(&m, 2, 2); /* outbound */
			made_u32(&m, 0);
			made_end(&m);
		}
		g = gather_made(&m);
		assert_clean(&g, 2);
		assert_int_equal(g.v[0].frame.ns, (INT64_C(1) << 32) + 2);
		assert_int_equal(g.v[0].frame.drops, 4);
		assert_int_equal(g.v[0].frame.flags, FRAME_OUT);
		assert_int_equal(g.v[0].frame.wirelen, 900);
		assert_int_equal(g.v[1].frame.drops, 0); /* 0xffff: unknown */
		assert_int_equal(capture_tap(g.capture, 0)->interface, 1);
		assert_int_equal(capture_tap(g.capture, 0)->dropped, 4);
		assert_payload(&g, 1, 9);
		gathered_free(&g);
		made_free(&m);
	}
}

static void made_statistics(struct made *m, uint32_t interface,
			    uint64_t received, uint64_t dropped, uint64_t os)
{
	made_begin(m, 5);
	made_u32(m, interface);
	made_u64(m, 0);
	made_option(m, 1, "comment", 7);
	made_option_u64(m, 4, received);
	if (dropped != UINT64_MAX)
		made_option_u64(m, 5, dropped);
	if (os != UINT64_MAX)
		made_option_u64(m, 7, os);
	made_u32(m, 0);
	made_end(m);
}

static void made_dropping(struct made *m, uint64_t drops)
{
	made_begin(m, 6);
	made_u32(m, 0);
	made_u64(m, 0);
	made_u32(m, 0);
	made_u32(m, 60);
	made_option_u64(m, 4, drops);
	made_u32(m, 0);
	made_end(m);
}

/* Statistics and the packets' counts report the same losses; later statistics
 * replace earlier ones; sections add up. */
static void test_statistics(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct made m = { .big = orders[i] };
		struct gathered g;
		const struct capture_tap *t;

		made_section(&m);
		made_interface(&m, 1, 0, "x", 9);
		made_interface(&m, 1, 0, "silent", 9);
		made_interface(&m, 1, 0, "unseen", 9);
		made_dropping(&m, 2);
		made_dropping(&m, 5);
		made_statistics(&m, 0, 10, 1, 2);
		made_statistics(&m, 0, 20, 6, 5);
		made_statistics(&m, 1, 0, UINT64_MAX, UINT64_MAX);
		made_statistics(&m, 99, 7, 7, 7);
		made_section(&m);
		made_interface(&m, 1, 0, "x", 9);
		made_statistics(&m, 0, 100, 30, UINT64_MAX);
		g = gather_made(&m);
		assert_clean(&g, 2);
		assert_int_equal(g.v[1].frame.drops, 5);
		assert_int_equal(g.v[1].frame.caplen, 0);
		assert_int_equal(capture_taps(g.capture), 2);
		t = capture_tap(g.capture, 0);
		assert_int_equal(t->received, 120);
		assert_int_equal(t->dropped, 11 + 30);
		t = capture_tap(g.capture, 1);
		assert_string_equal(t->name, "silent");
		assert_int_equal(t->packets, 0);
		assert_int_equal(t->received, 0);
		assert_true(t->dropped == UINT64_MAX);
		gathered_free(&g);
		made_free(&m);
	}
}

/* Counts beyond what is possible add up to the largest, not to none. */
static void test_statistics_beyond(void **state)
{
	const uint64_t half = UINT64_C(1) << 63;
	struct made m = { 0 };
	struct gathered g;

	(void)state;
	made_section(&m);
	made_interface(&m, 1, 0, "x", 9);
	made_statistics(&m, 0, half + 9, half, half);
	for (int i = 0; i < 2; i++) {
		made_section(&m);
		made_interface(&m, 1, 0, "x", 9);
		made_interface(&m, 1, 0, "y", 9);
		made_statistics(&m, 0, half, half, UINT64_MAX);
		made_dropping(&m, half);
		made_statistics(&m, 1, half, 0, UINT64_MAX);
	}
	g = gather_made(&m);
	assert_int_equal(capture_taps(g.capture), 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(capture_tap(g.capture, i)->received,
				 INT64_MAX);
	assert_int_equal(capture_tap(g.capture, 0)->dropped, INT64_MAX);
	assert_int_equal(capture_tap(g.capture, 1)->dropped, 0);
	gathered_free(&g);
	made_free(&m);
}

static void check_flags(uint32_t flags, uint8_t expected, uint8_t fcs)
{
	struct made m = { .big = true };
	static const uint8_t bits = 32;
	struct gathered g;

	made_section(&m);
	made_begin(&m, 1);
	made_u16(&m, 1);
	made_u16(&m, 0);
	made_u32(&m, 0);
	made_option(&m, 13, &bits, 1); /* if_fcslen as some read the draft */
	made_end(&m);
	made_begin(&m, 6);
	made_u32(&m, 0);
	made_u64(&m, 0);
	made_u32(&m, 64);
	made_u32(&m, 64);
	made_payload(&m, 1, 64);
	made_option(&m, 1, "first", 5);
	made_option(&m, 1, "second", 6);
	made_option_u32(&m, 2, flags);
	made_end(&m); /* no end mark */
	g = gather_made(&m);
	assert_clean(&g, 1);
	assert_int_equal(g.v[0].frame.flags, expected);
	assert_int_equal(g.v[0].frame.fcs_len, fcs);
	gathered_free(&g);
	made_free(&m);
}

static void test_packet_flags(void **state)
{
	uint32_t bit;

	(void)state;
	check_flags(0, 0, 4);
	check_flags(1, FRAME_IN, 4);
	check_flags(2, FRAME_OUT, 4);
	check_flags(3, 0, 4);
	check_flags(2 << 5, 0, 2); /* beats if_fcslen */
	for (bit = 24; bit < 32; bit++)
		check_flags(1u << bit, FRAME_LINK_ERROR, 4);
	check_flags(1u << 23 | 1u << 9, 0, 4);
}

/* Blocks without packets are passed over; of some Wireshark makes frames all
 * the same (proved by golden.robustness.numbers), so they are numbered. */
static void test_other_blocks(void **state)
{
	static const struct {
		uint32_t type;
		bool numbered;
	} others[] = {
		{ 4, false },         { 10, false },   { 0x70000000, false },
		{ 0xffffff, false },  { 9, true },     { 0x0bad, true },
		{ 0x40000bad, true }, { 0x204, true }, { 0x216, true },
		{ 0x221, true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof others / sizeof *others; i++) {
		struct made m = { 0 };
		struct gathered g;

		made_section(&m);
		made_interface(&m, 1, 0, NULL, 9);
		made_begin(&m, others[i].type);
		made_fill(&m, 40 + 4 * i, 0xff);
		made_end(&m);
		made_enhanced(&m, 0, 1, 60, 60, 1);
		g = gather_made(&m);
		assert_clean(&g, 1);
		assert_int_equal(g.v[0].frame.number,
				 others[i].numbered ? 2 : 1);
		gathered_free(&g);
		made_free(&m);
	}
}

static void test_packets_that_cannot_be_handed_out(void **state)
{
	struct made m = { 0 };
	const struct capture_file *f;
	struct gathered g;
	size_t from, at;

	(void)state;
	made_section(&m);
	made_interface(&m, 1, 0, NULL, 9);
	from = m.n;
	made_enhanced(&m, 7, 1, 60, 60, 1); /* no such interface */
	at = m.n;
	made_enhanced(&m, 0, 2, 60, 60, 2);
	made_set_u32(&m, at + 20, 61); /* longer than its block */
	made_begin(&m, 6);             /* too short */
	made_end(&m);
	made_enhanced(&m, 0, 3, 60, 60, 3);
	g = gather_made(&m);
	f = gathered_file(&g);
	assert_int_equal(g.n, 1);
	assert_int_equal(g.v[0].frame.number, 4);
	assert_payload(&g, 0, 3);
	assert_int_equal(f->skipped, 3);
	assert_int_equal(f->damage_count, 3);
	assert_int_equal(f->damage[0].from, from);
	assert_int_equal(f->damage[0].to, at);
	assert_int_equal(f->damage[1].from, at);
	assert_string_equal(f->damage[1].why, "a packet longer than its block");
	gathered_free(&g);
	made_free(&m);
}

static void test_odd_lengths(void **state)
{
	struct made m = { 0 };
	struct gathered g;

	(void)state;
	made_section(&m);
	made_interface(&m, 1, 50, NULL, 9);
	made_enhanced(&m, 0, 1, 0, 0, 1);
	made_enhanced(&m, 0, 2, 60, 60, 2);
	made_enhanced(&m, 0, 3, 40, 30, 3);
	made_enhanced(&m, 0, 4, 1000 * 1000, 1000 * 1000, 4);
	made_enhanced(&m, 0, 5, 3 * 1000 * 1000, 3 * 1000 * 1000, 5);
	made_begin(&m, 10); /* long, and no packet */
	made_fill(&m, 2000000, 1);
	made_end(&m);
	made_enhanced(&m, 0, 6, 40, 40, 6);
	g = gather_made(&m);
	assert_int_equal(g.n, 5);
	assert_int_equal(g.v[0].frame.caplen, 0);
	assert_int_equal(g.v[1].frame.flags, FRAME_BAD_LENGTH);
	assert_int_equal(g.v[1].frame.caplen, 60);
	assert_int_equal(g.v[2].frame.flags, FRAME_BAD_LENGTH);
	assert_int_equal(g.v[2].frame.wirelen, 40);
	assert_payload(&g, 3, 4);
	assert_payload(&g, 4, 6);
	assert_int_equal(g.v[4].frame.number, 6);
	assert_int_equal(gathered_file(&g)->skipped, 1);
	assert_int_equal(gathered_file(&g)->damage_count, 0);
	gathered_free(&g);
	made_free(&m);
}

/* Some writers do not pad the length of a block. */
static void test_block_length_not_padded(void **state)
{
	struct made m = { 0 };
	struct gathered g;
	size_t at;

	(void)state;
	made_section(&m);
	made_interface(&m, 1, 0, NULL, 9);
	at = m.n;
	made_enhanced(&m, 0, 1, 61, 61, 1);
	made_set_u32(&m, at + 4, (uint32_t)(m.n - at) - 3);
	made_set_u32(&m, m.n - 4, (uint32_t)(m.n - at) - 3);
	made_enhanced(&m, 0, 2, 60, 60, 2);
	g = gather_made(&m);
	assert_clean(&g, 2);
	assert_payload(&g, 0, 1);
	gathered_free(&g);
	made_free(&m);
}

static void test_versions(void **state)
{
	struct made m = { 0 };
	struct gathered g;
	size_t at;

	(void)state;
	made_section(&m);
	m.p[12] = 2;
	g = gather_made(&m);
	assert_null(g.capture);
	assert_string_equal(g.err.text,
			    "memory: pcapng version 2.0 is not known");
	gathered_free(&g);
	m.p[12] = 1;
	made_interface(&m, 1, 0, NULL, 9);
	made_enhanced(&m, 0, 1, 60, 60, 1);
	at = m.n;
	made_section(&m);
	m.p[at + 12] = 9;
	made_interface(&m, 1, 0, NULL, 9);
	made_enhanced(&m, 0, 2, 60, 60, 2);
	made_section(&m);
	made_interface(&m, 1, 0, NULL, 9);
	made_enhanced(&m, 0, 3, 60, 60, 3);
	g = gather_made(&m);
	assert_int_equal(g.n, 2);
	assert_payload(&g, 1, 3);
	assert_int_equal(gathered_file(&g)->damage_count, 1);
	assert_int_equal(gathered_file(&g)->damage[0].from, at);
	gathered_free(&g);
	made_free(&m);
}

/* Packets of all lengths across the ends of many read buffers. */
static void test_packets_cross_buffers(void **state)
{
	struct made m = { .big = true };
	struct gathered g;
	uint32_t i, n = 3000;

	(void)state;
	made_section(&m);
	made_interface(&m, 1, 0, NULL, 9);
	for (i = 0; i < n; i++) {
		uint32_t length = i * 7919 % 2000;

		if (i % 500 == 499)
			length = 262144 - i;
		made_enhanced(&m, 0, i, length, length, i);
	}
	g = gather_made(&m);
	assert_clean(&g, n);
	for (i = 0; i < n; i++) {
		assert_int_equal(g.v[i].frame.ns, i);
		assert_payload(&g, i, i);
	}
	gathered_free(&g);
	made_free(&m);
}

static void test_cut_files(void **state)
{
	struct made m = { 0 };
	size_t at, whole;

	(void)state;
	made_section(&m);
	made_interface(&m, 1, 0, NULL, 9);
	made_enhanced(&m, 0, 1, 60, 60, 1);
	whole = m.n;
	made_enhanced(&m, 0, 2, 60, 60, 2);
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

static void test_not_quite_pcapng(void **state)
{
	struct made m = { 0 };
	struct gathered g;

	(void)state;
	made_section(&m);
	g = gather_bytes(m.p, 27);
	assert_null(g.capture);
	assert_string_equal(g.err.text,
			    "memory: ends inside the pcapng section header");
	gathered_free(&g);
	g = gather_made(&m);
	assert_clean(&g, 0);
	gathered_free(&g);
	m.p[8] ^= 1;
	g = gather_made(&m);
	assert_null(g.capture);
	gathered_free(&g);
	made_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_orders),
		cmocka_unit_test(test_reference_example),
		cmocka_unit_test(test_time_units),
		cmocka_unit_test(test_clamped_times_are_counted),
		cmocka_unit_test(test_speeds_of_no_link),
		cmocka_unit_test(test_default_unit),
		cmocka_unit_test(test_sections),
		cmocka_unit_test(test_tap_names),
		cmocka_unit_test(test_simple_packets),
		cmocka_unit_test(test_obsolete_packets),
		cmocka_unit_test(test_statistics),
		cmocka_unit_test(test_statistics_beyond),
		cmocka_unit_test(test_packet_flags),
		cmocka_unit_test(test_other_blocks),
		cmocka_unit_test(test_packets_that_cannot_be_handed_out),
		cmocka_unit_test(test_odd_lengths),
		cmocka_unit_test(test_block_length_not_padded),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_packets_cross_buffers),
		cmocka_unit_test(test_cut_files),
		cmocka_unit_test(test_not_quite_pcapng),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
