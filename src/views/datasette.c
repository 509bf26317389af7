/* SPDX-License-Identifier: GPL-2.0-or-later
 * Metadata for Datasette: the questions of the catalogue as canned queries of
 * one database (docs.datasette.io, "Canned queries" and "Metadata"). */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "store/plain.h"
#include "store/query.h"
#include "store/store.h"
#include "store/tables.h"
#include "views/export.h"
#include "views/rows_json.h"

enum { PAGE_NAME = TABLE_NAME + 8 };

/* What Datasette calls a database: its file without the ending. */
static json_t *database_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const char *dot = strrchr(base, '.');
	char *name = dot && dot > base ? strndup(base, (size_t)(dot - base))
				       : strdup(base);
	json_t *v = name ? rows_json_text(name) : NULL;

	free(name);
	return v;
}

/* Notes, then what each parameter is. */
static json_t *description(const struct query *q)
{
	json_t *v;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(q->notes, out);
	for (size_t i = 0; i < q->n_params; i++) {
		const struct query_param *p = &q->params[i];

		fprintf(out, "%s%s: %s (%s%s%s)", ftell(out) ? "\n" : "",
			p->name, p->help, query_unit_names[p->unit],
			p->required ? ", required"
			: p->value  ? ", else "
				    : "",
			p->value ? p->value : "");
	}
	fclose(out);
	v = rows_json_text(text);
	free(text);
	return v;
}

/* Datasette looks for a query first: under the name of a table, it would hide
 * that table. */
static const char *page_name(const char *query, char name[static PAGE_NAME])
{
	if (!table_exists(query))
		return query;
	snprintf(name, PAGE_NAME, "ask-%s", query);
	return name;
}

static int add(json_t *queries, json_t *left_out, const struct query *q,
	       struct err *err)
{
	struct err why = { 0 };
	char *sql = plain_sql(q, &why);
	char name[PAGE_NAME];
	json_t *o, *params;

	if (!sql && why.code != ERR_FORMAT)
		return err_set(err, why.code, "%s", why.text);
	if (!sql)
		return json_array_append_new(left_out, rows_json_text(q->name));
	o = json_object();
	params = json_array();
	for (size_t i = 0; i < q->n_params; i++)
		json_array_append_new(params, json_string(q->params[i].name));
	json_object_set_new(o, "sql", rows_json_text(sql));
	json_object_set_new(o, "title", rows_json_text(q->question));
	json_object_set_new(o, "description", description(q));
	json_object_set_new(o, "params", params);
	free(sql);
	return json_object_set_new(queries, page_name(q->name, name), o);
}

/* "Not here, because ...: NAME, NAME" */
static json_t *remark(const json_t *left_out)
{
	json_t *text = json_string("Questions to a fabscope result. Empty "
				   "parameters have their defaults. Those "
				   "that have the name of a table begin with "
				   "ask-.");
	size_t i;

	for (i = 0; i < json_array_size(left_out); i++) {
		json_t *more = json_sprintf(
			"%s%s%s", json_string_value(text),
			i ? ", "
			  : " Not here, because they need SQL functions of "
			    "fabscope: ",
			json_string_value(json_array_get(left_out, i)));

		json_decref(text);
		text = more;
	}
	return text;
}

static json_t *document(const char *path, json_t *queries, json_t *left_out)
{
	json_t *o = json_object(), *databases = json_object();
	json_t *database = json_object(), *name = database_name(path);

	json_object_set(database, "queries", queries);
	json_object_set_new(database, "description", remark(left_out));
	json_object_set_new(databases, json_string_value(name), database);
	json_object_set_new(o, "title", json_string("fabscope"));
	json_object_set_new(o, "databases", databases);
	json_decref(name);
	return o;
}

static int write_metadata(void *ctx, FILE *out, struct err *err)
{
	struct store *s = ctx;
	struct catalogue *c = catalogue_new();
	json_t *queries = json_object(), *left_out = json_array();
	int rc = c ? 0 : err_set(err, ERR_MEMORY, "out of memory");

	for (size_t i = 0; c && i < catalogue_size(c) && !rc; i++)
		if (query_in(catalogue_at(c, i), ""))
			rc = add(queries, left_out, catalogue_at(c, i), err);
	if (!rc)
		rc = rows_json_print(document(store_path(s), queries, left_out),
				     out, err);
	json_decref(queries);
	json_decref(left_out);
	catalogue_free(c);
	return rc;
}

int export_datasette(struct store *s, const struct export_options *o,
		     struct err *err)
{
	return export_into(o->path, write_metadata, s, err);
}
