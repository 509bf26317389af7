/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a command is: one row of data and one function.
 *
 * The rows are the master copy.  Dispatch, usage lines, --help, the shell
 * completions and the SYNOPSIS and OPTIONS of the man pages come from them. */
#ifndef FABSCOPE_CLI_COMMAND_H
#define FABSCOPE_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* What the shell may offer for an operand or the value of an option. */
enum complete {
	COMPLETE_NONE,
	COMPLETE_FILE,
	COMPLETE_DATABASE,
	COMPLETE_WORDS, /* those in |words| */
	/* What the program or the system knows at that time. */
	COMPLETE_QUERY,
	COMPLETE_PARAM, /* of the query that is named */
	COMPLETE_SCENARIO,
	COMPLETE_COMMAND,
	COMPLETE_INTERFACE,
	COMPLETE_SELECTOR, /* of packets of the database that is named */
	COMPLETE_SETTING,  /* of whatif, and more of them behind a comma */
	COMPLETE_KINDS
};

struct option {
	const char *name;  /* without the dashes */
	char letter;       /* its short form, 0 for none */
	const char *value; /* name of its value in help, NULL for a switch */
	const char *help;  /* one line */
	enum complete complete;
	const char *words; /* the only values there are, by spaces, or NULL */
	bool repeated;     /* may be given more than once */
};

struct args;
struct err;

/* What of the files there are a command may reach: see confine.h. */
enum confine {
	CONFINE_NOT,   /* reads nothing that others wrote, or confines itself */
	CONFINE_NAMED, /* those its words name, and the folders it writes to */
	CONFINE_READS, /* what a database names, too; so does --plot */
	CONFINE_HERE,  /* the same; writes here and below, as a person says */
	CONFINE_PLAN,  /* reads what its plan names, writes beside it */
};

struct command {
	const char *name;
	const char *also;     /* another spelling of it, or NULL */
	const char *operands; /* as in the synopsis: "CAPTURE..." */
	const char *help;     /* one line */
	bool manual;          /* has a page: fabscope-NAME(1) */
	enum confine confine;
	bool rewrites; /* --force without --output: its own operand */
	bool imports;  /* without --output: its first operand, always */
	int min_operands, max_operands;      /* max < 0: any number */
	enum complete complete;              /* the first operand */
	enum complete complete_next;         /* those after it */
	const char *next_words;              /* for COMPLETE_WORDS there */
	const struct option *options;        /* ends with a NULL name */
	int (*run)(const struct args *args); /* returns an exit status */
};

/* design.md 5 */
enum exit_status {
	EXIT_FULL = 0,   /* analyzed in full */
	EXIT_FAILED = 1, /* could not do it */
	EXIT_USAGE = 2,  /* asked for in a way nobody understands */
	EXIT_PART = 3,   /* done, but part of the input was unusable */
	EXIT_FOUND = 4,  /* done, and --fail-on names what was found */
};

/* Each is at the end of its own file, cmd_NAME.c. */
extern const struct command cmd_analyze;
extern const struct command cmd_annotate;
extern const struct command cmd_campaign;
extern const struct command cmd_decode;
extern const struct command cmd_diff;
extern const struct command cmd_export;
extern const struct command cmd_fields;
extern const struct command cmd_help;
extern const struct command cmd_jct;
extern const struct command cmd_import;
extern const struct command cmd_judge;
extern const struct command cmd_kpi;
extern const struct command cmd_live;
extern const struct command cmd_merge;
extern const struct command cmd_partial;
extern const struct command cmd_plan;
extern const struct command cmd_plot;
extern const struct command cmd_query;
extern const struct command cmd_report;
extern const struct command cmd_simulate;
extern const struct command cmd_slice;
extern const struct command cmd_tui;
extern const struct command cmd_version;
extern const struct command cmd_whatif;
extern const struct command cmd_wireshark;

/* In the order of the help text; ends with a NULL. */
extern const struct command *const commands[];

const struct command *command_find(const char *name);

/* There is no command |word|; which one may be meant? */
void command_unknown(const char *word, struct err *err);

/* The program as the user called it, argv[0]. */
extern const char *command_program;

/* Commands give up what they do not need: for the rest of the process. */
extern bool command_confined;

/* Runs the command of |argv| and returns the exit status. */
int command_main(int argc, char **argv);

#endif
