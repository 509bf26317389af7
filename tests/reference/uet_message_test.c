/* SPDX-License-Identifier: GPL-2.0-or-later
 * Messages of Ultra Ethernet, and what has no context: whose they are, and when
 * they are over (uet.md 4.11, 6.8). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uet_scene.h"
#include "wire/wire.h"

/* Without a context too, messages go by their id; packet ids are opaque, and a
 * message is complete when each of its packets was answered. */
static void RUDI_has_messages(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	rudi_part(&c, 900, 7, 3, 0);
	rudi_part(&c, 17, 7, 3, 1);
	rudi_part(&c, 500, 7, 3, 2);
	rudi_part(&c, 4, 8, 1, 0);
	pause_ns(s, REACT);
	rudi_answer(&c, 500, 7);
	rudi_answer(&c, 900, 7);
	rudi_answer(&c, 500, 7); /* the same once more: no other packet's */
	rudi_answer(&c, 4, 8);
	pause_ns(s, REACT);
	rudi_part(&c, 77, 9, 2, 0); /* never finished */

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_messages, 3);
	assert_int_equal(r->messages[0].status, MESSAGE_COMPLETE);
	assert_int_equal(r->messages[0].psn_first, 4);
	assert_int_equal(r->messages[1].status, MESSAGE_UNACKED);
	assert_int_equal(r->messages[1].bytes, 3 * r->messages[0].bytes);
	assert_int_equal(r->messages[2].status, MESSAGE_CUT);
}

/* A NACK of RUDI carries no job. */
static void rudi_refuse(struct context *c, uint32_t packet, uint8_t code)
{
	struct packet *p;

	refuse(c, packet, code);
	p = last_packet(c->scene);
	p->uet.flags |= UET_RUDI;
	p->uet.spdcid = p->uet.dpdcid = 0;
}

static const struct fact_flow *from(const struct record *r, int host,
				    int64_t job)
{
	const struct fact_flow *found = NULL;

	for (size_t i = 0; i < r->n_flows; i++)
		if (addr_equal(r->flows[i].src, host_addr(host)) &&
		    r->flows[i].job_id == job) {
			assert_null(found);
			found = &r->flows[i];
		}
	assert_non_null(found);
	return found;
}

/* ... and belongs to the answers of the job of what it refuses. */
static void RUDI_refusals_are_of_the_job_they_refuse(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START), d = c;

	d.job = 201;
	rudi_part(&c, 900, 7, 1, 0);
	rudi_part(&d, 901, 7, 1, 0);
	pause_ns(s, REACT);
	rudi_answer(&c, 900, 7);
	rudi_refuse(&d, 901, NACK_NO_SES_MSG_AVAIL);
	rudi_part(&c, 902, 8, 1, 0);
	pause_ns(s, REACT);
	rudi_refuse(&c, 902, NACK_NO_SES_MSG_AVAIL);
	rudi_refuse(&c, 999, NACK_NO_SES_MSG_AVAIL); /* of either */

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_flows, 5);
	for (int64_t job = 200; job <= 201; job++) {
		assert_int_equal(from(r, HOST_A, job)->peer,
				 from(r, HOST_B, job)->id);
		assert_int_equal(from(r, HOST_B, job)->peer,
				 from(r, HOST_A, job)->id);
	}
	assert_int_equal(from(r, HOST_B, 200)->packets, 2);
	assert_int_equal(from(r, HOST_B, 201)->packets, 1);
	assert_int_equal(from(r, HOST_B, FACT_UNKNOWN)->packets, 1);
	assert_int_equal(r->n_nacks, 2);
}

/* Where there is one job, it is that one's, whatever was not captured. */
static void RUDI_refusals_of_what_was_not_captured(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	rudi_part(&c, 900, 7, 1, 0);
	pause_ns(s, REACT);
	rudi_refuse(&c, 899, NACK_NO_SES_MSG_AVAIL);
	rudi_answer(&c, 900, 7);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_flows, 2);
	assert_int_equal(from(r, HOST_B, 200)->packets, 2);
}

/* A packet id that is refused and sent again: what came of the refusal. */
static void RUDI_is_refused_and_sent_again(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	rudi_part(&c, 900, 7, 1, 0);
	pause_ns(s, REACT);
	rudi_refuse(&c, 900, NACK_NO_SES_MSG_AVAIL);
	pause_ns(s, REACT);
	rudi_part(&c, 900, 7, 1, 0);
	last_packet(s)->uet.flags |= UET_RETX;
	pause_ns(s, REACT);
	rudi_answer(&c, 900, 7);
	pause_ns(s, SECOND);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_nacks, 1);
	assert_int_equal(r->nacks[0].count, 1);
	assert_int_equal(r->nacks[0].retransmitted, 1);
	assert_int_equal(r->nacks[0].react_min_ns, REACT + s->step);
	only_rule(r, "U7", TRIGGER_RNR, CAUSE_RNR);
	assert_int_equal(r->n_flows, 2);
}

/* The newest packet is one of |opcode| with these |flags| besides. */
static void it_is(struct context *c, uint8_t opcode, uint32_t flags)
{
	struct packet *p = last_packet(c->scene);

	p->uet.opcode = opcode;
	p->uet.flags |= flags;
}

/* uet 4.6, 4.11: of 1 MB a part goes ahead, and the target READs the rest: the
 * capture misses nothing of the message. */
static void a_rendezvous_is_complete_without_its_rest(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	for (uint32_t k = 0; k < 2; k++) {
		write_part(&c, START + 1 + k, 7, 2, k);
		it_is(&c, SES_RENDEZVOUS_SEND, 0);
		last_packet(s)->uet.length = 1 << 20;
	}
	settle(&c, START + 2);

	struct record *r = scene_run(s, NULL);

	EXPECT_CLEAN(r);
	assert_int_equal(r->n_messages, 2);
	assert_int_equal(r->messages[1].status, MESSAGE_COMPLETE);
	assert_int_equal(r->messages[1].bytes, 2 * 1024);
	assert_int_equal(context_flow(r, &c)->messages_incomplete, 0);
}

/* uet 6.8: MSG_ERROR, or an initiator error, ends a message early; its id is
 * another message's then. */
static void messages_are_given_up_by_their_sender(void **state)
{
	static const enum message_status want[] = {
		MESSAGE_COMPLETE, MESSAGE_ABORTED,  MESSAGE_COMPLETE,
		MESSAGE_ABORTED,  MESSAGE_COMPLETE,
	};
	struct scene *s = *state;
	struct context c = open_context(s);

	write_part(&c, START + 1, 7, 3, 0);
	write_part(&c, START + 2, 7, 3, 1);
	it_is(&c, SES_MSG_ERROR, UET_EOM);
	last_packet(s)->payload = 0;
	write_part(&c, START + 3, 7, 1, 0);
	settle(&c, START + 3);
	write_part(&c, START + 4, 7, 3, 0);
	write_part(&c, START + 5, 7, 3, 1);
	it_is(&c, SES_WRITE, UET_IE);
	write_part(&c, START + 6, 7, 1, 0);
	settle(&c, START + 6);

	struct record *r = scene_run(s, NULL);

	EXPECT_CLEAN(r);
	assert_int_equal(r->n_messages, 5);
	for (size_t i = 0; i < r->n_messages; i++)
		assert_int_equal(r->messages[i].status, want[i]);
	assert_int_equal(r->messages[1].psn_first, START + 1);
	assert_int_equal(r->messages[3].psn_last, START + 5);
	assert_int_equal(context_flow(r, &c)->messages_incomplete, 2);
}

/* An id that begins once more while nobody has acknowledged the message of
 * that name: two messages. */
static void a_message_id_begins_again(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	write_part(&c, START + 1, 7, 1, 0);
	write_part(&c, START + 2, 7, 2, 0);
	write_part(&c, START + 3, 7, 2, 1);
	settle(&c, START + 3);

	struct record *r = scene_run(s, NULL);

	EXPECT_CLEAN(r);
	assert_int_equal(r->n_messages, 3);
	for (size_t i = 0; i < r->n_messages; i++)
		assert_int_equal(r->messages[i].status, MESSAGE_COMPLETE);
	assert_int_equal(r->messages[1].bytes, 1024);
	assert_int_equal(r->messages[2].bytes, 2 * 1024);
}

/* A message behind a hole is complete when the bitmap says so. */
static void a_message_behind_a_hole_is_complete(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_psn(&c, START + 1); /* its receiver has not got this one */
	for (uint32_t k = 0; k < 3; k++)
		write_part(&c, START + 2 + k, 7, 3, k);
	sack(&c, START, START + 3, 0x0d);
	sack(&c, START, START + 4, 0x1d);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_messages, 3);
	for (size_t i = 0; i < r->n_messages; i++)
		if (r->messages[i].psn_first == START + 2)
			assert_int_equal(r->messages[i].status,
					 MESSAGE_COMPLETE);
		else if (r->messages[i].psn_first == START + 1)
			assert_int_equal(r->messages[i].status,
					 MESSAGE_UNACKED);
}

/* A SEND of two packets from |psn| on with message id 7. */
static void send_two(struct context *c, uint32_t psn, uint8_t opcode)
{
	for (uint32_t k = 0; k < 2; k++) {
		write_part(c, psn + k, 7, 2, k);
		last_packet(c->scene)->uet.opcode = opcode;
	}
}

/* The first of them is answered: on the overflow list, and not an octet. */
static void defer(struct context *c, uint32_t psn)
{
	struct packet *p;

	pause_ns(c->scene, REACT);
	cack(c, psn - 1, psn);
	p = last_packet(c->scene);
	p->uet.flags |= UET_MESSAGE | UET_SES;
	p->uet.opcode = SES_RSP_RESPONSE;
	p->uet.list = SES_LIST_OVERFLOW;
	p->uet.message_id = 7;
	cack(c, psn + 1, psn + 1);
}

/* uet.md 4.11: deferred, and sent again from the beginning: once. */
static void a_deferred_send_is_one_message(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);
	int64_t first, last;

	send_two(&c, START + 1, SES_DEFERRABLE_SEND);
	first = last_packet(s)->ns - s->step;
	defer(&c, START + 1);
	SEND(&c, START + 3);
	pause_ns(s, 5 * MS);
	send_two(&c, START + 4, SES_DEFERRABLE_SEND);
	pause_ns(s, REACT);
	cack(&c, START + 5, START + 5);
	last = last_packet(s)->ns;
	pause_ns(s, SECOND);

	struct record *r = scene_run(s, NULL);

	EXPECT_CLEAN(r);
	assert_int_equal(context_flow(r, &c)->messages, 3);
	assert_int_equal(context_flow(r, &c)->messages_completed, 3);
	assert_int_equal(r->n_messages, 3);
	for (size_t i = 0; i < r->n_messages; i++) {
		const struct fact_message *m = &r->messages[i];

		if (m->psn_first != START + 1)
			continue;
		assert_int_equal(m->bytes, 2048);
		assert_int_equal(m->psn_last, START + 5);
		assert_int_equal(m->first_ns, first);
		assert_int_equal(m->completed_ns, last);
		assert_int_equal(m->status, MESSAGE_COMPLETE);
		return;
	}
	fail_msg("no row of the deferred message");
}

/* It never goes on: nobody has it. */
static void a_deferred_send_that_never_begins_again(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_two(&c, START + 1, SES_DEFERRABLE_SEND);
	defer(&c, START + 1);
	settle(&c, START + 2);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(context_flow(r, &c)->messages, 2);
	assert_int_equal(context_flow(r, &c)->messages_completed, 1);
}

/* Any other one on the overflow list was taken; its id comes again. */
static void an_unexpected_send_is_no_deferred_one(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_two(&c, START + 1, SES_SEND);
	defer(&c, START + 1);
	send_two(&c, START + 3, SES_SEND);
	settle(&c, START + 4);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(context_flow(r, &c)->messages, 3);
	assert_int_equal(context_flow(r, &c)->messages_completed, 3);
}

/* The first |m| of |n| packets of a message, from |psn| on, so close that no
 * interval of time ends among them: that takes the long way. */
static void begin_message(struct context *c, uint32_t psn, uint16_t id,
			  uint32_t n, uint32_t m)
{
	c->scene->step = 10;
	for (uint32_t k = 0; k < m; k++)
		write_part(c, psn + k, id, n, k);
}

/* What goes on one by one is told as a whole: its last packet is its own, not
 * the one |later| that made others look at it. */
static void went_on(struct scene *s, int64_t later)
{
	struct context c = open_context(s);

	begin_message(&c, START + 1, 7, 8, 6);
	pause_ns(s, later);
	begin_message(&c, START + 7, 8, 2, 2);
	settle(&c, START + 8);

	struct record *r = scene_run(s, NULL);
	const struct fact_message *m = &r->messages[2]; /* it never ended */

	assert_int_equal(r->n_messages, 3);
	assert_int_equal(m->status, MESSAGE_CUT);
	assert_int_equal(m->psn_last, START + 6);
	assert_int_equal(m->last_ns - m->first_ns, 5 * s->step);
	assert_int_equal(r->messages[1].status, MESSAGE_COMPLETE);
}

static void a_message_that_went_on_is_told_whole(void **state)
{
	went_on(*state, 50);
}

static void by_what_takes_the_long_way_too(void **state)
{
	went_on(*state, MS);
}

/* Nothing of it was seen for long, but that it was answered. */
static void an_outage_in_its_middle(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);
	const uint32_t n = 20000, missing = 10000;

	begin_message(&c, START + 1, 7, n, 4);
	cack(&c, START + 4 + missing, START + 4 + missing);
	write_part(&c, START + 5 + missing, 7, n, 4 + missing);
	write_part(&c, START + 6 + missing, 7, n, 5 + missing);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_messages, 2);
	assert_int_equal(r->messages[1].status, MESSAGE_CUT);
	assert_int_equal(r->messages[1].psn_last, START + 6 + missing);
}

/* An id that goes on behind the end of its message is another one's. */
static void what_follows_its_end_is_another(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	begin_message(&c, START + 1, 7, 3, 3);
	cack(&c, START + 3, START + 3);
	write_part(&c, START + 4, 7, 3, 1);
	settle(&c, START + 4);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_messages, 3);
	assert_int_equal(r->messages[1].status, MESSAGE_COMPLETE);
	assert_int_equal(r->messages[1].psn_last, START + 3);
	assert_int_equal(r->messages[2].psn_first, START + 4);
}

/* A packet in its middle that is another message's, of which the first is not
 * here. */
static void another_message_in_its_middle(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	begin_message(&c, START + 1, 7, 6, 4);
	write_part(&c, START + 5, 8, 6, 1);
	write_part(&c, START + 6, 7, 6, 4);
	write_part(&c, START + 7, 7, 6, 5);
	settle(&c, START + 7);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_messages, 3);
	assert_int_equal(context_flow(r, &c)->messages_completed, 2);
	assert_int_equal(context_flow(r, &c)->messages_incomplete, 1);
}

/* They do not agree on how long it is: the longest counts, so it is not whole.
 */
static void a_message_that_grows(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	begin_message(&c, START + 1, 7, 6, 4);
	write_part(&c, START + 5, 7, 9, 4);
	write_part(&c, START + 6, 7, 6, 5);
	settle(&c, START + 6);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_messages, 2);
	assert_int_equal(r->messages[1].status, MESSAGE_CAPTURE_GAP);
	assert_int_equal(r->messages[1].bytes, 9 * 1024);
}

/* A copy of one of its packets: the message waits, and goes on behind it. */
static void a_copy_in_its_middle(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	begin_message(&c, START + 1, 7, 6, 4);
	write_part(&c, START + 2, 7, 6, 1);
	last_packet(s)->uet.flags |= UET_RETX;
	write_part(&c, START + 5, 7, 6, 4);
	write_part(&c, START + 6, 7, 6, 5);
	settle(&c, START + 6);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(r->n_messages, 2);
	assert_int_equal(r->messages[1].status, MESSAGE_COMPLETE);
	assert_int_equal(r->messages[1].bytes, 6 * 1024);
	assert_int_equal(r->messages[1].psn_last, START + 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(RUDI_has_messages),
		SCENE_TEST(RUDI_refusals_are_of_the_job_they_refuse),
		SCENE_TEST(RUDI_refusals_of_what_was_not_captured),
		SCENE_TEST(RUDI_is_refused_and_sent_again),
		SCENE_TEST(a_rendezvous_is_complete_without_its_rest),
		SCENE_TEST(messages_are_given_up_by_their_sender),
		SCENE_TEST(a_message_id_begins_again),
		SCENE_TEST(a_message_behind_a_hole_is_complete),
		SCENE_TEST(a_deferred_send_is_one_message),
		SCENE_TEST(a_deferred_send_that_never_begins_again),
		SCENE_TEST(an_unexpected_send_is_no_deferred_one),
		SCENE_TEST(a_message_that_went_on_is_told_whole),
		SCENE_TEST(by_what_takes_the_long_way_too),
		SCENE_TEST(an_outage_in_its_middle),
		SCENE_TEST(what_follows_its_end_is_another),
		SCENE_TEST(another_message_in_its_middle),
		SCENE_TEST(a_message_that_grows),
		SCENE_TEST(a_copy_in_its_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
