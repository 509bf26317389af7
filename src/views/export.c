/* SPDX-License-Identifier: GPL-2.0-or-later
 * Tables of a result database as CSV and as JSON lines. */
#include "views/export.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/guess.h"
#include "base/outfile.h"
#include "base/progress.h"
#include "base/regular.h"
#include "store/format.h"
#include "store/query.h"
#include "store/tables.h"

/* ---- files ---- */

static int write_file(const char *path,
		      int (*write)(void *, FILE *, struct err *), void *ctx,
		      struct err *err)
{
	struct outfile *o = outfile_begin(path, NULL, NULL, err);
	FILE *f = o ? regular_create(outfile_temp(o)) : NULL;
	struct err why = { 0 };
	int rc = -1;

	if (f && write(ctx, f, &why))
		rc = err_set(err, why.code, "%s: %s", path, why.text);
	else if (f)
		rc = 0;
	else if (o)
		err_errno(err, "%s: cannot create", path);
	if (f && (ferror(f) | fclose(f)) && !rc)
		rc = err_errno(err, "%s: cannot write", path);
	if (!rc)
		rc = outfile_commit(o, err);
	outfile_free(o);
	return rc;
}

int export_into(const char *path, int (*write)(void *, FILE *, struct err *),
		void *ctx, struct err *err)
{
	if (path && strcmp(path, "-") != 0)
		return write_file(path, write, ctx, err);
	/* whether it arrived is checked when the program ends */
	return write(ctx, stdout, err);
}

/* ---- one table ---- */

struct one {
	struct store *s;
	const char *table;
	enum format_kind kind;
};

static int write_table(void *ctx, FILE *out, struct err *err)
{
	const struct one *one = ctx;
	const struct format_options how = { .kind = one->kind,
					    .record = one->table };
	struct query *q = table_query(one->table);
	struct format *f = q ? format_new(out, &how) : NULL;
	struct query_sink sink;
	int rc;

	if (!f) {
		query_free(q);
		return err_set(err, ERR_MEMORY, "out of memory");
	}
	sink = format_sink(f);
	rc = query_run(one->s, q, NULL, &sink, err);
	if (format_end(f, rc < 0 ? NULL : err) < 0)
		rc = -1;
	query_free(q);
	return rc;
}

/* ---- which tables ---- */

/* Where a walk over the tables that are wanted is. */
struct wanted {
	const struct export_options *o;
	const char *at; /* of all: table_next() */
	size_t i;       /* of those that were named */
};

static bool wanted_next(struct wanted *w, char name[static TABLE_NAME])
{
	if (!w->o->tables)
		return table_next(&w->at, name);
	if (!w->o->tables[w->i])
		return false;
	snprintf(name, TABLE_NAME, "%s", w->o->tables[w->i++]);
	return true;
}

static void count_tables(const struct export_options *o)
{
	struct wanted w = { .o = o };
	char name[TABLE_NAME];
	uint64_t n = 0;

	while (wanted_next(&w, name))
		n++;
	progress_phase("writing tables", 0, n);
}

static int no_table(const char *name, struct err *err)
{
	struct guess g = guess_begin(name, strlen(name));
	char have[TABLE_NAME];

	for (const char *at = NULL; table_next(&at, have);)
		guess_offer(&g, have);
	return guess_error(&g, "table", "; docs/schema.md has them all", err);
}

static int check_tables(const struct export_options *o, struct err *err)
{
	for (size_t i = 0; o->tables && o->tables[i]; i++)
		if (!table_exists(o->tables[i]))
			return no_table(o->tables[i], err);
	return 0;
}

/* ---- CSV ---- */

static int write_folder(struct store *s, const struct export_options *o,
			struct err *err)
{
	struct wanted w = { .o = o };
	char name[TABLE_NAME], *path = NULL;

	if (mkdir(o->path, 0777) && errno != EEXIST)
		return err_errno(err, "%s", o->path);
	count_tables(o);
	while (wanted_next(&w, name)) {
		struct one one = { s, name, FORMAT_CSV };
		int rc = asprintf(&path, "%s/%s.csv", o->path, name);

		if (rc < 0)
			return err_set(err, ERR_MEMORY, "out of memory");
		rc = write_file(path, write_table, &one, err);
		free(path);
		if (rc)
			return -1;
		progress_step();
	}
	return 0;
}

int export_csv(struct store *s, const struct export_options *o, struct err *err)
{
	struct one one = { .s = s, .kind = FORMAT_CSV };

	if (check_tables(o, err))
		return -1;
	if (o->tables && !o->tables[1]) {
		one.table = o->tables[0];
		return export_into(o->path, write_table, &one, err);
	}
	if (!o->path || !strcmp(o->path, "-"))
		return err_set(err, ERR_USAGE,
			       "CSV of several tables needs -o FOLDER; of one: "
			       "--table NAME");
	return write_folder(s, o, err);
}

/* ---- JSON lines ---- */

struct all {
	struct store *s;
	const struct export_options *o;
};

static int write_all(void *ctx, FILE *out, struct err *err)
{
	const struct all *all = ctx;
	struct wanted w = { .o = all->o };
	char name[TABLE_NAME];

	count_tables(all->o);
	while (wanted_next(&w, name)) {
		struct one one = { all->s, name, FORMAT_JSONL };

		if (write_table(&one, out, err))
			return -1;
		progress_step();
	}
	return 0;
}

int export_jsonl(struct store *s, const struct export_options *o,
		 struct err *err)
{
	struct all all = { s, o };

	if (check_tables(o, err))
		return -1;
	return export_into(o->path, write_all, &all, err);
}
