/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope partial: one shard of a plan. */
#include <stdlib.h>

#include "base/progress.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/planned.h"
#include "cli/say.h"
#include "store/param.h"

/* The number that the task of an array job has, where none is given. */
static const char *const task_numbers[] = { "SLURM_ARRAY_TASK_ID",
					    "JOB_COMPLETION_INDEX", NULL };

static int find_shard(const struct args *a, uint32_t *shard, struct err *err)
{
	const char *text = a->n_operands > 1 ? a->operands[1] : NULL;
	struct query_value v;

	for (size_t i = 0; !text && task_numbers[i]; i++)
		text = getenv(task_numbers[i]);
	if (!text)
		return err_set(err, ERR_USAGE,
			       "needs the number of a shard, or to be a task "
			       "of an array job");
	if (param_parse(UNIT_COUNT, text, 0, &v) < 0 || v.type != VALUE_INT ||
	    v.i < 0 || v.i >= PLAN_SHARDS_MAX)
		return err_set(err, ERR_USAGE, "\"%s\" is not a shard", text);
	*shard = (uint32_t)v.i;
	return 0;
}

static int partial_run(const struct args *a)
{
	struct planned p = { 0 };
	struct err err = { 0 };
	uint32_t shard = 0;
	int rc = find_shard(a, &shard, &err);

	if (!rc)
		rc = planned_read(&p, a->operands[0], NULL, &err);
	if (!rc) {
		progress_begin(say_progress());
		progress_phase("reducing captures", 0, 0);
		rc = planned_reduce(&p, shard, &err);
		progress_end();
	}
	planned_fini(&p);
	return rc ? say_error(&cmd_partial, &err) : EXIT_FULL;
}

static const struct option options[] = {
	{ .name = NULL },
};

const struct command cmd_partial = {
	.name = "partial",
	.operands = "PLAN [SHARD]",
	.help = "Reduce the captures of one shard of a plan",
	.manual = true,
	.confine = CONFINE_PLAN,
	.min_operands = 1,
	.max_operands = 2,
	.complete = COMPLETE_FILE,
	.options = options,
	.run = partial_run,
};
