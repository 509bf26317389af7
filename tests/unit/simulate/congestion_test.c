/* SPDX-License-Identifier: GPL-2.0-or-later
 * DCQCN and PFC against the closed forms: the DCQCN paper's equations, and
 * 512 bit times to a quantum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/dcqcn.h"
#include "simulate/pfc.h"
#include "simulate/port.h"
#include "simulate/qp.h"
#include "simulate/switch.h"
#include "simulate/truth.h"
#include "simulate/world.h"

static const double line = 100e9;

struct pair {
	struct sim s;
	struct qp *q;
};

static void set_up(struct pair *p, struct err *err)
{
	struct qp_config c = qp_defaults();
	struct qp_names n = { .name = "q", .qpn = { 1, 2 } };
	struct host *a, *b;

	sim_init(&p->s, 1, err);
	a = world_host(&p->s, "a", err);
	b = world_host(&p->s, "b", err);
	assert_int_equal(world_link(&p->s, &a->node, &b->node,
				    UINT64_C(100000000000), PS_PER_US, err),
			 0);
	c.dcqcn = true;
	p->q = qp_pair(&p->s, a, b, &n, &c);
	world_route(&p->s);
}

static void run_to(struct sim *s, int64_t ps)
{
	s->until = ps;
	sim_run(s);
}

static void near(double is, double should, double within)
{
	if (fabs(is - should) > within * fabs(should))
		fail_msg("%.6g is not %.6g", is, should);
}

static void notify(struct pair *p)
{
	dcqcn_notified(&p->s, p->q, truth_cnp(p->s.truth, p->q->out));
}

/* alpha starts at 1: the first cut takes half, so does the second. */
static void rate_after_cuts(void **state)
{
	struct err err;
	struct pair p;

	(void)state;
	set_up(&p, &err);
	notify(&p);
	near(p.q->rate.now, line / 2, 1e-9);
	near(p.q->rate.target, line, 1e-9);
	notify(&p);
	near(p.q->rate.now, line / 4, 1e-9);
	near(p.q->rate.target, line / 2, 1e-9);
	sim_fini(&p.s);
}

/* After n timer periods of fast recovery: Rt - (Rt - Rc) / 2^n. */
static void fast_recovery(void **state)
{
	struct err err;
	struct pair p;

	(void)state;
	set_up(&p, &err);
	notify(&p);
	for (int n = 1; n <= 5; n++) {
		run_to(&p.s, n * p.s.dcqcn.rate_timer + 1);
		near(p.q->rate.now, line - line / 2 / pow(2, n), 1e-9);
	}
	sim_fini(&p.s);
}

/* Then the target grows by R_AI a period: from a target T and a rate half
 * way below, rate_n = T + n A - ... computed step by step here. */
static void additive_increase(void **state)
{
	struct err err;
	struct pair p;
	double target, now;

	(void)state;
	set_up(&p, &err);
	for (int i = 0; i < 4; i++) /* down to 1/16, target 1/8 */
		notify(&p);
	target = line / 8;
	now = line / 16;
	for (int n = 1; n <= 12; n++) {
		run_to(&p.s, n * p.s.dcqcn.rate_timer + 1);
		if (n > 5)
			target += 40e6;
		now = (now + target) / 2;
		near(p.q->rate.now, now, 1e-9);
	}
	sim_fini(&p.s);
}

/* Without notifications alpha falls by (1-g) every 55 us: half after
 * ln 2 / -ln(1 - 1/256) = 177.1 periods, 9.74 ms. */
static void alpha_halves_in_10_ms(void **state)
{
	struct err err;
	struct pair p;
	double alpha;

	(void)state;
	set_up(&p, &err);
	p.s.dcqcn.rate_timer = INT64_C(100) * PS_PER_S;
	notify(&p);
	alpha = p.q->rate.alpha;
	near(alpha, 1, 1e-9);
	run_to(&p.s, 9740 * PS_PER_US);
	near(p.q->rate.alpha, alpha / 2, 0.01);
	/* and so the next cut takes a quarter */
	p.q->rate.now = line;
	notify(&p);
	near(p.q->rate.now, line * 0.75, 0.01);
	sim_fini(&p.s);
}

static void no_rate_below_the_slowest(void **state)
{
	struct err err;
	struct pair p;

	(void)state;
	set_up(&p, &err);
	for (int i = 0; i < 100; i++)
		notify(&p);
	near(p.q->rate.now, p.s.dcqcn.slowest, 1e-9);
	sim_fini(&p.s);
}

static void the_deaf_do_not_slow_down(void **state)
{
	struct err err;
	struct pair p;

	(void)state;
	set_up(&p, &err);
	p.q->config.ignores_cnp = true;
	notify(&p);
	assert_false(p.q->rate.active);
	assert_int_equal(p.q->out->cnps, 1);
	sim_fini(&p.s);
}

/* Marked packets every microsecond for a millisecond: one CNP at once, then
 * one each time the interval has passed. */
static unsigned cnps_at_interval(int64_t interval, bool no_cnp)
{
	struct pkt marked = { .ecn = MARK_CE };
	struct err err;
	struct pair p;
	uint64_t sent;

	set_up(&p, &err);
	p.q->peer->host->nic->cnp_interval = interval;
	p.q->peer->host->nic->no_cnp = no_cnp;
	for (int i = 0; i < 1000; i++) {
		p.s.now = i * PS_PER_US;
		dcqcn_marked(&p.s, p.q->peer, &marked);
	}
	sent = p.q->peer->out->count[PKT_CNP].sent;
	sim_fini(&p.s);
	return (unsigned)sent;
}

static void cnps_are_paced(void **state)
{
	(void)state;
	assert_int_equal(cnps_at_interval(50 * PS_PER_US, false), 20);
	assert_int_equal(cnps_at_interval(4 * PS_PER_US, false), 250);
	assert_int_equal(cnps_at_interval(4 * PS_PER_US, true), 0);
}

/* --- PFC ------------------------------------------------------------------ */

/* One XOFF and no more: silence for exactly the quanta. */
static void a_pause_expires(void **state)
{
	struct err err;
	struct pair p;
	struct port *to;

	(void)state;
	set_up(&p, &err);
	to = p.q->host->node.ports[0];
	pfc_send(&p.s, to->peer, 3, 1000, NULL);
	run_to(&p.s, 2 * PS_PER_US);
	assert_true(port_paused(&p.s, to, 3));
	assert_false(port_paused(&p.s, to, 4));
	run_to(&p.s, PS_PER_MS);
	assert_false(port_paused(&p.s, to, 3));
	/* 1000 quanta of 5.12 ns */
	assert_int_equal(to->truth->paused[3], 5120 * PS_PER_NS);
	sim_fini(&p.s);
}

static void xon(struct sim *s, void *object, uint64_t argument)
{
	(void)argument;
	pfc_send(s, object, 3, 0, NULL);
}

static void xoff(struct sim *s, void *object, uint64_t argument)
{
	pfc_send(s, object, 3, (uint16_t)argument, NULL);
}

/* A newer frame replaces the timer; XON ends the pause at once. */
static void pauses_are_replaced_and_ended(void **state)
{
	struct err err;
	struct pair p;
	struct port *to;

	(void)state;
	set_up(&p, &err);
	to = p.q->host->node.ports[0];
	xoff(&p.s, to->peer, 65535);
	sim_after(&p.s, 100 * PS_PER_US, xoff, to->peer, 65535);
	sim_after(&p.s, 150 * PS_PER_US, xon, to->peer, 0);
	run_to(&p.s, PS_PER_MS);
	assert_int_equal(to->truth->paused[3], 150 * PS_PER_US);
	p.s.until = 10 * PS_PER_MS;
	xoff(&p.s, to->peer, 65535);
	sim_after(&p.s, 10 * PS_PER_US, xoff, to->peer, 1000);
	run_to(&p.s, 3 * PS_PER_MS);
	assert_int_equal(to->truth->paused[3],
			 150 * PS_PER_US + 10 * PS_PER_US + 5120 * PS_PER_NS);
	sim_fini(&p.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rate_after_cuts),
		cmocka_unit_test(fast_recovery),
		cmocka_unit_test(additive_increase),
		cmocka_unit_test(alpha_halves_in_10_ms),
		cmocka_unit_test(no_rate_below_the_slowest),
		cmocka_unit_test(the_deaf_do_not_slow_down),
		cmocka_unit_test(cnps_are_paced),
		cmocka_unit_test(a_pause_expires),
		cmocka_unit_test(pauses_are_replaced_and_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
