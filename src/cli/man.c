/* SPDX-License-Identifier: GPL-2.0-or-later
 * The parts of a man page that the command table knows, as mdoc. */
#include <string.h>

#include "cli/command.h"
#include "cli/help.h"
#include "tui/tui.h"

/* What ends a help text that is one sentence without its end. */
static const char *end_of(const char *help)
{
	return help[strlen(help) - 1] == '?' ? "" : ".";
}

/* "DB NAME", or "[DB NAME]" where they may be left out. */
static void operands(FILE *out, const char *words)
{
	size_t n = strlen(words);

	if (words[0] == '[')
		fprintf(out, ".Op Ar %.*s\n", (int)n - 2, words + 1);
	else if (n)
		fprintf(out, ".Ar %s\n", words);
}

static void synopsis(FILE *out, const struct command *c)
{
	const struct option *o;

	fprintf(out, ".Nm fabscope\n.Cm %s\n", c->name);
	for (o = c->options; o && o->name; o++) {
		if (o->letter)
			fprintf(out, ".Op Fl %c", o->letter);
		else
			fprintf(out, ".Op Fl -%s", o->name);
		if (o->value)
			fprintf(out, " Ar %s", o->value);
		fputs(o->repeated ? " ...\n" : "\n", out);
	}
	operands(out, c->operands);
}

static void options(FILE *out, const struct command *c)
{
	const struct option *o;

	fputs(".Bl -tag -width Ds\n", out);
	for (o = c->options; o && o->name; o++) {
		fputs(".It", out);
		if (o->letter) {
			fprintf(out, " Fl %c", o->letter);
			if (o->value)
				fprintf(out, " Ar %s", o->value);
			fputs(" ,", out);
		}
		fprintf(out, " Fl -%s", o->name);
		if (o->value)
			fprintf(out, " Ar %s", o->value);
		fprintf(out, "\n%s%s\n", o->help, end_of(o->help));
	}
	fputs(".El\n", out);
}

static void all_commands(FILE *out)
{
	const struct command *const *c;

	fputs(".Bl -tag -width simulate\n", out);
	for (c = commands; *c; c++)
		fprintf(out, ".It Cm %s\n%s%s\n", (*c)->name, (*c)->help,
			end_of((*c)->help));
	fputs(".El\n", out);
}

static int replace(FILE *out, const char *line)
{
	const struct command *c;
	char what[16], name[16];

	if (!strcmp(line, "@COMMANDS@\n")) {
		all_commands(out);
		return 0;
	}
	if (!strcmp(line, "@KEYS@\n")) {
		tui_keys_man(out);
		return 0;
	}
	if (!strcmp(line, "@SCREENS@\n")) {
		tui_screens_man(out);
		return 0;
	}
	if (sscanf(line, "@%15[A-Z] %15[a-z]@", what, name) != 2)
		return -1;
	c = command_find(name);
	if (!c)
		return -1;
	if (!strcmp(what, "SYNOPSIS"))
		synopsis(out, c);
	else if (!strcmp(what, "OPTIONS"))
		options(out, c);
	else
		return -1;
	return 0;
}

int help_man(FILE *in, FILE *out)
{
	char line[512];

	while (fgets(line, sizeof line, in)) {
		if (line[0] != '@')
			fputs(line, out);
		else if (replace(out, line) < 0)
			return -1;
	}
	return 0;
}
