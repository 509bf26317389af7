/* SPDX-License-Identifier: GPL-2.0-or-later
 * Usage and --help. */
#include "cli/help.h"

#include <string.h>

#include "cli/command.h"

static void usage(FILE *out, const struct command *c)
{
	const struct option *o;

	fprintf(out, "usage: fabscope %s", c->name);
	for (o = c->options; o && o->name; o++) {
		if (o->letter)
			fprintf(out, " [-%c", o->letter);
		else
			fprintf(out, " [--%s", o->name);
		if (o->value)
			fprintf(out, " %s", o->value);
		fputs(o->repeated ? "]..." : "]", out);
	}
	fprintf(out, "%s%s\n", *c->operands ? " " : "", c->operands);
}

static void option_row(FILE *out, const struct option *o)
{
	char left[64];
	int n = 0;

	if (o->letter)
		n = snprintf(left, sizeof left, "-%c, ", o->letter);
	else
		n = snprintf(left, sizeof left, "    ");
	snprintf(left + n, sizeof left - (size_t)n, "--%s%s%s", o->name,
		 o->value ? " " : "", o->value ? o->value : "");
	fprintf(out, "  %-26s %s\n", left, o->help);
}

void help_command(FILE *out, const struct command *c)
{
	const struct option *o;

	usage(out, c);
	fprintf(out, "\n%s.\n", c->help);
	if (c->options && c->options->name)
		fputs("\nOptions:\n", out);
	for (o = c->options; o && o->name; o++)
		option_row(out, o);
	if (c->manual)
		fprintf(out, "\nMore: man fabscope-%s\n", c->name);
}

void help_program(FILE *out)
{
	const struct command *const *c;

	fputs("usage: fabscope COMMAND [OPTION]... [WORD]...\n\n"
	      "Was it the network?  What a capture of an AI fabric tells.\n\n"
	      "Commands:\n",
	      out);
	for (c = commands; *c; c++)
		fprintf(out, "  %-10s %s\n", (*c)->name, (*c)->help);
	fputs("\nMore: fabscope COMMAND --help, man fabscope\n", out);
}
