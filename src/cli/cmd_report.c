/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope report: a result database as one page for people who have none. */
#include <stdio.h>
#include <string.h>

#include "base/progress.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/result.h"
#include "cli/say.h"
#include "store/store.h"
#include "views/report.h"

static int report(const struct args *a, struct err *err)
{
	const struct report_options o = { .path = args_value(a, "output"),
					  .title = args_value(a, "title") };
	struct store *s;
	int rc;

	if (!o.path)
		return err_set(err, ERR_USAGE, "needs -o FILE");
	s = result_open(a, a->operands[0], err);
	if (!s)
		return -1;
	progress_begin(say_progress());
	rc = report_write(s, &o, err);
	progress_end();
	store_free(s);
	return rc;
}

static int report_run(const struct args *a)
{
	struct err err = { 0 };

	return report(a, &err) < 0 ? say_error(&cmd_report, &err) : EXIT_FULL;
}

static const struct option options[] = {
	{ .name = "output",
	  .letter = 'o',
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "The HTML file to write, - for standard output" },
	{ .name = "title",
	  .value = "TEXT",
	  .help = "Title of the page (default: the names of the captures)" },
	{ .name = "force",
	  .letter = 'f',
	  .help = "Replace the file even if it is not a report" },
	RESULT_OPTIONS,
	{ .name = NULL },
};

const struct command cmd_report = {
	.name = "report",
	.operands = "DB",
	.help = "Write a report: a result database as one HTML page",
	.manual = true,
	.confine = CONFINE_NAMED,
	.min_operands = 1,
	.max_operands = 1,
	.complete = COMPLETE_DATABASE,
	.options = options,
	.run = report_run,
};
