/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope import: evidence of others into a result that exists. */
#include <stdio.h>

#include "base/progress.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/say.h"
#include "cli/witness.h"
#include "store/judge.h"

static void print_files(const struct evidence *e, const char *db)
{
	printf("%zu file%s read", e->files, e->files == 1 ? "" : "s");
	if (e->strange)
		printf(", %zu in no known form", e->strange);
	printf(": fabscope query %s counter-sources\n", db);
}

static int import(const struct args *a, struct err *err)
{
	const char *db = a->operands[0], *to = args_value(a, "output");
	struct evidence *e = witness_new(a, err);
	int rc = e ? 0 : -1;

	for (size_t i = 1; !rc && i < a->n_operands; i++)
		rc = witness_read(e, a->operands[i], err);
	if (!rc) {
		progress_begin(say_progress());
		rc = store_import(db, to ? to : db, e, err);
		progress_end();
	}
	if (!rc)
		print_files(e, to ? to : db);
	evidence_free(e);
	return rc;
}

static int import_run(const struct args *a)
{
	struct err err = { 0 };

	return import(a, &err) < 0 ? say_error(&cmd_import, &err) : EXIT_FULL;
}

static const struct option options[] = {
	{ .name = "output",
	  .letter = 'o',
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "The database to write (default: the one that is read)" },
	COUNTER_NAMES_OPTION,
	{ .name = "force",
	  .letter = 'f',
	  .help = "Replace the file of --output if there is one" },
	{ .name = NULL },
};

const struct command cmd_import = {
	.name = "import",
	.operands = "DB FILE...",
	.help = "Add counters, logs and configuration of devices to a result",
	.manual = true,
	.confine = CONFINE_NAMED,
	.imports = true,
	.min_operands = 2,
	.max_operands = -1,
	.complete = COMPLETE_DATABASE,
	.complete_next = COMPLETE_FILE,
	.options = options,
	.run = import_run,
};
