/* SPDX-License-Identifier: GPL-2.0-or-later
 * Times of frames corrected, stretch by stretch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "maker.h"

/* Two interfaces in turns, frame n at n us; the first one's packet comes
 * first. */
static struct gathered shifted(const struct capture_shift *s, size_t n,
			       unsigned frames)
{
	struct capture_options o = { .shifts = s, .n_shifts = n };
	const char *path = made_path("shift.pcapng");
	struct made m = { 0 };
	struct gathered g;

	made_section(&m);
	made_interface(&m, 1, 0, "a", 9);
	made_interface(&m, 1, 0, "b", 9);
	for (unsigned i = 1; i <= frames; i++)
		made_enhanced(&m, (i + 1) % 2, UINT64_C(1000) * i, 20, 20, i);
	made_write(&m, path);
	g = gather_paths(&path, 1, &o);
	remove(path);
	made_free(&m);
	assert_int_equal(g.last, 0);
	assert_int_equal(g.n, frames);
	return g;
}

static int64_t time_of(const struct gathered *g, uint64_t number)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].frame.number == number)
			return g->v[i].frame.ns;
	fail();
	return 0;
}

static void each_stretch_from_its_frame_on(void **state)
{
	static const struct capture_shift s[] = {
		{ .file = 0, .ordinal = 0, .from_frame = 3, .offset_ns = 10 },
		{ .file = 0, .ordinal = 0, .from_frame = 6, .offset_ns = 20 },
		{ .ordinal = 1, .offset_ns = -7 },
		/* 1,000 ns a second from 0 s on: 10 us have 0.01 ns. */
		{ .ordinal = 1,
		  .from_frame = 10,
		  .offset_ns = 50,
		  .drift = 1000 },
		{ .file = 1, .ordinal = 0, .offset_ns = 999 },
	};
	static const int64_t off[] = { 0, -7, 10, -7, 10, -7, 20, -7, 20, 50 };
	struct gathered g = shifted(s, sizeof s / sizeof *s, 10);

	(void)state;
	for (int i = 0; i < 10; i++)
		assert_int_equal(time_of(&g, (uint64_t)i + 1),
				 1000 * (i + 1) - off[i]);
	gathered_free(&g);
}

/* A database of anybody's may give them in any order. */
static void any_order_does_no_harm(void **state)
{
	enum { N = 1000 };
	struct capture_shift *s = calloc(N, sizeof *s);
	struct gathered g;

	(void)state;
	assert_non_null(s);
	srand(1);
	for (int i = 0; i < N; i++)
		s[i] = (struct capture_shift) {
			.file = (uint32_t)rand() % 3 - 1,
			.ordinal = (uint32_t)rand() % 3,
			.from_frame = (uint64_t)rand() % 100,
			.offset_ns = INT64_MIN + rand(),
			.drift = 1e300
		};
	g = shifted(s, N, 200);
	gathered_free(&g);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_stretch_from_its_frame_on),
		cmocka_unit_test(any_order_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
