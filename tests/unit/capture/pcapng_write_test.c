/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writing pcapng: bytes as the draft has them, disks that are full.  What
 * Wireshark makes of it is looked at in golden/robustness.py. */
#include "capture/pcapng_write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "maker.h"

static struct pcapng_writer *begin(const char *path)
{
	struct err err = { 0 };
	struct pcapng_writer *w =
		pcapng_writer_new(path, "made by a test", &err);

	assert_non_null(w);
	return w;
}

static int interface(struct pcapng_writer *w, uint8_t resolution)
{
	const struct pcapng_interface i = { .name = "eth0",
					    .description = "to the spine",
					    .speed_bps = 400000000000,
					    .snaplen = 256,
					    .linktype = 1,
					    .tsresol = resolution };

	return pcapng_writer_interface(w, &i, NULL);
}

static size_t slurp(const char *path, uint8_t *to, size_t room)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	assert_non_null(f);
	n = fread(to, 1, room, f);
	fclose(f);
	return n;
}

/* The whole file, word by word. */
static void test_bytes(void **state)
{
	const char *path = made_path("octets.pcapng");
	const struct pcapng_interface bare = { .linktype = 247 };
	const struct pcapng_packet p = { .ns = 0x0000000200000001,
					 .data = (const uint8_t *)"abcde",
					 .caplen = 5,
					 .wirelen = 9,
					 .epb_flags = 1,
					 .dropcount = 3,
					 .comment = "why" };
	struct pcapng_writer *w = pcapng_writer_new(path, NULL, NULL);
	static const uint16_t one = 1;
	struct made m = { .big = !*(const uint8_t *)&one };
	uint8_t got[1000], nine = 9;

	(void)state;
	assert_int_equal(pcapng_writer_interface(w, &bare, NULL), 0);
	assert_int_equal(pcapng_writer_packet(w, &p, NULL), 0);
	assert_int_equal(pcapng_writer_statistics(w, 0, 7, 4, 3, NULL, NULL),
			 0);
	assert_int_equal(pcapng_writer_close(w, NULL), 0);

	made_begin(&m, 0x0a0d0d0a);
	made_u32(&m, 0x1a2b3c4d);
	made_u16(&m, 1);
	made_u16(&m, 0);
	made_u64(&m, UINT64_MAX);
	made_option(&m, 4, "fabscope", 8);
	made_u32(&m, 0);
	made_end(&m);
	made_begin(&m, 1);
	made_u16(&m, 247);
	made_u16(&m, 0);
	made_u32(&m, 0);
	made_option(&m, 9, &nine, 1);
	made_u32(&m, 0);
	made_end(&m);
	made_begin(&m, 6);
	made_u32(&m, 0);
	made_u32(&m, 2);
	made_u32(&m, 1);
	made_u32(&m, 5);
	made_u32(&m, 9);
	made_bytes(&m, "abcde\0\0", 8);
	made_option(&m, 1, "why", 3);
	made_option_u32(&m, 2, 1);
	made_option_u64(&m, 4, 3);
	made_u32(&m, 0);
	made_end(&m);
	made_begin(&m, 5);
	made_u32(&m, 0);
	made_u32(&m, 0);
	made_u32(&m, 7);
	made_option_u64(&m, 4, 4);
	made_option_u64(&m, 5, 3);
	made_u32(&m, 0);
	made_end(&m);
	assert_int_equal(slurp(path, got, sizeof got), m.n);
	assert_memory_equal(got, m.p, m.n);
	remove(path);
	made_free(&m);
}

/* if_tsresol, ns in -> ns out */
static void test_resolutions(void **state)
{
	static const struct {
		uint8_t resolution;
		int64_t in, out;
	} rows[] = {
		{ 0, 1700000000123456789, 1700000000123456789 },
		{ 9, INT64_MAX, INT64_MAX },
		{ 9, -5, 0 }, /* before the epoch: its beginning */
		{ 6, 1700000000123456789, 1700000000123456000 },
		{ 3, 1700000000123456789, 1700000000123000000 },
		{ 12, 1700000, 1700000 },
		{ 12, INT64_MAX, 18446744073709551 }, /* 2^64 ps */
		{ 0x80, 1700000000999999999, 1700000000000000000 },
		{ 0x80 + 10, 1500000000, 1500000000 },
		{ 0x80 + 30, 1700000000123456789, 1700000000123456788 },
		{ 0x80 + 60, 15999999999, 15999999998 },
		{ 0x80 + 60, 17000000000, 15999999999 },
		{ 0xff, 5, 0 },
		{ 0x7f, 5, 0 },
	};
	const char *path = made_path("units.pcapng");
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct pcapng_writer *w = begin(path);
		const struct pcapng_packet p = { .ns = rows[i].in };
		struct gathered g;

		assert_int_equal(interface(w, rows[i].resolution), 0);
		assert_int_equal(pcapng_writer_packet(w, &p, NULL), 0);
		assert_int_equal(pcapng_writer_close(w, NULL), 0);
		g = gather_paths(&path, 1, NULL);
		assert_int_equal(g.n, 1);
		assert_int_equal(g.v[0].frame.ns, rows[i].out);
		gathered_free(&g);
	}
	remove(path);
}

static void test_round_trip(void **state)
{
	const char *path = made_path("round.pcapng");
	struct pcapng_writer *w = begin(path);
	const struct capture_tap *t;
	struct made m = { 0 };
	struct gathered g;
	uint32_t i;

	(void)state;
	made_payload(&m, 5, 1000);
	assert_int_equal(interface(w, 0), 0);
	assert_int_equal(interface(w, 6), 1);
	for (i = 0; i < 1000; i++) {
		const struct pcapng_packet p = {
			.ns = 1700000000000000000 + i * INT64_C(1000),
			.data = m.p,
			.caplen = i,
			.wirelen = 1500,
			.interface = i % 2,
			.epb_flags = i % 3,
			.dropcount = i % 10 == 0,
			.comment = i % 7 ? NULL : "every seventh",
		};

		assert_int_equal(pcapng_writer_packet(w, &p, NULL), 0);
	}
	assert_int_equal(pcapng_writer_statistics(w, 1, 5, UINT64_MAX, 77,
						  "lossy", NULL),
			 0);
	assert_int_equal(pcapng_writer_close(w, NULL), 0);
	g = gather_paths(&path, 1, NULL);
	assert_int_equal(g.n, 1000);
	assert_int_equal(gathered_file(&g)->damage_count, 0);
	for (i = 0; i < 1000; i++) {
		const struct frame *f = &g.v[i].frame;

		assert_int_equal(f->ns,
				 1700000000000000000 + i * INT64_C(1000));
		assert_int_equal(f->caplen, i);
		assert_int_equal(f->drops, i % 10 == 0);
		assert_payload(&g, i, 5);
	}
	t = capture_tap(g.capture, 0);
	assert_string_equal(t->name, "eth0");
	assert_int_equal(t->speed_bps, 400000000000);
	assert_int_equal(t->snaplen, 256);
	assert_int_equal(t->dropped, 100);
	assert_int_equal(capture_tap(g.capture, 1)->dropped, 77);
	assert_true(capture_tap(g.capture, 1)->received == UINT64_MAX);
	gathered_free(&g);
	remove(path);
	made_free(&m);
}

/* A comment longer than an option can be keeps whole characters. */
static void test_long_comment(void **state)
{
	const char *path = made_path("comment.pcapng");
	struct pcapng_writer *w = begin(path);
	char *comment = malloc(70001);
	struct pcapng_packet p = { .comment = comment };
	struct gathered g;
	int i;

	(void)state;
	assert_non_null(comment);
	for (i = 0; i < 70000; i += 2)
		memcpy(comment + i, "\xc3\xa9", 2);
	comment[70000] = 0;
	assert_int_equal(interface(w, 0), 0);
	assert_int_equal(pcapng_writer_packet(w, &p, NULL), 0);
	assert_int_equal(pcapng_writer_close(w, NULL), 0);
	g = gather_paths(&path, 1, NULL);
	assert_int_equal(g.n, 1);
	assert_int_equal(gathered_file(&g)->damage_count, 0);
	gathered_free(&g);
	free(comment);
	remove(path);
}

static void test_unknown_interface(void **state)
{
	const char *path = made_path("unknown.pcapng");
	struct pcapng_writer *w = begin(path);
	const struct pcapng_packet p = { .interface = 1 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(interface(w, 0), 0);
	assert_int_equal(pcapng_writer_packet(w, &p, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	assert_int_equal(pcapng_writer_statistics(w, 1, 0, 0, 0, NULL, &err),
			 -1);
	assert_int_equal(pcapng_writer_close(w, &err), 0);
	remove(path);
}

static void test_full_disk(void **state)
{
	uint8_t bytes[4096] = { 0 };
	const struct pcapng_packet p = { .data = bytes,
					 .caplen = sizeof bytes,
					 .wirelen = sizeof bytes };
	struct err err = { 0 };
	struct pcapng_writer *w;
	int i, failed = 0;

	(void)state;
	/* little: only close() can tell */
	w = begin("/dev/full");
	assert_int_equal(interface(w, 0), 0);
	assert_int_equal(pcapng_writer_packet(w, &p, &err), 0);
	assert_int_equal(pcapng_writer_close(w, &err), -1);
	assert_non_null(strstr(err.text, "No space left"));
	assert_non_null(strstr(err.text, "/dev/full"));
	/* much: the packet that fails says so, and close() again */
	w = begin("/dev/full");
	assert_int_equal(interface(w, 0), 0);
	for (i = 0; i < 1000; i++)
		failed += pcapng_writer_packet(w, &p, NULL) < 0;
	assert_true(failed > 0);
	memset(&err, 0, sizeof err);
	assert_int_equal(pcapng_writer_close(w, &err), -1);
	assert_non_null(strstr(err.text, "No space left"));
}

static void test_cannot_create(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_null(pcapng_writer_new("/nonexistent/x", NULL, &err));
	assert_int_equal(err.code, ERR_IO);
	assert_non_null(strstr(err.text, "/nonexistent/x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_resolutions),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_long_comment),
		cmocka_unit_test(test_unknown_interface),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_cannot_create),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
