/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope fields: the headers and fields there are. */
#include <stdio.h>

#include "cli/args.h"
#include "cli/command.h"
#include "cli/pager.h"
#include "wire/fields.h"

static int fields_run(const struct args *a)
{
	pager_start();
	wire_fields_print(stdout, args_has(a, "markdown") ? WIRE_FIELDS_MARKDOWN
							  : WIRE_FIELDS_LIST);
	return EXIT_FULL;
}

static const struct option options[] = {
	{ .name = "markdown",
	  .help = "As Markdown, with all values and opcodes, as in docs/wire" },
	{ .name = NULL },
};

const struct command cmd_fields = {
	.name = "fields",
	.operands = "",
	.help = "Show the headers and fields that fabscope decodes",
	.manual = true,
	.options = options,
	.run = fields_run,
};
