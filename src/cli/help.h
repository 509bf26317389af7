/* SPDX-License-Identifier: GPL-2.0-or-later
 * Everything that is written from the command table: usage, help, shell
 * completions, and the parts of the man pages that would repeat it. */
#ifndef FABSCOPE_CLI_HELP_H
#define FABSCOPE_CLI_HELP_H

#include <stdio.h>

struct command;

void help_program(FILE *out);
void help_command(FILE *out, const struct command *c);

/* Completion scripts. */
void help_bash(FILE *out);
void help_zsh(FILE *out);

/* Copies a man page, replacing lines that are @SYNOPSIS NAME@, @OPTIONS NAME@
 * and @COMMANDS@ by mdoc.  -1 when NAME is no command. */
int help_man(FILE *in, FILE *out);

#endif
