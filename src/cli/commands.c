/* SPDX-License-Identifier: GPL-2.0-or-later
 * The table of all commands, and the way from argv to one of them. */
#include <stdio.h>
#include <string.h>

#include "base/guess.h"
#include "base/terminal.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/confine.h"
#include "cli/help.h"
#include "cli/say.h"

const struct command *const commands[] = {
	/* One a line, so that two new ones do not collide. */
	/* clang-format off */
	&cmd_analyze,
	&cmd_plan,
	&cmd_partial,
	&cmd_merge,
	&cmd_live,
	&cmd_query,
	&cmd_tui,
	&cmd_report,
	&cmd_decode,
	&cmd_slice,
	&cmd_annotate,
	&cmd_plot,
	&cmd_jct, &cmd_kpi,
	&cmd_diff,
	&cmd_campaign,
	&cmd_whatif,
	&cmd_import,
	&cmd_judge,
	&cmd_export,
	&cmd_fields,
	&cmd_simulate,
	&cmd_wireshark,
	&cmd_help,
	&cmd_version,
	NULL,
	/* clang-format on */
};

const char *command_program = "fabscope";
bool command_confined;

const struct command *command_find(const char *name)
{
	const struct command *const *c;

	for (c = commands; *c; c++)
		if (!strcmp((*c)->name, name) ||
		    ((*c)->also && !strcmp((*c)->also, name)))
			return *c;
	return NULL;
}

void command_unknown(const char *word, struct err *err)
{
	struct guess g = guess_begin(word, strlen(word));
	const struct command *const *c;

	for (c = commands; *c; c++)
		guess_offer(&g, (*c)->name);
	guess_error(&g, "command", "", err);
}

static int run(const struct command *c, int argc, char **argv)
{
	struct err err = { 0 };
	struct args args;
	int status;

	if (args_parse(&args, c, argc, argv, &err) < 0) {
		status = say_error(c, &err);
	} else if (args.help) {
		help_command(stdout, c);
		status = EXIT_FULL;
	} else {
		confine_writes(&args);
		if (command_confined)
			confine(&args);
		/* These two draw. */
		if (c != &cmd_tui && c != &cmd_live)
			terminal_guard();
		status = c->run(&args);
	}
	args_fini(&args);
	return status;
}

/* --help and --version are commands too, for those who type them so. */
static const char *command_name(const char *word)
{
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return "help";
	if (!strcmp(word, "--version") || !strcmp(word, "-V"))
		return "version";
	return word;
}

int command_main(int argc, char **argv)
{
	const struct command *c;
	struct err err;

	if (argc > 0 && *argv[0])
		command_program = argv[0];
	if (argc < 2) {
		help_program(stderr);
		return EXIT_USAGE;
	}
	c = command_find(command_name(argv[1]));
	if (!c) {
		command_unknown(argv[1], &err);
		return say_error(NULL, &err);
	}
	return say_flushed(run(c, argc - 2, argv + 2));
}
