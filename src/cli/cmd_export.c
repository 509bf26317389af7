/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope export: a result database in the formats of other programs. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/progress.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/confine.h"
#include "cli/result.h"
#include "cli/say.h"
#include "store/param.h"
#include "store/query.h"
#include "store/store.h"
#include "views/export.h"
#include "views/metrics_http.h"

static const struct kind {
	const char *name;
	int (*write)(struct store *, const struct export_options *,
		     struct err *);
	bool tables; /* takes --table */
	bool limit;  /* takes --limit */
} kinds[] = {
	{ "perfetto", export_perfetto, false, true },
	{ "openmetrics", export_openmetrics, false, false },
	{ "csv", export_csv, true, false },
	{ "jsonl", export_jsonl, true, false },
	{ "datasette", export_datasette, false, false },
	{ "db", NULL, false, false },
};

enum { KINDS = sizeof kinds / sizeof kinds[0], LIMIT = 10000 };

static const struct kind *kind_of(const struct args *a, struct err *err)
{
	const char *name = args_value(a, "format");

	for (size_t i = 0; name && i < KINDS; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	err_set(err, ERR_USAGE, "needs --format");
	return NULL;
}

/* --table and --limit, where they mean something. */
static int read_options(const struct kind *k, const struct args *a,
			struct export_options *o, const char **tables,
			struct err *err)
{
	const char *limit = args_value(a, "limit"), *table;
	struct query_value v = { .i = LIMIT };
	size_t at = 0, n = 0;

	if ((args_has(a, "table") && !k->tables) || (limit && !k->limit))
		return err_set(err, ERR_USAGE,
			       "--%s does not go with --format "
			       "%s",
			       limit && !k->limit ? "limit" : "table", k->name);
	if (limit && (param_parse(UNIT_COUNT, limit, 0, &v) < 0 ||
		      v.type != VALUE_INT || v.i < 1))
		return err_set(err, ERR_USAGE,
			       "--limit: \"%s\" is not a number from 1 up",
			       limit);
	while ((table = args_next(a, "table", &at)))
		tables[n++] = table;
	o->tables = n ? tables : NULL;
	o->path = args_value(a, "output");
	o->limit = (uint64_t)v.i;
	return 0;
}

/* The database itself.  Without pseudonyms that is a file to be copied. */
static int write_database(const struct args *a, struct err *err)
{
	const char *path = args_value(a, "output");
	struct anonymous_key key;
	int anonymous = result_key(a, &key, err);
	struct store *s, *copy;

	if (anonymous < 0)
		return -1;
	if (!anonymous)
		return err_set(err, ERR_USAGE,
			       "--format db is for --anonymize; else copy the "
			       "file");
	if (!path || !strcmp(path, "-"))
		return err_set(err, ERR_USAGE, "--format db needs -o FILE");
	s = store_open(a->operands[0], err);
	copy = s ? store_anonymous(s, &key, path, err) : NULL;
	store_free(copy);
	store_free(s);
	return copy ? 0 : -1;
}

/* Answers whoever asks until the program is ended. */
static int listen_at(const struct args *a, const struct kind *k,
		     struct err *err)
{
	struct store *s = store_open(a->operands[0], err);
	struct metrics_http *h;

	if (!s)
		return -1;
	store_free(s);
	if (k->write != export_openmetrics)
		return err_set(err, ERR_USAGE,
			       "--listen is for --format openmetrics");
	if (result_is_anonymous(a))
		return err_set(err, ERR_USAGE,
			       "--listen answers with names as they are");
	h = metrics_http_open(args_value(a, "listen"), a->operands[0], err);
	if (!h)
		return -1;
	if (confine_serving(a->operands[0], err)) {
		metrics_http_free(h);
		return -1;
	}
	fprintf(stderr, "%s: listening on port %u\n", command_program,
		metrics_http_port(h));
	metrics_http_serve(h, -1);
	metrics_http_free(h);
	return 0;
}

static int export(const struct args *a, struct err *err)
{
	const struct kind *k = kind_of(a, err);
	const char **tables = calloc(a->n_given + 1, sizeof *tables);
	struct export_options o = { 0 };
	struct store *s = NULL;
	int rc = -1;

	if (!tables)
		return err_set(err, ERR_MEMORY, "out of memory");
	if (k && args_has(a, "listen"))
		rc = listen_at(a, k, err);
	else if (k && !read_options(k, a, &o, tables, err)) {
		progress_begin(isatty(STDOUT_FILENO) && !o.path
				       ? NULL
				       : say_progress());
		if (!k->write)
			rc = write_database(a, err);
		else if ((s = result_open(a, a->operands[0], err)))
			rc = k->write(s, &o, err);
		progress_end();
	}
	store_free(s);
	free(tables);
	return rc;
}

static int export_run(const struct args *a)
{
	struct err err = { 0 };

	return export(a, &err) < 0 ? say_error(&cmd_export, &err) : EXIT_FULL;
}

static const struct option options[] = {
	{ .name = "format",
	  .value = "FORMAT",
	  .complete = COMPLETE_WORDS,
	  .words = "perfetto openmetrics csv jsonl datasette db",
	  .help = "perfetto, openmetrics, csv, jsonl, datasette or db" },
	{ .name = "output",
	  .letter = 'o',
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "File to write; csv: a folder (default: standard output)" },
	{ .name = "force",
	  .letter = 'f',
	  .help = "Replace the file if there is one; csv: the files" },
	{ .name = "table",
	  .value = "NAME",
	  .repeated = true,
	  .help = "csv, jsonl: only this table" },
	{ .name = "limit",
	  .value = "N",
	  .help = "perfetto: of each kind the N most important (default "
		  "10000)" },
	{ .name = "listen",
	  .value = "ADDR:PORT",
	  .help = "openmetrics: serve HTTP requests there; the database may "
		  "grow" },
	RESULT_OPTIONS,
	{ .name = NULL },
};

const struct command cmd_export = {
	.name = "export",
	.operands = "DB",
	.help = "Export a result for other programs",
	.manual = true,
	.confine = CONFINE_NAMED,
	.min_operands = 1,
	.max_operands = 1,
	.complete = COMPLETE_DATABASE,
	.options = options,
	.run = export_run,
};
