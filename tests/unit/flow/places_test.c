/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parallel links are one place, hops one after the other are not. */
#include "flow/multitap/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/packet.h"
#include "wire/wire.h"

static struct packet data(uint32_t psn, uint32_t tap, uint8_t last)
{
	const uint8_t a[4] = { 10, 0, 0, 1 }, b[4] = { 10, 0, 0, last };

	return (struct packet) { .src = addr_from_v4(a),
				 .dst = addr_from_v4(b),
				 .dst_qp = 0x11,
				 .psn = psn,
				 .ip_id = (uint16_t)psn,
				 .tap = tap,
				 .opcode = RC_WRITE_MIDDLE,
				 .kind = PACKET_ROCE };
}

static void look(struct places *s, uint32_t psn, uint32_t tap, uint8_t last)
{
	struct packet p = data(psn, tap, last);

	places_look(s, &p, 1);
}

static void sprayed_links_are_one_place(void **state)
{
	struct places *s = places_new();
	int place[4];

	(void)state;
	for (uint32_t i = 0; i < 4000; i++)
		look(s, i, i % 4, 2);
	places_decide(s, place, 4);
	for (int i = 1; i < 4; i++)
		assert_int_equal(place[i], place[0]);
	places_free(s);
}

static void hops_are_not(void **state)
{
	struct places *s = places_new();
	int place[2];

	(void)state;
	for (uint32_t i = 0; i < 4000; i++) {
		look(s, i, 0, 2);
		if (i % 50)
			look(s, i, 1, 2); /* some are lost between */
	}
	places_decide(s, place, 2);
	assert_int_not_equal(place[0], place[1]);
	places_free(s);
}

/* Two uplinks of one leaf, and behind them the link they come together on. */
static void two_links_and_a_hop(void **state)
{
	struct places *s = places_new();
	int place[3];

	(void)state;
	for (uint32_t i = 0; i < 4000; i++) {
		look(s, i, i % 2, 2);
		look(s, i, 2, 2);
	}
	places_decide(s, place, 3);
	assert_int_equal(place[0], place[1]);
	assert_int_not_equal(place[0], place[2]);
	places_free(s);
}

/* Every third packet is retransmitted as it was, through either link. */
static void retransmissions_take_either_link(void **state)
{
	struct places *s = places_new();
	int place[2];

	(void)state;
	for (uint32_t i = 0; i < 4000; i++) {
		look(s, i, i * 7 / 3 % 2, 2);
		if (i % 3 == 0)
			look(s, i, i * 5 / 4 % 2, 2);
	}
	places_decide(s, place, 2);
	assert_int_equal(place[0], place[1]);
	places_free(s);
}

static void send(struct places *s, uint32_t psn, uint32_t tap, uint8_t ttl)
{
	struct packet p = data(psn, tap, 2);

	p.ttl = ttl;
	places_look(s, &p, 1);
}

/* 0 or 1, in no order. */
static uint32_t either(uint32_t n)
{
	n *= 2654435761u;
	n = (n ^ n >> 15) * 2246822519u;
	return (n ^ n >> 13) & 1;
}

/* All of them, several times, so that each was at both links. */
static void all_are_retransmitted(struct places *s, uint8_t ttl)
{
	for (uint32_t i = 0; i < 4000; i++)
		for (uint32_t n = 0; n < 8; n++) {
			uint32_t tap = either(i * 8 + n);

			send(s, i, tap, tap ? ttl : 63);
		}
}

static void each_packet_was_at_either_link(void **state)
{
	struct places *s = places_new();
	int place[2];

	(void)state;
	all_are_retransmitted(s, 63);
	places_decide(s, place, 2);
	assert_int_equal(place[0], place[1]);
	places_free(s);
}

/* A router is between the two. */
static void a_hop_has_another_ttl(void **state)
{
	struct places *s = places_new();
	int place[2];

	(void)state;
	all_are_retransmitted(s, 62);
	places_decide(s, place, 2);
	assert_int_not_equal(place[0], place[1]);
	places_free(s);
}

/* Of a hop that clocks have before the one that it is behind, now and then. */
static void retransmissions_pass_both_hops(void **state)
{
	struct places *s = places_new();
	int place[2];

	(void)state;
	for (uint32_t i = 0; i < 4000; i++)
		for (uint32_t n = 0; n < 8; n++) {
			uint32_t first = either(i * 8 + n);

			send(s, i, first, 63);
			send(s, i, 1 - first, 63);
		}
	places_decide(s, place, 2);
	assert_int_not_equal(place[0], place[1]);
	places_free(s);
}

/* One of the links that packets are sprayed over, behind that of the sender,
 * where every third is retransmitted. */
static void a_link_of_several_is_behind_that_of_the_sender(void **state)
{
	struct places *s = places_new();
	int place[2];

	(void)state;
	for (uint32_t i = 0; i < 4000; i++) {
		look(s, i, 0, 2);
		if (i * 7 / 3 % 4 == 0)
			look(s, i, 1, 2);
		if (i % 3)
			continue;
		look(s, i, 0, 2);
		if (i * 5 / 4 % 4 == 0)
			look(s, i, 1, 2);
	}
	places_decide(s, place, 2);
	assert_int_not_equal(place[0], place[1]);
	places_free(s);
}

/* ---- how much says how much ---- */

/* |n| packets through either of two links, every |both|-th through both, and of
 * these |run| one after the other in the same order. */
static bool are_parallel(uint32_t n, uint32_t both, uint32_t run)
{
	struct places *s = places_new();
	bool parallel;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t first =
			both && i % both == 0 ? i / both / run % 2 : i / 2 % 2;

		look(s, i, first, 2);
		if (both && i % both == 0)
			look(s, i, 1 - first, 2);
	}
	parallel = places_parallel(s, 0, 1);
	places_free(s);
	return parallel;
}

static void so_much_says_so_much(void **state)
{
	(void)state;
	assert_false(are_parallel(48, 0, 1)); /* SHARED_MIN */
	assert_true(are_parallel(100, 0, 1));
	assert_true(are_parallel(4000, 67, 4000)); /* SAME_PERCENT */
	assert_false(are_parallel(4000, 33, 4000));
	assert_false(are_parallel(96, 8, 1)); /* TURNS_MIN */
	assert_true(are_parallel(192, 8, 1));
	assert_false(are_parallel(4000, 2, 6)); /* TURNS_PERCENT */
	assert_true(are_parallel(4000, 2, 3));
}

static void different_flows_say_nothing(void **state)
{
	struct places *s = places_new();
	int place[2];

	(void)state;
	for (uint32_t i = 0; i < 4000; i++)
		look(s, i, i % 2, (uint8_t)(2 + i % 2));
	places_decide(s, place, 2);
	assert_int_not_equal(place[0], place[1]);
	places_free(s);
}

/* Numbers on both sides of every word of a set. */
static void many_links_are_one_place(void **state)
{
	static const uint32_t at[] = { 31, 32, 33, 63, 64, 127, 128, 254, 255 };
	enum { LINKS = sizeof at / sizeof *at };
	struct places *s = places_new();
	int place[300];

	(void)state;
	for (uint32_t i = 0; i < 1000 * LINKS; i++)
		look(s, i, at[i % LINKS], 2);
	look(s, 0, 256, 2);
	places_decide(s, place, 300);
	for (int i = 0; i < LINKS; i++)
		assert_int_equal(place[at[i]], place[at[0]]);
	assert_int_equal(place[30], 30);
	for (int i = 256; i < 300; i++)
		assert_int_equal(place[i], i);
	places_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sprayed_links_are_one_place),
		cmocka_unit_test(hops_are_not),
		cmocka_unit_test(two_links_and_a_hop),
		cmocka_unit_test(retransmissions_take_either_link),
		cmocka_unit_test(each_packet_was_at_either_link),
		cmocka_unit_test(a_hop_has_another_ttl),
		cmocka_unit_test(retransmissions_pass_both_hops),
		cmocka_unit_test(
			a_link_of_several_is_behind_that_of_the_sender),
		cmocka_unit_test(so_much_says_so_much),
		cmocka_unit_test(different_flows_say_nothing),
		cmocka_unit_test(many_links_are_one_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
