/* SPDX-License-Identifier: GPL-2.0-or-later
 * The program. */
#include <signal.h>

#include "cli/command.h"

int main(int argc, char **argv)
{
	/* a reader that has seen enough is no error, whatever we inherited */
	signal(SIGPIPE, SIG_DFL);
	return command_main(argc, argv);
}
