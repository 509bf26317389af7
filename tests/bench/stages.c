/* SPDX-License-Identifier: GPL-2.0-or-later
 * What each stage of the pipeline costs a packet: each line does one thing more
 * than the line before it.  CPU time of this process, of this many rounds the
 * best.  Run by hand, pinned to a core, with the capture in the page cache:
 *
 *	stages CAPTURE [ROUNDS] */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "capture/capture.h"
#include "decode/packet.h"
#include "flow/core/engine.h"
#include "run/frame.h"

enum stage { STAGE_READ, STAGE_DECODE, STAGE_FLOW, STAGES };

enum { FRAMES_AT_ONCE = 64 };

static const char *const names[STAGES] = { "read", "+ decode", "+ flow" };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* So that no work is left out for want of a reader. */
static uint64_t sink;

/* Decode alone makes every packet whole; the engine spares itself that. */
static void feed(struct engine *e, const struct frame *f, size_t n)
{
	struct engine_frame in[FRAMES_AT_ONCE];
	struct packet p = { 0 };
	size_t k;

	for (size_t i = 0; i < n; i += k) {
		for (k = 0; k < FRAMES_AT_ONCE && i + k < n; k++) {
			in[k] = frame_of(&f[i + k]);
			if (e)
				continue;
			frame_decode(&f[i + k], &decode_defaults, &p);
			sink += p.psn;
		}
		if (e)
			engine_frames(e, &decode_defaults, in, k);
	}
	if (e)
		engine_flush(e);
}

static uint64_t run(const char *path, enum stage stage)
{
	const struct capture_input in = { .path = path };
	const struct capture_options how = { 0 };
	struct err err = { 0 };
	struct capture *c = capture_open(&in, 1, &how, &err);
	struct engine *e = NULL;
	const struct frame *f;
	uint64_t packets = 0;
	int n;

	if (!c) {
		fprintf(stderr, "stages: %s\n", err.text);
		exit(1);
	}
	if (stage == STAGE_FLOW)
		e = engine_new(NULL, NULL);
	while ((n = capture_next(c, &f, &err)) > 0) {
		packets += (uint64_t)n;
		if (stage == STAGE_READ)
			sink += f[n - 1].caplen;
		else
			feed(e, f, (size_t)n);
	}
	if (e)
		engine_finish(e);
	engine_free(e);
	capture_free(c);
	return packets;
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[2]) : 3;
	double before = 0;

	if (argc < 2 || rounds < 1) {
		fprintf(stderr, "usage: stages CAPTURE [ROUNDS]\n");
		return 2;
	}
	printf("%-10s %12s %12s\n", "", "ns/packet", "of that, new");
	for (int stage = argc > 3 ? atoi(argv[3]) : 0; stage < STAGES;
	     stage++) {
		double best = 0;

		for (int i = 0; i < rounds; i++) {
			double start = now();
			uint64_t n = run(argv[1], stage);
			double ns = (now() - start) * 1e9 / (double)(n ? n : 1);

			best = !i || ns < best ? ns : best;
		}
		printf("%-10s %12.1f %12.1f\n", names[stage], best,
		       best - before);
		before = best;
	}
	return sink == 1;
}
