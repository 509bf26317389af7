/* SPDX-License-Identifier: GPL-2.0-or-later
 * PDC ids that serve another context, with the same starting PSN: what is a
 * new one, and what only looks like it (uet.md 6.1, 6.2, 6.7). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uet_scene.h"
#include "wire/wire.h"

enum { FIRST = 5, SECOND_LIFE = 3 }; /* data packets */

/* The rest of a context that open_context() began; closed, if |close|. */
static void live(struct context *c, uint32_t last, bool close)
{
	if (last > START)
		send_run(c, START + 1, last);
	pause_ns(c->scene, REACT);
	cack(c, last, last);
	if (!close)
		return;
	control_psn(c, CP_CLOSE, last + 1);
	pause_ns(c->scene, REACT);
	cack(c, last + 1, last + 1);
}

/* Another one with the same ids and the same PSNs. */
static void again(struct context *c)
{
	c->known = false;
	send_psn(c, START);
	pause_ns(c->scene, REACT);
	cack(c, START, START);
	answered(c);
	live(c, START + SECOND_LIFE - 1, false);
	pause_ns(c->scene, SECOND);
}

static const struct fact_flow *life(const struct record *r, uint16_t id,
				    uint32_t epoch)
{
	for (size_t i = 0; i < r->n_flows; i++)
		if (r->flows[i].spdcid == id && r->flows[i].epoch == epoch)
			return &r->flows[i];
	return NULL;
}

static const struct fact_pdc *books(const struct record *r,
				    const struct fact_flow *f)
{
	for (size_t i = 0; i < r->n_pdcs; i++)
		if (r->pdcs[i].flow == f->id)
			return &r->pdcs[i];
	return NULL;
}

/* Both ends begin anew, nothing is a copy of anything, and what was sent is
 * all there: |first| data packets, then SECOND_LIFE. */
static void expect_two_lives(const struct record *r, uint32_t first)
{
	const struct fact_flow *a[2], *b[2];

	assert_int_equal(r->n_flows, 4);
	for (uint32_t i = 0; i < 2; i++) {
		a[i] = life(r, 0x12, i);
		b[i] = life(r, 0x34, i);
		assert_non_null(a[i]);
		assert_non_null(b[i]);
		assert_int_equal(a[i]->peer, b[i]->id);
		assert_int_equal(b[i]->peer, a[i]->id);
		assert_int_equal(a[i]->messages_completed,
				 i ? SECOND_LIFE : first);
		assert_int_equal(a[i]->job_id, 200);
		assert_int_equal(books(r, a[i])->start_psn, START);
		assert_int_equal(books(r, a[i])->role, PDC_INITIATOR);
		assert_int_equal(books(r, a[i])->jobs, 1);
		assert_null(books(r, b[i])); /* it only answers */
	}
	assert_int_equal(events_of(r, EVENT_EPOCH), 2);
	EXPECT_CLEAN(r);
}

static void expect_one_life(const struct record *r)
{
	assert_int_equal(r->n_flows, 2);
	assert_int_equal(events_of(r, EVENT_EPOCH), 0);
}

/* ---- new ones ---- */

static void after_a_close(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	live(&c, START + FIRST - 1, true);
	pause_ns(s, 100 * US);
	c.spray = true; /* another entropy value than the one before */
	again(&c);

	struct record *r = scene_run(s, NULL);

	expect_two_lives(r, FIRST);
	assert_int_equal(books(r, life(r, 0x12, 0))->state, PDC_CLOSED);
	assert_int_equal(books(r, life(r, 0x12, 1))->state, PDC_ESTABLISHED);
}

/* Every octet is the same, but no network doubles so late. */
static void after_a_close_with_the_same_octets(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	live(&c, START + FIRST - 1, true);
	pause_ns(s, 20 * MS);
	again(&c);

	expect_two_lives(scene_run(s, NULL), FIRST);
}

/* The second one, longer, is overtaken: the first packet seen has a PSN that
 * the one before never reached. */
static void after_a_close_and_out_of_order(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	live(&c, START, true);
	pause_ns(s, 2 * MS); /* the capture did not break into it */
	c.spray = true;
	c.known = false;
	SEND(&c, START + 4, START, START + 1, START + 2, START + 3);
	settle(&c, START + 4);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_flows, 4);
	assert_int_equal(life(r, 0x12, 0)->messages_completed, 1);
	assert_int_equal(life(r, 0x12, 1)->messages_completed, 5);
	EXPECT(life(r, 0x12, 1), .reordered = 4, .extent = 4);
}

/* The close itself was not captured. */
static void after_a_long_silence(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	live(&c, START + FIRST - 1, false);
	pause_ns(s, 9 * SECOND);
	again(&c);

	expect_two_lives(scene_run(s, NULL), FIRST);
}

static void of_another_job(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	live(&c, START + FIRST - 1, false);
	pause_ns(s, 100 * MS);
	c.job = 201;
	again(&c);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_flows, 4);
	assert_int_equal(life(r, 0x12, 0)->job_id, 200);
	assert_int_equal(life(r, 0x12, 1)->job_id, 201);
	EXPECT_CLEAN(r);
}

/* No answer is seen, so that the message of the first one is still open. */
static void of_another_message(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	send_psn(&c, START);
	pause_ns(s, 100 * MS);
	send_psn(&c, START);
	last_packet(s)->uet.message_id = 7;

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_flows, 2);
	assert_int_equal(TOTAL(r, retransmitted), 0);
}

static void ordered_after_unordered(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	live(&c, START + FIRST - 1, false);
	pause_ns(s, 100 * MS);
	c.ordered = true;
	again(&c);

	struct record *r = scene_run(s, NULL);

	expect_two_lives(r, FIRST);
	assert_int_equal(life(r, 0x12, 0)->transport, FLOW_UET_RUD);
	assert_int_equal(life(r, 0x12, 1)->transport, FLOW_UET_ROD);
}

/* A context that is refused for good is over, too. */
static void after_a_refusal(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_UNEXP_EVENT);
	pause_ns(s, 100 * MS);
	again(&c);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_flows, 4);
	assert_int_equal(books(r, life(r, 0x12, 0))->state, PDC_ERROR);
	assert_int_equal(books(r, life(r, 0x12, 1))->state, PDC_ESTABLISHED);
	assert_int_equal(TOTAL(r, retransmitted), 0);
}

/* Its first packets were lost before the tap: only copies of them pass. */
static void after_a_close_by_copies(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	live(&c, START + FIRST - 1, true);
	pause_ns(s, SECOND);
	c.known = false;
	resend_psn(&c, START);
	settle(&c, START);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_flows, 4);
	assert_int_equal(life(r, 0x12, 0)->retransmitted, 0);
	assert_int_equal(life(r, 0x12, 1)->retransmitted, 1);
}

/* ---- what only looks like one ---- */

static void the_mirror_doubles_a_SYN(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	send_psn(&c, START);
	duplicate(s, 5 * US);
	last_packet(s)->ttl--;
	pause_ns(s, REACT);
	cack(&c, START, START);
	answered(&c);
	live(&c, START + FIRST - 1, true);
	pause_ns(s, SECOND);

	struct record *r = scene_run(s, NULL);

	expect_one_life(r);
	assert_int_equal(TOTAL(r, retransmitted), 0);
	assert_int_equal(TOTAL(r, mirror_duplicates), 1);
}

/* The same, so late that the context is closed meanwhile. */
static void doubled_behind_the_close(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);
	struct packet syn = s->packets[0];

	live(&c, START + FIRST - 1, true);
	pause_ns(s, 5 * MS);
	c.known = false;
	send_psn(&c, START);
	assert_int_equal(last_packet(s)->icrc, syn.icrc);
	pause_ns(s, SECOND);

	expect_one_life(scene_run(s, NULL));
}

static void a_SYN_is_sent_again(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	send_psn(&c, START);
	pause_ns(s, TIMEOUT);
	resend_psn(&c, START);
	settle(&c, START);

	struct record *r = scene_run(s, NULL);

	expect_one_life(r);
	assert_int_equal(context_flow(r, &c)->retransmitted, 1);
}

/* ... by a sender that does not say so. */
static void a_SYN_is_sent_again_without_the_flag(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	send_psn(&c, START);
	pause_ns(s, 4 * SECOND);
	send_psn(&c, START);
	pause_ns(s, 7 * SECOND);
	send_psn(&c, START);
	settle(&c, START);

	struct record *r = scene_run(s, NULL);

	expect_one_life(r);
	assert_int_equal(context_flow(r, &c)->retransmitted, 2);
}

/* Sent again just before the answer came to the sender, and overtaken by all
 * that followed it. */
static void a_copy_of_a_SYN_behind_the_close(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	live(&c, START + FIRST - 1, true);
	pause_ns(s, MS);
	c.known = false;
	resend_psn(&c, START);
	pause_ns(s, SECOND);

	struct record *r = scene_run(s, NULL);

	expect_one_life(r);
	assert_int_equal(context_flow(r, &c)->retransmitted, 1);
}

/* Control packets repeat numbers, and may do so behind a close. */
static void control_packets_take_no_number(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	live(&c, START + FIRST - 1, true);
	pause_ns(s, 9 * SECOND);
	control_psn(&c, CP_ACK_REQ, START);
	last_packet(s)->uet.flags |= UET_SYN;
	last_packet(s)->uet.cp.start_psn = START;
	pause_ns(s, SECOND);

	expect_one_life(scene_run(s, NULL));
}

/* Who only answers has no row beside that of its peer; alone, it has one. */
static void answers_alone(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	for (uint32_t i = 0; i < FIRST; i++)
		cack(&c, START + i, START + i);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_flows, 1);
	assert_non_null(books(r, &r->flows[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(after_a_close),
		SCENE_TEST(after_a_close_with_the_same_octets),
		SCENE_TEST(after_a_close_and_out_of_order),
		SCENE_TEST(after_a_long_silence),
		SCENE_TEST(of_another_job),
		SCENE_TEST(of_another_message),
		SCENE_TEST(ordered_after_unordered),
		SCENE_TEST(after_a_refusal),
		SCENE_TEST(after_a_close_by_copies),
		SCENE_TEST(the_mirror_doubles_a_SYN),
		SCENE_TEST(doubled_behind_the_close),
		SCENE_TEST(a_SYN_is_sent_again),
		SCENE_TEST(a_SYN_is_sent_again_without_the_flag),
		SCENE_TEST(a_copy_of_a_SYN_behind_the_close),
		SCENE_TEST(control_packets_take_no_number),
		SCENE_TEST(answers_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
