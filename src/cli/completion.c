/* SPDX-License-Identifier: GPL-2.0-or-later
 * Shell completions, written from the command table. */
#include "cli/command.h"
#include "cli/help.h"

/* The words that _fabscope_words() finds: its argument. */
static const char *const found[COMPLETE_KINDS] = {
	[COMPLETE_QUERY] = "query",
	[COMPLETE_PARAM] = "param",
	[COMPLETE_SCENARIO] = "scenario",
	[COMPLETE_INTERFACE] = "interface",
};

/* What both shells ask the program, when somebody wants to know. */
static void asked(FILE *out)
{
	fputs("# PROGRAM KIND [QUERY]: what there is of a kind\n"
	      "_fabscope_words()\n{\n"
	      "\tcase $2 in\n"
	      "\tquery) \"$1\" query --list |\n"
	      "\t\tsed -n 's/^  \\([^ ]*\\) .*/\\1/p' ;;\n"
	      "\tparam) \"$1\" query --describe \"$3\" | sed -n \\\n"
	      "\t\t'/^Parameters/,/^$/s/^  \\([a-z0-9_]*\\) .*/\\1=/p' ;;\n"
	      "\tscenario) \"$1\" simulate --list | sed 's/ .*//' ;;\n"
	      "\tinterface) ls /sys/class/net ;;\n"
	      "\tesac 2>/dev/null\n}\n\n",
	      out);
}

/* ---- bash ---- */

/* |last|: the word that named the query. */
static void bash_offer(FILE *out, enum complete kind, const char *words)
{
	if (kind == COMPLETE_FILE)
		fputs("COMPREPLY=($(compgen -f -- \"$word\"))", out);
	else if (kind == COMPLETE_DATABASE)
		fputs("COMPREPLY=($(compgen -f -X '!*.db' -- \"$word\")\n"
		      "\t\t\t$(compgen -d -- \"$word\"))",
		      out);
	else if (found[kind])
		fprintf(out,
			"COMPREPLY=($(compgen -W \"$(_fabscope_words "
			"\"${COMP_WORDS[0]}\" %s \"$last\")\" -- \"$word\"))",
			found[kind]);
	else
		fprintf(out, "COMPREPLY=($(compgen -W '%s' -- \"$word\"))",
			words ? words : "");
}

static void bash_values(FILE *out, const struct command *c)
{
	const struct option *o;

	for (o = c->options; o && o->name; o++) {
		if (!o->value)
			continue;
		fprintf(out, "\t%s,--%s", c->name, o->name);
		if (o->letter)
			fprintf(out, "|%s,-%c", c->name, o->letter);
		fputs(")\n\t\t", out);
		bash_offer(out, o->complete, o->words);
		fputs("\n\t\treturn ;;\n", out);
	}
}

/* Its options, and those of them that a value follows. */
static void bash_options(FILE *out, const struct command *c)
{
	const struct option *o;

	fprintf(out, "\t%s)\n\t\toptions='--help", c->name);
	for (o = c->options; o && o->name; o++)
		fprintf(out, " --%s", o->name);
	fputs("'\n\t\tvalued=' ", out);
	for (o = c->options; o && o->name; o++) {
		if (o->value)
			fprintf(out, "--%s ", o->name);
		if (o->value && o->letter)
			fprintf(out, "-%c ", o->letter);
	}
	fputs("' ;;\n", out);
}

static void bash_operands(FILE *out, const struct command *c)
{
	fprintf(out, "\t%s,0)\n\t\t", c->name);
	bash_offer(out, c->complete, NULL);
	fprintf(out, " ;;\n\t%s,*)\n\t\t", c->name);
	bash_offer(out, c->complete_next, NULL);
	fputs(" ;;\n", out);
}

void help_bash(FILE *out)
{
	const struct command *const *c;

	fputs("# bash completion for fabscope; made from its command table\n",
	      out);
	asked(out);
	fputs("_fabscope()\n{\n"
	      "\tlocal word=${COMP_WORDS[COMP_CWORD]} options valued\n"
	      "\tlocal before=${COMP_WORDS[COMP_CWORD-1]} last= n=0 i\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W '",
	      out);
	for (c = commands; *c; c++)
		fprintf(out, "%s%s", c == commands ? "" : " ", (*c)->name);
	fputs("' -- \"$word\"))\n\t\treturn\n\tfi\n"
	      "\tcase ${COMP_WORDS[1]} in\n",
	      out);
	for (c = commands; *c; c++)
		bash_options(out, *c);
	fputs("\tesac\n"
	      "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	      "\t\tcase ${COMP_WORDS[i]} in\n"
	      "\t\t-*) [[ $valued == *\" ${COMP_WORDS[i]} \"* ]] && "
	      "i=$((i + 1)) ;;\n"
	      "\t\t*) last=${COMP_WORDS[i]}; n=$((n + 1)) ;;\n"
	      "\t\tesac\n"
	      "\tdone\n"
	      "\tcase ${COMP_WORDS[1]},$before in\n",
	      out);
	for (c = commands; *c; c++)
		bash_values(out, *c);
	fputs("\tesac\n\tcase $word in\n"
	      "\t-*)\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
	      "\t\treturn ;;\n"
	      "\tesac\n\tcase ${COMP_WORDS[1]},$n in\n",
	      out);
	for (c = commands; *c; c++)
		bash_operands(out, *c);
	fputs("\tesac\n}\n"
	      "complete -o filenames -F _fabscope fabscope\n",
	      out);
}

/* ---- zsh ---- */

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

/* An action of _arguments. */
static void zsh_offer(FILE *out, enum complete kind, const char *words)
{
	if (kind == COMPLETE_FILE)
		fputs(":_files", out);
	else if (kind == COMPLETE_DATABASE)
		fputs(":_files -g \"*.db\"", out);
	else if (found[kind])
		fprintf(out,
			":{ compadd -- $(_fabscope_words $service %s "
			"$line[3]) }",
			found[kind]);
	else
		fprintf(out, ":(%s)", words ? words : "");
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
		zsh_offer(out, o->complete, o->words);
	}
	fputc('\'', out);
}

static void zsh_operand(FILE *out, const char *which, enum complete kind)
{
	if (kind == COMPLETE_NONE)
		return;
	fprintf(out, " \\\n\t\t\t'%s:word", which);
	zsh_offer(out, kind, NULL);
	fputc('\'', out);
}

static void zsh_command(FILE *out, const struct command *c)
{
	const struct option *o;

	fprintf(out, "\t\t%s)\n\t\t\t_arguments '--help[usage and options]'",
		c->name);
	for (o = c->options; o && o->name; o++)
		zsh_option(out, o);
	zsh_operand(out, "1", c->complete);
	zsh_operand(out, "*", c->complete_next);
	fputs(" ;;\n", out);
}

void help_zsh(FILE *out)
{
	const struct command *const *c;

	fputs("#compdef fabscope\n"
	      "# made from the command table of fabscope\n",
	      out);
	asked(out);
	fputs("_fabscope()\n{\n"
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
