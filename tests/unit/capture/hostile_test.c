/* SPDX-License-Identifier: GPL-2.0-or-later
 * Small captures of every kind, cut at every byte and with every bit flipped.
 * To be run under sanitizers, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "base/crc32.h"
#include "capture/capture.h"
#include "maker.h"

enum { SEC = 1700000000, PACKETS = 30 };

/* Reads all there is, touches every byte, checks what must always be so.
 * Returns the packets. */
static size_t survive(const uint8_t *p, size_t n, bool *cut)
{
	struct err err = { 0 };
	struct capture *c = capture_open_bytes(p, n, NULL, &err);
	const struct capture_file *f;
	const struct frame *frames;
	size_t packets = 0;
	uint64_t i;
	int got, k;

	if (!c) {
		assert_int_not_equal(err.code, ERR_NONE);
		return 0;
	}
	while ((got = capture_next(c, &frames, &err)) > 0) {
		for (k = 0; k < got; k++) {
			const struct frame *x = &frames[k];

			assert_true(x->caplen <= x->wirelen);
			assert_true(x->fcs_len <= 8);
			assert_non_null(capture_tap(c, x->tap));
			crc32_add(CRC32_START, x->data, x->caplen);
		}
		packets += (size_t)got;
	}
	assert_int_equal(got, 0);
	f = capture_file(c, 0);
	assert_int_equal(f->packets, packets);
	for (i = 0; i < f->damage_count && i < CAPTURE_DAMAGE_KEPT; i++) {
		assert_true(f->damage[i].from <= f->damage[i].to);
		assert_true(f->damage[i].to <= f->bytes);
		assert_non_null(f->damage[i].why);
	}
	if (cut)
		*cut = f->cut > 0;
	capture_free(c);
	return packets;
}

static void check_pcap(struct made *m, uint32_t magic, int extra)
{
	uint32_t i;

	made_pcap(m, magic, 100, 1);
	for (i = 0; i < PACKETS; i++) {
		made_record(m, SEC + i, i, 0, 90, 0);
		made_set_u32(m, m->n - 8, 20 + i);
		if (extra) {
			made_u32(m, 1);
			made_u32(m, 0);
		}
		made_payload(m, i, 20 + i);
	}
}

static void make_micro(struct made *m)
{
	check_pcap(m, 0xa1b2c3d4, 0);
}

static void make_modified(struct made *m)
{
	m->big = true;
	check_pcap(m, 0xa1b2cd34, 8);
}

static void make_pcapng(struct made *m)
{
	uint32_t i;

	made_section(m);
	made_interface(m, 1, 0, "one", 9);
	made_interface(m, 1, 0, "two", 0x80 + 20);
	for (i = 0; i < PACKETS; i++) {
		made_begin(m, 6);
		made_u32(m, i % 2);
		made_u32(m, 0x17979cfe);
		made_u32(m, i);
		made_u32(m, 20);
		made_u32(m, 90);
		made_payload(m, i, 20);
		made_option(m, 1, "remark", 6);
		made_option_u32(m, 2, 0x81);
		made_option_u64(m, 4, 1);
		made_u32(m, 0);
		made_end(m);
	}
}

static void make_sections(struct made *m)
{
	int i;

	for (i = 0; i < 5; i++) {
		m->big = i % 2;
		made_section(m);
		made_interface(m, 1, 64, "x", 6);
		made_begin(m, 3);
		made_u32(m, 20);
		made_payload(m, 1, 20);
		made_end(m);
		made_begin(m, 2);
		made_u32(m, 0);
		made_u64(m, 7);
		made_u32(m, 8);
		made_u32(m, 8);
		made_payload(m, 1, 8);
		made_end(m);
		made_begin(m, 5);
		made_u32(m, 0);
		made_u64(m, 0);
		made_option_u64(m, 4, 5);
		made_option_u64(m, 5, 6);
		made_end(m);
		made_begin(m, 4);
		made_fill(m, 8, 0);
		made_end(m);
	}
}

static void make_gzip(struct made *m)
{
	struct made plain = { 0 };
	uLongf n;
	z_stream z = { 0 };

	make_micro(&plain);
	n = compressBound((uLong)plain.n) + 100;
	made_fill(m, n, 0);
	assert_int_equal(
		deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
		Z_OK);
	z.next_in = plain.p;
	z.avail_in = (uInt)plain.n;
	z.next_out = m->p;
	z.avail_out = (uInt)n;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	m->n = z.total_out;
	deflateEnd(&z);
	made_free(&plain);
}

static void make_zstd(struct made *m)
{
	struct made plain = { 0 };

	make_pcapng(&plain);
	made_fill(m, ZSTD_compressBound(plain.n), 0);
	m->n = ZSTD_compress(m->p, m->n, plain.p, plain.n, 3);
	made_free(&plain);
}

static const struct {
	const char *name;
	void (*make)(struct made *m);
	size_t packets;
	size_t least; /* that any flipped bit leaves, behind the head */
	size_t head;
	size_t step; /* of what costs a decoder every time, not all */
} samples[] = {
	{ "pcap", make_micro, PACKETS, PACKETS - 3, 24, 1 },
	{ "modified pcap", make_modified, PACKETS, PACKETS - 3, 24, 1 },
	{ "pcapng", make_pcapng, PACKETS, PACKETS - 1, 28 + 2 * 40, 1 },
	{ "sections", make_sections, 10, 0, 0, 1 },
	{ "gzip", make_gzip, PACKETS, 0, 0, 11 },
	{ "zstd", make_zstd, PACKETS, 0, 0, 11 },
};
enum { SAMPLES = sizeof samples / sizeof *samples };

/* Never more packets from less file, and what misses an end says so. */
static void test_cut_at_every_byte(void **state)
{
	size_t k, n;

	(void)state;
	for (k = 0; k < SAMPLES; k++) {
		struct made m = { 0 };
		size_t before = 0, packets;
		bool cut = false;

		samples[k].make(&m);
		for (n = 0; n < m.n; n += samples[k].step) {
			/* a copy, so that reading over its end is seen */
			uint8_t *copy = malloc(n ? n : 1);

			assert_non_null(copy);
			memcpy(copy, m.p, n);
			packets = survive(copy, n, &cut);
			assert_true(packets >= before);
			assert_true(packets < samples[k].packets ||
				    !samples[k].least);
			before = packets;
			free(copy);
		}
		assert_int_equal(survive(m.p, m.n, &cut), samples[k].packets);
		assert_false(cut);
		made_free(&m);
	}
}

static void test_every_bit_flipped(void **state)
{
	size_t k, bit;

	(void)state;
	for (k = 0; k < SAMPLES; k++) {
		struct made m = { 0 };

		samples[k].make(&m);
		for (bit = 0; bit < m.n * 8; bit += samples[k].step) {
			size_t packets;

			m.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
			packets = survive(m.p, m.n, NULL);
			if (bit / 8 >= samples[k].head &&
			    packets < samples[k].least)
				fail_msg("%s: bit %zu of octet %zu leaves %zu",
					 samples[k].name, bit % 8, bit / 8,
					 packets);
			m.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		made_free(&m);
	}
}

/* A few bytes overwritten, taken out and put in, at random. */
static void test_mangled(void **state)
{
	uint32_t seed = 12345;
	size_t k;
	int i, j;

	(void)state;
	for (k = 0; k < SAMPLES; k++) {
		struct made m = { 0 };

		samples[k].make(&m);
		for (i = 0; i < 2000; i += (int)samples[k].step) {
			struct made x = { 0 };

			made_bytes(&x, m.p, m.n);
			for (j = 0; j < 4; j++) {
				size_t at;

				seed = seed * 1664525 + 1013904223;
				at = (seed >> 8) % (x.n - 16);
				if (seed >> 30 == 3)
					x.n -= 1 + (seed & 7);
				else if (seed >> 31)
					memmove(x.p + at, x.p + at + 3,
						x.n - at - 3);
				else
					x.p[at] = (uint8_t)(seed >> 12);
			}
			survive(x.p, x.n, NULL);
			made_free(&x);
		}
		made_free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_at_every_byte),
		cmocka_unit_test(test_every_bit_flipped),
		cmocka_unit_test(test_mangled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
