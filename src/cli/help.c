/* SPDX-License-Identifier: GPL-2.0-or-later
 * Usage and --help. */
#include "cli/help.h"

#include <string.h>

#include "cli/command.h"

enum { WIDTH = 79, HELP_AT = 29 };

/* |text| after column |*at|, on a line of its own where there is no room. */
static void put(FILE *out, int *at, int indent, const char *text)
{
	int n = (int)strlen(text);

	if (*at > indent && *at + 1 + n > WIDTH) {
		fprintf(out, "\n%*s", indent, "");
		*at = indent;
	}
	*at += fprintf(out, "%s%s", *at > indent ? " " : "", text);
}

static void usage(FILE *out, const struct command *c)
{
	int at = fprintf(out, "usage: fabscope %s%s", c->name,
			 c->options || *c->operands ? " " : "");
	const int indent = at;
	const struct option *o;
	char text[96];

	for (o = c->options; o && o->name; o++) {
		snprintf(text, sizeof text, "[-%.1s%s%s%s]%s",
			 o->letter ? &o->letter : "-", o->letter ? "" : o->name,
			 o->value ? " " : "", o->value ? o->value : "",
			 o->repeated ? "..." : "");
		put(out, &at, indent, text);
	}
	if (*c->operands)
		put(out, &at, indent, c->operands);
	fputc('\n', out);
}

static void wrapped(FILE *out, int indent, const char *text)
{
	int at = indent;
	char word[96];

	while (*(text += strspn(text, " "))) {
		int n = (int)strcspn(text, " ");

		snprintf(word, sizeof word, "%.*s", n, text);
		put(out, &at, indent, word);
		text += n;
	}
	fputc('\n', out);
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
	n = fprintf(out, "  %-26s ", left);
	if (n > HELP_AT)
		fprintf(out, "\n%*s", HELP_AT, "");
	wrapped(out, HELP_AT, o->help);
}

void help_command(FILE *out, const struct command *c)
{
	const struct option *o;

	usage(out, c);
	fprintf(out, "\n%s%s\n", c->help,
		c->help[strlen(c->help) - 1] == '?' ? "" : ".");
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
	      "Was it the network?  Analyzes captures of AI fabrics: RoCEv2 "
	      "and Ultra\n"
	      "Ethernet.\n\n"
	      "Commands:\n",
	      out);
	for (c = commands; *c; c++)
		fprintf(out, "  %-10s %s\n", (*c)->name, (*c)->help);
	fputs("\nMore: fabscope COMMAND --help, man fabscope\n", out);
}
