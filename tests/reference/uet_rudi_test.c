/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets of Ultra Ethernet without a context, sent once more: by whom, and
 * what of (docs/rules.md, U18 and U23 to U25), each as the smallest story. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uet_scene.h"
#include "wire/wire.h"

enum { ID = 70, MANY = 1 << 14 };

static const struct fact_flow *requests(const struct record *r,
					const struct context *c)
{
	for (size_t i = 0; i < r->n_flows; i++)
		if (addr_equal(r->flows[i].src, host_addr(c->a)) &&
		    r->flows[i].transport == FLOW_UET_RUDI)
			return &r->flows[i];
	fail_msg("no flow of requests");
	return NULL;
}

static void refuse_id(struct context *c, uint32_t packet)
{
	struct packet *p;

	refuse(c, packet, NACK_TRIMMED);
	p = last_packet(c->scene);
	p->uet.flags |= UET_RUDI;
	p->uet.spdcid = p->uet.dpdcid = 0;
}

static void send_again(struct context *c, bool says_so)
{
	rudi_part(c, ID, 1, 1, 0);
	if (!says_so)
		return;
	last_packet(c->scene)->uet.flags |= UET_RETX;
	last_packet(c->scene)->icrc ^= 1;
}

/* A packet and the same once more, soon, with the same entropy value. */
static struct record *twice(struct scene *s, struct context *c, bool refused,
			    bool says_so, bool crc)
{
	*c = context(s, START);
	s->step = US;
	rudi_part(c, ID, 1, 1, 0);
	if (!crc)
		last_packet(s)->icrc = 0;
	pause_ns(s, 5 * US);
	if (refused)
		refuse_id(c, ID);
	pause_ns(s, 5 * US);
	send_again(c, says_so);
	pause_ns(s, 5 * US);
	rudi_answer(c, ID, 1);
	pause_ns(s, SECOND);
	return scene_run(s, NULL);
}

static void rule_U6_asked_for_between(void **state)
{
	struct context c;
	struct record *r = twice(*state, &c, true, false, true);

	assert_int_equal(requests(r, &c)->retransmitted, 1);
	assert_int_equal(requests(r, &c)->duplicates, 0);
	assert_int_equal(requests(r, &c)->mirror_duplicates, 0);
	only_rule(r, "U6", TRIGGER_NAK, CAUSE_TRIMMED_DOWNSTREAM);
}

/* Its flag says so, where the CRC cannot. */
static void rule_U25_its_flag_says_so(void **state)
{
	struct context c;
	struct record *r = twice(*state, &c, false, true, false);

	assert_int_equal(requests(r, &c)->retransmitted, 1);
	assert_int_equal(requests(r, &c)->duplicates, 0);
}

static void rule_U18_nothing_says_so(void **state)
{
	struct context c;
	struct record *r = twice(*state, &c, false, false, true);

	assert_int_equal(requests(r, &c)->retransmitted, 0);
	assert_int_equal(requests(r, &c)->mirror_duplicates, 1);
}

/* The mirror has its second copy of the original, and that is none. */
static void rule_U18_doubled_before_the_refusal(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	s->step = US;
	rudi_part(&c, ID, 1, 1, 0);
	duplicate(s, US);
	refuse_id(&c, ID);
	duplicate(s, US);
	pause_ns(s, 5 * US);
	rudi_part(&c, ID, 1, 1, 0);
	pause_ns(s, 5 * US);
	rudi_answer(&c, ID, 1);
	pause_ns(s, SECOND);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(requests(r, &c)->retransmitted, 1);
	assert_int_equal(requests(r, &c)->duplicates +
				 requests(r, &c)->mirror_duplicates,
			 1);
}

/* By its flag a packet is a retransmission of what never passed. */
static struct record *not_seen_before(struct scene *s, struct context *c,
				      int64_t before)
{
	*c = context(s, START);
	rudi_part(c, ID + 1, 2, 1, 0);
	pause_ns(s, REACT);
	rudi_answer(c, ID + 1, 2);
	pause_ns(s, before);
	send_again(c, true);
	pause_ns(s, REACT);
	rudi_answer(c, ID, 1);
	pause_ns(s, SECOND);
	return scene_run(s, NULL);
}

static void rule_U9_it_never_passed(void **state)
{
	struct context c;
	struct record *r = not_seen_before(*state, &c, SECOND);

	assert_int_equal(requests(r, &c)->retransmitted, 1);
	only_rule(r, "U9", TRIGGER_TIMEOUT, CAUSE_LOSS_UPSTREAM);
}

static void rule_U23_it_may_have_passed_before(void **state)
{
	struct context c;
	struct record *r = not_seen_before(*state, &c, MS);

	assert_int_equal(requests(r, &c)->retransmitted, 1);
	only_rule(r, "U23", TRIGGER_UNKNOWN, CAUSE_UNKNOWN);
}

/* What passed before more than is remembered. */
static void rule_U23_it_passed_long_before(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	s->step = 50 * US;
	rudi_part(&c, ID, 1, 1, 0);
	for (uint32_t i = 0; i < MANY; i++) {
		rudi_part(&c, ID + 1 + i, (uint16_t)(2 + i), 1, 0);
		rudi_answer(&c, ID + 1 + i, (uint16_t)(2 + i));
		last_packet(s)->order = s->count;
	}
	send_again(&c, true);
	last_packet(s)->order = s->count;
	rudi_answer(&c, ID, 1);
	last_packet(s)->order = s->count;
	pause_ns(s, SECOND);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(requests(r, &c)->retransmitted, 1);
	assert_int_equal(requests(r, &c)->goodput_bytes, (MANY + 1) * 1024);
	only_rule(r, "U23", TRIGGER_UNKNOWN, CAUSE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(rule_U6_asked_for_between),
		SCENE_TEST(rule_U25_its_flag_says_so),
		SCENE_TEST(rule_U18_nothing_says_so),
		SCENE_TEST(rule_U18_doubled_before_the_refusal),
		SCENE_TEST(rule_U9_it_never_passed),
		SCENE_TEST(rule_U23_it_may_have_passed_before),
		SCENE_TEST(rule_U23_it_passed_long_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
