/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope jct: job completion time, what it went to, what it could be. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/args.h"
#include "cli/command.h"
#include "cli/pager.h"
#include "cli/result.h"
#include "cli/say.h"
#include "store/store.h"
#include "views/jct.h"

/* Options that are parameters of the query "jct" as well. */
static const char *const named[] = { "compute", "size", "ranks", "rate" };
enum { NAMED = sizeof named / sizeof *named, TEXT = 128 };

static int show(const struct args *a, struct err *err)
{
	char text[NAMED][TEXT];
	const char *params[NAMED + 1] = { NULL };
	struct store *s;
	int rc, n = 0;

	for (int i = 0; i < NAMED; i++) {
		const char *value = args_value(a, named[i]);

		if (!value)
			continue;
		snprintf(text[n], TEXT, "%s=%s", named[i], value);
		params[n] = text[n];
		n++;
	}
	s = result_open(a, a->operands[0], err);
	if (!s)
		return -1;
	pager_start();
	if (args_has(a, "json"))
		rc = jct_json(s, params, stdout, err);
	else
		rc = jct_print(s, command_program, params, stdout, err);
	store_free(s);
	return rc;
}

static int jct_run(const struct args *a)
{
	struct err err = { 0 };

	return show(a, &err) < 0 ? say_error(&cmd_jct, &err) : EXIT_FULL;
}

static const struct option options[] = {
	{ .name = "compute",
	  .value = "C",
	  .help = "Compute time of an iteration, such as 12ms or 300us" },
	{ .name = "size",
	  .value = "S",
	  .help = "Bytes of the collective of an iteration, such as 4M" },
	{ .name = "ranks",
	  .value = "N",
	  .help = "Ranks of the communicator (default: those seen)" },
	{ .name = "rate",
	  .value = "R",
	  .help = "Link speed of a rank, such as 400G (default: as captured)" },
	{ .name = "json", .help = "Print a JSON document" },
	RESULT_OPTIONS,
	{ .name = NULL },
};

const struct command cmd_jct = {
	.name = "jct",
	.operands = "DB",
	.help = "Show the job completion time: what it consists of, what it "
		"could be",
	.manual = true,
	.confine = CONFINE_NAMED,
	.min_operands = 1,
	.max_operands = 1,
	.complete = COMPLETE_DATABASE,
	.options = options,
	.run = jct_run,
};
