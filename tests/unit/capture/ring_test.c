/* SPDX-License-Identifier: GPL-2.0-or-later
 * The ring between the capture and the analysis. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture/ring.h"

enum { SIZE = 1 << 20, MANY = 200000, ROOM = 4096 };

/* Length and bytes of packet |n| follow from |n|. */
static uint32_t make(uint64_t n, uint8_t *data)
{
	uint32_t len = 20 + (uint32_t)(n * 2654435761u % 1500);

	memset(data, (int)(n & 0xff), len);
	return len;
}

static void check(const struct ring_record *r, const uint8_t *data)
{
	uint8_t want[ROOM];
	uint32_t len = make((uint64_t)r->ns, want);

	assert_int_equal(r->caplen, len);
	assert_int_equal(r->wirelen, len + 7);
	assert_memory_equal(data, want, len);
}

static bool put(struct ring *r, uint64_t n)
{
	uint8_t data[ROOM];
	uint32_t len = make(n, data);

	return ring_put(r, (int64_t)n, data, len, len + 7);
}

static int begin(void **state)
{
	*state = ring_new(SIZE, NULL);
	return *state == NULL;
}

static int end(void **state)
{
	ring_free(*state);
	return 0;
}

static void what_goes_in_comes_out(void **state)
{
	struct ring *r = *state;
	const struct ring_record *f;
	uint64_t at = 0, next = 0;

	for (uint64_t n = 0; n < MANY; n++) {
		assert_true(put(r, n));
		if (n % 7)
			continue;
		while ((f = ring_at(r, &at))) {
			assert_int_equal(f->kind, RING_FRAME);
			assert_int_equal(f->ns, next++);
			assert_int_equal(f->number, next);
			check(f, ring_data(f));
			at += f->size;
		}
		ring_release(r, at);
	}
}

/* Reads on: what is missing between two packets was told between them. */
static void read_on(struct ring *r, uint64_t *at, int64_t *next,
		    uint64_t *report)
{
	const struct ring_record *f;

	for (; (f = ring_at(r, at)); *at += f->size) {
		if (f->kind == RING_DROPS) {
			assert_int_equal(f->who, DROPS_OWN);
			assert_int_equal(f->ns, *next);
			assert_int_equal(f->until, *next + f->caplen - 1);
			*next = f->until + 1;
			*report += f->caplen;
			continue;
		}
		assert_int_equal(f->ns, *next);
		check(f, ring_data(f));
		*next = f->ns + 1;
	}
	ring_release(r, *at);
}

static void drops_are_told_in_their_place(void **state)
{
	struct ring *r = *state;
	uint64_t at = 0, n = 0, report = 0;
	int64_t next = 0;

	for (int round = 0; round < 5; round++) {
		while (put(r, n))
			n++;
		for (uint64_t end = ++n + 100; n < end; n++)
			put(r, n);
		read_on(r, &at, &next, &report);
		while (!put(r, n))
			n++;
		n++;
	}
	read_on(r, &at, &next, &report);
	assert_int_equal(next, n);
	assert_true(report > 100);
	assert_int_equal(report, atomic_load(&r->report.dropped[DROPS_OWN]));
}

static void others_drops_are_told(void **state)
{
	struct ring *r = *state;
	const struct ring_record *f;
	uint64_t at = 0;

	ring_put_drops(r, DROPS_KERNEL, 5, 9, 3);
	f = ring_at(r, &at);
	assert_int_equal(f->kind, RING_DROPS);
	assert_int_equal(f->who, DROPS_KERNEL);
	assert_int_equal(f->ns, 5);
	assert_int_equal(f->until, 9);
	assert_int_equal(f->caplen, 3);
}

/* What was read stays until it is written over, and whoever is overtaken is
 * told so and goes on with the oldest. */
static void the_past_can_be_read(void **state)
{
	struct ring *r = *state;
	_Alignas(16) uint8_t copy[ROOM];
	const struct ring_record *f = (const void *)copy;
	uint64_t at = 0, slow = 0, n;
	int64_t last = -1;

	for (n = 0; n < 5000; n++) {
		while (!put(r, n))
			fail();
		while (ring_at(r, &at))
			at += ring_at(r, &at)->size;
		ring_release(r, at);
	}
	assert_int_equal(ring_copy(r, &slow, copy, sizeof copy), -1);
	assert_int_equal(slow, ring_oldest(r));
	while (ring_copy(r, &slow, copy, sizeof copy) > 0) {
		check(f, copy + sizeof *f);
		assert_true(last < 0 || f->ns == last + 1);
		last = f->ns;
	}
	assert_int_equal(last, n - 1);
}

/* ---- a writer and two readers at once ---- */

static void *write_many(void *arg)
{
	for (uint64_t n = 0; n < MANY; n++)
		put(arg, n);
	return NULL;
}

static _Atomic int over;

static void *read_past(void *arg)
{
	_Alignas(16) uint8_t copy[ROOM];
	const struct ring_record *f = (const void *)copy;
	uint64_t at = 0;

	while (!over)
		if (ring_copy(arg, &at, copy, sizeof copy) > 0 &&
		    f->kind == RING_FRAME)
			check(f, copy + sizeof *f);
	return NULL;
}

static void readers_never_see_half(void **state)
{
	struct ring *r = *state;
	uint64_t at = 0, frames = 0, dropped = 0;
	pthread_t writer, past;
	bool last;

	over = 0;
	assert_int_equal(pthread_create(&writer, NULL, write_many, r), 0);
	assert_int_equal(pthread_create(&past, NULL, read_past, r), 0);
	do {
		const struct ring_record *f;

		last = frames + atomic_load(&r->report.dropped[DROPS_OWN]) ==
		       MANY;
		while ((f = ring_at(r, &at))) {
			if (f->kind == RING_FRAME) {
				check(f, ring_data(f));
				frames++;
			} else {
				dropped += f->caplen;
			}
			at += f->size;
			ring_release(r, at);
		}
	} while (!last);
	pthread_join(writer, NULL);
	over = 1;
	pthread_join(past, NULL);
	assert_int_equal(frames + atomic_load(&r->report.dropped[DROPS_OWN]),
			 MANY);
	assert_in_range(dropped, 0, MANY - frames);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_goes_in_comes_out),
		TEST(drops_are_told_in_their_place),
		TEST(others_drops_are_told),
		TEST(the_past_can_be_read),
		TEST(readers_never_see_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
