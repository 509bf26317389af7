/* SPDX-License-Identifier: GPL-2.0-or-later
 * Addresses chosen to meet in one slot of a table do not: counted in slots that
 * are looked at, not in time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "decode/packet.h"
#include "flow/core/engine.h"
#include "flow/core/flow.h"
#include "flow/core/recent.h"
#include "flow/uet/uet.h"
#include "wire/wire.h"

enum { FLOWS = 20000, PROBES_MOST = 4 };

static const struct addr host = { { 0x20010db8, 1 } };

/* The sum of both words is the same for all. */
static struct addr same_sum(uint64_t i)
{
	uint64_t step = i * 0x9e3779b97f4a7c00u;

	return (struct addr) { { 0x1000000000000020u + step,
				 0x2000000000000000u - step } };
}

/* w[0] * 7 ^ w[1] * c is the same for all. */
static struct addr same_xor(uint64_t i)
{
	const uint64_t seventh = 0x6db6db6db6db6db7u;
	uint64_t word = (i + 1) * 0x9e3779b97f4a7c15u;

	return (struct addr) {
		{ (0x1234567890abcdefu ^ word * 0xc2b2ae3d27d4eb4fu) * seventh,
		  word }
	};
}

/* They differ in the upper bits only, which a multiplication carries nowhere
 * else. */
static struct addr upper_bits(uint64_t i)
{
	return (struct addr) { { 0xfd00000000000000u + (i << 48), i << 50 } };
}

/* Slots from where each entry belongs to where it is. */
static uint64_t flow_probes(const struct engine *e)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i <= e->slot_mask; i++)
		if (e->slots[i])
			n += (i -
			      (uint32_t)flow_at(e, (uint32_t)e->slots[i] - 1)
				      ->hash) &
			     e->slot_mask;
	return n;
}

static uint64_t route_probes(const struct engine *e)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i <= e->route_mask; i++) {
		const struct route_pair *r = &e->routes[e->route_slots[i] - 1u];

		if (e->route_slots[i])
			n += (i - (uint32_t)hash6(r->lo.w[0], r->lo.w[1],
						  r->hi.w[0], r->hi.w[1],
						  r->place, 0)) &
			     e->route_mask;
	}
	return n;
}

static void flood(struct addr (*address)(uint64_t))
{
	const struct flow_sink none = { 0 };
	struct engine *e = engine_new(&(struct engine_options) { 0 }, &none);

	for (uint32_t i = 0; i < FLOWS; i++) {
		struct packet p = { .ns = i,
				    .frame = i + 1,
				    .src = host,
				    .dst = address(i),
				    .dst_qp = 17,
				    .psn = 5,
				    .opcode = RC_WRITE_ONLY,
				    .wire_len = 100,
				    .kind = PACKET_ROCE };

		engine_feed(e, &p, 1);
	}
	assert_int_equal(e->n_flows, FLOWS);
	assert_in_range(flow_probes(e), 0, PROBES_MOST * FLOWS);
	assert_in_range(route_probes(e), 0, PROBES_MOST * FLOWS);
	engine_free(e);
}

static void of_one_sum(void **state)
{
	(void)state;
	assert_int_equal(same_sum(7).w[0] + same_sum(7).w[1],
			 same_sum(0).w[0] + same_sum(0).w[1]);
	flood(same_sum);
}

static uint64_t was(struct addr a)
{
	return a.w[0] * 7 ^ a.w[1] * 0xc2b2ae3d27d4eb4fu;
}

static void of_one_xor(void **state)
{
	(void)state;
	assert_int_equal(was(same_xor(7)), was(same_xor(0)));
	flood(same_xor);
}

static void of_upper_bits(void **state)
{
	(void)state;
	flood(upper_bits);
}

/* The key is one: words of 0 do not make it useless. */
static void there_is_a_key(void **state)
{
	(void)state;
	for (int i = 0; i < HASH_KEY_WORDS; i++)
		for (int k = 0; k < i; k++)
			assert_int_not_equal(hash_key[i], hash_key[k]);
	assert_int_not_equal(hash2(0, 0), hash2(0, 1));
	assert_int_not_equal(hash2(1, 0), hash2(0, 1));
	assert_int_not_equal(hash6(0, 0, 0, 0, 0, 0), hash6(0, 0, 0, 0, 0, 1));
}

/* Without a key these would all be in one bucket of the recent packets. */
static void psns_of_one_bucket(void **state)
{
	enum { MOST = 64 };
	const struct recent_key flow = recent_of_flow(0, false);
	uint32_t in[RECENT_BUCKETS] = { 0 }, n = 0;

	(void)state;
	for (uint32_t psn = 0; psn < 1 << 24; psn++)
		if ((flow.v * 0x9e3779b1u ^ psn * 0x85ebca6bu) >> 21 == 5) {
			assert_in_range(++in[recent_bucket(flow, psn)], 1,
					MOST);
			n++;
		}
	assert_true(n > RECENT_BUCKETS);
}

/* The contexts of two hosts may all have the same PSNs: then what was sent in
 * one is not looked for among the packets of all. */
static void contexts_of_one_psn(void **state)
{
	enum { CONTEXTS = 4000, MOST = 16 };
	const struct flow_sink none = { 0 };
	struct engine *e = engine_new(&(struct engine_options) { 0 }, &none);
	uint32_t in[RECENT_BUCKETS] = { 0 };

	(void)state;
	for (uint32_t i = 0; i < CONTEXTS; i++) {
		struct packet p = { .ns = i,
				    .frame = i + 1,
				    .src = host,
				    .dst = same_sum(1),
				    .psn = 5,
				    .wire_len = 100,
				    .kind = PACKET_UET,
				    .uet = { .type = PDS_RUD_REQ,
					     .flags = UET_PDS,
					     .spdcid = (uint16_t)(i + 1),
					     .dpdcid = 9 } };

		engine_feed(e, &p, 1);
	}
	assert_int_equal(e->n_flows, CONTEXTS);
	for (uint32_t i = 0; i < CONTEXTS; i++) {
		uint32_t bucket = recent_bucket(uet_key(flow_at(e, i)), 5);

		assert_in_range(++in[bucket], 1, MOST);
		assert_ptr_equal(uet_recent(e, flow_at(e, i), 5, true),
				 recent_find(&e->recent, uet_key(flow_at(e, i)),
					     5, NULL));
		assert_non_null(uet_recent(e, flow_at(e, i), 5, true));
	}
	engine_free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_one_sum),
		cmocka_unit_test(of_one_xor),
		cmocka_unit_test(of_upper_bits),
		cmocka_unit_test(psns_of_one_bucket),
		cmocka_unit_test(contexts_of_one_psn),
		cmocka_unit_test(there_is_a_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
