/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory does not grow with the input, whatever the input is.
 *
 * One process writes a capture into a pipe, another reads it; the second one's
 * peak is looked at.  Sanitizers have their own ideas of memory: with them only
 * the counts are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "capture/capture.h"
#include "capture/tap.h"
#include "maker.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

enum { SEC = 1700000000, MILLION = 1000000, KIB_PER_MIB = 1024 };

/* What the reading process reports. */
struct report {
	uint64_t packets, taps, damage, clamped;
	int last;
};

typedef void generator(FILE *to, uint32_t size);

static void put(struct made *m, FILE *to)
{
	fwrite(m->p, 1, m->n, to);
	m->n = 0;
}

static struct report read_all(void)
{
	struct capture_input input = { .path = "-" };
	struct report r = { 0 };
	struct err err = { 0 };
	struct capture *c = capture_open(&input, 1, NULL, &err);
	const struct frame *f;

	r.last = -1;
	if (!c)
		return r;
	while ((r.last = capture_next(c, &f, &err)) > 0)
		;
	r.packets = capture_file(c, 0)->packets;
	r.damage = capture_file(c, 0)->damage_count;
	r.clamped = capture_file(c, 0)->clamped_times;
	r.taps = capture_taps(c);
	capture_free(c);
	return r;
}

static pid_t start_writer(generator *generate, uint32_t size, int fd[2])
{
	pid_t pid = fork();

	if (!pid) {
		FILE *to = fdopen(fd[1], "wb");

		close(fd[0]);
		generate(to, size);
		fclose(to);
		_exit(0);
	}
	close(fd[1]);
	return pid;
}

static pid_t start_reader(int from, int result)
{
	pid_t pid = fork();

	if (!pid) {
		struct report r;

		dup2(from, STDIN_FILENO);
		close(from);
		r = read_all();
		_exit(write(result, &r, sizeof r) != sizeof r);
	}
	close(from);
	return pid;
}

/* Peak of the reader in KiB. */
static long run(generator *generate, uint32_t size, struct report *r)
{
	int fd[2], result[2], status;
	struct rusage usage;
	pid_t writer, reader;

	assert_int_equal(pipe(fd), 0);
	assert_int_equal(pipe(result), 0);
	writer = start_writer(generate, size, fd);
	reader = start_reader(fd[0], result[1]);
	assert_true(writer > 0 && reader > 0);
	assert_int_equal(wait4(reader, &status, 0, &usage), reader);
	assert_int_equal(status, 0);
	assert_int_equal(read(result[0], r, sizeof *r), sizeof *r);
	assert_int_equal(waitpid(writer, &status, 0), writer);
	close(result[0]);
	close(result[1]);
	print_message("%llu packets, %llu taps: %ld KiB\n",
		      (unsigned long long)r->packets,
		      (unsigned long long)r->taps, usage.ru_maxrss);
	return usage.ru_maxrss;
}

static void assert_below(long kib, long mib)
{
	if (!SANITIZED)
		assert_true(kib < mib * KIB_PER_MIB);
}

static void interfaces(FILE *to, uint32_t n, int digits)
{
	struct made m = { 0 };
	char name[300];
	uint32_t i;

	made_section(&m);
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof name, "%0*u", digits, i);
		made_interface(&m, 1, 0, name, 9);
		put(&m, to);
	}
	for (i = 0; i < n; i++) {
		made_enhanced(&m, i, i, 60, 60, i);
		put(&m, to);
	}
	made_free(&m);
}

static void short_names(FILE *to, uint32_t n)
{
	interfaces(to, n, 7);
}

static void long_names(FILE *to, uint32_t n)
{
	interfaces(to, n, 250);
}

static void test_a_million_interfaces(void **state)
{
	struct report r;
	long kib = run(short_names, MILLION, &r);

	(void)state;
	assert_int_equal(r.last, 0);
	assert_int_equal(r.packets, MILLION);
	assert_int_equal(r.damage, 0);
	assert_int_equal(r.taps, TAPS_KEPT + 1);
	assert_below(kib, 96);
	kib = run(long_names, 200000, &r);
	assert_int_equal(r.packets, 200000);
	assert_below(kib, 64);
}

static void sections(FILE *to, uint32_t n)
{
	struct made m = { 0 };
	char name[32];
	uint32_t i;

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof name, "port%u", i);
		made_section(&m);
		made_interface(&m, 1, 0, name, 9);
		made_enhanced(&m, 0, i, 60, 60, i);
		put(&m, to);
	}
	made_free(&m);
}

static void test_many_sections(void **state)
{
	struct report r;
	long kib = run(sections, 300000, &r);

	(void)state;
	assert_int_equal(r.packets, 300000);
	assert_int_equal(r.taps, TAPS_KEPT + 1);
	assert_below(kib, 32);
}

/* From 1971 to 2106 and back, packet by packet. */
static void years(FILE *to, uint32_t n)
{
	struct made m = { 0 };
	uint32_t i;

	made_pcap(&m, 0xa1b2c3d4, 0, 1);
	for (i = 0; i < n; i++) {
		made_record(&m, i / 1000 % 2 ? 4200000000 : 40000000, i % 1000,
			    60, 60, i);
		put(&m, to);
	}
	made_free(&m);
}

static void test_gaps_of_years(void **state)
{
	struct report r;
	long little = run(years, 20000, &r), much;

	(void)state;
	assert_int_equal(r.packets, 20000);
	much = run(years, 1000000, &r);
	assert_int_equal(r.packets, 1000000);
	assert_int_equal(r.damage, 0);
	assert_below(much, 8);
	if (!SANITIZED)
		assert_true(much < little + KIB_PER_MIB);
}

/* Absurd units and offsets, many interfaces, nothing in order. */
static void unordered(FILE *to, uint32_t n)
{
	struct made m = { 0 };
	uint32_t i, seed = 1;

	made_section(&m);
	for (i = 0; i < 256; i++)
		made_interface(&m, 1, 0, NULL, (int)i);
	for (i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		made_enhanced(&m, seed >> 24, (uint64_t)seed << 32 | (seed ^ i),
			      i % 100, 100, i);
		put(&m, to);
	}
	made_free(&m);
}

static void test_no_order_at_all(void **state)
{
	struct report r;
	long kib = run(unordered, 500000, &r);

	(void)state;
	assert_int_equal(r.packets, 500000);
	assert_int_equal(r.taps, 256);
	assert_true(r.clamped > 0);
	assert_below(kib, 24);
}

static void long_block(FILE *to, uint32_t n)
{
	struct made m = { 0 };
	uint32_t i, length = n + 12;
	static const uint8_t zeros[4096];

	made_section(&m);
	made_interface(&m, 1, 0, NULL, 9);
	made_u32(&m, 0x0bad);
	made_u32(&m, length);
	put(&m, to);
	for (i = 0; i < n; i += sizeof zeros)
		fwrite(zeros, 1, sizeof zeros, to);
	made_u32(&m, length);
	made_enhanced(&m, 0, 0, 60, 60, 1);
	put(&m, to);
	made_free(&m);
}

static void test_long_block(void **state)
{
	struct report r;
	long kib = run(long_block, 128 << 20, &r);

	(void)state;
	assert_int_equal(r.packets, 1);
	assert_int_equal(r.damage, 0);
	assert_below(kib, 8);
}

/* 256 MiB of zeros in a quarter of one. */
static void bomb(FILE *to, uint32_t n)
{
	static uint8_t zeros[65536], out[65536];
	struct made m = { 0 };
	z_stream z = { 0 };
	uint32_t i;

	deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
	made_pcap(&m, 0xa1b2c3d4, 0, 1);
	made_record(&m, SEC, 0, 60, 60, 1);
	memcpy(zeros, m.p, m.n);
	for (i = 0; i <= n; i++) {
		z.next_in = zeros;
		z.avail_in = i ? sizeof zeros : (uInt)m.n;
		do {
			z.next_out = out;
			z.avail_out = sizeof out;
			deflate(&z, i == n ? Z_FINISH : Z_NO_FLUSH);
			fwrite(out, 1, sizeof out - z.avail_out, to);
		} while (!z.avail_out);
		memset(zeros, 0, m.n);
	}
	deflateEnd(&z);
	made_free(&m);
}

static void test_bomb(void **state)
{
	struct report r;
	long kib = run(bomb, 4096, &r);

	(void)state;
	assert_int_equal(r.packets, 1);
	assert_int_equal(r.damage, 1);
	assert_below(kib, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_million_interfaces),
		cmocka_unit_test(test_many_sections),
		cmocka_unit_test(test_gaps_of_years),
		cmocka_unit_test(test_no_order_at_all),
		cmocka_unit_test(test_long_block),
		cmocka_unit_test(test_bomb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
