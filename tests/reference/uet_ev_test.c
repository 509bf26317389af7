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

/* Which of between()'s pairs |x| is of. */
static int pair_of(const struct fact_entropy *x)
{
	int pair = 0;

	while (!addr_equal(x->src, host_addr(pair / 16)) ||
	       !addr_equal(x->dst, host_addr(100 + pair % 16)))
		pair++;
	return pair;
}

/* Too many values for all pairs: some pairs have all of theirs, the others
 * none, and what is missing is counted. */
static void pairs_are_whole(void **state)
{
	enum { PAIRS = 200, VALUES = 256, LAST = VALUES - 1 };
	static struct context c[PAIRS];
	static uint32_t rows[PAIRS], packets[PAIRS];
	struct scene *s = *state;
	uint64_t sent = 0, told = 0;
	struct context second;
	const struct record *r;
	int whole = 0;

	next_psn = 1000;
	for (int i = 0; i < PAIRS; i++)
		c[i] = between(s, i, 0x12);
	for (uint16_t ev = 0; ev < VALUES; ev++)
		for (int i = 0; i < PAIRS; i++) {
			next_psn = 1000u + ev;
			send_by(&c[i], ev);
			sent++;
		}
	for (int i = 0; i < PAIRS; i++) {
		next_psn = 1000 + VALUES;
		send_by(&c[i], 0);
		send_by(&c[i], LAST);
		sent += 2;
	}
	/* Another context of a pair shares what that has. */
	for (int i = 0; i < PAIRS; i++) {
		next_psn = 1000;
		second = between(s, i, 0x13);
		send_by(&second, LAST);
		sent++;
	}
	r = scene_run(s, NULL);
	for (size_t i = 0; i < r->n_entropies; i++) {
		const struct fact_entropy *x = &r->entropies[i];
		int pair = pair_of(x);

		told += x->packets;
		rows[pair]++;
		packets[pair] += (uint32_t)x->packets;
		assert_int_equal(x->packets, x->ev == 0      ? 2
					     : x->ev == LAST ? 3
							     : 1);
	}
	for (int i = 0; i < PAIRS; i++) {
		assert_true(!rows[i] || rows[i] == VALUES);
		assert_true(!rows[i] || packets[i] == VALUES + 3);
		whole += rows[i] > 0;
	}
	assert_int_equal(told + r->capped_entropies, sent);
	/* By lot: each stays with a chance of one half. */
	assert_in_range(whole, PAIRS / 4, PAIRS * 3 / 4);
}

/* One pair alone has too many: the first ones are counted on. */
static void one_pair_too_many(void **state)
{
	enum { ROOM = 49152, VALUES = 50000 };
	struct scene *s = *state;
	struct context c = context(s, 1000);
	const struct record *r;

	next_psn = 1000;
	for (int ev = 0; ev < VALUES; ev++)
		send_by(&c, (uint16_t)ev);
	send_by(&c, 0);
	send_by(&c, VALUES - 1);
	r = scene_run(s, NULL);
	assert_int_equal(r->n_entropies, ROOM);
	for (size_t i = 0; i < r->n_entropies; i++) {
		assert_true(r->entropies[i].ev < ROOM);
		assert_int_equal(r->entropies[i].packets,
				 r->entropies[i].ev ? 1 : 2);
	}
	assert_int_equal(r->capped_entropies, VALUES - ROOM + 1);
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
		SCENE_TEST(pairs_are_whole),
		SCENE_TEST(one_pair_too_many),
		SCENE_TEST(octets_beyond_32_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
