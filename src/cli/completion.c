/* SPDX-License-Identifier: GPL-2.0-or-later
 * Shell completions, written from the command table. */
#include "cli/command.h"
#include "cli/help.h"
#include "whatif/whatif.h"

/* The words that _fabscope_words() finds: its argument. */
static const char *const found[COMPLETE_KINDS] = {
	[COMPLETE_QUERY] = "query",       [COMPLETE_PARAM] = "param",
	[COMPLETE_SCENARIO] = "scenario", [COMPLETE_INTERFACE] = "interface",
	[COMPLETE_COMMAND] = "command",   [COMPLETE_SELECTOR] = "selector",
	[COMPLETE_SETTING] = "setting",
};

/* What both shells ask the program, when somebody wants to know. */
static void asked(FILE *out)
{
	fputs("# PROGRAM KIND [WORD]: what there is of a kind; the query or "
	      "database\n"
	      "_fabscope_words()\n{\n"
	      "\tcase $2 in\n"
	      "\tquery) \"$1\" query --list |\n"
	      "\t\tsed -n 's/^  \\([^ ]*\\) .*/\\1/p' ;;\n"
	      "\tparam) \"$1\" query --describe \"$3\" | sed -n \\\n"
	      "\t\t'/^Parameters/,/^$/s/^  \\([a-z0-9_]*\\) .*/\\1=/p' ;;\n"
	      "\tscenario) \"$1\" simulate --list | sed 's/ .*//' ;;\n"
	      "\tinterface) ls /sys/class/net ;;\n"
	      "\tcommand) \"$1\" --help | sed -n 's/^  \\([a-z]*\\) .*/\\1/p' "
	      ";;\n"
	      "\tselector) echo flow: time: frames:\n"
	      "\t\t\"$1\" query \"$3\" findings --format csv |\n"
	      "\t\t\tsed -n 's/^\\([0-9][0-9]*\\),.*/finding:\\1/p' ;;\n"
	      "\tsetting) echo",
	      out);
	for (size_t i = 0; whatif_known(i); i++)
		fprintf(out, "%s%s=", i % 3 ? " " : " \\\n\t\t",
			whatif_known(i));
	fputs(" ;;\n\tesac 2>/dev/null\n}\n\n", out);
}

/* ---- bash ---- */

/* bash also breaks words at = and : and replaces only what is behind them.
 * Puts together what was typed as one word, and takes off again what bash will
 * leave where it is. */
static void bash_words(FILE *out)
{
	fputs("_fabscope_typed()\n{\n"
	      "\tlocal line=$COMP_LINE w\n"
	      "\ttyped=()\n"
	      "\tfor w in \"${COMP_WORDS[@]:0:COMP_CWORD+1}\"; do\n"
	      "\t\tif [[ ${#typed[@]} -gt 0 && $line != [[:blank:]]* ]]; "
	      "then\n"
	      "\t\t\ttyped[-1]+=$w\n"
	      "\t\telse\n"
	      "\t\t\ttyped+=(\"$w\")\n"
	      "\t\tfi\n"
	      "\t\tline=${line#\"${line%%[![:blank:]]*}\"}\n"
	      "\t\tline=${line#\"$w\"}\n"
	      "\tdone\n}\n\n"
	      "# adds files, as compgen's arguments say\n"
	      "_fabscope_files()\n{\n"
	      "\tlocal IFS=$'\\n'\n"
	      "\tcompopt -o filenames 2>/dev/null\n"
	      "\tCOMPREPLY+=($(compgen \"$@\" -- \"$word\"))\n"
	      "\treturn 0\n}\n\n"
	      "_fabscope()\n{\n"
	      "\tlocal typed word kept\n"
	      "\t_fabscope_typed\n"
	      "\tword=${typed[-1]}\n"
	      "\t_fabscope_offer\n"
	      "\t[[ ${COMPREPLY[0]-} == *[:=] ]] && compopt -o nospace "
	      "2>/dev/null\n"
	      "\tkept=${word%\"${word##*[:=]}\"}\n"
	      "\t[[ $kept ]] && COMPREPLY=(\"${COMPREPLY[@]#\"$kept\"}\")\n"
	      "\treturn 0\n}\n\n",
	      out);
}

/* |last|: the word that named the query or database. */
static void bash_offer(FILE *out, enum complete kind, const char *words)
{
	if (kind == COMPLETE_FILE)
		fputs("_fabscope_files -f", out);
	else if (kind == COMPLETE_DATABASE)
		fputs("_fabscope_files -f -X '!*.db'\n"
		      "\t\t_fabscope_files -d",
		      out);
	else if (found[kind])
		fprintf(out,
			"COMPREPLY=($(compgen %s-W \"$(_fabscope_words "
			"\"${typed[0]}\" %s \"$last\")\" -- \"%s\"))",
			kind == COMPLETE_SETTING ? "-P \"$list\" " : "",
			found[kind],
			kind == COMPLETE_SETTING ? "${word##*,}" : "$word");
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
	bash_offer(out, c->complete_next, c->next_words);
	fputs(" ;;\n", out);
}

void help_bash(FILE *out)
{
	const struct command *const *c;

	fputs("# bash completion for fabscope; made from its command table\n",
	      out);
	asked(out);
	bash_words(out);
	fputs("# of the words in |typed|\n"
	      "_fabscope_offer()\n{\n"
	      "\tlocal options valued last= n=0 i\n"
	      "\tlocal at=$((${#typed[@]} - 1)) list=${word%\"${word##*,}\"}\n"
	      "\tlocal before=${typed[at-1]}\n"
	      "\tif [ \"$at\" -eq 1 ]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W '",
	      out);
	for (c = commands; *c; c++)
		fprintf(out, "%s%s", c == commands ? "" : " ", (*c)->name);
	fputs("' -- \"$word\"))\n\t\treturn\n\tfi\n"
	      "\tcase ${typed[1]} in\n",
	      out);
	for (c = commands; *c; c++)
		bash_options(out, *c);
	fputs("\tesac\n"
	      "\tfor ((i = 2; i < at; i++)); do\n"
	      "\t\tcase ${typed[i]} in\n"
	      "\t\t-*) [[ $valued == *\" ${typed[i]} \"* ]] && "
	      "i=$((i + 1)) ;;\n"
	      "\t\t*) last=${typed[i]}; n=$((n + 1)) ;;\n"
	      "\t\tesac\n"
	      "\tdone\n"
	      "\tcase ${typed[1]},$before in\n",
	      out);
	for (c = commands; *c; c++)
		bash_values(out, *c);
	fputs("\tesac\n\tcase $word in\n"
	      "\t-*)\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
	      "\t\treturn ;;\n"
	      "\tesac\n\tcase ${typed[1]},$n in\n",
	      out);
	for (c = commands; *c; c++)
		bash_operands(out, *c);
	fputs("\tesac\n}\n"
	      "complete -F _fabscope fabscope\n",
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
	else if (kind == COMPLETE_WORDS)
		fprintf(out, ":{_fabscope_add %s}", words);
	else if (found[kind])
		fprintf(out,
			":{%s_fabscope_add $(_fabscope_words $service %s "
			"$line[%s])}",
			kind == COMPLETE_SETTING ? "compset -P \"*,\"; " : "",
			found[kind], kind == COMPLETE_SELECTOR ? "1" : "-1");
	else
		fputs(": ", out);
}

/* Each spelling of an option is a word of its own: |dash| and |name|. */
static void zsh_spelling(FILE *out, const struct option *o, const char *dash,
			 const char *name)
{
	fputs(" \\\n\t\t\t'", out);
	if (o->repeated)
		fputc('*', out);
	else if (o->letter)
		fprintf(out, "(-%c --%s)", o->letter, o->name);
	fprintf(out, "%s%s[", dash, name);
	zsh_text(out, o->help);
	fputc(']', out);
	if (o->value) {
		fputc(':', out);
		zsh_text(out, o->value);
		zsh_offer(out, o->complete, o->words);
	}
	fputc('\'', out);
}

static void zsh_option(FILE *out, const struct option *o)
{
	const char letter[] = { o->letter, '\0' };

	zsh_spelling(out, o, "--", o->name);
	if (o->letter)
		zsh_spelling(out, o, "-", letter);
}

static void zsh_operand(FILE *out, const char *which, enum complete kind,
			const char *words)
{
	if (kind == COMPLETE_NONE)
		return;
	fprintf(out, " \\\n\t\t\t'%s:word", which);
	zsh_offer(out, kind, words);
	fputc('\'', out);
}

static void zsh_command(FILE *out, const struct command *c)
{
	const struct option *o;

	fprintf(out, "\t\t%s)\n\t\t\t_arguments '--help[usage and options]'",
		c->name);
	for (o = c->options; o && o->name; o++)
		zsh_option(out, o);
	zsh_operand(out, "1", c->complete, NULL);
	zsh_operand(out, "*", c->complete_next, c->next_words);
	fputs(" ;;\n", out);
}

void help_zsh(FILE *out)
{
	const struct command *const *c;

	fputs("#compdef fabscope\n"
	      "# made from the command table of fabscope\n",
	      out);
	asked(out);
	fputs("# no space behind what goes on\n"
	      "_fabscope_add()\n{\n"
	      "\tcompadd -S '' -- ${(M)@:#*[:=]}\n"
	      "\tcompadd -- ${@:#*[:=]}\n}\n\n"
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
