/* SPDX-License-Identifier: GPL-2.0-or-later
 * Hosts whose ports share one address: a bond, to two switches (MLAG) or to
 * one. */
#ifndef FABSCOPE_BASE_TOPOLOGY_BOND_H
#define FABSCOPE_BASE_TOPOLOGY_BOND_H

#include <stdbool.h>

struct topology;

/* One more member of a group; false: no memory. */
typedef bool topology_member(void *ctx, const char *group, const char *member);

/* The taps at the ports of a bond are parallel, as those that |t| groups: which
 * port a flow takes is a matter of hash functions, one at each end.  Hosts that
 * |t| has groups for are left alone. */
bool topology_bonds(const struct topology *t, topology_member *add, void *ctx);

#endif
