/* SPDX-License-Identifier: GPL-2.0-or-later
 * The words after a command, sorted into options and operands. */
#ifndef FABSCOPE_CLI_ARGS_H
#define FABSCOPE_CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct command;
struct option;

struct arg {
	const struct option *option;
	const char *value; /* NULL for a switch */
};

struct args {
	const struct command *command;
	struct arg *given; /* options in the order they were given */
	size_t n_given;
	char **operands; /* NULL after the last */
	size_t n_operands;
	bool help;
};

/* Sorts |argc| words of |argv|, which must outlive |a|.  Short options may be
 * joined to their value, long ones by "="; "--" ends the options.  -1 and
 * |err| on wrong usage; args_fini() is right after either. */
int args_parse(struct args *a, const struct command *c, int argc, char **argv,
	       struct err *err);
void args_fini(struct args *a);

/* The value of the last --|name| given, NULL when there is none. */
const char *args_value(const struct args *a, const char *name);

/* Was the switch or option --|name| given? */
bool args_has(const struct args *a, const char *name);

/* The next --|name| at or after *|i|, NULL at the end; moves *|i| past it. */
const char *args_next(const struct args *a, const char *name, size_t *i);

#endif
