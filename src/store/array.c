/* SPDX-License-Identifier: GPL-2.0-or-later
 * See array.h: virtual tables of SQLite, which are read only. */
#include "store/array.h"

#include <string.h>

#include "base/search.h"

struct table {
	sqlite3_vtab base;
	const struct array *of;
};

struct cursor {
	sqlite3_vtab_cursor base;
	const char *at, *end;
};

static const struct array *array_of(const sqlite3_vtab_cursor *c)
{
	return ((const struct table *)c->pVtab)->of;
}

static const char *type_of(const struct column *c)
{
	return c->rule == NAMED || c->type == MEMBER_TEXT ? "TEXT"
	       : c->type == MEMBER_REAL                   ? "REAL"
							  : "INTEGER";
}

static int declare(sqlite3 *db, const struct array *a)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	char *text;
	int rc;

	for (int i = 0; i < a->columns.n; i++)
		sqlite3_str_appendf(sql, "%s%s %s", i ? "," : "CREATE TABLE x(",
				    a->columns.c[i].name,
				    type_of(&a->columns.c[i]));
	sqlite3_str_appendall(sql, ")");
	text = sqlite3_str_finish(sql);
	rc = text ? sqlite3_declare_vtab(db, text) : SQLITE_NOMEM;
	sqlite3_free(text);
	return rc;
}

static int on_connect(sqlite3 *db, void *array, int n, const char *const *args,
		      sqlite3_vtab **to, char **why)
{
	struct table *t;
	int rc = declare(db, array);

	(void)n;
	(void)args;
	(void)why;
	if (rc)
		return rc;
	sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	t = sqlite3_malloc(sizeof *t);
	if (!t)
		return SQLITE_NOMEM;
	*t = (struct table) { .of = array };
	*to = &t->base;
	return SQLITE_OK;
}

static int on_disconnect(sqlite3_vtab *t)
{
	sqlite3_free(t);
	return SQLITE_OK;
}

/* All of them, or the one with that number in the first column. */
static int on_plan(sqlite3_vtab *t, sqlite3_index_info *x)
{
	const struct array *a = ((struct table *)t)->of;

	x->estimatedRows = (sqlite3_int64)a->n;
	x->estimatedCost = (double)a->n;
	x->orderByConsumed =
		x->nOrderBy == 1 &&
		(x->aOrderBy[0].iColumn ? x->aOrderBy[0].iColumn == a->same
					: !x->aOrderBy[0].desc);
	for (int i = 0; i < x->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &x->aConstraint[i];

		if (c->iColumn || !c->usable ||
		    c->op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		x->aConstraintUsage[i].argvIndex = 1;
		x->idxNum = 1;
		x->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
		x->estimatedRows = 1;
		x->estimatedCost = 2;
		break;
	}
	return SQLITE_OK;
}

static int on_open(sqlite3_vtab *t, sqlite3_vtab_cursor **to)
{
	struct cursor *c = sqlite3_malloc(sizeof *c);

	(void)t;
	if (!c)
		return SQLITE_NOMEM;
	*c = (struct cursor) { .at = NULL };
	*to = &c->base;
	return SQLITE_OK;
}

static int on_close(sqlite3_vtab_cursor *c)
{
	sqlite3_free(c);
	return SQLITE_OK;
}

/* SQLite looks whether what is found is what it asked for. */
static int on_filter(sqlite3_vtab_cursor *base, int by_number, const char *text,
		     int n, sqlite3_value **args)
{
	struct cursor *c = (struct cursor *)base;
	const struct array *a = array_of(base);

	(void)text;
	(void)n;
	c->at = c->end = a->rows;
	if (!a->n)
		return SQLITE_OK;
	c->end += a->n * a->size;
	if (!by_number)
		return SQLITE_OK;
	c->at += a->size * search_dense_at(a->rows, a->n, a->size, 0,
					   sqlite3_value_int64(args[0]));
	if (c->at < c->end)
		c->end = c->at + a->size;
	return SQLITE_OK;
}

static int on_next(sqlite3_vtab_cursor *base)
{
	((struct cursor *)base)->at += array_of(base)->size;
	return SQLITE_OK;
}

static int on_eof(sqlite3_vtab_cursor *base)
{
	const struct cursor *c = (const struct cursor *)base;

	return c->at == c->end;
}

static int on_column(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
	const struct column *c = &array_of(base)->columns.c[i];
	struct row_scratch texts;
	struct row_value v;

	texts.n = 0;
	v = row_value(c, 0, ((struct cursor *)base)->at, &texts);
	if (v.type == ROW_INTEGER)
		sqlite3_result_int64(to, v.i);
	else if (v.type == ROW_REAL)
		sqlite3_result_double(to, v.r);
	else if (v.type != ROW_NULL)
		sqlite3_result_text(to, v.text, -1, SQLITE_STATIC);
	return SQLITE_OK;
}

static int on_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *to)
{
	memcpy(to, ((struct cursor *)base)->at, sizeof *to);
	return SQLITE_OK;
}

int array_show(struct store *s, struct array *a, struct err *err)
{
	static const sqlite3_module module = {
		.xConnect = on_connect,
		.xBestIndex = on_plan,
		.xDisconnect = on_disconnect,
		.xOpen = on_open,
		.xClose = on_close,
		.xFilter = on_filter,
		.xNext = on_next,
		.xEof = on_eof,
		.xColumn = on_column,
		.xRowid = on_rowid,
	};

	return sqlite3_create_module_v2(s->db, a->name, &module, a, NULL)
		       ? db_error(s, err, a->name)
		       : 0;
}

void array_hide(struct store *s, const struct array *a)
{
	sqlite3_create_module_v2(s->db, a->name, NULL, NULL, NULL);
}
