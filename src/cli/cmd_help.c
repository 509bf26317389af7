/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope help: the commands, or one of them. */
#include <stdio.h>

#include "cli/args.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/say.h"

static int help_run(const struct args *a)
{
	const struct command *c;
	struct err err;

	if (!a->n_operands) {
		help_program(stdout);
		return EXIT_FULL;
	}
	c = command_find(a->operands[0]);
	if (!c) {
		command_unknown(a->operands[0], &err);
		return say_error(NULL, &err);
	}
	help_command(stdout, c);
	return EXIT_FULL;
}

const struct command cmd_help = {
	.name = "help",
	.operands = "[COMMAND]",
	.help = "Show the commands, or the options of a command",
	.max_operands = 1,
	.complete = COMPLETE_COMMAND,
	.run = help_run,
};
