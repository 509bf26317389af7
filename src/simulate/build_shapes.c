/* SPDX-License-Identifier: GPL-2.0-or-later
 * Words of a scenario: whole fabrics that are no Clos. */
#include <stdio.h>

#include "simulate/build.h"
#include "simulate/line.h"
#include "simulate/world.h"

enum { MOST_SIDE = 32, MOST_SWITCH_HOSTS = 64 };

struct shape {
	uint64_t switches, hosts; /* hosts: of a switch */
	uint64_t bps, fabric;
	int64_t delay;
};

static struct node *switch_at(struct sim *s, uint64_t n)
{
	char name[NAME_MAX_TEXT];

	snprintf(name, sizeof name, "s%u", (unsigned)n + 1);
	return world_node(s, name);
}

static void connect(struct sim *s, struct line *l, const struct shape *f,
		    uint64_t a, uint64_t b)
{
	struct err e = { 0 };

	if (!l->failed && world_link(s, switch_at(s, a), switch_at(s, b),
				     f->fabric, f->delay, &e))
		line_fail(l, "%s", e.text);
}

/* Switches s1.., and h1.. in the order of their switches. */
static void make_nodes(struct sim *s, struct line *l, const struct shape *f)
{
	struct err e = { 0 };
	char name[NAME_MAX_TEXT];

	for (uint64_t i = 0; i < f->switches && !l->failed; i++) {
		snprintf(name, sizeof name, "s%u", (unsigned)i + 1);
		build_one_switch(s, l, name);
	}
	for (uint64_t i = 0; i < f->switches * f->hosts && !l->failed; i++) {
		snprintf(name, sizeof name, "h%u", (unsigned)i + 1);
		build_one_host(s, l, name);
		if (!l->failed && world_link(s, world_node(s, name),
					     switch_at(s, i / f->hosts), f->bps,
					     f->delay, &e))
			line_fail(l, "%s", e.text);
	}
}

static void read_links(struct line *l, struct shape *f)
{
	f->hosts = line_count(l, "hosts", 1, MOST_SWITCH_HOSTS);
	f->bps = line_rate(l, "speed", UINT64_C(100000000000));
	f->fabric = line_rate(l, "fabric", f->bps);
	f->delay = line_time(l, "delay", 500 * PS_PER_NS);
}

/* A two-dimensional torus, row by row: each switch has a link to the next of
 * its row and of its column, the last one to the first. */
void build_torus(struct sim *s, struct line *l)
{
	uint64_t rows = line_count(l, "rows", 3, MOST_SIDE);
	uint64_t columns = line_count(l, "columns", 3, MOST_SIDE);
	struct shape f = { .switches = rows * columns };

	read_links(l, &f);
	if (rows < 3 || columns < 3 || !f.hosts)
		line_fail(l, "a torus has rows= and columns= of at least 3");
	make_nodes(s, l, &f);
	for (uint64_t i = 0; i < f.switches && !l->failed; i++) {
		uint64_t row = i / columns, column = i % columns;

		connect(s, l, &f, i, row * columns + (column + 1) % columns);
		connect(s, l, &f, i, (row + 1) % rows * columns + column);
	}
}

/* Groups in which each switch has a link to each, and one link between each two
 * groups; these are spread over the switches of a group. */
void build_dragonfly(struct sim *s, struct line *l)
{
	uint64_t groups = line_count(l, "groups", 3, MOST_SIDE);
	uint64_t each = line_count(l, "switches", 2, MOST_SIDE);
	struct shape f = { .switches = groups * each };

	read_links(l, &f);
	if (groups < 2 || !each || !f.hosts)
		line_fail(l, "a dragonfly has groups= of at least 2");
	make_nodes(s, l, &f);
	for (uint64_t g = 0; g < groups && !l->failed; g++) {
		for (uint64_t a = 0; a < each; a++)
			for (uint64_t b = a + 1; b < each; b++)
				connect(s, l, &f, g * each + a, g * each + b);
		for (uint64_t to = g + 1; to < groups; to++)
			connect(s, l, &f, g * each + (to - 1) % each,
				to * each + g % each);
	}
}
