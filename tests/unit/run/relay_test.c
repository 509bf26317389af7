/* SPDX-License-Identifier: GPL-2.0-or-later
 * Frames through another thread: all of them, in order and unchanged. */
#include "run/relay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "maker.h"

enum {
	FRAMES = 20000, /* many times what the ring holds */
	EACH = 3000,    /* with every so manieth something begins */
	ETHERNET = 1,
	LARGE = 200000, /* bytes: more than the relay copies */
	LARGE_AT = 7777,
};

static uint32_t length_of(uint64_t number)
{
	return number == LARGE_AT ? LARGE : 60 + (uint32_t)(number % 97);
}

static struct made capture_of(void)
{
	struct made m = { 0 };

	made_pcap(&m, 0xa1b23c4d, 262144, ETHERNET);
	for (uint32_t i = 1; i <= FRAMES; i++)
		made_record(&m, 1700000000, i, length_of(i), length_of(i), i);
	return m;
}

static bool is_one(uint64_t number)
{
	return number % EACH == 0;
}

static bool begins(const void *ctx, const struct frame *f, size_t n)
{
	(void)ctx;
	for (size_t i = 0; i < n; i++)
		if (is_one(f[i].number))
			return true;
	return false;
}

struct fixture {
	struct made made;
	struct capture *capture;
	struct engine *engine;
	struct relay *relay;
};

static struct fixture fixture(void)
{
	struct fixture x = { .made = capture_of() };
	struct relay_options o = { .decode = &decode_defaults,
				   .begins = begins };

	x.capture = capture_open_bytes(x.made.p, x.made.n, NULL, NULL);
	x.engine = engine_new(NULL, NULL);
	assert_non_null(x.capture);
	assert_non_null(x.engine);
	o.capture = x.capture;
	o.engine = x.engine;
	x.relay = relay_new(&o);
	assert_non_null(x.relay);
	return x;
}

static void fixture_free(struct fixture *x)
{
	relay_free(x->relay);
	engine_free(x->engine);
	capture_free(x->capture);
	made_free(&x->made);
}

static void check(uint64_t number, const uint8_t *data, uint32_t caplen,
		  int64_t ns)
{
	assert_int_equal(caplen, length_of(number));
	assert_int_equal(ns, 1700000000000000000 + (int64_t)number);
	for (uint32_t k = 0; k < caplen; k += 1 + caplen / 100)
		assert_int_equal(data[k], made_byte((uint32_t)number, k));
}

/* Where something begins, the capture is as it was behind that batch. */
static void check_batch(const struct fixture *x, const struct relayed *some,
			uint64_t before)
{
	assert_int_equal(capture_tap(x->capture, 0)->packets, before + some->n);
	for (size_t i = 0; i < some->n; i++) {
		const struct frame *f = &some->batch[i];

		assert_int_equal(f->number, before + 1 + i);
		check(f->number, f->data, f->caplen, f->ns);
	}
}

static void check_looked(const struct relayed *some, uint64_t before)
{
	for (size_t i = 0; i < some->n; i++) {
		const struct engine_frame *f = &some->frame[i];

		assert_int_equal(f->number, before + 1 + i);
		assert_int_equal(f->order, f->number);
		assert_true(f->looked);
		assert_false(is_one(f->number) || f->number == LARGE_AT);
		check(f->number, f->in.data, f->in.caplen, f->ns);
	}
}

static void all_come_in_order(void **state)
{
	struct fixture x = fixture();
	uint64_t seen = 0, begun = 0;
	struct relayed some;
	struct err err;
	int n;

	(void)state;
	while ((n = relay_next(x.relay, &some, &err)) > 0) {
		assert_int_equal(n, some.n);
		if (some.batch)
			check_batch(&x, &some, seen);
		else
			check_looked(&some, seen);
		begun += some.batch ? 1 : 0;
		seen += some.n;
	}
	assert_int_equal(n, 0);
	assert_int_equal(seen, FRAMES);
	assert_in_range(begun, FRAMES / EACH, FRAMES / EACH + 1);
	assert_int_equal(relay_next(x.relay, &some, &err), 0);
	fixture_free(&x);
}

static void it_can_be_given_up_anywhere(void **state)
{
	struct relayed some;
	struct err err;

	(void)state;
	for (unsigned after = 0; after < 30; after++) {
		struct fixture x = fixture();

		for (unsigned i = 0; i < after; i++)
			assert_true(relay_next(x.relay, &some, &err) > 0);
		fixture_free(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_come_in_order),
		cmocka_unit_test(it_can_be_given_up_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
