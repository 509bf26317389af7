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
	VERDICT_OPTIONS,
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
