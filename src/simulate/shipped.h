/* SPDX-License-Identifier: GPL-2.0-or-later
 * The scenarios of captures/scenarios, which are part of the program. */
#ifndef FABSCOPE_SIMULATE_SHIPPED_H
#define FABSCOPE_SIMULATE_SHIPPED_H

#include <stdio.h>

#include "base/builtin.h"

/* Their files, "clean.fab" for the scenario "clean". */
extern const struct builtin shipped_scenarios[];

/* The shipped scenario |name|, else the file of that name; NULL and errno. */
FILE *scenario_open(const char *name);

#endif
