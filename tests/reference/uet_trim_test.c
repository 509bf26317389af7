/* SPDX-License-Identifier: GPL-2.0-or-later
 * On which side of the tap packets of Ultra Ethernet were trimmed, and how
 * often (docs/rules.md, U5 and U6), each as the smallest story that fulfils it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uet_scene.h"
#include "wire/wire.h"

#define TRIMS(r, c, before, behind)                                \
	do {                                                       \
		const struct fact_pdc *pdc = context_pdc(r, c);    \
		assert_int_equal(pdc->trimmed_upstream, before);   \
		assert_int_equal(pdc->trimmed_downstream, behind); \
	} while (0)

/* Far more is sent again than is kept in doubt: what passed trimmed is known
 * all the same when its refusal comes. */
static void rule_U5_among_very_many_copies(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_trimmed(&c, START + 1);
	send_run(&c, START + 2, START + 200);
	for (uint32_t psn = START + 2; psn <= START + 200; psn++)
		resend_psn(&c, psn);
	refuse(&c, START + 1, NACK_TRIMMED);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	settle(&c, START + 200);

	struct record *r = scene_run(s, NULL);

	TRIMS(r, &c, 1, 0);
}

/* The mirror doubles both the packet and its refusal: one was trimmed. */
static void rule_U5_U6_doubled_by_the_mirror(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_trimmed(&c, START + 1);
	duplicate(s, 5 * US);
	SEND(&c, START + 2);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_TRIMMED);
	refuse(&c, START + 2, NACK_TRIMMED);
	refuse(&c, START + 1, NACK_TRIMMED);
	refuse(&c, START + 2, NACK_TRIMMED);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	resend_psn(&c, START + 2);
	settle(&c, START + 2);

	struct record *r = scene_run(s, NULL);

	TRIMS(r, &c, 1, 1);
}

/* Trimmed before the tap, and its copy behind it. */
static void rule_U5_and_then_U6(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_trimmed(&c, START + 1);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_TRIMMED);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_TRIMMED);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	settle(&c, START + 1);

	struct record *r = scene_run(s, NULL);

	TRIMS(r, &c, 1, 1);
}

/* The first packet of a message does not say how much it carries: cut to |left|
 * of it, and with its CRC. */
static const struct record *first_packet_cut(struct scene *s, uint32_t left)
{
	struct context c = open_context(s);
	struct record *r;

	for (uint32_t i = 0; i < 4; i++)
		write_part(&c, START + 1 + i, 1, 4, i);
	write_part(&c, START + 5, 2, 2, 0);
	last_packet(s)->wire_len -= last_packet(s)->payload - left;
	last_packet(s)->payload = left;
	last_packet(s)->icrc_status = ICRC_BAD;
	write_part(&c, START + 6, 2, 2, 1);
	pause_ns(s, REACT);
	resend_psn(&c, START + 5);
	settle(&c, START + 6);
	r = scene_run(s, NULL);
	TRIMS(r, &c, left < 1024, 0);
	return r;
}

static void rule_U5_the_first_packet_of_a_message(void **state)
{
	const struct record *r = first_packet_cut(*state, 40);

	assert_int_equal(events_of(r, EVENT_ICRC_BAD), 0);
	assert_int_equal(events_of(r, EVENT_TRIMMED), 1);
}

static void rule_U17_the_first_packet_of_a_message(void **state)
{
	const struct record *r = first_packet_cut(*state, 1024);

	assert_int_equal(events_of(r, EVENT_ICRC_BAD), 1);
	assert_int_equal(events_of(r, EVENT_TRIMMED), 0);
}

/* Trimmed packets travel in a class of their own, past all that is queued. */
static void rule_U1_overtaken_by_trimmed_packets(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	c.ordered = true;
	SEND(&c, START + 1);
	send_trimmed(&c, START + 4);
	send_trimmed(&c, START + 6);
	SEND(&c, START + 2, START + 3, START + 5);
	pause_ns(s, REACT);
	refuse(&c, START + 4, NACK_TRIMMED);
	refuse(&c, START + 6, NACK_TRIMMED);
	pause_ns(s, REACT);
	resend_psn(&c, START + 4);
	resend_psn(&c, START + 5);
	resend_psn(&c, START + 6);
	settle(&c, START + 6);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(context_flow(r, &c)->reordered, 0);
	assert_int_equal(events_of(r, EVENT_REORDER), 0);
	TRIMS(r, &c, 2, 0);
}

/* The first that are seen of a context as well: where it begins they say. */
static void rule_U1_reordered_from_the_first_on(void **state)
{
	struct scene *s = *state;
	struct context other = context(s, START), c = context(s, START);

	other.id_a = 0x99;
	SEND(&other, START);
	pause_ns(s, 2 * MS);
	c.ordered = true;
	send_trimmed(&c, START + 3);
	send_trimmed(&c, START + 4);
	SEND(&c, START, START + 1, START + 2);
	pause_ns(s, REACT);
	resend_psn(&c, START + 3);
	resend_psn(&c, START + 4);
	settle(&c, START + 4);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(context_flow(r, &c)->reordered, 0);
	assert_int_equal(events_of(r, EVENT_REORDER), 0);
}

/* ... but not past each other, nor are they all that came early. */
static void rule_U1_overtaken_by_others_as_well(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	c.ordered = true;
	SEND(&c, START + 1);
	send_trimmed(&c, START + 4);
	SEND(&c, START + 3, START + 2, START + 5);
	pause_ns(s, REACT);
	refuse(&c, START + 4, NACK_TRIMMED);
	pause_ns(s, REACT);
	resend_psn(&c, START + 4);
	resend_psn(&c, START + 5);
	settle(&c, START + 5);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(context_flow(r, &c)->reordered, 1);
	assert_int_equal(events_of(r, EVENT_REORDER), 1);
}

/* In a small fabric a copy is trimmed and refused as well before a mirror would
 * have doubled the first refusal. */
static struct context refused_and_sent_again(struct scene *s, bool doubled)
{
	struct context c = open_context(s);

	s->step = US;
	SEND(&c, START + 1);
	if (doubled)
		duplicate(s, US);
	refuse(&c, START + 1, NACK_TRIMMED_LASTHOP);
	resend_psn(&c, START + 1);
	return c;
}

static void rule_U6_and_soon_its_copy(void **state)
{
	struct scene *s = *state;
	struct context c = refused_and_sent_again(s, false);

	refuse(&c, START + 1, NACK_TRIMMED_LASTHOP);
	resend_psn(&c, START + 1);
	settle(&c, START + 1);

	struct record *r = scene_run(s, NULL);

	TRIMS(r, &c, 0, 2);
	assert_int_equal(context_pdc(r, &c)->trimmed_lasthop, 2);
	assert_int_equal(r->n_nacks, 1);
	assert_int_equal(r->nacks[0].count, 2);
	assert_int_equal(r->nacks[0].retransmitted, 2);
}

/* Where the mirror doubles, it is the first refusal's second. */
static void rule_U6_doubled_behind_the_copy(void **state)
{
	struct scene *s = *state;
	struct context c = refused_and_sent_again(s, true);

	refuse(&c, START + 1, NACK_TRIMMED_LASTHOP);
	settle(&c, START + 1);

	struct record *r = scene_run(s, NULL);

	TRIMS(r, &c, 0, 1);
	assert_int_equal(context_pdc(r, &c)->trimmed_lasthop, 1);
}

/* A receiver that says so twice means the same packet. */
static void rule_U6_told_again(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_TRIMMED);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_TRIMMED);
	resend_psn(&c, START + 1);
	settle(&c, START + 1);

	struct record *r = scene_run(s, NULL);

	TRIMS(r, &c, 0, 1);
}

/* No length tells that the first packet of a message was cut inside of its
 * payload; that its copy is longer does. */
static void rule_U5_the_copy_is_longer(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	write_part(&c, START + 1, 7, 2, 0);
	last_packet(s)->wire_len -= 500;
	last_packet(s)->payload -= 500;
	write_part(&c, START + 2, 7, 2, 1);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_TRIMMED);
	pause_ns(s, REACT);
	write_part(&c, START + 1, 7, 2, 0);
	last_packet(s)->uet.flags |= UET_RETX;
	settle(&c, START + 2);

	struct record *r = scene_run(s, NULL);

	TRIMS(r, &c, 1, 0);
	only_rule(r, "U5", TRIGGER_NAK, CAUSE_TRIMMED_UPSTREAM);
}

/* So was its first copy, as no length tells either; the second one brings the
 * payload. */
static void rule_U5_the_second_copy_is_longer(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);
	struct record *r;
	uint64_t bytes;

	for (int i = 0; i < 3; i++) {
		write_part(&c, START + 1, 7, 2, 0);
		bytes = last_packet(s)->payload;
		if (i)
			last_packet(s)->uet.flags |= UET_RETX;
		if (i == 2)
			break;
		last_packet(s)->wire_len -= 500;
		last_packet(s)->payload -= 500;
		pause_ns(s, REACT);
		refuse(&c, START + 1, NACK_TRIMMED);
		pause_ns(s, REACT);
	}
	write_part(&c, START + 2, 7, 2, 1);
	settle(&c, START + 2);
	r = scene_run(s, NULL);
	/* with the first of all, and what was left of the original */
	assert_int_equal(context_flow(r, &c)->goodput_bytes, 4 * bytes - 500);
}

/* Without a context: refused by its packet id. */
static void refuse_id(struct context *c, uint32_t packet)
{
	struct packet *p;

	refuse(c, packet, NACK_TRIMMED);
	p = last_packet(c->scene);
	p->uet.flags |= UET_RUDI;
	p->uet.spdcid = p->uet.dpdcid = 0;
}

static void rule_U5_U6_without_a_context(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);
	const struct fact_pdc *pdc = NULL;
	struct record *r;

	rudi_part(&c, 70, 1, 1, 0);
	last_packet(s)->payload = 0;
	last_packet(s)->uet.flags |= UET_TRIMMED | UET_TRIM_SURE;
	rudi_part(&c, 71, 2, 1, 0);
	pause_ns(s, REACT);
	refuse_id(&c, 70);
	refuse_id(&c, 71);
	pause_ns(s, REACT);
	rudi_part(&c, 70, 1, 1, 0);
	last_packet(s)->sport++;
	rudi_part(&c, 71, 2, 1, 0);
	last_packet(s)->sport++;
	pause_ns(s, REACT);
	rudi_answer(&c, 70, 1);
	rudi_answer(&c, 71, 2);
	pause_ns(s, SECOND);
	r = scene_run(s, NULL);
	for (size_t i = 0; i < r->n_flows; i++)
		if (addr_equal(r->flows[i].src, host_addr(c.a)))
			for (size_t k = 0; k < r->n_pdcs; k++)
				if (r->pdcs[k].flow == r->flows[i].id)
					pdc = &r->pdcs[k];
	assert_non_null(pdc);
	assert_int_equal(pdc->trimmed_upstream, 1);
	assert_int_equal(pdc->trimmed_downstream, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(rule_U5_the_first_packet_of_a_message),
		SCENE_TEST(rule_U17_the_first_packet_of_a_message),
		SCENE_TEST(rule_U1_overtaken_by_trimmed_packets),
		SCENE_TEST(rule_U1_reordered_from_the_first_on),
		SCENE_TEST(rule_U1_overtaken_by_others_as_well),
		SCENE_TEST(rule_U5_among_very_many_copies),
		SCENE_TEST(rule_U5_U6_doubled_by_the_mirror),
		SCENE_TEST(rule_U5_and_then_U6),
		SCENE_TEST(rule_U6_and_soon_its_copy),
		SCENE_TEST(rule_U6_doubled_behind_the_copy),
		SCENE_TEST(rule_U6_told_again),
		SCENE_TEST(rule_U5_the_copy_is_longer),
		SCENE_TEST(rule_U5_the_second_copy_is_longer),
		SCENE_TEST(rule_U5_U6_without_a_context),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
