/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope version. */
#include <stdio.h>

#include "cli/command.h"

static int version_run(const struct args *a)
{
	(void)a;
	printf("fabscope %s\n", FABSCOPE_VERSION);
	return EXIT_FULL;
}

const struct command cmd_version = {
	.name = "version",
	.operands = "",
	.help = "Show the version",
	.run = version_run,
};
