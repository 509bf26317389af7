/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sets of taps. */
#include "simulate/tapset.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/mem.h"
#include "simulate/world.h"

enum { BITS = 64, SLOTS_MIN = 64 };

struct tapset_row {
	uint64_t *bits;
	tapset *with; /* by tap: this set and it; 0 not asked for yet */
};

static size_t words_of(const struct tapsets *t)
{
	return t->taps / BITS + 1;
}

static tapset *slot_of(const struct tapsets *t, const uint64_t *bits)
{
	uint64_t h = 0;

	for (size_t i = 0; i < words_of(t); i++)
		h = (h ^ bits[i]) * UINT64_C(0x9e3779b97f4a7c15);
	for (size_t i = h >> 32;; i++) {
		tapset *slot = &t->slots[i & (t->n_slots - 1)];

		if (!*slot || !memcmp(t->row[*slot].bits, bits,
				      words_of(t) * sizeof *bits))
			return slot;
	}
}

static void make_slots(struct tapsets *t)
{
	if (2 * t->n < t->n_slots)
		return;
	free(t->slots);
	t->n_slots = t->n_slots ? 2 * t->n_slots : SLOTS_MIN;
	t->slots = mem_new(t->n_slots * sizeof *t->slots);
	for (size_t i = 1; i < t->n; i++)
		*slot_of(t, t->row[i].bits) = (tapset)i;
}

/* |bits| as a row; they are its own from here on. */
static void add_row(struct tapsets *t, uint64_t *bits)
{
	t->row = mem_room(t->row, t->n, &t->cap, sizeof *t->row);
	t->row[t->n++] = (struct tapset_row) { bits, mem_new((t->taps + 1) *
							     sizeof(tapset)) };
}

static uint64_t *bits_new(const struct tapsets *t)
{
	return mem_new(words_of(t) * sizeof(uint64_t));
}

tapset tapset_with(struct sim *s, tapset set, uint32_t tap)
{
	struct tapsets *t = &s->tapsets;
	uint64_t *bits;
	tapset *slot;

	if (!t->n) {
		t->taps = s->n_taps;
		add_row(t, bits_new(t));
	}
	if (t->row[set].with[tap])
		return t->row[set].with[tap];
	make_slots(t);
	bits = bits_new(t);
	memcpy(bits, t->row[set].bits, words_of(t) * sizeof *bits);
	bits[tap / BITS] |= UINT64_C(1) << tap % BITS;
	slot = slot_of(t, bits);
	if (*slot) {
		free(bits);
	} else {
		*slot = (tapset)t->n;
		add_row(t, bits);
	}
	t->row[set].with[tap] = *slot;
	return *slot;
}

bool tapset_has(const struct sim *s, tapset set, uint32_t tap)
{
	return set && s->tapsets.row[set].bits[tap / BITS] >> tap % BITS & 1;
}

uint32_t tapset_next(const struct sim *s, tapset set, uint32_t tap)
{
	while (tap < s->n_taps && !tapset_has(s, set, tap))
		tap++;
	return tap;
}

tapset tapset_union(struct sim *s, tapset a, tapset b)
{
	for (uint32_t i = tapset_next(s, b, 0); b && i < s->n_taps;
	     i = tapset_next(s, b, i + 1))
		a = tapset_with(s, a, i);
	return a;
}

tapset tapset_less(struct sim *s, tapset a, tapset b)
{
	tapset rest = 0;

	for (uint32_t i = 0; a && i < s->n_taps; i++)
		if (tapset_has(s, a, i) && !tapset_has(s, b, i))
			rest = tapset_with(s, rest, i);
	return rest;
}

void tapsets_fini(struct tapsets *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->row[i].bits);
		free(t->row[i].with);
	}
	free(t->row);
	free(t->slots);
}
