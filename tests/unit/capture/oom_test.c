/* SPDX-License-Identifier: GPL-2.0-or-later
 * The n-th allocation fails, for every n: one clear error, nothing leaked
 * (which the sanitizers see), and never a crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "capture/capture.h"
#include "capture/pcapng_write.h"
#include "maker.h"

static long left = -1; /* allocations until one fails; negative: none does */

static bool fails(void)
{
	return left >= 0 && left-- == 0;
}

/* The linker puts these in the place of the functions (--wrap). */
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t alignment, size_t n);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t alignment, size_t n);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

void *__wrap_aligned_alloc(size_t alignment, size_t n)
{
	return fails() ? NULL : __real_aligned_alloc(alignment, n);
}

char *__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

char *__wrap_strndup(const char *s, size_t n)
{
	return fails() ? NULL : __real_strndup(s, n);
}

/* True when it was read to the end. */
static bool survive(const struct capture_input *inputs, size_t n,
		    const struct capture_options *options)
{
	struct err err = { 0 };
	struct capture *c = capture_open(inputs, n, options, &err);
	const struct frame *f;
	int got = -1;

	while (c && (got = capture_next(c, &f, &err)) > 0)
		;
	capture_free(c);
	if (got < 0) {
		assert_int_not_equal(err.code, ERR_NONE);
		assert_non_null(strstr(err.text, "memory"));
	}
	return !got;
}

static void check(const struct capture_input *inputs, size_t n,
		  const struct capture_options *options)
{
	long fail;
	bool done = false;

	for (fail = 0; !done; fail++) {
		left = fail;
		done = survive(inputs, n, options) && left >= 0;
		assert_true(fail < 1000);
	}
	left = -1;
	assert_true(fail > 5); /* something did fail */
}

static void pack(struct made *m)
{
	struct made out = { 0 };
	z_stream z = { 0 };

	made_fill(&out, m->n + 1000, 0);
	assert_int_equal(
		deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
		Z_OK);
	z.next_in = m->p;
	z.avail_in = (uInt)m->n;
	z.next_out = out.p;
	z.avail_out = (uInt)out.n;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	m->n = 0;
	made_bytes(m, out.p, z.total_out);
	deflateEnd(&z);
	made_free(&out);
}

static void test_reading(void **state)
{
	char paths[2][600];
	const struct capture_input inputs[] = {
		{ .path = paths[0] }, { .path = paths[1], .tap = "tap" }
	};
	const struct capture_options filter = { .filter = "ip or not ip" };
	struct made m = { 0 };
	uint32_t i;

	(void)state;
	strcpy(paths[0], made_path("oom.pcap"));
	strcpy(paths[1], made_path("oom.pcapng"));
	made_pcap(&m, 0xa1b2c3d4, 0, 1);
	for (i = 0; i < 20; i++)
		made_record(&m, 1700000000, i, 60, 60, i);
	made_write(&m, paths[0]);
	made_free(&m);
	made_section(&m);
	for (i = 0; i < 20; i++)
		made_interface(&m, 1, 0, i % 2 ? "name" : NULL, 9);
	for (i = 0; i < 20; i++)
		made_enhanced(&m, i, i, 60, 60, i);
	pack(&m);
	made_write(&m, paths[1]);
	check(inputs, 1, NULL);
	check(inputs, 2, NULL);
	check(inputs, 2, &filter);
	remove(paths[0]);
	remove(paths[1]);
	made_free(&m);
}

/* True when all was written. */
static bool survive_writing(const char *path)
{
	static const struct pcapng_interface at = { .name = "x" };
	static const struct pcapng_packet p = { .comment = "y" };
	struct err err = { 0 };
	struct pcapng_writer *w = pcapng_writer_new(path, "z", &err);
	int rc = w ? pcapng_writer_interface(w, &at, &err) : -1;

	if (rc == 0)
		rc = pcapng_writer_packet(w, &p, &err);
	if (w && pcapng_writer_close(w, &err) < 0)
		rc = -1;
	if (rc < 0)
		assert_int_equal(err.code, ERR_MEMORY);
	return !rc;
}

static void test_writing(void **state)
{
	const char *path = made_path("oom.pcapng");
	long fail = 0;
	bool done;

	(void)state;
	do {
		left = fail++;
		done = survive_writing(path) && left >= 0;
	} while (!done);
	left = -1;
	assert_true(fail > 3);
	remove(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reading),
		cmocka_unit_test(test_writing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
