/* SPDX-License-Identifier: GPL-2.0-or-later
 * What made-up frames of both transports have in common: see frames.h. */
#ifndef FABSCOPE_TESTS_REFERENCE_FRAMES_PARTS_H
#define FABSCOPE_TESTS_REFERENCE_FRAMES_PARTS_H

#include "frames.h"

/* What may differ in a run: so many variations of headers, and ... */
enum { VARIATIONS = 12 };
enum frames_kind {
	OUT_OF_ORDER = 1 << VARIATIONS,
	BAD_CHECK = 1 << (VARIATIONS + 1), /* ICRC, CRC */
	TWO_TAPS = 1 << (VARIATIONS + 2),
	CUT = 1 << (VARIATIONS + 3),
	CONTROL = 1 << (VARIATIONS + 4), /* UET: packets of other types */
	KINDS = VARIATIONS + 5
};

static inline uint32_t below(struct frames *s, uint32_t n)
{
	return s->choose(s->ctx, n);
}

void frames_kinds(struct frames *s);
uint8_t *frames_ip(const struct frames_way *w, uint8_t *frame);
/* Ethernet to IPv4 of way |n|, whose headers are as |dscp| and |proto| say. */
void frames_head(struct frames_way *w, unsigned n, bool tagged, uint8_t dscp,
		 uint8_t proto);
/* Which variation, of this run's; VARIATIONS: all as usual. */
unsigned frames_variation(struct frames *s);
/* The first of them, of Ethernet and IPv4; or all as usual. */
enum { VARIATIONS_IP = 6 };
void frames_vary(struct frames *s, const struct frames_way *w, uint8_t *frame,
		 unsigned what, uint8_t dscp);
/* In order, or, in one packet of |often|, a jump, a step back, a place long
 * gone. */
uint32_t frames_psn(struct frames *s, struct frames_way *w, uint32_t often);
/* The frame of |size| bytes is made: captured, now. */
void frames_captured(struct frames *s, size_t size);

#endif
