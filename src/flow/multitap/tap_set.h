/* SPDX-License-Identifier: GPL-2.0-or-later
 * A set of taps, a bit each. */
#ifndef FABSCOPE_FLOW_MULTITAP_TAP_SET_H
#define FABSCOPE_FLOW_MULTITAP_TAP_SET_H

#include <stdint.h>

/* Taps beyond these are compared with no other: each is a place of its own,
 * and table `row_limit` counts its flows as left out of `tap_path`. */
enum { TAPS_COMPARED = 256, TAP_SET_WORDS = TAPS_COMPARED / 64 };

struct tap_set {
	uint64_t word[TAP_SET_WORDS];
};

static inline void tap_set_add(struct tap_set *s, uint32_t tap)
{
	s->word[tap / 64] |= UINT64_C(1) << tap % 64;
}

/* The first tap of the set from |tap| on; TAPS_COMPARED: none. */
static inline uint32_t tap_set_next(const struct tap_set *s, uint32_t tap)
{
	for (; tap < TAPS_COMPARED; tap = (tap / 64 + 1) * 64) {
		uint64_t rest = s->word[tap / 64] >> tap % 64;

		if (rest)
			return tap + (uint32_t)__builtin_ctzll(rest);
	}
	return TAPS_COMPARED;
}

#endif
