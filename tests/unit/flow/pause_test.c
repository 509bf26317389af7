/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pauses, storms and credits from frames made by hand; all times computed by
 * hand from 512 bit times to a quantum. */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/packet.h"
#include "flow/core/engine.h"

enum { PORT = 0x0a, PEER = 0x0b, PRIO = 3, KEPT = 64 };
#define MS   INT64_C(1000000)
#define G100 UINT64_C(100000000000)
#define G400 UINT64_C(400000000000)

struct heard {
	struct engine *e;
	struct fact_pause pause[KEPT];
	struct fact_pauser pauser[KEPT];
	struct fact_storm storm[KEPT];
	struct fact_stall stall[KEPT];
	struct fact_uec_credit credit[KEPT];
	struct fact_paused_flow paused_flow[KEPT];
	unsigned pauses, pausers, storms, stalls, credits, paused_flows;
	int64_t binned;
	uint64_t frame, capped;
};

#define HEAR(name, list)                                              \
	static void on_##name(void *ctx, const struct fact_##name *f) \
	{                                                             \
		struct heard *h = ctx;                                \
		if (h->list++ < KEPT)                                 \
			h->name[h->list - 1] = *f;                    \
	}
HEAR(pause, pauses)
HEAR(pauser, pausers)
HEAR(storm, storms)
HEAR(stall, stalls)
HEAR(paused_flow, paused_flows)
static void on_uec_credit(void *ctx, const struct fact_uec_credit *f)
{
	struct heard *h = ctx;

	h->credit[h->credits++ % KEPT] = *f;
}

static void on_bin(void *ctx, const struct fact_bin *f)
{
	struct heard *h = ctx;

	if (f->scope == BIN_PRIORITY)
		h->binned += f->paused_ns;
}

static void on_capped(void *ctx, const char *table, uint64_t n)
{
	struct heard *h = ctx;

	if (!strcmp(table, "pause"))
		h->capped = n;
}

static struct heard *listen(uint64_t bps)
{
	struct heard *h = calloc(1, sizeof *h);
	const struct flow_sink sink = { .ctx = h,
					.pause = on_pause,
					.pauser = on_pauser,
					.storm = on_storm,
					.stall = on_stall,
					.paused_flow = on_paused_flow,
					.uec_credit = on_uec_credit,
					.bin = on_bin,
					.capped = on_capped };

	assert_non_null(h);
	h->e = engine_new(NULL, &sink);
	assert_non_null(h->e);
	if (bps)
		engine_set_speed(h->e, 0, bps);
	return h;
}

static void finish(struct heard *h)
{
	engine_finish(h->e);
	engine_free(h->e);
	h->e = NULL;
}

static void feed(struct heard *h, struct packet p, int64_t ns)
{
	p.ns = ns;
	p.frame = ++h->frame;
	engine_feed(h->e, &p, 1);
}

/* PFC of port PORT: |quanta| for the priorities in |enable|. */
static void pfc(struct heard *h, int64_t ns, unsigned enable, uint16_t quanta)
{
	uint8_t o[46] = { 0x01, 0x01, 0, (uint8_t)enable };

	for (int i = 0; i < 8; i++) {
		o[4 + 2 * i] = (uint8_t)(quanta >> 8);
		o[5 + 2 * i] = (uint8_t)quanta;
	}
	feed(h,
	     (struct packet) { .status = PACKET_FOREIGN,
			       .kind = PACKET_PFC,
			       .src_mac = PORT,
			       .payload = sizeof o,
			       .pcp = 0xff,
			       .control = o },
	     ns);
}

static void xoff(struct heard *h, int64_t ns, uint16_t quanta)
{
	pfc(h, ns, 1 << PRIO, quanta);
}

static void data_of(struct heard *h, int64_t ns, uint32_t psn, uint64_t from,
		    uint64_t to, uint8_t tos)
{
	struct packet p = { .status = PACKET_OK,
			    .kind = PACKET_ROCE,
			    .opcode = 0x07, /* RC WRITE middle */
			    .psn = psn,
			    .dst_qp = 0x11,
			    .payload = 1024,
			    .wire_len = 1082,
			    .tos = tos,
			    .ttl = 64,
			    .pcp = 0xff,
			    .src_mac = from,
			    .dst_mac = to };

	p.src.w[0] = from;
	p.dst.w[0] = to;
	feed(h, p, ns);
}

/* A packet of one flow, to the port that pauses or from it. */
static void data(struct heard *h, int64_t ns, uint32_t psn, uint64_t from,
		 uint64_t to)
{
	data_of(h, ns, psn, from, to, PRIO << 5);
}

/* Reference 11: 65535 quanta at 400G and at 100G. */
static void quanta_become_time(void **state)
{
	static const struct {
		uint64_t bps;
		int64_t ns;
	} cases[] = { { G400, 83884 },
		      { G100, 335539 },
		      { G100 / 10, 3355392 },
		      { 8 * G100, 41942 } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct heard *h = listen(cases[i].bps);

		xoff(h, 1000, 65535);
		xoff(h, 1000 + 10 * MS, 1);
		finish(h);
		assert_int_equal(h->pauses, 2);
		assert_int_equal(h->pause[0].paused_ns, cases[i].ns);
		assert_int_equal(h->pause[0].ended_by, PAUSE_EXPIRY);
		assert_int_equal(h->pause[0].frame, 1);
		free(h);
	}
}

/* 5.2: a newer frame replaces the time, also by a shorter one; 1000 quanta at
 * 100G are 5120 ns. */
static void replacement_refresh_and_xon(void **state)
{
	struct heard *h = listen(G100);

	(void)state;
	xoff(h, 0, 65535);
	xoff(h, 10000, 1000);         /* until 15120 */
	xoff(h, 15000, 1000);         /* until 20120 */
	pfc(h, 20000, 1 << 4, 65535); /* another priority: changes nothing */
	xoff(h, 30000, 1000);         /* a new one: 9880 ns in between */
	xoff(h, 34000, 0);            /* XON */
	xoff(h, 35000, 0);            /* and again */
	pfc(h, 36000, 1 << 4, 0);
	finish(h);
	assert_int_equal(h->pauses, 3);
	assert_int_equal(h->pause[0].first_ns, 0);
	assert_int_equal(h->pause[0].last_ns, 20120);
	assert_int_equal(h->pause[0].xoff, 3);
	assert_int_equal(h->pause[0].refreshes, 2);
	assert_int_equal(h->pause[0].quanta, 67535);
	assert_int_equal(h->pause[0].ended_by, PAUSE_EXPIRY);
	assert_int_equal(h->pause[1].paused_ns, 4000);
	assert_int_equal(h->pause[1].ended_by, PAUSE_XON);
	assert_int_equal(h->pause[2].priority, 4);
	assert_int_equal(h->pause[2].paused_ns, 16000);
	assert_int_equal(h->pausers, 2);
	assert_int_equal(h->pauser[0].priority, 3);
	assert_int_equal(h->pauser[0].xoff, 4);
	assert_int_equal(h->pauser[0].xon, 2);
	assert_int_equal(h->pauser[0].paused_ns, 24120);
	assert_int_equal(h->binned, 24120 + 16000);
	free(h);
}

/* Mistake 11 of reference 12: not frames times quanta.  Paused all along, and
 * so when the capture ends. */
static void time_is_not_frames_by_quanta(void **state)
{
	struct heard *h = listen(G100);

	(void)state;
	for (int i = 0; i <= 100; i++)
		xoff(h, i * 100000, 65535);
	finish(h);
	assert_int_equal(h->pauses, 1);
	assert_int_equal(h->pause[0].paused_ns, 10 * MS);
	assert_int_equal(h->pause[0].ended_by, PAUSE_CAPTURE);
	free(h);
}

static void without_speed_an_xon_in_time_tells(void **state)
{
	struct heard *h = listen(0);

	(void)state;
	/* 65535 quanta are 20,971 ns at 1.6 Tbit/s */
	xoff(h, 0, 65535);
	xoff(h, 10000, 65535);
	xoff(h, 30000, 0);
	finish(h);
	assert_int_equal(h->pauses, 1);
	assert_int_equal(h->pause[0].ended_by, PAUSE_XON);
	assert_int_equal(h->pause[0].refreshes, 1);
	assert_int_equal(h->pause[0].paused_ns, 30000);
	assert_int_equal(h->pause[0].last_ns, h->pause[0].first_ns + 30000);
	assert_int_equal(h->pauser[0].paused_ns, 30000);
	free(h);
}

static void without_speed_there_is_no_length(void **state)
{
	struct heard *h = listen(0);

	(void)state;
	xoff(h, 0, 65535);
	xoff(h, 10000, 65535);
	xoff(h, 31000, 0);
	xoff(h, MS, 65535);
	xoff(h, MS + 21000, 65535);
	xoff(h, MS + 31000, 0);
	xoff(h, 2 * MS, 65535);
	xoff(h, 500 * MS, 65535);
	finish(h);
	assert_int_equal(h->pauses, 4);
	assert_int_equal(h->pause[0].ended_by, PAUSE_XON);
	assert_int_equal(h->pause[0].refreshes, 1);
	assert_int_equal(h->pause[1].ended_by, PAUSE_XON);
	assert_int_equal(h->pause[2].ended_by, PAUSE_EXPIRY);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(h->pause[i].paused_ns == FACT_UNKNOWN);
		assert_true(h->pause[i].last_ns == FACT_UNKNOWN);
	}
	assert_true(h->pauser[0].paused_ns == FACT_UNKNOWN);
	assert_int_equal(h->storms, 0);
	assert_int_equal(h->binned, 0);
	free(h);
}

/* 65535 quanta are 3,355 us at 10 Gbit/s, 1,000 are 51. */
static void without_speed_silence_until_the_xon_tells(void **state)
{
	static const struct {
		int64_t seen, came, xon; /* 0 not */
		uint16_t quanta;
		int64_t paused;
	} cases[] = {
		{ 1000, 0, 3 * MS, 65535, 3 * MS },
		{ 1000, 2 * MS, 3 * MS, 65535, FACT_UNKNOWN },
		{ 1000, 0, 4 * MS, 65535, FACT_UNKNOWN },
		{ 1000, 0, MS / 10, 1000, FACT_UNKNOWN },
		{ 0, 0, 3 * MS, 65535, FACT_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct heard *h = listen(0);

		xoff(h, 0, 65535);
		xoff(h, 500, 0);
		if (cases[i].seen)
			data(h, cases[i].seen, 0, PEER, PORT);
		xoff(h, MS, cases[i].quanta);
		if (cases[i].came)
			data(h, MS + cases[i].came, 1, PEER, PORT);
		xoff(h, MS + cases[i].xon, 0);
		finish(h);
		assert_int_equal(h->pauses, 2);
		assert_int_equal(h->pause[1].ended_by, PAUSE_XON);
		assert_true(h->pause[1].paused_ns == cases[i].paused);
		free(h);
	}
}

/* 802.3x stops all eight priorities. */
static void global_pause(void **state)
{
	struct heard *h = listen(G100);
	const uint8_t o[46] = { 0, 1, 0x03, 0xe8 };

	(void)state;
	feed(h,
	     (struct packet) { .status = PACKET_FOREIGN,
			       .kind = PACKET_PAUSE,
			       .src_mac = PORT,
			       .payload = sizeof o,
			       .control = o },
	     0);
	xoff(h, MS, 1000);
	finish(h);
	assert_int_equal(h->pauses, 2);
	assert_true(h->pause[1].priority == FACT_UNKNOWN);
	assert_int_equal(h->pause[1].paused_ns, 5120);
	/* the second had only begun when the capture ended */
	assert_int_equal(h->binned, 8 * 5120);
	free(h);
}

/* A frame that is cut asks for nothing. */
static void cut_frames(void **state)
{
	struct heard *h = listen(G100);
	const uint8_t o[4] = { 1, 1, 0, 8 };

	(void)state;
	feed(h,
	     (struct packet) { .status = PACKET_TRUNCATED,
			       .kind = PACKET_PFC,
			       .src_mac = PORT,
			       .payload = sizeof o,
			       .control = o },
	     0);
	finish(h);
	assert_int_equal(h->pausers, 0);
	free(h);
}

/* 5.3: 100 ms, 10 ms at 80 %, 1 s at 20 %; each just, and just not. */
static void storm_levels(void **state)
{
	static const struct {
		int64_t on, off, for_ns;
		unsigned levels; /* bit per enum storm_level */
	} cases[] = {
		{ 100 * MS, MS, 100 * MS,
		  1 << STORM_STORM | 1 << STORM_SUSPECT },
		{ 99 * MS, 100 * MS, 99 * MS, 1 << STORM_SUSPECT },
		{ 90000, 10000, 30 * MS, 1 << STORM_SUSPECT },
		{ 90000, 10000, 9 * MS, 0 },
		{ 70000, 30000, 900 * MS, 0 },
		{ 70000, 30000, 1100 * MS, 1 << STORM_HEAVY },
		{ 21000, 79000, 1100 * MS, 1 << STORM_HEAVY },
		{ 19000, 81000, 2000 * MS, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct heard *h = listen(G100 / 100);
		int64_t period = cases[i].on + cases[i].off, t, k;
		unsigned levels = 0;

		for (t = 0; t < cases[i].for_ns; t += period) {
			for (k = 0; k < cases[i].on; k += 10 * MS)
				xoff(h, t + k, 65535);
			xoff(h, t + cases[i].on, 0);
		}
		finish(h);
		for (unsigned k2 = 0; k2 < h->storms; k2++)
			levels |= 1u << h->storm[k2].level;
		if (levels != cases[i].levels)
			fail_msg("case %zu: levels %x", i, levels);
		free(h);
	}
}

/* Data that goes through is no storm; what goes the other way does not count,
 * nor what was under way. */
static void data_tell_a_storm(void **state)
{
	for (int how = 0; how < 4; how++) {
		struct heard *h = listen(G100 / 100);

		(void)state;
		data(h, 0, 0, PEER, PORT);
		for (int64_t t = MS; t < 151 * MS; t += 10 * MS) {
			xoff(h, t, 65535);
			if (how == 0 && t == MS)
				data(h, t + 1000, 1, PEER, PORT);
			if (how == 1)
				data(h, t + 5 * MS, 1, PORT, PEER);
			if (how == 2 && t > 50 * MS)
				data(h, t + 5 * MS, 1, PEER, PORT);
			if (how == 3 && t > 50 * MS)
				data(h, t + 5 * MS, 1, 0x77, 0x78);
		}
		finish(h);
		assert_int_equal(h->storms, how < 2 ? 2 : 1);
		assert_int_equal(h->storm[0].level, STORM_SUSPECT);
		assert_int_equal(h->pauser[0].passed > 0, how == 2);
		assert_int_equal(h->pauser[0].vague > 0, how == 3);
		free(h);
	}
}

/* A flow that is silent as long as its port is paused stalls; one that is
 * silent otherwise, or travels away, does not. */
static void stalls(void **state)
{
	struct heard *h = listen(G100);

	(void)state;
	data(h, 0, 0, PEER, PORT);
	data(h, 0, 0, PORT, PEER);
	xoff(h, 1000, 65535);
	xoff(h, 200000, 65535);
	xoff(h, 400000, 0);
	data(h, 401000, 1, PEER, PORT);
	data(h, 401000, 1, PORT, PEER);
	data(h, 402000, 2, PEER, PORT);
	data(h, 900000, 3, PEER, PORT); /* no pause */
	xoff(h, 901000, 1000);          /* 5 of 100 us */
	data(h, 1000000, 4, PEER, PORT);
	finish(h);
	assert_int_equal(h->stalls, 1);
	assert_int_equal(h->stall[0].first_ns, 0);
	assert_int_equal(h->stall[0].last_ns, 401000);
	assert_int_equal(h->stall[0].paused_ns, 399000);
	assert_int_equal(h->stall[0].mac, PORT);
	free(h);
}

/* However long: the rows have a cap, the sums do not. */
/* Bytes on the heap; always 0 under the sanitizers. */
static size_t in_use(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

enum { FRAMES = 1000000, BEGINNING = 10000 };

/* A million XOFFs, every 40 us.  After the first ones no more memory goes. */
static void a_storm(struct heard *h, uint16_t quanta)
{
	size_t used = 0;

	for (int64_t i = 0; i < FRAMES; i++) {
		xoff(h, i * 40000, quanta);
		if (i == BEGINNING)
			used = in_use();
	}
	assert_true(in_use() <= used);
	finish(h);
}

static void a_million_frames(void **state)
{
	struct heard *h = listen(G100);

	(void)state;
	a_storm(h, 65535);
	assert_int_equal(h->pauses, 1);
	assert_int_equal(h->pauser[0].xoff, FRAMES);
	assert_int_equal(h->pauser[0].paused_ns, (FRAMES - 1) * 40000ll);
	assert_int_equal(h->storms, 3);
	assert_int_equal(h->binned, (FRAMES - 1) * 40000ll);
	free(h);

	/* leaky: each runs out before the next */
	h = listen(G100);
	a_storm(h, 1000);
	assert_int_equal(h->pauses, 50000);
	assert_int_equal(h->capped, FRAMES - 50000);
	assert_int_equal(h->pauser[0].pauses, FRAMES);
	assert_int_equal(h->pauser[0].by_expiry, FRAMES - 1);
	assert_int_equal(h->pauser[0].paused_ns, (FRAMES - 1) * 5120ll);
	free(h);
}

/* Addresses made up: there is room for so many and no more. */
static void many_ports(void **state)
{
	struct heard *h = listen(G100);
	uint8_t o[46] = { 1, 1, 0, 8, [10] = 1 };

	(void)state;
	for (uint64_t mac = 1; mac < 100000; mac++)
		feed(h,
		     (struct packet) { .status = PACKET_FOREIGN,
				       .kind = PACKET_PFC,
				       .src_mac = mac,
				       .payload = sizeof o,
				       .control = o },
		     (int64_t)mac);
	finish(h);
	assert_int_equal(h->pausers, 64);
	free(h);
}

/* UEC CBFC: counters of 20 bits that wrap, all channels at once. */
static void credits(struct heard *h, int64_t ns, uint32_t counter)
{
	uint8_t o[46] = { 0xff, 0xfe, 0xfa, 0x7a, 0xcb, 1 };

	/* channel 3: bits 60 to 79 of the counters */
	o[6 + 7] = (uint8_t)(counter >> 16 & 0x0f);
	o[6 + 8] = (uint8_t)(counter >> 8);
	o[6 + 9] = (uint8_t)counter;
	feed(h,
	     (struct packet) { .status = PACKET_FOREIGN,
			       .kind = PACKET_UEC_CC,
			       .src_mac = PEER,
			       .payload = sizeof o,
			       .control = o },
	     ns);
}

static void credits_over_time(void **state)
{
	struct heard *h = listen(G100);
	uint32_t c = 0xfff00;

	(void)state;
	for (int i = 0; i < 40; i++) {
		/* stands still from 10 to 20 */
		c += i && (i <= 10 || i > 20) ? 0x100 : 0;
		credits(h, i * 256000, c & 0xfffff);
	}
	finish(h);
	assert_int_equal(h->credits, 1);
	assert_int_equal(h->credit[0].channel, 3);
	assert_int_equal(h->credit[0].updates, 40);
	assert_int_equal(h->credit[0].credits, 29 * 0x100);
	assert_int_equal(h->credit[0].resets, 0);
	assert_int_equal(h->credit[0].standstills, 1);
	assert_int_equal(h->credit[0].longest_ns, 11 * 256000);
	free(h);
}

/* Data whose DSCP / 8 is 0, and a port that pauses priority 3 for half of the
 * time: 80 packets come, and while it pauses none, or as many. */
static void a_priority_that_nothing_has(void **state)
{
	(void)state;
	for (int obeys = 0; obeys < 2; obeys++) {
		struct heard *h = listen(G100);
		uint32_t psn = 0;

		for (int i = 0; i < 10; i++) {
			int64_t at = i * 200000;

			xoff(h, at, 0xffff);
			for (int k = 0; k < 4 && !obeys; k++)
				data_of(h, at + 10000 + k * 20000, psn++, PEER,
					PORT, 0);
			xoff(h, at + 100000, 0);
			for (int k = 0; k < 8; k++)
				data_of(h, at + 101000 + k * 10000, psn++, PEER,
					PORT, 0);
		}
		finish(h);
		assert_int_equal(h->paused_flows, 1);
		assert_int_equal(h->paused_flow[0].governed, obeys);
		assert_int_equal(h->paused_flow[0].priority, obeys ? 3 : 0);
		assert_int_equal(h->paused_flow[0].priority_from,
				 obeys ? PRIORITY_PAUSED : PRIORITY_ASSUMED);
		free(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quanta_become_time),
		cmocka_unit_test(replacement_refresh_and_xon),
		cmocka_unit_test(time_is_not_frames_by_quanta),
		cmocka_unit_test(without_speed_an_xon_in_time_tells),
		cmocka_unit_test(without_speed_there_is_no_length),
		cmocka_unit_test(without_speed_silence_until_the_xon_tells),
		cmocka_unit_test(global_pause),
		cmocka_unit_test(cut_frames),
		cmocka_unit_test(storm_levels),
		cmocka_unit_test(data_tell_a_storm),
		cmocka_unit_test(stalls),
		cmocka_unit_test(a_priority_that_nothing_has),
		cmocka_unit_test(a_million_frames),
		cmocka_unit_test(many_ports),
		cmocka_unit_test(credits_over_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
