/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ultra Ethernet, the same story with two causes: where the packets differ the
 * verdict has to, and where they do not both causes have to remain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow/recovery/decide.h"
#include "uet_scene.h"
#include "wire/wire.h"

enum { SENT = 40, MISSING = START + 2 };

static const struct fact_recovery *about(const struct record *r, uint32_t psn)
{
	for (size_t i = 0; i < r->n_recoveries; i++)
		if (r->recoveries[i].psn == psn)
			return &r->recoveries[i];
	fail_msg("no recovery of PSN %u", psn);
	return NULL;
}

/* Of SENT packets |refused| are refused with |code|, and one is missing in the
 * SACK without a NACK for it.  |lacks|: the capture lacks another, which the
 * SACK has. */
static struct record *refusals(struct scene *s, struct context *c,
			       uint32_t refused, uint8_t code, bool lacks)
{
	uint64_t had = 1 | UINT64_C(1) << SENT | (uint64_t)lacks << (SENT - 1);

	*c = open_context(s);
	send_run(c, START + 1, START + SENT - 1 - lacks);
	SEND(c, START + SENT);
	pause_ns(s, REACT);
	for (uint32_t i = 1, n = 0; i < SENT; i++) {
		if (START + i == MISSING || (had >> i & 1))
			continue;
		if (n++ < refused)
			refuse(c, START + i, code);
		else if (refused)
			had |= UINT64_C(1) << i;
	}
	sack(c, START, START + SENT, had);
	pause_ns(s, REACT);
	for (uint32_t i = 1; i < SENT; i++)
		if (!(had >> i & 1))
			resend_psn(c, START + i);
	settle(c, START + SENT);
	return scene_run(s, NULL);
}

static void the_refusal_may_not_be_captured(void **state)
{
	struct context c;
	struct record *r =
		refusals(*state, &c, SENT, NACK_NO_GTD_DEL_AVAIL, false);
	const struct fact_recovery *v = about(r, MISSING);

	EXPECT(context_flow(r, &c), .down_max = 1, .retransmitted = SENT - 1);
	assert_int_equal(v->cause, CAUSE_UNKNOWN);
	assert_int_equal(v->remaining,
			 H(LOST_DOWN) | H(NOT_READY) | H(TRIMMED_DOWN));
	assert_int_equal(about(r, START + 1)->cause, CAUSE_RNR);
}

/* The same of what a switch trimmed. */
static void nor_that_of_a_trimmed_packet(void **state)
{
	struct context c;
	struct record *r = refusals(*state, &c, SENT, NACK_TRIMMED, true);
	const struct fact_recovery *v = about(r, MISSING);

	EXPECT(context_flow(r, &c), .down_max = 1, .missing = 1,
	       .retransmitted = SENT - 2);
	assert_string_equal(v->rule, "U23");
	assert_true(v->remaining & H(LOST_DOWN));
	assert_true(v->remaining & H(TRIMMED_DOWN));
	assert_int_equal(v->lost_min, 0);
}

static void where_the_capture_lacks_nothing_it_is_captured(void **state)
{
	struct context c;
	struct record *r = refusals(*state, &c, SENT, NACK_TRIMMED, false);

	EXPECT(context_flow(r, &c), .down_min = 1, .down_max = 1,
	       .retransmitted = SENT - 1);
	assert_int_equal(about(r, MISSING)->remaining, H(LOST_DOWN));
}

static void where_none_was_trimmed_none_is_lacking(void **state)
{
	struct context c;
	struct record *r = refusals(*state, &c, 0, NACK_TRIMMED, true);

	EXPECT(context_flow(r, &c), .down_min = SENT - 2, .missing = 1,
	       .down_max = SENT - 2, .retransmitted = SENT - 2);
	assert_string_equal(about(r, START + 1)->rule, "U12");
}

static void among_few_refusals_none_is_lacking(void **state)
{
	struct context c;
	struct record *r =
		refusals(*state, &c, 1, NACK_NO_GTD_DEL_AVAIL, false);
	const struct fact_recovery *v = about(r, MISSING);

	EXPECT(context_flow(r, &c), .down_min = 1, .down_max = 1,
	       .retransmitted = 2);
	assert_int_equal(v->cause, CAUSE_LOSS_DOWNSTREAM);
	assert_int_equal(v->remaining, H(LOST_DOWN));
	assert_true(v->evidence & V(SACK_HOLE));
	assert_false(v->evidence & V(OTHERS_REFUSED));
}

/* A packet that never passed is retransmitted, and acknowledged sooner than any
 * before; |lacks|: the capture lacks another, which was acknowledged. */
static struct record *unseen_and_soon(struct scene *s, struct context *c,
				      bool lacks)
{
	uint32_t psn = START + 1;

	*c = open_context(s);
	for (; psn < START + 20; psn++) {
		SEND(c, psn);
		pause_ns(s, REACT);
		cack(c, psn, psn);
	}
	if (lacks) {
		SEND(c, psn + 1);
		pause_ns(s, REACT);
		cack(c, psn + 1, psn + 1);
		pause_ns(s, 10 * MS);
		psn += 2;
	}
	SEND(c, psn + 1);
	pause_ns(s, 10 * MS);
	resend_psn(c, psn);
	pause_ns(s, REACT / 4);
	cack(c, psn + 1, psn);
	pause_ns(s, SECOND);
	return scene_run(s, NULL);
}

static void a_quick_ack_makes_no_arrival(void **state)
{
	struct context c;
	struct record *r = unseen_and_soon(*state, &c, false);

	EXPECT(context_flow(r, &c), .up = 1, .retransmitted = 1, .timeouts = 1);
	only_rule(r, "U9", TRIGGER_TIMEOUT, CAUSE_LOSS_UPSTREAM);
}

static void but_where_the_capture_lacks_packets(void **state)
{
	struct context c;
	struct record *r = unseen_and_soon(*state, &c, true);

	EXPECT(context_flow(r, &c), .missing = 1, .retransmitted = 1,
	       .timeouts = 1);
	assert_int_equal(only_recovery(r)->cause, CAUSE_UNKNOWN);
	assert_int_equal(only_recovery(r)->remaining,
			 H(LOST_UP) | H(NOT_CAPTURED));
}

/* Thirty holes in SACKs, a millisecond apart; then, or not, one that closes
 * by itself after as long a time: |late|. */
static struct record *holes(struct scene *s, struct context *c, bool late)
{
	uint32_t psn = START + 1;

	*c = open_context(s);
	for (int i = 0; i <= 30; i++, psn += 2) {
		SEND(c, psn, psn + 1);
		pause_ns(s, REACT);
		sack(c, psn - 1, psn + 1, 0x5);
		pause_ns(s, REACT);
		if (i < 30)
			resend_psn(c, psn);
		else if (!late)
			continue;
		pause_ns(s, REACT);
		sack(c, psn + 1, psn, 0x1);
		pause_ns(s, 20 * MS);
	}
	pause_ns(s, SECOND);
	return scene_run(s, NULL);
}

static void losses_stay_losses(void **state)
{
	struct context c;
	struct record *r = holes(*state, &c, false);

	EXPECT(context_flow(r, &c), .down_min = 30, .down_max = 30,
	       .retransmitted = 30);
}

/* Decided late: what came last counts for the first of them as well. */
static void until_one_is_known_to_come_as_late(void **state)
{
	struct context c;
	struct record *r = holes(*state, &c, true);

	EXPECT(context_flow(r, &c), .down_max = 30, .retransmitted = 30);
	assert_int_equal(r->n_recoveries, 30);
	for (size_t i = 0; i < r->n_recoveries; i++)
		assert_int_equal(r->recoveries[i].remaining,
				 H(LOST_DOWN) | H(REORDERED_DOWN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(the_refusal_may_not_be_captured),
		SCENE_TEST(nor_that_of_a_trimmed_packet),
		SCENE_TEST(where_the_capture_lacks_nothing_it_is_captured),
		SCENE_TEST(where_none_was_trimmed_none_is_lacking),
		SCENE_TEST(among_few_refusals_none_is_lacking),
		SCENE_TEST(a_quick_ack_makes_no_arrival),
		SCENE_TEST(but_where_the_capture_lacks_packets),
		SCENE_TEST(losses_stay_losses),
		SCENE_TEST(until_one_is_known_to_come_as_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
