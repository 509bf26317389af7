/* SPDX-License-Identifier: GPL-2.0-or-later
 * Several files as one sequence. */
#include "capture/merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "maker.h"

enum { FILES = 3, SEC = 1700000000 };

struct files {
	char path[FILES][600];
	const char *paths[FILES];
	struct made m[FILES];
};

static void begin(struct files *f)
{
	int i;

	memset(f, 0, sizeof *f);
	for (i = 0; i < FILES; i++) {
		char name[32];

		snprintf(name, sizeof name, "merge-%d.pcap", i);
		strcpy(f->path[i], made_path(name));
		f->paths[i] = f->path[i];
		made_pcap(&f->m[i], 0xa1b23c4d, 0, 1);
	}
}

static struct gathered end(struct files *f)
{
	struct gathered g;
	int i;

	for (i = 0; i < FILES; i++)
		made_write(&f->m[i], f->paths[i]);
	g = gather_paths(f->paths, FILES, NULL);
	for (i = 0; i < FILES; i++) {
		remove(f->paths[i]);
		made_free(&f->m[i]);
	}
	return g;
}

/* Thousands of packets dealt out to the files at random come back in order,
 * with the numbers of their own files. */
static void test_time_order(void **state)
{
	enum { N = 5000 };
	uint32_t i, seed = 1, numbers[FILES] = { 0 }, expected[N];
	int owner[N];
	struct files f;
	struct gathered g;

	(void)state;
	begin(&f);
	for (i = 0; i < N; i++) {
		seed = seed * 1664525 + 1013904223;
		owner[i] = (int)(seed >> 20) % FILES;
		expected[i] = ++numbers[owner[i]];
		made_record(&f.m[owner[i]], SEC + i / 100, i % 100, 40 + i % 50,
			    90, i);
	}
	g = end(&f);
	assert_int_equal(g.last, 0);
	assert_int_equal(g.n, N);
	for (i = 0; i < N; i++) {
		const struct frame *x = &g.v[i].frame;

		assert_payload(&g, i, i);
		assert_int_equal(x->number, expected[i]);
		assert_int_equal(capture_tap(g.capture, x->tap)->file,
				 owner[i]);
		assert_int_equal(x->flags, 0);
	}
	for (i = 0; i < FILES; i++) {
		assert_int_equal(capture_file(g.capture, i)->packets,
				 numbers[i]);
		assert_int_equal(capture_tap(g.capture, i)->regressions, 0);
	}
	gathered_free(&g);
}

static void test_equal_times_in_the_order_given(void **state)
{
	struct files f;
	struct gathered g;
	uint32_t i;

	(void)state;
	begin(&f);
	for (i = 0; i < FILES; i++)
		made_record(&f.m[i], SEC, 0, 60, 60, i);
	g = end(&f);
	for (i = 0; i < FILES; i++)
		assert_payload(&g, i, i);
	gathered_free(&g);
}

/* Within a file packets keep their order though time goes back. */
static void test_regressions_stay(void **state)
{
	static const uint32_t times[] = { 10, 30, 20, 40 };
	struct files f;
	struct gathered g;
	uint32_t i, next = 0;

	(void)state;
	begin(&f);
	for (i = 0; i < 4; i++) {
		made_record(&f.m[0], SEC, times[i], 60, 60, i);
		made_record(&f.m[1], SEC, 5 + i * 10, 61, 61, i);
	}
	g = end(&f);
	assert_int_equal(g.n, 8);
	for (i = 0; i < 8; i++)
		if (g.v[i].frame.caplen == 60)
			assert_payload(&g, i, next++);
	assert_int_equal(capture_tap(g.capture, 0)->regressions, 1);
	assert_int_equal(capture_tap(g.capture, 0)->back_from -
				 capture_tap(g.capture, 0)->back_to,
			 10);
	assert_int_equal(capture_tap(g.capture, 1)->back_from, 0);
	gathered_free(&g);
}

/* A packet; in pcapng of two interfaces by turns. */
static void add(struct made *m, bool ng, uint32_t sec, uint32_t ns, uint32_t i)
{
	if (ng)
		made_enhanced(m, i % 2, sec * UINT64_C(1000000000) + ns, 60, 60,
			      i);
	else
		made_record(m, sec, ns, 60, 60, i);
}

/* One packet of a time far ahead does not hold up the rest of its file:
 * wherever in the read batches it stands. */
static void check_absurd_time(bool ng)
{
	enum { N = 200 };
	uint32_t bad, i;

	for (bad = 1; bad < N; bad++) {
		struct files f;
		struct gathered g;
		int64_t before = 0;

		begin(&f);
		if (ng) {
			f.m[0].n = 0;
			made_section(&f.m[0]);
			made_interface(&f.m[0], 1, 0, NULL, 9);
			made_interface(&f.m[0], 1, 0, NULL, 9);
		}
		for (i = 1; i < N; i++) {
			add(&f.m[0], ng, i == bad ? SEC + 86400 : SEC, 2 * i,
			    i);
			made_record(&f.m[1], SEC, 2 * i + 1, 60, 60, i);
		}
		g = end(&f);
		assert_int_equal(g.n, 2 * (N - 1));
		for (i = 0; i < g.n; i++) {
			const struct frame *x = &g.v[i].frame;

			if (!capture_tap(g.capture, x->tap)->file &&
			    x->number == bad)
				continue;
			assert_true(x->ns > before);
			before = x->ns;
		}
		gathered_free(&g);
	}
}

static void test_one_absurd_time(void **state)
{
	(void)state;
	check_absurd_time(false);
	check_absurd_time(true);
}

static void test_one_file_empty_of_packets(void **state)
{
	struct files f;
	struct gathered g;

	(void)state;
	begin(&f);
	made_record(&f.m[1], SEC, 0, 60, 60, 1);
	g = end(&f);
	assert_int_equal(g.last, 0);
	assert_int_equal(g.n, 1);
	assert_int_equal(capture_files(g.capture), FILES);
	assert_int_equal(capture_tap(g.capture, 0)->file, 1);
	gathered_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_order),
		cmocka_unit_test(test_equal_times_in_the_order_given),
		cmocka_unit_test(test_regressions_stay),
		cmocka_unit_test(test_one_absurd_time),
		cmocka_unit_test(test_one_file_empty_of_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
