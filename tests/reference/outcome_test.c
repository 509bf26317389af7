/* SPDX-License-Identifier: GPL-2.0-or-later
 * What packets told of their way, joined with what became of the very same
 * packets: times inside two switches are written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene.h"

enum { ENTRY = 32, LEAF = 7, SPINE = 9, LEAF_PORT = 3, SPINE_PORT = 5 };
enum { STACKS = 40100 };

static uint8_t stacks[STACKS][2 * ENTRY];
static size_t n_stacks;

static void put32(uint8_t *to, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* Entry of an XGS switch: telemetry-and-encapsulation.md 1.5. */
static void entry(uint8_t *to, uint32_t device, uint32_t port, uint32_t ns)
{
	put32(to, 1u << 28 | device << 8 | 63);
	put32(to + 8, port << 16 | 1);
	put32(to + 16, ns);
}

/* The last packet was in the leaf, then in the spine, for so long. */
static void told(struct scene *s, uint32_t leaf_ns, uint32_t spine_ns)
{
	struct packet *p = last_packet(s);
	uint8_t *stack = stacks[n_stacks++ % STACKS];

	entry(stack, SPINE, SPINE_PORT, spine_ns); /* newest first */
	entry(stack + ENTRY, LEAF, LEAF_PORT, leaf_ns);
	p->flags |= PACKET_STACK | PACKET_SHIM;
	p->stack = stack;
	p->stack_form = STACK_XGS;
	p->stack_hops = 2;
}

static const struct fact_hop *hop(const struct record *r, uint32_t flow,
				  int64_t device)
{
	for (size_t i = 0; i < r->n_hops; i++)
		if (r->hops[i].flow == flow && r->hops[i].device == device)
			return &r->hops[i];
	fail_msg("no hop %d", (int)device);
	return NULL;
}

/* 40 packets whose answers take what they waited in the spine, and 10 us. */
static void answers_follow_the_switch_where_packets_wait(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	for (uint32_t i = 1; i <= 40; i++) {
		uint32_t spine = i * 977 % 40 * US;

		DATA(&p, i);
		told(s, i % 2 ? 900 : 1100, spine);
		pause_ns(s, spine);
		ack(&p, i);
	}

	struct record *r = scene_run(s, NULL);
	const struct fact_hop *spine = hop(r, 0, SPINE);
	const struct fact_hop *leaf = hop(r, flow_of(r, &p)->id, LEAF);

	EXPECT_CLEAN(r);
	assert_int_equal(spine->packets, 40);
	assert_int_equal(spine->acked, 40);
	/* 0, 1, ... 39 us in some order, and a step of 10 us */
	assert_int_equal(spine->ack_mean_ns, 29500);
	assert_int_equal(spine->ack_correlation_pm, 1000);
	assert_in_range(leaf->ack_correlation_pm + 300, 0, 600);
	assert_int_equal(r->n_paths, 1);
	assert_int_equal(r->paths[0].acked, 40);
	assert_int_equal(r->paths[0].ack_max_ns, 49 * US);
	assert_true(r->paths[0].ack_correlation_pm > 990);
	assert_int_equal(r->n_telemetry_packets, 0);
}

static void few_answers_follow_nothing(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	for (uint32_t i = 1; i <= 29; i++) {
		DATA(&p, i);
		told(s, 900, i * US);
		pause_ns(s, i * US);
		ack(&p, i);
	}

	struct record *r = scene_run(s, NULL);

	assert_int_equal(hop(r, 0, SPINE)->acked, 29);
	assert_int_equal(hop(r, 0, SPINE)->ack_correlation_pm, FACT_UNKNOWN);
}

static void marked_packets_have_times_of_their_own(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	for (uint32_t i = 1; i <= 8; i++) {
		DATA(&p, i);
		told(s, 1000, i > 6 ? 90000 : 2000);
		if (i > 6)
			mark(s);
	}
	ack(&p, 8);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(hop(r, 0, SPINE)->ce, 2);
	assert_int_equal(hop(r, 0, SPINE)->marked_mean_ns, 90000);
	assert_int_equal(hop(r, 0, SPINE)->residence.mean, 24000);
	assert_int_equal(hop(r, 0, LEAF)->marked_mean_ns, 1000);
}

/* Packet 20 passed and was lost behind here; its copy tells something else.
 * That verdict waits for the end, and meanwhile 30,000 others tell. */
static void a_lost_packet_is_remembered(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	for (uint32_t i = 1; i <= 20; i++) {
		DATA(&p, i);
		told(s, 1000, i == 20 ? 70000 : 2000);
	}
	pause_ns(s, REACT);
	nak(&p, 20);
	pause_ns(s, REACT);
	DATA(&p, 20);
	told(s, 1000, 3000);
	pause_ns(s, REACT);
	ack(&p, 20);
	for (uint32_t i = 21; i < 40000; i++) {
		DATA(&p, i);
		told(s, 1000, 2000);
		if (i % 64 == 0)
			ack(&p, i);
	}

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .down_min = 1, .down_max = 1,
	       .retransmitted = 1);
	assert_int_equal(r->n_telemetry_packets, 1);
	assert_int_equal(r->tolds[0].fate, TELEMETRY_LOST);
	assert_int_equal(r->tolds[0].psn, 20);
	assert_int_equal(r->tolds[0].frame, 20);
	assert_int_equal(r->tolds[0].device, SPINE);
	assert_int_equal(r->tolds[0].egress, SPINE_PORT);
	assert_int_equal(r->tolds[0].position, 2);
	assert_int_equal(r->tolds[0].kept_ns, 70000);
	assert_int_equal(r->tolds[0].total_ns, 71000);
	assert_int_equal(hop(r, 0, SPINE)->lost, 1);
	assert_int_equal(hop(r, 0, SPINE)->lost_mean_ns, 70000);
	assert_int_equal(hop(r, flow_of(r, &p)->id, LEAF)->lost, 1);
	assert_int_equal(r->paths[0].lost, 1);
}

/* What was lost before it came here told nothing, its neighbours did. */
static void neighbours_stand_for_what_never_came(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1);
	told(s, 1000, 2000);
	DATA(&p, 2);
	told(s, 1000, 50000);
	unseen(&p, 3);
	DATA(&p, 4);
	told(s, 1000, 60000);
	pause_ns(s, REACT);
	nak(&p, 3);
	pause_ns(s, REACT);
	DATA(&p, 3, 4, 5);
	told(s, 1000, 2000);
	pause_ns(s, REACT);
	ack(&p, 5);

	struct record *r = scene_run(s, NULL);

	EXPECT(flow_of(r, &p), .up = 1, .down_max = ANY, .retransmitted = 2);
	assert_int_equal(r->n_telemetry_packets, 2);
	assert_int_equal(r->tolds[0].fate, TELEMETRY_NEXT_TO_LOSS);
	assert_int_equal(r->tolds[0].psn, 2);
	assert_int_equal(r->tolds[0].kept_ns, 50000);
	assert_int_equal(r->tolds[1].fate, TELEMETRY_NEXT_TO_LOSS);
	assert_int_equal(r->tolds[1].psn, 4);
	assert_int_equal(r->tolds[1].frame, 3);
	assert_int_equal(hop(r, 0, SPINE)->lost, 0);
	assert_int_equal(hop(r, 0, SPINE)->lost_mean_ns, FACT_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(answers_follow_the_switch_where_packets_wait),
		SCENE_TEST(few_answers_follow_nothing),
		SCENE_TEST(marked_packets_have_times_of_their_own),
		SCENE_TEST(a_lost_packet_is_remembered),
		SCENE_TEST(neighbours_stand_for_what_never_came),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
