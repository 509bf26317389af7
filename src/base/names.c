/* SPDX-License-Identifier: GPL-2.0-or-later
 * Names to numbers: open addressing, half full at most. */
#include "base/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/siphash.h"

enum { FIRST_ROOM = 64 };

/* Where it is, or the free slot where it belongs. */
static struct name_entry *slot_of(struct names *x, const char *name)
{
	uint64_t h = siphash((const uint8_t *)hash_key, name, strlen(name));
	size_t i = h & (x->room - 1);

	x->steps++;
	while (x->slot[i].name && strcmp(x->slot[i].name, name) != 0) {
		i = (i + 1) & (x->room - 1);
		x->steps++;
	}
	return &x->slot[i];
}

static bool widen(struct names *x)
{
	struct names wide = { .n = x->n,
			      .room = x->room ? 2 * x->room : FIRST_ROOM,
			      .steps = x->steps };

	wide.slot = calloc(wide.room, sizeof *wide.slot);
	if (!wide.slot)
		return false;
	for (size_t i = 0; i < x->room; i++)
		if (x->slot[i].name)
			*slot_of(&wide, x->slot[i].name) = x->slot[i];
	free(x->slot);
	*x = wide;
	return true;
}

size_t names_find(struct names *x, const char *name)
{
	const struct name_entry *e = x->room ? slot_of(x, name) : NULL;

	return e && e->name ? e->number : NAMES_NONE;
}

bool names_add(struct names *x, const char *name, size_t number)
{
	struct name_entry *e;

	if (2 * (x->n + 1) > x->room && !widen(x))
		return false;
	e = slot_of(x, name);
	if (e->name)
		return true;
	e->name = strdup(name);
	if (!e->name)
		return false;
	e->number = number;
	x->n++;
	return true;
}

void names_fini(struct names *x)
{
	for (size_t i = 0; i < x->room; i++)
		free(x->slot[i].name);
	free(x->slot);
	*x = (struct names) { 0 };
}
