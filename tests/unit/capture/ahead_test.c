/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading ahead in another thread: the same bytes, and the same frames. */
#include "capture/ahead.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "maker.h"

static struct source *ahead_of(struct source *inner)
{
	struct source *s = ahead_new(inner);

	assert_non_null(s);
	return s;
}

static void test_same_bytes(void **state)
{
	enum { N = 3000000 };
	struct made m = { 0 };
	uint8_t piece[70000];
	size_t at = 0, want = 1, n;
	struct source *s;

	(void)state;
	made_payload(&m, 7, N);
	s = ahead_of(source_bytes(m.p, m.n));
	assert_true(s->patient);
	while ((n = s->read(s, piece, want))) {
		assert_memory_equal(piece, m.p + at, n);
		at += n;
		want = want * 7 % sizeof piece + 1;
	}
	assert_int_equal(at, N);
	assert_int_equal(s->read(s, piece, 1), 0); /* and it stays the end */
	assert_null(s->failure);
	source_free(s);
	made_free(&m);
}

static void test_given_up_early(void **state)
{
	struct made m = { 0 };
	uint8_t byte;
	struct source *s;

	(void)state;
	made_payload(&m, 7, 5000000);
	source_free(ahead_of(source_bytes(m.p, m.n)));
	s = ahead_of(source_bytes(m.p, m.n));
	assert_int_equal(s->read(s, &byte, 1), 1);
	source_free(s);
	made_free(&m);
}

/* Nobody waits for a pipe that says nothing. */
static void test_quiet_pipe(void **state)
{
	int ends[2], saved = dup(STDIN_FILENO);
	uint8_t bytes[4];
	struct source *s;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
	s = ahead_of(source_open("-", NULL));
	assert_false(source_ready(s));
	assert_int_equal(write(ends[1], "abc", 3), 3);
	assert_int_equal(s->read(s, bytes, sizeof bytes), 3);
	assert_memory_equal(bytes, "abc", 3);
	assert_false(source_ready(s));
	source_free(s);
	assert_true(dup2(saved, STDIN_FILENO) >= 0);
	close(saved);
	close(ends[0]);
	close(ends[1]);
}

static size_t no_read(struct source *s, uint8_t *to, size_t n)
{
	(void)to, (void)n;
	s->failure = "the dog ate it";
	return 0;
}

static void no_free(struct source *s)
{
	(void)s;
}

static void test_trouble_is_passed_on(void **state)
{
	struct source inner = { .read = no_read,
				.free = no_free,
				.patient = true };
	struct source *s = ahead_of(&inner);
	uint8_t byte;

	(void)state;
	assert_int_equal(s->read(s, &byte, 1), 0);
	assert_string_equal(s->failure, "the dog ate it");
	source_free(s);
}

enum { FILES = 3, FRAMES = 30000 };

/* Two interfaces whose packets lie in the file in another order than that of
 * time, so that what is sorted together could show. */
static void make(struct made *m, uint32_t seed)
{
	uint32_t i;

	made_section(m);
	made_interface(m, 1, 0, "a", 9);
	made_interface(m, 1, 0, "b", 9);
	for (i = 0; i < FRAMES; i++) {
		seed = seed * 1664525 + 1013904223;
		made_enhanced(m, seed >> 31, i * 1000 + (seed >> 12) % 90000,
			      40 + i % 60, 100, seed);
	}
}

static void compare(const struct gathered *a, const struct gathered *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct frame *x = &a->v[i].frame, *y = &b->v[i].frame;

		assert_int_equal(x->ns, y->ns);
		assert_int_equal(x->number, y->number);
		assert_int_equal(x->tap, y->tap);
		assert_int_equal(x->flags, y->flags);
		assert_int_equal(x->caplen, y->caplen);
		assert_memory_equal(a->v[i].data, b->v[i].data, x->caplen);
	}
}

static void test_same_frames(void **state)
{
	char path[FILES][600];
	const char *paths[FILES];
	struct gathered alone, helped;

	(void)state;
	for (uint32_t i = 0; i < FILES; i++) {
		char name[32];
		struct made m = { 0 };

		snprintf(name, sizeof name, "ahead-%u.pcapng", i);
		strcpy(path[i], made_path(name));
		paths[i] = path[i];
		make(&m, i);
		if (i == 1) /* damaged, and cut */
			made_set_u32(&m, 400000, 0xffffffff);
		m.n -= i == 1 ? 5 : 0;
		made_write(&m, path[i]);
		made_free(&m);
	}
	alone = gather_paths(paths, FILES, NULL);
	assert_int_equal(alone.last, 0);
	assert_in_range(alone.n, FILES * FRAMES - 100, FILES * FRAMES);
	for (unsigned n = 1; n <= FILES + 1; n++) {
		helped = gather_paths(paths, FILES,
				      &(struct capture_options) { .ahead = n });
		assert_int_equal(helped.last, 0);
		compare(&alone, &helped);
		gathered_free(&helped);
	}
	gathered_free(&alone);
	for (int i = 0; i < FILES; i++)
		remove(paths[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_given_up_early),
		cmocka_unit_test(test_quiet_pipe),
		cmocka_unit_test(test_trouble_is_passed_on),
		cmocka_unit_test(test_same_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
