/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the topology file means to decode and to the engine. */
#ifndef FABSCOPE_RUN_TOPOLOGY_H
#define FABSCOPE_RUN_TOPOLOGY_H

#include <stddef.h>

struct decode_options;
struct topology;

/* The numbers of protocols; |t| may be NULL. */
void run_decode_options(const struct topology *t, struct decode_options *out);

/* Members of one group feed one machine, and nobody else does: corrects |place|
 * of |n| taps with these names. */
void run_group_names(const struct topology *t, const char *const *names,
		     int *place, size_t n);

#endif
