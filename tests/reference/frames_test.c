/* SPDX-License-Identifier: GPL-2.0-or-later
 * Frames are followed as the packets in them are: engine_frames(), which knows
 * short ways, with and without engine_look() before, against packet_decode()
 * and engine_feed(), which do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "flow/core/flow.h"
#include "frames.h"
#include "scene.h"

/* A tap looks closely at its first 4096 packets. */
enum { FRAMES = 12000, RUNS = 30, AT_ONCE = 40 };

/* Several are handed over at once, as they come out of a file. */
struct batch {
	struct engine_frame f[AT_ONCE];
	uint8_t bytes[AT_ONCE][FRAMES_ROOM];
	uint32_t n;
};

static uint32_t choose(void *ctx, uint32_t n)
{
	uint64_t *random = ctx;

	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*random >> 33) % n;
}

/* |looked|: as if another thread had looked at them. */
static void hand_over(struct engine *e, struct batch *b, bool looked)
{
	if (looked)
		engine_look(e, &decode_defaults, b->f, b->n);
	engine_frames(e, &decode_defaults, b->f, b->n);
	engine_flush(e);
	b->n = 0;
}

static void keep(struct batch *b, const struct engine_frame *f)
{
	memcpy(b->bytes[b->n], f->in.data, FRAMES_ROOM);
	b->f[b->n] = *f;
	b->f[b->n].in.data = b->bytes[b->n];
	b->n++;
}

static void one_run(uint64_t seed, bool uet)
{
	struct batch batch = { .n = 0 };
	static const int places[2] = { 0, 0 };
	struct engine_options together = { .place = places, .n_places = 2 };
	const struct engine_options *o = seed % 3 ? NULL : &together;
	struct scene *s = scene_new();
	struct record *a = record_begin(s, o), *b = record_begin(s, o);
	uint64_t random = seed * 77 + 1;
	struct frames in = { .choose = choose, .ctx = &random };

	record_no_fast_paths(b);
	(uet ? uet_frames_begin : frames_begin)(&in);
	for (unsigned i = 0; i < FRAMES; i++) {
		(uet ? uet_frames_next : frames_next)(&in);
		keep(&batch, &in.f);
		if (choose(&random, AT_ONCE) < batch.n || batch.n == AT_ONCE)
			hand_over(a->engine, &batch, choose(&random, 2));
		record_by_packet(b, &in.f);
	}
	hand_over(a->engine, &batch, true);
	record_end(a);
	record_end(b);
	assert_true(a->n_flows >= FRAMES_WAYS);
	if (a->digest != b->digest)
		fail_msg("run %u: frames say something else than packets",
			 (unsigned)seed);
	scene_free(s);
}

static void frames_are_followed_like_packets(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= RUNS; seed++)
		one_run(seed, false);
}

static void so_are_those_of_ultra_ethernet(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= RUNS; seed++)
		one_run(seed, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_followed_like_packets),
		cmocka_unit_test(so_are_those_of_ultra_ethernet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
