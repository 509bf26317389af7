/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope diff: two results side by side. */
#include <stdio.h>

#include "base/progress.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/pager.h"
#include "cli/result.h"
#include "cli/say.h"
#include "store/store.h"
#include "views/diff.h"

/* Both are read before anything is said. */
static struct store *compare(const struct args *a, struct err *err)
{
	struct store *first = result_open(a, a->operands[0], err);
	struct store *second =
		first ? result_open(a, a->operands[1], err) : NULL;
	struct store *both = second ? store_compare(first, second, err) : NULL;

	store_free(first);
	store_free(second);
	return both;
}

static int show(const struct args *a, struct err *err)
{
	const bool named = !result_is_anonymous(a);
	const struct diff_options o = { .a = named ? a->operands[0] : "A",
					.b = named ? a->operands[1] : "B",
					.all = args_has(a, "all") };
	struct store *s;
	int rc;

	progress_begin(say_progress());
	s = compare(a, err);
	if (!s) {
		progress_end();
		return -1;
	}
	progress_end();
	pager_start();
	rc = args_has(a, "json") ? diff_json(s, &o, stdout, err)
				 : diff_print(s, &o, stdout, err);
	progress_end();
	store_free(s);
	return rc;
}

static int diff_run(const struct args *a)
{
	struct err err = { 0 };

	return show(a, &err) < 0 ? say_error(&cmd_diff, &err) : EXIT_FULL;
}

static const struct option options[] = {
	{ .name = "all", .help = "Also show what did not change" },
	{ .name = "json", .help = "Print one JSON document" },
	RESULT_OPTIONS,
	{ .name = NULL },
};

const struct command cmd_diff = {
	.name = "diff",
	.operands = "A.db B.db",
	.help = "Compare two results: the statistically significant changes",
	.manual = true,
	.confine = CONFINE_NAMED,
	.min_operands = 2,
	.max_operands = 2,
	.complete = COMPLETE_DATABASE,
	.complete_next = COMPLETE_DATABASE,
	.options = options,
	.run = diff_run,
};
