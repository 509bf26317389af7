/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope query: one question of the catalogue, asked of a database. */
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/guess.h"
#include "base/terminal.h"
#include "base/text.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/pager.h"
#include "cli/result.h"
#include "cli/say.h"
#include "store/format.h"
#include "store/query.h"
#include "store/store.h"
#include "views/text_writer.h"

static void print(const char *s)
{
	char *text = text_printable(s);

	fputs(text ? text : "", stdout);
	free(text);
}

/* ---- --list ---- */

static const struct topic {
	const char *title, *names;
} topics[] = {
#define TOPIC(title, names) { title, names },
#include "cli/topics.def"
#undef TOPIC
};

enum { TOPICS = sizeof topics / sizeof topics[0], LIST_INDENT = 29 };

static bool is_about(const struct topic *t, const char *name)
{
	char pattern[64];
	const char *at = t->names;
	int n;

	for (; sscanf(at, "%63s%n", pattern, &n) == 1; at += n)
		if (!fnmatch(pattern, name, 0))
			return true;
	return false;
}

static size_t topic_of(const struct query *q)
{
	size_t i = 0;

	while (i + 1 < TOPICS && !is_about(&topics[i], q->name))
		i++;
	return i;
}

/* Has the question, its name or its topic all of |words|? */
static bool is_sought(const struct query *q, char *const *words)
{
	for (; *words; words++)
		if (!strcasestr(q->name, *words) &&
		    !strcasestr(q->question ? q->question : "", *words) &&
		    !strcasestr(topics[topic_of(q)].title, *words))
			return false;
	return true;
}

/* Wrapped on a terminal; a line each for programs. */
static void list_one(const struct query *q)
{
	struct text_writer text_writer;

	writer_init(&text_writer, stdout);
	if (!terminal_width(stdout))
		text_writer.width = INT_MAX;
	writer_text(&text_writer, 2, q->name, LIST_INDENT,
		    q->broken     ? q->broken
		    : q->question ? q->question
				  : "");
}

/* With |all| also those the verdict is made of. */
static bool list(const struct catalogue *c, bool all, char *const *words)
{
	bool found = false;

	for (size_t t = 0; t < TOPICS; t++) {
		bool headed = false;

		for (size_t i = 0; i < catalogue_size(c); i++) {
			const struct query *q = catalogue_at(c, i);

			if ((!all && !query_in(q, "")) || topic_of(q) != t ||
			    !is_sought(q, words))
				continue;
			if (!headed)
				printf("%s%s\n", found ? "\n" : "",
				       topics[t].title);
			headed = found = true;
			list_one(q);
		}
	}
	return found;
}

/* ---- one question ---- */

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
		.width = terminal_width(stdout),
		.expanded = args_has(a, "expanded"),
		.human = !args_has(a, "raw"),
		.record = q->name,
	};
	const char **given = params(a);
	struct format *f = format_new(stdout, &how);
	struct query_sink sink;
	struct err absent = { 0 };
	int rc = -1;

	if (!given || !f) {
		free(given);
		return err_set(err, ERR_MEMORY, "out of memory");
	}
	if (query_absent(s, q, given, &absent))
		say_warning(&absent);
	pager_start();
	sink = format_sink(f);
	rc = query_run(s, q, given, &sink, err);
	if (format_end(f, rc < 0 ? NULL : err) < 0)
		rc = -1;
	free(given);
	return rc;
}

static bool is_file(const char *name)
{
	size_t n = strlen(name);

	return n > 4 && !strcmp(name + n - 4, ".sql");
}

static int no_query(const struct catalogue *c, const char *name,
		    struct err *err)
{
	struct guess g = guess_begin(name, strlen(name));

	for (size_t i = 0; i < catalogue_size(c); i++)
		if (query_in(catalogue_at(c, i), ""))
			guess_offer(&g, catalogue_at(c, i)->name);
	return guess_error(&g, "query", "; --list shows all", err);
}

static int query(const struct catalogue *c, const struct args *a,
		 const char *name, struct err *err)
{
	const struct query *q = catalogue_find(c, name);
	struct store *s;
	int rc;

	if (!q)
		return no_query(c, name, err);
	if (args_has(a, "describe")) {
		pager_start();
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

static int list_for(const struct catalogue *c, const struct args *a,
		    char *const *words, struct err *err)
{
	pager_start();
	if (!list(c, args_has(a, "all"), words))
		return err_set(err, ERR_USAGE, "no query matches \"%s\"",
			       words[0]);
	return 0;
}

/* Of --list the first word may be a database. */
static bool names_database(const struct args *a)
{
	return a->n_operands &&
	       (!args_has(a, "list") || !access(a->operands[0], F_OK));
}

/* Names are looked at before a database is opened. */
static int run(const struct args *a, struct err *err)
{
	const bool listed = args_has(a, "list");
	const char *name =
		!listed && (a->n_operands == 2 || args_has(a, "describe"))
			? a->operands[a->n_operands - 1]
			: NULL;
	struct catalogue *c;
	struct store *s;
	int rc = -1;

	if (!a->n_operands && !listed)
		return err_set(err, ERR_USAGE,
			       "needs a database, and the name of a query");
	if (!listed && a->n_operands > 2)
		return err_set(err, ERR_USAGE, "one word too many: %s",
			       a->operands[2]);
	c = name && is_file(name) ? catalogue_with(name) : catalogue_new();
	if (!c)
		err_set(err, ERR_MEMORY, "out of memory");
	else if (name)
		rc = query(c, a, name, err);
	else if (!names_database(a))
		rc = list_for(c, a, a->operands, err);
	else if ((s = store_open(a->operands[0], err))) {
		store_free(s);
		rc = list_for(c, a, a->operands + 1, err);
	}
	catalogue_free(c);
	return rc;
}

static int query_command(const struct args *a)
{
	struct err err = { 0 };

	return run(a, &err) < 0 ? say_error(&cmd_query, &err) : EXIT_FULL;
}

static const struct option options[] = {
	{ .name = "list",
	  .letter = 'l',
	  .help = "List the queries by topic, or those with each WORD in name, "
		  "question or topic" },
	{ .name = "all",
	  .help = "With --list: also the queries behind the verdict" },
	{ .name = "describe",
	  .letter = 'd',
	  .help = "Show the parameters and columns of the query" },
	{ .name = "param",
	  .letter = 'p',
	  .value = "K=V",
	  .complete = COMPLETE_PARAM,
	  .repeated = true,
	  .help = "Set a parameter of the query" },
	{ .name = "format",
	  .value = "FORMAT",
	  .complete = COMPLETE_WORDS,
	  .words = "table csv json jsonl",
	  .help = "How to print: table, csv, json or jsonl" },
	{ .name = "expanded",
	  .letter = 'x',
	  .help = "Print each row as a block of lines" },
	{ .name = "raw", .help = "Plain numbers in tables, no units" },
	RESULT_OPTIONS,
	{ .name = NULL },
};

const struct command cmd_query = {
	.name = "query",
	.operands = "[DB] [NAME|FILE.sql|WORD...]",
	.help = "Run a query on a result database",
	.manual = true,
	.confine = CONFINE_NAMED,
	.max_operands = -1,
	.complete = COMPLETE_DATABASE,
	.complete_next = COMPLETE_QUERY,
	.options = options,
	.run = query_command,
};
