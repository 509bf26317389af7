/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope judge: the verdicts of a database anew, from the evidence in it. */
#include <stdio.h>

#include "base/progress.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/say.h"
#include "store/judge.h"

static uint64_t assumptions(const struct args *a)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < a->n_given; i++)
		if (a->given[i].option->letter == 'a')
			bits |= judge_assumed(a->given[i].value);
	return bits;
}

static int judge(const struct args *a, struct err *err)
{
	const char *to = args_value(a, "output");
	int rc;

	if (!to && !args_has(a, "force"))
		return err_set(err, ERR_USAGE,
			       "needs -o FILE, or -f to replace %s",
			       a->operands[0]);
	progress_begin(say_progress());
	rc = store_judge(a->operands[0], to ? to : a->operands[0],
			 assumptions(a), err);
	progress_end();
	return rc;
}

static int judge_run(const struct args *a)
{
	struct err err = { 0 };

	return judge(a, &err) < 0 ? say_error(&cmd_judge, &err) : EXIT_FULL;
}

static const struct option options[] = {
	{ .name = "output",
	  .letter = 'o',
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "The database to write (default: with -f, the one that is "
		  "read)" },
	{ .name = "assume",
	  .letter = 'a',
	  .value = "WHAT",
	  .complete = COMPLETE_WORDS,
	  .words = "in-order captured gaps acks",
	  .repeated = true,
	  .help = "in-order: no packet is reordered; captured: the capture is "
		  "complete; gaps: any packet may be missing from it; acks: no "
		  "ACK is lost or late" },
	{ .name = "force",
	  .letter = 'f',
	  .help = "Replace the file if there is one" },
	{ .name = NULL },
};

const struct command cmd_judge = {
	.name = "judge",
	.operands = "DB",
	.help = "Repeat the verdicts of a result, with other assumptions",
	.manual = true,
	.confine = CONFINE_NAMED,
	.rewrites = true,
	.min_operands = 1,
	.max_operands = 1,
	.complete = COMPLETE_DATABASE,
	.options = options,
	.run = judge_run,
};
