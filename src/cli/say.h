/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the program says when something is not as it should be. */
#ifndef FABSCOPE_CLI_SAY_H
#define FABSCOPE_CLI_SAY_H

#include <stdio.h>

#include "base/err.h"

struct command;

/* Input, output and error output that were closed when the program began are in
 * use from here on, and fail: else what is opened next, a result or a pipe to
 * another process, would get what is printed. */
void say_opened(void);

/* One line on stderr, "fabscope: ...", fit for a terminal whatever it quotes.
 * Returns the exit status that belongs to |err|. */
int say_error(const struct command *c, const struct err *err);

/* The same for something that did not stop the work. */
void say_warning(const struct err *err);

/* Where progress is drawn: stderr when it is a terminal, else NULL. */
FILE *say_progress(void);

/* Everything written to stdout has arrived, or the reader went away, which is
 * no failure; else says why not, unless |status| is EXIT_FAILED, which comes
 * with a line.  Returns |status| or EXIT_FAILED. */
int say_flushed(int status);

#endif
