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

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(sender_waits_for_credit),
		SCENE_TEST(credit_by_control_packets),
		SCENE_TEST(receiver_tells_of_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
