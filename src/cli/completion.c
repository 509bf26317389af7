/* SPDX-License-Identifier: GPL-2.0-or-later
 * Shell completions, written from the command table. */
#include "cli/command.h"
#include "cli/help.h"

static void bash_values(FILE *out, const struct command *c)
{
	const struct option *o;

	for (o = c->options; o && o->name; o++) {
		if (!o->value || o->complete == COMPLETE_FILE)
			continue;
		fprintf(out, "\t%s,--%s", c->name, o->name);
		if (o->letter)
			fprintf(out, "|%s,-%c", c->name, o->letter);
		fprintf(out,
			")\n\t\tCOMPREPLY=($(compgen -W '%s' -- \"$word\"))\n"
			"\t\treturn ;;\n",
			o->words ? o->words : "");
	}
}

static void bash_options(FILE *out, const struct command *c)
{
	const struct option *o;

	fprintf(out, "\t%s) options='--help", c->name);
	for (o = c->options; o && o->name; o++)
		fprintf(out, " --%s", o->name);
	fputs("' ;;\n", out);
}

void help_bash(FILE *out)
{
	const struct command *const *c;

	fputs("# bash completion for fabscope; made from its command table\n"
	      "_fabscope()\n{\n"
	      "\tlocal word=${COMP_WORDS[COMP_CWORD]} options\n"
	      "\tlocal before=${COMP_WORDS[COMP_CWORD-1]}\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W '",
	      out);
	for (c = commands; *c; c++)
		fprintf(out, "%s%s", c == commands ? "" : " ", (*c)->name);
	fputs("' -- \"$word\"))\n\t\treturn\n\tfi\n"
	      "\tcase ${COMP_WORDS[1]},$before in\n",
	      out);
	for (c = commands; *c; c++)
		bash_values(out, *c);
	fputs("\tesac\n\tcase ${COMP_WORDS[1]} in\n", out);
	for (c = commands; *c; c++)
		bash_options(out, *c);
	fputs("\tesac\n\tcase $word in\n"
	      "\t-*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
	      "\t*) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
	      "\tesac\n}\n"
	      "complete -o filenames -F _fabscope fabscope\n",
	      out);
}

/* Single quotes and what _arguments reads as its own. */
static void zsh_text(FILE *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '\'')
			fputs("'\\''", out);
		else if (*s == '[' || *s == ']' || *s == ':')
			fprintf(out, "\\%c", *s);
		else
			fputc(*s, out);
	}
}

static void zsh_option(FILE *out, const struct option *o)
{
	fputs(" \\\n\t\t\t'", out);
	if (o->repeated)
		fputc('*', out);
	fprintf(out, "--%s[", o->name);
	zsh_text(out, o->help);
	fputc(']', out);
	if (o->value) {
		fputc(':', out);
		zsh_text(out, o->value);
		if (o->complete == COMPLETE_FILE)
			fputs(":_files", out);
		else
			fprintf(out, ":(%s)", o->words ? o->words : "");
	}
	fputc('\'', out);
}

static void zsh_command(FILE *out, const struct command *c)
{
	const struct option *o;

	fprintf(out, "\t\t%s)\n\t\t\t_arguments '--help[usage and options]'",
		c->name);
	for (o = c->options; o && o->name; o++)
		zsh_option(out, o);
	if (c->complete == COMPLETE_FILE)
		fputs(" \\\n\t\t\t'*:file:_files'", out);
	fputs(" ;;\n", out);
}

void help_zsh(FILE *out)
{
	const struct command *const *c;

	fputs("#compdef fabscope\n"
	      "# made from the command table of fabscope\n"
	      "_fabscope()\n{\n"
	      "\tlocal context state state_descr line\n"
	      "\ttypeset -A opt_args\n"
	      "\t_arguments -C '1:command:->command' '*::word:->words'\n"
	      "\tcase $state in\n\tcommand)\n\t\tlocal -a known=(",
	      out);
	for (c = commands; *c; c++) {
		fprintf(out, "\n\t\t\t'%s:", (*c)->name);
		zsh_text(out, (*c)->help);
		fputc('\'', out);
	}
	fputs("\n\t\t)\n\t\t_describe command known ;;\n"
	      "\twords)\n\t\tcase $line[1] in\n",
	      out);
	for (c = commands; *c; c++)
		zsh_command(out, *c);
	fputs("\t\tesac ;;\n\tesac\n}\n_fabscope \"$@\"\n", out);
}
