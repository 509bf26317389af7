/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope tui: a database, or a capture once it is analyzed, on the terminal.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/capture.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/say.h"
#include "run/run.h"
#include "store/store.h"
#include "tui/tui.h"

/* Where the analysis of |capture| goes: as `fabscope analyze` has it. */
static char *database_of(const char *capture, const char *given)
{
	const char *slash = strrchr(capture, '/');
	char *name;

	if (given)
		return strdup(given);
	if (asprintf(&name, "%s.fabscope.db", slash ? slash + 1 : capture) < 0)
		return NULL;
	return name;
}

static int analyze(const char *capture, const char *database, struct err *err)
{
	const struct capture_input input = { .path = capture };
	const struct run_options options = {
		.inputs = &input,
		.n_inputs = 1,
		.database = database,
		.progress = say_progress(),
		.interruptible = true,
	};

	return run_analyze(&options, NULL, err) < 0 ? -1 : 0;
}

/* A signal that ended the dashboard ends the program, so that a shell loop
 * that runs it ends with it. */
static int show(const struct tui_options *o, struct err *err)
{
	int number = tui_run(o, err);

	if (number > 0) {
		signal(number, SIG_DFL);
		raise(number);
	}
	return number;
}

static int tui(const struct args *a, struct err *err)
{
	struct tui_options o = { .program = command_program,
				 .ascii = args_has(a, "ascii"),
				 .mouse = args_has(a, "mouse") };
	char *database;
	int rc = 0;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(
			err, ERR_USAGE,
			"needs a terminal; without one, use fabscope query");
	if (store_is_ours(a->operands[0]))
		database = strdup(a->operands[0]);
	else
		database = database_of(a->operands[0], args_value(a, "output"));
	if (!database)
		return err_set(err, ERR_MEMORY, "out of memory");
	if (!store_is_ours(a->operands[0]))
		rc = analyze(a->operands[0], database, err);
	o.database = database;
	if (!rc)
		rc = show(&o, err);
	free(database);
	return rc;
}

static int tui_command(const struct args *a)
{
	struct err err = { 0 };

	return tui(a, &err) < 0 ? say_error(&cmd_tui, &err) : EXIT_FULL;
}

static const struct option options[] = {
	{ .name = "output",
	  .letter = 'o',
	  .value = "DB",
	  .complete = COMPLETE_FILE,
	  .help = "Of a capture: the result database (default: "
		  "CAPTURE.fabscope.db in the current folder)" },
	{ .name = "ascii", .help = "Draw with ASCII characters only" },
	{ .name = "mouse",
	  .help = "Use the mouse: rows, screens at the top, heads of columns "
		  "(sort), keys at the bottom (selecting text then needs "
		  "Shift)" },
	{ .name = NULL },
};

const struct command cmd_tui = {
	.name = "tui",
	.operands = "DB|CAPTURE",
	.help = "Browse a result database in the terminal",
	.manual = true,
	.confine = CONFINE_HERE,
	.min_operands = 1,
	.max_operands = 1,
	.complete = COMPLETE_FILE,
	.options = options,
	.run = tui_command,
};
