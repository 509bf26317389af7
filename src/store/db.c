/* SPDX-License-Identifier: GPL-2.0-or-later
 * Small helpers around one SQLite connection. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"

int db_error(struct store *s, struct err *err, const char *doing)
{
	/* NULL is what SQLite gives when it cannot even say so */
	int code = s->db ? sqlite3_errcode(s->db) & 0xff : SQLITE_NOMEM;
	int os = s->db ? sqlite3_system_errno(s->db) : 0;

	if (!os && s->db) /* a COMMIT leaves it with the file only */
		sqlite3_file_control(s->db, "main", SQLITE_LAST_ERRNO, &os);
	if (!os && code == SQLITE_FULL) /* which SQLite does not count as one */
		os = ENOSPC;
	/* and what SQLite says of the next thing may be anything */
	if (code == SQLITE_NOMEM || s->starved)
		return err_set(err, ERR_MEMORY, "%s: out of memory", s->path);
	if (s->db && sqlite3_extended_errcode(s->db) == SQLITE_CANTOPEN_SYMLINK)
		return err_set(err, ERR_IO, "%s: %s: it is a link", s->path,
			       doing);
	if ((code == SQLITE_IOERR || code == SQLITE_FULL ||
	     code == SQLITE_CANTOPEN) &&
	    os)
		return err_set(err, err_of_errno(os), "%s: %s: %s", s->path,
			       doing, strerror(os));
	if (code == SQLITE_BUSY)
		return err_set(err, ERR_IO,
			       "%s: %s: another process has it locked, and did "
			       "not release it within %d s",
			       s->path, doing, STORE_BUSY_MS / 1000);
	return err_set(err,
		       code == SQLITE_FULL || code == SQLITE_IOERR ? ERR_IO
		       : code == SQLITE_CORRUPT || code == SQLITE_NOTADB
			       ? ERR_FORMAT
			       : ERR_INTERNAL,
		       "%s: %s: %s", s->path, doing, sqlite3_errmsg(s->db));
}

/* SQLite reads a name that begins with "file:" as a URI and ":memory:" as no
 * file at all; with a folder in front it is a name. */
char *db_file_name(const char *path)
{
	return sqlite3_mprintf("%s%s", *path == '/' ? "" : "./", path);
}

/* The links of its folder resolved: who wants none followed, SQLite refuses
 * those as well. */
static char *without_links(const struct store *s, const char *path,
			   struct err *err)
{
	char *name = db_file_name(path), *folder = NULL, *whole = NULL;
	char *slash = name ? strrchr(name, '/') : NULL;

	if (slash) {
		*slash = '\0';
		folder = realpath(slash > name ? name : "/", NULL);
		if (!folder && errno != ENOMEM)
			err_errno(err, "%s: cannot create", s->path);
	}
	if (folder)
		whole = sqlite3_mprintf("%s/%s", folder, slash + 1);
	if (!whole && !err->text[0])
		err_set(err, ERR_MEMORY, "out of memory");
	free(folder);
	sqlite3_free(name);
	return whole;
}

int db_create(struct store *s, const char *path, struct err *err)
{
	char *name = without_links(s, path, err);
	int rc;

	if (!name)
		return -1;
	rc = sqlite3_open_v2(name, &s->db,
			     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
				     SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW,
			     NULL);
	sqlite3_free(name);
	return rc == SQLITE_OK ? 0 : db_error(s, err, "cannot create");
}

int db_run(struct store *s, const char *sql, struct err *err)
{
	if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	return db_error(s, err, "database");
}

int64_t db_number(sqlite3_stmt *q, int column)
{
	return sqlite3_column_type(q, column) == SQLITE_NULL
		       ? FACT_UNKNOWN
		       : sqlite3_column_int64(q, column);
}

sqlite3_stmt *db_prepare(struct store *s, const char *sql, const char *doing,
			 struct err *err)
{
	sqlite3_stmt *stmt;

	if (sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL) == SQLITE_OK)
		return stmt;
	db_error(s, err, doing);
	return NULL;
}

sqlite3_stmt *db_insert(struct store *s, const char *table,
			const char *const *columns, int n, const char *doing,
			struct err *err)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);
	sqlite3_stmt *stmt = NULL;
	char *text;

	sqlite3_str_appendf(sql, "INSERT INTO %s(", table);
	for (int i = 0; i < n; i++)
		sqlite3_str_appendf(sql, "%s\"%w\"", i ? "," : "", columns[i]);
	sqlite3_str_appendall(sql, ") VALUES(");
	for (int i = 0; i < n; i++)
		sqlite3_str_appendf(sql, "%s?%d", i ? "," : "", i + 1);
	sqlite3_str_appendall(sql, ")");
	text = sqlite3_str_finish(sql);
	if (text)
		stmt = db_prepare(s, text, doing, err);
	else
		err_set(err, ERR_MEMORY, "out of memory");
	sqlite3_free(text);
	return stmt;
}

int64_t db_integer(struct store *s, const char *sql, int64_t otherwise)
{
	sqlite3_stmt *stmt = db_prepare(s, sql, "database", NULL);
	int64_t v = otherwise;

	if (stmt && sqlite3_step(stmt) == SQLITE_ROW &&
	    sqlite3_column_type(stmt, 0) == SQLITE_INTEGER)
		v = sqlite3_column_int64(stmt, 0);
	s->starved |= (sqlite3_errcode(s->db) & 0xff) == SQLITE_NOMEM;
	sqlite3_finalize(stmt);
	return v;
}
