/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flows and the link below them: what pauses and missing credits explain of
 * their silences, and of their rates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "uet_scene.h"

enum { FRAMES = 512, OCTETS = 46 };
#define G100  UINT64_C(100000000000)
#define MAC_A UINT64_C(0x020000000000)
#define MAC_B UINT64_C(0x020000000001)

static uint8_t frames[FRAMES][OCTETS];
static size_t n_frames;

static uint8_t *control(struct scene *s, enum packet_kind kind, uint64_t mac)
{
	struct packet *p = scene_append(s);
	uint8_t *o = frames[n_frames++ % FRAMES];

	memset(o, 0, OCTETS);
	p->ns = s->now;
	p->frame = s->count;
	p->status = PACKET_FOREIGN;
	p->kind = (uint8_t)kind;
	p->src_mac = mac;
	p->pcp = 0xff;
	p->payload = OCTETS;
	p->control = o;
	return o;
}

/* The port of b asks for |ns| of silence in priority 0, at 100 Gb/s. */
static void xoff(struct scene *s, int64_t ns)
{
	uint8_t *o = control(s, PACKET_PFC, MAC_B);
	uint16_t quanta = (uint16_t)(ns * 100 / 512);

	o[0] = o[1] = o[3] = 1;
	o[4] = (uint8_t)(quanta >> 8);
	o[5] = (uint8_t)quanta;
}

/* The port of a has used |counter| credits of channel 0 (UEC CBFC). */
static void credits(struct scene *s, uint32_t counter)
{
	static const uint8_t head[] = { 0xff, 0xfe, 0xfa, 0x7a, 0xcb, 1 };
	uint8_t *o = control(s, PACKET_UEC_CC, MAC_A);

	memcpy(o, head, sizeof head);
	o[6] = (uint8_t)(counter >> 12);
	o[7] = (uint8_t)(counter >> 4);
	o[8] = (uint8_t)(counter << 4);
}

/* Everything goes from a's port to b's or back. */
static struct record *run(struct scene *s)
{
	struct record *r = record_begin(s, NULL);

	for (size_t i = 0; i < s->count; i++)
		if (s->packets[i].status == PACKET_OK)
			s->packets[i].dst_mac =
				s->packets[i].src_mac == MAC_A ? MAC_B : MAC_A;
	engine_set_speed(r->engine, 0, G100);
	record_feed(r, s);
	record_end(r);
	return r;
}

/* ---- silences ---- */

/* Four of eight packets, 5 ms, the other four. */
static struct context half_a_message(struct scene *s, int64_t silence)
{
	struct context c = context(s, 100);

	for (uint32_t k = 0; k < 4; k++)
		write_part(&c, 100 + k, 7, 8, k);
	answered(&c);
	cack(&c, 103, 103);
	if (silence < 0)
		return c;
	pause_ns(s, silence);
	for (uint32_t k = 4; k < 8; k++)
		write_part(&c, 100 + k, 7, 8, k);
	cack(&c, 107, 107);
	return c;
}

static void a_pause_explains_the_silence_of_uet(void **state)
{
	struct scene *s = *state;

	xoff(s, 10 * US);
	half_a_message(s, -1);
	for (int i = 0; i < 20; i++) {
		xoff(s, 300 * US);
		pause_ns(s, 250 * US);
	}
	s->now += 50 * US;
	struct context c = context(s, 100);
	c.known = true;
	write_part(&c, 104, 7, 8, 4);

	struct record *r = run(s);

	assert_int_equal(r->n_stalls, 1);
	assert_int_equal(r->stalls[0].cause, STALL_PAUSE);
	assert_int_equal(r->stalls[0].flow, context_flow(r, &c)->id);
	assert_int_equal(r->stalls[0].mac, MAC_B);
	assert_int_equal(r->stalls[0].priority, 0);
	assert_in_range(r->stalls[0].paused_ns, 5 * MS, 5 * MS + 100 * US);
}

/* The counter moves while the first half is sent, and then no more for 5 ms. */
static void missing_credits_explain_the_silence_of_uet(void **state)
{
	struct scene *s = *state;

	for (uint32_t i = 1; i <= 3; i++) {
		credits(s, 16 * i);
		pause_ns(s, 100 * US);
	}
	half_a_message(s, -1);
	credits(s, 64);
	for (int i = 0; i < 20; i++) {
		pause_ns(s, 250 * US);
		credits(s, 64);
	}
	struct context c = context(s, 100);
	c.known = true;
	write_part(&c, 104, 7, 8, 4);

	struct record *r = run(s);

	assert_int_equal(r->n_stalls, 1);
	assert_int_equal(r->stalls[0].cause, STALL_CREDIT);
	assert_int_equal(r->stalls[0].flow, context_flow(r, &c)->id);
	assert_int_equal(r->stalls[0].mac, MAC_A);
	assert_int_equal(r->stalls[0].priority, 0);
}

/* A sender that has nothing to send needs no credits. */
static void nothing_to_send_is_no_want_of_credits(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, 100);

	for (uint32_t i = 1; i <= 3; i++) {
		credits(s, 16 * i);
		pause_ns(s, 100 * US);
	}
	for (uint32_t k = 0; k < 8; k++)
		write_part(&c, 100 + k, 7, 8, k);
	answered(&c);
	cack(&c, 107, 107);
	credits(s, 80);
	for (int i = 0; i < 20; i++) {
		pause_ns(s, 250 * US);
		credits(s, 80);
	}
	write_part(&c, 108, 8, 8, 0);
	assert_int_equal(run(s)->n_stalls, 0);
}

/* ---- rates ---- */

/* 200 packets every 10 us, a CNP, then groups of eight with 40 us between
 * them: two thirds of the rate before. */
static int64_t slower_after_a_cnp(struct scene *s, bool paused)
{
	struct pair p = usual(s);
	uint32_t psn = 31;
	int64_t at;

	xoff(s, 5 * US);
	data_run(&p, 1, 30);
	pause_ns(s, REACT);
	ack(&p, 30);
	data_run(&p, psn, psn + 199);
	psn += 200;
	mark(s);
	cnp(&p);
	at = s->now;
	for (int i = 0; i < 20; i++) {
		data_run(&p, psn, psn + 7);
		psn += 8;
		if (paused)
			xoff(s, 45 * US);
		pause_ns(s, 40 * US);
	}
	return at;
}

static const struct fact_cnp *the_cnp(const struct record *r, int64_t at)
{
	assert_int_equal(r->n_cnps, 1);
	assert_int_equal(r->cnps[0].ns, at);
	return &r->cnps[0];
}

static void slower_is_a_reaction(void **state)
{
	struct scene *s = *state;
	int64_t at = slower_after_a_cnp(s, false);

	assert_int_equal(the_cnp(run(s), at)->reaction, REACTION_REACTED);
}

static void slower_by_pauses_is_none(void **state)
{
	struct scene *s = *state;
	int64_t at = slower_after_a_cnp(s, true);
	const struct fact_cnp *c = the_cnp(run(s), at);

	assert_int_equal(c->reaction, REACTION_INCONCLUSIVE);
	assert_string_equal(c->detail, "overlaps a pause");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(a_pause_explains_the_silence_of_uet),
		SCENE_TEST(missing_credits_explain_the_silence_of_uet),
		SCENE_TEST(nothing_to_send_is_no_want_of_credits),
		SCENE_TEST(slower_is_a_reaction),
		SCENE_TEST(slower_by_pauses_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
