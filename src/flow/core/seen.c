/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which PSNs of an unordered stream have been seen. */
#include "flow/core/seen.h"
#include "base/mem.h"

#include <stdlib.h>

enum { WORD = 64 };

struct seen_map {
	uint32_t room;   /* PSNs: a power of two */
	uint64_t bits[]; /* of [low, low + room), at psn % room */
};

static uint32_t room_of(const struct seen *s)
{
	return s->map ? s->map->room : 0;
}

static bool get(const struct seen_map *m, uint32_t psn)
{
	uint32_t i = psn & (m->room - 1);

	return m->bits[i / WORD] >> i % WORD & 1;
}

static void flip(struct seen_map *m, uint32_t psn)
{
	uint32_t i = psn & (m->room - 1);

	m->bits[i / WORD] ^= UINT64_C(1) << i % WORD;
}

bool seen_has(const struct seen *s, uint32_t psn)
{
	return psn - s->low < room_of(s) && get(s->map, psn);
}

static bool grow(struct seen *s, uint32_t distance)
{
	uint32_t old = room_of(s), room = old ? old : SEEN_MIN;
	struct seen_map *map;

	while (room <= distance && room < SEEN_MAX)
		room *= 2;
	if (room <= distance)
		return false;
	map = mem_calloc(1, sizeof *map + room / WORD * sizeof map->bits[0]);
	if (!map)
		return false;
	map->room = room;
	for (uint32_t i = 0; i < old; i++)
		if (get(s->map, s->low + i))
			flip(map, s->low + i);
	free(s->map);
	s->map = map;
	return true;
}

/* |low| has been seen or settled. */
static void slide(struct seen *s)
{
	while (s->n && get(s->map, s->low)) {
		flip(s->map, s->low++);
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
	if (distance >= room_of(s) && !grow(s, distance))
		return false;
	flip(s->map, psn);
	s->n++;
	return true;
}

uint32_t seen_hole(const struct seen *s, uint32_t end)
{
	uint32_t n = 0, most = end - s->low;

	if (!s->n)
		return most;
	while (n < most && n < room_of(s) && !get(s->map, s->low + n))
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
	free(s->map);
	s->map = NULL;
	s->n = 0;
}
