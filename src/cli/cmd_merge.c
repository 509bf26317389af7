/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope merge: the partial results of a plan, analyzed. */
#include "base/outfile.h"
#include "cli/analyze.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/planned.h"
#include "cli/result.h"
#include "cli/say.h"
#include "views/alarm.h"

/* The result takes the name of no capture. */
static int protect(const struct planned *p, struct err *err)
{
	struct inputs in = { 0 };
	int rc = inputs_find(&in, &p->args, err);

	for (size_t i = 0; !rc && i < in.n; i++)
		outfile_input(in.v[i].path);
	inputs_fini(&in);
	return rc;
}

static int merge_run(const struct args *a)
{
	struct planned p = { 0 };
	struct err err = { 0 };
	int rc = planned_read(&p, a->operands[0], a, &err);

	if (!rc)
		rc = protect(&p, &err);
	rc = rc ? say_error(&cmd_merge, &err)
		: analyze_by(&cmd_merge, &p.args, &p.plan);
	planned_fini(&p);
	return rc;
}

static const struct option options[] = {
	{ .name = "output",
	  .letter = 'o',
	  .value = "DB",
	  .complete = COMPLETE_FILE,
	  .help = "Result database (default: CAPTURE.fabscope.db in the "
		  "current folder)" },
	{ .name = "brief",
	  .help = "Print only the answer and a line per finding" },
	{ .name = "verbose",
	  .letter = 'v',
	  .help = "Also print each capture, each capture point, and what is "
		  "not observable there" },
	{ .name = "json", .help = "Print the verdict as one JSON document" },
	{ .name = "fail-on",
	  .value = "LEVEL",
	  .complete = COMPLETE_WORDS,
	  .words = alarm_levels,
	  .help = "Exit with status 4, as analyze does" },
	{ .name = "threads",
	  .value = "N",
	  .help = "Threads: N - 1 decompress partial results ahead "
		  "(default 1)" },
	RESULT_OPTIONS,
	{ .name = NULL },
};

const struct command cmd_merge = {
	.name = "merge",
	.operands = "PLAN",
	.help = "Analyze the partial results of a plan",
	.manual = true,
	.confine = CONFINE_PLAN,
	.min_operands = 1,
	.max_operands = 1,
	.complete = COMPLETE_FILE,
	.options = options,
	.run = merge_run,
};
