/* SPDX-License-Identifier: GPL-2.0-or-later
 * gzip, zstd and lz4: whole, concatenated, cut, corrupt, enormous. */
#include "capture/unpack.h"

#define ZLIB_CONST
#include <lz4frame.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "maker.h"

enum { SEC = 1700000000, PACKETS = 2000 };

/* Appends |n| bytes, packed. */
typedef void packer(struct made *m, const uint8_t *p, size_t n);

static void pack_gzip(struct made *m, const uint8_t *p, size_t n)
{
	z_stream z = { 0 };
	uint8_t out[4096];
	int rc;

	assert_int_equal(
		deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
		Z_OK);
	z.next_in = p;
	z.avail_in = (uInt)n;
	do {
		z.next_out = out;
		z.avail_out = sizeof out;
		rc = deflate(&z, Z_FINISH);
		made_bytes(m, out, sizeof out - z.avail_out);
	} while (rc == Z_OK);
	assert_int_equal(rc, Z_STREAM_END);
	deflateEnd(&z);
}

static void pack_zstd(struct made *m, const uint8_t *p, size_t n)
{
	size_t room = ZSTD_compressBound(n);
	uint8_t *out = malloc(room);
	size_t rc;

	assert_non_null(out);
	rc = ZSTD_compress(out, room, p, n, 3);
	assert_false(ZSTD_isError(rc));
	made_bytes(m, out, rc);
	free(out);
}

static void pack_lz4(struct made *m, const uint8_t *p, size_t n)
{
	LZ4F_preferences_t how = { 0 };
	size_t room, rc;
	uint8_t *out;

	how.frameInfo.blockMode = LZ4F_blockLinked;
	how.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
	room = LZ4F_compressFrameBound(n, &how);
	out = malloc(room);
	assert_non_null(out);
	rc = LZ4F_compressFrame(out, room, p, n, &how);
	assert_false(LZ4F_isError(rc));
	made_bytes(m, out, rc);
	free(out);
}

static const struct {
	packer *pack;
	const char *format;
} packers[] = {
	{ pack_gzip, "pcap.gz" },
	{ pack_zstd, "pcap.zst" },
	{ pack_lz4, "pcap.lz4" },
};
enum { PACKERS = sizeof packers / sizeof *packers };

static void made_capture(struct made *m)
{
	uint32_t i;

	made_pcap(m, 0xa1b2c3d4, 0, 1);
	for (i = 0; i < PACKETS; i++)
		made_record(m, SEC, i, 60 + i * 31 % 1200, 1500, i);
}

static void assert_all(const struct gathered *g)
{
	uint32_t i;

	assert_int_equal(g->last, 0);
	assert_int_equal(g->n, PACKETS);
	for (i = 0; i < PACKETS; i++)
		assert_payload(g, i, i);
	assert_int_equal(gathered_file(g)->damage_count, 0);
	assert_false(gathered_file(g)->cut);
}

static void test_whole(void **state)
{
	struct made m = { 0 }, packed = { 0 };
	size_t i;

	(void)state;
	made_capture(&m);
	for (i = 0; i < PACKERS; i++) {
		struct gathered g;

		packers[i].pack(&packed, m.p, m.n);
		g = gather_made(&packed);
		assert_all(&g);
		assert_string_equal(gathered_file(&g)->format,
				    packers[i].format);
		assert_int_equal(gathered_file(&g)->bytes, m.n);
		gathered_free(&g);
		made_free(&packed);
	}
	made_free(&m);
}

/* Members of any length, empty ones, skippable zstd frames (as pzstd writes
 * them), zeros behind the end: one stream. */
static void test_concatenated(void **state)
{
	struct made m = { 0 }, packed = { 0 };
	size_t i, at, n;

	(void)state;
	made_capture(&m);
	for (i = 0; i < PACKERS; i++) {
		struct gathered g;

		if (packers[i].pack == pack_zstd)
			made_bytes(&packed,
				   "\x50\x2a\x4d\x18\x04\0\0\0\1\2\3\4", 12);
		for (at = 0; at < m.n; at += n) {
			n = m.n - at < 99991 ? m.n - at : 99991;
			packers[i].pack(&packed, m.p + at, n);
			packers[i].pack(&packed, m.p, 0);
		}
		made_fill(&packed, 1000, 0);
		g = gather_made(&packed);
		assert_all(&g);
		gathered_free(&g);
		made_free(&packed);
	}
	made_free(&m);
}

/* A cut stream gives the packets of what there is. */
static void test_cut(void **state)
{
	struct made m = { 0 }, packed = { 0 };
	size_t i, at, last;

	(void)state;
	made_capture(&m);
	for (i = 0; i < PACKERS; i++) {
		packers[i].pack(&packed, m.p, m.n);
		last = 0;
		for (at = packed.n / 4; at < packed.n; at += packed.n / 16) {
			struct gathered g = gather_bytes(packed.p, at);

			assert_int_equal(g.last, 0);
			assert_true(g.n >= last);
			assert_true(gathered_file(&g)->cut);
			assert_true(gathered_file(&g)->damage_count > 0);
			last = g.n;
			gathered_free(&g);
		}
		/* only what the last block holds is missing */
		assert_true(last > PACKETS / 2);
		made_free(&packed);
	}
	made_free(&m);
}

/* The packets before the bad byte come out, but for a block's worth. */
static void test_corrupt(void **state)
{
	struct made m = { 0 }, packed = { 0 };
	size_t i;

	(void)state;
	made_capture(&m);
	for (i = 0; i < PACKERS; i++) {
		const struct capture_file *f;
		struct gathered g;

		packers[i].pack(&packed, m.p, m.n);
		memset(packed.p + packed.n * 3 / 4, 0xff, 40);
		g = gather_made(&packed);
		f = gathered_file(&g);
		assert_int_equal(g.last, 0);
		assert_true(g.n > PACKETS / 3);
		assert_true(g.n < PACKETS);
		assert_true(f->damage_count > 0);
		assert_true(f->cut);
		assert_string_equal(f->damage[f->damage_count - 1].why,
				    "the compressed data are corrupt");
		gathered_free(&g);
		made_free(&packed);
	}
	made_free(&m);
}

/* Zeros in a broken stream are not the padding behind a whole one. */
static void test_corrupt_to_the_end(void **state)
{
	struct made m = { 0 }, packed = { 0 };
	size_t i;

	(void)state;
	made_capture(&m);
	for (i = 0; i < PACKERS; i++) {
		const struct capture_file *f;
		struct gathered g;

		packers[i].pack(&packed, m.p, m.n);
		memset(packed.p + packed.n * 3 / 4, 0xff, 40);
		memset(packed.p + packed.n * 3 / 4 + 40, 0, packed.n / 4 - 40);
		g = gather_made(&packed);
		f = gathered_file(&g);
		assert_true(f->damage_count > 0);
		assert_true(f->cut);
		gathered_free(&g);
		made_free(&packed);
	}
	made_free(&m);
}

static void test_bytes_behind(void **state)
{
	struct made m = { 0 }, packed = { 0 };
	size_t i;

	(void)state;
	made_capture(&m);
	for (i = 0; i < PACKERS; i++) {
		struct gathered g;

		packers[i].pack(&packed, m.p, m.n);
		made_bytes(&packed, "this is not packed", 18);
		g = gather_made(&packed);
		assert_int_equal(g.n, PACKETS);
		assert_int_equal(gathered_file(&g)->damage_count, 1);
		assert_string_equal(gathered_file(&g)->damage[0].why,
				    "bytes after the compressed data");
		gathered_free(&g);
		made_free(&packed);
	}
	made_free(&m);
}

/* Zeros without end behind a packet: what it costs in memory is looked at in
 * bounded_test. */
static void test_bomb(void **state)
{
	enum { PIECE = 4 << 20, PIECES = 16 };
	uint8_t *zeros = calloc(1, PIECE);
	struct made head = { 0 }, packed = { 0 };
	size_t i, k;

	(void)state;
	assert_non_null(zeros);
	made_pcap(&head, 0xa1b2c3d4, 0, 1);
	made_record(&head, SEC, 0, 60, 60, 1);
	for (i = 0; i < PACKERS; i++) {
		struct gathered g;
		struct made piece = { 0 };

		packers[i].pack(&packed, head.p, head.n);
		packers[i].pack(&piece, zeros, PIECE);
		for (k = 0; k < PIECES; k++)
			made_bytes(&packed, piece.p, piece.n);
		g = gather_made(&packed);
		assert_int_equal(g.n, 1);
		assert_int_equal(gathered_file(&g)->damage_count, 1);
		assert_int_equal(gathered_file(&g)->bytes,
				 head.n + (uint64_t)PIECE * PIECES);
		gathered_free(&g);
		made_free(&piece);
		made_free(&packed);
	}
	free(zeros);
	made_free(&head);
}

static void test_packed_but_no_capture(void **state)
{
	struct made packed = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < PACKERS; i++) {
		struct gathered g;

		packers[i].pack(&packed, (const uint8_t *)"hello world", 11);
		g = gather_made(&packed);
		assert_null(g.capture);
		assert_non_null(strstr(g.err.text, "not a capture"));
		gathered_free(&g);
		g = gather_bytes(packed.p, 5);
		assert_null(g.capture);
		assert_non_null(strstr(g.err.text, "end early"));
		gathered_free(&g);
		made_free(&packed);
		packers[i].pack(&packed, (const uint8_t *)"", 0);
		g = gather_made(&packed);
		assert_null(g.capture);
		assert_non_null(strstr(g.err.text, "empty"));
		gathered_free(&g);
		made_free(&packed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_concatenated),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_corrupt),
		cmocka_unit_test(test_corrupt_to_the_end),
		cmocka_unit_test(test_bytes_behind),
		cmocka_unit_test(test_bomb),
		cmocka_unit_test(test_packed_but_no_capture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
