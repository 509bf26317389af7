/* SPDX-License-Identifier: GPL-2.0-or-later
 * What others counted and logged, as the command line names it. */
#ifndef FABSCOPE_CLI_WITNESS_H
#define FABSCOPE_CLI_WITNESS_H

#include "cli/args.h"
#include "evidence/evidence.h"

#define COUNTER_NAMES_OPTION                                           \
	{                                                              \
		.name = "counter-names", .value = "FILE",              \
		.complete = COMPLETE_FILE,                             \
		.help = "Meanings of counters that fabscope does not " \
			"know, a line each: "                          \
			"NAME MEANING [FACTOR]"                        \
	}

/* With the names of --counter-names; NULL and |err|. */
struct evidence *witness_new(const struct args *a, struct err *err);

/* FILE, FOLDER or DEVICE=FILE: a file of that whole name goes before. */
int witness_read(struct evidence *e, const char *text, struct err *err);

#endif
