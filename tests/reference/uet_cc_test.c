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

static void sender_waits_for_credit(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, 1000);
	const struct fact_pdc *p;

	send_wanting(&c, 1000, 100);
	grant(&c, 1000, 40); /* 60 are left */
	answered(&c);
	send_wanting(&c, 1001, 120); /* 80 */
	pause_ns(s, 3 * STEP);
	grant(&c, 1001, 70);  /* after 4 steps; 50 */
	grant(&c, 1001, 100); /* 1 step; 20 */
	grant(&c, 1001, 120); /* 1 step; 0 */
	grant(&c, 1001, 130); /* it had what it asked for */
	p = context_pdc(scene_run(s, NULL), &c);
	assert_int_equal(p->credit_granted, 90);
	assert_int_equal(p->credit_wanted, 20);
	assert_int_equal(p->credit_backlog_max, 80);
	assert_int_equal(p->credit_waits, 3);
	assert_int_equal(p->credit_wait_ns, 6 * STEP);
	assert_true(p->path_min_ns == FACT_UNKNOWN);
	assert_true(p->penalty_max == FACT_UNKNOWN);
	assert_true(p->received == FACT_UNKNOWN);
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
	int64_t begun, waited = 0;

	send_wanting(&c, 1000, 100);
	grant(&c, 1000, 40); /* 60 are left */
	answered(&c);
	last_packet(s)->uet.flags |= UET_M;
	begun = last_packet(s)->ns;
	pause_ns(s, 350 * 1000 - STEP);
	grant(&c, 1000, 100);
	last_packet(s)->uet.ack.ooo_count = 9;
	r = scene_run(s, NULL);
	assert_int_equal(r->n_cc_bins, 4);
	for (size_t i = 0; i < r->n_cc_bins; i++) {
		b = &r->cc_bins[i];
		assert_int_equal(b->width_ns, 100 * 1000);
		assert_int_equal(b->start_ns,
				 begun / b->width_ns * b->width_ns +
					 (int64_t)i * b->width_ns);
		if (i && i < 3)
			assert_int_equal(b->waited_ns, b->width_ns);
		waited += b->waited_ns;
		assert_true(b->received == FACT_UNKNOWN);
	}
	assert_int_equal(waited, 350 * 1000);
	b = r->cc_bins;
	assert_int_equal(b[0].acks, 1);
	assert_int_equal(b[0].marked, 1);
	assert_int_equal(b[0].backlog_max, 60);
	assert_int_equal(b[0].granted, 0); /* counted from there on */
	assert_int_equal(b[1].acks, 0);
	assert_true(b[1].ooo_max == FACT_UNKNOWN);
	assert_int_equal(b[3].acks, 1);
	assert_int_equal(b[3].marked, 0);
	assert_int_equal(b[3].granted, 60);
	assert_int_equal(b[3].backlog_max, 0);
	assert_int_equal(b[3].ooo_max, 9);
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
		SCENE_TEST(credit_by_control_packets),
		SCENE_TEST(receiver_tells_of_itself),
		SCENE_TEST(congestion_over_time),
		SCENE_TEST(many_contexts_share_the_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
