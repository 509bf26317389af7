/* SPDX-License-Identifier: GPL-2.0-or-later
 * A program of the build: writes what is made from the command table.
 * usage: fabscope_generate bash | zsh | man <page.in */
#include <stdio.h>
#include <string.h>

#include "cli/help.h"

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";

	if (!strcmp(what, "bash"))
		help_bash(stdout);
	else if (!strcmp(what, "zsh"))
		help_zsh(stdout);
	else if (strcmp(what, "man") || help_man(stdin, stdout) < 0)
		return 2;
	return fflush(stdout) ? 1 : 0;
}
