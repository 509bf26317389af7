/* SPDX-License-Identifier: GPL-2.0-or-later
 * Made-up frames, of RoCE and of Ultra Ethernet, for the short ways of
 * engine_frames(). */
#ifndef FABSCOPE_TESTS_REFERENCE_FRAMES_H
#define FABSCOPE_TESTS_REFERENCE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/core/engine.h"

enum { FRAMES_WAYS = 6, FRAMES_ROOM = 384 };

/* One direction of a connection: its headers, and where it stands. */
struct frames_way {
	uint8_t head[FRAMES_ROOM];
	uint32_t psn, una;
	uint16_t ip_id;
	bool tagged, six, in_message;
};

struct frames {
	/* A number below |n|, of somebody who makes choices. */
	uint32_t (*choose)(void *ctx, uint32_t n);
	void *ctx;
	struct frames_way way[FRAMES_WAYS], *last;
	uint32_t kinds; /* of differences in this run: frames.c */
	int64_t ns;
	uint64_t number;
	uint8_t frame[FRAMES_ROOM];
	struct engine_frame f;
};

/* |choose| and |ctx| are set, all else is 0. */
void frames_begin(struct frames *s);
void uet_frames_begin(struct frames *s);

/* The next: |s|->f, whose bytes stay until the one after it. */
void frames_next(struct frames *s);
void uet_frames_next(struct frames *s);

#endif
