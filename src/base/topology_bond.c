/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which taps stand at the ports of one bond. */
#include "base/topology_bond.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/topology.h"

struct bond {
	size_t links,
		taps[2]; /* that show what it sends, and what only comes */
	bool left_alone;
};

struct bonds {
	const struct topology *t;
	struct names hosts, seen;
	struct bond *of; /* by node */
};

/* Ports with addresses of their own are NICs that flows do not share. */
static bool one_address(const struct topology_node *n)
{
	size_t v6 = 0;
	char text[ADDR_TEXT];

	for (size_t i = 0; i < n->n_addr; i++)
		v6 += !strchr(addr_text(n->addr[i], text), '.');
	return !n->is_switch && n->n_addr && v6 < 2 && n->n_addr - v6 < 2;
}

static struct bond *bond_of(struct bonds *b, const char *host)
{
	size_t i = host ? names_find(&b->hosts, host) : NAMES_NONE;

	return i != NAMES_NONE ? &b->of[i] : NULL;
}

static bool count_links(struct bonds *b)
{
	for (size_t i = 0; i < b->t->n_nodes; i++)
		if (one_address(&b->t->nodes[i]) &&
		    !names_add(&b->hosts, b->t->nodes[i].name, i))
			return false;
	for (size_t i = 0; i < b->t->n_links; i++)
		for (int end = 0; end < 2; end++) {
			const struct topology_link *l = &b->t->links[i];
			struct bond *bond = bond_of(b, end ? l->b : l->a);

			if (bond)
				bond->links++;
		}
	return true;
}

/* The bond at one end of |p|'s link, and the direction that |p| shows of it. */
static struct bond *at_tap(struct bonds *b, const struct topology_tap *p,
			   bool *in)
{
	struct bond *sends = bond_of(b, p->from);
	struct bond *bond = sends ? sends : bond_of(b, p->to);

	*in = !sends && !p->both;
	return bond && bond->links > 1 ? bond : NULL;
}

/* A link that is tapped twice shows packets twice: that is not parallel. */
static bool count_taps(struct bonds *b)
{
	for (size_t i = 0; i < b->t->n_taps; i++) {
		const struct topology_tap *p = &b->t->taps[i];
		char key[2 * TOPOLOGY_LINK_TEXT];
		struct bond *bond;
		bool in;

		bond = at_tap(b, p, &in);
		if (!bond)
			continue;
		snprintf(key, sizeof key, "%d\n%s\n%s\n%s", in, p->from, p->to,
			 p->from_port ? p->from_port : "");
		if (topology_group_of(b->t, p->name) ||
		    names_find(&b->seen, key) != NAMES_NONE)
			bond->left_alone = true;
		if (!names_add(&b->seen, key, i))
			return false;
		bond->taps[in]++;
	}
	return true;
}

static bool add_taps(struct bonds *b, topology_member *add, void *ctx)
{
	for (size_t i = 0; i < b->t->n_taps; i++) {
		const struct topology_tap *p = &b->t->taps[i];
		char group[TOPOLOGY_LINK_TEXT];
		const struct bond *bond;
		bool in;

		bond = at_tap(b, p, &in);
		if (!bond || bond->left_alone || bond->taps[in] < 2)
			continue;
		snprintf(group, sizeof group, "ports of %s%s",
			 b->t->nodes[bond - b->of].name,
			 in ? ", received" : "");
		if (!add(ctx, group, p->name))
			return false;
	}
	return true;
}

bool topology_bonds(const struct topology *t, topology_member *add, void *ctx)
{
	struct bonds b = { .t = t, .of = calloc(t->n_nodes + 1, sizeof *b.of) };
	bool done = b.of && count_links(&b) && count_taps(&b) &&
		    add_taps(&b, add, ctx);

	names_fini(&b.hosts);
	names_fini(&b.seen);
	free(b.of);
	return done;
}
