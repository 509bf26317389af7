/* SPDX-License-Identifier: GPL-2.0-or-later
 * Two results side by side.
 *
 * Both are opened as foreign files are, and asked the queries of the folder
 * export/compare, each under the time limit.  The answers go into the tables
 * compared_* of a third database, in memory.  compare.sql holds them against
 * each other there, and the queries of export/diff say what came of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "store/store_int.h"

struct copy {
	struct store *to;
	const struct query *q;
	const char *side;
	sqlite3_stmt *insert;
	struct err *err;
};

/* "INSERT INTO compared_x(side,a,b,...) VALUES(?1,?2,...)" */
static char *insert_sql(const struct copy *c,
			const struct query_column *columns, size_t n)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);

	sqlite3_str_appendf(sql, "INSERT INTO %s(side", c->q->into);
	for (size_t i = 0; i < n; i++)
		sqlite3_str_appendf(sql, ",\"%w\"", columns[i].name);
	sqlite3_str_appendall(sql, ") VALUES(?1");
	for (size_t i = 0; i < n; i++)
		sqlite3_str_appendf(sql, ",?%d", (int)i + 2);
	sqlite3_str_appendall(sql, ")");
	return sqlite3_str_finish(sql);
}

static int on_head(void *ctx, const struct query_column *columns, size_t n)
{
	struct copy *c = ctx;
	char *sql = insert_sql(c, columns, n);

	if (!sql)
		return err_set(c->err, ERR_MEMORY, "out of memory");
	c->insert = db_prepare(c->to, sql, c->q->name, c->err);
	sqlite3_free(sql);
	if (!c->insert)
		return -1;
	sqlite3_bind_text(c->insert, 1, c->side, -1, SQLITE_STATIC);
	return 0;
}

static void bind(sqlite3_stmt *to, int at, const struct query_value *v)
{
	switch (v->type) {
	case VALUE_INT:
		sqlite3_bind_int64(to, at, v->i);
		break;
	case VALUE_REAL:
		sqlite3_bind_double(to, at, v->r);
		break;
	case VALUE_TEXT:
		sqlite3_bind_text64(to, at, v->text, v->length,
				    SQLITE_TRANSIENT, SQLITE_UTF8);
		break;
	default:
		sqlite3_bind_null(to, at);
	}
}

static int on_row(void *ctx, const struct query_value *values, size_t n)
{
	struct copy *c = ctx;

	for (size_t i = 0; i < n; i++)
		bind(c->insert, (int)i + 2, &values[i]);
	if (sqlite3_step(c->insert) != SQLITE_DONE)
		return db_error(c->to, c->err, c->q->name);
	sqlite3_reset(c->insert);
	return 0;
}

static int copy_answer(struct store *to, struct store *from,
		       const struct query *q, const char *side, struct err *err)
{
	struct err failed = { 0 };
	struct copy c = { to, q, side, NULL, &failed };
	const struct query_sink sink = { &c, on_head, on_row };
	int rc = query_run(from, q, NULL, &sink, err);

	sqlite3_finalize(c.insert);
	if (rc < 0)
		return -1;
	if (failed.code && err)
		*err = failed;
	return failed.code ? -1 : 0;
}

static int copy_side(struct store *to, struct store *from,
		     const struct catalogue *c, const char *side,
		     struct err *err)
{
	for (size_t i = 0; i < catalogue_size(c); i++) {
		const struct query *q = catalogue_at(c, i);

		if (!query_in(q, "compare") || !q->into)
			continue;
		if (copy_answer(to, from, q, side, err))
			return -1;
		progress_step();
	}
	return 0;
}

static int hold_against(struct store *to, struct err *err)
{
	int rc;

	query_start(to);
	rc = db_run(to, builtin_text("compare.sql"), err);
	sqlite3_progress_handler(to->db, 0, NULL, NULL);
	return rc;
}

struct store *store_compare(struct store *a, struct store *b, struct err *err)
{
	struct catalogue *c = catalogue_builtin();
	struct store *to = c ? store_create(":memory:", err) : NULL;
	int rc = -1;

	if (!c)
		err_set(err, ERR_MEMORY, "out of memory");
	if (to) {
		to->limit_s = 60;
		progress_phase("comparing", 0,
			       2 * catalogue_count(c, "compare"));
		rc = copy_side(to, a, c, "a", err) ||
		     copy_side(to, b, c, "b", err) || hold_against(to, err);
		to->state = STORE_READING;
	}
	catalogue_free(c);
	if (!rc)
		return to;
	store_free(to);
	return NULL;
}
