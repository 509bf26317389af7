/* SPDX-License-Identifier: GPL-2.0-or-later
 * Two taps are the directions of one link only where that is certain. */
#include "flow/multitap/halves.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/packet.h"

enum { HOST = 0xa1, LEAF = 0xb1, PEER = 0xc1, PACKETS = 400 };

/* A packet from one host to the other, at a tap. */
struct seen {
	uint64_t src_mac, dst_mac;
	uint32_t tap;
	uint8_t from, to, ttl;
	uint32_t flags;
};

static void look(struct halves *s, const struct seen *w, int64_t ns)
{
	const uint8_t a[4] = { 10, 0, 0, w->from }, b[4] = { 10, 0, 0, w->to };
	const struct packet p = { .ns = ns,
				  .src = addr_from_v4(a),
				  .dst = addr_from_v4(b),
				  .src_mac = w->src_mac,
				  .dst_mac = w->dst_mac,
				  .tap = w->tap,
				  .ttl = w->ttl,
				  .flags = w->flags,
				  .kind = PACKET_ROCE };

	halves_look(s, &p, 1);
}

/* By turns, |late| behind each other. */
static struct half first_of(const struct seen *w, size_t n, int64_t late,
			    const uint32_t *file)
{
	struct halves *s = halves_new();
	struct half half[4];

	for (size_t i = 0; i < PACKETS; i++)
		for (size_t k = 0; k < n; k++)
			look(s, &w[k],
			     (int64_t)i * 1000 - (int64_t)w[k].tap * late);
	halves_decide(s, file, half, 4);
	if (half[0].other >= 0) {
		assert_int_equal(half[half[0].other].other, 0);
		assert_int_equal(half[half[0].other].proof, half[0].proof);
	}
	halves_free(s);
	return half[0];
}

static const uint32_t one_file[4];

static void is(struct half h, enum half_proof proof, int other)
{
	assert_int_equal(h.proof, proof);
	assert_int_equal(h.other, other);
}

/* A host's link: what comes to it was routed. */
static const struct seen link_of_host[2] = {
	{ HOST, LEAF, 0, 1, 2, 64, 0 },
	{ LEAF, HOST, 1, 2, 1, 61, 0 },
};

static void a_cable(void **state)
{
	const uint32_t two_files[4] = { 0, 1, 1, 1 };

	(void)state;
	is(first_of(link_of_host, 2, 0, one_file), HALF_SURE, 1);
	is(first_of(link_of_host, 2, 0, two_files), HALF_FILES, 1);
	is(first_of(link_of_host, 2, 50000, one_file), HALF_ORDER, 1);
}

/* Nobody routed: there may be bridges between, and a tap at each end. */
static void two_hosts(void **state)
{
	const struct seen w[] = { { HOST, PEER, 0, 1, 2, 64, 0 },
				  { PEER, HOST, 1, 2, 1, 64, 0 } };

	(void)state;
	is(first_of(w, 2, 0, one_file), HALF_HOSTS, 1);
}

/* One direction at each end of a fabric: hosts talk, and that is all. */
static void two_ends(void **state)
{
	const struct seen w[] = { { HOST, LEAF, 0, 1, 2, 64, 0 },
				  { PEER, LEAF + 1, 1, 2, 1, 64, 0 } };

	(void)state;
	is(first_of(w, 2, 0, one_file), HALF_HOSTS, 1);
}

static void both_directions_at_one(void **state)
{
	const struct seen w[] = { link_of_host[0],
				  link_of_host[1],
				  { LEAF, HOST, 0, 2, 1, 61, 0 } };

	(void)state;
	is(first_of(w, 3, 0, one_file), HALF_NONE, -1);
}

/* Addresses of tunnel ends are not those of a cable. */
static void in_a_tunnel(void **state)
{
	struct seen w[2] = { link_of_host[0], link_of_host[1] };

	(void)state;
	w[0].flags = w[1].flags = PACKET_TUNNELLED;
	is(first_of(w, 2, 0, one_file), HALF_HOSTS, 1);
}

/* Two cables between the same two switches: whose half is whose? */
static void a_third_tap(void **state)
{
	const struct seen w[] = { link_of_host[0],
				  link_of_host[1],
				  { LEAF, HOST, 2, 3, 1, 61, 0 },
				  { HOST, LEAF, 3, 1, 3, 64, 0 } };

	(void)state;
	is(first_of(w, 4, 0, one_file), HALF_HOSTS, 1);
}

/* Who shows what else has no such half. */
static void more_than_the_link(void **state)
{
	const struct seen w[] = { link_of_host[0],
				  link_of_host[1],
				  { LEAF, PEER, 1, 2, 3, 61, 0 } };

	(void)state;
	is(first_of(w, 3, 0, one_file), HALF_NONE, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cable),
		cmocka_unit_test(two_hosts),
		cmocka_unit_test(two_ends),
		cmocka_unit_test(both_directions_at_one),
		cmocka_unit_test(in_a_tunnel),
		cmocka_unit_test(a_third_tap),
		cmocka_unit_test(more_than_the_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
