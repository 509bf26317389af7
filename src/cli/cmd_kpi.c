/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope kpi: the KPIs of the BMWG draft, in its reporting format. */
#include <stdio.h>
#include <string.h>

#include "cli/args.h"
#include "cli/command.h"
#include "cli/pager.h"
#include "cli/result.h"
#include "cli/say.h"
#include "store/store.h"
#include "views/kpi.h"

static int show(const struct args *a, struct err *err)
{
	const char *format = args_value(a, "format");
	struct store *s = result_open(a, a->operands[0], err);
	int rc;

	if (!s)
		return -1;
	pager_start();
	if (args_has(a, "json") || (format && !strcmp(format, "json")))
		rc = kpi_json(s, stdout, err);
	else
		rc = kpi_print(s, command_program, stdout, err);
	store_free(s);
	return rc;
}

static int kpi_run(const struct args *a)
{
	struct err err = { 0 };

	return show(a, &err) < 0 ? say_error(&cmd_kpi, &err) : EXIT_FULL;
}

static const struct option options[] = {
	{ .name = "format",
	  .value = "FORMAT",
	  .complete = COMPLETE_WORDS,
	  .words = "report json",
	  .help = "How to print: report (default) or json" },
	{ .name = "json", .help = "The same as --format json" },
	RESULT_OPTIONS,
	{ .name = NULL },
};

const struct command cmd_kpi = {
	.name = "kpi",
	.operands = "DB",
	.help = "Show the KPIs of the BMWG draft, and what is missing for the "
		"others",
	.manual = true,
	.confine = CONFINE_NAMED,
	.min_operands = 1,
	.max_operands = 1,
	.complete = COMPLETE_DATABASE,
	.options = options,
	.run = kpi_run,
};
