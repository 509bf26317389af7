/* SPDX-License-Identifier: GPL-2.0-or-later
 * Fuzzes sequences of frames: the short ways of engine_frame() must say what
 * packet_decode() and engine_feed() say.
 *
 * The first byte says whose frames, those of RoCE or of Ultra Ethernet.  Each
 * other, or two where there is more to choose from, is a choice of
 * tests/reference/frames.c or uet_frames.c; some of a frame's bytes change
 * besides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../reference/frames.h"
#include "../reference/scene.h"
#include "flow/core/flow.h"

struct choices {
	const uint8_t *data;
	size_t left;
};

static uint32_t take(struct choices *c)
{
	if (!c->left)
		return 0;
	c->left--;
	return *c->data++;
}

static uint32_t choose(void *ctx, uint32_t n)
{
	uint32_t v = take(ctx);

	for (uint32_t reach = 256; reach < n && reach < 1u << 24; reach <<= 8)
		v = v << 8 | take(ctx);
	return v % n;
}

static void damage(struct choices *c, struct frames *in)
{
	uint32_t at = take(c), with = take(c);

	if (at < in->f.in.caplen)
		in->frame[at] ^= (uint8_t)with;
}

static void follow(struct record *a, struct record *b, struct choices *c)
{
	struct frames in = { .choose = choose, .ctx = c };

	bool uet = take(c) & 1;

	(uet ? uet_frames_begin : frames_begin)(&in);
	while (c->left) {
		uint32_t more;

		(uet ? uet_frames_next : frames_next)(&in);
		more = take(c);
		if (more > 250)
			damage(c, &in);
		record_by_packet(b, &in.f);
		engine_frame(a->engine, &decode_defaults, &in.f);
		if (more & 1)
			engine_flush(a->engine);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct choices c = { data, size };
	struct scene *s = scene_new();
	struct record *a = record_begin(s, NULL), *b = record_begin(s, NULL);

	record_no_fast_paths(b);
	follow(a, b, &c);
	record_end(a);
	record_end(b);
	if (a->digest != b->digest)
		abort();
	scene_free(s);
	return 0;
}
