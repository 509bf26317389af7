/* SPDX-License-Identifier: GPL-2.0-or-later
 * Error lines. */
#include "cli/say.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/terminal.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/pager.h"

static void line(const struct err *err, const char *name, const char *hint)
{
	char *text = text_printable(err->text);

	fprintf(stderr, "fabscope: %s", text ? text : "out of memory");
	if (hint)
		fprintf(stderr, " (see fabscope %s%s--help)", name, hint);
	fputc('\n', stderr);
	free(text);
}

void say_opened(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };
	int fd;

	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
		if (fcntl(i, F_GETFD) < 0) {
			fd = open("/dev/null", modes[i]);
			if (fd >= 0 && fd != i)
				abort(); /* open() takes the lowest */
		}
}

int say_error(const struct command *c, const struct err *err)
{
	if (err->code != ERR_USAGE) {
		line(err, NULL, NULL);
		return EXIT_FAILED;
	}
	line(err, c ? c->name : "", c ? " " : "");
	return EXIT_USAGE;
}

void say_warning(const struct err *err)
{
	line(err, NULL, NULL);
}

FILE *say_progress(void)
{
	return isatty(STDERR_FILENO) ? stderr : NULL;
}

int say_flushed(int status)
{
	struct err err;

	if (!fflush(stdout) && !ferror(stdout)) {
		terminal_end();
		pager_wait();
		return status;
	}
	/* who could not write a result has said so */
	if (errno == EPIPE || status == EXIT_FAILED)
		return status;
	err_errno(&err, "cannot write the output");
	line(&err, NULL, NULL);
	return EXIT_FAILED;
}
