/* SPDX-License-Identifier: GPL-2.0-or-later
 * What two clocks make of each other: packets that both stamped, which of them
 * passed first, and the lines of clock_fit.h through what is left. */
#ifndef FABSCOPE_FLOW_MULTITAP_CLOCK_PAIR_H
#define FABSCOPE_FLOW_MULTITAP_CLOCK_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A packet as one tap saw it. */
struct clock_sample {
	uint64_t key; /* its identity */
	int64_t ns;
	uint64_t frame;
	uint32_t forth, back; /* its direction, and the opposite one */
	uint32_t icrc;        /* 0 unknown */
	uint16_t tap;
	uint8_t ttl;
};

/* Of the second clock. */
struct clock_stretch {
	uint64_t from_frame;
	int64_t from_ns, at_ns, offset_ns;
	double drift, drift_low, drift_high; /* ns a second */
	uint64_t packets;
};

enum { CLOCK_STRETCHES = 8 };

struct clock_stretches {
	struct clock_stretch s[CLOCK_STRETCHES];
	unsigned n;
	bool two_way, applied;
	int sign;     /* one way: +1 this clock's place is the second */
	double error; /* ns, the worst; INFINITY */
	uint64_t packets;
	const char *why;
};

enum { CLOCK_SIDE_NONE, CLOCK_SIDE_FIRST, CLOCK_SIDE_SECOND };

/* How times of the first clock are to be read; NULL: as they are. */
struct clock_view {
	int64_t (*ns)(const void *ctx, const struct clock_sample *s);
	const void *ctx;
};

struct clock_pair;

struct clock_pair *clock_pair_new(void); /* NULL: no memory */
void clock_pair_free(struct clock_pair *p);

/* Collects what taps of both sides saw exactly once; |side| by tap.  The
 * samples are in order of key. */
void clock_pair_gather(struct clock_pair *p, const struct clock_sample *s,
		       size_t n, const uint16_t *side,
		       const struct clock_view *view);

/* Are the two certainly not one clock? */
bool clock_pair_contradicts(struct clock_pair *p);

/* False: nothing ties them. */
bool clock_pair_solve(struct clock_pair *p, struct clock_stretches *out);

int64_t clock_stretches_correct(const struct clock_stretches *s, uint64_t frame,
				int64_t ns);

#endif
