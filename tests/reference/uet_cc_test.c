/* SPDX-License-Identifier: GPL-2.0-or-later
 * What receivers tell of congestion (uet.md 6.9), in stories whose numbers are
 * worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uet_scene.h"
#include "wire/wire.h"

/* Counters of 24 bits that wrap on the way. */
enum { BASE = 0xffffd0 };

static void send_wanting(struct context *c, uint32_t psn, uint32_t credit)
{
	send_psn(c, psn);
	last_packet(c->scene)->uet.type = PDS_RUD_CC_REQ;
	last_packet(c->scene)->uet.req.credit_target =
		(BASE + credit) & 0xffffff;
}

static void grant(struct context *c, uint32_t psn, uint32_t credit)
{
	struct packet *p;

	sack(c, psn, psn, 1);
	p = last_packet(c->scene);
	p->uet.flags = (p->uet.flags & ~(uint32_t)UET_NSCC) | UET_CREDIT;
	p->uet.ack.amount = (BASE + credit) & 0xffffff;
}

/* 1024 octets a packet: four credits of 256 let one go. */
static void use(struct context *c, uint32_t *psn, unsigned n, uint32_t wanted)
{
	for (unsigned i = 0; i < n; i++)
		send_wanting(c, (*psn)++, wanted);
}

/* |n| times four packets' credit after a while, all used at once. */
enum { BREAK = 5 * STEP, LATER = BREAK + STEP };

static void hand_out(struct context *c, uint32_t *psn, unsigned n,
		     uint32_t *given, uint32_t wanted)
{
	for (unsigned i = 0; i < n; i++) {
		pause_ns(c->scene, BREAK);
		grant(c, *psn - 1, *given += 16);
		use(c, psn, 4, wanted);
	}
}

/* What is usual is known to a few ns. */
static void about(int64_t ns, int64_t expected)
{
	assert_in_range(ns, expected - 200, expected);
}

/* A packet is usually STEP behind the one before, and times of whole
 * microseconds may be wrong by one.  The first wait is before anything is known
 * of grants. */
static void sender_waits_for_credit(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, 1000);
	uint32_t psn = 1000, given = 0;
	const struct fact_pdc *p;

	use(&c, &psn, 8, 400); /* these need none */
	grant(&c, psn - 1, 0);
	answered(&c);
	hand_out(&c, &psn, 3, &given, 400);
	p = context_pdc(scene_run(s, NULL), &c);
	assert_int_equal(p->credit_granted, 48);
	assert_int_equal(p->credit_wanted, 0); /* from the first one on */
	assert_int_equal(p->credit_backlog_max, 400);
	assert_int_equal(p->credit_waits, 2);
	about(p->credit_wait_ns, 2 * (LATER - US));
	assert_true(p->path_min_ns == FACT_UNKNOWN);
	assert_true(p->penalty_max == FACT_UNKNOWN);
	assert_true(p->received == FACT_UNKNOWN);
}

static void no_credit_wait(struct scene *s, const struct context *c)
{
	const struct fact_pdc *p = context_pdc(scene_run(s, NULL), c);

	assert_int_equal(p->credit_waits, 0);
	assert_int_equal(p->credit_wait_ns, 0);
}

/* Grants that come while it sends are none it waited for, however much it has
 * asked for. */
static void sender_never_stops(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, 1000);
	uint32_t psn = 1000;

	use(&c, &psn, 8, 400);
	answered(&c);
	for (uint32_t i = 0; i < 40; i++) {
		pause_ns(s, -STEP / 2);
		grant(&c, psn - 1, 16 * i);
		pause_ns(s, -STEP / 2);
		use(&c, &psn, 4, 400 + 16 * i);
	}
	no_credit_wait(s, &c);
}

/* Nor is it credit that somebody waits for who has nothing to send. */
static void sender_is_idle(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, 1000);
	uint32_t psn = 1000;

	use(&c, &psn, 8, 16);
	grant(&c, psn - 1, 0);
	answered(&c);
	for (uint32_t i = 1; i < 20; i++) {
		pause_ns(s, -STEP / 2);
		grant(&c, psn - 1, 16 * i); /* all of it */
		pause_ns(s, -STEP / 2);
		use(&c, &psn, 3, 16 * i);
		pause_ns(s, 100 * STEP);
		use(&c, &psn, 1, 16 * (i + 1));
	}
	no_credit_wait(s, &c);
}

/* Packets are answered after a step.  Eight times it asks by itself for the
 * next four, which are granted after |took|.  Returns how many of its silences
 * ended with a grant that came late. */
static size_t late_grants(struct scene *s, int64_t took)
{
	struct context c = context(s, 1000);
	uint32_t psn = 1000, given = 0;
	const struct record *r;
	size_t n = 0;

	use(&c, &psn, 1, 0);
	cack(&c, psn - 1, psn - 1); /* the round trip */
	answered(&c);
	use(&c, &psn, 7, 0);
	grant(&c, psn - 1, 0);
	for (int i = 0; i < 8; i++) {
		pause_ns(s, 100 * STEP);
		control_psn(&c, CP_CREDIT_REQ, 0);
		last_packet(s)->uet.cp.payload = (BASE + given + 16) & 0xffffff;
		pause_ns(s, took - STEP);
		grant(&c, psn - 1, given += 16);
		use(&c, &psn, 4, given);
		cack(&c, psn - 1, psn - 1);
	}
	r = scene_run(s, NULL);
	assert_int_equal(r->n_bursts, 40);
	for (size_t i = 0; i < r->n_bursts; i++) {
		const struct fact_burst *b = &r->bursts[i];

		if (b->granted_ns == FACT_UNKNOWN)
			continue;
		/* since it asked, and not since it fell silent */
		assert_in_range(b->granted_ns - b->wanted_ns, took - STEP,
				took + STEP);
		n++;
	}
	return n;
}

static void a_round_trip_is_no_late_grant(void **state)
{
	assert_int_equal(late_grants(*state, STEP), 0);
}

static void a_grant_after_ten_round_trips(void **state)
{
	assert_true(late_grants(*state, 10 * STEP) >= 6);
}

/* Four packets and no more before they are answered: grants and answers come
 * together, and nobody can tell which of them it waited for. */
static void window_is_full(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, 1000);
	uint32_t psn = 1000, given = 0;

	use(&c, &psn, 4, 16);
	grant(&c, psn - 1, 0);
	answered(&c);
	for (unsigned i = 2; i < 30; i++)
		hand_out(&c, &psn, 1, &given, 16 * i);
	no_credit_wait(s, &c);
}

/* One that has asked for long, and gets it bit by bit: that much proves it. */
static struct context rationed(struct scene *s, uint32_t *psn, uint32_t *given)
{
	struct context c = context(s, *psn);

	use(&c, psn, 1, 400);
	cack(&c, *psn - 1, *psn - 1); /* the round trip */
	answered(&c);
	use(&c, psn, 4, 400);
	grant(&c, *psn - 1, 0);
	hand_out(&c, psn, 8, given, 400);
	return c;
}

static void credit_is_rationed(void **state)
{
	struct scene *s = *state;
	uint32_t psn = 1000, given = 0;
	struct context c = rationed(s, &psn, &given);
	const struct fact_pdc *p;

	hand_out(&c, &psn, 5, &given, 400);
	p = context_pdc(scene_run(s, NULL), &c);
	assert_int_equal(p->credit_waits, 5);
	about(p->credit_wait_ns, 5 * (LATER - US));
}

/* The same with |hole| packets that the mirror did not copy before each data
 * packet that goes on, |asks| packets before it that only ask for data, and the
 * last one |again| before that. */
static int64_t waits_with(struct scene *s, uint32_t hole, unsigned asks,
			  bool again)
{
	uint32_t psn = 1000, given = 0;
	struct context c = rationed(s, &psn, &given);

	for (unsigned i = 0; i < 5; i++) {
		pause_ns(s, BREAK);
		grant(&c, psn - 1, given += 16);
		if (again) {
			send_wanting(&c, psn - 1, 400);
			last_packet(s)->uet.flags |= UET_RETX;
		}
		psn += hole;
		for (unsigned k = 0; k < asks; k++) {
			use(&c, &psn, 1, 400);
			last_packet(s)->payload = 0;
		}
		use(&c, &psn, 4 - hole, 400);
	}
	return context_pdc(scene_run(s, NULL), &c)->credit_waits;
}

/* A packet that the mirror did not copy may have gone at any time. */
static void a_gap_with_a_hole_is_no_wait(void **state)
{
	assert_int_equal(waits_with(*state, 1, 0, false), 0);
}

static void nor_is_one_that_a_read_shows(void **state)
{
	assert_int_equal(waits_with(*state, 1, 1, false), 0);
}

/* Numbers of which one is a READ's, or one was there before, are no hole. */
static void a_read_in_the_gap(void **state)
{
	assert_int_equal(waits_with(*state, 0, 1, false), 5);
}

static void a_copy_in_the_gap(void **state)
{
	assert_int_equal(waits_with(*state, 0, 0, true), 5);
}

/* Here a credit is 1024 octets, which shows after eight grants.  Two grants are
 * more than it needs to go on: what holds it up from then on is not credit. */
static void unit_is_another(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, 1000);
	uint32_t psn = 1000, given = 0;
	const struct fact_pdc *p;
	int64_t before;

	use(&c, &psn, 16, 400);
	grant(&c, psn - 1, 0);
	answered(&c);
	for (unsigned i = 0; i < 20; i++) {
		pause_ns(s, BREAK);
		grant(&c, psn - 1, given += 4);
		use(&c, &psn, 4, 400);
	}
	before = 19 * (LATER - US);
	grant(&c, psn - 1, given += 4);
	grant(&c, psn - 1, given += 4);
	pause_ns(s, 100 * STEP);
	use(&c, &psn, 8, 400);
	p = context_pdc(scene_run(s, NULL), &c);
	assert_int_equal(p->credit_waits, 20);
	about(p->credit_wait_ns, before + 2 * STEP);
}

/* A credit may be a byte as well, which shows after eight grants; the waits
 * before are not seen. */
static void unit_is_a_byte(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, 1000);
	uint32_t psn = 1000, given = 0;
	const struct fact_pdc *p;

	use(&c, &psn, 8, 400000);
	grant(&c, psn - 1, 0);
	answered(&c);
	for (unsigned i = 0; i < 20; i++) {
		pause_ns(s, BREAK);
		grant(&c, psn - 1, given += 4096);
		use(&c, &psn, 4, 400000);
	}
	p = context_pdc(scene_run(s, NULL), &c);
	assert_in_range(p->credit_waits, 20 - 8, 20);
	about(p->credit_wait_ns, p->credit_waits * (LATER - US));
}

/* A grant by a control packet, and a wish by one. */
static void credit_by_control_packets(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, 1000);
	const struct fact_pdc *p;
	struct packet *cp;

	send_psn(&c, 1000);
	cack(&c, 1000, 1000);
	answered(&c);
	control_psn(&c, CP_CREDIT_REQ, 0);
	last_packet(s)->uet.cp.payload = BASE + 0x20;
	control_psn(&c, CP_CREDIT, 0);
	cp = last_packet(s);
	cp->uet.cp.payload = (uint32_t)(BASE + 0x10) << 8;
	cp->src = host_addr(c.b);
	cp->dst = host_addr(c.a);
	cp->uet.spdcid = c.id_b;
	cp->uet.dpdcid = c.id_a;
	p = context_pdc(scene_run(s, NULL), &c);
	assert_int_equal(p->credit_requests, 1);
	assert_int_equal(p->credit_granted, 0);
	assert_int_equal(p->credit_wanted, 0);
	assert_int_equal(p->credit_backlog_max, 0x10);
	assert_int_equal(p->credit_waits, 0);
}

static void nscc(struct context *c, uint32_t psn, uint16_t service,
		 uint32_t received, uint16_t disorder)
{
	struct packet *p;

	sack(c, psn, psn, 1);
	p = last_packet(c->scene);
	p->uet.ack.service_time = service;
	p->uet.ack.amount = received;
	p->uet.ack.ooo_count = disorder;
}

/* 128 ns and 256 octets are the units; 0, and 0xffff, are no numbers. */
static void receiver_tells_of_itself(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, 1000);
	const struct fact_pdc *p;

	send_psn(&c, 1000);
	pause_ns(s, 4 * STEP);
	nscc(&c, 1000, 100, 0xffffff, 2); /* 5 steps, 12800 of them there */
	answered(&c);
	send_psn(&c, 1001);
	nscc(&c, 1001, 0xffff, 31, 0xffff); /* 1 step, longer than can be */
	send_psn(&c, 1002);
	nscc(&c, 1002, 0, 32, 1);
	last_packet(s)->uet.ack.penalty = 5;
	last_packet(s)->uet.flags |= UET_RC;
	p = context_pdc(scene_run(s, NULL), &c);
	assert_int_equal(p->path_min_ns, 5 * STEP - 12800);
	assert_int_equal(p->service_min_ns, 12800);
	assert_int_equal(p->service_max_ns, 0xffff * 128);
	assert_int_equal(p->received, 33 * 256);
	assert_int_equal(p->ooo_max, 2);
	assert_int_equal(p->penalty_max, 5);
	assert_int_equal(p->restores, 1);
	assert_true(p->credit_granted == FACT_UNKNOWN);
	assert_true(p->credit_wait_ns == FACT_UNKNOWN);
}

/* A wait is where it was; what is told is where it was told. */
static void congestion_over_time(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, 1000);
	const struct fact_cc_bin *b;
	const struct record *r;
	uint32_t psn = 1000;
	int64_t granted, waited = 0;
	size_t n;

	use(&c, &psn, 8, 100);
	grant(&c, psn - 1, 40); /* 60 are left */
	last_packet(s)->uet.flags |= UET_M;
	answered(&c);
	use(&c, &psn, 1, 100);
	pause_ns(s, 350 * US - STEP);
	grant(&c, psn - 1, 100); /* all of it: the wait is over */
	last_packet(s)->uet.ack.ooo_count = 9;
	granted = last_packet(s)->ns;
	use(&c, &psn, 1, 100);
	r = scene_run(s, NULL);
	n = r->n_cc_bins;
	assert_true(n >= 4);
	for (size_t i = 0; i < n; i++) {
		b = &r->cc_bins[i];
		assert_int_equal(b->width_ns, 100 * US);
		if (b->start_ns > granted - 349 * US &&
		    b->start_ns + b->width_ns <= granted)
			assert_int_equal(b->waited_ns, b->width_ns);
		waited += b->waited_ns;
		assert_true(b->received == FACT_UNKNOWN);
	}
	about(waited, 349 * US);
	b = &r->cc_bins[0];
	assert_int_equal(b->acks, 1);
	assert_int_equal(b->marked, 1);
	assert_int_equal(b->backlog_max, 60);
	assert_int_equal(b->granted, 0); /* counted from there on */
	assert_int_equal(r->cc_bins[1].acks, 0);
	assert_true(r->cc_bins[1].ooo_max == FACT_UNKNOWN);
	b = &r->cc_bins[n - 1];
	assert_int_equal(b->acks, 1);
	assert_int_equal(b->marked, 0);
	assert_int_equal(b->granted, 60);
	assert_int_equal(b->ooo_max, 9);
}

/* No more rows than were promised, and what is left out is counted. */
static void many_contexts_share_the_rows(void **state)
{
	enum { CONTEXTS = 600, CALM = 512, ROUNDS = 12 };
	static struct context c[CONTEXTS];
	struct scene *s = *state;
	const struct record *r;
	uint64_t acks = 0;

	for (uint32_t i = 0; i < CONTEXTS; i++) {
		c[i] = context(s, 1000);
		c[i].id_a = (uint16_t)(i + 1);
		c[i].id_b = (uint16_t)(i + 1);
	}
	for (uint32_t k = 0; k < ROUNDS; k++) {
		for (uint32_t i = 0; i < CONTEXTS; i++) {
			send_psn(&c[i], 1000 + k);
			nscc(&c[i], 1000 + k, 10, k, 0);
			answered(&c[i]);
			/* About the last one there is something to tell. */
			if (i == CONTEXTS - 1)
				last_packet(s)->uet.flags |= UET_M;
		}
	}
	r = scene_run(s, NULL);
	for (size_t i = 0; i < r->n_cc_bins; i++)
		acks += r->cc_bins[i].acks;
	assert_true(r->n_cc_bins <= 1 << 15);
	assert_int_equal(acks, (CALM + 1) * ROUNDS);
	assert_int_equal(r->capped_others, CONTEXTS - CALM - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(sender_waits_for_credit),
		SCENE_TEST(sender_never_stops),
		SCENE_TEST(sender_is_idle),
		SCENE_TEST(window_is_full),
		SCENE_TEST(credit_is_rationed),
		SCENE_TEST(a_gap_with_a_hole_is_no_wait),
		SCENE_TEST(nor_is_one_that_a_read_shows),
		SCENE_TEST(a_read_in_the_gap),
		SCENE_TEST(a_copy_in_the_gap),
		SCENE_TEST(unit_is_another),
		SCENE_TEST(unit_is_a_byte),
		SCENE_TEST(credit_by_control_packets),
		SCENE_TEST(a_round_trip_is_no_late_grant),
		SCENE_TEST(a_grant_after_ten_round_trips),
		SCENE_TEST(receiver_tells_of_itself),
		SCENE_TEST(congestion_over_time),
		SCENE_TEST(many_contexts_share_the_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
