/* SPDX-License-Identifier: GPL-2.0-or-later
 * Fuzzes link control through decoding into the state machines: LLDP, pauses
 * and UEC credits, with data frames between the same few ports.
 *
 * A packet is two bytes (what, time and length) and its body. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "decode/packet.h"
#include "flow/core/engine.h"

enum { FRAME_MAX = 600, ETHERNET = 1, HEADER = 14, CONTROL_BODY = 46 };

struct hold {
	int64_t now;
};

static void check(bool right)
{
	if (!right)
		abort();
}

static void on_pause(void *ctx, const struct fact_pause *f)
{
	const struct hold *h = ctx;

	check(f->paused_ns == FACT_UNKNOWN || f->paused_ns >= 0);
	check(f->last_ns == FACT_UNKNOWN ||
	      (f->last_ns >= f->first_ns && f->first_ns <= h->now));
	check(f->xoff > 0 && f->refreshes == f->xoff - 1);
}

static void on_pauser(void *ctx, const struct fact_pauser *f)
{
	(void)ctx;
	check(f->pauses == 0 || f->xoff >= f->pauses);
	check(f->xoff == f->refreshes + f->pauses);
	check(f->by_xon + f->by_expiry <= f->pauses);
	check(f->passed <= f->seen);
}

static void on_storm(void *ctx, const struct fact_storm *f)
{
	(void)ctx;
	check(f->paused_ns <= f->last_ns - f->first_ns);
	check(f->longest_ns <= f->paused_ns);
}

static void on_stall(void *ctx, const struct fact_stall *f)
{
	(void)ctx;
	check(f->last_ns > f->first_ns);
	check(f->paused_ns <= f->last_ns - f->first_ns);
}

static void on_lldp(void *ctx, const struct fact_lldp *f)
{
	(void)ctx;
	check(f->frames > 0 && f->first_ns <= f->last_ns);
	check(!f->applications || strlen(f->applications) < FRAME_MAX);
}

/* |what| chooses the kind and the ports; the body is what was given. */
static size_t make_frame(uint8_t *o, uint8_t what, const uint8_t *body,
			 size_t n)
{
	static const uint16_t types[4] = { 0x8808, 0x88cc, 0x8808, 0x0800 };
	static const uint8_t starts[4][6] = {
		{ 1, 1, 0 }, { 0 }, { 0xff, 0xfe, 0xfa, 0x7a, 0xcb }, { 0x45 }
	};
	static const uint8_t fixed[4] = { 3, 0, 5, 1 };
	uint16_t type = types[what & 3];

	memset(o, 0, FRAME_MAX);
	o[5] = what >> 2 & 3;
	o[11] = what >> 4 & 3;
	o[12] = (uint8_t)(type >> 8);
	o[13] = (uint8_t)type;
	memcpy(o + HEADER, starts[what & 3], fixed[what & 3]);
	memcpy(o + HEADER + fixed[what & 3], body, n);
	n += HEADER + fixed[what & 3];
	if (type == 0x8808 && n < HEADER + CONTROL_BODY && what & 0x80)
		n = HEADER + CONTROL_BODY;
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hold h = { .now = 1000000 };
	const struct flow_sink sink = { .ctx = &h,
					.pause = on_pause,
					.pauser = on_pauser,
					.storm = on_storm,
					.stall = on_stall,
					.lldp = on_lldp };
	struct engine *e = engine_new(NULL, &sink);
	uint64_t number = 0;

	if (e)
		engine_set_speed(e, 0, 100000000000);
	while (e && size >= 3) {
		struct packet p = { .frame = ++number, .ns = h.now };
		uint8_t o[FRAME_MAX];
		size_t n = data[1] & 0x7f;

		if (n > size - 3)
			n = size - 3;
		p.tap = data[2] >> 7;
		n = make_frame(o, data[0], data + 3, n);
		packet_decode(&(struct decode_input) { .data = o,
						       .caplen = (uint32_t)n,
						       .wirelen = (uint32_t)n,
						       .linktype = ETHERNET },
			      &decode_defaults, &p);
		engine_feed(e, &p, 1);
		h.now += INT64_C(1) << (data[2] & 0x1f);
		n = data[1] & 0x7f;
		if (n > size - 3)
			n = size - 3;
		data += 3 + n;
		size -= 3 + n;
	}
	if (e)
		engine_finish(e);
	engine_free(e);
	return 0;
}
