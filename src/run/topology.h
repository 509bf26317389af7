/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the topology file means to decode and to the engine. */
#ifndef FABSCOPE_RUN_TOPOLOGY_H
#define FABSCOPE_RUN_TOPOLOGY_H

#include <stddef.h>

struct decode_options;
struct topology;
struct topology_tap;

/* The numbers of protocols; |t| may be NULL. */
void run_decode_options(const struct topology *t, struct decode_options *out);

/* What is known of each of |n| taps with these names that is in a cable and
 * shows one direction of it; NULL of the others. */
void run_wires(const struct topology *t, const char *const *names, size_t n,
	       const struct topology_tap **wires);

/* The one of |n| that shows the other direction of what |wires[k]| shows; -1:
 * there is none, or not only one. */
int run_other_way(const struct topology_tap *const *wires, size_t n, size_t k);

/* Members of one group feed one machine, and nobody else does: corrects |place|
 * of |n| taps with these names. */
void run_group_names(const struct topology *t, const char *const *names,
		     int *place, size_t n);

#endif
