/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope query: one question of the catalogue, asked of a database. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/result.h"
#include "cli/say.h"
#include "store/format.h"
#include "store/query.h"
#include "store/store.h"

static void print(const char *s)
{
	char *text = text_printable(s);

	fputs(text ? text : "", stdout);
	free(text);
}

static int list(const struct catalogue *c, bool all)
{
	size_t i;

	for (i = 0; i < catalogue_size(c); i++) {
		const struct query *q = catalogue_at(c, i);

		if (!all && !query_in(q, ""))
			continue;
		printf("%-28s ", q->name);
		print(q->broken ? q->broken : q->question);
		fputc('\n', stdout);
	}
	return EXIT_FULL;
}

/* What one question takes and gives. */
static void describe(const struct query *q)
{
	size_t i;

	printf("%s: ", q->name);
	print(q->question);
	printf("\n\nParameters:%s\n", q->n_params ? "" : " none");
	for (i = 0; i < q->n_params; i++) {
		const struct query_param *p = &q->params[i];

		printf("  %-20s (%s, ", p->name, query_unit_names[p->unit]);
		if (p->required)
			fputs("required) ", stdout);
		else
			printf("default %s) ", p->value ? p->value : "NULL");
		print(p->help);
		fputc('\n', stdout);
	}
	fputs("\nColumns:\n", stdout);
	for (i = 0; i < q->n_columns; i++) {
		const struct query_column *col = &q->columns[i];

		printf("  %-20s (%s) ", col->name, query_unit_names[col->unit]);
		print(col->help);
		fputc('\n', stdout);
	}
}

static int terminal_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return 0;
	return size.ws_col;
}

/* The values of --param, NULL-terminated. */
static const char **params(const struct args *a)
{
	const char **list_of = calloc(a->n_given + 1, sizeof *list_of);
	const char *v;
	size_t at = 0, n = 0;

	while (list_of && (v = args_next(a, "param", &at)))
		list_of[n++] = v;
	return list_of;
}

static int ask(struct store *s, const struct query *q, const struct args *a,
	       struct err *err)
{
	const char *name = args_value(a, "format");
	struct format_options how = {
		.kind = (enum format_kind)format_by_name(name ? name : "table"),
		.width = terminal_width(),
		.human = !args_has(a, "raw"),
		.record = q->name,
	};
	const char **given = params(a);
	struct format *f = format_new(stdout, &how);
	struct query_sink sink;
	int rc = -1;

	if (!given || !f) {
		free(given);
		return err_set(err, ERR_MEMORY, "out of memory");
	}
	sink = format_sink(f);
	rc = query_run(s, q, given, &sink, err);
	if (format_end(f, rc < 0 ? NULL : err) < 0)
		rc = -1;
	free(given);
	return rc;
}

static int query(const struct catalogue *c, const struct args *a,
		 struct err *err)
{
	const struct query *q;
	struct store *s;
	int rc;

	if (a->n_operands < 2)
		return err_set(err, ERR_USAGE,
			       "needs a database and the name of a query");
	q = catalogue_find(c, a->operands[1]);
	if (!q)
		return err_set(err, ERR_USAGE,
			       "there is no query \"%s\"; --list shows all",
			       a->operands[1]);
	if (args_has(a, "describe")) {
		describe(q);
		return 0;
	}
	s = result_open(a, a->operands[0], err);
	if (!s)
		return -1;
	rc = ask(s, q, a, err);
	store_free(s);
	return rc;
}

static int query_command(const struct args *a)
{
	struct catalogue *c = catalogue_new();
	struct err err = { 0 };
	int status = EXIT_FULL;

	if (!c)
		err_set(&err, ERR_MEMORY, "out of memory");
	else if (args_has(a, "list"))
		list(c, args_has(a, "all"));
	else
		query(c, a, &err);
	if (err.code)
		status = say_error(&cmd_query, &err);
	catalogue_free(c);
	return status;
}

static const struct option options[] = {
	{ .name = "list", .letter = 'l', .help = "Show the queries there are" },
	{ .name = "all",
	  .help = "With --list: also those the verdict is made of" },
	{ .name = "describe",
	  .letter = 'd',
	  .help = "Show what the query takes and gives" },
	{ .name = "param",
	  .letter = 'p',
	  .value = "K=V",
	  .repeated = true,
	  .help = "Set a parameter of the query" },
	{ .name = "format",
	  .value = "FORMAT",
	  .complete = COMPLETE_WORDS,
	  .words = "table csv json jsonl",
	  .help = "How to print: table, csv, json or jsonl" },
	{ .name = "raw", .help = "Plain numbers in tables, no units" },
	RESULT_OPTIONS,
	{ .name = NULL },
};

const struct command cmd_query = {
	.name = "query",
	.operands = "[DB NAME]",
	.help = "Ask a result database a question",
	.manual = true,
	.max_operands = 2,
	.complete = COMPLETE_FILE,
	.options = options,
	.run = query_command,
};
