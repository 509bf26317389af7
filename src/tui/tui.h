/* SPDX-License-Identifier: GPL-2.0-or-later
 * The dashboard: a result database on a terminal, recorded or still growing.
 *
 * Everything it shows is the answer of a query (screen.h), asked in a thread of
 * its own, so that no question, however slow, delays a key. */
#ifndef FABSCOPE_TUI_TUI_H
#define FABSCOPE_TUI_TUI_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

struct tui_options {
	const char *database;
	const char *program; /* as the reader calls us: commands to copy */
	bool live;           /* it grows: begin at its end and stay there */
	bool ascii;          /* draw with ASCII only, whatever the locale */
	bool mouse;
};

/* Shows |o->database| on the terminal until the reader quits.  0 then; the
 * number of the signal that ended it, which the caller may want to die of; -1
 * and |err| when it could not begin.  The terminal is as it was in all cases.
 * Not to be called twice at a time. */
int tui_run(const struct tui_options *o, struct err *err);

/* The table of keys and that of screens, as mdoc: for the man page. */
void tui_keys_man(FILE *out);
void tui_screens_man(FILE *out);

#endif
