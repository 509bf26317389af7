/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which PSNs of an unordered stream have been seen. */
#include "flow/seen.h"
#include "base/mem.h"

#include <stdlib.h>

enum { WORD = 64 };

static bool get(const uint64_t *bits, uint32_t room, uint32_t psn)
{
	uint32_t i = psn & (room - 1);

	return bits[i / WORD] >> i % WORD & 1;
}

static void flip(uint64_t *bits, uint32_t room, uint32_t psn)
{
	uint32_t i = psn & (room - 1);

	bits[i / WORD] ^= UINT64_C(1) << i % WORD;
}

bool seen_has(const struct seen *s, uint32_t psn)
{
	return psn - s->low < s->room && get(s->bits, s->room, psn);
}

static bool grow(struct seen *s, uint32_t distance)
{
	uint32_t room = s->room ? s->room : SEEN_MIN;
	uint64_t *bits;

	while (room <= distance && room < SEEN_MAX)
		room *= 2;
	if (room <= distance)
		return false;
	bits = mem_calloc(room / WORD, sizeof *bits);
	if (!bits)
		return false;
	for (uint32_t i = 0; i < s->room; i++)
		if (get(s->bits, s->room, s->low + i))
			flip(bits, room, s->low + i);
	free(s->bits);
	s->bits = bits;
	s->room = room;
	return true;
}

/* |low| has been seen or settled. */
static void slide(struct seen *s)
{
	while (s->n && get(s->bits, s->room, s->low)) {
		flip(s->bits, s->room, s->low++);
		s->n--;
	}
}

bool seen_add(struct seen *s, uint32_t psn)
{
	uint32_t distance = psn - s->low;

	if (distance == 0) {
		s->low++;
		slide(s);
		return true;
	}
	if (distance >= s->room && !grow(s, distance))
		return false;
	flip(s->bits, s->room, psn);
	s->n++;
	return true;
}

uint32_t seen_hole(const struct seen *s, uint32_t end)
{
	uint32_t n = 0, most = end - s->low;

	if (!s->n)
		return most;
	while (n < most && n < s->room && !get(s->bits, s->room, s->low + n))
		n++;
	return n;
}

void seen_skip(struct seen *s, uint32_t n)
{
	s->low += n;
	slide(s);
}

void seen_free(struct seen *s)
{
	free(s->bits);
	s->bits = NULL;
	s->room = s->n = 0;
}
