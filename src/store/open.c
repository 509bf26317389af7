/* SPDX-License-Identifier: GPL-2.0-or-later
 * Opening a result database that may come from anybody.
 *
 * 1 The file says it is ours before SQLite sees it.
 * 2 Read-only; nothing the schema of the file brings along may act: defensive
 *   mode, untrusted schema, no triggers, no attached files.
 * 3 Every table of ours is a plain table with the columns it should have, so
 *   no view or computed column runs in place of data.
 * 4 Size limits, and a processor time limit for every query.
 * The content may still be corrupted: each query can fail, and says so. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store_int.h"

/* The first bytes of a database file: sqlite.org/fileformat2.html, 1.3. */
enum {
	HEADER_SIZE = 100,
	HEADER_READ_FORMAT = 19,
	HEADER_VERSION = 60,     /* user_version */
	HEADER_APPLICATION = 68, /* application_id */
};

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

/* 0, or -1 and |err|; ERR_FORMAT when it is something else. */
static int read_header(const char *path, unsigned char head[HEADER_SIZE],
		       struct err *err)
{
	struct stat st;
	ssize_t n;
	int fd;

	/* who writes a pipe takes whoever opens it for its reader */
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return err_set(err, ERR_FORMAT, "%s: is not a regular file",
			       path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return err_errno(err, "%s", path);
	n = pread(fd, head, HEADER_SIZE, 0);
	close(fd);
	if (n < 0)
		return err_errno(err, "%s", path);
	if (n < HEADER_SIZE || memcmp(head, "SQLite format 3", 16) ||
	    be32(head + HEADER_APPLICATION) != STORE_APPLICATION)
		return err_set(err, ERR_FORMAT,
			       "%s: is not a fabscope result database", path);
	return 0;
}

bool store_is_ours(const char *path)
{
	unsigned char head[HEADER_SIZE] = { 0 };

	return !read_header(path, head, NULL);
}

bool store_has_log(const char *path)
{
	enum { WRITE_AHEAD_LOG = 2 };
	unsigned char head[HEADER_SIZE] = { 0 };

	return !read_header(path, head, NULL) &&
	       head[HEADER_READ_FORMAT] == WRITE_AHEAD_LOG;
}

static int check_header(const char *path, struct err *err)
{
	unsigned char head[HEADER_SIZE] = { 0 };
	uint32_t version;

	if (read_header(path, head, err))
		return -1;
	version = be32(head + HEADER_VERSION);
	if (version != STORE_SCHEMA)
		return err_set(err, ERR_FORMAT,
			       "%s: was written by %s fabscope (schema %u, "
			       "this one reads %d); run 'fabscope analyze' on "
			       "the capture again",
			       path,
			       version > STORE_SCHEMA ? "a newer" : "an older",
			       version, STORE_SCHEMA);
	return 0;
}

static void set_limits(sqlite3 *db)
{
	static const struct {
		int id, value;
	} limits[] = {
		{ SQLITE_LIMIT_LENGTH, 16 << 20 },
		{ SQLITE_LIMIT_SQL_LENGTH, 1 << 20 },
		{ SQLITE_LIMIT_COLUMN, 200 },
		{ SQLITE_LIMIT_EXPR_DEPTH, 200 },
		{ SQLITE_LIMIT_COMPOUND_SELECT, 50 },
		{ SQLITE_LIMIT_VDBE_OP, 100000 },
		{ SQLITE_LIMIT_FUNCTION_ARG, 100 },
		{ SQLITE_LIMIT_ATTACHED, 0 },
		{ SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000 },
		{ SQLITE_LIMIT_VARIABLE_NUMBER, 100 },
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 0 },
		{ SQLITE_LIMIT_WORKER_THREADS, 0 },
	};

	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
		sqlite3_limit(db, limits[i].id, limits[i].value);
}

int store_defend(struct store *s, struct err *err)
{
	static const struct {
		int option, value;
	} settings[] = {
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 },
		{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
		{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
		{ SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
		{ SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0 },
		{ SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0 },
	};

	for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
		if (sqlite3_db_config(s->db, settings[i].option,
				      settings[i].value, NULL) != SQLITE_OK)
			return db_error(s, err, "cannot open");
	set_limits(s->db);
	return db_run(s,
		      "PRAGMA cell_size_check = ON;"
		      "PRAGMA mmap_size = 0;"
		      "PRAGMA cache_size = -8192",
		      err);
}

/* --- are the tables what they should be? --- */

static sqlite3 *model_schema(void)
{
	sqlite3 *db;

	if (sqlite3_open(":memory:", &db) == SQLITE_OK &&
	    sqlite3_exec(db, builtin_text("schema.sql"), NULL, NULL, NULL) ==
		    SQLITE_OK)
		return db;
	sqlite3_close(db);
	return NULL;
}

/* Tables are compared as one line of text each. */
static const char list_tables[] =
	"SELECT t.name, (SELECT group_concat(c.name || '/' || c.hidden)"
	" FROM pragma_table_xinfo(t.name, 'main') c)"
	" FROM pragma_table_list t"
	" WHERE t.schema = 'main' AND t.type = 'table'"
	" AND t.name NOT LIKE 'sqlite~_%' ESCAPE '~'";

static const char one_table[] =
	"SELECT (SELECT group_concat(c.name || '/' || c.hidden)"
	" FROM pragma_table_xinfo(t.name, 'main') c)"
	" FROM pragma_table_list t"
	" WHERE t.schema = 'main' AND t.type = 'table' AND t.name = ?1";

static int compare_table(struct store *s, sqlite3_stmt *model,
			 sqlite3_stmt *file, struct err *err)
{
	const char *name = (const char *)sqlite3_column_text(model, 0);
	const char *want = (const char *)sqlite3_column_text(model, 1);
	const char *have = NULL;
	int rc;

	sqlite3_reset(file);
	sqlite3_bind_text(file, 1, name, -1, SQLITE_STATIC);
	rc = sqlite3_step(file);
	if (rc == SQLITE_ROW)
		have = (const char *)sqlite3_column_text(file, 0);
	else if (rc != SQLITE_DONE)
		return db_error(s, err, "cannot open");
	if (want && have && !strcmp(want, have))
		return 0;
	return err_set(err, ERR_FORMAT,
		       "%s: its table \"%s\" is not what this fabscope "
		       "writes; run 'fabscope analyze' on the capture again",
		       s->path, name);
}

static int compare_tables(struct store *s, sqlite3 *model, struct err *err)
{
	sqlite3_stmt *want = NULL, *have;
	int result = -1, rc;

	have = db_prepare(s, one_table, "cannot open", err);
	if (!have)
		return -1;
	if (sqlite3_prepare_v2(model, list_tables, -1, &want, NULL))
		goto out;
	while ((rc = sqlite3_step(want)) == SQLITE_ROW)
		if (compare_table(s, want, have, err))
			goto out;
	if (rc == SQLITE_DONE)
		result = 0;
out:
	sqlite3_finalize(want);
	sqlite3_finalize(have);
	return result;
}

static int check_tables(struct store *s, struct err *err)
{
	sqlite3 *model = model_schema();
	int result;

	if (!model)
		return err_set(err, ERR_MEMORY, "out of memory");
	query_start(s);
	result = compare_tables(s, model, err);
	sqlite3_close(model);
	return result;
}

/* --- the whole --- */

static int open_readonly(struct store *s, struct err *err)
{
	char *name = db_file_name(s->path);
	int rc;

	if (!name)
		return err_set(err, ERR_MEMORY, "out of memory");
	rc = sqlite3_open_v2(name, &s->db,
			     SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
	sqlite3_free(name);
	if (rc != SQLITE_OK)
		return db_error(s, err, "cannot open");
	/* A live analysis locks it while it begins, and as it ends. */
	sqlite3_busy_timeout(s->db, STORE_BUSY_MS);
	return 0;
}

struct store *store_open(const char *path, struct err *err)
{
	struct store *s;

	if (check_header(path, err))
		return NULL;
	s = calloc(1, sizeof *s);
	if (!s || !(s->path = strdup(path))) {
		free(s);
		err_set(err, ERR_MEMORY, "out of memory");
		return NULL;
	}
	s->state = STORE_READING;
	s->limit_s = 60;
	if (!open_readonly(s, err) && !store_defend(s, err) &&
	    !db_run(s, "PRAGMA query_only = ON", err) &&
	    !check_tables(s, err)) {
		if (db_functions(s->db) == SQLITE_OK)
			return s;
		db_error(s, err, "cannot open");
	}
	store_free(s);
	return NULL;
}
