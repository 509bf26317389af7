/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pipes that fill slowly and files that grow: a packet that is there is handed
 * out, whether or not another follows. */
#include "capture/source.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "capture/capture.h"
#include "maker.h"

enum { SEC = 1700000000 };

struct pipe {
	char path[600];
	int in; /* where the test writes */
	struct made m;
	size_t written;
	struct capture *c;
};

static void begin(struct pipe *p)
{
	*p = (struct pipe) { 0 };
	strcpy(p->path, made_path("fifo"));
	assert_int_equal(mkfifo(p->path, 0600), 0);
	p->in = open(p->path, O_RDWR);
	assert_true(p->in >= 0);
}

/* What was made since the last time goes into the pipe. */
static void flush(struct pipe *p, size_t upto)
{
	size_t n = upto - p->written;

	assert_int_equal(write(p->in, p->m.p + p->written, n), n);
	p->written = upto;
}

static void open_capture(struct pipe *p)
{
	struct capture_input input = { .path = p->path };
	struct err err = { 0 };

	flush(p, p->m.n);
	p->c = capture_open(&input, 1, NULL, &err);
	assert_non_null(p->c);
}

static void expect(struct pipe *p, int packets)
{
	const struct frame *f;
	struct err err = { 0 };
	int n;

	while (packets > 0) {
		n = capture_next(p->c, &f, &err);
		assert_true(n > 0);
		packets -= n;
	}
	assert_int_equal(packets, 0);
}

static void end(struct pipe *p)
{
	const struct frame *f;
	struct err err = { 0 };

	close(p->in);
	assert_int_equal(capture_next(p->c, &f, &err), 0);
	assert_int_equal(capture_next(p->c, &f, &err), 0);
	capture_free(p->c);
	remove(p->path);
	made_free(&p->m);
}

static void test_pcap(void **state)
{
	struct pipe p;
	uint32_t i;

	(void)state;
	begin(&p);
	made_pcap(&p.m, 0xa1b2c3d4, 0, 1);
	open_capture(&p);
	for (i = 1; i <= 100; i++) {
		made_record(&p.m, SEC, i, 40 + i, 1500, i);
		if (i % 3)
			continue;
		flush(&p, p.m.n);
		expect(&p, 3);
	}
	flush(&p, p.m.n);
	expect(&p, 1);
	assert_false(capture_file(p.c, 0)->cut);
	end(&p);
}

struct rest {
	struct pipe *p;
	useconds_t wait;
};

static void *write_rest(void *arg)
{
	struct rest *r = arg;

	usleep(r->wait);
	flush(r->p, r->p->m.n);
	return NULL;
}

/* A record that comes in two pieces. */
static void test_pieces(void **state)
{
	struct pipe p;
	size_t whole, cut;

	(void)state;
	for (cut = 1; cut < 100; cut += 14) {
		struct rest rest = { &p, 2000 };
		pthread_t writer;

		begin(&p);
		made_pcap(&p.m, 0xa1b2c3d4, 0, 1);
		open_capture(&p);
		whole = p.m.n;
		made_record(&p.m, SEC, 0, 100, 100, 1);
		flush(&p, whole + cut);
		assert_int_equal(
			pthread_create(&writer, NULL, write_rest, &rest), 0);
		expect(&p, 1);
		pthread_join(writer, NULL);
		end(&p);
	}
}

/* Several interfaces: nothing is held back to be sorted while the pipe is
 * quiet. */
static void test_interfaces(void **state)
{
	struct pipe p;
	uint32_t i;

	(void)state;
	begin(&p);
	made_section(&p.m);
	made_interface(&p.m, 1, 0, "a", 9);
	made_interface(&p.m, 1, 0, "b", 9);
	open_capture(&p);
	for (i = 0; i < 50; i++) {
		made_enhanced(&p.m, i % 2, i, 60, 60, i);
		flush(&p, p.m.n);
		expect(&p, 1);
	}
	end(&p);
}

/* What a packed stream has flushed is there too. */
static void test_gzip(void **state)
{
	struct made plain = { 0 };
	z_stream z = { 0 };
	struct pipe p;
	uint8_t out[4096];
	uint32_t i;

	(void)state;
	begin(&p);
	assert_int_equal(
		deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
		Z_OK);
	made_pcap(&plain, 0xa1b2c3d4, 0, 1);
	for (i = 0; i < 20; i++) {
		if (i)
			made_record(&plain, SEC, i, 60, 60, i);
		z.next_in = plain.p;
		z.avail_in = (uInt)plain.n;
		z.next_out = out;
		z.avail_out = sizeof out;
		assert_int_equal(deflate(&z, Z_SYNC_FLUSH), Z_OK);
		made_bytes(&p.m, out, sizeof out - z.avail_out);
		plain.n = 0;
		if (!i) {
			open_capture(&p);
			continue;
		}
		flush(&p, p.m.n);
		expect(&p, 1);
	}
	deflateEnd(&z);
	made_free(&plain);
	end(&p);
}

/* What is appended before the end was seen is read too. */
static void test_growing_file(void **state)
{
	const char *path = made_path("growing");
	struct capture_input input = { .path = path };
	struct err err = { 0 };
	struct made m = { 0 };
	const struct frame *f;
	struct capture *c;
	uint64_t packets = 0;
	uint32_t i;
	int n;

	(void)state;
	made_pcap(&m, 0xa1b2c3d4, 0, 1);
	for (i = 0; i < 2000; i++)
		made_record(&m, SEC, i, 1000, 1000, i);
	made_write(&m, path);
	c = capture_open(&input, 1, NULL, &err);
	assert_non_null(c);
	packets += (uint64_t)capture_next(c, &f, &err);
	for (; i < 4000; i++)
		made_record(&m, SEC, i, 1000, 1000, i);
	made_write(&m, path);
	while ((n = capture_next(c, &f, &err)) > 0)
		packets += (uint64_t)n;
	assert_int_equal(n, 0);
	assert_int_equal(packets, 4000);
	assert_int_equal(capture_file(c, 0)->damage_count, 0);
	capture_free(c);
	remove(path);
	made_free(&m);
}

/* A file cut while it is read ends where it was cut. */
static void test_shrinking_file(void **state)
{
	const char *path = made_path("shrinking");
	struct capture_input input = { .path = path };
	struct err err = { 0 };
	struct made m = { 0 };
	const struct frame *f;
	struct capture *c;
	uint32_t i;
	int n;

	(void)state;
	made_pcap(&m, 0xa1b2c3d4, 0, 1);
	for (i = 0; i < 2000; i++)
		made_record(&m, SEC, i, 1000, 1000, i);
	made_write(&m, path);
	c = capture_open(&input, 1, NULL, &err);
	assert_non_null(c);
	assert_true(capture_next(c, &f, &err) > 0);
	assert_int_equal(truncate(path, 1000000), 0);
	while ((n = capture_next(c, &f, &err)) > 0)
		;
	assert_int_equal(n, 0);
	assert_true(capture_file(c, 0)->cut);
	assert_int_equal(capture_file(c, 0)->packets, (1000000 - 24) / 1016);
	capture_free(c);
	remove(path);
	made_free(&m);
}

/* Someone else may have made the descriptor non-blocking. */
static void test_non_blocking_descriptor(void **state)
{
	uint8_t bytes[8] = { 0 };
	struct pipe p;
	struct source *s;
	struct err err = { 0 };
	int saved;

	(void)state;
	begin(&p);
	saved = dup(STDIN_FILENO);
	assert_true(dup2(p.in, STDIN_FILENO) >= 0);
	assert_true(fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK) >= 0);
	s = source_open("-", &err);
	assert_non_null(s);
	assert_false(source_ready(s));
	made_bytes(&p.m, "abc", 3);
	{
		struct rest rest = { &p, 2000 };
		pthread_t writer;

		assert_int_equal(
			pthread_create(&writer, NULL, write_rest, &rest), 0);
		assert_int_equal(s->read(s, bytes, sizeof bytes), 3);
		pthread_join(writer, NULL);
	}
	assert_memory_equal(bytes, "abc", 3);
	source_free(s);
	assert_true(dup2(saved, STDIN_FILENO) >= 0);
	close(saved);
	close(p.in);
	remove(p.path);
	made_free(&p.m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pcap),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_interfaces),
		cmocka_unit_test(test_gzip),
		cmocka_unit_test(test_growing_file),
		cmocka_unit_test(test_shrinking_file),
		cmocka_unit_test(test_non_blocking_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
