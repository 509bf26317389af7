/* SPDX-License-Identifier: GPL-2.0-or-later
 * Opening: what is no capture, how inputs are named, what filters do. */
#include "capture/capture.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "maker.h"

enum { SEC = 1700000000 };

static struct gathered refuse(const char *path)
{
	struct gathered g = gather_paths(&path, 1, NULL);

	assert_null(g.capture);
	assert_memory_equal(g.err.text, path, strlen(path));
	assert_memory_equal(g.err.text + strlen(path), ": ", 2);
	return g;
}

static void refuse_bytes(const void *p, size_t n, const char *reason)
{
	const char *path = made_path("refused");
	struct made m = { 0 };
	struct gathered g;

	made_bytes(&m, p, n);
	made_write(&m, path);
	g = refuse(path);
	assert_int_equal(g.err.code, ERR_FORMAT);
	assert_string_equal(g.err.text + strlen(path) + 2, reason);
	gathered_free(&g);
	remove(path);
	made_free(&m);
}

static void test_not_a_capture(void **state)
{
	(void)state;
	refuse_bytes("", 0, "not a capture: empty");
	refuse_bytes("abc", 3, "not a capture: only a few bytes");
	refuse_bytes("#!/bin/sh\n", 10, "not a capture: unknown file format");
	refuse_bytes("\xd4\xc3\xb2\xa1", 4, "ends inside the pcap file header");
	refuse_bytes("SQLite format 3", 16,
		     "not a capture: unknown file format");
	refuse_bytes("\x1f\x8b\x08\0", 4,
		     "not a capture: the compressed data end early");
}

static void test_paths_that_cannot_be_read(void **state)
{
	struct gathered g;

	(void)state;
	g = refuse("/nonexistent/file.pcap");
	assert_int_equal(g.err.code, ERR_IO);
	assert_non_null(strstr(g.err.text, "No such file"));
	g = refuse("/");
	assert_non_null(strstr(g.err.text, "is a folder"));
	if (geteuid()) { /* root may read everything */
		const char *path = made_path("secret");
		struct made m = { 0 };

		made_pcap(&m, 0xa1b2c3d4, 0, 1);
		made_write(&m, path);
		assert_int_equal(chmod(path, 0), 0);
		g = refuse(path);
		assert_non_null(strstr(g.err.text, "ermission"));
		remove(path);
		made_free(&m);
	}
}

/* A good file before a bad one does not leak, and the bad one is named. */
static void test_second_of_two(void **state)
{
	char good[600];
	const char *paths[] = { good, "/nonexistent" };
	struct made m = { 0 };
	struct gathered g;

	(void)state;
	strcpy(good, made_path("good"));
	made_pcap(&m, 0xa1b2c3d4, 0, 1);
	made_write(&m, good);
	g = gather_paths(paths, 2, NULL);
	assert_null(g.capture);
	assert_memory_equal(g.err.text, "/nonexistent: ", 14);
	remove(good);
	made_free(&m);
}

static void test_wrong_use(void **state)
{
	const char *paths[] = { "-", "-" };
	struct gathered g;

	(void)state;
	g = gather_paths(paths, 0, NULL);
	assert_int_equal(g.err.code, ERR_USAGE);
	g = gather_paths(paths, 2, NULL);
	assert_int_equal(g.err.code, ERR_USAGE);
}

/* Standard input from a file, and an empty one. */
static void test_standard_input(void **state)
{
	const char *path = made_path("stdin"), *dash = "-";
	int saved = dup(STDIN_FILENO);
	struct made m = { 0 };
	struct gathered g;

	(void)state;
	made_pcap(&m, 0xa1b2c3d4, 0, 1);
	made_record(&m, SEC, 0, 60, 60, 1);
	made_write(&m, path);
	close(STDIN_FILENO);
	assert_int_equal(open(path, O_RDONLY), STDIN_FILENO);
	g = gather_paths(&dash, 1, NULL);
	assert_int_equal(g.n, 1);
	assert_string_equal(capture_tap(g.capture, 0)->name, "stdin");
	gathered_free(&g);
	close(STDIN_FILENO);
	assert_int_equal(open("/dev/null", O_RDONLY), STDIN_FILENO);
	g = gather_paths(&dash, 1, NULL);
	assert_null(g.capture);
	assert_string_equal(g.err.text, "-: not a capture: empty");
	assert_true(dup2(saved, STDIN_FILENO) >= 0);
	close(saved);
	remove(path);
	made_free(&m);
}

static void test_tap_names(void **state)
{
	const char *path = made_path("leaf.pcap");
	struct capture_input input = { .path = path };
	struct err err = { 0 };
	struct made m = { 0 };
	struct gathered g;

	(void)state;
	made_pcap(&m, 0xa1b2c3d4, 0, 1);
	made_record(&m, SEC, 0, 60, 60, 1);
	made_write(&m, path);
	g = gather_capture(capture_open(&input, 1, NULL, &err), &err);
	assert_string_equal(capture_tap(g.capture, 0)->name,
			    strrchr(path, '/') + 1);
	assert_string_equal(capture_file(g.capture, 0)->path, path);
	assert_null(capture_tap(g.capture, 1));
	assert_null(capture_file(g.capture, 1));
	gathered_free(&g);
	input.tap = "leaf 1";
	g = gather_capture(capture_open(&input, 1, NULL, &err), &err);
	assert_string_equal(capture_tap(g.capture, 0)->name, "leaf 1");
	gathered_free(&g);
	remove(path);
	made_free(&m);
}

/* Ethernet, IPv4, UDP of these ports; enough for a filter. */
static void made_udp(struct made *m, uint32_t sec, uint16_t port, bool ethernet)
{
	uint8_t p[42] = {
		[12] = 8, [14] = 0x45, [17] = 28, [22] = 64, [23] = 17
	};
	size_t skip = ethernet ? 0 : 14, n = sizeof p - skip;

	p[36] = (uint8_t)(port >> 8);
	p[37] = (uint8_t)port;
	p[39] = 8;
	made_u32(m, sec);
	made_u32(m, 0);
	made_u32(m, (uint32_t)n);
	made_u32(m, (uint32_t)n);
	made_bytes(m, p + skip, n);
}

static struct gathered filtered(const struct made *m, const char *expression)
{
	struct capture_options o = { .filter = expression };
	struct err err = { 0 };
	struct capture *c = capture_open_bytes(m->p, m->n, &o, &err);

	return gather_capture(c, &err);
}

static void check_filter(uint32_t linktype)
{
	struct made m = { 0 };
	struct gathered g;
	uint32_t i;

	made_pcap(&m, 0xa1b2c3d4, 0, linktype);
	for (i = 0; i < 300; i++)
		made_udp(&m, SEC + i, i % 100 ? 53 : 4791, linktype == 1);
	g = filtered(&m, "udp port 4791");
	assert_int_equal(g.last, 0);
	assert_int_equal(g.n, 3);
	assert_int_equal(g.v[1].frame.number, 101);
	assert_int_equal(gathered_file(&g)->packets, 3);
	assert_int_equal(gathered_file(&g)->filtered, 297);
	assert_int_equal(capture_tap(g.capture, 0)->packets, 3);
	gathered_free(&g);
	made_free(&m);
}

static void test_filter(void **state)
{
	(void)state;
	check_filter(1);
	check_filter(101);
}

static void test_filter_that_is_none(void **state)
{
	struct made m = { 0 };
	struct gathered g;

	(void)state;
	made_pcap(&m, 0xa1b2c3d4, 0, 1);
	g = filtered(&m, "udp prot 4791");
	assert_null(g.capture);
	assert_int_equal(g.err.code, ERR_USAGE);
	assert_non_null(strstr(g.err.text, "udp prot 4791"));
	gathered_free(&g);
	made_free(&m);
}

/* An expression without meaning for a link type matches none of its packets;
 * others of the same file are judged by themselves. */
static void test_filter_by_link_type(void **state)
{
	struct made m = { 0 };
	struct gathered g;

	(void)state;
	made_section(&m);
	made_interface(&m, 247, 0, "infiniband", 9);
	made_interface(&m, 1, 0, "ethernet", 9);
	made_enhanced(&m, 0, 1, 60, 60, 1);
	made_enhanced(&m, 1, 2, 60, 60, 2);
	g = filtered(&m, "ether[0] == 0xbf"); /* the byte of seed 2 */
	assert_int_equal(g.n, 1);
	assert_payload(&g, 0, 2);
	gathered_free(&g);
	made_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_a_capture),
		cmocka_unit_test(test_paths_that_cannot_be_read),
		cmocka_unit_test(test_second_of_two),
		cmocka_unit_test(test_wrong_use),
		cmocka_unit_test(test_standard_input),
		cmocka_unit_test(test_tap_names),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_filter_that_is_none),
		cmocka_unit_test(test_filter_by_link_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
