/* SPDX-License-Identifier: GPL-2.0-or-later
 * Asking one question: compile, bind, step, hand over.
 *
 * A query may read tables and compute; whatever else SQL can do (write,
 * attach, PRAGMA) is refused when it is compiled, also in files of users. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/guess.h"
#include "base/progress.h"
#include "store/param.h"
#include "store/store_int.h"

/* --- time limit --- */

static double processor_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool too_late(const struct store *s)
{
	return s->limit_s > 0 && processor_time() > s->deadline_s;
}

static bool unwanted(const struct store *s)
{
	return s->stop && s->stop(s->stop_ctx);
}

static int must_stop(void *ctx)
{
	return unwanted(ctx) || too_late(ctx);
}

void query_start(struct store *s)
{
	enum { STEPS = 10000 }; /* some 100 us between two looks */

	s->deadline_s = processor_time() + s->limit_s;
	sqlite3_progress_handler(s->db, s->limit_s > 0 || s->stop ? STEPS : 0,
				 must_stop, s);
}

static void query_stop(struct store *s)
{
	sqlite3_progress_handler(s->db, 0, NULL, NULL);
}

int query_error(struct store *s, const struct query *q, struct err *err)
{
	char doing[256];

	if (sqlite3_errcode(s->db) == SQLITE_INTERRUPT && unwanted(s))
		return err_set(err, ERR_INTERNAL, "query %s was stopped",
			       q->name);
	if (sqlite3_errcode(s->db) == SQLITE_INTERRUPT)
		return err_set(err, ERR_INTERNAL,
			       "%s: query %s stopped after %g s of processor "
			       "time",
			       s->path, q->name, s->limit_s);
	snprintf(doing, sizeof doing, "query %s", q->name);
	return db_error(s, err, doing);
}

/* --- compiling --- */

static int reading_only(void *ctx, int action, const char *a, const char *b,
			const char *database, const char *trigger)
{
	(void)ctx;
	(void)database;
	(void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION: /* its name is |b| */
		return b && (!strcasecmp(b, "load_extension") ||
			     !strcasecmp(b, "fts3_tokenizer"))
			       ? SQLITE_DENY
			       : SQLITE_OK;
	case SQLITE_UPDATE:
		/* How json_each() declares its columns.  A real one is refused
		 * further in: the schema is not writable. */
		return a && !strcasecmp(a, "sqlite_master") ? SQLITE_OK
							    : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

/* Only blanks and semicolons may follow the statement. */
static bool is_empty(const char *tail)
{
	return !tail[strspn(tail, " \t\r\n;")];
}

sqlite3_stmt *query_prepare(struct store *s, const struct query *q,
			    struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	const char *tail;
	int rc;

	if (q->broken) {
		err_set(err, ERR_FORMAT, "%s", q->broken);
		return NULL;
	}
	sqlite3_set_authorizer(s->db, reading_only, NULL);
	rc = sqlite3_prepare_v2(s->db, q->sql, -1, &stmt, &tail);
	sqlite3_set_authorizer(s->db, NULL, NULL);
	if (rc == SQLITE_AUTH)
		err_set(err, ERR_FORMAT, "query %s: may only read: %s", q->name,
			sqlite3_errmsg(s->db));
	else if (rc != SQLITE_OK)
		query_error(s, q, err);
	else if (!stmt || !is_empty(tail))
		err_set(err, ERR_FORMAT, "query %s: must be one statement",
			q->name);
	else
		return stmt;
	sqlite3_finalize(stmt);
	return NULL;
}

/* --- parameters --- */

static int bind_value(sqlite3_stmt *stmt, int at, const struct query_value *v)
{
	switch (v->type) {
	case VALUE_INT:
		return sqlite3_bind_int64(stmt, at, v->i);
	case VALUE_REAL:
		return sqlite3_bind_double(stmt, at, v->r);
	case VALUE_TEXT:
		return sqlite3_bind_text(stmt, at, v->text, (int)v->length,
					 SQLITE_TRANSIENT);
	default:
		return sqlite3_bind_null(stmt, at);
	}
}

static int parameter_index(sqlite3_stmt *stmt, const char *name)
{
	char key[128];

	snprintf(key, sizeof key, ":%s", name);
	return sqlite3_bind_parameter_index(stmt, key);
}

static int bind_text(struct store *s, const struct query *q, sqlite3_stmt *stmt,
		     const struct query_param *p, const char *text,
		     struct err *err)
{
	int at = parameter_index(stmt, p->name);
	struct query_value v;
	int64_t origin;

	if (!at)
		return err_set(err, ERR_FORMAT,
			       "query %s: does not use its parameter %s",
			       q->name, p->name);
	origin = p->unit == UNIT_TIME && text ? store_origin_ns(s) : 0;
	if (param_parse(p->unit, text ? text : "NULL", origin, &v))
		return err_set(err, ERR_USAGE, "query %s: %s=%s is no %s",
			       q->name, p->name, text,
			       query_unit_names[p->unit]);
	if (bind_value(stmt, at, &v))
		return query_error(s, q, err);
	return 0;
}

/* |text| is "K=V". */
static const struct query_param *param_of(const struct query *q,
					  const char *text, struct err *err)
{
	size_t n = strcspn(text, "=");
	struct guess g = guess_begin(text, n);

	for (size_t i = 0; i < q->n_params && text[n]; i++) {
		if (strlen(q->params[i].name) == n &&
		    !memcmp(q->params[i].name, text, n))
			return &q->params[i];
		guess_offer(&g, q->params[i].name);
	}
	if (!text[n])
		err_set(err, ERR_USAGE, "parameter %s: must be NAME=VALUE",
			text);
	else
		guess_error(&g, "parameter",
			    q->n_params ? "; --describe shows all"
					: "; it has none",
			    err);
	return NULL;
}

static const char *given(const struct query_param *p, const char *const *params)
{
	size_t n = strlen(p->name);
	const char *value = NULL;

	for (; params && *params; params++)
		if (!strncmp(*params, p->name, n) && (*params)[n] == '=')
			value = *params + n + 1;
	return value;
}

static int check_names(const struct query *q, sqlite3_stmt *stmt,
		       struct err *err)
{
	for (int i = 1; i <= sqlite3_bind_parameter_count(stmt); i++) {
		const char *name = sqlite3_bind_parameter_name(stmt, i);
		size_t k = 0;

		while (name && k < q->n_params &&
		       strcmp(q->params[k].name, name + 1))
			k++;
		if (!name || k == q->n_params)
			return err_set(err, ERR_FORMAT,
				       "query %s: its header does not name "
				       "the parameter %s",
				       q->name, name ? name : "?");
	}
	return 0;
}

int query_bind(struct store *s, const struct query *q, sqlite3_stmt *stmt,
	       const char *const *params, struct err *err)
{
	if (check_names(q, stmt, err))
		return -1;
	for (const char *const *p = params; p && *p; p++)
		if (!param_of(q, *p, err))
			return -1;
	for (size_t i = 0; i < q->n_params; i++) {
		const struct query_param *p = &q->params[i];
		const char *value = given(p, params);

		if (!value && p->required)
			return err_set(err, ERR_USAGE,
				       "query %s: needs --param %s=... (%s)",
				       q->name, p->name, p->help);
		if (bind_text(s, q, stmt, p, value ? value : p->value, err))
			return -1;
	}
	return 0;
}

/* --- answers --- */

/* Of a column of somebody's own SQL: by its name, as the schema names them. */
static enum query_unit unit_of(const char *name)
{
	static const struct {
		const char *pattern;
		enum query_unit unit;
	} units[] = {
		{ "ns", UNIT_TIME },       { "first_ns", UNIT_TIME },
		{ "last_ns", UNIT_TIME },  { "completed_ns", UNIT_TIME },
		{ "start_ns", UNIT_TIME }, { "end_ns", UNIT_TIME },
		{ "from_ns", UNIT_TIME },  { "to_ns", UNIT_TIME },
		{ "*_ns", UNIT_DURATION }, { "bytes", UNIT_BYTES },
		{ "*_bytes", UNIT_BYTES }, { "*_bps", UNIT_RATE },
		{ "*_qp", UNIT_HEX },      { "id", UNIT_ID },
		{ "*_id", UNIT_ID },       { "frame", UNIT_ID },
		{ "*_frame", UNIT_ID },    { "psn", UNIT_ID },
		{ "?pdcid", UNIT_HEX16 },  { "kind", UNIT_WORD },
		{ "cause", UNIT_WORD },    { "trigger", UNIT_WORD },
		{ "packets", UNIT_COUNT }, { "messages", UNIT_COUNT },
	};

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (!fnmatch(units[i].pattern, name, 0))
			return units[i].unit;
	return UNIT_TEXT;
}

static int hand_head(const struct query *q, sqlite3_stmt *stmt,
		     const struct query_sink *sink, struct err *err)
{
	size_t n = (size_t)sqlite3_column_count(stmt);
	struct query_column *columns = calloc(n, sizeof *columns);
	int stop;

	if (!columns)
		return err_set(err, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < n; i++) {
		/* the sink only reads it */
		columns[i].name =
			(char *)(uintptr_t)sqlite3_column_name(stmt, (int)i);
		columns[i].unit = unit_of(columns[i].name);
		for (size_t k = 0; k < q->n_columns; k++)
			if (!strcmp(q->columns[k].name, columns[i].name))
				columns[i] = q->columns[k];
	}
	stop = sink->head ? sink->head(sink->ctx, columns, n) : 0;
	free(columns);
	return !!stop;
}

static void fill_value(sqlite3_stmt *stmt, int i, struct query_value *v)
{
	*v = (struct query_value) { .type = VALUE_NULL };
	switch (sqlite3_column_type(stmt, i)) {
	case SQLITE_INTEGER:
		v->type = VALUE_INT;
		v->i = sqlite3_column_int64(stmt, i);
		break;
	case SQLITE_FLOAT:
		v->type = VALUE_REAL;
		v->r = sqlite3_column_double(stmt, i);
		break;
	case SQLITE_NULL:
		break;
	default: /* blobs too: up to their first NUL */
		v->type = VALUE_TEXT;
		v->text = (const char *)sqlite3_column_text(stmt, i);
		v->text = v->text ? v->text : "";
		v->length = strlen(v->text);
		break;
	}
}

static int hand_rows(struct store *s, const struct query *q, sqlite3_stmt *stmt,
		     const struct query_sink *sink, struct err *err)
{
	int n = sqlite3_column_count(stmt), rc, stop = 0;
	struct query_value *values = calloc((size_t)n, sizeof *values);

	if (!values)
		return err_set(err, ERR_MEMORY, "out of memory");
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW && !stop) {
		for (int i = 0; i < n; i++)
			fill_value(stmt, i, &values[i]);
		stop = sink->row(sink->ctx, values, (size_t)n);
		progress_row();
	}
	free(values);
	if (rc != SQLITE_DONE && rc != SQLITE_ROW)
		return query_error(s, q, err);
	return 0;
}

int query_run(struct store *s, const struct query *q, const char *const *params,
	      const struct query_sink *sink, struct err *err)
{
	sqlite3_stmt *stmt;
	int rc = -1;

	query_start(s);
	stmt = query_prepare(s, q, err);
	if (stmt && !query_bind(s, q, stmt, params, err)) {
		rc = hand_head(q, stmt, sink, err);
		if (!rc)
			rc = hand_rows(s, q, stmt, sink, err);
		rc = rc < 0 ? -1 : 0;
	}
	sqlite3_finalize(stmt);
	query_stop(s);
	return rc;
}

/* --- rows that are not there --- */

/* "flow" of --param flow=7, or of query flow --param id=7. */
static bool is_row_absent(struct store *s, const char *table, int64_t id,
			  struct err *err)
{
	char *there = sqlite3_mprintf(
		"SELECT EXISTS (SELECT 1 FROM \"%w\" WHERE id = %lld)", table,
		(long long)id);
	char *last = sqlite3_mprintf("SELECT max(id) FROM \"%w\"", table);
	/* 1 as well where there is no such table */
	bool absent = there && last && !db_integer(s, there, 1);
	int64_t n = absent ? db_integer(s, last, 0) : 0;

	sqlite3_free(there);
	sqlite3_free(last);
	if (absent && n)
		err_set(err, ERR_USAGE,
			"there is no %s %lld; the last one is %lld", table,
			(long long)id, (long long)n);
	else if (absent)
		err_set(err, ERR_USAGE, "there is no %s %lld; there is none",
			table, (long long)id);
	return absent;
}

bool query_absent(struct store *s, const struct query *q,
		  const char *const *params, struct err *err)
{
	for (size_t i = 0; i < q->n_params; i++) {
		const struct query_param *p = &q->params[i];
		const char *value =
			p->unit == UNIT_ID ? given(p, params) : NULL;
		struct query_value v;

		if (value && !param_parse(p->unit, value, 0, &v) &&
		    v.type == VALUE_INT &&
		    is_row_absent(s, strcmp(p->name, "id") ? p->name : q->name,
				  v.i, err))
			return true;
	}
	return false;
}
