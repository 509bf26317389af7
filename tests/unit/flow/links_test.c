/* SPDX-License-Identifier: GPL-2.0-or-later
 * One flow over two parallel links, and stacks of telemetry: the facts that
 * come of packets written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decode/packet.h"
#include "flow/core/engine.h"
#include "flow/core/histogram.h"

enum { KEPT = 16, WRITE_MIDDLE = 0x07 };

struct seen {
	struct fact_flow_tap part[KEPT];
	struct fact_spread_over over[KEPT];
	struct fact_hop hop[KEPT];
	struct fact_path path[KEPT];
	struct fact_csig csig[KEPT];
	unsigned n_parts, n_over, n_hops, n_paths, n_csig;
};

#define KEEP(name, list, n)                                           \
	static void on_##name(void *ctx, const struct fact_##name *f) \
	{                                                             \
		struct seen *s = ctx;                                 \
                                                                      \
		assert_true(s->n < KEPT);                             \
		s->list[s->n++] = *f;                                 \
	}
KEEP(flow_tap, part, n_parts)
KEEP(spread_over, over, n_over)
KEEP(hop, hop, n_hops)
KEEP(path, path, n_paths)
KEEP(csig, csig, n_csig)

static struct engine *begin(struct seen *s)
{
	static const int place[] = { 0, 0 };
	const struct flow_sink sink = {
		.ctx = s,
		.flow_tap = on_flow_tap,
		.spread_over = on_spread_over,
		.hop = on_hop,
		.path = on_path,
		.csig = on_csig,
	};
	const struct engine_options o = { .place = place, .n_places = 2 };
	struct engine *e = engine_new(&o, &sink);

	memset(s, 0, sizeof *s);
	assert_non_null(e);
	return e;
}

static void end(struct engine *e)
{
	engine_finish(e);
	engine_free(e);
}

static struct packet data(uint32_t psn, int64_t ns, uint32_t tap)
{
	return (struct packet) {
		.ns = ns,
		.frame = psn + 1,
		.src = addr_from_v4((const uint8_t *)"\x0a\0\0\1"),
		.dst = addr_from_v4((const uint8_t *)"\x0a\0\0\2"),
		.tap = tap,
		.wire_len = 1000,
		.psn = psn,
		.dst_qp = 0x11,
		.payload = 900,
		.status = PACKET_OK,
		.kind = PACKET_ROCE,
		.opcode = WRITE_MIDDLE,
		.tos = 2,
		.ttl = 63,
		.sport = 50000,
		.vlan = 0xffff,
		.pcp = 0xff,
	};
}

static void feed(struct engine *e, struct packet p)
{
	engine_feed(e, &p, 1);
}

/* ---- links ---- */

static void one_link_makes_no_rows(void **state)
{
	struct seen s;
	struct engine *e = begin(&s);

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		feed(e, data(i, 1000 * i, 0));
	end(e);
	assert_int_equal(s.n_parts, 0);
	assert_int_equal(s.n_over, 0);
}

/* Every packet on the other link: of 200, 101 on the first, as 2 were there
 * before it began; each a change. */
static void packets_in_turn(void **state)
{
	struct seen s;
	struct engine *e = begin(&s);

	(void)state;
	feed(e, data(0, 0, 0));
	for (uint32_t i = 0; i < 200; i++)
		feed(e, data(1 + i, 1000 * (int64_t)(1 + i), i % 2));
	end(e);
	assert_int_equal(s.n_parts, 2);
	assert_int_equal(s.part[0].tap, 0);
	assert_int_equal(s.part[0].packets, 101);
	assert_int_equal(s.part[0].bytes, 101000);
	assert_int_equal(s.part[0].first_ns, 0);
	assert_int_equal(s.part[0].last_ns, 199000);
	assert_int_equal(s.part[1].packets, 100);
	assert_int_equal(s.part[1].first_ns, 2000);
	assert_int_equal(s.part[1].last_ns, 200000);
	assert_int_equal(s.part[1].first_port, 50000);
	assert_int_equal(s.n_over, 1);
	assert_int_equal(s.over[0].links, 2);
	assert_int_equal(s.over[0].moves, 199);
	assert_int_equal(s.over[0].burst_moves, 199);
	assert_true(s.over[0].fairness > 0.99);
}

/* Bursts of ten packets, 1 us apart, 100 us between them, each on the other
 * link: it moves after 100 us and never inside a burst. */
static void bursts_in_turn(void **state)
{
	struct seen s;
	struct engine *e = begin(&s);
	int64_t ns = 0;

	(void)state;
	for (uint32_t i = 0; i < 400; i++) {
		ns += i && i % 10 == 0 ? 100000 : 1000;
		feed(e, data(i, ns, i / 10 % 2));
	}
	end(e);
	assert_int_equal(s.part[0].packets, 200);
	assert_int_equal(s.part[1].packets, 200);
	assert_int_equal(s.over[0].moves, 39);
	assert_int_equal(s.over[0].burst_moves, 0);
	assert_int_equal(s.over[0].idle_ns, 100000);
	assert_int_equal(s.over[0].idles, 39);
	assert_int_equal(s.over[0].idle_moves, 39);
}

/* ---- telemetry ---- */

/* Two XGS entries, the newest first: device 2 kept it 3000 ns on the way from
 * port 5 to 6, device 1 700 ns from 3 to 4 and congested. */
static const uint8_t stack[64] = {
	0x10, 0x00, 0x02, 0x3e, 0x40, 0x30, 0, 0, 0, 6, 0, 5, 0, 0, 0, 0,
	0,    0,    0x0b, 0xb8, 0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0x10, 0x00, 0x01, 0x3f, 0x44, 0x30, 0, 0, 0, 4, 0, 3, 0, 0, 0, 0,
	0,    0,    0x02, 0xbc, 0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};

static void hops_of_a_flow_and_of_all(void **state)
{
	struct seen s;
	struct engine *e = begin(&s);

	(void)state;
	for (uint32_t i = 0; i < 10; i++) {
		struct packet p = data(i, 1000 * i, 0);

		p.flags |= PACKET_STACK | PACKET_SHIM;
		p.stack = stack;
		p.stack_hops = 2;
		p.stack_form = STACK_XGS;
		p.tos = i < 3 ? 3 : 2;
		feed(e, p);
	}
	feed(e, data(10, 10000, 0)); /* without */
	end(e);
	assert_int_equal(s.n_hops, 4);
	assert_int_equal(s.hop[0].device, 1);
	assert_int_equal(s.hop[0].flow, 1);
	assert_int_equal(s.hop[0].position, 1);
	assert_int_equal(s.hop[0].ingress, 3);
	assert_int_equal(s.hop[0].egress, 4);
	assert_int_equal(s.hop[0].queue, 3);
	assert_int_equal(s.hop[0].packets, 10);
	assert_int_equal(s.hop[0].congested, 10);
	assert_int_equal(s.hop[0].ce, 3);
	assert_int_equal(s.hop[0].slowest, 0);
	assert_int_equal(s.hop[0].residence.min, 700);
	assert_int_equal(s.hop[0].residence.mean, 700);
	assert_int_equal(s.hop[0].residence.max, 700);
	assert_int_equal(s.hop[1].flow, 0); /* all flows, any port in */
	assert_true(s.hop[1].ingress == FACT_UNKNOWN);
	assert_int_equal(s.hop[2].device, 2);
	assert_int_equal(s.hop[2].position, 2);
	assert_int_equal(s.hop[2].slowest, 10);
	assert_int_equal(s.hop[2].longest_ns, 0);
	assert_int_equal(s.hop[2].longest_frame, 1);
	assert_int_equal(s.n_paths, 1);
	assert_int_equal(s.path[0].n_hops, 2);
	assert_int_equal(s.path[0].device[0], 1);
	assert_int_equal(s.path[0].device[1], 2);
	assert_int_equal(s.path[0].packets, 10);
	assert_int_equal(s.path[0].residence.max, 3700);
	assert_int_equal(s.n_csig, 0);
}

static void csig_by_locator(void **state)
{
	struct seen s;
	struct engine *e = begin(&s);

	(void)state;
	for (uint32_t i = 0; i < 10; i++) {
		struct packet p = data(i, 1000 * i, 0);

		p.flags |= PACKET_CSIG | PACKET_SHIM;
		p.csig_signal = 1;
		p.csig_value = 20 + i;
		p.csig_locator = i < 7 ? 0x21 : 0x33;
		feed(e, p);
	}
	end(e);
	assert_int_equal(s.n_csig, 4);
	assert_int_equal(s.csig[0].locator, 0x21);
	assert_int_equal(s.csig[0].samples, 7);
	assert_int_equal(s.csig[0].value.min, 20);
	assert_int_equal(s.csig[0].value.p50, 23);
	assert_int_equal(s.csig[0].value.max, 26);
	assert_int_equal(s.csig[2].locator, 0x33);
	assert_int_equal(s.csig[2].value.mean, 28);
}

struct many {
	uint64_t rows, of_all, left_out;
};

static void count_hop(void *ctx, const struct fact_hop *f)
{
	struct many *m = ctx;

	m->rows++;
	if (!f->flow)
		m->of_all += f->packets;
}

static void count_capped(void *ctx, const char *table, uint64_t dropped)
{
	struct many *m = ctx;

	if (!strcmp(table, "hop"))
		m->left_out += dropped;
}

/* More flows than there is room for: what is said of all stays complete, and
 * what is not kept of each is counted. */
static void too_many_flows(void **state)
{
	struct many m = { 0 };
	const struct flow_sink sink = { .ctx = &m,
					.hop = count_hop,
					.capped = count_capped };
	struct engine *e = engine_new(NULL, &sink);

	(void)state;
	for (uint32_t i = 0; i < 20000; i++) {
		struct packet p = data(i, i, 0);

		p.dst_qp = 0x100 + i;
		p.flags |= PACKET_STACK;
		p.stack = stack;
		p.stack_hops = 2;
		feed(e, p);
	}
	end(e);
	assert_int_equal(m.of_all, 2 * 20000);
	assert_in_range(m.rows, 1000, 12288);
	/* two hops and a path of each flow */
	assert_true(m.left_out > 3 * 20000 - 12288 - 3);
}

/* ---- spread ---- */

static void spread_is_near(void **state)
{
	static struct histogram s;

	(void)state;
	for (int64_t i = 1; i <= 10000; i++)
		histogram_add(&s, i * 100);
	assert_int_equal(s.min, 100);
	assert_int_equal(s.max, 1000000);
	assert_int_equal(s.sum / (int64_t)s.n, 500050);
	assert_in_range(histogram_quantile(&s, 0.5), 500000 - 500000 / 16,
			500000 + 500000 / 16);
	assert_in_range(histogram_quantile(&s, 0.99), 990000 - 990000 / 16,
			1000000);
	assert_in_range(histogram_quantile(&s, 1), 1000000 - 1000000 / 16,
			1000000);
	histogram_add(&s, INT64_MAX / 2); /* beyond the last step */
	assert_true(histogram_quantile(&s, 1) <= INT64_MAX / 2);
}

static void small_numbers_are_exact(void **state)
{
	static struct histogram s;

	(void)state;
	for (int64_t i = 0; i < 31; i++)
		histogram_add(&s, i);
	assert_int_equal(histogram_quantile(&s, 0.5), 15);
	histogram_add(&s, -5); /* counts as 0 */
	assert_int_equal(s.min, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_link_makes_no_rows),
		cmocka_unit_test(packets_in_turn),
		cmocka_unit_test(bursts_in_turn),
		cmocka_unit_test(hops_of_a_flow_and_of_all),
		cmocka_unit_test(csig_by_locator),
		cmocka_unit_test(too_many_flows),
		cmocka_unit_test(spread_is_near),
		cmocka_unit_test(small_numbers_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
