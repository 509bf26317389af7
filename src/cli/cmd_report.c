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
#include "views/selector.h"

/* The flows to be drawn, into |plots|; their number, or -1 and |err|. */
static int find_plots(const struct args *a,
		      struct selector plots[static REPORT_PLOTS],
		      struct err *err)
{
	const char *text;
	size_t at = 0;
	int n = 0;

	while ((text = args_next(a, "plot", &at))) {
		if (n == REPORT_PLOTS)
			return err_set(err, ERR_USAGE,
				       "--plot: at most %d flows",
				       REPORT_PLOTS);
		if (selector_parse(&plots[n], text, err))
			return -1;
		if (plots[n++].kind != SELECT_FLOW)
			return err_set(err, ERR_USAGE,
				       "--plot takes a flow, as in flow:7, not "
				       "%s",
				       text);
	}
	return n;
}

static int write_report(const struct args *a, struct report_options *o,
			struct err *err)
{
	struct store *s = result_open(a, a->operands[0], err);
	int rc = -1;

	if (s && o->n_plots)
		o->packets = store_open(a->operands[0], err);
	if (s && (!o->n_plots || o->packets)) {
		progress_begin(say_progress());
		rc = report_write(s, o, err);
		progress_end();
	}
	store_free(o->packets);
	store_free(s);
	return rc;
}

static int report(const struct args *a, struct err *err)
{
	struct selector plots[REPORT_PLOTS] = { 0 };
	struct report_options o = { .path = args_value(a, "output"),
				    .title = args_value(a, "title"),
				    .plots = plots };
	int rc;

	if (!o.path)
		return err_set(err, ERR_USAGE, "needs -o FILE");
	rc = find_plots(a, plots, err);
	if (rc >= 0) {
		o.n_plots = (size_t)rc;
		rc = write_report(a, &o, err);
	}
	for (size_t i = 0; i < REPORT_PLOTS; i++)
		selector_fini(&plots[i]);
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
	{ .name = "plot",
	  .value = "FLOW",
	  .repeated = true,
	  .help = "Also draw this flow packet by packet, as in flow:7: reads "
		  "the captures again" },
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
