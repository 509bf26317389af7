/* SPDX-License-Identifier: GPL-2.0-or-later
 * Questions for programs that know SQLite and not fabscope. */
#include "store/plain.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/param.h"
#include "store/store_int.h"

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Behind the text, quoted name or comment that begins at |at|; |at| itself
 * when none does. */
static const char *skip(const char *at)
{
	const char *end = at;

	if (*at == '\'' || *at == '"')
		end = strchr(at + 1, *at);
	else if (!strncmp(at, "--", 2))
		end = strchr(at, '\n');
	else if (!strncmp(at, "/*", 2))
		end = strstr(at + 2, "*/");
	else
		return at;
	if (!end)
		return at + strlen(at);
	return end + (*end == '*' ? 2 : 1);
}

static const struct query_param *param_at(const struct query *q,
					  const char *name, size_t n)
{
	for (size_t i = 0; i < q->n_params; i++)
		if (strlen(q->params[i].name) == n &&
		    !strncmp(q->params[i].name, name, n))
			return &q->params[i];
	return NULL;
}

/* NULL: it is text already. */
static const char *type_of(enum query_unit unit)
{
	switch (unit) {
	case UNIT_TEXT:
	case UNIT_WORD:
	case UNIT_REASON:
	case UNIT_JSON:
	case UNIT_SPARK:
		return NULL;
	case UNIT_REAL:
	case UNIT_SHARE:
		return "REAL";
	default:
		return "INTEGER";
	}
}

/* "CAST(ifnull(nullif(:limit, ''), 1000) AS INTEGER)" */
static void put_param(sqlite3_str *out, const struct query_param *p)
{
	struct query_value v = { .type = VALUE_NULL };
	const char *type = type_of(p->unit);

	if (p->value)
		param_parse(p->unit, p->value, 0, &v);
	sqlite3_str_appendf(out, "%s%snullif(:%s, '')", type ? "CAST(" : "",
			    v.type == VALUE_NULL ? "" : "ifnull(", p->name);
	if (v.type == VALUE_INT)
		sqlite3_str_appendf(out, ", %lld)", (long long)v.i);
	else if (v.type == VALUE_REAL)
		sqlite3_str_appendf(out, ", %!.15g)", v.r);
	else if (v.type == VALUE_TEXT)
		sqlite3_str_appendf(out, ", %Q)", v.text);
	if (type)
		sqlite3_str_appendf(out, " AS %s)", type);
}

static char *rewritten(const struct query *q)
{
	sqlite3_str *out = sqlite3_str_new(NULL);
	const char *at = q->sql;
	char *text, *copy;

	while (!strncmp(at, "--", 2)) /* the header */
		at = skip(at);
	while (*at) {
		const char *end = skip(at);
		size_t n = 0;
		const struct query_param *p;

		if (end > at) {
			sqlite3_str_append(out, at, (int)(end - at));
			at = end;
			continue;
		}
		while (*at == ':' && in_name(at[1 + n]))
			n++;
		p = n ? param_at(q, at + 1, n) : NULL;
		if (p)
			put_param(out, p);
		else
			sqlite3_str_append(out, at, 1);
		at += p ? 1 + n : 1;
	}
	text = sqlite3_str_finish(out);
	copy = text ? strdup(text) : NULL;
	sqlite3_free(text);
	return copy;
}

/* Does it compile where fabscope's functions are not? */
static int check(const char *sql, struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	sqlite3 *db;
	int rc = 0;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
	    sqlite3_exec(db, builtin_text("schema.sql"), NULL, NULL, NULL) !=
		    SQLITE_OK)
		rc = err_set(err, ERR_MEMORY, "out of memory");
	else if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		rc = err_set(err, ERR_FORMAT, "%s", sqlite3_errmsg(db));
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return rc;
}

char *plain_sql(const struct query *q, struct err *err)
{
	char *sql;

	if (q->broken) {
		err_set(err, ERR_FORMAT, "%s", q->broken);
		return NULL;
	}
	sql = rewritten(q);
	if (!sql)
		err_set(err, ERR_MEMORY, "out of memory");
	if (sql && !check(sql, err))
		return sql;
	free(sql);
	return NULL;
}
