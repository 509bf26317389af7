/* SPDX-License-Identifier: GPL-2.0-or-later
 * Scenario files: docs/simulate.md describes the format. */
#ifndef FABSCOPE_SIMULATE_SCENARIO_H
#define FABSCOPE_SIMULATE_SCENARIO_H

#include <stdbool.h>
#include <stdio.h>

struct err;
struct sim;

/* Builds what the file says into |s|, which is sim_init()ed.  -1 and |err|
 * with file, line and reason. */
int scenario_read(struct sim *s, const char *path, struct err *err);

/* The same from |f|, called |name| in errors; it may have no taps. */
int scenario_read_from(struct sim *s, FILE *f, const char *name,
		       struct err *err);

/* The text of its "title" line into |out|; false when there is none. */
bool scenario_title(const char *path, char out[static 160]);

#endif
