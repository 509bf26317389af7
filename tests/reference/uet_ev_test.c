/* SPDX-License-Identifier: GPL-2.0-or-later
 * The table of entropy values: what is in it is whole, what is not is counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uet_scene.h"

static uint32_t next_psn;

static void send_by(struct context *c, uint16_t ev)
{
	c->ev = ev;
	send_psn(c, next_psn++);
}

static struct context between(struct scene *s, int pair, uint16_t id)
{
	struct context c = context(s, next_psn);

	c.a = pair / 16;
	c.b = 100 + pair % 16;
	c.id_a = id;
	return c;
}

static void full_table_is_whole(void **state)
{
	enum { PAIRS = 200, VALUES = 256, ROOM = 49152, LAST = VALUES - 1 };
	static struct context c[PAIRS];
	struct scene *s = *state;
	struct context late, second;
	const struct record *r;
	uint64_t packets = 0, twice = 0;

	next_psn = 1000;
	for (int i = 0; i < PAIRS; i++)
		c[i] = between(s, i, 0x12);
	for (uint16_t ev = 0; ev < VALUES; ev++)
		for (int i = 0; i < PAIRS; i++) {
			next_psn = 1000u + ev;
			send_by(&c[i], ev);
		}
	/* Those that are in it go on to be counted, the others do not. */
	for (int i = 0; i < PAIRS; i++) {
		next_psn = 1000 + VALUES;
		send_by(&c[i], 0);
		send_by(&c[i], LAST);
	}
	/* A new pair finds no room; one more context of a known pair shares
	 * what that has. */
	next_psn = 1000;
	late = between(s, PAIRS, 0x12);
	for (uint16_t ev = 0; ev < 10; ev++)
		send_by(&late, ev);
	second = between(s, 7, 0x13);
	for (uint16_t ev = 0; ev < 5; ev++)
		send_by(&second, ev);
	send_by(&second, LAST);
	r = scene_run(s, NULL);
	assert_int_equal(r->n_entropies, ROOM);
	for (size_t i = 0; i < r->n_entropies; i++) {
		const struct fact_entropy *x = &r->entropies[i];

		packets += x->packets;
		twice += x->packets == 2;
		assert_int_not_equal(x->ev, LAST);
		assert_true(x->packets == 1 || x->ev < 5);
	}
	assert_int_equal(packets, ROOM + PAIRS + 5);
	assert_int_equal(twice, PAIRS - 1 + 4); /* and one three times */
	assert_int_equal(r->capped_entropies,
			 PAIRS * VALUES - ROOM + PAIRS + 10 + 1);
}

static void octets_beyond_32_bits(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, 1000);
	const struct record *r;

	c.ev = 0xc123;
	for (uint32_t k = 0; k < 5; k++) {
		send_psn(&c, 1000 + k);
		last_packet(s)->wire_len = 3000000000u;
	}
	r = scene_run(s, NULL);
	assert_int_equal(r->n_entropies, 1);
	assert_int_equal(r->entropies[0].ev, 0xc123);
	assert_int_equal(r->entropies[0].packets, 5);
	assert_int_equal(r->entropies[0].bytes, UINT64_C(15000000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(full_table_is_whole),
		SCENE_TEST(octets_beyond_32_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
