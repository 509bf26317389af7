/* SPDX-License-Identifier: GPL-2.0-or-later
 * Capture points. */
#include "capture/tap.h"

#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"

void taps_fini(struct taps *t)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		free(t->v[i].pub.name);
		stamps_free(t->v[i].stamps);
	}
	free(t->v);
	free(t->per_file);
	*t = (struct taps) { 0 };
}

static int grow(struct taps *t)
{
	size_t room = t->room ? t->room * 2 : 8;
	struct tap *v;

	if (t->n < t->room)
		return 0;
	v = realloc(t->v, room * sizeof *v);
	if (!v)
		return -1;
	t->v = v;
	t->room = room;
	return 0;
}

uint32_t taps_add(struct taps *t, char *name, uint32_t file, uint16_t linktype)
{
	if (t->n > TAPS_KEPT) {
		free(name);
		return TAPS_KEPT;
	}
	if (t->n == TAPS_KEPT) {
		free(name);
		name = strdup("(further interfaces)");
	}
	if (!name || grow(t) < 0) {
		free(name);
		return TAP_NONE;
	}
	t->v[t->n] = (struct tap) {
		.ordinal = t->per_file[file]++,
		.pub = { .name = name,
			 .file = file,
			 .linktype = linktype,
			 .received = UINT64_MAX,
			 .dropped = UINT64_MAX },
	};
	t->fcs_open++;
	return (uint32_t)t->n++;
}

static uint64_t total(const struct tap_counter *c)
{
	return clamp_count(c->past, c->now);
}

/* Statistics and drop counts speak of the same losses: the larger counts. */
static void drops_sum(struct tap *t)
{
	uint64_t stated = total(&t->drops_stated);
	uint64_t summed = total(&t->drops_summed);

	t->pub.dropped = stated > summed ? stated : summed;
}

void tap_drops_add(struct tap *t, uint64_t n)
{
	t->drops_summed.now = clamp_count(t->drops_summed.now, n);
	drops_sum(t);
}

void tap_statistics(struct tap *t, uint64_t received, uint64_t dropped)
{
	if (received != UINT64_MAX) {
		t->received.now = received;
		t->pub.received = total(&t->received);
	}
	if (dropped != UINT64_MAX) {
		t->drops_stated.now = dropped;
		drops_sum(t);
	}
}

static void restart(struct tap_counter *c)
{
	c->past = total(c);
	c->now = 0;
}

void tap_section(struct tap *t, uint32_t section)
{
	t->section = section;
	restart(&t->received);
	restart(&t->drops_stated);
	restart(&t->drops_summed);
}
