/* SPDX-License-Identifier: GPL-2.0-or-later
 * Words of a scenario: links, whole Clos fabrics, fixed routes. */
#include <stdio.h>

#include "simulate/build.h"
#include "simulate/line.h"
#include "simulate/mem.h"
#include "simulate/world.h"

enum { MOST_LINKS = 64, MOST_SWITCHES = 256, MOST_LEAF_HOSTS = 1024 };

struct node *build_known(struct sim *s, struct line *l, const char *name)
{
	struct node *n = world_node(s, name);

	if (!n)
		line_fail(l, "there is no '%s'", name);
	return n;
}

static void connect(struct sim *s, struct line *l, struct node *a,
		    struct node *b, uint64_t bps, int64_t delay)
{
	struct err e = { 0 };

	if (!l->failed && world_link(s, a, b, bps, delay, &e))
		line_fail(l, "%s", e.text);
}

void build_link(struct sim *s, struct line *l)
{
	struct node *a = build_known(s, l, line_word(l, "a name"));
	struct node *b = build_known(s, l, line_word(l, "a second name"));
	uint64_t bps = line_rate(l, "speed", UINT64_C(100000000000));
	int64_t delay = line_time(l, "delay", 500 * PS_PER_NS);
	uint64_t count = line_count(l, "count", 1, MOST_LINKS);

	for (; count && !l->failed; count--)
		connect(s, l, a, b, bps, delay);
}

/* --- leaves, spines, super-spines ----------------------------------------- */

struct clos {
	uint64_t pods, leaves, spines, hosts, supers; /* spines: of a pod */
	bool rails;
	uint64_t bps, up, top;
	int64_t delay;
};

static struct node *numbered(struct sim *s, const char *word, uint64_t n)
{
	char name[NAME_MAX_TEXT];

	snprintf(name, sizeof name, "%s%u", word, (unsigned)n);
	return world_node(s, name);
}

static void make_switch(struct sim *s, struct line *l, const char *word,
			uint64_t n)
{
	char name[NAME_MAX_TEXT];

	snprintf(name, sizeof name, "%s%u", word, (unsigned)n);
	build_one_switch(s, l, name);
}

static void make_spine(struct sim *s, struct line *l, const struct clos *c,
		       uint64_t n)
{
	make_switch(s, l, "spine", n);
	for (uint64_t k = 1; k <= c->supers && !l->failed; k++)
		connect(s, l, numbered(s, "spine", n), numbered(s, "super", k),
			c->top, c->delay);
}

static void make_leaf(struct sim *s, struct line *l, const struct clos *c,
		      uint64_t n)
{
	uint64_t pod = (n - 1) / c->leaves;

	make_switch(s, l, "leaf", n);
	for (uint64_t k = 1; k <= c->spines && !l->failed; k++)
		connect(s, l, numbered(s, "leaf", n),
			numbered(s, "spine", pod * c->spines + k), c->up,
			c->delay);
}

static void make_host(struct sim *s, struct line *l, const struct clos *c,
		      uint64_t n)
{
	char name[NAME_MAX_TEXT];
	uint64_t leaf =
		c->rails ? (n - 1) % (c->pods * c->leaves) : (n - 1) / c->hosts;

	snprintf(name, sizeof name, "h%u", (unsigned)n);
	build_one_host(s, l, name);
	if (l->failed)
		return;
	if (c->rails && c->leaves > 1) {
		s->hosts[s->n_hosts - 1]->server =
			(uint32_t)((n - 1) / c->leaves) + 1;
		s->hosts[s->n_hosts - 1]->rail = (uint32_t)leaf + 1;
	}
	connect(s, l, world_node(s, name), numbered(s, "leaf", leaf + 1),
		c->bps, c->delay);
}

/* Super-spines super1.. over all spines; spines spine1.. and leaves leaf1..
 * in the order of their pods; hosts h1.. in the order of their leaves: side
 * by side, or by rail (host i of every server on leaf i). */
void build_leafspine(struct sim *s, struct line *l)
{
	struct clos c = { .leaves = line_count(l, "leaves", 2, MOST_SWITCHES),
			  .spines = line_count(l, "spines", 2, MOST_SWITCHES),
			  .hosts = line_count(l, "hosts", 2, MOST_LEAF_HOSTS),
			  .pods = line_count(l, "pods", 1, MOST_SWITCHES),
			  .supers = line_count(l, "supers", 0, MOST_SWITCHES) };

	c.rails = line_flag(l, "rails", false);
	c.bps = line_rate(l, "speed", UINT64_C(100000000000));
	c.up = line_rate(l, "uplink", c.bps);
	c.top = line_rate(l, "toplink", c.up);
	c.delay = line_time(l, "delay", 500 * PS_PER_NS);
	if (!c.leaves || !c.hosts || !c.pods)
		line_fail(l, "leaves=, hosts= and pods= must not be 0");
	if (c.pods > 1 && (!c.supers || c.rails))
		line_fail(l, "pods need supers=, and no rails=");
	for (uint64_t i = 1; i <= c.supers && !l->failed; i++)
		make_switch(s, l, "super", i);
	for (uint64_t i = 1; i <= c.pods * c.spines && !l->failed; i++)
		make_spine(s, l, &c, i);
	for (uint64_t i = 1; i <= c.pods * c.leaves && !l->failed; i++)
		make_leaf(s, l, &c, i);
	for (uint64_t i = 1; i <= c.pods * c.leaves * c.hosts && !l->failed;
	     i++)
		make_host(s, l, &c, i);
}

void build_route(struct sim *s, struct line *l)
{
	struct node *at = build_known(s, l, line_word(l, "a switch"));
	const char *to = line_word(l, "a host");
	struct host *h = world_find_host(s, to);
	struct node *via = build_known(s, l, line_text(l, "via", "via="));
	struct port *p;
	struct route *r;

	if (!l->failed && (!h || !at->is_switch))
		line_fail(l, "route SWITCH HOST via=NEIGHBOR");
	if (l->failed || !h)
		return;
	p = world_port(at, via, 0);
	if (!p) {
		line_fail(l, "'%s' has no link to '%s'", at->name, via->name);
		return;
	}
	if (!at->fixed)
		at->fixed = mem_new(MAX_HOSTS * sizeof *at->fixed);
	r = &at->fixed[h->number];
	if (!r->port)
		r->port = mem_new(sizeof(*r->port));
	r->port[0] = p;
	r->n = 1;
}
