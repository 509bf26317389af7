/* SPDX-License-Identifier: GPL-2.0-or-later
 * Terminals. */
#include "base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

static int paged_width = -1; /* of the terminal behind a pager */

static int width_of(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

bool terminal_is(FILE *out)
{
	return (out == stdout && paged_width >= 0) || isatty(fileno(out));
}

int terminal_width(FILE *out)
{
	if (out == stdout && paged_width >= 0)
		return paged_width;
	return isatty(fileno(out)) ? width_of(fileno(out)) : 0;
}

void terminal_paged(void)
{
	paged_width = width_of(STDOUT_FILENO);
}
